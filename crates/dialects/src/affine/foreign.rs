//! Finds the dialect of a token that has no meaning in MLIR and XLA.

/// A suggestion for `token`, which is followed by `next`: another spelling, or the `--from` option of the language that
/// reads it. `None` if nothing is known about the token.
pub(super) fn hint(token: &str, next: &str) -> Option<String> {
    let from = |instead: &str, name: &str, what: &str| Some(format!("{instead}; `--from {name}` reads {what}"));
    match token {
        "//" => from("write floordiv, and a comment on a line of its own", "python", "`//`"),
        "/" => from("write floordiv", "c", "`/`"),
        "%" => from("write mod", "python", "`%`, and `--from c` the remainder of C"),
        "<<" | ">>" | "&" | "|" | "^" | "~" => from("bits are not affine", "c", &format!("`{token}`")),
        "&&" | "||" | "!" | "?" | "!=" => from("affine expressions have no conditions", "c", &format!("`{token}`")),
        "**" => from("powers are not affine", "python", "`**`"),
        "::" => from("calls are not affine", "c", "calls"),
        "." => Some("a dot is between two words: `a.b`".into()),
        _ if next == "(" => call(token),
        _ => None,
    }
}

/// The dialect that has a function with this name.
fn call(name: &str) -> Option<String> {
    let dialect = match name {
        "min" | "max" | "where" | "abs" | "gcd" => "infix",
        "select" | "likely" | "clamp" => "halide",
        "Mod" | "floor" | "Min" | "Max" | "Piecewise" | "And" | "Or" | "Not" => "sympy",
        "FloorDiv" | "ModularIndexing" | "CleanDiv" => "inductor",
        _ => match name.split_once('.')? {
            ("tl", _) => "triton",
            ("T" | "tir" | "tvm", _) => "tvm",
            ("np" | "math" | "numpy", _) => "python",
            _ => return None,
        },
    };
    Some(format!("calls are not affine; `--from {dialect}` reads `{name}(...)`"))
}
