#!/usr/bin/env python3
"""tinygrad's own tests with quaff in its compiler and without: the same have to pass.

    git clone https://github.com/tinygrad/tinygrad FOLDER && git -C FOLDER checkout a9069c177a
    venv/bin/python python/benches/tinygrad_tests.py FOLDER [FILE...] [-k WORDS] [--seconds N] [--keep OUTCOMES]

The tests are those of a checkout, the tinygrad that they test is the installed one. `DEV` is the device, `CPU` unless it is set;
`FORWARD_ONLY=1` is tinygrad's own switch for tests of the forward pass alone. No test begins after the time limit: one that was not
reached with and without quaff is counted as such, and not compared. With `--keep`, outcomes stay in a folder and the next run takes the
tests that are left, so that a long file is run in pieces.
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
# beyond the time limit, for the test that is under way: tinygrad ends one after 300 seconds
GRACE = 330


def outcomes(folder, file, hook, kept, args):
    """What became of the tests of `file`, their number, and how many kernels quaff was asked for and changed."""
    out = pathlib.Path(kept, f"{file.relative_to(folder).with_suffix('').as_posix().replace('/', '.')}.{'quaff' if hook else 'own'}.jsonl")
    out.touch()
    path = os.pathsep.join([*os.environ.get("PYTHONPATH", "").split(os.pathsep), str(folder), str(HERE)])
    env = {
        "DEV": "CPU",
        **os.environ,
        "QUAFF_OUTCOMES": str(out),
        "QUAFF_HOOK": str(int(hook)),
        "QUAFF_SECONDS": str(args.seconds),
        "PYTHONPATH": path.lstrip(os.pathsep),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tinygrad_outcomes", str(file)]
    command += ["-k", args.k] if args.k else []
    try:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=args.seconds + GRACE)
        # 0 and 1 are runs to the end, 2 is one that the time limit ended, 5 is one without tests
        if done.returncode not in (0, 1, 5) and not (done.returncode == 2 and "the time is over" in done.stdout):
            sys.exit(f"{file}: pytest ended with {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    except subprocess.TimeoutExpired:
        pass
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    # a test with parts has a line for each, and failed where one did
    found = {line["test"]: line["outcome"] for line in sorted(lines, key=lambda line: line["outcome"] == "failed")}
    number = int(out.with_name(out.name + ".count").read_text())
    return found, number, [sum(line.get(count, 0) for line in lines) for count in ("kernels", "changed")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="a checkout of tinygrad")
    parser.add_argument("files", nargs="*", default=FILES, help="names of files of tests")
    parser.add_argument("-k", help="only tests with these words, as pytest takes them")
    parser.add_argument("--seconds", type=float, default=3600, help="time for a file, each way")
    parser.add_argument("--keep", type=pathlib.Path, metavar="OUTCOMES", help="a folder for outcomes, to go on from")
    args = parser.parse_args()
    folder = args.folder.resolve()
    files = [sorted((folder / "test").rglob(name)) or sys.exit(f"{folder / 'test'} has no {name}") for name in args.files]
    print("| tests | passed | with quaff | skipped | failed both ways | not reached by both | kernels | changed |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        kept = args.keep.resolve() if args.keep else pathlib.Path(scratch)
        kept.mkdir(parents=True, exist_ok=True)
        same = [compared(folder, file, kept, args) for found in files for file in found]
    sys.exit(not all(same))


def compared(folder, file, kept, args):
    """Prints the row of `file`; whether all tests that were reached came out the same."""
    without, number, _ = outcomes(folder, file, False, kept, args)
    with_quaff, _, counts = outcomes(folder, file, True, kept, args)
    both = without.keys() & with_quaff.keys()
    passed = [sum(run[t] == "passed" for t in both) for run in (without, with_quaff)]
    skipped = sum(without[t] == with_quaff[t] == "skipped" for t in both)
    failed = sum(without[t] == with_quaff[t] == "failed" for t in both)
    cells = [file.relative_to(folder / "test"), *passed, skipped, failed, number - len(both), *counts]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    differs = sorted(t for t in both if without[t] != with_quaff[t])
    for test in differs:
        print(f"differs: {test}: {without[test]}, with quaff {with_quaff[test]}", flush=True)
    return not differs


if __name__ == "__main__":
    main()
