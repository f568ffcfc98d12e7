//! Writes expressions of Halide, which are C++.

use super::c::common;
use super::form::{Forms, Id, Kind, Say, Spelled, call, other, word};
use super::lower::{Division, Language, always, never, no_builtin, nothing_special};
use crate::dialect::Dialect;
use quaff_expr::expr::Op;

pub(super) static HALIDE: Language = Language {
    dialect: Dialect::Halide,
    division: Division::FloorByPositive,
    truncates: true,
    has_widths: true,
    has_wide_numbers: false,
    truths_are_numbers: false,
    wants_truths: always,
    wants_one_width: never,
    computes_both: false,
    builtin: no_builtin,
    special: nothing_special,
    spell,
    define: None,
};

const UNARY: u8 = 12;
const ATOM: u8 = 13;

fn spell(forms: &Forms, id: Id) -> Spelled {
    let form = forms.get(id);
    let args = form.args();
    match &form.say {
        Say::Op(Op::Const(c)) => number(*c, form.kind),
        Say::Op(Op::TruncDiv) => call("div_round_to_zero(", args, ATOM),
        Say::Op(Op::TruncMod) => call("mod_round_to_zero(", args, ATOM),
        Say::Op(Op::Select) => call("select(", args, ATOM),
        Say::Op(op) => common(op, args, "min(", "max(").unwrap_or_else(|| other(&form.say, args, ATOM)),
        _ => call("cast<int64_t>(", args, ATOM),
    }
}

fn number(c: i64, kind: Kind) -> Spelled {
    match (c, kind) {
        (i64::MIN, _) => word("Expr(int64_t(-9223372036854775807 - 1))", ATOM),
        (_, Kind::Wide) => word(format!("Expr(int64_t({c}))"), ATOM),
        _ => word(c.to_string(), if c < 0 { UNARY } else { ATOM }),
    }
}
