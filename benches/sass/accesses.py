#!/usr/bin/env python3
"""Machine instructions of the accesses of whole kernels: as written, in the form of the system they come from, and as quaff prints them.

    venv/bin/python benches/sass/accesses.py KERNELS.jsonl [--arch sm_80 --arch sm_90] [--count 300]

A line has `id`, `vars` (ranges), `kinds` (`loop`, `block`, `thread`, `size`, `data`), and `accesses` with `buf`, `expr` and `gate`, of
which `expected` and `expected_gate` are the other form. The lines with the smallest SHA-256 of `id` are taken. A kernel has a loop for
each variable that counts one, the outermost first, and reads all accesses in the innermost; variables of threads come from memory, others
are parameters. Counted are instructions that compute on integers, each once, wherever it stands. `quaff quaff`'s tests run these
texts; here nothing is compared.
"""
import json
import pathlib
import re
import subprocess
import tempfile

from compiler import OTHER, ROOT, Compiler, parser_for, program_of
from expressions import AT_ONCE, taken
from ladder import Unsupported, to_c


def of_corpus(line, field, gate_field, with_ladder):
    """The text of accesses in the corpus' grammar."""
    variables = {v: tuple(r) for v, r in line["vars"].items()}
    out = []
    for i, access in enumerate(line["accesses"]):
        text, _ = to_c(access[field], variables, with_ladder)
        gate = access.get(gate_field)
        gate = f"{to_c(gate, variables, with_ladder)[0]} ? " if gate else ""
        out.append(f"const float v{i} = {gate}{access['buf']}[{text}]{' : 0' if gate else ''};")
    return "\n".join(out)


def numbered(text):
    """quaff's text with a name of its own for each access, all of which it calls `v`."""
    out, number = [], -1
    for line in text.split("\n"):
        number += bool(re.match(r"(const )?float v\b", line))
        out.append(re.sub(r"\bv\b", f"v{number}", line))
    return "\n".join(out)


def kernel(line, name, text):
    kinds, buffers = line.get("kinds", {}), sorted({a["buf"] for a in line["accesses"]})
    parameters, reads, loops = [f"const float* __restrict__ {b}" for b in buffers], [], []
    for v, (lo, hi) in line["vars"].items():
        kind = kinds.get(v, "thread")
        if kind == "loop":
            loops.append(f"#pragma unroll 1\nfor (int {v} = {lo}; {v} < {hi + 1}; ++{v}) {{")
        elif kind in ("thread", "data"):
            reads.append(f"const int {v} = p_[threadIdx.x + {1024 * len(reads)}];")
        else:
            parameters.append(f"const int {v}")
    sums = "".join(f" s_ += v{i};" for i in range(len(line["accesses"])))
    head = f'extern "C" __global__ void {name}({", ".join(parameters)}, const int* __restrict__ p_, float* __restrict__ o_) {{'
    return "\n".join([head, *reads, "float s_ = 0;", *loops, text, sums, "}" * len(loops), "o_[threadIdx.x] = s_;", "}"])


def answered(program, lines, arch):
    with tempfile.TemporaryDirectory() as folder:
        asked, got = pathlib.Path(folder, "asked.jsonl"), pathlib.Path(folder, "got.jsonl")
        asked.write_text("".join(json.dumps(line) + "\n" for line in lines))
        subprocess.run([*program, "batch", asked, "-o", got, "--target", arch], cwd=ROOT, check=True, capture_output=True)
        return [numbered(found["cuda"]) if found.get("cuda") else None for found in map(json.loads, got.read_text().splitlines())]


def main():
    parser = parser_for(__doc__)
    parser.add_argument("kernels", type=pathlib.Path, metavar="KERNELS.jsonl")
    parser.add_argument("--arch", action="append", help="sm_80, sm_90 and sm_100 unless given")
    parser.add_argument("--count", type=int, default=300, help="lines that are taken")
    parser.add_argument("--json", type=pathlib.Path, help="writes the counts of every line, and the texts")
    args = parser.parse_args()
    print("| arch | kernels | as written | other form | quaff | ratio | better | worse |\n" + "|---" * 8 + "|")
    rows = []
    for arch in args.arch or ["sm_80", "sm_90", "sm_100"]:
        lines, compiler, texts = taken(args.kernels, args.count), Compiler(arch), []
        for line, ours in zip(lines, answered(program_of(args), lines, arch)):
            try:
                given = of_corpus(line, "expr", "gate", False), of_corpus(line, "expected", "expected_gate", True)
            except Unsupported:
                continue
            if ours and not any(name in ours for name in ("quaff_fastdivmod_t", "_div.")):
                texts.append((line, (*given, ours)))
        counts = []
        for start in range(0, len(texts), AT_ONCE):
            part = texts[start : start + AT_ONCE]
            source = "\n".join(kernel(line, f"k{i}_{j}", t) for i, (line, of) in enumerate(part) for j, t in enumerate(of))
            found = compiler.all_instructions(source)
            for i in range(len(part)):
                counts.append([sum(not OTHER.match(x) for x in found[f"k{i}_{j}"]) for j in range(3)])
        sums = [sum(c[j] for c in counts) for j in range(3)]
        better, worse = sum(c[2] < c[1] for c in counts), sum(c[2] > c[1] for c in counts)
        cells = [arch, len(counts), *sums, f"{sums[2] / max(sums[1], 1):.3f}", better, worse]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        rows += [{"id": line["id"], "arch": arch, "counts": c, "texts": t} for (line, t), c in zip(texts, counts)]
    if args.json:
        args.json.write_text("".join(json.dumps(r) + "\n" for r in rows))


if __name__ == "__main__":
    main()
