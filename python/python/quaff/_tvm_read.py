"""Converts TVM's integer expressions to quaff's. A subexpression without a counterpart in quaff becomes a variable."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tvm
import tvm_ffi
from tvm import ir, tirx

from quaff._errors import Error
from quaff._quaff import OPERATORS, Expr, from_nodes
from quaff._types import Interval

_MIN, _MAX = -(2**63), 2**63 - 1
_CONST, _VAR = OPERATORS["const"], OPERATORS["var"]

# Nodes with operands `a` and `b`, and their operators.
_BINARY = {
    tirx.Add: "add",
    tirx.Sub: "sub",
    tirx.Mul: "mul",
    tirx.Div: "truncdiv",
    tirx.Mod: "truncmod",
    tirx.FloorDiv: "floordiv",
    tirx.FloorMod: "mod",
    tirx.Min: "min",
    tirx.Max: "max",
    tirx.EQ: "eq",
    tirx.NE: "ne",
    tirx.LT: "lt",
    tirx.LE: "le",
    tirx.GT: "gt",
    tirx.GE: "ge",
    tirx.And: "and",
    tirx.Or: "or",
    tirx.BitwiseAnd: "bitand",
    tirx.BitwiseOr: "bitor",
    tirx.BitwiseXor: "bitxor",
    tirx.LShift: "shl",
    tirx.RShift: "shr",
}
# Operators for calls, by the name of the called operation without its dialect.
_CALLS = {
    "bitwise_and": "bitand",
    "bitwise_or": "bitor",
    "bitwise_xor": "bitxor",
    "shift_left": "shl",
    "shift_right": "shr",
    "if_then_else": "select",
}
_SAME = ("likely", "ignore_loop_partition")
# Operators whose result modulo a power of two depends only on the operands modulo this power.
_RING = ("add", "sub", "mul", "shl", "neg")


def refusal(part: Any, reason: str, code: str) -> Error:
    """The error for a subexpression that cannot be read."""
    name = part.op.name if isinstance(part, ir.Call) and isinstance(part.op, ir.Op) else type(part).__name__
    return Error(f"`{name}` {reason}", code=f"quaff::tvm_{code}")


@dataclass(frozen=True)
class Kind:
    """The type of an integer expression.

    Attributes:
        code: "int", "uint" or "bool".
        bits: the width.
        is_vector: whether it is a vector type.
    """

    code: str
    bits: int
    is_vector: bool

    @property
    def range(self) -> Interval:
        """The range of the values of this type. An end beyond 64 bits is None."""
        if self.code == "bool":
            return 0, 1
        if self.code == "uint":
            return 0, 2**self.bits - 1 if self.bits < 64 else None
        return (-(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1) if self.bits < 64 else (None, None)

    def holds(self, value: int) -> bool:
        """Whether the type has this value."""
        lower, upper = self.range
        return (_MIN if lower is None else lower) <= value <= (_MAX if upper is None else upper)


_kinds: dict[str, Kind | None] = {}


def kind_of(expr: Any) -> Kind | None:
    """The type of an expression, or None if the expression is no integer."""
    ty = expr.ty
    if not isinstance(ty, ir.PrimType):
        return None
    name = str(ty.dtype)
    if name not in _kinds:
        _kinds[name] = _kind_of_name(name)
    return _kinds[name]


def _kind_of_name(name: str) -> Kind | None:
    found = re.fullmatch(r"(bool|u?int)(\d*)(x.*)?", name)
    if found is None:
        return None
    code, bits = found[1], int(found[2] or 1)
    return Kind("bool" if bits == 1 else code, bits, bool(found[3])) if bits <= 64 else None


class Names:
    """Names for variables of TVM, and for subexpressions without a counterpart in quaff. Threads may share the object.
    A name never changes its meaning."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of_var: dict[int, str] = {}
        self._of_part: dict[Any, str] = {}
        self.meaning: dict[str, Any] = {}
        self.ranges: dict[str, Interval] = {}

    def of_var(self, var: Any) -> str:
        """The name of a variable. It is the variable's own name, or a similar name if that name is in use."""
        found = self._of_var.get(var.__chandle__())
        if found is not None:
            return found
        with self._lock:
            return self._of_var.setdefault(var.__chandle__(), self._new(var.name, var, kind_of(var)))

    def of_part(self, part: Any) -> str:
        """The name of a subexpression without a counterpart. Subexpressions with the same structure have the same
        name."""
        key = tvm_ffi.StructuralKey(part)  # type: ignore[call-arg]  # a stub has its fields as arguments
        found = self._of_part.get(key)
        if found is not None:
            return found
        with self._lock:
            range_ = (0, _clz_most(part)) if _called(part) == "clz" else None
            return self._of_part.setdefault(key, self._new(f"_{_called(part) or type(part).__name__}", part, kind_of(part), range_))

    def _new(self, like: str, meaning: Any, kind: Kind | None, range_: Interval | None = None) -> str:
        stem = re.sub(r"\W", "_", like, flags=re.ASCII) or "_"
        stem = stem if _is_name(stem) else f"v_{stem}"
        name, count = stem, 0
        while name in self.meaning:
            count += 1
            name = f"{stem}_{count}"
        self.ranges[name] = range_ or (kind.range if kind else (None, None))
        # `meaning` is set last, so that a name with a meaning always has a range
        self.meaning[name] = meaning
        return name

    def lane(self, vector: Any) -> str:
        """The name of the lane number for vectors with as many lanes as ``vector``."""
        count = lanes_text(vector)
        with self._lock:
            self.ranges.setdefault(f"_lane{count}", (0, int(count) - 1 if count.isdigit() else None))
        return f"_lane{count}"


def lanes_text(vector: Any) -> str:
    """The number of lanes of a vector, as it is written in the type. For a vector with a machine-dependent size, it is
    a text such as `vscalex4`."""
    return str(vector.ty.dtype).partition("x")[2]


def _is_name(text: str) -> bool:
    try:
        return Expr.parse(text) == Expr.var(text)
    except Error:
        return False


def _called(part: Any) -> str | None:
    """The name of the operation that is called, without its dialect."""
    if isinstance(part, ir.Call) and isinstance(part.op, ir.Op):
        return str(part.op.name).rpartition(".")[2]
    return None


def _clz_most(part: Any) -> int:
    kind = kind_of(part.args[0])
    return kind.bits if kind else 64


class Reader:
    """Reads the expressions of one question.

    Args:
        names: the names of variables, which persist between questions.
        bounds: a function for the bounds of an expression of quaff, for casts and for unsigned numbers of 64 bits.
        settled: a function that simplifies an operand of a subexpression without a counterpart, and returns an
            expression of TVM. Its arguments are the operand, the expression that was read for it, and the reader.

    Attributes:
        kinds: the types of the subexpressions that ``survey`` visited. Operands of a subexpression without a
            counterpart are excluded.
        size: the number of subexpressions.
        lanes: a vector in the expression, if all vectors have equal lanes. None if there is no vector.
        has_rebuilt: whether an operand of a subexpression without a counterpart was replaced by a cheaper form.
        has_guard: whether the expression contains ``if_then_else``.
    """

    def __init__(self, names: Names, bounds: Callable[[Expr], Interval], settled: Callable[[Any, Expr, Reader], Any]):
        self.names = names
        self.bounds = bounds
        self.settled = settled
        self.kinds: set[Kind] = set()
        self.size = 0
        self.lanes: Any = None
        self.has_guard = False
        self.has_rebuilt = False
        self._words: list[int] = []
        self._variables: dict[str, int] = {}
        self._node_of: dict[tuple[int, ...], int] = {}
        self._operands_of: dict[int, list[Any]] = {}
        self._kinds: dict[int, Kind] = {}
        # for each handle of a TVM object, its node. The node of an unsigned operation is the value modulo a power of
        # two
        self._values: dict[int, int] = {}
        self._rings: dict[int, int] = {}
        self._opaques: set[int] = set()
        # references keep the objects alive, so that no handle is reused for another object
        self._alive: list[Any] = []

    @property
    def variables(self) -> list[str]:
        """The names of the variables that were read."""
        return list(self._variables)

    def expr(self, node: int) -> Expr:
        """The expression of a node."""
        return from_nodes(self._words, list(self._variables), [node])[0]

    def read(self, expr: Any) -> Expr:
        """Reads ``expr`` as an expression of quaff.

        Raises:
            Error: ``expr`` has a float, a handle, or a call with an effect.
        """
        if isinstance(expr, (bool, int)):
            return Expr(int(expr))
        if kind_of(expr) is None:
            raise refusal(expr, f"of type {expr.ty} is no integer", "no_integer")
        todo = [(expr, False)]
        while todo:
            part, are_operands_done = todo.pop()
            handle = part.__chandle__()
            if handle in self._values:
                continue
            self._alive.append(part)
            if type(part) is tirx.Let:
                self._read_let(part, todo)
                continue
            if not are_operands_done:
                self._operands_of[handle] = self._operands(part)
            operands = None if are_operands_done else self._operands_of[handle] or _inner(part)
            if operands:
                todo.append((part, True))
                todo.extend((o, False) for o in operands)
            else:
                self._values[handle] = self._built(part)
        return self.expr(self._values[expr.__chandle__()])

    def survey(self, expr: Any) -> None:
        """Collects the types and the vectors of the expression that was read, before an answer is written."""
        self.kinds, self.lanes, self.has_guard = set(), None, False
        seen, todo = set(), [expr]
        while todo:
            part = todo.pop()
            handle = part.__chandle__()
            if handle in seen:
                continue
            self._alive.append(part)
            seen.add(handle)
            kind = self._kind(part)
            self.kinds.add(kind)
            if kind.is_vector and self.lanes is None:
                self.lanes = part
            self.has_guard |= _called(part) == "if_then_else"
            if handle not in self._opaques:
                todo.extend([part.value, part.body] if type(part) is tirx.Let else self._operands_of.get(handle, ()))
        self.size = len(seen)

    def _kind(self, part: Any) -> Kind:
        """The type of a subexpression that was read."""
        handle = part.__chandle__()
        kind = self._kinds.get(handle) or kind_of(part)
        assert kind is not None
        self._kinds[handle] = kind
        return kind

    def _read_let(self, part: Any, todo: list[tuple[Any, bool]]) -> None:
        value, body = self._values.get(part.value.__chandle__()), self._values.get(part.body.__chandle__())
        if value is None:
            todo.extend([(part, False), (part.value, False)])
        elif body is None:
            self._values[part.var.__chandle__()] = value
            todo.extend([(part, False), (part.body, False)])
        else:
            self._values[part.__chandle__()] = body
        self._alive.append((part.value, part.body, part.var))

    def _operands(self, part: Any) -> list[Any]:
        """The operands that must be read before ``part``."""
        kind = type(part)
        if kind in _BINARY:
            operands = [part.a, part.b]
        elif kind is tirx.Not or kind is tirx.BitwiseNot:
            operands = [part.a]
        elif kind is tirx.Select:
            operands = [part.condition, part.true_value, part.false_value]
        elif kind is tirx.Cast or kind is tirx.Broadcast:
            operands = [part.value]
        elif kind is tirx.Ramp:
            operands = [part.base, part.stride]
        elif _called(part) in _CALLS or _called(part) in _SAME or _called(part) == "bitwise_not":
            operands = list(part.args)
        else:
            return []
        return operands if all(kind_of(o) is not None for o in operands) else []

    # nodes

    def _node(self, *words: int) -> int:
        at = self._node_of.get(words)
        if at is None:
            at = self._node_of[words] = len(self._node_of)
            self._words.extend(words)
        return at

    def _const(self, value: int) -> int:
        return self._node(_CONST, value)

    def _variable(self, name: str) -> int:
        return self._node(_VAR, self._variables.setdefault(name, len(self._variables)))

    def _op(self, name: str, *args: int) -> int:
        return self._node(OPERATORS[name], *args)

    # parts

    def _built(self, part: Any) -> int:
        kind = self._kind(part)
        if type(part) is tirx.IntImm:
            return self._const(int(part.value)) if kind.holds(int(part.value)) else self._opaque(part)
        if isinstance(part, ir.Var):
            return self._variable(self.names.of_var(part))
        operands = self._operands_of[part.__chandle__()]
        if not operands:
            return self._opaque(part)
        args = [self._values[o.__chandle__()] for o in operands]
        if type(part) in _BINARY:
            return self._operation(part, _BINARY[type(part)], operands, args, kind)
        called = _called(part)
        if called in _SAME or isinstance(part, tirx.Broadcast):
            return args[0]
        if isinstance(part, tirx.Ramp):
            return self._op("add", args[0], self._op("mul", args[1], self._variable(self.names.lane(part))))
        if isinstance(part, tirx.Cast):
            return self._cast(part, args[0], kind)
        if isinstance(part, tirx.Not) or ((called == "bitwise_not" or isinstance(part, tirx.BitwiseNot)) and kind.code == "bool"):
            return self._op("not", *args)
        if called == "bitwise_not" or isinstance(part, tirx.BitwiseNot):
            most = self._const(-1 if kind.code == "int" else int(kind.range[1] or -1))
            return self._op("sub", most, args[0])
        if isinstance(part, tirx.Select) or called == "if_then_else":
            return self._op("select", *args)
        return self._operation(part, _CALLS[called or ""], operands, args, kind)

    def _operation(self, part: Any, name: str, operands: list[Any], args: list[int], kind: Kind) -> int:
        if kind.code != "uint" or name not in _RING:
            return self._op(name, *args)
        # arithmetic on unsigned numbers wraps around, so the results are stored modulo a power of two
        handles = [o.__chandle__() for o in operands]
        of_rings = [self._rings.get(h, a) for h, a in zip(handles, args)]
        at = self._op(name, of_rings[0], args[1] if name == "shl" else of_rings[1])
        if kind.bits < 64:
            self._rings[part.__chandle__()] = at
            return self._op("mod", at, self._const(2**kind.bits))
        lower, _ = self._bounds(at)
        return at if lower is not None and lower >= 0 else self._opaque(part)

    def _cast(self, part: Any, arg: int, kind: Kind) -> int:
        """A cast. If the type holds all values of the operand, the result is the operand itself. Otherwise the result
        is the value after the cast."""
        of = kind_of(part.value)
        assert of is not None
        if kind.code == "bool":
            return arg if of.code == "bool" else self._op("ne", arg, self._const(0))
        lower, upper = of.range
        own_lower, own_upper = kind.range
        if _within((lower, upper), (own_lower, own_upper)) or _within(self._bounds(arg), (own_lower, own_upper)):
            return arg
        if kind.bits == 64 and kind.code == "int":
            return arg
        if kind.bits < 64 and kind.code == "uint":
            return self._op("mod", arg, self._const(2**kind.bits))
        return self._opaque(part)

    def _bounds(self, node: int) -> Interval:
        try:
            return self.bounds(self.expr(node))
        except Error:
            return None, None

    def _opaque(self, part: Any) -> int:
        """A variable for a subexpression without a counterpart, whose operands are replaced by their cheapest forms."""
        inner = _inner(part)
        _check_effects(part, inner)
        handle = part.__chandle__()
        self._opaques.add(handle)
        settled = {o.__chandle__(): self.settled(o, self.expr(self._values[o.__chandle__()]), self) for o in inner}
        rebuilt = _rebuilt(part, settled)
        self.has_rebuilt |= rebuilt is not part
        return self._variable(self.names.of_part(rebuilt))


def _within(inner: Interval, outer: Interval) -> bool:
    is_above = outer[0] is None or (inner[0] is not None and inner[0] >= outer[0])
    return is_above and (outer[1] is None or (inner[1] is not None and inner[1] <= outer[1]))


def _has_effect(call: Any) -> bool:
    """Whether a call has an effect besides reading memory. Two equal calls with such an effect may have different
    values."""
    effect = call.op.get_attr("TCallEffectKind") if isinstance(call.op, ir.Op) else None
    return effect is None or int(effect) > tirx.CallEffectKind.ReadState.value


def _check_effects(part: Any, inner: list[Any]) -> None:
    """Raises an error if a subexpression has an effect besides reading memory. The operands ``inner`` were read before,
    and have no effect."""
    others = [part]
    if isinstance(part, ir.Call):
        if _has_effect(part):
            raise refusal(part, "may have an effect", "effect")
        known = {o.__chandle__() for o in inner}
        others = [a for a in part.args if a.__chandle__() not in known]
    elif inner:
        return
    effects: list[Any] = []
    for other in others:
        tvm_ffi.structural_walk(other, (ir.Call, lambda call: effects.append(call) if _has_effect(call) else None))
    if effects:
        raise refusal(effects[0], "may have an effect", "effect")


def _inner(part: Any) -> list[Any]:
    """The integer operands of a subexpression without a counterpart."""
    if isinstance(part, ir.Call):
        operands = list(part.args)
    elif isinstance(part, ir.TensorLoad):
        operands = list(part.indices)
    else:
        operands = [part.value] if isinstance(part, tirx.Cast) else []
    kinds = [(o, kind_of(o)) for o in operands if not isinstance(o, (ir.Var, tirx.IntImm))]
    return [o for o, kind in kinds if kind is not None and not kind.is_vector]


def _rebuilt(part: Any, inner: dict[int, Any]) -> Any:
    """A subexpression with new operands. ``inner`` maps the handles of the old operands to the new operands."""
    if all(handle == new.__chandle__() for handle, new in inner.items()):
        return part
    if isinstance(part, tirx.Cast):
        return tirx.Cast(str(part.ty.dtype), inner[part.value.__chandle__()])
    if isinstance(part, ir.TensorLoad):
        return tirx.BufferLoad(part.source, [inner.get(o.__chandle__(), o) for o in part.indices])
    args = [inner.get(o.__chandle__(), o) for o in part.args]
    return ir.Call(part.op, args, attrs=part.attrs, ty_args=list(part.ty_args or []), ret_ty=part.ty)


def range_of(range_: Any) -> tuple[Any, Any]:
    """The ends of a ``Range`` or ``IntervalSet`` of TVM, both inclusive, as TVM's expressions. An open end is None."""
    if isinstance(range_, ir.Range):
        extent = range_.extent
        if isinstance(extent, tirx.IntImm) and isinstance(range_.min, tirx.IntImm):
            return int(range_.min), int(range_.min) + int(extent) - 1
        return range_.min, range_.min + extent - 1
    infinite = (tvm.sym.int_set.neg_inf(), tvm.sym.int_set.pos_inf())
    ends = range_.min_value, range_.max_value
    return tuple(None if any(e.same_as(i) for i in infinite) else e for e in ends)  # type: ignore[return-value]
