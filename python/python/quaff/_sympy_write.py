"""Converts quaff's expressions to sympy's, in forms that sympy's evaluation does not change."""

from __future__ import annotations

import sympy
from sympy.logic.boolalg import BooleanFalse, BooleanTrue

from quaff._nodes import nodes_of
from quaff._quaff import Expr, to_nodes
from quaff._sympy_bits import BITS
from quaff._sympy_read import _is_condition, is_truth


class Writer:
    """Converts quaff's expressions to sympy's.

    A subclass can override the method of an operator to write the operator in another way.

    Args:
        meaning: a dict from names of variables to sympy expressions. Variables without an entry become integer symbols.

    >>> quaff.sympy.Writer().write([quaff.Expr("i//4 + 1")])
    [floor(i/4) + 1]
    """

    def __init__(self, meaning: dict | None = None):
        self.meaning = meaning or {}

    def write(self, exprs: list[Expr]) -> list[sympy.Basic]:
        """The sympy expressions of ``exprs``.

        If a whole expression is a condition, it becomes a relation. A condition that is used as a number becomes 1 or
        0.

        >>> import sympy
        >>> quaff.sympy.Writer({"i": sympy.Symbol("row", integer=True)}).write([quaff.Expr("i%4")])
        [Mod(row, 4)]
        """
        words, names, roots = to_nodes(exprs)
        nodes: list[sympy.Basic] = []
        for name, args in nodes_of(words):
            if name == "const":
                nodes.append(sympy.Integer(args[0]))
            elif name == "var":
                variable = names[args[0]]
                nodes.append(self.meaning[variable] if variable in self.meaning else sympy.Symbol(variable, integer=True))
            else:
                nodes.append(self.built(name, [nodes[a] for a in args]))
        return [nodes[r] for r in roots]

    def built(self, name: str, args: list) -> sympy.Basic:
        """The node ``name(*args)``.

        >>> import sympy
        >>> quaff.sympy.Writer().built("floordiv", [sympy.Symbol("i", integer=True), sympy.Integer(4)])
        floor(i/4)
        """
        if name in ("and", "or", "not"):
            args = [condition(a) for a in args]
            return {"and": sympy.And, "or": sympy.Or, "not": sympy.Not}[name](*args)
        if name == "select":
            return self.select(condition(args[0]), self._value(args[1]), self._value(args[2]))
        args = [self._value(a) for a in args]
        if name in _SYMPY_RELATIONS:
            return _SYMPY_RELATIONS[name](*args)
        return getattr(self, name)(*args)

    def number(self, expr) -> sympy.Basic:
        """``expr`` as a number. A condition becomes an expression that is 1 if the condition holds, else 0.

        A symbol is not changed.

        >>> import sympy
        >>> quaff.sympy.Writer().number(sympy.Symbol("i") < 4)
        Piecewise((1, i < 4), (0, True))
        """
        if isinstance(expr, (BooleanTrue, BooleanFalse)):
            return sympy.Integer(bool(expr))
        return self.select(expr, sympy.S.One, sympy.S.Zero) if _is_condition(expr) else expr

    def _value(self, expr) -> sympy.Basic:
        """``expr`` as an operand of arithmetic. A symbol that sympy does not assume to be an integer is treated as a
        truth value."""
        return self.select(expr, sympy.S.One, sympy.S.Zero) if is_truth(expr) else self.number(expr)

    # One method for each operator.

    def select(self, test, then, otherwise):
        return sympy.Piecewise((then, test), (otherwise, True))

    def neg(self, a):
        return -a

    def add(self, a, b):
        return a + b

    def sub(self, a, b):
        return a - b

    def mul(self, a, b):
        return a * b

    def floordiv(self, a, b):
        return sympy.floor(a / b)

    def mod(self, a, b):
        return sympy.Mod(a, b)

    def truncdiv(self, a, b):
        return sympy.Piecewise((sympy.floor(a / b), a * b >= 0), (sympy.ceiling(a / b), True))

    def truncmod(self, a, b):
        return a - b * self.truncdiv(a, b)

    def min(self, a, b):
        return sympy.Min(a, b)

    def max(self, a, b):
        return sympy.Max(a, b)

    def shl(self, a, b):
        return a * 2**b

    def shr(self, a, b):
        return sympy.floor(a / 2**b)

    def bitand(self, a, b):
        return BITS["bitand"](a, b)

    def bitor(self, a, b):
        return BITS["bitor"](a, b)

    def bitxor(self, a, b):
        return BITS["bitxor"](a, b)


_SYMPY_RELATIONS = {
    "lt": sympy.Lt,
    "le": sympy.Le,
    "gt": sympy.Gt,
    "ge": sympy.Ge,
    "eq": sympy.Eq,
    "ne": sympy.Ne,
}


def condition(expr) -> sympy.Basic:
    """``expr`` as a condition. A number becomes the condition that the number is not 0.

    >>> import sympy
    >>> quaff.sympy.condition(sympy.Symbol("i", integer=True))
    Ne(i, 0)
    """
    return expr if _is_condition(expr) or is_truth(expr) else sympy.Ne(expr, 0)


def number(expr) -> sympy.Basic:
    """``expr`` as a number in sympy's own functions, like ``Writer.number``.

    >>> import sympy
    >>> quaff.sympy.number(sympy.Symbol("i") < 4)
    Piecewise((1, i < 4), (0, True))
    """
    return Writer().number(expr)


# The most times that an answer is evaluated until sympy no longer changes it.
_ROUNDS = 6


def stable(expr: sympy.Basic, leaves=frozenset()) -> sympy.Basic | None:
    """The form of ``expr`` after evaluating it repeatedly until nothing changes. None if it does not become stable.

    Args:
        expr: an expression.
        leaves: subexpressions that are not changed.

    >>> import sympy
    >>> i = sympy.Symbol("i", integer=True)
    >>> quaff.sympy.stable(sympy.Add(i, i, evaluate=False))
    2*i
    """
    for _ in range(_ROUNDS):
        try:
            again = _rebuilt(expr, leaves)
        except (ArithmeticError, TypeError, ValueError):
            # sympy refuses to evaluate the expression, such as a remainder by 0 in a case that never happens
            return None
        if again == expr:
            return again
        expr = again
    return None


def _rebuilt(expr: sympy.Basic, leaves) -> sympy.Basic:
    built: dict[sympy.Basic, sympy.Basic] = {}
    todo = [(expr, False)]
    while todo:
        part, operands_done = todo.pop()
        if part in built:
            continue
        if not part.args or part in leaves:
            built[part] = part
        elif operands_done:
            built[part] = part.func(*[built[a] for a in part.args])
        else:
            todo.append((part, True))
            todo.extend((a, False) for a in part.args)
    return built[expr]
