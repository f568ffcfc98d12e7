//! Turns nodes into forms: the operations of a language with their types and widths.

use super::error::Refusal;
use super::form::{Form, Forms, Id, Kind, Say, Spelled};
use crate::dialect::Dialect;
use quaff_expr::domain::{Interval, interval_of_op};
use quaff_expr::expr::{DagNode, Op};

/// The rounding of the division of the language.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    /// The quotient is rounded down.
    Floor,
    /// The quotient is rounded down if the divisor is positive.
    FloorByPositive,
    /// The quotient is rounded towards zero.
    Truncated,
}

/// A function that returns the special form of a language for an operation, if it has one.
pub(super) type Special = fn(&mut Lowering<'_>, &Op, &[Id], Interval) -> Result<Option<Id>, Refusal>;

/// A language: its operations, and their spelling.
pub(super) struct Language {
    pub(super) dialect: Dialect,
    pub(super) division: Division,
    /// Whether the language has operations that round towards zero.
    pub(super) truncates: bool,
    /// Whether numbers have 32 or 64 bits, so that values beyond 32 bits must be computed with 64.
    pub(super) has_widths: bool,
    /// Whether a literal can have 64 bits directly, without a conversion.
    pub(super) has_wide_numbers: bool,
    /// Whether the truth values of the language are the numbers 1 and 0.
    pub(super) truths_are_numbers: bool,
    /// Whether the operands of a condition must be truth values.
    pub(super) wants_truths: fn(&Op) -> bool,
    /// Whether the operands of an operation must have the same width.
    pub(super) wants_one_width: fn(&Op) -> bool,
    /// Whether conditions are written with `&` and `|`, which evaluate each operand.
    pub(super) computes_both: bool,
    /// The type and the range of a variable that the language defines, by its name in expressions.
    pub(super) builtin: fn(&str) -> Option<(Kind, Interval)>,
    /// Operations that are refused, or written differently than in the other languages.
    pub(super) special: Special,
    pub(super) spell: fn(&Forms, Id) -> Spelled,
    /// The statement that defines a name for a text. `None` for a language that has only expressions.
    pub(super) define: Option<fn(name: &str, text: &str, kind: Kind) -> String>,
}

/// The `builtin` function of languages that define no variables.
pub(super) fn no_builtin(_: &str) -> Option<(Kind, Interval)> {
    None
}

/// The `special` function of languages without special forms.
pub(super) fn nothing_special(_: &mut Lowering<'_>, _: &Op, _: &[Id], _: Interval) -> Result<Option<Id>, Refusal> {
    Ok(None)
}

/// True for all operations.
pub(super) fn always(_: &Op) -> bool {
    true
}

/// False for all operations.
pub(super) fn never(_: &Op) -> bool {
    false
}

/// The range of the numbers of 32 bits.
const NARROW: (i128, i128) = (i32::MIN as i128, i32::MAX as i128);

/// The forms that are built so far, and the language that they are for.
pub(super) struct Lowering<'l> {
    pub(super) language: &'l Language,
    pub(super) forms: Forms,
}

impl<'l> Lowering<'l> {
    pub(super) fn new(language: &'l Language) -> Lowering<'l> {
        Lowering { language, forms: Forms::default() }
    }

    pub(super) fn form(&self, id: Id) -> &Form {
        self.forms.get(id)
    }

    pub(super) fn range(&self, id: Id) -> Interval {
        self.form(id).range
    }

    /// Builds the form of a node that has operands. The value of the node is in `range`.
    pub(super) fn node(&mut self, node: &DagNode, args: &[Id], range: Interval) -> Result<Id, Refusal> {
        if let Some(constant) = self.folded(&node.op, args) {
            return Ok(constant);
        }
        match (node.op.is_division(), node.op.is_shift(), args.get(1).and_then(|&b| self.form(b).constant())) {
            (true, _, Some(0)) => return Err(Refusal::new("it divides by 0")),
            (_, true, Some(..0)) => return Err(Refusal::new("its count is negative")),
            _ => {}
        }
        match node.op {
            Op::FloorDiv => self.floor_div(args[0], args[1], range),
            Op::FloorMod => self.floor_mod(args[0], args[1], range),
            Op::TruncDiv | Op::TruncMod => self.truncated(&node.op, args[0], args[1], range),
            Op::Shl | Op::Shr => self.shift(&node.op, args[0], args[1], range),
            Op::And | Op::Or if self.language.computes_both && self.form(args[1]).is_partial => {
                self.guarded(&node.op, args[0], args[1], range)
            }
            _ => self.make(&node.op, args, range),
        }
    }

    /// Builds the number `value`.
    pub(super) fn number(&mut self, value: i64) -> Id {
        let kind = if self.language.has_widths && is_wide(value) { Kind::Wide } else { Kind::Int };
        self.forms.put(Say::Op(Op::Const(value)), &[], kind, Interval::point(value))
    }

    /// Builds the variable `name`, which is spelled `written` in the text.
    pub(super) fn variable(&mut self, name: &str, written: &str, range: Interval) -> Id {
        let (kind, range) = match (self.language.builtin)(name) {
            Some((kind, _)) => (kind, range),
            None if self.language.has_widths && !range.within(NARROW.0, NARROW.1) => (Kind::Wide, range),
            None => (Kind::Int, range),
        };
        self.forms.put(Say::Op(Op::Var(written.into())), &[], kind, range)
    }

    /// Builds an operation with the meaning of the language. The range is computed from the operands.
    pub(super) fn derive(&mut self, op: &Op, args: &[Id]) -> Result<Id, Refusal> {
        let ranges: Vec<Interval> = args.iter().map(|&a| self.range(a)).collect();
        match self.folded(op, args) {
            Some(constant) => Ok(constant),
            None => self.make(op, args, interval_of_op(op, &ranges)),
        }
    }

    /// The result of an operation if constant operands determine it or select one of the operands.
    fn folded(&mut self, op: &Op, args: &[Id]) -> Option<Id> {
        let values: Vec<Option<i64>> = args.iter().map(|&a| self.form(a).constant()).collect();
        if values.iter().all(Option::is_some) {
            let mut all = [Ok(0); 3];
            all.iter_mut().zip(&values).for_each(|(to, from)| *to = Ok(from.unwrap_or_default().into()));
            let value = op.eval(all).ok().and_then(|v| i64::try_from(v).ok())?;
            return Some(self.number(value));
        }
        match (op, &values[..]) {
            (Op::Select, [Some(condition), ..]) => Some(args[if *condition != 0 { 1 } else { 2 }]),
            (Op::And, [Some(0), _] | [_, Some(0)]) => Some(self.number(0)),
            (Op::Or, [Some(c), _] | [_, Some(c)]) if *c != 0 => Some(self.number(1)),
            (Op::And | Op::Or, [Some(_), _]) => self.truth(args[1]).ok(),
            (Op::And | Op::Or, [_, Some(_)]) => self.truth(args[0]).ok(),
            _ => None,
        }
    }

    /// Builds an operation with the meaning of the language, and converts the operands to the types that it needs.
    pub(super) fn make(&mut self, op: &Op, args: &[Id], range: Interval) -> Result<Id, Refusal> {
        match (self.language.special)(self, op, args, range)? {
            Some(special) => Ok(special),
            None => self.plain(op, args, range),
        }
    }

    /// Builds the operation without a special form of the language.
    pub(super) fn plain(&mut self, op: &Op, args: &[Id], range: Interval) -> Result<Id, Refusal> {
        if let (Op::Not, Some(inverse)) = (op, self.inverse(args[0])) {
            let operands = self.form(args[0]).args().to_vec();
            return self.make(&inverse, &operands, range);
        }
        let mut args = args.to_vec();
        for (i, arg) in args.iter_mut().enumerate() {
            *arg = match takes_truth(op, i) {
                true if (self.language.wants_truths)(op) => self.truth(*arg)?,
                true => *arg,
                false => self.value(*arg)?,
            };
        }
        let kind = if self.language.has_widths { self.widths(op, &mut args, range)? } else { Kind::Int };
        let kind = if op.is_truth() { Kind::Truth } else { kind };
        Ok(self.forms.put(Say::Op(op.clone()), &args, kind, range))
    }

    /// Builds `a and b` or `a or b` as a selection, because `b` may have no value if it is not needed.
    fn guarded(&mut self, op: &Op, a: Id, b: Id, range: Interval) -> Result<Id, Refusal> {
        let b = self.truth(b)?;
        let b = self.value(b)?;
        let other = self.number(if *op == Op::And { 0 } else { 1 });
        let [then, otherwise] = if *op == Op::And { [b, other] } else { [other, b] };
        self.make(&Op::Select, &[a, then, otherwise], range)
    }

    /// The comparison that is true if `comparison` is false.
    fn inverse(&self, comparison: Id) -> Option<Op> {
        Some(match &self.form(comparison).say {
            Say::Op(Op::Lt) => Op::Ge,
            Say::Op(Op::Ge) => Op::Lt,
            Say::Op(Op::Gt) => Op::Le,
            Say::Op(Op::Le) => Op::Gt,
            Say::Op(Op::Eq) => Op::Ne,
            Say::Op(Op::Ne) => Op::Eq,
            _ => return None,
        })
    }

    /// The condition that a number is not 0.
    fn truth(&mut self, a: Id) -> Result<Id, Refusal> {
        if self.form(a).kind == Kind::Truth {
            return Ok(a);
        }
        let zero = self.number(0);
        self.derive(&Op::Ne, &[a, zero])
    }

    /// A truth value as the number 0 or 1.
    fn value(&mut self, a: Id) -> Result<Id, Refusal> {
        if self.form(a).kind != Kind::Truth || self.language.truths_are_numbers {
            return Ok(a);
        }
        let [one, zero] = [1, 0].map(|value| self.number(value));
        self.derive(&Op::Select, &[a, one, zero])
    }

    /// Converts the operands to types that are wide enough for the value of the operation. Returns the type of the
    /// result.
    fn widths(&mut self, op: &Op, args: &mut [Id], range: Interval) -> Result<Kind, Refusal> {
        let numbers: Vec<usize> = (0..args.len()).filter(|&i| is_computed_with(op, i)).collect();
        let is_wide = |l: &Self, args: &[Id]| numbers.iter().any(|&i| l.form(args[i]).kind == Kind::Wide);
        let grows = matches!(op, Op::Neg | Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::FloorDiv | Op::TruncDiv);
        if grows && !range.within(NARROW.0, NARROW.1) {
            if range.bounded().is_none() && !matches!(op, Op::Neg | Op::FloorDiv | Op::TruncDiv) {
                return Err(Refusal::new("its values may leave 64 bits").with_help("give its variables ranges"));
            }
            if !is_wide(self, args) {
                let constant = |l: &Self, i: usize| l.form(args[i]).constant().is_some();
                let wanted = numbers.iter().find(|&&i| constant(self, i) == self.language.has_wide_numbers);
                if let Some(&at) = wanted.or(numbers.first()) {
                    args[at] = self.wide(args[at]);
                }
            }
        }
        if is_wide(self, args) {
            if (self.language.wants_one_width)(op) {
                numbers.iter().for_each(|&i| args[i] = self.wide(args[i]));
            }
            return Ok(Kind::Wide);
        }
        Ok(self.signs(op, args, &numbers, range))
    }

    /// Converts unsigned operands to signed ones if the unsigned operation would have another value. Returns the type
    /// of the result.
    fn signs(&mut self, op: &Op, args: &mut [Id], numbers: &[usize], range: Interval) -> Kind {
        let is_unsigned = |l: &Self, id: Id| l.form(id).kind == Kind::Unsigned;
        let unsigned = numbers.iter().filter(|&&i| is_unsigned(self, args[i])).count();
        if unsigned == 0 {
            return Kind::Int;
        }
        let is_mixed = unsigned < numbers.len() && (self.language.wants_one_width)(op);
        if !is_mixed && range.is_nonneg() && numbers.iter().all(|&i| self.range(args[i]).is_nonneg()) {
            return Kind::Unsigned;
        }
        for &i in numbers {
            if is_unsigned(self, args[i]) {
                args[i] = self.forms.put(Say::Sign, &[args[i]], Kind::Int, self.range(args[i]));
            }
        }
        Kind::Int
    }

    /// Converts the value to a number of 64 bits.
    fn wide(&mut self, a: Id) -> Id {
        match self.form(a).kind {
            Kind::Wide => a,
            _ => self.forms.put(Say::Widen, &[a], Kind::Wide, self.range(a)),
        }
    }

    /// Builds `a << b` or `a >> b`. In the operation of the language, the count must be less than the width of `a`.
    pub(super) fn shift(&mut self, op: &Op, mut a: Id, mut b: Id, range: Interval) -> Result<Id, Refusal> {
        if !self.language.has_widths {
            return self.make(op, &[a, b], range);
        }
        a = self.value(a)?;
        let counts = self.range(b);
        if *op == Op::Shr {
            let most = if self.form(a).kind == Kind::Wide { 63 } else { 31 };
            if counts.hi().is_none_or(|hi| hi > most) {
                let most = self.number(most);
                b = self.derive(&Op::Min, &[b, most])?;
            }
            return self.make(op, &[a, b], range);
        }
        if counts.hi().is_none_or(|hi| hi > 62) {
            return Err(Refusal::new("its count may be 63 or more").with_help("give the count a range"));
        }
        if counts.hi().is_some_and(|hi| hi > 30) {
            a = self.wide(a);
        }
        if self.range(a).is_nonneg() || !self.language.has_wide_numbers {
            return self.make(op, &[a, b], range);
        }
        // a negative number is multiplied by the power of two, because its left shift is undefined in C
        let mut one = self.number(1);
        if self.form(a).kind == Kind::Wide {
            one = self.wide(one);
        }
        let power = self.derive(&Op::Shl, &[one, b])?;
        self.make(&Op::Mul, &[a, power], range)
    }
}

/// Whether a number is written with 64 bits. The least number of 32 bits is written with 64, because in C its digits
/// without the sign do not fit 32 bits.
pub(super) fn is_wide(value: i64) -> bool {
    !(NARROW.0 + 1..=NARROW.1).contains(&value.into())
}

/// Whether the operation uses the operand only as a truth value.
fn takes_truth(op: &Op, operand: usize) -> bool {
    matches!(op, Op::And | Op::Or | Op::Not) || *op == Op::Select && operand == 0
}

/// Whether the operand is converted to the type of the operation.
fn is_computed_with(op: &Op, operand: usize) -> bool {
    !(takes_truth(op, operand) || op.is_shift() && operand == 1)
}
