//! Accesses in the loops of their kernel.
//!
//! The input is simplified accesses and the loops around each of them. The output is the text of the accesses with
//! these loops. A value that a loop does not change is computed before the loop. A loop carries a value from one
//! iteration to the next if this reduces the executed instructions.
//!
//! ```
//! use quaff::{Simplifier, access::Access, domain::Domain};
//!
//! // three tiles in turns
//! let domain: Domain = "t=0..255, k=0..63, loop k".parse()?;
//! let load = Access::load("v", "tiles", "(t + k)%3*256 + t".parse()?);
//! let simplifier = Simplifier::default();
//! let answer = simplifier.simplify_accesses(&[load], &domain)?;
//! let nested = simplifier.in_loops(&answer, &[vec!["k".into()]], &domain)?;
//! assert!(nested.cost() < answer.cost());
//! println!("{}", nested.cuda()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accesses;
mod blocks;
mod carry;
mod loops;
mod program;
mod text;

pub use carry::Carried;
pub use program::NestedAccesses;
pub(crate) use program::in_loops;
