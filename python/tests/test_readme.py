"""The README: its examples run, and its scripts print what it shows."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
TEXT = README.read_text()
SHOWN = dict(re.findall(r"^```console\n\$ python examples/(\w+)\.py\n(.*?)^```$", TEXT, re.M | re.S))
NEEDS = {"sympy_indices": "sympy"}


def test_examples_of_the_tour():
    blocks = re.findall(r"^```pycon\n(.*?)^```$", TEXT, re.M | re.S)
    assert len(blocks) >= 5
    names: dict = {}
    for block in blocks:
        at = TEXT[: TEXT.index(block)].count("\n")
        test = doctest.DocTestParser().get_doctest(block, names, "README", str(README), at)
        told: list = []
        failed, tried = doctest.DocTestRunner().run(test, out=told.append, clear_globs=False)
        assert tried and not failed, "".join(told)
        names = test.globs


@pytest.mark.parametrize("name", sorted(f.stem for f in (ROOT / "examples").glob("*.py")))
def test_scripts_print_what_the_page_shows(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed: the example is for it")
    told = subprocess.run([sys.executable, ROOT / "examples" / f"{name}.py"], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert told.stdout == SHOWN[name]


def test_every_script_on_the_page_is_there():
    assert set(SHOWN) == {f.stem for f in (ROOT / "examples").glob("*.py")}


def test_the_bench_runs():
    command = [sys.executable, ROOT / "benches" / "overhead.py", "--cases", "20", "--many", "50"]
    told = subprocess.run(command, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    for shown in ("objects that are held", "a flat list in and out", "text and a dict", "text written", "`simplify_many` of text"):
        assert shown in told.stdout and shown in TEXT
