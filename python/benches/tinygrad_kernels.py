#!/usr/bin/env python3
"""tinygrad's kernels with quaff and without: machine instructions, and what it costs to compile. Needs no GPU.

    python3 -m venv venv && venv/bin/pip install tinygrad==0.14.0 ./python -r benches/sass/requirements.txt
    venv/bin/python python/benches/tinygrad_kernels.py

The texts are those that tinygrad renders for CUDA, compiled by NVRTC. Counted are the instructions that compute on integers, as
benches/sass counts them. Kernels that quaff leaves as they are are not compiled.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import sys
import time

os.environ["DEV"] = "NULL"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "benches" / "sass"))

from compiler import OTHER, Compiler
from tinygrad.codegen import to_program
from tinygrad.codegen.opt import tc
from tinygrad.helpers import Context, Target
from tinygrad.renderer.cstyle import CStyleLanguage, CUDARenderer
from tinygrad.uop.ops import Ops

import quaff.tinygrad
from tinygrad_cases import cases


class _Nothing:
    """In place of a compiler: the text is all that is wanted."""

    def compile_cached(self, text):
        return text.encode()


class CudaText(CUDARenderer):
    """CUDA text without a driver or a compiler."""

    def __init__(self, arch):
        CStyleLanguage.__init__(self, Target(device="CUDA", renderer="CUDA", arch=arch))
        self.tensor_cores = tc.get_cuda(arch)
        self.compiler = _Nothing()


def kernels_of(tensors):
    """The kernels that compute `tensors`, each once."""
    first, *others = tensors
    linear, _ = first.linear_with_vars(*others)
    calls = [u for u in linear.toposort() if u.op is Ops.CALL and u.src[0].op is Ops.SINK]
    return list(dict.fromkeys(call.src[0] for call in calls))


def rendered(kernel, renderer, on):
    """The text of a kernel, whether quaff changed it, the seconds that quaff took, and those of all else."""
    with Context(QUAFF=int(on)):
        before = dataclasses.replace(quaff.tinygrad.stats())
        started = time.perf_counter()
        program = to_program(kernel, renderer)
        took, after = time.perf_counter() - started, quaff.tinygrad.stats()
        of_quaff = after.seconds - before.seconds
        return program.src[2].arg, after.changed > before.changed, of_quaff, took - of_quaff


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--only", default="", help="cases whose group or name has this text")
    parser.add_argument("--json", type=pathlib.Path, help="a file for one line a kernel, with both texts")
    args = parser.parse_args()
    compiler, renderer = Compiler(args.arch), CudaText(args.arch)
    quaff.tinygrad.install()

    def integer(text):
        (lines,) = compiler.all_instructions(text).values()
        return sum(not OTHER.match(line) for line in lines)

    rows, worse, out = {}, [], args.json.open("w") if args.json else None
    seen = set()
    for group, name, tensors in cases():
        if args.only not in group + " " + name:
            continue
        for kernel in kernels_of(tensors):
            if kernel.key in seen:
                continue
            seen.add(kernel.key)
            text, changed, of_quaff, seconds = rendered(kernel, renderer, True)
            row = rows.setdefault(group, [0, 0, 0, 0, 0, 0, 0.0, 0.0])
            row[0] += 1
            row[6] += seconds
            row[7] += of_quaff
            if not changed:
                continue
            without, *_ = rendered(kernel, renderer, False)
            before, after = integer(without), integer(text)
            row[1] += 1
            row[2] += before
            row[3] += after
            row[4] += after < before
            row[5] += after > before
            if after > before:
                worse.append((group, name, before, after))
            if out:
                line = {"group": group, "name": name, "before": before, "after": after, "without": without, "with": text}
                print(json.dumps(line), file=out)
    print(f"{args.arch}: integer instructions of the kernels that quaff changes; its part of the time from kernels to their texts")
    print("| kernels of | all | changed | instructions | with quaff | | fewer | more | time |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for group, (n, c, b, a, less, more, t0, t1) in [*rows.items(), ("all", [sum(col) for col in zip(*rows.values())])]:
        percent = f"{100 * (a - b) / b:+.1f} %" if b else ""
        print(f"| {group} | {n} | {c} | {b} | {a} | {percent} | {less} | {more} | {100 * t1 / (t0 + t1):.1f} % |")
    for group, name, before, after in worse:
        print(f"more: {group}, {name}: {before} -> {after}")
    stats = quaff.tinygrad.stats()
    part = 100 * stats.in_quaff / stats.seconds
    print(f"{stats.asked} calls with {stats.roots} values in {stats.seconds:.2f} s, {part:.0f} % of that in the simplifier")
    for reason, count in stats.refused.most_common():
        print(f"left as it is: {count} for {reason}")


if __name__ == "__main__":
    main()
