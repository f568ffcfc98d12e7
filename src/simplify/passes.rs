//! The looks that a call takes: at the whole, at its parts under conditions, at the whole again.

use super::{Search, Simplified, Simplifier, SimplifyError, Step, Task};
use crate::cost::Narrow;
use crate::domain::{Domain, Interval};
use crate::egraph::StopReason;
use crate::egraph::order::in_order;
use crate::egraph::rebuild::Written;
use crate::expr::{Dag, Expr, Op};
use crate::lower::{LowerError, Lowered, lower_with};
use crate::refine::{Refined, is_conditional, refined};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// What a call went through.
pub(crate) struct Passes {
    /// May be dearer than the input where looks follow.
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
        let position = |name: &str| domain.position(name);
        let dag = Dag::new(exprs);
        let mut search = match self.for_task(first_task(&dag)).search_in(dag, domain, self.traced) {
            Err(SimplifyError::TooManyTerms) => {
                return Ok(Passes { first: self.as_written(exprs, domain)?, looks: Vec::new() });
            }
            search => search?,
        };
        let (first, mut written) = self.found(&search, exprs);
        let conditional = search.dag.nodes().iter().any(|n| is_conditional(&n.op));
        let limited = conditional && first.stop != StopReason::Saturated;
        // the searches that follow know less of the input as it is written
        let as_written = limited.then(|| first.clone().withdrawn_to(exprs, &search));
        let (first, input) = match limited {
            false => (first.unless_dearer_than(exprs, &search), Cow::Borrowed(exprs)),
            // where the looks begin must not depend on how the input was written
            true => {
                let input = in_order(&search.dag, &search.ranges, &position);
                (first.or_cheaper(&input), Cow::Owned(input))
            }
        };
        let mut passes = Passes { first, looks: Vec::new() };
        // where a limit ended the search, its answer may hide what the conditions would say of the input
        for of_input in [true, false].into_iter().filter(|&of_input| if of_input { limited } else { conditional }) {
            let before = passes.last();
            let parts = match of_input {
                true => refined(self, &input, domain, &search.vars, true),
                false if before.is_free() => None,
                false => refined(self, before.exprs(), domain, &search.vars, false),
            };
            let Some(parts) = parts else { continue };
            let for_whole = self.for_task(Task::WholeAgain);
            let mut again = match for_whole.ingested(Dag::with_origins(&parts.exprs), domain, self.traced) {
                Err(SimplifyError::TooManyTerms) => continue,
                again => again?,
            };
            // the rules hardly ever make up for a normal form that is half as dear again
            if self.price_of(&again).saturating_mul(2) > before.price().saturating_mul(3) {
                continue;
            }
            for_whole.saturate(&mut again);
            let (answer, classes) = self.found(&again, &parts.exprs);
            let answer = answer.or_cheaper(&in_order(&again.dag, &again.ranges, &position));
            if answer.price() < before.price() {
                (search, written) = (again, classes);
                passes.looks.push(Look { parts, of_input, answer });
            }
        }
        match passes.looks.last_mut() {
            None => self.improve(&mut passes.first, &mut search, &written, &input),
            Some(Look { parts, answer, .. }) => self.improve(answer, &mut search, &written, &parts.exprs),
        }
        // the input comes back in its own order, unless the other way of writing it costs less
        if let Some(as_written) = as_written {
            let unchanged = passes.looks.is_empty() && passes.first.exprs() == &*input;
            let (price, most) = (passes.last().price(), passes.first.most);
            if price > most || unchanged && price == most {
                let Simplified { trace, .. } = passes.first;
                passes = Passes { first: Simplified { trace, ..as_written }, looks: Vec::new() };
            }
        }
        Ok(match self.narrower(passes.last(), &passes.first, exprs, domain)? {
            Some(first) => Passes { first, looks: Vec::new() },
            None => passes,
        })
    }

    /// For an `answer` that needs 64 bits, or more, while `exprs`, which `first` is about, do not: one that does not either.
    fn narrower(
        &self,
        answer: &Simplified,
        first: &Simplified,
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
        let search = narrow.search(exprs, domain, self.traced)?;
        let mut second = narrow.found(&search, exprs).0.unless_dearer_than(exprs, &search);
        second.model = self.model.clone();
        second.cost = OnceLock::new();
        (second.input_cost, second.most) = (first.input_cost, first.most);
        second.rounds += answer.rounds;
        second.nodes += answer.nodes;
        let worse = second.price() > first.most || width(second.lowered()) > most;
        Ok(Some(if worse { second.withdrawn_to(exprs, &search) } else { second }))
    }

    /// Puts what the late rules find in place of `answer` to `exprs`, where that is cheaper; of `search`, this was `written`.
    fn improve(&self, answer: &mut Simplified, search: &mut Search, written: &[Written], exprs: &[Expr]) {
        let heads = written.iter().fold(0, |heads, w| heads | search.e.facts(w.class).heads);
        if heads & self.rules.late().term_heads == 0 {
            return;
        }
        if self.finish(search, written) {
            let (other, _) = self.found(search, exprs);
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

/// What the first search of the roots of `dag` is about.
pub(crate) fn first_task(dag: &Dag) -> Task {
    let branches = dag.nodes().iter().any(|n| n.op == Op::Select);
    if branches { Task::WholeWithBranches } else { Task::Whole }
}

impl Simplified {
    /// The answer found by looking at this one again, its parts under conditions first.
    fn followed_by(self, look: Look) -> Simplified {
        let Look { parts, of_input, answer: mut second } = look;
        (second.input_cost, second.most) = (self.input_cost, self.most);
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
