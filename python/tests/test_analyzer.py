"""`Analyzer`: scopes, added ranges, and a memo that never changes the values or the cost of an answer."""

import asyncio
import contextvars
import gc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quaff
from quaff import Analyzer, Domain, Expr
from quaff._known import Answers, Outside
from quaff.analyzer import CompareResult, ConstIntBound, IntSet, ModularSet

NAMES = ["i", "j", "k", "v0", "v1", "zz", "a_1"]


def test_names_of_tvm():
    a = Analyzer()
    a.bind("i", (0, 15))
    a.bind(Expr.var("j"), range(4))
    a.bind("n", 7)
    a.bind("m", "2*n")
    assert str(a.simplify("(i*4 + j)//4")) == "i"
    assert [str(e) for e in a.simplify_all(["i//16", "j//4 + 1"])] == ["0", "1"]
    assert a.const_int_bound("2*i + 1") == ConstIntBound(1, 31)
    assert a.const_int_bound("m") == (14, 14)
    assert a.modular_set("4*i + 3") == ModularSet(4, 3)
    assert a.modular_set("n") == ModularSet(0, 7)
    assert a.can_prove("i < 16") and not a.can_prove("i < 15")
    assert a.can_prove_equal("m", "n + n") and not a.can_prove_equal("i", "j")
    assert a.can_prove_greater_equal("i + 1", 1) and not a.can_prove_greater_equal("i", 1)
    assert a.can_prove_less("i", 16) and not a.can_prove_less("i", 15)


def test_a_variable_is_bound_once():
    a = Analyzer({"i": (0, 15)})
    with pytest.raises(ValueError, match="allow_override"):
        a.bind("i", (0, 3))
    a.bind("i", (2, 99), allow_override=True)
    # the initial range and the new range both hold
    assert a.const_int_bound("i") == (2, 15)
    with pytest.raises(ValueError, match="no variable"):
        a.bind(Expr("i + 1"), 3)


def test_a_variable_that_is_bound_to_an_expression_is_equal_to_it():
    a = Analyzer({"x": (0, 99)})
    a.bind("y", "4*x + 1")
    a.bind("z", Expr("y") * 2)
    assert str(a.simplify("y//4")) == "x" and str(a.simplify("z//8")) == "x"
    assert a.modular_set("y") == ModularSet(4, 1) and a.const_int_bound("y - 4*x") == (1, 1)
    assert a.can_prove("y % 4 == 1") and a.can_prove_equal("y", "4*x + 1")


def test_a_range_is_replaced_until_the_scope_ends():
    a = Analyzer()
    a.bind("n", 4)
    a.bind("i", (0, 9))
    a.bind("n", 8, allow_override=True)
    assert a.const_int_bound("n + 1") == (9, 9)
    with a.constraint_scope("i > 2"):
        a.bind("i", (0, 5), allow_override=True)
        assert a.const_int_bound("i") == (3, 5) and a.domain == Domain("n=8, i=0..5", assume="i > 2")
    assert a.const_int_bound("i") == (0, 9)
    with pytest.raises(ValueError, match="has a step already"):
        a.update("i", ModularSet(2, 0))
        a.update("i", ModularSet(3, 0))
    a.update("i", ModularSet(3, 1), override=True)
    assert a.modular_set("i") == (3, 1) and a.const_int_bound("i") == (1, 7)
    a.update("w", ConstIntBound(None, 3))
    a.update("v", IntSet(Expr("n"), None))
    a.update("u", ModularSet(0, 7))
    assert a.can_prove("w < 4") and a.can_prove("v >= 8") and a.modular_set("u") == (0, 7)
    assert a.const_int_bound_is_bound("w") and a.const_int_bound_is_bound("n") and not a.const_int_bound_is_bound("q")
    with pytest.raises(TypeError, match="str is no"):
        a.update("w", "0..3")


def test_a_clone_knows_what_is_known_and_no_more():
    a = Analyzer({"i": (0, 15)})
    a.bind("j", (0, 3))
    a.enabled_extensions = 2
    with a.constraint_scope("i < 8"):
        b = a.clone()
    assert b.can_prove("i + j < 11") and not a.can_prove("i < 8") and b.enabled_extensions == 2
    b.bind("k", 1)
    a.bind("k", 2)
    assert b.const_int_bound("k") == (1, 1) and a.const_int_bound("k") == (2, 2)
    b.bind("j", 9, allow_override=True)
    assert a.const_int_bound("j") == (0, 3) and b.const_int_bound("j") == (9, 9)


def test_comparisons_and_intervals():
    a = Analyzer({"x": (0, None), "y": (1, 100), "z": (None, None), "n": (1, 99)})
    a.bind("i", (0, "n - 1"))
    names = CompareResult
    pairs = {("i", "n"): names.LT, ("x", "z"): names.UNKNOWN, ("x", "-1"): names.GT, ("y", "1"): names.GE, ("2*x", "x + x"): names.EQ}
    for (left, right), how in pairs.items():
        assert a.try_compare(left, right) == how
    assert a.try_compare("2*z", "2*x + 1") == names.NE
    with a.constraint_scope("x < z"), a.constraint_scope("z < y"):
        assert a.try_compare("x", "y") == names.LT and a.try_compare("z + 1", "y") == names.LE
    with a.constraint_scope("x < 0"):
        assert a.try_compare("x", "0") == names.INCONSISTENT
    for expr, domains, ends in [
        ("x + y", {"x": (0, 10)}, ("y", "y + 10")),
        ("x*y", {"x": (0, 10)}, ("0", "y*10")),
        ("x//y", {"x": (0, "z")}, ("0", "z//y")),
        ("truncmod(x, y)", {"x": (0, 10)}, ("0", "y - 1")),
        ("x%z", {"x": (0, 10)}, ("min(z + 1, 0)", "max(z - 1, 0)")),
        ("z%8", {"z": ("8*n + 2", "8*n + 4")}, ("2", "4")),
        ("where(x > z, x, y)", {"x": (2, 5)}, ("min(2, y)", "max(5, y)")),
        ("x + z", {"x": (0, 3), "z": (None, 4)}, (None, "7")),
        ("x", {"x": ("z", "z"), "z": ("x", "x")}, (None, None)),
        ("z", {}, ("z", "z")),
    ]:
        found = a.int_set(expr, domains)
        for own, end in zip(found, ends):
            assert own is end is None or a.can_prove_equal(own, end), (expr, found)
    assert a.int_set("i*4 + 1") == (Expr(1), Expr(393))


def test_limits_and_counts():
    a = Analyzer({"x": (0, 99), "y": (0, 99)})
    long = "(x + y)*2 - x*2 - y*2 + max(x, y) - min(x, y)"
    a.set_maximum_rewrite_steps(1)
    with pytest.raises(RuntimeError, match="of at most 1"):
        a.rewrite_simplify(long)
    a.set_maximum_rewrite_steps(1000)
    assert a.can_prove_equal(a.rewrite_simplify(long), "max(x, y) - min(x, y)")
    a.set_maximum_rewrite_steps(0)
    a.reset_rewrite_simplify_stats()
    assert a.rewrite_simplify_stats == (0, 0, 0, 0, 0, 0)
    with a.constraint_scope("x < 4"):
        a.canonical_simplify("x//4 + y")
        a.canonical_simplify("x//4 + y")
    a.simplify("x")
    stats = a.rewrite_simplify_stats
    assert stats.constraints_entered == 1 and stats.rewrites_performed == 2 and stats.rewrites_attempted == 2 and stats.nodes_visited == 11
    assert a.simplify("x + 0", 0) == "x + 0"
    assert not a.is_z3_enabled
    for ask in (a.get_smtlib2, a.get_z3_stats, lambda: a.set_z3_timeout_ms(1), lambda: a.set_z3_rlimit(1)):
        with pytest.raises(RuntimeError, match="no Z3"):
            ask()


def test_a_question_asked_twice_is_looked_up(monkeypatch):
    a, asked = Analyzer({"i": (0, 99)}), []
    original = Answers.remembered

    def counted(self, number, kind, question, ask):
        return original(self, number, kind, question, lambda: (asked.append(question), ask())[1])

    monkeypatch.setattr(Answers, "remembered", counted)
    for _ in range(3):
        for bound in (5, 7):
            with a.constraint_scope(f"i < {bound}"):
                assert a.const_int_bound("i") == (0, bound - 1) and a.can_prove(f"i < {bound}")
        assert not a.can_prove("i < 7") and a.const_int_bound("i") == (0, 99)
    # a scope with equal facts uses the memoised answers, also in another thread
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(a.can_prove, "i < 7").result() is False
    assert len(asked) == 6
    a.bind("j", (0, 3))
    assert not a.can_prove("i < 7") and len(asked) == 7


def test_scopes_nest_and_end_also_by_an_exception():
    a = Analyzer({"i": (0, 15), "j": (0, 15)})
    with a.constraint_scope("i < 8") as same:
        assert same is a and a.can_prove("i//8 == 0")
        with a.constraint_scope(Expr("j >= i + 8")):
            assert a.can_prove("j >= 8") and a.can_prove("i//8 == 0")
        assert not a.can_prove("j >= 8")
    assert not a.can_prove("i//8 == 0")
    with pytest.raises(RuntimeError):
        with a.constraint_scope("i < 8"):
            raise RuntimeError
    assert not a.can_prove("i//8 == 0") and a.domain == Domain({"i": (0, 15), "j": (0, 15)})
    # an answer that was memoised within a scope is not used outside of the scope
    with a.constraint_scope("i < 8"):
        assert str(a.simplify("i//8")) == "0"
    assert str(a.simplify("i//8")) == "i//8"


def test_a_scope_that_holds_nowhere_is_told():
    a = Analyzer({"i": (0, 3)})
    with a.constraint_scope("i > 5"):
        for ask in (a.simplify, a.can_prove, a.const_int_bound):
            with pytest.raises(quaff.DomainError, match="no point"):
                ask("i < 9")
    assert a.can_prove("i < 9")


def test_symbolic_ends():
    a = Analyzer({"n": (1, 64), "i": (0, "n - 1"), "r": (0, 9)})
    assert str(a.simplify("(r*n + i)//n")) == "r" and str(a.simplify("(r*n + i)%n")) == "i"
    assert a.can_prove("i < n") and a.const_int_bound("i") == (0, 63)
    b = Analyzer({"n": (1, 64), "i": (0, 63), "r": (0, 9)})
    assert str(b.simplify("(r*n + i)%n")) != "i"


def test_questions_that_differ_by_names_are_one():
    a = Analyzer({"i": (0, 15), "j": (0, 3), "x": (0, 15), "y": (0, 3), "z": (0, 4)})
    assert str(a.simplify("(i*4 + j)//4")) == "i"
    assert str(a.simplify("(x*4 + y)//4")) == "x"
    assert a.counts() == {"hits": 1, "misses": 1, "held": 1}
    # with another range, the question is not the memoised one
    assert str(a.simplify("(x*4 + z)//4")) != "x"
    assert a.counts() == {"hits": 1, "misses": 2, "held": 2}


def test_names_that_look_like_stand_ins_are_not_mixed_up():
    a = Analyzer({"v1": (0, 15), "v0": (0, 3)})
    assert str(a.simplify("(v1*4 + v0)//4")) == "v1"
    assert str(a.simplify("(v1*4 + v0)%4")) == "v0"
    b = Analyzer({"v0": (0, 3), "v1": (0, 15)})
    assert str(b.simplify("v0 + (v1*4 + v0)//4*4")) == str(quaff.simplify("v0 + (v1*4 + v0)//4*4", b.domain).expr)


def test_what_is_remembered_is_bounded():
    a = Analyzer({"i": (0, 99)}, memo=4)
    for k in range(2, 40):
        a.simplify(f"i//{k}")
        assert a.counts()["held"] <= 4


def test_errors_speak_of_the_names_and_places_of_the_question():
    a = Analyzer({"i": (0, 9), "divisor": (0, 9)})
    with pytest.raises(quaff.SimplifyError) as e:
        a.simplify("i + i//divisor")
    assert e.value.culprit == "divisor" and e.value.source[slice(*e.value.span)] == "divisor"
    with pytest.raises(quaff.SimplifyError, match="not declared"):
        a.simplify("elsewhere")


def test_threads_share_an_analyzer():
    a, failures = Analyzer({"i": (0, 99), "j": (0, 3), "k": (0, 99), "l": (0, 3)}), []

    def work(names):
        try:
            for m in range(4, 40):
                assert str(a.simplify("({0}*{2} + {1})//{2}".format(*names, m))) == names[0]
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=work, args=(n,)) for n in ["ij", "kl", "ij", "kl"]]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures


def test_scopes_end_in_any_order():
    a = Analyzer({"i": (0, 99)})
    narrow, wide = a.constraint_scope("i < 3"), a.constraint_scope("i < 50")
    narrow.__enter__(), wide.__enter__()
    assert a.const_int_bound("i") == (0, 2)
    narrow.__exit__(None, None, None)
    assert a.const_int_bound("i") == (0, 49)
    wide.__exit__(None, None, None)
    assert a.const_int_bound("i") == (0, 99) and not a.can_prove("i < 3")


def test_scopes_of_threads_are_their_own():
    a, failures = Analyzer({"i": (0, 99)}), []
    together = threading.Barrier(8)

    def work(k):
        try:
            for n in range(100):
                together.wait()
                with a.constraint_scope(f"i < {k + 2}"):
                    together.wait()
                    assert a.const_int_bound("i") == (0, k + 1)
                    with a.constraint_scope("i >= 1"):
                        assert a.const_int_bound("i") == (1, k + 1)
                        assert a.can_prove(f"i <= {k + 1}") and not a.can_prove(f"i <= {k}")
                assert a.const_int_bound("i") == (0, 99)
        except BaseException as e:
            failures.append(e)
            together.abort()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures
    assert a.domain == Domain({"i": (0, 99)})


def test_scopes_of_tasks_are_their_own():
    a = Analyzer({"i": (0, 99)})

    async def work(k):
        for n in range(50):
            with a.constraint_scope(f"i < {k + 2}"):
                await asyncio.sleep(0)
                assert a.const_int_bound("i") == (0, k + 1)
                a.bind("j", (0, k))
                await asyncio.sleep(0)
                assert a.const_int_bound("j") == (0, k)
            assert a.const_int_bound("i") == (0, 99) and "j" not in a.domain
            await asyncio.sleep(0)

    async def all_of_them():
        await asyncio.gather(*(work(k) for k in range(8)))

    asyncio.run(all_of_them())
    assert a.domain == Domain({"i": (0, 99)})


def test_a_scope_that_has_ended_holds_nowhere():
    a = Analyzer({"i": (0, 99)})
    with a.constraint_scope("i < 3"):
        copied = contextvars.copy_context()
        assert copied.run(a.const_int_bound, "i") == (0, 2)
    assert copied.run(a.const_int_bound, "i") == (0, 99)
    # one thread enters the scope, and another thread ends it
    scope = a.constraint_scope("i < 5")
    scope.__enter__()
    ending = threading.Thread(target=scope.__exit__, args=(None, None, None))
    ending.start(), ending.join()
    assert a.const_int_bound("i") == (0, 99)


def test_what_is_bound_within_a_scope_ends_with_it():
    a, b = Analyzer({"i": (0, 99)}), Analyzer({"i": (0, 9)})
    with a.constraint_scope("i < 8"), b.constraint_scope("i < 4"):
        a.bind("j", (0, 3))
        assert a.can_prove("i + j < 11") and "j" not in b.domain
        with a.constraint_scope("j < 2"):
            assert a.can_prove("i + j < 9")
        # a fact that another thread binds outside of all scopes holds for all threads
        binding = threading.Thread(target=a.bind, args=("k", (0, 5)))
        binding.start(), binding.join()
        assert a.can_prove("k < 6") and a.can_prove("j < 4")
    assert "j" not in a.domain and a.can_prove("k < 6")


def test_a_condition_that_is_none_enters_no_scope():
    a = Analyzer({"i": (0, 99)})
    with pytest.raises(quaff.ParseError):
        with a.constraint_scope("i < "):
            pass
    assert a.domain == Domain({"i": (0, 99)})


def scoped_questions(a, seed, count):
    """Asks random questions in random scopes over ``0 <= i <= 99``, and checks the answers. It yields before questions, so that other
    threads or tasks can run."""
    random = Random(seed)
    for _ in range(count):
        k, low, step = random.randint(1, 99), random.randint(0, 20), random.randint(2, 7)
        with a.constraint_scope(f"i <= {k}"):
            yield
            assert a.const_int_bound("i") == (0, k)
            with a.constraint_scope(f"i >= {low}"):
                yield
                if low <= k:
                    assert a.can_prove(f"i + {step} >= {low + step}") and a.const_int_bound("i*2") == (2 * low, 2 * k)
                else:
                    with pytest.raises(quaff.DomainError):
                        a.const_int_bound("i")
            if random.random() < 0.3:
                a.bind("own", f"i*{step} + 1")
                yield
                assert a.modular_set("own") == (step, 1) and a.can_prove(f"own <= {k * step + 1}")
            yield
            assert a.can_prove(f"i < {k + 1}") and not a.can_prove(f"i < {k}")
        assert a.const_int_bound("i") == (0, 99) and "own" not in a.domain


def test_ten_thousand_scoped_questions_of_threads_and_tasks():
    # each round of `scoped_questions` asks 7 to 9 questions
    a, rounds = Analyzer({"i": (0, 99)}, memo=3000), 80
    failures = []

    def thread(seed):
        try:
            for _ in scoped_questions(a, seed, rounds):
                pass
        except BaseException as e:
            failures.append(e)

    async def task(seed):
        for _ in scoped_questions(a, seed, rounds):
            await asyncio.sleep(0)

    async def tasks():
        await asyncio.gather(*(task(100 + k) for k in range(8)))

    threads = [threading.Thread(target=thread, args=(k,)) for k in range(8)]
    [t.start() for t in threads]
    asyncio.run(tasks())
    [t.join() for t in threads]
    assert not failures
    assert a.domain == Domain({"i": (0, 99)})


@st.composite
def questions(draw):
    """An expression as a text with holes for names, ranges, and two assignments of names."""
    leaf = st.one_of(st.integers(0, 2).map(lambda n: "{%d}" % n), st.integers(1, 40).map(str))
    tree = st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
            st.tuples(inner, st.sampled_from(["//", "%"]), st.integers(1, 40)).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
            st.tuples(inner, inner, inner).map(lambda t: "where({} < {}, {}, 3)".format(*t)),
        ),
        max_leaves=7,
    )
    ranges = [sorted(draw(st.tuples(st.integers(-9, 60), st.integers(-9, 60)))) for _ in range(3)]
    return draw(tree), ranges, *(draw(st.permutations(NAMES))[:3] for _ in range(2))


shared = Analyzer()


@settings(max_examples=150, deadline=None)
@given(questions(), st.randoms(use_true_random=False))
def test_the_memory_never_changes_values_or_cost(question, random):
    text, ranges, first, second = question
    for names in (first, second):
        domain = Domain({n: tuple(r) for n, r in zip(names, ranges)})
        expr = Expr(text.format(*names))
        # one memo for all questions, whose domains differ
        shared._outside = Outside(domain)
        got = shared.simplify(expr)
        direct = quaff.simplify(expr, domain)
        assert quaff.simplify(got, domain).input_cost <= direct.input_cost
        assert set(got.variables) <= set(names)
        for _ in range(8):
            at = {n: random.randint(*r) for n, r in zip(names, ranges)}
            assert got.eval(at) == expr.eval(at) == direct.expr.eval(at)
    # the same question with other names has the same answer with other names
    renamed = dict(zip(first, second))
    shared._outside = Outside(Domain({n: tuple(r) for n, r in zip(first, ranges)}))
    one = shared.simplify(Expr(text.format(*first)))
    words, names, roots = quaff.to_nodes([one])
    if len(set(names)) == len(names):
        assert quaff.from_nodes(words, [renamed[n] for n in names], roots) == [got]


def test_an_analyzer_may_end_before_the_threads_that_asked_it(monkeypatch):
    errors = []
    monkeypatch.setattr(sys, "unraisablehook", errors.append)
    with ThreadPoolExecutor(1) as pool:
        a = Analyzer({"i": (0, 99)})
        assert pool.submit(a.const_int_bound, "i").result() == (0, 99)
        # the pool keeps a reference to its last call, so another call replaces it
        pool.submit(int).result()
        del a
        gc.collect()
    assert not errors
