#!/usr/bin/env python3
"""How long other systems take for the same expressions, beside quaff, on one core in one run.

    python3 -m venv peers && peers/bin/pip install apache-tvm tinygrad
    cargo build --profile dist
    peers/bin/python scripts/peer_latency.py tests/data/tinygrad_kernels.jsonl

Timed is the one call that simplifies; parsing, building the expression and declaring its ranges are not. TVM runs
`Analyzer.simplify`, tinygrad its pass `symbolic`. A system that is not installed is left out, and so is, for that
system, a line that it cannot read; both are said.
"""

import argparse
import ast
import json
import operator
import subprocess
import sys
import tempfile
import time

COMPARE = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}


class Tvm:
    """TVM's analyzer with the ranges bound."""

    def __init__(self, ranges):
        import tvm
        from tvm import sym, tirx

        self.tir, self.analyzer, self.vars = tirx, sym.Analyzer(), {}
        for name, (low, high) in ranges.items():
            self.vars[name] = tirx.Var(name, "int64")
            self.analyzer.bind(self.vars[name], tvm.ir.Range(low, high + 1))

    def const(self, c):
        return self.tir.const(c, "int64")

    def floor(self, divides, a, b):
        return self.tir.floordiv(a, b) if divides else self.tir.floormod(a, b)

    def compare(self, op, a, b):
        if isinstance(op, ast.Eq):
            return self.tir.EQ(a, b)
        return self.tir.NE(a, b) if isinstance(op, ast.NotEq) else COMPARE[type(op)](a, b)

    def junction(self, conjunction, a, b):
        return self.tir.all(a, b) if conjunction else self.tir.any(a, b)

    def negate(self, x):
        return self.tir.Not(x)

    def call(self, name, args):
        return {"min": self.tir.min, "max": self.tir.max, "where": self.tir.Select}[name](*args)

    def simplify(self, e):
        return self.analyzer.simplify(e)


class Tinygrad:
    """tinygrad's symbolic rewrites on its own graph."""

    def __init__(self, ranges):
        from tinygrad import dtypes
        from tinygrad.uop.ops import UOp, graph_rewrite
        from tinygrad.uop.symbolic import symbolic

        self.uop, self.dtype, self.rewrite, self.rules = UOp, dtypes.weakint, graph_rewrite, symbolic
        self.vars = {name: UOp.variable(name, low, high) for name, (low, high) in ranges.items()}

    def const(self, c):
        return self.uop.const(c, self.dtype)

    def floor(self, divides, a, b):
        return a // b if divides else a % b

    def compare(self, op, a, b):
        if isinstance(op, ast.Eq):
            return a.eq(b)
        return a.ne(b) if isinstance(op, ast.NotEq) else COMPARE[type(op)](a, b)

    def junction(self, conjunction, a, b):
        return a & b if conjunction else a | b

    def negate(self, x):
        return x.logical_not()

    def call(self, name, args):
        method = {"min": "minimum", "max": "maximum", "where": "where"}[name]
        return getattr(args[0], method)(*args[1:])

    def simplify(self, e):
        return self.rewrite(e, self.rules)


def built(system, node):
    """The expression of a Python syntax tree in the terms of `system`."""
    if isinstance(node, ast.Constant):
        return system.const(int(node.value))
    if isinstance(node, ast.Name):
        return system.vars[node.id]
    if isinstance(node, ast.UnaryOp):
        x = built(system, node.operand)
        return system.negate(x) if isinstance(node.op, ast.Not) else system.const(0) - x
    if isinstance(node, ast.BinOp):
        a, b = built(system, node.left), built(system, node.right)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            return system.floor(isinstance(node.op, ast.FloorDiv), a, b)
        return {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}[type(node.op)](a, b)
    if isinstance(node, ast.BoolOp):
        out, *more = [built(system, v) for v in node.values]
        for x in more:
            out = system.junction(isinstance(node.op, ast.And), out, x)
        return out
    if isinstance(node, ast.Compare):
        sides = [built(system, s) for s in [node.left, *node.comparators]]
        out, *more = [system.compare(op, a, b) for op, a, b in zip(node.ops, sides, sides[1:])]
        for x in more:
            out = system.junction(True, out, x)
        return out
    if isinstance(node, ast.Call):
        return system.call(node.func.id, [built(system, a) for a in node.args])
    raise ValueError(f"no such operation here: {ast.dump(node)}")


def timed(make, cases):
    """Microseconds of each case, and how many could not be read."""
    times, unread = [], 0
    for case in cases:
        try:
            system = make(case["vars"])
            e = built(system, ast.parse(case["expr"].strip(), mode="eval").body)
        except (KeyError, ValueError, TypeError):
            unread += 1
            continue
        start = time.perf_counter_ns()
        system.simplify(e)
        times.append((time.perf_counter_ns() - start) / 1000)
    return times, unread


def quaff(program, corpus):
    """What `quaff batch` says of its own calls."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as out:
        subprocess.run([program, "batch", "-j", "1", corpus, "-o", out.name], check=True, stderr=subprocess.DEVNULL)
        lines = [json.loads(line) for line in open(out.name, encoding="utf-8")]
    return [line["us"] for line in lines if line["ok"]], sum(not line["ok"] for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--quaff", default="target/dist/quaff", help="the program to time [%(default)s]")
    options = parser.parse_args()
    with open(options.corpus, encoding="utf-8") as f:
        cases = [json.loads(line) for line in f]
    print(f"{'system':<10}{'cases':>7}{'median us':>11}{'p90':>9}{'p99':>9}")
    systems = [("tvm", Tvm), ("tinygrad", Tinygrad)]
    runs = [("quaff", lambda: quaff(options.quaff, options.corpus))]
    runs += [(name, lambda make=make: timed(make, cases)) for name, make in systems]
    for name, run in runs:
        try:
            times, unread = run()
        except ImportError as e:
            print(f"{name}: not installed ({e})", file=sys.stderr)
            continue
        times.sort()
        at = lambda p: times[min(len(times) - 1, int(len(times) * p))]  # noqa: E731
        print(f"{name:<10}{len(times):>7}{at(0.5):>11.1f}{at(0.9):>9.0f}{at(0.99):>9.0f}")
        if unread:
            print(f"{name}: {unread} lines could not be read", file=sys.stderr)


if __name__ == "__main__":
    main()
