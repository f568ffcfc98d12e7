//! The types in which the solver reports: where an index came from, which way an equation flows, what an equation
//! waits for, what is left of an equation about sizes.

use super::base::Exact;
use super::{DimRef, Equation, Scope};
use quaff::expr::Expr;
use std::fmt;
use std::sync::Arc;

/// Which way index information flows through an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the left side to the right: the right side was solved.
    Forward,
    /// From the right side to the left.
    Backward,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::Forward => "->",
            Direction::Backward => "<-",
        })
    }
}

/// Where the index of a dimension comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The dimension has size 1: its index is 0.
    SizeOne,
    /// Set to this expression.
    External(Expr),
    /// The variable of an open loop.
    Loop(Arc<str>),
    /// An open vector region: its index is 0.
    Vectorize,
    /// Solved by an equation.
    Equation {
        /// Which.
        equation: Equation,
        /// As written.
        text: Arc<str>,
        /// Towards the side of this dimension.
        direction: Direction,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::SizeOne => f.write_str("0, as its size is 1"),
            Origin::External(value) => write!(f, "set to `{value}`"),
            Origin::Loop(variable) => write!(f, "loop variable `{variable}`"),
            Origin::Vectorize => f.write_str("0, as it is vectorised"),
            Origin::Equation { text, direction, .. } => write!(f, "solved by `{text}` ({direction})"),
        }
    }
}

/// A dimension with the origin of its index.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// The dimension.
    pub dim: DimRef,
    /// Where its index comes from.
    pub origin: Origin,
}

impl fmt::Display for Solved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", self.dim, self.origin)
    }
}

/// A scope with the name messages use for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeRef {
    /// The scope.
    pub scope: Scope,
    /// Its name after those of its ancestors below the root: `load > left`.
    pub path: Arc<str>,
}

impl fmt::Display for ScopeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

/// An equation with its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EquationRef {
    /// The equation.
    pub equation: Equation,
    /// As it was stated, with one blank between its parts.
    pub text: Arc<str>,
}

impl fmt::Display for EquationRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A size that was not stated, with the equations that gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The dimension.
    pub dim: DimRef,
    /// Its size.
    pub size: Exact,
    /// One equation, or several that were solved together.
    pub equations: Vec<EquationRef>,
}

impl fmt::Display for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from: Vec<String> = self.equations.iter().map(|e| format!("`{e}`")).collect();
        write!(f, "`{} = {}` from {}", self.dim, self.size, from.join(", "))
    }
}

/// An equation as seen from a dimension that it does not (fully) determine.
#[derive(Clone, Debug, PartialEq)]
pub struct EquationState {
    /// The equation.
    pub equation: Equation,
    /// As written.
    pub text: Arc<str>,
    /// Where it belongs.
    pub scope: ScopeRef,
    /// The other dimensions on both sides, and whether each is solved.
    pub others: Vec<(DimRef, bool)>,
}

impl fmt::Display for EquationState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.text)?;
        for (i, (dim, solved)) in self.others.iter().enumerate() {
            let state = if *solved { "solved" } else { "unsolved" };
            write!(f, "{} `{dim}` {state}", if i == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

/// What is left of a size equation once everything known has moved to the right: `A * B = 64`, `A / B = 2`; of one that
/// [covers](super::Dims::covered), `A * B >= 60`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// The equation; the first one of several that say the same.
    pub equation: Equation,
    /// The unknown dimensions with their exponents, not 0; the first one is positive, unless the product may be more.
    pub terms: Vec<(DimRef, i64)>,
    /// What their product is.
    pub value: Exact,
    /// Whether the product may also be more than that.
    pub at_least: bool,
}

impl fmt::Display for Reduced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (dim, exponent)) in self.terms.iter().enumerate() {
            let sign = if *exponent > 0 { " * " } else { " / " };
            let first = if *exponent > 0 { "" } else { "1 / " };
            f.write_str(if i == 0 { first } else { sign })?;
            match exponent.unsigned_abs() {
                1 => write!(f, "{dim}")?,
                e => write!(f, "{dim}^{e}")?,
            }
        }
        write!(f, " {} {}", if self.at_least { ">=" } else { "=" }, self.value)
    }
}
