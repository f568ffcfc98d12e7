"""``Analyzer``: a domain that grows, questions about it, and a memory of the answers.

The names are those of ``tvm.arith.Analyzer``, which compilers know.

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
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from quaff._quaff import Domain, Expr, Facts, Memo, Simplifier
from quaff._types import DomainLike, ExprLike, Range


class ConstIntBound(NamedTuple):
    """Where the values of an expression lie, both ends inclusive; None where an end is open."""

    min_value: int | None
    max_value: int | None


class ModularSet(NamedTuple):
    """Every value is ``coeff * k + base``; ``coeff`` is 0 where there is one value, 1 where nothing is known."""

    coeff: int
    base: int


class _Scope:
    """A ``with`` statement of one analyzer: its facts hold until it ends."""

    def __init__(self, analyzer: Analyzer):
        # weakly: a thread remembers scopes, and must not keep their analyzer
        self.analyzer = weakref.ref(analyzer)
        self.has_ended = False


class _Fact:
    """What is said within a scope, as the keywords of ``Domain.extended``."""

    def __init__(self, scope: _Scope, said: dict[str, Any]):
        self.scope = scope
        self._said = said
        self._last: tuple[Domain, Domain] | None = None

    def added_to(self, outer: Domain) -> Domain:
        """``outer`` with this fact. The last answer is kept: most questions in a scope are about one domain."""
        if self._last is None or self._last[0] is not outer:
            self._last = outer, outer.extended(**self._said)
        return self._last[1]

    def alone(self) -> Domain:
        """This fact as a domain."""
        return Domain(**self._said)


class _Known:
    """What is known in one analyzer, as it was at the last question of one thread."""

    def __init__(self, analyzer: Analyzer, outside: Domain, facts: Facts):
        self.analyzer = weakref.ref(analyzer)
        self.outside = outside
        self.facts = facts
        self.within: tuple[_Fact, ...] = ()


class _Own(threading.local):
    """What the current thread knows, by the `id` of the analyzer. ``Facts`` end in the thread that made them, so that no analyzer holds them."""

    def __init__(self) -> None:
        self.known: dict[int, _Known] = {}


_own = _Own()

# The facts of the scopes around the current thread or task, those of inner scopes last. The tuple is never changed, so that a scope of one
# thread or task is seen by no other, and scopes may end in any order. There is one variable for all analyzers: a variable of each would
# live as long as the contexts that it was set in.
_around: ContextVar[tuple[_Fact, ...]] = ContextVar("quaff.analyzer.facts", default=())


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
        self._domain = domain if isinstance(domain, Domain) else Domain(domain)
        self._binding = threading.Lock()
        self._simplifier = simplifier or Simplifier()
        self._memo = Memo(self._simplifier, memo)

    def _facts(self) -> list[_Fact]:
        """The facts of the scopes of this analyzer that the current thread or task is in."""
        return [fact for fact in _around.get() if fact.scope.analyzer() is self and not fact.scope.has_ended]

    def _known(self) -> Facts:
        """What is known now. Levels that still hold since the last question are kept."""
        own, outside, within = _own.known, self._domain, tuple(self._facts())
        for ended in [key for key, known in own.items() if known.analyzer() is None]:
            del own[ended]
        known = own.get(id(self))
        if known is None or known.outside is not outside:
            known = own[id(self)] = _Known(self, outside, self._simplifier.facts(outside))
        kept = 0
        while kept < min(len(within), len(known.within)) and within[kept] is known.within[kept]:
            kept += 1
        for _ in known.within[kept:]:
            known.facts.pop()
        known.within = within[:kept]
        for fact in within[kept:]:
            said = fact.alone()
            known.facts.push()
            known.facts.add(said)
            known.within += (fact,)
        return known.facts

    @property
    def domain(self) -> Domain:
        """What is known now, where it is asked: in the scopes of the current thread or task."""
        domain = self._domain
        for fact in self._facts():
            domain = fact.added_to(domain)
        return domain

    def bind(self, var: Expr | str, value: Range | Expr | str, *, allow_override: bool = False) -> None:
        """Says that ``var`` (a name or an ``Expr``) lies in ``value``; within a scope, until that ends.

        ``value`` is ``(lower, upper)`` with inclusive ends, a ``range`` of Python, or one expression that it is equal to.

        Raises:
            ValueError: the variable has a range already, and ``allow_override`` is not set.
        """
        name = var.name if isinstance(var, Expr) else str(var)
        if name is None:
            raise ValueError(f"{var} is no variable")
        said = {name: (value, value) if isinstance(value, (str, Expr)) else value}
        with self._binding:
            domain = self.domain
            if name in domain and not allow_override:
                raise ValueError(f"the variable {name!r} has a range already; `allow_override=True` adds another one")
            facts = self._facts()
            if facts:
                self._say(facts[-1].scope, {"vars": said})
            else:
                self._domain = domain.extended(said)

    @staticmethod
    def _say(scope: _Scope, said: dict[str, Any]) -> None:
        """Adds what is said within ``scope``, in the current thread or task."""
        _around.set((*_around.get(), _Fact(scope, said)))

    def simplify(self, expr: ExprLike) -> Expr:
        """The cheapest found form of ``expr``."""
        return self._memo.simplify_all([expr], self.domain)[0]

    def simplify_all(self, exprs: Iterable[ExprLike]) -> list[Expr]:
        """The cheapest found forms of several expressions of one kernel, which share what they compute."""
        return self._memo.simplify_all(list(exprs), self.domain)

    def can_prove(self, condition: ExprLike) -> bool:
        """Whether ``condition`` is proved to hold at every point."""
        return self._known().prove(condition) is True

    def can_prove_equal(self, a: ExprLike, b: ExprLike) -> bool:
        """Whether ``a`` and ``b`` are proved to be equal at every point."""
        return self._known().equal(a, b) is True

    def can_prove_greater_equal(self, expr: ExprLike, lower: int) -> bool:
        """Whether ``expr`` is proved to be at least ``lower`` at every point."""
        lo, _ = self._known().bounds(expr)
        if lo is not None and lo >= lower:
            return True
        expr = expr if isinstance(expr, Expr) else Expr(expr)
        return self.can_prove(expr >= lower)

    def can_prove_less(self, expr: ExprLike, upper: int) -> bool:
        """Whether ``expr`` is proved to be below ``upper`` at every point."""
        _, hi = self._known().bounds(expr)
        if hi is not None and hi < upper:
            return True
        expr = expr if isinstance(expr, Expr) else Expr(expr)
        return self.can_prove(expr < upper)

    def const_int_bound(self, expr: ExprLike) -> ConstIntBound:
        """Between which integers the values of ``expr`` lie."""
        return ConstIntBound(*self._known().bounds(expr))

    def modular_set(self, expr: ExprLike) -> ModularSet:
        """A congruence that all values of ``expr`` satisfy."""
        residue, modulus = self._known().congruence(expr)
        return ModularSet(modulus, residue)

    @contextmanager
    def constraint_scope(self, condition: ExprLike) -> Iterator[Analyzer]:
        """Takes ``condition`` to hold within the ``with`` statement, in the current thread or task.

        Where it holds at no point, questions about its variables raise ``DomainError``: code there is never run.

        Raises:
            ParseError: the condition is no expression, with the place.
        """
        scope = _Scope(self)
        # read once, and not in each question
        self._say(scope, {"assume": Domain(assume=[condition]).assumptions})
        try:
            yield self
        finally:
            # also for contexts that were copied within: a scope that has ended holds nowhere
            scope.has_ended = True
            _around.set(tuple(fact for fact in _around.get() if not fact.scope.has_ended))

    def counts(self) -> dict[str, int]:
        """How often an answer was remembered and how often not, and how many are held."""
        hits, misses, held = self._memo.counts()
        return {"hits": hits, "misses": misses, "held": held}
