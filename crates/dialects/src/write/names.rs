//! Names of variables in a text.

use crate::cuda;
use crate::dialect::Dialect;
use quaff_expr::names::{self, Names, Words};

/// The words that a dialect reserves.
pub(super) fn words(dialect: Dialect) -> &'static Words {
    match dialect {
        Dialect::Infix | Dialect::Sexp => &names::INFIX,
        Dialect::C => &names::C,
        Dialect::Cuda => &names::CUDA,
        Dialect::Halide => &names::HALIDE,
        Dialect::Python | Dialect::Tinygrad => &names::PYTHON,
        Dialect::Triton => &names::TRITON,
        Dialect::Inductor | Dialect::Tvm => &names::INDUCTOR,
        Dialect::Sympy => &names::SYMPY,
        Dialect::Mlir => &names::MLIR,
        Dialect::Xla => &names::XLA,
    }
}

/// The names of `variables` in the text, all different. A variable keeps its name if the language defines it or allows
/// the name.
pub(super) fn written(dialect: Dialect, variables: &[&str], names: &mut Names) -> Vec<String> {
    let own: Vec<Option<String>> = variables.iter().map(|name| own_text(dialect, name)).collect();
    own.iter().flatten().for_each(|text| names.reserve(text));
    let others = variables.iter().zip(&own).filter_map(|(name, own)| own.is_none().then_some(*name));
    let mut others = names.variables(others).into_iter();
    own.into_iter().map(|own| own.or_else(|| others.next()).unwrap_or_default()).collect()
}

/// The text of a variable that the language itself provides.
fn own_text(dialect: Dialect, name: &str) -> Option<String> {
    match dialect {
        Dialect::Cuda => cuda::builtin(name).map(|_| name.to_string()),
        Dialect::Triton => {
            if let Some((function, axis)) = program_axis(name) {
                return Some(format!("tl.{function}({axis})"));
            }
            arange(name).map(|(start, end)| format!("tl.arange({start}, {end})"))
        }
        _ => None,
    }
}

/// Splits a name into `program_id` or `num_programs`, and the axis.
pub(super) fn program_axis(name: &str) -> Option<(&str, &str)> {
    let (function, axis) = name.rsplit_once('_')?;
    let is_axis = matches!(axis, "0" | "1" | "2");
    (is_axis && matches!(function, "program_id" | "num_programs")).then_some((function, axis))
}

/// The two ends in a name such as `arange_0_128`.
pub(super) fn arange(name: &str) -> Option<(i64, i64)> {
    let (start, end) = name.strip_prefix("arange_")?.split_once('_')?;
    let ends: (i64, i64) = (start.parse().ok()?, end.parse().ok()?);
    // only a name with this exact spelling is written as a call
    (format!("arange_{}_{}", ends.0, ends.1) == name && 0 <= ends.0 && ends.0 < ends.1).then_some(ends)
}
