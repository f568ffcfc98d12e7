"""Inductor with and without quaff, module by module: the table of python/docs/inductor.md.

    python python/benches/inductor.py                  # C++ and Triton text, SASS, times
    python python/benches/inductor.py --only unfold    # one module

C++ is compiled and run, and its results compared. Triton text is rendered without a GPU, run by numpy where a kernel has no reduction,
and compiled to SASS for sm_90 by Triton's own compiler where the wheel is installed. Times are CPU times of lowering and printing
Triton kernels, without what sympy and quaff remember; they are medians of `--repeat` runs, with and without in turn. A module with more
SASS instructions fails the run.
"""

from __future__ import annotations

import argparse
import gc
import pathlib
import re
import statistics
import sys
import time
from contextlib import nullcontext

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import torch
import torch._inductor.config
import torch._inductor.sizevars as sizevars
import triton_by_numpy
import triton_text
from modules import MODULES
from sympy.core.cache import clear_cache
from torch._inductor.utils import run_and_get_code

import quaff._inductor_forms
import quaff.inductor


def forget():
    """Nothing is remembered of another run."""
    gc.collect()
    clear_cache()
    sizevars._join_dimensions_cached.cache_clear()
    quaff._inductor_forms._memo.clear()
    quaff.inductor._is_proved.cache_clear()


def rendered(module, hook):
    forget()
    with hook:
        return triton_text.rendered(module)


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


def compare(own, ours):
    """Kernels of the same name store the same, where numpy can run them."""
    for name in own.kernels.keys() & ours.kernels.keys():
        texts = own.kernels[name], ours.kernels[name]
        if texts[0] != texts[1] and all(map(triton_by_numpy.is_pointwise, texts)) and len(own.kernels) == len(ours.kernels):
            stored = [triton_by_numpy.run(r.kernels[name], r.sizes.get(name)) for r in (own, ours)]
            assert stored[0] == stored[1], f"{name} stores something else"


def row(module, repeat, with_cpp):
    """The cells of a module as a dict."""
    cells = {"module": module.name}
    texts, times = {}, {"own": [], "quaff": []}
    for _ in range(repeat):
        own = rendered(module, nullcontext())
        quaff.inductor.stats(reset=True)
        ours = rendered(module, quaff.inductor.installed())
        stats = quaff.inductor.stats()
        for which, run in (("own", own), ("quaff", ours)):
            texts[which] = run.kernels
            times[which].append(run.seconds)
    compare(own, ours)
    for which, kernels in texts.items():
        counts = [triton_text.divisions(text) for text in kernels.values()]
        cells[f"// {which}"], cells[f"% {which}"] = sum(a for a, _ in counts), sum(b for _, b in counts)
        cells[f"ms {which}"] = statistics.median(times[which]) * 1e3
    changed = texts["own"] != texts["quaff"]
    for which, other in (("own", "quaff"), ("quaff", "own")):
        differing = [text for text in texts[which].values() if text not in texts[other].values()]
        cells[f"SASS {which}"] = sum(map(triton_text.integer_instructions, differing)) if changed else None
    cells["calls"], cells["changed"] = stats["calls"], stats["changed"]
    if with_cpp:
        cells["C++ own"], expected, cells["us own"] = in_cpp(module, nullcontext())
        cells["C++ quaff"], found, cells["us quaff"] = in_cpp(module, quaff.inductor.installed())
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    return cells


def shown(value):
    return "" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)


def summary(name, rows):
    """A line about some modules: instructions of what differs, and time."""
    differing = [r for r in rows if r["SASS own"] is not None]
    parts = []
    for what, some in (("SASS", differing), ("ms", rows)):
        own, ours = (sum(r[f"{what} {which}"] for r in some) for which in ("own", "quaff"))
        if own:
            parts.append(f"{what} {own:.0f} -> {ours:.0f} ({ours / own - 1:+.1%})")
    print(f"{name}: {len(rows)} modules, {len(differing)} with other Triton text; {', '.join(parts)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", help="names of modules")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-cpp", action="store_true", help="no C++: nothing is compiled for the CPU or run")
    args = parser.parse_args()
    torch._inductor.config.fx_graph_cache = False
    torch._inductor.config.fallback_random = True
    rows, dynamic = [], []
    columns = ["module", "calls", "changed", "// own", "// quaff", "% own", "% quaff", "SASS own", "SASS quaff", "ms own", "ms quaff"]
    if not args.no_cpp:
        columns += ["C++ own", "C++ quaff", "us own", "us quaff"]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for module in MODULES:
        if args.only and module.name not in args.only:
            continue
        rows.append(row(module, args.repeat, not args.no_cpp))
        dynamic += rows[-1:] if module.dynamic else []
        print("| " + " | ".join(shown(rows[-1].get(c)) for c in columns) + " |", flush=True)
    sums = {c: sum(r[c] for r in rows if r.get(c) is not None) for c in columns[1:]}
    print("| **all** | " + " | ".join(shown(sums[c]) for c in columns[1:]) + " |")
    print()
    summary("sizes that are numbers", [r for r in rows if r not in dynamic])
    summary("sizes at run time", dynamic)
    worse = [r["module"] for r in rows if r["SASS own"] is not None and r["SASS quaff"] > r["SASS own"]]
    print(f"more SASS: {', '.join(worse) or 'none'}")
    if not args.no_cpp:
        ratios = [r["us quaff"] / r["us own"] for r in rows]
        print(f"run time with / without: median {statistics.median(ratios):.2f}")
    return bool(worse)


if __name__ == "__main__":
    sys.exit(main())
