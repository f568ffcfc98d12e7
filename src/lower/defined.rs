//! Finds values that the text may compute before it is known whether they are needed, for example before an `if`.

use super::graph::{Instr, Lowered, Type};
use crate::domain::{Interval, interval_of_op};
use crate::expr::Op;

impl Lowered {
    /// For each value, whether it has no undefined behaviour, such as division by 0 or signed overflow, when each
    /// parameter lies in the range that `range_of` returns for its name. The ranges of values are computed only from
    /// the operations, and not from the facts that selected the operations. The time is linear in the values.
    pub(crate) fn always_defined(&self, range_of: impl Fn(&str) -> Interval) -> Vec<bool> {
        let mut defined = Vec::with_capacity(self.values.len());
        let mut ranges: Vec<Interval> = Vec::with_capacity(self.values.len());
        for value in &self.values {
            let args: Vec<Interval> = value.args().iter().map(|&a| ranges[a as usize]).collect();
            let whole = of_type(value.ty);
            let is_signed = matches!(value.ty, Type::Int | Type::Long);
            let fits = |range: Interval| range.meet(whole) == Some(range);
            let wrapped = |range: Interval| if fits(range) { range } else { whole };
            let exact = || value.instr.op().map_or(whole, |op| interval_of_op(&op, &args));
            let (range, is_defined) = match value.instr {
                Instr::Const(c) => (wrapped(Interval::point(c)), true),
                Instr::Param(p) => (wrapped(range_of(&self.params[p as usize].name)), true),
                Instr::FastMultiplier(_) => (whole, true),
                Instr::FastShift(_) => (Interval::from_wide(0, 31), true),
                Instr::Cast => (wrapped(args[0]), true),
                Instr::Neg | Instr::Add | Instr::Sub | Instr::Mul => (wrapped(exact()), !is_signed || fits(exact())),
                Instr::Min | Instr::Max => (exact(), true),
                Instr::Select => (args[1].hull(args[2]), true),
                Instr::Shr if args[0].is_nonneg() || is_signed => (exact(), is_amount(args[1], value.ty)),
                Instr::Shl | Instr::FunnelShl | Instr::Shr => (whole, is_amount(args[1], value.ty)),
                Instr::Div | Instr::Mod => (exact(), !args[1].contains(0)),
                // if the quotient overflows, the remainder is undefined in C as well
                Instr::TruncDiv | Instr::TruncMod => {
                    let fits = fits(interval_of_op(&Op::TruncDiv, &args));
                    (exact(), fits && !args[1].contains(0))
                }
                Instr::Compare(_) | Instr::LogicalAnd | Instr::LogicalOr | Instr::LogicalNot => (whole, true),
                Instr::And | Instr::Or | Instr::Xor | Instr::MulHi | Instr::SignedMulHi(_) => (whole, true),
            };
            ranges.push(range.meet(whole).unwrap_or(whole));
            defined.push(is_defined && value.args().iter().all(|&a| defined[a as usize]));
        }
        defined
    }
}

fn is_amount(amount: Interval, ty: Type) -> bool {
    amount.within(0, if ty.is_wide() { 63 } else { 31 })
}

/// The values of a type, as an interval.
fn of_type(ty: Type) -> Interval {
    match ty {
        Type::Bool => Interval::from_wide(0, 1),
        Type::Int => Interval::from_wide(i32::MIN.into(), i32::MAX.into()),
        Type::Unsigned => Interval::from_wide(0, u32::MAX.into()),
        Type::Long => Interval::from_wide((i64::MIN + 1).into(), (i64::MAX - 1).into()),
        Type::UnsignedLong => Interval::ALL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use crate::expr::{Dag, Expr};
    use crate::lower::lower;

    /// Whether `text`, lowered with the facts of `inside`, is defined for all values in `around`.
    fn is_defined(text: &str, inside: &str, around: &str) -> bool {
        let facts = |text: &str| text.parse::<Domain>().expect(text).resolve().expect("consistent");
        let lowered = lower(&Dag::new(&[text.parse::<Expr>().expect(text)]), &facts(inside)).expect("narrow");
        let around = facts(around);
        let range = |name: &str| around.iter().find(|v| *v.name == *name).map_or(Interval::ALL, |v| v.interval);
        lowered.always_defined(range)[lowered.roots()[0] as usize]
    }

    #[test]
    fn divisors_that_may_be_zero_are_found() {
        assert!(is_defined("t//n*64", "t=0..31, n=1..9", "t=0..31, n=1..9"));
        assert!(!is_defined("t//n*64", "t=0..31, n=1..9", "t=0..31, n=0..9"));
        assert!(is_defined("t//max(n, 1)", "t=0..31, n=0..9", "t=0..31, n=0..9"));
        assert!(is_defined("t//7%3", "t=0..31", "t=-31..31"), "a wrong value is no undefined one");
    }

    #[test]
    fn signed_overflow_is_found() {
        assert!(is_defined("n*65536 - 5", "n=0..32767", "n=0..32767"));
        assert!(!is_defined("n*65536 - 5", "n=0..32767", "n=0..65535"));
        assert!(is_defined("n*65536", "n=0..65535", "n=0..65535"), "unsigned operations wrap around");
    }
}
