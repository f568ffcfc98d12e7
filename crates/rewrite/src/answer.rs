//! The engine's answer for a kernel: an expression for each site, where it is worth a change of the text.

use crate::question::{Question, price};
use quaff::Simplifier;
use quaff::access::{Access, Gate};
use quaff::cost::Cost;
use quaff::expr::Expr;

/// Cheaper expressions for the sites of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// A new expression for each site that gets one.
    pub(crate) exprs: Vec<Option<Expr>>,
    pub(crate) after: Cost,
}

/// Sites of a kernel whose written forms are tried in the place of new ones.
const MOST_EXCHANGES: usize = 48;

/// The answer to `question`; `None` where it cannot be asked.
pub(crate) fn answer(question: &Question, simplifier: &Simplifier) -> Option<Answer> {
    let (sites, written) = askable(question, simplifier)?;
    let found = simplifier.simplify_accesses(&written, &question.domain).ok()?;
    let before = found.input_cost();
    let mut accesses: Vec<Access> = written.clone();
    for (access, new) in accesses.iter_mut().zip(found.accesses()) {
        // what is never computed stays
        if *new.gate() != Gate::Never {
            *access = with_lane(access, new.index().clone());
        }
    }
    let mut after = price(&accesses, &question.domain, simplifier)?;
    if after >= before {
        return Some(Answer { exprs: vec![None; question.accesses.len()], after: before });
    }
    keep_written(question, &written, &mut accesses, &mut after, simplifier);
    let mut exprs = vec![None; question.accesses.len()];
    for ((at, written), new) in sites.into_iter().zip(&written).zip(&accesses) {
        exprs[at] = (written.index() != new.index()).then(|| new.index().clone());
    }
    Some(Answer { exprs, after })
}

/// The roots of the question that the engine takes.
fn askable(question: &Question, simplifier: &Simplifier) -> Option<(Vec<usize>, Vec<Access>)> {
    let (sites, accesses) = question.roots();
    if price(&accesses, &question.domain, simplifier).is_some() {
        return Some((sites, accesses)).filter(|(sites, _)| !sites.is_empty());
    }
    let all = sites.into_iter().zip(accesses);
    let taken = all.filter(|(_, access)| price(std::slice::from_ref(access), &question.domain, simplifier).is_some());
    let (sites, accesses): (Vec<usize>, Vec<Access>) = taken.unzip();
    Some((sites, accesses)).filter(|(sites, _)| !sites.is_empty())
}

/// Puts back the written forms without which the kernel costs no more: the text changes only where that pays. Those that cost no less
/// by themselves go first.
fn keep_written(
    question: &Question,
    written: &[Access],
    accesses: &mut [Access],
    after: &mut Cost,
    simplifier: &Simplifier,
) {
    let alone = |access: &Access| price(std::slice::from_ref(access), &question.domain, simplifier);
    let changed = (0..written.len()).filter(|&i| written[i].index() != accesses[i].index());
    let mut changed: Vec<usize> = changed.take(MOST_EXCHANGES).collect();
    changed.sort_by_key(|&i| alone(&accesses[i]) < alone(&written[i]));
    for at in changed {
        let new = std::mem::replace(&mut accesses[at], written[at].clone());
        match price(accesses, &question.domain, simplifier) {
            Some(cost) if cost <= *after => *after = cost,
            _ => accesses[at] = new,
        }
    }
}

/// `access` with another index.
pub(crate) fn with_lane(access: &Access, index: Expr) -> Access {
    let new = Access::load("v", "p", index);
    match access.gate() {
        Gate::Always => new,
        Gate::When(condition) => new.when(condition.clone()),
        Gate::Never => new.when(0.into()),
    }
}
