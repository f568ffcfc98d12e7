//! Assumes conditions in an e-graph. The e-graph then describes a *context*: the points at which the conditions hold.
//!
//! The input is an e-graph and the classes of conditions. The output is the same e-graph with the facts that follow
//! from the conditions. These facts are never used in another context. The class of an assumed condition becomes 1. A
//! condition `x < y` becomes the constraint `y - x - 1 >= 0`, which bounds other linear forms too. An equality can
//! merge classes, or become a congruence.

use crate::domain::Congruence;
use crate::egraph::analysis::form_facts::facts_of_form;
use crate::egraph::context::alternatives::{Case, assume_one_of};
use crate::egraph::context::equations::{
    Contradiction, add_constraint, add_ends, assume_congruence, multiple_beside, solved,
};
use crate::egraph::context::product_constraints::bounds_of_factors;
use crate::egraph::context::quotients::{settle_quotients_beside, settle_quotients_in};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::nonzero::record_nonzero;
use crate::rules::operator::Operator;
use egg::Id;
use std::rc::Rc;

/// The maximum number of conditions, including clauses of other conditions, that are assumed. All further ones are
/// ignored.
const MAX_CLAUSES: usize = 64;

/// Assumes that all `conditions` (each 0 or 1) are true.
pub(crate) fn assume(e: &mut EGraph, conditions: &[Id]) -> Result<(), Contradiction> {
    e.assumed = true;
    let mut taken = Taken { todo: conditions.iter().map(|&c| (c, true)).collect(), ..Taken::default() };
    while !taken.todo.is_empty() {
        assume_clauses(e, &mut taken)?;
        e.rebuild();
        refresh_constraints(e);
        close_constraints(e);
        for cases in std::mem::take(&mut taken.disjunctions) {
            taken.todo.extend(assume_one_of(e, &cases)?);
        }
    }
    assume_factors(e);
    let zeros = tight_constraints(e, |constraint| taken.bounds.contains(constraint))?;
    for zero in &zeros {
        assume_zero(e, zero)?;
    }
    if !zeros.is_empty() {
        // if a sum has an end of its range as its only value, each of its terms is at an end of its own range
        for zero in tight_constraints(e, |constraint| !zeros.contains(constraint))? {
            assume_zero(e, &zero)?;
        }
    }
    settle_terms(e)?;
    e.rebuild();
    refresh_constraints(e);
    Ok(())
}

/// The `wanted` constraints whose greatest value is 0. Because a constraint is at least 0, these are equalities, so they
/// also give congruences.
fn tight_constraints(
    e: &EGraph,
    wanted: impl Fn(&Rc<LinearForm>) -> bool,
) -> Result<Vec<Rc<LinearForm>>, Contradiction> {
    let constraints = &e.graph.analysis.constraints;
    let mut tight = Vec::new();
    for constraint in constraints.iter() {
        match constraint.scaled(-1).and_then(|l| constraints.least(&e.graph, &l)) {
            // the greatest value is negative, so the other constraints contradict this one
            Some(1..) => return Err(Contradiction),
            Some(0) if wanted(constraint) => tight.push(constraint.clone()),
            _ => {}
        }
    }
    Ok(tight)
}

/// The state of the conversion of conditions to facts.
#[derive(Default)]
struct Taken {
    /// The conditions that are not yet assumed, and whether each holds.
    todo: Vec<Case>,
    /// The number of conditions that were split.
    clauses: usize,
    /// The sums that the conditions bound: each is at least 0.
    bounds: Vec<Rc<LinearForm>>,
    /// The cases of each disjunction among the conditions.
    disjunctions: Vec<Vec<Case>>,
}

/// Assumes the conditions in `todo`. Disjunctions are only collected.
fn assume_clauses(e: &mut EGraph, taken: &mut Taken) -> Result<(), Contradiction> {
    while let Some((id, holds)) = taken.todo.pop() {
        let id = e.graph.find(id);
        if let Some(c) = e.facts(id).constant() {
            if (c != 0) != holds {
                return Err(Contradiction);
            }
            continue;
        }
        taken.clauses += 1;
        if taken.clauses > MAX_CLAUSES {
            taken.todo.clear();
            break;
        }
        for node in e.nodes(id).to_vec() {
            assume_node(e, node, holds, taken)?;
        }
        let value = e.add(Node::Const(holds.into()));
        e.union(id, value);
    }
    Ok(())
}

/// Adds constraints on single factors that follow from constraints on their products.
fn assume_factors(e: &mut EGraph) {
    if !e.has_symbols() {
        return;
    }
    let mut constraints = std::mem::take(&mut e.graph.analysis.constraints);
    let found = bounds_of_factors(e, &constraints);
    found.into_iter().for_each(|bound| constraints.push(Rc::new(bound)));
    e.graph.analysis.constraints = constraints;
}

/// Assumes that `node` is true, or false. Conditions and sums that follow from this are added to `taken`.
fn assume_node(e: &mut EGraph, node: Node, holds: bool, taken: &mut Taken) -> Result<(), Contradiction> {
    let Taken { todo, bounds, disjunctions, .. } = taken;
    match (node, holds) {
        (Node::And(x), true) | (Node::Or(x), false) => todo.extend(x.iter().map(|&x| (x, holds))),
        (Node::Or(x), true) | (Node::And(x), false) => disjunctions.push(x.iter().map(|&x| (x, holds)).collect()),
        (Node::Not([x]), _) => todo.push((x, !holds)),
        (Node::NonNeg([x]), true) => {
            let lin = e.canonical(x);
            bounds.push(lin.clone());
            add_constraint(e, lin);
        }
        (Node::NonNeg([x]), false) => {
            if let Some(negated) = e.canonical(x).complement().map(Rc::new) {
                bounds.push(negated.clone());
                add_constraint(e, negated);
            }
        }
        (Node::Zero([x]), true) => {
            let lin = e.canonical(x);
            assume_zero(e, &lin)?;
            let zero = e.add(Node::Const(0));
            e.union(x, zero);
        }
        (Node::Zero([x]), false) => assume_not_zero(e, x),
        _ => {}
    }
    Ok(())
}

/// The classes of divisions, remainders and extrema, sorted by id.
pub(crate) fn operations(e: &EGraph) -> Vec<Id> {
    let operators = [Operator::Div, Operator::Mod, Operator::Min, Operator::Max];
    let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).collect();
    ids.retain(|&id| operators.iter().any(|&h| e.facts(id).has(h)));
    ids.sort_unstable();
    ids
}

/// Adds the definitions of the quotients in constraints.
fn close_constraints(e: &mut EGraph) {
    let mut constraints = std::mem::take(&mut e.graph.analysis.constraints);
    constraints.close(&e.graph);
    e.graph.analysis.constraints = constraints;
}

/// Assumes `lin == 0`.
fn assume_zero(e: &mut EGraph, lin: &LinearForm) -> Result<(), Contradiction> {
    if let Some(negated) = lin.scaled(-1) {
        add_constraint(e, Rc::new(negated));
    }
    add_constraint(e, Rc::new(lin.clone()));
    // must come before quotients are replaced by numbers, which give no information about the numerators
    close_constraints(e);
    for (i, (c, t)) in lin.iter().enumerate() {
        // c * t == -rest, so the rest is a multiple of c
        let Some(rest) = lin.without(i).scaled(-1) else { continue };
        if let Some((terms, congruence)) = multiple_beside(lin, i) {
            if let Some((t, congruence)) = solved(&terms, congruence)? {
                assume_congruence(e, t, congruence)?;
            }
            if let Some(id) = e.class_of(&terms)
                && assume_congruence(e, id, congruence)?
            {
                add_ends(e, &terms, e.facts(id).interval);
            }
        }
        if let Some(rest) = if c < 0 { rest.scaled(-1) } else { Some(rest) }
            && let Some(id) = e.class_of(&LinearForm::term(c.saturating_abs(), t))
        {
            e.equate(id, &rest);
        }
    }
    Ok(())
}

fn assume_not_zero(e: &mut EGraph, x: Id) {
    record_nonzero(e, x);
    let lin = e.canonical(x);
    let range = e.facts(x).interval;
    let constraint = match (range.lo(), range.hi()) {
        (Some(0), _) => lin.as_ref().clone().plus_constant(-1),
        (_, Some(0)) => lin.complement(),
        _ => None,
    };
    if let Some(constraint) = constraint {
        add_constraint(e, Rc::new(constraint));
    }
}

/// Narrows the ranges of all terms of constraints by the constraints.
fn settle_terms(e: &mut EGraph) -> Result<(), Contradiction> {
    refresh_constraints(e);
    close_constraints(e);
    let constraints: Vec<Rc<LinearForm>> = e.graph.analysis.constraints.iter().cloned().collect();
    for constraint in &constraints {
        for &t in constraint.terms() {
            let known = e.facts(t).interval;
            let range = e.graph.analysis.constraints.range(&e.graph, &LinearForm::atom(t), known);
            e.sharpen(t, range.ok_or(Contradiction)?, Congruence::ANY);
        }
    }
    settle_quotients_in(e, &constraints).ok_or(Contradiction)
}

/// Narrows the ranges of all terms of constraints, and of all sums, by the constraints. An earlier call already did
/// this for the first `settled` classes and, if `settled` is not 0, for the terms of constraints.
pub(crate) fn settle_constraints(e: &mut EGraph, settled: usize) -> Result<(), Contradiction> {
    if settled == 0 {
        settle_terms(e)?;
    }
    settle_quotients_beside(e);
    let mut sums: Vec<Id> = e.graph.classes().map(|c| c.id).filter(|&id| usize::from(id) >= settled).collect();
    sums.retain(|&id| e.facts(id).has(Operator::Sum));
    sums.sort_unstable();
    for id in sums {
        let lin = e.canonical(id);
        if lin.as_atom().is_some() || lin.is_constant() {
            continue;
        }
        let (interval, congruence) = facts_of_form(&e.graph, &lin);
        e.sharpen(id, interval, congruence);
        if let Some(c) = e.facts(id).constant()
            && let Some(zero) = lin.as_ref().clone().plus_constant(c.saturating_neg())
        {
            assume_zero(e, &zero)?;
        }
    }
    e.rebuild();
    refresh_constraints(e);
    Ok(())
}

/// Rewrites the constraints with canonical forms of current classes.
pub(crate) fn refresh_constraints(e: &mut EGraph) {
    let old = std::mem::take(&mut e.graph.analysis.constraints);
    e.graph.analysis.constraints = old.emptied();
    if old
        .iter()
        .all(|constraint| constraint.terms().iter().all(|&t| e.graph.find(t) == t && e.facts(t).canon().is_none()))
    {
        e.graph.analysis.constraints = old;
        return;
    }
    for constraint in old.iter() {
        match e.canonical_deep(constraint) {
            Some(l) if *l != **constraint => {
                let l = Rc::new(l.into_owned());
                e.graph.analysis.constraints.push(l);
            }
            _ => e.graph.analysis.constraints.push(constraint.clone()),
        }
    }
}
