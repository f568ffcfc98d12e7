"""Simplifies many expressions at once, with an optional progress bar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from quaff._quaff import Simplifier
from quaff._types import DomainLike, ExprLike, Outcome, Progress

_shipped = Simplifier()


def simplify_many(
    exprs: Iterable[ExprLike],
    domains: DomainLike | Sequence[DomainLike] | None = None,
    *,
    threads: int | None = None,
    progress: Literal[True] | Progress | None = None,
    simplifier: Simplifier | None = None,
) -> list[Outcome]:
    """Simplifies many expressions independently, on several threads and without the interpreter's lock.

    Args:
        exprs: the expressions: ``Expr``, integers or texts.
        domains: one domain for all, or a list with one for each.
        threads: the number of threads, of which at most 1,024 are used. None means one for each core.
        progress: True for a progress bar, which needs ``tqdm``, or a function. The function receives ``(done, total)``
            at the start, about ten times a second, and at the end.
        simplifier: a ``Simplifier`` with special rules or limits.

    Returns:
        For each expression a ``Simplified``, or the exception that ``simplify`` would have raised.

    Raises:
        ParseError: a text is not an expression.
        KeyboardInterrupt: ^C was pressed. It is raised after the current calls.

    >>> quaff.simplify_many(["(i*4 + j)//4", "i//k"], "i=0..9, j=0..3, k=0..8", threads=1)
    [<Simplified i, cost 0 of 2>, SimplifyError('the divisor `k` can be 0: its range is 0..8')]
    """
    exprs = exprs if isinstance(exprs, list) else list(exprs)
    with_ = simplifier or _shipped
    if progress is not True:
        return with_.simplify_many(exprs, domains, threads=threads, progress=progress or None)
    try:
        from tqdm.auto import tqdm
    except ImportError as e:
        raise ImportError("a bar needs tqdm: `pip install 'quaff[progress]'`") from e
    with tqdm(total=len(exprs), unit="expr") as bar:

        def told(done: int, _total: int) -> None:
            bar.update(done - bar.n)

        return with_.simplify_many(exprs, domains, threads=threads, progress=told)
