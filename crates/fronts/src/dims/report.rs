//! The types of the solver's reports: origins of indices, directions of equations, and equations that remain open.

use super::base::Exact;
use super::{DimRef, Equation, Scope};
use quaff::expr::Expr;
use std::fmt;
use std::sync::Arc;

/// The direction in which index information flows through an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the left side to the right: the equation solves the right side.
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

/// The origin of the index of a dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The dimension has size 1, so its index is 0.
    SizeOne,
    /// The index was set to this expression.
    External(Expr),
    /// The index is the variable of an open loop.
    Loop(Arc<str>),
    /// The dimension belongs to an open vector region, so its index is read as 0.
    Vectorize,
    /// The index was solved by an equation.
    Equation {
        /// The equation.
        equation: Equation,
        /// The equation as written.
        text: Arc<str>,
        /// The direction of the flow, towards the side of this dimension.
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
    /// The origin of its index.
    pub origin: Origin,
}

impl fmt::Display for Solved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", self.dim, self.origin)
    }
}

/// A scope with its name in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeRef {
    /// The scope.
    pub scope: Scope,
    /// The name of the scope after the names of its ancestors below the root, such as `load > left`.
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
    /// The equation as it was stated, with one blank between its parts.
    pub text: Arc<str>,
}

impl fmt::Display for EquationRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A size that was not stated, with the equations from which it follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The dimension.
    pub dim: DimRef,
    /// The size of the dimension.
    pub size: Exact,
    /// The equation of the size, or several equations that were solved together.
    pub equations: Vec<EquationRef>,
}

impl fmt::Display for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from: Vec<String> = self.equations.iter().map(|e| format!("`{e}`")).collect();
        write!(f, "`{} = {}` from {}", self.dim, self.size, from.join(", "))
    }
}

/// An equation that mentions a dimension, but does not determine its index.
#[derive(Clone, Debug, PartialEq)]
pub struct EquationState {
    /// The equation.
    pub equation: Equation,
    /// The equation as written.
    pub text: Arc<str>,
    /// The scope of the equation.
    pub scope: ScopeRef,
    /// The other dimensions on both sides. The flag of each says whether it is solved.
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

/// A size equation in which all known sizes have moved to the right, such as `A * B = 64` or `A / B = 2`. For an
/// equation that [covers](super::Dims::covered) a size, it is an inequality such as `A * B >= 60`.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// The original equation. If several equations have this reduced form, it is the first of these equations.
    pub equation: Equation,
    /// The unknown dimensions with their nonzero exponents. The first exponent is positive in an exact equation.
    pub terms: Vec<(DimRef, i64)>,
    /// The value of the product of `terms`.
    pub value: Exact,
    /// Whether the product may also be greater than this value.
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
