"""The types of arguments and results, for type checkers. Nothing in this module is used at run time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias, TypedDict, Union

if TYPE_CHECKING:
    from quaff._quaff import Dim, Domain, Expr, LaneOrder, Product, Simplified

# An expression: an object, an integer (including numpy's) or a text.
ExprLike: TypeAlias = Union["Expr", SupportsIndex, str]
# An end of a range. An open end is None.
End: TypeAlias = Union[ExprLike, None]
# The range of a variable.
Range: TypeAlias = Union[tuple[End, End], list[End], range, SupportsIndex, None]
# A domain: an object, a dict from names to ranges, or a text.
DomainLike: TypeAlias = Union["Domain", Mapping[str, Range], str]
# One name or several.
Names: TypeAlias = Union[str, Sequence[str]]
# A product of dimensions: `warp * lane`, `"warp * lane"`, or a list of dimensions, names and integers.
Side: TypeAlias = Union["Dim", "Product", str, int, Sequence[Union["Dim", "Product", str, int]]]
# `(lower, upper)`, both inclusive. An open end is None.
Interval: TypeAlias = tuple[Union[int, None], Union[int, None]]
# A function that receives `(done, total)`.
Progress: TypeAlias = Callable[[int, int], object]
# The result of `simplify_many` for each expression.
Outcome: TypeAlias = Union["Simplified", Exception]


# The `name` and `type` of each parameter.
Parameter = TypedDict("Parameter", {"name": str, "type": str})


class HostDivisor(TypedDict):
    """A divisor that the host prepares: ``name = helper(divisor)``."""

    name: str
    divisor: str
    helper: str


class Contract(TypedDict):
    """The function whose body is a printed text: its parameters, its results, and the divisors that the host
    prepares."""

    params: list[Parameter]
    results: list[str]
    divisors: list[HostDivisor]
    host_params: list[Parameter]
    renamed: dict[str, str]


class KernelIndex(TypedDict):
    """An index or condition of a kernel, before and after simplification."""

    name: str
    raw: Expr
    simplified: Expr


class KernelAccess(TypedDict):
    """The report about one ``transfer`` (a copy of elements) of a kernel."""

    to: str
    source: str
    lanes: int
    vectors: list[str]
    single: int
    reasons: list[str]


class Lanes(TypedDict):
    """The answer of ``ask.lanes``."""

    lanes: int
    contiguity: int
    constancy: int
    divisibility: int
    mask_constancy: int | None
    vector: int


class Parts(TypedDict):
    """The answer of ``ask.parts``."""

    parts: list[Expr]
    shared: Expr
    mixed: list[Expr]


class Dimension(TypedDict):
    """A dimension of a strided access."""

    axis: str
    below: int
    extent: Expr | None
    partial: bool
    stride: Expr
    wrap: tuple[Expr, Expr] | None


class Strides(TypedDict, total=False):
    """The answer of ``ask.strides``."""

    dimensions: list[Dimension]
    offset: Expr
    not_strided: Expr


class BankConflicts(TypedDict):
    """The answer of ``bank_conflicts``."""

    degree: int
    transactions: int
    broadcast: bool
    at: dict[str, int]
    points: int
    svg: str
    html: str


class Schedule(TypedDict):
    """One order of elements found by ``coalesce``."""

    schedule: Expr
    sigma: Expr
    cuda: str | None
    contract: Contract | None
    indices: list[Expr]
    order: LaneOrder
    sectors: int
    gap: int
    distance: int
    lines: int
    requests: int
    fetches: int
    cost: float
    vector: int
    steps: Expr | None
    identity: Total
    optimum: Total


class Total(TypedDict):
    """The memory traffic of all accesses together in one order."""

    sectors: int
    gap: int


class Taken(TypedDict):
    """The memory traffic of a schedule. ``cost`` is 0 during the search, before the schedule has an expression."""

    sectors: int
    gap: int
    distance: int
    lines: int
    requests: int
    fetches: int
    cost: float


class CopiesInBanks(TypedDict):
    """The answer of ``IndexType.banks``."""

    degree: int
    broadcast: bool
    conflict: tuple[int, int, int] | None
    banks: list[int] | None


class CanonicalCase(TypedDict):
    """The form of a function if its symbols have the given residues."""

    where: dict[str, tuple[int, int]]
    period: int
    rise: int
    before: int
    jumps: list[int]
    sum: Expr | None


class Canonical(TypedDict):
    """The answer of ``canonical``."""

    sum: Expr | None
    cases: list[CanonicalCase]


class ChangedValue(TypedDict):
    """A value of a kernel that is written in a new form. ``cost`` has the cost before and after, or None if the value
    has no price."""

    line: int
    before: str
    after: str
    cost: tuple[float, float] | None


class LeftPlace(TypedDict):
    """A place of a kernel that was not changed."""

    line: int
    text: str
    reason: str


class RewrittenKernel(TypedDict):
    """The result for one kernel. ``before`` and ``after`` are the costs of its integer expressions."""

    name: str
    line: int
    before: float
    after: float
    changes: list[ChangedValue]
    assumed: list[str]
    left: list[LeftPlace]
    proved: int
    tried: int
