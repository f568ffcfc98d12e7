"""Converts quaff's expressions to UOps of tinygrad."""

from __future__ import annotations

from tinygrad.dtype import dtypes
from tinygrad.uop.ops import Ops, UOp

from quaff._nodes import Node

class Refused(Exception):
    """The reason why a kernel is left unchanged."""


class Writer:
    """Writes a flat list of nodes as UOps.

    Args:
        nodes: the list.
        leaves: the UOps of its variables.
        new: a dict from UOps to their replacements, for leaves that were rebuilt.
    """

    def __init__(self, nodes: list[Node], leaves: list[UOp], new: dict[UOp, UOp]):
        self._nodes = nodes
        self._leaves = leaves
        self._new = new
        self._made: dict[int, UOp] = {}

    def integer(self, at: int) -> UOp:
        """Node ``at`` as an index integer, even if it is a condition."""
        u = self._uop(at)
        # a cast does not work here. tinygrad removes a cast to `weakint` when it chooses the width of indices, so the
        # index would be a `bool`
        return u.where(UOp.const(1), UOp.const(0)) if u.dtype is dtypes.bool else u

    def condition(self, at: int) -> UOp:
        """Node ``at`` as a condition."""
        name, args = self._nodes[at]
        if name == "const":
            return UOp.const(bool(args[0]))
        u = self._uop(at)
        return u if u.dtype is dtypes.bool else u.alu(Ops.CMPNE, UOp.const(0))

    def _uop(self, at: int) -> UOp:
        todo = [at]
        while todo:
            n = todo[-1]
            name, args = self._nodes[n]
            missing = [] if name in ("const", "var") else [a for a in args if a not in self._made]
            if missing:
                todo.extend(missing)
                continue
            todo.pop()
            if n not in self._made:
                self._made[n] = self._built(name, args)
        return self._made[at]

    def _built(self, name: str, args: tuple[int, ...]) -> UOp:
        if name == "const":
            return UOp.const(args[0])
        if name == "var":
            leaf = self._leaves[args[0]]
            return self._new.get(leaf, leaf)
        if name in ("and", "or", "not"):
            a = self.condition(args[0])
            if name == "not":
                return _negated(a)
            return a.alu(Ops.AND if name == "and" else Ops.OR, self.condition(args[1]))
        if name == "select":
            c = self.condition(args[0])
            branches = [self._made[a] for a in args[1:]]
            if all(b.dtype is dtypes.bool for b in branches):
                return c.where(*branches)
            return c.where(self.integer(args[1]), self.integer(args[2]))
        if name in ("ne", "eq") and all(self._made[n].dtype is dtypes.bool for n in args):
            different = self._made[args[0]].alu(Ops.CMPNE, self._made[args[1]])
            return different if name == "ne" else _negated(different)
        a = self.integer(args[0])
        if name == "neg":
            return a.alu(Ops.MUL, UOp.const(-1))
        b = self.integer(args[1])
        match name:
            case "add":
                return _sum(a, b)
            case "sub":
                return _sum(a, UOp.const(-b.val) if b.op is Ops.CONST else b.alu(Ops.MUL, UOp.const(-1)))
            case "mul":
                return b.alu(Ops.MUL, a) if a.op is Ops.CONST else a.alu(Ops.MUL, b)
            case "floordiv" | "mod":
                if b.vmin <= 0:
                    # if the divisor is positive only under a gate, the answer is refused, because tinygrad may compute
                    # an index before it tests the gate
                    raise Refused("an answer that divides by what can be 0")
                return a.alu(Ops.FLOORDIV if name == "floordiv" else Ops.FLOORMOD, b)
            case "max":
                return a.alu(Ops.MAX, b)
            case "min":
                return a.alu(Ops.CMPLT, b).where(a, b)
            case "lt":
                return a.alu(Ops.CMPLT, b)
            case "gt":
                return b.alu(Ops.CMPLT, a)
            case "ge":
                return _negated(a.alu(Ops.CMPLT, b))
            case "le":
                return _negated(b.alu(Ops.CMPLT, a))
            case "ne":
                return a.alu(Ops.CMPNE, b)
            case "eq":
                return _negated(a.alu(Ops.CMPNE, b))
        return _of_powers(name, a, b)


def _of_powers(name: str, a: UOp, b: UOp) -> UOp:
    """Writes shifts and masks as divisions, remainders and products. At this point, tinygrad does not have shifts and
    masks yet."""
    if b.op is Ops.CONST and b.val >= 0:
        if name == "shl":
            return a.alu(Ops.MUL, UOp.const(1 << b.val))
        if name == "shr":
            return a.alu(Ops.FLOORDIV, UOp.const(1 << b.val))
        if name == "bitand" and b.val & (b.val + 1) == 0:
            return a.alu(Ops.FLOORMOD, UOp.const(b.val + 1))
    raise Refused(f"an answer with `{name}`")


def _negated(condition: UOp) -> UOp:
    return condition.alu(Ops.CMPNE, UOp.const(True))


def _sum(a: UOp, b: UOp) -> UOp:
    """``a + b`` with the constant last, because tinygrad expects it there."""
    if a.op is Ops.CONST:
        a, b = b, a
    if a.op is Ops.ADD and a.src[1].op is Ops.CONST and b.op is not Ops.CONST:
        return a.src[0].alu(Ops.ADD, b).alu(Ops.ADD, a.src[1])
    return a.alu(Ops.ADD, b)
