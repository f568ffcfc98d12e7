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
    ///
    /// **What is read.** Integers in all bases with `'` between digits and the suffixes of C; `true` and `false`; names, also with members
    /// (`shape.x`); `+ - * / %`, `<< >>`, `& | ^ ~`, `! && ||` and `not and or`, comparisons, `c ? a : b`; conversions (`(long long)x`,
    /// `int64_t(x)`, `static_cast<int>(x)`); `sizeof` of a type; `min`, `max`, `abs` and `gcd` with and without `std::`, `umin`, `umax`, `clamp`,
    /// `ceil_div` under its usual names, `div_floor_integer`, `floordiv`, `div_mod`, `__umulhi`, `__mulhi`, `__umul24`, `__mul24`,
    /// `likely`. `ceil_div(a, b)` is `(a + b - 1)/b`, and `clamp(x, lo, hi)` is `max(min(x, hi), lo)`.
    ///
    /// **Statements.** A definition (`int row = i/96;`), an assignment and a compound one are substituted in what follows. `unsigned n;`
    /// gives the type of a free name. The result is the last expression, also behind `return`. Where a statement is an element of an array,
    /// or stores one, its indices are results in the order of the text: `out[i*4] = in[k]` is `i*4` and `k`, and `A[i][j]` is `i` and `j`.
    /// Parentheses, conversions, `&` and `__ldg` around an element change nothing. An element within arithmetic is refused.
    ///
    /// **Types.** A name that is not declared is an `int`. `int` has 32 bits and `long` 64; `char` has a sign. Operands are promoted and
    /// converted as in C:
    ///
    /// - Arithmetic with a sign is that of integers, because overflow is undefined in C.
    /// - Arithmetic of unsigned types of up to 32 bits wraps around. This is written as `% 4294967296` once, where the value is used, and left
    ///   out where ranges show that nothing wraps.
    /// - Arithmetic of 64-bit unsigned types is that of integers. That a value is not negative is a
    ///   [`Requirement`](crate::Requirement), unless ranges show it. Values of 2^64 and more are not thought of.
    /// - A conversion to a narrower type wraps around: `(int)x` of a wider `x` is `(x + 2**31) % 2**32 - 2**31`.
    /// - `/` and `%` are [`trunc_div`](quaff_expr::expr::Expr::trunc_div) and [`trunc_mod`](quaff_expr::expr::Expr::trunc_mod) where an operand
    ///   may be negative, and `//` and `%` elsewhere. `>>` rounds down.
    ///
    /// The range of a declared type is in [`Read::domain`](crate::Read).
    ///
    /// **What is refused**, with the place: numbers that are no integers, pointers, texts, other functions, `++` and `--`, `,` between
    /// expressions, control flow, the preprocessor. A `//` behind an expression that is followed by an expression (`x // 4`) is refused too,
    /// because it is a floor division in Python and a comment here. One word behind `//` is a comment, unless it is one letter or a
    /// name of the text. The depth of nesting is not limited, and time is linear in the text.
    C,
    /// [`C`](Dialect::C) with the variables of CUDA.
    ///
    /// `threadIdx`, `blockIdx`, `blockDim` and `gridDim` are `unsigned`, and `warpSize` is an `int`. Their ranges are those that all
    /// machines guarantee, and are in [`Read::domain`](crate::Read) for each one that is used: `threadIdx.x=0..1023`,
    /// `blockIdx.x=0..2147483646`, `gridDim.y=1..65535`, `warpSize=32`.
    Cuda,
    /// Triton: Python's grammar, `//` and `%` that round towards zero, and `tl` functions.
    ///
    /// The grammar is that of [`Dialect::Python`]. `//` and `%` of literals are Python's, floor. `and` and `or` are 0 or 1. `~` of a
    /// comparison is the other truth value; of a variable whose name has `mask` in it, it is refused.
    ///
    /// - `tl.program_id(0)` is the variable `program_id_0`, and `tl.num_programs(0)` is `num_programs_0`. Both have the ranges of a grid.
    /// - `tl.arange(0, 128)` is the variable `arange_0_128`, from 0 to 127. The end may be a name: `arange_0_BLOCK`. Subscripts of `:` and
    ///   `None` leave values as they are. An `arange` along two axes of one text is refused: it would be two variables.
    /// - `tl.load(ptr + offset, mask)` and `tl.store(ptr + offset, value, mask)` have the offset and the mask, if any, as results. The pointer
    ///   is the first term of the sum whose name begins or ends with `ptr` or `pointer`. A number or an `s` may follow it. Where there is none,
    ///   it is the first term, which has to be a name. A name that is defined as a load is a variable.
    /// - `tl.cdiv(a, b)` is `(a + b - 1) // b`, and rounds as `//` does. `triton.cdiv` rounds down.
    /// - `tl.assume(c)` and `tl.static_assert(c)` before the result are conditions of its domain. What prints or waits is passed over.
    /// - Others: `tl.where`, `minimum`, `maximum`, `clamp`, `abs`, `logical_and`, `logical_or`, `full`, `cast`, `x.to(tl.int64)`,
    ///   `multiple_of`, `max_contiguous`, `max_constancy`, `broadcast_to`, `constexpr`.
    ///
    /// A type of 32 or 64 bits with sign does nothing. Of a narrower one, or one without sign, the range is a
    /// [`Requirement`](crate::Requirement).
    Triton,
    /// Texts of Inductor: Python's grammar and meaning, `ModularIndexing` and `FloorDiv`.
    ///
    /// The grammar is that of [`Dialect::Python`]; `//` and `%` round down. `ModularIndexing(x, a, b)` is `x//a%b`. Others: `FloorDiv`,
    /// `CleanDiv`, `CeilDiv`, `PythonMod`, `Mod`, `Where`, `Identity`, `PowByNatural`, `LShift`, `RShift`, `IntTrueDiv` inside of `TruncToInt`
    /// and such, `triton_helpers.div_floor_integer`, `remainder_integer`, `maximum` and `minimum`, and the functions of
    /// [`Dialect::Triton`] and [`Dialect::Sympy`].
    Inductor,
    /// Texts of sympy: `Mod(x, 4) + floor(x/4)`.
    ///
    /// The grammar is that of [`Dialect::Python`]. `/` and `Rational(1, 2)` are exact, and have a meaning inside of `floor` and `ceiling`
    /// and in comparisons. `~` is `Not`. Others: `Mod`, `Min`, `Max`, `Abs`, `Pow`, `Add`, `Mul`, `Piecewise` with a last condition `True`,
    /// `ITE`, `And`, `Or`, `Not`, `Eq` to `Ge` and their long names, `Integer`, `Symbol('x', integer=True)`, and what torch adds:
    /// `FloorDiv`, `CleanDiv`, `ModularIndexing` and others of [`Dialect::Inductor`].
    Sympy,
    /// TVM script and texts of TIR: `T.floordiv(x, 4)`.
    ///
    /// The grammar is that of [`Dialect::Python`]; `//` and `%` round down, and `/` rounds towards zero. Functions have `T.`, `tir.`,
    /// `tvm.tir.`, `te.` or nothing before their names: `floordiv`, `floormod`, `truncdiv`, `truncmod`, `ceildiv`, `indexdiv`, `indexmod`,
    /// `min`, `max`, `abs`, `if_then_else`, `Select`, `likely`, `all`, `any`, `bitwise_and` and such, `shift_left`, `shift_right`,
    /// `Cast("int32", x)`, `int32(4)`, and the nodes of TIR such as `FloorDiv`, `EQ` and `And`. `i.astype("int64")` is a cast.
    /// Of `A[i, j]` the indices are the results. `threadIdx.x` and `i.outer` are variables.
    Tvm,
    /// Affine expressions, maps and sets of MLIR: `d0 floordiv 8`.
    Mlir,
    /// Indexing maps of XLA, with the ranges of their dimensions.
    Xla,
    /// Halide: the grammar of [`C`](Dialect::C) with `/` and `%` whose remainder is never negative.
    ///
    /// `x/n` is `x // n` for a positive `n` and `-(x // -n)` for a negative one; a divisor of either sign gets a `where`. There are no
    /// promotions: both operands get the wider type, which has a sign where one of them has, and a literal gets the type of the other operand.
    /// So nothing wraps around but what was converted, as in `cast<uint8_t>(x) + 1`.
    ///
    /// Functions are `min` and `max` of two or more, `abs`, `clamp`, `select` with one or more conditions, `likely`,
    /// `likely_if_innermost`, `cast<int>(x)`, `mod`, `div_round_to_zero` and `mod_round_to_zero`, with and without `Halide::`.
    Halide,
    /// Texts of tinygrad's expressions, as `render` prints them.
    ///
    /// The grammar is that of [`Dialect::Python`]. `//` and `%` round down, `cdiv` and `cmod` towards zero. Methods are `x.where(a, b)`,
    /// `maximum`, `minimum`, `cast(dtypes.int)`, `ne`, `eq`, `lt` and `logical_not`. `(int)(x)` is a cast. `Variable("i", 0, 9)` has a range.
    Tinygrad,
    /// Python, with the functions of `numpy` and `math`.
    ///
    /// Read are `+ - * // % ** << >> & | ^ ~`, `not`, `and`, `or`, chains of comparisons, `a if c else b`, parentheses, comments, and
    /// integers of all bases. `x ** n` is a product for `n` from 0 to 16, and `2 ** n` is `1 << n`. `a and b` is `b if a else a`. `~` of a
    /// comparison is refused: it is -2 or -1 in Python, and the other truth value in numpy.
    ///
    /// `a / b` is the exact quotient. It has a meaning in `int` and `math.trunc`, which round it towards zero, in `math.floor` and
    /// `math.ceil`, and in comparisons: `math.floor(x/4 + 1/2)` is `(x + 2)//4`.
    ///
    /// Definitions stand before the result, on lines or with `;` between them: `row = i // 96; row*128`. They are `x = e`, `x: int = e`,
    /// `x += e` and `q, r = divmod(a, b)`. What they bind is replaced by its value. The last statement is the result. It may be a `return` or
    /// a definition. A tuple or list there has several results. Other statements are refused.
    ///
    /// Functions: `min` and `max` of two or more or of a tuple, `abs`, `divmod`, `pow`, `int`, `bool`; with `np.` or `numpy.` before them `where`,
    /// `minimum`, `maximum`, `floor_divide`, `mod`, `remainder`, `fmod`, `clip`, `floor`, `ceil`, `trunc`, the arithmetic and logical functions,
    /// comparisons, and types of integers. Subscripts of `:` and `None` leave values as they are.
    ///
    /// A part of a text that has no meaning, such as a float, is an error only where the results use it.
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
