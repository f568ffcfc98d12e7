//! The e-graph: it finds equal forms of expressions by facts, normal forms and rules, and extracts the cheapest form.
//!
//! Data flows through the folders in this order, and each imports from earlier ones only:
//!
//! - `language`: linear forms, e-nodes, and the operations that the cost model prices
//! - `analysis`: facts of e-classes, and linear constraints that bound sums
//! - `trace`: which terms were found equal, and why
//! - `normal`: the e-graph itself. Every node is made in its normal form
//! - `context`: adds assumed conditions, and simplifies the clauses of a conjunction or disjunction by one another
//! - `ingest`: adds expressions to the e-graph
//! - `extract`: chooses the cheapest members of e-classes and converts them to expressions
//! - `saturate`: matches and applies rules until nothing changes
//!
//! # Terms
//! - *linear form*: `constant + Σ coefficient * class`. Every sum has this shape. One sum is one e-node, so no rules of
//!   commutativity or associativity are needed.
//! - *atom*: an e-class that represents no linear form, such as a variable or a quotient. The terms of canonical forms
//!   are atoms.
//! - *canonical form*: the one linear form of a class whose terms are all atoms.
//! - *spelling*: another linear form of a class. A class keeps a few spellings as facts, not as e-nodes.
//! - *facts*: what is known about the values of a class: an interval, a congruence, the bits that are always 0, and
//!   spellings. Facts hold at every point of the domain.
//! - *operator*: the kind of operation of a node, such as `//`, without its operands. Rules are indexed by operator.
//! - *constraint*: a linear form that is at least 0 at every point of a context.
//! - *junction*: a conjunction or a disjunction. Its operands are *clauses*.
//! - *normal form*: the one way in which an operation is written when its node is made. Three normal forms have a name
//!   and an algebraic law (`trace/normal_form.rs`).
//! - *built-in step*: an equality that the engine finds without a rule. Traces show built-in steps by name.
//! - *weight*: a measure of size. The weight of a class is the weight of its lightest operation. A linear form replaces
//!   a class only if each of its terms weighs less than the class, so replacement terminates.
//! - *rank*: the price of a spelling. It counts the sum and the operations that are terms of the sum, but not the
//!   operands of these operations. A class keeps its spellings of lowest rank.
//! - *opaque part*: a sub-expression that has no normal form and is treated as a variable.
//! - *hypothesis*: a condition that is assumed to be true while another condition is decided.
//! - *relation*: the claim that a comparison makes about a linear form: that it is at least 0, or that it equals 0.
//! - *candidate*: one way to compute a class, with its price. A *place* is a class whose value is needed. Extraction
//!   selects one candidate for each place. The chosen candidates are the *selection*.
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
