//! The functions that a text may call.

use crate::dialect::Dialect;

/// The meaning of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Min,
    Max,
    /// `min` of two operands that are converted to `unsigned`.
    MinUnsigned,
    MaxUnsigned,
    Abs,
    /// The greatest common divisor.
    Gcd,
    Clamp,
    /// The rounded-up quotient `(a + b - 1)/b`.
    CeilDiv,
    FloorDiv,
    FloorMod,
    TruncDiv,
    TruncMod,
    /// The upper 32 bits of a 64-bit product.
    HighUnsigned,
    HighSigned,
    /// The product of the lower 24 bits of two numbers.
    ShortUnsigned,
    ShortSigned,
    /// A function that returns its first operand.
    Same,
    Select,
    /// A conversion to the type in `<>`.
    Cast,
    /// The element at an address, which a load returns.
    Load,
}

/// The dialects that have a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Everywhere,
    C,
    Halide,
}

use Place::{C, Everywhere, Halide};

/// A function: its name, the dialects that have it, its meaning, and its least and greatest number of operands.
type Row = (&'static str, Place, Function, usize, usize);

const FUNCTIONS: &[Row] = &[
    ("min", C, Function::Min, 2, 2),
    ("max", C, Function::Max, 2, 2),
    ("min", Halide, Function::Min, 2, usize::MAX),
    ("max", Halide, Function::Max, 2, usize::MAX),
    ("umin", C, Function::MinUnsigned, 2, 2),
    ("umax", C, Function::MaxUnsigned, 2, 2),
    ("abs", Everywhere, Function::Abs, 1, 1),
    ("labs", C, Function::Abs, 1, 1),
    ("llabs", C, Function::Abs, 1, 1),
    ("gcd", C, Function::Gcd, 2, 2),
    ("clamp", Everywhere, Function::Clamp, 3, 3),
    ("ceil_div", C, Function::CeilDiv, 2, 2),
    ("ceildiv", C, Function::CeilDiv, 2, 2),
    ("cdiv", C, Function::CeilDiv, 2, 2),
    ("CEIL_DIV", C, Function::CeilDiv, 2, 2),
    ("div_up", C, Function::CeilDiv, 2, 2),
    ("divup", C, Function::CeilDiv, 2, 2),
    ("DIVUP", C, Function::CeilDiv, 2, 2),
    ("DIV_UP", C, Function::CeilDiv, 2, 2),
    ("div_floor_integer", C, Function::FloorDiv, 2, 2),
    ("floordiv", C, Function::FloorDiv, 2, 2),
    ("floor_div", C, Function::FloorDiv, 2, 2),
    ("div_mod", C, Function::FloorMod, 2, 2),
    ("floormod", C, Function::FloorMod, 2, 2),
    ("mod", Halide, Function::FloorMod, 2, 2),
    ("div_round_to_zero", Halide, Function::TruncDiv, 2, 2),
    ("mod_round_to_zero", Halide, Function::TruncMod, 2, 2),
    ("__umulhi", C, Function::HighUnsigned, 2, 2),
    ("__mulhi", C, Function::HighSigned, 2, 2),
    ("__umul24", C, Function::ShortUnsigned, 2, 2),
    ("__mul24", C, Function::ShortSigned, 2, 2),
    ("likely", Everywhere, Function::Same, 1, 1),
    ("likely_if_innermost", Halide, Function::Same, 1, 1),
    ("unlikely", C, Function::Same, 1, 1),
    ("select", Halide, Function::Select, 3, usize::MAX),
    ("static_cast", Everywhere, Function::Cast, 1, 1),
    ("convert", C, Function::Cast, 1, 1),
    ("cast", Halide, Function::Cast, 1, 1),
    ("Expr", Halide, Function::Same, 1, 1),
    ("__ldg", C, Function::Load, 1, 1),
    ("const_cast", C, Function::Load, 1, 1),
    ("reinterpret_cast", C, Function::Load, 1, 1),
];

/// The known namespaces. The meaning of a function in one of them depends only on the last part of its name.
const NAMESPACES: &[&str] = &[
    "",
    "std",
    "cuda::std",
    "at",
    "at::native",
    "at::cuda",
    "c10",
    "c10::cuda",
    "torch",
    "Halide",
    "Halide::Internal",
];

/// Functions on floating-point numbers.
const FLOATS: &[&str] = &[
    "fmin", "fmax", "fminf", "fmaxf", "fabs", "fabsf", "floor", "floorf", "ceil", "ceilf", "round", "roundf", "sqrt",
    "sqrtf", "rsqrt", "rsqrtf", "pow", "powf", "exp", "expf", "log", "logf", "log2", "log2f", "fmod", "fmodf", "trunc",
    "truncf",
];

const DECLARE: &str = "declare the value as a variable, such as `v`";

/// The most bytes of an unknown name for which an error suggests a similar name.
const LONG: usize = 64;

/// A known function: its meaning, and its least and greatest number of operands.
pub(super) struct Found {
    pub(super) function: Function,
    pub(super) fewest: usize,
    pub(super) most: usize,
}

/// The reason why a function is not known.
pub(super) enum Unknown {
    Float,
    /// A similar name exists, or another dialect has this one.
    Near(String),
}

/// The last part of `name`, if its namespace is known.
fn last(name: &str) -> Option<&str> {
    let name = name.strip_prefix("::").unwrap_or(name);
    let (namespace, last) = name.rsplit_once("::").unwrap_or(("", name));
    NAMESPACES.contains(&namespace).then_some(last)
}

/// Whether `name` is a function of any dialect.
pub(super) fn is_known(name: &str) -> bool {
    last(name).is_some_and(|last| FUNCTIONS.iter().any(|row| row.0 == last))
}

/// The function that `dialect` calls `name`.
pub(super) fn find(name: &str, dialect: Dialect) -> Result<Found, Unknown> {
    let here = |place| place == Everywhere || (place == Halide) == (dialect == Dialect::Halide);
    let rows = || FUNCTIONS.iter().filter(|row| last(name) == Some(row.0));
    if let Some(&(_, _, function, fewest, most)) = rows().find(|row| here(row.1)) {
        return Ok(Found { function, fewest, most });
    }
    if let Some(row) = rows().next() {
        let other = if row.1 == Halide { Dialect::Halide } else { Dialect::C };
        return Err(Unknown::Near(format!("`--from {other}` knows this function")));
    }
    let simple = name.rsplit_once("::").map_or(name, |(_, last)| last);
    if FLOATS.contains(&simple) {
        return Err(Unknown::Float);
    }
    if simple.len() > LONG {
        return Err(Unknown::Near(DECLARE.into()));
    }
    let known = FUNCTIONS.iter().filter(|row| here(row.1)).map(|row| row.0);
    let near = known.clone().map(|f| (strsim::damerau_levenshtein(f, simple), f)).min();
    Err(Unknown::Near(match near {
        Some((distance, near)) if distance * 2 <= near.len() => format!("`{near}` is the nearest function"),
        _ => {
            let mut names: Vec<&str> = known.collect();
            names.dedup();
            format!("functions are {}; {DECLARE}", names.join(", "))
        }
    }))
}
