//! Simplification under conditions: parts of an expression once more, each under what holds wherever it is used.
//!
//! The branches of a selection are looked at under its condition and under its negation, the clauses of a conjunction
//! (disjunction) under the others (under their negations). Each such part is simplified in an e-graph of its own whose
//! domain assumes the conditions ([`Domain::assume`]), so that what holds in one context cannot leak into another: all
//! that leaves it is an expression, which takes the part's place in that very context.

use crate::domain::{Domain, DomainError, Interval, VarFacts, intervals_of};
use crate::expr::{Dag, Expr, Op, int};
use crate::simplify::{Simplifier, SimplifyError, Step, Task};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;

/// Contexts per look at an expression: bounds the time for those with very many masks.
const MAX_CONTEXTS: u32 = 8;
/// Larger expressions are left alone (operations, shared ones counted once); it also bounds the recursion.
const MAX_OPERATIONS: usize = 600;

/// Expressions whose parts were simplified under conditions.
pub(crate) struct Refined {
    pub(crate) exprs: Vec<Expr>,
    /// What was done to them, in order: a part may be one that an earlier step made.
    pub(crate) steps: Vec<Refinement>,
}

/// `before` may be replaced by `after` where `conditions` hold.
pub(crate) struct Refinement {
    pub(crate) why: Context,
    pub(crate) conditions: Vec<Expr>,
    pub(crate) before: Expr,
    pub(crate) after: Expr,
    /// Whether it is a clause among others.
    pub(crate) clause: bool,
    /// The rules that fired on the way; empty unless the simplifier keeps a trace.
    pub(crate) trace: Vec<Step>,
}

/// What was seen of a part and the conditions it is under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// It was simplified with the conditions assumed.
    Simplified,
    /// One branch is never chosen.
    BranchUnreachable,
    /// The other clauses never hold (of `or`: never fail) together.
    ClausesContradict,
    /// One clause is decided under the others, and decides the whole.
    ClauseRefuted,
}

impl Context {
    /// The name, which no rule has.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Context::Simplified => "under-conditions",
            Context::BranchUnreachable => "branch-unreachable",
            Context::ClausesContradict => "clauses-contradict",
            Context::ClauseRefuted => "clause-refuted",
        }
    }

    /// Why it is right, in one line.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Context::Simplified => "what holds wherever the part is used, taken to be true",
            Context::BranchUnreachable => "one branch is never chosen",
            Context::ClausesContradict => "the other clauses never hold (`or`: never fail) together",
            Context::ClauseRefuted => "a clause that fails with the others (`or`: holds where they fail) decides",
        }
    }
}

/// `roots` with their parts simplified in context, those of junctions only where not `branches_only`; `None` when nothing
/// changed.
pub(crate) fn refined(
    simplifier: &Simplifier,
    roots: &[Expr],
    domain: &Domain,
    vars: &[VarFacts],
    branches_only: bool,
) -> Option<Refined> {
    let (mut operations, mut conditional) = (0, false);
    for_each_node(roots, |e, _| {
        operations += usize::from(!e.args().is_empty());
        conditional |= is_conditional(e.op());
        false
    });
    if operations > MAX_OPERATIONS || !conditional {
        return None;
    }
    let mut r = Refiner::new(simplifier, domain, vars, branches_only);
    let exprs = roots.iter().map(|e| r.walk(e, &Place::default())).collect();
    r.changed.then_some(Refined { exprs, steps: r.steps })
}

/// Whether operands of the operation are used under a condition.
pub(crate) fn is_conditional(op: &Op) -> bool {
    matches!(op, Op::Select | Op::And | Op::Or)
}

/// Conditions that hold together; the one without any has the id 0.
#[derive(Default)]
struct Place {
    id: u32,
    conditions: Vec<Expr>,
}

/// A place that no point of the domain reaches.
struct Unreachable;

struct Refiner<'a> {
    for_branches: Simplifier,
    for_clauses: Simplifier,
    domain: &'a Domain,
    vars: &'a [VarFacts],
    branches_only: bool,
    left: u32,
    changed: bool,
    /// Per address and context, with what stands at the address: so long as that is kept, nothing else can.
    memo: FxHashMap<(usize, u32), (Expr, Expr)>,
    /// Per address, with what stands there.
    glances: FxHashMap<usize, (Expr, Rc<Glance>)>,
    contexts: u32,
    steps: Vec<Refinement>,
}

/// What a look at an expression tells.
struct Glance {
    /// Positions of its variables in the domain.
    variables: SmallVec<[u32; 8]>,
    /// Those of them that something else than the sum around them is made of.
    inner: SmallVec<[u32; 8]>,
    /// Whether nothing in it could become simpler by knowing more of the ranges of its variables.
    linear: bool,
    /// Whether any part of it is used under a condition.
    conditional: bool,
}

impl Glance {
    fn new(e: &Expr, domain: &Domain) -> Glance {
        let mut glance =
            Glance { variables: SmallVec::new(), inner: SmallVec::new(), linear: true, conditional: false };
        let mut note = |name: &str, inner: bool| {
            let Some(position) = domain.position(name) else { return };
            let lists = [Some(&mut glance.variables), inner.then_some(&mut glance.inner)];
            for list in lists.into_iter().flatten() {
                if !list.contains(&(position as u32)) {
                    list.push(position as u32);
                }
            }
        };
        for_each_node(std::slice::from_ref(e), |node, inner| match node.op() {
            Op::Var(name) => {
                note(name, inner);
                inner
            }
            Op::Const(_) | Op::Add | Op::Sub | Op::Neg | Op::Mul => inner,
            op => {
                glance.linear &= is_comparison(op);
                glance.conditional |= is_conditional(op);
                true
            }
        });
        glance
    }

    fn shares_variables_with(&self, known: &[u32]) -> bool {
        self.variables.iter().any(|v| known.contains(v))
    }
}

impl<'a> Refiner<'a> {
    fn new(simplifier: &Simplifier, domain: &'a Domain, vars: &'a [VarFacts], branches_only: bool) -> Refiner<'a> {
        Refiner {
            for_branches: simplifier.for_task(Task::Branch),
            for_clauses: simplifier.for_task(Task::Clause),
            domain,
            vars,
            branches_only,
            left: MAX_CONTEXTS,
            changed: false,
            memo: FxHashMap::default(),
            glances: FxHashMap::default(),
            contexts: 0,
            steps: Vec::new(),
        }
    }

    fn context(&mut self, outer: &Place, more: impl IntoIterator<Item = Expr>) -> Place {
        self.contexts += 1;
        let mut conditions = outer.conditions.clone();
        for c in more {
            split(&c, true, &mut conditions);
        }
        Place { id: self.contexts, conditions }
    }

    /// `e` with its conditional parts refined.
    fn walk(&mut self, e: &Expr, context: &Place) -> Expr {
        // once no context is left, walking on would only take time
        if e.args().is_empty() || self.left == 0 {
            return e.clone();
        }
        let key = (e.address(), context.id);
        if let Some((_, known)) = self.memo.get(&key) {
            return known.clone();
        }
        let out = match e.op() {
            Op::Select => self.select(e, context),
            Op::And | Op::Or if self.branches_only => e.clone(),
            Op::And => self.junction(true, e, context),
            Op::Or => self.junction(false, e, context),
            _ => {
                let args: Vec<Expr> = e.args().iter().map(|a| self.walk(a, context)).collect();
                with_args(e, args)
            }
        };
        self.memo.insert(key, (e.clone(), out.clone()));
        out
    }

    fn select(&mut self, e: &Expr, context: &Place) -> Expr {
        let condition = self.walk(&e.args()[0], context);
        let (then, otherwise) = (&e.args()[1], &e.args()[2]);
        let holds = self.context(context, [condition.clone()]);
        let fails = self.context(context, [condition.not()]);
        match (self.under(then, &holds, false), self.under(otherwise, &fails, false)) {
            (Ok(a), Ok(b)) => with_args(e, vec![condition, a, b]),
            (Ok(a), Err(Unreachable)) => self.news(Context::BranchUnreachable, &context.conditions, e, a),
            (Err(Unreachable), Ok(b)) => self.news(Context::BranchUnreachable, &context.conditions, e, b),
            (Err(Unreachable), Err(Unreachable)) => e.clone(),
        }
    }

    /// A chain of `and` (or of `or`).
    fn junction(&mut self, and: bool, e: &Expr, context: &Place) -> Expr {
        let mut clauses = Vec::new();
        chain(e, e.op(), &mut clauses);
        let before = self.changed;
        self.changed = false;
        // the largest first: it has the most to gain from all others
        let mut order: Vec<usize> = (0..clauses.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(clauses[i].tree_size()));
        let mut gone = vec![false; clauses.len()];
        let all = int(i64::from(!and));
        for i in order {
            let others = (0..clauses.len()).filter(|&j| j != i && !gone[j]);
            let others: Vec<Expr> = others.map(|j| if and { clauses[j].clone() } else { clauses[j].not() }).collect();
            let inner = self.context(context, others);
            match self.under(&clauses[i], &inner, true) {
                Ok(new) => {
                    gone[i] = new.as_const().is_some_and(|c| (c != 0) == and);
                    clauses[i] = new;
                }
                // the other clauses cannot hold (fail) together
                Err(Unreachable) => return self.news(Context::ClausesContradict, &context.conditions, e, all),
            }
            if clauses[i].as_const().is_some_and(|c| (c != 0) != and) {
                return self.news(Context::ClauseRefuted, &context.conditions, e, all);
            }
        }
        let changed = self.changed;
        self.changed |= before;
        if !changed {
            return e.clone();
        }
        let kept = clauses.into_iter().zip(gone).filter(|c| !c.1).map(|c| c.0);
        let join = |a: Expr, b: Expr| Expr::new(e.op().clone(), [a, b]);
        match kept.reduce(join) {
            None => int(i64::from(and)),
            Some(one) if is_truth(&one) => one,
            // any number but 0 is true, and stands for 1 here
            Some(one) => join(one, int(i64::from(and))),
        }
    }

    fn glance(&mut self, e: &Expr) -> Rc<Glance> {
        let new = || (e.clone(), Rc::new(Glance::new(e, self.domain)));
        self.glances.entry(e.address()).or_insert_with(new).1.clone()
    }

    /// The conditions that have to do with `variables`: over them, or over those of other relevant conditions.
    fn relevant(&mut self, variables: &[u32], conditions: &[Expr]) -> Vec<Expr> {
        let mut known: SmallVec<[u32; 8]> = variables.into();
        let mut rest: Vec<(&Expr, Rc<Glance>)> = conditions.iter().map(|c| (c, self.glance(c))).collect();
        let mut out = Vec::new();
        loop {
            let (near, far): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, g)| g.shares_variables_with(&known));
            if near.is_empty() {
                return out;
            }
            for (c, glance) in near {
                out.push(c.clone());
                known.extend_from_slice(&glance.variables);
            }
            rest = far;
        }
    }

    /// Whether something has one value where `condition` holds, which can then be written in its place.
    fn pins(&self, condition: &Expr) -> bool {
        let negated = || &condition.args()[0];
        match condition.op() {
            Op::Eq => true,
            // a number is false where it is 0
            Op::Not if !is_truth(negated()) || negated().op() == &Op::Ne => true,
            Op::Not if !is_comparison(negated().op()) => false,
            op if is_comparison(op) || op == &Op::Not => {
                let dag = Dag::new(std::slice::from_ref(condition));
                let range_of = |name: &str| self.domain.position(name).map_or(Interval::ALL, |p| self.vars[p].interval);
                holds_at_one_end(&dag, &intervals_of(&dag, range_of))
            }
            _ => false,
        }
    }

    fn news(&mut self, why: Context, conditions: &[Expr], before: &Expr, after: Expr) -> Expr {
        self.changed = true;
        let (conditions, before) = (conditions.to_vec(), before.clone());
        self.steps.push(Refinement { why, conditions, before, after: after.clone(), clause: false, trace: Vec::new() });
        after
    }

    /// `e` simplified where `context` holds, and its parts after it; a `clause` has stood beside the conditions before.
    fn under(&mut self, e: &Expr, context: &Place, clause: bool) -> Result<Expr, Unreachable> {
        if self.left == 0 || e.args().is_empty() {
            return Ok(e.clone());
        }
        let glance = self.glance(e);
        let conditions = self.relevant(&glance.variables, &context.conditions);
        let concerned =
            !self.relevant(&glance.inner, &conditions).is_empty() || conditions.iter().any(|c| self.pins(c));
        let parts = |r: &mut Self, place: &Place| if glance.conditional { r.walk(e, place) } else { e.clone() };
        if !concerned {
            // nor do they concern any part of it: it is walked once, in whichever contexts it stands
            return Ok(parts(self, &Place::default()));
        }
        // what linear clauses say of a linear one was seen when the junction as a whole was simplified
        if clause && is_comparison(e.op()) && glance.linear && conditions.iter().all(|c| self.glance(c).linear) {
            return Ok(e.clone());
        }
        self.left -= 1;
        let domain = conditions.iter().cloned().fold(self.domain.clone(), Domain::assume);
        let simplifier = if clause { &self.for_clauses } else { &self.for_branches };
        match simplifier.once(std::slice::from_ref(e), &domain, simplifier.is_traced()) {
            Ok(out) if out.expr() != e => {
                let new = self.news(Context::Simplified, &conditions, e, out.expr().clone());
                if let Some(step) = self.steps.last_mut() {
                    step.clause = clause;
                    step.trace = out.trace().to_vec();
                }
                Ok(self.walk(&new, context))
            }
            Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) => Err(Unreachable),
            Ok(_) | Err(_) => Ok(parts(self, context)),
        }
    }
}

/// Calls `visit` with every node and what it answered to the node's user, `false` for a root. Shared nodes are visited once
/// for each answer.
fn for_each_node<'a>(roots: &'a [Expr], mut visit: impl FnMut(&'a Expr, bool) -> bool) {
    let mut seen: FxHashSet<(usize, bool)> = FxHashSet::default();
    let mut todo: SmallVec<[(&Expr, bool); 16]> = roots.iter().map(|e| (e, false)).collect();
    while let Some((e, told)) = todo.pop() {
        if e.args().is_empty() || !e.has_several_owners() || seen.insert((e.address(), told)) {
            let told = visit(e, told);
            todo.extend(e.args().iter().map(|a| (a, told)));
        }
    }
}

/// `e` on other arguments; `e` itself when they are the same.
fn with_args(e: &Expr, args: Vec<Expr>) -> Expr {
    if args.iter().zip(e.args()).all(|(a, b)| a.address() == b.address()) {
        return e.clone();
    }
    Expr::new(e.op().clone(), args)
}

/// The operands of a chain of one operator.
fn chain(e: &Expr, op: &Op, out: &mut Vec<Expr>) {
    if e.op() == op {
        e.args().iter().for_each(|a| chain(a, op, out));
    } else {
        out.push(e.clone());
    }
}

/// The clauses that follow from `e` being `truth`. A disjunction is one clause.
fn split(e: &Expr, truth: bool, out: &mut Vec<Expr>) {
    match (e.op(), truth) {
        (Op::Not, _) => split(&e.args()[0], !truth, out),
        (Op::And, true) | (Op::Or, false) => e.args().iter().for_each(|a| split(a, truth, out)),
        // says nothing that a domain could use
        (Op::And, false) | (Op::Or, true) | (Op::Const(_), _) => {}
        (_, true) => out.push(e.clone()),
        (_, false) => out.push(e.not()),
    }
}

fn is_comparison(op: &Op) -> bool {
    matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne)
}

/// Whether the comparison that is the root of `dag`, or is negated there, holds only where both sides are at an end of
/// their `ranges`.
fn holds_at_one_end(dag: &Dag, ranges: &[Interval]) -> bool {
    let node = |i: u32| &dag.nodes()[i as usize];
    let root = node(dag.roots()[0]);
    let (comparison, negated) = if root.op == Op::Not { (node(root.args[0]), true) } else { (root, false) };
    let [a, b] = [comparison.args[0], comparison.args[1]].map(|i| ranges[i as usize]);
    // `most >= least`, or `>` where `strict`
    let (most, least, strict) = match (&comparison.op, negated) {
        (Op::Ge, false) | (Op::Lt, true) => (a.hi(), b.lo(), 0),
        (Op::Gt, false) | (Op::Le, true) => (a.hi(), b.lo(), 1),
        (Op::Le, false) | (Op::Gt, true) => (b.hi(), a.lo(), 0),
        (Op::Lt, false) | (Op::Ge, true) => (b.hi(), a.lo(), 1),
        _ => return false,
    };
    most.zip(least).is_some_and(|(most, least)| i128::from(most) == i128::from(least) + strict)
}

/// Whether `e` is 0 or 1 by its operator.
fn is_truth(e: &Expr) -> bool {
    is_comparison(e.op()) || matches!(e.op(), Op::And | Op::Or | Op::Not)
}

#[cfg(test)]
mod tests;
