//! The languages of texts.

use crate::lower::Type;
use quaff_expr::names::{self, Words};

/// The language of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub enum Language {
    #[default]
    C,
    Cuda,
    Python,
    Rust,
    Triton,
}

impl Language {
    /// The reserved words of the language.
    pub(super) fn words(self) -> &'static Words {
        match self {
            Language::C => &names::C,
            Language::Cuda => &names::CUDA,
            Language::Python => &names::PYTHON,
            Language::Rust => &names::RUST,
            Language::Triton => &names::TRITON,
        }
    }

    /// The type of the variable `name` if the language defines it in kernels. Only CUDA has such variables, such as
    /// `threadIdx.x`.
    pub(super) fn builtin(self, name: &str) -> Option<Type> {
        match name.split_once('.') {
            _ if self != Language::Cuda => None,
            Some(("threadIdx" | "blockIdx" | "blockDim" | "gridDim", "x" | "y" | "z")) => Some(Type::Unsigned),
            None if name == "warpSize" => Some(Type::Int),
            _ => None,
        }
    }

    /// The text that begins a comment.
    pub(super) fn comment(self) -> &'static str {
        match self {
            Language::Python | Language::Triton => "#",
            Language::C | Language::Cuda | Language::Rust => "//",
        }
    }
}
