"""Inductor with and without quaff, module by module: the table of python/docs/inductor.md.

    python python/benches/inductor.py                  # C++ and Triton text, SASS, times
    python python/benches/inductor.py --only unfold    # one module

C++ is compiled and run, and its results compared; Triton text is rendered without a GPU, and compiled to SASS for sm_90 by Triton's
own compiler where the wheel is installed. Times of the simplifier are those of rendering for Triton; they are medians of `--repeat`
runs, with and without in turn.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import statistics
import sys
import time
from contextlib import contextmanager, nullcontext

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import torch
import torch._inductor.config
import torch._inductor.sizevars as sizevars
import triton_text
from modules import MODULES
from torch._inductor.utils import run_and_get_code

import quaff.inductor


@contextmanager
def own_time():
    """Seconds in Inductor's own simplifier, in a list of one number."""
    own, spent, depth = sizevars.SizeVarAllocator._simplify_with_ranges, [0.0], [0]

    def timed(self, *args):
        depth[0] += 1
        began = time.perf_counter()
        try:
            return own(self, *args)
        finally:
            depth[0] -= 1
            # it calls itself
            if not depth[0]:
                spent[0] += time.perf_counter() - began

    sizevars.SizeVarAllocator._simplify_with_ranges = timed
    try:
        yield spent
    finally:
        sizevars.SizeVarAllocator._simplify_with_ranges = own


def in_cpp(module, hook):
    """Divisions in C++ text, the result, and the median time of a run in microseconds."""
    torch._dynamo.reset()
    arguments = module.arguments()
    with hook:
        compiled = torch.compile(module.run, dynamic=module.dynamic)
        result, codes = run_and_get_code(compiled, *arguments)
        times = []
        for _ in range(50):
            began = time.perf_counter()
            compiled(*arguments)
            times.append(time.perf_counter() - began)
    text = "\n".join(codes)
    return len(re.findall(r"div_floor_integer| % static_cast|mod_floor", text)), result, statistics.median(times) * 1e6


def row(module, repeat, with_cpp):
    """The cells of a module as a dict."""
    cells = {"module": module.name}
    texts = {}
    times = {"own": [], "quaff": []}
    for _ in range(repeat):
        with own_time() as spent:
            texts["own"] = triton_text.kernels(module)
        times["own"].append(spent[0])
        quaff.inductor.stats(reset=True)
        with quaff.inductor.installed():
            texts["quaff"] = triton_text.kernels(module)
        stats = quaff.inductor.stats()
        times["quaff"].append(stats["seconds"] + stats["host_seconds"])
    for which, kernels in texts.items():
        counts = [triton_text.divisions(text) for text in kernels.values()]
        cells[f"// {which}"], cells[f"% {which}"] = sum(a for a, _ in counts), sum(b for _, b in counts)
        cells[f"ms {which}"] = statistics.median(times[which]) * 1e3
    changed = texts["own"] != texts["quaff"]
    for which, kernels in texts.items():
        cells[f"SASS {which}"] = sum(triton_text.integer_instructions(t) for t in kernels.values()) if changed else None
    cells["calls"], cells["changed"] = stats["calls"], stats["changed"]
    if with_cpp:
        cells["C++ own"], expected, cells["us own"] = in_cpp(module, nullcontext())
        cells["C++ quaff"], found, cells["us quaff"] = in_cpp(module, quaff.inductor.installed())
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    return cells


def shown(value):
    return "" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", help="names of modules")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-cpp", action="store_true", help="no C++: nothing is compiled for the CPU or run")
    args = parser.parse_args()
    torch._inductor.config.fx_graph_cache = False
    torch._inductor.config.fallback_random = True
    rows = []
    columns = ["module", "calls", "changed", "// own", "// quaff", "% own", "% quaff", "SASS own", "SASS quaff", "ms own", "ms quaff"]
    if not args.no_cpp:
        columns += ["C++ own", "C++ quaff", "us own", "us quaff"]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for module in MODULES:
        if args.only and module.name not in args.only:
            continue
        rows.append(row(module, args.repeat, not args.no_cpp))
        print("| " + " | ".join(shown(rows[-1].get(c)) for c in columns) + " |", flush=True)
    sums = {c: sum(r[c] for r in rows if r.get(c) is not None) for c in columns[1:]}
    print("| **all** | " + " | ".join(shown(sums[c]) for c in columns[1:]) + " |")
    worse = [r["module"] for r in rows if r["SASS own"] is not None and r["SASS quaff"] > r["SASS own"]]
    print(f"\n{len(rows)} modules, {sum(r['SASS own'] is not None for r in rows)} with other Triton text; more SASS: {', '.join(worse) or 'none'}")
    if not args.no_cpp:
        ratios = [r["us quaff"] / r["us own"] for r in rows]
        print(f"run time with / without: median {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
