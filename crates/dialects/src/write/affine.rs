//! Writes MLIR and XLA, which have only affine operations.

use super::error::Refusal;
use super::form::{Forms, Id, Kind, Say, Spelled, before, between, other, word};
use super::lower::{Division, Language, Lowering, always, never, no_builtin};
use super::sympy::{bits_as_division, no_bits};
use crate::dialect::Dialect;
use quaff_expr::domain::Interval;
use quaff_expr::expr::Op;
use quaff_expr::expr::precedence::{ADD, ATOM, MUL, UNARY};

pub(super) static MLIR: Language = Language {
    dialect: Dialect::Mlir,
    division: Division::Floor,
    truncates: false,
    has_widths: false,
    has_wide_numbers: false,
    truths_are_numbers: true,
    wants_truths: always,
    wants_one_width: never,
    computes_both: false,
    builtin: no_builtin,
    special: affine,
    spell,
    define: None,
};

pub(super) static XLA: Language = Language { dialect: Dialect::Xla, ..MLIR };

/// Refuses an operation that is not affine. If the range of an operand is a single number, the operand is replaced by
/// that number.
fn affine(l: &mut Lowering<'_>, op: &Op, args: &[Id], range: Interval) -> Result<Option<Id>, Refusal> {
    if let Some(id) = bits_as_division(l, op, args, range)? {
        return Ok(Some(id));
    }
    let number = |l: &mut Lowering<'_>, id: Id| l.range(id).as_point().map(|value| l.number(value));
    match op {
        Op::Add | Op::Sub => Ok(None),
        Op::Neg => ceiling(l, args[0], range),
        Op::Mul => {
            let (left, right) = (number(l, args[0]), number(l, args[1]));
            match (left, right) {
                (_, Some(b)) => l.plain(op, &[args[0], b], range).map(Some),
                (Some(a), None) => l.plain(op, &[a, args[1]], range).map(Some),
                _ => Err(Refusal::new("a product of values that vary is not affine")),
            }
        }
        Op::FloorDiv | Op::FloorMod => {
            let Some(divisor) = number(l, args[1]) else {
                return Err(Refusal::new("the divisor varies, which is not affine"));
            };
            match l.form(divisor).constant() {
                Some(1..) => l.plain(op, &[args[0], divisor], range).map(Some),
                _ => Err(Refusal::new("the divisor is not positive, which is not affine")),
            }
        }
        Op::TruncDiv | Op::TruncMod => {
            let numerator = l.range(args[0]);
            match numerator.is_nonneg() || numerator.hi().is_some_and(|hi| hi <= 0) {
                true => Ok(None),
                false => Err(Refusal::new("rounding towards zero is not affine for a numerator of either sign")),
            }
        }
        Op::Select => Err(Refusal::new("`where` is not affine")),
        op if op.is_bitwise() || op.is_shift() => Err(no_bits(op)),
        op if op.is_comparison() || op.is_truth() => {
            Err(Refusal::new(format!("the condition `{}` is no affine value", op.symbol())))
        }
        op => Err(Refusal::new(format!("`{}` is not affine", op.symbol()))),
    }
}

/// Writes `-(-a//b)`, which is a quotient that is rounded up.
fn ceiling(l: &mut Lowering<'_>, quotient: Id, range: Interval) -> Result<Option<Id>, Refusal> {
    let (Say::Op(Op::FloorDiv), &[numerator, divisor]) = (&l.form(quotient).say, l.form(quotient).args()) else {
        return Ok(None);
    };
    match (&l.form(numerator).say, l.form(numerator).args()) {
        (Say::Op(Op::Neg), &[a]) => Ok(Some(l.forms.put(Say::CeilDiv, &[a, divisor], Kind::Int, range))),
        _ => Ok(None),
    }
}

fn spell(forms: &Forms, id: Id) -> Spelled {
    let form = forms.get(id);
    let product = |sign: &'static str, a: Id, b: Id| between((a, MUL), sign, (b, MUL + 1), MUL);
    match (&form.say, form.args()) {
        (Say::Op(Op::Const(c)), _) => word(c.to_string(), if *c < 0 { UNARY } else { ATOM }),
        (Say::Op(Op::Var(name)), _) => word(name.clone(), ATOM),
        (Say::Op(Op::Neg), &[a]) => before("-", a, UNARY + 1, UNARY),
        (Say::Op(Op::Add), &[a, b]) => between((a, ADD), " + ", (b, ADD + 1), ADD),
        (Say::Op(Op::Sub), &[a, b]) => between((a, ADD), " - ", (b, ADD + 1), ADD),
        (Say::Op(Op::Mul), &[a, b]) => product(" * ", a, b),
        (Say::Op(Op::FloorDiv), &[a, b]) => product(" floordiv ", a, b),
        (Say::Op(Op::FloorMod), &[a, b]) => product(" mod ", a, b),
        (Say::CeilDiv, &[a, b]) => product(" ceildiv ", a, b),
        (say, args) => other(say, args, ATOM),
    }
}
