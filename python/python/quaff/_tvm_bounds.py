"""Solves conditions for a variable, reads linear equations, and computes regions of accesses, with TVM's objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tvm import ir, sym, tirx
from tvm.sym import IntervalSet, IntSet
from tvm.sym.iter_affine_map import IterMapLevel

from quaff import ask
from quaff._errors import Error
from quaff._int_set import set_of
from quaff._quaff import Expr
from quaff._tvm_analyzer import Analyzer, plain, with_ranges
from quaff._tvm_inputs import Inputs, detected, expr_of, minus_one

# Both ends of the range of a variable, inclusive. An open end is None.
Bounds = tuple["Expr | None", "Expr | None"]


class Solver:
    """Solves conditions for variables, using the facts of an analyzer."""

    def __init__(self, analyzer: Analyzer):
        self.analyzer = analyzer

    def proves(self, condition: Expr) -> bool:
        try:
            return self.analyzer._proves(condition)
        except Error:
            return False

    def simple(self, expr: Expr) -> Expr:
        return self.analyzer._simplified([expr])[0]

    def bounds(self, target: Expr, lower: Expr | None, upper: Expr | None, name: str) -> Bounds | None:
        """Two ends for the variable ``name``. It is between these ends if and only if ``target`` is between ``lower``
        and ``upper``. None if no such ends are found."""
        while target.name != name:
            found = self._linear(target, lower, upper, name)
            if found is not None:
                return found
            step = self._peeled(target, lower, upper, name)
            if step is None:
                return None
            target, lower, upper = step
        return lower, upper

    def _linear(self, target: Expr, lower: Expr | None, upper: Expr | None, name: str) -> Bounds | None:
        var = Expr.var(name)
        slope = self.simple(target.subs({name: var + 1}) - target)
        rest = self.simple(target.subs({name: 0}))
        if name in slope.variables or not self.analyzer.can_prove_equal(target, slope * var + rest):
            return None
        return self._divided(None if lower is None else lower - rest, None if upper is None else upper - rest, slope)

    def _divided(self, lower: Expr | None, upper: Expr | None, factor: Expr) -> Bounds | None:
        """The ends of a number whose product with ``factor`` is between ``lower`` and ``upper``."""
        if self.proves(factor < 0):
            lower, upper, factor = (None if upper is None else -upper), (None if lower is None else -lower), -factor
        elif not self.proves(factor > 0):
            return None
        return None if lower is None else -((-lower) // factor), None if upper is None else upper // factor

    def _peeled(self, target: Expr, lower: Expr | None, upper: Expr | None, name: str) -> tuple[Expr, Expr | None, Expr | None] | None:
        """The operand that contains the variable, and the ends between which this operand must be."""
        if target.op == "neg":
            return target.args[0], None if upper is None else -upper, None if lower is None else -lower
        if target.op not in ("add", "sub", "mul", "floordiv"):
            return None
        a, b = target.args
        if (name in a.variables) == (name in b.variables):
            return None
        inner, other = (a, b) if name in a.variables else (b, a)
        if target.op == "add" or (target.op == "sub" and inner is a):
            shift = other if target.op == "add" else -other
            return inner, None if lower is None else lower - shift, None if upper is None else upper - shift
        if target.op == "sub":
            return inner, None if upper is None else other - upper, None if lower is None else other - lower
        if target.op == "mul":
            ends = self._divided(lower, upper, other)
            return None if ends is None else (inner, *ends)
        if inner is not a:
            return None
        if self.proves(other < 0):
            inner, other = -inner, -other
        elif not self.proves(other > 0):
            return None
        return inner, None if lower is None else lower * other, None if upper is None else upper * other + other - 1


def conjuncts(condition: Expr) -> list[Expr] | None:
    """The comparisons whose conjunction is the condition. None if the condition is no conjunction of comparisons."""
    found: list[Expr] = []
    todo = [(condition, True)]
    while todo:
        part, holds = todo.pop()
        if part.op == "not":
            todo.append((part.args[0], not holds))
        elif part.op == ("and" if holds else "or"):
            todo.extend((a, holds) for a in reversed(part.args))
        elif part.op in _OTHERWISE:
            found.append(part if holds else Expr.make(_OTHERWISE[part.op], *part.args))
        else:
            return None
    return found


_OTHERWISE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


def _between(comparison: Expr, names: Sequence[str]) -> list[tuple[Expr, Expr | None, Expr | None]] | None:
    """A comparison as a list of expressions with lower and upper ends. The ends contain none of the variables in
    ``names``. None for ``!=``."""
    a, b = comparison.args
    op = comparison.op
    if op == "ne":
        return None
    if not any(n in names for n in a.variables):
        a, b, op = b, a, {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq"}[op]
    if any(n in names for n in b.variables):
        # move all terms to the left side
        a, b = a - b, Expr(0)
    lower = b + 1 if op == "gt" else b if op in ("ge", "eq") else None
    upper = b - 1 if op == "lt" else b if op in ("le", "eq") else None
    found: list[tuple[Expr, Expr | None, Expr | None]] = []
    todo = [(a, lower, upper)]
    while todo:
        part, lower, upper = todo.pop()
        # all operands of a minimum are at least its lower end, and all operands of a maximum are at most its upper end
        if (part.op == "min" and upper is None) or (part.op == "max" and lower is None):
            todo.extend((operand, lower, upper) for operand in reversed(part.args))
        else:
            found.append((part, lower, upper))
    return found


def _meet(solver: Solver, all_bounds: Sequence[Bounds]) -> Bounds:
    """The intersection of the intervals in ``all_bounds``."""
    lowers = [lower for lower, _ in all_bounds if lower is not None]
    uppers = [upper for _, upper in all_bounds if upper is not None]
    lower, upper = None, None
    for end in lowers:
        lower = end if lower is None else lower.max(end)
    for end in uppers:
        upper = end if upper is None else upper.min(end)
    return None if lower is None else solver.simple(lower), None if upper is None else solver.simple(upper)


def _interval(analyzer: Analyzer, bounds: Bounds, like: Sequence[Any]) -> IntervalSet:
    lower, upper = (None if end is None else analyzer.write(end, like) for end in bounds)
    return IntervalSet(sym.int_set.neg_inf() if lower is None else lower, sym.int_set.pos_inf() if upper is None else upper)


def _nothing() -> IntervalSet:
    return IntervalSet(sym.int_set.pos_inf(), sym.int_set.neg_inf())


def deduce_bound(var: Any, cond: Any, hint_map: Mapping[Any, IntSet], relax_map: Mapping[Any, IntSet]) -> IntervalSet:
    """An interval of ``var`` in which ``cond`` holds for all values of the variables in ``relax_map``.

    Args:
        var: the variable.
        cond: a comparison, or a conjunction of several.
        hint_map: the ranges of variables that may occur in the ends of the result.
        relax_map: the ranges of variables that do not occur in the result.

    Returns:
        The interval. It is empty if none is found.

    >>> from tvm import sym, tirx
    >>> i, n = tirx.Var("i", "int32"), tirx.Var("n", "int32")
    >>> found = quaff.tvm.deduce_bound(i, i * 4 < n, {n: sym.IntervalSet(1, 64)}, {})
    >>> found.max_value
    (n - 1) // 4
    """
    analyzer = with_ranges({**hint_map, **relax_map})
    name = analyzer._name(var)
    comparisons = conjuncts(expr_of(analyzer._read(plain(cond))))
    if comparisons is None:
        return _nothing()
    solver = Solver(analyzer)
    all_bounds: list[Bounds] = []
    for comparison in comparisons:
        if name not in comparison.variables:
            if not solver.proves(comparison):
                return _nothing()
            continue
        parts = _between(comparison, [name])
        found = None if parts is None else [_part_bounds(solver, *part, name) for part in parts]
        if found is None or any(f is None for f in found):
            return _nothing()
        all_bounds.extend(f for f in found if f is not None)
    domains = {analyzer._name(v): analyzer._range(r) for v, r in relax_map.items()}
    facts = analyzer._known().facts
    relaxed: list[Bounds] = []
    for lower, upper in all_bounds:
        least = None if lower is None else set_of(solver.simple(lower), domains, facts).max_value
        most = None if upper is None else set_of(solver.simple(upper), domains, facts).min_value
        if (lower is not None and least is None) or (upper is not None and most is None):
            return _nothing()
        relaxed.append((least, most))
    lower, upper = _meet(solver, relaxed)
    if lower is not None and upper is not None and solver.proves(lower > upper):
        return _nothing()
    return _interval(analyzer, (lower, upper), [var])


def _part_bounds(solver: Solver, part: Expr, lower: Expr | None, upper: Expr | None, name: str) -> Bounds | None:
    """Bounds of the variable ``name`` such that ``part`` is between the ends if the variable is within the bounds. The
    bounds are open if ``part`` is always between the ends."""
    if all(solver.proves(c) for c in ([] if lower is None else [part >= lower]) + ([] if upper is None else [part <= upper])):
        return None, None
    return solver.bounds(part, lower, upper, name) if name in part.variables else None


def detect_linear_equation(expr: Any, var_list: Sequence[Any]) -> list[Any]:
    """If ``expr`` is linear in the variables, their coefficients, and then the remaining term. Otherwise, an empty
    list.

    >>> from tvm import tirx
    >>> i, j = tirx.Var("i", "int32"), tirx.Var("j", "int32")
    >>> quaff.tvm.detect_linear_equation(i * 4 + j + 3, [i, j])
    [4, 1, 3]
    """
    analyzer = Analyzer()
    expr = plain(expr)
    read = expr_of(analyzer._read(expr))
    names = [analyzer._name(v) for v in var_list]
    solver = Solver(analyzer)
    rest = solver.simple(read.subs({name: 0 for name in names}))
    slopes = [solver.simple(read.subs({name: Expr.var(name) + 1}) - read) for name in names]
    if any(name in slope.variables for slope in slopes for name in names):
        return []
    total = rest
    for slope, name in zip(slopes, names):
        total = total + slope * Expr.var(name)
    if not analyzer.can_prove_equal(read, total):
        return []
    return [analyzer.write(e, [expr]) for e in (*slopes, rest)]


def detect_clip_bound(expr: Any, var_list: Sequence[Any]) -> list[Any]:
    """The least and the greatest value of each variable for which ``expr`` holds. None if there is no bound.

    If a comparison contains several of the variables, the list is empty.

    >>> from tvm import tirx
    >>> i = tirx.Var("i", "int32")
    >>> quaff.tvm.detect_clip_bound(tirx.And(i >= 2, i < 9), [i])
    [2, 8]
    """
    analyzer = Analyzer()
    comparisons = conjuncts(expr_of(analyzer._read(plain(expr))))
    names = [analyzer._name(v) for v in var_list]
    if comparisons is None:
        return []
    solver = Solver(analyzer)
    found: dict[str, list[Bounds]] = {name: [] for name in names}
    for comparison in comparisons:
        for part in _between(comparison, names) or [(comparison, None, None)]:
            own = [n for n in names if n in part[0].variables]
            bounds = solver.bounds(*part, own[0]) if len(own) == 1 else None
            if bounds is None or any(n in names for end in bounds if end is not None for n in end.variables):
                return []
            found[own[0]].append(bounds)
    ends = [end for name in names for end in _meet(solver, found[name])]
    return [None if end is None else analyzer.write(end, var_list) for end in ends]


def estimate_region_upper_bound(
    region: Sequence[ir.Range], var_dom: Mapping[Any, ir.Range], predicate: Any, analyzer: Analyzer | None = None
) -> list[IntervalSet]:
    """For each dimension, an interval that contains all indices of a region when variables range over their ranges,
    under a predicate.

    >>> from tvm import tirx
    >>> from tvm.ir import Range
    >>> i = tirx.Var("i", "int32")
    >>> [s] = quaff.tvm.estimate_region_upper_bound([Range.from_min_extent(i * 4, 4)], {i: Range(0, 8)}, True)
    >>> s.min_value, s.max_value
    (0, 31)
    """
    inputs = Inputs(var_dom, predicate, analyzer)
    ends_of = [_ends_of(inputs, range_) for range_ in region]
    facts = inputs.analyzer._simplifier.facts(inputs.domain)
    domains = {name: (Expr(0), minus_one(extent)) for name, extent in inputs.extents.items()}
    answers = []
    for first, last in ends_of:
        lower, upper = facts.bounds(first)[0], facts.bounds(last)[1]
        ends = (
            set_of(first, domains, facts).min_value if lower is None or _has_symbol(inputs, first) else Expr(lower),
            set_of(last, domains, facts).max_value if upper is None or _has_symbol(inputs, last) else Expr(upper),
        )
        answers.append(IntervalSet(*(_end(inputs, end, infinite) for end, infinite in zip(ends, _infinities()))))
    return answers


def _infinities() -> tuple[Any, Any]:
    return sym.int_set.neg_inf(), sym.int_set.pos_inf()


def _end(inputs: Inputs, end: Expr | None, infinite: Any) -> Any:
    return infinite if end is None else inputs.write(end)


def _ends_of(inputs: Inputs, range_: ir.Range) -> tuple[Expr, Expr]:
    first = inputs.read(range_.min)
    return first, first + inputs.read(range_.extent) - 1


def _has_symbol(inputs: Inputs, expr: Expr) -> bool:
    """Whether an expression has a variable that is no input."""
    return any(v not in inputs.extents for v in expr.variables)


def estimate_region_strict_bound(
    region: Sequence[ir.Range], var_dom: Mapping[Any, ir.Range], predicate: Any, analyzer: Analyzer | None = None
) -> list[IntervalSet] | None:
    """For each dimension, an interval, if the region is proved to consist of exactly the points in these intervals.
    Otherwise None.

    >>> from tvm import tirx
    >>> from tvm.ir import Range
    >>> i = tirx.Var("i", "int32")
    >>> [s] = quaff.tvm.estimate_region_strict_bound([Range.from_min_extent(i * 4, 4)], {i: Range(0, 8)}, True)
    >>> s.min_value, s.max_value
    (0, 31)
    """
    inputs = Inputs(var_dom, predicate, analyzer)
    firsts = [inputs.read(range_.min) for range_ in region]
    widths = [inputs.read(range_.extent) for range_ in region]
    if any(inputs.has_input(w) for w in widths):
        return None
    found = _iterators(inputs, firsts)
    if found is None:
        found = [_dense(inputs, firsts[0])] if len(firsts) == 1 else None
    if found is None or any(f is None for f in found):
        return None
    solver = Solver(inputs.analyzer)
    answers = []
    for (base, scale, extent), width in zip((f for f in found if f is not None), widths):
        if extent != Expr(1) and not solver.proves(scale <= width):
            return None
        last = base + scale * (extent - 1) + width - 1
        answers.append(IntervalSet(inputs.write(base), inputs.write(last)))
    return answers


def _iterators(inputs: Inputs, exprs: list[Expr]) -> list[tuple[Expr, Expr, Expr] | None] | None:
    """The base, the scale and the extent of each expression, if the expressions together take all combinations of their
    values. Otherwise None."""
    found, _ = detected(inputs, exprs, IterMapLevel.Surjective)
    if found is None:
        return None
    one = Expr(1)
    return [
        (o["base"], o["iterators"][0]["scale"], o["iterators"][0]["extent"]) if o["iterators"] else (o["base"], one, one)
        for o in found["outputs"]
    ]


def _dense(inputs: Inputs, expr: Expr) -> tuple[Expr, Expr, Expr] | None:
    """The least value, the step and the number of values of one expression, if its values have equal distances.
    Otherwise None."""
    try:
        found = ask.image(expr, inputs.domain)
    except (Error, ValueError):
        return None
    if not found["dense"] or not found["ends_are_values"] or found["least"] is None or found["greatest"] is None:
        return None
    step = found["stride"] or 1
    return Expr(found["least"]), Expr(step), Expr((found["greatest"] - found["least"]) // step + 1)


def estimate_region_lower_bound(
    region: Sequence[ir.Range], var_dom: Mapping[Any, ir.Range], predicate: Any, analyzer: Analyzer | None = None
) -> list[IntervalSet] | None:
    """For each dimension, an interval whose points are all in the region. The intervals are those of
    ``estimate_region_strict_bound``.

    >>> from tvm import tirx
    >>> from tvm.ir import Range
    >>> i = tirx.Var("i", "int32")
    >>> [s] = quaff.tvm.estimate_region_lower_bound([Range.from_min_extent(i * 4, 4)], {i: Range(0, 8)}, True)
    >>> s.min_value, s.max_value
    (0, 31)
    """
    return estimate_region_strict_bound(region, var_dom, predicate, analyzer)
