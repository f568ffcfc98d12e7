#!/usr/bin/env python3
"""Counts the machine instructions of the accesses of whole kernels: as written, in the form of their source system, and as quaff prints
them.

    venv/bin/python benches/sass/accesses.py KERNELS.jsonl [--arch sm_80 --arch sm_90] [--count 300]
    venv/bin/python benches/sass/accesses.py examples/accesses/*.json --each

A line has `id`, `vars` (ranges), `kinds` (`loop`, `unroll`, `block`, `thread`, `size`, `data`), and `accesses` with `buf`, `expr` and
`gate`. `expected` and `expected_gate` are the form of the source system. If they are absent, that form is the written one, with divisions
replaced as a careful author would. A file with one object is one kernel. The lines with the smallest SHA-256 of `id` are taken. A kernel
has a loop for each loop variable, the outermost first, and reads all accesses in the innermost loop. Variables of threads come from memory,
and others are parameters. Stores are read, too. Each instruction that computes on integers counts once, wherever it is. Values are not
compared, because quaff's own tests run these texts.
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
    """The C text of the accesses of a line."""
    variables = {v: tuple(r) for v, r in line["vars"].items()}
    out = []
    for i, access in enumerate(line["accesses"]):
        text, _ = to_c(access.get(field, access["expr"]), variables, with_ladder)
        gate = access.get(gate_field, access.get("gate"))
        gate = f"{to_c(gate, variables, with_ladder)[0]} ? " if gate else ""
        out.append(f"const float v{i} = {gate}{access['buf']}[{text}]{' : 0' if gate else ''};")
    return "\n".join(out)


def numbered(text):
    """quaff's text with a different variable for each access. quaff uses the name `v` for all of them."""
    out, number = [], -1
    for line in text.split("\n"):
        number += bool(re.match(r"(const )?float v\b", line))
        out.append(re.sub(r"\bv\b", f"v{number}", line))
    return "\n".join(out)


def kernel(line, name, text):
    kinds, buffers = line.get("kinds", {}), sorted({a["buf"] for a in line["accesses"]})
    parameters, reads, loops = [f"const float* __restrict__ {b}" for b in buffers], [], []
    nests = [access.get("loops") or () for access in line["accesses"]]
    nest = list(max(nests, key=len))
    order = [v for v in line["vars"] if v not in nest] + nest
    for v, (lo, hi) in ((v, line["vars"][v]) for v in order):
        kind = kinds.get(v, "thread")
        if v in nest or kind in ("loop", "unroll"):
            copies = "#pragma unroll" if kind == "unroll" else "#pragma unroll 1"
            # unrolled loops are innermost, so parts that are equal in all copies are computed once
            place = len(loops) if kind == "unroll" else sum("unroll 1" in loop for loop in loops)
            loops.insert(place, f"{copies}\nfor (int {v} = {lo}; {v} < {hi + 1}; ++{v}) {{")
        elif kind in ("thread", "data"):
            reads.append(f"const int {v} = p_[threadIdx.x + {1024 * len(reads)}];")
        else:
            parameters.append(f"const int {v}")
    sums = "".join(f" s_ += v{i};" for i in range(len(line["accesses"])))
    head = f'extern "C" __global__ void {name}({", ".join(parameters)}, const int* __restrict__ p_, float* __restrict__ o_) {{'
    return "\n".join([head, *reads, "float s_ = 0;", *loops, text, sums, "}" * len(loops), "o_[threadIdx.x] = s_;", "}"])


def read(paths, count):
    """The kernels in files."""
    lines = [json.loads(path.read_text()) for path in paths if path.suffix == ".json"]
    lines += [line for path in paths if path.suffix != ".json" for line in taken(path, count)]
    for access in (access for line in lines for access in line["accesses"]):
        # the index of a store is computed like the index of a load
        access.pop("kind", None)
    return lines


def answered(program, lines, arch):
    with tempfile.TemporaryDirectory() as folder:
        asked, got = pathlib.Path(folder, "asked.jsonl"), pathlib.Path(folder, "got.jsonl")
        asked.write_text("".join(json.dumps(line) + "\n" for line in lines))
        subprocess.run([*program, "batch", asked, "-o", got, "--target", arch], cwd=ROOT, check=True, capture_output=True)
        return [numbered(found["cuda"]) if found.get("cuda") else None for found in map(json.loads, got.read_text().splitlines())]


def main():
    parser = parser_for(__doc__)
    parser.add_argument("kernels", type=pathlib.Path, metavar="KERNELS.jsonl", nargs="+", help="a corpus, or files of one kernel each")
    parser.add_argument("--each", action="store_true", help="a row for each kernel")
    parser.add_argument("--arch", action="append", help="sm_80, sm_90 and sm_100 unless given")
    parser.add_argument("--count", type=int, default=300, help="lines that are taken")
    parser.add_argument("--json", type=pathlib.Path, help="writes the counts of every line, and the texts")
    args = parser.parse_args()
    print("| arch | kernels | as written | other form | quaff | ratio | better | worse |\n" + "|---" * 8 + "|")
    rows = []
    for arch in args.arch or ["sm_80", "sm_90", "sm_100"]:
        lines, compiler, texts = read(args.kernels, args.count), Compiler(arch), []
        for line, ours in zip(lines, answered(program_of(args), lines, arch)):
            try:
                given = of_corpus(line, "expr", "gate", False), of_corpus(line, "expected", "expected_gate", True)
            except Unsupported:
                continue
            if ours and not any(name in ours for name in ("quaff_fastdivmod_t", "_div.")):
                texts.append((line, (*given, ours)))
            elif args.each:
                print(f"| {arch} | {line['id']} | not counted: its divisor is prepared on the host | | | | | |")
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
        if args.each:
            for (line, _), found in zip(texts, counts):
                print(f"| {arch} | {line['id']} | " + " | ".join(map(str, found)) + f" | {found[2] / max(found[1], 1):.3f} | | |")
        rows += [{"id": line["id"], "arch": arch, "counts": c, "texts": t} for (line, t), c in zip(texts, counts)]
    if args.json:
        args.json.write_text("".join(json.dumps(r) + "\n" for r in rows))


if __name__ == "__main__":
    main()
