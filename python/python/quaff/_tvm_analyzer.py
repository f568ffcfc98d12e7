"""An ``Analyzer`` for expressions of TVM."""

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


# The key of the facts that a variable is in the range of its type.
_TYPES = ("", "type")


class Analyzer(_analyzer.Analyzer):
    """A ``quaff.Analyzer`` for expressions of TVM, with the members of ``tvm.sym.Analyzer``.

    For expressions of TVM, the results are objects of TVM. Texts and expressions of quaff are also accepted. Two TVM
    variables with the same name are different variables, as in TVM. ``names`` maps each variable to a unique name.

    >>> from tvm import tirx
    >>> i = tirx.Var("i", "int32")
    >>> analyzer = quaff.tvm.Analyzer()
    >>> analyzer.bind(i, (0, 15))
    >>> analyzer.simplify((i + 16) % 16), analyzer.can_prove(i < 16)
    (i, True)
    """

    def __init__(self, *, memo: int = 65536, simplifier: Simplifier | None = None):
        super().__init__(Domain(defined=True), memo=memo, simplifier=simplifier)
        self.names = Names()
        self._declared: set[str] = set()

    def clone(self) -> Analyzer:
        """A new analyzer with the current facts, and with its own scopes and memo.

        >>> from tvm import tirx
        >>> i = tirx.Var("i", "int32")
        >>> analyzer = quaff.tvm.Analyzer()
        >>> analyzer.bind(i, (0, 15))
        >>> analyzer.clone().can_prove(i < 16)
        True
        """
        clone = super().clone()
        assert isinstance(clone, Analyzer)
        return clone

    def _empty(self) -> Analyzer:
        other = Analyzer(memo=self._limit, simplifier=self._simplifier)
        # `names` can be shared, because a name never changes its meaning
        other.names, other._declared = self.names, set(self._declared)
        return other

    # Input.

    def _reader(self) -> Reader:
        return Reader(self.names, self._bounds, self._settled)

    def _settled(self, part: Any, read: Expr, reader: Reader) -> Any:
        """The cheapest form of an operand, as an expression of TVM."""
        self._declare(read.variables)
        return self._written(part, read, self._simplified([read])[0], reader)

    def _bounds(self, expr: Expr) -> Interval:
        self._declare(expr.variables)
        lower, upper = self._ask("bounds", expr)
        return lower, upper

    def _declare(self, names: Iterable[str]) -> None:
        """Declares that each variable is in the range of its type, outside of all scopes."""
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
        """Adds facts about ``var``: TVM's ``ConstIntBound`` or ``IntSet`` is a range, and ``ModularSet`` is a
        congruence.

        >>> from tvm import sym, tirx
        >>> i = tirx.Var("i", "int32")
        >>> analyzer = quaff.tvm.Analyzer()
        >>> analyzer.update(i, sym.ModularSet(4, 0))
        >>> analyzer.can_prove(i % 4 == 0)
        True
        """
        if isinstance(info, (ConstIntBound, IntSet)):
            info = _analyzer.IntSet(*self._range(info))
        elif isinstance(info, ModularSet):
            info = _analyzer.ModularSet(info.coeff, info.base)
        super().update(var, info, override)

    # Output.

    def _written(self, asked: Any, read: Expr, answer: Expr, reader: Reader) -> Any:
        """The answer in the type of ``asked``. If the type cannot represent all values of the answer, the result is
        ``asked`` itself."""
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
                # arithmetic in this type wraps around, so a longer answer that avoids overflow is not better
                continue
            try:
                written = writer.write(answer, kind)
            except Unwritable:
                continue
            # the hint `likely` around the whole expression is kept
            is_hint = isinstance(asked, ir.Call) and str(asked.op.name).endswith("likely") and answer.op != "const"
            return tirx.likely(written) if is_hint else written
        return asked

    def _beyond_types(self) -> Domain:
        """The facts without the ranges of the types of variables. With these ranges, an answer could contain a number
        that does not fit its type."""
        domain = self._outside.given.extended(dict.fromkeys(sorted(self._declared)))
        for fact in _known.that_hold((*self._outside.facts, *_known.facts_around(self))):
            domain = domain if fact.about == _TYPES else fact.added_to(domain)
        return domain

    def write(self, expr: Expr, like: Iterable[Any] = (), is_condition: bool = False) -> Any:
        """Converts an expression of quaff to TVM, in the type of its variables and of ``like``, or as a condition.

        Raises:
            Error: a value is outside of the range of the type, or a variable does not represent an expression of TVM.

        >>> from tvm import tirx
        >>> i = tirx.Var("i", "int32")
        >>> analyzer = quaff.tvm.Analyzer()
        >>> analyzer.bind(i, (0, 15))
        >>> analyzer.write(quaff.Expr("i//4"))
        i // 4
        """
        kinds = [kind_of(m) for m in [*(self.names.meaning.get(n) for n in expr.variables), *like] if m is not None]
        kind = common_kind(k for k in kinds if k is not None)
        try:
            return Writer(self.names.meaning, kind, self._bounds).write(expr, Kind("bool", 1, False) if is_condition else None)
        except Unwritable as e:
            raise Error(str(e), code="quaff::tvm_range") from None

    def const_int_bound(self, expr: Any) -> Any:
        """A lower and an upper bound of ``expr``, as TVM's ``ConstIntBound``.

        >>> from tvm import tirx
        >>> i = tirx.Var("i", "int32")
        >>> analyzer = quaff.tvm.Analyzer()
        >>> analyzer.bind(i, (0, 15))
        >>> analyzer.const_int_bound(i * 2 + 1)
        sym.ConstIntBound(min_value=1, max_value=31)
        """
        found = super().const_int_bound(expr)
        if not is_of_tvm(expr):
            return found
        lower = ConstIntBound.NEG_INF if found.min_value is None else max(found.min_value, ConstIntBound.NEG_INF)
        upper = ConstIntBound.POS_INF if found.max_value is None else min(found.max_value, ConstIntBound.POS_INF)
        return ConstIntBound(lower, upper)

    def modular_set(self, expr: Any) -> Any:
        """A congruence that all values of ``expr`` satisfy, as TVM's ``ModularSet``.

        >>> from tvm import tirx
        >>> quaff.tvm.Analyzer().modular_set(tirx.Var("i", "int32") * 4 + 1)
        sym.ModularSet(coeff=4, base=1)
        """
        found = super().modular_set(expr)
        return ModularSet(found.coeff, found.base) if is_of_tvm(expr) else found

    def try_compare(self, lhs: Any, rhs: Any, propagate_inequalities: bool = True) -> Any:
        """The order of ``lhs`` and ``rhs`` at every point, as TVM's ``CompareResult``.

        >>> from tvm import tirx
        >>> i = tirx.Var("i", "int32")
        >>> quaff.tvm.Analyzer().try_compare(i, i + 1).name
        'LT'
        """
        return CompareResult(super().try_compare(lhs, rhs, propagate_inequalities))

    def int_set(self, expr: Any, dom_map: Mapping[Any, Any] | None = None) -> Any:
        """An interval that contains all values of ``expr`` for all values of the variables in ``dom_map`` within their
        domains, as TVM's ``IntervalSet``.

        >>> from tvm import tirx
        >>> from tvm.ir import Range
        >>> i, n = tirx.Var("i", "int32"), tirx.Var("n", "int32")
        >>> quaff.tvm.Analyzer().int_set(i + n, {i: Range(0, 4)})
        sym.IntervalSet(min_value=n, max_value=n + 3)
        """
        found = super().int_set(expr, dom_map)
        return self._interval(found, [plain(expr)]) if is_of_tvm(expr) else found

    def _interval(self, found: _analyzer.IntSet, like: Iterable[Any]) -> IntervalSet:
        """An interval, converted to an object of TVM."""
        like = list(like)
        lower, upper = (None if end is None else self.write(end, like) for end in found)
        infinite = sym.int_set
        return IntervalSet(infinite.neg_inf() if lower is None else lower, infinite.pos_inf() if upper is None else upper)

    @property
    def enabled_extensions(self) -> Any:
        """The enabled parts of TVM's simplifier, as ``tvm.sym.Extension``. The value is stored, and has no effect."""
        return sym.Extension(self._extensions)

    @enabled_extensions.setter
    def enabled_extensions(self, extensions: Any) -> None:
        self._extensions = extensions


def plain(expr: Any) -> Any:
    """An expression without the wrapper object of TVM."""
    if isinstance(expr, (tirx.expr.EqualOp, tirx.expr.NotEqualOp, tirx.expr.IntImmEnum)):
        return expr.asobject()
    return expr.var if isinstance(expr, tirx.IterVar) else expr


def _same(answer: Expr) -> Expr:
    return answer


def is_of_tvm(expr: Any) -> bool:
    return isinstance(expr, (ir.Expr, tirx.expr.EqualOp, tirx.expr.NotEqualOp, tirx.expr.IntImmEnum, tirx.IterVar))


def with_ranges(dom_map: Mapping[Any, Any] | None, analyzer: Analyzer | None = None) -> Analyzer:
    """An analyzer with the ranges of variables, and with the facts of ``analyzer`` about other variables.

    Raises:
        TypeError: ``analyzer`` is an analyzer of TVM, whose facts cannot be read.
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
