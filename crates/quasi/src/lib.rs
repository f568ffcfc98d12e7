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
//! value. At a point where the first expression divides by 0 (or shifts by a negative amount), the second may have any
//! value or none. At a point where only the second divides by 0, the expressions differ.
//!
//! Equality is decided completely for `+`, `-`, `*`, `//` and `%` with constant factors and divisors. Two such
//! functions agree on a box exactly if two things hold for each variable. They agree on min(range, [period](Period))
//! consecutive points, and they have equal slopes if the range is longer than the period. Ranges may be open. Other
//! operators make an expression irregular in some variables. These are comparisons, `min`, `max`, selections, truth
//! values, bit operations, products of unknowns, and divisors that are not constant. All values of these variables are
//! enumerated, if the number of points permits that. Before the enumeration, the difference of both expressions is written so that
//! equal parts cancel. The difference is split into parts over disjoint variables, and each part is enumerated on its
//! own. It is also split into cases at thresholds and conditions.
//!
//! # Limits
//! Limits count work instead of time, so a verdict and the memory use are the same on every machine. The limits are
//! [`Options::max_steps`] of algebra, which grow about in proportion to the size of the expressions,
//! [`Options::max_points`] enumerated points, and [`Options::max_evaluations`] of operators at these points. Beyond a
//! limit, corners and random points can find a difference, and an SMT solver decides if one is installed. Otherwise the
//! question is undecided, and the reason names the limit. A verdict of [`Verdict::Equal`] or [`Verdict::Differs`] is
//! certain, regardless of the method. A difference is always confirmed by evaluating both expressions at the witness.
//! Expressions with the same text are equal, regardless of their size.
//!
//! This crate depends only on `quaff-expr`, without rules, costs or the e-graph. So it can check the simplifier
//! independently. In addition to the decision procedure it has [`Period`], [`Canonical`], [`FloorSum`] and the forms
//! that are built from them. All of them serve to propose simpler expressions. The decision procedure uses none of
//! them: it derives separately how many points it must compare.

// on docs.rs, each item shows the feature that it needs
#![cfg_attr(docsrs, feature(doc_cfg))]

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
// public, because the proofs of rewrite rules in another crate use a solver, too
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
