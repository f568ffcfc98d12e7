//! The answer of a call.

use super::candidate::{Candidate, InputPrice};
use super::step::Step;
use crate::cost::Cost;
use crate::domain::{Interval, VarFacts};
use crate::egraph::StopReason;
use crate::expr::{Expr, FlatNodes, int};
use crate::lower::Target;
use std::fmt;
use std::sync::LazyLock;
use std::time::Duration;

/// The answer to one call.
#[derive(Clone)]
pub struct Simplified {
    pub(super) chosen: Candidate,
    pub(super) input_price: InputPrice,
    pub(super) effort: Effort,
    pub(super) trace: Vec<Step>,
    /// The machine for which text is written.
    pub(super) target: Target,
    /// The time that the call took.
    pub(super) elapsed: Duration,
}

/// The work of a search, or of several consecutive searches.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// The reason why the last search ended.
    pub(super) stop: StopReason,
    /// Rounds of saturation.
    pub(super) rounds: u32,
    /// The number of e-nodes that were made.
    pub(super) nodes: usize,
}

impl Effort {
    /// The work of a call without a search.
    pub(super) fn none() -> Effort {
        Effort { stop: StopReason::Saturated, rounds: 0, nodes: 0 }
    }

    /// The work of this search and of `next` after it.
    pub(super) fn then(self, next: Effort) -> Effort {
        let (rounds, nodes) = (self.rounds.saturating_add(next.rounds), self.nodes.saturating_add(next.nodes));
        Effort { stop: next.stop, rounds, nodes }
    }
}

impl fmt::Debug for Simplified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simplified").field("exprs", &self.exprs()).field("cost", &self.cost()).finish_non_exhaustive()
    }
}

impl Simplified {
    /// This answer with `input` in place of its expressions, for a caller that found the answer to be wrong.
    ///
    /// Costs and texts are those of `input`. The counts and the trace are those of the search.
    pub fn with_input_as_answer(self, input: &[Expr]) -> Simplified {
        Simplified { chosen: self.chosen.replaced_by(input.to_vec()), ..self }
    }

    /// The cheaper of this answer and `later`, or this answer if both cost the same. Both must be answers to the same
    /// input. The rounds and e-nodes of both are added up.
    pub(super) fn or(self, later: Simplified) -> Simplified {
        let effort = self.effort.then(later.effort);
        let best = if later.chosen.beats(&self.chosen) { later } else { self };
        Simplified { effort, ..best }
    }

    /// The same answer, with texts for another machine than [`Target::SM_90`].
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr, lower::Target};
    ///
    /// let input: Expr = "where(a >= 1 and b >= 1 and c >= 1, a + b + c, -1)".parse()?;
    /// let domain = Domain::new().with("a", 0..8).with("b", 0..8).with("c", 0..8);
    /// let answer = Simplifier::default().simplify(&input, &domain)?.for_target(Target::SM_100);
    /// assert_eq!(answer.cuda()?.results[0].text, "b >= 1 && (a >= 1 && c >= 1) ? a + b + c : -1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_target(self, target: Target) -> Simplified {
        Simplified { target, ..self }
    }

    /// The machine for which CUDA and C text is written.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The answer to the first (or only) expression. The constant 0 if the call had no expressions.
    pub fn expr(&self) -> &Expr {
        static NONE: LazyLock<Expr> = LazyLock::new(|| int(0));
        self.exprs().first().unwrap_or(&NONE)
    }

    /// The answers, in the order of the call.
    pub fn exprs(&self) -> &[Expr] {
        &self.chosen.exprs
    }

    /// The answers as a list of integers. This is [`FlatNodes::of`] of [`exprs`](Self::exprs), but takes less time.
    ///
    /// ```
    /// use quaff::expr::{Expr, FlatNodes};
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let domain = Domain::new().with("i", 0..16).with("j", 0..4);
    /// let answer = Simplifier::default().simplify(&"(i*4 + j)//4*8".parse()?, &domain)?;
    /// assert_eq!(answer.flat_nodes(), FlatNodes::of(answer.exprs()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn flat_nodes(&self) -> FlatNodes {
        FlatNodes::of_dag(self.chosen.dag())
    }

    /// The cost of the answer under the cost model. It is computed when first needed.
    pub fn cost(&self) -> Cost {
        self.chosen.price()
    }

    /// A lower bound of the cost of all forms of the answers that the last search found, or 0 if no bound is known. If
    /// the bound is equal to [`cost`](Self::cost), the answer is proved to be the cheapest form in the e-graph. The
    /// difference between the bound and the cost is the most that a longer search among these forms could save.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let domain = Domain::new().with("i", 0..64).with("j", 0..16);
    /// let answer = Simplifier::default().simplify(&"(i*16 + j)//32*8 + (i*16 + j)%32//4".parse()?, &domain)?;
    /// assert_eq!(answer.least_cost(), answer.cost());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn least_cost(&self) -> Cost {
        self.chosen.least()
    }

    /// The cost of the input as written, by the ranges of its variables. Assumptions may narrow the ranges of its
    /// parts, and the input may cost less with these ranges. The answer never costs more than that lower cost.
    pub fn input_cost(&self) -> Cost {
        self.input_price.declared
    }

    /// The reason why the search ended.
    pub fn stop(&self) -> StopReason {
        self.effort.stop
    }

    /// The number of rounds of saturation.
    pub fn rounds(&self) -> u32 {
        self.effort.rounds
    }

    /// The number of e-nodes that were made.
    pub fn nodes(&self) -> usize {
        self.effort.nodes
    }

    /// The time that the call took.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The rules that fired, in order, and the steps that the engine took without a rule. Empty unless the call was
    /// made with [`Simplifier::with_trace`](crate::Simplifier::with_trace).
    pub fn trace(&self) -> &[Step] {
        &self.trace
    }

    /// The facts about the variables.
    pub fn vars(&self) -> &[VarFacts] {
        &self.chosen.vars
    }

    /// The range of each part of the answers, in the order of the nodes of
    /// [`FlatNodes::of`](crate::expr::FlatNodes::of). The ranges follow from operands, assumptions and the search. They
    /// show, for example, where a language whose `//` rounds towards zero computes the same quotient: where the
    /// numerator is never negative.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let domain = Domain::new().with("i", 0..8).with("j", ..).assume("j >= i".parse::<Expr>()?);
    /// let answer = Simplifier::default().simplify(&"j - i".parse()?, &domain)?;
    /// let ranges: Vec<String> = answer.ranges().iter().map(|r| r.to_string()).collect();
    /// assert_eq!(ranges, ["0..7", "-7..0", "0..", "0.."]); // i, -i, j, and the sum
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ranges(&self) -> Vec<Interval> {
        self.chosen.ranges()
    }

    /// The range of the sub-expression `e` of the answer, if the search found a tighter range than the operands of `e`
    /// imply.
    pub fn range_of(&self, e: &Expr) -> Option<Interval> {
        self.chosen.range_of(e)
    }
}
