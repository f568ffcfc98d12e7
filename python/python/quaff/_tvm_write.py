"""Converts quaff's expressions to TVM's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from tvm import tirx

from quaff._nodes import nodes_of
from quaff._quaff import Expr, to_nodes
from quaff._tvm_read import Kind, kind_of, lanes_text
from quaff._types import Interval

_NODES = {
    "add": tirx.Add,
    "sub": tirx.Sub,
    "mul": tirx.Mul,
    "floordiv": tirx.FloorDiv,
    "mod": tirx.FloorMod,
    "truncdiv": tirx.Div,
    "truncmod": tirx.Mod,
    "min": tirx.Min,
    "max": tirx.Max,
    "lt": tirx.LT,
    "le": tirx.LE,
    "gt": tirx.GT,
    "ge": tirx.GE,
    "eq": tirx.EQ,
    "ne": tirx.NE,
    "and": tirx.And,
    "or": tirx.Or,
    "bitand": tirx.BitwiseAnd,
    "bitor": tirx.BitwiseOr,
    "bitxor": tirx.BitwiseXor,
    "shl": tirx.LShift,
    "shr": tirx.RShift,
}
_LOGIC = ("and", "or", "not")
_DIVIDES = ("floordiv", "mod", "truncdiv", "truncmod")
_INT32 = Kind("int", 32, False)


class Unwritable(Exception):
    """An expression has a value that the type cannot represent."""


def common_kind(kinds: Iterable[Kind]) -> Kind:
    """The type in which expressions of these types are computed. It is the widest of them, and signed if one of them is
    signed."""
    numbers = [k for k in kinds if k.code != "bool"]
    if not numbers:
        return _INT32
    bits = max(k.bits for k in numbers)
    if all(k.code == "uint" for k in numbers):
        return Kind("uint", bits, False)
    # the signed type must hold all values of the unsigned types
    needed = max((2 * k.bits if k.code == "uint" else k.bits for k in numbers), default=bits)
    return Kind("int", min(max(bits, needed), 64), False)


@dataclass
class _Value:
    """A node of TVM. For a vector with a ``stride``, the lanes are ``expr + stride * lane``. Otherwise ``expr`` is the
    vector or the number.

    If the node is a negation, ``negated`` is its operand.
    """

    expr: Any
    is_condition: bool = False
    is_guarded: bool = False
    stride: Any = None
    is_vector: bool = False
    negated: _Value | None = None


class Writer:
    """Writes the expressions of one question.

    Args:
        meaning: a dict from names of variables to expressions of TVM.
        kind: the type of all arithmetic.
        bounds: a function for the bounds of an expression. If the answer has unsigned numbers, it is called for each
            subexpression.
        lanes: a vector with the lanes of the answer, or None for a number.
        has_guard: whether every choice is written as ``if_then_else``. Otherwise, a choice is written as
            ``if_then_else`` only if one of its branches may have no value.
    """

    def __init__(
        self, meaning: dict[str, Any], kind: Kind, bounds: Callable[[Expr], Interval], lanes: Any = None, has_guard: bool = False
    ):
        self.meaning = meaning
        self.kind = kind
        self.dtype = f"{kind.code}{kind.bits}"
        self.bounds = bounds
        self.has_guard = has_guard
        self.lanes_text = "" if lanes is None else lanes_text(lanes)
        self.lanes = None if lanes is None else _lanes_of(self.lanes_text)

    def write(self, expr: Expr, kind: Kind | None = None) -> Any:
        """Writes the expression in TVM, with the type ``kind`` or the type of the arithmetic.

        Raises:
            Unwritable: a value is outside of the range of the type.
        """
        if self.kind.code == "uint":
            self._check(expr)
        values: list[_Value] = []
        words, names, roots = to_nodes([expr])
        for name, args in nodes_of(words):
            if name == "const":
                values.append(self._const(args[0]))
            elif name == "var":
                values.append(self._variable(names[args[0]]))
            else:
                values.append(self._operation(name, [values[a] for a in args]))
        root = values[roots[0]]
        kind = kind or self.kind
        found = self._condition(root) if kind.code == "bool" else self._number(root)
        if kind.code != "bool" and kind.bits != self.kind.bits:
            found = _Value(tirx.Cast(_dtype(kind, found, self), self._flat(found).expr), is_vector=found.is_vector or found.stride is not None)
        return self._vector(found).expr if kind.is_vector else found.expr

    def _check(self, expr: Expr) -> None:
        for part in expr.walk():
            lower, upper = self.bounds(part)
            if lower is None or lower < 0 or (self.kind.bits < 64 and (upper is None or not self.kind.holds(upper))):
                raise Unwritable(f"{part} may be out of the range of {self.dtype}")

    def _const(self, value: int) -> _Value:
        if not self.kind.holds(value):
            raise Unwritable(f"{value} is out of the range of {self.dtype}")
        return _Value(tirx.IntImm(self.dtype, value))

    def _variable(self, name: str) -> _Value:
        meaning = self.meaning.get(name)
        if meaning is None:
            if self.lanes is not None and name == f"_lane{self.lanes_text}":
                return _Value(tirx.IntImm(self.dtype, 0), stride=tirx.IntImm(self.dtype, 1))
            raise Unwritable(f"{name} stands for nothing")
        kind = kind_of(meaning)
        assert kind is not None
        # a variable may represent an expression that reads memory or divides, so the choice around it must guard it
        is_guarded = not isinstance(meaning, tirx.Var)
        if kind.code == "bool":
            return _Value(meaning, True, is_guarded, is_vector=kind.is_vector)
        if (kind.code, kind.bits) != (self.kind.code, self.kind.bits):
            meaning = tirx.Cast(_with_lanes(self.dtype, meaning), meaning)
        return _Value(meaning, False, is_guarded, is_vector=kind.is_vector)

    # Conditions and numbers.

    def _condition(self, value: _Value) -> _Value:
        if value.is_condition:
            return value
        if isinstance(value.expr, tirx.IntImm) and value.stride is None:
            return _Value(tirx.IntImm("bool", int(int(value.expr) != 0)), True)
        return self._operation("ne", [value, self._const(0)])

    def _number(self, value: _Value) -> _Value:
        if not value.is_condition:
            return value
        dtype = _with_lanes(self.dtype, value.expr) if value.is_vector else self.dtype
        return _Value(tirx.Cast(dtype, value.expr), False, value.is_guarded, is_vector=value.is_vector)

    # Vectors.

    def _flat(self, value: _Value) -> _Value:
        """A value without a stride. A value with a stride becomes a vector."""
        if value.stride is None:
            return value
        return _Value(tirx.Ramp(value.expr, value.stride, self.lanes), value.is_condition, value.is_guarded, is_vector=True)

    def _vector(self, value: _Value) -> _Value:
        """A value as a vector."""
        value = self._flat(value)
        if value.is_vector:
            return value
        return _Value(tirx.Broadcast(value.expr, self.lanes), value.is_condition, value.is_guarded, is_vector=True)

    def _strided(self, name: str, args: list[_Value]) -> _Value | None:
        """A sum or a multiple of values, some of which have a stride. None if no operand has a stride, or if the result
        has no single stride."""
        if all(a.stride is None for a in args) or any(a.is_vector for a in args):
            return None
        zero = tirx.IntImm(self.dtype, 0)
        strides = [zero if a.stride is None else a.stride for a in args]
        bases = [a.expr for a in args]
        if name == "neg":
            return _Value(tirx.Sub(zero, bases[0]), stride=_folded("sub", zero, strides[0]))
        if name in ("add", "sub"):
            return _Value(_folded(name, *bases), stride=_folded(name, *strides))
        if name == "mul" and (args[0].stride is None or args[1].stride is None):
            factor, other = (0, 1) if args[0].stride is None else (1, 0)
            return _Value(_folded("mul", *bases), stride=_folded("mul", strides[other], bases[factor]))
        return None

    # Operations.

    def _operation(self, name: str, args: list[_Value]) -> _Value:
        if name == "select":
            return self._select(*args)
        args = [self._condition(a) if name in _LOGIC else self._number(a) for a in args]
        if name == "add" and args[0].negated is not None:
            args.reverse()
        if name == "add" and args[1].negated is not None:
            name, args = "sub", [args[0], args[1].negated]
        strided = self._strided(name, args)
        if strided is not None:
            return strided
        is_vector = any(a.is_vector or a.stride is not None for a in args)
        args = [self._vector(a) if is_vector else a for a in args]
        exprs = [a.expr for a in args]
        is_guarded = any(a.is_guarded for a in args) or (name in _DIVIDES and not isinstance(exprs[1], (tirx.IntImm, tirx.Broadcast)))
        is_condition = name in _LOGIC or name in ("lt", "le", "gt", "ge", "eq", "ne")
        if name == "not":
            return _Value(tirx.Not(exprs[0]), True, is_guarded, is_vector=is_vector)
        if name == "neg":
            found = self._operation("sub", [self._const(0), args[0]])
            return replace(found, negated=args[0])
        if name in ("add", "mul") and isinstance(exprs[0], tirx.IntImm):
            # TVM expects the constant last
            exprs.reverse()
        if name == "add" and isinstance(exprs[1], tirx.IntImm) and self.kind.holds(-int(exprs[1])) and int(exprs[1]) < 0:
            name, exprs[1] = "sub", tirx.IntImm(self.dtype, -int(exprs[1]))
        return _Value(_NODES[name](*exprs), is_condition, is_guarded, is_vector=is_vector)

    def _select(self, test: _Value, then: _Value, other: _Value) -> _Value:
        test = self._condition(test)
        is_condition = then.is_condition and other.is_condition
        then, other = (v if is_condition else self._flat(self._number(v)) for v in (then, other))
        is_vector = test.is_vector or then.is_vector or other.is_vector
        if is_vector:
            then, other = self._vector(then), self._vector(other)
            test = self._vector(test) if test.is_vector else test
        is_guarded = then.is_guarded or other.is_guarded
        build = tirx.if_then_else if (self.has_guard or is_guarded) and not test.is_vector else tirx.Select
        return _Value(build(test.expr, then.expr, other.expr), is_condition, is_guarded or test.is_guarded, is_vector=is_vector)


def _folded(name: str, a: Any, b: Any) -> Any:
    """Combines ``a`` and ``b`` with TVM's functions, which fold constants."""
    return {"add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b}[name]()


def _lanes_of(text: str) -> Any:
    """A number of lanes, in the form that TVM accepts."""
    if text.startswith("vscalex"):
        return tirx.vscale() * int(text[len("vscalex") :])
    return int(text)


def _with_lanes(dtype: str, like: Any) -> str:
    """``dtype`` with as many lanes as ``like`` has."""
    lanes = lanes_text(like)
    return f"{dtype}x{lanes}" if lanes else dtype


def _dtype(kind: Kind, value: _Value, writer: Writer) -> str:
    name = f"{kind.code}{kind.bits}"
    if value.stride is None and not value.is_vector:
        return name
    return _with_lanes(name, writer._flat(value).expr)
