"""sympy expressions in and out.

>>> import sympy
>>> from quaff.sympy import simplify
>>> i, j = sympy.symbols("i j", integer=True)
>>> simplify(sympy.floor((16*i + j)/16), {i: (0, 99), j: (0, 15)})
i

An answer is a form that sympy leaves as it is when it is built again from its operands, and costs less than the input under
quaff's model, or the same and is smaller; where there is no such form, the input itself is the answer.

What has no counterpart in quaff (a function of one's own, a power with a symbolic exponent) stays what it is: it is a variable to
quaff, with the range that sympy knows of it, and comes back unchanged. ``FloorDiv``, ``ModularIndexing``, ``PythonMod``, ``Mod``,
``CleanDiv``, ``Where``, ``Identity``, ``Min``, ``Max``, shifts and operations on bits of ``torch.utils._sympy.functions`` are read where
torch is loaded.
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

# Tells what expressions cost as they are written, without a search.
_scales = Simplifier(rounds=0)


def from_sympy(expr, ranges: dict | None = None, **said) -> tuple[Expr, Domain, dict[str, sympy.Basic]]:
    """``expr`` as an expression of quaff, its domain, and what its variables stand for.

    Args:
        expr: an integer expression or a condition of sympy.
        ranges: a dict from symbols (or names) to ``(lower, upper)``, both inclusive; ends may be None, integers or expressions.
        **said: keywords of ``Domain`` about variables of quaff, by name.
    """
    reader = Reader(ranges or {})
    root = reader.read(expr)
    domain = reader.domain(**said)
    return reader.exprs([root])[0], domain, reader.meaning


def to_sympy(expr: Expr, meaning: dict | None = None) -> sympy.Basic:
    """``expr`` as a sympy expression; ``meaning`` says what its variables stand for, others become integer symbols."""
    return Writer(meaning).write([expr])[0]


def simplify_all(exprs, ranges: dict | None = None, *, simplifier=None, writer=Writer, **said) -> list[sympy.Basic]:
    """The cheapest found forms of several expressions or conditions of one kernel, which share what they compute.

    Args:
        exprs: integer expressions or conditions of sympy.
        ranges: as for ``from_sympy``.
        simplifier: a ``quaff.Simplifier`` with rules or limits of its own.
        writer: the class that writes answers: ``Writer``, or a subclass that spells operators otherwise.
        **said: keywords of ``Domain`` about variables of quaff, by name.

    Returns:
        For each expression a form that sympy's evaluation leaves as it is, or the expression itself, where none is cheaper.

    Raises:
        quaff.Error: a divisor may be 0, or the ranges contradict each other.
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
        # quaff's cost sees what ranges say, the host may not: of two forms that cost the same the smaller one is better
        size = len({part for e in asked for part in sympy.preorder_traversal(e)})
        try:
            # with the same reader: what is said of its variables has to be of variables that are there
            nodes = [reader.read(e) for e in asked]
            return _scales.simplify_all(reader.exprs(nodes), reader.domain(**said)).input_cost, size
        except Error:
            return float("inf"), size

    if answers != exprs and price(answers) >= price(exprs):
        # sympy turned some of them into forms that cost more; the others may still be worth it
        answers = [a if a == e or price([a]) < price([e]) else e for e, a in zip(exprs, answers)]
        if answers != exprs and price(answers) >= price(exprs):
            return exprs
    return answers


def settled(exprs: list, answers: list, writer: Writer | None = None) -> list[sympy.Basic]:
    """``answers`` to ``exprs``, as ``writer`` spells them: conditions for conditions, numbers for numbers."""
    number = (writer or Writer()).number
    return [condition(a) if _is_condition(e) else number(a) for e, a in zip(exprs, answers)]


def simplify(expr, ranges: dict | None = None, *, simplifier=None, writer=Writer, **said) -> sympy.Basic:
    """The cheapest found form of one integer expression or condition; see ``simplify_all``."""
    return simplify_all([expr], ranges, simplifier=simplifier, writer=writer, **said)[0]
