//! Asks the simplifier about a kernel, and decides which of its values get a new text.

use crate::alike::alike;
use crate::question::Question;
use quaff::Simplifier;
use quaff::access::{Access, Gate};
use quaff::cost::Cost;
use quaff::expr::Expr;

/// For each site of a kernel (a place of the text that computes an integer), its new expression, or `None` if the site
/// keeps its text.
pub(crate) type Answer = Vec<Option<Expr>>;

/// The most sites of a kernel for which the written form is tried again in place of the new form.
const MOST_EXCHANGES: usize = 48;

/// The answer to `question`. `None` if the engine rejects the question, or if nothing is cheaper.
pub(crate) fn answer(question: &Question, simplifier: &Simplifier) -> Option<Answer> {
    let (sites, accesses) = askable(question, simplifier)?;
    let found = simplifier.simplify_accesses(&accesses, question.domain()).ok()?;
    let written: Vec<Expr> = accesses.iter().map(|access| access.index().clone()).collect();
    // a value that is never computed, because its condition never holds, keeps its form
    let new = found.accesses().iter().zip(&written);
    let mut new: Vec<Expr> =
        new.map(|(a, written)| if *a.gate() == Gate::Never { written } else { a.index() }.clone()).collect();
    let before = question.price(&written, simplifier)?;
    let mut after = question.price(&new, simplifier)?;
    // if a value is proved to be a number, the cost model gives all its forms the price 0, but a compiler may not know
    // the number
    let is_decided = |at: usize| new[at].as_const().is_some() && new[at] != written[at];
    let decided: Vec<bool> = (0..new.len()).map(is_decided).collect();
    keep_written(question, &written, &mut new, &decided, &mut after, simplifier);
    if after >= before && !decided.contains(&true) {
        return None;
    }
    let mut exprs = vec![None; question.accesses.len()];
    for ((at, written), new) in sites.into_iter().zip(written).zip(new) {
        exprs[at] = (written != new).then_some(new);
    }
    Some(exprs)
}

/// The sites of the question for which the simplifier returns no error, with their accesses.
fn askable(question: &Question, simplifier: &Simplifier) -> Option<(Vec<usize>, Vec<Access>)> {
    let (sites, accesses) = question.roots();
    let is_asked = |accesses: &[Access]| simplifier.cost_of_accesses(accesses, question.domain()).is_ok();
    if is_asked(&accesses) {
        return Some((sites, accesses)).filter(|(sites, _)| !sites.is_empty());
    }
    let all = sites.into_iter().zip(accesses);
    let taken = all.filter(|(_, access)| is_asked(std::slice::from_ref(access)));
    let (sites, accesses): (Vec<usize>, Vec<Access>) = taken.unzip();
    Some((sites, accesses)).filter(|(sites, _)| !sites.is_empty())
}

/// Restores the written form of each site if the kernel costs no more with it, so that the text changes only for a
/// lower cost. Sites whose new form is not cheaper on its own are tried first. A `decided` value (one proved to be a
/// number) keeps its new form.
fn keep_written(
    question: &Question,
    written: &[Expr],
    new: &mut [Expr],
    decided: &[bool],
    after: &mut Cost,
    simplifier: &Simplifier,
) {
    let alone = |e: &Expr| question.price([e], simplifier);
    let changed = (0..written.len()).filter(|&i| written[i] != new[i] && !decided[i]);
    let mut changed: Vec<(usize, bool)> =
        changed.take(MOST_EXCHANGES).map(|i| (i, alone(&new[i]) < alone(&written[i]))).collect();
    changed.sort_by_key(|(_, is_cheaper)| *is_cheaper);
    for (at, is_cheaper) in changed {
        // the written form also stays if the new form has the same parts in another order and is not cheaper
        let is_same = !is_cheaper && alike(&new[at], &written[at]);
        let found = std::mem::replace(&mut new[at], written[at].clone());
        match question.price(&*new, simplifier) {
            Some(cost) if cost <= *after || is_same => *after = cost,
            _ => new[at] = found,
        }
    }
}
