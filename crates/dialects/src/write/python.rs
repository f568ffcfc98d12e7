//! Writes Python, and the languages embedded in it: Inductor, Triton, TVM, tinygrad and sympy.

use super::error::Refusal;
use super::form::{Forms, Id, Kind, Piece, Say, Spelled, before, between, call, method, other, word};
use super::lower::{Division, Language, Lowering, always, is_wide, never, no_builtin, nothing_special};
use super::names::{arange, program_axis};
use crate::dialect::Dialect;
use quaff_expr::domain::Interval;
use quaff_expr::expr::Op;
use quaff_expr::expr::precedence::{
    ADD, AND, ATOM, BIT_AND, BIT_OR, BIT_XOR, COMPARE, CONDITIONAL, MUL, NOT, OR, SHIFT, UNARY,
};

pub(super) static PYTHON: Language = Language {
    dialect: Dialect::Python,
    division: Division::Floor,
    truncates: false,
    has_widths: false,
    has_wide_numbers: false,
    truths_are_numbers: true,
    // in Python, `2 and 3` has the value 3 and not a truth value
    wants_truths: |op| matches!(op, Op::And | Op::Or),
    wants_one_width: never,
    computes_both: false,
    builtin: no_builtin,
    special: nothing_special,
    spell: |forms, id| spell(forms, id, python),
    define: Some(define),
};

pub(super) static INDUCTOR: Language = Language { dialect: Dialect::Inductor, special: modular_indexing, ..PYTHON };

pub(super) static TRITON: Language = Language {
    dialect: Dialect::Triton,
    division: Division::Truncated,
    truncates: true,
    has_widths: true,
    truths_are_numbers: false,
    wants_truths: always,
    computes_both: true,
    builtin: triton_builtin,
    spell: |forms, id| spell(forms, id, triton),
    ..PYTHON
};

pub(super) static TVM: Language = Language {
    dialect: Dialect::Tvm,
    truncates: true,
    has_widths: true,
    has_wide_numbers: true,
    truths_are_numbers: false,
    wants_truths: always,
    wants_one_width: always,
    spell: |forms, id| spell(forms, id, tvm),
    ..PYTHON
};

pub(super) static TINYGRAD: Language = Language {
    dialect: Dialect::Tinygrad,
    truths_are_numbers: false,
    wants_truths: always,
    computes_both: true,
    special: constant_last,
    spell: |forms, id| spell(forms, id, tinygrad),
    ..PYTHON
};

/// A function that returns the special spelling of an operation in one language, if there is one.
type Own = fn(&Forms, &Say, &[Id]) -> Option<Spelled>;

/// The sign of an operator, its precedence, and the least precedence of its operands. Some operands get parentheses
/// because a reader may not know the precedence of all operators.
fn binary(op: &Op) -> Option<(&'static str, u8, u8)> {
    Some(match op {
        Op::Add => (" + ", ADD, ADD),
        Op::Sub => (" - ", ADD, ADD),
        Op::Mul => ("*", MUL, MUL),
        Op::FloorDiv | Op::TruncDiv => ("//", MUL, MUL),
        Op::FloorMod | Op::TruncMod => ("%", MUL, MUL),
        Op::Shl => (" << ", SHIFT, UNARY),
        Op::Shr => (" >> ", SHIFT, UNARY),
        Op::BitAnd => (" & ", BIT_AND, UNARY),
        Op::BitXor => (" ^ ", BIT_XOR, UNARY),
        Op::BitOr => (" | ", BIT_OR, UNARY),
        op if op.is_comparison() => (op.sign(), COMPARE, SHIFT),
        _ => return None,
    })
}

fn spell(forms: &Forms, id: Id, own: Own) -> Spelled {
    let form = forms.get(id);
    let args = form.args();
    if let Some(spelled) = own(forms, &form.say, args) {
        return spelled;
    }
    let Say::Op(op) = &form.say else { return other(&form.say, args, ATOM) };
    if let (Some((sign, own, least)), &[a, b]) = (binary(op), args) {
        // all binary operators are left-associative
        let (left, right) = if least > own { (least, least) } else { (own, own + 1) };
        return between((a, left), sign, (b, right), own);
    }
    match (op, args) {
        (Op::Const(c), _) => word(c.to_string(), if *c < 0 { UNARY } else { ATOM }),
        (Op::Var(name), _) => word(name.clone(), ATOM),
        (Op::Neg, &[a]) => before("-", a, UNARY + 1, UNARY),
        (Op::Min, args) => call("min(", args, ATOM),
        (Op::Max, args) => call("max(", args, ATOM),
        _ => other(&form.say, args, ATOM),
    }
}

fn python(_: &Forms, say: &Say, args: &[Id]) -> Option<Spelled> {
    Some(match (say, args) {
        (Say::Op(Op::And), &[a, b]) => between((a, AND), " and ", (b, AND + 1), AND),
        (Say::Op(Op::Or), &[a, b]) => between((a, OR), " or ", (b, OR + 1), OR),
        (Say::Op(Op::Not), &[a]) => before("not ", a, NOT, NOT),
        (Say::Op(Op::Select), &[c, a, b]) => {
            let (mut pieces, _) = between((a, OR), " if ", (c, OR), CONDITIONAL);
            pieces.extend([Piece::Text(" else "), Piece::Part(b, CONDITIONAL)]);
            (pieces, CONDITIONAL)
        }
        (Say::Modular, args) => call("ModularIndexing(", args, ATOM),
        _ => return None,
    })
}

/// Writes conditions with `&`, `|` and `~`, which evaluate each operand.
fn logic(op: &Op, args: &[Id]) -> Option<Spelled> {
    Some(match (op, args) {
        (Op::And, &[a, b]) => between((a, BIT_AND), " & ", (b, UNARY), BIT_AND),
        (Op::Or, &[a, b]) => between((a, BIT_OR), " | ", (b, UNARY), BIT_OR),
        (Op::Not, &[a]) => before("~", a, UNARY + 1, UNARY),
        _ => return None,
    })
}

fn triton(forms: &Forms, say: &Say, args: &[Id]) -> Option<Spelled> {
    let Say::Op(op) = say else {
        return Some(match forms.get(args[0]).constant() {
            Some(c) => word(format!("tl.cast({c}, tl.int64)"), ATOM),
            None => (vec![Piece::Part(args[0], ATOM), Piece::Text(".to(tl.int64)")], ATOM),
        });
    };
    Some(match op {
        Op::Const(c) if is_wide(*c) => word(format!("tl.cast({c}, tl.int64)"), ATOM),
        Op::Select => call("tl.where(", args, ATOM),
        Op::Min => call("tl.minimum(", args, ATOM),
        Op::Max => call("tl.maximum(", args, ATOM),
        op => return logic(op, args),
    })
}

fn tvm(forms: &Forms, say: &Say, args: &[Id]) -> Option<Spelled> {
    let Say::Op(op) = say else {
        let is_number = forms.get(args[0]).constant().is_some();
        return Some(call(if is_number { "T.int64(" } else { "T.Cast(\"int64\", " }, args, ATOM));
    };
    let open = match op {
        Op::FloorDiv => "T.floordiv(",
        Op::FloorMod => "T.floormod(",
        Op::TruncDiv => "T.truncdiv(",
        Op::TruncMod => "T.truncmod(",
        Op::Min => "T.min(",
        Op::Max => "T.max(",
        Op::And => "T.And(",
        Op::Or => "T.Or(",
        Op::Not => "T.Not(",
        Op::BitAnd => "T.bitwise_and(",
        Op::BitOr => "T.bitwise_or(",
        Op::BitXor => "T.bitwise_xor(",
        Op::Shl => "T.shift_left(",
        Op::Shr => "T.shift_right(",
        // `T.if_then_else` does not evaluate the other branch, which matters if that branch may have no value
        Op::Select if args[1..].iter().any(|&a| forms.get(a).is_partial) => "T.if_then_else(",
        Op::Select => "T.Select(",
        Op::Const(c) if is_wide(*c) => return Some(word(format!("T.int64({c})"), ATOM)),
        _ => return None,
    };
    Some(call(open, args, ATOM))
}

fn tinygrad(_: &Forms, say: &Say, args: &[Id]) -> Option<Spelled> {
    let Say::Op(op) = say else { return None };
    Some(match (op, args) {
        (Op::Select, &[c, a, b]) => method(c, ".where(", &[a, b], ATOM),
        (Op::Min, &[a, b]) => method(a, ".minimum(", &[b], ATOM),
        (Op::Max, &[a, b]) => method(a, ".maximum(", &[b], ATOM),
        // in tinygrad, `==` compares the expression objects and not their values
        (Op::Eq, &[a, b]) => {
            let (mut pieces, _) = between((a, BIT_OR), " != ", (b, BIT_OR), COMPARE);
            pieces.insert(0, Piece::Text("("));
            pieces.push(Piece::Text(") != True"));
            (pieces, COMPARE)
        }
        (Op::Not, &[a]) => (vec![Piece::Part(a, BIT_OR), Piece::Text(" != True")], COMPARE),
        (op, args) => return logic(op, args),
    })
}

fn define(name: &str, text: &str, _: Kind) -> String {
    format!("{name} = {text}")
}

fn triton_builtin(name: &str) -> Option<(Kind, Interval)> {
    const GRID: i64 = i32::MAX as i64;
    let (lo, hi) = match (program_axis(name), arange(name)) {
        (Some(("program_id", _)), _) => (0, GRID - 1),
        (Some(_), _) => (1, GRID),
        (None, Some((start, end))) => (start, end - 1),
        (None, None) => return None,
    };
    Some((Kind::Int, Interval::new(lo, hi)?))
}

/// Builds `x//a % b` of Inductor as one operation, if `x` is not negative.
fn modular_indexing(l: &mut Lowering<'_>, op: &Op, args: &[Id], range: Interval) -> Result<Option<Id>, Refusal> {
    let (Op::FloorMod, Say::Op(Op::FloorDiv)) = (op, &l.form(args[0]).say) else { return Ok(None) };
    let &[x, a] = l.form(args[0]).args() else { return Ok(None) };
    let is_positive = |id: Id| l.range(id).lo() > Some(0);
    if !(l.range(x).is_nonneg() && is_positive(a) && is_positive(args[1])) {
        return Ok(None);
    }
    Ok(Some(l.forms.put(Say::Modular, &[x, a, args[1]], Kind::Int, range)))
}

/// Puts a constant last, because a number has no methods.
fn constant_last(l: &mut Lowering<'_>, op: &Op, args: &[Id], range: Interval) -> Result<Option<Id>, Refusal> {
    if op.is_extremum() && l.form(args[0]).constant().is_some() {
        return l.plain(op, &[args[1], args[0]], range).map(Some);
    }
    Ok(None)
}
