"""``Analyzer``: a domain that grows, questions about it, and a memory of the answers.

The names are those of ``tvm.sym.Analyzer``, which compilers know. ``quaff.tvm.Analyzer`` is the same for expressions of TVM.

>>> from quaff import Analyzer
>>> analyzer = Analyzer()
>>> analyzer.bind("i", (0, 15))
>>> str(analyzer.simplify("(i + 16) % 16"))
'i'
>>> with analyzer.constraint_scope("i < 4"):
...     analyzer.can_prove("i//4 == 0")
True
>>> analyzer.const_int_bound("2*i + 1")
ConstIntBound(min_value=1, max_value=31)
>>> analyzer.bind("y", "4*i + 1")
>>> str(analyzer.simplify("y//4")), analyzer.modular_set("y")
('i', ModularSet(coeff=4, base=1))
"""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from quaff import _known
from quaff._errors import EmptyDomainError
from quaff._int_set import Ends, IntSet, set_of
from quaff._known import Answers, Fact, Known, Outside, Scope
from quaff._quaff import Domain, Expr, Memo, Simplifier
from quaff._types import DomainLike, ExprLike, Range

__all__ = ["Analyzer", "CompareResult", "ConstIntBound", "IntSet", "ModularSet", "Stats"]


class ConstIntBound(NamedTuple):
    """Where the values of an expression lie, both ends inclusive; None where an end is open."""

    min_value: int | None
    max_value: int | None


class ModularSet(NamedTuple):
    """Every value is ``coeff * k + base``; ``coeff`` is 0 where there is one value, 1 where nothing is known."""

    coeff: int
    base: int


class CompareResult(enum.IntEnum):
    """How one expression lies to another at every point. The numbers are those of TVM."""

    INCONSISTENT = 0
    EQ = 1
    LT = 2
    LE = 3
    GT = 4
    GE = 5
    NE = 6
    UNKNOWN = 7


class Stats(NamedTuple):
    """What an analyzer has simplified.

    Attributes:
        nodes_visited: the nodes of the expressions that it was given, shared parts as often as they occur.
        constraints_entered: the scopes that were entered.
        rewrites_attempted: the searches; a remembered answer needs none.
        rewrites_performed: the expressions whose answer is another expression.
        max_recursive_depth: 0, as nothing recurses.
        num_recursive_rewrites: 0.
    """

    nodes_visited: int = 0
    constraints_entered: int = 0
    rewrites_attempted: int = 0
    rewrites_performed: int = 0
    max_recursive_depth: int = 0
    num_recursive_rewrites: int = 0


_NO_Z3 = "quaff has no Z3: its own engine decides"


class Analyzer:
    """Holds a domain and remembers answers, up to the names of the variables where ranges are numbers.

    Threads and tasks may share one. What is bound outside of all scopes is known to all of them; a scope, and what is bound within it,
    belongs to the thread or task that entered it, and to the tasks that are created within it, until it ends.

    Args:
        domain: what is known to begin with: a ``Domain``, a dict or a text.
        memo: answers that are remembered at most.
        simplifier: a ``Simplifier`` with rules or limits of its own.
    """

    def __init__(self, domain: DomainLike | None = None, *, memo: int = 65536, simplifier: Simplifier | None = None):
        self._outside = Outside(domain if isinstance(domain, Domain) else Domain(domain))
        self._binding = threading.Lock()
        self._simplifier = simplifier or Simplifier()
        self._limit = memo
        self._memo = Memo(self._simplifier, memo)
        self._answers = Answers(memo)
        self._counting = threading.Lock()
        self._counts = [0, 0, 0, 0]
        self._maximum = 0
        self._extensions: Any = 0

    # How expressions come in and go out. `quaff.tvm.Analyzer` takes and gives those of TVM.

    def _question(self, expr: Any) -> tuple[ExprLike, Callable[[Expr], Any]]:
        """What was given as an expression of quaff, and what writes an answer in the language of what was given."""
        return expr, _as_it_is

    def _read(self, expr: Any) -> ExprLike:
        """What was given as an expression of quaff."""
        return self._question(expr)[0]

    def _name(self, var: Any) -> str:
        """The name of a variable."""
        name = var.name if isinstance(var, Expr) else str(var)
        if name is None:
            raise ValueError(f"{var} is no variable")
        return name

    def _range(self, value: Any) -> Range:
        """What ``bind`` and ``update`` take, as a range."""
        if isinstance(value, (str, Expr)):
            return value, value
        return tuple(value) if isinstance(value, (ConstIntBound, IntSet, list)) else value

    # What is known.

    def _known(self) -> Known:
        return _known.known_to(self, self._answers, self._outside, self._simplifier)

    @property
    def domain(self) -> Domain:
        """What is known now, where it is asked: in the scopes of the current thread or task."""
        outside, within = self._outside, _known.facts_around(self)
        if any(fact.replaces for fact in within):
            return Outside(outside.given, _known.that_hold((*outside.facts, *within))).domain
        domain = outside.domain
        for fact in within:
            domain = fact.added_to(domain)
        return domain

    def bind(self, var: Any, value: Any, allow_override: bool = False) -> None:
        """Says that ``var`` (a name or an ``Expr``) lies in ``value``; within a scope, until that ends.

        ``value`` is ``(lower, upper)`` with inclusive ends, a ``range`` of Python, or one expression that it is equal to.

        Args:
            allow_override: forgets the range that ``bind`` or ``update`` gave the variable before. What the domain at the beginning says of
                it, and what conditions say, still holds.

        Raises:
            ValueError: the variable has a range already, and ``allow_override`` is not set.
        """
        name = self._name(var)
        self._say({"vars": {name: self._range(value)}}, (name, "range"), allow_override)

    def update(self, var: Any, info: Any, override: bool = False) -> None:
        """Says more of ``var``: a ``ConstIntBound`` or ``IntSet`` is a range, a ``ModularSet`` a congruence.

        Raises:
            TypeError: ``info`` is none of these.
            ValueError: the same was said before, and ``override`` is not set.
        """
        name = self._name(var)
        if isinstance(info, (ConstIntBound, IntSet)):
            self._say({"vars": {name: self._range(info)}}, (name, "range"), override)
        elif isinstance(info, ModularSet):
            self._say(_congruent(name, info.coeff, info.base), (name, "step"), override)
        else:
            raise TypeError(f"{type(info).__name__} is no ConstIntBound, ModularSet or IntSet")

    def _say(self, said: dict[str, Any], about: tuple[str, str], replaces: bool) -> None:
        """Adds what is said, until the innermost scope ends."""
        with self._binding:
            within = _known.facts_around(self)
            if not replaces and self._is_said(about, within):
                raise ValueError(f"the variable {about[0]!r} has a {about[1]} already; `allow_override=True` gives it another one")
            fact = Fact(said, within[-1].scope if within else None, about, replaces)
            if within:
                fact.added_to(self.domain)
                _known.say(fact)
            else:
                self._outside = self._outside.plus(fact)

    def _is_said(self, about: tuple[str, str], within: Iterable[Fact]) -> bool:
        name, kind = about
        if any(fact.about == about for fact in (*self._outside.facts, *within)):
            return True
        return kind == "range" and name in self._outside.given

    @contextmanager
    def constraint_scope(self, condition: Any) -> Iterator[Analyzer]:
        """Takes ``condition`` to hold within the ``with`` statement, in the current thread or task.

        Where it holds at no point, questions about its variables raise ``DomainError``: code there is never run.

        Raises:
            ParseError: the condition is no expression, with the place.
        """
        scope = Scope(self)
        # read once, and not in each question
        assumed = Domain(assume=[self._read(condition)]).assumptions
        with self._counting:
            self._counts[1] += 1
        _known.say(Fact({"assume": assumed}, scope))
        try:
            yield self
        finally:
            _known.end(scope)

    def clone(self) -> Analyzer:
        """An analyzer that knows what is known here, with scopes and memory of its own."""
        other = self._empty()
        held = _known.that_hold((*self._outside.facts, *_known.facts_around(self)))
        other._outside = Outside(self._outside.given, tuple(Fact(f.said, None, f.about) for f in held))
        other._maximum, other._extensions = self._maximum, self._extensions
        return other

    def _empty(self) -> Analyzer:
        return type(self)(memo=self._limit, simplifier=self._simplifier)

    # Simplification.

    def simplify(self, expr: Any, steps: int = 2) -> Any:
        """The cheapest found form of ``expr``. One search does all; without ``steps`` it is left as it is."""
        if steps <= 0:
            return expr
        read, write = self._question(expr)
        answer = self._simplified([read])[0]
        self._count_answer(_expr(read), answer)
        return write(answer)

    def rewrite_simplify(self, expr: Any) -> Any:
        """``simplify``."""
        return self.simplify(expr)

    def canonical_simplify(self, expr: Any) -> Any:
        """``simplify``."""
        return self.simplify(expr)

    def simplify_all(self, exprs: Iterable[Any]) -> list[Any]:
        """The cheapest found forms of several expressions of one kernel, which share what they compute."""
        questions = [self._question(e) for e in exprs]
        # texts as they are, for places in errors
        answers = self._simplified([read for read, _ in questions])
        for (read, _), answer in zip(questions, answers):
            self._count_answer(_expr(read), answer)
        return [write(answer) for (_, write), answer in zip(questions, answers)]

    def _simplified(self, asked: Sequence[ExprLike]) -> list[Expr]:
        if self._maximum <= 0:
            return self._memo.simplify_all(asked, self.domain)
        answer = self._simplifier.simplify_all(asked, self.domain)
        if answer.nodes > self._maximum:
            raise RuntimeError(f"the search made {answer.nodes} nodes, of at most {self._maximum}")
        return answer.exprs

    def set_maximum_rewrite_steps(self, maximum: int) -> None:
        """Makes ``simplify`` raise ``RuntimeError`` where a search makes more nodes than ``maximum``; 0 is no limit.

        Answers that are remembered are not used then, so that the same question always needs the same steps.
        """
        self._maximum = maximum

    @property
    def rewrite_simplify_stats(self) -> Stats:
        """What was simplified since ``reset_rewrite_simplify_stats``."""
        with self._counting:
            nodes, scopes, changed, before = self._counts
        return Stats(nodes, scopes, self._memo.counts()[1] - before, changed)

    def reset_rewrite_simplify_stats(self) -> None:
        """Counts from 0 on."""
        with self._counting:
            self._counts = [0, 0, 0, self._memo.counts()[1]]

    def _count_answer(self, asked: Expr, answer: Expr) -> None:
        with self._counting:
            self._counts[0] += asked.tree_size
            self._counts[2] += asked != answer

    @property
    def enabled_extensions(self) -> Any:
        """Which parts of TVM's simplifier are in use. It is kept, and changes nothing: no part of quaff's is ever left out."""
        return self._extensions

    @enabled_extensions.setter
    def enabled_extensions(self, extensions: Any) -> None:
        self._extensions = extensions

    # Questions.

    def _ask(self, kind: str, expr: ExprLike) -> Any:
        """The ``bounds`` or the ``congruence`` of an expression, remembered."""
        known = self._known()
        return known.remembered(kind, expr, lambda: getattr(known.facts, kind)(expr))

    def _proves(self, condition: ExprLike) -> bool:
        known = self._known()
        return bool(known.remembered("prove", condition, lambda: known.facts.prove(condition) is True))

    def can_prove(self, condition: Any, strength: int = 0) -> bool:
        """Whether ``condition`` is proved to hold at every point. All strengths are the greatest one."""
        return self._proves(self._read(condition))

    def can_prove_equal(self, a: Any, b: Any) -> bool:
        """Whether ``a`` and ``b`` are proved to be equal at every point."""
        left, right = self._read(a), self._read(b)
        known = self._known()
        return bool(known.remembered("equal", (left, right), lambda: known.facts.equal(left, right) is True))

    def can_prove_greater_equal(self, expr: Any, lower: int) -> bool:
        """Whether ``expr`` is proved to be at least ``lower`` at every point."""
        expr = self._read(expr)
        lo, _ = self._ask("bounds", expr)
        if lo is not None and lo >= lower:
            return True
        return self._proves(_expr(expr) >= lower)

    def can_prove_less(self, expr: Any, upper: int) -> bool:
        """Whether ``expr`` is proved to be below ``upper`` at every point."""
        expr = self._read(expr)
        _, hi = self._ask("bounds", expr)
        if hi is not None and hi < upper:
            return True
        return self._proves(_expr(expr) < upper)

    def const_int_bound(self, expr: Any) -> Any:
        """Between which integers the values of ``expr`` lie."""
        return ConstIntBound(*self._ask("bounds", self._read(expr)))

    def const_int_bound_is_bound(self, var: Any) -> bool:
        """Whether ``bind``, ``update`` or the domain at the beginning gave ``var`` a range."""
        return self._is_said((self._name(var), "range"), _known.facts_around(self))

    def modular_set(self, expr: Any) -> Any:
        """A congruence that all values of ``expr`` satisfy."""
        residue, modulus = self._ask("congruence", self._read(expr))
        return ModularSet(modulus, residue)

    def try_compare(self, lhs: Any, rhs: Any, propagate_inequalities: bool = True) -> Any:
        """How ``lhs`` lies to ``rhs`` at every point. What follows from several facts is always found."""
        left, right = _expr(self._read(lhs)), _expr(self._read(rhs))
        try:
            for found, condition in (
                (CompareResult.EQ, left.eq(right)),
                (CompareResult.LT, left < right),
                (CompareResult.GT, left > right),
                (CompareResult.LE, left <= right),
                (CompareResult.GE, left >= right),
                (CompareResult.NE, left.ne(right)),
            ):
                if self._proves(condition):
                    return found
        except EmptyDomainError:
            return CompareResult.INCONSISTENT
        return CompareResult.UNKNOWN

    def int_set(self, expr: Any, dom_map: Mapping[Any, Any] | None = None) -> Any:
        """An interval with all values of ``expr`` while the variables of ``dom_map`` go through their domains.

        The ends may have the other variables in them. An end is None where nothing is known.

        Args:
            dom_map: a dict from variables to ranges, as for ``bind``; by default that of the ranges that ``bind`` and ``update`` said.
        """
        asked = _expr(self._read(expr))
        domains = self._bound() if dom_map is None else {self._name(v): _ends(self._range(r)) for v, r in dom_map.items()}
        found = set_of(asked, domains, self._known().facts)
        return IntSet(*(None if end is None else self._simplified([end])[0] for end in found))

    def _bound(self) -> dict[str, Ends]:
        """The ranges of all variables that have one."""
        given = self._outside.given
        bound: dict[str, Ends] = {name: given.bounds(name) for name in given.vars}
        for fact in _known.that_hold((*self._outside.facts, *_known.facts_around(self))):
            if fact.about is not None and fact.about[1] == "range":
                bound.update((name, _ends(ends)) for name, ends in fact.said["vars"].items())
        return {name: ends for name, ends in bound.items() if ends != (None, None)}

    # Z3, which TVM can be built with.

    @property
    def is_z3_enabled(self) -> bool:
        """False: quaff has no Z3."""
        return False

    def get_smtlib2(self, expr: Any = None) -> str:
        """Raises ``RuntimeError``, as TVM does without Z3."""
        raise RuntimeError(_NO_Z3)

    def get_z3_stats(self) -> str:
        """Raises ``RuntimeError``, as TVM does without Z3."""
        raise RuntimeError(_NO_Z3)

    def set_z3_timeout_ms(self, timeout_ms: int) -> None:
        """Raises ``RuntimeError``, as TVM does without Z3."""
        raise RuntimeError(_NO_Z3)

    def set_z3_rlimit(self, rlimit: int) -> None:
        """Raises ``RuntimeError``, as TVM does without Z3."""
        raise RuntimeError(_NO_Z3)

    def counts(self) -> dict[str, int]:
        """How often an answer of ``simplify`` was remembered and how often not, and how many are held."""
        hits, misses, held = self._memo.counts()
        return {"hits": hits, "misses": misses, "held": held}


def _as_it_is(answer: Expr) -> Expr:
    return answer


def _expr(read: ExprLike) -> Expr:
    return read if isinstance(read, Expr) else Expr(read)


def _congruent(name: str, modulus: int, residue: int) -> dict[str, Any]:
    """What a congruence says of a variable, as keywords of ``Domain``."""
    if modulus == 0:
        return {"vars": {name: residue}}
    return {"vars": {name: None}, "step": {name: (modulus, residue % modulus)}}


def _ends(value: Range) -> Ends:
    """A range as ``(lower, upper)``, both inclusive; None where it is open."""
    if value is None:
        return None, None
    if isinstance(value, range):
        if len(value) == 0:
            raise ValueError("a range without values")
        return min(value[0], value[-1]), max(value[0], value[-1])
    if isinstance(value, (tuple, list)):
        lower, upper = value
        return lower, upper
    return value, value
