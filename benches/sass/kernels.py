#!/usr/bin/env python3
"""Counts the machine instructions of the kernels in examples/kernels: quaff's text, the indices as the solver builds them, and handwritten
index code. It needs no GPU, but the compiler of requirements.txt:

    venv/bin/python benches/sass/kernels.py [--arch sm_90] [--list KERNEL]

The table has all instructions of a kernel without padding, and the instructions that compute on integers. The latter exclude memory
accesses, floating-point arithmetic, barriers and control flow.
"""
import argparse
import re
import subprocess

from compiler import OTHER, ROOT, Compiler

KERNELS = ["matmul", "transpose", "swizzled", "copy", "conv", "pool", "attention"]


def text_of(name, flag):
    command = ["cargo", "run", "--quiet", "--example", "kernels", "--", name] + flag
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--list", metavar="KERNEL", help="print the instructions of one kernel")
    args = parser.parse_args()
    compiler = Compiler(args.arch)
    print(f"{args.arch}: instructions, of them integer arithmetic")
    print("| kernel | quaff | as built by the solver | by hand |\n|---|---|---|---|")
    total = [[0, 0], [0, 0], [0, 0]]
    for name in [args.list] if args.list else KERNELS:
        hand = (ROOT / "examples/kernels/by_hand" / f"{name}.cu").read_text()
        cells = []
        for i, source in enumerate([text_of(name, []), text_of(name, ["--raw"]), hand]):
            lines = compiler.instructions(source)
            if args.list:
                print("\n".join(lines) + "\n")
            integer = [line for line in lines if not OTHER.match(line)]
            local = sum(bool(re.match("LDL|STL", line)) for line in lines)
            cells.append(f"{len(lines)}, {len(integer)}" + (f" ({local} local)" if local else ""))
            total[i][0] += len(lines)
            total[i][1] += len(integer)
        print(f"| {name} | " + " | ".join(cells) + " |")
    if not args.list:
        print("| all | " + " | ".join(f"{a}, {b}" for a, b in total) + " |")


if __name__ == "__main__":
    main()
