//! Treats sums of products as polynomials, to divide them by a sum of unknowns: `m*n + n*n + k` by `m + n`.
//!
//! The input is two linear forms whose terms may be products. The output is a quotient and a remainder, both linear
//! forms again. Rules about divisors that are known only at run time use this division.

use crate::egraph::language::linear_form::{LinearForm, Terms};
use crate::egraph::language::node::Ids;
use crate::egraph::normal::graph::EGraph;
use crate::integer::{floor_div, floor_mod};
use egg::Id;
use std::cmp::Reverse;

/// The maximum number of steps of one division. A numerator has at most as many terms as a product of sums that is
/// multiplied out.
const MAX_DIVISION_STEPS: usize = 16;

impl EGraph {
    /// `(q, r)` with `lin == by * q + r` and fewer terms in `r` than in `lin`. This is polynomial division by the
    /// greatest term of `by`.
    pub(crate) fn divide_out(&mut self, lin: &LinearForm, by: &LinearForm) -> Option<(LinearForm, LinearForm)> {
        let lead = (0..by.len()).max_by_key(|&i| self.degree(by.terms()[i]))?;
        let (d, factors, rest) = (by.coeffs()[lead], self.factors(by.terms()[lead]), by.without(lead));
        let (mut q, mut r) = (LinearForm::default(), lin.clone());
        for _ in 0..MAX_DIVISION_STEPS {
            let Some((c, t, part)) = self.greatest_multiple(&r, d, &factors) else { break };
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

    /// The greatest term `c * d * t` of `lin` whose class `t` has these factors. Returns `c`, `t` and `t` without the
    /// factors.
    fn greatest_multiple(&mut self, lin: &LinearForm, d: i64, factors: &[Id]) -> Option<(i64, Id, LinearForm)> {
        let quotient =
            |c: i64| (floor_mod(c.into(), d.into()) == 0).then(|| i64::try_from(floor_div(c.into(), d.into())).ok())?;
        let multiples = lin.iter().filter_map(|(c, t)| Some((quotient(c)?, t, self.cofactors(t, factors)?)));
        // the degree is computed only for terms that have all factors, because most terms lack one
        let (c, t, left) = multiples.min_by_key(|&(_, t, _)| Reverse(self.degree(t)))?;
        Some((c, t, self.monomial(&left)))
    }

    /// The sort key of a product in a monomial order: first the number of factors, then the factors. Multiplication
    /// preserves this order.
    fn degree(&self, t: Id) -> (usize, Reverse<Ids>) {
        let mut factors = self.factors(t);
        factors.sort_unstable();
        (factors.len(), Reverse(factors))
    }

    /// The product `t` without these factors. `None` if it lacks one of them.
    pub(crate) fn without_factors(&mut self, t: Id, factors: &[Id]) -> Option<LinearForm> {
        let left = self.cofactors(t, factors)?;
        Some(self.monomial(&left))
    }

    /// The other factors of `t`. `None` if `t` lacks one of `factors`.
    fn cofactors(&self, t: Id, factors: &[Id]) -> Option<Ids> {
        let mut left = self.factors(t);
        for &f in factors {
            let f = self.graph.find(f);
            let i = left.iter().position(|&x| x == f)?;
            left.remove(i);
        }
        Some(left)
    }

    /// The product of these factors. 1 for no factors.
    fn monomial(&mut self, factors: &[Id]) -> LinearForm {
        if factors.is_empty() { LinearForm::constant(1) } else { LinearForm::atom(self.product(factors)) }
    }

    /// `(q, r)` with `lin == n * Π factors * q + r`. The terms of `q` are the terms of `lin` that the product divides,
    /// divided by that product. The constant stays in `r`.
    pub(crate) fn split_by_factors(
        &mut self,
        lin: &LinearForm,
        n: i64,
        factors: &[Id],
    ) -> Option<(LinearForm, LinearForm)> {
        let (mut constant, mut q, mut r) = (0, Terms::new(), LinearForm::constant(lin.constant));
        for (c, t) in lin.iter() {
            let is_multiple = floor_mod(c.into(), n.into()) == 0;
            match if is_multiple { self.without_factors(t, factors) } else { None } {
                Some(rest) => {
                    let c = floor_div(c.into(), n.into());
                    constant += c * i128::from(rest.constant);
                    q.extend(rest.iter().map(|(d, t)| (t, c * i128::from(d))));
                }
                None => r.push(t, c),
            }
        }
        Some((LinearForm::from_terms(i64::try_from(constant).ok()?, q)?, r))
    }

    /// Whether `divisor` is a sum of several parts that is known only at run time.
    pub(crate) fn is_polynomial(divisor: &LinearForm) -> bool {
        !divisor.is_constant() && (divisor.constant != 0 || divisor.len() > 1)
    }
}
