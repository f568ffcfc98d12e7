//! Quotients of one variable, put together as one digit or a sum of few quotients.

use super::replacement::{Refined, Refinement, RefinementReason};
use crate::expr::substitute::substituted;
use crate::expr::{Dag, DagNode, Expr, Op, int};
use crate::quasi::{Canonical, Digit, FloorSum, Period, quotient};
use crate::simplify::candidate::Candidate;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The longest period of quotients that are put together: 64. Longer ones have many jumps, and hardly ever few terms.
const MAX_PERIOD: i128 = 64;
/// Larger expressions are left alone (nodes, shared ones counted once).
const MAX_NODES: usize = 1024;

/// Larger parts are left alone (nodes, each time they are used): with as many operations a period is hardly ever short, and to look at
/// all parts of a deep expression would take the square of its depth.
const MAX_PART: usize = 128;

/// What a node depends on, as far as it is built of sums, multiples and quotients by constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depends<'a> {
    /// On nothing.
    Constant(i64),
    /// On one variable.
    One(&'a str),
    /// On more, or in another way.
    Other,
}

/// The expressions of `candidate` with fewer quotients: wherever terms of a sum are quasi-affine in one variable, these terms as one digit, or
/// as the sum of quotients that has fewest terms, if it has fewer. `None` when nothing changed.
///
/// Linear in the nodes where there are no two quotients; else the period, up to 64, times the nodes of each sum.
pub(in crate::simplify) fn fewer_quotients(candidate: &Candidate) -> Option<Refined> {
    if !may_have_two_of_one_variable(&candidate.exprs) {
        return None;
    }
    let dag = candidate.dag();
    if dag.nodes().len() > MAX_NODES {
        return None;
    }
    let depends = dependencies(dag);
    let mut in_sum = vec![false; dag.nodes().len()];
    for (node, id) in dag.nodes().iter().zip(0..) {
        if is_sum(dag, id, &depends) {
            node.args().iter().for_each(|a| in_sum[*a as usize] = true);
        }
    }
    let (mut new, mut steps): (Vec<Expr>, Vec<Refinement>) = (Vec::with_capacity(dag.nodes().len()), Vec::new());
    for (node, id) in dag.nodes().iter().zip(0..) {
        let whole = || dag.expr(id).cloned().unwrap_or_else(|| int(0));
        let sum = (is_sum(dag, id, &depends) && !in_sum[id as usize])
            .then(|| in_few_terms(dag, id, &depends, &new, &mut steps));
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
    let operands: FxHashSet<&[u32]> = dag.nodes().iter().filter(|n| is_quotient(&n.op)).map(DagNode::args).collect();
    operands.len()
}

fn is_quotient(op: &Op) -> bool {
    matches!(op, Op::FloorDiv | Op::FloorMod | Op::Shr)
}

/// Whether two different quotients may be functions of one variable. As far as [`MAX_PART`] nodes, by the expressions as trees: to make
/// a DAG takes several times as long.
fn may_have_two_of_one_variable(exprs: &[Expr]) -> bool {
    let (mut quotients, mut left) = (Vec::new(), MAX_PART);
    let seen = exprs.iter().all(|e| depends_of_tree(e, &mut quotients, &mut left).is_some());
    let two = |(i, (a, x)): (usize, &(&str, &[Expr]))| quotients[..i].iter().any(|(b, y)| a == b && x != y);
    !seen || quotients.iter().enumerate().any(two)
}

/// What `e` depends on; adds its quotients of one variable to `quotients`. `None` when there are no nodes `left`, which bounds the depth.
fn depends_of_tree<'a>(
    e: &'a Expr,
    quotients: &mut Vec<(&'a str, &'a [Expr])>,
    left: &mut usize,
) -> Option<Depends<'a>> {
    *left = left.checked_sub(1)?;
    let mut args = [None; 3];
    for (i, arg) in e.args().iter().enumerate() {
        args[i] = Some(depends_of_tree(arg, quotients, left)?);
    }
    let depends = depends_of(e.op(), args);
    if let (true, Depends::One(name)) = (is_quotient(e.op()), depends) {
        quotients.push((name, e.args()));
    }
    Some(depends)
}

fn dependencies(dag: &Dag) -> Vec<Depends<'_>> {
    let mut all: Vec<Depends<'_>> = Vec::with_capacity(dag.nodes().len());
    for node in dag.nodes() {
        let mut args = [None; 3];
        args.iter_mut().zip(node.args()).for_each(|(to, a)| *to = Some(all[*a as usize]));
        all.push(depends_of(&node.op, args));
    }
    all
}

/// What an operation depends on.
fn depends_of<'a>(op: &'a Op, args: [Option<Depends<'a>>; 3]) -> Depends<'a> {
    let depends = match (op, args[0], args[1]) {
        (Op::Const(c), ..) => return Depends::Constant(*c),
        (Op::Var(name), ..) => Depends::One(name),
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
    if matches!(depends, Depends::Constant(_)) { Depends::Other } else { depends }
}

/// Whether node `id` adds or multiplies by a constant, so that terms can be read through it.
fn is_sum(dag: &Dag, id: u32, depends: &[Depends<'_>]) -> bool {
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
fn in_few_terms(
    dag: &Dag,
    id: u32,
    depends: &[Depends<'_>],
    new: &[Expr],
    steps: &mut Vec<Refinement>,
) -> Option<Expr> {
    let mut by_variable: BTreeMap<&str, Vec<(i64, u32)>> = BTreeMap::new();
    let mut others: Vec<(i64, u32)> = Vec::new();
    let mut todo = vec![(1_i64, id)];
    while let Some((factor, id)) = todo.pop() {
        let node = &dag.nodes()[id as usize];
        if !is_sum(dag, id, depends) {
            match &depends[id as usize] {
                Depends::One(name) => by_variable.entry(name).or_default().push((factor, id)),
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
    if !by_variable.values().any(|terms| has_two_quotients(dag, terms)) {
        return None;
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
        match few(&before, name, terms.len()) {
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

/// Whether there are two different quotients in `terms`.
fn has_two_quotients(dag: &Dag, terms: &[(i64, u32)]) -> bool {
    let mut first: Option<&[u32]> = None;
    let mut todo: Vec<u32> = terms.iter().map(|(_, id)| *id).collect();
    for _ in 0..MAX_PART {
        let Some(id) = todo.pop() else { return false };
        let node = &dag.nodes()[id as usize];
        if is_quotient(&node.op) && *first.get_or_insert(node.args()) != node.args() {
            return true;
        }
        todo.extend(node.args());
    }
    // larger parts are not looked through
    true
}

/// `e`, a function of `variable` and a sum of `terms` terms, as one digit or with fewer quotients; `None` where there is no such form.
fn few(e: &Expr, variable: &str, terms: usize) -> Option<Expr> {
    if !is_small(e) {
        return None;
    }
    let dag = Dag::new(std::slice::from_ref(e));
    let quotients = quotients(&dag);
    if quotients < 2 || Period::of(e, variable)?.length > MAX_PERIOD {
        return None;
    }
    let canonical = Canonical::of(e, variable).ok()?;
    let direct = few_of(&canonical, variable, quotients, terms);
    // A single term may be such a form already. The quotient that the form is a function of does not count: whether it pays, the price says.
    let in_steps = canonical.in_steps().filter(|_| terms > 1).and_then(|(table, start, step)| {
        let (count, form) = few_of(&table, variable, quotients, terms)?;
        Some((count, substituted(&form, variable, &quotient(variable, 1, -start, step)?)))
    });
    let (count, form) = direct.into_iter().chain(in_steps).min_by_key(|(count, _)| *count)?;
    (count < quotients).then_some(form)
}

/// A form of the function with few quotients, and how many they are. A digit counts as one; it is tried for sums of several `terms` only.
fn few_of(canonical: &Canonical, variable: &str, quotients: usize, terms: usize) -> Option<(usize, Expr)> {
    if let Some(digit) = Digit::of(canonical).filter(|_| terms > 1) {
        return Some((1, digit.to_expr(variable)?));
    }
    // each term along a chain gives some jumps one more value
    let values: FxHashSet<i128> = canonical.jumps().iter().copied().collect();
    if values.len() > quotients {
        return None;
    }
    let sum = FloorSum::along_chains(canonical)?;
    let count = sum.terms().iter().filter(|t| t.divisor > 1).count();
    Some((count, sum.to_expr(variable)?))
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

#[cfg(test)]
mod tests {
    use super::few;
    use crate::expr::Expr;

    fn of(text: &str, terms: usize) -> Option<String> {
        few(&text.parse::<Expr>().expect(text), "x", terms).map(|e| e.to_string())
    }

    #[test]
    fn sums_become_digits_and_fewer_quotients() {
        for (text, few) in [
            ("x//3*3 + (x*2 + 2001)%3", "x*2 - (x + 1)//3*3"),
            ("x*2//5*5 - x//10*20", "x*2//5%4*5"),
            ("(x - 4)//20*-3 - (x - 12)//20*3", "x//4*-2//5*3 + 6"),
        ] {
            assert_eq!(of(text, 2).as_deref(), Some(few), "{text}");
        }
    }

    #[test]
    fn one_term_is_a_digit_or_made_of_steps_already() {
        for text in ["x*2//5%4", "x//4*-2//5*3", "x%8%3"] {
            assert_eq!(of(text, 1), None, "{text}");
        }
    }

    #[test]
    fn long_periods_and_single_quotients_are_left_alone() {
        for text in ["x//8 + x", "x//65 + (x + 1)//65 - x//3"] {
            assert_eq!(of(text, 2), None, "{text}");
        }
    }
}
