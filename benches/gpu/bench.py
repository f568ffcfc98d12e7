#!/usr/bin/env python3
"""The program that `benches/gpu/run` starts in its environment. `benches/gpu/run --help` explains it."""

import argparse
import ctypes
import datetime
import json
import pathlib
import sys
import time

from cases import FORMS, Buffer, Divisor, cases

from compiler import OTHER, Compiler, program_of  # cases.py adds benches/sass to the path
import counters
import on_cpu
import timing


class Programs:
    """The compiled programs for the GPU, and their instructions. Each text is compiled once."""

    def __init__(self, arch):
        self.compiler, self.known = Compiler(arch), {}

    def of(self, form):
        """The program of a form."""
        if form.symbol not in self.known:
            self.known[form.symbol] = self.compiler.cubin(form.text)
        return self.known[form.symbol]

    def counts(self, case):
        """For each form, the number of all instructions, and of the instructions that compute on integers."""
        lines = {name: self.compiler.disassembled(self.of(form))[form.symbol] for name, form in case.forms.items()}
        return {name: (len(own), sum(not OTHER.match(line) for line in own)) for name, own in lines.items()}


def filled(device, case):
    """Pointers to the arrays of a kernel. The inputs are small integers, whose sums are exact."""
    import numpy

    pointers = {}
    for array in case.arrays:
        pointers[array.name] = device.allocated(array.bytes)
        if not array.is_output:
            at = numpy.arange(array.bytes // 4, dtype=numpy.uint64) * numpy.uint64(2654435761) >> numpy.uint64(7)
            device.write(pointers[array.name], (at.astype(numpy.uint32) % 17).astype(numpy.float32) - 8)
    return pointers


def arguments_of(case, form, pointers):
    """The arguments for the launch of a form."""
    found = []
    for a in case.arguments:
        if isinstance(a, Buffer):
            found.append(ctypes.c_uint64(int(pointers[a.name])))
            found += [ctypes.c_longlong(a.step)] if a.takes_step else []
        else:
            found.append(ctypes.c_int(a))
    return [*found, *map(Divisor, form.divisors)]


def loaded(device, case, programs):
    """Loads all forms of a kernel onto the device, by name. Returns the pointers to its arrays."""
    pointers = filled(device, case)
    for name, form in case.forms.items():
        device.load(name, programs.of(form), form.symbol, case.grid, case.block, arguments_of(case, form, pointers))
    return pointers


def different(device, case, pointers):
    """The forms that write nothing, or other values than the first form."""
    outputs, first, wrong = [a for a in case.arrays if a.is_output], None, []
    for form in case.forms:
        for a in outputs:
            device.clear(pointers[a.name], a.bytes)
        device.launch(form)
        device.wait()
        read = [device.read(pointers[a.name], a.bytes) for a in outputs]
        first = first or read
        if any((a != b).any() for a, b in zip(first, read)) or all((r == 0xFF).all() for r in read):
            wrong.append(form)
    return wrong


def measured(device, chosen, programs, rounds):
    """Measures a row for each kernel. Ends the process if forms write different values."""
    for case in chosen:
        pointers = loaded(device, case, programs)
        if wrong := different(device, case, pointers):
            sys.exit(f"{case.name}, buffers {case.buffers}: {', '.join(wrong)} writes other values than the text as written")
        times, launches = timing.measure(device, list(case.forms), rounds)
        device.release()
        print(f"{case.name}, buffers: {case.buffers}", file=sys.stderr, flush=True)
        yield timing.Row(case.name, case.buffers, case.bytes, times, launches, programs.counts(case))


def launch_once(device, chosen, programs):
    """Launches each form once, so that Nsight Compute can count instructions. The buffers are small, because Nsight Compute copies them."""
    smallest = {case.name: case for case in sorted(chosen, key=lambda case: -case.bytes)}
    for case in smallest.values():
        loaded(device, case, programs)
        for form in case.forms:
            device.launch(form)
        device.wait()
        device.release()


def check(args):
    """The checks that need no GPU."""
    programs = Programs(args.arch)
    chosen = list(cases(program_of(args), args.only, small=True))
    rows = [timing.Row(case.name, case.buffers, case.bytes, static=programs.counts(case)) for case in chosen]
    print(f"{args.arch}\n\n" + timing.counts_table(rows, FORMS, "nothing was launched") + "\n", flush=True)
    equal = on_cpu.compare(chosen)
    if equal is None:
        print("skipped: no C++ compiler is installed, and values were not compared")
    return 0 if equal in (True, None) else 1


def bench(args):
    from device import Device

    began = time.monotonic()
    device = Device()
    programs = Programs(device.arch)
    chosen = list(cases(program_of(args), args.only))
    if args.launch_once:
        launch_once(device, chosen, programs)
        return 0
    rows = list(measured(device, chosen, programs, args.rounds))
    again = [sys.executable, __file__, "--launch-once", "--only", args.only, *(["--quaff", args.quaff] if args.quaff else [])]
    found, why = counters.executed(again)
    for row in rows:
        forms = next(case.forms for case in chosen if case.name == row.kernel)
        row.executed = {form: found[f.symbol] for form, f in forms.items() if f.symbol in found}
    said = {"card": device.about(), "date": datetime.date.today().isoformat(), "rounds": args.rounds, "counters": why}
    print(f"{said['card']}; {said['date']}; medians of {args.rounds} rounds with quartiles\n")
    print(timing.times_table(rows, FORMS) + "\n\n" + timing.counts_table(rows, FORMS, why))
    if args.json:
        args.json.write_text(json.dumps({**said, "rows": [row.json() for row in rows]}, indent=1) + "\n")
    print(f"\n{time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compile and compare without a GPU")
    parser.add_argument("--arch", default="sm_90", help="the architecture of --check; a GPU has its own")
    parser.add_argument("--quaff", help="the program; built and run by cargo unless given")
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels with this text in their names")
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS, help="rounds, in each of which every form is timed once")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes the times of all rounds")
    parser.add_argument("--launch-once", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.rounds < 2:
        parser.error("--rounds: quartiles need two rounds at least")
    if args.quaff:
        args.quaff = str(pathlib.Path(args.quaff).resolve())
    if args.check:
        return check(args)
    from device import DeviceError

    try:
        return bench(args)
    except DeviceError as error:
        sys.exit(f"the driver ends the run: {error}")


if __name__ == "__main__":
    sys.exit(main())
