//! The walk over an expression that simplifies its parts in their contexts.

use super::context::Context;
use super::relevance::{Dependencies, Relevance};
use super::syntax::{for_each_node, with_args};
use crate::domain::{Domain, DomainError, VarFacts};
use crate::expr::{Expr, Junction, Op, int};
use crate::simplify::budget::{Share, for_task};
use crate::simplify::candidate::Candidate;
use crate::simplify::derivation::{Pass, Refinement, RefinementReason};
use crate::simplify::error::SimplifyError;
use crate::simplify::pass::plain_pass;
use crate::simplify::settings::Settings;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The maximum number of contexts in which parts of one expression are simplified. This bounds the time for expressions
/// with very many masks. If there are several expressions, each of the first [`MAX_ROOTS`] may have this many.
pub(super) const MAX_CONTEXTS: u32 = 8;
const MAX_ROOTS: u32 = 16;
/// The maximum number of operations of expressions whose parts are simplified. A shared operation counts once. This
/// also bounds the recursion.
const MAX_OPERATIONS: usize = 600;

/// The parts that are simplified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::simplify) enum Parts {
    /// Branches of selections.
    Branches,
    /// Branches of selections, and clauses of conjunctions and disjunctions.
    All,
}

/// The error if the conditions of a context hold at no point of the domain.
struct Unreachable;

/// Simplifies parts of expressions under the conditions under which they are used. Each part is simplified once for the
/// same conditions.
pub(in crate::simplify) struct Contexts<'a> {
    for_branches: Settings,
    for_clauses: Settings,
    domain: &'a Domain,
    relevance: Relevance<'a>,
    parts: Parts,
    /// The searches that may still be run.
    pub(super) contexts_left: u32,
    pub(super) changed: bool,
    /// Results by address and context, with the expression at the address. While the expression is kept, no other
    /// expression can have its address.
    walked: FxHashMap<(usize, u32), (Expr, Expr)>,
    /// The search results by part and conditions. Several expressions may share the same clauses.
    searched: FxHashMap<(Expr, Vec<Expr>), Option<Rc<Pass>>>,
    /// The number of contexts so far, whether searched or not.
    contexts: u32,
    steps: Vec<Refinement>,
}

impl<'a> Contexts<'a> {
    pub(in crate::simplify) fn new(settings: &Settings, domain: &'a Domain, vars: &'a [VarFacts]) -> Contexts<'a> {
        Contexts {
            for_branches: for_task(settings, Share::Branch),
            for_clauses: for_task(settings, Share::Clause),
            domain,
            parts: Parts::All,
            relevance: Relevance::new(domain, vars),
            contexts_left: MAX_CONTEXTS,
            changed: false,
            walked: FxHashMap::default(),
            searched: FxHashMap::default(),
            contexts: 0,
            steps: Vec::new(),
        }
    }

    /// The expressions of `candidate` with these `parts` simplified, and the list of replacements. `None` if nothing
    /// changed.
    pub(in crate::simplify) fn refine(
        &mut self,
        candidate: &Candidate,
        parts: Parts,
    ) -> Option<(Vec<Expr>, Vec<Refinement>)> {
        let roots = &candidate.exprs;
        let mut operations = 0;
        for_each_node(roots, |e, _| {
            operations += usize::from(!e.args().is_empty());
            false
        });
        if operations > MAX_OPERATIONS {
            return None;
        }
        (self.changed, self.parts) = (false, parts);
        self.walked.clear();
        let mut roots_left = MAX_ROOTS;
        let walk = |e: &Expr| {
            if !e.args().is_empty() && roots_left > 0 {
                roots_left -= 1;
                self.contexts_left = MAX_CONTEXTS;
            }
            self.walk(e, &Context::default())
        };
        let exprs = roots.iter().map(walk).collect();
        let steps = std::mem::take(&mut self.steps);
        self.changed.then_some((exprs, steps))
    }

    fn context(&mut self, outer: &Context, more: impl IntoIterator<Item = Expr>) -> Context {
        self.contexts += 1;
        outer.with(self.contexts, more)
    }

    /// `e` with those parts simplified that are used under conditions.
    pub(super) fn walk(&mut self, e: &Expr, context: &Context) -> Expr {
        // without remaining contexts, the walk can change nothing
        if e.args().is_empty() || self.contexts_left == 0 {
            return e.clone();
        }
        let key = (e.address(), context.id);
        if let Some((_, known)) = self.walked.get(&key) {
            return known.clone();
        }
        let out = match Junction::of(e.op()) {
            Some(_) if self.parts == Parts::Branches => e.clone(),
            Some(junction) => self.junction(junction, e, context),
            None if e.op() == &Op::Select => self.select(e, context),
            None => {
                let args: Vec<Expr> = e.args().iter().map(|a| self.walk(a, context)).collect();
                with_args(e, args)
            }
        };
        self.walked.insert(key, (e.clone(), out.clone()));
        out
    }

    fn select(&mut self, e: &Expr, context: &Context) -> Expr {
        let condition = self.walk(&e.args()[0], context);
        let (then, otherwise) = (&e.args()[1], &e.args()[2]);
        let holds = self.context(context, [condition.clone()]);
        let fails = self.context(context, [condition.not()]);
        let reason = RefinementReason::BranchUnreachable;
        match (self.under(then, &holds, Share::Branch), self.under(otherwise, &fails, Share::Branch)) {
            (Ok(a), Ok(b)) => with_args(e, vec![condition, a, b]),
            (Ok(a), Err(Unreachable)) => self.replace(reason, &context.conditions, e, a),
            (Err(Unreachable), Ok(b)) => self.replace(reason, &context.conditions, e, b),
            (Err(Unreachable), Err(Unreachable)) => e.clone(),
        }
    }

    /// Simplifies a chain of `and` (or of `or`).
    fn junction(&mut self, junction: Junction, e: &Expr, context: &Context) -> Expr {
        let mut clauses: Vec<Option<Expr>> = junction.clauses(e).cloned().map(Some).collect();
        let changed_before = std::mem::replace(&mut self.changed, false);
        if let Err(reason) = self.simplify_clauses(junction, &mut clauses, context) {
            let decided = int(i64::from(!junction.neutral()));
            return self.replace(reason, &context.conditions, e, decided);
        }
        let changed = self.changed;
        self.changed |= changed_before;
        if !changed {
            return e.clone();
        }
        let neutral = int(i64::from(junction.neutral()));
        let join = |a: Expr, b: Expr| Expr::new(junction.op(), [a, b]);
        match clauses.into_iter().flatten().reduce(join) {
            None => neutral,
            Some(one) if one.op().is_truth() => one,
            // any number but 0 is true, so the result must be 1
            Some(one) => join(one, neutral),
        }
    }

    /// Simplifies each of `clauses` under the other clauses, and removes the clauses that follow from the others. An
    /// error gives the reason for which the whole junction is decided.
    fn simplify_clauses(
        &mut self,
        junction: Junction,
        clauses: &mut [Option<Expr>],
        context: &Context,
    ) -> Result<(), RefinementReason> {
        // the largest clause first, because the other clauses can simplify it most
        let mut order: Vec<usize> = (0..clauses.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(clauses[i].as_ref().map(Expr::tree_size)));
        for i in order {
            let Some(clause) = clauses[i].take() else { continue };
            let others = clauses.iter().flatten();
            let others: Vec<Expr> = match junction {
                Junction::And => others.cloned().collect(),
                Junction::Or => others.map(Expr::not).collect(),
            };
            let inner = self.context(context, others);
            let Ok(new) = self.under(&clause, &inner, Share::Clause) else {
                return Err(RefinementReason::ClausesContradict);
            };
            match new.as_const().map(|c| c != 0) {
                Some(truth) if truth == junction.neutral() => {}
                Some(_) => return Err(RefinementReason::ClauseRefuted),
                None => clauses[i] = Some(new),
            }
        }
        Ok(())
    }

    /// `e` simplified under `context`, with the parts of the result then simplified too. `task` says whether `e` is a
    /// branch, or a clause of a junction that was already simplified as a whole.
    fn under(&mut self, e: &Expr, context: &Context, task: Share) -> Result<Expr, Unreachable> {
        if self.contexts_left == 0 || e.args().is_empty() {
            return Ok(e.clone());
        }
        let dependencies = self.relevance.dependencies(e);
        let conditions = self.relevance.about(&dependencies.variables, &context.conditions);
        if !self.relevance.concerns(&conditions, &dependencies) {
            // conditions that do not concern `e` do not concern its parts either, so the parts are walked without
            // conditions
            return Ok(self.walk_parts(e, &dependencies, &Context::default()));
        }
        let mut are_linear = || conditions.iter().all(|c| self.relevance.dependencies(c).linear);
        if task == Share::Clause && e.op().is_comparison() && dependencies.linear && are_linear() {
            // the search of the whole junction already simplified linear clauses by one another. It misses only
            // clauses that bound a lower digit of another clause
            if !self.relevance.bounds_digit(&conditions, e) {
                return Ok(e.clone());
            }
        }
        let key = (e.clone(), conditions);
        let found = match self.searched.get(&key) {
            Some(known) => known.clone(),
            None => {
                self.contexts_left -= 1;
                let domain = key.1.iter().cloned().fold(self.domain.clone(), Domain::assume);
                let settings = if task == Share::Clause { &self.for_clauses } else { &self.for_branches };
                let pass = match plain_pass(settings, std::slice::from_ref(e), &domain) {
                    Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) => return Err(Unreachable),
                    pass => pass.ok().filter(|pass| pass.answer.expr() != e).map(Rc::new),
                };
                self.searched.insert(key.clone(), pass.clone());
                pass
            }
        };
        let Some(pass) = found else { return Ok(self.walk_parts(e, &dependencies, context)) };
        self.changed = true;
        let new = pass.answer.expr().clone();
        let (before, conditions) = key;
        // an equal part with the same conditions may already be in the list
        if !self.steps.iter().any(|step| step.before == before && step.conditions == conditions) {
            let (reason, after) = (RefinementReason::Simplified, new.clone());
            self.steps.push(Refinement { reason, conditions, before, after, pass: Some(pass) });
        }
        Ok(self.walk(&new, context))
    }

    fn walk_parts(&mut self, e: &Expr, dependencies: &Dependencies, context: &Context) -> Expr {
        if dependencies.conditional { self.walk(e, context) } else { e.clone() }
    }

    /// Records that `after` replaces `before`, and returns `after`.
    fn replace(&mut self, reason: RefinementReason, conditions: &[Expr], before: &Expr, after: Expr) -> Expr {
        self.changed = true;
        let (conditions, before) = (conditions.to_vec(), before.clone());
        self.steps.push(Refinement { reason, conditions, before, after: after.clone(), pass: None });
        after
    }
}
