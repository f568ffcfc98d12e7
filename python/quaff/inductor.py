"""quaff in the place of Inductor's simplifier of indices.

    import quaff.inductor

    quaff.inductor.install()
    torch.compile(model)(x)
    print(quaff.inductor.stats())

``install`` replaces ``SizeVarAllocator._simplify_with_ranges``, which Inductor asks for every index of a kernel, and lets quaff answer
the static questions (``statically_known_true`` and what rests on it) that Inductor could not answer itself. Where quaff refuses, or
its answer costs the host more than the input does, Inductor's own simplifier is asked, as if nothing were installed.

Every loop extent is taken to be positive: a loop without iterations computes no index. Compiled code is kept apart in Inductor's
caches by ``torch.compiler.config.cache_key_tag``.

Works with torch 2.15. The hook stands in the process that traces and lowers; the workers that compile text need none.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import sympy
import torch
import torch._inductor.sizevars as sizevars
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

import quaff
from quaff._errors import Error
from quaff._quaff import Memo, Simplifier
from quaff.sympy import Reader, Writer, number

# The versions whose simplifier this module takes the place of, as `major.minor`.
SUPPORTED = ("2.15",)


def _check_version() -> None:
    version = ".".join(torch.__version__.split(".")[:2])
    if version not in SUPPORTED:
        raise ImportError(
            f"quaff.inductor knows torch {', '.join(SUPPORTED)}, and this is {torch.__version__}; "
            "quaff.sympy works with any version"
        )


_check_version()

# What an operation of a host costs whose `//` and `%` truncate: a quotient of what may be negative needs a correction.
_SIMPLE, _DIVISION, _VARIABLE_DIVISION, _CORRECTION = 1, 5, 30, 8
# Nodes of an index that are worth an attempt; a larger one is left to Inductor.
_LARGEST = 2000


@dataclass
class Stats:
    """What became of the calls since ``install``, or since ``stats(reset=True)``.

    Attributes:
        calls: indices that Inductor asked for. Its own simplifier asks again for what it has changed.
        plain: those without a division, which are left as they are.
        changed: those for which quaff has a form that costs the host less than the input.
        kept: those for which the input is the best form.
        refused: those left to Inductor: quaff has no answer, or one that costs more.
        seconds: time in quaff and in reading and writing expressions.
        host_seconds: time in Inductor's own simplifier for what was refused; where that asks quaff again, both count the time.
        questions: static questions that Inductor could not answer.
        proved: those of them that quaff answered with yes.
    """

    calls: int = 0
    plain: int = 0
    changed: int = 0
    kept: int = 0
    refused: int = 0
    seconds: float = 0.0
    host_seconds: float = 0.0
    questions: int = 0
    proved: int = 0


_stats = Stats()
_lock = threading.Lock()
# What Inductor writes has `//` and `%`, which truncate in all of its languages.
_memo = Memo(Simplifier(cost="truncating"))
# Most questions about sizes have no proof, and a compiler asks many of them.
_asker = Simplifier(work=20_000, nodes=60, rounds=3)


def stats(*, reset: bool = False) -> dict:
    """The counters of ``Stats`` as a dict; with ``reset`` they begin at 0 again."""
    global _stats
    with _lock:
        counted = asdict(_stats)
        if reset:
            _stats = Stats()
    return counted


def _count(**more) -> None:
    with _lock:
        for name, value in more.items():
            setattr(_stats, name, getattr(_stats, name) + value)


class HostWriter(Writer):
    """Writes answers with Inductor's functions, so that numerators stay visibly non-negative where they can."""

    def select(self, test, then, otherwise):
        return Where(test, then, otherwise)

    def floordiv(self, a, b):
        return FloorDiv(a, b)

    def mod(self, a, b):
        a = _nonnegative_residue(a, b)
        if a.is_nonnegative and b.is_nonnegative:
            return ModularIndexing(a, sympy.S.One, b)
        return PythonMod(a, b)

    def min(self, a, b):
        return Min(a, b)

    def max(self, a, b):
        # quaff has no operator for it
        return sympy.Abs(a) if a + b == 0 else Max(a, b)

    def shr(self, a, b):
        return FloorDiv(a, 2**b)

    def bitand(self, a, b):
        return BitwiseFn_bitwise_and(a, b)

    def bitor(self, a, b):
        return BitwiseFn_bitwise_or(a, b)

    def bitxor(self, a, b):
        return BitwiseFn_bitwise_xor(a, b)


def _nonnegative_residue(numerator, modulus):
    """A sum that is equal to ``numerator`` modulo ``modulus`` and whose terms are not negative, where the modulus is a number."""
    if numerator.is_nonnegative or not isinstance(modulus, sympy.Integer) or modulus <= 0:
        return numerator
    terms = []
    for term in sympy.Add.make_args(numerator):
        factor, rest = term.as_coeff_Mul()
        terms.append((factor % modulus) * rest if isinstance(factor, sympy.Integer) else term)
    residue = sympy.Add(*terms)
    return residue if residue.is_nonnegative else numerator


# What the printers of all of Inductor's languages know.
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


def _is_printed(answer, expr) -> bool:
    """Whether Inductor can print ``answer``: its parts are of kinds that all printers know, or that ``expr`` has as well."""
    given = {type(part) for part in sympy.preorder_traversal(expr)}
    return all(isinstance(part, _PRINTED) or type(part) in given for part in sympy.preorder_traversal(answer))


_DIVISIONS = (FloorDiv, CleanDiv, ModularIndexing, PythonMod, Mod, sympy.Mod)


def host_cost(expr) -> int:
    """What ``expr`` costs a host whose ``//`` and ``%`` truncate, every part of it once."""
    seen, todo, cost = set(), [expr], 0
    while todo:
        part = todo.pop()
        if part in seen or not part.args:
            continue
        seen.add(part)
        todo.extend(part.args)
        if isinstance(part, _DIVISIONS):
            divisors = part.args[1:]
            cost += sum(_SIMPLE if _is_power_of_two(d) else _DIVISION if d.is_number else _VARIABLE_DIVISION for d in divisors if d != 1)
            if not part.args[0].is_nonnegative:
                cost += _CORRECTION
        elif isinstance(part, Identity):
            continue
        else:
            # a product with a number is one operation with the sum that it stands in
            cost += len(part.args) - 1 if len(part.args) > 1 else _SIMPLE
    return cost


def _is_power_of_two(divisor) -> bool:
    return isinstance(divisor, sympy.Integer) and divisor > 0 and int(divisor) & (int(divisor) - 1) == 0


def _end(value):
    """An end of a range of torch as quaff takes it: None where it is infinite."""
    if value in (int_oo, -int_oo, sympy.oo, -sympy.oo) or not getattr(value, "is_integer", True):
        return None
    return int(value) if getattr(value, "is_number", True) else value


def _ranges(sizes, symbols, var_ranges) -> dict:
    """What is known of ``symbols``: loops by their extents, sizes by what the shape environment says."""
    known = sizes.shape_env.var_to_range
    ranges = {}
    for symbol in symbols:
        if symbol in var_ranges:
            extent = sympy.sympify(var_ranges[symbol])
            ranges[symbol] = (0, max(0, int(extent) - 1) if extent.is_number else extent - 1)
        elif symbol in known:
            ranges[symbol] = (_end(known[symbol].lower), _end(known[symbol].upper))
        else:
            # as Inductor takes them
            ranges[symbol] = (0, None)
    return ranges


def _question(sizes, exprs, var_ranges):
    """``exprs`` as quaff's, their domain, and a writer of answers."""
    symbols = set().union(*(e.free_symbols for e in exprs))
    for extent in [sympy.sympify(var_ranges[s]) for s in symbols if s in var_ranges]:
        symbols |= extent.free_symbols
    reader = Reader(_ranges(sizes, symbols, var_ranges))
    roots = [reader.read(e) for e in exprs]
    conditions = []
    if any(s not in var_ranges for s in symbols):
        for axiom in sizes.shape_env.get_axioms():
            # that a size is not one number says nothing of an index, and there are many of these
            if not isinstance(axiom, sympy.Ne) and axiom.free_symbols and axiom.free_symbols <= symbols:
                conditions.append(reader.read(axiom))
    # what divides comes from a program that runs
    domain = reader.domain(defined=True)
    read = reader.exprs(roots + conditions)
    if conditions:
        domain = domain.extended(assume=read[len(roots) :])
    return read[: len(roots)], domain, HostWriter(reader.meaning)


def _answer(sizes, expr, var_ranges):
    """quaff's form of ``expr``, settled under the host's own evaluation; None where there is none."""
    if sum(1 for _ in zip(range(_LARGEST), sympy.preorder_traversal(expr))) >= _LARGEST:
        return None
    try:
        asked, domain, writer = _question(sizes, [expr], var_ranges)
        answer = _memo.simplify_all(asked, domain)[0]
    except (Error, OverflowError):
        return None
    written = number(writer.write([answer])[0])
    # the host expands and evaluates what it is given: what it makes of the answer is what counts
    for _ in range(3):
        settled = sizes.simplify(written)
        if settled == written:
            return settled if _is_printed(settled, expr) else None
        written = settled
    return None


_own_simplify = sizevars.SizeVarAllocator._simplify_with_ranges
_own_known_true = sizevars.SizeVarAllocator.statically_known_true


def _simplify_with_ranges(self, expr, var_ranges):
    """Takes the place of Inductor's; the arguments and the result are the same."""
    expr = sizevars.join_dimensions(self.simplify(expr))
    if not expr.has(*_DIVISIONS):
        _count(calls=1, plain=1)
        return expr
    began = time.perf_counter()
    answer = _answer(self, expr, var_ranges)
    before = host_cost(expr)
    spent = time.perf_counter() - began
    if answer is not None and host_cost(answer) < before:
        _count(calls=1, changed=1, seconds=spent)
        return answer
    if answer is not None and answer == expr:
        _count(calls=1, kept=1, seconds=spent)
        return expr
    began = time.perf_counter()
    own = _own_simplify(self, expr, var_ranges)
    _count(calls=1, refused=1, seconds=spent, host_seconds=time.perf_counter() - began)
    return own


def _statically_known_true(self, expr):
    """Takes the place of Inductor's: what it cannot answer is asked of quaff."""
    if _own_known_true(self, expr):
        return True
    if isinstance(expr, bool) or not isinstance(expr, sympy.logic.boolalg.Boolean) or not expr.has(*_DIVISIONS):
        return False
    if expr.xreplace(self.shape_env.backed_var_to_val) is sympy.S.false:
        # the sizes of this very call are a counterexample
        return False
    began = time.perf_counter()
    proved = False
    try:
        asked, domain, _ = _question(self, [expr], {})
        proved = _asker.prove(asked[0], domain) is True
    except (Error, OverflowError):
        pass
    _count(questions=1, proved=int(proved), seconds=time.perf_counter() - began)
    return proved


_installed = False
_tag_before = ""


def install() -> None:
    """Lets quaff simplify Inductor's indices in this process. Installing it twice is installing it once."""
    global _installed, _tag_before
    if _installed:
        return
    sizevars.SizeVarAllocator._simplify_with_ranges = _simplify_with_ranges
    sizevars.SizeVarAllocator.statically_known_true = _statically_known_true
    _tag_before = torch.compiler.config.cache_key_tag
    torch.compiler.config.cache_key_tag = f"{_tag_before}quaff-{quaff.__version__}"
    _installed = True


def uninstall() -> None:
    """Undoes ``install``."""
    global _installed
    if not _installed:
        return
    sizevars.SizeVarAllocator._simplify_with_ranges = _own_simplify
    sizevars.SizeVarAllocator.statically_known_true = _own_known_true
    torch.compiler.config.cache_key_tag = _tag_before
    _installed = False


@contextmanager
def installed():
    """``install`` within the ``with`` statement; what was installed before stays so."""
    before = _installed
    install()
    try:
        yield
    finally:
        if not before:
            uninstall()
