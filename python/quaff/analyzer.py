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

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from quaff._quaff import Domain, Expr, Memo, Simplifier
from quaff._types import DomainLike, ExprLike, Range


class ConstIntBound(NamedTuple):
    """Where the values of an expression lie, both ends inclusive; None where an end is open."""

    min_value: int | None
    max_value: int | None


class ModularSet(NamedTuple):
    """Every value is ``coeff * k + base``; ``coeff`` is 0 where there is one value, 1 where nothing is known."""

    coeff: int
    base: int


class Analyzer:
    """Holds a domain and remembers answers, up to the names of the variables where ranges are numbers.

    Args:
        domain: what is known to begin with: a ``Domain``, a dict or a text.
        memo: answers that are remembered at most.
        simplifier: a ``Simplifier`` with rules or limits of its own.
    """

    def __init__(self, domain: DomainLike | None = None, *, memo: int = 65536, simplifier: Simplifier | None = None):
        self._domain = domain if isinstance(domain, Domain) else Domain(domain)
        self._simplifier = simplifier or Simplifier()
        self._memo = Memo(self._simplifier, memo)

    @property
    def domain(self) -> Domain:
        """What is known now."""
        return self._domain

    def bind(self, var: Expr | str, value: Range | Expr | str, *, allow_override: bool = False) -> None:
        """Says that ``var`` (a name or an ``Expr``) lies in ``value``.

        ``value`` is ``(lower, upper)`` with inclusive ends, a ``range`` of Python, or one expression that it is equal to.

        Raises:
            ValueError: the variable has a range already, and ``allow_override`` is not set.
        """
        name = var.name if isinstance(var, Expr) else str(var)
        if name is None:
            raise ValueError(f"{var} is no variable")
        if name in self._domain and not allow_override:
            raise ValueError(f"the variable {name!r} has a range already; `allow_override=True` adds another one")
        if isinstance(value, (str, Expr)):
            self._domain = self._domain.extended({name: (value, value)})
        else:
            self._domain = self._domain.extended({name: value})

    def simplify(self, expr: ExprLike) -> Expr:
        """The cheapest found form of ``expr``."""
        return self._memo.simplify_all([expr], self._domain)[0]

    def simplify_all(self, exprs: Iterable[ExprLike]) -> list[Expr]:
        """The cheapest found forms of several expressions of one kernel, which share what they compute."""
        return self._memo.simplify_all(list(exprs), self._domain)

    def can_prove(self, condition: ExprLike) -> bool:
        """Whether ``condition`` is proved to hold at every point."""
        return self._simplifier.prove(condition, self._domain) is True

    def can_prove_equal(self, a: ExprLike, b: ExprLike) -> bool:
        """Whether ``a`` and ``b`` are proved to be equal at every point."""
        return self._simplifier.equal(a, b, self._domain) is True

    def can_prove_greater_equal(self, expr: ExprLike, lower: int) -> bool:
        """Whether ``expr`` is proved to be at least ``lower`` at every point."""
        lo, _ = self._simplifier.bounds(expr, self._domain)
        if lo is not None and lo >= lower:
            return True
        expr = expr if isinstance(expr, Expr) else Expr(expr)
        return self.can_prove(expr >= lower)

    def can_prove_less(self, expr: ExprLike, upper: int) -> bool:
        """Whether ``expr`` is proved to be below ``upper`` at every point."""
        _, hi = self._simplifier.bounds(expr, self._domain)
        if hi is not None and hi < upper:
            return True
        expr = expr if isinstance(expr, Expr) else Expr(expr)
        return self.can_prove(expr < upper)

    def const_int_bound(self, expr: ExprLike) -> ConstIntBound:
        """Between which integers the values of ``expr`` lie."""
        return ConstIntBound(*self._simplifier.bounds(expr, self._domain))

    def modular_set(self, expr: ExprLike) -> ModularSet:
        """A congruence that all values of ``expr`` satisfy."""
        residue, modulus = self._simplifier.congruence(expr, self._domain)
        return ModularSet(modulus, residue)

    @contextmanager
    def constraint_scope(self, condition: ExprLike) -> Iterator[Analyzer]:
        """Takes ``condition`` to hold within the ``with`` statement.

        Where it holds at no point, questions within raise ``DomainError``: code there is never run.
        """
        before = self._domain
        self._domain = before.extended(assume=[condition])
        try:
            yield self
        finally:
            self._domain = before

    def counts(self) -> dict[str, int]:
        """How often an answer was remembered and how often not, and how many are held."""
        hits, misses, held = self._memo.counts()
        return {"hits": hits, "misses": misses, "held": held}
