//! Writes C and CUDA.

use super::error::Refusal;
use super::form::{Forms, Id, Kind, Say, Spelled, before, between, call, other, word};
use super::lower::{Division, Language, Lowering, never, no_builtin, nothing_special};
use crate::cuda;
use crate::dialect::Dialect;
use quaff_expr::domain::Interval;
use quaff_expr::expr::Op;

pub(super) static C: Language = Language {
    dialect: Dialect::C,
    division: Division::Truncated,
    truncates: true,
    has_widths: true,
    has_wide_numbers: true,
    truths_are_numbers: true,
    wants_truths: never,
    wants_one_width: never,
    computes_both: false,
    builtin: no_builtin,
    special: extremum_as_selection,
    spell,
    define: Some(define),
};

pub(super) static CUDA: Language = Language {
    dialect: Dialect::Cuda,
    // `min` and `max` are overloaded, so their operands need one type
    wants_one_width: Op::is_extremum,
    builtin: |name| {
        let kind = |is_unsigned| if is_unsigned { Kind::Unsigned } else { Kind::Int };
        cuda::builtin(name).map(|(is_unsigned, range)| (kind(is_unsigned), range))
    },
    special: nothing_special,
    ..C
};

const CONDITIONAL: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const BIT_OR: u8 = 4;
const BIT_XOR: u8 = 5;
const BIT_AND: u8 = 6;
const EQUAL: u8 = 7;
const COMPARE: u8 = 8;
const SHIFT: u8 = 9;
const ADD: u8 = 10;
const MUL: u8 = 11;
const UNARY: u8 = 12;
const ATOM: u8 = 13;

/// Writes `min` and `max` as selections. C has no functions for them that evaluate each operand only once.
fn extremum_as_selection(l: &mut Lowering<'_>, op: &Op, args: &[Id], range: Interval) -> Result<Option<Id>, Refusal> {
    let comparison = match op {
        Op::Min => Op::Lt,
        Op::Max => Op::Gt,
        _ => return Ok(None),
    };
    let is_first = l.derive(&comparison, args)?;
    l.make(&Op::Select, &[is_first, args[0], args[1]], range).map(Some)
}

/// The sign of an operator, its precedence, and the least precedence of its operands. Some operands get parentheses
/// because a reader may not know the precedence of all operators.
pub(super) fn binary(op: &Op) -> Option<(&'static str, u8, u8)> {
    Some(match op {
        Op::Add => (" + ", ADD, ADD),
        Op::Sub => (" - ", ADD, ADD),
        Op::Mul => (" * ", MUL, MUL),
        Op::FloorDiv | Op::TruncDiv => (" / ", MUL, MUL),
        Op::FloorMod | Op::TruncMod => (" % ", MUL, MUL),
        Op::Shl => (" << ", SHIFT, UNARY),
        Op::Shr => (" >> ", SHIFT, UNARY),
        Op::Lt => (" < ", COMPARE, SHIFT),
        Op::Le => (" <= ", COMPARE, SHIFT),
        Op::Gt => (" > ", COMPARE, SHIFT),
        Op::Ge => (" >= ", COMPARE, SHIFT),
        Op::Eq => (" == ", EQUAL, SHIFT),
        Op::Ne => (" != ", EQUAL, SHIFT),
        Op::BitAnd => (" & ", BIT_AND, UNARY),
        Op::BitXor => (" ^ ", BIT_XOR, UNARY),
        Op::BitOr => (" | ", BIT_OR, UNARY),
        Op::And => (" && ", AND, AND),
        Op::Or => (" || ", OR, BIT_OR),
        _ => return None,
    })
}

fn spell(forms: &Forms, id: Id) -> Spelled {
    let form = forms.get(id);
    let args = form.args();
    let op = match &form.say {
        Say::Op(op) => op,
        Say::Sign => return before("(int)", args[0], UNARY, UNARY),
        _ => {
            return match forms.get(args[0]).constant() {
                Some(c) => number(c, Kind::Wide),
                None => before("(long long)", args[0], UNARY, UNARY),
            };
        }
    };
    if let Some(spelled) = common(op, args, "min(", "max(") {
        return spelled;
    }
    match (op, args) {
        (Op::Const(c), _) => number(*c, form.kind),
        (Op::Select, &[c, a, b]) => {
            let (mut pieces, _) = between((c, OR), " ? ", (a, OR), CONDITIONAL);
            pieces.extend(between((b, CONDITIONAL), " : ", (b, CONDITIONAL), CONDITIONAL).0.drain(1..));
            (pieces, CONDITIONAL)
        }
        _ => other(&form.say, args, ATOM),
    }
}

/// The spelling of an operation that C shares with the languages embedded in it.
pub(super) fn common(op: &Op, args: &[Id], min: &'static str, max: &'static str) -> Option<Spelled> {
    if let (Some((sign, own, least)), &[a, b]) = (binary(op), args) {
        // all binary operators are left-associative
        let (left, right) = if least > own { (least, least) } else { (own, own + 1) };
        return Some(between((a, left), sign, (b, right), own));
    }
    Some(match (op, args) {
        (Op::Var(name), _) => word(name.clone(), ATOM),
        // two adjacent minus signs would be another operator
        (Op::Neg, &[a]) => before("-", a, UNARY + 1, UNARY),
        (Op::Not, &[a]) => before("!", a, UNARY, UNARY),
        (Op::Min, args) => call(min, args, ATOM),
        (Op::Max, args) => call(max, args, ATOM),
        _ => return None,
    })
}

fn number(c: i64, kind: Kind) -> Spelled {
    match (c, kind) {
        // the literal without the sign does not fit 64 bits
        (i64::MIN, _) => word("(-9223372036854775807LL - 1)", ATOM),
        (_, Kind::Wide) => word(format!("{c}LL"), if c < 0 { UNARY } else { ATOM }),
        _ => word(c.to_string(), if c < 0 { UNARY } else { ATOM }),
    }
}

fn define(name: &str, text: &str, kind: Kind) -> String {
    let ty = if kind == Kind::Wide { "long long" } else { "int" };
    format!("{ty} {name} = {text};")
}
