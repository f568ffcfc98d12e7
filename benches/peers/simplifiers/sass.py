"""Counts the machine instructions of answers, with `benches/sass`."""

import json
import pathlib
import sys

import quaff

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "sass"))

from compiler import Compiler  # noqa: E402
from expressions import Case, counts  # noqa: E402

_printer = quaff.Simplifier(rounds=0)


def compiler_for(arch):
    """The compiler. If it is not installed or does not know the architecture, this process ends with a message."""
    compiler = Compiler(arch)
    compiler.instructions('extern "C" __global__ void k(int* p) { *p = 1; }')
    return compiler


def count(answers, compiler):
    """Sets `sass` of the answers to each line, if all texts of the line can be translated. Returns the instructions of the inputs of these
    lines, and the number of other lines.

    The ladder translates the texts of other systems, and quaff translates its own texts. A refused line or a wrong answer counts as its
    input.
    """
    by_line = {}
    for a in answers:
        by_line.setdefault((a.line.corpus, a.line.number), []).append(a)
    cases, left = {}, 0
    for key, of in by_line.items():
        found = [case_of(of, k) for k in range(len(of[0].line.exprs))]
        if None in found:
            left += 1
        else:
            cases[key] = found
    numbers = counts([case for found in cases.values() for case in found], compiler, {})
    total = 0
    for key, found in cases.items():
        total += sum(numbers[case.id]["as written, ladder"] for case in found)
        for a in by_line[key]:
            a.sass = sum(numbers[case.id].get(a.system, numbers[case.id]["as written, ladder"]) for case in found)
    return total, left


def case_of(answers, k):
    """The texts of one expression by all systems. None if the input or an answer cannot be translated."""
    line = answers[0].line
    usable = [a for a in answers if not a.refused and not a.wrong]
    theirs = {a.system: a.texts[k] for a in usable if not a.system.startswith("quaff")}
    fields = {"id": json.dumps([line.corpus, line.number, k]), "vars": line.ranges, "expr": line.exprs[k], **theirs}
    case = Case(fields, list(theirs))
    for a in usable:
        if a.system.startswith("quaff"):
            try:
                case.add(_printer.simplify(a.texts[k], line.domain).cuda(), a.system)
            except quaff.Error:
                return None
    return case if "as written, ladder" in case.texts and all(a.system in case.texts for a in usable) else None
