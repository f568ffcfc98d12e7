//! Linear facts multiplied by values of known sign: what bounds a sum of products.
//!
//! The first level of the reformulation-linearisation technique (Sherali, Adams 1990), where a sum asks for it: of
//! `u - l >= 0` and `v >= 0` follows `u*v - l*v >= 0`, of `u*v - l*v >= 1` and `u > l` follows `v >= 1`.

use super::graph::EClasses;
use super::lin::Lin;
use super::node::Head;
use super::rows::Rows;
use egg::Id;
use std::rc::Rc;

/// Rows made for one sum.
const MAX_PRODUCTS: usize = 12;

impl EClasses {
    /// Adds to `rows` what they say of the products in `lin`; only of products of two factors.
    pub(crate) fn multiply_rows(&mut self, rows: &mut Rows, lin: &Lin) {
        let mut pairs: Vec<(Id, Id)> = Vec::new();
        for &t in lin.terms().iter().filter(|&&t| self.facts(t).has(Head::Product)) {
            if let &[u, v] = &self.factors(t)[..] {
                pairs.extend([(u, v), (v, u)]);
            }
        }
        if pairs.is_empty() {
            return;
        }
        pairs.dedup();
        let given: Vec<Rc<Lin>> = rows.iter().cloned().collect();
        for row in &given {
            if let Some(sign) = self.sign_of_factor(rows, row) {
                rows.push(Rc::new(sign));
            }
        }
        let mut made: Vec<Lin> = Vec::new();
        for (u, v) in pairs {
            let known = self.facts(v).interval;
            let Some(range) = rows.range(&self.graph, &Lin::atom(v), known) else { return };
            let sign = match (range.is_nonneg(), range.hi()) {
                (true, _) => 1,
                (false, Some(hi)) if hi <= 0 => -1,
                _ => continue,
            };
            for row in given.iter().filter(|r| r.coeff(u) != 0) {
                if made.len() < MAX_PRODUCTS {
                    made.extend(self.times(row, sign, v));
                }
            }
        }
        // products that two rows have and the sum has not: bounds through them would begin with a loss
        for (i, a) in made.iter().enumerate() {
            for b in &made[..i] {
                if let Some(sum) = a.plus(1, b)
                    && a.iter().any(|(c, t)| lin.coeff(t) == 0 && b.coeff(t) == -c)
                {
                    rows.push(Rc::new(sum));
                }
            }
        }
        made.into_iter().for_each(|row| rows.push(Rc::new(row)));
    }

    /// `sign * v * row`, multiplied out.
    fn times(&mut self, row: &Lin, sign: i64, v: Id) -> Option<Lin> {
        let mut out = Lin::default().plus(row.constant.checked_mul(sign)?, &Lin::atom(v))?;
        for (c, t) in row.iter() {
            let product = self.product(&[t, v]);
            out = out.plus(c.checked_mul(sign)?, &Lin::atom(product))?;
        }
        Some(out)
    }

    /// Of a row `f*l - k >= 0` with `k > 0`, where the rows say which sign `l` has: `f >= 1` or `-f >= 1`, as a row.
    fn sign_of_factor(&mut self, rows: &Rows, row: &Lin) -> Option<Lin> {
        let first = *row.terms().first()?;
        if row.constant >= 0 || !self.facts(first).has(Head::Product) {
            return None;
        }
        for f in self.factors(first) {
            let mut other = Some(Lin::default());
            for (c, t) in row.iter() {
                other = match (other, self.without_factors(t, &[f])) {
                    (Some(sum), Some(rest)) => sum.plus(c, &rest),
                    _ => None,
                };
            }
            let Some(other) = other else { continue };
            let known = self.facts_by_terms(&other);
            let range = rows.range(&self.graph, &other, known)?;
            if range.is_nonneg() {
                return Lin::atom(f).plus_constant(-1);
            }
            if range.hi().is_some_and(|hi| hi <= 0) {
                return Lin::term(-1, f).plus_constant(-1);
            }
        }
        None
    }
}
