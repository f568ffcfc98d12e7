#!/usr/bin/env python3
"""Counts machine instructions of the CUDA kernels in examples/sources, as they are and as `quaff rewrite` leaves them. Needs no GPU, but
the compiler of requirements.txt:

    venv/bin/python benches/sass/sources.py [--arch sm_90] [--quaff PROGRAM]

A cell has the instructions of a kernel, and those that compute on integers. Each instruction counts once, also in a loop; loops are not
unrolled, because a body that becomes smaller is unrolled more often.
"""
import json
import re
import subprocess

from compiler import OTHER, ROOT, of_program

# what NVRTC has no headers for
HEADERS = """
typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t; typedef unsigned short uint16_t;
typedef int int32_t; typedef unsigned uint32_t; typedef long long int64_t; typedef unsigned long long uint64_t;
"""


def compiled(compiler, text):
    """The instructions of each kernel of a file. Host code is behind `#ifdef __CUDACC__`, which NVRTC defines."""
    text = re.sub(r"#include[^\n]*", "", text).replace("#ifdef __CUDACC__", "#ifdef HOST")
    text = re.sub(r"\bfor \(", '_Pragma("unroll 1") for (', text)
    return compiler.all_instructions(HEADERS + text)


def name_of(symbol, kernels):
    """The name of a function in the source, by its name for the linker."""
    fitting = [name for name in kernels if f"{len(name)}{name}" in symbol]
    return max(fitting, key=len, default=symbol)


def integers(lines):
    return sum(not OTHER.match(line) for line in lines)


def main():
    arch, compiler, program = of_program(__doc__)
    print(f"{arch}: instructions, of them integer arithmetic")
    print("| kernel | as written | rewritten | ratio |\n|---|---|---|---|")
    total, worse = [0, 0], 0
    for path in sorted((ROOT / "examples/sources").glob("*.cu")):
        answer = subprocess.run([*program, "rewrite", "--json", str(path)], cwd=ROOT, capture_output=True, check=True)
        (file,) = json.loads(answer.stdout)
        names = [kernel["name"] for kernel in file["kernels"]]
        before, after = compiled(compiler, path.read_text()), compiled(compiler, file["text"])
        for symbol, lines in before.items():
            counts = [integers(lines), integers(after[symbol])]
            if lines == after[symbol]:
                continue
            worse += counts[1] > counts[0]
            total = [total[0] + counts[0], total[1] + counts[1]]
            cells = f"{len(lines)}, {counts[0]} | {len(after[symbol])}, {counts[1]} | {counts[1] / counts[0]:.2f}"
            print(f"| {name_of(symbol, names)} | {cells} |")
    print(f"| all that changed | {total[0]} | {total[1]} | {total[1] / total[0]:.2f} |")
    print(f"\n{worse} kernels have more integer instructions than before")


if __name__ == "__main__":
    main()
