#!/usr/bin/env python3
"""Counts the machine instructions of the CUDA kernels in examples/sources: as they are, as `quaff rewrite` writes them, and with divisors
that the host prepares. It needs no GPU, but the compiler of requirements.txt:

    venv/bin/python benches/sass/sources.py [--arch sm_90] [--quaff PROGRAM]

A cell has the number of instructions of a kernel, and of the instructions that compute on integers. Each instruction counts once, even in a
loop. Loops are not unrolled, because a smaller body would be unrolled more often.
"""
import json
import re
import subprocess

from compiler import OTHER, ROOT, of_program

# the integer types, for which NVRTC has no headers
HEADERS = """
typedef signed char int8_t; typedef unsigned char uint8_t; typedef short int16_t; typedef unsigned short uint16_t;
typedef int int32_t; typedef unsigned uint32_t; typedef long long int64_t; typedef unsigned long long uint64_t;
"""


def of_device(text):
    """The text of a file for NVRTC, without the host code below `#ifdef __CUDACC__`. NVRTC defines this macro, so the macro is renamed."""
    return HEADERS + re.sub(r"#include[^\n]*", "", text).replace("#ifdef __CUDACC__", "#ifdef HOST")


def compiled(compiler, text):
    """The instructions of each kernel of a file."""
    return compiler.all_instructions(re.sub(r"\bfor \(", '_Pragma("unroll 1") for (', of_device(text)))


def name_of(symbol, kernels):
    """The name of a function in the source, from its name for the linker."""
    fitting = [name for name in kernels if f"{len(name)}{name}" in symbol]
    return max(fitting, key=len, default=symbol)


def integers(lines):
    return sum(not OTHER.match(line) for line in lines)


def rewritten(program, path, *flags):
    """The report of `quaff rewrite` about a file: its new text, and its kernels."""
    command = [*program, "rewrite", "--json", *flags, str(path)]
    (file,) = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    return file


def main():
    arch, compiler, program = of_program(__doc__)
    print(f"{arch}: instructions, of them integer arithmetic")
    print("| kernel | as written | rewritten | ratio | with `--host` | ratio |\n|---|---|---|---|---|---|")
    total, worse = [0, 0, 0], 0
    for path in sorted((ROOT / "examples/sources").glob("*.cu")):
        plain = rewritten(program, path)
        names = [kernel["name"] for kernel in plain["kernels"]]
        texts = [path.read_text(), plain["text"], rewritten(program, path, "--host")["text"]]
        # an additional parameter changes the symbol of a kernel
        all_lines = [{name_of(symbol, names): lines for symbol, lines in compiled(compiler, t).items()} for t in texts]
        for name in all_lines[0]:
            lines = [of_text[name] for of_text in all_lines]
            if lines[0] == lines[1] == lines[2]:
                continue
            counts = [integers(of_text) for of_text in lines]
            worse += max(counts) > counts[0]
            total = [a + b for a, b in zip(total, counts)]
            cells = [f"{len(of_text)}, {count}" for of_text, count in zip(lines, counts)]
            ratios = [f"{count / counts[0]:.2f}" for count in counts]
            print(f"| {name} | {cells[0]} | {cells[1]} | {ratios[1]} | {cells[2]} | {ratios[2]} |")
    ratios = [f"{count / total[0]:.2f}" for count in total]
    print(f"| all that changed | {total[0]} | {total[1]} | {ratios[1]} | {total[2]} | {ratios[2]} |")
    print(f"\n{worse} kernels have more integer instructions than before")


if __name__ == "__main__":
    main()
