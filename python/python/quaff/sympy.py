"""Simplifies sympy expressions.

>>> import sympy
>>> from quaff.sympy import simplify
>>> i, j = sympy.symbols("i j", integer=True)
>>> simplify(sympy.floor((16*i + j)/16), {i: (0, 99), j: (0, 15)})
i

sympy does not change an answer when it builds the answer again from its operands. An answer costs less than the input
under quaff's model, or it costs the same and is smaller. If no such form is found, the input itself is the answer.

A part without a counterpart in quaff (a custom function, a power with a symbolic exponent) is returned unchanged. quaff
treats such a part as a variable. Its range follows from sympy's assumptions. ``FloorDiv``, ``ModularIndexing``,
``PythonMod``, ``Mod``, ``CleanDiv``, ``Where``, ``Identity``, ``Min``, ``Max``, shifts and bitwise operations of
``torch.utils._sympy.functions`` are read if torch is loaded.
"""

from __future__ import annotations

import sympy

from quaff import Simplifier
from quaff import simplify_all as _simplify_all
from quaff._errors import Error
from quaff._quaff import Domain, Expr, Simplified
from quaff._sympy_bits import bitand, bitor, bitxor
from quaff._sympy_read import Reader, _is_condition, _torch_functions, known_range
from quaff._sympy_write import Writer, condition, number, stable

__all__ = [
    "Reader",
    "Writer",
    "bitand",
    "bitor",
    "bitxor",
    "condition",
    "from_sympy",
    "known_range",
    "number",
    "settled",
    "simplify",
    "simplify_all",
    "stable",
    "to_sympy",
]

# A simplifier without a search. It computes the cost of expressions as they are written.
_scales = Simplifier(rounds=0)


def from_sympy(expr, ranges: dict | None = None, **said) -> tuple[Expr, Domain, dict[str, sympy.Basic]]:
    """``expr`` as an expression of quaff, its domain, and a dict from variables to the sympy expressions that they
    represent.

    Args:
        expr: an integer expression or a condition of sympy.
        ranges: a dict from symbols (or names) to ``(lower, upper)``, both inclusive. Ends may be None, integers or
            expressions.
        **said: keywords of ``Domain`` about variables of quaff, by name.

    >>> import sympy
    >>> i = sympy.Symbol("i", integer=True)
    >>> quaff.sympy.from_sympy(sympy.floor(i/4), {i: (0, 9)})
    (quaff.Expr('i//4'), quaff.Domain('i=0..9'), {'i': i})
    """
    reader = Reader(ranges or {})
    root = reader.read(expr)
    domain = reader.domain(**said)
    return reader.exprs([root])[0], domain, reader.meaning


def to_sympy(expr: Expr, meaning: dict | None = None) -> sympy.Basic:
    """``expr`` as a sympy expression.

    ``meaning`` is a dict from names of variables to sympy expressions. Variables without an entry become integer
    symbols.

    >>> quaff.sympy.to_sympy(quaff.Expr("i//4*4 + i%4"))
    Mod(i, 4) + 4*floor(i/4)
    """
    return Writer(meaning).write([expr])[0]


def simplify_all(exprs, ranges: dict | None = None, *, simplifier=None, writer=Writer, **said) -> list[sympy.Basic]:
    """The cheapest forms found for several expressions or conditions of one kernel, which share their common parts.

    Args:
        exprs: integer expressions or conditions of sympy.
        ranges: as for ``from_sympy``.
        simplifier: a ``quaff.Simplifier`` with special rules or limits.
        writer: the class that converts answers to sympy. It is ``Writer``, or a subclass that writes some operators in
            another way.
        **said: keywords of ``Domain`` about variables of quaff, by name.

    Returns:
        For each expression a form that sympy's evaluation does not change, or the expression itself if no form is
        cheaper.

    Raises:
        quaff.Error: a divisor may be 0, or the ranges contradict each other.

    >>> import sympy
    >>> i, j = sympy.symbols("i j", integer=True)
    >>> quaff.sympy.simplify_all([sympy.floor((4*i + j)/4), sympy.Mod(j, 4)], {i: (0, 9), j: (0, 3)})
    [i, j]
    """
    exprs = [sympy.sympify(e) for e in exprs]
    reader = Reader(ranges or {})
    roots = [reader.read(e) for e in exprs]
    domain = reader.domain(**said)
    ask = simplifier.simplify_all if simplifier else _simplify_all
    answer: Simplified = ask(reader.exprs(roots), domain)
    leaves = frozenset(reader.meaning.values())
    spelled = writer(reader.meaning)
    written = settled(exprs, spelled.write(answer.exprs), spelled)
    forms = [stable(w, leaves) for w in written]
    answers = [e if form is None else form for e, form in zip(exprs, forms)]

    def price(asked: list[sympy.Basic]) -> tuple[float, int]:
        # if two forms have the same cost, the form with fewer nodes is better, because the cost may depend on ranges
        # that sympy does not know
        size = len({part for e in asked for part in sympy.preorder_traversal(e)})
        try:
            # the reader of the question is used again, because `said` refers to its variable names
            nodes = [reader.read(e) for e in asked]
            return _scales.simplify_all(reader.exprs(nodes), reader.domain(**said)).input_cost, size
        except Error:
            return float("inf"), size

    if answers != exprs and price(answers) >= price(exprs):
        # sympy's evaluation can make an answer costlier than the input, so each answer is compared with its input
        answers = [a if a == e or price([a]) < price([e]) else e for e, a in zip(exprs, answers)]
        if answers != exprs and price(answers) >= price(exprs):
            return exprs
    return answers


def settled(exprs: list, answers: list, writer: Writer | None = None) -> list[sympy.Basic]:
    """The answers, converted by ``writer``. The answer to a condition is a condition, and the answer to a number is a
    number.

    >>> import sympy
    >>> i = sympy.Symbol("i", integer=True)
    >>> quaff.sympy.settled([i < 4, i], [sympy.Integer(1), i])
    [True, i]
    """
    number = (writer or Writer()).number
    return [condition(a) if _is_condition(e) else number(a) for e, a in zip(exprs, answers)]


def simplify(expr, ranges: dict | None = None, *, simplifier=None, writer=Writer, **said) -> sympy.Basic:
    """The cheapest form found for one integer expression or condition, as in ``simplify_all``.

    >>> import sympy
    >>> i, j = sympy.symbols("i j", integer=True)
    >>> quaff.sympy.simplify(sympy.floor((4*i + j)/4), {i: (0, 9), j: (0, 3)})
    i
    """
    return simplify_all([expr], ranges, simplifier=simplifier, writer=writer, **said)[0]
