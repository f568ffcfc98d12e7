//! Periods of quasi-affine expressions, and whether two expressions are equal.
//!
//! ```
//! use quaff_expr::domain::Domain;
//! use quaff_expr::expr::Expr;
//! use quaff_quasi::{Verdict, equivalent};
//!
//! let domain = Domain::new().with("x", 0..1_000_000_000).with("y", 0..=3);
//! let raw: Expr = "(8*x + 2*y) // 16".parse()?;
//! assert_eq!(equivalent(&raw, &"x // 2".parse()?, &domain), Verdict::Equal);
//!
//! let Verdict::Differs { witness } = equivalent(&raw, &"(x + y) // 2".parse()?, &domain) else { panic!() };
//! assert_eq!(witness.to_string(), "x = 0, y = 2: 0 but 1");
//! # Ok::<(), quaff_expr::expr::ParseError>(())
//! ```
//!
//! # What is decided
//! [`equivalent`] compares the values of two expressions at every point of a domain at which the *first* one has a
//! value: where it divides by 0 (or shifts by a negative amount) the second may be anything, and where only the second
//! does, they differ.
//!
//! Over `+`, `-`, `*`, `//` and `%` with constant factors and divisors, this is decided completely: two such functions
//! agree on a box exactly when, per variable, they agree on min(range, [period](Period)) consecutive points and, where
//! the range is longer than the period, have equal slopes. Open ranges are no obstacle. Comparisons, `min`, `max`,
//! selections, truth values, bit operations, products of unknowns and divisors that are no constants are enumerated over
//! the ranges of the variables that make them irregular, where that fits. Before that, the difference of both
//! expressions is written so that equal parts cancel, split into parts over disjoint variables, each enumerated on its
//! own, and split in cases at thresholds and conditions.
//!
//! # Limits
//! Work is counted, never timed, so that a verdict is the same on every machine, and memory follows from it: at most
//! [`Options::max_steps`] of algebra, which grow about as the expressions do, [`Options::max_points`] points that are
//! enumerated, and [`Options::max_evaluations`] of operators there. Beyond a limit, corners and random points can find a
//! difference, and an SMT solver decides when one is installed; else the question is undecided, and the reason names the
//! limit. A verdict of [`Verdict::Equal`] or [`Verdict::Differs`] is certain, whatever found it: a difference is always
//! confirmed by evaluating both expressions at the witness. What is equal as it is written is equal, whatever its size.
//!
//! This crate knows nothing of rules, costs or the e-graph, as it depends on `quaff-expr` only: it is one of the independent checks on them. Beside the decision procedure
//! it holds [`Period`], [`Canonical`], [`FloorSum`] and what is made of them, which propose forms. The procedure uses none of these: how far
//! it must look is derived a second time.

mod along_one_variable;
mod balanced;
mod budget;
mod by_variable;
mod canonical;
mod cases;
mod decide;
mod exact;
mod flattened;
mod floor_sum;
mod groups;
mod lanes;
mod options;
mod parsimony;
mod period;
mod piece;
mod poly;
mod question;
mod quotients;
mod read;
mod sample;
mod scan;
mod shift;
#[cfg(feature = "smt")]
mod smt;
// for the proofs of rules, which ask a solver too
#[cfg(feature = "smt")]
#[doc(hidden)]
pub mod solver;
mod terms;
mod text;
mod truncation;
mod truths;
mod verdict;
mod without_quotients;
mod witness;

pub use along_one_variable::Along;
pub use by_variable::separated;
pub use canonical::{Canonical, CanonicalError};
pub use decide::{decide, enumerate, equivalent, smt_text};
pub use flattened::{Case, Flattened};
pub use floor_sum::{FloorSum, FloorTerm};
pub use options::Options;
pub use period::Period;
pub use verdict::{Decision, Method, Verdict, Why};
pub use witness::Witness;
