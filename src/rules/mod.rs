//! Rules as data: the language of the files `rules/*.rules`, and the reader and compiler of this language.
//!
//! A [`RuleSet`] is read from files or from text. The default set is compiled into the library. `rules/README.md`
//! describes the language. That page also lists the identities that the engine applies without a rule, as normal forms.
//!
//! ```
//! use quaff::rules::RuleSet;
//!
//! let set = RuleSet::parse(
//!     "example.rules",
//!     r#"(rule div-of-div "floor division composes"
//!          (match (// (// ?x... #a) #b))
//!          (when (> #a 0) (> #b 0))
//!          (yield (// ?x (* #a #b))))"#,
//! )?;
//! assert_eq!(set.rules()[0].name(), "div-of-div");
//! # Ok::<(), quaff::rules::RuleErrors>(())
//! ```

mod compile;
mod error;
mod hoist;
pub(crate) mod operator;
mod phase;
pub(crate) mod program;
pub(crate) mod read;
pub(crate) mod set;

pub use error::{RuleError, RuleErrors};
pub use program::Rule;
pub use read::Position;
pub use set::RuleSet;
