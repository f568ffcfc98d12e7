//! The e-graph: language, facts, normal forms, matching, saturation and extraction.
//!
//! Data flows through the folders in this order, and each imports from earlier ones only:
//!
//! - `language`: linear forms, e-nodes, the operations of the cost model
//! - `analysis`: facts of e-classes, and linear constraints that bound sums
//! - `trace`: what was found equal to what, and why
//! - `normal`: the e-graph itself; every node is made in its normal form
//! - `context`: assumptions, and what the clauses of a junction say of one another
//! - `ingest`: expressions on their way into the e-graph
//! - `extract`: the choice of the cheapest members, and the expressions that they are
//! - `saturate`: matching and applying rules until nothing changes
//!
//! # Terms
//! - *linear form*: `constant + Σ coefficient * class`, the value of every sum. One sum is one e-node, so there are no rules
//!   of commutativity or associativity.
//! - *atom*: an e-class that stands for no linear form, such as a variable or a quotient; a term of canonical forms.
//! - *canonical form*: the one linear form of a class whose terms are all atoms.
//! - *spelling*: another linear form of a class. A class keeps a few of them as facts, not as e-nodes.
//! - *facts*: an interval, a congruence, zero bits and the spellings of a class; they hold at every point of the domain.
//! - *operator*: which operation a node is, without its operands; rules are indexed by it.
//! - *constraint*: a linear form that is at least 0 wherever a context holds.
//! - *junction*: a conjunction or a disjunction; its operands are *clauses*.
//! - *normal form*: the one way in which an operation is written when its node is made. Three normal forms are pieces of algebra
//!   that have a name and a law (`trace/normal_form.rs`).
//! - *built-in step*: an equality that the engine finds without a rule; traces show it by name.
//! - *weight*: how large the lightest operation of a class is. A class is replaced by a linear form only where the terms of that
//!   weigh less, so that replacing ends.
//! - *rank*: what a spelling costs, its terms left out; the cheapest spellings are kept.
//! - *opaque part*: a sub-expression that has no normal form and stands as a variable.
//! - *hypothesis*: a condition that is taken to be true while another one is judged.
//! - *relation*: what a comparison says of a linear form, that it is at least 0 or that it is 0.
//! - *candidate*: one way to compute a class, with its price. A *place* is a class that is needed; extraction selects one candidate
//!   for each place, and these are the *selection*.
//!
//! `x % n` is defined by `x // n`: its class holds `x - n*(x//n)` as a spelling. Rules come from [`crate::rules`].
//!
//! ```
//! use quaff::Simplifier;
//! use quaff::domain::Domain;
//! use quaff::egraph::{Limits, StopReason};
//! use quaff::expr::Expr;
//!
//! let e: Expr = "((x*12 + y)//4 + 1)//3".parse()?;
//! let domain = Domain::new().with("x", 0..100).with("y", 0..4);
//! let s = Simplifier::default();
//! assert_eq!(s.simplify(&e, &domain)?.stop(), StopReason::Saturated);
//! // without a round of saturation what is left are the normal forms; the answer is never costlier than the input
//! let idle = s.with_limits(Limits { rounds: 0, ..Limits::default() }).simplify(&e, &domain)?;
//! assert_eq!(idle.stop(), StopReason::RoundLimit);
//! assert!(idle.cost() <= idle.input_cost());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod analysis;
pub(crate) mod context;
pub(crate) mod extract;
pub(crate) mod ingest;
pub(crate) mod language;
pub(crate) mod normal;
pub(crate) mod saturate;
pub(crate) mod trace;

pub use saturate::limits::{Limits, StopReason};
