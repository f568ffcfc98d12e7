//! Measures and proves the rewrite rules of [`quaff`]. It compares rule sets over corpora, proves rules with SMT
//! solvers, and writes reports and drawings of e-graphs as pages.
//!
//! ```
//! use quaff::rules::RuleSet;
//! use quaff_lab::experiment::{Corpus, Experiment, Results, Variant};
//!
//! let corpus = Corpus::parse("one line", br#"{"vars": {"x": [0, 15], "y": [0, 3]}, "expr": "x*4 | y"}"#);
//! let base = Variant::new("shipped", RuleSet::shipped().clone());
//! let without = base.without("or-disjoint");
//! let report = Experiment::new(base, vec![corpus]).compare(&[without], &Results::in_memory(), &|_| {})?;
//! assert_eq!(report.rows[0].costlier, 1);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! No other library depends on this crate, so it may have heavy dependencies.
//!
//! # Features
//! Both features are off by default.
//! - `smt`: proofs of rules by an installed SMT solver, and the export of rules as SMT-LIB.
//! - `ilp`: extraction as an integer linear program. This feature compiles HiGHS, which needs CMake, a C++ compiler and
//!   libclang.

// on docs.rs, each item shows the feature that it needs
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod exchange;
pub mod experiment;
pub mod extraction;
pub mod inspect;
pub mod plain_egg;
pub mod plot;
pub mod proof;
