//! The functions of the dialects, by name.

use quaff_expr::expr::Op;

/// The meaning of a function.
#[derive(Clone, Copy)]
pub(super) enum Function {
    /// Applies an operator to its operands.
    Apply(&'static Op),
    /// Applies an operator to two or more arguments, or to the items of one tuple.
    Fold(&'static Op),
    /// The quotient `a / b`, rounded towards zero.
    TruncDiv,
    /// The remainder of `a / b` rounded towards zero.
    TruncMod,
    /// The rounded-up quotient `(a + b - 1) // b`.
    CeilDiv,
    /// The rounded-up quotient `(a + b - 1) // b`, with the `//` of the dialect.
    TensorCeilDiv,
    /// The exact quotient `a / b`.
    TrueDiv,
    /// The digit `a // b % c`.
    ModularIndexing,
    /// The pair `(a // b, a % b)`.
    Divmod,
    Power,
    Abs,
    /// The greatest common divisor of two or more arguments.
    Gcd,
    Complement,
    Round(Rounding),
    /// The first argument. The other arguments do not affect the value.
    Same,
    /// Converts the argument `value` to the number type that the argument `number` names.
    Cast {
        value: usize,
        number: usize,
    },
    /// Converts the argument to this number type.
    Number(&'static str),
    /// The function `clip(x, low, high)`.
    Clip,
    /// The function `Piecewise((a, c), (b, True))`.
    Piecewise,
    /// The variable of `Symbol('x')`. The other arguments give its sign.
    Symbol,
    /// The variable of `Variable("x", low, high)`.
    Variable,
    /// Asserts that the condition in its argument is true.
    Assume,
    /// A call without effect on an index.
    Silent,
    /// A variable with this name and an axis. The first range is for axis 0, and the second one for the other axes.
    Axis(&'static str, [(i64, i64); 2]),
    /// The function `arange(start, end)`.
    Arange,
    /// The function `load(pointer + offset, mask)`.
    Load,
    /// The function `store(pointer + offset, value, mask)`.
    Store,
    /// A function that is not allowed in an index, with the reason.
    Refused(&'static str),
}

/// The rounding to an integer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Down,
    Up,
    TowardsZero,
}

/// Functions that have the same module prefixes.
pub(super) struct Group {
    /// The module prefixes with the dot. Error messages show the first prefix.
    modules: &'static [&'static str],
    functions: &'static [(&'static str, Function)],
}

impl Group {
    pub(super) fn function(&self, name: &str) -> Option<Function> {
        let named = |name: &str| self.functions.iter().find(|f| f.0 == name).map(|f| f.1);
        self.modules.iter().find_map(|module| named(name.strip_prefix(module)?))
    }

    /// The names of the functions that are allowed in an index, with the first prefix.
    pub(super) fn names(&self) -> impl Iterator<Item = String> + '_ {
        let has_meaning = |f: Function| !matches!(f, Function::Refused(_) | Function::Number("float"));
        self.functions.iter().filter(move |f| has_meaning(f.1)).map(|f| format!("{}{}", self.modules[0], f.0))
    }
}

const MINIMUM: Function = Function::Apply(&Op::Min);
const MAXIMUM: Function = Function::Apply(&Op::Max);
const FLOOR_DIV: Function = Function::Apply(&Op::FloorDiv);
const FLOOR_MOD: Function = Function::Apply(&Op::FloorMod);
const WHERE: Function = Function::Apply(&Op::Select);
const CAST: Function = Function::Cast { value: 0, number: 1 };
const FLOOR: Function = Function::Round(Rounding::Down);
const CEIL: Function = Function::Round(Rounding::Up);
const TRUNC: Function = Function::Round(Rounding::TowardsZero);
const REDUCES: Function = Function::Refused("combines the items of a tensor, and an index has one value");

/// Functions of Python itself.
pub(super) static BUILTIN: Group = Group {
    modules: &[""],
    functions: &[
        ("min", Function::Fold(&Op::Min)),
        ("max", Function::Fold(&Op::Max)),
        ("abs", Function::Abs),
        ("divmod", Function::Divmod),
        ("pow", Function::Power),
        ("int", TRUNC),
        ("bool", Function::Number("bool")),
        ("float", Function::Number("float")),
        ("round", Function::Refused("rounds halves to even, which no dialect has an operator for")),
        ("sum", REDUCES),
        ("len", Function::Refused("is no number that the text has")),
    ],
};

/// The module `math`.
pub(super) static MATH: Group = Group {
    modules: &["math."],
    functions: &[
        ("floor", FLOOR),
        ("ceil", CEIL),
        ("trunc", TRUNC),
        ("gcd", Function::Gcd),
        ("fabs", Function::Number("float")),
    ],
};

/// The package `numpy`.
pub(super) static NUMPY: Group = Group {
    modules: &["np.", "numpy."],
    functions: &[
        ("where", WHERE),
        ("minimum", MINIMUM),
        ("maximum", MAXIMUM),
        ("floor_divide", FLOOR_DIV),
        ("mod", FLOOR_MOD),
        ("remainder", FLOOR_MOD),
        ("fmod", Function::TruncMod),
        ("divmod", Function::Divmod),
        ("clip", Function::Clip),
        ("logical_and", Function::Apply(&Op::And)),
        ("logical_or", Function::Apply(&Op::Or)),
        ("logical_not", Function::Apply(&Op::Not)),
        ("bitwise_and", Function::Apply(&Op::BitAnd)),
        ("bitwise_or", Function::Apply(&Op::BitOr)),
        ("bitwise_xor", Function::Apply(&Op::BitXor)),
        ("bitwise_not", Function::Complement),
        ("invert", Function::Complement),
        ("left_shift", Function::Apply(&Op::Shl)),
        ("right_shift", Function::Apply(&Op::Shr)),
        ("add", Function::Apply(&Op::Add)),
        ("subtract", Function::Apply(&Op::Sub)),
        ("multiply", Function::Apply(&Op::Mul)),
        ("negative", Function::Apply(&Op::Neg)),
        ("abs", Function::Abs),
        ("absolute", Function::Abs),
        ("gcd", Function::Gcd),
        ("floor", FLOOR),
        ("ceil", CEIL),
        ("trunc", TRUNC),
        ("true_divide", Function::TrueDiv),
        ("divide", Function::TrueDiv),
        ("power", Function::Power),
        ("square", Function::Refused("is written `x * x` here")),
        ("less", Function::Apply(&Op::Lt)),
        ("less_equal", Function::Apply(&Op::Le)),
        ("greater", Function::Apply(&Op::Gt)),
        ("greater_equal", Function::Apply(&Op::Ge)),
        ("equal", Function::Apply(&Op::Eq)),
        ("not_equal", Function::Apply(&Op::Ne)),
        ("int8", Function::Number("int8")),
        ("int16", Function::Number("int16")),
        ("int32", Function::Number("int32")),
        ("int64", Function::Number("int64")),
        ("uint8", Function::Number("uint8")),
        ("uint16", Function::Number("uint16")),
        ("uint32", Function::Number("uint32")),
        ("uint64", Function::Number("uint64")),
        ("intp", Function::Number("int64")),
        ("sum", REDUCES),
        ("min", REDUCES),
        ("max", REDUCES),
    ],
};

/// The functions of the kernel language of Triton.
pub(super) static TL: Group = Group {
    modules: &["tl.", "triton.language."],
    functions: &[
        ("cdiv", Function::TensorCeilDiv),
        ("where", WHERE),
        ("minimum", MINIMUM),
        ("maximum", MAXIMUM),
        ("clamp", Function::Clip),
        ("abs", Function::Abs),
        ("logical_and", Function::Apply(&Op::And)),
        ("logical_or", Function::Apply(&Op::Or)),
        ("program_id", Function::Axis("program_id", [(0, 2_147_483_646), (0, 65_534)])),
        ("num_programs", Function::Axis("num_programs", [(1, 2_147_483_647), (1, 65_535)])),
        ("arange", Function::Arange),
        ("full", Function::Cast { value: 1, number: 2 }),
        ("cast", CAST),
        ("constexpr", Function::Same),
        ("multiple_of", Function::Same),
        ("max_contiguous", Function::Same),
        ("max_constancy", Function::Same),
        ("broadcast_to", Function::Same),
        ("load", Function::Load),
        ("store", Function::Store),
        ("atomic_add", Function::Store),
        ("atomic_max", Function::Store),
        ("atomic_min", Function::Store),
        ("assume", Function::Assume),
        ("static_assert", Function::Assume),
        ("device_assert", Function::Silent),
        ("static_print", Function::Silent),
        ("device_print", Function::Silent),
        ("debug_barrier", Function::Silent),
        ("swizzle2d", Function::Refused("has two results; write its formula")),
        ("make_block_ptr", Function::Refused("keeps its indices from the text; write the offset")),
        ("advance", Function::Refused("keeps its indices from the text; write the offset")),
        ("sum", REDUCES),
        ("max", REDUCES),
        ("min", REDUCES),
        ("cumsum", REDUCES),
    ],
};

/// Functions of Triton outside of kernels.
pub(super) static TRITON: Group = Group {
    modules: &["triton."],
    functions: &[
        ("cdiv", Function::CeilDiv),
        ("next_power_of_2", Function::Refused("has no operator here; write the number")),
    ],
};

/// Functions that kernels of Inductor call in the place of operators.
pub(super) static HELPERS: Group = Group {
    modules: &["triton_helpers.", "torch._inductor.runtime.triton_helpers."],
    functions: &[
        ("div_floor_integer", FLOOR_DIV),
        ("remainder_integer", FLOOR_MOD),
        ("maximum", MAXIMUM),
        ("minimum", MINIMUM),
    ],
};

/// Functions that torch adds to sympy.
pub(super) static TORCH: Group = Group {
    modules: &["", "sympy.", "torch.utils._sympy.functions."],
    functions: &[
        ("FloorDiv", FLOOR_DIV),
        ("CleanDiv", FLOOR_DIV),
        ("CeilDiv", Function::CeilDiv),
        ("IntTrueDiv", Function::TrueDiv),
        ("ModularIndexing", Function::ModularIndexing),
        ("PythonMod", FLOOR_MOD),
        ("Mod", FLOOR_MOD),
        ("Where", WHERE),
        ("Identity", Function::Same),
        ("TruncToInt", TRUNC),
        ("FloorToInt", FLOOR),
        ("CeilToInt", CEIL),
        ("PowByNatural", Function::Power),
        ("LShift", Function::Apply(&Op::Shl)),
        ("RShift", Function::Apply(&Op::Shr)),
        ("BitwiseFn_bitwise_and", Function::Apply(&Op::BitAnd)),
        ("BitwiseFn_bitwise_or", Function::Apply(&Op::BitOr)),
        ("BitwiseFn_bitwise_xor", Function::Apply(&Op::BitXor)),
    ],
};

/// The package `sympy`.
pub(super) static SYMPY: Group = Group {
    modules: &["", "sympy.", "sp."],
    functions: &[
        ("Mod", FLOOR_MOD),
        ("floor", FLOOR),
        ("ceiling", CEIL),
        ("Min", Function::Fold(&Op::Min)),
        ("Max", Function::Fold(&Op::Max)),
        ("Piecewise", Function::Piecewise),
        ("ITE", WHERE),
        ("Integer", Function::Same),
        ("Rational", Function::TrueDiv),
        ("Add", Function::Fold(&Op::Add)),
        ("Mul", Function::Fold(&Op::Mul)),
        ("Pow", Function::Power),
        ("Abs", Function::Abs),
        ("gcd", Function::Gcd),
        ("igcd", Function::Gcd),
        ("And", Function::Fold(&Op::And)),
        ("Or", Function::Fold(&Op::Or)),
        ("Not", Function::Apply(&Op::Not)),
        ("Eq", Function::Apply(&Op::Eq)),
        ("Ne", Function::Apply(&Op::Ne)),
        ("Lt", Function::Apply(&Op::Lt)),
        ("Le", Function::Apply(&Op::Le)),
        ("Gt", Function::Apply(&Op::Gt)),
        ("Ge", Function::Apply(&Op::Ge)),
        ("Equality", Function::Apply(&Op::Eq)),
        ("Unequality", Function::Apply(&Op::Ne)),
        ("StrictLessThan", Function::Apply(&Op::Lt)),
        ("LessThan", Function::Apply(&Op::Le)),
        ("StrictGreaterThan", Function::Apply(&Op::Gt)),
        ("GreaterThan", Function::Apply(&Op::Ge)),
        ("Symbol", Function::Symbol),
        ("Float", Function::Number("float")),
        ("sign", Function::Refused("has no operator here; write `Piecewise((1, x > 0), (-1, x < 0), (0, True))`")),
        ("frac", Function::Refused("is no integer")),
        ("Sum", REDUCES),
    ],
};

/// The functions of TIR in TVM.
pub(super) static TIR: Group = Group {
    modules: &["T.", "", "tir.", "tvm.tir.", "tvm.script.tir.", "te.", "tvm.te."],
    functions: &[
        ("floordiv", FLOOR_DIV),
        ("floormod", FLOOR_MOD),
        ("truncdiv", Function::TruncDiv),
        ("truncmod", Function::TruncMod),
        ("ceildiv", Function::CeilDiv),
        ("indexdiv", FLOOR_DIV),
        ("indexmod", FLOOR_MOD),
        ("min", Function::Fold(&Op::Min)),
        ("max", Function::Fold(&Op::Max)),
        ("abs", Function::Abs),
        ("if_then_else", WHERE),
        ("Select", WHERE),
        ("likely", Function::Same),
        ("all", Function::Fold(&Op::And)),
        ("any", Function::Fold(&Op::Or)),
        ("And", Function::Apply(&Op::And)),
        ("Or", Function::Apply(&Op::Or)),
        ("Not", Function::Apply(&Op::Not)),
        ("EQ", Function::Apply(&Op::Eq)),
        ("NE", Function::Apply(&Op::Ne)),
        ("LT", Function::Apply(&Op::Lt)),
        ("LE", Function::Apply(&Op::Le)),
        ("GT", Function::Apply(&Op::Gt)),
        ("GE", Function::Apply(&Op::Ge)),
        ("Add", Function::Apply(&Op::Add)),
        ("Sub", Function::Apply(&Op::Sub)),
        ("Mul", Function::Apply(&Op::Mul)),
        ("Div", Function::TruncDiv),
        ("Mod", Function::TruncMod),
        ("FloorDiv", FLOOR_DIV),
        ("FloorMod", FLOOR_MOD),
        ("Min", MINIMUM),
        ("Max", MAXIMUM),
        ("bitwise_and", Function::Apply(&Op::BitAnd)),
        ("bitwise_or", Function::Apply(&Op::BitOr)),
        ("bitwise_xor", Function::Apply(&Op::BitXor)),
        ("bitwise_not", Function::Complement),
        ("shift_left", Function::Apply(&Op::Shl)),
        ("shift_right", Function::Apply(&Op::Shr)),
        ("Cast", Function::Cast { value: 1, number: 0 }),
        ("cast", CAST),
        ("IntImm", Function::Cast { value: 1, number: 0 }),
        ("int8", Function::Number("int8")),
        ("int16", Function::Number("int16")),
        ("int32", Function::Number("int32")),
        ("int64", Function::Number("int64")),
        ("uint8", Function::Number("uint8")),
        ("uint16", Function::Number("uint16")),
        ("uint32", Function::Number("uint32")),
        ("uint64", Function::Number("uint64")),
        ("bool", Function::Number("bool")),
        ("Bool", Function::Number("bool")),
        ("boolean", Function::Number("bool")),
        ("float16", Function::Number("float")),
        ("float32", Function::Number("float")),
        ("float64", Function::Number("float")),
        ("match_buffer", Function::Refused("declares a buffer; write the expression of an index")),
        ("alloc_buffer", Function::Refused("declares a buffer; write the expression of an index")),
        ("Buffer", Function::Refused("declares a buffer; write the expression of an index")),
        ("axis.remap", Function::Refused("binds loops; write their variables")),
        ("grid", Function::Refused("makes loops; write their variables")),
    ],
};

/// Functions in the printed expressions of tinygrad.
pub(super) static TINYGRAD: Group = Group {
    modules: &[""],
    functions: &[
        ("cdiv", Function::TruncDiv),
        ("cmod", Function::TruncMod),
        ("floordiv", FLOOR_DIV),
        ("floormod", FLOOR_MOD),
        ("Variable", Function::Variable),
        ("UOp.variable", Function::Variable),
        ("ceildiv", Function::Refused("is `-(-a//b)` here")),
        ("int", Function::Number("int32")),
        ("long", Function::Number("int64")),
        ("index", Function::Number("int64")),
        ("weakint", Function::Number("int64")),
        ("short", Function::Number("int16")),
        ("char", Function::Number("int8")),
        ("uchar", Function::Number("uint8")),
        ("ushort", Function::Number("uint16")),
        ("uint", Function::Number("uint32")),
        ("ulong", Function::Number("uint64")),
    ],
};

/// The methods of the expressions of tinygrad.
pub(super) static OF_UOPS: &[(&str, Function)] = &[
    ("where", WHERE),
    ("maximum", MAXIMUM),
    ("minimum", MINIMUM),
    ("cast", CAST),
    ("ne", Function::Apply(&Op::Ne)),
    ("eq", Function::Apply(&Op::Eq)),
    ("lt", Function::Apply(&Op::Lt)),
    ("logical_not", Function::Apply(&Op::Not)),
];
