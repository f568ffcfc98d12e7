//! Errors of index types.

use miette::Diagnostic;

/// The reason why an index type cannot be made, or why an operator has no exact type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum IndexError {
    /// An interval without values.
    #[error("the {which} interval {low}..{high} is empty")]
    #[diagnostic(code(quaff::index_type::empty), help("ends are exclusive: `0..4` has four values"))]
    Empty {
        /// The kind of the interval: `static` or `dynamic`.
        which: &'static str,
        /// The first value of the interval.
        low: i128,
        /// The exclusive end of the interval.
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
    /// A loop whose number of trips is no multiple of the unroll factor.
    #[error("a loop over {low}..{high} cannot be unrolled by {factor}: it has {trips} trips")]
    #[diagnostic(
        code(quaff::index_type::unroll),
        help("the factor is positive; where it does not divide the trips, a main part and a rest have a type each")
    )]
    Unroll {
        /// The first value of the loop variable.
        low: i128,
        /// The exclusive end of the loop variable.
        high: i128,
        /// The unroll factor.
        factor: i128,
        /// The number of trips, `high - low`.
        trips: i128,
    },
    /// More copies than are enumerated.
    #[error("{copies} copies are more than the {limit} that are looked at one by one")]
    #[diagnostic(code(quaff::index_type::copies), help("unroll by a smaller factor"))]
    TooManyCopies {
        /// The number of copies.
        copies: u128,
        /// The largest number of copies.
        limit: u128,
    },
    /// An operator whose result is no index type.
    #[error("`{operator}` has no exact index type: {why}")]
    #[diagnostic(code(quaff::index_type::inexact))]
    Inexact {
        /// The symbol of the operator.
        operator: &'static str,
        /// The reason why the result has no type.
        why: &'static str,
    },
}
