//! Sums of products as polynomials: division by a divisor that is a sum of unknowns.
//!
//! What goes in are two linear forms whose terms may be products; what comes out are a quotient and a remainder, both linear
//! forms again. Rules about divisors that are known only at run time are built on this.

use crate::egraph::build::graph::EGraph;
use crate::egraph::language::linear_form::LinearForm;
use crate::integer::{floor_div, floor_mod};
use egg::Id;

impl EGraph {
    /// `(q, r)` with `lin == by * q + r` and fewer terms in `r`: one pass of polynomial division by the term of `by` that
    /// has the most factors.
    pub(crate) fn divide_out(&mut self, lin: &LinearForm, by: &LinearForm) -> Option<(LinearForm, LinearForm)> {
        let lead = (0..by.len()).rev().max_by_key(|&i| self.factors(by.terms()[i]).len())?;
        let (d, factors, rest) = (by.coeffs()[lead], self.factors(by.terms()[lead]), by.without(lead));
        let (mut q, mut r) = (LinearForm::default(), lin.clone());
        for (c, t) in lin.iter().filter(|(c, _)| floor_mod(*c as i128, d as i128) == 0) {
            let Some(part) = self.without_factors(t, &factors) else { continue };
            let c = i64::try_from(floor_div(c as i128, d as i128)).ok()?;
            r = r.plus(c.checked_mul(d)?.checked_neg()?, &LinearForm::atom(t))?;
            // `part` is 1 or an atom
            let mut less = part.scaled(rest.constant)?;
            for (e, u) in rest.iter() {
                let product = part.as_atom().map_or(u, |a| self.product(&[a, u]));
                less = less.plus(e, &LinearForm::atom(product))?;
            }
            r = r.plus(c.checked_neg()?, &less)?;
            q = q.plus(c, &part)?;
        }
        let terms = |l: &LinearForm| l.len() + usize::from(l.constant != 0);
        (terms(&r) < terms(lin)).then_some((q, r))
    }

    /// The product `t` with these factors taken out, `None` when it lacks one.
    pub(crate) fn without_factors(&mut self, t: Id, factors: &[Id]) -> Option<LinearForm> {
        let mut left = self.factors(t);
        for &f in factors {
            let f = self.graph.find(f);
            let i = left.iter().position(|&x| x == f)?;
            left.remove(i);
        }
        Some(if left.is_empty() { LinearForm::constant(1) } else { LinearForm::atom(self.product(&left)) })
    }

    /// Whether `divisor` is a sum that is known only at run time.
    pub(crate) fn is_polynomial(divisor: &LinearForm) -> bool {
        !divisor.is_constant() && (divisor.constant != 0 || divisor.len() > 1)
    }
}
