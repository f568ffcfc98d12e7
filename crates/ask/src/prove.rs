//! Proves conditions that the simplifier leaves undecided. It compares expressions by their bits, and evaluates all
//! points if there are few.

use crate::bits;
use crate::points::Points;
use quaff::domain::{Domain, Interval, VarFacts};
use quaff::expr::{Expr, Op};
use quaff::{Facts, Simplifier, SimplifyError};

/// The most rounds of a proof. In each round, a condition is simplified and its parts are compared by their bits.
const MOST_ROUNDS: usize = 3;

/// Proofs about one domain.
pub(crate) struct Prover<'a> {
    simplifier: &'a Simplifier,
    domain: &'a Domain,
    vars: Vec<VarFacts>,
    facts: Facts,
}

impl<'a> Prover<'a> {
    pub(crate) fn new(simplifier: &'a Simplifier, domain: &'a Domain) -> Result<Prover<'a>, SimplifyError> {
        Ok(Prover { simplifier, domain, vars: domain.resolve()?, facts: simplifier.facts(domain) })
    }

    /// Whether the simplifier proves that the condition holds.
    pub(crate) fn holds(&mut self, condition: &Expr) -> bool {
        matches!(self.facts.prove(condition), Ok(Some(true)))
    }

    pub(crate) fn bounds(&mut self, e: &Expr) -> Interval {
        self.facts.bounds(e).unwrap_or(Interval::ALL)
    }

    /// Replaces parts of the expressions by other parts with equal bits. `further` is the name and the range of one
    /// more variable, which the domain does not contain.
    pub(crate) fn merged(&self, exprs: &[Expr], further: Option<(&str, Interval)>) -> Vec<Expr> {
        let known = |name: &str| self.domain.position(name).and_then(|at| self.vars.get(at));
        bits::merged(exprs, |name| match further {
            Some((own, range)) if own == name => range,
            _ => known(name).map_or(Interval::ALL, |v| v.interval),
        })
    }

    /// Whether two expressions are equal at all points.
    pub(crate) fn are_equal(&mut self, a: &Expr, b: &Expr) -> bool {
        self.always(&a.equals(b))
    }

    /// Whether the condition holds at all points.
    pub(crate) fn always(&mut self, condition: &Expr) -> bool {
        self.by_parts(condition) || self.at_all_points(condition)
    }

    /// Whether the simplifier proves the condition after parts with equal bits are replaced by one of them. Otherwise
    /// the result is simplified, and these steps are repeated.
    fn by_parts(&mut self, condition: &Expr) -> bool {
        let mut form = condition.clone();
        for _ in 0..MOST_ROUNDS {
            let sides = self.merged(form.args(), None);
            let Ok(merged) = Expr::try_new(form.op().clone(), sides) else { return false };
            if self.proves(&merged) {
                return true;
            }
            let Ok(simple) = self.simplifier.simplify_all(merged.args(), self.domain) else { return false };
            match Expr::try_new(merged.op().clone(), simple.exprs().to_vec()) {
                Ok(simple) if simple != form => form = simple,
                _ => return false,
            }
        }
        false
    }

    fn proves(&mut self, condition: &Expr) -> bool {
        match (condition.op(), condition.args()) {
            (Op::Eq, [a, b]) => a == b || matches!(self.facts.equal(a, b), Ok(Some(true))),
            _ => self.holds(condition),
        }
    }

    fn at_all_points(&self, condition: &Expr) -> bool {
        let condition = std::slice::from_ref(condition);
        let values = Points::of(self.domain, condition, &[]).and_then(|points| points.values(condition));
        values.is_some_and(|values| values.iter().all(|value| value[0] != 0))
    }
}
