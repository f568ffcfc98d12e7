#!/usr/bin/env python3
"""Time and memory that quaff takes for large and unpleasant inputs, as the table of docs/trust.md.

    cargo build --release
    scripts/hostile.py                         # print the table
    scripts/hostile.py --write docs/trust.md   # and put it in place of the one between the marks
    scripts/hostile.py --only explain          # only what has this word in its class or command

Each class of inputs is made in several sizes, each four times the one before, up to about a megabyte of text. Every input
is answered by a process of its own, whose time and greatest memory are those that the system counts. A process may take
`--memory` and `--seconds`; one that would take more is stopped, which the table then says. The last column is the limit
that ended the search, as the answer names it.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

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


def simplify(text, variables):
    return ["simplify", "-", "--json", *flags(variables)], text


def flags(variables):
    return [word for v in variables for word in ("--var", v)]


def explain(text, variables):
    return ["explain", "-", "--json", *flags(variables)], text


def with_file(command, text):
    return command, text


COMMANDS = {"simplify": simplify}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quaff", default="target/release/quaff", help="the program to run")
    parser.add_argument("--write", metavar="FILE", help="put the table between the marks in FILE")
    parser.add_argument("--only", default="", help="only rows with this in their class or command")
    parser.add_argument("--most", type=int, default=1_100_000, help="bytes of text of the largest inputs")
    parser.add_argument("--memory", type=int, default=4000, help="MB that a process may take")
    parser.add_argument("--seconds", type=int, default=60, help="processor seconds that a process may take")
    args = parser.parse_args()
    for name, (least, powers, make, variables) in EXPRESSIONS.items():
        if args.only not in name: continue
        for k in range(powers + 1):
            n = least * 4**k
            text = make(n)
            if len(text) > args.most: break
            vs = variables(n) if callable(variables) else variables
            command, stdin = simplify(text, vs)
            r = run(args, command, stdin)
            print(f"{name:45} {n:8} {len(text):9}", *r, flush=True)
            if r[0].startswith(">"): break


def run(args, command, stdin):
    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (args.memory << 20, args.memory << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (args.seconds, args.seconds + 1))
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode()); given.seek(0)
        p = subprocess.Popen([args.quaff, *command], stdin=given, stdout=out, stderr=err, preexec_fn=limits)
        _, status, usage = os.wait4(p.pid, 0)
        out.seek(0); err.seek(0)
        code = os.waitstatus_to_exitcode(status)
        out, err = out.read(), err.read()
    seconds = usage.ru_utime + usage.ru_stime
    stop = ""
    if code == 0:
        try: 
            answer = json.loads(out); stop = answer["stop"] + f" cost {answer['input_cost']} -> {answer['cost']} rounds {answer['rounds']} nodes {answer['nodes']} len {len(answer['expr'])}"
        except ValueError: stop = out[:100]
    else: stop = f"code {code} " + err[:300].decode(errors="replace").replace("\n", " ")
    return (("> " if code < 0 else "") + f"{seconds:.2f}s", f"{usage.ru_maxrss // 1024}MB", stop)


if __name__ == "__main__":
    main()
