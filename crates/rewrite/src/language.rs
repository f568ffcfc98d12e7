//! The languages of source files.

use quaff_dialects::Dialect;
use std::path::Path;

/// The language of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// CUDA. Functions that run on the device are read.
    Cuda,
    /// C and C++. All functions are read.
    C,
    /// Triton. Functions with the decorator `@triton.jit` are read, also inside of strings in the files that Inductor
    /// writes.
    Triton,
}

impl Language {
    /// The language that the extension of a file name implies: `cu` and `cuh`, `c`, `cc`, `cpp`, `h` and `hpp`, or
    /// `py`.
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "cu" | "cuh" => Some(Language::Cuda),
            "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" => Some(Language::C),
            "py" => Some(Language::Triton),
            _ => None,
        }
    }

    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Language::Cuda | Language::C => Dialect::Cuda,
            Language::Triton => Dialect::Triton,
        }
    }

    /// The text of a condition that always holds or never holds.
    pub(crate) fn truth(self, holds: bool) -> &'static str {
        match (self, holds) {
            (Language::Triton, true) => "True",
            (Language::Triton, false) => "False",
            (_, true) => "true",
            (_, false) => "false",
        }
    }

    /// Whether `text`, which contains no strings, has a comment.
    pub(crate) fn has_comment(self, text: &str) -> bool {
        match self {
            Language::Cuda | Language::C => text.contains("//") || text.contains("/*"),
            Language::Triton => text.contains('#'),
        }
    }

    /// A statement that defines the variable `name` with a value of 32 bits.
    pub(crate) fn definition(self, name: &str, value: &str) -> String {
        match self {
            Language::Cuda | Language::C => format!("const int {name} = {value};"),
            Language::Triton => format!("{name} = {value}"),
        }
    }
}
