//! Tests whether two expressions differ only in the order of their parts.

use quaff::expr::Expr;
use quaff::expr::Op;
use quaff::expr::monomials::{Monomial, monomials};

/// The most levels of nested operations that are compared.
const DEEPEST: usize = 32;

/// Whether `a` and `b` differ only in the order of terms, factors and operands, and in whether products of sums are
/// expanded.
///
/// The time for each level of nested operations is polynomial in the number of terms of a sum.
pub(crate) fn alike(a: &Expr, b: &Expr) -> bool {
    alike_within(a, b, DEEPEST)
}

fn alike_within(a: &Expr, b: &Expr, depth: usize) -> bool {
    if a == b || depth == 0 {
        return a == b;
    }
    let is_sum = |e: &Expr| matches!(e.op(), Op::Add | Op::Sub | Op::Neg | Op::Mul);
    let is_alike = |a: &Expr, b: &Expr| alike_within(a, b, depth - 1);
    if is_sum(a) || is_sum(b) {
        let Some((a, b)) = monomials(a).zip(monomials(b)) else { return false };
        let same =
            |m: &Monomial, n: &Monomial| m.coefficient == n.coefficient && paired(&m.factors, &n.factors, is_alike);
        return paired(&a, &b, same);
    }
    let (a_args, b_args) = (a.args(), b.args());
    match a.op() {
        op if op != b.op() || a_args.is_empty() => false,
        Op::And | Op::Or | Op::BitAnd | Op::BitOr | Op::BitXor | Op::Eq | Op::Ne | Op::Min | Op::Max => {
            paired(a_args, b_args, is_alike)
        }
        _ => a_args.iter().zip(b_args).all(|(a, b)| is_alike(a, b)),
    }
}

/// Whether the elements of `a` and `b` can be paired such that the two elements of each pair are the same.
fn paired<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    let mut left: Vec<&T> = b.iter().collect();
    a.len() == b.len()
        && a.iter().all(|one| left.iter().position(|other| same(one, other)).map(|at| left.swap_remove(at)).is_some())
}

#[cfg(test)]
mod tests {
    use super::alike;
    use quaff::expr::Expr;

    #[test]
    fn order_is_no_difference() {
        let same = |a: &str, b: &str| alike(&a.parse::<Expr>().unwrap(), &b.parse::<Expr>().unwrap());
        assert!(same("a*b + c//(x*y)", "c//(y*x) + b*a"));
        assert!(same("(a + 1)*b < c", "b + b*a < c"));
        assert!(same("x and y%2 == 1", "1 == y%2 and x"));
        assert!(!same("a//b", "b//a") && !same("a + a", "a + b") && !same("x//(y + 1)", "x//(y + 2)"));
    }
}
