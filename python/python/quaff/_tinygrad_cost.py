"""Estimates the instructions that a CUDA compiler makes of the integer values of a kernel.

A compiler may add the terms of a sum in any order, and computes equal sums once. So sums are counted as sets of terms,
and conditions as sets of comparisons. Texts that differ only in order have the same cost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from quaff._nodes import Node

# The cost of a machine division, and the additional cost of a division by a constant with a possibly negative
# numerator.
_DIVISION, _SIGNED = 20, 6
# The cost of a comparison that has only loop variables. The compiler splits or unrolls the loop, which duplicates code.
_SPLIT = 3

Ends = tuple[int, int]


class Sum(NamedTuple):
    """A sum. It has numbered parts with factors, and a constant."""

    terms: frozenset[tuple[int, int]]
    constant: int


class Test(NamedTuple):
    """The number of a comparison, and whether the comparison must hold or must not hold."""

    number: int
    holds: bool


# A condition, which is true if all of its tests hold. The empty set is always true.
Condition = frozenset[Test]
Form = Sum | Condition
NEVER: Condition = frozenset([Test(-1, False)])


class Prices:
    """The integer values of one kernel. Each subexpression that is not a sum of other subexpressions has a number.

    Args:
        ends: the bounds of each variable, both inclusive.
        loops: the variables that count loops.
    """

    def __init__(self, ends: list[Ends], loops: set[int]):
        self._numbers: dict[tuple, int] = {("var", i): i for i in range(len(ends))}
        self._ends = list(ends)
        self._loops = loops
        # for each numbered subexpression, its instructions without its operands, and the forms of its operands
        self._own: list[tuple[int, tuple[Form, ...]]] = [(0, ())] * len(ends)
        self._tests: dict[tuple, int] = {}
        # for each comparison, its additional instructions in a conjunction, the forms of its operands, and whether the
        # compiler splits a loop at it
        self._of_test: list[tuple[int, tuple[Form, ...], bool]] = []

    # reading

    def read(self, nodes: list[Node], leaves: list[int]) -> list[Form]:
        """The form (a sum or a condition) of each node of a flat list. ``leaves`` has the numbers of its variables."""
        forms: list[Form] = []
        for name, args in nodes:
            if name == "const":
                forms.append(Sum(frozenset(), args[0]))
            elif name == "var":
                forms.append(Sum(frozenset([(leaves[args[0]], 1)]), 0))
            else:
                forms.append(self._operation(name, *(forms[a] for a in args)))
        return forms

    def _operation(self, name: str, *args: Form) -> Form:
        match name:
            case "not":
                return self._negated(self.condition(args[0]))
            case "and":
                return self.condition(args[0]) | self.condition(args[1])
            case "or":
                return self._negated(self._negated(self.condition(args[0])) | self._negated(self.condition(args[1])))
            case "ne" | "eq" | "lt" | "gt" | "le" | "ge":
                return self._compared(name, *args)
            case "select" if not any(isinstance(a, Sum) for a in args[1:]):
                return self._test(("select", *args), 1, args)
            case "select":
                return self._atom(name, (self.condition(args[0]), self.integer(args[1]), self.integer(args[2])), 1)
        return self._arithmetic(name, *(self.integer(a) for a in args))

    def _arithmetic(self, name: str, a: Sum, b: Sum = Sum(frozenset(), -1)) -> Sum:
        by = None if b.terms else b.constant
        match name:
            case "add":
                return _added(a, b, 1)
            case "sub":
                return _added(a, b, -1)
            case "neg":
                return _times(a, -1)
            case "mul" if by is not None:
                return _times(a, by)
            case "mul" if not a.terms:
                return _times(b, a.constant)
            case "shl" if by is not None and by >= 0:
                return _times(a, 1 << by)
            case "shr" if by is not None and by >= 0:
                return self._divided(a, Sum(frozenset(), 1 << by))
            case "floordiv":
                return self._divided(a, b)
            case "mod" if by is not None and _is_power(by):
                return self._atom("mod", (a, b), 1, (0, by - 1))
            case "mod":
                # the remainder needs the quotient and one multiply-add
                return self._atom("mod", (a, b, self._divided(a, b)), 1, (0, max(self._bounds(b)[1] - 1, 0)))
        return self._atom(name, (a, b), 1)

    def _divided(self, a: Sum, b: Sum) -> Sum:
        lo, hi = self._bounds(a)
        if b.terms:
            return self._atom("div", (a, b), _DIVISION, (min(lo, 0), max(hi, 0)))
        d = b.constant
        # a multiplication and a shift, which are wider if the product exceeds 32 bits
        cost = 1 if _is_power(d) else (2 if lo >= 0 and hi * d < 2**31 else 3) + (_SIGNED if lo < 0 else 0)
        return self._atom("div", (a, b), cost, (lo // d, hi // d) if d > 0 else None)

    def _atom(self, name: str, args: tuple[Form, ...], cost: int, ends: Ends | None = None) -> Sum:
        key = (name, *args) if name in ("div", "mod", "select", "sub") else (name, frozenset(args))
        number = self._numbers.get(key)
        if number is None:
            if ends is None:
                of = [self._bounds(a) for a in args if isinstance(a, Sum)] or [(0, 1)]
                ends = min(e[0] for e in of), max(e[1] for e in of)
                if name == "mul":
                    corners = [x * y for x in of[0] for y in of[-1]]
                    ends = min(corners), max(corners)
            number = self._numbers[key] = len(self._own)
            self._own.append((cost, args))
            self._ends.append(ends)
        return Sum(frozenset([(number, 1)]), 0)

    def _bounds(self, of: Sum) -> Ends:
        lo = hi = of.constant
        for number, factor in of.terms:
            a, b = self._ends[number]
            lo += factor * (a if factor > 0 else b)
            hi += factor * (b if factor > 0 else a)
        return lo, hi

    def integer(self, form: Form) -> Sum:
        """A value as a number, even if it is a condition."""
        return form if isinstance(form, Sum) else self._atom("select", (form,), 1, (0, 1))

    def condition(self, form: Form) -> Condition:
        """A value as a condition, even if it is a number."""
        if not isinstance(form, Sum):
            return form
        if not form.terms:
            return frozenset() if form.constant else NEVER
        return self._compared("ne", form, Sum(frozenset(), 0))

    # conditions

    def _test(self, key: tuple, cost: int, of: tuple[Form, ...], holds: bool = True, is_split: bool = False) -> Condition:
        number = self._tests.setdefault(key, len(self._of_test))
        if number == len(self._of_test):
            self._of_test.append((cost, of, is_split))
        return frozenset([Test(number, holds)])

    def _negated(self, condition: Condition) -> Condition:
        if len(condition) == 1:
            ((number, holds),) = condition
            return frozenset([Test(number, not holds)]) if number >= 0 else frozenset()
        if not condition:
            return NEVER
        # the negation of a conjunction becomes a new test, which holds if at least one test of the conjunction fails
        return self._test(("all", condition), 0, (condition,), False)

    def _compared(self, name: str, a: Form, b: Form) -> Condition:
        if not isinstance(a, Sum) or not isinstance(b, Sum):
            if name in ("ne", "eq") and isinstance(b, Sum) and not b.terms:
                # the comparison of a condition with true or false is the condition or its negation
                truth = self.condition(a)
                return self._negated(truth) if (b.constant == 1) == (name == "ne") else truth
            a, b = self.integer(a), self.integer(b)
        if name in ("gt", "le"):
            a, b = b, a
        less = name in ("lt", "gt", "le", "ge")
        holds = name in ("lt", "gt", "eq")
        if not b.terms and not a.terms:
            return frozenset() if (a.constant < b.constant if less else a.constant == b.constant) == holds else NEVER
        if not a.terms or (b.terms and sorted(a.terms) > sorted(b.terms)):
            # `a < b` is the negation of `b < a + 1`
            a, b, holds = b, a._replace(constant=a.constant + less), holds != less
        # the constant of the left side moves to the right side, where it is part of the instruction
        left, right = Sum(a.terms, 0), Sum(b.terms, b.constant - a.constant)
        alone = not b.terms and all(number in self._loops for number, _ in a.terms)
        return self._test(("lt" if less else "eq", left, right), 1, (left, right), holds, alone)

    # the cost

    def of(self, accesses: Iterable[tuple[Form | None, Form | None]]) -> int:
        """The instructions for all these addresses and their conditions together. A shared subexpression is computed
        once."""
        parts: set = set()
        sums: set = set()
        conditions: set = set()
        tests: set = set()
        todo: list[tuple[Form, bool]] = []
        for index, gate in accesses:
            # the constant term of an address is part of the load or store instruction
            todo += [(self.integer(index), True)] if index is not None else []
            todo += [(self.condition(gate), False)] if gate is not None else []
        total = 0
        while todo:
            form, is_free = todo.pop()
            if isinstance(form, Sum):
                new = {number for number, _ in form.terms} - parts
                parts |= new
                total += sum(self._own[number][0] for number in new)
                todo += [(f, False) for number in new for f in self._own[number][1]]
                if form.constant and form.terms and not is_free and form not in sums:
                    sums.add(form)
                    total += 1
                sums.add(Sum(form.terms, 0))
                continue
            # the negation of a single comparison needs no further instruction, because instructions can negate a
            # predicate
            conditions.add(form if len(form) > 1 else frozenset(Test(number, True) for number, _ in form if number >= 0))
            for number, _ in form:
                if number >= 0 and number not in tests:
                    tests.add(number)
                    _, of, is_split = self._of_test[number]
                    total += _SPLIT * is_split
                    # a constant operand is part of the comparison instruction
                    todo += [(f, False) for f in of if not isinstance(f, Sum) or f.terms]
        # an addition instruction can multiply one of its terms by a constant, and can negate another term
        total += _chained({form.terms for form in sums}, _own_of_terms, lambda _: 1)
        return total + _chained(conditions, lambda c: sum(map(self._own_of_test, c)), self._own_of_test)

    def _own_of_test(self, test: Test) -> int:
        return self._of_test[test.number][0] if test.number >= 0 else 0


def _own_of_terms(terms: frozenset[tuple[int, int]]) -> int:
    return len(terms) - any(abs(factor) == 1 for _, factor in terms)


def _chained(sets, alone, more) -> int:
    """The instructions for all sets of terms or comparisons. Each set is computed alone, or from another set that is
    its subset."""
    total = 0
    done: defaultdict = defaultdict(list)
    for s in sorted(sets, key=len):
        if not s:
            continue
        parts = [part for element in s for part in done[element] if part < s]
        total += min([alone(s), *(sum(more(e) for e in s - part) for part in parts)])
        done[min(s)].append(s)
    return total


def _added(a: Sum, b: Sum, sign: int) -> Sum:
    terms = dict(a.terms)
    for number, factor in b.terms:
        terms[number] = terms.get(number, 0) + sign * factor
    return Sum(frozenset(t for t in terms.items() if t[1]), a.constant + sign * b.constant)


def _times(a: Sum, factor: int) -> Sum:
    return Sum(frozenset((number, f * factor) for number, f in a.terms if factor), a.constant * factor)


def _is_power(d: int) -> bool:
    return d > 0 and d & (d - 1) == 0
