"""Reports of sweeps, in the formats of ``quaff rules ablate``, and the program ``python -m quaff.sweep``."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quaff._quaff import Simplifier
from quaff.corpus import Case, Corpus
from quaff.sweep import UNITS, Variant, _simplifier, sweep

SUMMARY, CHANGED, REPORT, ANSWERS = "summary.csv", "changed.csv", "report.json", "answers"
_FIGURES = ("variant", "corpus", "rules", "cases", "cost", "divisions", "nodes", "ms", "changed", "cheaper", "costlier")
_CHANGED = ("variant", "corpus", "line", "id", "difference", "cost_before", "cost_after", "input", "ranges", "before", "after")


@dataclass
class Row:
    """The counts and costs of a variant, on one corpus or on all corpora. The cost is in tenths of an instruction, and the time in
    nanoseconds."""

    variant: str
    corpus: str
    rules: int
    cases: int = 0
    cost: int = 0
    divisions: int = 0
    nodes: int = 0
    ns: int = 0
    changed: int = 0
    cheaper: int = 0
    costlier: int = 0

    def add(self, before: dict[str, Any], after: dict[str, Any]) -> bool:
        """Adds one case to the counts and costs. Returns whether its answer differs from that of the base."""
        differs = any(before.get(k) != after.get(k) for k in ("text", "cost", "why"))
        self.changed += differs
        if "why" in after:
            return differs
        self.cases += 1
        self.cost += after["cost"]
        self.divisions += after["divisions"]
        self.nodes += after["nodes"]
        self.ns += after["ns"]
        if "why" not in before:
            self.cheaper += after["cost"] < before["cost"]
            self.costlier += after["cost"] > before["cost"]
        return differs

    def figures(self) -> dict[str, Any]:
        """The row in the format of ``report.json``."""
        said = dict(vars(self), cost=self.cost / 10, ms=self.ns / 1e6)
        return {name: said[name] for name in _FIGURES}


@dataclass
class Report:
    """The result of a sweep.

    Attributes:
        base, rows: the totals of the base and of each variant over all corpora.
        by_corpus: the totals of the base and of each variant, for each corpus.
        changed: cases whose answers differ from those of the base: variant, corpus, case, answer of the base, answer of the variant.
        bad, refused: the lines that are not questions, and the questions without an answer. Each has a reason.
        answers: all answers: variant, corpus, case, answer.
        computed: the number of units that were run because no result was stored.
    """

    base: Row
    rows: list[Row] = field(default_factory=list)
    by_corpus: list[Row] = field(default_factory=list)
    changed: list[tuple[str, str, Case, dict[str, Any], dict[str, Any]]] = field(default_factory=list)
    bad: list[dict[str, Any]] = field(default_factory=list)
    refused: list[dict[str, Any]] = field(default_factory=list)
    answers: list[tuple[str, str, Case, dict[str, Any]]] = field(default_factory=list)
    computed: int = 0

    @classmethod
    def of(cls, variants: Sequence[Variant], corpora: Sequence[Corpus], results: Iterable[dict[str, Any]], computed: int) -> Report:
        """Makes the report from the results of all units of ``variants``. The first variant is the base."""
        found: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
        for result in results:
            at = found.setdefault((result["variant"], result["corpus"]), {})
            for place, answer in enumerate(result["answers"], result["first"]):
                assert place not in at, "a case was counted twice"
                at[place] = answer
        report = cls(Row(variants[0].name, "all", 0), computed=computed)
        for variant in variants:
            rules = len(_simplifier(json.dumps(variant.packed(), sort_keys=True)).rules)
            whole = Row(variant.name, "all", rules)
            for corpus in corpora:
                row = Row(variant.name, corpus.name, rules)
                own, first = (found.get((v.name, corpus.name), {}) for v in (variant, variants[0]))
                for place, case in enumerate(corpus.cases):
                    before, after = first[place], own[place]
                    whole.add(before, after)
                    if row.add(before, after):
                        report.changed.append((variant.name, corpus.name, case, before, after))
                    if variant is variants[0] and "why" in after:
                        report.refused.append({"corpus": corpus.name, "line": case.line, "why": after["why"]})
                    report.answers.append((variant.name, corpus.name, case, after))
                report.by_corpus.append(row)
            if variant is variants[0]:
                report.base = whole
            else:
                report.rows.append(whole)
        report.bad = [{"corpus": c.name, "line": line, "why": why} for c in corpora for line, why in c.bad]
        return report

    def json(self) -> dict[str, Any]:
        """The report as one object, with the fields of ``quaff rules ablate --json``."""

        def answer(a: dict[str, Any]) -> dict[str, Any]:
            if "why" in a:
                return {"why": a["why"], "cost": 0}
            return {"text": a["text"], "cost": a["cost"] / 10, "divisions": a["divisions"], "nodes": a["nodes"]}

        changed = []
        for variant, corpus, case, before, after in self.changed:
            text, ranges = case.shown()
            said = {"variant": variant, "corpus": corpus, "line": case.line, "id": case.id, "input": text, "ranges": ranges}
            changed.append({**said, "before": answer(before), "after": answer(after)})
        return {
            "base": self.base.figures(),
            "rows": [r.figures() for r in self.rows],
            "by_corpus": [r.figures() for r in self.by_corpus],
            "changed": changed,
            "bad": self.bad,
            "refused": self.refused,
        }

    def table(self) -> str:
        """A table of the totals as text, with a line for each variant."""
        width = max(12, *(len(r.variant) for r in (self.base, *self.rows)))
        lines = [
            f"{'rule set':<{width}}{'rules':>6}{'cost':>12}{'+':>10}{'divisions':>11}{'e-nodes':>10}{'ms':>10}{'changed':>9}{'cheaper':>9}{'costlier':>10}"
        ]
        for r in (self.base, *self.rows):
            more = f"{(r.cost - self.base.cost) / 10:+.1f}" if r.cost != self.base.cost else ""
            lines.append(
                f"{r.variant:<{width}}{r.rules:>6}{r.cost / 10:>12.1f}{more:>10}{r.divisions:>11}{r.nodes:>10}{r.ns / 1e6:>10.0f}{r.changed:>9}{r.cheaper:>9}{r.costlier:>10}"
            )
        return "\n".join([*lines, f"{self.base.cases} cases"])


def write(report: Report, folder: Path, format: str) -> None:
    """Writes ``summary.csv``, ``changed.csv``, ``report.json`` and ``answers.jsonl`` or ``answers.parquet``. No file is
    left incomplete."""

    def whole(name: str, text: str) -> None:
        part = folder / (name + ".part")
        part.write_text(text, newline="")
        part.replace(folder / name)

    figures = []
    for r in (report.base, *report.rows):
        for one in (*(c for c in report.by_corpus if c.variant == r.variant), r):
            said = one.figures()
            figures.append([f"{said[n]:.1f}" if n == "cost" else f"{said[n]:.3f}" if n == "ms" else said[n] for n in _FIGURES])
    whole(SUMMARY, _csv(_FIGURES, figures))
    changed = []
    for variant, corpus, case, before, after in report.changed:
        costs = ["" if "why" in a else f"{a['cost'] / 10:.1f}" for a in (before, after)]
        texts = [f"no answer: {a['why']}" if "why" in a else a["text"] for a in (before, after)]
        difference = f"{(after.get('cost', 0) - before.get('cost', 0)) / 10:.1f}"
        changed.append([variant, corpus, case.line, case.id, difference, *costs, *case.shown(), *texts])
    whole(CHANGED, _csv(_CHANGED, changed))
    whole(REPORT, json.dumps(report.json(), indent=2) + "\n")
    answers = [
        {"variant": variant, "corpus": corpus, "line": case.line, "id": case.id, **answer} for variant, corpus, case, answer in report.answers
    ]
    if format == "jsonl":
        whole(ANSWERS + ".jsonl", "".join(json.dumps(a) + "\n" for a in answers))
        return
    import pyarrow as pa
    import pyarrow.parquet as parquet

    text, number = pa.string(), pa.int64()
    kinds = [("variant", text), ("corpus", text), ("line", number), ("id", text), ("cost", number), ("divisions", number)]
    kinds += [("nodes", number), ("ns", number), ("text", text), ("why", text)]
    part = folder / (ANSWERS + ".parquet.part")
    parquet.write_table(pa.Table.from_pylist(answers, schema=pa.schema(kinds)), part)
    part.replace(folder / (ANSWERS + ".parquet"))


def _csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([head, *rows])
    return out.getvalue()


# the command line program

_ABOUT = f"""\
Compares rule sets and limits over corpora on a Dask cluster. Each option below that takes a list adds a variant for each element.

Files in the folder of -o: {UNITS} (results of finished units; a sweep that was stopped goes on from there), {SUMMARY}, {CHANGED}
and {REPORT} with the columns of `quaff rules ablate`, and {ANSWERS}.jsonl or {ANSWERS}.parquet with every answer (cost in tenths of
an instruction, time in ns).
"""


def _numbers(text: str) -> list[int]:
    return [int(n) for n in text.split(",") if n]


def _names(text: str) -> list[str]:
    return [n for n in text.split(",") if n]


def parser() -> argparse.ArgumentParser:
    """The parser for the options of ``python -m quaff.sweep``."""
    p = argparse.ArgumentParser("python -m quaff.sweep", description=_ABOUT, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("corpora", nargs="+", metavar="CORPUS", help="files of JSON lines as for `quaff batch`, or folders of *.jsonl files")
    p.add_argument("-o", "--output", metavar="DIR", help="folder for results and reports")
    p.add_argument("--rounds", type=_numbers, default=[], metavar="N,N", help="limits on rounds of saturation")
    p.add_argument("--nodes", type=_numbers, default=[], metavar="N,N", help="limits on e-nodes")
    p.add_argument("--work", type=_numbers, default=[], metavar="N,N", help="limits on instructions of rules")
    p.add_argument("--only", type=_names, default=[], metavar="NAMES", help="leave out these rules, one at a time")
    p.add_argument("--each", action="store_true", help="leave out every rule, one at a time")
    p.add_argument("--sets", nargs="+", default=[], metavar="DIR", help="the rules of each of these folders")
    p.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, such as tcp://host:8786; a local cluster without it")
    p.add_argument("--workers", type=int, metavar="N", help="processes of the local cluster; one for each core without it")
    p.add_argument("--unit", type=int, default=100, metavar="N", help="cases that a worker gets at a time (100)")
    p.add_argument("--format", choices=["jsonl", "parquet"], default="jsonl", help="of the answers")
    p.add_argument("--json", action="store_true", help="print the report as one JSON object")
    return p


def program(arguments: list[str] | None = None) -> int:
    """Runs a sweep with these options and prints its table."""
    said = parser().parse_args(arguments)
    variants = [Variant(f"{limit}={n}", {limit: n}) for limit in ("rounds", "nodes", "work") for n in getattr(said, limit)]
    names = Simplifier().rules if said.each else said.only
    variants += [Variant(f"without {name}", {"leave_out": [name]}) for name in names]
    variants += [Variant(folder, {"rules": folder}) for folder in said.sets]
    bar = _bar() if sys.stderr.isatty() else None
    report = sweep(
        said.corpora,
        variants,
        output=said.output,
        format=said.format,
        scheduler=said.scheduler,
        workers=said.workers,
        unit=said.unit,
        progress=bar,
    )
    print(json.dumps(report.json(), indent=2) if said.json else report.table())
    if said.output:
        print(f"quaff: {report.computed} units computed, the others found in {said.output}", file=sys.stderr)
    return 1 if report.bad or report.refused else 0


def _bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    bar = tqdm(unit="unit")

    def told(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    return told
