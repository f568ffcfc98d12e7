"""What integer UOps of tinygrad become: simple 32-bit instructions, as tinygrad lowers them and a compiler for CUDA fuses them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tinygrad.dtype import dtypes
from tinygrad.uop.ops import Ops, UOp

from quaff._tinygrad_uops import is_gated, is_read

# A division that is a machine division, and one by a constant of a numerator that may be negative, for which tinygrad adds a test.
_DIVISION, _SIGNED = 20.0, 6.0
_DIVISIONS = (Ops.FLOORDIV, Ops.FLOORMOD)


@dataclass(frozen=True)
class Price:
    """What integer values take together.

    Attributes:
        instructions: simple 32-bit instructions; what values share is computed once.
        signed_divisions: divisions by a constant, no power of two, of what may be negative.
        is_wide: whether a part needs 64 bits.
    """

    instructions: float
    signed_divisions: int
    is_wide: bool


def price_of(values: list[UOp]) -> Price:
    """The price of all of these together."""
    todo, parts = list(values), {}
    users: Counter = Counter()
    added: Counter = Counter()
    while todo:
        u = todo.pop()
        if u in parts or not (is_read(u) or is_gated(u)):
            continue
        parts[u] = None
        for s in u.src:
            users[s] += 1
            added[s] += u.op is Ops.ADD
            todo.append(s)
    addressed = {u.src[1] if is_gated(u) else u for u in values}
    instructions, signed, is_wide = 0.0, 0, False
    for u in parts:
        if is_gated(u):
            continue
        signed += u.op in _DIVISIONS and u.src[0].vmin < 0 and not _is_power(u.src[1])
        is_wide |= u.dtype is dtypes.weakint and u.overflows(dtypes.int32)
        if u.op in (Ops.AND, Ops.OR) and any(_is_comparison(s) and users[s] == 1 for s in u.src):
            # a comparison takes another condition along
            continue
        is_offset = u in addressed and users[u] <= 1
        instructions += _cost(u, is_offset, 0 < users[u] == added[u])
    return Price(instructions, signed, is_wide)


def _is_comparison(u: UOp) -> bool:
    if u.op is Ops.CMPNE and u.src[0].dtype is dtypes.bool:
        return _is_comparison(u.src[0])
    return u.op in (Ops.CMPLT, Ops.CMPNE, Ops.CMPEQ)


def _is_power(u: UOp) -> bool:
    return u.op is Ops.CONST and u.val > 0 and u.val & (u.val - 1) == 0


def _cost(u: UOp, is_offset: bool, only_added: bool) -> float:
    match u.op:
        case Ops.ADD:
            # the constant of an address is its offset
            return 0.0 if is_offset and u.src[1].op is Ops.CONST else 1.0
        case Ops.MUL:
            # a multiplication and an addition are one instruction
            return 0.0 if only_added and u.src[1].op is Ops.CONST else 1.0
        case op if op in _DIVISIONS:
            return _cost_of_division(u)
        case Ops.CMPNE if u.src[0].dtype is dtypes.bool:
            return 0.0
    return 1.0


def _cost_of_division(u: UOp) -> float:
    a, b = u.src
    if b.op is not Ops.CONST:
        return _DIVISION
    d = b.val
    if _is_power(b):
        return 1.0
    is_mod = u.op is Ops.FLOORMOD
    # a multiplication and a shift; wide where the product leaves 32 bits
    small = a.vmin >= 0 and a.vmax * d < 2**31
    return (2.0 if small else 3.0) + is_mod + (_SIGNED if a.vmin < 0 else 0.0)
