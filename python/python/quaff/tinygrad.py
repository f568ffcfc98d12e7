"""quaff inside of tinygrad: the integer part of each kernel in the cheapest form that is found.

>>> import quaff.tinygrad
>>> quaff.tinygrad.install()                                                                        # doctest: +SKIP
>>> with quaff.tinygrad.installed():                                                                # doctest: +SKIP
...     Tensor.arange(24).reshape(2, 3, 4).permute(2, 0, 1).contiguous().realize()
>>> print(quaff.tinygrad.stats())                                                                   # doctest: +SKIP

All indices, their conditions and other integer values of a kernel are asked for together, after tinygrad's own rules and before
indices get a width. An answer is taken where the instructions of the kernel's integer part fall, and the kernel stays as it is
everywhere else. ``QUAFF=0`` in the environment, or ``Context(QUAFF=0)``, turns it off for a while.

tinygrad compiles in spawned processes too, in which nothing that was changed here is seen. The tasks that it sends there are
wrapped, so that each such process installs quaff for itself and sends its counts back.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from dataclasses import dataclass, field, fields
from importlib import metadata

import tinygrad.codegen as _codegen
import tinygrad.codegen.opt.search as _search
import tinygrad.engine.realize as _realize
from tinygrad.helpers import ContextVar
from tinygrad.uop.ops import UOp

from quaff._errors import Error
from quaff._quaff import Simplifier
from quaff._tinygrad_uops import Kernel, is_asked, widths_of
from quaff._tinygrad_writer import Refused

_VERSION = (0, 14)
_PASS = "extra symbolic"

# An estimate is no proof: an answer is taken where the estimated instructions fall to this part of those of the input. Over the
# kernels of benches/tinygrad_kernels.py and of whole networks, smaller steps save few machine instructions, and cost some in others.
_CLEARLY = 0.9

# tinygrad renders `//` and `%` as they stand, in languages in which they truncate, and corrects them where a numerator may be negative.
_simplifier = Simplifier(cost="truncating")

# Part of the key of tinygrad's cache of programs while installed: a program that was compiled with quaff is not mistaken for one
# that was compiled without. It also travels to worker processes, as all variables of the context of a compilation do.
QUAFF = ContextVar("QUAFF", 1)


@dataclass
class Stats:
    """What was done since the process began or `reset` was called, also by worker processes on its behalf.

    Attributes:
        kernels: how many came by.
        asked: how many of them have index arithmetic beyond sums, products and comparisons.
        changed: how many are cheaper now.
        roots: how many integer values were asked for.
        refused: why kernels stayed as they are, and how many: by reason.
        seconds: the time all this took, and of it in quaff itself.
    """

    kernels: int = 0
    asked: int = 0
    changed: int = 0
    roots: int = 0
    refused: Counter = field(default_factory=Counter)
    seconds: float = 0.0
    in_quaff: float = 0.0

    def add(self, other: Stats) -> None:
        """Counts what another one has counted as well."""
        for count in fields(self):
            setattr(self, count.name, getattr(self, count.name) + getattr(other, count.name))


_stats = Stats()
# What was there before, while installed.
_before: dict = {}


def stats() -> Stats:
    """The counts until now."""
    return _stats


def reset() -> None:
    """Sets the counts to 0."""
    global _stats
    _stats = Stats()


def simplified(sink: UOp) -> UOp:
    """The kernel with a cheaper integer part, or as it is.

    Args:
        sink: a kernel after the pass "extra symbolic".
    """
    started = time.perf_counter()
    _stats.kernels += 1
    try:
        return _simplified(sink)
    except Refused as e:
        _stats.refused[str(e)] += 1
    except Error as e:
        _stats.refused[e.message if e.code is None else e.code] += 1
    finally:
        _stats.seconds += time.perf_counter() - started
    return sink


def _simplified(sink: UOp) -> UOp:
    if not is_asked(sink):
        return sink
    kernel = Kernel(sink)
    if not kernel.roots:
        return sink
    accesses, domain = kernel.question()
    _stats.asked += 1
    _stats.roots += len(accesses)
    started = time.perf_counter()
    found = _simplifier.simplify_accesses(accesses, domain)
    _stats.in_quaff += time.perf_counter() - started
    if found.cost >= found.input_cost:
        raise Refused("nothing to gain")
    answer = kernel.answer(found.accesses)
    before, after, with_old_gates = kernel.prices(answer)
    if min(after, with_old_gates) > before * _CLEARLY:
        raise Refused("not clearly fewer instructions")
    new, values = kernel.rebuilt(answer, after <= with_old_gates)
    was, widths = widths_of([root.user for root in kernel.roots]), widths_of(values)
    if widths.is_wide > was.is_wide:
        raise Refused("64 bits")
    if widths.signed_divisions > was.signed_divisions:
        # tinygrad computes them by truncation and a test
        raise Refused("a division of what may be negative")
    _stats.changed += 1
    return new


def _rewrite(sink, *args, **kwargs):
    """tinygrad's `graph_rewrite` in its code generator: the result of one pass goes on to quaff."""
    sink = _before["graph_rewrite"](sink, *args, **kwargs)
    return simplified(sink) if QUAFF and kwargs.get("name") == _PASS else sink


# Functions that tinygrad sends to worker processes by their names. Reading the name there loads this module.


def _compile_kernel(task):
    return _counted("_compile_kernel", task)


def _try_compile(task):
    return _counted("_try_compile", task)


class _Result(tuple):
    """What a task returns. Where it is sent back by a worker process, the counts of the task come along."""

    stats: Stats

    def __reduce__(self):
        return _received, (tuple(self), self.stats)


def _received(result: tuple, of_task: Stats) -> tuple:
    _stats.add(of_task)
    return result


def _counted(name: str, task) -> _Result:
    global _stats
    before, _stats = _stats, Stats()
    try:
        # only for this task: a worker process also serves tasks of a time after `uninstall`
        with installed():
            result = _Result(_before[name](task))
        result.stats = _stats
    finally:
        before.add(_stats)
        _stats = before
    return result


def install() -> None:
    """Makes tinygrad ask quaff about every kernel that it compiles from now on; a second call does nothing.

    What was compiled or captured by a ``TinyJit`` before stays as it is. The choices of BEAM that tinygrad keeps on disk are used
    with and without quaff.

    Raises:
        ImportError: this is not a tinygrad whose code generator is known.
    """
    global _before
    if _before:
        return
    _check()
    _before = {
        "graph_rewrite": _codegen.graph_rewrite,
        "_compile_kernel": _realize._compile_kernel,
        "_try_compile": _search._try_compile,
        "to_program_config": _codegen.to_program_config,
        "to_program_context": _realize.to_program_context,
    }
    _codegen.graph_rewrite = _rewrite
    _realize._compile_kernel = _compile_kernel
    _search._try_compile = _try_compile
    # the tuples have more variables than their types say
    _codegen.to_program_config = (*_codegen.to_program_config, QUAFF)  # type: ignore[assignment]
    _codegen.to_program_context = _realize.to_program_context = (*_realize.to_program_context, QUAFF)  # type: ignore[assignment]


def uninstall() -> None:
    """Takes back what `install` did; kernels that were compiled meanwhile stay, in the cache under keys of their own."""
    global _before
    if not _before:
        return
    _codegen.graph_rewrite = _before["graph_rewrite"]
    _realize._compile_kernel = _before["_compile_kernel"]
    _search._try_compile = _before["_try_compile"]
    _codegen.to_program_config = _before["to_program_config"]
    _codegen.to_program_context = _realize.to_program_context = _before["to_program_context"]
    _before = {}


def is_installed() -> bool:
    """Whether tinygrad asks quaff now."""
    return bool(_before)


@contextlib.contextmanager
def installed():
    """Installed within the ``with`` statement."""
    was = is_installed()
    install()
    try:
        yield
    finally:
        if not was:
            uninstall()


def _check() -> None:
    try:
        version = metadata.version("tinygrad")
    except metadata.PackageNotFoundError:
        version = None
    if version is not None and tuple(int(part) for part in version.split(".")[:2]) != _VERSION:
        raise ImportError(f"quaff.tinygrad knows tinygrad {'.'.join(map(str, _VERSION))}, and this is {version}")
    if _PASS not in _codegen.full_rewrite_to_sink.__code__.co_consts:
        raise ImportError(f"the code generator of this tinygrad has no pass {_PASS!r}, after which quaff is asked")
