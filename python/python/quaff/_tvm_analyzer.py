"""``Analyzer`` for expressions of TVM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tvm import ir, sym, tirx
from tvm.sym import CompareResult, ConstIntBound, IntervalSet, IntSet, ModularSet

from quaff import _known
from quaff import analyzer as _analyzer
from quaff._errors import Error
from quaff._known import Fact
from quaff._quaff import Domain, Expr, Simplifier
from quaff._tvm_read import Kind, Names, Reader, kind_of, range_of
from quaff._tvm_write import Unwritable, Writer, common_kind
from quaff._types import Interval


# What facts are about that say where the types of variables lie.
_TYPES = ("", "type")


class Analyzer(_analyzer.Analyzer):
    """``quaff.Analyzer`` for expressions of TVM, with the members of ``tvm.sym.Analyzer``.

    Where expressions of TVM come in, objects of TVM go out. Texts and expressions of quaff are taken, too. Variables of the same name
    are different variables, as in TVM. ``names`` has the name of each.
    """

    def __init__(self, *, memo: int = 65536, simplifier: Simplifier | None = None):
        super().__init__(Domain(defined=True), memo=memo, simplifier=simplifier)
        self.names = Names()
        self._declared: set[str] = set()

    def clone(self) -> Analyzer:
        clone = super().clone()
        assert isinstance(clone, Analyzer)
        return clone

    def _empty(self) -> Analyzer:
        other = Analyzer(memo=self._limit, simplifier=self._simplifier)
        # a name never gets another meaning
        other.names, other._declared = self.names, set(self._declared)
        return other

    # What comes in.

    def _reader(self) -> Reader:
        return Reader(self.names, self._bounds, self._settled)

    def _settled(self, part: Any, read: Expr, reader: Reader) -> Any:
        """The cheapest form of an operand that was read."""
        self._declare(read.variables)
        return self._written(part, read, self._simplified([read])[0], reader)

    def _bounds(self, expr: Expr) -> Interval:
        self._declare(expr.variables)
        lower, upper = self._ask("bounds", expr)
        return lower, upper

    def _declare(self, names: Iterable[str]) -> None:
        """Says where the types of variables lie, outside of all scopes."""
        new = [name for name in names if name not in self._declared and name in self.names.ranges]
        if not new:
            return
        with self._binding:
            said = {name: self.names.ranges[name] for name in new if name not in self._declared}
            if said:
                self._outside = self._outside.plus(Fact({"vars": said}, about=_TYPES))
                self._declared.update(said)

    def _question(self, expr: Any) -> tuple[Any, Any]:
        if not is_of_tvm(expr):
            write = self._constant if isinstance(expr, int) else _same
            return expr, write
        expr, reader = plain(expr), self._reader()
        read = reader.read(expr)
        self._declare(reader.variables)
        return read, lambda answer: self._written(expr, read, answer, reader)

    def _constant(self, answer: Expr) -> Any:
        return tirx.IntImm("int32", int(answer.value or 0))

    def _name(self, var: Any) -> str:
        if isinstance(var, tirx.IterVar):
            var = var.var
        if not is_of_tvm(var):
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
        if is_of_tvm(value):
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

    def _written(self, asked: Any, read: Expr, answer: Expr, reader: Reader) -> Any:
        """``answer`` to ``read`` in the type of ``asked``; ``asked`` itself where the type does not have all its values."""
        if answer == read and not reader.has_rebuilt:
            return asked
        reader.survey(asked)
        kind = kind_of(asked)
        assert kind is not None
        common = common_kind([*reader.kinds, kind])
        writer = Writer(self.names.meaning, common, self._bounds, reader.lanes, reader.has_guard)
        for is_wide in (False, True):
            if is_wide:
                answer = self._memo.simplify_all([read], self._beyond_types())[0]
            if common.code == "uint" and sum(1 for _ in answer.walk()) > reader.size:
                # that it wraps around is free in its type
                continue
            try:
                written = writer.write(answer, kind)
            except Unwritable:
                continue
            # a hint around the whole stays
            is_hint = isinstance(asked, ir.Call) and str(asked.op.name).endswith("likely") and answer.op != "const"
            return tirx.likely(written) if is_hint else written
        return asked

    def _beyond_types(self) -> Domain:
        """What is known without where types lie: an answer for these ranges needs no numbers that are beyond a type for its sake."""
        domain = self._outside.given.extended(dict.fromkeys(sorted(self._declared)))
        for fact in _known.that_hold((*self._outside.facts, *_known.facts_around(self))):
            domain = domain if fact.about == _TYPES else fact.added_to(domain)
        return domain

    def write(self, expr: Expr, like: Iterable[Any] = (), is_condition: bool = False) -> Any:
        """``expr`` in the type of the variables that are in it, and of ``like``, or as a condition.

        Raises:
            Error: a value is out of the range of the type, or a variable stands for nothing.
        """
        kinds = [kind_of(m) for m in [*(self.names.meaning.get(n) for n in expr.variables), *like] if m is not None]
        kind = common_kind(k for k in kinds if k is not None)
        try:
            return Writer(self.names.meaning, kind, self._bounds).write(expr, Kind("bool", 1, False) if is_condition else None)
        except Unwritable as e:
            raise Error(str(e), code="quaff::tvm_range") from None

    def const_int_bound(self, expr: Any) -> Any:
        found = super().const_int_bound(expr)
        if not is_of_tvm(expr):
            return found
        lower = ConstIntBound.NEG_INF if found.min_value is None else max(found.min_value, ConstIntBound.NEG_INF)
        upper = ConstIntBound.POS_INF if found.max_value is None else min(found.max_value, ConstIntBound.POS_INF)
        return ConstIntBound(lower, upper)

    def modular_set(self, expr: Any) -> Any:
        found = super().modular_set(expr)
        return ModularSet(found.coeff, found.base) if is_of_tvm(expr) else found

    def try_compare(self, lhs: Any, rhs: Any, propagate_inequalities: bool = True) -> Any:
        return CompareResult(super().try_compare(lhs, rhs, propagate_inequalities))

    def int_set(self, expr: Any, dom_map: Mapping[Any, Any] | None = None) -> Any:
        found = super().int_set(expr, dom_map)
        return self._interval(found, [plain(expr)]) if is_of_tvm(expr) else found

    def _interval(self, found: _analyzer.IntSet, like: Iterable[Any]) -> IntervalSet:
        """An interval as an object of TVM."""
        like = list(like)
        lower, upper = (None if end is None else self.write(end, like) for end in found)
        infinite = sym.int_set
        return IntervalSet(infinite.neg_inf() if lower is None else lower, infinite.pos_inf() if upper is None else upper)

    @property
    def enabled_extensions(self) -> Any:
        return sym.Extension(self._extensions)

    @enabled_extensions.setter
    def enabled_extensions(self, extensions: Any) -> None:
        self._extensions = extensions


def plain(expr: Any) -> Any:
    """An expression without what TVM wraps around it."""
    if isinstance(expr, (tirx.expr.EqualOp, tirx.expr.NotEqualOp, tirx.expr.IntImmEnum)):
        return expr.asobject()
    return expr.var if isinstance(expr, tirx.IterVar) else expr


def _same(answer: Expr) -> Expr:
    return answer


def is_of_tvm(expr: Any) -> bool:
    return isinstance(expr, (ir.Expr, tirx.expr.EqualOp, tirx.expr.NotEqualOp, tirx.expr.IntImmEnum, tirx.IterVar))


def with_ranges(dom_map: Mapping[Any, Any] | None, analyzer: Analyzer | None = None) -> Analyzer:
    """An analyzer that knows the ranges of variables, and what ``analyzer`` knows of others.

    Raises:
        TypeError: ``analyzer`` is one of TVM, whose facts cannot be read.
    """
    if analyzer is None:
        own = Analyzer()
    elif isinstance(analyzer, Analyzer):
        own = analyzer.clone()
    else:
        raise TypeError(f"{type(analyzer).__module__}.{type(analyzer).__name__} is no quaff.tvm.Analyzer: its facts cannot be read")
    for var, known in (dom_map or {}).items():
        own.bind(var, known, allow_override=True)
    return own
