#!/usr/bin/env python3
"""Measures the time and memory of quaff for large and difficult inputs, for the table of docs/trust.md.

    cargo build --profile dist
    scripts/hostile.py                         # prints the table
    scripts/hostile.py --write docs/trust.md   # also replaces the table between the marks
    scripts/hostile.py --only explain          # only rows whose `command: class` matches this regular expression

Each class of inputs is made in several sizes, up to about a megabyte of text. Each size is four times the previous size. Each input is
processed by a separate process. The table has the time and the greatest memory of this process, as the system counts them. A process may
take `--memory` and `--seconds`. A process that would take more is stopped, and the table says so. The last column is the limit that ended
the search, as the answer names it.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import tempfile

MARKS = ("<!-- hostile inputs: begin -->", "<!-- hostile inputs: end -->")
SIDE = 10**6


def var(**ranges):
    return [f"{name}={range_}" for name, range_ in ranges.items()]


WIDE = f"0..{SIDE}"

# name: (size of the smallest input, largest power of 4 of it, text of the expression for a size, its variables)
EXPRESSIONS = {
    "remainders of a remainder, x%7%7...": (1000, 4, lambda n: "x" + "%7" * n, var(x=WIDE)),
    "remainders by many numbers, x%1000%999...": (100, 3, lambda n: "x" + "".join(f"%{n + 2 - i}" for i in range(n)), var(x=WIDE)),
    "quotients of a quotient, (x//2 + 1)//2...": (1000, 3, lambda n: "(" * n + "x" + "//2 + 1)" * n, var(x="..")),
    "sums of many quotients": (
        100,
        4,
        lambda n: " + ".join(f"({3 * i + 1}*x + y + {i})//({i % 97 + 3})" for i in range(n)),
        var(x=WIDE, y=WIDE),
    ),
    "differences of many remainders": (
        100,
        4,
        lambda n: " - ".join(f"({i + 1}*x + y)%({i % 97 + 3})" for i in range(n)),
        var(x=WIDE, y=WIDE),
    ),
    "chain of not": (1000, 4, lambda n: "not " * n + "x", var(x="0..1")),
    "nested not (...)": (1000, 3, lambda n: "not (" * n + "x < 5" + ")" * n, var(x=WIDE)),
    "conjunction of comparisons": (100, 4, lambda n: " and ".join(f"x + {i}*y < {5 * i + 3}" for i in range(n)), var(x=WIDE, y=WIDE)),
    "disjunction of windows": (
        100,
        4,
        lambda n: " or ".join(f"(x%{i + 2} < {i + 1} and y >= {i})" for i in range(n)),
        var(x=WIDE, y=WIDE),
    ),
    "nested selections": (
        100,
        4,
        lambda n: "".join(f"where(x < {7 * i + 3}, y//{i + 2}, " for i in range(n)) + "0" + ")" * n,
        var(x=WIDE, y=WIDE),
    ),
    "nested minima and maxima": (
        100,
        4,
        lambda n: "".join(f"{'min' if i & 1 else 'max'}(x//{i + 2}, " for i in range(n)) + "y" + ")" * n,
        var(x=WIDE, y=WIDE),
    ),
    "parentheses": (1000, 4, lambda n: "(" * n + "x%8" + ")" * n, var(x=WIDE)),
    "chain of additions": (1000, 4, lambda n: " + ".join(["x"] * n), var(x="0..9")),
    "chain of multiplications": (1000, 4, lambda n: "*".join(["x"] * n), var(x="0..9")),
    "products in a sum": (100, 4, lambda n: " + ".join(f"x{i % 50}*x{i % 49}*{i + 1}" for i in range(n)), var(**{f"x{i}": "0..9" for i in range(50)})),
    "product of sums": (100, 4, lambda n: "*".join(f"(x + {i}*y + 1)" for i in range(n)), var(x="0..1", y="0..1")),
    "Horner's scheme": (100, 4, lambda n: "(" * n + "x" + "".join(f"*y + {i})" for i in range(n)), var(x="0..1", y="0..1")),
    "linear Horner's scheme": (100, 4, lambda n: "(" * n + "x" + "".join(f"*{1 - 2 * (i & 1)} + y//{i + 2})" for i in range(n)), var(x="0..9", y=WIDE)),
    "bit operations": (100, 4, lambda n: "x" + "".join(f" {'&|^'[i % 3]} (y >> {i % 60})" for i in range(n)), var(x=WIDE, y=WIDE)),
    "many variables": (100, 3, lambda n: " + ".join(f"v{i}//8*8 + v{i}%8" for i in range(n)), lambda n: [f"v{i}=0..63" for i in range(n)]),
    "long sum divided": (100, 4, lambda n: "(" + " + ".join(f"({i + 1}*x + y)//{i % 97 + 3}" for i in range(n)) + ")//7", var(x=WIDE, y=WIDE)),
    "long sum of remainders divided": (100, 4, lambda n: "(" + " + ".join(f"({i + 1}*x + y)%{i % 97 + 3}*{i}" for i in range(n)) + ")//7%1000", var(x=WIDE, y=WIDE)),
    "long sum of minima": (100, 4, lambda n: "(" + " + ".join(f"min(x//{i + 2}, x//{i + 2} + {i % 7})" for i in range(n)) + ")//7", var(x=WIDE)),
    "long sum of selections": (100, 4, lambda n: " + ".join(f"where(x//{i + 2} < y, {i + 2}*(x//{i + 2}) + x%{i + 2}, y)" for i in range(n)), var(x=WIDE, y=WIDE)),
    "disjunction of equalities": (100, 4, lambda n: " or ".join(f"x%{i + 3} == {i}" for i in range(n)), var(x=WIDE)),
    "selections in conditions": (100, 4, lambda n: "where(" * n + "x < 5" + "".join(f", y < {i}, x//{i + 2} < y)" for i in range(n)), var(x=WIDE, y=WIDE)),
    "selection of selections": (100, 4, lambda n: " + ".join(f"where(x < {i} and y >= {i}, where(x + y < {2 * i}, (x + y)//{i + 2}, 0), x%{i + 2})" for i in range(n)), var(x=WIDE, y=WIDE)),
    "mixed radix": (100, 3, lambda n: " + ".join(f"x//{2 ** (i % 60)}%2*{3 * i + 1}" for i in range(n)), var(x="0..1152921504606846975")),
    "many quotients of one sum": (100, 4, lambda n: " + ".join(f"(x + 3*y + {i})//{i % 31 + 2}%{i % 13 + 2}" for i in range(n)), var(x=WIDE, y=WIDE)),
    "sums of quotients of sums": (100, 3, lambda n: "(" * n + "x" + "".join(f" + y//{i + 2})//3" for i in range(n)), var(x=WIDE, y=WIDE)),
}


# commands that read one expression of a class, each with its words (without the ranges of variables)
ONE = {
    "simplify": (["simplify", "-", "--json"], EXPRESSIONS),
    "simplify --trace": (["simplify", "-", "--json", "--trace"], ["sums of many quotients", "sums of quotients of sums"]),
    "access": (["access", "-", "--json", "--gate", "x < 1000"], ["sums of many quotients", "conjunction of comparisons"]),
    "egraph": (["egraph", "-"], ["sums of many quotients", "sums of quotients of sums"]),
    "explain": (
        ["explain", "-", "--json"],
        [
            "remainders of a remainder, x%7%7...",
            "sums of many quotients",
            "chain of not",
            "conjunction of comparisons",
            "nested selections",
            "product of sums",
        ],
    ),
}

# commands that read two expressions: an expression of a class, and the same expression plus 1
TWO = {
    "verify": [
        "remainders of a remainder, x%7%7...",
        "sums of many quotients",
        "chain of not",
        "conjunction of comparisons",
        "nested selections",
        "product of sums",
    ]
}


def many_declared(n):
    """A line of `batch` that declares n variables. The end of each range is another variable."""
    ranges = {f"v{i}": [1, f"v{i + 1}"] for i in range(n)}
    ranges[f"v{n}"] = [1, 64]
    return json.dumps({"id": 1, "expr": " + ".join(f"v{i}%v{i + 1}" for i in range(n)), "vars": ranges}) + "\n"


def equations(n):
    """A file of `dims` with n equations."""
    lines = ", ".join(f'"a{i} = c{i} * b{i}"' for i in range(n))
    sizes = "".join(f"b{i} = 2\nc{i} = 4\n" for i in range(n))
    return f"equations = [{lines}]\n[sizes]\n{sizes}[set]\na0 = \"t\"\n[values]\nt = {{ range = \"0..7\" }}\n[[want]]\nget = [\"b0\"]\n"


# name, words, least size, largest power of 4, and a function for the text of standard input
OTHER = [
    ("ranges that refer to one another", ["batch", "-"], 100, 4, many_declared),
    ("equations between dimensions", ["dims", "-", "--json"], 100, 3, equations),
]


def inputs():
    """Yields each class with each of its commands: the name, the command, the sizes, and a function from a size to the words and the
    standard input."""
    for command, (words, classes) in ONE.items():
        for name in classes:
            least, powers, make, variables = EXPRESSIONS[name]
            yield name, command, least, powers, lambda n, m=make, v=variables, w=words: (w + flags(v, n), m(n))
    for command, classes in TWO.items():
        for name in classes:
            least, powers, make, variables = EXPRESSIONS[name]
            words = [command, "-", "--json"]
            yield name, command, least, powers, lambda n, m=make, v=variables, w=words: both(w, m(n), flags(v, n))
    for name, words, least, powers, make in OTHER:
        yield name, words[0], least, powers, lambda n, m=make, w=words: (w, m(n))


def flags(variables, n):
    if callable(variables):
        variables = variables(n)
    return [word for v in variables for word in ("--var", v)]


def both(words, text, ranges):
    # an argument may have at most 128 KiB, so larger texts are compared with a short text
    second = f"({text}) + 1" if len(text) < 100_000 else "x"
    return [words[0], "-", second, *words[2:], *ranges], text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quaff", default="target/dist/quaff", help="the program to run")
    parser.add_argument("--write", metavar="FILE", help="put the table between the marks in FILE")
    parser.add_argument("--only", default="", help="only rows whose `command: class` this expression finds")
    parser.add_argument("--all", action="store_true", help="print all sizes of a class, not the two largest")
    parser.add_argument("--most", type=int, default=1_100_000, help="bytes of text of the largest inputs")
    parser.add_argument("--memory", type=int, default=4000, help="MB that a process may take")
    parser.add_argument("--seconds", type=int, default=60, help="processor seconds that a process may take")
    args = parser.parse_args()
    table = ["| input | command | bytes | s | MB | ended by |", "|---|---|---|---|---|---|"]
    print("\n".join(table), flush=True)
    for name, command, least, powers, make in inputs():
        if not re.search(args.only, f"{command}: {name}"):
            continue
        rows = []
        for n in (least * 4**k for k in range(powers + 1)):
            words, text = make(n)
            if len(text) > args.most:
                break
            seconds, memory, ended, stopped = run(args, words, text)
            rows.append(f"| {name} | `{command}` | {len(text):,} | {seconds:.2f} | {memory} | {ended} |")
            if stopped:
                break
        rows = rows if args.all else rows[-2:]
        print("\n".join(rows), flush=True)
        table += rows
    if args.write:
        write(args.write, "\n".join(table))


def run(args, words, text):
    """The processor seconds, the megabytes, the limit that ended the search, and whether the process was stopped."""

    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (args.memory << 20, args.memory << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (args.seconds, args.seconds + 1))

    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(text.encode())
        given.seek(0)
        process = subprocess.Popen([args.quaff, *words], stdin=given, stdout=out, stderr=err, preexec_fn=limits)
        _, status, usage = os.wait4(process.pid, 0)
        out.seek(0)
        err.seek(0)
        answer, failure = out.read().decode(), err.read().decode()
    code = os.waitstatus_to_exitcode(status)
    seconds, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10
    if code < 0:
        return seconds, memory, f"**stopped** (signal {-code})", True
    return seconds, memory, ended_by(code, answer, failure), False


def ended_by(code, answer, failure):
    try:
        read = json.loads(answer)
    except ValueError:
        read = {}
    for key in ("stop", "limit", "why", "verdict"):
        if isinstance(read.get(key), str):
            return read[key]
    if isinstance(read.get("check"), dict):
        return read["check"].get("why") or read["check"].get("verdict", "")
    if code != 0:
        return f"exit code {code}: " + " ".join(failure.split())[:60]
    return "-"


def write(path, table):
    with open(path) as file:
        before, rest = file.read().split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    with open(path, "w") as file:
        file.write(f"{before}{MARKS[0]}\n{table}\n{MARKS[1]}{after}")


if __name__ == "__main__":
    main()
