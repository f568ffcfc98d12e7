//! The error type of views.

use quaff::SimplifyError;
use quaff::domain::DomainError;
use quaff::expr::Expr;
use std::sync::Arc;

/// The reason why a view could not be made or queried: the problem, its movement and axis, and an alternative that
/// would work.
///
/// The error is displayed as a headline and a line with the place. As a [`miette::Diagnostic`] it also has a code
/// (`quaff::view::reshape`) and a help text. A call that returns an error changes nothing.
#[derive(Clone, Debug)]
pub struct ViewError {
    // the data is boxed, because an error is large, and every result would reserve space for it
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    kind: ErrorKind,
    place: Option<Place>,
}

/// The place of an error in a chain of movements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the movement, from 1. It is 0 for the shape with which the chain begins.
    pub position: usize,
    /// The name of the movement, such as `reshape`.
    pub movement: &'static str,
}

impl ViewError {
    /// The kind of the error, with all of its data.
    pub fn kind(&self) -> &ErrorKind {
        &self.inner.kind
    }

    /// The movement that failed. `None` if the error comes from a query.
    pub fn place(&self) -> Option<Place> {
        self.inner.place
    }

    /// The stable short name of the kind, such as `reshape` or `axis`.
    pub fn name(&self) -> &'static str {
        match self.kind() {
            ErrorKind::Rank { .. } => "rank",
            ErrorKind::TooManyAxes { .. } => "too_many_axes",
            ErrorKind::TooManyViews { .. } => "too_many_views",
            ErrorKind::Axis { .. } => "axis",
            ErrorKind::RepeatedAxis { .. } => "repeated_axis",
            ErrorKind::NegativeSize { .. } => "negative_size",
            ErrorKind::Reshape { .. } => "reshape",
            ErrorKind::Expand { .. } => "expand",
            ErrorKind::Bounds { .. } => "bounds",
            ErrorKind::NegativePad { .. } => "negative_pad",
            ErrorKind::Step { .. } => "step",
            ErrorKind::Mask { .. } => "mask",
            ErrorKind::Chained { .. } => "chained",
            ErrorKind::ShapesDiffer { .. } => "shapes_differ",
            ErrorKind::DomainsDiffer => "domains_differ",
            ErrorKind::Undecided { .. } => "undecided",
            ErrorKind::Undeclared { .. } => "undeclared",
            ErrorKind::NameTaken { .. } => "name_taken",
            ErrorKind::Overflow { .. } => "overflow",
            ErrorKind::TooLarge { .. } => "too_large",
            ErrorKind::NotDrawn { .. } => "not_drawn",
            ErrorKind::Domain(_) => "domain",
            ErrorKind::Simplify(_) => "simplify",
        }
    }

    /// The error with a place in a chain. An error that already has a place keeps it.
    pub(super) fn within(mut self, position: usize, movement: &'static str) -> ViewError {
        self.inner.place.get_or_insert(Place { position, movement });
        self
    }
}

impl From<ErrorKind> for ViewError {
    fn from(kind: ErrorKind) -> ViewError {
        ViewError { inner: Box::new(Inner { kind, place: None }) }
    }
}

/// The kinds of [`ViewError`]. Axes are counted from 0.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The number of arguments differs from the number of axes.
    Rank {
        /// The name of the arguments in singular and plural, such as `size` and `sizes`.
        what: (&'static str, &'static str),
        /// The number of axes.
        axes: usize,
        /// The number of given arguments.
        given: usize,
    },
    /// A view with more axes than [`MAX_AXES`](super::MAX_AXES).
    TooManyAxes {
        /// The largest number of axes.
        limit: usize,
    },
    /// A stack with more views than [`MAX_VIEWS`](super::MAX_VIEWS) that cannot be merged.
    TooManyViews {
        /// The largest number of views.
        limit: usize,
    },
    /// An axis that does not exist.
    Axis {
        /// The given axis.
        axis: usize,
        /// The number of axes.
        axes: usize,
    },
    /// An axis that is named twice.
    RepeatedAxis {
        /// The axis.
        axis: usize,
        /// The axes that no argument names.
        missing: Vec<usize>,
    },
    /// A size below 0.
    NegativeSize {
        /// The axis.
        axis: usize,
        /// The given size.
        size: Expr,
    },
    /// A reshape to a shape with another number of elements.
    Reshape {
        /// The present shape.
        from: Vec<Expr>,
        /// The number of elements of the present shape.
        elements: Expr,
        /// The requested shape.
        to: Vec<Expr>,
        /// The number of elements of the requested shape.
        asked: Expr,
        /// The nearest shape with the right number of elements, which differs in one axis if possible.
        nearest: Option<Vec<Expr>>,
    },
    /// An expansion of an axis whose size is not 1.
    Expand {
        /// The axis.
        axis: usize,
        /// The size of the axis.
        size: Expr,
        /// The requested size.
        asked: Expr,
    },
    /// Bounds that are outside of their axis, or in the wrong order.
    Bounds {
        /// The axis.
        axis: usize,
        /// The size of the axis.
        size: Expr,
        /// The first index that is kept.
        begin: Expr,
        /// The exclusive end of the kept indices.
        end: Expr,
        /// The nearest valid bounds, if they are known.
        nearest: Option<(Expr, Expr)>,
    },
    /// Padding by a negative amount.
    NegativePad {
        /// The axis.
        axis: usize,
        /// The number of indices that are added before the first index.
        before: Expr,
        /// The number of indices that are added after the last index.
        after: Expr,
    },
    /// A step of 0.
    Step {
        /// The axis.
        axis: usize,
    },
    /// A mask that is outside of its axis, or whose ends are in the wrong order.
    Mask {
        /// The axis.
        axis: usize,
        /// The size of the axis.
        size: Expr,
        /// The first index that is valid.
        begin: Expr,
        /// The exclusive end of the valid indices.
        end: Expr,
    },
    /// A view that reaches addresses beyond the elements of the view below it.
    Chained {
        /// The position of the view in the stack.
        view: usize,
        /// The least and the greatest address that the view reaches.
        reaches: (Expr, Expr),
        /// The number of elements of the view below.
        elements: Expr,
    },
    /// Views with different shapes, which common loops cannot read.
    ShapesDiffer {
        /// The shape of the first view.
        first: Vec<Expr>,
        /// The position of the first view with another shape.
        view: usize,
        /// The shape of this view.
        shape: Vec<Expr>,
    },
    /// Views with different facts about the variables in their sizes.
    DomainsDiffer,
    /// A condition that must hold, but is not proved.
    Undecided {
        /// The purpose of the condition.
        what: &'static str,
        /// The condition.
        condition: Expr,
        /// A shape that needs no such condition, if a shape of this kind is known.
        nearest: Option<Vec<Expr>>,
    },
    /// A variable in a size that is not declared.
    Undeclared {
        /// The name of the variable.
        name: Arc<str>,
    },
    /// An index whose name belongs to another index, or to a variable in a size.
    NameTaken {
        /// The name.
        name: Arc<str>,
    },
    /// A value that exceeds 64 bits.
    Overflow {
        /// The kind of the value.
        what: &'static str,
    },
    /// An expression that is too large for a size.
    TooLarge {
        /// The kind of the expression.
        what: &'static str,
    },
    /// A view that cannot be drawn.
    NotDrawn {
        /// The reason why it cannot be drawn.
        why: &'static str,
    },
    /// The facts about the variables contradict one another.
    Domain(DomainError),
    /// The address and the validity of an index cannot be simplified.
    Simplify(SimplifyError),
}
