//! From e-nodes and linear forms to the operations that a cost model prices.
//!
//! What goes in is a node or a linear form, with the ranges of its operands; what comes out is an
//! [`Operation`](crate::cost::Operation). Whoever wants the price of a sum or a comparison asks here, so that the rank of a
//! spelling and the price of a candidate agree.

use crate::cost::Operation;
use crate::domain::Interval;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use egg::Id;
use smallvec::SmallVec;

/// Whether values of this range need more than 32 bits.
fn is_wide(i: Interval) -> bool {
    !i.within(i32::MIN as i128, i32::MAX as i128)
}

/// The operation of the sum `lin`, whose terms have the ranges `range`: every price of a sum is that of this operation.
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
    // what is negated is an instruction of its own where it is no part of another sum
    let negation = constant == 0 && products == 0 && plain == 1 && minus == 1;
    Operation::Sum { products, plain: plain + u32::from(constant != 0 || negation), wide }
}

/// The operation that compares `lin` with 0.
pub(crate) fn comparison_operation(lin: &LinearForm, relation: Relation, range: &dyn Fn(Id) -> Interval) -> Operation {
    let (products, plain) = compare_shape(lin, relation);
    Operation::Compare { products, plain, wide: sum_is_wide(lin, range) }
}

/// The operation that compares the terms of `lin`, which are computed elsewhere, with its constant.
pub(crate) fn side_comparison_operation(lin: &LinearForm, range: &dyn Fn(Id) -> Interval) -> Operation {
    Operation::Compare { products: 0, plain: 0, wide: sum_is_wide(lin, range) }
}

/// Products and plain terms of a sum, the constant among the latter.
fn sum_shape(lin: &LinearForm) -> (u32, u32) {
    let products = lin.coeffs().iter().filter(|c| c.unsigned_abs() != 1).count() as u32;
    // what is negated is an instruction of its own where it is no part of another sum
    let negation = lin.constant == 0 && lin.coeffs() == [-1];
    (products, lin.len() as u32 - products + u32::from(lin.constant != 0 || negation))
}

/// How the terms of `lin >= 0` are written: which go to the right, negated, and whether the constant goes left.
pub(crate) struct Sides {
    pub(crate) right: SmallVec<[bool; 8]>,
    pub(crate) constant_left: bool,
}

/// Positive terms on the left, negated negative ones on the right, the constant where it saves an addition.
pub(crate) fn sides(lin: &LinearForm, relation: Relation) -> Sides {
    // |i64::MIN| as a coefficient cannot be negated; it stays on the left
    let mut right: SmallVec<[bool; 8]> = lin.coeffs().iter().map(|&c| c < 0 && c != i64::MIN).collect();
    let plain = |right: &[bool], side: bool| {
        lin.coeffs().iter().zip(right).filter(|(c, r)| c.unsigned_abs() == 1 && **r == side).count()
    };
    let (l, r) = (plain(&right, false), plain(&right, true));
    if right.iter().all(|r| *r) || lin.constant == i64::MIN {
        return Sides { right, constant_left: lin.constant == i64::MIN && !lin.coeffs().iter().all(|c| *c < 0) };
    }
    if lin.constant != 0 && !is_strict(lin, relation) {
        // two plain terms add for nothing beside a third: the constant joins the side with an even number
        let constant_left = r & 1 == 1 && l & 1 == 0 && right.contains(&true);
        return Sides { right, constant_left };
    }
    // the right takes one more for nothing, beside a product too
    if l > 0
        && l & 1 == 0
        && right.contains(&true)
        && r & 1 == 0
        && let Some(i) = lin.coeffs().iter().position(|c| *c == 1)
    {
        right[i] = true;
    }
    Sides { right, constant_left: false }
}

/// Whether `lin >= 0` is written as `left > right` with all terms on their sides and no constant.
fn is_strict(lin: &LinearForm, relation: Relation) -> bool {
    relation == Relation::NonNegative
        && lin.constant == -1
        && lin.coeffs().iter().any(|c| *c < 0)
        && lin.coeffs().iter().any(|c| *c > 0)
}

/// Products of a comparison, and the number of plain terms that makes a model charge for the additions that are left
/// on the two sides, which do not pair up across.
fn compare_shape(lin: &LinearForm, relation: Relation) -> (u32, u32) {
    let (products, _) = sum_shape(lin);
    let s = sides(lin, relation);
    let mut plain = [0u32; 2];
    for (c, r) in lin.coeffs().iter().zip(&s.right) {
        plain[usize::from(*r)] += u32::from(c.unsigned_abs() == 1);
    }
    if lin.constant != 0 && !is_strict(lin, relation) {
        // alone on the left, it is the bound of what stands on the right
        plain[usize::from(!s.constant_left && s.right.contains(&false))] += 1;
    }
    (products, 2 * ((plain[0] >> 1) + (plain[1] >> 1)) + 1)
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

/// The operation of a node other than a sum or a comparison; `None` for constants and variables.
pub(crate) fn operation(node: &Node, range: &dyn Fn(Id) -> Interval, quotient: bool) -> Option<Operation> {
    let wide = |ids: &[Id]| ids.iter().any(|&i| is_wide(range(i)));
    Some(match node {
        Node::Const(_) | Node::Var(_) | Node::Sum(_) => return None,
        Node::Product(f) => {
            let value = f.iter().fold(Interval::point(1), |i, &x| i.times(range(x)));
            Operation::Product { factors: f.len() as u32, wide: is_wide(value) }
        }
        Node::Div([a, b]) => Operation::Div { numerator: range(*a), divisor: range(*b) },
        Node::Mod([a, b]) => Operation::Mod { numerator: range(*a), divisor: range(*b), quotient },
        Node::Min(x) | Node::Max(x) => Operation::Extremum { wide: wide(x) },
        Node::NonNeg(x) | Node::Zero(x) => Operation::Compare { products: 0, plain: 0, wide: wide(x) },
        Node::Not(_) | Node::And(_) | Node::Or(_) => Operation::Logic,
        Node::Select([_, a, b]) => Operation::Select { wide: wide(&[*a, *b]) },
        Node::BitAnd(x) | Node::BitOr(x) | Node::BitXor(x) | Node::Shl(x) | Node::Shr(x) => {
            Operation::Bits { wide: wide(x) }
        }
    })
}
