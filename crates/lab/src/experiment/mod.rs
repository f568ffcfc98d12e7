//! Compares rule sets over corpora. The comparison shows the effect of each rule, and which rules a set does not need.
//!
//! ```
//! use quaff_lab::experiment::{Corpus, Experiment, Results, Variant};
//! use quaff::rules::RuleSet;
//!
//! let corpus = Corpus::parse("one line", br#"{"vars": {"x": [0, 15], "y": [0, 3]}, "expr": "x*4 | y"}"#);
//! let base = Variant::new("shipped", RuleSet::shipped().clone());
//! let without = base.without("or-disjoint");
//! let experiment = Experiment::new(base, vec![corpus]);
//! let report = experiment.compare(&[without], &Results::in_memory(), &|_| {})?;
//! let row = &report.rows[0];
//! assert_eq!((row.changed, row.costlier), (1, 1));
//! assert_eq!(report.changed[0].before.as_ref().map(|a| &*a.text), Ok("x*4 + y"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! If [`Results`] are stored in a file, an experiment can be resumed, and finished runs are not repeated. Reports can
//! be written as CSV, as JSON and as one HTML page ([`Report`]).

mod asked;
mod compare;
mod corpus;
mod json;
mod line;
mod measure;
mod minimal;
mod outcome;
mod page;
mod report;
mod run;
mod store;
mod times;

pub use asked::{Asked, Part};
pub use compare::{Experiment, Variant};
pub use corpus::{BadLine, Case, Corpus, MAX_LINE, Question, lines};
pub use line::{Line, LineError};
pub use minimal::Keep;
pub use outcome::{Changed, Earlier, Effects, Elimination, Report, Row, Trial};
pub use run::{Answer, Run};
pub use store::Results;
pub use times::{Difference, Quartiles, Times};
