//! Derives congruences from equalities, and adds assumed facts to the e-graph.
//!
//! The input is a linear form that is 0, or that has a congruence or a range. The result is a congruence of its terms,
//! or a fact or a constraint in the e-graph.

use crate::domain::{Congruence, Interval};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::graph::EGraph;
use crate::integer::{floor_div, floor_mod, gcd};
use egg::Id;
use std::rc::Rc;

/// The largest modulus of a congruence that is solved for one variable.
const MAX_MODULUS: i128 = 1 << 12;

/// The error for conditions that cannot hold together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contradiction;

/// The congruence that `lin == 0` gives for the terms other than number `i`. If that term is `c * t`, `-c * t` is equal
/// to the rest of `lin`, so `c` divides the rest. For example, `4*t - x + 1 == 0` gives `x ≡ 1 (mod 4)`. `None` if `c`
/// is 1 or -1, because every number is a multiple of these.
pub(super) fn multiple_beside(lin: &LinearForm, i: usize) -> Option<(LinearForm, Congruence)> {
    let c = lin.coeffs()[i].checked_abs().filter(|c| *c > 1)?;
    let terms = lin.without(i).scaled(-1)?.terms_only();
    let residue = floor_mod(lin.constant.into(), c.into()) as i64;
    Some((terms, Congruence::new(c, residue)))
}

/// The congruence of `t`, if `c * t` has the congruence `value`. `c * t` is the only term of `lin`. `None` if `lin` has
/// other terms or the modulus is too large. A [`Contradiction`] if no `t` satisfies `value`.
pub(super) fn solved(lin: &LinearForm, value: Congruence) -> Result<Option<(Id, Congruence)>, Contradiction> {
    let &[c] = lin.coeffs() else { return Ok(None) };
    let (c, m, r) = (i128::from(c), i128::from(value.modulus()), i128::from(value.residue()));
    let g = gcd(c, m);
    let modulus = floor_div(m, g);
    // solved by trying all residues, because the moduli of index code are small
    if modulus > MAX_MODULUS {
        return Ok(None);
    }
    // there is no solution if gcd(c, m) does not divide the residue
    let x = (0..modulus).find(|x| floor_mod(c * x - r, m) == 0).ok_or(Contradiction)?;
    Ok(Some((lin.terms()[0], Congruence::new(modulus as i64, x as i64))))
}

/// Assumes that the values of `id` have this congruence. Returns whether that was new.
pub(super) fn assume_congruence(e: &mut EGraph, id: Id, congruence: Congruence) -> Result<bool, Contradiction> {
    e.facts(id).congruence.meet(congruence).ok_or(Contradiction)?;
    Ok(e.sharpen(id, Interval::ALL, congruence))
}

/// Adds constraints for the ends of `range`: `lin` is at least its lower and at most its upper end.
pub(super) fn add_ends(e: &mut EGraph, lin: &LinearForm, range: Interval) {
    let lower = range.lo().and_then(|l| lin.clone().plus_constant(l.checked_neg()?));
    let upper = range.hi().and_then(|h| lin.scaled(-1)?.plus_constant(h));
    lower.into_iter().chain(upper).for_each(|constraint| add_constraint(e, Rc::new(constraint)));
}

/// Adds `constraint >= 0`.
pub(super) fn add_constraint(e: &mut EGraph, constraint: Rc<LinearForm>) {
    e.graph.analysis.constraints.push(constraint);
}
