#!/usr/bin/env python3
"""tinygrad's own tests with quaff in its compiler and without: the same have to pass.

    git clone https://github.com/tinygrad/tinygrad FOLDER && git -C FOLDER checkout a9069c177a
    venv/bin/python python/benches/tinygrad_tests.py FOLDER [FILE...] [-k WORDS] [--seconds N]

The tests are those of a checkout, the tinygrad that they test is the installed one. `DEV` is the device, `CPU` unless it is set.
A test that one of the two runs did not reach within the time limit is counted as such, and not compared.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FILES = ["test_ops.py", "test_symbolic_ops.py", "test_indexing.py", "test_conv.py", "test_rangeify.py", "test_arange.py"]
HERE = pathlib.Path(__file__).resolve().parent


def outcomes(folder, file, hook, args):
    """What became of each test of `file`, and the counts of quaff."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "outcomes")
        out.touch()
        path = os.pathsep.join([*os.environ.get("PYTHONPATH", "").split(os.pathsep), str(folder), str(HERE)])
        env = {"DEV": "CPU", **os.environ, "QUAFF_OUTCOMES": str(out), "QUAFF_HOOK": str(int(hook)), "PYTHONPATH": path.lstrip(os.pathsep)}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tinygrad_outcomes", str(file)]
        command += ["-k", args.k] if args.k else []
        try:
            done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=args.seconds)
            # 0 and 1 are runs to the end, 5 is one without tests
            if done.returncode not in (0, 1, 5):
                sys.exit(f"{file}: pytest ended with {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        except subprocess.TimeoutExpired:
            pass
        lines = [json.loads(line) for line in out.read_text().splitlines()]
    # a test that fails and then fails to clean up has two lines, of which the first says more
    found = {line["test"]: line["outcome"] for line in reversed(lines) if "test" in line}
    return found, next((line["stats"] for line in lines if "stats" in line), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="a checkout of tinygrad")
    parser.add_argument("files", nargs="*", default=FILES, help="names of files of tests")
    parser.add_argument("-k", help="only tests with these words, as pytest takes them")
    parser.add_argument("--seconds", type=float, default=3600, help="time for a file, each way")
    args = parser.parse_args()
    differs = False
    print("| tests | passed | with quaff | skipped | failed both ways | not reached by both | kernels | changed |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    for name in args.files:
        found = sorted((args.folder / "test").rglob(name))
        if not found:
            sys.exit(f"{args.folder / 'test'} has no {name}")
        for file in found:
            without, _ = outcomes(args.folder.resolve(), file.resolve(), False, args)
            with_quaff, stats = outcomes(args.folder.resolve(), file.resolve(), True, args)
            both = without.keys() & with_quaff.keys()
            counts = [sum(run[t] == "passed" for t in both) for run in (without, with_quaff)]
            skipped = sum(without[t] == with_quaff[t] == "skipped" for t in both)
            failed = sum(without[t] == with_quaff[t] == "failed" for t in both)
            missed = len(without.keys() ^ with_quaff.keys())
            kernels = (stats["kernels"], stats["changed"]) if stats else ("", "")
            cells = [file.relative_to(args.folder / "test"), *counts, skipped, failed, missed, *kernels]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
            for test in sorted(both):
                if without[test] != with_quaff[test]:
                    differs = True
                    print(f"differs: {test}: {without[test]}, with quaff {with_quaff[test]}", flush=True)
    sys.exit(differs)


if __name__ == "__main__":
    main()
