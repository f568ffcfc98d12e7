"""Compares rule sets and limits over corpora on a Dask cluster, and writes the report of ``quaff rules ablate``.

    from quaff.sweep import Variant, sweep

    report = sweep(["kernels.jsonl"], [Variant(f"rounds={n}", {"rounds": n}) for n in (1, 2, 4, 8)], output="sweep/")
    print(report.table())

The work is divided into units. A unit is some cases of a corpus under one variant (a rule set and limits). The key of a
unit is a hash of the texts of its cases, the texts of the rules, the limits and the compiled module. The result of a
unit is appended as a line of ``units.jsonl`` in the output folder when it arrives. Units whose result is in this file
are not run again, so a stopped sweep can continue. If a worker dies, another worker runs its units again.

``python -m quaff.sweep --help`` describes the command line program. The module needs ``pip install 'quaff[sweep]'``.
"""

from __future__ import annotations

import functools
import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quaff import _quaff
from quaff._errors import Error
from quaff._quaff import OPERATORS, Expr, Simplifier, to_nodes
from quaff.corpus import Case, Corpus

if TYPE_CHECKING:
    from distributed import Client

    from quaff._sweep_report import Report

__all__ = ["UNITS", "Variant", "sweep"]

UNITS = "units.jsonl"


@dataclass(frozen=True)
class Variant:
    """A name, and keywords of ``Simplifier``: ``Variant("without square", {"leave_out": ["square"]})``.

    Folders in ``rules`` and ``add_rules`` are read in the process that starts the sweep, so workers need no access to
    them.

    >>> quaff.sweep.Variant("without square", {"leave_out": ["square"]}).name
    'without square'
    """

    name: str
    keywords: dict[str, Any] = field(default_factory=dict)

    def packed(self) -> dict[str, Any]:
        """The keywords, with folders of rule files replaced by the texts of the files.

        Raises:
            OSError: a folder cannot be read.
            RuleError, TypeError, ValueError: the keywords give no valid simplifier.

        >>> quaff.sweep.Variant("quick", {"effort": 0}).packed()
        {'effort': 0}
        """
        Simplifier(**self.keywords)
        said = dict(self.keywords)
        for key in ("rules", "add_rules"):
            if said.get(key) is not None:
                files = sorted(Path(said[key]).rglob("*.rules"))
                said[key] = {str(f.relative_to(said[key])): f.read_text() for f in files}
        return said


@dataclass(frozen=True)
class Unit:
    """Consecutive cases of a corpus under one variant, beginning with case number ``first``."""

    key: str
    variant: str
    corpus: str
    first: int
    keywords: str
    texts: tuple[str, ...]


@functools.lru_cache(maxsize=64)
def _simplifier(keywords: str) -> Simplifier:
    said = json.loads(keywords)
    with tempfile.TemporaryDirectory() as folder:
        for key in ("rules", "add_rules"):
            if said.get(key) is None:
                continue
            for name, text in said[key].items():
                file = Path(folder, key, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            said[key] = str(Path(folder, key))
        return Simplifier(**said)


def divisions(expr: Expr) -> int:
    """The number of ``//`` and ``%`` in ``expr``. A shared subexpression counts once."""
    words, _, _ = to_nodes([expr])
    count = at = 0
    while at < len(words):
        code = words[at]
        count += code in (OPERATORS["floordiv"], OPERATORS["mod"])
        at += 1 + _OPERANDS.get(code, 2)
    return count


_OPERANDS = {OPERATORS[name]: n for name, n in {"const": 1, "var": 1, "neg": 1, "not": 1, "select": 3}.items()}


def run_unit(unit: Unit) -> dict[str, Any]:
    """The result of ``unit``, with a dict for each case. The dict has ``cost`` (in tenths of an instruction),
    ``divisions``, ``nodes``, ``ns`` and ``text``. If a case has no answer, its dict has only the reason, in ``why``."""
    simplifier = _simplifier(unit.keywords)
    answers: list[dict[str, Any]] = []
    for number, text in enumerate(unit.texts):
        expr, domain = Case(number, "", text).question()
        try:
            began = time.perf_counter_ns()
            a = simplifier.simplify(expr, domain)
            spent = time.perf_counter_ns() - began
        except Error as e:
            answers.append({"why": e.message})
            continue
        answers.append({"cost": round(a.cost * 10), "divisions": divisions(a.expr), "nodes": a.nodes, "ns": spent, "text": str(a.expr)})
    return {"key": unit.key, "variant": unit.variant, "corpus": unit.corpus, "first": unit.first, "answers": answers}


@functools.cache
def engine() -> str:
    """The version and a hash of the compiled module. They are part of the keys of units, so that results of another
    build are not used."""
    return f"{_quaff.__version__}-{hashlib.sha256(Path(_quaff.__file__).read_bytes()).hexdigest()[:16]}"


def units(variants: Iterable[Variant], corpora: Iterable[Corpus], size: int) -> Iterator[Unit]:
    """Divides the work into units of ``size`` cases."""
    for variant in variants:
        keywords = json.dumps(variant.packed(), sort_keys=True)
        for corpus in corpora:
            for first in range(0, len(corpus.cases), size):
                texts = tuple(c.text for c in corpus.cases[first : first + size])
                # the position is part of the key, because a corpus may contain the same lines twice
                said = json.dumps([engine(), variant.name, keywords, corpus.name, first, texts])
                yield Unit(hashlib.sha256(said.encode()).hexdigest(), variant.name, corpus.name, first, keywords, texts)


class Store:
    """The results of units, in memory and in a file. The result of each unit is appended to the file once.

    If a stopped program left an incomplete line at the end of the file, the line is cut off.
    """

    def __init__(self, path: Path | None):
        self.known: dict[str, dict[str, Any]] = {}
        self.computed = 0
        self._file = None
        if path is None:
            return
        self._file = open(path, "a+b")
        self._file.seek(0)
        whole = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            try:
                said = json.loads(line)
                self.known[said["key"]] = said
            except (ValueError, KeyError, TypeError):
                raise ValueError(f"{path} has a line that is no result of a sweep; give another folder") from None
        self._file.truncate(whole)

    def keep(self, result: dict[str, Any]) -> None:
        """Stores ``result``, unless the unit already has one, because a worker that seemed dead may still return a
        result."""
        if result["key"] in self.known:
            return
        self.known[result["key"]] = result
        self.computed += 1
        if self._file:
            self._file.write(json.dumps(result, separators=(",", ":")).encode() + b"\n")
            self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        if self._file:
            self._file.close()


def sweep(
    corpora: Iterable[str | Path | Corpus],
    variants: Iterable[Variant],
    *,
    base: Variant | None = None,
    output: str | Path | None = None,
    format: str = "jsonl",
    client: Client | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
    unit: int = 100,
    progress: Callable[[int, int], object] | None = None,
) -> Report:
    """Runs ``base`` and ``variants`` on all cases and compares them.

    Args:
        corpora: files of JSON lines, folders of such files, or ``Corpus`` objects.
        variants: the variants that are compared with the base.
        base: the variant to compare with. None means the built-in rules and limits.
        output: a folder for results and reports. A stopped sweep continues from the results there.
        format: the format of the answers in that folder, "jsonl" or "parquet".
        client: a Dask client, which is left open.
        scheduler: the address of a scheduler, such as "tcp://host:8786". None starts a cluster on this machine.
        workers: the number of processes in that cluster. None means one for each core.
        unit: the number of cases in a unit.
        progress: a function that receives ``(done, total)``, counted in units.

    Raises:
        ValueError: two variants have the same name, or the folder has results of another sweep.
        RuntimeError: a unit failed, or its worker died too often. Finished units are kept.

    >>> corpus = quaff.corpus.Corpus.parse("small", b'{"expr": "i*4//4", "vars": {"i": [0, 9]}}')
    >>> report = quaff.sweep.sweep([corpus], [quaff.sweep.Variant("quick", {"effort": 0})], workers=1)
    >>> report.computed
    2
    """
    from quaff._sweep_report import Report, write

    if format not in ("jsonl", "parquet"):
        raise ValueError(f"the format is jsonl or parquet, and not {format!r}")
    loaded = [one for c in corpora for one in ([c] if isinstance(c, Corpus) else Corpus.load(c))]
    all_variants = [base or Variant("base"), *variants]
    for what, names in (("variant", [v.name for v in all_variants]), ("corpus", [c.name for c in loaded])):
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise ValueError(f"there is more than one {what} called {twice!r}")
    folder = None if output is None else Path(output)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder / UNITS if folder is not None else None)
    try:
        work = list(units(all_variants, loaded, unit))
        left = [u for u in work if u.key not in store.known]
        if left:
            if client is not None:
                _run(client, left, store, len(work), progress)
            else:
                from distributed import Client

                where = {"address": scheduler} if scheduler else {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
                with Client(**where) as own:
                    _run(own, left, store, len(work), progress)
        report = Report.of(all_variants, loaded, [store.known[u.key] for u in work], store.computed)
    finally:
        store.close()
    if folder is not None:
        write(report, folder, format)
    return report


def _run(client: Client, left: list[Unit], store: Store, total: int, progress: Callable[[int, int], object] | None) -> None:
    from distributed import as_completed

    # if a worker dies, the scheduler repeats its units a few times
    futures = client.map(run_unit, left, key=[f"quaff-{u.key}" for u in left], pure=False)
    done = total - len(left)
    for future in as_completed(futures, raise_errors=False):
        try:
            # `as_completed` does not fetch the results. If a worker dies before its result is fetched, this call waits
            # until the result is computed again
            result = future.result()
        except Exception as error:
            raise RuntimeError(f"a unit has no result: {error}") from error
        store.keep(result)
        future.release()
        done += 1
        if progress is not None:
            progress(done, total)


def main(arguments: list[str] | None = None) -> int:
    """Runs the program, and returns its exit code. The code is 1 if lines of a corpus have no answer."""
    from quaff._sweep_report import program

    return program(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
