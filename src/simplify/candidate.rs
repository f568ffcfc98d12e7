//! Expressions that may become the answer, and the choice between them.

use crate::cost::loop_nest::LoopNest;
use crate::cost::{Cost, CostModel, price, price_in_loops, price_of_kernel};
use crate::domain::{Interval, RangesByName, VarFacts, intervals_of, intervals_within};
use crate::emit::{Text, triton_with};
use crate::expr::{Dag, Expr};
use crate::lower::{LowerError, Lowered, Target, lower_with};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// Expressions with the values of the input, the facts about their parts, and their cost.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(super) exprs: Vec<Expr>,
    pub(super) vars: Arc<[VarFacts]>,
    pub(super) model: Arc<dyn CostModel>,
    /// Ranges by [`Expr::address`], for parts whose range is tighter than the ranges of their operands imply.
    ranges: FxHashMap<usize, Interval>,
    /// Whether extraction found that 32 bits hold every value. If this is false, a more precise check may still prove
    /// it.
    narrow: bool,
    /// A lower bound of the cost of all forms in the same e-graph.
    least: Cost,
    /// The price, computed when first needed.
    price: OnceLock<Cost>,
    /// The DAG of the expressions, made when first needed.
    dag: OnceLock<Arc<Dag>>,
}

/// The cost of the input as written.
#[derive(Clone, Copy)]
pub(crate) struct InputPrice {
    /// The cost by the ranges of the variables.
    pub(super) declared: Cost,
    /// The cost with the ranges that follow from assumptions, as for an answer. At most `declared`.
    pub(super) assumed: Cost,
}

/// The choice between two candidates: `second` if it [beats](Candidate::beats) `first`, and otherwise `first`. If both
/// may cost the same, the caller passes the preferred one first.
pub(super) fn cheaper(first: Candidate, second: Candidate) -> Candidate {
    if second.beats(&first) { second } else { first }
}

/// The price of `dag`, whose variables are `vars`. Each operation counts as often as the loops on which it depends
/// execute it.
pub(crate) fn price_with(dag: &Dag, ranges: &[Interval], model: &dyn CostModel, vars: &[VarFacts]) -> Cost {
    let nest = LoopNest::new(vars);
    if nest.is_empty() {
        return price(dag, ranges, model);
    }
    price_in_loops(dag, ranges, model, nest.times_of(dag, vars))
}

/// [`price_with`] for the expressions of one kernel, if partial sums that several of them contain are computed once.
pub(crate) fn price_together(dag: &Dag, ranges: &[Interval], model: &dyn CostModel, vars: &[VarFacts]) -> Cost {
    let nest = LoopNest::new(vars);
    let times = if nest.is_empty() { Vec::new() } else { nest.times_of(dag, vars) };
    price_of_kernel(dag, ranges, model, times)
}

impl Candidate {
    /// A candidate without facts about the parts of `exprs` beyond the ranges of variables.
    pub(super) fn new(exprs: Vec<Expr>, vars: Arc<[VarFacts]>, model: Arc<dyn CostModel>) -> Candidate {
        let ranges = FxHashMap::default();
        Candidate {
            exprs,
            vars,
            model,
            ranges,
            narrow: false,
            least: Cost::ZERO,
            price: OnceLock::new(),
            dag: OnceLock::new(),
        }
    }

    /// This candidate with tighter ranges of some parts.
    pub(super) fn with_ranges(self, ranges: FxHashMap<usize, Interval>) -> Candidate {
        Candidate { ranges, price: OnceLock::new(), ..self }
    }

    /// This candidate, marked as having only values that fit in 32 bits.
    pub(super) fn known_to_be_narrow(self) -> Candidate {
        Candidate { narrow: true, ..self }
    }

    /// Whether extraction found that 32 bits hold every value.
    #[cfg(feature = "serde")]
    pub(super) fn is_known_to_be_narrow(&self) -> bool {
        self.narrow
    }

    /// This candidate with the lower bound `least` of the cost of all forms in its e-graph.
    pub(super) fn with_least(self, least: Cost) -> Candidate {
        Candidate { least, ..self }
    }

    /// A lower bound of the cost of all forms in its e-graph, at most its own price.
    pub(super) fn least(&self) -> Cost {
        self.least.min(self.price())
    }

    /// Whether further proofs cannot change this candidate. This is so if no form in its e-graph costs less, and 32 bits
    /// hold every value.
    pub(super) fn needs_no_proof(&self) -> bool {
        self.narrow && self.least == self.price()
    }

    /// This candidate with a price that was already computed.
    pub(super) fn with_price(self, price: Cost) -> Candidate {
        Candidate { price: OnceLock::from(price), ..self }
    }

    /// A candidate of other expressions with the same values.
    pub(super) fn replaced_by(&self, exprs: Vec<Expr>) -> Candidate {
        Candidate::new(exprs, self.vars.clone(), self.model.clone())
    }

    /// A candidate of other expressions with the same values. The known ranges of parts are kept.
    pub(super) fn with_exprs(self, exprs: Vec<Expr>) -> Candidate {
        Candidate { exprs, narrow: false, least: Cost::ZERO, price: OnceLock::new(), dag: OnceLock::new(), ..self }
    }

    /// This candidate under another cost model.
    pub(super) fn under(self, model: Arc<dyn CostModel>) -> Candidate {
        Candidate { model, least: Cost::ZERO, price: OnceLock::new(), ..self }
    }

    /// The expressions as a DAG that knows the expression of each node.
    pub(super) fn dag(&self) -> &Dag {
        self.dag.get_or_init(|| Arc::new(Dag::with_origins(&self.exprs)))
    }

    /// The cost of the candidate.
    pub(super) fn price(&self) -> Cost {
        *self.price.get_or_init(|| price_with(self.dag(), &self.ranges(), &*self.model, &self.vars))
    }

    /// The range of each node of [`dag`](Self::dag).
    pub(super) fn ranges(&self) -> Vec<Interval> {
        let dag = self.dag();
        let variables = RangesByName::new(&self.vars);
        let known = |i| self.range_of(dag.origin(i)).unwrap_or(Interval::ALL);
        intervals_within(dag, |name| variables.of(name), known)
    }

    /// Whether this candidate costs less than `other`. Of two candidates with equal costs, neither beats the other.
    pub(super) fn beats(&self, other: &Candidate) -> bool {
        self.price() < other.price()
    }

    /// The range of a part, if it is tighter than the ranges of its operands imply.
    pub(super) fn range_of(&self, part: &Expr) -> Option<Interval> {
        self.ranges.get(&part.address()).copied()
    }

    /// The candidate as typed instructions without division.
    pub(super) fn lowered(&self, target: &Target) -> Result<Lowered, LowerError> {
        let dag = self.dag();
        lower_with(dag, &self.vars, |i| self.range_of(dag.origin(i)).unwrap_or(Interval::ALL), target)
    }

    /// The candidate as text for Triton.
    pub(super) fn triton(&self) -> Result<Text, LowerError> {
        let dag = self.dag();
        triton_with(dag, &self.vars, |i| self.range_of(dag.origin(i)).unwrap_or(Interval::ALL))
    }

    /// Whether the ranges alone show that every part fits in `int`.
    pub(super) fn is_certainly_narrow(&self) -> bool {
        if self.narrow {
            return true;
        }
        // division by a negative number may negate, and the negation of the least `int` does not fit
        let variables = RangesByName::new(&self.vars);
        intervals_of(self.dag(), |name| variables.of(name))
            .iter()
            .all(|r| r.within((-i32::MAX).into(), i32::MAX.into()))
    }

    /// The width of the widest instruction of the candidate.
    pub(super) fn width(&self) -> Width {
        match self.lowered(&Target::default()) {
            Err(_) => Width::Wider,
            Ok(lowered) if lowered.wide().is_empty() => Width::Bits32,
            Ok(_) => Width::Bits64,
        }
    }
}

/// The width of instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Width {
    Bits32,
    Bits64,
    /// More bits than any instruction has.
    Wider,
}
