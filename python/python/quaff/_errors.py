"""Exceptions that show the place of an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quaff._quaff import Expr


class Error(Exception):
    """The base class of all errors of quaff.

    Attributes:
        message: the error in words.
        code: the name of the kind of error, such as ``quaff::zero_divisor``, or None.
        help: a hint how to correct the error, or None.
        source: the text with the error, or None if the input was not a text.
        span: ``(start, end)`` in characters of ``source``, or None.
        culprit: the text of the part of the expression that is wrong, or None.

    >>> try:
    ...     quaff.simplify("(i + 1)//k", "i=0..9, k=0..8")
    ... except quaff.Error as e:
    ...     print(e.message, e.code, e.span, e.culprit)
    the divisor `k` can be 0: its range is 0..8 quaff::zero_divisor (9, 10) k
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


# If a line is long, an error shows this number of its characters before and after the place of the error.
_AROUND = 60


def _caret(source: str, start: int, end: int) -> list[str]:
    """The line of ``source`` that contains ``start``, and a line that underlines the place."""
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
    """A text is not an expression.

    >>> try:
    ...     quaff.Expr("i + + 1)")
    ... except quaff.ParseError as e:
    ...     print(e)
    this `)` closes nothing
      i + + 1)
             ^
    help: remove it, or add the missing `(`
    """


class DomainError(Error, ValueError):
    """Facts about variables contradict each other, or a text cannot be read as facts.

    >>> try:
    ...     quaff.Domain("i is small")
    ... except quaff.DomainError as e:
    ...     print(e.message)
    expected `=` after the name
    """


class EmptyDomainError(DomainError):
    """No point satisfies the facts about variables.

    >>> try:
    ...     quaff.prove("i > 0", "i=0..9, assume i > 9")
    ... except quaff.EmptyDomainError as e:
    ...     print(e)
    no point of the domain satisfies i > 9
    """


class SimplifyError(Error, ValueError):
    """An expression cannot be simplified over its domain.

    >>> try:
    ...     quaff.simplify("i//k", "i=0..9, k=0..8")
    ... except quaff.SimplifyError as e:
    ...     print(e)
    the divisor `k` can be 0: its range is 0..8
      i//k
         ^
    help: give its variables ranges that leave 0 out, or assume `k != 0`
    """


class LowerError(Error, ArithmeticError):
    """An expression cannot be printed in a language with 64-bit integers, because a value may need more bits.

    >>> try:
    ...     quaff.simplify("x*x", {"x": (0, 2**62)}).cuda()
    ... except quaff.LowerError as e:
    ...     print(e.message)
    `x*x` may need more than 64 bits
    """


class EvalError(Error, ArithmeticError):
    """An expression has no value.

    >>> try:
    ...     quaff.Expr("1 << i").eval(i=-1)
    ... except quaff.EvalError as e:
    ...     print(e)
    shift by a negative or too large amount
    """


class RuleError(Error, ValueError):
    """A rule file is wrong.

    >>> try:
    ...     quaff.Simplifier(rules="no_such_folder")
    ... except quaff.RuleError as e:
    ...     print(type(e).__name__)
    RuleError
    """


class ViewError(Error, ValueError):
    """A view cannot be made.

    >>> try:
    ...     quaff.View([8, 12]).reshape([7])
    ... except quaff.ViewError as e:
    ...     print(e.message)
    (8, 12) has 96 elements and (7) has 7 elements
      in movement 1, `reshape`
    """


class LayoutError(Error, ValueError):
    """A text is not a layout, or the result of an operation is not a layout.

    >>> try:
    ...     quaff.Layout("(4,8):(8)")
    ... except quaff.LayoutError as e:
    ...     print(e.message)
    the sizes (4,8) and the strides (8) are not nested alike
    """


class BankError(Error, ValueError):
    """A question about shared-memory banks has no answer.

    >>> try:
    ...     quaff.bank_conflicts("t*32", "t", "t=0..")
    ... except quaff.BankError as e:
    ...     print(e.message)
    `t` counts lanes: it needs a range of 1 to 1024 numbers
    """


class CoalesceError(Error, ValueError):
    """A question about coalescing has no answer.

    >>> try:
    ...     quaff.coalesce([], "i", 256)
    ... except quaff.CoalesceError as e:
    ...     print(e.message)
    0 accesses: a search takes 1 to 16
    """


class DimsError(Error, ValueError):
    """Sizes and equations have no solution, or no integer solution.

    >>> dims = quaff.Dims()
    >>> row = dims.new("row")
    >>> try:
    ...     dims.init()[row]
    ... except quaff.DimsError as e:
    ...     print(e.message, e.code)
    the size of `row` is not determined dims::underdetermined
    """


class KernelError(Error, ValueError):
    """A kernel cannot be written, or is recorded in the wrong order.

    >>> k = quaff.Kernel("f", quaff.Dims())
    >>> try:
    ...     k.code("out[$row] = 0;")
    ...     k.finish()
    ... except quaff.KernelError as e:
    ...     print(e.message)
    `$row` is not known here, in `out[$row] = 0;`
    """
