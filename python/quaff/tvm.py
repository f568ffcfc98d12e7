"""Expressions of TVM in and out, and its arithmetic analysis by quaff (TVM 0.27, ``tvm.tirx`` and ``tvm.sym``).

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

A variable lies in its type. Arithmetic of signed types does not overflow, as in TVM; that of unsigned types of up to 32 bits wraps around.
No division is by 0. A call without effects, a load, or what is made from floats is a variable to quaff, and comes back unchanged.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any

from tvm import ir, sym, tirx
from tvm.sym import CompareResult, ConstIntBound, IntervalSet, IntSet, ModularSet

from quaff import analyzer as _analyzer
from quaff._errors import Error
from quaff._known import Fact, Outside
from quaff._quaff import Domain, Expr, Simplifier
from quaff._tvm_read import Names, Reader, kind_of, range_of
from quaff._tvm_write import Unwritable, Writer, common_kind
from quaff._types import Interval

__all__ = ["Analyzer", "from_quaff", "simplify", "simplify_all", "to_quaff"]


class Analyzer(_analyzer.Analyzer):
    """``quaff.Analyzer`` for expressions of TVM, with the members of ``tvm.sym.Analyzer``.

    Where expressions of TVM come in, objects of TVM go out. Texts and expressions of quaff are taken, too. Variables of the same name
    are different variables, as in TVM. ``names`` has the name of each.
    """

    def __init__(self, *, memo: int = 65536, simplifier: Simplifier | None = None):
        super().__init__(Domain(defined=True), memo=memo, simplifier=simplifier)
        self.names = Names()
        self._declared: set[str] = set()
        self._reading = threading.local()

    def _empty(self) -> Analyzer:
        other = Analyzer(memo=self._limit, simplifier=self._simplifier)
        # a name never gets another meaning
        other.names, other._declared = self.names, set(self._declared)
        return other

    # What comes in.

    def _reader(self) -> Reader:
        return Reader(self.names, self._bounds, self._settled)

    def _settled(self, part: Any, read: Expr) -> Any:
        """The cheapest form of an operand that was read."""
        self._declare(read.variables)
        answer = self._simplified([read])[0]
        return part if answer == read else self._written(part, answer)

    def _bounds(self, expr: Expr) -> Interval:
        self._declare(expr.variables)
        return self._ask("bounds", expr)

    def _declare(self, names: Iterable[str]) -> None:
        """Says where the types of variables lie, outside of all scopes."""
        new = [name for name in names if name not in self._declared and name in self.names.ranges]
        if not new:
            return
        with self._binding:
            said = {name: self.names.ranges[name] for name in new if name not in self._declared}
            if said:
                self._outside = self._outside.plus(Fact({"vars": said}))
                self._declared.update(said)

    def _read(self, expr: Any) -> Any:
        return self._read_one(expr)[0]

    def _read_one(self, expr: Any) -> tuple[Any, Reader | None]:
        if not _is_of_tvm(expr):
            return expr, None
        reader = self._reader()
        found = reader.read(_plain(expr))
        self._declare(reader.variables)
        return found, reader

    def _name(self, var: Any) -> str:
        if isinstance(var, tirx.IterVar):
            var = var.var
        if not _is_of_tvm(var):
            return super()._name(var)
        if not isinstance(var, ir.Var):
            raise ValueError(f"{var} is no variable")
        name = self.names.of_var(var)
        self._declare([name])
        return name

    def _range(self, value: Any) -> Any:
        if isinstance(value, (ir.Range, IntSet)):
            return tuple(None if end is None else self._read(end) for end in range_of(value))
        if isinstance(value, ConstIntBound):
            ends = value.min_value, value.max_value
            return tuple(None if abs(end) >= ConstIntBound.POS_INF else end for end in ends)
        if _is_of_tvm(value):
            read = self._read(value)
            return read, read
        if isinstance(value, tuple):
            return tuple(self._read(end) for end in value)
        return super()._range(value)

    def update(self, var: Any, info: Any, override: bool = False) -> None:
        if isinstance(info, (ConstIntBound, IntSet)):
            info = _analyzer.IntSet(*self._range(info))
        elif isinstance(info, ModularSet):
            info = _analyzer.ModularSet(info.coeff, info.base)
        super().update(var, info, override)

    # What goes out.

    def _written(self, asked: Any, answer: Expr) -> Any:
        if isinstance(asked, (str, Expr)):
            return answer
        asked = _plain(asked)
        if not _is_of_tvm(asked):
            return tirx.IntImm("int32", int(answer.value or 0))
        _, reader = self._read_one(asked)
        assert reader is not None
        kind = kind_of(asked)
        assert kind is not None
        common = common_kind([*reader.kinds, kind])
        if common.code == "uint" and sum(1 for _ in answer.walk()) > reader.size:
            # that it wraps around is free in its type
            return asked
        try:
            written = Writer(self.names.meaning, common, self._bounds, reader.lanes, reader.has_guard).write(answer, kind)
        except Unwritable:
            return asked
        # a hint around the whole stays
        is_hint = isinstance(asked, ir.Call) and str(asked.op.name).endswith("likely") and answer.op != "const"
        return tirx.likely(written) if is_hint else written

    def write(self, expr: Expr, like: Iterable[Any] = ()) -> Any:
        """``expr`` in the type of the variables that are in it, and of ``like``.

        Raises:
            Error: a value is out of the range of the type, or a variable stands for nothing.
        """
        kinds = [kind_of(m) for m in [*(self.names.meaning.get(n) for n in expr.variables), *like] if m is not None]
        kind = common_kind(k for k in kinds if k is not None)
        try:
            return Writer(self.names.meaning, kind, self._bounds).write(expr)
        except Unwritable as e:
            raise Error(str(e), code="quaff::tvm_range") from None

    def const_int_bound(self, expr: Any) -> Any:
        found = super().const_int_bound(expr)
        if not _is_of_tvm(expr):
            return found
        lower = ConstIntBound.NEG_INF if found.min_value is None else max(found.min_value, ConstIntBound.NEG_INF)
        upper = ConstIntBound.POS_INF if found.max_value is None else min(found.max_value, ConstIntBound.POS_INF)
        return ConstIntBound(lower, upper)

    def modular_set(self, expr: Any) -> Any:
        found = super().modular_set(expr)
        return ModularSet(found.coeff, found.base) if _is_of_tvm(expr) else found

    def try_compare(self, lhs: Any, rhs: Any, propagate_inequalities: bool = True) -> Any:
        return CompareResult(super().try_compare(lhs, rhs, propagate_inequalities))

    def int_set(self, expr: Any, dom_map: Mapping[Any, Any] | None = None) -> Any:
        found = super().int_set(expr, dom_map)
        return self._interval(found, [_plain(expr)]) if _is_of_tvm(expr) else found

    def _interval(self, found: _analyzer.IntSet, like: Iterable[Any]) -> IntervalSet:
        """An interval as an object of TVM."""
        like = list(like)
        lower, upper = (None if end is None else self.write(end, like) for end in found)
        infinite = sym.int_set
        return IntervalSet(infinite.neg_inf() if lower is None else lower, infinite.pos_inf() if upper is None else upper)

    def const_int_bound_is_bound(self, var: Any) -> bool:
        return super().const_int_bound_is_bound(var)

    @property
    def enabled_extensions(self) -> Any:
        return sym.Extension(self._extensions)

    @enabled_extensions.setter
    def enabled_extensions(self, extensions: Any) -> None:
        self._extensions = extensions


def _plain(expr: Any) -> Any:
    """An expression without what TVM wraps around it."""
    if isinstance(expr, (tirx.expr.EqualOp, tirx.expr.NotEqualOp, tirx.expr.IntImmEnum)):
        return expr.asobject()
    return expr.var if isinstance(expr, tirx.IterVar) else expr


def _is_of_tvm(expr: Any) -> bool:
    return isinstance(expr, (ir.Expr, tirx.expr.EqualOp, tirx.expr.NotEqualOp, tirx.expr.IntImmEnum, tirx.IterVar))


def to_quaff(expr: Any, dom_map: Mapping[Any, Any] | None = None) -> tuple[Expr, Domain, dict[str, Any]]:
    """An expression of TVM as one of quaff, its domain, and what its variables stand for.

    Args:
        expr: an integer expression or condition.
        dom_map: a dict from variables to ``tvm.ir.Range``, ``IntSet``, or a range of quaff.

    Raises:
        Error: a part has an effect, or it is no integer.
    """
    analyzer = _analyzer_of(dom_map)
    read, reader = analyzer._read_one(expr)
    if reader is not None and reader.lanes is not None:
        raise Error(f"a vector of type {expr.ty} is no integer", code="quaff::tvm_vector", help="ask about one lane of it, or use `simplify`")
    return (read if isinstance(read, Expr) else Expr(read)), analyzer.domain, dict(analyzer.names.meaning)


def from_quaff(expr: Expr, meaning: Mapping[str, Any], dtype: str = "int32") -> Any:
    """An expression of quaff as one of TVM.

    Args:
        expr: the expression.
        meaning: what its variables stand for, as ``to_quaff`` gives it; others become variables of type ``dtype``.

    Raises:
        Error: a constant is out of the range of the type.
    """
    known = {name: meaning[name] if name in meaning else tirx.Var(name, dtype) for name in expr.variables}
    kinds = [kind_of(m) for m in known.values()] or [kind_of(tirx.Var("", dtype))]
    kind = common_kind(k for k in kinds if k is not None)
    try:
        return Writer(known, kind, lambda _: (0, kind.range[1])).write(expr)
    except Unwritable as e:
        raise Error(str(e), code="quaff::tvm_range") from None


def _analyzer_of(dom_map: Mapping[Any, Any] | None) -> Analyzer:
    """An analyzer that knows the ranges of variables."""
    analyzer = Analyzer()
    for var, known in (dom_map or {}).items():
        analyzer.bind(var, known)
    return analyzer


def simplify(expr: Any, dom_map: Mapping[Any, Any] | None = None) -> Any:
    """The cheapest found form of an expression of TVM, in its type.

    Args:
        dom_map: a dict from variables to ``tvm.ir.Range``, ``IntSet``, or a range of quaff.
    """
    return _analyzer_of(dom_map).simplify(expr)


def simplify_all(exprs: Iterable[Any], dom_map: Mapping[Any, Any] | None = None) -> list[Any]:
    """The cheapest found forms of several expressions of one kernel, which share what they compute."""
    return _analyzer_of(dom_map).simplify_all(exprs)
