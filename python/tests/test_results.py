"""`quaff.results`: the records of reports, CSV, Parquet and figures. Also the example notebook, and CITATION.cff."""

import csv
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from quaff import results

ROOT = Path(__file__).resolve().parents[2]
needs_pyarrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed: Parquet is not tested")
needs_matplotlib = pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed: figures are not tested")


def row(variant, corpus, cost, **more):
    figures = {"rules": 80, "cases": 10, "divisions": 3, "nodes": 40, "work": 700, "changed": 0, "cheaper": 0, "costlier": 0}
    return {"variant": variant, "corpus": corpus, "cost": cost, **figures, **more}


ABLATION = {
    "base": row("base", "all", 30.0),
    "rows": [row("without a", "all", 30.1, changed=1, costlier=1), row("without b", "all", 30.0), row("without c", "all", 29.5)],
    "by_corpus": [
        *(row("base", corpus, cost) for corpus, cost in (("x", 10.0), ("y", 20.0))),
        *(row("without a", corpus, cost) for corpus, cost in (("x", 10.1), ("y", 20.0))),
    ],
    "changed": [],
    "bad": [],
    "refused": [],
}


def extractor(name, cost):
    figures = {"least": 5, "optimal": 4, "without_selection": 0, "ms": 0.25}
    return {"extractor": name, "cost": cost, "percent_above_bound": cost - 100, "percent_above_optimum_where_proved": 0.5, **figures}


EXTRACTION = {
    "tables": [
        {"what": what, "egraphs": 9, "proved": 8, "bound": 100.0, "rows": [extractor("trees", 110.0), extractor("engine", 101.0)], "by_size": []}
        for what in ("instructions, effort 1", "instructions, effort 2")
    ],
    "bad": [],
    "refused": [],
}
ENGINE = {"saturated": 3, "median_nodes": 50, "p99_nodes": 90}
BASELINE = {
    "cases": 4,
    "input": 44.0,
    "rows": [{"engine": "plain egg", "cost": 40.0, "ms": 90.0, **ENGINE}, {"engine": "quaff", "cost": 30.0, "ms": 0.5, **ENGINE}],
    "bad": [],
    "refused": [],
}


@pytest.fixture
def paths(tmp_path):
    folder = tmp_path / "ablation"
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps(ABLATION))
    for name, report in (("extraction", EXTRACTION), ("kernels", BASELINE)):
        (tmp_path / f"{name}.json").write_text(json.dumps(report))
    return [folder, tmp_path / "extraction.json", tmp_path / "kernels.json"]


def test_records_have_the_figures_of_the_reports(paths):
    records = results.read(*paths)
    assert [r["experiment"] for r in records] == ["rules"] * 8 + ["extraction"] * 4 + ["baseline"] * 3
    effects = {(r["system"], r["corpus"]): r["effect"] for r in records if r["experiment"] == "rules"}
    assert effects["without a", "all"] == effects["without a", "x"] == 0.1
    assert effects["without c", "all"] == -0.5 and effects["without a", "y"] == effects["base", "all"] == 0
    extracted = [(r["corpus"], r["table"], r["system"], r["cases"], r["cost"]) for r in records if r["experiment"] == "extraction"]
    assert extracted[0] == ("extraction", "instructions, effort 1", "trees", 9, 110.0)
    assert [(r["system"], r["corpus"], r["cost"]) for r in records[-3:]] == [
        ("as written", "kernels", 44.0),
        ("plain egg", "kernels", 40.0),
        ("quaff", "kernels", 30.0),
    ]
    assert all(list(r) and set(r) <= set(results.COLUMNS) for r in records)


def test_times_of_rules_have_quartiles_and_an_interval():
    times = {"first": 1.0, "median": 1.5, "third": 2.0, "base": 1.4, "more": 0.1, "low": -0.1, "high": 0.3, "noise": True}
    report = {**ABLATION, "rows": [row("without a, b", "all", 30.0, times=times, interaction=-0.5)]}
    [_, pair, *_] = results.records_of(report, "x")
    assert {c: v for c, v in pair.items() if c.startswith("ms")} == {
        "ms": 1.5, "ms_first": 1.0, "ms_third": 2.0, "ms_more": 0.1, "ms_low": -0.1, "ms_high": 0.3
    }  # fmt: skip
    assert (pair["work"], pair["interaction"]) == (700, -0.5)


def test_csv_has_all_records(paths, tmp_path):
    records = results.read(*paths)
    out = tmp_path / "results.csv"
    assert results.main([*map(str, paths), "--csv", str(out)]) == 0
    with open(out, newline="") as file:
        read = list(csv.DictReader(file))
    assert list(read[0]) == results.columns_of(records)
    assert read == [{c: str(r.get(c, "")) for c in results.columns_of(records)} for r in records]


@needs_pyarrow
def test_parquet_has_all_records_with_their_types(paths, tmp_path):
    import pyarrow.parquet as parquet

    records = results.read(*paths)
    results.to_parquet(records, tmp_path / "results.parquet")
    table = parquet.read_table(tmp_path / "results.parquet")
    assert table.to_pylist() == [{c: r.get(c) for c in results.columns_of(records)} for r in records]
    assert [str(table.schema.field(c).type) for c in ("system", "cases", "cost")] == ["string", "int64", "double"]
    assert not list(tmp_path.glob("*.part"))


@needs_matplotlib
def test_figures_are_drawn_from_the_records(paths, tmp_path):
    records = results.read(*paths)
    drawn = results.figures(records)
    assert list(drawn) == ["rules-effect", "extraction-gaps", "extraction-cost", "baseline-cost"]

    def bars(name, panel=0):
        axes = drawn[name].axes[panel]
        names = [label.get_text() for label in drawn[name].axes[0].get_yticklabels()]
        return sorted((names[round(b.get_y() + b.get_height() / 2)], round(b.get_width(), 6)) for b in axes.patches)

    # the bars are sorted by effect, and a rule without an effect has no bar
    assert bars("rules-effect") == [("without a", 0.1), ("without c", -0.5)]
    assert bars("extraction-gaps") == [("engine", 1.0)] * 2 + [("trees", 10.0)] * 2
    assert bars("baseline-cost") == [("as written", 44.0), ("plain egg", 40.0), ("quaff", 30.0)]
    assert bars("baseline-cost", 1) == [("plain egg", 90.0), ("quaff", 0.5)]

    # only one experiment is drawn, because a figure takes a second
    rules = [r for r in records if r["experiment"] == "rules"]
    written = results.draw(rules, tmp_path / "figures")
    assert [p.name for p in written] == ["rules-effect.svg", "rules-effect.pdf"]
    assert written[0].read_bytes().startswith(b"<?xml") and b"without c" in written[0].read_bytes()
    assert written[1].read_bytes().startswith(b"%PDF")
    # equal records give files with equal bytes
    (again,) = results.draw(rules, tmp_path / "again", ["svg"])
    assert again.read_bytes() == written[0].read_bytes()


def test_what_is_no_result_is_refused(tmp_path, capsys):
    def says(*arguments):
        assert results.main([str(a) for a in arguments]) == 2
        return capsys.readouterr().err

    assert "has no results: there is no report.json" in says(tmp_path)
    assert "No such file" in says(tmp_path / "absent.json")
    file = tmp_path / "file.json"
    wrong = {
        "{": "is no JSON",
        "[" * 100_000: "is no JSON",
        "[1]": "it is no report of",
        "{}": "it is no report of",
        json.dumps({**BASELINE, "rows": [{"engine": "quaff"}]}): "KeyError: 'cost'",
        json.dumps({**BASELINE, "rows": 3}): "it is no whole report",
        json.dumps({**BASELINE, "input": "much"}): "`cost` of `as written` is 'much', and no double",
        json.dumps({**ABLATION, "base": None}): "it is no whole report",
    }
    for text, message in wrong.items():
        file.write_text(text)
        assert message in says(file)
    file.write_text(json.dumps(BASELINE))
    assert "is read: give another file" in says(file, "--csv", file)
    assert json.loads(file.read_text()) == BASELINE


@needs_matplotlib
def test_nothing_to_draw_is_said(tmp_path):
    same = {**ABLATION, "rows": [row("without b", "all", 30.0)]}
    with pytest.raises(results.ResultsError, match="nothing to draw"):
        results.draw(results.records_of(same, "x"), tmp_path)
    with pytest.raises(results.ResultsError, match="svg or pdf, and not as 'gif'"):
        results.draw(results.records_of(BASELINE, "x"), tmp_path, ["gif"])


@pytest.mark.parametrize("option, module", [("--parquet", "pyarrow"), ("--figures", "matplotlib")])
def test_a_missing_extra_is_named(paths, tmp_path, option, module):
    # this simulates a package that is not installed
    program = f"import sys; sys.modules['{module}'] = None; from quaff import results; sys.exit(results.main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", program, *paths, option, tmp_path / "out"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"quaff.results: this needs {module}, which is not installed: pip install 'quaff[results]'\n"


@needs_pyarrow
@needs_matplotlib
def test_the_notebook_goes_from_a_corpus_to_a_figure(tmp_path, monkeypatch, capsys):
    notebook = json.loads((ROOT / "python" / "examples" / "corpus_to_figure.ipynb").read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells), "the notebook is stored without outputs"
    monkeypatch.setenv("QUAFF_ROOT", str(ROOT))
    monkeypatch.setenv("QUAFF_OUT", str(tmp_path))
    names = {}
    for cell in cells:
        exec(compile("".join(cell["source"]), "corpus_to_figure.ipynb", "exec"), names)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.json", "results.csv", "results.parquet", "rules-effect.pdf", "rules-effect.svg"]
    assert names["base"]["cost"] > 0 and any(one["cost"] > names["base"]["cost"] for one in names["rows"])
    assert "cases cost more" in capsys.readouterr().out


def test_the_citation_has_what_its_format_asks_for():
    lines = (ROOT / "CITATION.cff").read_text().splitlines()
    keys = [line.split(":")[0] for line in lines if line[:1].isalpha()]
    assert len(keys) == len(set(keys)) and {"cff-version", "message", "title", "authors", "version", "license"} <= set(keys)
    assert lines[0] == "cff-version: 1.2.0"
    manifest = (ROOT / "Cargo.toml").read_text()
    version = next(line.split(": ")[1] for line in lines if line.startswith("version: "))
    assert f'version = "{version}"' in manifest
    assert "  - name: The quaff developers" in lines
    licences = [line.removeprefix("  - ") for line in lines[lines.index("license:") + 1 :] if line.startswith("  - ")][:2]
    assert f'license = "{" OR ".join(licences)}"' in manifest
