"""Many expressions at once, with a bar where one is wanted."""

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
    """Many expressions, each on its own, on several threads and without the interpreter's lock.

    Args:
        exprs: the expressions: ``Expr``, integers or texts.
        domains: one domain for all, or a list with one for each.
        threads: how many; one for each core where it is None.
        progress: True for a bar (needs ``tqdm``), or a function that gets ``(done, total)``: at the beginning, some ten times a second, and at the end.
        simplifier: a ``Simplifier`` with rules or limits of its own.

    Returns:
        For each expression a ``Simplified``, or the exception that ``simplify`` would have raised.

    Raises:
        ParseError: a text is no expression.
        KeyboardInterrupt: at ^C; the calls under way are waited for.
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
