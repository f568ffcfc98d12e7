"""What functions take and give, for type checkers; nothing here is used when a program runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias, TypedDict, Union

if TYPE_CHECKING:
    from quaff._quaff import Dim, Domain, Expr, LaneOrder, Product, Simplified

# An expression: an object, an integer (also one of numpy) or a text.
ExprLike: TypeAlias = Union["Expr", SupportsIndex, str]
# An end of a range; None where it is open.
End: TypeAlias = Union[ExprLike, None]
# The range of a variable.
Range: TypeAlias = Union[tuple[End, End], list[End], range, SupportsIndex, None]
# A domain: an object, a dict from names to ranges, or a text.
DomainLike: TypeAlias = Union["Domain", Mapping[str, Range], str]
# One name or several.
Names: TypeAlias = Union[str, Sequence[str]]
# A product of dimensions: `warp * lane`, `"warp * lane"`, or a list of dimensions, names and integers.
Side: TypeAlias = Union["Dim", "Product", str, int, Sequence[Union["Dim", "Product", str, int]]]
# `(lower, upper)`, both inclusive; None where an end is open.
Interval: TypeAlias = tuple[Union[int, None], Union[int, None]]
# What gets `(done, total)`.
Progress: TypeAlias = Callable[[int, int], object]
# What `simplify_many` gives for each expression.
Outcome: TypeAlias = Union["Simplified", Exception]


# `name` and `type` of each parameter.
Parameter = TypedDict("Parameter", {"name": str, "type": str})


class HostDivisor(TypedDict):
    """A divisor that the host prepares: ``name = helper(divisor)``."""

    name: str
    divisor: str
    helper: str


class Contract(TypedDict):
    """The function that a text is the body of."""

    params: list[Parameter]
    results: list[str]
    divisors: list[HostDivisor]
    host_params: list[Parameter]
    renamed: dict[str, str]


class KernelIndex(TypedDict):
    """An index or condition of a kernel, before and after."""

    name: str
    raw: Expr
    simplified: Expr


class KernelAccess(TypedDict):
    """How a copy of a kernel is done."""

    to: str
    source: str
    lanes: int
    vectors: list[str]
    single: int
    reasons: list[str]


class Lanes(TypedDict):
    """What ``ask.lanes`` finds."""

    lanes: int
    contiguity: int
    constancy: int
    divisibility: int
    mask_constancy: int | None
    vector: int


class Parts(TypedDict):
    """What ``ask.parts`` finds."""

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
    """What ``ask.strides`` finds."""

    dimensions: list[Dimension]
    offset: Expr
    not_strided: Expr


class BankConflicts(TypedDict):
    """What ``bank_conflicts`` finds."""

    degree: int
    transactions: int
    broadcast: bool
    at: dict[str, int]
    points: int
    svg: str


class Schedule(TypedDict):
    """One order of elements that ``coalesce`` finds."""

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
    """What all accesses take together in one order."""

    sectors: int
    gap: int


class Taken(TypedDict):
    """What a schedule takes; ``cost`` is 0 during the search, before a schedule has an expression."""

    sectors: int
    gap: int
    distance: int
    lines: int
    requests: int
    fetches: int
    cost: float


class CopiesInBanks(TypedDict):
    """What ``IndexType.banks`` finds."""

    degree: int
    broadcast: bool
    conflict: tuple[int, int, int] | None
    banks: list[int] | None


class CanonicalCase(TypedDict):
    """The form of a function for some residues of its symbols."""

    where: dict[str, tuple[int, int]]
    period: int
    rise: int
    before: int
    jumps: list[int]
    sum: Expr | None


class Canonical(TypedDict):
    """What ``canonical`` finds."""

    sum: Expr | None
    cases: list[CanonicalCase]


class ChangedValue(TypedDict):
    """A value of a kernel with a new text; ``cost`` has the cost before and after, None where it has no price."""

    line: int
    before: str
    after: str
    cost: tuple[float, float] | None


class LeftPlace(TypedDict):
    """A place of a kernel that was left as it is."""

    line: int
    text: str
    reason: str


class RewrittenKernel(TypedDict):
    """What became of a kernel; ``before`` and ``after`` are costs of its integers."""

    name: str
    line: int
    before: float
    after: float
    changes: list[ChangedValue]
    assumed: list[str]
    left: list[LeftPlace]
    proved: int
    tried: int
