//! Why there is no index type, or no exact one.

use miette::Diagnostic;

/// Why an index type cannot be made, or an operator has no exact one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum IndexError {
    /// An interval without values.
    #[error("the {which} interval {low}..{high} is empty")]
    #[diagnostic(code(quaff::index_type::empty), help("ends are exclusive: `0..4` has four values"))]
    Empty {
        /// `static` or `dynamic`.
        which: &'static str,
        /// Its first value.
        low: i128,
        /// Its exclusive end.
        high: i128,
    },
    /// Values beyond ±2^64.
    #[error("values beyond 2^64 have no index type")]
    #[diagnostic(code(quaff::index_type::overflow))]
    Overflow,
    /// `//` or `%` by 0.
    #[error("an index is divided by 0")]
    #[diagnostic(code(quaff::index_type::zero_divisor))]
    ZeroDivisor,
    /// A loop whose trips are no multiple of the unroll factor.
    #[error("a loop over {low}..{high} cannot be unrolled by {factor}: it has {trips} trips")]
    #[diagnostic(
        code(quaff::index_type::unroll),
        help("the factor is positive; where it does not divide the trips, a main part and a rest have a type each")
    )]
    Unroll {
        /// First trip.
        low: i128,
        /// Exclusive end.
        high: i128,
        /// The unroll factor.
        factor: i128,
        /// `high - low`.
        trips: i128,
    },
    /// More copies than are looked at one by one.
    #[error("{copies} copies are more than the {limit} that are looked at one by one")]
    #[diagnostic(code(quaff::index_type::copies), help("unroll by a smaller factor"))]
    TooManyCopies {
        /// How many there are.
        copies: u128,
        /// The limit.
        limit: u128,
    },
    /// An operator whose result is no index type.
    #[error("`{operator}` has no exact index type: {why}")]
    #[diagnostic(code(quaff::index_type::inexact))]
    Inexact {
        /// The sign of the operator.
        operator: &'static str,
        /// What is lost.
        why: &'static str,
    },
}
