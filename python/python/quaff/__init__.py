"""Simplifies quasi-affine index expressions to the cheapest form found, and prints them without divisions by constants.

``//`` is floor division and ``%`` floor modulo, on mathematical integers, as in Python. Ends of ranges are inclusive.

>>> import quaff
>>> domain = quaff.Domain({"n": (1, 64), "i": (0, 99), "j": (0, "n - 1")})
>>> answer = quaff.simplify("(i*n + j)//n*64 + (i*n + j)%n", domain)
>>> answer.expr
quaff.Expr('i*64 + j')
>>> print(answer.cuda().strip())
return i * 64 + j;

Every function takes an expression as an ``Expr``, an integer or a text, and a domain as a ``Domain``, a dict or a text.
The examples of functions and classes assume ``import quaff``, or the import of their module.
"""

from __future__ import annotations

from quaff._errors import (
    BankError,
    CoalesceError,
    DimsError,
    DomainError,
    EmptyDomainError,
    Error,
    EvalError,
    KernelError,
    LayoutError,
    LowerError,
    ParseError,
    RuleError,
    SimplifyError,
    ViewError,
)
from quaff._quaff import (
    OPERATORS,
    Access,
    Buffer,
    Decision,
    Dim,
    Dims,
    Domain,
    Equation,
    Explained,
    Explanation,
    Explorer,
    Expr,
    Facts,
    Function,
    IndexType,
    Indices,
    Kernel,
    KernelText,
    LaneOrder,
    Layout,
    LinearLayout,
    Product,
    Rewritten,
    Scope,
    Simplified,
    SimplifiedAccesses,
    Simplifier,
    Step,
    Sum,
    SymbolicLayout,
    View,
    __version__,
    bank_conflicts,
    canonical,
    coalesce,
    explore,
    from_nodes,
    read,
    rewrite,
    to_nodes,
    verify,
)
from quaff._many import _shipped, simplify_many
from quaff._types import ExprLike
from quaff.analyzer import Analyzer

simplify = _shipped.simplify
simplify_all = _shipped.simplify_all
simplify_nodes = _shipped.simplify_nodes
simplify_accesses = _shipped.simplify_accesses
explain = _shipped.explain
facts = _shipped.facts
prove = _shipped.prove
equal = _shipped.equal
bounds = _shipped.bounds
congruence = _shipped.congruence
is_multiple_of = _shipped.is_multiple_of
split_by = _shipped.split_by


def var(name: str) -> Expr:
    """The variable ``name``.

    >>> quaff.var("threadIdx.x")*4
    quaff.Expr('threadIdx.x*4')
    """
    return Expr.var(name)


def variables(names: str) -> tuple[Expr, ...]:
    """The variables with the names in ``names``, which are separated by spaces: ``i, j = quaff.variables("i j")``.

    >>> i, j = quaff.variables("i j")
    >>> i*16 + j
    quaff.Expr('i*16 + j')
    """
    return tuple(Expr.var(name) for name in names.replace(",", " ").split())


def select(condition: ExprLike, then: ExprLike, otherwise: ExprLike) -> Expr:
    """``then`` if ``condition`` is not 0, else ``otherwise``.

    >>> quaff.select("i < 4", "i", 0)
    quaff.Expr('where(i < 4, i, 0)')
    """
    return Expr.make("select", condition, then, otherwise)


__all__ = [
    "OPERATORS",
    "Access",
    "Analyzer",
    "BankError",
    "Buffer",
    "CoalesceError",
    "Decision",
    "Dim",
    "Dims",
    "DimsError",
    "Domain",
    "DomainError",
    "EmptyDomainError",
    "Equation",
    "Error",
    "EvalError",
    "Explained",
    "Explanation",
    "Explorer",
    "Expr",
    "Facts",
    "Function",
    "IndexType",
    "Indices",
    "Kernel",
    "KernelError",
    "KernelText",
    "LaneOrder",
    "Layout",
    "LayoutError",
    "LinearLayout",
    "LowerError",
    "ParseError",
    "Product",
    "Rewritten",
    "RuleError",
    "Scope",
    "Simplified",
    "SimplifiedAccesses",
    "Simplifier",
    "SimplifyError",
    "Step",
    "Sum",
    "SymbolicLayout",
    "View",
    "ViewError",
    "__version__",
    "bank_conflicts",
    "bounds",
    "canonical",
    "coalesce",
    "congruence",
    "equal",
    "explain",
    "explore",
    "facts",
    "from_nodes",
    "is_multiple_of",
    "prove",
    "read",
    "rewrite",
    "select",
    "simplify",
    "simplify_accesses",
    "simplify_all",
    "simplify_many",
    "simplify_nodes",
    "split_by",
    "to_nodes",
    "var",
    "variables",
    "verify",
]
