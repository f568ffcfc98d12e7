//! Errors of layouts and of their operations.

use super::leaf::Leaf;
use crate::view::ViewError;
use miette::Diagnostic;
use quaff::SimplifyError;
use quaff::expr::{EvalError, UnknownVariable};
use std::sync::Arc;

/// The reason why an operation has no layout as its result.
#[derive(Clone, Debug, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum LayoutError {
    /// A size below 1.
    #[error("a size is {size}, and must be at least 1")]
    #[diagnostic(code(quaff::layout::size))]
    Size {
        /// The size.
        size: i64,
    },
    /// A number that exceeds 64 bits.
    #[error("{what} leaves 64 bits")]
    #[diagnostic(code(quaff::layout::overflow))]
    Overflow {
        /// The kind of the number that exceeds 64 bits, such as an index.
        what: &'static str,
    },
    /// Too many modes or swizzles, nesting that is too deep, or no modes.
    #[error("{count} {what}: there must be 1 to {limit}")]
    #[diagnostic(code(quaff::layout::limit))]
    Limit {
        /// The kind of the items, such as modes or swizzles.
        what: &'static str,
        /// The number of items.
        count: usize,
        /// The largest allowed number.
        limit: usize,
    },
    /// Sizes and strides with different nesting.
    #[error("the sizes {sizes} and the strides {strides} are not nested alike")]
    #[diagnostic(code(quaff::layout::profile), help("write one stride for each size, in the same parentheses"))]
    Profile {
        /// The sizes.
        sizes: String,
        /// The strides.
        strides: String,
    },
    /// The number of coordinates, names or tiles differs from the number of modes.
    #[error("{given} {what} for {modes} mode{}", if *modes == 1 { "" } else { "s" })]
    #[diagnostic(code(quaff::layout::rank))]
    Rank {
        /// The kind of the given items.
        what: &'static str,
        /// The number of given items.
        given: usize,
        /// The number of modes.
        modes: usize,
    },
    /// A function of coordinates that no layout equals.
    #[error(
        "it is no layout: at coordinate {} the index is {index}, and in steps of one stride it would be {expected}", coordinate(.at)
    )]
    #[diagnostic(
        code(quaff::layout::no_layout),
        help(
            "a mode has one stride, so a stride can change only where a size divides those around it{}",
            left.map(|leaf| format!("; mode {leaf} of the left layout ends there")).unwrap_or_default()
        )
    )]
    NoLayout {
        /// The first coordinate at which the function differs from a layout: a number for each mode.
        at: Vec<i64>,
        /// The index at this coordinate.
        index: i64,
        /// The index that a layout would have at this coordinate.
        expected: i64,
        /// The mode of the left layout of a composition in which the stride changes. `None` for other operations.
        left: Option<Leaf>,
    },
    /// An index that is not 0 at the first coordinate.
    #[error("it is no layout: the index of the first coordinate is {index}, and not 0")]
    #[diagnostic(code(quaff::layout::offset), help("subtract {index}"))]
    Offset {
        /// The index.
        index: i64,
    },
    /// A property that is decided by enumeration, with too many coordinates.
    #[error("it is not decided {what}: that takes a look at {count} coordinates, more than {limit}")]
    #[diagnostic(code(quaff::layout::undecided))]
    Undecided {
        /// The property that is not decided.
        what: &'static str,
        /// The number of coordinates.
        count: i64,
        /// The most coordinates that are enumerated.
        limit: i64,
    },
    /// A layout that has no complement, because of this mode.
    #[error("there is no complement: mode {mode} begins within the {reach} indices of the modes with smaller strides")]
    #[diagnostic(
        code(quaff::layout::complement),
        help("by ascending strides, each stride must be a multiple of the size times the stride before it")
    )]
    Complement {
        /// The mode.
        mode: Leaf,
        /// The number of indices that the modes before it cover.
        reach: i64,
    },
    /// A negative stride in an operation that needs strides of at least 0.
    #[error("mode {mode} has a negative stride, and there is no {operation} of it")]
    #[diagnostic(code(quaff::layout::negative))]
    Negative {
        /// The mode.
        mode: Leaf,
        /// The operation that failed.
        operation: &'static str,
    },
    /// Two coordinates have the same index, but the operation needs a different index for each.
    #[error("there is no left inverse: mode {mode} has coordinates with the same index")]
    #[diagnostic(code(quaff::layout::not_injective))]
    NotInjective {
        /// The mode.
        mode: Leaf,
    },
    /// A swizzle for which the result would not be a layout followed by swizzles.
    #[error("there is no {operation} of a swizzled layout")]
    #[diagnostic(
        code(quaff::layout::swizzled),
        help("use the layout without its swizzle, or its linear layout over bits")
    )]
    Swizzled {
        /// The operation that failed.
        operation: &'static str,
    },
    /// Numbers that are invalid in a linear layout.
    #[error("it is no linear layout over bits: {why}")]
    #[diagnostic(code(quaff::layout::bits))]
    Bits {
        /// The reason why the numbers are invalid.
        why: String,
    },
    /// A view that is no layout.
    #[error("the view is no layout: {why}")]
    #[diagnostic(code(quaff::layout::view))]
    NotStrided {
        /// The reason why the view is no layout.
        why: &'static str,
    },
    /// A layout that is too large for a picture.
    #[error("there is no picture of {cells} coordinates, more than {limit}")]
    #[diagnostic(code(quaff::layout::picture))]
    NotDrawn {
        /// The number of coordinates.
        cells: i64,
        /// The most coordinates that are drawn.
        limit: i64,
    },
    /// An index that has no value at some coordinate.
    #[error("the index has no value at coordinate {}: {why}", coordinate(.at))]
    #[diagnostic(code(quaff::layout::value))]
    NoValue {
        /// The coordinate.
        at: Vec<i64>,
        /// The error of the evaluation.
        why: EvalError,
    },
    /// A variable of an index that is not one of the coordinates.
    #[error("the variable `{}` is no coordinate", .0.name)]
    #[diagnostic(code(quaff::layout::unknown), help("give its range"))]
    Unknown(#[from] UnknownVariable),
    /// A condition on sizes and strides that the operation needs, and that is not proved.
    #[error("it is not proved that `{condition}`: {why}")]
    #[diagnostic(
        code(quaff::layout::not_proved),
        help("declare more of the names, such as `M=8..4096 step 8`; a range has both ends")
    )]
    NotProved {
        /// The condition.
        condition: String,
        /// The reason why the operation needs the condition.
        why: &'static str,
    },
    /// A condition on sizes and strides that the operation needs, and that is false for all values of the names.
    #[error("`{condition}` is false: {why}")]
    #[diagnostic(code(quaff::layout::refuted))]
    Refuted {
        /// The condition.
        condition: String,
        /// The reason why the operation needs the condition.
        why: &'static str,
    },
    /// A name in a size or a stride that is not declared.
    #[error("the name `{name}` is not declared")]
    #[diagnostic(code(quaff::layout::undeclared), help("give its range, such as `{name}=1..4096`"))]
    Undeclared {
        /// The name.
        name: Arc<str>,
    },
    /// Values of names that are outside of their declared ranges.
    #[error("`{values}` is outside of the declared values")]
    #[diagnostic(code(quaff::layout::outside_domain), help("a result is proved for the declared values only"))]
    OutsideDomain {
        /// The values, as they were given.
        values: String,
    },
    /// A coordinate whose name belongs to a size or to another coordinate.
    #[error("the coordinate `{name}` has the name of a size or of another coordinate")]
    #[diagnostic(code(quaff::layout::name_taken), help("give each coordinate a name of its own"))]
    NameTaken {
        /// The name.
        name: Arc<str>,
    },
    /// Layouts that declare their names differently.
    #[error("the layouts are of different domains")]
    #[diagnostic(code(quaff::layout::domains), help("declare all names of both in one domain"))]
    Domains,
    /// A view that cannot be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    View(#[from] ViewError),
    /// An index that the engine rejects.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Simplify(#[from] SimplifyError),
}

/// The text of a coordinate, such as `4` or `(1, 2)`.
pub(super) fn coordinate(at: &[i64]) -> String {
    match at {
        [one] => one.to_string(),
        several => format!("({})", several.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    }
}
