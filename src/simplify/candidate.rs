//! Expressions that may become the answer, and the choice between them.

use crate::cost::loop_nest::LoopNest;
use crate::cost::{Cost, CostModel, price, price_in_loops, price_of_kernel};
use crate::domain::{Interval, RangesByName, VarFacts, intervals_of, intervals_within};
use crate::emit::{Text, triton_with};
use crate::expr::{Dag, Expr};
use crate::lower::{LowerError, Lowered, Target, lower_with};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// Expressions with the values of the input, what is known of their parts, and what they cost with that.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(super) exprs: Vec<Expr>,
    pub(super) vars: Arc<[VarFacts]>,
    pub(super) model: Arc<dyn CostModel>,
    /// Ranges by [`Expr::address`], of parts of which more is known than the ranges of their operands say.
    ranges: FxHashMap<usize, Interval>,
    /// Whether 32 bits hold every value, as far as the extraction found; a closer look may find that it does where this is false.
    narrow: bool,
    /// What nothing that was found beside it costs less than.
    least: Cost,
    /// Found when first asked for.
    price: OnceLock<Cost>,
    /// Made when first asked for.
    dag: OnceLock<Arc<Dag>>,
}

/// What the input costs as it is written.
#[derive(Clone, Copy)]
pub(crate) struct InputPrice {
    /// As far as the ranges of its variables tell.
    pub(super) declared: Cost,
    /// With what assumptions say of its parts, as it counts for an answer; no more than `declared`.
    pub(super) assumed: Cost,
}

/// The one choice between candidates: `second` where it [beats](Candidate::beats) `first`. A caller that prefers one of two that
/// cost the same names it first.
pub(super) fn cheaper(first: Candidate, second: Candidate) -> Candidate {
    if second.beats(&first) { second } else { first }
}

/// The price of `dag`, whose variables are `vars`, each operation as often as the loops are executed on which it depends.
pub(crate) fn price_with(dag: &Dag, ranges: &[Interval], model: &dyn CostModel, vars: &[VarFacts]) -> Cost {
    let nest = LoopNest::new(vars);
    if nest.is_empty() {
        return price(dag, ranges, model);
    }
    price_in_loops(dag, ranges, model, nest.times_of(dag, vars))
}

/// [`price_with`] where the sums of a kernel share what they have in common.
pub(crate) fn price_together(dag: &Dag, ranges: &[Interval], model: &dyn CostModel, vars: &[VarFacts]) -> Cost {
    let nest = LoopNest::new(vars);
    let times = if nest.is_empty() { Vec::new() } else { nest.times_of(dag, vars) };
    price_of_kernel(dag, ranges, model, times)
}

impl Candidate {
    /// `exprs` with nothing known of their parts but what the ranges of variables say.
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

    /// The same where more is known of some parts.
    pub(super) fn with_ranges(self, ranges: FxHashMap<usize, Interval>) -> Candidate {
        Candidate { ranges, price: OnceLock::new(), ..self }
    }

    /// The same where 32 bits are known to hold every value.
    pub(super) fn known_to_be_narrow(self) -> Candidate {
        Candidate { narrow: true, ..self }
    }

    /// Whether the extraction found that 32 bits hold every value.
    #[cfg(feature = "serde")]
    pub(super) fn is_known_to_be_narrow(&self) -> bool {
        self.narrow
    }

    /// The same where nothing that was found beside it costs less than `least`.
    pub(super) fn with_least(self, least: Cost) -> Candidate {
        Candidate { least, ..self }
    }

    /// What nothing that was found beside it costs less than; its price where that is less.
    pub(super) fn least(&self) -> Cost {
        self.least.min(self.price())
    }

    /// Whether proofs can change nothing: no form in its e-graph costs less, and 32 bits hold every value.
    pub(super) fn needs_no_proof(&self) -> bool {
        self.narrow && self.least == self.price()
    }

    /// The same where its price has been found already.
    pub(super) fn with_price(self, price: Cost) -> Candidate {
        Candidate { price: OnceLock::from(price), ..self }
    }

    /// Other expressions with the same values.
    pub(super) fn replaced_by(&self, exprs: Vec<Expr>) -> Candidate {
        Candidate::new(exprs, self.vars.clone(), self.model.clone())
    }

    /// Other expressions with the same values, of whose parts the same is known.
    pub(super) fn with_exprs(self, exprs: Vec<Expr>) -> Candidate {
        Candidate { exprs, narrow: false, least: Cost::ZERO, price: OnceLock::new(), dag: OnceLock::new(), ..self }
    }

    /// The same under another cost model.
    pub(super) fn under(self, model: Arc<dyn CostModel>) -> Candidate {
        Candidate { model, least: Cost::ZERO, price: OnceLock::new(), ..self }
    }

    /// The expressions as a DAG that knows the origins of its nodes.
    pub(super) fn dag(&self) -> &Dag {
        self.dag.get_or_init(|| Arc::new(Dag::with_origins(&self.exprs)))
    }

    /// What it costs.
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

    /// Whether this takes the place of `other`: it costs less. Of candidates that cost the same, none beats another.
    pub(super) fn beats(&self, other: &Candidate) -> bool {
        self.price() < other.price()
    }

    /// What is known of a part, beyond what its operands' ranges say.
    pub(super) fn range_of(&self, part: &Expr) -> Option<Interval> {
        self.ranges.get(&part.address()).copied()
    }

    /// As typed instructions without division.
    pub(super) fn lowered(&self, target: &Target) -> Result<Lowered, LowerError> {
        let dag = self.dag();
        lower_with(dag, &self.vars, |i| self.range_of(dag.origin(i)).unwrap_or(Interval::ALL), target)
    }

    /// As text for Triton.
    pub(super) fn triton(&self) -> Result<Text, LowerError> {
        let dag = self.dag();
        triton_with(dag, &self.vars, |i| self.range_of(dag.origin(i)).unwrap_or(Interval::ALL))
    }

    /// Whether every part fits `int` by ranges alone.
    pub(super) fn is_certainly_narrow(&self) -> bool {
        if self.narrow {
            return true;
        }
        // a division by a negative number negates: the least `int` does not fit then
        let variables = RangesByName::new(&self.vars);
        intervals_of(self.dag(), |name| variables.of(name))
            .iter()
            .all(|r| r.within((-i32::MAX).into(), i32::MAX.into()))
    }

    /// The width of its widest instruction.
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
    /// More than instructions have.
    Wider,
}
