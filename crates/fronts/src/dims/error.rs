//! The one error type of the dims solver.

use super::base::Exact;
use super::report::{Derived, EquationRef, EquationState, Origin, Reduced, ScopeRef, Solved};
use super::{DimRef, Equation};
use quaff::SimplifyError;
use quaff::domain::Interval;
use quaff::expr::Expr;
use std::sync::Arc;

/// Why a call failed: a value that carries the equations, dimensions, values and origins it is about.
///
/// Displays as a headline and indented details; as a [`miette::Diagnostic`] it also has a code (`dims::conflict`) and a
/// help text with what to do. A call that returned one changed nothing.
#[derive(Clone, Debug)]
pub struct DimsError {
    // Boxed: errors are rare and large, results are everywhere.
    kind: Box<ErrorKind>,
}

impl DimsError {
    /// What happened, with everything it is about.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The equations that the error is about, in the order of its message. None for an index that is not known: it may be set
    /// in place of any of those that it could come from.
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

    /// The stable short name of the kind: `conflict`, `unsolved`, ...
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

/// The kinds of [`DimsError`]. Equations are given as written, values exactly.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A name that a dimension or a variable of a kernel cannot have.
    BadName {
        /// `dimension`, `run-time size` or `loop variable`.
        what: &'static str,
        /// What was given.
        name: Arc<str>,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A size or stride below 1.
    BadSize {
        /// Whose it is.
        place: String,
        /// What was given.
        value: i64,
    },
    /// A side of an equation without terms.
    EmptySide {
        /// The equation.
        equation: Arc<str>,
    },
    /// An equation that is no sum of indices.
    NotAffine {
        /// The equation, or its right side.
        equation: Arc<str>,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The index of a dimension would follow from a sum, divided by a coefficient that may be 0, or of either sign.
    Sign {
        /// The sum.
        equation: EquationRef,
        /// The dimension.
        dim: DimRef,
        /// Its coefficient.
        coefficient: Expr,
        /// The change that was made.
        cause: String,
    },
    /// A dimension, scope or equation of another `Dims`.
    ForeignDim {
        /// `dimension`, `scope` or `equation`.
        what: &'static str,
        /// What it was used for; `?` stands for it in an equation.
        place: String,
    },
    /// A change after `init`.
    Frozen {
        /// What was attempted.
        action: String,
    },
    /// An equation gives a dimension a size that is not an integer.
    Fractional {
        /// The dimension.
        dim: DimRef,
        /// The size it would have; `None` where no short form exists.
        value: Option<Exact>,
        /// The equation, or the tied equations, that say so.
        equations: Vec<EquationRef>,
        /// Sizes in them that were not stated, and those that these follow from.
        derived: Vec<Derived>,
    },
    /// A power of a dimension has a size that is no such power.
    Root {
        /// The dimension.
        dim: DimRef,
        /// Its exponent, above 1.
        degree: i64,
        /// What `dim^degree` would be.
        value: Exact,
        /// The equation that says so.
        equation: EquationRef,
    },
    /// The sizes of an equation do not multiply out.
    Contradiction {
        /// The equation.
        equation: EquationRef,
        /// What is left when both sides are divided: 1 in an equation that holds.
        factor: Option<Exact>,
        /// The equations it contradicts, when it takes several.
        with: Vec<EquationRef>,
        /// Sizes in them that were not stated, and those that these follow from.
        derived: Vec<Derived>,
    },
    /// A run-time size with a range that holds no size.
    BadRange {
        /// Its name.
        name: Arc<str>,
        /// What is wrong with it.
        reason: String,
    },
    /// The equations hold, or have sizes for solutions, only where a fact is known that is not.
    Undecided {
        /// What is not decided.
        what: String,
        /// The fact, a condition on run-time sizes.
        missing: Expr,
        /// The equations it follows from.
        equations: Vec<EquationRef>,
    },
    /// A number is wanted, and the size is known at run time only.
    RunTime {
        /// The dimension.
        dim: DimRef,
        /// Its size.
        size: Expr,
        /// What wants a number: `a loop that is unrolled completely`.
        what: &'static str,
    },
    /// A product that covers less than it should.
    Uncovered {
        /// The equation: `N <= B * T`.
        equation: EquationRef,
        /// What is left of it once both sides are divided: at least 1 where it holds.
        factor: Option<Exact>,
    },
    /// Sizes that the equations leave open.
    Underdetermined {
        /// The dimensions without size.
        dims: Vec<DimRef>,
        /// What the equations still say of them.
        reduced: Vec<Reduced>,
    },
    /// A size, or the product of a side, exceeds `i64`.
    Overflow {
        /// What is too large.
        what: String,
        /// Its value, where it was computed.
        value: Option<Exact>,
        /// The equations it follows from.
        equations: Vec<EquationRef>,
    },
    /// Setting an index that is already known.
    AlreadySolved {
        /// The dimension.
        dim: DimRef,
        /// Where its index comes from.
        origin: Origin,
    },
    /// Both sides of an equation receive index information.
    Conflict {
        /// The equation.
        equation: EquationRef,
        /// What reached the left side.
        left: Vec<Solved>,
        /// What reached the right side.
        right: Vec<Solved>,
        /// The call that would have caused it.
        cause: String,
    },
    /// An equation would solve a dimension twice, from two digits of one index.
    Overdetermined {
        /// The equation.
        equation: EquationRef,
        /// The dimension that stands twice on one side.
        dim: DimRef,
        /// The call that would have caused it.
        cause: String,
    },
    /// Reading an index that is not known.
    Unsolved {
        /// The dimension.
        dim: DimRef,
        /// The active equations that mention it.
        active: Vec<EquationState>,
        /// Those in scopes that are not entered.
        inactive: Vec<EquationState>,
    },
    /// Entering a scope whose parent is not entered.
    ScopeParent {
        /// The scope.
        scope: ScopeRef,
        /// Its parent.
        parent: ScopeRef,
        /// The entered scopes, outermost first, without the root.
        active: Vec<ScopeRef>,
    },
    /// Vectorising a dimension of another size.
    VectorSize {
        /// The dimension.
        dim: DimRef,
        /// Its size.
        size: i64,
        /// The number of lanes asked for.
        lanes: i64,
    },
    /// One access does not cover the lanes of a vector.
    Lanes {
        /// The dimension whose index goes along with the lanes.
        dim: DimRef,
        /// The number of lanes.
        lanes: i64,
        /// Its index at the lane `lane`.
        index: Expr,
        /// What is not proved.
        reason: &'static str,
    },
    /// Setting an index that is not proved to lie in `0..size`.
    OutOfRange {
        /// The dimension.
        dim: DimRef,
        /// Its size, over the run-time sizes.
        size: Expr,
        /// The expression.
        value: Expr,
        /// Where it lies, by the ranges of its variables.
        range: Interval,
        /// Whether none of that is an index.
        never: bool,
    },
    /// A loop variable with the name of another variable in use.
    NameTaken {
        /// The name.
        name: Arc<str>,
    },
    /// An index that was read but could not be simplified: a set value divides by what may be 0, or the facts stated
    /// of the variables contradict one another.
    NotSimplified {
        /// The dimensions asked for.
        dims: Vec<DimRef>,
        /// What the engine says.
        reason: SimplifyError,
    },
}
