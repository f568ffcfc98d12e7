"""quaff as a replacement for Inductor's simplifier of indices.

    import quaff.inductor

    quaff.inductor.install()
    torch.compile(model)(x)
    print(quaff.inductor.stats())

``install`` has three hooks:

- Inductor calls ``SizeVarAllocator._simplify_with_ranges`` for every index. The hook uses quaff's answer if every
  division in it is also in the input. Otherwise it simplifies each division separately. While a C++ kernel is printed,
  it uses the cheaper form. If quaff refuses, Inductor's own simplifier runs.
- ``TritonKernel.finalize_indexing`` receives all indices of a kernel. The hook simplifies all of them together, as
  functions of the flat index. It uses quaff's forms if they make the kernel cheaper.
- ``SizeVarAllocator.statically_known_true`` answers questions about sizes. The hook asks quaff if Inductor cannot
  answer.

Every loop extent is assumed to be positive, because a loop without iterations computes no index.
Through ``torch.compiler.config.cache_key_tag``, Inductor's caches keep code that was compiled with quaff apart from
other code.

The module works with torch 2.15. The hooks are in the process that traces and lowers. The worker processes that compile
text need no hooks.
"""

from __future__ import annotations

import functools
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import sympy
import torch
import torch._inductor.config as config
import torch._inductor.sizevars as sizevars
from torch._inductor.utils import sympy_subs
from torch._inductor.virtualized import V
from torch.utils._sympy.functions import FloorDiv, ModularIndexing

import quaff
from quaff._errors import Error
from quaff._inductor_forms import DIVISIONS, facts, forms, host_cost, overflows, question, ranges
from quaff._quaff import Simplifier

__all__ = ["SUPPORTED", "Stats", "install", "installed", "stats", "uninstall"]

# The versions of torch that this module works with, as `major.minor`.
SUPPORTED = ("2.15",)


def _check_version() -> None:
    version = ".".join(torch.__version__.split(".")[:2])
    if version not in SUPPORTED:
        raise ImportError(
            f"quaff.inductor knows torch {', '.join(SUPPORTED)}, and this is {torch.__version__}; "
            "quaff.sympy works with any version"
        )


_check_version()

# Imported after the check of the version, because another version may not have these names.
from torch._inductor.codegen.cpp import CppKernel  # noqa: E402
from torch._inductor.codegen.triton import TritonKernel  # noqa: E402


@dataclass
class Stats:
    """Counts of the calls since ``install``, or since ``stats(reset=True)``.

    Attributes:
        calls: the number of indices, and of divisions in them, that Inductor simplified one by one. A changed index is
            simplified again, and counts again.
        plain: the calls whose index has no division. Such an index is not changed.
        changed: the calls for which quaff found a simpler form.
        kept: the calls whose index was not changed.
        refused: the calls that were left to Inductor, because quaff has no answer.
        kernels: Triton kernels whose indices were simplified together.
        kernels_changed: the number of these kernels that cost less with quaff's forms.
        seconds: the time in quaff, including the time to convert expressions.
        host_seconds: the time in Inductor's own simplifier for refused indices. If this simplifier calls quaff again,
            both counters include the time.
        questions: the static questions that Inductor could not answer.
        proved: the number of these questions that quaff answered with yes.

    >>> quaff.inductor.Stats().calls
    0
    """

    calls: int = 0
    plain: int = 0
    changed: int = 0
    kept: int = 0
    refused: int = 0
    kernels: int = 0
    kernels_changed: int = 0
    seconds: float = 0.0
    host_seconds: float = 0.0
    questions: int = 0
    proved: int = 0


_stats = Stats()
_lock = threading.Lock()


def stats(*, reset: bool = False) -> dict:
    """The counters of ``Stats`` as a dict. With ``reset``, they restart at 0.

    >>> sorted(quaff.inductor.stats())[:3]
    ['calls', 'changed', 'host_seconds']
    """
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


# A single index.

_own_simplify = sizevars.SizeVarAllocator._simplify_with_ranges


def _is_taken(answer, expr) -> bool:
    """Whether ``answer`` is better than ``expr`` in every kernel. In C++, a lower cost suffices."""
    if host_cost(answer) >= host_cost(expr):
        return False
    before, after = expr.atoms(*DIVISIONS), answer.atoms(*DIVISIONS)
    if isinstance(expr, DIVISIONS):
        return len(after) <= len(before)
    return after <= before or isinstance(V.kernel, CppKernel)


def _has_digits_to_join(expr) -> bool:
    """Whether ``join_dimensions`` changes a sum. Such a sum contains a digit of a number, and also the next higher
    digit or the quotient above the digit."""
    begins: set = set()
    ends: set = set()
    for term in sympy.Add.make_args(expr):
        factors = sympy.Mul.make_args(term)
        for digit in (f for f in factors if isinstance(f, (ModularIndexing, FloorDiv))):
            base, divisor, *modulus = digit.args
            scale = sympy.Mul(*(f for f in factors if f is not digit))
            begins.add((scale, base, divisor))
            ends.update((scale * m, base, divisor * m) for m in modulus)
    return not begins.isdisjoint(ends)


def _simplify_with_ranges(self, expr, var_ranges):
    """Replaces Inductor's method, with the same arguments and result."""
    expr = self.simplify(expr)
    if _has_digits_to_join(expr):
        expr = sizevars.join_dimensions(expr)
    if not expr.has(*DIVISIONS) or expr in getattr(V.kernel, "quaff_forms", ()):
        _count(calls=1, plain=1)
        return expr
    began = time.perf_counter()
    found = forms(self, [expr], var_ranges)
    spent = time.perf_counter() - began
    if found is None:
        began = time.perf_counter()
        own = _own_simplify(self, expr, var_ranges)
        _count(calls=1, refused=1, seconds=spent, host_seconds=time.perf_counter() - began)
        return own
    answer = found[0]
    if answer != expr and not _is_taken(answer, expr):
        # simplify each division in the expression separately
        parts = expr.atoms(*DIVISIONS) - {expr}
        answer = expr.xreplace({part: self.simplify_with_ranges(part, var_ranges) for part in parts})
    _count(calls=1, changed=int(answer != expr), kept=int(answer == expr), seconds=spent)
    return answer if answer == expr else _simplify_with_ranges(self, answer, var_ranges)


# All indices of a kernel.

_own_finalize_indexing = TritonKernel.finalize_indexing


def _flat(kernel) -> dict:
    """A dict from the loop variables of ``kernel`` to digits of its flat indices. Each flat index is a symbol."""
    return {
        symbol: sympy_subs(node.expr, {node.root.index_sym(): node.root.full_range().symbol()})
        for symbol, node in list(kernel.range_tree_nodes.items())
    }


def _forms_of_kernel(kernel, indices) -> dict:
    """A dict from Inductor's forms to quaff's forms. It is empty if the kernel does not cost less with quaff's
    forms."""
    sizes, digits = V.graph.sizevars, _flat(kernel)
    # these ranges include the flat indices, which are also loop variables
    known = kernel.var_ranges()

    def flat(exprs):
        return [sympy_subs(e, digits) for e in exprs]

    if not any(f.has(*DIVISIONS) for f in flat(indices)):
        return {}
    began = time.perf_counter()
    # the name of a value from memory is not known at this point, so an index with such a value is not changed
    given = [i for i in indices if all(s in known or s in sizes.shape_env.var_to_range for s in i.free_symbols)]
    others = flat(i for i in indices if i not in given)
    ways = [flat(given)]
    if any(s not in known for f in ways[0] for s in f.free_symbols):
        # the indices are also simplified with loop variables, because a variable has tighter bounds than a digit by a
        # size that is known only at run time
        ways.append(given)
    best, least = given, host_cost(*flat(given), *others)
    for way in ways:
        found = forms(sizes, way, known) if way else None
        if found is None or (kernel.index_dtype == "tl.int32" and overflows(flat(found), known)):
            continue
        if (cost := host_cost(*flat(found), *others)) < least:
            best, least = found, cost
    chosen = {} if best is given else {i: sympy_subs(f, sizes.precomputed_replacements) for i, f in zip(given, best)}
    _count(kernels=1, kernels_changed=int(bool(chosen)), seconds=time.perf_counter() - began)
    return chosen


def _finalize_indexing(self, indices):
    """Replaces Inductor's method, which receives all indices of a kernel before it is printed."""
    indices = list(indices)
    _own_finalize_indexing(self, indices)
    # with block pointers and descriptors, Inductor's forms are kept, because Inductor recognises blocks by these forms
    if config.triton.use_block_ptr or config.triton.use_tensor_descriptor:
        return
    own = self.simplify_indexing
    chosen = _forms_of_kernel(self, list(dict.fromkeys(own(index) for index in indices)))
    if not chosen:
        return
    self.quaff_forms = frozenset(chosen.values())

    def simplify_indexing(index):
        if index in self.quaff_forms:
            return index
        simplified = own(index)
        return chosen.get(simplified, simplified)

    simplify_indexing.cache_clear = own.cache_clear
    self.simplify_indexing = simplify_indexing


# Static questions.

_own_known_true = sizevars.SizeVarAllocator.statically_known_true
# The limits are low, because a compiler asks many questions about sizes, and most of them have no proof.
_asker = Simplifier(work=20_000, nodes=60, rounds=3)
# The factor by which the sizes of a call are enlarged. If a condition fails for the larger sizes, no proof is tried.
_LARGER = 2**16


@functools.lru_cache(4096)
def _is_proved(condition, known, axioms) -> bool:
    try:
        asked, domain, _ = question([condition], dict(known), axioms)
        return _asker.prove(asked[0], domain) is True
    except (Error, OverflowError):
        return False


def _at(condition, point):
    """Whether ``condition`` holds for the sizes in ``point``. None if a function of torch has no value for these
    sizes."""
    try:
        return condition.xreplace(point)
    except (AssertionError, ArithmeticError, TypeError, ValueError):
        return None


def _fails_for_larger_sizes(condition, known, axioms, sizes) -> bool:
    """Whether ``condition`` is false for sizes that are much larger than those of the current call and satisfy all
    known facts."""
    point = {s: value * _LARGER for s, value in sizes.items()}
    if any(s not in point or (upper is not None and not point[s] <= upper) for s, (_, upper) in known.items()):
        return False
    return _at(condition, point) is sympy.S.false and all(_at(a, point) is sympy.S.true for a in axioms)


def _statically_known_true(self, expr):
    """Replaces Inductor's method, and asks quaff if that method has no answer."""
    if _own_known_true(self, expr):
        return True
    if isinstance(expr, bool) or not isinstance(expr, sympy.logic.boolalg.Boolean) or not expr.has(*DIVISIONS):
        return False
    sizes = self.shape_env.backed_var_to_val
    if _at(expr, sizes) is sympy.S.false:
        # the condition is false for the sizes of the current call
        return False
    began = time.perf_counter()
    known, axioms = ranges(self, expr.free_symbols, {}), tuple(facts(self, expr.free_symbols))
    proved = not _fails_for_larger_sizes(expr, known, axioms, sizes) and _is_proved(expr, tuple(known.items()), axioms)
    _count(questions=1, proved=int(proved), seconds=time.perf_counter() - began)
    return proved


_HOOKS = (
    (sizevars.SizeVarAllocator, "_simplify_with_ranges", _own_simplify, _simplify_with_ranges),
    (sizevars.SizeVarAllocator, "statically_known_true", _own_known_true, _statically_known_true),
    (TritonKernel, "finalize_indexing", _own_finalize_indexing, _finalize_indexing),
)
_installed = False
_tag_before = ""


def install() -> None:
    """Makes Inductor use quaff for its indices in this process.

    Calling it again has no effect.

    >>> quaff.inductor.install()
    >>> quaff.inductor.uninstall()
    """
    global _installed, _tag_before
    if _installed:
        return
    for owner, name, _, hook in _HOOKS:
        setattr(owner, name, hook)
    _tag_before = torch.compiler.config.cache_key_tag
    torch.compiler.config.cache_key_tag = f"{_tag_before}quaff-{quaff.__version__}"
    _installed = True


def uninstall() -> None:
    """Undoes ``install``.

    >>> quaff.inductor.install()
    >>> quaff.inductor.uninstall()
    """
    global _installed
    if not _installed:
        return
    for owner, name, own, _ in _HOOKS:
        setattr(owner, name, own)
    torch.compiler.config.cache_key_tag = _tag_before
    _installed = False


@contextmanager
def installed():
    """Installs quaff for the duration of the ``with`` statement.

    If quaff was already installed, it is still installed afterwards.

    >>> with quaff.inductor.installed():
    ...     pass  # torch.compile(model)(x)
    """
    before = _installed
    install()
    try:
        yield
    finally:
        if not before:
            uninstall()
