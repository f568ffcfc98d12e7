//! The names of the dialects.

use std::fmt;
use std::str::FromStr;

/// A language of index expressions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// The grammar of quaff's own texts, which is Python's: `(i*16 + j)//4%8`.
    #[default]
    Infix,
    /// C and C++: `/` and `%` round towards zero, and `x & 3 == 0` is `x & (3 == 0)`.
    C,
    /// C with the variables of CUDA, which are `unsigned` and have the ranges of the machine.
    Cuda,
    /// Triton: Python's grammar, `//` and `%` that round towards zero, and `tl` functions.
    Triton,
    /// Texts of Inductor: Python's grammar and meaning, `ModularIndexing` and `FloorDiv`.
    Inductor,
    /// Texts of sympy: `Mod(x, 4) + floor(x/4)`.
    Sympy,
    /// TVM script and texts of TIR: `T.floordiv(x, 4)`.
    Tvm,
    /// Affine expressions, maps and sets of MLIR: `d0 floordiv 8`.
    Mlir,
    /// Indexing maps of XLA, with the ranges of their dimensions.
    Xla,
    /// Halide: C++ with `/` and `%` that round down.
    Halide,
    /// Texts of tinygrad's expressions.
    Tinygrad,
    /// Python, with the functions of `numpy` and `math`.
    Python,
    /// S-expressions: `(+ (* i 16) j)`.
    Sexp,
}

impl Dialect {
    /// Every dialect, in the order of this page.
    pub const ALL: [Dialect; 13] = [
        Dialect::Infix,
        Dialect::C,
        Dialect::Cuda,
        Dialect::Triton,
        Dialect::Inductor,
        Dialect::Sympy,
        Dialect::Tvm,
        Dialect::Mlir,
        Dialect::Xla,
        Dialect::Halide,
        Dialect::Tinygrad,
        Dialect::Python,
        Dialect::Sexp,
    ];

    /// The name, as `--from` takes it: `cuda`.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Infix => "infix",
            Dialect::C => "c",
            Dialect::Cuda => "cuda",
            Dialect::Triton => "triton",
            Dialect::Inductor => "inductor",
            Dialect::Sympy => "sympy",
            Dialect::Tvm => "tvm",
            Dialect::Mlir => "mlir",
            Dialect::Xla => "xla",
            Dialect::Halide => "halide",
            Dialect::Tinygrad => "tinygrad",
            Dialect::Python => "python",
            Dialect::Sexp => "sexp",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is none of a dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no dialect; dialects are {}", Dialect::ALL.map(Dialect::name).join(", "))]
pub struct UnknownDialect {
    /// The name.
    pub name: String,
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Dialect, UnknownDialect> {
        Dialect::ALL.into_iter().find(|d| d.name() == name).ok_or_else(|| UnknownDialect { name: name.into() })
    }
}
