"""Exceptions: the place, the wrong part and the help, and pickling."""

import pickle

import pytest

import quaff
from quaff import Error


def failure(call) -> Error:
    with pytest.raises(Error) as e:
        call()
    return e.value


def test_the_part_that_cannot_be_is_named_and_underlined():
    e = failure(lambda: quaff.simplify("i\n + (i*4 + k)//k", {"i": (0, 9), "k": (0, 8)}))
    assert isinstance(e, quaff.SimplifyError) and isinstance(e, ValueError)
    assert (e.culprit, e.code, e.source) == ("k", "quaff::zero_divisor", "i\n + (i*4 + k)//k")
    assert e.source[slice(*e.span)] == "k" and e.span == (12, 13)
    assert str(e).splitlines() == [
        "the divisor `k` can be 0: its range is 0..8",
        "   + (i*4 + k)//k",
        "            ^",
        f"help: {e.help}",
    ]


def test_an_object_has_no_place_but_a_culprit():
    e = failure(lambda: quaff.simplify(quaff.Expr("(i*4 + k)//k"), {"i": (0, 9), "k": (0, 8)}))
    assert (e.culprit, e.span, e.source) == ("k", None, None)
    assert "^" not in str(e)


@pytest.mark.parametrize(
    ("module", "name", "hint"),
    [
        ("sympy.core.add", "Add", "`quaff.sympy` takes"),
        ("tvm.ir.prim.expr", "Add", "`quaff.tvm` takes"),
        ("tinygrad.uop.ops", "UOp", "`quaff.tinygrad` takes"),
        ("torch", "SymInt", "`quaff.sympy` takes its expression"),
        ("z3.z3", "ArithRef", "`quaff.variables`"),
        ("numpy", "ndarray", "`quaff.simplify_all` takes several"),
    ],
)
def test_an_object_of_another_library_is_refused_with_the_way_in(module, name, hint):
    other = type(name, (), {"__module__": module})()
    for call in (quaff.simplify, quaff.Expr, lambda e: quaff.prove(e, "i=0..3")):
        with pytest.raises(TypeError, match=f"and not {name}; .*{hint}"):
            call(other)


def test_a_size_of_torch_is_never_taken_for_its_value():
    size = type("SymInt", (), {"__module__": "torch", "__index__": lambda self: pytest.fail("the size was read")})()
    with pytest.raises(TypeError, match="SymInt"):
        quaff.simplify(size)


def test_an_object_of_no_known_library_has_no_hint():
    with pytest.raises(TypeError) as e:
        quaff.simplify(2.5)
    assert str(e.value) == "an expression is an Expr, an integer or a text, and not float"


@pytest.mark.parametrize("before", ["", "a + ", "a + b*17 +\n "])
def test_an_undeclared_variable_is_found_where_it_stands(before):
    e = failure(lambda: quaff.simplify(before + "zz", {"a": (0, 3), "b": (0, 3)}))
    assert e.source[slice(*e.span)] == "zz" == e.culprit


@pytest.mark.parametrize("name", ["row", "größe", "😀😀"])
def test_places_count_characters_and_not_bytes(name):
    # the text before the place has characters of one, two and four bytes
    text = f'r=0..3 as "{name}[0]", i=0..9, ?'
    e = failure(lambda: quaff.Domain(text))
    assert isinstance(e, quaff.DomainError)
    assert e.source == text and e.span == (len(text), len(text))
    shown, caret = str(e).splitlines()[1:3]
    assert caret.index("^") == len(shown)


def test_a_character_of_several_bytes_is_one_place():
    e = failure(lambda: quaff.Expr("i + größe"))
    assert e.source[slice(*e.span)] == "ö"
    e = failure(lambda: quaff.View.parse("shape(8, 12).päd((1,1))"))
    assert e.span[0] <= e.source.index("ä") <= e.span[1] <= len(e.source)


def test_the_end_of_a_text_is_a_place():
    e = failure(lambda: quaff.Expr("i +"))
    assert e.span == (3, 3)
    assert str(e).splitlines()[1:3] == ["  i +", "     ^"]


def test_a_long_line_is_cut_around_the_place():
    e = failure(lambda: quaff.Expr("x + " * 1000 + "* y"))
    assert e.span == (4000, 4001)
    shown, caret = str(e).splitlines()[1:3]
    assert shown.startswith("  ...") and len(shown) < 140
    assert shown[caret.index("^")] == "*"


def test_every_kind_is_one_of_the_hierarchy():
    kinds = {
        quaff.ParseError: lambda: quaff.Expr("i +"),
        quaff.DomainError: lambda: quaff.Domain({"i": (3, 1)}).bounds("i"),
        quaff.SimplifyError: lambda: quaff.simplify("j", {}),
        quaff.LowerError: lambda: quaff.simplify("x*x*x", {"x": (0, 2**40)}).cuda(),
        quaff.EvalError: lambda: quaff.Expr("1 << x").eval(x=-1),
        quaff.RuleError: lambda: quaff.Simplifier(rules="no-such-folder"),
        quaff.ViewError: lambda: quaff.View([8, 12]).permute([0, 0]),
        quaff.BankError: lambda: quaff.bank_conflicts("t", "t", {"t": (0, None)}),
        quaff.CoalesceError: lambda: quaff.coalesce(["i"], "i", 33),
    }
    for kind, call in kinds.items():
        e = failure(call)
        assert type(e) is kind
        assert e.message and str(e).startswith(e.message)
        again = pickle.loads(pickle.dumps(e))
        assert type(again) is kind and str(again) == str(e) and vars(again) == vars(e)


def test_a_wrong_rule_is_shown_with_its_place(tmp_path):
    (tmp_path / "mine.rules").write_text("(rule broken (+ x y) ->)\n")
    e = failure(lambda: quaff.Simplifier(add_rules=tmp_path))
    assert isinstance(e, quaff.RuleError) and "mine.rules:1:" in str(e)


def test_the_first_of_several_texts_that_has_it_shows_the_place():
    e = failure(lambda: quaff.simplify_all(["i + 1", "i//k"], {"i": (0, 9), "k": (0, 8)}))
    assert (e.source, e.span) == ("i//k", (3, 4))
