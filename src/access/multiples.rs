//! Sums that other accesses compute, as parts of indices: beside a gate `g*2 + l < 7`, the index `g*16 + l*8 + z` is `z + (g*2 + l)*8`.
//!
//! What goes in are the accesses of a kernel; what comes out are the same with multiples of sums that are compared or divided anyway
//! written as such. A compiler adds up what is written between brackets as one value, and does not find it in the sum without them.

use super::{Access, Gate};
use crate::expr::monomials::{Monomial, factor_of, is_permutation, monomials, sum_of};
use crate::expr::offset::{plus_offset, split_offset};
use crate::expr::{Dag, Expr, Op, int, select};

/// Sums that are looked for; a kernel compares and divides some tens.
const MAX_SUMS: usize = 64;

/// A sum that is computed anyway.
struct Known {
    sum: Expr,
    terms: Vec<Monomial>,
}

/// `accesses` with such indices; `None` where there is nothing to change.
pub(super) fn multiples(accesses: &[Access]) -> Option<Vec<Access>> {
    let known = known_sums(accesses);
    let mut new = accesses.to_vec();
    for lane in new.iter_mut().flat_map(|a| &mut a.lanes) {
        if let Some(form) = with_known(lane, &known) {
            *lane = form;
        }
    }
    (new != accesses).then_some(new)
}

/// The sums of several terms that are compared with a constant, divided, or indices themselves but for a constant; the longest first.
fn known_sums(accesses: &[Access]) -> Vec<Known> {
    let happen = || accesses.iter().filter(|a| a.gate != Gate::Never);
    let exprs: Vec<Expr> = happen().flat_map(|a| a.gate.condition().into_iter().chain(&a.lanes)).cloned().collect();
    let dag = Dag::with_origins(&exprs);
    let is_read =
        |op: &Op| matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne | Op::FloorDiv | Op::FloorMod);
    let is_constant = |i: u32| matches!(dag.nodes()[i as usize].op, Op::Const(_));
    let read = dag.nodes().iter().filter(|node| is_read(&node.op) && is_constant(node.args[1]));
    let read = read.map(|node| dag.origin(node.args[0]).clone());
    let indices = happen().flat_map(|a| a.lanes.iter().map(|lane| split_offset(lane).0));
    let mut known: Vec<Known> = Vec::new();
    for sum in read.chain(indices).filter(|sum| matches!(sum.op(), Op::Add | Op::Sub)) {
        if known.len() < MAX_SUMS
            && let Some(terms) = monomials(&sum).filter(|all| all.iter().filter(|t| !t.factors.is_empty()).count() > 1)
            && known.iter().all(|k| k.sum != sum)
        {
            known.push(Known { sum, terms });
        }
    }
    known.sort_by_key(|k| std::cmp::Reverse(k.terms.len()));
    known
}

/// `index`, or the branches of the selection that it is, with multiples of `known` sums in the place of their terms, each term in one of them;
/// the constant stays last.
fn with_known(index: &Expr, known: &[Known]) -> Option<Expr> {
    let (rest, mut constant) = split_offset(index);
    match (rest.op(), rest.args()) {
        (Op::Add | Op::Sub, _) => {}
        (Op::Select, [c, a, b]) => {
            let branches = [a, b].map(|branch| with_known(branch, known));
            let is_changed = branches.iter().any(Option::is_some);
            let [then, other] = branches;
            let new = select(c.clone(), then.unwrap_or_else(|| a.clone()), other.unwrap_or_else(|| b.clone()));
            return is_changed.then(|| plus_offset(new, constant));
        }
        _ => return None,
    }
    let mut terms = monomials(&rest)?;
    let mut parts: Vec<Expr> = Vec::new();
    for k in known {
        let Some(factor) = factor_of(&k.terms, &terms).filter(|f| !matches!(f, 1 | -1)) else { continue };
        for term in &k.terms {
            if term.factors.is_empty() {
                constant = constant.checked_sub(term.coefficient.checked_mul(factor)?)?;
            } else {
                terms.retain(|t| !is_permutation(&t.factors, &term.factors));
            }
        }
        parts.push(&k.sum * int(factor));
    }
    if parts.is_empty() {
        return None;
    }
    let rest = (!terms.is_empty()).then(|| sum_of(&terms));
    let sum = rest.into_iter().chain(parts).reduce(|a, b| a + b)?;
    Some(plus_offset(sum, constant))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index of a load under `gate` in such a form.
    fn shown(index: &str, gate: &str) -> Option<String> {
        let load = Access::load("v", "in", index.parse().unwrap());
        let access = Access { gate: Gate::from(gate.parse::<Expr>().unwrap()), ..load };
        let form = multiples(std::slice::from_ref(&access))?;
        for (x, y) in (-20..20).flat_map(|x| (-3..9).map(move |y| (x, y))) {
            let value = |name: &str| Some(if name == "x" { x } else { y });
            assert_eq!(access.lanes[0].eval(value), form[0].lanes[0].eval(value), "{index} at {x}, {y}");
        }
        assert_eq!(form[0].gate, access.gate);
        Some(form[0].lanes[0].to_string())
    }

    #[test]
    fn multiples_of_compared_and_divided_sums_are_products() {
        for (index, gate, wanted) in [
            ("x*16 + y*8 + 3", "x*2 + y < 7", "(x*2 + y)*8 + 3"),
            ("y*y + x*-6 - y*3", "x*2 + y < 7", "y*y + (x*2 + y)*-3"),
            // the constant of the sum as well
            ("x*4 + y*2 + y*y", "(x*2 + y + 1)%5 < 3", "y*y + (x*2 + y + 1)*2 - 2"),
            ("where(x < 3, x*4 + y*2, y) + 1", "x*2 + y < 7", "where(x < 3, (x*2 + y)*2, y) + 1"),
            // the longer sum first
            ("x*4 + y*4 + x*y*4", "x + y < 3 and x + y + x*y < 9", "(x + y + x*y)*4"),
        ] {
            assert_eq!(shown(index, gate).as_deref(), Some(wanted), "{index} | {gate}");
        }
    }

    #[test]
    fn other_sums_stay() {
        for (index, gate) in [
            ("x*16 + y*7", "x*2 + y < 7"),
            ("x*2 + y + y*y", "x*2 + y < 7"),
            ("x*16 + y*8", "x*2 < y"),
            ("x*16", "x*2 + y < 7"),
            ("x*9223372036854775807 + y*9223372036854775807", "x + y - 2 < 7"),
        ] {
            assert_eq!(shown(index, gate), None, "{index} | {gate}");
        }
    }
}
