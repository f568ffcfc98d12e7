//! Writes sympy.

use super::error::Refusal;
use super::form::{Forms, Id, Piece, Say, Spelled, before, between, call, other, word};
use super::lower::{Division, Language, Lowering, always, never, no_builtin};
use crate::dialect::Dialect;
use quaff_expr::domain::Interval;
use quaff_expr::expr::Op;
use quaff_expr::expr::precedence::{ADD, ATOM, BIT_AND, BIT_OR, COMPARE, MUL, UNARY};

pub(super) static SYMPY: Language = Language {
    dialect: Dialect::Sympy,
    division: Division::Floor,
    truncates: false,
    has_widths: false,
    has_wide_numbers: false,
    truths_are_numbers: false,
    wants_truths: always,
    wants_one_width: never,
    computes_both: true,
    builtin: no_builtin,
    special: bits,
    spell,
    define: None,
};

/// Replaces bit operations by divisions if they use powers of two. sympy has no bit operations on a symbol.
fn bits(l: &mut Lowering<'_>, op: &Op, args: &[Id], range: Interval) -> Result<Option<Id>, Refusal> {
    match bits_as_division(l, op, args, range)? {
        Some(id) => Ok(Some(id)),
        None if op.is_bitwise() || op.is_shift() => Err(no_bits(op)),
        None => Ok(None),
    }
}

/// Builds shifts by numbers, and the lowest bits, as products, quotients and remainders.
pub(super) fn bits_as_division(
    l: &mut Lowering<'_>,
    op: &Op,
    args: &[Id],
    range: Interval,
) -> Result<Option<Id>, Refusal> {
    let constant = |i: usize| l.form(args[i]).constant();
    let (op, a, number) = match op {
        Op::Shl | Op::Shr => {
            let Some(count @ 0..=62) = constant(1) else { return Ok(None) };
            (if *op == Op::Shl { Op::Mul } else { Op::FloorDiv }, args[0], 1 << count)
        }
        Op::BitAnd => {
            let mask =
                |i: usize| constant(i).filter(|m| *m >= 0 && m.count_ones() == m.trailing_ones() && *m < i64::MAX);
            match (mask(0), mask(1)) {
                (_, Some(mask)) => (Op::FloorMod, args[0], mask + 1),
                (Some(mask), _) => (Op::FloorMod, args[1], mask + 1),
                _ => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    let number = l.number(number);
    l.make(&op, &[a, number], range).map(Some)
}

/// Refuses a bit operation that the language does not have.
pub(super) fn no_bits(op: &Op) -> Refusal {
    let message = format!("it has no operation `{}` on the bits of numbers", op.symbol());
    Refusal::new(message).with_help("shifts by numbers and masks of the lowest bits are written")
}

fn spell(forms: &Forms, id: Id) -> Spelled {
    let form = forms.get(id);
    let Say::Op(op) = &form.say else { return other(&form.say, form.args(), ATOM) };
    match (op, form.args()) {
        (Op::Const(c), _) => word(c.to_string(), if *c < 0 { UNARY } else { ATOM }),
        (Op::Var(name), _) => word(name.clone(), ATOM),
        (Op::Neg, &[a]) => before("-", a, UNARY + 1, UNARY),
        (Op::Add, &[a, b]) => between((a, ADD), " + ", (b, ADD + 1), ADD),
        (Op::Sub, &[a, b]) => between((a, ADD), " - ", (b, ADD + 1), ADD),
        (Op::Mul, &[a, b]) => between((a, MUL), "*", (b, MUL + 1), MUL),
        (Op::FloorDiv, &[a, b]) => {
            let (mut pieces, _) = between((a, MUL), "/", (b, MUL + 1), MUL);
            pieces.insert(0, Piece::Text("floor("));
            pieces.push(Piece::Text(")"));
            (pieces, ATOM)
        }
        (Op::FloorMod, args) => call("Mod(", args, ATOM),
        (Op::Min, args) => call("Min(", args, ATOM),
        (Op::Max, args) => call("Max(", args, ATOM),
        (Op::Eq, args) => call("Eq(", args, ATOM),
        (Op::Ne, args) => call("Ne(", args, ATOM),
        (op, &[a, b]) if op.is_comparison() => between((a, BIT_OR), op.sign(), (b, BIT_OR), COMPARE),
        (Op::And, &[a, b]) => between((a, BIT_AND), " & ", (b, UNARY), BIT_AND),
        (Op::Or, &[a, b]) => between((a, BIT_OR), " | ", (b, UNARY), BIT_OR),
        (Op::Not, &[a]) => before("~", a, UNARY + 1, UNARY),
        (Op::Select, &[c, a, b]) => {
            let texts = ["Piecewise((", ", ", "), (", ", True))"].map(Piece::Text);
            let parts = [a, c, b].map(|id| Piece::Part(id, 0));
            let [first, second, third, last] = texts;
            let [a, c, b] = parts;
            (vec![first, a, second, c, third, b, last], ATOM)
        }
        (_, args) => other(&form.say, args, ATOM),
    }
}
