"""Corpora: files with one JSON object a line, as ``quaff batch`` reads them.

>>> from quaff.corpus import Corpus
>>> corpus = Corpus.parse("mine", b'{"id": "a", "vars": {"i": [0, 15], "j": [0, 3]}, "expr": "(i*4 + j)//4"}')
>>> corpus.cases[0].question()
(quaff.Expr('(i*4 + j)//4'), quaff.Domain('i=0..15, j=0..3'))
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quaff._errors import Error
from quaff._quaff import Domain, Expr

__all__ = ["Case", "Corpus", "LineError"]

# Fields that make a line a question about more than one expression over a domain.
_OTHERS = ("gate", "exprs", "accesses", "kinds")


class LineError(ValueError):
    """A line is not a question.

    >>> case = quaff.corpus.Case(1, "1", '{"expr": "i +", "vars": {"i": [0, 9]}}')
    >>> try:
    ...     case.question()
    ... except quaff.corpus.LineError as e:
    ...     print("no question")
    no question
    """


@dataclass(frozen=True)
class Case:
    """One line that is a question.

    Attributes:
        line: the number of the line, counted from 1.
        id: the value of the field ``id``, or else the number of the line.
        text: the line.

    >>> case = quaff.corpus.Case(1, "first", '{"expr": "i*4//4", "vars": {"i": [0, 9]}}')
    >>> case.id, case.question()
    ('first', (quaff.Expr('i*4//4'), quaff.Domain('i=0..9')))
    """

    line: int
    id: str
    text: str

    def question(self) -> tuple[Expr, Domain]:
        """The expression of the line, and its domain.

        Raises:
            LineError: the line is not a question, or it asks about more than one expression over a domain.

        >>> quaff.corpus.Case(1, "1", '{"expr": "i*4//4", "vars": {"i": [0, 9]}}').question()
        (quaff.Expr('i*4//4'), quaff.Domain('i=0..9'))
        """
        return _question(_fields(self.text))

    def shown(self) -> tuple[str, str]:
        """The expression and the ranges as the line has them, as text.

        >>> quaff.corpus.Case(1, "1", '{"expr": "i*4//4", "vars": {"i": [0, 9]}}').shown()
        ('i*4//4', 'i=0..9')
        """
        fields = _fields(self.text)
        ends = fields.get("symbolic") or {}
        told = []
        for name, (lower, upper) in (fields.get("vars") or {}).items():
            told.append(f"{name}={_shown(lower)}..{_shown(ends.get(name, upper))}")
        return str(fields.get("expr", "")), ", ".join(told)


@dataclass
class Corpus:
    """The questions of a file.

    Attributes:
        name: the name of the file, without its suffix.
        cases: the lines that are questions.
        bad: pairs of the number of a line and the reason why it is not a question.

    >>> corpus = quaff.corpus.Corpus.parse("small", b'{"expr": "i*4//4", "vars": {"i": [0, 9]}}')
    >>> corpus.name, len(corpus.cases), corpus.bad
    ('small', 1, [])
    """

    name: str
    cases: list[Case] = field(default_factory=list)
    bad: list[tuple[int, str]] = field(default_factory=list)

    @classmethod
    def parse(cls, name: str, data: bytes) -> Corpus:
        """The corpus whose lines are in ``data``. Blank lines are skipped.

        >>> corpus = quaff.corpus.Corpus.parse("small", b'{"expr": "i*4//4"}')
        >>> [case.shown() for case in corpus.cases]
        [('i*4//4', '')]
        """
        corpus = cls(name)
        for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                text = line.decode()
                said = _fields(text)
                _question(said)
                known = said.get("id")
                id = str(number) if known is None else known if isinstance(known, str) else json.dumps(known)
                corpus.cases.append(Case(number, id, text))
            except (LineError, UnicodeDecodeError) as e:
                corpus.bad.append((number, str(e)))
        return corpus

    @classmethod
    def load(cls, path: str | Path) -> list[Corpus]:
        """The corpus in a file, or the corpora in all ``*.jsonl`` files of a folder.

        Raises:
            OSError: a file cannot be read, or a folder has no such files.

        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "small.jsonl")
        ...     written = file.write_text('{"expr": "i*4//4", "vars": {"i": [0, 9]}}')
        ...     [corpus.name for corpus in quaff.corpus.Corpus.load(folder)]
        ['small']
        """
        path = Path(path)
        files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        if not files:
            raise FileNotFoundError(f"no *.jsonl files in {path}")
        return [cls.parse(f.stem, f.read_bytes()) for f in files]


def _shown(end: Any) -> str:
    return "" if end is None else str(end)


def _fields(text: str) -> dict[str, Any]:
    try:
        said = json.loads(text, object_pairs_hook=_unique)
    except (json.JSONDecodeError, RecursionError) as e:
        raise LineError(f"not JSON: {e}") from e
    if not isinstance(said, dict):
        raise LineError("not a JSON object")
    return said


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    said = dict(pairs)
    if len(said) < len(pairs):
        raise LineError("a field is given twice")
    return said


def _question(said: dict[str, Any]) -> tuple[Expr, Domain]:
    other = next((name for name in _OTHERS if name in said), None)
    if other is not None:
        raise LineError(f"the field `{other}` is not supported, and the line means something else without it")
    if not isinstance(said.get("expr"), str):
        raise LineError("there is no text in the field `expr`")
    try:
        return Expr(said["expr"]), _domain(said)
    except (Error, ValueError, TypeError, KeyError, OverflowError) as e:
        raise LineError(str(e)) from e


def _domain(said: dict[str, Any]) -> Domain:
    ends, ranges = said.get("symbolic") or {}, {}
    for name, pair in (said.get("vars") or {}).items():
        if not isinstance(pair, list) or len(pair) != 2:
            raise LineError(f"the range of `{name}` is not a list of two ends")
        ranges[name] = (pair[0], ends.get(name, pair[1]))
    undeclared = next((name for name in ends if name not in ranges), None)
    if undeclared is not None:
        raise LineError(f"the variable `{undeclared}` has no range in the field `vars`")
    steps = {name: tuple(step) for name, step in (said.get("step") or {}).items()}
    return Domain(
        ranges,
        assume=said.get("assume") or [],
        step=steps,
        uniform=said.get("uniform") or [],
        # each of these loops is a loop nest of its own, as in `quaff batch`
        loop=[[name] for name in said.get("loop") or []],
        defined=said.get("defined") is True,
    )
