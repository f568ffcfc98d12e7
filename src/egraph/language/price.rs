//! Converts e-nodes and linear forms to the operations that a cost model prices.
//!
//! The input is a node or a linear form, with the ranges of its operands. The output is an
//! [`Operation`](crate::cost::Operation). Saturation ranks the spellings of a class by these operations, and extraction
//! prices its candidates by them. So saturation and extraction agree on prices.

use crate::cost::Operation;
use crate::domain::Interval;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use egg::Id;

/// Whether values of this range need more than 32 bits.
pub(crate) fn is_wide(i: Interval) -> bool {
    !i.fits_i32()
}

/// The operation of the sum `lin`, whose terms have the ranges `range`. Every price of a sum is the price of this
/// operation.
pub(crate) fn sum_operation(lin: &LinearForm, range: &dyn Fn(Id) -> Interval) -> Operation {
    let (products, plain) = sum_shape(lin);
    Operation::Sum { products, plain, wide: sum_is_wide(lin, range) }
}

/// The operation of a sum of terms with these coefficients and a constant.
pub(crate) fn operation_of_terms(coefficients: impl Iterator<Item = i64>, constant: i64, wide: bool) -> Operation {
    let (mut products, mut plain, mut minus) = (0, 0, 0);
    for c in coefficients {
        match c {
            1 | -1 => plain += 1,
            _ => products += 1,
        }
        minus += u32::from(c == -1);
    }
    // a negated value that is not part of another sum is an instruction of its own
    let negation = constant == 0 && products == 0 && plain == 1 && minus == 1;
    Operation::Sum { products, plain: plain + u32::from(constant != 0 || negation), wide }
}

/// How many terms of a sum are products with a number, and how many are only added or subtracted. The constant counts
/// as one of the added terms.
fn sum_shape(lin: &LinearForm) -> (u32, u32) {
    let products = lin.coeffs().iter().filter(|c| c.unsigned_abs() != 1).count() as u32;
    // a negated value that is not part of another sum is an instruction of its own
    let negation = lin.constant == 0 && lin.coeffs() == [-1];
    (products, lin.len() as u32 - products + u32::from(lin.constant != 0 || negation))
}

/// Whether some partial sum, in whatever order the terms are added, can need more than 32 bits.
pub(crate) fn sum_is_wide(lin: &LinearForm, range: &dyn Fn(Id) -> Interval) -> bool {
    let (mut lo, mut hi) = (lin.constant.min(0) as i128, lin.constant.max(0) as i128);
    for (c, t) in lin.iter() {
        let Some((l, h)) = range(t).scaled(c).bounded() else { return true };
        lo += (l as i128).min(0);
        hi += (h as i128).max(0);
    }
    lo < i32::MIN as i128 || hi > i32::MAX as i128
}

/// The operation of a node that is neither a sum nor a comparison. `None` for constants and variables. `value` is the
/// range of its value, and `range` gives the ranges of its operands.
pub(crate) fn operation(
    node: &Node,
    value: Interval,
    range: &dyn Fn(Id) -> Interval,
    quotient: bool,
) -> Option<Operation> {
    let wide = |ids: &[Id]| ids.iter().any(|&i| is_wide(range(i)));
    Some(match node {
        Node::Const(_) | Node::Var(_) | Node::Sum(_) => return None,
        Node::Product(f) => Operation::Product { factors: f.len() as u32, wide: is_wide(value) },
        Node::Div([a, b]) => Operation::Div { numerator: range(*a), divisor: range(*b) },
        Node::Mod([a, b]) => Operation::Mod { numerator: range(*a), divisor: range(*b), quotient },
        Node::TruncDiv([a, b]) => Operation::TruncDiv { numerator: range(*a), divisor: range(*b) },
        Node::TruncMod([a, b]) => Operation::TruncMod { numerator: range(*a), divisor: range(*b), quotient },
        Node::Min(x) | Node::Max(x) => Operation::Extremum { wide: wide(x) },
        Node::NonNeg(x) | Node::Zero(x) => Operation::Compare { wide: wide(x) },
        Node::Not(_) | Node::And(_) | Node::Or(_) => Operation::Logic,
        // the selected value may need fewer bits than the branches
        Node::Select(_) => Operation::Select { wide: is_wide(value) },
        Node::BitAnd(x) | Node::BitOr(x) | Node::BitXor(x) | Node::Shl(x) | Node::Shr(x) => {
            Operation::Bits { wide: wide(x) }
        }
    })
}
