//! A piece of a question: whether a difference is 0 at all points of a box that satisfy some conditions.

use super::budget::Budget;
use super::poly::Poly;
use super::question::Question;
use super::terms::Terms;
use quaff_expr::domain::Interval;
use quaff_expr::expr::Dag;
use rustc_hash::FxHashMap;

/// The question whether `difference` is 0 wherever all `conditions` hold in the box.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) terms: Terms,
    pub(super) difference: Poly,
    /// Truth values that must all be true. None of them is a conjunction, because conjunctions are split.
    pub(super) conditions: Vec<Poly>,
    pub(super) ranges: Vec<Interval>,
    /// Whether the ranges of the variables were used to simplify the terms.
    pub(super) narrow: bool,
}

impl Piece {
    /// The whole question as one piece. `None` if its coefficients exceed 64 bits or the budget is spent.
    pub(super) fn first(question: &Question, budget: &Budget) -> Option<Piece> {
        let dag = Dag::new(&question.roots());
        let mut terms = Terms::new(None, budget.clone(), dag.nodes().len());
        let names = question.axes.iter().zip(0..).map(|(axis, at)| (&*axis.name, at));
        let positions: FxHashMap<&str, u32> = names.collect();
        let mut roots = terms.read(&dag, |terms, name| terms.variable(*positions.get(name)?))?;
        let conditions = roots.split_off(2);
        let difference = roots[0].plus(-1, &roots[1])?;
        let ranges = question.axes.iter().map(|axis| axis.range).collect();
        Piece { terms, difference, conditions: Vec::new(), ranges, narrow: false }.with(conditions)
    }

    /// Adds conditions, split into conjuncts.
    fn with(mut self, more: Vec<Poly>) -> Option<Piece> {
        for p in more {
            let truth = self.terms.truth(&p)?;
            self.conditions.extend(self.terms.conjuncts(&truth).iter().cloned());
        }
        self.conditions.sort_unstable();
        self.conditions.dedup();
        self.conditions.retain(|p| p.as_constant() != Some(1));
        Some(self)
    }

    /// The piece in the box `ranges`, restricted to the points where `truths` hold. The `truths` are truth values over
    /// the terms of this piece.
    pub(super) fn narrowed(&self, ranges: &[Interval], truths: &[Poly]) -> Option<Piece> {
        self.terms.budget().spend(ranges.len())?;
        let mut terms = self.terms.narrowed(ranges.to_vec());
        let known = |truths: &mut dyn Iterator<Item = &Poly>| -> Vec<(u32, Poly)> {
            let literals = truths.flat_map(|p| self.terms.conjuncts(p)).filter_map(Poly::as_literal);
            literals.map(|(atom, positive)| (atom, Poly::constant(i64::from(positive)))).collect()
        };
        let mut conditions = terms.import(&self.terms, &self.conditions, &known(&mut truths.iter()))?;
        conditions.extend(terms.import(&self.terms, truths, &[])?);
        let all = known(&mut self.conditions.iter().chain(truths));
        let difference = terms.import(&self.terms, std::slice::from_ref(&self.difference), &all)?.pop()?;
        Piece { terms, difference, conditions: Vec::new(), ranges: ranges.to_vec(), narrow: true }.with(conditions)
    }

    /// Whether the piece needs no enumeration, because its difference is written as 0 or a condition is written as
    /// false.
    pub(super) fn is_settled(&self) -> bool {
        self.difference.is_zero() || self.conditions.iter().any(Poly::is_zero)
    }
}
