//! Runs several extractors (methods that choose one node for each e-class) on the same saturated e-graphs.
//!
//! ```
//! use quaff::{Simplifier, inspect::Extraction};
//! use quaff_lab::experiment::Corpus;
//! use quaff_lab::extraction::{Comparison, Extractor, problems};
//!
//! let corpus = Corpus::parse("one line", br#"{"vars": {"x": [0, 99]}, "expr": "x//7*7 + x%7 + x//7"}"#);
//! let found = problems(&Simplifier::default(), &corpus);
//! let mut comparison = Comparison::new(Extractor::ALL);
//! comparison.add(found[0].as_ref().unwrap());
//! let [trees, .., exhaustive] = comparison.rows() else { unreachable!() };
//! assert!(exhaustive.cost <= trees.cost && exhaustive.optimal == 1);
//! ```

mod compare;
mod extractor;
mod file;
mod greedy;
#[cfg(feature = "ilp")]
mod ilp;

pub use compare::{Comparison, Row, problems};
pub use extractor::Extractor;
pub use file::{FileError, UNIT_OF_FILES, read, write};
