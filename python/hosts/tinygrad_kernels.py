#!/usr/bin/env python3
"""Compares tinygrad's kernels with and without quaff: machine instructions, and the time to compile. It needs no GPU.

    python python/hosts/tinygrad_kernels.py

tinygrad renders the texts for CUDA, and NVRTC compiles them. The instructions that compute on integers are counted as in benches/sass.
Kernels that quaff does not change are not compiled. Each kernel is counted as it is, and with its loops kept. The compiler unrolls a loop
if its body is small enough, so the copies of a smaller body may have more instructions.

The run fails if a kernel has more instructions with quaff, as compiled or with its loops kept. With `--pairs`, the CPU time to make the
text of each kernel is compared. Runs with and without quaff alternate, and no instructions are counted.
"""

import argparse
import dataclasses
import gc
import json
import os
import pathlib
import re
import sys
import time

os.environ["DEV"] = "NULL"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "benches" / "sass"))

from compiler import OTHER, Compiler
from tinygrad.codegen import to_program, to_program_cache
from tinygrad.codegen.opt import tc
from tinygrad.helpers import Context, Target
from tinygrad.renderer.cstyle import CStyleLanguage, CUDARenderer
from tinygrad.uop.ops import Ops

import quaff.tinygrad
from tinygrad_cases import cases


class _Nothing:
    """A replacement for the compiler, because only the text is needed."""

    def compile_cached(self, text):
        return text.encode()


class CudaText(CUDARenderer):
    """CUDA text without a driver or a compiler."""

    def __init__(self, arch):
        CStyleLanguage.__init__(self, Target(device="CUDA", renderer="CUDA", arch=arch))
        self.tensor_cores = tc.get_cuda(arch)
        self.compiler = _Nothing()


def kernels_of(tensors):
    """The different kernels that compute `tensors`."""
    first, *others = tensors
    linear, _ = first.linear_with_vars(*others)
    calls = [u for u in linear.toposort() if u.op is Ops.CALL and u.src[0].op is Ops.SINK]
    return list(dict.fromkeys(call.src[0] for call in calls))


def rendered(kernel, renderer, on):
    """The text of a kernel, whether quaff changed the kernel, and the CPU seconds to make the text."""
    to_program_cache.clear()
    with Context(QUAFF=int(on)):
        before = dataclasses.replace(quaff.tinygrad.stats())
        started = time.process_time()
        program = to_program(kernel, renderer)
        took = time.process_time() - started
        return program.src[2].arg, quaff.tinygrad.stats().changed > before.changed, took


def kernels(only):
    """`(group, name, kernel)` for each different kernel of the cases whose names contain `only`."""
    seen = set()
    for group, name, tensors in cases():
        if only not in group + " " + name:
            continue
        for kernel in kernels_of(tensors):
            if kernel.key not in seen:
                seen.add(kernel.key)
                yield group, name, kernel


def print_table(head, rows):
    """The row of each group, and the row of all kernels. The first cell of a row is its name."""
    print("| " + " | ".join(head) + " |\n|---|" + "--:|" * (len(head) - 1))
    for name, cells in rows:
        print("| " + " | ".join(map(str, (name, *cells))) + " |")


def with_sum(rows):
    return [*rows.items(), ("all", [sum(column) for column in zip(*rows.values())])]


def percent(before, after):
    return f"{100 * (after - before) / before:+.1f} %" if before else ""


def measure_pairs(renderer, only):
    """Compares the CPU time with and without quaff, kernel by kernel."""
    rows = {}
    for number, (group, _, kernel) in enumerate(kernels(only)):
        row = rows.setdefault(group, [0, 0.0, 0.0])
        row[0] += 1
        for on in (False, True) if number % 2 else (True, False):
            gc.collect()
            row[1 + on] += rendered(kernel, renderer, on)[2]
    cells = [(name, (n, f"{own:.2f}", f"{ours:.2f}", percent(own, ours))) for name, (n, own, ours) in with_sum(rows)]
    print_table(("kernels of", "all", "s", "s with quaff", ""), cells)


class Counter:
    """Counts the integer instructions of texts."""

    def __init__(self, arch):
        self.compiler = Compiler(arch)

    def __call__(self, text):
        (lines,) = self.compiler.all_instructions(text).values()
        return sum(not OTHER.match(line) for line in lines)

    def both(self, text):
        """The instructions of a text as it is, and with its loops kept."""
        return self(text), self(re.sub(r"^( *for \()", r"#pragma unroll 1\n\1", text, flags=re.MULTILINE))


def measure_instructions(renderer, count, only, out):
    """Prints the instructions of changed kernels. Returns whether a kernel has more with quaff."""
    rows, more = {}, []
    for group, name, kernel in kernels(only):
        text, changed, _ = rendered(kernel, renderer, True)
        row = rows.setdefault(group, [0] * 8)
        row[0] += 1
        if not changed:
            continue
        without = rendered(kernel, renderer, False)[0]
        (before, before_kept), (after, after_kept) = count.both(without), count.both(text)
        for at, value in enumerate((1, before, after, before_kept, after_kept, after < before, after > before), 1):
            row[at] += value
        if after > before or after_kept > before_kept:
            more.append((group, name, before, after, before_kept, after_kept))
        if out:
            line = {"group": group, "name": name, "before": before, "after": after, "without": without, "with": text}
            print(json.dumps(line), file=out)
    cells = []
    for group, (n, changed, before, after, kept, after_kept, *counts) in with_sum(rows):
        cells.append((group, (n, changed, before, after, percent(before, after), kept, after_kept, percent(kept, after_kept), *counts)))
    head = "kernels of,all,changed,instructions,with quaff,,loops kept,with quaff,,fewer,more".split(",")
    print_table(head, cells)
    for group, name, before, after, kept, after_kept in more:
        print(f"more: {group}, {name}: {before} -> {after}, with loops kept {kept} -> {after_kept}")
    return bool(more)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--only", default="", help="cases whose group or name has this text")
    parser.add_argument("--pairs", action="store_true", help="CPU time with and without quaff instead of instructions")
    parser.add_argument("--json", type=pathlib.Path, help="a file for one line a changed kernel, with both texts")
    args = parser.parse_args()
    renderer = CudaText(args.arch)
    quaff.tinygrad.install()
    if args.pairs:
        measure_pairs(renderer, args.only)
        return
    print(f"{args.arch}: integer instructions of the kernels that quaff changes")
    has_more = measure_instructions(renderer, Counter(args.arch), args.only, args.json.open("w") if args.json else None)
    stats = quaff.tinygrad.stats()
    part = 100 * stats.in_quaff / stats.seconds
    print(f"{stats.asked} of {stats.kernels} kernels asked, {stats.roots} values")
    print(f"{stats.seconds:.2f} s, {part:.0f} % of that in the simplifier")
    for reason, number in stats.refused.most_common():
        print(f"left as it is: {number} for {reason}")
    sys.exit(has_more)


if __name__ == "__main__":
    main()
