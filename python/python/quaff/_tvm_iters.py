"""Index maps as iterators in TVM's objects, computed by ``quaff.ask``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tvm import ir, tirx
from tvm.sym import IterMapExpr, IterMark, IterSplitExpr, IterSumExpr
from tvm.sym.iter_affine_map import IterMapLevel

from quaff import ask
from quaff._errors import Error
from quaff._quaff import Expr
from quaff._tvm_analyzer import Analyzer, plain, with_ranges
from quaff._tvm_inputs import OWN, Inputs, detected, expr_of, factors, level_of
from quaff._types import ExprLike


@dataclass
class IterMapResult:
    """The result of ``detect_iter_map``. It has the attributes of TVM's result. TVM's own result is an object that
    Python cannot create.

    Attributes:
        indices: a sum of iterators for each index. The list is empty if there is no map.
        errors: the reasons why there is no map.
        padding_predicate: the condition under which a value is padding. False if there is no padding.

    >>> quaff.tvm.IterMapResult(errors=["no map"]).indices
    []
    """

    indices: list[IterSumExpr] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    padding_predicate: Any = None

    def __post_init__(self) -> None:
        if self.padding_predicate is None:
            self.padding_predicate = tirx.IntImm("bool", 0)


def detect_iter_map(
    indices: Sequence[Any],
    input_iters: Mapping[Any, ir.Range],
    predicate: Any = True,
    check_level: Any = IterMapLevel.Surjective,
    simplify_trivial_iterators: bool = True,
    analyzer: Analyzer | None = None,
) -> IterMapResult:
    """Writes each index as a base and one iterator, by ``quaff.ask.detect``.

    Args:
        indices: the expressions.
        input_iters: a dict from variables to their ranges.
        predicate: a condition that the inputs satisfy.
        check_level: "bijective", "surjective" or "nocheck", or TVM's ``IterMapLevel``.
        simplify_trivial_iterators: ignored, as part of TVM's signature. An iterator with one value is always a
            constant.
        analyzer: facts in addition to the ranges.

    >>> from tvm import tirx
    >>> from tvm.ir import Range
    >>> i, j = tirx.Var("i", "int32"), tirx.Var("j", "int32")
    >>> found = quaff.tvm.detect_iter_map([i * 4 + j], {i: Range(0, 8), j: Range(0, 4)})
    >>> len(found.indices), list(found.errors)
    (1, [])
    """
    inputs = Inputs(input_iters, predicate, analyzer)
    asked = [inputs.read(plain(index)) for index in indices]
    found, why = detected(inputs, asked, level_of(check_level))
    if found is None:
        return IterMapResult(errors=[why])
    outputs = found["outputs"]
    try:
        sums = [_iter_sum(inputs, output) for output in outputs]
        padding = [inputs.write_condition(_padded(inputs, p, outputs)) for p in found["padding"]]
    except Error as e:
        return IterMapResult(errors=[str(e)])
    return IterMapResult(sums, padding_predicate=tirx.any(*padding) if padding else None)


def _padded(inputs: Inputs, padding: Mapping[str, Expr], outputs: Sequence[Mapping[str, Any]]) -> Expr:
    """The condition under which a value is padding. The values of the source of an iterator are divided into pieces of
    ``lower`` values. Padding is the first ``left`` values of the first piece, and the last ``right`` values of the last
    piece."""
    source, lower, left, right = (padding[key] for key in ("source", "lower", "left", "right"))
    iterators = [i for output in outputs for i in output["iterators"] if i["source"] == source and i["lower"] == lower]
    pieces = next((i["extent"] for i in iterators if i["modulus"] is None), None)
    if pieces is None:
        _, upper = inputs.analyzer._simplifier.facts(inputs.domain).bounds(source)
        if upper is None:
            raise Error("the number of pieces of a padded iterator is not known")
        pieces = Expr(upper) // lower + 1
    at_start = (source // lower).eq(0).logical_and(source % lower < left)
    at_end = (source // lower).eq(pieces - 1).logical_and(source % lower >= lower - right)
    return at_start.logical_or(at_end)


def _iter_sum(inputs: Inputs, output: Mapping[str, Any]) -> IterSumExpr:
    """A base and iterators as an object of TVM."""
    args = [_split(inputs, iterator) for iterator in output["iterators"]]
    return IterSumExpr(args, inputs.write(output["base"]))


def _split(inputs: Inputs, iterator: Mapping[str, Any]) -> IterSplitExpr:
    extent, lower = iterator["extent"], iterator["lower"]
    source = iterator["source"]
    if iterator["modulus"] is None:
        size = extent * lower
    else:
        size = _extent_of(inputs, source, iterator["modulus"] * lower)
    mark = _mark(inputs, source, size)
    return IterSplitExpr(mark, inputs.write(lower), inputs.write(extent), inputs.write(iterator["scale"]))


def _extent_of(inputs: Inputs, source: Expr, at_least: Expr) -> Expr:
    """The number of values of a source, whose values begin at 0."""
    if source.name in inputs.extents:
        return inputs.extents[source.name]
    facts = inputs.analyzer._simplifier.facts(inputs.domain)
    _, upper = facts.bounds(source)
    return at_least if upper is None else Expr(upper + 1)


def _mark(inputs: Inputs, source: Expr, extent: Expr) -> IterMark:
    """The source of an iterator as an object of TVM. It is an input, or a sum of digits of inputs if possible, or else
    an expression."""
    if source.name in inputs.extents:
        return IterMark(inputs.write(source), inputs.write(inputs.extents[source.name]))
    digits = _digits(inputs, source)
    return IterMark(inputs.write(source) if digits is None else digits, inputs.write(extent))


def _digits(inputs: Inputs, source: Expr) -> IterSumExpr | None:
    """``source`` as a sum of digits of inputs, or None if it is no such sum."""
    base = Expr(0)
    scales: dict[tuple[str, Expr, Expr | None], Expr] = {}
    for term, sign in _terms(source):
        if not inputs.has_input(term):
            base = base + term * sign
            continue
        digit, scale = _scaled(inputs, term)
        parts = _digit(inputs, digit)
        if parts is None:
            return None
        scales[parts] = scales[parts] + scale * sign if parts in scales else scale * sign
    args: list[IterSplitExpr] = []
    by_scale = [(parts, inputs.analyzer._simplified([scale])[0]) for parts, scale in scales.items()]
    for (name, lower, modulus), scale in sorted(by_scale, key=lambda found: _rank(found[1]), reverse=True):
        extent = inputs.extents[name]
        own = -(-extent // lower) if modulus is None else modulus
        mark = IterMark(inputs.write(Expr.var(name)), inputs.write(extent))
        args.append(IterSplitExpr(mark, inputs.write(lower), inputs.write(own), inputs.write(scale)))
    return IterSumExpr(args, inputs.write(base)) if args else None


def _terms(expr: Expr) -> list[tuple[Expr, int]]:
    """The terms of a sum, each with its sign."""
    terms: list[tuple[Expr, int]] = []
    todo = [(expr, 1)]
    while todo:
        part, sign = todo.pop()
        if part.op in ("add", "sub"):
            a, b = part.args
            todo.extend([(b, sign if part.op == "add" else -sign), (a, sign)])
        elif part.op == "neg":
            todo.append((part.args[0], -sign))
        elif part.op == "mul" and any(a.op in _SUMS for a in part.args) and len(terms) + len(todo) < _TERMS:
            a, b = part.args if part.args[1].op in _SUMS else part.args[::-1]
            todo.extend((a * own, sign * own_sign) for own, own_sign in reversed(_sum_of(b)))
        else:
            terms.append((part, sign))
    return terms


_SUMS = ("add", "sub", "neg")
# The largest number of terms that a sum is split into.
_TERMS = 256


def _sum_of(expr: Expr) -> list[tuple[Expr, int]]:
    """The operands of a sum with their signs."""
    signs = {"add": (1, 1), "sub": (1, -1), "neg": (-1,)}[expr.op]
    return list(zip(expr.args, signs))


def _scaled(inputs: Inputs, term: Expr) -> tuple[Expr, Expr]:
    """A term as the product of a factor with inputs and a factor without inputs."""
    scale = Expr(1)
    while term.op == "mul":
        a, b = term.args
        if inputs.has_input(a) and inputs.has_input(b):
            break
        term, factor = (a, b) if inputs.has_input(a) else (b, a)
        scale = factor if scale == Expr(1) else scale * factor
    return term, scale


def _digit(inputs: Inputs, expr: Expr) -> tuple[str, Expr, Expr | None] | None:
    """The input, the divisor and the modulus of ``input//divisor%modulus``. None if the expression is no such digit."""
    modulus, lower = None, Expr(1)
    if expr.op == "mod":
        expr, modulus = expr.args
    if expr.op == "floordiv":
        expr, lower = expr.args
    is_digit = expr.name in inputs.extents and not any(inputs.has_input(e) for e in (lower, modulus) if e is not None)
    return (str(expr.name), lower, modulus) if is_digit else None


def normalize_to_iter_sum(index: Any, input_iters: Mapping[Any, ir.Range], analyzer: Analyzer | None = None) -> IterSumExpr:
    """An index as a sum of iterators. Terms that are no iterators are part of the base.

    Iterators with larger constant factors come first.

    >>> from tvm import tirx
    >>> from tvm.ir import Range
    >>> i, n = tirx.Var("i", "int32"), tirx.Var("n", "int32")
    >>> quaff.tvm.normalize_to_iter_sum(i * 4 + n, {i: Range(0, 8)}).base
    n
    """
    inputs = Inputs(input_iters, True, analyzer)
    whole = inputs.analyzer._simplifier.simplify(inputs.read(plain(index)), inputs.domain).expr
    found = _found(inputs, whole)
    if found is None:
        # each term is handled separately, because a factor may have any sign
        base = Expr(0)
        iterators: list[dict[str, Any]] = []
        for term, sign in _terms(whole):
            digit, scale = _scaled(inputs, term)
            part = _found(inputs, digit) or {"iterators": [], "base": digit}
            base = base + part["base"] * scale * sign
            iterators.extend({**i, "scale": i["scale"] * scale * sign} for i in part["iterators"])
        found = {"iterators": iterators, "base": base}
    iterators = sorted(found["iterators"], key=lambda i: _rank(i["scale"]), reverse=True)
    return IterSumExpr([_split(inputs, i) for i in iterators], inputs.write(found["base"]))


def _found(inputs: Inputs, expr: Expr) -> dict[str, Any] | None:
    if not inputs.has_input(expr):
        return {"iterators": [], "base": expr}
    try:
        found = ask.detect([expr], inputs.names, inputs.domain)
    except (Error, ValueError):
        return None
    return found["outputs"][0] if "outputs" in found else None


def _rank(scale: Expr) -> tuple[int, int]:
    """The constant factor of the scale of an iterator, and the number of symbols in the scale."""
    constant, symbols = 1, 0
    todo = [scale]
    while todo:
        part = todo.pop()
        if part.op == "mul":
            todo.extend(part.args)
        elif part.op == "const":
            constant *= abs(int(part.value or 0))
        else:
            symbols += 1
    return constant, symbols


def iter_map_simplify(
    indices: Sequence[Any],
    input_iters: Mapping[Any, ir.Range],
    predicate: Any = True,
    check_level: Any = IterMapLevel.Surjective,
    simplify_trivial_iterators: bool = True,
    analyzer: Analyzer | None = None,
) -> list[Any]:
    """The cheapest forms found for several indices together.

    The forms are right at each check level, so the arguments for the level and for trivial iterators have no effect.

    >>> from tvm import tirx
    >>> from tvm.ir import Range
    >>> i, j = tirx.Var("i", "int32"), tirx.Var("j", "int32")
    >>> quaff.tvm.iter_map_simplify([(i * 4 + j) // 4], {i: Range(0, 8), j: Range(0, 4)})
    [i]
    """
    own = with_ranges(input_iters, analyzer)
    for size in {v for range_ in input_iters.values() for v in factors(expr_of(own._read(range_.extent)))}:
        own._say({"vars": {size: (1, None)}}, (size, "size"), True)
    with own.constraint_scope(predicate):
        return own.simplify_all(indices)


def normalize_iter_map_to_expr(expr: Any) -> Any:
    """An ``IterSumExpr`` or ``IterSplitExpr`` as an expression.

    >>> from tvm import tirx
    >>> from tvm.ir import Range
    >>> i, j = tirx.Var("i", "int32"), tirx.Var("j", "int32")
    >>> found = quaff.tvm.detect_iter_map([i * 4 + j], {i: Range(0, 8), j: Range(0, 4)})
    >>> quaff.tvm.normalize_iter_map_to_expr(found.indices[0])
    i * 4 + j
    """
    analyzer = Analyzer()
    done: dict[int, Any] = {}
    todo, alive = [expr], []
    while todo:
        part = todo.pop()
        alive.append(part)
        if part.__chandle__() in done:
            continue
        operands = _operands(part)
        missing = [o for o in operands if o.__chandle__() not in done]
        if missing:
            todo.extend([part, *missing])
        else:
            done[part.__chandle__()] = _as_expr(analyzer, part, [done[o.__chandle__()] for o in operands])
    return done[expr.__chandle__()]


def _operands(part: Any) -> list[Any]:
    if isinstance(part, IterSumExpr):
        return list(part.args)
    return [part.source.source] if isinstance(part, IterSplitExpr) else []


def _as_expr(analyzer: Analyzer, part: Any, operands: list[Any]) -> Any:
    if isinstance(part, IterSumExpr):
        total = None
        for operand in operands:
            total = operand if total is None else total + operand
        if total is None:
            return part.base
        return total if isinstance(part.base, tirx.IntImm) and int(part.base) == 0 else total + part.base
    if not isinstance(part, IterSplitExpr):
        return part
    value = operands[0]
    is_one = isinstance(part.lower_factor, tirx.IntImm) and int(part.lower_factor) == 1
    if not is_one:
        value = tirx.floordiv(value, part.lower_factor)
    if not analyzer.can_prove_equal(part.lower_factor * part.extent, part.source.extent):
        value = tirx.floormod(value, part.extent)
    return value if isinstance(part.scale, tirx.IntImm) and int(part.scale) == 1 else value * part.scale


def subspace_divide(
    bindings: Sequence[Any],
    input_iters: Mapping[Any, ir.Range],
    sub_iters: Sequence[Any],
    predicate: Any = True,
    check_level: Any = IterMapLevel.Surjective,
    simplify_trivial_iterators: bool = True,
    analyzer: Analyzer | None = None,
) -> list[list[IterMark]]:
    """Writes each binding as ``outer * extent of inner + inner``, by ``quaff.ask.subspace_divide``.

    Returns:
        A pair of marks for each binding, and then a pair whose extents are the predicates. The list is empty if a
        binding cannot be divided.

    >>> from tvm import tirx
    >>> from tvm.ir import Range
    >>> i, j = tirx.Var("i", "int32"), tirx.Var("j", "int32")
    >>> pairs = quaff.tvm.subspace_divide([i * 4 + j], {i: Range(0, 8), j: Range(0, 4)}, [j])
    >>> [mark.extent for mark in pairs[0]]
    [8, 4]
    """
    inputs = Inputs(input_iters, predicate, analyzer)
    asked = [inputs.read(plain(b)) for b in bindings]
    inner = [inputs.read(plain(v)).variables[0] for v in sub_iters]
    if detected(inputs, asked, level_of(check_level))[0] is None:
        return []
    try:
        found = ask.subspace_divide(asked, inputs.names, inner, inputs.domain)
        if "mixed" in found:
            found = ask.subspace_divide(inputs.analyzer._memo.simplify_all(asked, inputs.domain), inputs.names, inner, inputs.domain)
    except (Error, ValueError):
        return []
    if "mixed" in found:
        return []
    pairs = [
        [_subspace(inputs, o["outer"], o["outer_extent"]), _subspace(inputs, o["inner"], o["inner_extent"])] for o in found["outputs"]
    ]
    conditions = [_all(inputs, found[side]) for side in ("outer_conditions", "inner_conditions")]
    zero = IterSumExpr([], tirx.IntImm("int32", 0))
    return [*pairs, [IterMark(zero, condition) for condition in conditions]]


def _subspace(inputs: Inputs, expr: Expr, extent: Expr) -> IterMark:
    found = _found(inputs, expr)
    if found is None:
        return IterMark(IterSumExpr([], inputs.write(expr)), inputs.write(extent))
    return IterMark(_iter_sum(inputs, found), inputs.write(extent))


def _all(inputs: Inputs, conditions: Iterable[Expr]) -> Any:
    written = [inputs.write_condition(c) for c in conditions]
    return tirx.all(*written) if written else tirx.IntImm("bool", 1)


def inverse_affine_iter_map(iter_map: Sequence[IterSumExpr], outputs: Sequence[Any]) -> dict[Any, Any]:
    """Each input as an expression in the outputs, by ``quaff.ask.inverse``.

    Raises:
        ValueError: the map has no inverse, or an input has no extent.

    >>> from tvm import tirx
    >>> from tvm.ir import Range
    >>> i, j, p = (tirx.Var(name, "int32") for name in "ijp")
    >>> found = quaff.tvm.detect_iter_map([i * 4 + j], {i: Range(0, 8), j: Range(0, 4)})
    >>> values = quaff.tvm.inverse_affine_iter_map(found.indices, [p])
    >>> values[i], values[j]
    (p // 4, p % 4)
    """
    analyzer = Analyzer()
    extents = _extents(iter_map)
    lasts = {analyzer._name(var): expr_of(analyzer._read(extent)) - 1 for var, extent in extents}
    sources: list[Expr] = []
    places: list[tuple[str, ExprLike]] = []
    values: dict[str | Expr, ExprLike] = {}
    for k, (sum_, output) in enumerate(zip(iter_map, outputs, strict=True)):
        if len(sum_.args) > 1:
            raise ValueError(f"more than one iterator: {sum_}")
        for split in sum_.args:
            digit = normalize_iter_map_to_expr(IterSumExpr([IterSplitExpr(split.source, split.lower_factor, split.extent, 1)], 0))
            place = f"_place_{k}"
            sources.append(expr_of(analyzer._read(digit)))
            places.append((place, expr_of(analyzer._read(split.extent))))
            base, scale = (expr_of(analyzer._read(e)) for e in (sum_.base, split.scale))
            values[place] = (expr_of(analyzer._read(plain(output))) - base) // scale
    # the ranges of the marks replace the ranges of the types
    own = {name: f"{OWN}{name}" for name in lasts}
    domain = analyzer.domain.extended({own[name]: (0, last.rename(own)) for name, last in lasts.items()})
    found = ask.inverse([s.rename(own) for s in sources], places, list(own.values()), domain)
    if found is None:
        raise ValueError("the map is not proved to have an inverse")
    answers = [e.subs(values) for e in found[0]]
    like = [var for var, _ in extents]
    written = [analyzer.write(e, like) for e in analyzer._simplified(answers)]
    return {var: e for (var, _), e in zip(extents, written)}


def _extents(iter_map: Iterable[IterSumExpr]) -> list[tuple[Any, Any]]:
    """The inputs of a map, each with its number of values."""
    found: dict[int, tuple[Any, Any]] = {}
    todo: list[Any] = list(iter_map)[::-1]
    while todo:
        part = todo.pop()
        if isinstance(part, IterSumExpr):
            todo.extend(list(part.args)[::-1])
        elif isinstance(part, IterSplitExpr):
            source = part.source.source
            if isinstance(source, ir.Var):
                found[source.__chandle__()] = source, part.source.extent
            elif isinstance(source, IterMapExpr):
                todo.append(source)
            else:
                raise ValueError(f"the inputs of {source} have no extents")
    return list(found.values())
