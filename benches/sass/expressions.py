#!/usr/bin/env python3
"""Counts the machine instructions of the expressions of corpora: as written, in forms that the corpus stores, and as quaff prints them.

    venv/bin/python benches/sass/expressions.py [CORPUS.jsonl ...] [--arch sm_80 --arch sm_90] [--count 300]

A line of a corpus has `id`, `vars` (ranges), `expr`, and the fields of `--form`, which are texts in the same grammar. The lines with the
smallest SHA-256 of `id` are taken. `as written` is plain C. The ladder (ladder.py) prints stored forms, and for each line the cheapest
stored form counts. A kernel reads every variable from memory and stores the value. The instructions of a kernel that only stores a variable
are subtracted. The values of all texts are compared with the expression on this machine's processor.
"""
import argparse
import hashlib
import json
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from compiler import ROOT, Compiler, parser_for, program_of
from ladder import INT, Unsupported, points, to_c, value

CORPORA = ["tinygrad_kernels", "inductor_kernels", "views"]
# The number of kernels that are compiled together. The compiler takes long to start, and is slow for a large file.
AT_ONCE = 128
HOST = """#include <cstdio>
template <class T> static T min(T a, T b) { return a < b ? a : b; }
template <class T> static T max(T a, T b) { return a > b ? a : b; }
static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned by) {
  return (unsigned)((((unsigned long long)hi << 32 | lo) << (by & 31)) >> 32);
}
static unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
"""


def type_of(range_):
    lo, hi = range_
    return "int" if INT[0] <= lo and hi <= INT[1] else "unsigned" if 0 <= lo and hi < 1 << 32 else "long long"


class Case:
    """A line of a corpus: its variables, the type of its value, and its texts by name. A text has statements and a result."""

    def __init__(self, line, forms):
        self.id, self.line = line["id"], line
        self.variables = {v: tuple(r) for v, r in line["vars"].items()}
        self.texts, ranges = {}, []
        fields = {"as written": ("expr", False), **{form: (form, True) for form in ["expr", *forms]}}
        for name, (field, with_ladder) in fields.items():
            try:
                text, range_ = to_c(line[field], self.variables, with_ladder)
            except (Unsupported, KeyError):
                continue
            ranges.append(range_)
            self.texts["as written, ladder" if name == "expr" else name] = ("", text)
        # all forms have the same value, so the intersection of their intervals holds
        least = max((r[0] for r in ranges), default=0), min((r[1] for r in ranges), default=0)
        self.type = "int" if type_of(least) == "int" else "long long"

    def add(self, body, name="quaff"):
        """Adds a text from the body of a function."""
        *before, last = body.strip().split("\n")
        self.texts[name] = ("\n".join(before), re.fullmatch(r"return (.*);", last)[1])

    def kernel(self, name, text):
        """A kernel that stores the value of `text`, or the first variable if there is no text. Loads and stores are volatile, so that no
        load is left out. Each variable is stored as well, so that none is loaded only under a condition."""
        before, result = text or ("", next((v for v, r in self.variables.items() if type_of(r) == self.type), "0"))
        loads, stores = [], []
        for i, (v, r) in enumerate(self.variables.items()):
            ty = type_of(r)
            size, letter, of = ("u64", "l", "p") if ty == "long long" else ("u32", "r", "p")
            loads.append(f'  {ty} {v}; asm volatile("ld.volatile.global.{size} %0, [%1+{8 * i}];" : "={letter}"({v}) : "l"({of}_));')
            stores.append(f'  asm volatile("st.volatile.global.{size} [%0+{1024 + 8 * i}], %1;" :: "l"(o_), "{letter}"({v}));')
        lines = [f'extern "C" __global__ void {name}(const char* __restrict__ p_, char* __restrict__ o_) {{', *loads]
        lines += [before, f"  *(volatile {self.type}*)o_ = ({self.type})({result});", *stores, "}"]
        return "\n".join(lines)

    def function(self, name, text):
        """A function for the host that returns the value of `text`."""
        parameters = ", ".join(f"{type_of(r)} {v}" for v, r in self.variables.items())
        return f"static {self.type} {name}({parameters}) {{\n{text[0]}\nreturn {text[1]};\n}}"


def taken(path, count):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines.sort(key=lambda line: hashlib.sha256(str(line["id"]).encode()).hexdigest())
    return lines[:count]


def answered(program, cases, target, name="quaff", options=()):
    """Adds the texts that quaff prints for a target machine, with options of `quaff batch`."""
    with tempfile.TemporaryDirectory() as folder:
        asked, got = pathlib.Path(folder, "asked.jsonl"), pathlib.Path(folder, "got.jsonl")
        asked.write_text("".join(json.dumps(case.line) + "\n" for case in cases))
        command = [*program, "batch", asked, "-o", got, "--target", target, *options]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        for case, line in zip(cases, map(json.loads, got.read_text().splitlines())):
            if "cuda" in line and "return" in line["cuda"]:
                case.add(line["cuda"], name)


def differences(cases):
    """The texts whose value differs from their expression at some point, as pairs of a case and the name of a text."""
    compiler = shutil.which("c++")
    if compiler is None:
        sys.exit("values are checked with the system's compiler: there is no `c++`")
    source, checks, labels = [HOST], [], []
    for i, case in enumerate(cases):
        at = points(case.variables, random.Random(case.id), 32)
        wanted = [value(case.line["expr"], point) for point in at]
        rows = ", ".join("{" + ", ".join(f"{n}ll" for n in [*point.values(), w]) + "}" for point, w in zip(at, wanted))
        width = len(case.variables) + 1
        source.append(f"static const long long at{i}[][{width}] = {{{rows}}};")
        for j, (name, text) in enumerate(case.texts.items()):
            source.append(case.function(f"f{i}_{j}", text))
            values = ", ".join(f"({type_of(r)})a[{k}]" for k, r in enumerate(case.variables.values()))
            checks.append(f"  for (auto& a : at{i}) if (f{i}_{j}({values}) != a[{width - 1}]) {{ puts(\"{len(labels)}\"); break; }}")
            labels.append((case.id, name))
    source.append("int main() {\n" + "\n".join(checks) + "\n}")
    with tempfile.TemporaryDirectory() as folder:
        file, program = pathlib.Path(folder, "check.cpp"), pathlib.Path(folder, "check")
        file.write_text("\n".join(source))
        subprocess.run([compiler, "-std=c++14", "-O0", "-w", "-o", program, file], check=True)
        found = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return [labels[int(line)] for line in found.split()]


def counts(cases, compiler, known):
    """The number of instructions of every text of every case. `known` has the numbers of kernels that were compiled before."""
    kernels, wanted = {}, []
    for case in cases:
        for name, text in [("", None), *case.texts.items()]:
            source = case.kernel("KERNEL", text)
            key = hashlib.sha256(source.encode()).hexdigest()
            wanted.append((case, name, key))
            if key not in known:
                kernels[key] = source
    todo = list(kernels.items())
    for start in range(0, len(todo), AT_ONCE):
        part = todo[start : start + AT_ONCE]
        source = "\n".join(text.replace("KERNEL", f"k{i}", 1) for i, (_, text) in enumerate(part))
        found = compiler.all_instructions(source)
        known.update((key, len(found[f"k{i}"])) for i, (key, _) in enumerate(part))
    out = {}
    for case, name, key in wanted:
        out.setdefault(case.id, {})[name] = known[key]
    return {id_: {n: c - of[""] for n, c in of.items() if n} for id_, of in out.items()}


def row(cases, found, forms):
    """The cells of a row: the sums over the cases that have all texts."""
    stored = ["as written, ladder", *forms]
    common = [c for c in cases if "quaff" in c.texts and "as written" in c.texts]
    least = {c.id: min(found[c.id][n] for n in stored if n in found[c.id]) for c in common}
    ours = {c.id: found[c.id]["quaff"] for c in common}
    sums = [sum(found[c.id]["as written"] for c in common)]
    sums += [sum(found[c.id].get(n, found[c.id]["as written"]) for c in common) for n in forms]
    sums += [sum(least.values()), sum(ours.values())]
    better, worse = (sum(f(ours[i], least[i]) for i in ours) for f in (int.__lt__, int.__gt__))
    return [len(common), *sums, f"{sums[-1] / max(sums[-2], 1):.3f}", better, worse]


def variant(text):
    """Reads `NAME=OPTIONS`. The options are options of `quaff batch`."""
    name, equals, options = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("write a variant as NAME=OPTIONS")
    return name, shlex.split(options)


def beside(cases, found, names):
    """The cells of a table: the sums over the cases that have all variants, and the numbers of lines in which a variant takes fewer or more
    instructions than quaff."""
    common = [found[c.id] for c in cases if all(n in c.texts for n in ["quaff", *names])]
    cells = [len(common), sum(f["quaff"] for f in common)]
    for name in names:
        fewer, more = (sum(of(f[name], f["quaff"]) for f in common) for of in (int.__lt__, int.__gt__))
        cells.append(f"{sum(f[name] for f in common)} ({fewer} fewer, {more} more)")
    return cells


def main():
    parser = parser_for(__doc__)
    parser.add_argument("corpora", nargs="*", type=pathlib.Path, metavar="CORPUS.jsonl")
    parser.add_argument("--arch", action="append", help="sm_80, sm_90 and sm_100 unless given")
    parser.add_argument("--count", type=int, default=300, help="lines of each corpus")
    parser.add_argument("--form", action="append", help="stored forms; `expected` and `best` unless given")
    parser.add_argument("--target", help="the table of spellings; that of the architecture unless given")
    parser.add_argument("--without", action="append", default=[], help="a spelling that is left out of it")
    parser.add_argument("--with", dest="more", action="append", default=[], help="a spelling that it has besides")
    parser.add_argument("--variant", type=variant, action="append", default=[], metavar="NAME=OPTIONS",
                        help="answers with options of `quaff batch`, in a table of their own")
    parser.add_argument("--known", type=pathlib.Path, help="a file that keeps counts from one run to the next")
    parser.add_argument("--json", type=pathlib.Path, help="writes the counts of every case, and the texts")
    args = parser.parse_args()
    archs, forms = args.arch or ["sm_80", "sm_90", "sm_100"], args.form or ["expected", "best"]
    compilers = {arch: Compiler(arch) for arch in archs}
    known = json.loads(args.known.read_text()) if args.known and args.known.exists() else {}
    print("| corpus | arch | lines | " + " | ".join(["as written", *forms, "least of the stored", "quaff", "ratio", "better", "worse"]) + " |")
    print("|---" * (8 + len(forms)) + "|")
    rows, wrong, lines = [], [], []
    for path in args.corpora or [ROOT / f"tests/data/{name}.jsonl" for name in CORPORA]:
        cases = [Case(line, forms) for line in taken(path, args.count)]
        for arch, compiler in compilers.items():
            target = "+".join(["-".join([args.target or arch, *args.without]), *args.more])
            for name, options in [("quaff", []), *args.variant]:
                answered(program_of(args), cases, target, name, options)
            wrong += differences(cases)
            found = counts(cases, compiler, known.setdefault(arch, {}))
            print("| " + " | ".join(map(str, [path.stem, arch, *row(cases, found, forms)])) + " |", flush=True)
            lines.append([path.stem, arch, *beside(cases, found, [name for name, _ in args.variant])])
            rows += [{"id": c.id, "arch": arch, "counts": found[c.id], "texts": dict(c.texts)} for c in cases]
    if args.variant:
        names = [name for name, _ in args.variant]
        print("\n| " + " | ".join(["corpus", "arch", "lines", "quaff", *names]) + " |")
        print("|---" * (4 + len(names)) + "|")
        for line in lines:
            print("| " + " | ".join(map(str, line)) + " |")
    if args.known:
        args.known.write_text(json.dumps(known))
    if args.json:
        args.json.write_text("".join(json.dumps(r) + "\n" for r in rows))
    for id_, name in wrong:
        print(f"wrong value: {id_}, {name}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
