"""What goes wrong, as exceptions that show the place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quaff._quaff import Expr


class Error(Exception):
    """Why there is no answer.

    Attributes:
        message: what is wrong.
        code: a name of the kind of error, such as ``quaff::zero_divisor``, or None.
        help: what can be done about it, or None.
        source: the text that it is about, or None where an object was given.
        span: ``(start, end)`` in characters of ``source``, or None.
        culprit: the text of the part of the expression that it is about, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        help: str | None = None,
        source: str | None = None,
        span: tuple[int, int] | None = None,
        culprit: str | None = None,
    ):
        super().__init__(message)
        self.message = message
        self.code = code
        self.help = help
        self.source = source
        self.span = span
        self.culprit = culprit

    def __str__(self) -> str:
        lines = [self.message]
        if self.source is not None and self.span is not None:
            lines += _caret(self.source, *self.span)
        if self.help:
            lines.append(f"help: {self.help}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled_error, (type(self), self.message, self.__dict__)


# Characters of a line that are shown on each side of the place.
_AROUND = 60


def _caret(source: str, start: int, end: int) -> list[str]:
    """The line of ``source`` in which ``start`` stands, and a line that underlines the place."""
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", start)
    last = len(source) if last < 0 else last
    end = max(min(end, last), start)
    left, right = max(first, start - _AROUND), min(last, end + _AROUND)
    shown = ("..." if left > first else "") + source[left:right] + ("..." if right < last else "")
    before = start - left + (3 if left > first else 0)
    return [f"  {shown}", "  " + " " * before + "^" * max(end - start, 1)]


def _unpickled_error(kind: type[Error], message: str, state: dict[str, Any]) -> Error:
    error = kind(message)
    error.__dict__.update(state)
    return error


def _unpickled_expr(words: Sequence[int], names: Sequence[str], roots: Sequence[int]) -> Expr:
    from quaff._quaff import from_nodes

    return from_nodes(words, names, roots)[0]


def _unpickled(kind: str, state: tuple[Any, ...]) -> Any:
    from quaff import _quaff

    return getattr(_quaff, kind)._unpickled(*state)


class ParseError(Error, ValueError):
    """Text that is no expression."""


class DomainError(Error, ValueError):
    """Facts about variables that cannot all be true, or text that declares none."""


class EmptyDomainError(DomainError):
    """Facts about variables that no point satisfies."""


class SimplifyError(Error, ValueError):
    """An expression that cannot be simplified over its domain."""


class LowerError(Error, ArithmeticError):
    """An expression without machine text: a value can leave 64 bits."""


class EvalError(Error, ArithmeticError):
    """An expression without a value."""


class RuleError(Error, ValueError):
    """A rule file that is wrong."""


class ViewError(Error, ValueError):
    """A view that cannot be made."""


class LayoutError(Error, ValueError):
    """A text that is no layout, or an operation without a layout as its result."""


class BankError(Error, ValueError):
    """A question about shared-memory banks without an answer."""


class CoalesceError(Error, ValueError):
    """A question about coalescing without an answer."""


class DimsError(Error, ValueError):
    """Sizes and equations that have no solution, or none that is whole."""


class KernelError(Error, ValueError):
    """A kernel that cannot be written, or that is recorded in the wrong order."""
