"""Converts sympy's expressions to quaff's. A subexpression without a counterpart in quaff becomes a variable."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean, BooleanFalse, BooleanTrue

from quaff import bounds
from quaff._errors import Error
from quaff._quaff import OPERATORS, Domain, Expr, from_nodes
from quaff._sympy_bits import BITS

_MIN, _MAX = -(2**63), 2**63 - 1

# The number codes of operators, as in the flat lists of `from_nodes`.
_CONST, _VAR = OPERATORS["const"], OPERATORS["var"]
_RELATIONS = {
    sympy.StrictLessThan: "lt",
    sympy.LessThan: "le",
    sympy.StrictGreaterThan: "gt",
    sympy.GreaterThan: "ge",
    sympy.Equality: "eq",
    sympy.Unequality: "ne",
}
# The sympy classes of integer operations and of comparisons. Their type is `Any`, because mypy cannot type instances of
# these classes.
_OPERATIONS: Any = (sympy.Add, sympy.Mul, sympy.Mod, sympy.Abs, sympy.Min, sympy.Max, *BITS.values())
_COMPARISONS: Any = tuple(_RELATIONS)
# The largest exponent for which a power is read as a product.
_POWER = 8


class _NoInteger(Exception):
    """A subexpression is not an integer, or has no counterpart in quaff."""


def _torch_functions():
    """The module with torch's sympy functions, if torch is loaded. Otherwise None."""
    return sys.modules.get("torch.utils._sympy.functions")


def _end(value) -> int | None:
    """An end of a range as a number, or None if it is no number."""
    try:
        if value is None or not getattr(value, "is_finite", True):
            return None
        value = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if _MIN < value < _MAX else None


def known_range(expr: sympy.Basic) -> tuple[int | None, int | None]:
    """The range of an integer expression that follows from sympy's assumptions, both ends inclusive. An open end is
    None.

    >>> import sympy
    >>> quaff.sympy.known_range(sympy.Symbol("n", integer=True, positive=True))
    (1, None)
    """
    if _is_condition(expr):
        return 0, 1
    lower = 1 if expr.is_positive else 0 if expr.is_nonnegative else None
    upper = -1 if expr.is_negative else 0 if expr.is_nonpositive else None
    return lower, upper


@dataclass
class Reader:
    """Converts several sympy expressions of one domain to expressions of quaff.

    Args:
        ranges: a dict to ``(lower, upper)`` from symbols, their names, or other expressions that quaff does not read.
            An end may be None (open), an integer or an expression.

    Attributes:
        words, names: the nodes that were read, in the format of ``from_nodes``.
        meaning: a dict from names of variables to the expressions that they represent.

    ``ModularIndexing`` and ``Mod`` of torch mean the remainder of C, which has the sign of the dividend. They are read
    only if sympy or the ranges prove that no operand is negative. Otherwise they become variables.

    >>> import sympy
    >>> i = sympy.Symbol("i", integer=True)
    >>> reader = quaff.sympy.Reader({i: (0, 9)})
    >>> reader.exprs([reader.read(sympy.floor(i/4))]), reader.domain()
    ([quaff.Expr('i//4')], quaff.Domain('i=0..9'))
    """

    ranges: dict = field(default_factory=dict)
    words: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._nodes: dict = {}
        self._count = 0
        self._read: dict[sympy.Basic, int] = {}
        # symbols that occur as conditions
        self._truths: set[sympy.Basic] = set()
        self.meaning: dict[str, sympy.Basic] = {}
        self._by_name = {name: ends for name, ends in self.ranges.items() if isinstance(name, str)}

    # nodes

    def _node(self, *words: int) -> int:
        key = words
        at = self._nodes.get(key)
        if at is None:
            at = self._nodes[key] = self._count
            self._count += 1
            self.words.extend(words)
        return at

    def _const(self, value: int) -> int:
        value = int(value)
        if not _MIN <= value <= _MAX:
            raise _NoInteger(f"{value} is outside of 64 bits")
        return self._node(_CONST, value)

    def _op(self, name: str, *args: int) -> int:
        return self._node(OPERATORS[name], *args)

    def _variable(self, expr: sympy.Basic) -> int:
        key = ("variable", expr)
        at = self._nodes.get(key)
        if at is None:
            is_plain = isinstance(expr, sympy.Symbol) and expr.name.isidentifier() and expr.name.isascii()
            name = expr.name if is_plain and expr.name not in self.meaning else f"_opaque{len(self.meaning)}"
            while name in self.meaning:
                name += "_"
            self.meaning[name] = expr
            self.names.append(name)
            at = self._nodes[key] = self._node(_VAR, len(self.names) - 1)
        return at

    def _folded(self, name: str, args: list[int]) -> int:
        at = args[0]
        for arg in args[1:]:
            at = self._op(name, at, arg)
        return at

    # reading

    def read(self, expr) -> int:
        """The number of the node for ``expr``.

        >>> import sympy
        >>> reader = quaff.sympy.Reader()
        >>> reader.read(sympy.Symbol("i", integer=True) + 1)
        2
        """
        # the loop avoids recursion, because sympy's trees may be deep
        expr = sympy.sympify(expr)
        # each subexpression is read once, even if ends of ranges and signs are read at the same time
        done = self._read
        todo = [(expr, False)]
        while todo:
            part, operands_done = todo.pop()
            if part in done:
                continue
            operands = self._operands(part)
            if operands is None:
                done[part] = self._leaf(part)
            elif operands_done:
                try:
                    done[part] = self._built(part, [done[o] for o in operands])
                except _NoInteger:
                    done[part] = self._variable(part)
            else:
                todo.append((part, True))
                todo.extend((o, False) for o in operands)
        return done[expr]

    def _leaf(self, expr) -> int:
        if isinstance(expr, (BooleanTrue, BooleanFalse)):
            return self._const(bool(expr))
        if isinstance(expr, sympy.Integer):
            try:
                return self._const(expr)
            except _NoInteger:
                return self._variable(expr)
        return self._variable(expr)

    def _operands(self, expr) -> list | None:
        """The operands that must be read before ``expr``. None for a leaf, and for an expression without a counterpart
        in quaff."""
        if isinstance(expr, (sympy.Symbol, sympy.Number, BooleanTrue, BooleanFalse)) or not expr.args:
            return None
        if isinstance(expr, (sympy.floor, sympy.ceiling)):
            return _quotient(expr.args[0])
        if isinstance(expr, sympy.Pow):
            base, power = expr.args
            is_power = isinstance(power, sympy.Integer) and 1 <= int(power) <= _POWER and base.is_integer
            return [base] if is_power else None
        if isinstance(expr, (sympy.Add, sympy.Mul)) and expr.is_integer and not all(a.is_integer for a in expr.args):
            # a fraction, such as half of an even number. An expression that is its own numerator has no denominator to
            # read
            split = _quotient(expr)
            return None if split is None or split[0] == expr else split
        if isinstance(expr, _OPERATIONS):
            return list(expr.args) if all(a.is_integer for a in expr.args) else None
        if isinstance(expr, sympy.Piecewise):
            self._truths.update(condition for _, condition in expr.args if is_truth(condition))
            return [part for value, condition in expr.args for part in (value, condition)]
        if isinstance(expr, _COMPARISONS):
            return list(expr.args) if all(_is_whole(a) for a in expr.args) else None
        if isinstance(expr, (sympy.And, sympy.Or, sympy.Not)):
            self._truths.update(a for a in expr.args if is_truth(a))
            return list(expr.args) if all(_is_condition(a) or is_truth(a) for a in expr.args) else None
        functions = _torch_functions()
        name = type(expr).__name__
        if functions is not None and name in _TORCH and type(expr) is getattr(functions, name, None):
            return list(expr.args) if all(_is_whole(a) for a in expr.args) else None
        return None

    def _built(self, expr, args: list[int]) -> int:
        if isinstance(expr, (sympy.floor, sympy.ceiling)):
            numerator, divisor = args
            if isinstance(expr, sympy.ceiling):
                return self._op("neg", self._op("floordiv", self._op("neg", numerator), divisor))
            return self._op("floordiv", numerator, divisor)
        if isinstance(expr, (sympy.Add, sympy.Mul)):
            if not all(a.is_integer for a in expr.args):
                # if an integer expression is written as a fraction, it is an exact quotient
                return self._op("floordiv", *args)
            return self._folded("add" if isinstance(expr, sympy.Add) else "mul", args)
        if isinstance(expr, sympy.Pow):
            return self._folded("mul", args * int(expr.args[1]))
        if isinstance(expr, sympy.Mod):
            return self._op("mod", *args)
        if isinstance(expr, sympy.Abs):
            return self._op("max", args[0], self._op("neg", args[0]))
        if isinstance(expr, sympy.Min):
            return self._folded("min", args)
        if isinstance(expr, sympy.Max):
            return self._folded("max", args)
        if isinstance(expr, sympy.Piecewise):
            return self._piecewise(expr, args)
        for kind, name in (*_RELATIONS.items(), *((kind, name) for name, kind in BITS.items())):
            if isinstance(expr, kind):
                return self._op(name, *args)
        if isinstance(expr, sympy.And):
            return self._folded("and", args)
        if isinstance(expr, sympy.Or):
            return self._folded("or", args)
        if isinstance(expr, sympy.Not):
            return self._op("not", *args)
        return self._torch(expr, type(expr).__name__, args)

    def _piecewise(self, expr, args: list[int]) -> int:
        if not all(_is_whole(value) for value, _ in expr.args):
            raise _NoInteger("a piece is no integer")
        if expr.args[-1].cond != sympy.true:
            raise _NoInteger("a Piecewise has no value where no condition holds")
        at = args[-2]
        for value, condition in reversed(list(zip(args[0:-2:2], args[1:-2:2]))):
            at = self._op("select", condition, value, at)
        return at

    def _torch(self, expr, name: str, args: list[int]) -> int:
        if name in ("FloorDiv", "CleanDiv"):
            return self._op("floordiv", *args)
        if name == "ModularIndexing":
            base, divisor, modulus = args
            if not all(self.is_nonnegative(a) for a in expr.args):
                raise _NoInteger("C's remainder of a number that may be negative")
            quotient = base if expr.args[1] == 1 else self._op("floordiv", base, divisor)
            return self._op("mod", quotient, modulus)
        if name == "Mod":
            if not all(self.is_nonnegative(a) for a in expr.args):
                raise _NoInteger("C's remainder of a number that may be negative")
            return self._op("mod", *args)
        if name == "CeilDiv":
            numerator, divisor = args
            return self._op("neg", self._op("floordiv", self._op("neg", numerator), divisor))
        if name == "Identity":
            return args[0]
        if name in ("Min", "Max"):
            return self._folded(name.lower(), args)
        return self._op(_TORCH[name], *args)

    def is_nonnegative(self, expr) -> bool:
        """Whether sympy or the ranges prove that ``expr`` is not negative.

        >>> import sympy
        >>> i = sympy.Symbol("i", integer=True)
        >>> quaff.sympy.Reader({i: (0, 9)}).is_nonnegative(i + 1)
        True
        """
        if expr.is_nonnegative:
            return True
        lower, _ = self._bounds(expr)
        return lower is not None and lower >= 0

    def _bounds(self, expr) -> tuple[int | None, int | None]:
        try:
            at = self.read(expr)
            return bounds(self.exprs([at])[0], self.domain())
        except Error:
            return None, None

    # results

    def exprs(self, roots: list[int]) -> list[Expr]:
        """The expressions of the nodes ``roots``.

        >>> import sympy
        >>> reader = quaff.sympy.Reader()
        >>> reader.exprs([reader.read(sympy.Symbol("i", integer=True) + 1)])
        [quaff.Expr('1 + i')]
        """
        return from_nodes(self.words, self.names, roots)

    def domain(self, **said) -> Domain:
        """The facts from the ranges and from sympy about all variables that were read. The keywords are those of
        ``Domain``.

        >>> import sympy
        >>> i = sympy.Symbol("i", integer=True)
        >>> reader = quaff.sympy.Reader({i: (0, 9)})
        >>> node = reader.read(i)
        >>> reader.domain(assume="i < 4")
        quaff.Domain('i=0..9, assume i < 4')
        """
        declared: dict = {}
        todo = list(self.meaning)
        while todo:
            name = todo.pop(0)
            if name in declared:
                continue
            expr = self.meaning[name]
            lower, upper = (0, 1) if expr in self._truths else known_range(expr)
            declared[name] = (lower, upper)
            given = self.ranges.get(expr, self._by_name.get(str(expr)) if isinstance(expr, sympy.Symbol) else None)
            if given is None:
                continue
            ends: list[int | Expr | None] = []
            for end, known in zip(given, (lower, upper)):
                if isinstance(end, sympy.Basic) and end.free_symbols:
                    before = set(self.meaning)
                    ends.append(self.exprs([self.read(end)])[0])
                    todo.extend(n for n in self.meaning if n not in before)
                else:
                    ends.append(_end(end))
            # if sympy's end and the given end are both numbers, the tighter one is used
            if ends[0] is None or (isinstance(ends[0], int) and lower is not None):
                ends[0] = max((e for e in (ends[0], lower) if e is not None), default=None)
            if ends[1] is None or (isinstance(ends[1], int) and upper is not None):
                ends[1] = min((e for e in (ends[1], upper) if e is not None), default=None)
            declared[name] = tuple(ends)
        parities = {name: (2, int(e.is_odd)) for name, e in self.meaning.items() if e.is_even or e.is_odd}
        if parities:
            said["step"] = {**parities, **(said.get("step") or {})}
        return Domain(declared, **said)


# Functions of torch and quaff's operators for them. Functions without a single operator are handled in `Reader._torch`.
_TORCH = {
    "FloorDiv": "",
    "CleanDiv": "",
    "ModularIndexing": "",
    "Mod": "",
    "CeilDiv": "",
    "Identity": "",
    "Min": "",
    "Max": "",
    "PythonMod": "mod",
    "Where": "select",
    "LShift": "shl",
    "RShift": "shr",
    "BitwiseFn_bitwise_and": "bitand",
    "BitwiseFn_bitwise_or": "bitor",
    "BitwiseFn_bitwise_xor": "bitxor",
}


def _is_condition(expr) -> bool:
    # sympy accepts every symbol as a truth value
    return isinstance(expr, Boolean) and not isinstance(expr, sympy.Symbol)


def is_truth(expr) -> bool:
    """Whether ``expr`` is a symbol that may be a truth value, because sympy does not assume an integer.

    quaff reads such a symbol only as a whole condition.
    """
    return isinstance(expr, sympy.Symbol) and not expr.is_integer


def _is_whole(expr) -> bool:
    return _is_condition(expr) or bool(expr.is_integer)


def _quotient(expr) -> list | None:
    """``[numerator, divisor]`` of a fraction of integers. None if ``expr`` is no such fraction."""
    numerator, divisor = sympy.together(expr).as_numer_denom()
    if not (numerator.is_integer and divisor.is_integer) or divisor == 0:
        return None
    return [numerator, divisor]
