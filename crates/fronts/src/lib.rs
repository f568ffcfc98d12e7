//! What programs index with, in front of [`quaff`]: sizes and equations, tensor views, index types, memory traffic, kernels.
//!
//! ```
//! use quaff::{Simplifier, domain::Domain, expr::Expr};
//!
//! let _ = (Simplifier::default(), Domain::new(), "i".parse::<Expr>()?);
//! # Ok::<(), quaff_fronts::Error>(())
//! ```

pub mod banks;
pub mod coalesce;
pub mod dims;
mod draw;
mod error;
pub mod index_type;
pub mod kernel;
pub mod view;

pub use error::Error;
