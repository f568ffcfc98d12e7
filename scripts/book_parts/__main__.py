"""Writes the book into a folder. It runs in the environment of `scripts/book`, which explains the arguments."""

import argparse
import pathlib
import shutil
import subprocess
import sys

import commands
import pages
import python_api
import rules
import written
from shared import ROOT, Wrong

# the folder with the pages that Sphinx reads, and the folder for Sphinx's own files
SOURCE, KEPT = ROOT / "target/book/source", ROOT / "target/book/doctrees"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--python")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    shutil.rmtree(SOURCE, ignore_errors=True)
    pages.write(SOURCE)
    commands.write(SOURCE / "reference", args.program)
    rules.write(SOURCE / "reference", args.program)
    python_api.write(SOURCE / "reference", args.python)
    # warnings are errors, for example a link to a page or heading that does not exist
    here = pathlib.Path(__file__).parent
    words = ["-b", "html", "-c", here, "-d", KEPT, "-j", "auto", "-q", "-W", "--keep-going", SOURCE, args.folder.resolve()]
    if subprocess.run([sys.executable, "-m", "sphinx", *words], cwd=here).returncode:
        sys.exit(1)
    if args.check:
        written.check(args.folder.resolve())


if __name__ == "__main__":
    try:
        main()
    except Wrong as faults:
        sys.exit(str(faults))
