//! Rewrites the index arithmetic of CUDA, C and Triton source files.
//!
//! ```
//! use quaff::Simplifier;
//! use quaff_rewrite::{Language, Options, rewrite};
//!
//! let source = "\
//! __global__ void scale(float* x) {
//!   int row = threadIdx.x / 32, lane = threadIdx.x % 32;
//!   x[row * 32 + lane] *= 2;
//! }
//! ";
//! let answer = rewrite(source, Language::Cuda, &Options::default(), &Simplifier::default())?;
//! assert_eq!(answer.text, "__global__ void scale(float* x) {\n  x[threadIdx.x] *= 2;\n}\n");
//! # Ok::<(), quaff_rewrite::RewriteError>(())
//! ```
//!
//! A file goes through these steps. The modules `c` and `python` read its kernels into the data structures of `model`.
//! The module `question` turns each kernel into one call of the simplifier, and `answer` keeps the cheaper results. The
//! module `reuse` finds names for values, `spell` writes expressions as text, and `edit` puts these texts into the
//! file. The module `verify` compares each value of the new text with the old value.

mod alike;
mod answer;
mod c;
mod edit;
mod language;
mod model;
mod notes;
mod options;
mod place;
mod promises;
mod python;
mod question;
mod reuse;
mod rewritten;
mod signed;
mod spell;
mod style;
mod values;
mod verify;

pub use c::Prepared;
pub use language::Language;
pub use options::Options;
pub use rewritten::{Change, Left, Report, RewriteError, Rewritten, rewrite};
pub use values::{Value, values};
