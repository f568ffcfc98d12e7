//! The error type of the dims solver.

use super::base::Exact;
use super::report::{Derived, EquationRef, EquationState, Origin, Reduced, ScopeRef, Solved};
use super::{DimRef, Equation};
use quaff::SimplifyError;
use quaff::domain::Interval;
use quaff::expr::Expr;
use std::sync::Arc;

/// The reason why a call failed, with the equations, dimensions, values and origins that caused it.
///
/// The error is displayed as a headline and indented details. As a [`miette::Diagnostic`] it also has a code
/// (`dims::conflict`) and a help text with advice. A call that returns an error changes nothing.
#[derive(Clone, Debug)]
pub struct DimsError {
    // The kind is boxed, because an error is large, and every result would reserve space for it.
    kind: Box<ErrorKind>,
}

impl DimsError {
    /// The kind of the error, with all of its data.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The equations that caused the error, in the order of its message. The list is empty for an unknown index,
    /// because setting the index may solve it without any of the equations.
    pub fn equations(&self) -> Vec<Equation> {
        let several = |equations: &[EquationRef]| equations.iter().map(|e| e.equation).collect::<Vec<_>>();
        let of_sizes =
            |derived: &[Derived]| derived.iter().flat_map(|d| &d.equations).map(|e| e.equation).collect::<Vec<_>>();
        match &*self.kind {
            ErrorKind::Fractional { equations, derived, .. } => {
                several(equations).into_iter().chain(of_sizes(derived)).collect()
            }
            ErrorKind::Undecided { equations, .. } | ErrorKind::Overflow { equations, .. } => several(equations),
            ErrorKind::Root { equation, .. }
            | ErrorKind::Uncovered { equation, .. }
            | ErrorKind::Conflict { equation, .. }
            | ErrorKind::Sign { equation, .. }
            | ErrorKind::Overdetermined { equation, .. } => vec![equation.equation],
            ErrorKind::Contradiction { equation, with, derived, .. } => {
                let own = std::iter::once(equation).chain(with).map(|e| e.equation);
                own.chain(of_sizes(derived)).collect()
            }
            ErrorKind::Underdetermined { reduced, .. } => reduced.iter().map(|r| r.equation).collect(),
            _ => vec![],
        }
    }

    /// The stable short name of the kind, such as `conflict` or `unsolved`.
    pub fn name(&self) -> &'static str {
        match *self.kind {
            ErrorKind::BadName { .. } => "bad_name",
            ErrorKind::BadSize { .. } => "bad_size",
            ErrorKind::EmptySide { .. } => "empty_side",
            ErrorKind::NotAffine { .. } => "not_affine",
            ErrorKind::Sign { .. } => "sign",
            ErrorKind::ForeignDim { .. } => "foreign_dim",
            ErrorKind::Frozen { .. } => "frozen",
            ErrorKind::Fractional { .. } => "fractional",
            ErrorKind::Root { .. } => "root",
            ErrorKind::Contradiction { .. } => "contradiction",
            ErrorKind::BadRange { .. } => "bad_range",
            ErrorKind::Undecided { .. } => "undecided",
            ErrorKind::RunTime { .. } => "run_time",
            ErrorKind::Uncovered { .. } => "uncovered",
            ErrorKind::Underdetermined { .. } => "underdetermined",
            ErrorKind::Overflow { .. } => "overflow",
            ErrorKind::AlreadySolved { .. } => "already_solved",
            ErrorKind::Conflict { .. } => "conflict",
            ErrorKind::Overdetermined { .. } => "overdetermined",
            ErrorKind::Unsolved { .. } => "unsolved",
            ErrorKind::ScopeParent { .. } => "scope_parent",
            ErrorKind::VectorSize { .. } => "vector_size",
            ErrorKind::Lanes { .. } => "lanes",
            ErrorKind::OutOfRange { .. } => "out_of_range",
            ErrorKind::NameTaken { .. } => "name_taken",
            ErrorKind::NotSimplified { .. } => "not_simplified",
        }
    }
}

impl From<ErrorKind> for DimsError {
    fn from(kind: ErrorKind) -> DimsError {
        DimsError { kind: Box::new(kind) }
    }
}

/// The kinds of [`DimsError`]. Equations are given as written, and values are exact.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A name that a dimension or a variable of a kernel cannot have.
    BadName {
        /// The kind of the named item: `dimension`, `run-time size` or `loop variable`.
        what: &'static str,
        /// The given name.
        name: Arc<str>,
        /// The reason why the name is invalid.
        reason: &'static str,
    },
    /// A size or stride below 1.
    BadSize {
        /// The place of the size or stride.
        place: String,
        /// The given value.
        value: i64,
    },
    /// An equation with a side that has no terms.
    EmptySide {
        /// The equation.
        equation: Arc<str>,
    },
    /// An equation that is no sum of indices.
    NotAffine {
        /// The equation, or its right side.
        equation: Arc<str>,
        /// The reason why it is no sum of indices.
        reason: &'static str,
    },
    /// An equation that can be solved for the index of a dimension only by a division by a coefficient. This coefficient
    /// may be 0, or its sign is not known.
    Sign {
        /// The sum.
        equation: EquationRef,
        /// The dimension.
        dim: DimRef,
        /// The coefficient of the dimension.
        coefficient: Expr,
        /// The call that was rejected with this error.
        cause: String,
    },
    /// A dimension, scope or equation of another `Dims`.
    ForeignDim {
        /// The kind of the handle: `dimension`, `scope` or `equation`.
        what: &'static str,
        /// The use of the handle. An equation in this text shows `?` in place of the handle.
        place: String,
    },
    /// A change of the program after `init`.
    Frozen {
        /// The attempted change.
        action: String,
    },
    /// By some equation, a dimension has a size that is not an integer.
    Fractional {
        /// The dimension.
        dim: DimRef,
        /// The size that the dimension would have. `None` if the size has no short form.
        value: Option<Exact>,
        /// The equation, or the tied equations, from which the size follows.
        equations: Vec<EquationRef>,
        /// The derived sizes in these equations, and all derived sizes on which they depend.
        derived: Vec<Derived>,
    },
    /// The value of `dim^degree` would not be the `degree`-th power of an integer.
    Root {
        /// The dimension.
        dim: DimRef,
        /// The exponent of the dimension, above 1.
        degree: i64,
        /// The value that `dim^degree` would have.
        value: Exact,
        /// The equation from which the value follows.
        equation: EquationRef,
    },
    /// The products of the sizes on both sides of an equation differ.
    Contradiction {
        /// The equation.
        equation: EquationRef,
        /// The quotient of both sides, which is 1 in an equation that holds.
        factor: Option<Exact>,
        /// The other equations of the contradiction, if several equations together cause it.
        with: Vec<EquationRef>,
        /// The derived sizes in these equations, and all derived sizes on which they depend.
        derived: Vec<Derived>,
    },
    /// A run-time size with a range that contains no valid size.
    BadRange {
        /// The name of the size.
        name: Arc<str>,
        /// The reason why the range is invalid.
        reason: String,
    },
    /// The equations hold, or their solutions are valid sizes, only under a condition that is not proved.
    Undecided {
        /// The statement that is not decided.
        what: String,
        /// The missing condition on run-time sizes.
        missing: Expr,
        /// The equations from which the statement follows.
        equations: Vec<EquationRef>,
    },
    /// A size must be a number, but it is known only at run time.
    RunTime {
        /// The dimension.
        dim: DimRef,
        /// The size of the dimension.
        size: Expr,
        /// The use that needs a number, such as `a loop that is unrolled completely`.
        what: &'static str,
    },
    /// A product that covers less than the size that it must cover.
    Uncovered {
        /// The equation, such as `N <= B * T`.
        equation: EquationRef,
        /// The quotient of both sides, which is at least 1 in an equation that holds.
        factor: Option<Exact>,
    },
    /// Sizes that the equations do not determine.
    Underdetermined {
        /// The dimensions without size.
        dims: Vec<DimRef>,
        /// The open equations, with known sizes substituted.
        reduced: Vec<Reduced>,
    },
    /// A size, or the product of a side, exceeds `i64`.
    Overflow {
        /// The size or product that is too large.
        what: String,
        /// The value, if it was computed.
        value: Option<Exact>,
        /// The equations from which the value follows.
        equations: Vec<EquationRef>,
    },
    /// Setting an index that is already known.
    AlreadySolved {
        /// The dimension.
        dim: DimRef,
        /// The origin of the known index.
        origin: Origin,
    },
    /// Both sides of an equation receive index information.
    Conflict {
        /// The equation.
        equation: EquationRef,
        /// The solved dimensions of the left side.
        left: Vec<Solved>,
        /// The solved dimensions of the right side.
        right: Vec<Solved>,
        /// The call that was rejected with this error.
        cause: String,
    },
    /// An equation would solve a dimension twice, from two digits of one index.
    Overdetermined {
        /// The equation.
        equation: EquationRef,
        /// The dimension that occurs twice on one side.
        dim: DimRef,
        /// The call that was rejected with this error.
        cause: String,
    },
    /// Reading an index that is not known.
    Unsolved {
        /// The dimension.
        dim: DimRef,
        /// The active equations that mention the dimension.
        active: Vec<EquationState>,
        /// The equations that mention the dimension in scopes that are not entered.
        inactive: Vec<EquationState>,
    },
    /// Entering a scope whose parent is not entered.
    ScopeParent {
        /// The scope.
        scope: ScopeRef,
        /// The parent of the scope.
        parent: ScopeRef,
        /// The entered scopes, outermost first, without the root.
        active: Vec<ScopeRef>,
    },
    /// Vectorising a dimension whose size differs from the number of lanes.
    VectorSize {
        /// The dimension.
        dim: DimRef,
        /// The size of the dimension.
        size: i64,
        /// The requested number of lanes.
        lanes: i64,
    },
    /// One access does not cover the lanes of a vector.
    Lanes {
        /// The dimension whose index depends on the lane.
        dim: DimRef,
        /// The number of lanes.
        lanes: i64,
        /// The index of the dimension at the lane `lane`.
        index: Expr,
        /// The property of the index that is not proved.
        reason: &'static str,
    },
    /// Setting an index that is not proved to be in `0..size`.
    OutOfRange {
        /// The dimension.
        dim: DimRef,
        /// The size of the dimension, over the run-time sizes.
        size: Expr,
        /// The expression.
        value: Expr,
        /// The range of the expression, from the ranges of its variables.
        range: Interval,
        /// Whether no value of this range is a valid index.
        never: bool,
    },
    /// A loop variable whose name is already used by another variable.
    NameTaken {
        /// The name.
        name: Arc<str>,
    },
    /// An index that was read but could not be simplified. A value that was set divides by an expression that may be 0,
    /// or the facts about the variables contradict one another.
    NotSimplified {
        /// The requested dimensions.
        dims: Vec<DimRef>,
        /// The error of the engine.
        reason: SimplifyError,
    },
}
