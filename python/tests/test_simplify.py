"""Answers, questions about expressions, explanations and verdicts."""

import ast
import shutil
import subprocess
import threading

import pytest

import quaff
from quaff import Domain, Expr, Simplifier

TILED = {"t": (0, 8191), "c": (0, 11)}
ROWS = "(t*12 + c)//96*128 + (t*12 + c)%96"


def test_questions_accept_divisions_that_conditions_guard():
    for expr, bounds in [("i and 8//i", (0, 1)), ("where(i > 0, 8//i, 0)", (0, 8))]:
        assert quaff.bounds(expr, {"i": (0, 7)}) == bounds
        assert quaff.prove(f"({expr}) >= 0", {"i": (0, 7)}) is True
        assert quaff.equal(expr, f"({expr}) + 1", {"i": (0, 7)}) is False
        assert quaff.congruence(expr, {"i": (0, 7)}) == (0, 1)
    with pytest.raises(quaff.SimplifyError):
        quaff.bounds("8//i", {"i": (0, 7)})


def test_a_range_of_one_expression_is_an_equality():
    domain = "x=0..99, y=4*x + 1"
    assert str(quaff.simplify("y - 4*x", domain)) == "1"
    assert quaff.prove("y == 4*x + 1", domain) is True
    assert str(quaff.simplify("y//4", {"x": (0, 99), "y": ("4*x + 1", "4*x + 1")})) == "x"


def test_an_answer_and_its_figures():
    a = quaff.simplify(ROWS, TILED)
    assert str(a.expr) == "t*12 + c + t//8*32" == str(a)
    assert a.exprs == [a.expr]
    assert 0 < a.cost == 3.0 < a.input_cost
    assert a.stop == "saturated" and a.rounds >= 1 and a.nodes >= 1 and 0 < a.elapsed < 60
    assert a.trace == []
    assert repr(a).startswith("<Simplified t*12 + c")


def test_texts_of_all_languages_compute_the_answer():
    a = quaff.simplify(ROWS, TILED)
    assert a.cuda() == "return t * 12 + c + (t >> 3) * 32;\n"
    assert "t >> 3" in a.c() and "t" in a.rust()
    body = "".join("  " + line + "\n" for line in a.python().splitlines())
    made: dict = {}
    exec(f"def f(t, c):\n{body}", made)
    for t, c in [(0, 0), (17, 11), (8191, 5)]:
        assert made["f"](t, c) == (t * 12 + c) // 96 * 128 + (t * 12 + c) % 96 == a.expr.eval(t=t, c=c)


def test_a_trace_names_the_rules():
    a = quaff.simplify(ROWS, TILED, trace=True)
    assert a.expr == quaff.simplify(ROWS, TILED).expr
    step = next(s for s in a.trace if s.rule in Simplifier().rules)
    assert (step.rule, str(step.before), str(step.after)) == ("small-remainder", "(t*12 + c)//96", "t//8")
    assert step.conditions == [] and "small-remainder" in repr(step)


def test_the_range_of_a_part():
    a = quaff.simplify(ROWS, TILED)
    # parts are compared by structure, so a text, an equal object and the part itself give the same range
    assert a.range_of("t*12 + c + t//8*32") == a.range_of(Expr(str(a.expr))) == a.range_of(a.expr)
    lower, upper = a.range_of(a.expr)
    assert lower <= 0 and upper >= 8191 * 12 + 11 + 1023 * 32
    assert a.range_of("nowhere") is None


def test_divisors_that_are_prepared_come_with_what_prepares_them():
    domain = Domain({"x": (0, 10**6), "n": (1, 1000)}, uniform="n")
    a = quaff.simplify("x//n", domain)
    assert "n_div.m" in a.cuda() and "/" not in a.cuda()
    for text in (a.cuda_definitions(), a.c()):
        assert "typedef struct" in text and "quaff_fastdivmod_any(unsigned d)" in text
    access = quaff.simplify_accesses([quaff.Access("x//n")], domain)
    assert access.cuda_definitions() == a.cuda_definitions()
    assert "n_div.m" in access.cuda() and "quaff_fastdivmod_any" in access.c()
    assert quaff.simplify("x//7", domain).cuda_definitions() == ""


def test_a_text_is_a_whole_function():
    domain = Domain({"x": (0, 10**6), "n": (1, 1000)}, uniform="n")
    a = quaff.simplify("x//(n*3)", domain)
    cuda = a.function("row")
    assert "typedef struct" in cuda
    assert "quaff_fastdivmod_t row_n3_div(int n) { return quaff_fastdivmod(n*3); }" in cuda
    assert "__device__ __forceinline__ int row(int x, quaff_fastdivmod_t n3_div) {" in cuda
    assert "static inline int row(int x, " in a.function("row", "c")
    assert a.function("row", language="rust").startswith("pub fn row(x: i64, n: i64) -> i64 {")
    scope = {}
    exec(a.function("row", "python"), scope)
    assert scope["row"](1000, 7) == 1000 // 21
    with pytest.raises(ValueError, match="can be called `x`"):
        a.function("x")


def test_triton_text_is_python_that_is_exact():
    a = quaff.simplify("(program_id_0*128 + arange_0_128 - 7)//n", {"program_id_0": (0, 99), "arange_0_128": (0, 127), "n": (1, 9)})
    function = ast.parse(a.function("f", "triton")).body[-1]
    assert [p.arg for p in function.args.args] == ["n"]
    assert "tl.program_id(0) * 128" in a.triton() and ">> 31" in a.triton()
    assert a.contract("triton")["params"] == [{"name": "n", "type": ""}]
    # Triton's own `//` rounds towards zero. For values that are not negative, this is floor division
    assert quaff.simplify("x//n", {"x": (0, 99), "n": (1, 9)}).triton() == "return x // n\n"


def test_texts_say_what_they_rely_on():
    domain = Domain({"x": (0, 4 * 10**9), "n": (1, 1000), "blockIdx.x": (0, 99), "float": (0, 9)}, uniform="n")
    a = quaff.simplify(Expr.var("blockIdx.x") + Expr.var("float") + Expr("x//7"), domain)
    assert "(int)blockIdx.x" in a.cuda()
    assert {"name": "x", "type": "unsigned"} in a.contract()["params"]
    assert a.contract("cuda")["renamed"] == {"float": "float_2"}
    assert a.contract("c")["renamed"] == {"blockIdx.x": "blockIdx_x", "float": "float_2"}
    assert all(p["type"] == "i64" for p in a.contract("rust")["params"])
    b = quaff.simplify("x//n", Domain({"x": (0, 10**6), "n": (1, 1000)}, uniform="n"))
    assert b.contract()["divisors"] == [{"name": "n_div", "divisor": "n", "helper": "quaff_fastdivmod_any"}]
    assert b.contract()["params"][1] == {"name": "n", "type": "int"} and b.contract()["results"] == ["int"]
    access = quaff.simplify_accesses([quaff.Access("x//n", buffer="image", element="half")], domain)
    assert {"name": "image", "type": "const half *"} in access.contract()["params"]
    with pytest.raises(ValueError, match="neither cuda"):
        a.contract("fortran")
    with pytest.raises(ValueError, match="neither cuda"):
        a.function("f", "fortran")
    for wrong in ({"buffer": "a b; x"}, {"load": "int"}, {"element": "float x; int"}):
        with pytest.raises(ValueError, match="is no"):
            quaff.Access("x", **wrong)


def test_c_text_compiles_and_computes_the_answer(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler is installed: it compiles the text")
    a = quaff.simplify("x//n*3 + x%12", Domain({"x": (0, 10**6), "n": (1, 1000)}, uniform="n"))
    before, _, body = a.c().rpartition("\n\n")
    source = before + "\n#include <stdio.h>\n"
    source += "static int f(int x, int n, quaff_fastdivmod_t n_div) {\n" + body + "}\n"
    source += "int main(void) { for (int n = 1; n <= 1000; n += 37) for (int x = 0; x <= 1000000; x += 99991)\n"
    source += '  printf("%d\\n", f(x, n, quaff_fastdivmod_any(n)));\n  return 0; }\n'
    (tmp_path / "f.c").write_text(source)
    subprocess.run([compiler, "-o", tmp_path / "f", tmp_path / "f.c"], check=True)
    told = subprocess.run([tmp_path / "f"], check=True, capture_output=True, text=True).stdout
    assert list(map(int, told.split())) == [x // n * 3 + x % 12 for n in range(1, 1001, 37) for x in range(0, 1000001, 99991)]


def test_several_share_what_they_compute():
    exprs = ["x//12*16", "x%12", "x//12"]
    a = quaff.simplify_all(exprs, {"x": (0, 2**20 - 1)})
    assert len(a.exprs) == 3
    alone = sum(quaff.simplify(e, {"x": (0, 2**20 - 1)}).cost for e in exprs)
    assert a.cost < alone
    for x in (0, 11, 12, 99_999):
        assert [e.eval(x=x) for e in a.exprs] == [x // 12 * 16, x % 12, x // 12]
    assert quaff.simplify_all([]).exprs == []


def test_rules_limits_and_targets():
    assert "nested-division" in Simplifier().rules
    without = Simplifier(leave_out=["nested-division"])
    assert "nested-division" not in without.rules
    assert str(quaff.simplify("x//4//8", {"x": (0, 999)}).expr) == "x//32"
    with pytest.raises(ValueError, match="no rule"):
        Simplifier(leave_out=["no-such-rule"])
    with pytest.raises(ValueError, match="no target"):
        Simplifier(target="sm_1")
    assert Simplifier(rounds=0).simplify(ROWS, TILED).cost > 3.0
    assert Simplifier(nodes=1).simplify(ROWS, TILED).stop != "saturated"
    for target in ("sm_80", "sm_90", "sm_100", "plain"):
        assert "return" in Simplifier(target=target).simplify(ROWS, TILED).cuda()


def test_cost_models():
    # on a GPU, the shift of a number that may be negative is a floor division
    text, domain = "(q*6 + r)%8 - (q*6 + r)//8%9", {"q": (0, 11), "r": (0, 5)}
    assert str(Simplifier(cost="gpu").simplify(text, domain).expr) == "r - q*3 - (r - q*2)//8*9"
    assert str(quaff.simplify(text, domain).expr) == "r - q*3 - (r - q*2)//8*9"
    assert str(Simplifier(cost="truncating").simplify(text, domain).expr) == "(q*6 + r)%8 - (q*6 + r)//8"
    assert Simplifier(cost="operations").simplify("x*8 + x//8*3", {"x": (0, 9)}).input_cost == 4.0
    with pytest.raises(ValueError, match="no cost model"):
        Simplifier(cost="cheap")


def test_the_graph_as_text():
    text = Simplifier().dot(["x//7", "x%7"], {"x": (0, 99)})
    assert text.startswith("digraph") and "0..14" in text
    with pytest.raises(quaff.SimplifyError):
        Simplifier().dot(["x//y"], {"x": (0, 9), "y": (0, 9)})


def test_rules_of_a_folder(tmp_path):
    (tmp_path / "more.rules").write_text("(rule mine \"a multiple of 7\" (match (// (* 7 ?x) 7)) (yield ?x))\n")
    assert Simplifier(add_rules=tmp_path).rules == [*Simplifier().rules, "mine"]
    assert Simplifier(rules=str(tmp_path)).rules == ["mine"]


def test_wrong_rules_are_named(tmp_path):
    (tmp_path / "wrong.rules").write_text("(rule halves \"wrong\" (match (// ?x 2)) (yield ?x))\n")
    x = {"x": (0, 99)}
    simplifier = Simplifier(add_rules=tmp_path)
    for ask in (
        lambda: simplifier.simplify("x//2", x),
        lambda: simplifier.simplify_all(["x", "x//2"], x),
        lambda: simplifier.prove("x//2 == x", x),
        lambda: simplifier.bounds("x//2", x),
        lambda: simplifier.equal("x//2", "x", x),
    ):
        with pytest.raises(quaff.SimplifyError, match="the rule `halves` of .*wrong.rules:1:1 is wrong") as failure:
            ask()
        assert "report" not in str(failure.value)
    assert str(Simplifier(add_rules=tmp_path, trust_rules=True).simplify("x//2", x)) != "x//2"
    assert str(simplifier.simplify("x//3*3 + x%3", x)) == "x"


def test_questions():
    d = {"i": (0, 15), "j": (0, 3), "k": (-3, 9)}
    assert quaff.prove("i*4 + j < 64", d) is True
    assert quaff.prove("i > 15", d) is False
    assert quaff.prove("i > 3", d) is None
    assert quaff.equal("(i*4 + j)//4", "i", d) is True
    assert quaff.equal("i", "i + 1", d) is False
    assert quaff.equal("i", "j", d) is None
    assert quaff.bounds("2*i + 1", d) == (1, 31)
    assert quaff.bounds("k*k", d)[1] == 81
    assert quaff.bounds("x", {"x": (None, 3)}) == (None, 3)
    assert quaff.congruence("4*i + 1", d) == (1, 4)
    assert quaff.congruence("5") == (5, 0)
    assert quaff.congruence("i", d) == (0, 1)
    assert quaff.is_multiple_of("12*i + 8", 4, d) is True
    assert quaff.is_multiple_of("12*i + 8", 8, d) is False


def test_an_index_in_a_loop():
    d = {"k": (0, 9), "t": (0, 7)}
    base, kind, steps = quaff.split_by("k*8 + t", "k", d)
    assert (str(base), kind, [s.value for s in steps]) == ("t", "step", [8])
    base, kind, steps = quaff.split_by("(k*8 + t)%32", "k", d)
    assert (str(base), kind, [s.value for s in steps]) == ("t", "wrapping", [8, 32])
    base, kind, steps = quaff.split_by("k//2", "k", d)
    assert (base.value, kind, [s.value for s in steps]) == (0, "periodic", [0, 1])
    assert quaff.split_by("k*k*k", "k", d) is None or quaff.split_by("k*k*k", "k", d)[1] == "step"


def test_an_explanation_is_checked_step_by_step():
    e = quaff.explain(ROWS, TILED)
    assert e.is_checked and e.check.equal is True
    assert [s.name for s in e.steps] == ["normal-form", "small-remainder", "cheapest"]
    rule = e.steps[1]
    assert (str(rule.before), str(rule.after)) == ("(t*12 + c)//96", "t//8")
    assert ("g", "12") in rule.facts and "bucket" in rule.why and rule.check.equal
    assert "costs 3" in e.steps[2].why
    assert e.answer.expr == quaff.simplify(ROWS, TILED).expr
    assert str(e).splitlines()[0] == ROWS


def test_verdicts():
    d = {"i": (0, 15), "j": (0, 3)}
    same = quaff.verify("(i*4 + j)//4", "i", d)
    assert (same.equal, same.method, same.witness) == (True, "exact", None)
    other = quaff.verify("(i*4 + j)//4", "i + j//3", d)
    assert other.equal is False
    w = other.witness
    assert (w["i"] * 4 + w["j"]) // 4 != w["i"] + w["j"] // 3
    unsaid = quaff.verify("x*y*x", "y*x*x + (x*y - 5000)//9000*0 + min(x*x*y%7, 8)%1", {"x": None, "y": None}, max_points=3)
    assert unsaid.equal is not False


def test_accesses():
    access = quaff.Access("(t//16 + r - 1)*16 + t%16", "t//16 + r >= 1 and t//16 + r < 17", load="v", buffer="in")
    a = quaff.simplify_accesses([access], {"t": (0, 287), "r": (0, 2)})
    assert a.cost < a.input_cost and len(a.accesses) == 1
    assert a.accesses[0].buffer == "in"
    for t in range(288):
        for r in range(3):
            holds = 1 <= t // 16 + r < 17
            assert bool(a.accesses[0].gate.eval(t=t, r=r)) == holds
            if holds:
                assert a.accesses[0].index.eval(t=t, r=r) == (t // 16 + r - 1) * 16 + t % 16
    assert "in" in a.cuda() and "in" in a.c()
    (always,) = quaff.simplify_accesses([quaff.Access("i", "i < 20")], {"i": (0, 9)}).accesses
    assert always.gate is None
    (never,) = quaff.simplify_accesses([quaff.Access("i", "i > 20", store="1.0f")], {"i": (0, 9)}).accesses
    assert never.gate == Expr(0)
    with pytest.raises(ValueError, match="load or a store"):
        quaff.Access("i", load="a", store="b")


def test_wrong_types_are_refused():
    for call in (
        lambda: quaff.simplify(1.5),
        lambda: quaff.simplify(None),
        lambda: quaff.simplify("i", 3),
        lambda: quaff.simplify_all("i + j", {"i": 1}),
        lambda: quaff.simplify_accesses(["i"]),
        lambda: quaff.is_multiple_of("i", 1.5, {"i": 3}),
        lambda: Simplifier(work="much"),
        lambda: Simplifier("positional"),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()


def test_objects_are_shared_by_threads():
    d, s, failures = Domain(TILED), Simplifier(), []
    expected = s.simplify(ROWS, d).expr

    def work():
        try:
            for _ in range(50):
                assert s.simplify(ROWS, d).expr == expected
                assert s.bounds("t*12 + c", d) == (0, 98303)
        except BaseException as e:  # an assertion of a thread reaches nobody by itself
            failures.append(e)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not failures
