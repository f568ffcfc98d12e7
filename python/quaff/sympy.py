"""sympy expressions in and out.

>>> import sympy
>>> from quaff.sympy import simplify
>>> i, j = sympy.symbols("i j", integer=True)
>>> simplify(sympy.floor((16*i + j)/16), {i: (0, 99), j: (0, 15)})
i

What has no counterpart in quaff (a function of one's own, a power with a symbolic exponent) stays what it is: it is a variable to
quaff, with the range that sympy knows of it, and comes back unchanged. ``FloorDiv``, ``ModularIndexing``, ``PythonMod``, ``Mod``,
``CleanDiv``, ``Where``, ``Identity``, ``Min``, ``Max`` and shifts of ``torch.utils._sympy.functions`` are read where torch is loaded.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import sympy
from sympy.core.function import UndefinedFunction
from sympy.logic.boolalg import Boolean, BooleanFalse, BooleanTrue

from quaff._errors import Error
from quaff._quaff import OPERATORS, Domain, Expr, Simplified, from_nodes, to_nodes
from quaff import simplify_all as _simplify_all

_MIN, _MAX = -(2**63), 2**63 - 1

# The codes of operators, as `from_nodes` takes them.
_CONST, _VAR = OPERATORS["const"], OPERATORS["var"]
_NAMES = {code: name for name, code in OPERATORS.items()}
_RELATIONS = {
    sympy.StrictLessThan: "lt",
    sympy.LessThan: "le",
    sympy.StrictGreaterThan: "gt",
    sympy.GreaterThan: "ge",
    sympy.Equality: "eq",
    sympy.Unequality: "ne",
}
_ARITY = {"neg": 1, "not": 1, "select": 3}


class _NoInteger(Exception):
    """A part that is no integer, or has no counterpart."""


def _torch_functions():
    """The module of torch's own functions, where torch is loaded."""
    return sys.modules.get("torch.utils._sympy.functions")


def _end(value) -> int | None:
    """An end of a range that is a number, else None."""
    try:
        if value is None or not getattr(value, "is_finite", True):
            return None
        value = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if _MIN < value < _MAX else None


def known_range(expr: sympy.Basic) -> tuple[int | None, int | None]:
    """The range that sympy's assumptions give an integer expression, both ends inclusive; None where an end is open."""
    if _is_condition(expr):
        return 0, 1
    lower = 1 if expr.is_positive else 0 if expr.is_nonnegative else None
    upper = -1 if expr.is_negative else 0 if expr.is_nonpositive else None
    return lower, upper


@dataclass
class Reader:
    """Reads sympy expressions as quaff's, several of one domain one after the other.

    Args:
        ranges: a dict from symbols (or their names) to ``(lower, upper)``; an end may be None or an expression.
        modulus_is_c: whether ``ModularIndexing`` and torch's ``Mod`` may be asked of negative numbers, where C differs: if it is
            True, such a part is read only where sympy or the ranges say that it is not negative.
    """

    ranges: dict = field(default_factory=dict)
    words: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def __post_init__(self):
        self._nodes: dict = {}
        self._count = 0
        # name of a variable of quaff -> the expression that it stands for
        self.meaning: dict[str, sympy.Basic] = {}
        self._by_name = {str(k): v for k, v in self.ranges.items()}

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
        """The number of the node that ``expr`` is."""
        # sympy's trees are not deep by themselves, but may be: no recursion
        expr = sympy.sympify(expr)
        done: dict[sympy.Basic, int] = {}
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
        """What has to be read before ``expr``; None for a leaf and for what has no counterpart."""
        if isinstance(expr, (sympy.Symbol, sympy.Number, BooleanTrue, BooleanFalse)) or not expr.args:
            return None
        if isinstance(expr, sympy.floor):
            split = _quotient(expr.args[0])
            return None if split is None else list(split)
        if isinstance(expr, sympy.ceiling):
            split = _quotient(expr.args[0])
            return None if split is None else list(split)
        if isinstance(expr, sympy.Pow):
            base, power = expr.args
            is_power = isinstance(power, sympy.Integer) and 1 <= int(power) <= 8 and base.is_integer
            return [base] if is_power else None
        if isinstance(expr, sympy.Piecewise):
            return [part for value, condition in expr.args for part in (value, condition)]
        if isinstance(expr, (sympy.Add, sympy.Mul, sympy.Mod, sympy.Abs, sympy.Min, sympy.Max)):
            return list(expr.args) if expr.is_integer else None
        if isinstance(expr, tuple(_RELATIONS)):
            return list(expr.args) if all(_is_whole(a) for a in expr.args) else None
        if isinstance(expr, (sympy.And, sympy.Or, sympy.Not)):
            return list(expr.args)
        if isinstance(type(expr), UndefinedFunction):
            return None
        functions = _torch_functions()
        if functions is not None and type(expr).__name__ in _TORCH and type(expr) is getattr(functions, type(expr).__name__, None):
            return list(expr.args) if all(_is_whole(a) for a in expr.args) else None
        return None

    def _built(self, expr, args: list[int]) -> int:
        if isinstance(expr, (sympy.floor, sympy.ceiling)):
            numerator, divisor = args
            if isinstance(expr, sympy.ceiling):
                return self._op("neg", self._op("floordiv", self._op("neg", numerator), divisor))
            return self._op("floordiv", numerator, divisor)
        if isinstance(expr, sympy.Add):
            return self._folded("add", args)
        if isinstance(expr, sympy.Mul):
            return self._folded("mul", args)
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
        for relation, name in _RELATIONS.items():
            if isinstance(expr, relation):
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
            if not self.is_nonnegative(expr.args[0]) or not self.is_nonnegative(expr.args[1]):
                raise _NoInteger("C's remainder of a number that may be negative")
            quotient = base if expr.args[1] == 1 else self._op("floordiv", base, divisor)
            return self._op("mod", quotient, modulus)
        if name == "Mod":
            if not self.is_nonnegative(expr.args[0]):
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
        """Whether sympy or the ranges say that ``expr`` is not negative."""
        if expr.is_nonnegative:
            return True
        lower, _ = self._bounds(expr)
        return lower is not None and lower >= 0

    def _bounds(self, expr) -> tuple[int | None, int | None]:
        from quaff import bounds

        try:
            at = self.read(expr)
            return bounds(self.exprs([at])[0], self.domain())
        except Error:
            return None, None

    # what was read

    def exprs(self, roots: list[int]) -> list[Expr]:
        """The expressions of the nodes ``roots``."""
        return from_nodes(self.words, self.names, roots)

    def domain(self, **said) -> Domain:
        """What the ranges, and sympy, say of all variables that were read; the keywords are those of ``Domain``."""
        declared: dict = {}
        todo = list(self.meaning)
        while todo:
            name = todo.pop(0)
            if name in declared:
                continue
            expr = self.meaning[name]
            lower, upper = known_range(expr)
            declared[name] = (lower, upper)
            given = self.ranges.get(expr, self._by_name.get(str(expr)) if isinstance(expr, sympy.Symbol) else None)
            if given is None:
                continue
            ends = []
            for end, known in zip(given, (lower, upper)):
                if isinstance(end, sympy.Basic) and end.free_symbols:
                    before = set(self.meaning)
                    ends.append(self.exprs([self.read(end)])[0])
                    todo.extend(n for n in self.meaning if n not in before)
                else:
                    ends.append(_end(end))
            # both hold: an end that sympy knows and one that was given
            if ends[0] is None or (isinstance(ends[0], int) and lower is not None):
                ends[0] = max((e for e in (ends[0], lower) if e is not None), default=None)
            if ends[1] is None or (isinstance(ends[1], int) and upper is not None):
                ends[1] = min((e for e in (ends[1], upper) if e is not None), default=None)
            declared[name] = tuple(ends)
        return Domain(declared, **said)


# Functions of torch and the operators that they are; those without one are in `Reader._torch`.
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
    # to sympy every symbol may be a truth value
    return isinstance(expr, Boolean) and not isinstance(expr, sympy.Symbol)


def _is_whole(expr) -> bool:
    return _is_condition(expr) or bool(expr.is_integer)


def _quotient(expr) -> tuple | None:
    """``(numerator, divisor)`` of what stands in ``floor``, both integers; None where it is no such quotient."""
    numerator, divisor = sympy.together(expr).as_numer_denom()
    if not (numerator.is_integer and divisor.is_integer) or divisor == 0:
        return None
    return numerator, divisor


# quaff to sympy


class Writer:
    """Writes quaff's expressions as sympy's.

    Args:
        meaning: a dict from names of variables to what they stand for; others become integer symbols.
    """

    def __init__(self, meaning: dict | None = None):
        self.meaning = meaning or {}

    def write(self, exprs: list[Expr]) -> list[sympy.Basic]:
        """The sympy expressions of ``exprs``; conditions that are expressions become relations, and 1 or 0 where they are numbers."""
        words, names, roots = to_nodes(exprs)
        nodes: list[sympy.Basic] = []
        at = 0
        while at < len(words):
            code = words[at]
            if code == _CONST:
                nodes.append(sympy.Integer(words[at + 1]))
                at += 2
            elif code == _VAR:
                name = names[words[at + 1]]
                nodes.append(self.meaning[name] if name in self.meaning else sympy.Symbol(name, integer=True))
                at += 2
            else:
                name = _NAMES[code]
                arity = _ARITY.get(name, 2)
                nodes.append(self.built(name, [nodes[a] for a in words[at + 1 : at + 1 + arity]]))
                at += 1 + arity
        return [nodes[r] for r in roots]

    def built(self, name: str, args: list) -> sympy.Basic:
        """The node ``name(*args)``."""
        if name in ("and", "or", "not"):
            args = [condition(a) for a in args]
            return {"and": sympy.And, "or": sympy.Or, "not": sympy.Not}[name](*args)
        if name == "select":
            return self.select(condition(args[0]), number(args[1]), number(args[2]))
        args = [number(a) for a in args]
        if name in _SYMPY_RELATIONS:
            return _SYMPY_RELATIONS[name](*args)
        return getattr(self, name)(*args)

    # One method for each operator, so that another writer can spell them otherwise.

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

    def min(self, a, b):
        return sympy.Min(a, b)

    def max(self, a, b):
        return sympy.Max(a, b)

    def shl(self, a, b):
        return a * 2**b

    def shr(self, a, b):
        return sympy.floor(a / 2**b)

    def bitand(self, a, b):
        return sympy.Function("bitand", integer=True)(a, b)

    def bitor(self, a, b):
        return sympy.Function("bitor", integer=True)(a, b)

    def bitxor(self, a, b):
        return sympy.Function("bitxor", integer=True)(a, b)


_SYMPY_RELATIONS = {
    "lt": sympy.Lt,
    "le": sympy.Le,
    "gt": sympy.Gt,
    "ge": sympy.Ge,
    "eq": sympy.Eq,
    "ne": sympy.Ne,
}


def condition(expr) -> sympy.Basic:
    """``expr`` as a condition: a number is one where it is not 0."""
    return expr if _is_condition(expr) else sympy.Ne(expr, 0)


def number(expr) -> sympy.Basic:
    """``expr`` as a number: a condition is 1 where it holds, else 0."""
    if isinstance(expr, (BooleanTrue, BooleanFalse)):
        return sympy.Integer(bool(expr))
    return sympy.Piecewise((1, expr), (0, True)) if _is_condition(expr) else expr


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


def simplify_all(exprs, ranges: dict | None = None, *, simplifier=None, **said) -> list[sympy.Basic]:
    """The cheapest found forms of several expressions or conditions of one kernel, which share what they compute.

    Args:
        exprs: integer expressions or conditions of sympy.
        ranges: as for ``from_sympy``.
        simplifier: a ``quaff.Simplifier`` with rules or limits of its own.

    Raises:
        quaff.Error: a divisor may be 0, or the ranges contradict each other.
    """
    exprs = [sympy.sympify(e) for e in exprs]
    reader = Reader(ranges or {})
    roots = [reader.read(e) for e in exprs]
    domain = reader.domain(**said)
    ask = simplifier.simplify_all if simplifier else _simplify_all
    answer: Simplified = ask(reader.exprs(roots), domain)
    return settled(exprs, Writer(reader.meaning).write(answer.exprs))


def settled(exprs: list, answers: list) -> list[sympy.Basic]:
    """``answers`` to ``exprs``: conditions for conditions, numbers for numbers."""
    return [condition(a) if _is_condition(e) else number(a) for e, a in zip(exprs, answers)]


def simplify(expr, ranges: dict | None = None, *, simplifier=None, **said) -> sympy.Basic:
    """The cheapest found form of one integer expression or condition; see ``simplify_all``."""
    return simplify_all([expr], ranges, simplifier=simplifier, **said)[0]
