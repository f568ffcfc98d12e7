//! The names of the dialects.

use std::fmt;
use std::str::FromStr;

/// A language of index expressions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// The texts of quaff itself, with the grammar of Python: `(i*16 + j)//4%8`.
    #[default]
    Infix,
    /// C and C++: `/` and `%` round towards zero, and `x & 3 == 0` means `x & (3 == 0)`.
    ///
    /// **What is read.** A text may have:
    ///
    /// - Integers in all bases with `'` between digits and the suffixes of C.
    /// - `true` and `false`.
    /// - Names, also with members (`shape.x`).
    /// - `+ - * / %`, `<< >>`, `& | ^ ~`, `! && ||` and `not and or`, comparisons, `c ? a : b`.
    /// - Conversions (`(long long)x`, `int64_t(x)`, `static_cast<int>(x)`).
    /// - `sizeof` of a type.
    /// - `min`, `max`, `abs` and `gcd` with and without `std::`.
    /// - `umin`, `umax`, `clamp`, `ceil_div` under its usual names, `div_floor_integer`, `floordiv`, `div_mod`.
    /// - `__umulhi`, `__mulhi`, `__umul24`, `__mul24`, `likely`.
    ///
    /// `ceil_div(a, b)` is read as `(a + b - 1)/b`, and `clamp(x, lo, hi)` as `max(min(x, hi), lo)`.
    ///
    /// **Statements.** Definitions (`int row = i/96;`), assignments and compound assignments are substituted into the
    /// statements after them. `unsigned n;` gives the type of a name without a value. The result is the last
    /// expression, also after `return`. If a statement consists of an array element, or assigns to one, the indices of
    /// its elements are results, in the order of the text. For example, `out[i*4] = in[k]` has the results `i*4` and
    /// `k`, and `A[i][j]` has `i` and `j`. Parentheses, conversions, `&` and `__ldg` around an element change nothing.
    /// An element within arithmetic is refused.
    ///
    /// **Types.** A name that is not declared is an `int`. `int` has 32 bits and `long` has 64. `char` is signed.
    /// Operands are promoted and converted as in C:
    ///
    /// - Signed arithmetic is exact integer arithmetic, because overflow is undefined in C.
    /// - Arithmetic of unsigned types of up to 32 bits wraps around. This is written as a single `% 4294967296`, where
    ///   the value is used. The `%` is left out if ranges show that the value does not wrap.
    /// - Arithmetic of 64-bit unsigned types is exact integer arithmetic. A [`Requirement`](crate::Requirement) says
    ///   that the value is not negative, unless ranges show it. Values of 2^64 and more are assumed not to occur.
    /// - A conversion to a narrower type wraps around: `(int)x` of a wider `x` is read as
    ///   `(x + 2**31) % 2**32 - 2**31`.
    /// - `/` and `%` are read as [`trunc_div`](quaff_expr::expr::Expr::trunc_div) and
    ///   [`trunc_mod`](quaff_expr::expr::Expr::trunc_mod) if an operand may be negative, and as `//` and `%` otherwise.
    ///   `>>` rounds down.
    ///
    /// The range of a declared type is in [`Read::domain`](crate::Read).
    ///
    /// **What is refused**, with the place: numbers that are not integers, pointers, texts, other functions, `++` and
    /// `--`, `,` between expressions, control flow, the preprocessor. A `//` between two expressions (`x // 4`) is
    /// refused, too: it is a floor division in Python, and begins a comment in C. A single word after `//` is a
    /// comment, unless it is one letter or a name of the text. The depth of nesting is not limited, and the time is
    /// linear in the length of the text.
    C,
    /// [`C`](Dialect::C) with the variables of CUDA.
    ///
    /// `threadIdx`, `blockIdx`, `blockDim` and `gridDim` are `unsigned`, and `warpSize` is an `int`. Their ranges hold
    /// on all machines with CUDA. [`Read::domain`](crate::Read) has the range of each variable that is used:
    /// `threadIdx.x=0..1023`, `blockIdx.x=0..2147483646`, `gridDim.y=1..65535`, `warpSize=32`.
    Cuda,
    /// Triton: the grammar of Python, `//` and `%` that round towards zero, and `tl` functions.
    ///
    /// The grammar is the one of [`Dialect::Python`]. `//` and `%` of literals round down, as in Python. The results of
    /// `and` and `or` are 0 or 1. `~` negates a comparison. `~` of a variable whose name contains `mask` is refused.
    ///
    /// - `tl.program_id(0)` is read as the variable `program_id_0`, and `tl.num_programs(0)` as `num_programs_0`. Their
    ///   ranges are the limits of a launch grid.
    /// - `tl.arange(0, 128)` is read as the variable `arange_0_128`, from 0 to 127. The end may be a name:
    ///   `arange_0_BLOCK`. Subscripts of `:` and `None` do not change values. An `arange` that one text uses along two
    ///   axes is refused, because it would be two variables.
    /// - `tl.load(ptr + offset, mask)` and `tl.store(ptr + offset, value, mask)` have the offset and the mask, if any,
    ///   as results. The pointer is the first term of the sum whose name begins or ends with `ptr` or `pointer`. A
    ///   number or an `s` may follow `ptr` or `pointer`. If there is no such term, the pointer is the first term, which
    ///   must be a name. A name that is defined as a load becomes a variable.
    /// - `tl.cdiv(a, b)` is read as `(a + b - 1) // b`, and rounds as `//` does. `triton.cdiv` rounds down.
    /// - `tl.assume(c)` and `tl.static_assert(c)` before the result are conditions of its domain. Functions that print
    ///   or wait are ignored.
    /// - Further functions: `tl.where`, `minimum`, `maximum`, `clamp`, `abs`, `logical_and`, `logical_or`, `full`,
    ///   `cast`, `x.to(tl.int64)`, `multiple_of`, `max_contiguous`, `max_constancy`, `broadcast_to`, `constexpr`.
    ///
    /// A cast to a signed type of 32 or 64 bits changes nothing. A cast to a narrower or unsigned type adds a
    /// [`Requirement`](crate::Requirement) with the range of the type.
    Triton,
    /// Texts of Inductor: the grammar and meaning of Python, `ModularIndexing` and `FloorDiv`.
    ///
    /// The grammar is the one of [`Dialect::Python`], and `//` and `%` round down. `ModularIndexing(x, a, b)` is read
    /// as `x//a%b`. Further functions are `FloorDiv`, `CleanDiv`, `CeilDiv`, `PythonMod`, `Mod`, `Where`, `Identity`,
    /// `PowByNatural`, `LShift`, `RShift`, `triton_helpers.div_floor_integer`, `remainder_integer`, `maximum` and
    /// `minimum`, and the functions of [`Dialect::Triton`] and [`Dialect::Sympy`]. `IntTrueDiv` is read inside of
    /// `TruncToInt` and similar functions.
    Inductor,
    /// Texts of sympy: `Mod(x, 4) + floor(x/4)`.
    ///
    /// The grammar is the one of [`Dialect::Python`]. `/` and `Rational(1, 2)` are exact. They are allowed only inside
    /// of `floor` and `ceiling`, and in comparisons. `~` means `Not`. Functions are `Mod`, `Min`, `Max`, `Abs`, `Pow`,
    /// `Add`, `Mul`, `Piecewise` with a last condition `True`, and `ITE`. `And`, `Or`, `Not`, `Eq` to `Ge` and their
    /// long names, `Integer`, and `Symbol('x', integer=True)` are read, too. Functions that torch adds are also read:
    /// `FloorDiv`, `CleanDiv`, `ModularIndexing` and others of [`Dialect::Inductor`].
    Sympy,
    /// TVM script and texts of TIR: `T.floordiv(x, 4)`.
    ///
    /// The grammar is the one of [`Dialect::Python`]. `//` and `%` round down, and `/` rounds towards zero. Functions
    /// have `T.`, `tir.`, `tvm.tir.`, `te.` or nothing before their names. They are `floordiv`, `floormod`, `truncdiv`,
    /// `truncmod`, `ceildiv`, `indexdiv`, `indexmod`, `min`, `max`, `abs`, `if_then_else`, `Select`, `likely`, `all`
    /// and `any`. Further ones are `bitwise_and` and the like, `shift_left`, `shift_right`, `Cast("int32", x)`,
    /// `int32(4)`, and the nodes of TIR such as `FloorDiv`, `EQ` and `And`. `i.astype("int64")` is a cast. The results
    /// of `A[i, j]` are its indices. `threadIdx.x` and `i.outer` are variables.
    Tvm,
    /// Affine expressions, maps and sets of MLIR: `d0 floordiv 8`.
    Mlir,
    /// Indexing maps of XLA, with the ranges of their dimensions.
    Xla,
    /// Halide: the grammar of [`C`](Dialect::C) with `/` and `%` whose remainder is never negative.
    ///
    /// `x/n` is read as `x // n` for a positive `n`, and as `-(x // -n)` for a negative `n`. If the sign of `n` is
    /// unknown, `x/n` is read as a `where` over both cases. Types are not promoted. The operands get the wider of their
    /// types, which is signed if one of them is signed. A literal gets the type of the other operand. Only converted
    /// values wrap around, such as the operand `cast<uint8_t>(x)` of a sum.
    ///
    /// Functions are `min` and `max` of two or more operands, `abs`, `clamp`, `select` with one or more conditions,
    /// `likely`, `likely_if_innermost`, `cast<int>(x)`, `mod`, `div_round_to_zero` and `mod_round_to_zero`, with and
    /// without `Halide::`.
    Halide,
    /// Texts of the expressions of tinygrad, as `render` prints them.
    ///
    /// The grammar is the one of [`Dialect::Python`]. `//` and `%` round down, and `cdiv` and `cmod` round towards
    /// zero. Methods are `x.where(a, b)`, `maximum`, `minimum`, `cast(dtypes.int)`, `ne`, `eq`, `lt` and `logical_not`.
    /// `(int)(x)` is a cast. `Variable("i", 0, 9)` has a range.
    Tinygrad,
    /// Python, with the functions of `numpy` and `math`.
    ///
    /// A text may have `+ - * // % ** << >> & | ^ ~`, `not`, `and`, `or`, chains of comparisons, `a if c else b`,
    /// parentheses, comments, and integers of all bases. `x ** n` is read as a product for `n` from 0 to 16, and
    /// `2 ** n` as `1 << n`. `a and b` means `b if a else a`. `~` of a comparison is refused, because its result is -2
    /// or -1 in Python, and the opposite truth value in numpy.
    ///
    /// `a / b` is the exact quotient. It may be used in `int` and `math.trunc`, which round it towards zero, in
    /// `math.floor` and `math.ceil`, and in comparisons. For example, `math.floor(x/4 + 1/2)` is read as `(x + 2)//4`.
    ///
    /// Definitions come before the result, on separate lines or separated by `;`: `row = i // 96; row*128`. They are `x
    /// = e`, `x: int = e`, `x += e` and `q, r = divmod(a, b)`. Each use of a defined name is replaced by its value. The
    /// last statement is the result. It may be a `return` or a definition. A tuple or list as the last statement has
    /// several results. Other statements are refused.
    ///
    /// Functions are `min` and `max` of two or more arguments or of a tuple, `abs`, `divmod`, `pow`, `int` and `bool`.
    /// Functions with the prefix `np.` or `numpy.` are `where`, `minimum`, `maximum`, `floor_divide`, `mod`,
    /// `remainder`, `fmod`, `clip`, `floor`, `ceil` and `trunc`. The arithmetic and logical functions, comparisons, and
    /// integer types of numpy are read, too. Subscripts of `:` and `None` do not change values.
    ///
    /// A part of a text that has no meaning, such as a float, is an error only if a result uses it.
    Python,
    /// S-expressions: `(+ (* i 16) j)`.
    Sexp,
}

impl Dialect {
    /// All dialects, in the order of their declaration.
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

    /// The name of the dialect in `--from`, such as `cuda`.
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

/// A name that no dialect has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no dialect; dialects are {}", Dialect::ALL.map(Dialect::name).join(", "))]
pub struct UnknownDialect {
    /// The unknown name.
    pub name: String,
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Dialect, UnknownDialect> {
        Dialect::ALL.into_iter().find(|d| d.name() == name).ok_or_else(|| UnknownDialect { name: name.into() })
    }
}
