"""What integer UOps of tinygrad become: simple 32-bit instructions, as tinygrad lowers them and a compiler for CUDA fuses them."""

from __future__ import annotations

from collections import Counter

from tinygrad.dtype import dtypes
from tinygrad.uop.ops import Ops, UOp

from quaff._tinygrad_uops import is_gated, is_read

# A division that is a machine division, and one by a constant of a numerator that may be negative, for which tinygrad adds a test.
_DIVISION, _SIGNED = 20.0, 6.0


def cost_of(values: list[UOp]) -> float:
    """Instructions for all of these together; what they share is computed once.

    """
    todo, parts = list(values), {}
    users: Counter = Counter()
    sums: Counter = Counter()
    while todo:
        u = todo.pop()
        if u in parts or not (is_read(u) or is_gated(u)):
            continue
        parts[u] = None
        for s in u.src:
            users[s] += 1
            sums[s] += u.op is Ops.ADD
            todo.append(s)
    addressed = {u.src[1] if is_gated(u) else u for u in values}
    total = 0.0
    for u in parts:
        if u.op in (Ops.AND, Ops.OR) and any(_is_compared(s) and users[s] == 1 for s in u.src):
            # a comparison takes another condition along
            continue
        total += _cost(u, u in addressed and users[u] == 0, sums[u] and sums[u] == users[u])
    return total


def _is_compared(u: UOp) -> bool:
    if u.op is Ops.CMPNE and u.src[0].dtype is dtypes.bool:
        return _is_compared(u.src[0])
    return u.op in (Ops.CMPLT, Ops.CMPNE, Ops.CMPEQ)


def needs_64_bits(values: list[UOp]) -> bool:
    """Whether a part of these leaves 32 bits."""
    seen, todo = set(), list(values)
    while todo:
        u = todo.pop()
        if u in seen or not (is_read(u) or is_gated(u)):
            continue
        seen.add(u)
        if u.dtype is dtypes.weakint and u.overflows(dtypes.int32) and not is_gated(u):
            return True
        todo.extend(u.src)
    return False


def _cost(u: UOp, is_address: bool, only_added: bool) -> float:
    match u.op:
        case Ops.ADD:
            # the constant of an address is its offset
            return 0.0 if is_address and u.src[1].op is Ops.CONST else 1.0
        case Ops.MUL:
            # a multiplication and an addition are one instruction
            return 0.0 if only_added and u.src[1].op is Ops.CONST else 1.0
        case Ops.FLOORDIV | Ops.FLOORMOD | Ops.CDIV | Ops.CMOD:
            return _cost_of_division(u)
        case Ops.CMPNE if u.src[0].dtype is dtypes.bool:
            return 0.0
    return 0.0 if is_gated(u) else 1.0


def _cost_of_division(u: UOp) -> float:
    a, b = u.src
    if b.op is not Ops.CONST:
        return _DIVISION
    d = b.val
    if d & (d - 1) == 0:
        return 1.0
    is_mod = u.op in (Ops.FLOORMOD, Ops.CMOD)
    # a multiplication and a shift; wide where the product leaves 32 bits
    small = a.vmin >= 0 and a.vmax * d < 2**31
    return (2.0 if small else 3.0) + is_mod + (_SIGNED if a.vmin < 0 else 0.0)
