#!/usr/bin/env python3
"""Asks quaff the questions in Triton's test of its axis analysis: the contiguity, divisibility and constancy of each axis.

    python triton_axes.py CHECKOUT/test/Analysis/test-alignment.mlir [--show]

The file is read in its place. Ranges, splats, broadcasts, integer arithmetic and pointers become expressions over the coordinates of a
block. Each axis is one call of `quaff.ask.lanes`. Loops, branches, calls and loaded values are not arithmetic, and are only counted. A
remark gives a lower bound that Triton's analysis finds. quaff reaches it (equal), exceeds it (above), misses it (below) or refuses the
question.
"""

import argparse
import dataclasses
import re
import sys

from quaff import Error, ask

REMARK = re.compile(r"remark @below \{\{(.*)\}\}\s*$")
PROPERTY = re.compile(r"(contiguity|divisibility|constancy) = \[([\d, ]+)\]")
RESULT = re.compile(r"(?:%([\w$]+)\s*=\s*)?\"?((?:arith|tt)\.\w+)\"?\s*(.*)")
ARGUMENT = re.compile(r"%([\w$]+)\s*:\s*([^,{)]+(?:<[^)]*?>)?)\s*(?:\{([^}]*)\})?")
SHAPE = re.compile(r"tensor<((?:\d+x)+)(.*)>$")
HINT = re.compile(r"tt\.divisibility = (\d+)")
INFINITE = 1 << 30
BINARY = {
    "addi": "({0} + {1})", "subi": "({0} - {1})", "muli": "({0} * {1})", "andi": "({0} & {1})", "ori": "({0} | {1})",
    "xori": "({0} ^ {1})", "divsi": "truncdiv({0}, {1})", "remsi": "truncmod({0}, {1})", "divui": "({0} // {1})",
    "remui": "({0} % {1})", "maxsi": "max({0}, {1})", "minsi": "min({0}, {1})", "shli": "({0} << {1})", "shrsi": "({0} >> {1})",
}
COMPARE = {"eq": "==", "ne": "!=", "slt": "<", "sle": "<=", "sgt": ">", "sge": ">="}


@dataclasses.dataclass
class Value:
    """An expression over the coordinates `d0`, `d1` and so on. For a pointer, it counts elements of `bytes` bytes."""

    text: str
    shape: tuple
    ranges: dict
    bytes: int = 1
    base: int = 0
    """A number of bytes that divides the base address of a pointer, if it is not a multiple of the element size. Otherwise 0."""


def shape_and_element(kind):
    kind = kind.strip()
    m = SHAPE.match(kind)
    return (tuple(int(n) for n in m[1].split("x")[:-1]), m[2]) if m else ((), kind)


def argument(name, kind, attributes):
    """A parameter of a function, with a number that divides it."""
    shape, element = shape_and_element(kind)
    hint = HINT.search(attributes or "")
    step = int(hint[1]) if hint else 1
    if shape or element == "tensor" or "tensor" in element:
        return None
    if m := re.match(r"!tt\.ptr<[a-z]+(\d+)", element):
        size = max(1, int(m[1]) // 8)
        own = step // size if step % size == 0 else 1
        base = 0 if step % size == 0 else step
        return Value(f"a_{name}", (), {f"a_{name}": f"0..{(1 << 47) // own * own} step {own}"}, size, base)
    if m := re.match(r"i(\d+)$", element):
        bits = min(int(m[1]), 32)
        low, high = (0, 1) if bits == 1 else (-(1 << bits - 1), (1 << bits - 1) - 1)
        high = high // step * step
        return Value(f"a_{name}", (), {f"a_{name}": f"{low}..{high}" + (f" step {step}" if step > 1 else "")})
    return None


def renamed(text, axis):
    """The text after the insertion of a new axis at place `axis`."""
    return re.sub(r"\bd(\d+)\b", lambda m: f"d{int(m[1]) + (int(m[1]) >= axis)}", text)


def joined(form, *values):
    """The result of an operation on values, written as `form`."""
    ranges = {name: r for v in values for name, r in v.ranges.items()}
    return Value(form.format(*(v.text for v in values)), max((v.shape for v in values), key=len), ranges)


def constant(rest):
    m = re.match(r"(?:dense<(true|false|-?\d+)>|(true|false|-?\d+))\s*(?::\s*(.*))?$", rest)
    if not m:
        return None
    number = {"true": "1", "false": "0"}.get(m[1] or m[2], m[1] or m[2])
    shape, element = shape_and_element(m[3] or "i1")
    return Value(f"({number})", shape, {}) if re.match(r"(i\d+|index)$", element) else None


def pointer(base, offset):
    sum_ = joined("({0} + {1})", base, offset)
    return dataclasses.replace(sum_, bytes=base.bytes, base=base.base)


def operation(name, rest, values):
    """The value of an operation. None if it is not arithmetic, or if an operand is unknown."""
    operands = [values.get(o) for o in re.findall(r"%([\w$]+)", rest.split(" : ")[0])]
    kind, arithmetic = name.split(".")[1], name.startswith("arith.")
    if kind == "constant":
        return constant(rest)
    if kind == "make_range":
        ends = {key: int(value) for key, value in re.findall(r"(start|end) = (\d+)", rest)}
        return Value(f"(d0 + {ends['start']})", (ends["end"] - ends["start"],), {})
    if kind == "get_program_id":
        known = f"pid_{re.match(r'[xyz]', rest)[0]}"
        return Value(known, (), {known: "0..2147483647"})
    if not operands or None in operands or "tt.divisibility" in rest or "tt.contiguity" in rest:
        return None
    first, to = operands[0], shape_and_element(rest.split("->")[-1])[0]
    if kind in ("splat", "broadcast", "bitcast", "extsi", "extui", "index_cast", "trunci"):
        return dataclasses.replace(first, shape=to or shape_and_element(rest.split(" to ")[-1])[0] or first.shape)
    if kind == "expand_dims":
        axis = int(re.search(r"axis = (\d+)", rest)[1])
        return dataclasses.replace(first, text=renamed(first.text, axis), shape=to)
    if kind == "addptr":
        return pointer(*operands)
    if arithmetic and kind == "cmpi" and (sign := COMPARE.get(rest.split(",")[0])):
        return joined(f"({{0}} {sign} {{1}})", *operands)
    if arithmetic and kind == "select":
        return joined("where({0}, {1}, {2})", *operands)
    return joined(BINARY[kind], *operands) if arithmetic and kind in BINARY else None


def asked(value, axis):
    """The contiguity, divisibility and constancy along an axis."""
    domain = [f"d{i}=0..{size - 1}" for i, size in enumerate(value.shape)] or ["d0=0..0"]
    domain += [f"{name}={r}" for name, r in value.ranges.items()]
    found = ask.lanes(value.text, f"d{axis}", ", ".join(domain))
    divisor = found["divisibility"] * value.bytes
    if value.base:
        divisor = min(divisor & -divisor or INFINITE, value.base)
    return {"contiguity": found["contiguity"], "divisibility": divisor & -divisor or INFINITE, "constancy": found["constancy"]}


def compared(wanted, found):
    """The verdict: below, above or equal."""
    pairs = [(min(wanted[key], INFINITE), min(found[key], INFINITE)) for key in wanted]
    if any(own < other for other, own in pairs):
        return "below"
    return "above" if any(own > other for other, own in pairs) else "equal"


def functions(text):
    """The name, parameters and lines of each function. A function that another one in its part of the file calls has no known
    parameters."""
    for part in text.split("// -----"):
        called = set(re.findall(r"tt\.call @(\w+)", part))
        for m in re.finditer(r"tt\.func (?:public )?@(\w+)\((.*?)\)(?: -> .*?)? \{\n(.*?)tt\.return", part, re.S):
            yield m[1], [] if m[1] in called else ARGUMENT.findall(m[2]), m[3].splitlines()


def remarks(text):
    """Yields each remark about an operation, with the value of the operation."""
    for name, arguments, lines in functions(text):
        values = {own: argument(own, kind, attributes) for own, kind, attributes in arguments}
        waiting = []
        for line in lines:
            if m := REMARK.search(line):
                waiting.append({key: [int(n) for n in all_.split(",")] for key, all_ in PROPERTY.findall(m[1])})
            elif m := RESULT.match(line.strip()):
                value = operation(m[2], m[3], values)
                if m[1]:
                    values[m[1]] = value
                for wanted in filter(None, waiting):
                    yield f"{name}: {line.strip()}", wanted, value if len(waiting) == 1 else None
                waiting = []
            elif line.strip() and not line.strip().startswith("//"):
                for wanted in filter(None, waiting):
                    yield f"{name}: {line.strip()}", wanted, None
                waiting = []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="test-alignment.mlir of a checkout of Triton")
    parser.add_argument("--show", action="store_true", help="print each axis that is not equal")
    args = parser.parse_args()
    with open(args.file, encoding="utf-8") as file:
        text = file.read()
    counts = {"equal": 0, "above": 0, "below": 0, "refused": 0, "no arithmetic": 0}
    for line, wanted, value in remarks(text):
        for axis in range(len(next(iter(wanted.values())))):
            own, found = {key: all_[axis] for key, all_ in wanted.items()}, None
            try:
                found = asked(value, axis) if value else None
                verdict = compared(own, found) if value else "no arithmetic"
            except Error as e:
                verdict, found = "refused", e
            counts[verdict] += 1
            if args.show and verdict != "equal":
                print(f"{verdict}: axis {axis}, {line}\n    Triton {own}, quaff {found}", file=sys.stderr)
    counts = {"axes": sum(counts.values()) - counts["no arithmetic"], **counts}
    print("| " + " | ".join(counts) + " |\n|" + "---|" * len(counts))
    print("| " + " | ".join(map(str, counts.values())) + " |")
    return counts["below"] > 0


if __name__ == "__main__":
    sys.exit(main())
