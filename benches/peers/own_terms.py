#!/usr/bin/env python3
"""Compares the analyses of other systems with quaff's answers to the same random questions.

    python own_terms.py [--count N] [--seed S] [--only NAME]

If a package is not installed, its questions are skipped, and a line says so. Answers of quaff about values are checked at all points. A
`wrong` answer is a failure. `above` is a stronger answer of quaff, and `below` is a weaker answer.
"""

import argparse
import importlib
import sys

from table import Counts, generator

PEERS = ("tvm_arith", "tvm_members", "inductor_lanes", "cute_layouts")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="questions of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=PEERS)
    args = parser.parse_args()
    is_sound = True
    for name in [args.only] if args.only else PEERS:
        peer, counts = importlib.import_module(name), Counts()
        print(f"\n{peer.__doc__}\n")
        try:
            peer.compare(generator(args.seed), args.count, counts)
        except ImportError as e:
            print(f"skipped: {e}")
            continue
        print(counts.table())
        is_sound &= counts.are_sound()
    return not is_sound


if __name__ == "__main__":
    sys.exit(main())
