//! The difference between a cheaper form and the answer.

use super::case::Case;
use quaff::expr::{Expr, Op};
use std::collections::HashSet;

/// The number of operations of each kind in an expression. Equal operations count once.
#[derive(Default)]
struct Counts {
    comparisons: usize,
    selections: usize,
    remainders: usize,
    bits: usize,
    /// Quotients by powers of two, which are shifts.
    shifts: usize,
    /// All other quotients.
    quotients: usize,
}

impl Counts {
    fn of(expr: &Expr) -> Counts {
        let (mut counts, mut stack, mut seen) = (Counts::default(), vec![expr.clone()], HashSet::new());
        while let Some(e) = stack.pop() {
            if !seen.insert(e.clone()) {
                continue;
            }
            match e.op() {
                Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => counts.comparisons += 1,
                Op::Select => counts.selections += 1,
                Op::FloorMod => counts.remainders += 1,
                Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Shr => counts.bits += 1,
                Op::FloorDiv if e.args()[1].as_const().is_some_and(|d| d > 0 && d.count_ones() == 1) => {
                    counts.shifts += 1
                }
                Op::FloorDiv => counts.quotients += 1,
                _ => {}
            }
            stack.extend(e.args().iter().cloned());
        }
        counts
    }
}

/// A short reason why `form` costs less than the answer of `case`.
pub(crate) fn reason(case: &Case<'_>, form: &Expr) -> &'static str {
    let again = case.simplifier.simplify(&case.answer, &case.domain);
    let (before, after) = (Counts::of(&case.answer), Counts::of(form));
    if again.is_ok_and(|again| again.cost().tenths() < case.price) {
        "what simplifying the answer once more finds"
    } else if after.shifts > before.shifts && after.quotients < before.quotients {
        "a product and a shift for a quotient"
    } else if after.bits > before.bits {
        "operations on bits"
    } else if after.selections < before.selections {
        "arithmetic for a selection"
    } else if after.remainders > before.remainders {
        "a remainder"
    } else if after.comparisons < before.comparisons {
        "a value of 0 or 1 for a comparison"
    } else if after.comparisons > before.comparisons {
        "a comparison for a quotient"
    } else {
        "something else"
    }
}
