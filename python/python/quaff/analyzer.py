"""``Analyzer``: a growing set of facts, questions about them, and a memo of the answers.

The methods have the same names as those of ``tvm.sym.Analyzer``, which compilers use. ``quaff.tvm.Analyzer`` is an
analyzer for expressions of TVM.

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
    """The range of an expression with inclusive ends. An open end is None.

    >>> quaff.Analyzer("i=0..15").const_int_bound("2*i + 1")
    ConstIntBound(min_value=1, max_value=31)
    """

    min_value: int | None
    max_value: int | None


class ModularSet(NamedTuple):
    """A congruence: every value is ``coeff * k + base``. ``coeff`` is 0 if there is only one value, and 1 if nothing is
    known.

    >>> quaff.Analyzer("i=0..15").modular_set("4*i + 3")
    ModularSet(coeff=4, base=3)
    """

    coeff: int
    base: int


class CompareResult(enum.IntEnum):
    """The order of two expressions at every point.

    The numbers of the members are those of TVM.

    >>> quaff.Analyzer("i=0..15").try_compare("i", "i + 1").name
    'LT'
    """

    INCONSISTENT = 0
    EQ = 1
    LT = 2
    LE = 3
    GT = 4
    GE = 5
    NE = 6
    UNKNOWN = 7


class Stats(NamedTuple):
    """Counts of the expressions that an analyzer has simplified.

    Attributes:
        nodes_visited: the number of nodes in the given expressions. A shared subexpression counts as often as it
            occurs.
        constraints_entered: the number of scopes that were entered.
        rewrites_attempted: the number of searches. A memoised answer needs no search.
        rewrites_performed: the number of expressions that were changed.
        max_recursive_depth: 0, because the engine uses no recursion.
        num_recursive_rewrites: 0, for the same reason.

    >>> analyzer = quaff.Analyzer("i=0..15")
    >>> answer = analyzer.simplify("(i + 16)%16")
    >>> analyzer.rewrite_simplify_stats.rewrites_performed
    1
    """

    nodes_visited: int = 0
    constraints_entered: int = 0
    rewrites_attempted: int = 0
    rewrites_performed: int = 0
    max_recursive_depth: int = 0
    num_recursive_rewrites: int = 0


_NO_Z3 = "quaff has no Z3: its own engine decides"


class Analyzer:
    """Holds facts about variables and memoises answers.

    If all ends of ranges are numbers, an answer is also reused for a question that differs only in the names of
    variables.

    Threads and tasks may share an analyzer. Facts that are bound outside of all scopes hold for all threads and tasks.
    A scope, and the facts that are bound in it, belong to the thread or task that entered it, until the scope ends.
    They also belong to tasks that are created within the scope.

    Args:
        domain: the initial facts: a ``Domain``, a dict or a text.
        memo: the largest number of memoised answers.
        simplifier: a ``Simplifier`` with special rules or limits.

    >>> analyzer = quaff.Analyzer("i=0..15")
    >>> analyzer.simplify("(i + 16)%16"), analyzer.can_prove("i < 16")
    (quaff.Expr('i'), True)
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

    # Methods that convert expressions. `quaff.tvm.Analyzer` overrides them for expressions of TVM.

    def _question(self, expr: Any) -> tuple[ExprLike, Callable[[Expr], Any]]:
        """The given expression as an expression of quaff, and a function that converts an answer back to the language
        of the given expression."""
        return expr, _as_it_is

    def _read(self, expr: Any) -> ExprLike:
        """The given expression as an expression of quaff."""
        return self._question(expr)[0]

    def _name(self, var: Any) -> str:
        """The name of a variable."""
        name = var.name if isinstance(var, Expr) else str(var)
        if name is None:
            raise ValueError(f"{var} is no variable")
        return name

    def _range(self, value: Any) -> Range:
        """An argument of ``bind`` or ``update``, converted to a range."""
        if isinstance(value, (str, Expr)):
            return value, value
        return tuple(value) if isinstance(value, (ConstIntBound, IntSet, list)) else value

    # Facts.

    def _known(self) -> Known:
        return _known.known_to(self, self._answers, self._outside, self._simplifier)

    @property
    def domain(self) -> Domain:
        """The facts that hold now, in the open scopes of the current thread or task."""
        outside, within = self._outside, _known.facts_around(self)
        if any(fact.replaces for fact in within):
            return Outside(outside.given, _known.that_hold((*outside.facts, *within))).domain
        domain = outside.domain
        for fact in within:
            domain = fact.added_to(domain)
        return domain

    def bind(self, var: Any, value: Any, allow_override: bool = False) -> None:
        """Declares that ``var`` (a name or an ``Expr``) is in ``value``.

        Within a scope, the declaration holds until the scope ends.

        ``value`` is ``(lower, upper)`` with inclusive ends, a ``range`` of Python, or an expression that equals the
        variable.

        Args:
            allow_override: whether the range replaces an earlier range from ``bind`` or ``update``. The facts of the
                initial domain, and facts from conditions, hold in any case.

        Raises:
            ValueError: the variable already has a range, and ``allow_override`` is not set.

        >>> analyzer = quaff.Analyzer()
        >>> analyzer.bind("i", (0, 15))
        >>> analyzer.bind("y", "4*i + 1")
        >>> analyzer.simplify("y//4")
        quaff.Expr('i')
        """
        name = self._name(var)
        self._say({"vars": {name: self._range(value)}}, (name, "range"), allow_override)

    def update(self, var: Any, info: Any, override: bool = False) -> None:
        """Adds facts about ``var``: a ``ConstIntBound`` or ``IntSet`` is a range, and a ``ModularSet`` is a congruence.

        Raises:
            TypeError: ``info`` is neither a ``ConstIntBound``, an ``IntSet`` nor a ``ModularSet``.
            ValueError: ``var`` already has a range or a congruence from an earlier call, and ``override`` is not set.

        >>> analyzer = quaff.Analyzer("i=0..15")
        >>> analyzer.update("i", quaff.analyzer.ModularSet(4, 0))
        >>> analyzer.can_prove("i%4 == 0")
        True
        """
        name = self._name(var)
        if isinstance(info, (ConstIntBound, IntSet)):
            self._say({"vars": {name: self._range(info)}}, (name, "range"), override)
        elif isinstance(info, ModularSet):
            self._say(_congruent(name, info.coeff, info.base), (name, "step"), override)
        else:
            raise TypeError(f"{type(info).__name__} is no ConstIntBound, ModularSet or IntSet")

    def _say(self, said: dict[str, Any], about: tuple[str, str], replaces: bool) -> None:
        """Adds a fact, which holds until the innermost scope ends."""
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
        """Assumes ``condition`` within the ``with`` statement, in the current thread or task.

        If the condition holds at no point, questions about its variables raise ``DomainError``, because code under this
        condition never runs.

        Raises:
            ParseError: the condition is a text that is not an expression. The error has the place.

        >>> analyzer = quaff.Analyzer("i=0..15")
        >>> with analyzer.constraint_scope("i < 4"):
        ...     analyzer.can_prove("i//4 == 0")
        True
        >>> analyzer.can_prove("i//4 == 0")
        False
        """
        scope = Scope(self)
        # the condition is read here once, and not in each question
        assumed = Domain(assume=[self._read(condition)]).assumptions
        with self._counting:
            self._counts[1] += 1
        _known.say(Fact({"assume": assumed}, scope))
        try:
            yield self
        finally:
            _known.end(scope)

    def clone(self) -> Analyzer:
        """A new analyzer with the current facts, and with its own scopes and memo.

        >>> analyzer = quaff.Analyzer("i=0..15")
        >>> other = analyzer.clone()
        >>> other.bind("j", (0, 3))
        >>> other.domain, analyzer.domain
        (quaff.Domain('i=0..15, j=0..3'), quaff.Domain('i=0..15'))
        """
        other = self._empty()
        held = _known.that_hold((*self._outside.facts, *_known.facts_around(self)))
        other._outside = Outside(self._outside.given, tuple(Fact(f.said, None, f.about) for f in held))
        other._maximum, other._extensions = self._maximum, self._extensions
        return other

    def _empty(self) -> Analyzer:
        return type(self)(memo=self._limit, simplifier=self._simplifier)

    # Simplification.

    def simplify(self, expr: Any, steps: int = 2) -> Any:
        """The cheapest form found for ``expr``.

        All values of ``steps`` above 0 have the same effect. If ``steps`` is 0, the expression is not changed.

        >>> quaff.Analyzer("i=0..15, j=0..3").simplify("(i*4 + j)//4")
        quaff.Expr('i')
        """
        if steps <= 0:
            return expr
        read, write = self._question(expr)
        answer = self._simplified([read])[0]
        self._count_answer(_expr(read), answer)
        return write(answer)

    def rewrite_simplify(self, expr: Any) -> Any:
        """The same as ``simplify``.

        >>> quaff.Analyzer("i=0..15, j=0..3").rewrite_simplify("(i*4 + j)%4")
        quaff.Expr('j')
        """
        return self.simplify(expr)

    def canonical_simplify(self, expr: Any) -> Any:
        """The same as ``simplify``.

        >>> quaff.Analyzer("i=0..15, j=0..3").canonical_simplify("(i*4 + j)%4")
        quaff.Expr('j')
        """
        return self.simplify(expr)

    def simplify_all(self, exprs: Iterable[Any]) -> list[Any]:
        """The cheapest forms found for several expressions of one kernel, which share their common parts.

        >>> quaff.Analyzer("i=0..15, j=0..3").simplify_all(["(i*4 + j)//4", "(i*4 + j)%4"])
        [quaff.Expr('i'), quaff.Expr('j')]
        """
        questions = [self._question(e) for e in exprs]
        # texts are passed without parsing, so that errors have places in these texts
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
        """Makes ``simplify`` raise ``RuntimeError`` if a search makes more nodes than ``maximum``. 0 means no limit.

        With a limit, memoised answers are not used, so that a repeated question makes the same number of nodes.

        >>> analyzer = quaff.Analyzer("i=0..15, j=0..3")
        >>> analyzer.set_maximum_rewrite_steps(1)
        >>> try:
        ...     analyzer.simplify("(i*4 + j)//4")
        ... except RuntimeError as e:
        ...     print("too many")
        too many
        """
        self._maximum = maximum

    @property
    def rewrite_simplify_stats(self) -> Stats:
        """The counts since the last call of ``reset_rewrite_simplify_stats``."""
        with self._counting:
            nodes, scopes, changed, before = self._counts
        return Stats(nodes, scopes, self._memo.counts()[1] - before, changed)

    def reset_rewrite_simplify_stats(self) -> None:
        """Sets the counts to 0.

        >>> analyzer = quaff.Analyzer("i=0..15")
        >>> answer = analyzer.simplify("(i + 16)%16")
        >>> analyzer.reset_rewrite_simplify_stats()
        >>> analyzer.rewrite_simplify_stats.rewrites_performed
        0
        """
        with self._counting:
            self._counts = [0, 0, 0, self._memo.counts()[1]]

    def _count_answer(self, asked: Expr, answer: Expr) -> None:
        with self._counting:
            self._counts[0] += asked.tree_size
            self._counts[2] += asked != answer

    @property
    def enabled_extensions(self) -> Any:
        """The enabled parts of TVM's simplifier. The value is stored and has no effect, because no part of quaff can be
        disabled."""
        return self._extensions

    @enabled_extensions.setter
    def enabled_extensions(self, extensions: Any) -> None:
        self._extensions = extensions

    # Questions.

    def _ask(self, kind: str, expr: ExprLike) -> Any:
        """The ``bounds`` or the ``congruence`` of an expression, memoised."""
        known = self._known()
        return known.remembered(kind, expr, lambda: getattr(known.facts, kind)(expr))

    def _proves(self, condition: ExprLike) -> bool:
        known = self._known()
        return bool(known.remembered("prove", condition, lambda: known.facts.prove(condition) is True))

    def can_prove(self, condition: Any, strength: int = 0) -> bool:
        """Whether ``condition`` is proved to hold at every point.

        All values of ``strength`` have the same effect.

        >>> analyzer = quaff.Analyzer("i=0..15")
        >>> analyzer.can_prove("i*4 < 64"), analyzer.can_prove("i > 3")
        (True, False)
        """
        return self._proves(self._read(condition))

    def can_prove_equal(self, a: Any, b: Any) -> bool:
        """Whether ``a`` and ``b`` are proved to be equal at every point.

        >>> quaff.Analyzer("i=0..15, j=0..3").can_prove_equal("(i*4 + j)//4", "i")
        True
        """
        left, right = self._read(a), self._read(b)
        known = self._known()
        return bool(known.remembered("equal", (left, right), lambda: known.facts.equal(left, right) is True))

    def can_prove_greater_equal(self, expr: Any, lower: int) -> bool:
        """Whether ``expr`` is proved to be at least ``lower`` at every point.

        >>> quaff.Analyzer("i=0..15").can_prove_greater_equal("i + 1", 1)
        True
        """
        expr = self._read(expr)
        lo, _ = self._ask("bounds", expr)
        if lo is not None and lo >= lower:
            return True
        return self._proves(_expr(expr) >= lower)

    def can_prove_less(self, expr: Any, upper: int) -> bool:
        """Whether ``expr`` is proved to be below ``upper`` at every point.

        >>> quaff.Analyzer("i=0..15").can_prove_less("i*4", 61)
        True
        """
        expr = self._read(expr)
        _, hi = self._ask("bounds", expr)
        if hi is not None and hi < upper:
            return True
        return self._proves(_expr(expr) < upper)

    def const_int_bound(self, expr: Any) -> Any:
        """A lower and an upper bound of ``expr``, as integers.

        >>> quaff.Analyzer("i=0..15").const_int_bound("15 - i")
        ConstIntBound(min_value=0, max_value=15)
        """
        return ConstIntBound(*self._ask("bounds", self._read(expr)))

    def const_int_bound_is_bound(self, var: Any) -> bool:
        """Whether ``bind``, ``update`` or the initial domain gave ``var`` a range.

        >>> analyzer = quaff.Analyzer("i=0..15")
        >>> analyzer.const_int_bound_is_bound("i"), analyzer.const_int_bound_is_bound("j")
        (True, False)
        """
        return self._is_said((self._name(var), "range"), _known.facts_around(self))

    def modular_set(self, expr: Any) -> Any:
        """A congruence that all values of ``expr`` satisfy.

        >>> quaff.Analyzer("i=0..15").modular_set("4*i + 3")
        ModularSet(coeff=4, base=3)
        """
        residue, modulus = self._ask("congruence", self._read(expr))
        return ModularSet(modulus, residue)

    def try_compare(self, lhs: Any, rhs: Any, propagate_inequalities: bool = True) -> Any:
        """The order of ``lhs`` and ``rhs`` at every point.

        Consequences of several facts are considered for both values of ``propagate_inequalities``.

        >>> quaff.Analyzer("i=0..15").try_compare("i*2", "i").name
        'GE'
        """
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
        """An interval that contains all values of ``expr`` when each variable in ``dom_map`` takes all values of its
        range.

        The ends may contain variables that are not in ``dom_map``. An end is None if nothing is known about it.

        Args:
            dom_map: a dict from variables to ranges, as for ``bind``. By default it has the ranges from ``bind`` and
                ``update``.

        >>> quaff.Analyzer("i=0..15, n=0..99").int_set("i + n", {"i": (0, 15)})
        IntSet(min_value=quaff.Expr('n'), max_value=quaff.Expr('n + 15'))
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

    # Z3, an optional part of TVM.

    @property
    def is_z3_enabled(self) -> bool:
        """False, because quaff does not use Z3."""
        return False

    def get_smtlib2(self, expr: Any = None) -> str:
        """Raises ``RuntimeError``, like TVM without Z3.

        >>> try:
        ...     quaff.Analyzer().get_smtlib2()
        ... except RuntimeError as e:
        ...     print(e)
        quaff has no Z3: its own engine decides
        """
        raise RuntimeError(_NO_Z3)

    def get_z3_stats(self) -> str:
        """Raises ``RuntimeError``, like TVM without Z3.

        >>> try:
        ...     quaff.Analyzer().get_z3_stats()
        ... except RuntimeError as e:
        ...     print(e)
        quaff has no Z3: its own engine decides
        """
        raise RuntimeError(_NO_Z3)

    def set_z3_timeout_ms(self, timeout_ms: int) -> None:
        """Raises ``RuntimeError``, like TVM without Z3.

        >>> try:
        ...     quaff.Analyzer().set_z3_timeout_ms(100)
        ... except RuntimeError as e:
        ...     print(e)
        quaff has no Z3: its own engine decides
        """
        raise RuntimeError(_NO_Z3)

    def set_z3_rlimit(self, rlimit: int) -> None:
        """Raises ``RuntimeError``, like TVM without Z3.

        >>> try:
        ...     quaff.Analyzer().set_z3_rlimit(1000)
        ... except RuntimeError as e:
        ...     print(e)
        quaff has no Z3: its own engine decides
        """
        raise RuntimeError(_NO_Z3)

    def counts(self) -> dict[str, int]:
        """The number of answers that ``simplify`` took from the memo, of computed answers, and of answers in the memo.

        >>> analyzer = quaff.Analyzer("i=0..15, j=0..15")
        >>> answers = analyzer.simplify("i*4//4"), analyzer.simplify("j*4//4")
        >>> analyzer.counts()
        {'hits': 1, 'misses': 1, 'held': 1}
        """
        hits, misses, held = self._memo.counts()
        return {"hits": hits, "misses": misses, "held": held}


def _as_it_is(answer: Expr) -> Expr:
    return answer


def _expr(read: ExprLike) -> Expr:
    return read if isinstance(read, Expr) else Expr(read)


def _congruent(name: str, modulus: int, residue: int) -> dict[str, Any]:
    """A congruence of a variable, as keywords of ``Domain``."""
    if modulus == 0:
        return {"vars": {name: residue}}
    return {"vars": {name: None}, "step": {name: (modulus, residue % modulus)}}


def _ends(value: Range) -> Ends:
    """A range as ``(lower, upper)``, both inclusive. An open end is None."""
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
