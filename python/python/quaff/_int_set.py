"""Intervals that contain all values of an expression. The ends of an interval are expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Union

from quaff._errors import Error
from quaff._quaff import Expr, Facts
from quaff._types import ExprLike, Interval

# Both ends of a range, inclusive. An open end is None.
Ends = tuple[Union[ExprLike, None], Union[ExprLike, None]]


class IntSet(NamedTuple):
    """An interval with inclusive ends. An open end is None.

    >>> quaff.Analyzer("n=0..99").int_set("i + n", {"i": (0, 3)})
    IntSet(min_value=quaff.Expr('n'), max_value=quaff.Expr('n + 3'))
    """

    min_value: Expr | None
    max_value: Expr | None


# The ranges of variables, by name.
Ranges = dict[str, tuple[Union[Expr, None], Union[Expr, None]]]
# The prefix of the names of variables that range over a domain. No variable of a question has this prefix.
_OWN = "_relaxed_"


def set_of(expr: Expr, domains: Mapping[str, Ends], facts: Facts) -> IntSet:
    """An interval that contains all values of ``expr`` when each variable takes all values of its domain.

    If the expression is proved to rise or to fall with a variable, an end of the domain is substituted for the
    variable. Otherwise the ends are computed from those of the operands.

    Args:
        expr: an expression.
        domains: the domains of the variables. Their ends may contain other variables of ``domains``.
        facts: the facts about the other variables. They are unchanged afterwards.
    """
    relaxed = _reached(expr, domains)
    if not relaxed:
        return IntSet(expr, expr)
    own = {name: f"{_OWN}{k}" for k, name in enumerate(relaxed)}

    def renamed(end: ExprLike | None) -> Expr | None:
        return None if end is None else Expr(end).rename(own)

    ranges: Ranges = {own[n]: (renamed(domains[n][0]), renamed(domains[n][1])) for n in relaxed}
    order = _order(ranges)
    if order is None:
        return IntSet(None, None)
    asked = expr.rename(own)
    facts.push()
    try:
        facts.add({name: ranges[name] for name in reversed(order)})
        asked, ranges = _counted(asked, ranges, order, facts)
        return _Relaxed(facts, ranges, order).ends(asked)
    finally:
        facts.pop()


def _counted(expr: Expr, ranges: Ranges, order: list[str], facts: Facts) -> tuple[Expr, Ranges]:
    """``expr`` with each variable whose two ends have a known distance replaced by its lower end plus a new variable
    from 0."""
    changed = dict(ranges)
    for name in order:
        lower, upper = ranges[name]
        if lower is None or upper is None or lower.value is not None:
            continue
        least, most = facts.bounds(upper - lower)
        if least is not None and least == most:
            facts.add({f"{name}_": (0, most)})
            expr = expr.subs({name: lower + Expr.var(f"{name}_")})
            changed[f"{name}_"] = Expr(0), Expr(most)
    # the outermost variables come first, as in `order`
    order[:0] = [name for name in changed if name not in ranges]
    return expr, changed


def _reached(expr: Expr, domains: Mapping[str, Ends]) -> list[str]:
    """The variables of ``expr`` that have a domain, and the variables that occur in these domains."""
    reached: dict[str, None] = {}
    todo = list(expr.variables)
    while todo:
        name = todo.pop()
        if name in domains and name not in reached:
            reached[name] = None
            todo.extend(v for end in domains[name] if end is not None for v in Expr(end).variables)
    return list(reached)


def _order(ranges: Ranges) -> list[str] | None:
    """The variables in an order in which no domain contains an earlier variable. None if the domains form a cycle."""
    needs = {name: {v for e in ends if e is not None for v in e.variables if v in ranges} for name, ends in ranges.items()}
    order: list[str] = []
    while needs:
        free = [name for name, needed in needs.items() if not needed]
        if not free:
            return None
        order.extend(free)
        needs = {name: needed - set(free) for name, needed in needs.items() if name not in free}
    return order[::-1]


class _Relaxed:
    """Computes the ends of expressions whose variables range over intervals."""

    def __init__(self, facts: Facts, ranges: Ranges, order: list[str]):
        self.facts = facts
        self.ranges = ranges
        self.order = order

    def ends(self, expr: Expr) -> IntSet:
        """The lower and the upper end of ``expr``."""
        found = self._simple(expr)
        if found is not None:
            return found
        least, most = self._numbers(expr)
        lower, upper = self._end(expr, 0), self._end(expr, 1)
        if lower is None or upper is None:
            of_parts = _of_operands(expr, self)
            lower = of_parts[0] if lower is None else lower
            upper = of_parts[1] if upper is None else upper
            # the numeric ends are used if they are at least as tight as the symbolic ends
            if least is not None and (lower is None or self.proves(lower <= least)):
                lower = Expr(least)
            if most is not None and (upper is None or self.proves(upper >= most)):
                upper = Expr(most)
        return IntSet(lower, upper)

    def _end(self, expr: Expr, end: int) -> Expr | None:
        """The lower (0) or upper (1) end of ``expr``, with an end of its range in place of each variable. None if
        ``expr`` is not proved to rise or fall with a variable."""
        for name in self.order:
            if name not in expr.variables:
                continue
            slope = self._slope(expr, name)
            if slope == 0:
                return None
            value = self.ranges[name][end if slope > 0 else 1 - end]
            if value is None:
                return None
            expr = expr.subs({name: value})
        return expr

    def _slope(self, expr: Expr, name: str) -> int:
        """1 if ``expr`` is proved to rise with a variable, -1 if it is proved to fall, else 0."""
        after = expr.subs({name: Expr.var(name) + 1})
        if self.proves(after >= expr):
            return 1
        return -1 if self.proves(after <= expr) else 0

    def proves(self, condition: Expr) -> bool:
        try:
            return self.facts.prove(condition) is True
        except Error:
            return False

    def _numbers(self, expr: Expr) -> Interval:
        """The ends of ``expr`` as numbers. None if nothing is known, or a divisor may be 0."""
        try:
            return self.facts.bounds(expr)
        except Error:
            return None, None

    def _simple(self, expr: Expr) -> IntSet | None:
        """The ends of an expression if none of its variables has a range, or if all of them have one. Otherwise
        None."""
        goes = [v in self.ranges for v in expr.variables]
        if not any(goes) and expr.op != "const":
            return IntSet(expr, expr)
        least, most = self._numbers(expr) if all(goes) else (None, None)
        return None if least is None or most is None else IntSet(Expr(least), Expr(most))

    def part(self, expr: Expr, operands: list[IntSet]) -> IntSet:
        """The ends of a subexpression, computed from the ends of its operands."""
        found = self._simple(expr)
        if found is not None:
            return found
        if not operands:
            return IntSet(self._end(expr, 0), self._end(expr, 1))
        rule = _RULES.get(expr.op)
        return rule(operands, self.proves) if rule else IntSet(None, None)


def _of_operands(expr: Expr, relaxed: _Relaxed) -> IntSet:
    """The ends of ``expr``, computed from the ends of its operands."""
    ends: dict[Expr, IntSet] = {}
    for part in expr.walk():
        ends[part] = relaxed.part(part, [ends[a] for a in part.args])
    return ends[expr]


Proves = Callable[[Expr], bool]


def _plus(a: Expr | None, b: Expr | None) -> Expr | None:
    return None if a is None or b is None else a + b


def _minus(a: Expr | None) -> Expr | None:
    return None if a is None else -a


def _negated(a: IntSet) -> IntSet:
    return IntSet(_minus(a.max_value), _minus(a.min_value))


def _sum(operands: list[IntSet], proves: Proves) -> IntSet:
    a, b = operands
    return IntSet(_plus(a.min_value, b.min_value), _plus(a.max_value, b.max_value))


def _product(operands: list[IntSet], proves: Proves) -> IntSet:
    for a, b in (operands, operands[::-1]):
        factor = b.min_value
        if factor is None or factor != b.max_value:
            continue
        for side, k in ((a, factor), (_negated(a), -factor)):
            if proves(k >= 0):
                return IntSet(*(None if end is None else end * k for end in side))
    return IntSet(None, None)


def _quotient(op: str) -> Callable[[list[IntSet], Proves], IntSet]:
    def rule(operands: list[IntSet], proves: Proves) -> IntSet:
        a, b = operands
        if b.min_value is None or b.min_value != b.max_value or not proves(b.min_value > 0):
            return IntSet(None, None)
        divisor = b.min_value
        return IntSet(*(None if end is None else Expr.make(op, end, divisor) for end in a))

    return rule


def _remainder(is_floor: bool) -> Callable[[list[IntSet], Proves], IntSet]:
    def rule(operands: list[IntSet], proves: Proves) -> IntSet:
        a, b = operands
        if b.min_value is None or b.max_value is None:
            return IntSet(None, None)
        if not proves(b.min_value > 0):
            # the divisor may have any sign, and is not 0
            most = b.max_value.max(-b.min_value) - 1
            return IntSet(b.min_value.min(-1) + 1, b.max_value.max(1) - 1) if is_floor else IntSet(-most, most)
        is_positive = a.min_value is not None and proves(a.min_value >= 0)
        if is_positive and a.max_value is not None and proves(a.max_value < b.min_value):
            return a
        return IntSet(Expr(0) if is_floor or is_positive else 1 - b.max_value, b.max_value - 1)

    return rule


def _extremum(op: str) -> Callable[[list[IntSet], Proves], IntSet]:
    def rule(operands: list[IntSet], proves: Proves) -> IntSet:
        a, b = operands
        ends = [None if x is None or y is None else Expr.make(op, x, y) for x, y in zip(a, b)]
        # if one operand has a known end, a minimum is at most this end, and a maximum is at least this end
        open_end = 1 if op == "min" else 0
        if ends[open_end] is None:
            ends[open_end] = a[open_end] if b[open_end] is None else b[open_end]
        return IntSet(*ends)

    return rule


def _choice(operands: list[IntSet], proves: Proves) -> IntSet:
    _, a, b = operands
    lower = None if a.min_value is None or b.min_value is None else a.min_value.min(b.min_value)
    upper = None if a.max_value is None or b.max_value is None else a.max_value.max(b.max_value)
    return IntSet(lower, upper)


def _truth(operands: list[IntSet], proves: Proves) -> IntSet:
    return IntSet(Expr(0), Expr(1))


_RULES: dict[str, Callable[[list[IntSet], Proves], IntSet]] = {
    "add": _sum,
    "sub": lambda operands, proves: _sum([operands[0], _negated(operands[1])], proves),
    "neg": lambda operands, proves: _negated(operands[0]),
    "mul": _product,
    "floordiv": _quotient("floordiv"),
    "truncdiv": _quotient("truncdiv"),
    "mod": _remainder(True),
    "truncmod": _remainder(False),
    "min": _extremum("min"),
    "max": _extremum("max"),
    "select": _choice,
    **{name: _truth for name in ("lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not")},
}
