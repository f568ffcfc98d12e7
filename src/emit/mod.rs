//! The text of lowered expressions (CUDA and C), and of expressions that are not lowered (Python, Triton, Rust,
//! s-expressions).
//!
//! Printers decide how operations are spelled and which values get a name. They select no instructions. Every value
//! that is used more than once becomes a `const` temporary, with a name that no variable has. The [`Contract`] of a
//! text lists the parameters and requirements of the text. [`Text::function`] wraps the text in a whole function.
//!
//! ```
//! use quaff::domain::Domain;
//! use quaff::expr::{Dag, Expr};
//! use quaff::{emit, lower::lower};
//!
//! let vars = Domain::new().with("i", 0..1024).with("n", 1..=4096).launch_invariant("n").resolve()?;
//! let dag = Dag::new(&["i % n * 8 + i // n".parse::<Expr>()?]);
//! let kernel = emit::cuda(&lower(&dag, &vars)?);
//! assert!(kernel.host.contains("quaff_fastdivmod_any"));
//! assert_eq!(
//!     kernel.to_string(),
//!     "const int t0 = (int)((__umulhi((unsigned)i, n_div.m) + (unsigned)i) >> n_div.s);\n\
//!      return (i - t0 * n) * 8 + t0;\n"
//! );
//!
//! assert_eq!(emit::python(&dag).to_string(), "return i % n * 8 + i // n\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod c;
mod contract;
mod element;
pub(crate) mod fragments;
mod function;
mod high;
pub(crate) mod language;
mod names;
mod prelude;
pub(crate) mod program;
mod rust;
mod text;
mod triton;
mod variables;

pub use c::{c, c_library, cuda};
pub use contract::{Contract, HostDivisor, Parameter};
pub use element::Element;
pub(crate) use fragments::Fragments;
pub use fragments::is_free_name;
pub use function::FunctionName;
pub use high::python;
pub(crate) use language::Language;
pub use names::{identifiers, is_name, is_type};
pub(crate) use rust::run as run_rust;
pub use rust::rust;
pub use text::{Input, Output, Text};
pub use triton::{triton, triton_with};

use crate::expr::{Expr, TooLarge};

/// The s-expression of `e`, for example `(// (+ (* i 16) j) 4)`.
///
/// # Errors
/// [`TooLarge`] when the text, in which shared parts are repeated, is longer than `limit` bytes.
pub fn sexp(e: &Expr, limit: usize) -> Result<String, TooLarge> {
    e.to_sexp(limit)
}
