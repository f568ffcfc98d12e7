//! Computes the cost of parts of an answer in given loops.

use super::answer::Simplified;
use super::candidate::price_with;
use crate::cost::{Cost, CostModel};
use crate::domain::{Interval, RangesByName, VarFacts, intervals_within};
use crate::expr::{Dag, Expr};

impl Simplified {
    /// The price of `roots`, which consist of parts of the answer, in the loops that `vars` define.
    pub fn executed(&self, roots: &[Expr], model: &dyn CostModel, vars: &[VarFacts]) -> Cost {
        let dag = Dag::with_origins(roots);
        let variables = RangesByName::new(self.vars());
        let known = |i| self.range_of(dag.origin(i)).unwrap_or(Interval::ALL);
        let ranges = intervals_within(&dag, |name| variables.of(name), known);
        price_with(&dag, &ranges, model, vars)
    }
}
