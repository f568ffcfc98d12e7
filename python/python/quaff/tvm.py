"""Simplifies and analyses expressions of TVM 0.27 (``tvm.tirx`` and ``tvm.sym``) with quaff.

>>> from tvm import tirx
>>> from tvm.ir import Range
>>> from quaff.tvm import Analyzer, simplify
>>> i, j = tirx.Var("i", "int32"), tirx.Var("j", "int32")
>>> simplify((i*4 + j)//4, {i: Range(0, 16), j: Range(0, 4)})
i
>>> analyzer = Analyzer()
>>> analyzer.bind(j, i*4 + 1)
>>> analyzer.simplify(j//4), analyzer.modular_set(j)
(i, sym.ModularSet(coeff=4, base=1))

A variable is in the range of its type. Arithmetic of signed types does not overflow, as in TVM. Arithmetic of unsigned
types of up to 32 bits wraps around. No divisor is 0. quaff treats a call without effects, a load, or a value computed
from floats as a variable, and returns it unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tvm import tirx

from quaff._errors import Error
from quaff._quaff import Domain, Expr
from quaff._tvm_analyzer import Analyzer, plain, with_ranges
from quaff._tvm_bounds import (
    deduce_bound,
    detect_clip_bound,
    detect_linear_equation,
    estimate_region_lower_bound,
    estimate_region_strict_bound,
    estimate_region_upper_bound,
)
from quaff._tvm_iters import (
    IterMapResult,
    detect_iter_map,
    inverse_affine_iter_map,
    iter_map_simplify,
    normalize_iter_map_to_expr,
    normalize_to_iter_sum,
    subspace_divide,
)
from quaff._tvm_read import kind_of, refusal
from quaff._tvm_write import Unwritable, Writer, common_kind

__all__ = [
    "Analyzer",
    "IterMapResult",
    "deduce_bound",
    "detect_clip_bound",
    "detect_iter_map",
    "detect_linear_equation",
    "estimate_region_lower_bound",
    "estimate_region_strict_bound",
    "estimate_region_upper_bound",
    "from_quaff",
    "inverse_affine_iter_map",
    "iter_map_simplify",
    "normalize_iter_map_to_expr",
    "normalize_to_iter_sum",
    "simplify",
    "simplify_all",
    "subspace_divide",
    "to_quaff",
]


def to_quaff(expr: Any, dom_map: Mapping[Any, Any] | None = None) -> tuple[Expr, Domain, dict[str, Any]]:
    """An expression of TVM as an expression of quaff, its domain, and the meaning of its variables.

    Args:
        expr: an integer expression or condition.
        dom_map: a dict from variables to ``tvm.ir.Range``, ``IntSet``, or a range of quaff.

    Raises:
        Error: a subexpression has an effect besides reading memory, or is not an integer.

    >>> from tvm import tirx
    >>> i = tirx.Var("i", "int32")
    >>> expr, domain, meaning = quaff.tvm.to_quaff(i // 4)
    >>> expr, domain, list(meaning)
    (quaff.Expr('i//4'), quaff.Domain('i=-2147483648..2147483647, defined'), ['i'])
    """
    analyzer = with_ranges(dom_map)
    kind = kind_of(plain(expr))
    if kind is not None and kind.is_vector:
        raise refusal(plain(expr), f"of type {expr.ty} is a vector, and no integer", "vector")
    return Expr(analyzer._read(expr)), analyzer.domain, dict(analyzer.names.meaning)


def from_quaff(expr: Expr, meaning: Mapping[str, Any], dtype: str = "int32") -> Any:
    """An expression of quaff as an expression of TVM.

    Args:
        expr: the expression.
        meaning: a dict from names of variables to expressions of TVM, as ``to_quaff`` returns it. For a variable
            without an entry, a TVM variable of type ``dtype`` is made.

    Raises:
        Error: a constant is outside of the range of the type.

    >>> quaff.tvm.from_quaff(quaff.Expr("i//4"), {})
    i // 4
    """
    known = {name: meaning[name] if name in meaning else tirx.Var(name, dtype) for name in expr.variables}
    kinds = [kind_of(m) for m in known.values()] or [kind_of(tirx.Var("", dtype))]
    kind = common_kind(k for k in kinds if k is not None)
    try:
        return Writer(known, kind, lambda _: (0, kind.range[1])).write(expr)
    except Unwritable as e:
        raise Error(str(e), code="quaff::tvm_range") from None


def simplify(expr: Any, dom_map: Mapping[Any, Any] | None = None) -> Any:
    """The cheapest form found for an expression of TVM, in the type of the expression.

    Args:
        dom_map: a dict from variables to ``tvm.ir.Range``, ``IntSet``, or a range of quaff.

    >>> from tvm import tirx
    >>> from tvm.ir import Range
    >>> i, j = tirx.Var("i", "int32"), tirx.Var("j", "int32")
    >>> quaff.tvm.simplify((i * 4 + j) // 4, {i: Range(0, 16), j: Range(0, 4)})
    i
    """
    return with_ranges(dom_map).simplify(expr)


def simplify_all(exprs: Iterable[Any], dom_map: Mapping[Any, Any] | None = None) -> list[Any]:
    """The cheapest forms found for several expressions of one kernel, which share their common parts.

    >>> from tvm import tirx
    >>> from tvm.ir import Range
    >>> i, j = tirx.Var("i", "int32"), tirx.Var("j", "int32")
    >>> quaff.tvm.simplify_all([(i * 4 + j) // 4, (i * 4 + j) % 4], {i: Range(0, 16), j: Range(0, 4)})
    [i, j]
    """
    return with_ranges(dom_map).simplify_all(exprs)
