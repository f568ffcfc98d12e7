"""The compiled part of quaff. The docstrings of the compiled module are longer."""

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
    "Access",
    "Buffer",
    "Decision",
    "Dim",
    "Dims",
    "Domain",
    "Equation",
    "Explained",
    "Explanation",
    "Explorer",
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
    "OPERATORS",
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
    "explore",
    "from_nodes",
    "image",
    "injective",
    "inverse",
    "lanes",
    "parts",
    "program",
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
    """An integer index expression. `//` is floor division and `%` floor modulo."""

    def __new__(cls, value: ExprLike) -> Expr: ...
    @staticmethod
    def var(name: str) -> Expr:
        """The variable `name`."""
    @staticmethod
    def make(op: str, *args: ExprLike) -> Expr:
        """The node `op(*args)`, with the name of an operator from `OPERATORS`."""
    @staticmethod
    def parse(text: str, dialect: str | None = None) -> Expr:
        """The expression in an infix text, an s-expression, or a text of a dialect."""
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
        """The names of the variables. Each name appears once."""
    @property
    def tree_size(self) -> int:
        """The number of nodes. A shared subexpression counts as often as it occurs."""
    def eq(self, other: ExprLike) -> Expr:
        """The comparison `self == other` as an expression."""
    def ne(self, other: ExprLike) -> Expr:
        """The comparison `self != other` as an expression."""
    def logical_not(self) -> Expr:
        """1 if this expression is 0, else 0."""
    def logical_and(self, other: ExprLike) -> Expr:
        """1 if both this expression and `other` are not 0, else 0."""
    def logical_or(self, other: ExprLike) -> Expr:
        """1 if this expression or `other` is not 0, else 0."""
    def select(self, then: ExprLike, otherwise: ExprLike) -> Expr:
        """`then` if this expression is not 0, else `otherwise`."""
    def min(self, other: ExprLike) -> Expr:
        """The smaller of this expression and `other`."""
    def max(self, other: ExprLike) -> Expr:
        """The larger of this expression and `other`."""
    def trunc_div(self, other: ExprLike) -> Expr:
        """The quotient, rounded towards zero as in C."""
    def trunc_mod(self, other: ExprLike) -> Expr:
        """The remainder of `trunc_div`, which has the sign of this expression."""
    def eval(self, values: dict[str, int] | None = None, **named: int) -> int:
        """The value of the expression at a point."""
    def subs(self, parts: Mapping[str | Expr, ExprLike] | None = None, /, **named: ExprLike) -> Expr:
        """This expression with some variables and subexpressions replaced by other expressions. All of them are
        replaced at once."""
    def rename(self, names: Mapping[str, str] | None = None, /, **named: str) -> Expr:
        """This expression with renamed variables."""
    def walk(self) -> Iterator[Expr]:
        """All subexpressions of the expression, each after its operands. A shared subexpression appears once."""
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
        """The new text. If nothing is cheaper, it is the text of the source."""
    @property
    def is_changed(self) -> bool:
        """Whether the text differs from the source."""
    @property
    def kernels(self) -> list[RewrittenKernel]:
        """The result for each kernel."""
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
    """A dimension of a kernel. It has a size, and at run time an index below this size."""

    @property
    def name(self) -> str:
        """The name. A second dimension with the same name is `name#2`."""
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
    """A product of dimensions and strides. The index of the last factor varies fastest."""

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
    """A sum of indices with coefficients, and a constant: `oh * stride + ky - 1`."""

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
    """An equation of two products, or of a dimension and a sum, for `Dims.eq`."""

    def __bool__(self) -> bool: ...

@final
class Scope:
    """A scope of equations."""

    @property
    def name(self) -> str:
        """The name of the scope."""

@final
class Dims:
    """Dimensions, and equations between products of dimensions."""

    def __new__(cls) -> Dims: ...
    def new(self, names: str) -> Any:
        """Declares dimensions: `B, T = dims.new("B T=256")`. One name gives one `Dim`, and several names give a
        tuple."""
    def dim(self, name: str, size: int | None = None) -> Dim:
        """Declares a dimension, with its size if it is known."""
    def run_time(self, name: str, lower: int, upper: int, step: int = 1) -> Dim:
        """Declares a dimension whose size is known at run time."""
    def new_scope(self, name: str, parent: Scope | str | None = None) -> Scope:
        """Declares a scope of equations."""
    def scope(self, scope: Scope | str) -> AbstractContextManager[Dims]:
        """A block whose equations and scopes belong to `scope`."""
    def eq(self, left: Side | Equation, right: Side | Sum | None = None, *, scope: Scope | str | None = None) -> None:
        """States that two products are equal, or that the index of a dimension is a sum of other indices."""
    def covered(self, left: Side, right: Side, *, scope: Scope | str | None = None) -> None:
        """States that the product on the right covers the product on the left: it is at least as large."""
    def assume(self, condition: ExprLike) -> None:
        """Assumes that a condition on sizes holds."""
    def size(self, dim: Dim | str) -> int | Expr:
        """The size of a dimension."""
    def init(self, *, simplifier: Simplifier | None = None) -> Indices:
        """Computes all sizes, and returns the indices. Sizes cannot change afterwards."""
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
        """The indices of dimensions as the equations build them, not simplified."""
    @property
    def names(self) -> list[str]:
        """The names of the dimensions, sorted."""

@final
class Indices:
    """The indices of dimensions. Some are set, and the equations determine the others."""

    def set(self, dim: Dim | str, value: ExprLike) -> None:
        """Sets the index of `dim`, and solves the indices that follow from it."""
    @overload
    def __getitem__(self, dims: Dim | str, /) -> Expr: ...
    @overload
    def __getitem__(self, dims: tuple[Dim | str, ...], /) -> tuple[Expr, ...]: ...
    def __setitem__(self, dim: Dim | str, value: ExprLike, /) -> None: ...
    def get(self, *dims: Dim | str) -> Simplified:
        """The indices of dimensions, simplified together, with the condition that they are inside of their
        dimensions."""
    def raw(self, dim: Dim | str) -> Expr:
        """The index of a dimension as the equations build it, not simplified."""
    def size(self, dim: Dim | str) -> int | Expr:
        """The size of a dimension."""
    def inside(self, *dims: Dim | str) -> Expr | None:
        """The condition under which the indices are inside of their dimensions, simplified. None if they always are."""
    def why_solved(self, dim: Dim | str) -> str:
        """The origin of the index of a dimension, in words."""
    def why_partial(self, dim: Dim | str) -> list[str]:
        """The equations that contain a dimension, but do not suffice to compute its index."""
    def is_solved(self, dim: Dim | str) -> bool:
        """Whether the index of a dimension is known."""
    def assume(self, condition: ExprLike) -> None:
        """Assumes that a condition on variables holds, until the block ends."""
    @property
    def facts(self) -> Domain:
        """The facts about the variables, for `quaff.simplify`."""
    @property
    def active(self) -> list[str]:
        """The open scopes and loops as texts, the outermost first."""
    def scope(self, scope: Scope) -> AbstractContextManager[Indices]:
        """A block in which the equations of a scope hold."""
    def frame(self) -> AbstractContextManager[Indices]:
        """A `with` block. Settings and assumptions in it hold until its end."""
    def loop(
        self, dim: Dim | str, variable: str | None = None, *, unroll: bool | int | None = None
    ) -> AbstractContextManager[Expr]:
        """A loop over a dimension. The index of the dimension is the loop variable."""
    def vectorize(self, dim: Dim | str, size: int) -> AbstractContextManager[Indices]:
        """A `with` block in which a dimension of size `size` is one vector access."""
    def _repr_html_(self) -> str: ...

@final
class Domain:
    """Facts about the variables of expressions. Ends of ranges are inclusive."""

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
        """This domain with additional variables and facts."""
    @property
    def vars(self) -> list[str]:
        """The names of the variables, in the order in which they were declared."""
    @property
    def assumptions(self) -> list[Expr]:
        """The conditions that are assumed."""
    def bounds(self, name: str) -> Interval:
        """`(lower, upper)` of all values that a variable can have. An open end is None."""
    def __contains__(self, name: str, /) -> bool: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Simplifier:
    """The settings of calls: rules, limits, a target machine and a cost model."""

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
        """The cheapest expression found that has the same value as `expr` at every point of `domain`."""
    def simplify_all(
        self, exprs: Sequence[ExprLike], domain: DomainLike | None = None, *, trace: bool = False
    ) -> Simplified:
        """Simplifies several expressions of one kernel together."""
    def simplify_nodes(
        self, words: Sequence[int], names: Sequence[str], roots: Sequence[int], domain: DomainLike | None = None
    ) -> Simplified:
        """`simplify_all` for the expressions of a flat list."""
    def simplify_accesses(self, accesses: Sequence[Access], domain: DomainLike | None = None) -> SimplifiedAccesses:
        """Simplifies the accesses of one kernel together."""
    def simplify_many(
        self,
        exprs: Sequence[ExprLike],
        domains: DomainLike | Sequence[DomainLike] | None = None,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> list[Outcome]:
        """Simplifies many expressions independently, on several threads."""
    def explain(self, expr: ExprLike, domain: DomainLike | None = None) -> Explanation:
        """The steps from `expr` to its answer, each checked."""
    def dot(self, exprs: Sequence[ExprLike], domain: DomainLike | None = None) -> str:
        """The e-graph of a search for `exprs`, as text for Graphviz."""
    def facts(self, domain: DomainLike | None = None) -> Facts:
        """An object that answers questions about the points of `domain`, and keeps what it proves for later
        questions."""
    def prove(self, condition: ExprLike, domain: DomainLike | None = None, *, empty_ok: bool = False) -> bool | None:
        """True if `condition` holds at every point, False if it holds at none. None if neither is proved."""
    def equal(self, a: ExprLike, b: ExprLike, domain: DomainLike | None = None, *, empty_ok: bool = False) -> bool | None:
        """True if `a` and `b` are equal at every point, False if they are equal at none. None if neither is proved."""
    @overload
    def bounds(self, expr: ExprLike, domain: DomainLike | None = None) -> Interval: ...
    @overload
    def bounds(self, expr: ExprLike, domain: DomainLike | None = None, *, empty_ok: bool = False) -> Interval | None:
        """Both ends `(lower, upper)` of a range that contains all values of `expr`. An open end is None."""
    @overload
    def congruence(self, expr: ExprLike, domain: DomainLike | None = None) -> tuple[int, int]: ...
    @overload
    def congruence(
        self, expr: ExprLike, domain: DomainLike | None = None, *, empty_ok: bool = False
    ) -> tuple[int, int] | None:
        """`(residue, modulus)`: each value of `expr` is `residue` plus a multiple of `modulus`."""
    def is_multiple_of(
        self, expr: ExprLike, n: int, domain: DomainLike | None = None, *, empty_ok: bool = False
    ) -> bool:
        """Whether `n` is proved to divide every value of `expr`."""
    def split_by(
        self, expr: ExprLike, variable: str, domain: DomainLike | None = None
    ) -> tuple[Expr, Literal["step", "periodic", "wrapping"], list[Expr]] | None:
        """`(base, kind, steps)`: the value of `expr` in the first iteration of a loop, the kind of its changes, and
        their amounts."""

@final
class Facts:
    """Answers questions about the points of a domain, and keeps what it proves for later questions."""

    @property
    def domain(self) -> Domain:
        """The declared variables and the assumptions of all levels."""
    def push(self) -> None:
        """Begins a level. Facts that are added later belong to it."""
    def pop(self) -> None:
        """Ends the level that was begun last, and removes its facts."""
    def __enter__(self) -> Facts: ...
    def __exit__(self, *_error: object) -> None: ...
    def assume(self, condition: ExprLike) -> None:
        """Assumes that a condition holds, until the level ends."""
    def add(self, domain: DomainLike) -> None:
        """Adds the variables and conditions of a domain, until the level ends."""
    def prove(self, condition: ExprLike) -> bool | None:
        """True if `condition` holds at every point, False if it holds at none. None if neither is proved."""
    def equal(self, a: ExprLike, b: ExprLike) -> bool | None:
        """True if `a` and `b` are equal at every point, False if they are equal at none. None if neither is proved."""
    def bounds(self, expr: ExprLike) -> Interval:
        """Both ends `(lower, upper)` of a range that contains all values of `expr`. An open end is None."""
    def congruence(self, expr: ExprLike) -> tuple[int, int]:
        """`(residue, modulus)`: each value of `expr` is `residue` plus a multiple of `modulus`."""
    def is_multiple_of(self, expr: ExprLike, n: int) -> bool:
        """Whether `n` is proved to divide every value of `expr`."""

@final
class Kernel:
    """A kernel over dimensions, recorded statement by statement."""

    def __new__(cls, name: str, dims: Dims | Indices, *, simplifier: Simplifier | None = None) -> Kernel: ...
    def input(self, name: str, element: str = "float", *, align: int = 1) -> Buffer:
        """Declares a pointer parameter that is only read."""
    def output(self, name: str, element: str = "float", *, align: int = 1) -> Buffer:
        """Declares a pointer parameter that is written."""
    def scalar(self, name: str, range: Range, *, multiple: int | None = None) -> Expr:
        """Declares an integer parameter, whose value is the same for all threads."""
    def parameter(self, type: str, name: str) -> None:
        """Declares another parameter."""
    def shared(self, name: str, length: int, element: str = "float") -> Buffer:
        """Declares an array in shared memory."""
    def registers(self, name: str, length: int, element: str = "float", *, zero: bool = False) -> Buffer:
        """Declares an array that is in registers if all loops over it are unrolled."""
    def bind(self, dim: Dim | str, name: str, builtin: str) -> Expr:
        """Sets an index to a built-in value such as `threadIdx.x`."""
    def value(self, name: str, range: Range, code: str) -> Expr:
        """Defines an integer variable by code, such as a load."""
    def set(self, dim: Dim | str, value: ExprLike) -> None:
        """Sets the index of a dimension."""
    def assume(self, condition: ExprLike) -> None:
        """Assumes that a condition holds until the block ends."""
    def get(self, dim: Dim | str, name: str | None = None) -> Expr:
        """Computes the index of a dimension at this place, and gives it a name for code."""
    def expr(self, name: str, value: ExprLike) -> None:
        """Computes an expression at this place, and gives it a name for code."""
    def code(self, code: str) -> None:
        """Adds lines of code, with placeholders."""
    def barrier(self) -> None:
        """Waits for all threads of the block: `__syncthreads();`."""
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
        """Declares a variable with the element of a buffer that a view reads."""
    def loop(
        self, dim: Dim | str, variable: str | None = None, *, unroll: bool | int | None = None
    ) -> AbstractContextManager[Expr, None]:
        """A loop over a dimension."""
    def scope(self, scope: Scope) -> AbstractContextManager[Kernel, None]:
        """A block in which the equations of a scope hold."""
    def frame(self) -> AbstractContextManager[Kernel, None]:
        """A `with` block. Settings, assumptions and names in it hold until its end."""
    def vectorize(self, dim: Dim | str, size: int | None = None) -> AbstractContextManager[Kernel, None]:
        """A `with` block in which a dimension is one vector access."""
    def condition(self, condition: ExprLike) -> AbstractContextManager[Kernel, None]:
        """A `with` block that runs only if `condition` holds."""
    def inside(
        self, *dims: Dim | str, rest: Callable[[], object] | None = None
    ) -> AbstractContextManager[Kernel, None]:
        """A `with` block under the guard that the indices of `dims` are inside of their dimensions."""
    def scheduled(
        self, element: Dim | str, order: LaneOrder, lane: ExprLike
    ) -> AbstractContextManager[Kernel, None]:
        """A block with the index of `element` that `order` assigns to a lane."""
    def raw(self, dim: Dim | str) -> Expr:
        """The index of a dimension as the equations build it at this place."""
    def size(self, dim: Dim | str) -> int | Expr:
        """The size of a dimension."""
    @property
    def indices(self) -> Indices:
        """The current indices, which can be inspected."""
    def finish(self) -> KernelText:
        """Prints the kernel, with all its indices simplified together."""

@final
class Buffer:
    """A pointer parameter or an array of a `Kernel`. `buffer[dim]` is the element at the index of a dimension."""

    @property
    def name(self) -> str:
        """The name of the buffer in the text."""
    @property
    def element(self) -> str:
        """The C type of the elements."""
    def __getitem__(self, dim: Dim | str, /) -> tuple[Buffer, Dim | str]: ...

@final
class KernelText:
    """A printed kernel, with a report of its indices and of its transfers (copies of elements)."""

    @property
    def source(self) -> str:
        """The complete CUDA C++ text of the kernel."""
    @property
    def host(self) -> str:
        """The host code that computes a multiplier and a shift for each prepared divisor."""
    @property
    def contract(self) -> Contract:
        """The parameters of the kernel, and the divisors that the host prepares."""
    @property
    def indices(self) -> list[KernelIndex]:
        """All indices and conditions, in the order of recording."""
    @property
    def accesses(self) -> list[KernelAccess]:
        """For each transfer, a dict that describes its accesses."""
    @property
    def cost(self) -> float:
        """The cost of all indices together in instructions. A shared subexpression counts once."""
    @property
    def input_cost(self) -> float:
        """The cost of the indices before simplification, as the equations built them."""
    @property
    def executed(self) -> float:
        """The instructions that a thread executes for the indices."""
    @property
    def input_executed(self) -> float:
        """The instructions that a thread would execute for the indices as the equations built them."""
    @property
    def stop(self) -> str:
        """The reason why the search ended."""
    @property
    def facts(self) -> Domain:
        """The facts about the variables of the text."""
    def as_built(self) -> str:
        """The text with all indices as the equations built them."""
    def _repr_html_(self) -> str: ...

@final
class LaneOrder:
    """An order in which the lanes of a warp access elements. Lanes are numbered over all steps."""

    def at(self, lane: ExprLike) -> Expr:
        """The element of a lane, not simplified."""
    @property
    def lanes(self) -> int:
        """The number of lanes over all steps. A lane without an element makes no access."""

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
        """The cost of the answers, in simple 32-bit instructions."""
    @property
    def least_cost(self) -> float:
        """A lower bound on the costs of all forms in the e-graph of the last search."""
    @property
    def input_cost(self) -> float:
        """The cost of the input as written."""
    @property
    def stop(self) -> str:
        """The reason why the search ended."""
    @property
    def rounds(self) -> int:
        """The number of rounds of saturation."""
    @property
    def nodes(self) -> int:
        """The number of e-nodes that were made."""
    @property
    def elapsed(self) -> float:
        """The time of the call, in seconds."""
    @property
    def trace(self) -> list[Step]:
        """The steps of the search, in order, with the rules that fired."""
    def ranges(self) -> list[Interval]:
        """The range `(lower, upper)` of every node of the answers, in the order of `to_nodes`."""
    def range_of(self, expr: ExprLike) -> Interval | None:
        """The range `(lower, upper)` of a subexpression of the answer, if the search found a tighter range than its
        operands imply."""
    def cuda(self) -> str:
        """The body of a CUDA function that returns the value."""
    def cuda_definitions(self) -> str:
        """The code that the text of `cuda` needs outside of its function."""
    def contract(self, language: str = "cuda") -> Contract:
        """A dict with the parameters, results and prepared divisors of the function whose body is the text."""
    def function(self, name: str, language: str = "cuda") -> str:
        """A whole function called `name`."""
    def c(self) -> str:
        """The body of a C function that returns the value."""
    def rust(self) -> str:
        """The body of a Rust function that returns the value."""
    def python(self) -> str:
        """The body of a Python function that returns the value."""
    def triton(self) -> str:
        """The body of a Triton function that returns the value."""
    def text(self, dialect: str) -> str:
        """The answer in a dialect, with a line for each result."""
    def renamed(self, dialect: str) -> dict[str, str]:
        """A dict from variables to their names or texts in `text` of this dialect."""

@final
class Step:
    """One step of a trace. A rule or the engine found that `before` equals `after` under `conditions`."""

    @property
    def rule(self) -> str:
        """The name of the rule, or of the engine's step."""
    @property
    def conditions(self) -> list[Expr]:
        """The conditions under which the step holds, all of them together."""
    @property
    def before(self) -> Expr:
        """The expression before the step."""
    @property
    def after(self) -> Expr:
        """The expression after the step."""

@final
class Access:
    """A load or store of a kernel, which happens if its gate holds."""

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
        """The condition under which the access happens. None for always."""
    @property
    def buffer(self) -> str:
        """The name of the buffer."""
    def __getnewargs_ex__(self) -> tuple[tuple[Expr, Expr | None], dict[str, str]]: ...

@final
class SimplifiedAccesses:
    """The answer to `simplify_accesses`."""

    @property
    def accesses(self) -> list[Access]:
        """The simplified accesses, in the order of the call."""
    @property
    def cost(self) -> float:
        """The cost of gates and indices together."""
    @property
    def input_cost(self) -> float:
        """The cost of gates and indices as written."""
    @property
    def stop(self) -> str:
        """The reason why the search ended."""
    def cuda(self) -> str:
        """CUDA text of all accesses."""
    def cuda_definitions(self) -> str:
        """The code that the text of `cuda` needs outside of its function."""
    def contract(self, language: str = "cuda") -> Contract:
        """A dict with the parameters, results and prepared divisors of the function whose body is the text."""
    def c(self) -> str:
        """C text of all accesses."""

@final
class Decision:
    """Whether two expressions are equal, by the exact procedure."""

    @property
    def equal(self) -> bool | None:
        """True, False, or None if it is not decided."""
    @property
    def method(self) -> str:
        """The name of the method that decided."""
    @property
    def witness(self) -> dict[str, int] | None:
        """The values of the variables at a point where the expressions differ, or None."""

@final
class Explanation:
    """The derivation of an answer from its input."""

    @property
    def answer(self) -> Simplified:
        """The answer that is explained."""
    @property
    def steps(self) -> list[Explained]:
        """The steps from the input to the answer."""
    @property
    def check(self) -> Decision:
        """The result of the comparison of the input with the answer."""
    @property
    def is_checked(self) -> bool:
        """Whether the checks of the answer and of every step were made and succeeded."""
    def _repr_html_(self) -> str: ...

@final
class Explorer:
    """A running explorer. It is made by ``explore``. In a ``with`` statement it is closed at the end."""

    @property
    def address(self) -> str:
        """The address of the page. It works only on this machine and while the explorer runs."""
    def close(self) -> None:
        """Ends the server."""
    def __enter__(self) -> Explorer: ...
    def __exit__(self, kind: object, value: object, traceback: object, /) -> None: ...
    def _repr_html_(self) -> str: ...

@final
class Explained:
    """One step of an explanation."""

    @property
    def name(self) -> str:
        """The name of the rule or of the step."""
    @property
    def why(self) -> str:
        """The reason why the step is right, in words."""
    @property
    def conditions(self) -> list[Expr]:
        """The conditions under which the step holds, all of them together."""
    @property
    def before(self) -> Expr:
        """The expression before the step. It is a subexpression of the input or of the result of an earlier step."""
    @property
    def after(self) -> Expr:
        """The expression after the step, which is equal to `before`."""
    @property
    def facts(self) -> list[tuple[str, str]]:
        """The values that satisfied the guards of the rule."""
    @property
    def check(self) -> Decision:
        """The result of the comparison of `before` with `after`."""
    @property
    def steps(self) -> list[Explained]:
        """The detailed substeps, which hold under the conditions."""

@final
class Memo:
    """A memo of answers, in which questions that differ only in variable names are equal."""

    def __new__(cls, simplifier: Simplifier, limit: int = 65536) -> Memo: ...
    def simplify_all(self, exprs: Sequence[ExprLike], domain: DomainLike | None = None) -> list[Expr]:
        """Like `simplify_all`, but returns only the expressions of the answer, and memoises them."""
    def counts(self) -> tuple[int, int, int]:
        """The counts `(hits, misses, held)` of answers from the memo, of computed answers, and of stored answers."""
    def clear(self) -> None:
        """Forgets all answers."""

@final
class View:
    """A view of a buffer: a chain of strided views with masks."""

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
        """Parses a chain of view operations, such as a reshape and a pad."""
    def reshape(self, shape: Sequence[ExprLike]) -> View:
        """The same elements in row-major order of another shape."""
    def permute(self, axes: Sequence[int]) -> View:
        """The view in which axis `axes[i]` becomes axis `i`."""
    def expand(self, shape: Sequence[ExprLike]) -> View:
        """Repeats axes of size 1 to the given sizes."""
    def pad(self, amounts: Sequence[tuple[ExprLike, ExprLike]]) -> View:
        """Adds `(before, after)` elements without a value around each axis."""
    def shrink(self, bounds: Sequence[tuple[ExprLike, ExprLike]]) -> View:
        """The elements of each axis from `begin` up to, but not including, `end`."""
    def flip(self, axes: Sequence[int]) -> View:
        """Reverses the given axes."""
    def stride(self, steps: Sequence[int]) -> View:
        """Takes every `steps[i]`-th element of axis `i`."""
    @property
    def shape(self) -> list[Expr]:
        """The sizes of the axes."""
    @property
    def strides(self) -> list[Expr | None]:
        """The stride of each axis in memory, or None if an axis has no single stride."""
    def merge(self) -> list[tuple[Expr, Expr, Expr]]:
        """The groups of neighbouring axes that can be merged into one axis: `(size, stride, real_size)`."""
    def __matmul__(self, top: View, /) -> View: ...
    def __rmatmul__(self, value: View, /) -> View: ...
    @property
    def is_contiguous(self) -> bool:
        """Whether the elements are consecutive in memory."""
    @property
    def depth(self) -> int:
        """The number of strided views in the chain."""
    def at(self, indices: Sequence[ExprLike]) -> tuple[Expr, Expr]:
        """`(address, valid)` of the element at `indices`, not simplified."""
    def simplify(
        self, names: Sequence[str] | None = None, *, simplifier: Simplifier | None = None
    ) -> SimplifiedAccesses:
        """The address and the validity condition, simplified together."""
    def _repr_svg_(self) -> str | None: ...
    def svg(self, title: str = "") -> str:
        """A drawing of the memory that the view reads, as SVG."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Layout:
    """A layout `shape:stride` of nested tuples, as in CuTe: a function from coordinates to indices."""

    def __new__(cls, text: str) -> Layout: ...
    @staticmethod
    def row_major(sizes: Sequence[int]) -> Layout:
        """The row-major layout of these sizes: the last mode is innermost in memory."""
    @staticmethod
    def column_major(sizes: Sequence[int]) -> Layout:
        """The column-major layout of these sizes: the first mode is innermost in memory."""
    @staticmethod
    def of_modes(modes: Sequence[Layout | str | int]) -> Layout:
        """The layout that has these layouts as its modes (dimensions)."""
    @staticmethod
    def of_index(index: ExprLike, coordinates: Sequence[tuple[str, int]]) -> Layout:
        """The layout of an index expression, with one mode for each pair of a name and a size."""
    @staticmethod
    def of_view(view: View) -> Layout:
        """The layout with one mode (dimension) for each axis of a view."""
    def to_view(self) -> View:
        """The view with an axis for each size in the shape of the layout."""
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
        """Whether each number from the least to the greatest index is an index."""
    def coalesce(self) -> Layout:
        """A layout of the same indices with the fewest modes."""
    def flatten(self) -> Layout:
        """A layout of the same indices without nested tuples."""
    def compose(self, inner: Layout | str | int | tuple[Layout | str | int, ...]) -> Layout:
        """This layout after `inner`, which may be a tuple with one layout for each mode."""
    def complement(self, end: int | None = None) -> Layout:
        """The layout of the indices below `end` that this layout does not reach."""
    def logical_divide(self, tile: Layout | str | int | tuple[Layout | str | int, ...]) -> Layout:
        """Splits the coordinates into the coordinates within a tile and the coordinates of the tiles."""
    def zipped_divide(self, tile: Layout | str | int | tuple[Layout | str | int, ...]) -> Layout:
        """`logical_divide` in two modes: all coordinates within a tile, and all coordinates of the tiles."""
    def tiled_divide(self, tile: Layout | str | int | tuple[Layout | str | int, ...]) -> Layout:
        """`zipped_divide`, with each mode of the tiles as a separate mode."""
    def flat_divide(self, tile: Layout | str | int | tuple[Layout | str | int, ...]) -> Layout:
        """`zipped_divide`, with all modes as separate modes."""
    def logical_product(self, tiles: Layout | str | int) -> Layout:
        """Copies of this layout, one for each coordinate of `tiles`, in the order of `tiles`."""
    def blocked_product(self, tiles: Layout | str | int) -> Layout:
        """The product with a mode for each mode of the two layouts: first the coordinate within the block, then the
        coordinate of the block."""
    def raked_product(self, tiles: Layout | str | int) -> Layout:
        """Like `blocked_product`, with the coordinate of the block first."""
    def left_inverse(self) -> Layout:
        """The layout that maps each index back to the number of its coordinate."""
    def right_inverse(self) -> Layout:
        """The longest layout `r` for which `self @ r` is the identity."""
    def index(self, coordinates: Sequence[ExprLike]) -> Expr:
        """The index of a coordinate as an expression, not simplified."""
    def simplify(self, names: Sequence[str], *, simplifier: Simplifier | None = None) -> Simplified:
        """The index for coordinates with the given names, in the cheapest form."""
    def svg(self, title: str = "") -> str:
        """A drawing of the indices, as SVG."""
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
    """A function over bits, from several named numbers to several named numbers, as in Triton."""

    def __new__(cls, text: str) -> LinearLayout: ...
    @staticmethod
    def of_bases(bases: dict[str, list[list[int]]], outs: dict[str, int]) -> LinearLayout:
        """The function with these bases, the lowest bit first, and with outputs of these sizes."""
    @staticmethod
    def identity(size: int, input: str, out: str) -> LinearLayout:
        """`out = input` for inputs below `size`."""
    @staticmethod
    def strided(size: int, stride: int, input: str, out: str) -> LinearLayout:
        """`out = stride * input` for inputs below `size`."""
    @staticmethod
    def zeros(size: int, input: str, out: str, out_size: int = 1) -> LinearLayout:
        """`out = 0` for inputs below `size`. `out_size` is the size of `out`."""
    @staticmethod
    def of_layout(layout: Layout | str | int, ins: Sequence[str], out: str) -> LinearLayout:
        """A layout of powers of two as a function of bits."""
    def to_layout(self) -> Layout:
        """The layout with a mode for each input, if no two bases share a bit."""
    @property
    def ins(self) -> dict[str, int]:
        """The size of each input."""
    @property
    def outs(self) -> dict[str, int]:
        """The size of each output."""
    @property
    def bases(self) -> dict[str, list[list[int]]]:
        """The bases of each input, the lowest bit first. A base has a number for each output."""
    @property
    def rank(self) -> int:
        """The number of independent bases."""
    @property
    def is_injective(self) -> bool:
        """Whether different inputs have different outputs."""
    @property
    def is_surjective(self) -> bool:
        """Whether every combination of output values is reached."""
    @property
    def free_masks(self) -> dict[str, int]:
        """For each input, a mask of the bits whose base is a sum of earlier bases."""
    def compose(self, inner: LinearLayout | str) -> LinearLayout:
        """This function after `inner`."""
    def product(self, outer: LinearLayout | str) -> LinearLayout:
        """The product: this function of the lower bits of each input, and `outer` of the higher bits."""
    def divide_left(self, divisor: LinearLayout | str) -> LinearLayout | None:
        """The function `r` with `divisor * r == self`, or None if there is none."""
    def divide_right(self, divisor: LinearLayout | str) -> LinearLayout | None:
        """The function `r` with `r * divisor == self`, or None if there is none."""
    def invert(self) -> LinearLayout:
        """The inverse, from outputs to inputs."""
    def left_inverse(self) -> LinearLayout:
        """A function that maps each reached output back to its input."""
    def right_inverse(self) -> LinearLayout:
        """The function that maps outputs to the least inputs that reach them."""
    def invert_and_compose(self, other: LinearLayout | str) -> LinearLayout:
        """The function that maps each value of this function to the least inputs of `other` with that value."""
    def sublayout(self, ins: Sequence[str], outs: Sequence[str]) -> LinearLayout:
        """The function from `ins` to `outs`. All other inputs are 0."""
    def transpose_ins(self, names: Sequence[str]) -> LinearLayout:
        """The same function with the inputs in the order of `names`."""
    def transpose_outs(self, names: Sequence[str]) -> LinearLayout:
        """The same function with the outputs in the order of `names`."""
    def reshape_ins(self, ins: dict[str, int]) -> LinearLayout:
        """This function with its input bits divided into other inputs. The bits of the first input are the lowest."""
    def reshape_outs(self, outs: dict[str, int]) -> LinearLayout:
        """This function with its output bits divided into other outputs. The bits of the first output are the
        lowest."""
    def flatten_ins(self, name: str) -> LinearLayout:
        """The same function with a single input, which has the bits of all inputs."""
    def flatten_outs(self, name: str) -> LinearLayout:
        """The same function with a single output, which has the bits of all outputs."""
    def index(self, inputs: Sequence[ExprLike]) -> list[Expr]:
        """Each output as an expression, not simplified."""
    def simplify(self, *, simplifier: Simplifier | None = None) -> Simplified:
        """The outputs in the cheapest form. The inputs are variables with the names of the inputs."""
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
    """A layout `shape:stride` whose sizes and strides are expressions over the variables of a domain."""

    def __new__(cls, text: str, domain: DomainLike | None = None) -> SymbolicLayout: ...
    @staticmethod
    def row_major(sizes: Sequence[ExprLike], domain: DomainLike | None = None) -> SymbolicLayout:
        """The row-major layout of these sizes: the last mode is innermost in memory."""
    @staticmethod
    def column_major(sizes: Sequence[ExprLike], domain: DomainLike | None = None) -> SymbolicLayout:
        """The column-major layout of these sizes: the first mode is innermost in memory."""
    @staticmethod
    def of_view(view: View) -> SymbolicLayout:
        """The layout with one mode (dimension) for each axis of a view."""
    def to_view(self) -> View:
        """The view with an axis for each size in the shape of the layout."""
    def evaluated(self, values: dict[str, int]) -> Layout:
        """The layout for these values of the variables."""
    @property
    def domain(self) -> Domain:
        """The facts about the variables."""
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
        """Whether different coordinates have different indices. None if neither is proved."""
    @property
    def is_surjective(self) -> bool | None:
        """Whether each number from the least to the greatest index is an index. None if neither is proved."""
    def coalesce(self) -> SymbolicLayout:
        """A layout of the same indices with fewer modes."""
    def flatten(self) -> SymbolicLayout:
        """A layout of the same indices without nested tuples."""
    def compose(
        self, inner: SymbolicLayout | Layout | str | int | tuple[SymbolicLayout | Layout | str | int, ...]
    ) -> SymbolicLayout:
        """This layout after `inner`, which may be a tuple with one layout for each mode."""
    def complement(self, end: ExprLike | None = None) -> SymbolicLayout:
        """The layout of the indices below `end` that this layout does not reach."""
    def logical_divide(
        self, tile: SymbolicLayout | Layout | str | int | tuple[SymbolicLayout | Layout | str | int, ...]
    ) -> SymbolicLayout:
        """Splits the coordinates into the coordinates within a tile and the coordinates of the tiles."""
    def zipped_divide(
        self, tile: SymbolicLayout | Layout | str | int | tuple[SymbolicLayout | Layout | str | int, ...]
    ) -> SymbolicLayout:
        """`logical_divide` in two modes: all coordinates within a tile, and all coordinates of the tiles."""
    def tiled_divide(
        self, tile: SymbolicLayout | Layout | str | int | tuple[SymbolicLayout | Layout | str | int, ...]
    ) -> SymbolicLayout:
        """`zipped_divide`, with each mode of the tiles as a separate mode."""
    def flat_divide(
        self, tile: SymbolicLayout | Layout | str | int | tuple[SymbolicLayout | Layout | str | int, ...]
    ) -> SymbolicLayout:
        """`zipped_divide`, with all modes as separate modes."""
    def logical_product(self, tiles: SymbolicLayout | Layout | str | int) -> SymbolicLayout:
        """Copies of this layout, one for each coordinate of `tiles`, in the order of `tiles`."""
    def blocked_product(self, tiles: SymbolicLayout | Layout | str | int) -> SymbolicLayout:
        """The product with a mode for each mode of the two layouts: first the coordinate within the block, then the
        coordinate of the block."""
    def raked_product(self, tiles: SymbolicLayout | Layout | str | int) -> SymbolicLayout:
        """Like `blocked_product`, with the coordinate of the block first."""
    def left_inverse(self) -> SymbolicLayout:
        """The layout that maps each index back to the number of its coordinate."""
    def right_inverse(self) -> SymbolicLayout:
        """A layout `r` for which `self @ r` is the identity."""
    def index(self, coordinates: Sequence[ExprLike]) -> Expr:
        """The index of a coordinate as an expression, not simplified."""
    def simplify(self, names: Sequence[str], *, simplifier: Simplifier | None = None) -> Simplified:
        """The index for coordinates with the given names, in the cheapest form."""
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
    """The meaning of a text in a dialect: a list of expressions, a domain, and a list of requirements for this
    meaning."""

def verify(
    a: ExprLike, b: ExprLike, domain: DomainLike | None = None, *, max_points: int | None = None
) -> Decision:
    """Whether `a` and `b` are equal at every point of `domain` at which `a` has a value."""

@final
class IndexType:
    """The set of all values that an expression has in the unrolled iterations of loops."""

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
        """The main part and the remainder of a loop, each as a first value, an end and a number of unrolled
        iterations."""
    @property
    def text(self) -> str:
        """The index type as text."""
    @property
    def shared(self) -> list[Expr]:
        """The expressions that all unrolled iterations share. The list has one expression, several, or none."""
    @property
    def adds(self) -> list[int] | None:
        """The number that each unrolled iteration adds to the shared expression."""
    @property
    def copies(self) -> list[Expr]:
        """The expression that each unrolled iteration computes."""
    @property
    def lost(self) -> tuple[Expr, str] | None:
        """The operator after which unrolled iterations share no expression, and the reason."""
    @property
    def set(self) -> list[int] | None:
        """The values of all unrolled iterations together, if these values never change."""
    def banks(self, count: int) -> CopiesInBanks:
        """The banks that the unrolled iterations use, with element `x` in bank `x % count`."""
    def __len__(self) -> int: ...

def canonical(expr: ExprLike, along: str | None = None) -> Canonical:
    """Writes a function of one variable as a sum of quotients, and finds its period."""

def lanes(
    index: ExprLike,
    lane: str,
    domain: DomainLike,
    mask: ExprLike | None = None,
    *,
    most: int = 16,
    simplifier: Simplifier | None = None,
) -> Lanes:
    """The contiguity, constancy and divisibility of an index along a lane variable, and the widest vector access."""

def parts(
    index: ExprLike,
    sets: Sequence[Sequence[str]],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> Parts:
    """An index as a sum of expressions, one for each set of variables."""

def strides(
    index: ExprLike,
    axes: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> Strides:
    """The sizes, strides and offset of an index over the given axes."""

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
    """Whether a map reaches each place. A place has a number from 0 to `extent - 1` for each output."""

def inverse(
    outputs: Sequence[ExprLike],
    places: Sequence[tuple[str, ExprLike]],
    inputs: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> tuple[list[Expr], Expr | None] | None:
    """The inverse of a map, over named places. Each place has a name and the number of its values."""

def when(
    condition: ExprLike,
    sizes: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> list[When]:
    """The weakest conditions on `sizes` under which `condition` always holds."""

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
    """The weakest conditions on `sizes` under which one vector access covers `width` neighbouring lanes."""

def when_disjoint(
    a: ExprLike,
    b: ExprLike,
    inputs: Sequence[str],
    sizes: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> list[When]:
    """The weakest conditions on `sizes` under which two accesses never have a common address."""

@final
class When:
    """Conditions on sizes that together suffice for a claim, such as that an access is a vector."""

    @property
    def conditions(self) -> list[Expr]:
        """The conditions. The list is empty if the claim always holds."""
    @property
    def necessary(self) -> bool | None:
        """Whether the claim fails for all sizes that do not meet the conditions. None if that is not decided."""
    @property
    def test(self) -> Expr:
        """The conjunction of all conditions, as one expression."""
    def code(self, dialect: str = "c") -> str:
        """The conditions as a test for the host, as text in a dialect of `quaff.read`."""

def detect(
    outputs: Sequence[ExprLike],
    inputs: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> dict[str, Any]:
    """Writes each output of a map as a base and a sum of iterators."""

def subspace_divide(
    outputs: Sequence[ExprLike],
    inputs: Sequence[str],
    inner: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> dict[str, Any]:
    """Divides a map into a map of the inputs in `inner` and a map of all other inputs."""

def image(
    index: ExprLike,
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> dict[str, Any]:
    """The least and the greatest value of an index, and the stride and the holes of its values."""

def ranges(
    variables: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> list[dict[str, Any]]:
    """The range and the residue of each variable under the conditions of the domain."""

def rescale(
    indices: Sequence[ExprLike],
    variables: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> dict[str, Any]:
    """Replaces each variable that changes in steps by a variable that counts the steps."""

def disjoint(
    a: ExprLike,
    b: ExprLike,
    inputs: Sequence[str],
    domain: DomainLike,
    *,
    simplifier: Simplifier | None = None,
) -> tuple[bool | None, tuple[dict[str, int], dict[str, int]] | None]:
    """Whether two accesses never have a common address."""

def explore(
    what: (
        Simplified
        | Explanation
        | SimplifiedAccesses
        | Rewritten
        | View
        | Layout
        | LinearLayout
        | SymbolicLayout
        | ExprLike
        | list[ExprLike]
        | list[Outcome]
        | tuple[ExprLike | Simplified, ...]
        | None
    ) = None,
    domain: DomainLike | None = None,
    *,
    language: str | None = None,
    view: str | None = None,
    port: int = 0,
    browser: bool = True,
) -> Explorer:
    """Opens the explorer on ``what``: a page that shows an index, its answer, the steps to it, and its memory accesses."""

def program(words: Sequence[str], library: str) -> int:
    """Runs the program with the arguments ``words``, and returns its exit code. The first word is the name of the
    program."""

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
    """The bank conflicts of one access of a warp to shared memory."""

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
    """Orders in which the lanes of a warp access elements, the order with the least memory traffic first."""
