//! Bounds of a linear form from the ranges of its atoms together with linear facts (`constraint >= 0`).
//!
//! The bound is a feasible point of the dual of a linear program, and a beam search improves it. Each step subtracts a
//! non-negative multiple of a constraint from the linear form, if that raises the least value of the rest. Because
//! constraints are at least 0, this value is a lower bound of the form whichever steps are chosen. Poor choices only
//! make the bound weaker.

use crate::domain::Interval;
use crate::egraph::analysis::bound_search::Space;
use crate::egraph::analysis::term_facts::TermFacts;
use crate::egraph::language::linear_form::LinearForm;
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The largest number of quotients whose definitions become constraints.
const MAX_QUOTIENTS: usize = 8;
/// The maximum number of bounds that are computed per context. Later bounds use only the ranges of terms. The masks
/// of real kernels need some tens of bounds.
const MAX_CALLS: u32 = 150;
/// The largest depth of nested divisions that are followed through their numerators.
const MAX_DEFINITIONS: usize = 4;

/// The linear facts about all points of a context: every constraint is at least 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearConstraints {
    constraints: Vec<Rc<LinearForm>>,
    /// Computed ends of sums without their constants. Ranges of terms only ever shrink, so an old answer stays true.
    found: RefCell<FxHashMap<LinearForm, [Option<i128>; 2]>>,
    /// The constraints in the form that the search uses.
    space: RefCell<Option<Space>>,
    /// The number of requested bounds.
    calls: Cell<u32>,
}

impl LinearConstraints {
    /// A set without constraints that keeps the number of requested bounds.
    pub(crate) fn emptied(&self) -> LinearConstraints {
        LinearConstraints { calls: self.calls.clone(), ..LinearConstraints::default() }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Rc<LinearForm>> {
        self.constraints.iter()
    }

    /// Adds `constraint >= 0`. A constraint without terms is kept if its constant is negative, because it is a
    /// contradiction that a caller may look for.
    pub(crate) fn push(&mut self, constraint: Rc<LinearForm>) {
        let says_nothing = constraint.is_constant() && constraint.constant >= 0;
        if !says_nothing && !self.constraints.contains(&constraint) {
            self.constraints.push(constraint);
            self.found.borrow_mut().clear();
            self.space.replace(None);
        }
    }

    /// Adds the definitions of the quotients in constraints, so that a bound of `x//n` also bounds `x`.
    pub(crate) fn close(&mut self, terms: &impl TermFacts) {
        let mut todo: Vec<Id> = self.constraints.iter().flat_map(|r| r.terms().iter().copied()).collect();
        let mut done: Vec<Id> = Vec::new();
        while let Some(t) = todo.pop() {
            if done.contains(&t) || done.len() == MAX_QUOTIENTS {
                continue;
            }
            if let Some((x, n)) = terms.division(t)
                && let Some(pair) = definition(t, &x, n)
            {
                done.push(t);
                todo.extend(x.terms());
                pair.into_iter().for_each(|constraint| self.push(Rc::new(constraint)));
            }
        }
    }

    /// The range of `lin`. `known` is the range that its terms alone give. `None` if the constraints contradict one
    /// another.
    pub(crate) fn range(&self, terms: &impl TermFacts, lin: &LinearForm, known: Interval) -> Option<Interval> {
        if self.constraints.is_empty() || !lin.terms().iter().any(|&t| self.mentions(terms, t)) {
            return Some(known);
        }
        let [lo, hi] = self.ends(terms, lin.terms_only()).map(|e| e.map(|e| e.saturating_add(lin.constant.into())));
        let (lo, hi) = (lo.unwrap_or(i128::from(i64::MIN)), hi.unwrap_or(i128::from(i64::MAX)));
        if lo > hi { None } else { Interval::from_wide(lo, hi).meet(known) }
    }

    /// Whether a constraint mentions `t`, or the numerator of `t` if that is a quotient.
    pub(crate) fn mentions(&self, terms: &impl TermFacts, t: Id) -> bool {
        self.constraints.iter().any(|r| meets(terms, r, t, 0))
    }

    /// The ends of the range of `terms`, the lower end first. An end is `None` if no bound was found.
    fn ends(&self, facts: &impl TermFacts, terms: LinearForm) -> [Option<i128>; 2] {
        if let Some(&ends) = self.found.borrow().get(&terms) {
            return ends;
        }
        let lo = self.least(facts, &terms);
        let hi = terms.scaled(-1).and_then(|l| self.least(facts, &l)).and_then(|h| h.checked_neg());
        self.found.borrow_mut().insert(terms, [lo, hi]);
        [lo, hi]
    }

    /// The range of `lin` that its terms and the constraints give. It is not cached. `None` if the constraints
    /// contradict one another.
    pub(crate) fn hull(&self, terms: &impl TermFacts, lin: &LinearForm) -> Option<Interval> {
        let least = self.least(terms, lin).unwrap_or(i64::MIN.into());
        let most = lin.scaled(-1).and_then(|l| self.least(terms, &l)).and_then(i128::checked_neg);
        let most = most.unwrap_or(i64::MAX.into());
        (least <= most).then(|| Interval::from_wide(least, most))
    }

    /// The result of `ask`. The cache and the count of calls are restored afterwards, so `ask` does not influence later
    /// bounds.
    pub(crate) fn aside<T>(&self, ask: impl FnOnce() -> T) -> T {
        let (found, calls) = (self.found.borrow().clone(), self.calls.get());
        let answer = ask();
        self.found.replace(found);
        self.calls.set(calls);
        answer
    }

    /// A lower bound of `lin`. `None` if no bound was found.
    pub(crate) fn least(&self, terms: &impl TermFacts, lin: &LinearForm) -> Option<i128> {
        let calls = self.calls.get();
        if calls == MAX_CALLS {
            return None;
        }
        self.calls.set(calls + 1);
        // `close` already added the definitions of the quotients in constraints. The definition of any other quotient
        // helps only if a constraint or another term of `lin` mentions its numerator.
        let is_mentioned = |t: Id| self.constraints.iter().any(|r| r.coeff(t) != 0);
        let mut open = lin.terms().iter().filter(|&&t| terms.is_division(t) && !is_mentioned(t));
        let is_beside = |x: &LinearForm| x.terms().iter().any(|&u| meets(terms, lin, u, 1));
        let counts = |t: Id| self.mentions(terms, t) || terms.division(t).is_some_and(|(x, _)| is_beside(&x));
        let through = match (open.next(), open.next()) {
            (None, _) => None,
            (Some(&t), None) if !counts(t) => None,
            _ => eliminated(terms, lin),
        };
        let mut start: SmallVec<[(&LinearForm, i64); 2]> = SmallVec::from_slice(&[(lin, 1)]);
        start.extend(through.as_ref().map(|t| (&t.0, t.1)));
        let mut space = self.space.borrow_mut();
        space.get_or_insert_with(|| Space::new(&self.constraints)).search(terms, &start)?.bound()
    }
}

/// Whether `constraint` mentions `t`, or the numerator of `t` if `t` is a division.
fn meets(terms: &impl TermFacts, constraint: &LinearForm, t: Id, depth: usize) -> bool {
    constraint.coeff(t) != 0
        || (depth < MAX_DEFINITIONS
            && terms
                .division(t)
                .is_some_and(|(x, _)| x.terms().iter().any(|&u| u != t && meets(terms, constraint, u, depth + 1))))
}

/// Replaces every quotient in `lin` by a bound of the quotient: `x//n` is at least `(x - n + 1)/n` and at most `x/n`.
/// Returns the result multiplied by a scale that removes the fractions, and the scale.
fn eliminated(terms: &impl TermFacts, lin: &LinearForm) -> Option<(LinearForm, i64)> {
    let (mut out, mut scale) = (lin.clone(), 1i64);
    for step in 0..MAX_DEFINITIONS {
        let quotient = out.iter().find_map(|(c, t)| terms.division(t).map(|(x, n)| (c, t, x, n)));
        let Some((c, t, x, n)) = quotient else {
            return (step > 0).then_some((out, scale));
        };
        // n*out - |c| * (n*t + n - 1 - x) or n*out - |c| * (x - n*t)
        let [below, above] = definition(t, &x, n)?;
        let constraint = if c > 0 { below } else { above };
        out = out.scaled(n)?.plus(c.checked_abs()?.checked_neg()?, &constraint)?;
        scale = scale.checked_mul(n)?;
    }
    Some((out, scale))
}

/// `n*t + n - 1 - x` and `x - n*t`. Both are at least 0 if `t` is `x // n`.
pub(crate) fn definition(t: Id, x: &LinearForm, n: i64) -> Option<[LinearForm; 2]> {
    let quotient = LinearForm::term(n, t);
    Some([quotient.plus(-1, x)?.plus_constant(n - 1)?, x.plus(-1, &quotient)?])
}

#[cfg(test)]
mod tests;
