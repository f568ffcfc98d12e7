//! From a selection back to expressions.
//!
//! What goes in are an and-or graph and the candidate chosen for each place; what comes out are expressions that share what the
//! selection shares, with the ranges of their parts.

use crate::cost::Cost;
use crate::domain::Interval;
use crate::egraph::extract::local_search::Selection;
use crate::egraph::extract::operations::{AndOrGraph, Write, cost_of};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::language::price::{Sides, sides};
use crate::egraph::normal::graph::EGraph;
use crate::expr::{Expr, Op, int};
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// An expression and what is known of its sub-expressions.
pub(crate) struct Rebuilt {
    pub(crate) roots: Vec<Expr>,
    /// Ranges by [`Expr::address`].
    pub(crate) ranges: FxHashMap<usize, Interval>,
    /// The classes that were written.
    pub(crate) classes: Vec<Written>,
    /// Whether 32 bits hold every value, those on the way to sums included; found without looking closely.
    pub(crate) narrow: bool,
    /// What it costs if nothing is shared: no text of it costs more as long as it is narrow and there are no loops.
    pub(crate) unshared: Cost,
}

/// A class that was written, and as which of its sums, where it was as one.
pub(crate) struct Written {
    pub(crate) class: Id,
    pub(crate) sum: Option<Rc<LinearForm>>,
}

/// What an operation is written on.
type Operands = SmallVec<[Expr; 4]>;

/// Writes the chosen candidates as expressions that share what the selection shares. `None` when the selection has a cycle.
pub(crate) fn rebuild(e: &EGraph, p: &AndOrGraph, s: &Selection, variables: &[Expr]) -> Option<Rebuilt> {
    let mut done: Vec<Option<Expr>> = vec![None; p.candidates.len()];
    let mut unshared = vec![0u64; p.candidates.len()];
    let mut open = vec![false; p.candidates.len()];
    let (mut classes, mut narrow) = (Vec::with_capacity(p.places.len()), true);
    let mut stack = Vec::with_capacity(p.places.len());
    let mut ranges = FxHashMap::with_capacity_and_hasher(p.places.len(), Default::default());
    for &root in &p.roots {
        stack.push(s.chosen[root as usize]);
        while let Some(&o) = stack.last() {
            let candidate = p.candidates.get(o as usize)?;
            if done[o as usize].is_some() {
                stack.pop();
                continue;
            }
            let operands = || candidate.operands.iter().map(|&place| s.chosen[place as usize]);
            let is_missing = |&c: &u32| c == u32::MAX || done[c as usize].is_none();
            if operands().any(|c| is_missing(&c)) {
                if open[o as usize] {
                    return None;
                }
                open[o as usize] = true;
                stack.extend(operands().rev().filter(is_missing));
                continue;
            }
            let exprs: Operands = operands().map(|c| done[c as usize].clone()).collect::<Option<_>>()?;
            let expr = write(e, &candidate.write, exprs, variables);
            if !matches!(candidate.write, Write::Side(_) | Write::Part) {
                ranges.insert(expr.address(), e.facts(candidate.class).interval);
            }
            if let Write::QuotientOfSum(_, range, _) = &candidate.write {
                // the price of the quotient depends on it, and no class of what was written may say it
                ranges.insert(expr.args()[0].address(), *range);
            }
            narrow &= is_narrow(e, candidate.class, &candidate.write);
            unshared[o as usize] = operands().map(|c| unshared[c as usize]).fold(p.price_alone(o), u64::saturating_add);
            let sum = match &candidate.write {
                Write::Sum(lin) => Some(lin.clone()),
                _ => None,
            };
            classes.push(Written { class: candidate.class, sum });
            done[o as usize] = Some(expr);
            stack.pop();
        }
    }
    let roots = p.roots.iter().map(|&r| done[s.chosen[r as usize] as usize].clone()).collect::<Option<_>>()?;
    let trees = p.roots.iter().map(|&r| unshared[s.chosen[r as usize] as usize]);
    let unshared = cost_of(trees.fold(0, u64::saturating_add));
    Some(Rebuilt { roots, ranges, classes, narrow, unshared })
}

/// Whether 32 bits hold the values of `class` and all that is computed for `what`, sums in any order.
fn is_narrow(e: &EGraph, class: Id, what: &Write) -> bool {
    let most = i128::from(i32::MAX);
    let largest = |i: Interval| i.bounded().map(|(lo, hi)| i128::from(lo).abs().max(i128::from(hi).abs()));
    let sum = |lin: &LinearForm| {
        lin.iter().try_fold(i128::from(lin.constant).abs(), |sum, (c, t)| {
            Some(sum + i128::from(c).abs() * largest(e.facts(t).interval).filter(|l| *l <= most)?)
        })
    };
    let parts = match what {
        Write::Sum(lin)
        | Write::Side(lin)
        | Write::QuotientOfSum(lin, ..)
        | Write::Compare { lin, .. }
        | Write::CompareHoisted { lin, .. } => sum(lin),
        Write::CompareSide { .. } => None,
        // what it is made of is not looked at
        Write::Variable(v) if e.is_opaque(*v) => None,
        _ => Some(0),
    };
    parts.is_some_and(|p| p <= most) && largest(e.facts(class).interval).is_some_and(|l| l <= most)
}

/// What `what` writes on the operands `x`.
pub(crate) fn write(e: &EGraph, what: &Write, mut x: Operands, variables: &[Expr]) -> Expr {
    let chain =
        |op: Op, x: Operands| x.into_iter().reduce(|a, b| Expr::new(op.clone(), [a, b])).unwrap_or_else(|| int(0));
    match what {
        Write::Constant(c) => int(*c),
        Write::Variable(v) => variables[*v as usize].clone(),
        Write::Sum(lin) => {
            let range = |t: Id| e.facts(t).interval;
            let items = lin.iter().zip(x).map(|((c, t), x)| (c, x, range(t).scaled(c))).collect();
            sum(lin.constant, items)
        }
        Write::Side(lin) => {
            let range = |t: Id| e.facts(t).interval;
            sum(0, lin.iter().zip(x).map(|((c, t), x)| (c, x, range(t).scaled(c))).collect())
        }
        Write::Part => int(0),
        Write::QuotientOfSum(lin, _, divisor) => {
            let range = |t: Id| e.facts(t).interval;
            let sum = sum(lin.constant, lin.iter().zip(x).map(|((c, t), x)| (c, x, range(t).scaled(c))).collect());
            sum.floor_div(int(*divisor))
        }
        Write::CompareSide { constant, flipped, relation } => compare_side(*constant, *flipped, *relation, x.remove(0)),
        Write::Compare { lin, relation: Relation::Zero } if lin.as_atom().is_some_and(|a| e.is_condition(a)) => {
            Expr::new(Op::Not, [x.remove(0)])
        }
        Write::Compare { lin, relation } => compare(e, lin, *relation, x),
        Write::CompareHoisted { lin, relation, left } => {
            compare_hoisted(e, lin, *relation, left, &x).unwrap_or_else(|| compare(e, lin, *relation, x))
        }
        Write::Node(node) => {
            // sums, comparisons and leaves have candidates of their own
            let Some(op) = node.op() else { return int(0) };
            match node {
                Node::Product(_) | Node::And(_) | Node::Or(_) => chain(op, x),
                Node::Not(_) => negation(x.remove(0)),
                // a number that is not 0 selects as it stands
                Node::Select(_) if x[0].op() == &Op::Not => {
                    let number = x[0].args()[0].clone();
                    Expr::new(Op::Select, [number, x[2].clone(), x[1].clone()])
                }
                _ => Expr::new(op, x),
            }
        }
    }
}

/// `not inner`, without a second negation and without one of an equality.
fn negation(inner: Expr) -> Expr {
    match inner.op() {
        Op::Eq => Expr::new(Op::Ne, inner.args().to_vec()),
        Op::Not => Expr::new(Op::Ne, [inner.args()[0].clone(), int(0)]),
        _ => Expr::new(Op::Not, [inner]),
    }
}

fn scaled(c: i64, x: Expr) -> Expr {
    if c == 1 { x } else { x * c }
}

/// A term of a sum on its way to text: coefficient, operand, range of the product.
type Item = (i64, Expr, Interval);

/// Up to so many terms, each next one is found by looking at all that are left.
const MAX_COMPARED_TERMS: usize = 64;

/// Always the term that keeps the prefix nearest to zero. Takes the square of the number of terms.
fn nearest_to_zero(mut left: Vec<Item>) -> Vec<Item> {
    let mut items = Vec::with_capacity(left.len());
    let mut so_far = Interval::point(0);
    while !left.is_empty() {
        let reach = |i: Interval| i.bounded().map_or(i128::MAX, |(l, h)| (l as i128).abs().max((h as i128).abs()));
        let next = (0..left.len()).min_by_key(|&i| reach(so_far.plus(left[i].2))).unwrap_or(0);
        so_far = so_far.plus(left[next].2);
        items.push(left.remove(next));
    }
    items
}

/// Terms that are mostly negative after prefixes that are mostly positive, and the other way round, small ones first.
fn balanced(items: Vec<Item>) -> Vec<Item> {
    // twice the middle of a range; one that is open on a side is beyond all others there
    let middle = |i: Interval| {
        let end = |end: Option<i64>, open: i128| end.map_or(open, i128::from);
        end(i.lo(), -1 << 65) + end(i.hi(), 1 << 65)
    };
    let (mut rising, mut falling): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|t| middle(t.2) >= 0);
    // the next one last; terms of the same size keep their order
    for side in [&mut rising, &mut falling] {
        side.reverse();
        side.sort_by_key(|t| std::cmp::Reverse(middle(t.2).abs()));
    }
    let mut out = Vec::with_capacity(rising.len() + falling.len());
    let mut so_far = 0i128;
    loop {
        let next =
            if so_far > 0 { falling.pop().or_else(|| rising.pop()) } else { rising.pop().or_else(|| falling.pop()) };
        let Some(next) = next else { return out };
        so_far = so_far.saturating_add(middle(next.2));
        out.push(next);
    }
}

/// `Σ items + constant`, written so that no prefix leaves 32 bits when some order allows that: ids in order with a
/// positive term first, or, where that overflows, always the term that keeps the prefix nearest to zero.
fn sum(constant: i64, mut items: Vec<Item>) -> Expr {
    if let Some(i) = items.iter().position(|t| t.0 > 0) {
        items[..=i].rotate_right(1);
    }
    if constant != 0 {
        items.push((constant, int(1), Interval::point(constant)));
    }
    if !fits(&items) {
        items = if items.len() <= MAX_COMPARED_TERMS { nearest_to_zero(items) } else { balanced(items) };
    }
    let is_constant = |x: &Expr| x.as_const() == Some(1);
    let mut out: Option<Expr> = None;
    for (c, x, _) in items {
        out = Some(match out {
            None if is_constant(&x) => int(c),
            None if c == -1 => -x,
            None => scaled(c, x),
            Some(s) if is_constant(&x) => match c.checked_neg() {
                Some(m) if c < 0 => s - m,
                _ => s + c,
            },
            Some(s) => match c.checked_neg() {
                Some(m) if c < 0 => s - scaled(m, x),
                _ => s + scaled(c, x),
            },
        });
    }
    out.unwrap_or_else(|| int(0))
}

fn fits(items: &[Item]) -> bool {
    let mut prefix = Interval::point(0);
    items.iter().all(|t| {
        prefix = prefix.plus(t.2);
        prefix.within(i32::MIN as i128, i32::MAX as i128)
    })
}

/// `side + k`, or `k - side` when flipped, compared with 0; `k` is not `i64::MIN`.
fn compare_side(k: i64, flipped: bool, relation: Relation, side: Expr) -> Expr {
    match (relation, flipped, k.checked_add(1)) {
        (Relation::Zero, false, _) => Expr::new(Op::Eq, [side, int(-k)]),
        (Relation::Zero, true, _) => Expr::new(Op::Eq, [side, int(k)]),
        (Relation::NonNegative, false, _) => Expr::new(Op::Ge, [side, int(-k)]),
        (Relation::NonNegative, true, Some(above)) => Expr::new(Op::Lt, [side, int(above)]),
        (Relation::NonNegative, true, None) => Expr::new(Op::Le, [side, int(k)]),
    }
}

/// `lin` compared with 0, the terms `left` on the left and the rest on the right; `None` where a number cannot be negated.
fn compare_hoisted(e: &EGraph, lin: &LinearForm, relation: Relation, left: &[bool], x: &[Expr]) -> Option<Expr> {
    let mut sides: [Vec<Item>; 2] = [Vec::new(), Vec::new()];
    let flipped = lin.iter().zip(left).filter(|(_, left)| **left).all(|((c, _), _)| c < 0);
    for (((c, t), x), &left) in lin.iter().zip(x).zip(left) {
        let c = if left == flipped { c.checked_neg()? } else { c };
        sides[usize::from(!left)].push((c, x.clone(), e.facts(t).interval.scaled(c)));
    }
    let [left, right] = sides;
    // L + R + k >= 0 is L >= -R - k, and -L <= R + k where it is flipped; strict where that saves the constant
    let k = if flipped { lin.constant } else { lin.constant.checked_neg()? };
    let left = sum(0, left);
    Some(match (relation, flipped) {
        (Relation::Zero, _) => Expr::new(Op::Eq, [left, sum(k, right)]),
        (Relation::NonNegative, false) if k == 1 => Expr::new(Op::Gt, [left, sum(0, right)]),
        (Relation::NonNegative, false) => Expr::new(Op::Ge, [left, sum(k, right)]),
        (Relation::NonNegative, true) if k == -1 => Expr::new(Op::Lt, [left, sum(0, right)]),
        (Relation::NonNegative, true) => Expr::new(Op::Le, [left, sum(k, right)]),
    })
}

/// `lin` compared with 0, written on the two sides that [`sides`] finds.
fn compare(e: &EGraph, lin: &LinearForm, relation: Relation, x: Operands) -> Expr {
    let Sides { right, constant_left } = sides(lin, relation);
    let mut terms: [Vec<Item>; 2] = [Vec::new(), Vec::new()];
    for (((c, t), x), right) in lin.iter().zip(x).zip(right) {
        let c = if right { -c } else { c };
        terms[usize::from(right)].push((c, x, e.facts(t).interval.scaled(c)));
    }
    let [left, right] = terms;
    let k = lin.constant;
    if left.is_empty() {
        // -N + k >= 0: N < k + 1
        return match (relation, k.checked_add(1)) {
            (Relation::NonNegative, Some(bound)) => Expr::new(Op::Lt, [sum(0, right), int(bound)]),
            (Relation::NonNegative, None) => Expr::new(Op::Le, [sum(0, right), int(k)]),
            (Relation::Zero, _) => Expr::new(Op::Eq, [sum(0, right), int(k)]),
        };
    }
    // `x + 3 < n` and not `n >= x + 4`: the smaller constant is that of the last index, which is often there anyway
    if let Some(k) = k.checked_add(1).filter(|_| k < 0 && relation == Relation::NonNegative && !right.is_empty()) {
        let (left_constant, right_constant) = if constant_left { (k, 0) } else { (0, -k) };
        return Expr::new(Op::Lt, [sum(right_constant, right), sum(left_constant, left)]);
    }
    let op = if relation == Relation::Zero { Op::Eq } else { Op::Ge };
    match k.checked_neg().filter(|_| !constant_left) {
        Some(other_side) => Expr::new(op, [sum(0, left), sum(other_side, right)]),
        None => Expr::new(op, [sum(k, left), sum(0, right)]),
    }
}
