//! Facts that hold in a context only: the conditions under which an expression is used.
//!
//! An e-graph with assumptions belongs to one context as a whole; nothing of it is ever carried into another. What a
//! condition says reaches every class: as a row that bounds all linear combinations, as a value of its class, as an
//! equality of classes, as a congruence.

use super::graph::EClasses;
use super::lin::Lin;
use super::node::{Head, Node};
use crate::domain::{Congruence, Interval, floor_div, floor_mod, gcd};
use egg::Id;
use std::rc::Rc;

/// Moduli of congruences that are solved for one variable.
const MAX_MODULUS: i128 = 1 << 12;
/// Conditions taken apart at most.
const MAX_CLAUSES: usize = 64;

/// The conditions cannot hold together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contradiction;

impl EClasses {
    /// Takes `conditions` (each 0 or 1) to be true.
    pub(crate) fn assume(&mut self, conditions: &[Id]) -> Result<(), Contradiction> {
        self.assumed = true;
        let mut todo: Vec<(Id, bool)> = conditions.iter().map(|&c| (c, true)).collect();
        let mut taken = 0;
        while let Some((id, holds)) = todo.pop() {
            let id = self.graph.find(id);
            if let Some(c) = self.facts(id).constant() {
                if (c != 0) != holds {
                    return Err(Contradiction);
                }
                continue;
            }
            taken += 1;
            if taken > MAX_CLAUSES {
                break;
            }
            for node in self.nodes(id).to_vec() {
                match (node, holds) {
                    (Node::And(x), true) | (Node::Or(x), false) => todo.extend(x.iter().map(|&x| (x, holds))),
                    (Node::Not([x]), _) => todo.push((x, !holds)),
                    (Node::NonNeg([x]), true) => self.add_row(self.canonical(x)),
                    (Node::NonNeg([x]), false) => {
                        if let Some(l) = self.canonical(x).scaled(-1).and_then(|l| l.plus_constant(-1)) {
                            self.add_row(Rc::new(l));
                        }
                    }
                    (Node::Zero([x]), true) => {
                        let lin = self.canonical(x);
                        self.assume_zero(&lin)?;
                        let zero = self.add(Node::Const(0));
                        self.union(x, zero);
                    }
                    (Node::Zero([x]), false) => self.assume_not_zero(x),
                    _ => {}
                }
            }
            let value = self.add(Node::Const(holds.into()));
            self.union(id, value);
        }
        self.rebuild();
        self.refresh_rows();
        self.close_rows();
        for row in self.graph.analysis.rows.iter() {
            let least_of_negated = row.scaled(-1).and_then(|l| self.graph.analysis.rows.least(&self.graph, &l));
            if least_of_negated.is_some_and(|l| l > 0) {
                return Err(Contradiction);
            }
        }
        self.settle_terms()?;
        self.rebuild();
        self.refresh_rows();
        Ok(())
    }

    /// The classes of divisions and extrema, in order.
    pub(crate) fn operations(&self) -> Vec<Id> {
        let heads = [Head::Div, Head::Mod, Head::Min, Head::Max];
        let mut ids: Vec<Id> = self.graph.classes().map(|c| c.id).collect();
        ids.retain(|&id| heads.iter().any(|&h| self.facts(id).has(h)));
        ids.sort_unstable();
        ids
    }

    fn add_row(&mut self, row: Rc<Lin>) {
        self.graph.analysis.rows.push(row);
    }

    fn close_rows(&mut self) {
        let mut rows = std::mem::take(&mut self.graph.analysis.rows);
        rows.close(&self.graph);
        self.graph.analysis.rows = rows;
    }

    /// `lin == 0`.
    fn assume_zero(&mut self, lin: &Lin) -> Result<(), Contradiction> {
        if let Some(negated) = lin.scaled(-1) {
            self.add_row(Rc::new(negated));
        }
        self.add_row(Rc::new(lin.clone()));
        // while its quotients are still quotients: as numbers they say nothing of their numerators
        self.close_rows();
        for (i, (c, t)) in lin.iter().enumerate() {
            // c * t == -rest, so the rest is a multiple of c
            let Some(rest) = lin.without(i).scaled(-1) else { continue };
            if c.unsigned_abs() > 1 && c != i64::MIN {
                let residue = floor_mod(-i128::from(rest.constant), i128::from(c.abs())) as i64;
                let terms = rest.terms_only();
                self.assume_multiple(&terms, Congruence::new(c.abs(), residue))?;
                if let Some(id) = self.class_of(&terms)
                    && self.assume_congruence(id, Congruence::new(c.abs(), residue))?
                {
                    self.add_ends(&terms, self.facts(id).interval);
                }
            }
            if let Some(rest) = if c < 0 { rest.scaled(-1) } else { Some(rest) }
                && let Some(id) = self.class_of(&Lin::term(c.saturating_abs(), t))
            {
                self.equate(id, &rest);
            }
        }
        Ok(())
    }

    /// Whether that was news.
    fn assume_congruence(&mut self, id: Id, congruence: Congruence) -> Result<bool, Contradiction> {
        self.facts(id).congruence.meet(congruence).ok_or(Contradiction)?;
        Ok(self.sharpen(id, Interval::ALL, congruence))
    }

    /// What `c * t ≡ r (mod m)` says of `t`.
    fn assume_multiple(&mut self, lin: &Lin, value: Congruence) -> Result<(), Contradiction> {
        let &[c] = lin.coeffs() else { return Ok(()) };
        let (c, m, r) = (i128::from(c), i128::from(value.modulus()), i128::from(value.residue()));
        let g = gcd(c, m);
        let modulus = floor_div(m, g);
        // by trial: the moduli of index code are small
        if modulus > MAX_MODULUS {
            return Ok(());
        }
        // none when the factor's common part with the modulus does not divide the residue
        let x = (0..modulus).find(|x| floor_mod(c * x - r, m) == 0).ok_or(Contradiction)?;
        self.assume_congruence(lin.terms()[0], Congruence::new(modulus as i64, x as i64))?;
        Ok(())
    }

    /// Rows for the ends of a range, which a congruence moved inwards.
    fn add_ends(&mut self, lin: &Lin, range: Interval) {
        let lower = range.lo().and_then(|l| lin.clone().plus_constant(l.checked_neg()?));
        let upper = range.hi().and_then(|h| lin.scaled(-1)?.plus_constant(h));
        lower.into_iter().chain(upper).for_each(|row| self.add_row(Rc::new(row)));
    }

    fn assume_not_zero(&mut self, x: Id) {
        let lin = self.canonical(x);
        let range = self.facts(x).interval;
        let row = match (range.lo(), range.hi()) {
            (Some(0), _) => lin.as_ref().clone().plus_constant(-1),
            (_, Some(0)) => lin.scaled(-1).and_then(|l| l.plus_constant(-1)),
            _ => None,
        };
        if let Some(row) = row {
            self.add_row(Rc::new(row));
        }
    }

    /// Gives the terms of all rows the ranges that follow.
    fn settle_terms(&mut self) -> Result<(), Contradiction> {
        self.refresh_rows();
        self.close_rows();
        let rows: Vec<Rc<Lin>> = self.graph.analysis.rows.iter().cloned().collect();
        for row in &rows {
            for &t in row.terms() {
                let known = self.facts(t).interval;
                let range = self.graph.analysis.rows.range(&self.graph, &Lin::atom(t), known);
                self.sharpen(t, range.ok_or(Contradiction)?, Congruence::ANY);
            }
        }
        Ok(())
    }

    /// Gives the terms of all rows, and the sums there are, the ranges that follow.
    pub(crate) fn settle_rows(&mut self) -> Result<(), Contradiction> {
        self.settle_terms()?;
        let mut sums: Vec<Id> = self.graph.classes().map(|c| c.id).collect();
        sums.retain(|&id| self.facts(id).has(Head::Sum));
        sums.sort_unstable();
        for id in sums {
            let lin = self.canonical(id);
            if lin.as_atom().is_some() || lin.is_constant() {
                continue;
            }
            let (interval, congruence) = self.facts_of(&lin);
            self.sharpen(id, interval, congruence);
            if let Some(c) = self.facts(id).constant()
                && let Some(zero) = lin.as_ref().clone().plus_constant(c.saturating_neg())
            {
                self.assume_zero(&zero)?;
            }
        }
        self.rebuild();
        self.refresh_rows();
        Ok(())
    }

    /// Writes the rows in classes as they are now.
    pub(crate) fn refresh_rows(&mut self) {
        let old = std::mem::take(&mut self.graph.analysis.rows);
        self.graph.analysis.rows = old.emptied();
        if old.iter().all(|row| row.terms().iter().all(|&t| self.graph.find(t) == t && self.facts(t).canon().is_none()))
        {
            self.graph.analysis.rows = old;
            return;
        }
        for row in old.iter() {
            match self.expand(row) {
                Some(l) if *l != **row => {
                    let l = Rc::new(l.into_owned());
                    self.graph.analysis.rows.push(l);
                }
                _ => self.graph.analysis.rows.push(row.clone()),
            }
        }
    }
}
