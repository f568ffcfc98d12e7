"""The compiled part of quaff; the docstrings of the module itself say more."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import Any, Final, Literal, SupportsIndex, final, overload

from quaff._types import (
    BankConflicts,
    Canonical,
    Contract,
    CopiesInBanks,
    DomainLike,
    ExprLike,
    Interval,
    KernelAccess,
    KernelIndex,
    Lanes,
    Names,
    Outcome,
    Parts,
    Progress,
    Range,
    RewrittenKernel,
    Schedule,
    Side,
    Strides,
    Taken,
)

__all__ = [
    "OPERATORS",
    "Access",
    "Buffer",
    "Decision",
    "Dim",
    "Dims",
    "Domain",
    "Equation",
    "Explained",
    "Explanation",
    "Expr",
    "Facts",
    "Function",
    "IndexType",
    "Indices",
    "Kernel",
    "KernelText",
    "LaneOrder",
    "Layout",
    "LinearLayout",
    "Memo",
    "Product",
    "Rewritten",
    "Scope",
    "Simplified",
    "SimplifiedAccesses",
    "Simplifier",
    "Step",
    "Sum",
    "SymbolicLayout",
    "View",
    "When",
    "__version__",
    "bank_conflicts",
    "canonical",
    "coalesce",
    "detect",
    "disjoint",
    "from_nodes",
    "image",
    "injective",
    "inverse",
    "lanes",
    "parts",
    "ranges",
    "read",
    "rescale",
    "rewrite",
    "strides",
    "subspace_divide",
    "surjective",
    "to_nodes",
    "verify",
    "when",
    "when_disjoint",
    "when_vector",
]

__version__: Final[str]
OPERATORS: Final[dict[str, int]]

@final
class Expr:
    """An integer index expression; `//` is floor division and `%` floor modulo."""

    def __new__(cls, value: ExprLike) -> Expr: ...
    @staticmethod
    def var(name: str) -> Expr:
        """The variable `name`."""
    @staticmethod
    def make(op: str, *args: ExprLike) -> Expr:
        """The node `op(*args)`, with the name of an operator from `OPERATORS`."""
    @staticmethod
    def parse(text: str, dialect: str | None = None) -> Expr:
        """The expression that an infix text or an s-expression is, or a text of a dialect."""
    @property
    def op(self) -> str:
        """The name of the operator, `"var"` or `"const"`."""
    @property
    def args(self) -> tuple[Expr, ...]:
        """The operands."""
    @property
    def value(self) -> int | None:
        """The value of a constant."""
    @property
    def name(self) -> str | None:
        """The name of a variable."""
    @property
    def variables(self) -> list[str]:
        """The names of the variables, each once."""
    @property
    def tree_size(self) -> int:
        """The number of nodes, shared parts counted as often as they occur."""
    def eq(self, other: ExprLike) -> Expr:
        """`a == b` as an expression."""
    def ne(self, other: ExprLike) -> Expr:
        """`a != b` as an expression."""
    def logical_not(self) -> Expr:
        """1 where this is 0, else 0."""
    def logical_and(self, other: ExprLike) -> Expr:
        """1 where both are not 0, else 0."""
    def logical_or(self, other: ExprLike) -> Expr:
        """1 where one is not 0, else 0."""
    def select(self, then: ExprLike, otherwise: ExprLike) -> Expr:
        """`then` where this is not 0, else `otherwise`."""
    def min(self, other: ExprLike) -> Expr:
        """The smaller one."""
    def max(self, other: ExprLike) -> Expr:
        """The larger one."""
    def trunc_div(self, other: ExprLike) -> Expr:
        """The quotient, rounded towards zero as in C."""
    def trunc_mod(self, other: ExprLike) -> Expr:
        """The remainder of `trunc_div`, which has the sign of this."""
    def eval(self, values: dict[str, int] | None = None, **named: int) -> int:
        """The value at a point."""
    def subs(self, parts: Mapping[str | Expr, ExprLike] | None = None, /, **named: ExprLike) -> Expr:
        """This with other expressions in the place of variables and parts, all at once."""
    def rename(self, names: Mapping[str, str] | None = None, /, **named: str) -> Expr:
        """This with other names of its variables."""
    def walk(self) -> Iterator[Expr]:
        """Its parts, operands first and this last, each shared part once."""
    def lambdify(self, *names: str) -> Function:
        """A function of the values of `names`, by default of `variables`."""
    def sexp(self) -> str:
        """The s-expression."""
    def __add__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __radd__(self, other: SupportsIndex, /) -> Expr: ...
    def __sub__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __rsub__(self, other: SupportsIndex, /) -> Expr: ...
    def __mul__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __rmul__(self, other: SupportsIndex, /) -> Expr: ...
    def __floordiv__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __rfloordiv__(self, other: SupportsIndex, /) -> Expr: ...
    def __mod__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __rmod__(self, other: SupportsIndex, /) -> Expr: ...
    def __and__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __rand__(self, other: SupportsIndex, /) -> Expr: ...
    def __or__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __ror__(self, other: SupportsIndex, /) -> Expr: ...
    def __xor__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __rxor__(self, other: SupportsIndex, /) -> Expr: ...
    def __lshift__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __rlshift__(self, other: SupportsIndex, /) -> Expr: ...
    def __rshift__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __rrshift__(self, other: SupportsIndex, /) -> Expr: ...
    def __divmod__(self, other: Expr | SupportsIndex, /) -> tuple[Expr, Expr]: ...
    def __rdivmod__(self, other: SupportsIndex, /) -> tuple[Expr, Expr]: ...
    def __pow__(self, exponent: int, modulus: None = None, /) -> Expr: ...
    def __rpow__(self, base: int, modulus: None = None, /) -> Expr: ...
    def __abs__(self) -> Expr: ...
    def __neg__(self) -> Expr: ...
    def __pos__(self) -> Expr: ...
    def __invert__(self) -> Expr: ...
    def __lt__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __le__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __gt__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __ge__(self, other: Expr | SupportsIndex, /) -> Expr: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __format__(self, spec: str, /) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Function:
    """An expression as a function of the values of its variables."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables, in the order of the arguments."""
    @overload
    def __call__(self, *values: SupportsIndex) -> int: ...
    @overload
    def __call__(self, *values: Any) -> Any: ...

@final
class Rewritten:
    """A source file with cheaper index arithmetic."""

    @property
    def text(self) -> str:
        """The text; that of the source where nothing is cheaper."""
    @property
    def is_changed(self) -> bool:
        """Whether the text is not that of the source."""
    @property
    def kernels(self) -> list[RewrittenKernel]:
        """What became of each kernel."""
    def diff(self, name: str = "source") -> str:
        """A patch in the unified format."""

def rewrite(
    source: str,
    language: str,
    *,
    notes: str | Sequence[str] | None = None,
    define: Mapping[str, int] | None = None,
    host: bool = False,
    simplifier: Simplifier | None = None,
) -> Rewritten:
    """Rewrites the kernels of a source file."""

@final
class Dim:
    """A dimension: a size before run time, an index at run time."""

    @property
    def name(self) -> str:
        """Its name; a second dimension of one name is `name#2`."""
    @overload
    def __mul__(self, other: Dim | Product | int, /) -> Product: ...
    @overload
    def __mul__(self, other: Expr, /) -> Sum: ...
    @overload
    def __rmul__(self, other: int, /) -> Product: ...
    @overload
    def __rmul__(self, other: Expr, /) -> Sum: ...
    def __add__(self, other: Dim | Product | Sum | Expr | int, /) -> Sum: ...
    def __radd__(self, other: Expr | int, /) -> Sum: ...
    def __sub__(self, other: Dim | Product | Sum | Expr | int, /) -> Sum: ...
    def __rsub__(self, other: Expr | int, /) -> Sum: ...
    def __neg__(self) -> Sum: ...
    def __eq__(self, other: object, /) -> Equation: ...  # type: ignore[override]
    def __hash__(self) -> int: ...

@final
class Product:
    """A product of dimensions and strides, whose last factor varies fastest."""

    @overload
    def __mul__(self, other: Dim | Product | int, /) -> Product: ...
    @overload
    def __mul__(self, other: Expr, /) -> Sum: ...
    @overload
    def __rmul__(self, other: int, /) -> Product: ...
    @overload
    def __rmul__(self, other: Expr, /) -> Sum: ...
    def __add__(self, other: Dim | Product | Sum | Expr | int, /) -> Sum: ...
    def __radd__(self, other: Expr | int, /) -> Sum: ...
    def __sub__(self, other: Dim | Product | Sum | Expr | int, /) -> Sum: ...
    def __rsub__(self, other: Expr | int, /) -> Sum: ...
    def __neg__(self) -> Sum: ...
    def __eq__(self, other: object, /) -> Equation: ...  # type: ignore[override]
    def __hash__(self) -> int: ...

@final
class Sum:
    """A sum of indices, each with a coefficient, and a constant: `oh * stride + ky - 1`."""

    def __add__(self, other: Dim | Product | Sum | Expr | int, /) -> Sum: ...
    def __radd__(self, other: Dim | Product | Expr | int, /) -> Sum: ...
    def __sub__(self, other: Dim | Product | Sum | Expr | int, /) -> Sum: ...
    def __rsub__(self, other: Dim | Product | Expr | int, /) -> Sum: ...
    def __mul__(self, other: Expr | int, /) -> Sum: ...
    def __rmul__(self, other: Expr | int, /) -> Sum: ...
    def __neg__(self) -> Sum: ...
    def __eq__(self, other: object, /) -> Equation: ...  # type: ignore[override]

@final
class Equation:
    """Two products that are equal, or a dimension and a sum, for `Dims.eq`."""

    def __bool__(self) -> bool: ...

@final
class Scope:
    """A scope of equations."""

    @property
    def name(self) -> str:
        """Its name."""

@final
class Dims:
    """Dimensions, and equations between products of them."""

    def __new__(cls) -> Dims: ...
    def new(self, names: str) -> Any:
        """Declares dimensions: `B, T = dims.new("B T=256")`; one name is one `Dim`, several are a tuple."""
    def dim(self, name: str, size: int | None = None) -> Dim:
        """Declares a dimension, with its size where it is known."""
    def run_time(self, name: str, lower: int, upper: int, step: int = 1) -> Dim:
        """Declares a dimension whose size is known at run time."""
    def new_scope(self, name: str, parent: Scope | str | None = None) -> Scope:
        """Declares a scope of equations."""
    def scope(self, scope: Scope | str) -> AbstractContextManager[Dims]:
        """A block whose equations and scopes belong to `scope`."""
    def eq(self, left: Side | Equation, right: Side | Sum | None = None, *, scope: Scope | str | None = None) -> None:
        """Says that two products are equal, or that the index of a dimension is a sum of others."""
    def covered(self, left: Side, right: Side, *, scope: Scope | str | None = None) -> None:
        """Says that the right product covers the left one."""
    def assume(self, condition: ExprLike) -> None:
        """Takes a condition on sizes to hold."""
    def size(self, dim: Dim | str) -> int | Expr:
        """The size of a dimension."""
    def init(self, *, simplifier: Simplifier | None = None) -> Indices:
        """Solves all sizes and freezes them."""
    def get(
        self,
        names: Sequence[Dim | str],
        *,
        set: Mapping[Dim, ExprLike] | Mapping[str, ExprLike] | None = None,
        enter: Sequence[str | tuple[str, ...]] | None = None,
        simplifier: Simplifier | None = None,
    ) -> Simplified:
        """The indices of dimensions, simplified together."""
    def get_raw(
        self,
        names: Sequence[Dim | str],
        *,
        set: Mapping[Dim, ExprLike] | Mapping[str, ExprLike] | None = None,
        enter: Sequence[str | tuple[str, ...]] | None = None,
    ) -> list[Expr]:
        """The indices as the equations build them."""
    @property
    def names(self) -> list[str]:
        """The names of the dimensions, sorted."""

@final
class Indices:
    """The indices of dimensions: some are set, and the others follow by the equations."""

    def set(self, dim: Dim | str, value: ExprLike) -> None:
        """Sets the index of `dim`; what follows from it is solved."""
    @overload
    def __getitem__(self, dims: Dim | str, /) -> Expr: ...
    @overload
    def __getitem__(self, dims: tuple[Dim | str, ...], /) -> tuple[Expr, ...]: ...
    def __setitem__(self, dim: Dim | str, value: ExprLike, /) -> None: ...
    def get(self, *dims: Dim | str) -> Simplified:
        """The indices of dimensions, simplified together, with the condition that they are inside."""
    def raw(self, dim: Dim | str) -> Expr:
        """The index of a dimension as the equations build it."""
    def size(self, dim: Dim | str) -> int | Expr:
        """The size of a dimension."""
    def inside(self, *dims: Dim | str) -> Expr | None:
        """The condition under which the indices of dimensions are inside, simplified; None where they always are."""
    def why_solved(self, dim: Dim | str) -> str:
        """Where the index of a dimension comes from, in words."""
    def why_partial(self, dim: Dim | str) -> list[str]:
        """The equations that know something of a dimension and not enough."""
    def is_solved(self, dim: Dim | str) -> bool:
        """Whether the index of a dimension is known."""
    def assume(self, condition: ExprLike) -> None:
        """Takes a condition on variables to hold, until the block ends."""
    @property
    def facts(self) -> Domain:
        """What is known of the variables, for `quaff.simplify`."""
    @property
    def active(self) -> list[str]:
        """The open scopes and loops, the outermost first, as texts."""
    def scope(self, scope: Scope) -> AbstractContextManager[Indices]:
        """A block in which the equations of a scope hold."""
    def frame(self) -> AbstractContextManager[Indices]:
        """A block for what is set or assumed for a while."""
    def loop(
        self, dim: Dim | str, variable: str | None = None, *, unroll: bool | int | None = None
    ) -> AbstractContextManager[Expr]:
        """A loop over a dimension: its index is the variable."""
    def vectorize(self, dim: Dim | str, size: int) -> AbstractContextManager[Indices]:
        """A vector over a dimension of `size` lanes."""
    def _repr_html_(self) -> str: ...

@final
class Domain:
    """What is known of the variables of expressions; ends of ranges are inclusive."""

    def __new__(
        cls,
        vars: DomainLike | None = None,
        *,
        assume: ExprLike | Sequence[ExprLike] | None = None,
        step: dict[str, int] | dict[str, tuple[int, int]] | None = None,
        uniform: Names | None = None,
        loop: Names | Sequence[Sequence[str]] | None = None,
        unrolled: Names | None = None,
        nonempty: Names | None = None,
        opaque: dict[str, str] | None = None,
        defined: bool = False,
    ) -> Domain: ...
    def extended(
        self,
        vars: DomainLike | None = None,
        *,
        assume: ExprLike | Sequence[ExprLike] | None = None,
        step: dict[str, int] | dict[str, tuple[int, int]] | None = None,
        uniform: Names | None = None,
        loop: Names | Sequence[Sequence[str]] | None = None,
        unrolled: Names | None = None,
        nonempty: Names | None = None,
        opaque: dict[str, str] | None = None,
        defined: bool = False,
    ) -> Domain:
        """This domain with more variables and facts."""
    @property
    def vars(self) -> list[str]:
        """The names of the variables, in the order in which they were declared."""
    @property
    def assumptions(self) -> list[Expr]:
        """The conditions that are assumed."""
    def bounds(self, name: str) -> Interval:
        """`(lower, upper)` of a variable, None where open."""
    def __contains__(self, name: str, /) -> bool: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Simplifier:
    """What a call is made with: rules, limits, a target machine and a cost model."""

    def __new__(
        cls,
        *,
        rules: str | PathLike[str] | None = None,
        add_rules: str | PathLike[str] | None = None,
        leave_out: Sequence[str] | None = None,
        trust_rules: bool = False,
        effort: Literal[0, 1, 2, 3] = 1,
        work: int | None = None,
        nodes: int | None = None,
        rounds: int | None = None,
        target: str | None = None,
        cost: Literal["gpu", "truncating", "operations"] | None = None,
    ) -> Simplifier: ...
    @property
    def rules(self) -> list[str]:
        """The names of the rules in use."""
    def simplify(self, expr: ExprLike, domain: DomainLike | None = None, *, trace: bool = False) -> Simplified:
        """The cheapest found expression with the values of `expr`."""
    def simplify_all(
        self, exprs: Sequence[ExprLike], domain: DomainLike | None = None, *, trace: bool = False
    ) -> Simplified:
        """Several expressions of one kernel together."""
    def simplify_nodes(
        self, words: Sequence[int], names: Sequence[str], roots: Sequence[int], domain: DomainLike | None = None
    ) -> Simplified:
        """`simplify_all` of the expressions of a flat list."""
    def simplify_accesses(self, accesses: Sequence[Access], domain: DomainLike | None = None) -> SimplifiedAccesses:
        """The accesses of one kernel together."""
    def simplify_many(
        self,
        exprs: Sequence[ExprLike],
        domains: DomainLike | Sequence[DomainLike] | None = None,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[Outcome]:
        """Many expressions, each on its own, on several threads."""
    def explain(self, expr: ExprLike, domain: DomainLike | None = None) -> Explanation:
        """How the answer follows from `expr`, each step checked."""
    def dot(self, exprs: Sequence[ExprLike], domain: DomainLike | None = None) -> str:
        """The e-graph that one search makes, as text for Graphviz."""
    def facts(self, domain: DomainLike | None = None) -> Facts:
        """What is known at the points of `domain`, kept from question to question."""
    def prove(self, condition: ExprLike, domain: DomainLike | None = None, *, empty_ok: bool = False) -> bool | None:
        """Whether `condition` holds at every point (True) or at none (False)."""
    def equal(self, a: ExprLike, b: ExprLike, domain: DomainLike | None = None, *, empty_ok: bool = False) -> bool | None:
        """Whether `a` and `b` are equal at every point (True) or at none (False)."""
    @overload
    def bounds(self, expr: ExprLike, domain: DomainLike | None = None) -> Interval: ...
    @overload
    def bounds(self, expr: ExprLike, domain: DomainLike | None = None, *, empty_ok: bool = False) -> Interval | None:
        """`(lower, upper)` between which all values lie."""
    @overload
    def congruence(self, expr: ExprLike, domain: DomainLike | None = None) -> tuple[int, int]: ...
    @overload
    def congruence(
        self, expr: ExprLike, domain: DomainLike | None = None, *, empty_ok: bool = False
    ) -> tuple[int, int] | None:
        """`(residue, modulus)` of all values."""
    def is_multiple_of(
        self, expr: ExprLike, n: int, domain: DomainLike | None = None, *, empty_ok: bool = False
    ) -> bool:
        """Whether `n` is proved to divide every value."""
    def split_by(
        self, expr: ExprLike, variable: str, domain: DomainLike | None = None
    ) -> tuple[Expr, Literal["step", "periodic", "wrapping"], list[Expr]] | None:
        """`(base, kind, steps)` of an index in a loop."""

@final
class Facts:
    """What is known at the points of a domain, kept from question to question."""

    @property
    def domain(self) -> Domain:
        """What was declared and assumed."""
    def push(self) -> None:
        """Begins a level."""
    def pop(self) -> None:
        """Ends the level that was begun last."""
    def __enter__(self) -> Facts: ...
    def __exit__(self, *_error: object) -> None: ...
    def assume(self, condition: ExprLike) -> None:
        """Assumes a condition until the level ends."""
    def add(self, domain: DomainLike) -> None:
        """Adds variables and conditions until the level ends."""
    def prove(self, condition: ExprLike) -> bool | None:
        """Whether `condition` holds at every point (True) or at none (False)."""
    def equal(self, a: ExprLike, b: ExprLike) -> bool | None:
        """Whether `a` and `b` are equal at every point (True) or at none (False)."""
    def bounds(self, expr: ExprLike) -> Interval:
        """`(lower, upper)` between which all values lie."""
    def congruence(self, expr: ExprLike) -> tuple[int, int]:
        """`(residue, modulus)` of all values."""
    def is_multiple_of(self, expr: ExprLike, n: int) -> bool:
        """Whether `n` is proved to divide every value."""

@final
class Kernel:
    """A kernel over dimensions, recorded statement by statement."""

    def __new__(cls, name: str, dims: Dims | Indices, *, simplifier: Simplifier | None = None) -> Kernel: ...
    def input(self, name: str, element: str = "float", *, align: int = 1) -> Buffer:
        """Declares a pointer parameter that is only read."""
    def output(self, name: str, element: str = "float", *, align: int = 1) -> Buffer:
        """Declares a pointer parameter that is written."""
    def scalar(self, name: str, range: Range, *, multiple: int | None = None) -> Expr:
        """Declares an integer parameter, the same for all threads."""
    def parameter(self, type: str, name: str) -> None:
        """Declares any other parameter."""
    def shared(self, name: str, length: int, element: str = "float") -> Buffer:
        """Declares an array in shared memory."""
    def registers(self, name: str, length: int, element: str = "float", *, zero: bool = False) -> Buffer:
        """Declares an array in registers."""
    def bind(self, dim: Dim | str, name: str, builtin: str) -> Expr:
        """Sets an index to a built-in value such as `threadIdx.x`."""
    def value(self, name: str, range: Range, code: str) -> Expr:
        """Defines a variable by code."""
    def set(self, dim: Dim | str, value: ExprLike) -> None:
        """Sets the index of a dimension."""
    def assume(self, condition: ExprLike) -> None:
        """Takes a condition to hold until the block ends."""
    def get(self, dim: Dim | str, name: str | None = None) -> Expr:
        """Asks for the index of a dimension under a name."""
    def expr(self, name: str, value: ExprLike) -> None:
        """Asks for an expression under a name."""
    def code(self, code: str) -> None:
        """Lines of code, with placeholders."""
    def barrier(self) -> None:
        """`__syncthreads();`"""
    def transfer(
        self,
        to: tuple[Buffer, Dim | str],
        source: tuple[Buffer, Dim | str],
        lanes: Dim | str | None = None,
        *,
        below: Mapping[Dim | str, ExprLike] | None = None,
        zero: bool = False,
    ) -> None:
        """Copies elements between buffers."""
    def load(self, name: str, buffer: Buffer, view: View, *dims: Dim | str) -> None:
        """Declares a variable with the element that a view reads."""
    def loop(
        self, dim: Dim | str, variable: str | None = None, *, unroll: bool | int | None = None
    ) -> AbstractContextManager[Expr, None]:
        """A loop over a dimension."""
    def scope(self, scope: Scope) -> AbstractContextManager[Kernel, None]:
        """A block in which the equations of a scope hold."""
    def frame(self) -> AbstractContextManager[Kernel, None]:
        """A block for what is set, assumed or named for a while."""
    def vectorize(self, dim: Dim | str, size: int | None = None) -> AbstractContextManager[Kernel, None]:
        """A vector over a dimension."""
    def condition(self, condition: ExprLike) -> AbstractContextManager[Kernel, None]:
        """A block under a condition."""
    def inside(
        self, *dims: Dim | str, rest: Callable[[], object] | None = None
    ) -> AbstractContextManager[Kernel, None]:
        """A block under the guard that indices are inside."""
    def scheduled(
        self, element: Dim | str, order: LaneOrder, lane: ExprLike
    ) -> AbstractContextManager[Kernel, None]:
        """A block with the index that an order gives to a lane."""
    def raw(self, dim: Dim | str) -> Expr:
        """The index of a dimension as the equations build it here."""
    def size(self, dim: Dim | str) -> int | Expr:
        """The size of a dimension."""
    @property
    def indices(self) -> Indices:
        """The indices as they are here."""
    def finish(self) -> KernelText:
        """Prints the kernel, with all its indices simplified together."""

@final
class Buffer:
    """A parameter or array of a `Kernel`; `buffer[dim]` is its element at the index of a dimension."""

    @property
    def name(self) -> str:
        """Its name in the text."""
    @property
    def element(self) -> str:
        """The C type of its elements."""
    def __getitem__(self, dim: Dim | str, /) -> tuple[Buffer, Dim | str]: ...

@final
class KernelText:
    """A printed kernel, with a report of its indices and of its copies."""

    @property
    def source(self) -> str:
        """CUDA C++, complete."""
    @property
    def host(self) -> str:
        """What the host needs to prepare divisors."""
    @property
    def contract(self) -> Contract:
        """The parameters, and what the host prepares."""
    @property
    def indices(self) -> list[KernelIndex]:
        """All indices and conditions."""
    @property
    def accesses(self) -> list[KernelAccess]:
        """How each copy is done."""
    @property
    def cost(self) -> float:
        """Of all indices together, each computed once."""
    @property
    def input_cost(self) -> float:
        """The same as the equations built them."""
    @property
    def executed(self) -> float:
        """What a thread executes of the indices."""
    @property
    def input_executed(self) -> float:
        """The same as the equations built them."""
    @property
    def stop(self) -> str:
        """What ended the search."""
    @property
    def facts(self) -> Domain:
        """What is known of the variables of the text."""
    def as_built(self) -> str:
        """The text with all indices as the equations built them."""
    def _repr_html_(self) -> str: ...

@final
class LaneOrder:
    """Which element each lane takes."""

    def at(self, lane: ExprLike) -> Expr:
        """The element of a lane."""
    @property
    def lanes(self) -> int:
        """How many lanes there are."""

@final
class Simplified:
    """The answer to `simplify` or `simplify_all`."""

    @property
    def expr(self) -> Expr:
        """The answer to the first (or only) expression."""
    @property
    def exprs(self) -> list[Expr]:
        """The answers, in the order of the call."""
    @property
    def inside(self) -> Expr | None:
        """The condition under which the answers of `Dims.get` are inside of their dimensions."""
    def to_nodes(self) -> tuple[list[int], list[str], list[int]]:
        """`(words, names, roots)` of the answers, as the function `to_nodes` returns them."""
    @property
    def cost(self) -> float:
        """In simple 32-bit instructions."""
    @property
    def least_cost(self) -> float:
        """What no form that the last search found costs less than."""
    @property
    def input_cost(self) -> float:
        """Of the input as written."""
    @property
    def stop(self) -> str:
        """Why the search ended."""
    @property
    def rounds(self) -> int:
        """Rounds of saturation."""
    @property
    def nodes(self) -> int:
        """E-nodes made."""
    @property
    def elapsed(self) -> float:
        """Seconds."""
    @property
    def trace(self) -> list[Step]:
        """The rules that fired."""
    def ranges(self) -> list[Interval]:
        """`(lower, upper)` of every node of `to_nodes`."""
    def range_of(self, expr: ExprLike) -> Interval | None:
        """`(lower, upper)` of a part of the answer."""
    def cuda(self) -> str:
        """The body of a CUDA function."""
    def cuda_definitions(self) -> str:
        """What the text of `cuda` needs outside of its function."""
    def contract(self, language: str = "cuda") -> Contract:
        """The function that a text is the body of."""
    def function(self, name: str, language: str = "cuda") -> str:
        """A whole function of this name."""
    def c(self) -> str:
        """The body of a C function."""
    def rust(self) -> str:
        """The body of a Rust function."""
    def python(self) -> str:
        """The body of a Python function."""
    def triton(self) -> str:
        """The body of a function for Triton."""
    def text(self, dialect: str) -> str:
        """The answer in a dialect."""
    def renamed(self, dialect: str) -> dict[str, str]:
        """The variables that `text` has other names for, and these."""

@final
class Step:
    """One entry of a trace."""

    @property
    def rule(self) -> str:
        """The rule's name."""
    @property
    def conditions(self) -> list[Expr]:
        """Where it holds."""
    @property
    def before(self) -> Expr:
        """What it matched."""
    @property
    def after(self) -> Expr:
        """What it wrote."""

@final
class Access:
    """A load or store of a kernel, which happens where its gate holds."""

    def __new__(
        cls,
        index: ExprLike,
        gate: ExprLike | None = None,
        *,
        buffer: str = "buffer",
        load: str | None = None,
        store: str | None = None,
        element: str = "float",
    ) -> Access: ...
    @property
    def index(self) -> Expr:
        """The index."""
    @property
    def gate(self) -> Expr | None:
        """The condition; None for always."""
    @property
    def buffer(self) -> str:
        """The name of the buffer."""
    def __getnewargs_ex__(self) -> tuple[tuple[Expr, Expr | None], dict[str, str]]: ...

@final
class SimplifiedAccesses:
    """The answer to a question about several accesses."""

    @property
    def accesses(self) -> list[Access]:
        """In the order of the call."""
    @property
    def cost(self) -> float:
        """Of gates and indices together."""
    @property
    def input_cost(self) -> float:
        """As written."""
    @property
    def stop(self) -> str:
        """Why the search ended."""
    def cuda(self) -> str:
        """CUDA text of all accesses."""
    def cuda_definitions(self) -> str:
        """What the text of `cuda` needs outside of its function."""
    def contract(self, language: str = "cuda") -> Contract:
        """The function that a text is the body of."""
    def c(self) -> str:
        """C text of all accesses."""

@final
class Decision:
    """Whether two expressions are equal, as the exact procedure says."""

    @property
    def equal(self) -> bool | None:
        """None where it is not decided."""
    @property
    def method(self) -> str:
        """What found it."""
    @property
    def witness(self) -> dict[str, int] | None:
        """A point where they differ."""

@final
class Explanation:
    """How an answer follows from its input."""

    @property
    def answer(self) -> Simplified:
        """What is explained."""
    @property
    def steps(self) -> list[Explained]:
        """From the input to the answer."""
    @property
    def check(self) -> Decision:
        """Input against answer."""
    @property
    def is_checked(self) -> bool:
        """Whether the answer and every step were found right."""

@final
class Explained:
    """One step of an explanation."""

    @property
    def name(self) -> str:
        """Of the rule or step."""
    @property
    def why(self) -> str:
        """In words."""
    @property
    def conditions(self) -> list[Expr]:
        """Where it holds."""
    @property
    def before(self) -> Expr:
        """A part of what is known by then."""
    @property
    def after(self) -> Expr:
        """What it was found equal to."""
    @property
    def facts(self) -> list[tuple[str, str]]:
        """What satisfied the guards of a rule."""
    @property
    def check(self) -> Decision:
        """What the exact procedure says of it."""
    @property
    def steps(self) -> list[Explained]:
        """The same in detail."""

@final
class Memo:
    """Answers that are remembered up to the names of the variables."""

    def __new__(cls, simplifier: Simplifier, limit: int = 65536) -> Memo: ...
    def simplify_all(self, exprs: Sequence[ExprLike], domain: DomainLike | None = None) -> list[Expr]:
        """`simplify_all`, remembered."""
    def counts(self) -> tuple[int, int, int]:
        """`(hits, misses, held)`."""
    def clear(self) -> None:
        """Forgets everything."""

@final
class View:
    """A view of a buffer: strided views on top of one another, with masks."""

    def __new__(
        cls,
        shape: Sequence[ExprLike],
        domain: DomainLike | None = None,
        *,
        strides: Sequence[ExprLike] | None = None,
        offset: ExprLike | None = None,
        mask: Sequence[tuple[ExprLike, ExprLike]] | None = None,
    ) -> View: ...
    @staticmethod
    def parse(text: str, domain: DomainLike | None = None, *, dialect: str = "infix") -> View:
        """A chain of movements as text."""
    def reshape(self, shape: Sequence[ExprLike]) -> View:
        """The same elements in row-major order of another shape."""
    def permute(self, axes: Sequence[int]) -> View:
        """Axis `axes[i]` becomes axis `i`."""
    def expand(self, shape: Sequence[ExprLike]) -> View:
        """Axes of size 1 repeated."""
    def pad(self, amounts: Sequence[tuple[ExprLike, ExprLike]]) -> View:
        """`(before, after)` elements without value around each axis."""
    def shrink(self, bounds: Sequence[tuple[ExprLike, ExprLike]]) -> View:
        """The part from `begin` to before `end` of each axis."""
    def flip(self, axes: Sequence[int]) -> View:
        """The axes given from their end to their beginning."""
    def stride(self, steps: Sequence[int]) -> View:
        """Every so many elements of each axis."""
    @property
    def shape(self) -> list[Expr]:
        """The sizes of the axes."""
    @property
    def strides(self) -> list[Expr | None]:
        """For each axis the stride in memory, None where it has not one."""
    def merge(self) -> list[tuple[Expr, Expr, Expr]]:
        """The groups of neighbouring axes that are one axis: `(size, stride, real_size)`."""
    def __matmul__(self, top: View, /) -> View: ...
    def __rmatmul__(self, value: View, /) -> View: ...
    @property
    def is_contiguous(self) -> bool:
        """Whether its elements stand one after the other in memory."""
    @property
    def depth(self) -> int:
        """How many strided views stand on top of one another."""
    def at(self, indices: Sequence[ExprLike]) -> tuple[Expr, Expr]:
        """`(address, valid)` of an element, not simplified."""
    def simplify(
        self, names: Sequence[str] | None = None, *, simplifier: Simplifier | None = None
    ) -> SimplifiedAccesses:
        """Address and validity, simplified together."""
    def _repr_svg_(self) -> str | None: ...
    def svg(self, title: str = "") -> str:
        """A drawing of the memory that it reads."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Layout:
    """A layout `shape:stride` of nested tuples, as in CuTe: a function from coordinates to indices."""

    def __new__(cls, text: str) -> Layout: ...
    @staticmethod
    def row_major(sizes: Sequence[int]) -> Layout:
        """Sizes whose last one is innermost in memory."""
    @staticmethod
    def column_major(sizes: Sequence[int]) -> Layout:
        """Sizes whose first one is innermost in memory."""
    @staticmethod
    def of_modes(modes: Sequence[Layout | str | int]) -> Layout:
        """The tuple of layouts."""
    @staticmethod
    def of_index(index: ExprLike, coordinates: Sequence[tuple[str, int]]) -> Layout:
        """The layout that an index is, one mode for each pair of a name and a size."""
    @staticmethod
    def of_view(view: View) -> Layout:
        """The layout with a mode for each axis of a view."""
    def to_view(self) -> View:
        """The view with an axis for each size."""
    @property
    def size(self) -> int:
        """The number of coordinates."""
    @property
    def cosize(self) -> int:
        """The greatest index minus the least one, plus 1."""
    @property
    def sizes(self) -> list[int]:
        """The size of each mode."""
    @property
    def modes(self) -> list[Layout]:
        """The modes, without swizzles."""
    @property
    def is_injective(self) -> bool:
        """Whether different coordinates have different indices."""
    @property
    def is_surjective(self) -> bool:
        """Whether each number from the least to the greatest index is one."""
    def coalesce(self) -> Layout:
        """The fewest modes with the same indices."""
    def flatten(self) -> Layout:
        """The same indices in one tuple without tuples in it."""
    def compose(self, inner: Layout | str | int | tuple[Layout | str | int, ...]) -> Layout:
        """This layout after `inner`; a tuple has one layout for each mode."""
    def complement(self, end: int | None = None) -> Layout:
        """The layout of the indices below `end` that this one leaves."""
    def logical_divide(self, tile: Layout | str | int | tuple[Layout | str | int, ...]) -> Layout:
        """The coordinates within a tile, and those of the tiles."""
    def zipped_divide(self, tile: Layout | str | int | tuple[Layout | str | int, ...]) -> Layout:
        """`logical_divide` in two modes."""
    def tiled_divide(self, tile: Layout | str | int | tuple[Layout | str | int, ...]) -> Layout:
        """`zipped_divide` with the modes of the tiles beside the mode of the tile."""
    def flat_divide(self, tile: Layout | str | int | tuple[Layout | str | int, ...]) -> Layout:
        """`zipped_divide` with all modes beside one another."""
    def logical_product(self, tiles: Layout | str | int) -> Layout:
        """This layout, and its repetitions in the order of `tiles`."""
    def blocked_product(self, tiles: Layout | str | int) -> Layout:
        """A mode for each one of both: the coordinate within the block, and that of the block."""
    def raked_product(self, tiles: Layout | str | int) -> Layout:
        """As `blocked_product`, with the coordinate of the block first."""
    def left_inverse(self) -> Layout:
        """The layout that finds the number of each index."""
    def right_inverse(self) -> Layout:
        """The longest layout that this one undoes."""
    def index(self, coordinates: Sequence[ExprLike]) -> Expr:
        """The index of a coordinate as an expression, not simplified."""
    def simplify(self, names: Sequence[str], *, simplifier: Simplifier | None = None) -> Simplified:
        """The index for coordinates with the names given, in the cheapest form."""
    def svg(self, title: str = "") -> str:
        """A drawing of the indices."""
    def _repr_svg_(self) -> str | None: ...
    def __call__(self, *coordinates: int) -> int: ...
    def __matmul__(self, inner: Layout | str | int | tuple[Layout | str | int, ...], /) -> Layout: ...
    def __rmatmul__(self, value: Layout, /) -> Layout: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class LinearLayout:
    """A function over bits, as in Triton, from several named numbers to several named numbers."""

    def __new__(cls, text: str) -> LinearLayout: ...
    @staticmethod
    def of_bases(bases: dict[str, list[list[int]]], outs: dict[str, int]) -> LinearLayout:
        """The bases of each input, the lowest bit first, each with a number for each output; and the sizes of the outputs."""
    @staticmethod
    def identity(size: int, input: str, out: str) -> LinearLayout:
        """`out = input` for inputs below `size`."""
    @staticmethod
    def strided(size: int, stride: int, input: str, out: str) -> LinearLayout:
        """`out = stride * input` for inputs below `size`."""
    @staticmethod
    def zeros(size: int, input: str, out: str, out_size: int = 1) -> LinearLayout:
        """`out = 0` for inputs below `size`, where `out` has `out_size` numbers."""
    @staticmethod
    def of_layout(layout: Layout | str | int, ins: Sequence[str], out: str) -> LinearLayout:
        """The function of bits that a layout of powers of two is."""
    def to_layout(self) -> Layout:
        """The layout with a mode for each input, where no two bases share a bit."""
    @property
    def ins(self) -> dict[str, int]:
        """The size of each input."""
    @property
    def outs(self) -> dict[str, int]:
        """The size of each output."""
    @property
    def bases(self) -> dict[str, list[list[int]]]:
        """The bases of each input, the lowest bit first: each has a number for each output."""
    @property
    def rank(self) -> int:
        """The number of independent bases."""
    @property
    def is_injective(self) -> bool:
        """Whether different inputs have different outputs."""
    @property
    def is_surjective(self) -> bool:
        """Whether all numbers of all outputs are reached."""
    @property
    def free_masks(self) -> dict[str, int]:
        """For each input a mask of the bits whose base is a sum of the bases before it. All masks are 0 where the function is injective."""
    def compose(self, inner: LinearLayout | str) -> LinearLayout:
        """This function after `inner`."""
    def product(self, outer: LinearLayout | str) -> LinearLayout:
        """This function of the lower bits of each input, and `outer` of the higher ones."""
    def divide_left(self, divisor: LinearLayout | str) -> LinearLayout | None:
        """The function `r` with `divisor * r == self`; None where there is none."""
    def divide_right(self, divisor: LinearLayout | str) -> LinearLayout | None:
        """The function `r` with `r * divisor == self`; None where there is none."""
    def invert(self) -> LinearLayout:
        """The inverse, from outputs to inputs."""
    def left_inverse(self) -> LinearLayout:
        """A function that finds the inputs of outputs that are reached."""
    def right_inverse(self) -> LinearLayout:
        """The function that finds the least inputs with given outputs."""
    def invert_and_compose(self, other: LinearLayout | str) -> LinearLayout:
        """The function that finds for each value of this function the least inputs of `other` with that value."""
    def sublayout(self, ins: Sequence[str], outs: Sequence[str]) -> LinearLayout:
        """The function of these inputs alone, with 0 for the others, to these outputs."""
    def transpose_ins(self, names: Sequence[str]) -> LinearLayout:
        """The inputs in the order of `names`."""
    def transpose_outs(self, names: Sequence[str]) -> LinearLayout:
        """The outputs in the order of `names`."""
    def reshape_ins(self, ins: dict[str, int]) -> LinearLayout:
        """Other inputs with the same bits, those of the first one lowest."""
    def reshape_outs(self, outs: dict[str, int]) -> LinearLayout:
        """Other outputs with the same bits, those of the first one lowest."""
    def flatten_ins(self, name: str) -> LinearLayout:
        """One input with the bits of all."""
    def flatten_outs(self, name: str) -> LinearLayout:
        """One output with the bits of all."""
    def index(self, inputs: Sequence[ExprLike]) -> list[Expr]:
        """Each output as an expression, not simplified."""
    def simplify(self, *, simplifier: Simplifier | None = None) -> Simplified:
        """The outputs for inputs that are variables of their names, in the cheapest form."""
    def __call__(self, *inputs: int) -> tuple[int, ...]: ...
    def __matmul__(self, inner: LinearLayout | str, /) -> LinearLayout: ...
    def __rmatmul__(self, value: LinearLayout, /) -> LinearLayout: ...
    def __mul__(self, outer: LinearLayout | str, /) -> LinearLayout: ...
    def __rmul__(self, value: LinearLayout, /) -> LinearLayout: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class SymbolicLayout:
    """A layout `shape:stride` whose sizes and strides are expressions of the names of a domain."""

    def __new__(cls, text: str, domain: DomainLike | None = None) -> SymbolicLayout: ...
    @staticmethod
    def row_major(sizes: Sequence[ExprLike], domain: DomainLike | None = None) -> SymbolicLayout:
        """Sizes whose last one is innermost in memory."""
    @staticmethod
    def column_major(sizes: Sequence[ExprLike], domain: DomainLike | None = None) -> SymbolicLayout:
        """Sizes whose first one is innermost in memory."""
    @staticmethod
    def of_view(view: View) -> SymbolicLayout:
        """The layout with a mode for each axis of a view."""
    def to_view(self) -> View:
        """The view with an axis for each size."""
    def evaluated(self, values: dict[str, int]) -> Layout:
        """The layout for values of the names."""
    @property
    def domain(self) -> Domain:
        """What is known of the names."""
    @property
    def size(self) -> Expr:
        """The number of coordinates."""
    @property
    def cosize(self) -> Expr:
        """The greatest index minus the least one, plus 1."""
    @property
    def sizes(self) -> list[Expr]:
        """The size of each mode."""
    @property
    def modes(self) -> list[SymbolicLayout]:
        """The modes, without swizzles."""
    @property
    def is_injective(self) -> bool | None:
        """Whether different coordinates have different indices; None where it is not proved."""
    @property
    def is_surjective(self) -> bool | None:
        """Whether each number from the least to the greatest index is one; None where it is not proved."""
    def coalesce(self) -> SymbolicLayout:
        """The same indices with fewer modes."""
    def flatten(self) -> SymbolicLayout:
        """The same indices in one tuple without tuples in it."""
    def compose(
        self, inner: SymbolicLayout | Layout | str | int | tuple[SymbolicLayout | Layout | str | int, ...]
    ) -> SymbolicLayout:
        """This layout after `inner`; a tuple has one layout for each mode."""
    def complement(self, end: ExprLike | None = None) -> SymbolicLayout:
        """The layout of the indices below `end` that this one leaves."""
    def logical_divide(
        self, tile: SymbolicLayout | Layout | str | int | tuple[SymbolicLayout | Layout | str | int, ...]
    ) -> SymbolicLayout:
        """The coordinates within a tile, and those of the tiles."""
    def zipped_divide(
        self, tile: SymbolicLayout | Layout | str | int | tuple[SymbolicLayout | Layout | str | int, ...]
    ) -> SymbolicLayout:
        """`logical_divide` in two modes."""
    def tiled_divide(
        self, tile: SymbolicLayout | Layout | str | int | tuple[SymbolicLayout | Layout | str | int, ...]
    ) -> SymbolicLayout:
        """`zipped_divide` with the modes of the tiles beside the mode of the tile."""
    def flat_divide(
        self, tile: SymbolicLayout | Layout | str | int | tuple[SymbolicLayout | Layout | str | int, ...]
    ) -> SymbolicLayout:
        """`zipped_divide` with all modes beside one another."""
    def logical_product(self, tiles: SymbolicLayout | Layout | str | int) -> SymbolicLayout:
        """This layout, and its repetitions in the order of `tiles`."""
    def blocked_product(self, tiles: SymbolicLayout | Layout | str | int) -> SymbolicLayout:
        """A mode for each one of both: the coordinate within the block, and that of the block."""
    def raked_product(self, tiles: SymbolicLayout | Layout | str | int) -> SymbolicLayout:
        """As `blocked_product`, with the coordinate of the block first."""
    def left_inverse(self) -> SymbolicLayout:
        """The layout that finds the number of each index."""
    def right_inverse(self) -> SymbolicLayout:
        """A layout that this one undoes."""
    def index(self, coordinates: Sequence[ExprLike]) -> Expr:
        """The index of a coordinate as an expression, not simplified."""
    def simplify(self, names: Sequence[str], *, simplifier: Simplifier | None = None) -> Simplified:
        """The index for coordinates with the names given, in the cheapest form."""
    def __matmul__(
        self, inner: SymbolicLayout | Layout | str | int | tuple[SymbolicLayout | Layout | str | int, ...], /
    ) -> SymbolicLayout: ...
    def __rmatmul__(self, value: SymbolicLayout, /) -> SymbolicLayout: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

def from_nodes(words: Sequence[int], names: Sequence[str], roots: Sequence[int]) -> list[Expr]:
    """The expressions of a flat list, one for each of `roots`."""

def to_nodes(exprs: Sequence[ExprLike]) -> tuple[list[int], list[str], list[int]]:
    """`(words, names, roots)` of expressions, as `from_nodes` takes them."""

def read(text: str, dialect: str) -> tuple[list[Expr], Domain, list[tuple[Expr, int | None, int | None, str]]]:
    """The results of a text of a dialect, what it says of variables, and what it relies on."""

def verify(
    a: ExprLike, b: ExprLike, domain: DomainLike | None = None, *, max_points: int | None = None
) -> Decision:
    """Whether `a` and `b` are equal wherever `a` has a value."""

@final
class IndexType:
    """Which integers the copies of unrolled loops have together."""

    def __new__(
        cls,
        expr: ExprLike,
        unroll: dict[str, tuple[int, int, int]],
        domain: DomainLike | None = None,
        *,
        simplifier: Simplifier | None = None,
    ) -> IndexType: ...
    @staticmethod
    def parts(low: int, end: int, copies: int) -> list[tuple[int, int, int]]:
        """The main part of a loop and its rest: first value, end and copies of each."""
    @property
    def text(self) -> str:
        """The type as text."""
    @property
    def shared(self) -> list[Expr]:
        """What all copies share: one expression, several, or none."""
    @property
    def adds(self) -> list[int] | None:
        """What each copy adds to the one expression that all share."""
    @property
    def copies(self) -> list[Expr]:
        """What each copy computes."""
    @property
    def lost(self) -> tuple[Expr, str] | None:
        """The operator after which copies share less than one expression, and why."""
    @property
    def set(self) -> list[int] | None:
        """The integers that the copies have together, where these are the same at all times."""
    def banks(self, count: int) -> CopiesInBanks:
        """How the copies use banks, element `x` in bank `x % count`."""
    def __len__(self) -> int: ...

def canonical(expr: ExprLike, along: str | None = None) -> Canonical:
    """A function of one variable as a sum of quotients, with its period."""

def lanes(
    index: ExprLike,
    lane: str,
    domain: DomainLike,
    mask: ExprLike | None = None,
    *,
    most: int = 16,
    simplifier: Simplifier | None = None,
) -> Lanes:
    """Contiguity, constancy and divisibility along a lane, and the widest vector."""

def parts(
    index: ExprLike,
    sets: Sequence[Sequence[str]],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> Parts:
    """An index as a sum of parts, one for each set of variables."""

def strides(
    index: ExprLike,
    axes: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> Strides:
    """An index as a strided access."""

def injective(
    outputs: Sequence[ExprLike],
    inputs: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> tuple[bool | None, tuple[dict[str, int], dict[str, int]] | None]:
    """Whether different inputs have different outputs."""

def surjective(
    outputs: Sequence[ExprLike],
    extents: Sequence[ExprLike],
    inputs: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> tuple[bool | None, list[int] | None]:
    """Whether each place is an output."""

def inverse(
    outputs: Sequence[ExprLike],
    places: Sequence[tuple[str, ExprLike]],
    inputs: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> tuple[list[Expr], Expr | None] | None:
    """The inverse of a map onto places."""

def when(
    condition: ExprLike,
    sizes: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> list[When]:
    """The weakest conditions on sizes under which a condition always holds."""

def when_vector(
    index: ExprLike,
    width: int,
    lane: str,
    sizes: Sequence[str],
    domain: DomainLike,
    mask: ExprLike | None = None,
    *,
    simplifier: Simplifier | None = None,
) -> list[When]:
    """The weakest conditions on sizes under which one access covers neighbouring lanes."""

def when_disjoint(
    a: ExprLike,
    b: ExprLike,
    inputs: Sequence[str],
    sizes: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> list[When]:
    """The weakest conditions on sizes under which two accesses have no address in common."""

@final
class When:
    """Conditions on sizes, which suffice together for what was asked."""

    @property
    def conditions(self) -> list[Expr]:
        """The conditions; none where it always holds."""
    @property
    def necessary(self) -> bool | None:
        """Whether it fails for all other sizes; None where that is not decided."""
    @property
    def test(self) -> Expr:
        """All conditions as one expression."""
    def code(self, dialect: str = "c") -> str:
        """The test of the host in a dialect of `quaff.read`."""

def detect(
    outputs: Sequence[ExprLike],
    inputs: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> dict[str, Any]:
    """A map as sums of iterators."""

def subspace_divide(
    outputs: Sequence[ExprLike],
    inputs: Sequence[str],
    inner: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> dict[str, Any]:
    """A map divided into one of its inner inputs and one of all others."""

def image(
    index: ExprLike,
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> dict[str, Any]:
    """The values of an index: ends, stride, holes."""

def ranges(
    variables: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> list[dict[str, Any]]:
    """The range and the residue of each variable that conditions leave."""

def rescale(
    indices: Sequence[ExprLike],
    variables: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> dict[str, Any]:
    """Indices over variables that are counted in steps."""

def disjoint(
    a: ExprLike,
    b: ExprLike,
    inputs: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> tuple[bool | None, tuple[dict[str, int], dict[str, int]] | None]:
    """Whether two accesses have no address in common."""

def bank_conflicts(
    index: ExprLike,
    lane: str,
    domain: DomainLike,
    *,
    bytes: int = 4,
    width: int = 1,
    count: int = 32,
    machine: str | None = None,
) -> BankConflicts:
    """How often shared memory is gone through for one access of a warp."""

def coalesce(
    indices: Sequence[ExprLike],
    variable: str,
    n: int,
    *,
    bytes: int = 4,
    lanes: int = 32,
    vector: int = 1,
    gate: ExprLike | None = None,
    uniform: DomainLike | None = None,
    threads: int | None = None,
    by: str | Callable[[Taken], float] | None = None,
    simplifier: Simplifier | None = None,
) -> list[Schedule]:
    """Orders of elements in which the lanes of a warp touch little memory, the best first."""
