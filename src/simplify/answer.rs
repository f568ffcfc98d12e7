//! What a call answers.

use super::Search;
use super::input::AsWritten;
use crate::cost::{CostModel, price};
use crate::domain::{Interval, RangesByName, VarFacts, intervals_of, intervals_within};
use crate::egraph::StopReason;
use crate::emit::{self, Text};
use crate::expr::{Dag, Expr, int};
use crate::lower::{LowerError, Lowered, Wide, lower_with};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

/// A rule at work: `before` was found equal to `after`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    /// The rule's name, or that of a step which the engine takes without a rule.
    pub rule: String,
    /// Where it was found so: all points where these hold. Empty for all points of the domain.
    pub conditions: Vec<Expr>,
    /// What it matched, operands in their cheapest form.
    pub before: Expr,
    /// What it wrote.
    pub after: Expr,
}

/// The answer to one call.
#[derive(Clone)]
pub struct Simplified {
    pub(super) roots: Vec<Expr>,
    pub(super) vars: Arc<[VarFacts]>,
    pub(super) ranges: FxHashMap<usize, Interval>,
    /// Whether 32 bits hold everything, as far as a first look tells.
    pub(super) narrow: bool,
    /// See [`is_free`](Self::is_free).
    pub(super) free: bool,
    pub(super) model: Arc<dyn CostModel>,
    pub(super) cost: OnceLock<u64>,
    pub(super) input_cost: u64,
    /// What the input costs where what assumptions say of its parts counts, as it does for the answer.
    pub(super) most: u64,
    pub(super) stop: StopReason,
    pub(super) rounds: u32,
    pub(super) nodes: usize,
    pub(super) traced: bool,
    pub(super) trace: Vec<Step>,
}

/// The price of the roots of `dag` as written, with what is known of their parts beyond what the variables' ranges say.
pub(super) fn priced(
    dag: &Dag,
    range_of: impl Fn(&str) -> Interval,
    known: impl Fn(&Expr) -> Option<Interval>,
    model: &dyn CostModel,
) -> u64 {
    let ranges = intervals_within(dag, range_of, |i| known(dag.origin(i)).unwrap_or(Interval::ALL));
    price(dag, &ranges, model)
}

impl fmt::Debug for Simplified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simplified").field("exprs", &self.roots).field("cost", &self.cost()).finish_non_exhaustive()
    }
}

impl Simplified {
    /// The same call answered with its `input` as it stands: for an answer that turned out wrong.
    ///
    /// Costs and texts are those of `input`; limits, counts and trace stay those of the search.
    pub fn withdrawn(mut self, input: &[Expr]) -> Simplified {
        self.roots = input.to_vec();
        self.ranges = FxHashMap::default();
        self.narrow = false;
        self.free = false;
        self.cost = OnceLock::new();
        self
    }

    /// The `input` of `search` as it stands, with what the search knows of its parts.
    pub(super) fn withdrawn_to(self, input: &[Expr], search: &Search) -> Simplified {
        let plain = self.withdrawn(input);
        let known = Simplified { ranges: search.facts_of_input(), ..plain.clone() };
        // a shorter range may have a dearer form
        if known.price() > known.most { plain } else { known }
    }

    /// What `search` found for `input`, or `input` where that costs less as it is written.
    pub(super) fn unless_dearer_than(self, input: &[Expr], search: &Search) -> Simplified {
        // a price that is not known is below the input's
        let Some(&cost) = self.cost.get() else { return self };
        let most = self.most;
        let found = if cost > most { self.withdrawn_to(input, search) } else { self };
        // beside what is much cheaper, nothing is asked
        if cost.saturating_mul(2) < most { found } else { found.or_proved(input, search) }
    }

    /// This, or `input`, which `search` is about, where that costs less with what can be proved of its parts.
    fn or_proved(self, input: &[Expr], search: &Search) -> Simplified {
        match search.proved(&*self.model) {
            Some(AsWritten { price, ranges }) if price < self.price() => {
                Simplified { ranges, cost: OnceLock::from(price), ..self.withdrawn(input) }
            }
            _ => self,
        }
    }

    /// This, or `other` where that costs less.
    pub(super) fn or_cheaper(self, other: &[Expr]) -> Simplified {
        let ranges = RangesByName::new(&self.vars);
        let cost = priced(&Dag::new(other), |name| ranges.of(name), |_| None, &*self.model);
        if cost < self.price() { self.withdrawn(other) } else { self }
    }

    /// Whether conditions say nothing of what is used under them; found without looking closely.
    pub(crate) fn is_free(&self) -> bool {
        self.free
    }

    /// The answer to the first (or only) expression; the constant 0 when there was none.
    pub fn expr(&self) -> &Expr {
        static NONE: LazyLock<Expr> = LazyLock::new(|| int(0));
        self.roots.first().unwrap_or(&NONE)
    }

    /// The answers, in the order of the call.
    pub fn exprs(&self) -> &[Expr] {
        &self.roots
    }

    /// What the answer costs under the cost model, in instructions; found when first asked for.
    pub fn cost(&self) -> f64 {
        self.price() as f64 / 10.0
    }

    /// The cost in the model's unit.
    pub(super) fn price(&self) -> u64 {
        *self.cost.get_or_init(|| {
            let dag = Dag::with_origins(&self.roots);
            let ranges = RangesByName::new(&self.vars);
            priced(&dag, |name| ranges.of(name), |e| self.range_of(e), &*self.model)
        })
    }

    /// What the input costs as written, as far as the ranges of its variables tell. With what assumptions say of its parts
    /// it may cost less; the answer costs no more than it does then.
    pub fn input_cost(&self) -> f64 {
        self.input_cost as f64 / 10.0
    }

    /// Why the search ended.
    pub fn stop(&self) -> StopReason {
        self.stop
    }

    /// Rounds of saturation.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// E-nodes made.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The rules that fired, in order, and the steps that the engine took without one; empty unless asked for with
    /// [`Simplifier::with_trace`](super::Simplifier::with_trace).
    pub fn trace(&self) -> &[Step] {
        &self.trace
    }

    /// What was known of the variables.
    pub fn vars(&self) -> &[VarFacts] {
        &self.vars
    }

    /// The answers as typed instructions without division, all roots together.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn lowered(&self) -> Result<Lowered, LowerError> {
        let dag = Dag::with_origins(&self.roots);
        lower_with(&dag, &self.vars, |i| self.range_of(dag.origin(i)).unwrap_or(Interval::ALL))
    }

    /// The sub-expressions that need 64 bits, each made from what does not; empty when 32 suffice. An answer needs 64 bits
    /// only where its input did.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let domain = Domain::new().with("i", 0..1 << 20).with("j", 0..1 << 13);
    /// let index: Expr = "i*8192 + j".parse()?;
    /// let answer = Simplifier::default().simplify(&index, &domain)?;
    /// assert_eq!(answer.wide()?[0].to_string(), "`i*8192` needs 64 bits: its range is 0..8589926400");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn wide(&self) -> Result<Vec<Wide>, LowerError> {
        if self.is_certainly_narrow() {
            return Ok(Vec::new());
        }
        Ok(self.lowered()?.wide().to_vec())
    }

    /// Whether every part fits `int` by ranges alone.
    pub(super) fn is_certainly_narrow(&self) -> bool {
        if self.narrow {
            return true;
        }
        let dag = Dag::new(&self.roots);
        // a division by a negative number negates: the least `int` does not fit then
        let ranges = RangesByName::new(&self.vars);
        intervals_of(&dag, |name| ranges.of(name)).iter().all(|r| r.within((-i32::MAX).into(), i32::MAX.into()))
    }

    /// CUDA text: temporaries for what is shared, one result per root, and the host's set-up of prepared divisors.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn cuda(&self) -> Result<Text, LowerError> {
        Ok(emit::cuda(&self.lowered()?))
    }

    /// Portable C99 text.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn c(&self) -> Result<Text, LowerError> {
        Ok(emit::c(&self.lowered()?))
    }

    /// Python text.
    pub fn python(&self) -> Text {
        emit::python(&Dag::new(&self.roots))
    }

    /// Rust text on `i64`.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn rust(&self) -> Result<Text, LowerError> {
        emit::rust(&Dag::new(&self.roots), &self.vars)
    }

    /// What is known of a sub-expression of the answer, beyond what its operands' ranges say.
    pub fn range_of(&self, e: &Expr) -> Option<Interval> {
        self.ranges.get(&e.address()).copied()
    }
}
