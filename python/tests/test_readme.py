"""The examples of the pages run, and the scripts of the README print the output that the page shows."""

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


@pytest.mark.parametrize("page", ["README.md", "../README.md", "../docs/cookbook.md"])
def test_examples_of_the_pages(page):
    path = (ROOT / page).resolve()
    text = path.read_text()
    blocks = list(re.finditer(r"^```pycon\n(.*?)^```$", text, re.M | re.S))
    assert blocks
    names: dict = {}
    for block in blocks:
        at = text[: block.start()].count("\n")
        test = doctest.DocTestParser().get_doctest(block[1], names, path.name, str(path), at)
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


def rows_of_the_analyzer():
    section = TEXT.partition("\n## The analyzer\n")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in re.findall(r"^\|.*\|$", section, re.M)[2:]]


def test_the_table_of_the_analyzer_has_all_members():
    import quaff

    listed = {name for row in rows_of_the_analyzer() for name in re.findall(r"`(\w+)`", row[0])}
    assert listed == {n for n in dir(quaff.Analyzer) if not n.startswith("_")} - {"domain", "simplify_all", "counts"}
    try:
        from tvm import sym
        from tvm_ffi import Object
    except ImportError:
        return
    members = set(dir(sym.Analyzer)) - set(dir(Object))
    assert {n for n in members if not n.startswith("_")} <= listed


@pytest.mark.parametrize("row", [row for row in rows_of_the_analyzer() if row[2]], ids=lambda row: row[0].strip("`"))
def test_the_table_of_the_analyzer_shows_values(row):
    import quaff

    analyzer = quaff.Analyzer()
    analyzer.bind("i", (0, 15))
    analyzer.bind("j", range(4))
    analyzer.bind("y", "4*i + 1")
    assert repr(eval(row[2].strip("`"), {"a": analyzer, "quaff": quaff})) == row[3].strip("`")


def test_the_bench_runs():
    command = [sys.executable, ROOT / "benches" / "overhead.py", "--cases", "20", "--many", "50"]
    told = subprocess.run(command, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    for shown in ("objects that are held", "a flat list in and out", "text and a dict", "text written", "`simplify_many` of text"):
        assert shown in told.stdout and shown in TEXT
