//! The one error type of views.

use quaff::SimplifyError;
use quaff::domain::DomainError;
use quaff::expr::Expr;
use std::sync::Arc;

/// Why a view could not be made or asked: what is wrong, in which movement and axis, and what would work instead.
///
/// Displays as a headline and a line with the place; as a [`miette::Diagnostic`] it also has a code (`view::reshape`) and
/// a help text. A call that returned one changed nothing.
#[derive(Clone, Debug)]
pub struct ViewError {
    // boxed: errors are rare and large, results are everywhere
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    kind: ErrorKind,
    place: Option<Place>,
}

/// Where in a chain of movements an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the movement, from 1; 0 is the shape that the chain begins with.
    pub position: usize,
    /// The name of the movement, such as `reshape`.
    pub movement: &'static str,
}

impl ViewError {
    /// What happened, with everything it is about.
    pub fn kind(&self) -> &ErrorKind {
        &self.inner.kind
    }

    /// The movement that failed; `None` for a question.
    pub fn place(&self) -> Option<Place> {
        self.inner.place
    }

    /// The stable short name of the kind: `reshape`, `axis`, ...
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

    /// The same, in a movement; an error that knows its place keeps it.
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
    /// Not one argument for each axis.
    Rank {
        /// What the arguments are, one and several: `size` and `sizes`, ...
        what: (&'static str, &'static str),
        /// How many axes there are.
        axes: usize,
        /// How many arguments were given.
        given: usize,
    },
    /// More axes than [`MAX_AXES`](super::MAX_AXES).
    TooManyAxes {
        /// The limit.
        limit: usize,
    },
    /// More views than [`MAX_VIEWS`](super::MAX_VIEWS) that are not one.
    TooManyViews {
        /// The limit.
        limit: usize,
    },
    /// An axis that there is not.
    Axis {
        /// What was given.
        axis: usize,
        /// How many axes there are.
        axes: usize,
    },
    /// An axis that is named twice.
    RepeatedAxis {
        /// The axis.
        axis: usize,
        /// The axes that are not named.
        missing: Vec<usize>,
    },
    /// A size below 0.
    NegativeSize {
        /// The axis.
        axis: usize,
        /// What was given.
        size: Expr,
    },
    /// A shape with another number of elements.
    Reshape {
        /// The shape there is.
        from: Vec<Expr>,
        /// The number of its elements.
        elements: Expr,
        /// The shape asked for.
        to: Vec<Expr>,
        /// The number of its elements.
        asked: Expr,
        /// The nearest shape that has as many elements as there are: one axis of another size.
        nearest: Option<Vec<Expr>>,
    },
    /// An axis of a size other than 1 that would get another.
    Expand {
        /// The axis.
        axis: usize,
        /// Its size.
        size: Expr,
        /// What was asked for.
        asked: Expr,
    },
    /// Bounds that do not lie in an axis, or the wrong way round.
    Bounds {
        /// The axis.
        axis: usize,
        /// Its size.
        size: Expr,
        /// The first index that is kept.
        begin: Expr,
        /// The first index behind it that is not.
        end: Expr,
        /// The nearest bounds that do, when that is known.
        nearest: Option<(Expr, Expr)>,
    },
    /// Padding by less than nothing.
    NegativePad {
        /// The axis.
        axis: usize,
        /// Indices before the first.
        before: Expr,
        /// Indices behind the last.
        after: Expr,
    },
    /// A step of 0.
    Step {
        /// The axis.
        axis: usize,
    },
    /// A mask that does not lie in its axis, or the wrong way round.
    Mask {
        /// The axis.
        axis: usize,
        /// Its size.
        size: Expr,
        /// The first index that is valid.
        begin: Expr,
        /// The first index behind it that is not.
        end: Expr,
    },
    /// A view that reaches addresses which the view below does not have.
    Chained {
        /// Its position among the views.
        view: usize,
        /// The least and the greatest address that it reaches.
        reaches: (Expr, Expr),
        /// The number of elements of the view below.
        elements: Expr,
    },
    /// Views that are to be read in the same loops and have other shapes.
    ShapesDiffer {
        /// The shape of the first view.
        first: Vec<Expr>,
        /// Which view has another one.
        view: usize,
        /// Its shape.
        shape: Vec<Expr>,
    },
    /// Views of which different things are known of the variables in their sizes.
    DomainsDiffer,
    /// A condition that must hold, and of which it is not known whether it does.
    Undecided {
        /// What the condition is for.
        what: &'static str,
        /// The condition.
        condition: Expr,
        /// What would do without it, where there is something.
        nearest: Option<Vec<Expr>>,
    },
    /// A variable in a size of which nothing is known.
    Undeclared {
        /// Its name.
        name: Arc<str>,
    },
    /// An index with the name of another, or of a variable in a size.
    NameTaken {
        /// The name.
        name: Arc<str>,
    },
    /// A value outside of 64 bits.
    Overflow {
        /// What it is.
        what: &'static str,
    },
    /// An expression too large for a size.
    TooLarge {
        /// What it is.
        what: &'static str,
    },
    /// A view that has no picture.
    NotDrawn {
        /// Why.
        why: &'static str,
    },
    /// What is known of the variables contradicts itself.
    Domain(DomainError),
    /// Index and validity could not be simplified.
    Simplify(SimplifyError),
}
