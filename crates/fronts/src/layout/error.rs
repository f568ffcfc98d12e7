//! Why there is no layout, or no answer about one.

use super::leaf::Leaf;
use crate::view::ViewError;
use miette::Diagnostic;
use quaff::SimplifyError;
use quaff::expr::{EvalError, UnknownVariable};
use std::sync::Arc;

/// Why an operation has no layout as its result.
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
    /// A number outside of 64 bits.
    #[error("{what} leaves 64 bits")]
    #[diagnostic(code(quaff::layout::overflow))]
    Overflow {
        /// The number.
        what: &'static str,
    },
    /// More modes or nesting than there may be, or none.
    #[error("{count} {what}: there must be 1 to {limit}")]
    #[diagnostic(code(quaff::layout::limit))]
    Limit {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
    /// Sizes and strides that are not nested alike.
    #[error("the sizes {sizes} and the strides {strides} are not nested alike")]
    #[diagnostic(code(quaff::layout::profile), help("write one stride for each size, in the same parentheses"))]
    Profile {
        /// The sizes.
        sizes: String,
        /// The strides.
        strides: String,
    },
    /// Another number of coordinates, names or tiles than there are modes.
    #[error("{given} {what} for {modes} mode{}", if *modes == 1 { "" } else { "s" })]
    #[diagnostic(code(quaff::layout::rank))]
    Rank {
        /// What is given.
        what: &'static str,
        /// How many.
        given: usize,
        /// How many modes there are.
        modes: usize,
    },
    /// Indices that are no layout.
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
        /// The first coordinate that fails: a number for each mode.
        at: Vec<i64>,
        /// The index there.
        index: i64,
        /// The index that a layout would have there.
        expected: i64,
        /// The mode of a left layout in which the stride changes.
        left: Option<Leaf>,
    },
    /// An index that is not 0 at the first coordinate.
    #[error("it is no layout: the index of the first coordinate is {index}, and not 0")]
    #[diagnostic(code(quaff::layout::offset), help("subtract {index}"))]
    Offset {
        /// The index.
        index: i64,
    },
    /// A question that is answered by a look at all coordinates, of which there are too many.
    #[error("it is not decided {what}: that takes a look at {count} coordinates, more than {limit}")]
    #[diagnostic(code(quaff::layout::undecided))]
    Undecided {
        /// What is not decided.
        what: &'static str,
        /// How many coordinates there are.
        count: i64,
        /// How many are looked at.
        limit: i64,
    },
    /// Modes that leave no complement.
    #[error("there is no complement: mode {mode} begins within the {reach} indices of the modes with smaller strides")]
    #[diagnostic(
        code(quaff::layout::complement),
        help("by ascending strides, each stride must be a multiple of the size times the stride before it")
    )]
    Complement {
        /// The mode.
        mode: Leaf,
        /// Where the modes before it end.
        reach: i64,
    },
    /// A negative stride where only others have a meaning.
    #[error("mode {mode} has a negative stride, and there is no {operation} of it")]
    #[diagnostic(code(quaff::layout::negative))]
    Negative {
        /// The mode.
        mode: Leaf,
        /// What was to be made.
        operation: &'static str,
    },
    /// Two coordinates of one index, where each index may have one.
    #[error("there is no left inverse: mode {mode} has coordinates with the same index")]
    #[diagnostic(code(quaff::layout::not_injective))]
    NotInjective {
        /// The mode.
        mode: Leaf,
    },
    /// A swizzle where the result would be no layout behind swizzles.
    #[error("there is no {operation} of a swizzled layout")]
    #[diagnostic(
        code(quaff::layout::swizzled),
        help("use the layout without its swizzle, or its linear layout over bits")
    )]
    Swizzled {
        /// What was to be made.
        operation: &'static str,
    },
    /// Numbers that no layout over bits has.
    #[error("it is no linear layout over bits: {why}")]
    #[diagnostic(code(quaff::layout::bits))]
    Bits {
        /// Why.
        why: String,
    },
    /// A view that is no layout.
    #[error("the view is no layout: {why}")]
    #[diagnostic(code(quaff::layout::view))]
    NotStrided {
        /// Why.
        why: &'static str,
    },
    /// A layout that has no picture.
    #[error("there is no picture of {cells} coordinates, more than {limit}")]
    #[diagnostic(code(quaff::layout::picture))]
    NotDrawn {
        /// How many coordinates there are.
        cells: i64,
        /// How many are drawn.
        limit: i64,
    },
    /// An index without a value at a coordinate.
    #[error("the index has no value at coordinate {}: {why}", coordinate(.at))]
    #[diagnostic(code(quaff::layout::value))]
    NoValue {
        /// The coordinate.
        at: Vec<i64>,
        /// Why.
        why: EvalError,
    },
    /// A variable of an index that is no coordinate.
    #[error("the variable `{}` is no coordinate", .0.name)]
    #[diagnostic(code(quaff::layout::unknown), help("give its range"))]
    Unknown(#[from] UnknownVariable),
    /// A condition on sizes and strides under which the result holds, which is not proved.
    #[error("it is not proved that `{condition}`: {why}")]
    #[diagnostic(
        code(quaff::layout::not_proved),
        help("declare more of the names, such as `M=8..4096 step 8`; a range has both ends")
    )]
    NotProved {
        /// The condition.
        condition: String,
        /// Why the operation needs it.
        why: &'static str,
    },
    /// A condition on sizes and strides that no values of the names fulfil.
    #[error("`{condition}` is false: {why}")]
    #[diagnostic(code(quaff::layout::refuted))]
    Refuted {
        /// The condition.
        condition: String,
        /// Why the operation needs it.
        why: &'static str,
    },
    /// A name in a size or a stride that is not declared.
    #[error("the name `{name}` is not declared")]
    #[diagnostic(code(quaff::layout::undeclared), help("give its range, such as `{name}=1..4096`"))]
    Undeclared {
        /// The name.
        name: Arc<str>,
    },
    /// Values of names that their declarations leave out.
    #[error("`{values}` is outside of the declared values")]
    #[diagnostic(code(quaff::layout::outside_domain), help("a result is proved for the declared values only"))]
    OutsideDomain {
        /// The values, as they were given.
        values: String,
    },
    /// A coordinate with the name of a size or of another coordinate.
    #[error("the coordinate `{name}` has the name of a size or of another coordinate")]
    #[diagnostic(code(quaff::layout::name_taken), help("give each coordinate a name of its own"))]
    NameTaken {
        /// The name.
        name: Arc<str>,
    },
    /// Layouts whose names have different declarations.
    #[error("the layouts are of different domains")]
    #[diagnostic(code(quaff::layout::domains), help("declare all names of both in one domain"))]
    Domains,
    /// A view that cannot be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    View(#[from] ViewError),
    /// An index that the engine refuses.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Simplify(#[from] SimplifyError),
}

/// `4`, or `(1, 2)`.
pub(super) fn coordinate(at: &[i64]) -> String {
    match at {
        [one] => one.to_string(),
        several => format!("({})", several.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    }
}
