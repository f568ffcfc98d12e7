"""`simplify_many`: order, errors as values, threads, progress, and ^C."""

import os
import signal
import subprocess
import sys
import threading

import pytest

import quaff

TEXTS = [f"(i*{k} + j)//{k}" for k in range(4, 104)]
SAME = {"i": (0, 99), "j": (0, 3)}


def said(outcomes):
    return [str(o.expr) if isinstance(o, quaff.Simplified) else repr(o) for o in outcomes]


@pytest.mark.parametrize("threads", [None, 0, 1, 2, 4, 64])
def test_answers_stand_in_the_order_of_the_call(threads):
    exprs = [f"{t} + {n}" for n, t in enumerate(TEXTS)]
    got = quaff.simplify_many(exprs, SAME, threads=threads)
    assert said(got) == [str(quaff.simplify(e, SAME).expr) for e in exprs]


def test_a_domain_for_each():
    domains = [{"i": (0, n), "j": (0, 3)} if n % 2 else quaff.Domain(f"i=0..{n}, j=0..3") for n in range(len(TEXTS))]
    got = quaff.simplify_many(TEXTS, domains, threads=2)
    assert said(got) == [str(quaff.simplify(e, d).expr) for e, d in zip(TEXTS, domains)]
    with pytest.raises(ValueError, match="100 expressions and 3 domains"):
        quaff.simplify_many(TEXTS, domains[:3])


def test_a_text_and_nothing_are_domains():
    assert said(quaff.simplify_many(["(i*4+j)//4"], "i=0..3, j=0..3")) == ["i"]
    assert said(quaff.simplify_many([3, "4 + 5"])) == ["3", "9"]
    assert quaff.simplify_many([]) == []
    assert said(quaff.simplify_many(e for e in ["3"])) == ["3"]


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_what_fails_stands_where_its_answer_would(threads):
    exprs = ["i", "i//j", "nowhere + 1", "i + j"]
    got = quaff.simplify_many(exprs * 30, SAME, threads=threads)
    for n, one in enumerate(got):
        if n % 4 in (0, 3):
            assert one.expr == quaff.Expr(exprs[n % 4])
            continue
        with pytest.raises(quaff.SimplifyError) as alone:
            quaff.simplify(exprs[n % 4], SAME)
        assert type(one) is quaff.SimplifyError
        assert (str(one), one.span, one.culprit) == (str(alone.value), alone.value.span, alone.value.culprit)


def test_text_that_cannot_be_read_is_refused_at_once():
    with pytest.raises(quaff.ParseError):
        quaff.simplify_many(["i", "i +"], SAME)
    with pytest.raises(TypeError):
        quaff.simplify_many(["i", 2.5], SAME)


def test_progress_is_told_and_ends_with_all():
    told = []
    quaff.simplify_many(TEXTS * 200, SAME, threads=2, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (20_000, 20_000)
    assert [d for d, _ in told] == sorted(d for d, _ in told)
    assert {t for _, t in told} == {20_000}
    assert told[0] == (0, 20_000)


def test_a_bar(capsys):
    pytest.importorskip("tqdm", reason="tqdm is not installed: `progress=True` needs it")
    quaff.simplify_many(TEXTS, SAME, progress=True)
    assert "100/100" in capsys.readouterr().err


def test_what_progress_raises_ends_the_call():
    class Enough(Exception):
        pass

    def progress(_done, _total):
        raise Enough

    with pytest.raises(Enough):
        quaff.simplify_many(TEXTS * 200, SAME, progress=progress)


def test_other_threads_of_python_run_meanwhile():
    ticks, over = [], threading.Event()

    def tick():
        while not over.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    hard = [f"(i*{k} + j*7 + m)//{k + 1} + (i*3 + m)%{k}" for k in range(4, 1000)]
    quaff.simplify_many(hard, {**SAME, "m": (0, 999)}, threads=1)
    over.set()
    thread.join()
    assert ticks


INTERRUPTED = """
import quaff, sys
hard = [f"(i*{k} + j*7 + m)//{k + 1} + (i*3 + m)%{k}" for k in range(4, 2000)] * 200
def told(done, total):
    print(done, total, flush=True)
try:
    quaff.simplify_many(hard, {"i": (0, 99), "j": (0, 3), "m": (0, 999)}, threads=2, progress=told)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    # after the interrupt, the interpreter and quaff still work
    print(quaff.simplify("i*4//4", {"i": (0, 3)}).expr, flush=True)
    raise
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one child")
def test_an_interrupt_ends_the_call():
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = child.stdout.readline()
    assert first.split()[1] == str(1996 * 200)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    # the last report before the interrupt shows that the call did not finish
    reports = [first, *out.splitlines()[:-2]]
    assert int(reports[-1].split()[0]) < 1996 * 200, out
    assert out.splitlines()[-2:] == ["interrupted", "i"], err
    assert "KeyboardInterrupt" in err and child.returncode != 0


def test_a_simplifier_of_ones_own():
    own = quaff.Simplifier(rounds=0)
    got = quaff.simplify_many(["(t*12 + c)//96"], {"t": (0, 8191), "c": (0, 11)}, simplifier=own)
    assert str(got[0].expr) == "(t*12 + c)//96"
