//! Facts that hold in a context only: the conditions under which an expression is used.
//!
//! What goes in is an e-graph and the class of a condition; what comes out is the e-graph of the places where it holds.
//! An e-graph with assumptions belongs to one context as a whole; nothing of it is ever carried into another. What a
//! condition says reaches every class: as a constraint that bounds all linear forms, as a value of its class, as an
//! equality of classes, as a congruence.

use crate::domain::{Congruence, Interval};
use crate::egraph::analysis::form_facts::facts_of_form;
use crate::egraph::build::graph::EGraph;
use crate::egraph::context::quotients::{settle_quotients_beside, settle_quotients_in};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::integer::{floor_div, floor_mod, gcd};
use crate::rules::operator::Operator;
use egg::Id;
use std::rc::Rc;

/// Moduli of congruences that are solved for one variable.
const MAX_MODULUS: i128 = 1 << 12;
/// Conditions taken apart at most.
const MAX_CLAUSES: usize = 64;

/// The conditions cannot hold together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contradiction;

/// Takes `conditions` (each 0 or 1) to be true.
pub(crate) fn assume(e: &mut EGraph, conditions: &[Id]) -> Result<(), Contradiction> {
    e.assumed = true;
    let mut todo: Vec<(Id, bool)> = conditions.iter().map(|&c| (c, true)).collect();
    let (mut taken, mut bounds) = (0, Vec::new());
    while let Some((id, holds)) = todo.pop() {
        let id = e.graph.find(id);
        if let Some(c) = e.facts(id).constant() {
            if (c != 0) != holds {
                return Err(Contradiction);
            }
            continue;
        }
        taken += 1;
        if taken > MAX_CLAUSES {
            break;
        }
        for node in e.nodes(id).to_vec() {
            assume_node(e, node, holds, &mut todo, &mut bounds)?;
        }
        let value = e.add(Node::Const(holds.into()));
        e.union(id, value);
    }
    e.rebuild();
    refresh_constraints(e);
    close_constraints(e);
    let mut zeros = Vec::new();
    for constraint in e.graph.analysis.constraints.iter() {
        let least_of_negated = constraint.scaled(-1).and_then(|l| e.graph.analysis.constraints.least(&e.graph, &l));
        match least_of_negated {
            // its greatest value is negative: the others refute it
            Some(1..) => return Err(Contradiction),
            // its greatest value is 0: an equality, which tells a congruence as well
            Some(0) if bounds.contains(constraint) => zeros.push(constraint.clone()),
            _ => {}
        }
    }
    for zero in zeros {
        assume_zero(e, &zero)?;
    }
    settle_terms(e)?;
    e.rebuild();
    refresh_constraints(e);
    Ok(())
}

/// Takes `node` to be true, or false; what that says of other conditions goes to `todo`, sums that are at least 0 to `bounds`.
fn assume_node(
    e: &mut EGraph,
    node: Node,
    holds: bool,
    todo: &mut Vec<(Id, bool)>,
    bounds: &mut Vec<Rc<LinearForm>>,
) -> Result<(), Contradiction> {
    match (node, holds) {
        (Node::And(x), true) | (Node::Or(x), false) => todo.extend(x.iter().map(|&x| (x, holds))),
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

/// The classes of divisions and extrema, in order.
pub(crate) fn operations(e: &EGraph) -> Vec<Id> {
    let operators = [Operator::Div, Operator::Mod, Operator::Min, Operator::Max];
    let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).collect();
    ids.retain(|&id| operators.iter().any(|&h| e.facts(id).has(h)));
    ids.sort_unstable();
    ids
}

fn add_constraint(e: &mut EGraph, constraint: Rc<LinearForm>) {
    e.graph.analysis.constraints.push(constraint);
}

/// Adds the definitions of the quotients that constraints mention.
fn close_constraints(e: &mut EGraph) {
    let mut constraints = std::mem::take(&mut e.graph.analysis.constraints);
    constraints.close(&e.graph);
    e.graph.analysis.constraints = constraints;
}

/// `lin == 0`.
fn assume_zero(e: &mut EGraph, lin: &LinearForm) -> Result<(), Contradiction> {
    if let Some(negated) = lin.scaled(-1) {
        add_constraint(e, Rc::new(negated));
    }
    add_constraint(e, Rc::new(lin.clone()));
    // while its quotients are still quotients: as numbers they say nothing of their numerators
    close_constraints(e);
    for (i, (c, t)) in lin.iter().enumerate() {
        // c * t == -rest, so the rest is a multiple of c
        let Some(rest) = lin.without(i).scaled(-1) else { continue };
        if c.unsigned_abs() > 1 && c != i64::MIN {
            let residue = floor_mod(-i128::from(rest.constant), i128::from(c.abs())) as i64;
            let terms = rest.terms_only();
            assume_multiple(e, &terms, Congruence::new(c.abs(), residue))?;
            if let Some(id) = e.class_of(&terms)
                && assume_congruence(e, id, Congruence::new(c.abs(), residue))?
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

/// Whether that was news.
fn assume_congruence(e: &mut EGraph, id: Id, congruence: Congruence) -> Result<bool, Contradiction> {
    e.facts(id).congruence.meet(congruence).ok_or(Contradiction)?;
    Ok(e.sharpen(id, Interval::ALL, congruence))
}

/// What `c * t ≡ r (mod m)` says of `t`.
fn assume_multiple(e: &mut EGraph, lin: &LinearForm, value: Congruence) -> Result<(), Contradiction> {
    let &[c] = lin.coeffs() else { return Ok(()) };
    let (c, m, r) = (i128::from(c), i128::from(value.modulus()), i128::from(value.residue()));
    let g = gcd(c, m);
    let modulus = floor_div(m, g);
    // by trial: the moduli of index code are small
    if modulus > MAX_MODULUS {
        return Ok(());
    }
    // none when the factor's common part with the modulus does not divide the residue
    let x = (0..modulus).find(|x| floor_mod(c * x - r, m) == 0).ok_or(Contradiction)?;
    assume_congruence(e, lin.terms()[0], Congruence::new(modulus as i64, x as i64))?;
    Ok(())
}

/// Constraints for the ends of a range, which a congruence moved inwards.
fn add_ends(e: &mut EGraph, lin: &LinearForm, range: Interval) {
    let lower = range.lo().and_then(|l| lin.clone().plus_constant(l.checked_neg()?));
    let upper = range.hi().and_then(|h| lin.scaled(-1)?.plus_constant(h));
    lower.into_iter().chain(upper).for_each(|constraint| add_constraint(e, Rc::new(constraint)));
}

fn assume_not_zero(e: &mut EGraph, x: Id) {
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

/// Gives the terms of all constraints the ranges that follow.
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

/// Gives the terms of all constraints, and the sums there are, the ranges that follow.
pub(crate) fn settle_constraints(e: &mut EGraph) -> Result<(), Contradiction> {
    settle_terms(e)?;
    settle_quotients_beside(e);
    let mut sums: Vec<Id> = e.graph.classes().map(|c| c.id).collect();
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

/// Writes the constraints in classes as they are now.
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
        match e.expand(constraint) {
            Some(l) if *l != **constraint => {
                let l = Rc::new(l.into_owned());
                e.graph.analysis.constraints.push(l);
            }
            _ => e.graph.analysis.constraints.push(constraint.clone()),
        }
    }
}
