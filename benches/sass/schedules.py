#!/usr/bin/env python3
"""Counts the sectors and machine instructions of the accesses in tests/data/patterns.jsonl, as written and under the schedule with the
fewest sectors. It needs no GPU, but the compiler of requirements.txt:

    venv/bin/python benches/sass/schedules.py [--arch sm_90] [--quaff PROGRAM]

A kernel loads from every index that is read, and stores to every index that is written, with one element for each thread. If nothing is
written, it stores at the number of the thread. If the only access is a read by vectors, a thread moves one vector. The table has all
instructions without padding, and the instructions that compute on integers.
"""
import json
import re
import subprocess

from compiler import ROOT, of_program


def run(program, *args):
    return subprocess.run([*program, *args], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def kernel(program, indices, reads, variable, n):
    """The CUDA text in which thread `variable` accesses `indices`. The first ones are read, and the others are written."""
    functions, body = "", ""
    for number, index in enumerate(indices):
        text = run(program, "simplify", index, "--var", f"{variable}=0..{n - 1}", "--emit", "cuda")
        functions += f"__device__ __forceinline__ int at{number}(int {variable}) {{\n{text}}}\n"
    loads = " + ".join(f"in{k}[at{k}({variable})]" for k in range(reads)) or "1.0f"
    stores = [f"out{k}[at{k}({variable})] = v;" for k in range(reads, len(indices))] or [f"out[{variable}] = v;"]
    names = [f"const float* __restrict__ in{k}" for k in range(reads)]
    names += [f"float* __restrict__ out{k}" for k in range(reads, len(indices))] if reads < len(indices) else ["float* out"]
    body += f"  const int {variable} = blockIdx.x * blockDim.x + threadIdx.x;\n  const float v = {loads};\n  " + " ".join(stores)
    return f'{functions}extern "C" __global__ void k({", ".join(names)}) {{\n{body}\n}}\n'


def vector_kernel(program, index, vector, n):
    """The CUDA text in which thread `t` moves the vector at element `index`, with `u = vector*t`."""
    first = re.sub(r"\bu\b", f"(t*{vector})", index)
    text = run(program, "simplify", f"({first})//{vector}", "--var", f"t=0..{n // vector - 1}", "--emit", "cuda")
    return f"""__device__ __forceinline__ int at(int t) {{
{text}}}
extern "C" __global__ void k(const float{vector}* __restrict__ in, float{vector}* out) {{
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = in[at(t)];
}}
"""


def main():
    arch, compiler, program = of_program(__doc__)
    print(f"{arch}: sectors; instructions, of them integer arithmetic\n")
    print("| pattern | sectors | under the schedule | instructions | under the schedule |\n|---|---|---|---|---|")
    for line in (ROOT / "tests/data/patterns.jsonl").read_text().splitlines():
        row = json.loads(line)
        accesses = row["reads"] + row["writes"]
        flags = [part for read in row["reads"] for part in ("--read", read)]
        flags += [part for write in row["writes"] for part in ("--write", write)]
        vector = ["--vector", str(row.get("vector", 1))]
        found = json.loads(run(program, "coalesce", *flags, *vector, "--n", str(row["n"]), "--json"))
        best = min(found["candidates"], key=lambda c: (c["sectors"], c["cost"]))
        indices = best["index"] if isinstance(best["index"], list) else [best["index"]]
        before = compiler.counted(kernel(program, accesses, len(row["reads"]), "i", row["n"]))
        if best["vector"] > 1 and len(accesses) == 1:
            after = compiler.counted(vector_kernel(program, indices[0], best["vector"], row["n"]))
        else:
            after = compiler.counted(kernel(program, indices, len(row["reads"]), "u", row["n"]))
        print(f"| {row['id']} | {found['identity']['sectors']} | {best['sectors']} | {before} | {after} |")


if __name__ == "__main__":
    main()
