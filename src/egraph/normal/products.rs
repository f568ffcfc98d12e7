//! Products. A product of classes that are not sums is one node. Products of small sums are multiplied out.
//!
//! The input is linear forms or classes. The output is their product, as a linear form or a class.

use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Ids, Node};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::graph::SHORT_SUM;
use crate::egraph::normal::quotient_bounds::bound_product;
use crate::rules::operator::Operator;
use egg::Id;
use smallvec::SmallVec;
use std::rc::Rc;

/// The maximum number of terms for which a product of two sums is multiplied out.
const MAX_DISTRIBUTED_TERMS: usize = 16;

impl EGraph {
    /// `a * b`. Constants and small sums are multiplied out, and products are flattened.
    pub(crate) fn mul(&mut self, a: &LinearForm, b: &LinearForm) -> Option<LinearForm> {
        if a.is_constant() {
            return b.scaled(a.constant);
        }
        if b.is_constant() {
            return a.scaled(b.constant);
        }
        let parts = |l: &LinearForm| l.len() + usize::from(l.constant != 0);
        if parts(a) == 1 && parts(b) == 1 {
            let (c, d) = (a.coeffs()[0].checked_mul(b.coeffs()[0])?, [a.terms()[0], b.terms()[0]]);
            let id = self.product(&d);
            return Some(LinearForm::term(c, id));
        }
        let factored = {
            let (x, y) = (self.class_of(a)?, self.class_of(b)?);
            let mut ids: Ids = SmallVec::from_slice(&[x, y]);
            ids.sort_unstable();
            self.add(Node::Product(ids))
        };
        if parts(a) * parts(b) <= MAX_DISTRIBUTED_TERMS {
            let mut sum = b.scaled(a.constant)?;
            for (c, t) in a.iter() {
                if b.constant != 0 {
                    sum = sum.plus(c.checked_mul(b.constant)?, &LinearForm::atom(t))?;
                }
                for (d, u) in b.iter() {
                    let p = self.product(&[t, u]);
                    sum = sum.plus(c.checked_mul(d)?, &LinearForm::atom(p))?;
                }
            }
            // a factor that is a class with a canonical sum contributes all terms of that sum
            let long = self.canonical_deep(&sum).map_or(0, |l| l.len()).checked_sub(SHORT_SUM);
            if long.is_none_or(|terms| self.may_repeat(terms)) {
                self.equate(factored, &sum);
            }
        }
        Some(LinearForm::atom(self.graph.find(factored)))
    }

    /// The product of all factors. Factors of one term become one monomial first. That monomial is then multiplied by
    /// each sum.
    pub(crate) fn mul_all(&mut self, factors: &[Rc<LinearForm>]) -> Option<LinearForm> {
        let mut coefficient = 1i64;
        let mut atoms: Vec<Id> = Vec::new();
        let mut sums = Vec::new();
        for l in factors {
            let c = match (l.constant, l.coeffs()) {
                (c, []) => c,
                (0, &[c]) => {
                    atoms.push(l.terms()[0]);
                    c
                }
                _ => {
                    sums.push(l);
                    1
                }
            };
            coefficient = coefficient.checked_mul(c)?;
        }
        let mut out = LinearForm::constant(coefficient);
        if coefficient != 0 && !atoms.is_empty() {
            out = LinearForm::term(coefficient, self.product(&atoms));
        }
        for s in sums {
            out = self.mul(&out, s)?;
        }
        Some(out)
    }

    /// The factors of an atom. An atom that is not a product is its own only factor.
    pub(crate) fn factors(&self, id: Id) -> Ids {
        let id = self.graph.find(id);
        if !self.facts(id).has(Operator::Product) {
            return SmallVec::from_slice(&[id]);
        }
        for n in self.nodes(id) {
            if let Node::Product(f) = n {
                return f.iter().map(|&i| self.graph.find(i)).collect();
            }
        }
        SmallVec::from_slice(&[id])
    }

    /// The product of atoms.
    pub(crate) fn product(&mut self, atoms: &[Id]) -> Id {
        let mut ids: Ids = SmallVec::new();
        for &a in atoms {
            ids.extend(self.factors(a));
        }
        if ids.len() > SHORT_SUM && ids.len() > atoms.len() && !self.may_repeat(ids.len()) {
            // nested products are not flattened here
            ids = atoms.iter().map(|&a| self.graph.find(a)).collect();
        }
        ids.sort_unstable();
        if ids.len() == 1 {
            return ids[0];
        }
        self.has_symbols = true;
        let id = self.add(Node::Product(ids.clone()));
        bound_product(self, id, &ids);
        id
    }
}
