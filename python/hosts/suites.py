#!/usr/bin/env python3
"""Runs a host's own tests with and without quaff in its compiler. The same tests must pass.

    python python/hosts/suites.py tinygrad CHECKOUT [FILE...]
    python python/hosts/suites.py torch CHECKOUT

The tests come from a checkout, and test the installed host. For tinygrad, files are names below `test`. `DEV` is the device, by default
`CPU`. `FORWARD_ONLY=1` is tinygrad's own switch that tests only the forward pass. For PyTorch, the tests are Inductor's `CommonTemplate` on
the CPU, with sizes that are numbers and with sizes that are known only at run time.

No test begins after the time limit. If a test did not run in both ways, it is counted as not reached, and is not compared. With `--keep`,
outcomes stay in a folder. The next run takes the remaining tests, so a long file can be run in pieces.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
TINYGRAD = ["test_ops.py", "test_symbolic_ops.py", "test_indexing.py", "test_conv.py", "test_rangeify.py", "test_arange.py"]
# words that select the tests of PyTorch with many indices
TORCH = "view cat pad pool conv upsample gather scatter roll unfold embedding slice as_strided permute repeat flip expand"
# the seconds that a running test gets after the time limit. tinygrad ends a test after 300 seconds
GRACE = 330


@dataclass(frozen=True)
class Suite:
    """The tests of one run of pytest.

    Attributes:
        name: its row in the table.
        hook: the drop-in, a module of quaff.
        tests: what pytest collects.
        folder: where pytest runs.
        path: a folder of modules that the tests import.
        words: an expression of pytest's `-k`.
    """

    name: str
    hook: str
    tests: str
    folder: pathlib.Path
    path: pathlib.Path
    words: str | None


def suites(args):
    """The suites of a host."""
    folder = args.folder.resolve()
    if args.host == "torch":
        if not (folder / "test" / "inductor").is_dir():
            sys.exit(f"{folder} is no checkout of PyTorch: it has no folder test/inductor")
        words = args.k or " or ".join(TORCH.split())
        for kind in ("CpuTests", "DynamicShapesCpuTests"):
            yield Suite(kind, "inductor", f"{HERE / 'torch_suite.py'}::{kind}", HERE, folder / "test", words)
        return
    for name in args.files or TINYGRAD:
        files = sorted((folder / "test").rglob(name)) or sys.exit(f"{folder / 'test'} has no {name}")
        for file in files:
            yield Suite(str(file.relative_to(folder / "test")), "tinygrad", str(file), folder, folder, args.k)


def outcomes(suite, hook, kept, seconds):
    """The outcomes of the tests of `suite`, the number of tests, the number of questions to quaff, and the number of answers that changed
    something."""
    out = pathlib.Path(kept, f"{suite.name.replace('/', '.')}.{hook or 'own'}.jsonl")
    out.touch()
    env = {
        "DEV": "CPU",
        # PyTorch's tests write compiled code into this folder, which no other process shares
        "TORCHINDUCTOR_CACHE_DIR": str(kept / "inductor"),
        **os.environ,
        "QUAFF_OUTCOMES": str(out),
        "QUAFF_HOOK": hook,
        "QUAFF_SECONDS": str(seconds),
        "PYTHONPATH": os.pathsep.join(filter(None, [*os.environ.get("PYTHONPATH", "").split(os.pathsep), str(suite.path), str(HERE)])),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "outcomes", suite.tests]
    command += ["-k", suite.words] if suite.words else []
    try:
        done = subprocess.run(command, cwd=suite.folder, env=env, capture_output=True, text=True, timeout=seconds + GRACE)
        # exit codes: 0 and 1 if the run finished, 2 if the time limit ended it, 5 if there are no tests
        if done.returncode not in (0, 1, 5) and not (done.returncode == 2 and "the time is over" in done.stdout):
            sys.exit(f"{suite.name}: pytest ended with {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    except subprocess.TimeoutExpired:
        pass
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    # a test with several parts has a line for each part. It has failed if one part has failed
    found = {line["test"]: line["outcome"] for line in sorted(lines, key=lambda line: line["outcome"] == "failed")}
    number = int(out.with_name(out.name + ".count").read_text())
    return found, number, [sum(line.get(count, 0) for line in lines) for count in ("asked", "changed")]


def compared(suite, kept, seconds):
    """Prints the row of `suite`. Returns whether all tests that were run have equal outcomes with and without quaff."""
    without, number, _ = outcomes(suite, "", kept, seconds)
    with_quaff, _, counts = outcomes(suite, suite.hook, kept, seconds)
    both = without.keys() & with_quaff.keys()
    passed = [sum(run[t] == "passed" for t in both) for run in (without, with_quaff)]
    skipped = sum(without[t] == with_quaff[t] == "skipped" for t in both)
    failed = sum(without[t] == with_quaff[t] == "failed" for t in both)
    cells = [suite.name, *passed, skipped, failed, number - len(both), *counts]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    differs = sorted(t for t in both if without[t] != with_quaff[t])
    for test in differs:
        print(f"differs: {test}: {without[test]}, with quaff {with_quaff[test]}", flush=True)
    return not differs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", choices=["tinygrad", "torch"])
    parser.add_argument("folder", type=pathlib.Path, help="a checkout of the host")
    parser.add_argument("files", nargs="*", help=f"names of files of tests of tinygrad: {' '.join(TINYGRAD)}")
    parser.add_argument("-k", help=f"only tests with these words, as pytest takes them; for PyTorch, one of {TORCH}")
    parser.add_argument("--seconds", type=float, default=3600, help="time for a suite, each way")
    parser.add_argument("--keep", type=pathlib.Path, metavar="OUTCOMES", help="a folder for outcomes, to go on from")
    args = parser.parse_args()
    if args.host == "torch" and args.files:
        parser.error("files are those of tinygrad")
    print("| tests | passed | with quaff | skipped | failed both ways | not reached by both | asked | changed |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        kept = args.keep.resolve() if args.keep else pathlib.Path(scratch)
        kept.mkdir(parents=True, exist_ok=True)
        same = [compared(suite, kept, args.seconds) for suite in suites(args)]
    sys.exit(not all(same))


if __name__ == "__main__":
    main()
