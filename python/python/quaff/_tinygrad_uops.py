"""Reads the integer part of a tinygrad kernel as quaff's expressions, and writes answers into the kernel.

A kernel is read while its indices are still ``weakint``, tinygrad's integer without a width. At this point, ``//`` and
``%`` are floor division and floor modulo, and no value wraps around, as in quaff. tinygrad later chooses the width of
every node by its bounds. Arithmetic on ``int32`` and other machine types wraps around. A value of such arithmetic
becomes a variable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tinygrad.dtype import dtypes
from tinygrad.uop.ops import GroupOp, Ops, UOp

from quaff._nodes import Node, nodes_of
from quaff._quaff import OPERATORS, Access, Domain, from_nodes, to_nodes
from quaff._tinygrad_cost import Prices
from quaff._tinygrad_writer import Refused, Writer

_MIN, _MAX = -(2**63), 2**63 - 1
_INDEX = (dtypes.weakint, dtypes.bool)

# Operators whose operands and result are index integers, with quaff's names. Truncating division is left out, because
# tinygrad's indices do not contain it. It equals floor division only if no operand is negative.
_ARITHMETIC = {
    Ops.ADD: "add",
    Ops.SUB: "sub",
    Ops.MUL: "mul",
    Ops.FLOORDIV: "floordiv",
    Ops.FLOORMOD: "mod",
    Ops.MAX: "max",
    Ops.NEG: "neg",
}
_COMPARISONS = {Ops.CMPLT: "lt", Ops.CMPNE: "ne", Ops.CMPEQ: "eq"}
_LOGIC = {Ops.AND: "and", Ops.OR: "or", Ops.XOR: "ne"}
_POINTERS = (Ops.INDEX, Ops.SHRINK)
_DIVISIONS = (Ops.FLOORDIV, Ops.FLOORMOD)


def is_gated(u: UOp) -> bool:
    """Whether ``u`` is an index with a condition: ``WHERE(condition, index, Invalid)``."""
    return u.op is Ops.WHERE and u.src[2].is_invalid


def is_negation(u: UOp) -> bool:
    """Whether ``u`` is the negation of a condition in tinygrad's form: ``condition != True``."""
    return u.op is Ops.CMPNE and u.src[0].dtype is dtypes.bool and u.src[1].op is Ops.CONST and u.src[1].val is True


def is_read(u: UOp) -> bool:
    """Whether ``u`` is an operation with a counterpart in quaff, with the same values."""
    of = [s.dtype for s in u.src]
    if u.op in _COMPARISONS:
        return all(d in _INDEX for d in of) and not any(s.is_invalid for s in u.src)
    if u.dtype is dtypes.bool:
        if u.op in _LOGIC:
            return all(d is dtypes.bool for d in of)
        return u.op is Ops.WHERE and all(d is dtypes.bool for d in of) and not any(s.is_invalid for s in u.src)
    if u.dtype is not dtypes.weakint:
        return False
    if u.op is Ops.WHERE:
        return of[0] is dtypes.bool and all(d is dtypes.weakint for d in of[1:])
    if u.op in _DIVISIONS and u.src[1].vmin <= 0:
        return False
    return u.op in _ARITHMETIC and all(d is dtypes.weakint for d in of)


def is_asked(sink: UOp) -> bool:
    """Whether a kernel has index arithmetic other than sums, products and comparisons.

    For sums, products and comparisons alone, quaff saves nothing. A compiler adds terms in any order, and computes a
    repeated subexpression once.
    """
    for u in sink.toposort():
        if u.dtype is dtypes.weakint and (u.op in _DIVISIONS or u.op is Ops.MAX or (u.op is Ops.WHERE and not u.src[2].is_invalid)):
            return True
    return False


class Widths(NamedTuple):
    """Costs of values that the estimated instructions do not include.

    Attributes:
        is_wide: whether a value needs 64 bits.
        signed_divisions: the number of divisions of possibly negative numbers by a constant that is no power of two.
    """

    is_wide: bool
    signed_divisions: int


def widths_of(values: list[UOp]) -> Widths:
    """The costs for all subexpressions of these integer values."""
    parts = UOp.sink(*values).toposort(gate=lambda u: is_read(u) or is_gated(u) or u.op is Ops.SINK)
    parts = [u for u in parts if u.dtype is dtypes.weakint and is_read(u)]
    signed = sum(u.op in _DIVISIONS and u.src[0].vmin < 0 and not _is_power(u.src[1]) for u in parts)
    return Widths(any(u.overflows(dtypes.int32) for u in parts), signed)


def _is_power(u: UOp) -> bool:
    return u.op is Ops.CONST and u.val > 0 and u.val & (u.val - 1) == 0


def sound_range(u: UOp, known: dict[UOp, tuple[int, int]]) -> tuple[int, int]:
    """Bounds of a value, both ends inclusive. They hold even if arithmetic on machine integers wraps around.

    ``vmin`` and ``vmax`` bound the mathematical value. They are used if no operation that computes the value can
    overflow its type.
    """
    if (found := known.get(u)) is not None:
        return found
    for part in u.toposort(gate=lambda p: p not in known):
        known[part] = _range_of(part, known)
    return known[u]


def _range_of(u: UOp, known: dict[UOp, tuple[int, int]]) -> tuple[int, int]:
    if u.dtype is dtypes.bool:
        return 0, 1
    if u.dtype is not dtypes.weakint and u.dtype not in dtypes.ints:
        return _MIN, _MAX
    lo, hi = (_MIN, _MAX) if u.dtype is dtypes.weakint else (u.dtype.min, u.dtype.max)
    if u.op is Ops.CONST:
        return (u.val, u.val) if not u.is_invalid else (lo, hi)
    if u.op in GroupOp.ALU or u.op is Ops.CAST:
        # `vmin` and `vmax` are computed from the operands, so they are wrong if an operand wrapped around
        if any(known[s] != (s.vmin, s.vmax) for s in u.src if s.dtype is not dtypes.bool):
            return lo, hi
    elif u.op not in (Ops.RANGE, Ops.SPECIAL, Ops.PARAM):
        return lo, hi
    vmin, vmax = u.vmin, u.vmax
    if u.op is Ops.CAST and not (lo <= known[u.src[0]][0] and known[u.src[0]][1] <= hi):
        return lo, hi
    ok = isinstance(vmin, int) and isinstance(vmax, int) and lo <= vmin and vmax <= hi
    return (int(vmin), int(vmax)) if ok else (lo, hi)


@dataclass(frozen=True)
class Root:
    """An integer value that the rest of the kernel uses.

    Attributes:
        user: the UOp that the answer replaces: the value itself, or the ``WHERE`` of an index and its gate.
        index: the value. None if the value is a condition. A condition is a gate in the question.
        gate: the condition under which the value is used, or None.
    """

    user: UOp
    index: UOp | None
    gate: UOp | None


@dataclass(frozen=True)
class Answer:
    """The new values for a kernel.

    Attributes:
        nodes: all values as a flat list.
        leaves: for each variable of the list, the number of a leaf of the kernel.
        roots: for each integer value (root) of the kernel, the nodes of its index and of its gate. Without a gate, the
            node of the gate is the constant 1.
    """

    nodes: list[Node]
    leaves: list[int]
    roots: list[tuple[int, int]]


class Kernel:
    """The integer part of one kernel.

    Args:
        sink: the kernel after tinygrad's pass "extra symbolic".

    Raises:
        Refused: the kernel has a value that cannot be read.
    """

    def __init__(self, sink: UOp):
        self.topo = list(sink.toposort())
        self.sink = sink
        self._known: dict[UOp, tuple[int, int]] = {}
        self._words: list[int] = []
        self._count = 0
        self._asked: list[tuple[int, int | None]] = []
        self._at: dict[UOp, int] = {}
        self.leaves: list[UOp] = []
        self.read = {u for u in self.topo if is_read(u)}
        self.roots = self._find_roots()

    def _find_roots(self) -> list[Root]:
        """All integer values that operations other than integer arithmetic use: indices with their gates, conditions
        and other values."""
        indices = {u.src[1] for u in self.topo if u.op in _POINTERS and len(u.src) > 1}
        if any(u.op is Ops.INDEX and len(u.src) != 2 for u in self.topo):
            raise Refused("an index of several dimensions")
        roots: dict[UOp, Root] = {}
        for u in self.topo:
            if u in self.read or u.op in (Ops.RANGE, Ops.SPECIAL, Ops.PARAM, Ops.BUFFER):
                continue
            if is_gated(u) and u in indices and u.src[1].dtype is dtypes.weakint:
                roots[u] = Root(u, u.src[1], u.src[0])
                continue
            for s in u.src:
                if s in self.read and s not in roots:
                    roots[s] = Root(s, None, s) if s.dtype is dtypes.bool else Root(s, s, None)
        return list(roots.values())

    # reading

    def _node(self, *words: int) -> int:
        self._words.extend(words)
        self._count += 1
        return self._count - 1

    def _leaf(self, u: UOp) -> int:
        if u.op is Ops.CONST and not u.is_invalid:
            value = int(u.val)
            if not _MIN <= value <= _MAX:
                raise Refused("a constant outside of 64 bits")
            return self._node(OPERATORS["const"], value)
        if u.op is Ops.STACK or u.is_invalid:
            raise Refused("a vector in an index")
        self.leaves.append(u)
        return self._node(OPERATORS["var"], len(self.leaves) - 1)

    def _number(self, root: UOp) -> int:
        """The number of the node for ``root``."""
        for u in root.toposort(gate=lambda p: p not in self._at and p in self.read or p is root):
            self._visit(u)
        return self._at[root]

    def _visit(self, u: UOp) -> None:
        if u in self._at:
            return
        if u not in self.read:
            self._at[u] = self._leaf(u)
            return
        for s in u.src:
            if s not in self.read:
                self._visit(s)
        args = [self._at[s] for s in u.src]
        if is_negation(u):
            name, args = "not", args[:1]
        elif u.op is Ops.WHERE:
            name = "select"
        elif u.dtype is dtypes.bool:
            name = _COMPARISONS.get(u.op) or _LOGIC[u.op]
        else:
            name = _ARITHMETIC[u.op]
        self._at[u] = self._node(OPERATORS[name], *args)

    def question(self) -> tuple[list[Access], Domain]:
        """The accesses of the question, one for each integer value, and the domain of the variables."""
        zero = self._node(OPERATORS["const"], 0)
        wanted: list[int] = []
        for root in self.roots:
            index = zero if root.index is None else self._number(root.index)
            gate = None if root.gate is None else self._number(root.gate)
            self._asked.append((index, gate))
            wanted += [index] if gate is None else [index, gate]
        ends = {}
        for leaf in list(self.leaves):
            # the end of a loop or of a launch dimension may be an expression over sizes
            if leaf.op in (Ops.RANGE, Ops.SPECIAL) and leaf.src[0] in self.read:
                ends[leaf] = self._number(leaf.src[0])
        wanted += ends.values()
        names = [f"v{i}" for i in range(len(self.leaves))]
        exprs = iter(from_nodes(self._words, names, wanted))
        accesses = []
        for root in self.roots:
            accesses.append(Access(next(exprs), None if root.gate is None else next(exprs)))
        return accesses, self._domain(names, dict(zip(ends, exprs)))

    def _domain(self, names: list[str], ends: dict) -> Domain:
        ranges, steps = {}, {}
        for name, leaf in zip(names, self.leaves):
            lo, hi = sound_range(leaf, self._known)
            if lo > hi:
                raise Refused("an empty loop")
            ranges[name] = (None if lo == _MIN else lo, None if hi == _MAX else hi)
            step = leaf.arg.multiple_of if leaf.op is Ops.PARAM else None
            if step and step > 1:
                steps[name] = step
        name_of = dict(zip(self.leaves, names))
        # sizes are not declared uniform. A division by a uniform value has a low price, because the host prepares it,
        # but tinygrad uses a machine division
        domain = Domain(ranges, step=steps or None, loop=self._nests(name_of) or None)
        return domain.extended({name_of[leaf]: (0, end - 1) for leaf, end in ends.items()}) if ends else domain

    def _nests(self, name: dict[UOp, str]) -> list[list[str]]:
        """The loop nests, each with its outermost loop first. Loops that are open at the same root are in one nest."""
        loops = {leaf for leaf in self.leaves if leaf.op is Ops.RANGE}
        nests: list[set[UOp]] = []
        for root in self.roots:
            here = loops.intersection(root.user.ranges)
            if here:
                joined = [n for n in nests if n & here]
                nests = [n for n in nests if not n & here] + [here.union(*joined)]
        # tinygrad numbers axes from the outermost loop. The other items of `arg` are the kind of the loop
        return [[name[r] for r in sorted(nest, key=lambda r: r.arg[0])] for nest in nests]

    # the answer

    def answer(self, accesses: list[Access]) -> Answer:
        """The new values from the answer. The answer has one access for each integer value of the kernel."""
        flat: list = []
        for access in accesses:
            flat.append(access.index)
            flat.append(1 if access.gate is None else access.gate)
        words, names, roots = to_nodes(flat)
        return Answer(nodes_of(words), [int(name[1:]) for name in names], list(zip(roots[::2], roots[1::2])))

    def prices(self, answer: Answer) -> tuple[int, int, int]:
        """The estimated instructions of the unchanged kernel, of the answer, and of the answer with the conditions of
        the unchanged kernel."""
        loops = {i for i, leaf in enumerate(self.leaves) if leaf.op is Ops.RANGE}
        prices = Prices([sound_range(leaf, self._known) for leaf in self.leaves], loops)
        there = prices.read(nodes_of(self._words), list(range(len(self.leaves))))
        new = prices.read(answer.nodes, answer.leaves)
        gates = [None if gate is None else there[gate] for _, gate in self._asked]
        indices = [new[index] for index, _ in answer.roots]
        return (
            prices.of([(there[index], gate) for (index, _), gate in zip(self._asked, gates)]),
            prices.of([(index, new[gate]) for index, (_, gate) in zip(indices, answer.roots)]),
            prices.of(zip(indices, gates)),
        )

    def rebuilt(self, answer: Answer, with_gates: bool = True) -> tuple[UOp, list[UOp]]:
        """The kernel with the new values, and a list of these values, one for each old value.

        Args:
            answer: an answer to the question.
            with_gates: whether conditions are replaced too, and not only indices and values.
        """
        place = {root.user: i for i, root in enumerate(self.roots)}
        new: dict[UOp, UOp] = {}
        writer = Writer(answer.nodes, [self.leaves[i] for i in answer.leaves], new)
        values: list[UOp] = []
        for u in self.topo:
            if (i := place.get(u)) is not None:
                root = self.roots[i]
                kept = None if with_gates or root.gate is None else self._copied(root.gate, new)
                new[u] = self._answer(root, writer, *answer.roots[i], kept)
                values.append(new[u])
            elif u not in self.read:
                src = tuple(new.get(s, s) for s in u.src)
                if any(a is not b for a, b in zip(src, u.src)):
                    new[u] = u.replace(src=src)
        return new.get(self.sink, self.sink), values

    def _copied(self, value: UOp, new: dict[UOp, UOp]) -> UOp:
        """A copy of a value in which the leaves are replaced by their new nodes."""
        for u in value.toposort(gate=lambda p: p in self.read):
            if u in self.read and u not in new:
                src = tuple(new.get(s, s) for s in u.src)
                if any(a is not b for a, b in zip(src, u.src)):
                    new[u] = u.replace(src=src)
        return new.get(value, value)

    @staticmethod
    def _answer(root: Root, writer: Writer, index: int, gate: int, kept: UOp | None) -> UOp:
        if root.index is None:
            return writer.condition(gate) if kept is None else kept
        value = writer.integer(index)
        if root.gate is None:
            return value
        condition = writer.condition(gate) if kept is None else kept
        if condition.op is Ops.CONST:
            if not condition.val:
                raise Refused("an access that never happens")
            return value
        return value.valid(condition)
