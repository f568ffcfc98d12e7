//! Finds common factors and multiples in sums, for the clauses of rules.
//!
//! The input is sums. The output is the numbers and products that may be factored out of some of their terms.

use crate::egraph::analysis::graph::{Graph, facts};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Ids;
use crate::egraph::normal::graph::EGraph;
use crate::integer::{floor_div, floor_mod, gcd};
use crate::rules::operator::Operator;
use egg::Id;
use smallvec::SmallVec;

/// The maximum number of divisors or factors that are tried.
const MAX_TRIED: usize = 6;
/// The maximum number of divisors that are tried for one sum and one modulus.
const MAX_DIVISORS: usize = 6;

/// The greatest number that is known to divide `c` times the class `t`. 0 if this product is always 0.
fn known_multiple(graph: &Graph, c: i64, t: Id) -> i64 {
    let congruence = facts(graph, t).congruence;
    let common = gcd(congruence.modulus().into(), congruence.residue().into());
    i64::try_from(common.saturating_mul(i128::from(c).abs())).unwrap_or(c)
}

/// Divisors above 1 that `n` shares with the known divisors of terms of `lin`, greatest first. Empty if they are the
/// divisors that the coefficients alone give.
pub(super) fn known_multiples(graph: &Graph, lin: &LinearForm, n: i64) -> SmallVec<[i64; 8]> {
    let mut out: SmallVec<[i64; 8]> = SmallVec::new();
    let (mut all, mut is_news) = (i128::from(n), false);
    for (c, t) in lin.iter() {
        let shared = gcd(known_multiple(graph, c, t).into(), n.into());
        is_news |= shared != gcd(c.into(), n.into());
        out.extend(i64::try_from(shared).ok().filter(|g| *g > 1));
        if shared > 1 {
            all = gcd(all, shared);
        }
    }
    if !is_news {
        return SmallVec::new();
    }
    out.extend(i64::try_from(all).ok().filter(|g| *g > 1));
    out.sort_unstable_by(|a, b| b.cmp(a));
    out.dedup();
    out.truncate(MAX_TRIED);
    out
}

/// `(q, r)` with `lin == q + r`. `q` has the terms that are known to be multiples of `g`, and the greatest multiple of
/// `g` up to the constant.
pub(super) fn split_multiples(graph: &Graph, lin: &LinearForm, g: i64) -> (LinearForm, LinearForm) {
    let rest = floor_mod(lin.constant.into(), g.into()) as i64;
    let (mut q, mut r) = (LinearForm::constant(lin.constant.saturating_sub(rest)), LinearForm::constant(rest));
    for (c, t) in lin.iter() {
        let divides = floor_mod(known_multiple(graph, c, t).into(), g.into()) == 0;
        if divides { q.push(t, c) } else { r.push(t, c) }
    }
    (q, r)
}

/// Products, with coefficients, that are factors of terms of `lin`. Each class that occurs as a factor gives two
/// products. One is the product that all terms with this class share, and the other is the class alone. Empty if no
/// term is a product.
pub(super) fn factors(e: &mut EGraph, lin: &LinearForm) -> SmallVec<[LinearForm; 4]> {
    let mut out = SmallVec::new();
    if !lin.terms().iter().any(|&t| e.facts(t).has(Operator::Product)) {
        return out;
    }
    let terms: Vec<(i64, Ids)> = lin.iter().map(|(c, t)| (c, e.factors(t))).collect();
    let mut atoms: Vec<Id> = terms.iter().flat_map(|(_, f)| f.iter().copied()).collect();
    atoms.sort_unstable();
    atoms.dedup();
    for atom in atoms {
        let mut number = 0;
        let mut shared: Option<Ids> = None;
        for (c, factors) in terms.iter().filter(|(_, factors)| factors.contains(&atom)) {
            number = gcd(number, (*c).into());
            shared = Some(match shared {
                None => factors.clone(),
                Some(known) => intersection(&known, factors),
            });
        }
        let Some(shared) = shared else { continue };
        let number = i64::try_from(number).unwrap_or(1).max(1);
        for candidate in [LinearForm::term(number, e.product(&shared)), LinearForm::atom(atom)] {
            if !out.contains(&candidate) && out.len() < MAX_TRIED {
                out.push(candidate);
            }
        }
    }
    out
}

/// Products of unknowns, with coefficients, that all terms of `by` share with one term of `lin`. There are at most
/// [`MAX_TRIED`], from the first terms of `lin`.
pub(super) fn shared_factors(e: &mut EGraph, lin: &LinearForm, by: &LinearForm) -> SmallVec<[LinearForm; 4]> {
    let mut out = SmallVec::new();
    let [first, others @ ..] = by.terms() else { return out };
    if by.constant != 0 {
        return out;
    }
    let of_all = others.iter().fold(e.factors(*first), |shared, &t| intersection(&shared, &e.factors(t)));
    if of_all.is_empty() {
        return out;
    }
    let number = by.content();
    for (c, t) in lin.iter() {
        let shared = intersection(&of_all, &e.factors(t));
        let Ok(number) = i64::try_from(gcd(number.into(), c.into())) else { continue };
        if shared.is_empty() || out.len() == MAX_TRIED {
            continue;
        }
        let candidate = LinearForm::term(number, e.product(&shared));
        if !out.contains(&candidate) {
            out.push(candidate);
        }
    }
    out
}

/// The factors that both products have, with multiplicity.
pub(super) fn intersection(a: &Ids, b: &Ids) -> Ids {
    let mut b = b.clone();
    let mut shared = |x: &Id| b.iter().position(|y| y == x).map(|i| b.remove(i)).is_some();
    a.iter().copied().filter(|x| shared(x)).collect()
}

/// Divisors of `n` above 1 that are a gcd of `n` and some of the coefficients, greatest first.
pub(super) fn shared_divisors(lin: &LinearForm, n: i64) -> SmallVec<[i64; 8]> {
    let mut out: SmallVec<[i64; 8]> = SmallVec::new();
    for &c in lin.coeffs() {
        let g = gcd(c as i128, n as i128) as i64;
        if g > 1 && !out.contains(&g) {
            let known = out.len();
            out.push(g);
            for i in 0..known {
                let h = gcd(out[i] as i128, g as i128) as i64;
                if h > 1 && !out.contains(&h) {
                    out.push(h);
                }
            }
            if out.len() > 4 * MAX_DIVISORS {
                break;
            }
        }
    }
    out.sort_unstable_by(|a, b| b.cmp(a));
    out.truncate(MAX_DIVISORS);
    out
}

/// The `a != 0` for which all terms of `part` cancel in `sum - a * part`.
pub(super) fn ratio(sum: &LinearForm, part: &LinearForm) -> Option<i64> {
    let mut a = None;
    for (c, t) in part.iter() {
        let s = sum.coeff(t);
        if s == 0 || floor_mod(s as i128, c as i128) != 0 {
            return None;
        }
        let r = floor_div(s as i128, c as i128) as i64;
        if a.is_some_and(|a| a != r) {
            return None;
        }
        a = Some(r);
    }
    a
}
