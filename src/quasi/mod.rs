//! Periods and canonical forms of quasi-affine expressions.
//!
//! ```
//! use quaff::quasi::Canonical;
//!
//! assert_eq!(Canonical::of(&"x//2//3".parse()?, "x")?, Canonical::of(&"x//6".parse()?, "x")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod canonical;
mod period;

pub use canonical::{Canonical, CanonicalError};
pub use period::Period;
