"""Results of experiments as records, CSV, Parquet and figures.

    from quaff import results

    records = results.read("ablation/", "extraction.json")
    results.to_csv(records, "results.csv")
    results.draw(records, "figures/")

The module reads folders that ``quaff rules ablate -o DIR`` and ``python -m quaff.sweep -o DIR`` write. It also reads
files with the output of ``quaff rules ablate --json``, ``quaff bench extract --json`` and ``quaff bench egg --json``. A
record is a dict. Its keys are some of the columns in ``COLUMNS``, depending on the experiment.

``python -m quaff.results --help`` describes the command line program. Parquet and figures need
``pip install 'quaff[results]'``.

>>> report = {"cases": 2, "input": 9.0, "rows": [{"engine": "quaff", "cost": 4.0, "saturated": 2, "median_nodes": 5, "p99_nodes": 7, "ms": 0.1}]}
>>> for record in records_of(report, "small"):
...     print(record["system"], record["cost"], record.get("ms"))
as written 9.0 None
quaff 4.0 0.1
"""

from __future__ import annotations

import argparse
import csv
import importlib
import io
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

__all__ = [
    "COLUMNS",
    "FORMATS",
    "ResultsError",
    "columns_of",
    "draw",
    "figures",
    "frame",
    "read",
    "records_of",
    "to_csv",
    "to_parquet",
]

Record = dict[str, Any]

REPORT = "report.json"
FORMATS = ("svg", "pdf")
# the type of each column
_TEXT, _INTEGER, _NUMBER = "string", "int64", "double"
COLUMNS = {
    "experiment": _TEXT,  # the kind of the experiment: rules, extraction or baseline
    "corpus": _TEXT,  # the name of the corpus, or "all" for all corpora of a run together
    "table": _TEXT,  # the cost model and the effort under which an extractor ran
    "system": _TEXT,  # the name of a set of rules, of an extractor or of an engine
    "cases": _INTEGER,
    "cost": _NUMBER,  # the cost of all answers together, in instructions
    "effect": _NUMBER,  # the cost minus the cost of the base
    "ms": _NUMBER,  # the time of all calls in milliseconds. For sets of rules, it is the median of several rounds
    "ms_first": _NUMBER,  # the first and the third quartile of these times over the rounds
    "ms_third": _NUMBER,
    "ms_more": _NUMBER,  # the difference from the time of the base in milliseconds, and the ends of its 99 % confidence interval
    "ms_low": _NUMBER,
    "ms_high": _NUMBER,
    "work": _INTEGER,  # the instructions that rules executed
    "interaction": _NUMBER,  # the additional cost without a pair of rules, minus the sum of those without each rule
    "rules": _INTEGER,
    "divisions": _INTEGER,
    "nodes": _INTEGER,
    "changed": _INTEGER,
    "cheaper": _INTEGER,
    "costlier": _INTEGER,
    "proved": _INTEGER,
    "bound": _NUMBER,
    "percent_above_bound": _NUMBER,
    "percent_above_optimum_where_proved": _NUMBER,
    "least": _INTEGER,
    "optimal": _INTEGER,
    "without_selection": _INTEGER,
    "saturated": _INTEGER,
    "median_nodes": _INTEGER,
    "p99_nodes": _INTEGER,
}
# the largest number of bars in a figure
MOST_BARS = 40


class ResultsError(ValueError):
    """A file or folder has no results, or there is nothing to draw.

    >>> try:
    ...     quaff.results.records_of({}, "small")
    ... except quaff.results.ResultsError as e:
    ...     print("no report")
    no report
    """


def read(*paths: str | Path) -> list[Record]:
    """The records of folders and files.

    Raises:
        OSError: a file cannot be read.
        ResultsError: a folder has no results, or a file is not the result of an experiment.

    >>> import json, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "small.json")
    ...     written = file.write_text(json.dumps({"cases": 2, "input": 9.0, "rows": []}))
    ...     quaff.results.read(file)
    [{'experiment': 'baseline', 'corpus': 'small', 'cases': 2, 'system': 'as written', 'cost': 9.0}]
    """
    return [record for path in map(Path, paths) for record in _read_one(path)]


def _read_one(path: Path) -> list[Record]:
    name = path.stem
    if path.is_dir():
        name, path = path.resolve().name, path / REPORT
        if not path.is_file():
            raise ResultsError(f"{path.parent} has no results: there is no {REPORT}, which `quaff rules ablate -o DIR` writes")
    try:
        report = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path} is no JSON: {error}") from None
    try:
        return records_of(report, name)
    except ResultsError as error:
        raise ResultsError(f"{path}: {error}") from None


def records_of(report: Any, name: str) -> list[Record]:
    """The records of a report in the format of ``--json``.

    ``name`` is used as the name of the corpus if the report has no such name.

    Raises:
        ResultsError: the value is not a report, or a number in it is missing or has another type.

    >>> quaff.results.records_of({"cases": 2, "input": 9.0, "rows": []}, "small")
    [{'experiment': 'baseline', 'corpus': 'small', 'cases': 2, 'system': 'as written', 'cost': 9.0}]
    """
    kinds: dict[str, Callable[[Record, str], list[Record]]] = {"by_corpus": _of_rules, "tables": _of_extraction, "input": _of_baseline}
    kind = next((k for k in kinds if isinstance(report, dict) and k in report), None)
    if kind is None:
        raise ResultsError("it is no report of `quaff rules ablate`, `quaff bench extract` or `quaff bench egg`")
    try:
        records = kinds[kind](report, name)
    except (KeyError, TypeError, AttributeError) as error:
        raise ResultsError(f"it is no whole report: {type(error).__name__}: {error}") from None
    for record in records:
        for column, value in record.items():
            if not _fits(value, COLUMNS[column]):
                raise ResultsError(f"`{column}` of `{record['system']}` is {value!r}, and no {COLUMNS[column]}")
    return records


def _fits(value: Any, kind: str) -> bool:
    types: dict[str, tuple[type, ...]] = {_TEXT: (str,), _INTEGER: (int,), _NUMBER: (int, float)}
    return isinstance(value, types[kind]) and not isinstance(value, bool)


def _some(row: Record, *columns: str) -> Record:
    return {column: row[column] for column in columns}


def _of_rules(report: Record, _name: str) -> list[Record]:
    of_all = [report["base"], *report["rows"]]
    base = report["base"]["variant"]
    costs = {row["corpus"]: row["cost"] for row in [report["base"], *report["by_corpus"]] if row["variant"] == base}
    columns = ("corpus", "cases", "cost", "rules", "divisions", "nodes", "changed", "cheaper", "costlier")
    records = []
    for row in [*of_all, *report["by_corpus"]]:
        record = {"experiment": "rules", "system": row["variant"], "effect": round(row["cost"] - costs[row["corpus"]], 6), **_some(row, *columns)}
        # the report of a sweep has the times of single calls. The report of `quaff rules ablate` has counts of work,
        # and times if they were measured
        record |= _some(row, *(column for column in ("ms", "work", "interaction") if column in row))
        if "times" in row:
            times = _some(row["times"], "first", "third", "more", "low", "high")
            record |= {"ms": row["times"]["median"], **{f"ms_{name}": value for name, value in times.items()}}
        records.append(record)
    return records


def _of_extraction(report: Record, name: str) -> list[Record]:
    records = []
    columns = ("cost", "ms", "percent_above_bound", "percent_above_optimum_where_proved", "least", "optimal", "without_selection")
    for table in report["tables"]:
        said = {"experiment": "extraction", "corpus": name, "table": table["what"], "cases": table["egraphs"], **_some(table, "proved", "bound")}
        records += [{**said, "system": row["extractor"], **_some(row, *columns)} for row in table["rows"]]
    return records


def _of_baseline(report: Record, name: str) -> list[Record]:
    said = {"experiment": "baseline", "corpus": name, "cases": report["cases"]}
    columns = ("cost", "ms", "saturated", "median_nodes", "p99_nodes")
    rows = [{**said, "system": row["engine"], **_some(row, *columns)} for row in report["rows"]]
    return [{**said, "system": "as written", "cost": report["input"]}, *rows]


def columns_of(records: Iterable[Record]) -> list[str]:
    """The columns that occur in a record, in the order of ``COLUMNS``.

    >>> quaff.results.columns_of([{"system": "quaff", "cost": 4.0}, {"system": "egg", "ms": 0.1}])
    ['system', 'cost', 'ms']
    """
    used = {column for record in records for column in record}
    return [column for column in COLUMNS if column in used]


def to_csv(records: Sequence[Record], path: str | Path) -> None:
    """Writes the records as CSV with a header. A missing value is an empty cell.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "results.csv")
    ...     quaff.results.to_csv([{"system": "quaff", "cost": 4.0}], file)
    ...     file.read_text().split()
    ['system,cost', 'quaff,4.0']
    """
    _whole(Path(path), lambda part: part.write_text(_csv(records), encoding="utf-8", newline=""))


def _csv(records: Sequence[Record]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns_of(records), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def to_parquet(records: Sequence[Record], path: str | Path) -> None:
    """Writes the records as a Parquet file. A missing value is null.

    Raises:
        ModuleNotFoundError: pyarrow is not installed.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "results.parquet")
    ...     quaff.results.to_parquet([{"system": "quaff", "cost": 4.0}], file)
    ...     file.exists()
    True
    """
    pa, parquet = _needed("pyarrow"), _needed("pyarrow.parquet")
    schema = pa.schema([(column, getattr(pa, {"double": "float64"}.get(COLUMNS[column], COLUMNS[column]))()) for column in columns_of(records)])
    _whole(Path(path), lambda part: parquet.write_table(pa.Table.from_pylist(list(records), schema=schema), part))


def frame(records: Sequence[Record]) -> Any:
    """The records as a ``pandas.DataFrame``.

    Raises:
        ModuleNotFoundError: pandas is not installed.

    >>> quaff.results.frame([{"system": "quaff", "cost": 4.0}]).shape
    (1, 2)
    """
    return _needed("pandas", "pandas").DataFrame(list(records), columns=columns_of(records))


def _needed(module: str, package: str = "'quaff[results]'") -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        name = module.split(".")[0]
        if error.name is None or error.name.split(".")[0] != name:
            raise
        raise ModuleNotFoundError(f"this needs {name}, which is not installed: pip install {package}", name=name) from None


def _whole(path: Path, write: Callable[[Path], object]) -> None:
    """Writes a complete file, or no file if writing fails."""
    part = path.with_name(path.name + ".part")
    try:
        write(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


# figures


def figures(records: Sequence[Record]) -> dict[str, Any]:
    """The figures of the records: a dict from names to ``matplotlib.figure.Figure``.

    ``rules-effect`` shows how much more all answers cost without each rule, sorted. ``extraction-gaps`` shows by how
    much the answers of extractors exceed the lower bound of the cost. ``extraction-cost`` and ``baseline-cost`` show
    the cost and the time of each extractor or engine.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.

    >>> record = {"experiment": "baseline", "system": "quaff", "corpus": "small", "cost": 4.0, "ms": 0.1}
    >>> list(quaff.results.figures([record]))
    ['baseline-cost']
    """
    found = {}
    of = {kind: [r for r in records if r["experiment"] == kind] for kind in ("rules", "extraction", "baseline")}
    if effects := [r for r in of["rules"] if r["corpus"] == "all" and r["effect"]]:
        # only the effects with the largest absolute values
        effects = sorted(sorted(effects, key=lambda r: -abs(r["effect"]))[:MOST_BARS], key=lambda r: r["effect"])
        systems = list(dict.fromkeys(r["system"] for r in effects))
        found["rules-effect"] = _bars([("instructions more than the base", "effect", effects)], systems)
    for kind in ("extraction", "baseline"):
        systems = list(dict.fromkeys(r["system"] for r in of[kind]))[::-1]
        if not systems:
            continue
        if kind == "extraction":
            found["extraction-gaps"] = _bars([("percent above the bound", "percent_above_bound", of[kind])], systems)
        panels = [("instructions of all answers", "cost", of[kind]), ("milliseconds of all calls", "ms", of[kind])]
        found[f"{kind}-cost"] = _bars(panels, systems)
    return found


def _bars(panels: Sequence[tuple[str, str, Sequence[Record]]], systems: Sequence[str]) -> Any:
    """Draws horizontal bars, with a panel for each column, a row for each system, and a bar for each corpus and
    table."""
    figure = _needed("matplotlib.figure").Figure(figsize=(5 * len(panels) + 2, 1.2 + 0.28 * len(systems)), layout="constrained")
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for at, (axes, (title, column, records)) in enumerate(zip(all_axes, panels)):
        series = list(dict.fromkeys(_series(r) for r in records))
        height = 0.8 / len(series)
        for number, name in enumerate(series):
            own = [r for r in records if _series(r) == name and column in r]
            places = [systems.index(r["system"]) + height * (number - (len(series) - 1) / 2) for r in own]
            axes.barh(places, [r[column] for r in own], height=height, label=name)
        axes.set_xlabel(title)
        axes.set_yticks(range(len(systems)), systems if at == 0 else [""] * len(systems))
        if column == "ms" and any(r.get("ms", 0) > 0 for r in records):
            axes.set_xscale("log")
    if len(series) > 1:
        figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside upper center")
    return figure


def _series(record: Record) -> str:
    return ", ".join(record[column] for column in ("corpus", "table") if column in record)


def draw(records: Sequence[Record], folder: str | Path, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Writes each figure into ``folder`` in each format, with its name as the file name. Returns the paths of the
    files.

    Equal records give identical SVG files.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
        ResultsError: the records have no figure, or a format is neither ``svg`` nor ``pdf``.

    >>> import tempfile
    >>> record = {"experiment": "baseline", "system": "quaff", "corpus": "small", "cost": 4.0, "ms": 0.1}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in quaff.results.draw([record], folder, ["svg"])]
    ['baseline-cost.svg']
    """
    formats = list(formats)
    if wrong := next((f for f in formats if f not in FORMATS), None):
        raise ResultsError(f"a figure is written as {' or '.join(FORMATS)}, and not as {wrong!r}")
    drawn = figures(records)
    if not drawn:
        raise ResultsError("there is nothing to draw: no rule that is left out changes a cost, and there are no extractors or engines")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    dates: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with _needed("matplotlib").rc_context({"svg.hashsalt": "quaff", "svg.fonttype": "none", "pdf.fonttype": 42}):
        for name, figure in drawn.items():
            for format in formats:
                path = folder / f"{name}.{format}"
                _whole(path, lambda part: figure.savefig(part, format=format, metadata=dates[format]))
                written.append(path)
    return written


# the command line program


def parser() -> argparse.ArgumentParser:
    """The parser for the options of ``python -m quaff.results``."""
    about = "Writes results of experiments as CSV and Parquet, and draws them. Without an option, it prints CSV."
    p = argparse.ArgumentParser("python -m quaff.results", description=about)
    p.add_argument("paths", nargs="+", metavar="PATH", help="a folder of `quaff rules ablate -o DIR`, or a file with what --json prints")
    p.add_argument("--csv", metavar="FILE", help="writes all records as CSV")
    p.add_argument("--parquet", metavar="FILE", help="writes all records as Parquet; needs quaff[results]")
    p.add_argument("--figures", metavar="DIR", help="draws figures into this folder; needs quaff[results]")
    p.add_argument("--format", default=",".join(FORMATS), metavar="NAMES", help="formats of figures: svg,pdf")
    return p


def main(arguments: list[str] | None = None) -> int:
    """Runs the program. It returns 2 if there are no results, or if a package is not installed."""
    said = parser().parse_args(arguments)
    try:
        _run(said)
    except (ResultsError, ModuleNotFoundError, OSError) as error:
        print(f"quaff.results: {error}", file=sys.stderr)
        return 2
    return 0


def _run(said: argparse.Namespace) -> None:
    read_files = {(p / REPORT if p.is_dir() else p).resolve() for p in map(Path, said.paths)}
    for out in filter(None, (said.csv, said.parquet)):
        if Path(out).resolve() in read_files:
            raise ResultsError(f"{out} is read: give another file for what is written")
    records = read(*said.paths)
    if said.csv:
        to_csv(records, said.csv)
    if said.parquet:
        to_parquet(records, said.parquet)
    if said.figures:
        for path in draw(records, said.figures, said.format.split(",")):
            print(path)
    if not (said.csv or said.parquet or said.figures):
        sys.stdout.write(_csv(records))


if __name__ == "__main__":
    raise SystemExit(main())
