//! What measures, proves and shows the rules of [`quaff`]: rule sets against one another over corpora, proofs by SMT solvers, pages.
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
//! No other library depends on this crate: it may have heavy dependencies.
//!
//! # Features
//! Both are off by default.
//! - `smt`: proofs and questions to an SMT solver, where one is installed.
//! - `ilp`: extraction as an integer linear program. HiGHS is compiled with it, which needs CMake, a compiler of C++ and libclang.

pub mod exchange;
pub mod experiment;
pub mod extraction;
pub mod inspect;
pub mod plain_egg;
pub mod plot;
pub mod proof;
