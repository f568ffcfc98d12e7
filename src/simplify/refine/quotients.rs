//! Quotients of one variable, put together as sums of few quotients.

use super::replacement::{Refined, Refinement, RefinementReason};
use crate::expr::{Dag, DagNode, Expr, Op, int};
use crate::quasi::{Canonical, FloorSum, Period};
use crate::simplify::candidate::Candidate;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The longest period of quotients that are put together: 64. Longer ones have many jumps, and hardly ever few terms.
const MAX_PERIOD: i128 = 64;
/// Larger expressions are left alone (nodes, shared ones counted once).
const MAX_NODES: usize = 1024;

/// Larger parts are left alone (nodes, each time they are used): with as many operations a period is hardly ever short, and to look at
/// all parts of a deep expression would take the square of its depth.
const MAX_PART: usize = 128;

/// What a node depends on, as far as it is built of sums, multiples and quotients by constants.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Depends {
    /// On nothing.
    Constant(i64),
    /// On one variable.
    One(Arc<str>),
    /// On more, or in another way.
    Other,
}

/// The expressions of `candidate` with fewer quotients: wherever terms of a sum are quasi-affine in one variable, these terms as the sum of
/// quotients that has fewest terms, if it has fewer. `None` when nothing changed.
///
/// Linear in the nodes where there are no two quotients; else the period, up to 64, times the nodes of each sum.
pub(in crate::simplify) fn fewer_quotients(candidate: &Candidate) -> Option<Refined> {
    let dag = Dag::new(&candidate.exprs);
    if quotients(&dag) < 2 || dag.nodes().len() > MAX_NODES {
        return None;
    }
    let depends = dependencies(&dag);
    let mut in_sum = vec![false; dag.nodes().len()];
    for (node, id) in dag.nodes().iter().zip(0..) {
        if is_sum(&dag, id, &depends) {
            node.args().iter().for_each(|a| in_sum[*a as usize] = true);
        }
    }
    let (mut new, mut steps): (Vec<Expr>, Vec<Refinement>) = (Vec::with_capacity(dag.nodes().len()), Vec::new());
    for (node, id) in dag.nodes().iter().zip(0..) {
        let whole = || dag.expr(id).cloned().unwrap_or_else(|| int(0));
        let sum = (is_sum(&dag, id, &depends) && !in_sum[id as usize])
            .then(|| in_few_terms(&dag, id, &depends, &new, &mut steps));
        new.push(match sum.flatten() {
            Some(sum) => sum,
            None if node.args().iter().all(|a| dag.expr(*a) == Some(&new[*a as usize])) => whole(),
            // the arity is that of the node it comes from
            None => Expr::try_new(node.op.clone(), node.args().iter().map(|a| new[*a as usize].clone()))
                .unwrap_or_else(|_| whole()),
        });
    }
    let exprs = dag.roots().iter().map(|r| new[*r as usize].clone()).collect();
    (!steps.is_empty()).then_some(Refined { exprs, steps })
}

/// How many different quotients there are: `x//8` and `x%8` are one, for the second is `x - x//8*8`.
fn quotients(dag: &Dag) -> usize {
    let divided = |n: &&DagNode| matches!(n.op, Op::FloorDiv | Op::FloorMod | Op::Shr);
    let operands: FxHashSet<&[u32]> = dag.nodes().iter().filter(divided).map(DagNode::args).collect();
    operands.len()
}

fn dependencies(dag: &Dag) -> Vec<Depends> {
    let mut all: Vec<Depends> = Vec::with_capacity(dag.nodes().len());
    for node in dag.nodes() {
        let mut args = node.args().iter().map(|a| all[*a as usize].clone());
        let depends = match (&node.op, args.next(), args.next()) {
            (Op::Const(c), ..) => Depends::Constant(*c),
            (Op::Var(name), ..) => Depends::One(name.clone()),
            (Op::Neg, Some(a), _) => a,
            (Op::Add | Op::Sub, Some(a), Some(b)) => match (a, b) {
                (Depends::Constant(_), b) => b,
                (a, Depends::Constant(_)) => a,
                (a, b) if a == b => a,
                _ => Depends::Other,
            },
            (Op::Mul, Some(Depends::Constant(_)), Some(b)) => b,
            (Op::Mul, Some(a), Some(Depends::Constant(_))) => a,
            (Op::FloorDiv | Op::FloorMod, Some(a), Some(Depends::Constant(1..))) => a,
            (Op::Shr | Op::Shl, Some(a), Some(Depends::Constant(0..=62))) => a,
            _ => Depends::Other,
        };
        // a constant that is no leaf has no value here, and is no part of a sum that is looked at
        let computed = matches!(depends, Depends::Constant(_)) && !node.args().is_empty();
        all.push(if computed { Depends::Other } else { depends });
    }
    all
}

/// Whether node `id` adds or multiplies by a constant, so that terms can be read through it.
fn is_sum(dag: &Dag, id: u32, depends: &[Depends]) -> bool {
    let node = &dag.nodes()[id as usize];
    let constant = |a: &u32| matches!(depends[*a as usize], Depends::Constant(_));
    match node.op {
        Op::Add | Op::Sub | Op::Neg => true,
        Op::Mul => node.args().iter().any(constant),
        _ => false,
    }
}

/// The sum at `id` with the terms of each variable as few quotients; `None` where no variable's terms become fewer. `new` has what is in
/// the place of each node before.
fn in_few_terms(dag: &Dag, id: u32, depends: &[Depends], new: &[Expr], steps: &mut Vec<Refinement>) -> Option<Expr> {
    let mut by_variable: BTreeMap<Arc<str>, Vec<(i64, u32)>> = BTreeMap::new();
    let mut others: Vec<(i64, u32)> = Vec::new();
    let mut todo = vec![(1_i64, id)];
    while let Some((factor, id)) = todo.pop() {
        let node = &dag.nodes()[id as usize];
        if !is_sum(dag, id, depends) {
            match &depends[id as usize] {
                Depends::One(name) => by_variable.entry(name.clone()).or_default().push((factor, id)),
                _ => others.push((factor, id)),
            }
            continue;
        }
        let scaled = |by: i64| factor.checked_mul(by);
        let [a, b, _] = node.args;
        match (&node.op, &depends[a as usize], &depends[b as usize]) {
            (Op::Add, ..) => todo.extend([(factor, b), (factor, a)]),
            (Op::Sub, ..) => todo.extend([(scaled(-1)?, b), (factor, a)]),
            (Op::Neg, ..) => todo.push((scaled(-1)?, a)),
            (_, _, Depends::Constant(c)) => todo.push((scaled(*c)?, a)),
            (_, Depends::Constant(c), _) => todo.push((scaled(*c)?, b)),
            _ => return None,
        }
        // what is shared a lot is no sum of few terms
        if todo.len() + others.len() > MAX_NODES {
            return None;
        }
    }
    let known = steps.len();
    let mut sum: Option<Expr> = None;
    let mut add = |term: Expr| sum = Some(sum.take().map_or(term.clone(), |sum| sum + term));
    let term = |factor: i64, e: &Expr| if factor == 1 { e.clone() } else { e * int(factor) };
    others.iter().for_each(|(factor, id)| add(term(*factor, &new[*id as usize])));
    for (name, terms) in by_variable {
        let written = |of: &dyn Fn(u32) -> Option<Expr>| -> Option<Expr> {
            let all = terms.iter().map(|(factor, id)| Some(term(*factor, &of(*id)?)));
            all.collect::<Option<Vec<Expr>>>()?.into_iter().reduce(|a, b| a + b)
        };
        let before = written(&|id| dag.expr(id).cloned())?;
        match few(&before, &name) {
            Some(after) => {
                let (reason, conditions) = (RefinementReason::FewestTerms, Vec::new());
                steps.push(Refinement { reason, conditions, before, after: after.clone() });
                add(after);
            }
            None => add(written(&|id| new.get(id as usize).cloned())?),
        }
    }
    if steps.len() > known { sum } else { None }
}

/// `e`, a function of `variable`, with fewer quotients; `None` where there is no such form.
fn few(e: &Expr, variable: &str) -> Option<Expr> {
    if !is_small(e) {
        return None;
    }
    let dag = Dag::new(std::slice::from_ref(e));
    let quotients = quotients(&dag);
    if quotients < 2 || Period::of(e, variable)?.length > MAX_PERIOD {
        return None;
    }
    let sum = FloorSum::along_chains(&Canonical::of(e, variable).ok()?)?;
    let terms = sum.terms().iter().filter(|t| t.divisor > 1).count();
    if terms < quotients { sum.to_expr(variable) } else { None }
}

/// Whether `e` has [`MAX_PART`] nodes at most; looks at no more of them.
fn is_small(e: &Expr) -> bool {
    let mut left = vec![e];
    for _ in 0..MAX_PART {
        let Some(e) = left.pop() else { return true };
        left.extend(e.args());
    }
    left.is_empty()
}
