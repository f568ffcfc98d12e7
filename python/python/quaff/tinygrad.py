"""quaff in tinygrad's compiler: the integer values of each kernel are replaced by the cheapest forms found.

>>> import quaff.tinygrad
>>> quaff.tinygrad.install()                                                                        # doctest: +SKIP
>>> with quaff.tinygrad.installed():                                                                # doctest: +SKIP
...     Tensor.arange(24).reshape(2, 3, 4).permute(2, 0, 1).contiguous().realize()
>>> print(quaff.tinygrad.stats())                                                                   # doctest: +SKIP

The question about a kernel contains all indices, their conditions and other integer values. It is asked after
tinygrad's own rules, and before indices get a width. The answer is used if it reduces the number of instructions in the
integer part. Otherwise the kernel is unchanged. ``QUAFF=0`` in the environment, or ``Context(QUAFF=0)``, disables quaff
temporarily.

tinygrad also compiles in spawned processes, in which the changes of this process have no effect. The tasks for these
processes are wrapped. The wrapper installs quaff in the process and returns its counts.
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

__all__ = ["QUAFF", "Stats", "install", "installed", "is_installed", "reset", "stats", "uninstall"]

_VERSION = (0, 14)
_PASS = "extra symbolic"

# An answer is used if its estimated instructions are at most this fraction of the input's instructions. A margin is
# needed because an estimate is no proof. For the kernels of hosts/tinygrad_kernels.py and of whole networks, smaller
# estimated improvements save few machine instructions, and some kernels even get more.
_CLEARLY = 0.9

# tinygrad prints `//` and `%` in languages in which they truncate, and adds a correction if a numerator may be
# negative.
_simplifier = Simplifier(cost="truncating")

# Part of the key of tinygrad's program cache while quaff is installed. It separates programs that were compiled with
# quaff from programs that were compiled without it. tinygrad sends the variable to worker processes, like all context
# variables of a compilation.
QUAFF = ContextVar("QUAFF", 1)


@dataclass
class Stats:
    """Counts since the start of the process, or since the last call of `reset`.

    The counts include kernels that worker processes compiled for this process.

    Attributes:
        kernels: the number of kernels.
        asked: the number of kernels that were sent to quaff. They have index arithmetic other than sums, products and
            comparisons.
        changed: the number of kernels that are cheaper with quaff.
        roots: the number of integer values in the questions.
        refused: the number of unchanged kernels for each reason.
        seconds: the total time, and the part of it in quaff itself.

    >>> quaff.tinygrad.Stats(kernels=2).kernels
    2
    """

    kernels: int = 0
    asked: int = 0
    changed: int = 0
    roots: int = 0
    refused: Counter = field(default_factory=Counter)
    seconds: float = 0.0
    in_quaff: float = 0.0

    def add(self, other: Stats) -> None:
        """Adds the counts of another object.

        >>> counts = quaff.tinygrad.Stats(kernels=2)
        >>> counts.add(quaff.tinygrad.Stats(kernels=1))
        >>> counts.kernels
        3
        """
        for count in fields(self):
            setattr(self, count.name, getattr(self, count.name) + getattr(other, count.name))


_stats = Stats()
# The original functions and tuples of tinygrad that `install` replaced.
_before: dict = {}


def stats() -> Stats:
    """The current counts.

    >>> quaff.tinygrad.stats().kernels >= 0
    True
    """
    return _stats


def reset() -> None:
    """Sets the counts to 0.

    >>> quaff.tinygrad.reset()
    >>> quaff.tinygrad.stats().kernels
    0
    """
    global _stats
    _stats = Stats()


def simplified(sink: UOp) -> UOp:
    """The kernel with cheaper integer values, or the unchanged kernel.

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
        # tinygrad corrects such a division with a test, which costs additional instructions
        raise Refused("a division of what may be negative")
    _stats.changed += 1
    return new


def _rewrite(sink, *args, **kwargs):
    """Replaces `graph_rewrite` in tinygrad's code generator, and passes the result of the pass "extra symbolic" to
    quaff."""
    sink = _before["graph_rewrite"](sink, *args, **kwargs)
    return simplified(sink) if QUAFF and kwargs.get("name") == _PASS else sink


# Functions that tinygrad sends to worker processes by name. A worker process loads this module to look up the name.


def _compile_kernel(task):
    return _counted("_compile_kernel", task)


def _try_compile(task):
    return _counted("_try_compile", task)


class _Result(tuple):
    """The result of a task. If a worker process sends it back, it includes the counts of the task."""

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
        # quaff is installed only for this task, because the worker process may also run tasks after `uninstall`
        with installed():
            result = _Result(_before[name](task))
        result.stats = _stats
    finally:
        before.add(_stats)
        _stats = before
    return result


def install() -> None:
    """Makes tinygrad ask quaff about every kernel that it compiles from this call on. A second call has no effect.

    Programs that were compiled, or captured by a ``TinyJit``, before the call are unchanged. BEAM choices that tinygrad
    stores on disk are used both with and without quaff.

    Raises:
        ImportError: this version of tinygrad has an unknown code generator.

    >>> quaff.tinygrad.install()
    >>> quaff.tinygrad.is_installed()
    True
    >>> quaff.tinygrad.uninstall()
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
    # the declared types of the tuples do not allow one more element
    _codegen.to_program_config = (*_codegen.to_program_config, QUAFF)  # type: ignore[assignment]
    _codegen.to_program_context = _realize.to_program_context = (*_realize.to_program_context, QUAFF)  # type: ignore[assignment]


def uninstall() -> None:
    """Removes quaff from tinygrad, and restores the replaced functions.

    Kernels that were compiled while quaff was installed stay in tinygrad's program cache, under separate keys.

    >>> quaff.tinygrad.install()
    >>> quaff.tinygrad.uninstall()
    >>> quaff.tinygrad.is_installed()
    False
    """
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
    """Whether quaff is installed in tinygrad.

    >>> quaff.tinygrad.is_installed()
    False
    """
    return bool(_before)


@contextlib.contextmanager
def installed():
    """Installs quaff for the duration of the ``with`` statement.

    >>> with quaff.tinygrad.installed():
    ...     quaff.tinygrad.is_installed()
    True
    """
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
