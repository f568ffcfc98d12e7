"""Measures the time of a call from Python beyond the engine's own time, and the speed of converting expressions.

    python python/benches/overhead.py [--cases N] [--many N] [--program PATH/quaff] [CORPUS...]

The engine's own time, `answer.elapsed`, is subtracted from the time of a call. The time to read the clock around a call of a built-in
function is subtracted, too. A call is made with objects, with a flat list of nodes, with text, and with text and a dict for the domain. The
arguments are prepared before the call. All figures are medians over the cases of the corpora, from the repetition with the least total
time. The table is Markdown. With `--program`, `simplify_many` is compared with `quaff batch` for the same lines and the same number of
threads.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import quaff
from quaff.corpus import Corpus

ROOT = Path(__file__).resolve().parents[2]
CORPORA = [ROOT / "tests" / "data" / f"{name}_kernels.jsonl" for name in ("inductor", "tinygrad")]
REPEAT = 5


def clocked(call, *args):
    """The result of `call`, and its time in microseconds."""
    began = time.perf_counter_ns()
    result = call(*args)
    return result, (time.perf_counter_ns() - began) / 1e3


def beyond(call, arguments):
    """For the arguments of each case, the microseconds of a call beyond the engine and the clock. It is the least of a few calls."""
    least = [float("inf")] * len(arguments)
    clock = min(clocked(max, 0, 1)[1] for _ in range(1000))
    for _ in range(REPEAT):
        for at, given in enumerate(arguments):
            answer, spent = clocked(call, *given)
            answer = answer[0] if isinstance(answer, tuple) else answer
            least[at] = min(least[at], spent - answer.elapsed * 1e6 - clock)
    return least


def from_list(words, names, roots, domain):
    answer = quaff.simplify_nodes(words, names, roots, domain)
    return answer, answer.to_nodes()


CALLS = {
    "objects that are held": (quaff.simplify, lambda c: (c["expr"], c["domain"])),
    "a flat list in and out": (from_list, lambda c: (*c["flat"], c["domain"])),
    "text, a domain that is held": (quaff.simplify, lambda c: (c["text"], c["domain"])),
    "text and a dict": (quaff.simplify, lambda c: (c["text"], c["dict"])),
}


def read(paths, limit):
    """The cases of the corpora, each in all forms of its arguments."""
    cases = []
    for corpus in (one for path in paths for one in Corpus.load(path)):
        for case in corpus.cases:
            expr, domain = case.question()
            said = json.loads(case.text)
            # a dict can only contain ranges
            if set(said) & {"assume", "step", "uniform", "loop", "symbolic", "defined"}:
                continue
            ranges = {name: tuple(ends) for name, ends in said["vars"].items()}
            cases.append({"expr": expr, "domain": domain, "flat": quaff.to_nodes([expr]), "text": said["expr"], "dict": ranges})
    return cases[:: max(1, len(cases) // limit)][:limit]


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def overhead(cases):
    engine = [min(quaff.simplify(c["expr"], c["domain"]).elapsed for _ in range(REPEAT)) * 1e6 for c in cases]
    print(f"{len(cases)} cases, of {statistics.median(len(c['text']) for c in cases):.0f} characters; the engine's median is {statistics.median(engine):.1f} us\n")
    print("| a call with | us beyond the engine, median (quartiles) | of the engine's time |\n|---|---|---|")
    for name, (call, given) in CALLS.items():
        more = beyond(call, [given(c) for c in cases])
        ratio = statistics.median(m / e for m, e in zip(more, engine))
        print(f"| {name} | {quartiles(more)} | {ratio:.1%} |")


def traffic(cases):
    exprs = [c["expr"] for c in cases]
    flat = quaff.to_nodes(exprs)
    nodes = count(flat[0])
    into = min(clocked(quaff.from_nodes, *flat)[1] for _ in range(20))
    out = min(clocked(quaff.to_nodes, exprs)[1] for _ in range(20))
    texts = [str(e) for e in exprs]
    parsed = min(clocked(lambda: [quaff.Expr(t) for t in texts])[1] for _ in range(5))
    written = min(clocked(lambda: [str(e) for e in exprs])[1] for _ in range(5))
    size = sum(e.tree_size for e in exprs)
    print("\n| in and out | million nodes a second |\n|---|---|")
    for name, number, spent in [
        ("a flat list read (`from_nodes`)", nodes, into),
        ("a flat list written (`to_nodes`)", nodes, out),
        ("text read (`Expr`)", size, parsed),
        ("text written (`str`)", size, written),
    ]:
        print(f"| {name} | {number / spent:.2f} |")


def count(words):
    """The number of nodes of a flat list."""
    arity = {quaff.OPERATORS[n]: k for n, k in {"const": 1, "var": 1, "neg": 1, "not": 1, "select": 3}.items()}
    at = nodes = 0
    while at < len(words):
        at += 1 + arity.get(words[at], 2)
        nodes += 1
    return nodes


def many(cases, number, program):
    """Measures `number` expressions with `simplify_many` and with `quaff batch`."""
    work = [cases[n % len(cases)] for n in range(number)]
    threads = os.cpu_count() or 1
    exprs, texts, domains = ([c[k] for c in work] for k in ("expr", "text", "domain"))
    # each runs twice in turn, and the better time counts, because other programs may use the machine
    times = {"objects": [], "text": [], "program": []}
    for _ in range(2):
        times["objects"].append(clocked(lambda: quaff.simplify_many(exprs, domains, threads=threads))[1] / 1e6)
        times["text"].append(clocked(lambda: quaff.simplify_many(texts, domains, threads=threads))[1] / 1e6)
        if program:
            times["program"].append(batch(work, program, threads))
    print(f"\n| {number} expressions, {threads} threads | seconds | of `quaff batch` |\n|---|---|---|")
    reference = min(times["program"]) if program else None
    for name, spoken in [("objects", "`simplify_many` of objects"), ("text", "`simplify_many` of text"), ("program", "`quaff batch`, reading and printing JSON")]:
        if times[name]:
            ratio = f"{min(times[name]) / reference:.2f}" if reference else "not measured"
            print(f"| {spoken} | {min(times[name]):.2f} | {ratio} |")


def batch(work, program, threads):
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "lines.jsonl")
        with open(lines, "w") as f:
            for c in work:
                f.write(json.dumps({"vars": c["dict"], "expr": c["text"]}) + "\n")
        command = [program, "batch", str(lines), "-j", str(threads), "-o", str(Path(folder, "out.jsonl"))]
        _, spent = clocked(lambda: subprocess.run(command, check=True, stderr=subprocess.DEVNULL))
        return spent / 1e6


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("corpora", nargs="*", metavar="CORPUS", default=CORPORA)
    p.add_argument("--cases", type=int, default=1000, metavar="N", help="cases of which calls are timed (1000)")
    p.add_argument("--many", type=int, default=100_000, metavar="N", help="expressions through `simplify_many`; 0 for none")
    p.add_argument("--program", metavar="PATH", help="the program `quaff`, to compare `simplify_many` with")
    said = p.parse_args()
    cases = read(said.corpora, said.cases)
    overhead(cases)
    traffic(cases)
    if said.many:
        many(cases, said.many, said.program)


if __name__ == "__main__":
    sys.exit(main())
