#!/usr/bin/env python3
"""Counts the machine instructions of the worked examples of docs/sizes.md, before and after. It needs no GPU, but the compiler of
requirements.txt:

    venv/bin/python benches/sass/sizes.py [--arch sm_90] [--quaff PROGRAM]

The text before is the input as plain C, with the divisions of C, because no operand is negative. The text after is the CUDA text that quaff
prints. Sizes, and divisors that the host prepares, are parameters of the kernel. Every other variable is read from memory, with one value
for each thread, so the threads of a warp share no instructions about it. The table has all instructions without padding, and the
instructions that compute on integers.
"""
import json
import re
import shlex
import subprocess

from compiler import ROOT, of_program

PRELUDE = """typedef struct { unsigned m, s; } quaff_fastdivmod_t;
#define where(condition, then, otherwise) ((condition) ? (then) : (otherwise))
"""


def commands():
    """The heading and the command of each example."""
    heading = None
    for line in (ROOT / "docs/sizes.md").read_text().replace("\\\n", " ").splitlines():
        if line.startswith("### "):
            heading = line[4:]
        if heading and line.startswith("$ quaff simplify ") and line.endswith("--emit cuda"):
            yield heading, shlex.split(line)[2:-2]


def values(args, flag):
    return [value for name, value in zip(args, args[1:]) if name == flag]


def kernel(body, args):
    """The CUDA text that stores the result of `body`. Names in capitals are sizes, and other variables differ from thread to thread."""
    names = [text.split("=")[0] for text in values(args, "--var")]
    sizes = [n for n in names if n in values(args, "--uniform") or n.isupper()]
    others = [n for n in names if n not in sizes]
    divisors = sorted(set(re.findall(r"\b(\w+)\.[ms]\b", body)))
    parameters = [f"int {n}" for n in sizes] + [f"quaff_fastdivmod_t {d}" for d in divisors] + ["const int* in", "int* out"]
    reads = "".join(f"  const int {n} = in[threadIdx.x + {k * 1024}];\n" for k, n in enumerate(others))
    function = f"__device__ __forceinline__ int at({', '.join(f'int {n}' for n in others + sizes)}"
    function += "".join(f", quaff_fastdivmod_t {d}" for d in divisors) + f") {{\n{body}\n}}\n"
    call = ", ".join(others + sizes + divisors)
    return (f'{PRELUDE}{function}extern "C" __global__ void k({", ".join(parameters)}) {{\n{reads}'
            f"  out[threadIdx.x] = at({call});\n}}\n")


def main():
    arch, compiler, program = of_program(__doc__)
    print(f"{arch}: instructions, of them integer arithmetic\n\n| example | as written | after |\n|---|---|---|")
    for heading, command in commands():
        out = subprocess.run([*program, *command, "--json"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        body = json.loads(out)["cuda"]
        plain = f"return {command[1].replace('//', '/').replace(' and ', ' && ')};"
        before, after = (compiler.counted(kernel(text, command)) for text in (plain, body))
        print(f"| {heading} | {before} | {after} |")


if __name__ == "__main__":
    main()
