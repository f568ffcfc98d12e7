"""`Expr`: building, reading, comparing and evaluating expressions, and refused arguments."""

import copy
import pickle

import pytest

import quaff
from quaff import Expr

i, j = quaff.variables("i, j")

# a text, the same expression built with operators of Python, and its value at i = -7, j = 3
BUILT = [
    ("i + 1", i + 1, -6),
    ("1 + i", 1 + i, -6),
    ("i - j", i - j, -10),
    ("5 - i", 5 - i, 12),
    ("2*i", 2 * i, -14),
    ("i//j", i // j, -3),
    ("100//i", 100 // i, -15),
    ("i%j", i % j, 2),
    ("100%i", 100 % i, -5),
    ("i & 6", i & 6, 0),
    ("6 & j", 6 & j, 2),
    ("i | j", i | j, -5),
    ("8 | j", 8 | j, 11),
    ("i ^ j", i ^ j, -6),
    ("1 ^ j", 1 ^ j, 2),
    ("i << j", i << j, -56),
    ("1 << j", 1 << j, 8),
    ("i >> 1", i >> 1, -4),
    ("64 >> j", 64 >> j, 8),
    ("-i", -i, 7),
    ("i", +i, -7),
    ("i ^ -1", ~i, 6),
    ("i < j", i < j, 1),
    ("i <= j", i <= j, 1),
    ("i > j", i > j, 0),
    ("i >= j", i >= j, 0),
    ("i == j", i.eq(j), 0),
    ("i != j", i.ne(j), 1),
    ("i < j and j < 9", (i < j).logical_and(j < 9), 1),
    ("i > j or j > 9", (i > j).logical_or("j > 9"), 0),
    ("not i", i.logical_not(), 0),
    ("where(i, j, 4)", i.select(j, 4), 3),
    ("where(i < 0, j, 4)", quaff.select(i < 0, j, 4), 3),
    ("min(i, 2)", i.min(2), -7),
    ("max(i, j)", i.max(j), 3),
    ("max(i, -i)", abs(i), 7),
    ("i//j", divmod(i, j)[0], -3),
    ("i%j", divmod(i, j)[1], 2),
    ("100//i", divmod(100, i)[0], -15),
    ("100%i", divmod(100, i)[1], -5),
    ("i*i*i", i**3, -343),
    ("i", i**1, -7),
    ("1", i**0, 1),
    ("1 << j*1", 2**j, 8),
    ("1 << j*3", 8**j, 512),
]


@pytest.mark.parametrize("text, built, value", BUILT, ids=[b[0] for b in BUILT])
def test_operators_build_what_text_says(text, built, value):
    assert Expr(text) == built
    assert Expr.parse(str(built)) == built
    assert Expr.parse(built.sexp()) == built
    assert built.eval({"i": -7, "j": 3}) == value == built.eval(i=-7, j=3)
    # Python evaluates `//`, `%`, shifts and bit operations as quaff does
    if "where" not in text:
        names = {"i": -7, "j": 3, "min": min, "max": max}
        assert int(eval(text, names)) == value


def test_parts():
    e = Expr("i*16 + j")
    assert (e.op, [str(a) for a in e.args]) == ("add", ["i*16", "j"])
    assert e.args[0].args[1].value == 16 and e.args[1].value is None
    assert e.args[1].name == "j" and e.name is None
    assert e.variables == ["i", "j"]
    assert e.tree_size == 5
    assert Expr.make("add", Expr.make("mul", "i", Expr.make("const", 16)), Expr.make("var", "j")) == e


def test_every_operator_can_be_made_and_reads_back():
    arity = {"neg": 1, "not": 1, "select": 3}
    for name in quaff.OPERATORS:
        if name in ("const", "var"):
            continue
        e = Expr.make(name, *[i, j, 4][: arity.get(name, 2)])
        assert e.op == name
        assert Expr.parse(e.sexp()) == e == Expr(str(e))
        with pytest.raises(TypeError):
            Expr.make(name, *[i] * (arity.get(name, 2) + 1))


def test_text_in_parentheses_is_read_as_either():
    assert Expr.parse("(i + 3)*2") == Expr("(i + 3)*2") and Expr.parse("(-i + 3)") == Expr("-i + 3")
    assert Expr.parse("(+ i 3)") == i + 3 and Expr.parse(" (- i)") == -i
    # both notations are tried, and the error comes from the one that read more of the text
    for text, at in (("(+ i (* j ?))", 10), ("(i + j)*?", 8), ("(+ i", 0), ("(i + 3", 0)):
        with pytest.raises(quaff.ParseError) as e:
            Expr.parse(text)
        assert e.value.span[0] == at, text


def test_equality_is_of_structure_and_hashes_agree():
    assert Expr("i + j") == i + j and hash(Expr("i + j")) == hash(i + j)
    assert i + j != j + i
    assert i != "i" and i != 3
    assert {i + j: 1}[Expr("i+j")] == 1


def test_a_truth_value_is_refused_with_what_to_write():
    with pytest.raises(TypeError, match="logical_and"):
        bool(i < 3)
    with pytest.raises(TypeError):
        _ = 0 < i < 3


def test_other_operands_are_left_to_python():
    for other in ("j", None, 1.5, [], object()):
        with pytest.raises(TypeError):
            _ = i + other
        with pytest.raises(TypeError):
            _ = other // i


class Index:
    """An integer of another library."""

    def __index__(self):
        return 12


def test_integers_of_other_libraries_and_truth_values():
    assert Expr(Index()) == Expr(12) and i * Index() == i * 12
    assert Expr(True) == Expr(1)
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    assert Expr(numpy.int32(5)) == Expr(5)
    assert i + numpy.int64(5) == i + 5


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**50, 10**6000], ids=["2**63", "below", "10**50", "10**6000"])
def test_integers_beyond_64_bits_are_refused(value):
    for make in (Expr, lambda v: i + v, lambda v: v % i, lambda v: i.select(v, 0), lambda v: Expr.make("const", v)):
        with pytest.raises(OverflowError, match="64 bits") as e:
            make(value)
        assert len(str(e.value)) < 200
    assert Expr(2**63 - 1).value == 2**63 - 1 and Expr(-(2**63)).value == -(2**63)


def test_values_that_are_none():
    with pytest.raises(KeyError, match="i"):
        i.eval({})
    with pytest.raises(ZeroDivisionError):
        Expr("1//i").eval(i=0)
    with pytest.raises(quaff.EvalError):
        Expr("i << j").eval(i=1, j=1000)
    with pytest.raises(quaff.EvalError):
        Expr("i*i*i").eval(i=2**62)
    with pytest.raises(OverflowError):
        i.eval(i=2**70)
    # the value exceeds 64 bits, but fits 128 bits
    assert Expr("i*i").eval(i=2**62) == 2**124


def test_pickles_and_copies_are_equal():
    e = Expr.var("shape.x") * 3 + Expr.var("threadIdx.x") + i
    for again in (pickle.loads(pickle.dumps(e)), copy.copy(e), copy.deepcopy(e)):
        assert again == e and hash(again) == hash(e)
    assert e.variables == ["shape.x", "threadIdx.x", "i"]


def test_what_is_shared_stays_shared_in_a_pickle():
    e = i + j
    for _ in range(200):
        e = e * e
    assert len(pickle.dumps(e)) < 20_000
    assert pickle.loads(pickle.dumps(e)) == e
    assert str(e) == f"<expression of {e.tree_size} nodes>"
    with pytest.raises(OverflowError, match="characters"):
        e.sexp()


def test_deep_expressions_do_not_overflow_the_stack():
    e = i
    for k in range(100_000):
        e = e + (k & 1)
    assert e.eval(i=3) == 50_003
    again = pickle.loads(pickle.dumps(e))
    assert again == e
    del again
    assert len(quaff.to_nodes([e])[0]) > 200_000


def test_repr_is_what_makes_it():
    assert repr(Expr("(i+j)//4")) == "quaff.Expr('(i + j)//4')"
    assert eval(repr(i + 3)) == i + 3
