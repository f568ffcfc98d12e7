"""Converts the indices of an Inductor kernel to a question for quaff, writes answers with Inductor's functions, and
computes the cost of both."""

from __future__ import annotations

import functools

import sympy
from torch.utils._sympy.functions import (
    BitwiseFn_bitwise_and,
    BitwiseFn_bitwise_or,
    BitwiseFn_bitwise_xor,
    CleanDiv,
    FloorDiv,
    Identity,
    Max,
    Min,
    Mod,
    ModularIndexing,
    PythonMod,
    Where,
)
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

from quaff._errors import Error
from quaff._quaff import Memo, Simplifier
from quaff.sympy import Reader, Writer

DIVISIONS = (FloorDiv, CleanDiv, ModularIndexing, PythonMod, Mod, sympy.Mod)

# The largest number of nodes in the indices of a question. If the indices have more nodes, Inductor's own forms are
# used.
_LARGEST = 2000
# In all target languages of Inductor, the printed `//` and `%` round towards zero.
_memo = Memo(Simplifier(cost="truncating"))


# Questions to quaff.


def _end(value):
    """An end of a range of torch, as quaff takes it. None if it is infinite."""
    if value in (int_oo, -int_oo, sympy.oo, -sympy.oo) or not getattr(value, "is_integer", True):
        return None
    return int(value) if getattr(value, "is_number", True) else value


def ranges(sizes, symbols, var_ranges) -> dict:
    """The ranges of ``symbols``. Ranges of loops come from their extents, and ranges of sizes from the shape
    environment."""
    known = sizes.shape_env.var_to_range
    found = {}
    for symbol in sorted(symbols, key=str):
        if symbol in var_ranges:
            extent = sympy.sympify(var_ranges[symbol])
            found[symbol] = (0, max(0, int(extent) - 1) if extent.is_number else extent - 1)
        elif symbol in known:
            found[symbol] = (_end(known[symbol].lower), _end(known[symbol].upper))
        else:
            # Inductor also assumes that a size is not negative
            found[symbol] = (0, None)
    return found


@functools.lru_cache(4096)
def _symbols(axiom) -> frozenset:
    return frozenset(axiom.free_symbols)


def facts(sizes, symbols) -> list:
    """The axioms (known conditions on sizes) of the shape environment that use only ``symbols``."""
    # axioms that a size differs from a number are left out, because they do not help and there are many of them
    axioms = [a for a in sizes.shape_env.get_axioms() if not isinstance(a, sympy.Ne)]
    return [a for a in axioms if _symbols(a) and _symbols(a) <= symbols]


def question(exprs, known, axioms):
    """``exprs`` as expressions of quaff, their domain, and an object that writes answers with Inductor's functions.

    Args:
        exprs: indices or conditions.
        known: the ranges of their symbols, as ``ranges`` returns them.
        axioms: conditions on the symbols that hold.
    """
    reader = Reader(known)
    roots = [reader.read(e) for e in exprs]
    conditions = [reader.read(a) for a in axioms]
    # the program runs, so no divisor is 0
    domain = reader.domain(defined=True)
    read = reader.exprs(roots + conditions)
    if conditions:
        domain = domain.extended(assume=read[len(roots) :])
    return read[: len(roots)], domain, HostWriter(reader.meaning)


def forms(sizes, exprs, var_ranges) -> list | None:
    """quaff's forms of the indices of one kernel, after sympy's evaluation. None if there are no such forms."""
    nodes = (part for e in exprs for part in sympy.preorder_traversal(e))
    if sum(1 for _ in zip(range(_LARGEST), nodes)) >= _LARGEST:
        return None
    symbols = set().union(*(e.free_symbols for e in exprs))
    for extent in [sympy.sympify(var_ranges[s]) for s in symbols if s in var_ranges]:
        symbols |= extent.free_symbols
    axioms = facts(sizes, symbols) if any(s not in var_ranges for s in symbols) else []
    try:
        asked, domain, writer = question(exprs, ranges(sizes, symbols, var_ranges), axioms)
        answers = _memo.simplify_all(asked, domain)
    except (Error, OverflowError):
        return None
    found = [_settled(sizes, writer.number(written), e) for written, e in zip(writer.write(answers), exprs)]
    return None if None in found else found


def _settled(sizes, written, expr):
    """The form of ``written`` after Inductor and sympy have expanded and evaluated it. None if Inductor cannot print
    this form."""
    for _ in range(3):
        settled = sizes.simplify(written)
        if settled == written:
            return settled if is_printed(settled, expr) else None
        written = settled
    return None


# Answers of quaff.


class HostWriter(Writer):
    """Writes answers with Inductor's functions. If possible, each numerator has a form from which the compiler sees
    that it is not negative."""

    def select(self, test, then, otherwise):
        return Where(test, then, otherwise)

    def floordiv(self, a, b):
        if isinstance(a, ModularIndexing) and _divides(b, a.args[2]):
            # nested digits become one digit, because the division of a number that consists of remainders costs more
            # instructions
            base, divisor, modulus = a.args
            return ModularIndexing(base, divisor * b, modulus // b)
        return FloorDiv(a, b)

    def mod(self, a, b):
        a = _nonnegative_residue(a, b)
        if a.is_nonnegative and b.is_nonnegative:
            return ModularIndexing(a, sympy.S.One, b)
        return PythonMod(a, b)

    def min(self, a, b):
        return Min(a, b)

    def max(self, a, b):
        # quaff writes the absolute value as `max(a, -a)`
        return sympy.Abs(a) if a + b == 0 else Max(a, b)

    def shr(self, a, b):
        return FloorDiv(a, 2**b)

    def bitand(self, a, b):
        return BitwiseFn_bitwise_and(a, b)

    def bitor(self, a, b):
        return BitwiseFn_bitwise_or(a, b)

    def bitxor(self, a, b):
        return BitwiseFn_bitwise_xor(a, b)


def _divides(divisor, number) -> bool:
    return isinstance(divisor, sympy.Integer) and isinstance(number, sympy.Integer) and divisor > 0 and number % divisor == 0


def _nonnegative_residue(numerator, modulus):
    """A sum with non-negative terms that equals ``numerator`` modulo ``modulus``, if the modulus is a constant."""
    if numerator.is_nonnegative or not isinstance(modulus, sympy.Integer) or modulus <= 0:
        return numerator
    terms = []
    for term in sympy.Add.make_args(numerator):
        factor, rest = term.as_coeff_Mul()
        terms.append((factor % modulus) * rest if isinstance(factor, sympy.Integer) else term)
    residue = sympy.Add(*terms)
    return residue if residue.is_nonnegative else numerator


# The classes of sympy that all printers of Inductor accept.
_PRINTED = (
    sympy.Integer,
    sympy.Symbol,
    sympy.Add,
    sympy.Mul,
    sympy.Abs,
    sympy.core.relational.Relational,
    FloorDiv,
    ModularIndexing,
    PythonMod,
    Min,
    Max,
    Where,
)


def is_printed(answer, expr) -> bool:
    """Whether Inductor can print ``answer``. Each part must be accepted by all printers, or be of a kind that ``expr``
    contains."""
    given = {type(part) for part in sympy.preorder_traversal(expr)}
    return all(isinstance(part, _PRINTED) or type(part) in given for part in sympy.preorder_traversal(answer))


# The largest index of a kernel with 32-bit indices. Most kernels have 32-bit indices.
_LARGEST_INDEX = 2**31 - 1


def overflows(found, var_ranges) -> bool:
    """Whether a numerator in ``found`` may need more than 32 bits. Numerators with a size that is known only at run
    time are ignored."""
    extents = {s: ValueRanges(0, max(0, int(extent) - 1)) for s, extent in var_ranges.items() if sympy.sympify(extent).is_number}
    numerators = {part.args[0] for form in found for part in form.atoms(*DIVISIONS)}
    sums = [n for n in numerators if n.args and n.free_symbols <= extents.keys()]
    return any(bound_sympy(n, extents).upper > _LARGEST_INDEX for n in sums)


# The cost.

# The number of machine instructions of an operation, of a quotient by a constant, and of a quotient by a value that is
# known only at run time.
_SIMPLE, _DIVISION, _VARIABLE_DIVISION = 1, 3, 30
# Additional costs of a quotient of a possibly negative number, which needs a correction, and of a quotient of a number
# that consists of remainders.
_CORRECTION, _NARROW = 5, 8


def host_cost(*exprs) -> int:
    """The cost of all indices of a kernel on a host whose ``//`` and ``%`` truncate. Every part counts once.

    A remainder costs a quotient, a product and a difference, because compilers compute it in this way. The quotient is
    shared with other uses.
    """
    cost = 0
    seen, todo = set(), [e.replace(Identity, lambda inner: inner) if e.has(Identity) else e for e in exprs]
    while todo:
        part = todo.pop()
        if part in seen or not part.args:
            continue
        seen.add(part)
        if isinstance(part, DIVISIONS):
            base, *divisors = part.args
            todo.append(base)
            quotients, remainder = _quotients(part)
            for quotient in quotients - seen:
                cost += _DIVISION if all(d.is_number for d in divisors) else _VARIABLE_DIVISION
                cost += 0 if base.is_nonnegative else _CORRECTION
                cost += _NARROW if _is_narrow(base) else 0
            seen |= quotients
            cost += _SIMPLE if remainder else 0
            continue
        todo.extend(part.args)
        if not (isinstance(part, sympy.Mul) and len(part.args) == 2 and part.args[0].is_number):
            # a product with a constant and the sum that contains it are one multiply-add instruction
            cost += _SIMPLE * max(1, len(part.args) - 1)
    return cost


def _quotients(part) -> tuple[set, bool]:
    """The quotients that a division needs, as keys, and whether the division is a remainder."""
    base, *divisors = part.args
    if isinstance(part, (FloorDiv, CleanDiv)):
        return {("quotient", base, divisors[0])}, False
    *inner, modulus = (d for d in divisors if d != 1 or d is divisors[-1])
    if not inner:
        return {("quotient", base, modulus)}, True
    first, whole = ("quotient", base, inner[0]), inner[0] * modulus
    # a compiler computes nested quotients by constants as one quotient
    return {first, ("quotient", base, whole) if whole.is_number else ("quotient", first, modulus)}, True


def _is_narrow(expr) -> bool:
    """Whether a compiler knows that ``expr`` is small, because it consists only of remainders by constants."""
    if isinstance(expr, ModularIndexing):
        return isinstance(expr.args[2], sympy.Integer)
    if isinstance(expr, FloorDiv):
        return _is_narrow(expr.args[0])
    return isinstance(expr, sympy.Integer) or (isinstance(expr, (sympy.Add, sympy.Mul)) and all(_is_narrow(a) for a in expr.args))
