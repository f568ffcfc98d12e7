//! What answers cost when they are executed in loops.

use super::answer::Simplified;
use crate::cost::{Cost, CostModel, Loops, Times, executed};
use crate::domain::{Interval, RangesByName, intervals_within};
use crate::expr::{Dag, Expr};

impl Simplified {
    /// The price of the answer, each operation as often as the loops run that it depends on: `trips` are those of the loops,
    /// `loops_of` says in which of them a variable changes. The last constant of a root costs nothing.
    pub(crate) fn executed(&self, model: &dyn CostModel, trips: &[i64], loops_of: impl Fn(&str) -> Loops) -> Cost {
        self.executed_roots(self.exprs(), model, trips, loops_of)
    }

    /// The same for `roots`, which are made of parts of the answer.
    pub(crate) fn executed_roots(
        &self,
        roots: &[Expr],
        model: &dyn CostModel,
        trips: &[i64],
        loops_of: impl Fn(&str) -> Loops,
    ) -> Cost {
        let dag = Dag::with_origins(roots);
        let variables = RangesByName::new(self.vars());
        let known = |i| self.range_of(dag.origin(i)).unwrap_or(Interval::ALL);
        let ranges = intervals_within(&dag, |name| variables.of(name), known);
        executed(&dag, &ranges, model, &Times::in_loops(&dag, trips, loops_of))
    }
}
