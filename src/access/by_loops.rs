//! Products in loops: what an iteration changes, times what it does not.
//!
//! What goes in is an expression and the loops around it; what comes out is the same sum, by what its products have in common that changes
//! in the innermost loop, so that all that it is multiplied with can be computed before: `p*(x - q + s*q)` is `q*(p*s - p) + p*x` where `q`
//! changes.

use crate::cost::times::LoopNest;
use crate::domain::VarFacts;
use crate::expr::monomials::{Monomial, is_permutation, monomials, sum_of};
use crate::expr::{Dag, Expr, Op};

/// `e` as such a sum; `None` where no product has factors that change and others that do not.
pub(super) fn by_loops(e: &Expr, nest: &LoopNest, vars: &[VarFacts]) -> Option<Expr> {
    if nest.is_empty() || !has_products(e) {
        return None;
    }
    let products = monomials(e)?;
    let times = |f: &Expr| nest.times_of(&Dag::new(std::slice::from_ref(f)), vars).last().copied().unwrap_or(1);
    let mixed = |m: &Monomial| {
        let mut all = m.factors.iter().map(times);
        all.next().is_some_and(|first| all.any(|t| t != first))
    };
    products.iter().any(mixed).then(|| sum_by_loops(&products, &times))
}

/// Whether two unknowns are multiplied.
fn has_products(e: &Expr) -> bool {
    let dag = Dag::new(std::slice::from_ref(e));
    let is_number = |a: u32| matches!(dag.nodes()[a as usize].op, Op::Const(_));
    dag.nodes().iter().any(|n| n.op == Op::Mul && !n.args().iter().any(|&a| is_number(a)))
}

/// The sum of `products`, those that change most often by what changes in them.
fn sum_by_loops(products: &[Monomial], times: &dyn Fn(&Expr) -> u64) -> Expr {
    let most = products.iter().flat_map(|m| &m.factors).map(times).max().unwrap_or(0);
    let mut groups: Vec<(Vec<Expr>, Vec<Monomial>)> = Vec::new();
    for m in products {
        let (inner, outer) = m.factors.iter().cloned().partition(|f| most > 1 && times(f) == most);
        let outer = Monomial { coefficient: m.coefficient, factors: outer };
        match groups.iter_mut().find(|(factors, _)| is_permutation(factors, &inner)) {
            Some((_, of_group)) => of_group.push(outer),
            None => groups.push((inner, vec![outer])),
        }
    }
    let sum = groups.iter().map(|(inner, outer)| match (inner.is_empty(), &outer[..]) {
        (true, all) if most > 1 => sum_by_loops(all, times),
        (true, all) => sum_of(all),
        (false, [one]) if one.factors.is_empty() => {
            Monomial { coefficient: one.coefficient, factors: inner.clone() }.expr()
        }
        (false, all) => Monomial { coefficient: 1, factors: inner.clone() }.expr() * sum_by_loops(all, times),
    });
    sum.reduce(|a, b| a + b).unwrap_or_else(|| 0.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;

    fn shown(text: &str) -> Option<String> {
        let domain: Domain = "p=1..64, s=1..64, x=0..9, i=0..31, k=0..31; loop i k".parse().expect("a domain");
        let vars = domain.resolve().expect("consistent");
        let form = by_loops(&text.parse().expect("an expression"), &LoopNest::new(&vars), &vars)?;
        Some(form.to_string())
    }

    #[test]
    fn products_are_grouped_by_what_changes_in_the_innermost_loop() {
        assert_eq!(shown("p*(x - k//7 + s*(k//7))").unwrap(), "p*x + k//7*(p*-1 + p*s)");
        assert_eq!(shown("k*(i*p + i*s) + i*p*3").unwrap(), "k*(i*(p + s)) + i*(p*3)");
    }

    #[test]
    fn sums_without_such_products_stay() {
        assert_eq!(shown("k*3 + i*5 + p*s"), None);
        assert_eq!(shown("k*i + 1").map(|_| ()), Some(()));
        assert_eq!(shown("p//s + x*4"), None);
    }
}
