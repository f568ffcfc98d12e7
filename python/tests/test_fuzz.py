"""Random expressions, lists and arguments: answers with the same values, or exceptions, and never an abort."""

import pickle
import threading

from hypothesis import given, settings
from hypothesis import strategies as st

import quaff
from quaff import OPERATORS, Domain, Expr, Simplifier, from_nodes, to_nodes

ARITY = {"neg": 1, "not": 1, "select": 3}
NAMES = ["i", "j", "k"]
RANGES = {"i": (0, 99), "j": (-7, 12), "k": (3, 64)}
LIMITED = Simplifier(rounds=6, nodes=3000)
quick = settings(max_examples=150, deadline=None)

integers64 = st.integers(-(2**63), 2**63 - 1)
small = st.integers(-70, 70)


def trees(leaf, operators=tuple(n for n in OPERATORS if n not in ("const", "var"))):
    def node(inner):
        op = st.sampled_from(operators)
        return op.flatmap(lambda o: st.tuples(*[inner] * ARITY.get(o, 2)).map(lambda args: Expr.make(o, *args)))

    return st.recursive(leaf, node, max_leaves=12)


variables = st.sampled_from(NAMES).map(Expr.var)
RESERVED = {"False", "True", "and", "else", "if", "not", "or"}
odd_names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,4}(\.[A-Za-z0-9_]{1,2})?", fullmatch=True).filter(lambda name: name not in RESERVED)
wild = trees(st.one_of(variables, odd_names.map(Expr.var), integers64.map(Expr)))
plain = trees(st.one_of(variables, integers64.map(Expr)))
# expressions as compilers write them: shifts by numbers, and divisors that are not 0
tame = trees(
    st.one_of(variables, small.map(Expr)),
    ("neg", "add", "sub", "mul", "min", "max", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not", "select", "bitand", "bitor", "bitxor"),
)


@st.composite
def indices(draw):
    e = draw(tame)
    for _ in range(draw(st.integers(0, 3))):
        divisor = draw(st.integers(1, 70)) * draw(st.sampled_from([1, 1, 1, -1]))
        e = draw(st.sampled_from([e // divisor, e % divisor, (e << 3) >> 2])) + draw(tame)
    return e


def points(random, n=6):
    corners = [{v: RANGES[v][c] for v in NAMES} for c in (0, 1)]
    return corners + [{v: random.randint(*RANGES[v]) for v in NAMES} for _ in range(n)]


@quick
@given(st.lists(wild, max_size=4))
def test_lists_and_pickles_come_back(exprs):
    assert from_nodes(*to_nodes(exprs)) == exprs
    assert pickle.loads(pickle.dumps(exprs)) == exprs
    assert [hash(e) for e in from_nodes(*to_nodes(exprs))] == [hash(e) for e in exprs]


@quick
@given(plain)
def test_texts_come_back(expr):
    assert Expr(str(expr)) == expr
    assert Expr.parse(expr.sexp()) == expr


@quick
@given(indices(), st.randoms(use_true_random=False))
def test_answers_have_the_same_values(expr, random):
    answer = LIMITED.simplify(expr, RANGES)
    assert answer.cost <= answer.input_cost
    lower, upper = quaff.bounds(expr, RANGES)
    residue, modulus = quaff.congruence(expr, RANGES)
    for at in points(random):
        value = expr.eval(at)
        assert answer.expr.eval(at) == value
        assert (lower is None or lower <= value) and (upper is None or value <= upper)
        assert (value - residue) % modulus == 0 if modulus else value == residue
    assert quaff.equal(expr, answer.expr, RANGES) is not False
    assert quaff.verify(expr, answer.expr, RANGES, max_points=500).equal is not False


@quick
@given(wild, st.randoms(use_true_random=False))
def test_anything_has_an_answer_or_a_reason(expr, random):
    domain = Domain({n: RANGES.get(n, (0, 9)) for n in expr.variables})
    try:
        answer = LIMITED.simplify(expr, domain)
    except quaff.Error as e:
        assert e.message and isinstance(e, (quaff.SimplifyError, quaff.DomainError))
        return
    for _ in range(4):
        at = {n: random.randint(*RANGES.get(n, (0, 9))) for n in expr.variables}
        try:
            value = expr.eval(at)
        except (ZeroDivisionError, quaff.EvalError):
            continue
        assert answer.expr.eval(at) == value


@quick
@given(st.lists(st.one_of(st.integers(-2, 26), integers64), max_size=30), st.lists(st.one_of(odd_names, st.text(max_size=3)), max_size=3), st.lists(st.integers(-1, 9), max_size=3))
def test_lists_of_any_numbers_are_read_or_refused(words, names, roots):
    try:
        exprs = from_nodes(words, names, roots)
    except ValueError as e:
        assert "word" in str(e) or "is no name of a variable" in str(e)
        return
    assert len(exprs) == len(roots)
    assert from_nodes(*to_nodes(exprs)) == exprs


@quick
@given(st.one_of(st.text(max_size=30), st.text("ij0123456789+-*/%()<>=&|^~ \n,wherandotmix.", max_size=40)))
def test_any_text_is_read_or_refused_with_its_place(text):
    for read in (Expr, Domain, quaff.View.parse):
        try:
            read(text)
        except quaff.Error as e:
            if e.span is not None:
                assert e.source == text and 0 <= e.span[0] <= e.span[1] <= len(text)
            assert str(e)


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.binary(max_size=4), st.just(Expr("i")), st.just(Domain({"i": (0, 3)})), st.builds(object)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.tuples(inner, inner), st.dictionaries(st.one_of(st.text(max_size=3), st.integers()), inner, max_size=3)),
    max_leaves=6,
)
CALLS = [
    Expr,
    Domain,
    quaff.simplify,
    quaff.simplify_all,
    quaff.simplify_many,
    quaff.prove,
    quaff.explain,
    quaff.to_nodes,
    lambda a: quaff.simplify("i", a),
    lambda a: quaff.simplify_many(["i"], a),
    lambda a: Domain({"i": a}),
    lambda a: Domain({"i": (0, a)}, assume=a),
    lambda a: Domain({"i": 3}, step=a),
    lambda a: Domain({"i": 3}, loop=a),
    lambda a: Domain({"i": 3}, opaque=a),
    lambda a: Simplifier(work=a),
    lambda a: Simplifier(leave_out=a),
    lambda a: Expr("i").eval(a),
    lambda a: Expr("i").min(a),
    lambda a: Expr.make("add", "i", a),
    lambda a: quaff.View(a),
    lambda a: quaff.View([4, 4]).pad(a),
    lambda a: quaff.bank_conflicts(a, "i", {"i": (0, 31)}),
    lambda a: quaff.IndexType(a, {"i": (0, 8, 2)}),
    lambda a: quaff.IndexType("i", a),
    lambda a: quaff.IndexType("i", {"i": a}),
    lambda a: quaff.IndexType.parts(0, a, 2),
    lambda a: quaff.canonical(a),
    lambda a: quaff.coalesce(["i"], "i", 64, by=a),
    lambda a: quaff.coalesce(["i"], "i", 64, uniform=a),
    lambda a: quaff.Access("i", a),
]


@settings(max_examples=60, deadline=None)
@given(anything)
def test_arguments_of_any_type_are_taken_or_refused(value):
    for call in CALLS:
        try:
            call(value)
        except (TypeError, ValueError, KeyError, OverflowError, quaff.Error):
            pass


@settings(max_examples=15, deadline=None)
@given(st.lists(indices(), min_size=1, max_size=6))
def test_threads_share_domains_and_simplifiers(exprs):
    domain, failures = Domain(RANGES), []
    alone = [LIMITED.simplify(e, domain).expr for e in exprs]

    def work():
        try:
            assert [LIMITED.simplify(e, domain).expr for e in exprs] == alone
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=work) for _ in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures
    assert [a.expr for a in LIMITED.simplify_many(exprs, domain, threads=2)] == alone
