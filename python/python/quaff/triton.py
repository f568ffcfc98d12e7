"""Simplifies the index arithmetic of Triton kernels in memory.

``@quaff.triton.jit`` replaces ``@triton.jit``. The index arithmetic of the function is simplified for each set of
values of the ``tl.constexpr`` parameters. Each new value is compared with the old value, and Triton compiles the new
text::

    @triton.autotune(configs=[...], key=["n"])
    @quaff.triton.jit(notes="n in 1..4096, n % 16 == 0")
    def kernel(x_ptr, n, BLOCK: tl.constexpr):
        ...

    kernel[grid](x, n)
    print(kernel.fn.quaff.diff)

``rewrite`` simplifies the kernels in the text of a file, and does not need Triton.

>>> source = '''
... @triton.jit
... def rows(x_ptr, W: tl.constexpr):
...     i = tl.program_id(0) * 64 + tl.arange(0, 64)
...     tl.store(x_ptr + i // W * W + i % W, 0)
... '''
>>> print(rewrite(source, define={"W": 32}).text)
<BLANKLINE>
@triton.jit
def rows(x_ptr, W: tl.constexpr):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(x_ptr + i, 0)
<BLANKLINE>
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import linecache
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quaff._errors import Error
from quaff._quaff import Rewritten, Simplifier
from quaff._quaff import rewrite as _rewrite
from quaff._types import RewrittenKernel

__all__ = ["Rewriting", "jit", "rewrite"]

_DECORATOR = "@triton.jit\n"

_Values = tuple[tuple[str, int], ...]
# The range of the integers that can be constants in an expression.
_MIN, _MAX = -(2**63), 2**63 - 1


def rewrite(
    source: str,
    *,
    notes: str | Sequence[str] | None = None,
    define: Mapping[str, int] | None = None,
    simplifier: Simplifier | None = None,
) -> Rewritten:
    """The text of a file with cheaper index arithmetic in the functions under ``@triton.jit``.

    Args:
        source: the text of the file. Comments in it such as ``# quaff: n in 1..4096`` also state facts.
        notes: facts about variables. They hold in each kernel that has these variables, such as ``"n in 1..4096, n % 16
            == 0"``.
        define: the values of ``tl.constexpr`` parameters.
        simplifier: a ``Simplifier`` with special rules or limits.

    Raises:
        ValueError: a note is not a fact.
        ParseError: the text is not Python.

    >>> source = "\\n".join([
    ...     "@triton.jit",
    ...     "def rows(x_ptr, W: tl.constexpr):",
    ...     "    i = tl.arange(0, 64)",
    ...     "    tl.store(x_ptr + i // W * W + i % W, 0)",
    ... ])
    >>> quaff.triton.rewrite(source, define={"W": 32}).is_changed
    True
    """
    return _rewrite(source, "triton", notes=notes, define=define, simplifier=simplifier)


class Rewriting:
    """Rewrites the source of one kernel for each set of values of its constants.

    For a kernel ``fn``, this object is ``fn.quaff``.

    Args:
        name: the name of the function, which patches show.
        source: the text of the function, beginning with ``def``.
        notes: facts as for ``rewrite``.
        simplifier: a ``Simplifier`` with special rules or limits.

    >>> source = "def rows(x_ptr, W: tl.constexpr):\\n    i = tl.program_id(0)\\n    tl.store(x_ptr + i // W * W + i % W, 0)"
    >>> rewriting = quaff.triton.Rewriting("rows", source)
    >>> rewriting.name, len(rewriting.variants)
    ('rows', 1)
    """

    def __init__(
        self,
        name: str,
        source: str,
        notes: str | Sequence[str] | None = None,
        simplifier: Simplifier | None = None,
    ):
        self.name = name
        self.original = source
        self._notes = notes
        self._simplifier = simplifier
        self._known: dict[_Values, Rewritten | None] = {}
        self._last: _Values = ()
        # this raises an error for invalid notes when the kernel is defined
        self.at()

    def at(self, **values: int) -> Rewritten | None:
        """The rewritten function for these values of its constants. None if quaff cannot read the function.

        >>> source = "def rows(x_ptr, W: tl.constexpr):\\n    i = tl.program_id(0)\\n    tl.store(x_ptr + i // W * W + i % W, 0)"
        >>> rewriting = quaff.triton.Rewriting("rows", source)
        >>> rewriting.at(W=4).is_changed
        True
        """
        return self._of(tuple(sorted(values.items())))

    def _of(self, values: _Values) -> Rewritten | None:
        if values not in self._known:
            source, define = _DECORATOR + self.original, dict(values)
            try:
                found = rewrite(source, notes=self._notes, define=define, simplifier=self._simplifier)
            except Error:
                # the caller then compiles the function unchanged
                found = None
            self._known[values] = found
        return self._known[values]

    def _text(self, values: _Values) -> str:
        found = self._of(values)
        return found.text[len(_DECORATOR) :] if found else self.original

    @property
    def variants(self) -> dict[_Values, Rewritten | None]:
        """The functions that were rewritten so far. The keys are the names and values of the constants."""
        return dict(self._known)

    @property
    def source(self) -> str:
        """The text that was compiled last."""
        return self._text(self._last)

    @property
    def diff(self) -> str:
        """The changes in the text that was compiled last, as a patch. It is empty if there are no changes."""
        old, new = self.original.splitlines(keepends=True), self.source.splitlines(keepends=True)
        return "".join(difflib.unified_diff(old, new, self.name, self.name))

    @property
    def kernels(self) -> list[RewrittenKernel]:
        """The report about the text that was compiled last, in the format of ``Rewritten.kernels``."""
        found = self._of(self._last)
        return found.kernels if found else []

    def __repr__(self) -> str:
        changed = sum(found.is_changed for found in self._known.values() if found)
        return f"<Rewriting of {self.name}: {changed} of {len(self._known)} variants changed>"


def _with_lines_of(old: str, new: str) -> ast.Module:
    """The syntax tree of ``new`` with the line numbers of ``old``. A line that is only in ``new`` gets the number of
    the next line that is also in ``old``."""
    line_of: dict[int, int] = {}
    matcher = difflib.SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    last = max(len(old.splitlines()), 1)
    for _, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        for at in range(new_start, new_end):
            # the lines of a changed block get the numbers of its old lines in order. If there are more new lines, the
            # remaining ones get the number of the last old line
            within = min(old_start + at - new_start, max(old_end - 1, old_start))
            line_of[at + 1] = min(within + 1, last)
    tree = ast.parse(new)
    for node in ast.walk(tree):
        for name in ("lineno", "end_lineno"):
            if line := getattr(node, name, None):
                setattr(node, name, line_of.get(line, last))
    return tree


def jit(
    fn: Callable[..., Any] | None = None,
    *,
    notes: str | Sequence[str] | None = None,
    simplifier: Simplifier | None = None,
    **options: Any,
) -> Any:
    """Like ``triton.jit``, but compiles the function with cheaper index arithmetic.

    The result is that of ``triton.jit``: a ``JITFunction``, or the object of Triton's interpreter. It works under
    ``triton.autotune`` and ``triton.heuristics``, and can be called from other kernels. Errors of Triton show the
    original function with its line numbers. A function that cannot be read is compiled unchanged. ``fn.quaff`` is the
    ``Rewriting`` of the function.

    Args:
        fn: the function.
        notes: facts as for ``rewrite``.
        simplifier: a ``Simplifier`` with special rules or limits.
        options: the options of ``triton.jit``.

    Raises:
        ImportError: Triton is not installed.
        ValueError: a note is not a fact.

    >>> import triton.language as tl
    >>> @quaff.triton.jit
    ... def zeros(x_ptr, N: tl.constexpr):
    ...     tl.store(x_ptr + tl.arange(0, N) * 4 // 4, 0)
    >>> zeros.quaff.name
    'zeros'
    """
    from triton import knobs

    make = _interpreted if knobs.runtime.interpret else _compiled

    def decorator(fn: Callable[..., Any]) -> Any:
        return make(fn, notes, simplifier, options)

    return decorator if fn is None else decorator(fn)


class _Constants:
    """The parameters and globals of a function that the compiler treats as constants."""

    def __init__(self, kernel: Any):
        from triton.language import constexpr

        self._constexpr = constexpr
        self._scope = kernel.get_capture_scope()
        self._parameters = [(p.num, p.name, p.default if p.has_default else None) for p in kernel.params if p.is_constexpr]
        self._globals = [name for name in kernel.fn.__code__.co_names if name in self._scope]

    def values(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Values:
        """The integer values of constants in one call, by name."""
        found = [
            (name, args[num] if num < len(args) else kwargs.get(name, default))
            for num, name, default in self._parameters
        ]
        scope = ((name, self._scope.get(name)) for name in self._globals)
        found += [(name, value) for name, value in scope if isinstance(value, self._constexpr)]
        plain = ((name, value.value if isinstance(value, self._constexpr) else value) for name, value in found)
        return tuple(sorted((name, int(value)) for name, value in plain if isinstance(value, int) and _MIN <= value <= _MAX))


def _compiled(
    fn: Callable[..., Any],
    notes: str | Sequence[str] | None,
    simplifier: Simplifier | None,
    options: dict[str, Any],
) -> Any:
    from triton.runtime import jit as runtime

    class Function(runtime.JITFunction):  # type: ignore[misc]
        """A function of Triton for some values of its constants."""

        def __init__(self, rewriting: Rewriting | None, values: _Values = ()):
            super().__init__(fn, **options)
            self.quaff = rewriting or Rewriting(fn.__name__, self.src, notes, simplifier)
            self._values = values
            self._variants: dict[_Values, Function] = {}
            self._constants = _Constants(self)
            self._making = threading.Lock()

        def parse(self) -> ast.Module:
            self.quaff._last = self._values
            return _with_lines_of(self.src, self.quaff._text(self._values))

        @property
        def cache_key(self) -> str:
            # `src`, which Triton hashes, is the original text
            text = super().cache_key + self.quaff._text(self._values)
            return hashlib.sha256(text.encode("utf-8")).hexdigest()

        def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            values = self._constants.values(args, kwargs)
            variant = self._variants.get(values) or self._variant(values)
            self.quaff._last = values
            return runtime.JITFunction.run(variant, *args, grid=grid, warmup=warmup, **kwargs)

        def _variant(self, values: _Values) -> Function:
            with self._making:
                if values not in self._variants:
                    variant = Function(self.quaff, values)
                    variant.pre_run_hooks = self.pre_run_hooks
                    # Triton looks up the function by its name
                    runtime._triton_jit_function_registry[f"{self.module}:{fn.__qualname__}"] = self
                    self._variants[values] = variant
                return self._variants[values]

    return Function(None)


def _interpreted(
    fn: Callable[..., Any],
    notes: str | Sequence[str] | None,
    simplifier: Simplifier | None,
    options: dict[str, Any],
) -> Any:
    from triton.runtime.interpreter import InterpretedFunction
    from triton.runtime.jit import JITFunction

    compiled = JITFunction(fn, **options)
    rewriting, constants = Rewriting(fn.__name__, compiled.src, notes, simplifier), _Constants(compiled)

    class Function(InterpretedFunction):  # type: ignore[misc]
        """A function that Triton interprets."""

        quaff = rewriting

        def __init__(self) -> None:
            super().__init__(fn, **options)
            self._variants: dict[_Values, Any] = {}

        def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
            values = constants.values(args, kwargs)
            if values not in self._variants:
                self._variants[values] = InterpretedFunction(_function_of(fn, rewriting._text(values)), **options)
                self._variants[values].pre_run_hooks = self.pre_run_hooks
            rewriting._last = values
            return self._variants[values].run(*args, grid=grid, warmup=warmup, **kwargs)

        def rewrite(self) -> Any:
            # this method runs if another kernel calls the function
            if () not in self._variants:
                self._variants[()] = InterpretedFunction(_function_of(fn, rewriting._text(())), **options)
            return self._variants[()].rewrite()

    return Function()


def _function_of(fn: Callable[..., Any], text: str) -> types.FunctionType:
    """A function with this text in the module of ``fn``. Python can find the source of the function."""
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    name = f"<quaff: {fn.__qualname__} {digest}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {}
    exec(compile(text, name, "exec", dont_inherit=True), fn.__globals__, scope)
    found: types.FunctionType = scope[fn.__name__]
    return found
