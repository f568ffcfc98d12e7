"""Compares Inductor with and without quaff for each module. Prints the tables of python/docs/inductor.md.

    python python/hosts/inductor_kernels.py                  # C++ and Triton text, SASS, times
    python python/hosts/inductor_kernels.py --only unfold    # one module

C++ text is compiled and run, and the results are compared. Triton text is rendered without a GPU. numpy runs the kernels without a
reduction. Triton's own compiler compiles the text to SASS for sm_90, if the wheel is installed. Times are CPU times of lowering and
printing Triton kernels, without cached results of sympy and quaff. They are medians of `--repeat` runs, which alternate with and without
quaff. The run fails if a kernel has more SASS instructions with quaff. If the kernels of a module differ between the two ways, the whole
module is compared.
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
from inductor_modules import MODULES
from sympy.core.cache import clear_cache
from torch._inductor.utils import run_and_get_code

import quaff._inductor_forms
import quaff.inductor


def forget():
    """Clears the caches, so that a run does not use results of another run."""
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
    """The number of divisions in the C++ text, the result, and the median time of a run in microseconds."""
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
    """Checks that kernels with equal names store equal values, if numpy can run them."""
    for name in own.kernels.keys() & ours.kernels.keys():
        texts = own.kernels[name], ours.kernels[name]
        if texts[0] != texts[1] and all(map(triton_by_numpy.is_pointwise, texts)) and len(own.kernels) == len(ours.kernels):
            stored = [triton_by_numpy.run(r.kernels[name], r.sizes.get(name)) for r in (own, ours)]
            assert stored[0] == stored[1], f"{name} stores something else"


def instructions(own, ours):
    """The SASS instructions of the kernels that differ, without and with quaff, and the names of the kernels with more. None if no kernel
    differs."""
    if own == ours:
        return None, None, []
    counts = [
        {name: triton_text.integer_instructions(text) for name, text in texts.items() if text not in others.values()}
        for texts, others in ((own, ours), (ours, own))
    ]
    sums = [sum(c.values()) for c in counts]
    if counts[0].keys() == counts[1].keys():
        more = [f"{name}: {counts[0][name]} -> {counts[1][name]}" for name in counts[0] if counts[1][name] > counts[0][name]]
    else:
        more = [f"all kernels: {sums[0]} -> {sums[1]}"] if sums[1] > sums[0] else []
    return *sums, more


def row(module, repeat, with_cpp):
    """The cells of the table for one module, as a dict."""
    cells = {"module": module.name}
    times = {"own": [], "quaff": []}
    for _ in range(repeat):
        own = rendered(module, nullcontext())
        ours = rendered(module, quaff.inductor.installed())
        times["own"].append(own.seconds)
        times["quaff"].append(ours.seconds)
    compare(own, ours)
    for which, run in (("own", own), ("quaff", ours)):
        counts = [triton_text.divisions(text) for text in run.kernels.values()]
        cells[f"// {which}"], cells[f"% {which}"] = sum(a for a, _ in counts), sum(b for _, b in counts)
        cells[f"s {which}"] = statistics.median(times[which])
    cells["SASS own"], cells["SASS quaff"], cells["more"] = instructions(own.kernels, ours.kernels)
    if with_cpp:
        cells["C++ own"], expected, cells["us own"] = in_cpp(module, nullcontext())
        cells["C++ quaff"], found, cells["us quaff"] = in_cpp(module, quaff.inductor.installed())
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    return cells


def print_row(*cells):
    print("| " + " | ".join("" if c is None else str(c) for c in cells) + " |", flush=True)


def print_sums(kind, rows):
    """The row for some modules in the table of sums."""
    differing = [r for r in rows if r["SASS own"] is not None]
    cells = []
    for what, some, form in (("SASS", differing, "{:.0f}"), ("s", rows, "{:.1f}")):
        own, ours = (sum(r[f"{what} {which}"] for r in some) for which in ("own", "quaff"))
        cells += [form.format(own), form.format(ours), f"{100 * (ours / own - 1):+.1f} %" if own else ""]
    print_row(kind, len(rows), len(differing), *cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", help="names of modules")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-cpp", action="store_true", help="no C++: nothing is compiled for the CPU or run")
    args = parser.parse_args()
    torch._inductor.config.fx_graph_cache = False
    torch._inductor.config.fallback_random = True
    rows, dynamic = [], []
    columns = ["// own", "// quaff", "% own", "% quaff", "SASS own", "SASS quaff"] + ([] if args.no_cpp else ["C++ own", "C++ quaff"])
    print_row("module", *columns)
    print("|---|" + "--:|" * len(columns))
    for module in MODULES:
        if args.only and module.name not in args.only:
            continue
        rows.append(row(module, args.repeat, not args.no_cpp))
        dynamic += rows[-1:] if module.dynamic else []
        print_row(module.name, *(rows[-1][c] for c in columns))
    print_row("**all**", *(sum(r[c] or 0 for r in rows) for c in columns))
    print("\n| sizes | modules | with other Triton text | SASS own | SASS quaff | | CPU s own | CPU s quaff | |\n|---|" + "--:|" * 8)
    print_sums("numbers", [r for r in rows if r not in dynamic])
    print_sums("known at run time", dynamic)
    more = [f"{r['module']}, {kernel}" for r in rows for kernel in r["more"]]
    print("\nmore instructions:", *more or ["none"], sep="\n  ")
    if not args.no_cpp:
        ratios = [r["us quaff"] / r["us own"] for r in rows]
        print(f"run time of C++, with / without: median {statistics.median(ratios):.2f}")
    return bool(more)


if __name__ == "__main__":
    sys.exit(main())
