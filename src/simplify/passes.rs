//! The looks that a call takes: at the whole, at its parts under conditions, at the whole again.

use super::{Search, Simplified, Simplifier, SimplifyError, Step};
use crate::cost::Narrow;
use crate::domain::{Domain, Interval};
use crate::egraph::StopReason;
use crate::expr::{Dag, Expr};
use crate::lower::{LowerError, Lowered, lower_with};
use crate::refine::{Refined, is_conditional, refined};
use egg::Id;
use std::sync::Arc;

/// What a call went through.
pub(crate) struct Passes {
    pub(crate) first: Simplified,
    /// Each cheaper than what was before.
    pub(crate) looks: Vec<Look>,
}

/// One more look at an expression.
pub(crate) struct Look {
    /// Its parts under conditions.
    pub(crate) parts: Refined,
    /// Whether the parts are those of the input, and not of the answer before.
    pub(crate) of_input: bool,
    /// What came of them.
    pub(crate) answer: Simplified,
}

impl Passes {
    fn last(&self) -> &Simplified {
        self.looks.last().map_or(&self.first, |l| &l.answer)
    }

    pub(crate) fn answer(self) -> Simplified {
        self.looks.into_iter().fold(self.first, Simplified::followed_by)
    }
}

impl Simplifier {
    /// All of `exprs`, then their parts under conditions, then all once more; parts of the input first where a limit ended
    /// the search. Only the last look is finished with late rules.
    pub(crate) fn passes(&self, exprs: &[Expr], domain: &Domain) -> Result<Passes, SimplifyError> {
        let mut search = self.search(exprs, domain, self.traced)?;
        let (first, mut written) = self.answered(&search, exprs);
        let limited = first.stop != StopReason::Saturated;
        let mut passes = Passes { first, looks: Vec::new() };
        if search.dag.nodes().iter().any(|n| is_conditional(&n.op)) {
            // where a limit ended the search, its answer may hide what the conditions would say of the input
            for of_input in [true, false].into_iter().filter(|&of_input| limited || !of_input) {
                let Some(parts) = refined(self, if of_input { exprs } else { passes.last().exprs() }, domain, of_input)
                else {
                    continue;
                };
                let again = self.search(&parts.exprs, domain, self.traced)?;
                let (answer, classes) = self.answered(&again, &parts.exprs);
                if answer.cost() < passes.last().cost() {
                    (search, written) = (again, classes);
                    passes.looks.push(Look { parts, of_input, answer });
                }
            }
        }
        match passes.looks.last_mut() {
            None => self.improve(&mut passes.first, &mut search, &written, exprs),
            Some(Look { parts, answer, .. }) => self.improve(answer, &mut search, &written, &parts.exprs),
        }
        Ok(match self.narrower(passes.last(), passes.first.input_cost, exprs, domain)? {
            Some(first) => Passes { first, looks: Vec::new() },
            None => passes,
        })
    }

    /// For an `answer` that needs 64 bits, or more, while `exprs`, which cost `input_cost`, do not: one that does not either.
    fn narrower(
        &self,
        answer: &Simplified,
        input_cost: u64,
        exprs: &[Expr],
        domain: &Domain,
    ) -> Result<Option<Simplified>, SimplifyError> {
        if answer.is_certainly_narrow() {
            return Ok(None);
        }
        // 32 bits, 64, more than there are
        let width = |l: Result<Lowered, LowerError>| l.map_or(2, |l| u8::from(!l.wide().is_empty()));
        let most = width(lower_with(&Dag::new(exprs), &answer.vars, |_| Interval::ALL));
        if width(answer.lowered()) <= most {
            return Ok(None);
        }
        let narrow = Simplifier { model: Arc::new(Narrow(self.model.clone())), ..self.clone() };
        let mut second = narrow.once(exprs, domain, self.traced)?;
        second.model = self.model.clone();
        second.input_cost = input_cost;
        second.rounds += answer.rounds;
        second.nodes += answer.nodes;
        let worse = second.cost() * 10.0 > input_cost as f64;
        Ok(Some(if worse || width(second.lowered()) > most { second.withdrawn(exprs) } else { second }))
    }

    /// Puts what the late rules find in place of `answer` to `exprs`, where that is cheaper; the answer's classes in `search`
    /// were `written`.
    fn improve(&self, answer: &mut Simplified, search: &mut Search, written: &[Id], exprs: &[Expr]) {
        let heads = written.iter().fold(0, |heads, &id| heads | search.e.facts(id).heads);
        if heads & self.rules.late().term_heads == 0 {
            return;
        }
        if self.finish(search, written) {
            let (other, _) = self.answered(search, exprs);
            if other.cost() < answer.cost() {
                *answer = other;
                return;
            }
        }
        if search.traced {
            // what fired and was of no use is told, too
            answer.trace = self.steps(&search.e, &search.fired, &search.names);
        }
    }
}

impl Simplified {
    /// The answer found by looking at this one again, its parts under conditions first.
    fn followed_by(self, look: Look) -> Simplified {
        let Look { parts, of_input, answer: mut second } = look;
        second.input_cost = self.input_cost;
        second.rounds += self.rounds;
        second.nodes += self.nodes;
        if self.traced {
            let mut trace = if of_input { Vec::new() } else { self.trace };
            for part in parts.steps {
                let conditions = part.conditions;
                trace.extend(part.trace.into_iter().map(|s| Step { conditions: conditions.clone(), ..s }));
                let rule = part.why.name().to_string();
                trace.push(Step { rule, conditions, before: part.before, after: part.after });
            }
            trace.append(&mut second.trace);
            second.trace = trace;
        }
        second
    }
}
