//! The error type of kernel building.

use crate::SimplifyError;
use crate::dims::DimsError;
use crate::lower::LowerError;
use std::sync::Arc;

/// Why a kernel cannot be built or printed.
#[derive(Clone, Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum KernelError {
    /// An index cannot be set or read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Dims(#[from] DimsError),
    /// An index, condition or proof cannot be simplified.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Simplify(#[from] SimplifyError),
    /// An index has no machine text.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Lower(#[from] LowerError),
    /// A name that CUDA would not take, or that the kernel uses already.
    #[error("`{}` cannot be a name in a kernel: {reason}", name.escape_debug())]
    #[diagnostic(code(quaff::kernel::name), help("choose another name"))]
    Name {
        /// The name.
        name: Arc<str>,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A placeholder that stands for nothing in its block.
    #[error("`{placeholder}` is not known here, in `{text}`")]
    #[diagnostic(
        code(quaff::kernel::placeholder),
        help(
            "`$name` stands for an index asked for in this block or around it, `$|dim|` for a size, `$$` for a dollar"
        )
    )]
    Placeholder {
        /// As written.
        placeholder: String,
        /// The code.
        text: String,
    },
    /// Raw text was asked for, and an index has an operator without a plain spelling.
    #[error("`{expr}` has no plain C text")]
    #[diagnostic(code(quaff::kernel::raw), help("print the simplified kernel instead"))]
    Raw {
        /// The expression.
        expr: String,
    },
}
