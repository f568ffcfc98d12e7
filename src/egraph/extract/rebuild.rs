//! Converts a selection to expressions.
//!
//! The input is an and-or graph and the candidate chosen for each place. The output is expressions with the ranges of
//! their parts. Parts that the selection shares are shared in the expressions.

use crate::domain::Interval;
use crate::egraph::extract::comparisons::Comparison;
use crate::egraph::extract::local_search::Selection;
use crate::egraph::extract::operations::{AndOrGraph, Write};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::normal::graph::EGraph;
use crate::expr::sum::written;
use crate::expr::{Expr, Op, int};
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Expressions, and facts about their sub-expressions.
pub(crate) struct Rebuilt {
    pub(crate) roots: Vec<Expr>,
    /// Ranges by [`Expr::address`].
    pub(crate) ranges: FxHashMap<usize, Interval>,
    /// The classes that were written.
    pub(crate) classes: Vec<Written>,
    /// Whether a simple bound shows that 32 bits hold every value and every partial sum. A more precise check may prove
    /// this although it is false here.
    pub(crate) narrow: bool,
    /// Whether the text costs as much as the selection, if there are no loops. The text may cost more if values need 64
    /// bits. It may cost more or less if several operations are fused.
    pub(crate) is_exact: bool,
}

/// A class that occurs in the expressions. If its candidate is a sum, `sum` is that sum.
pub(crate) struct Written {
    pub(crate) class: Id,
    pub(crate) sum: Option<Rc<LinearForm>>,
}

/// The operands of an operation as expressions.
type Operands = SmallVec<[Expr; 4]>;

/// Writes the chosen candidates as expressions. Shared candidates become shared sub-expressions. `None` if the
/// selection has a cycle.
pub(crate) fn rebuild(e: &EGraph, p: &AndOrGraph, s: &Selection, variables: &[Expr]) -> Option<Rebuilt> {
    let mut done: Vec<Option<Expr>> = vec![None; p.choices.candidates.len()];
    let mut open = vec![false; p.choices.candidates.len()];
    let (mut classes, mut narrow) = (Vec::with_capacity(p.choices.places.len()), true);
    let mut is_fused = false;
    let mut stack = Vec::with_capacity(p.choices.places.len());
    let mut ranges = FxHashMap::with_capacity_and_hasher(p.choices.places.len(), Default::default());
    for &root in &p.choices.roots {
        stack.push(s.chosen[root as usize]);
        while let Some(&o) = stack.last() {
            let candidate = p.choices.candidates.get(o as usize)?;
            let (class, what) = p.writes.get(o as usize)?;
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
            let expr = write(e, what, exprs, variables);
            if !matches!(what, Write::Side(_) | Write::Part) {
                ranges.insert(expr.address(), e.facts(*class).interval);
            }
            if let Write::QuotientOfSum(_, range, _) = what {
                // the price of the quotient depends on this range, and no written class may have it
                ranges.insert(expr.args()[0].address(), *range);
            }
            narrow &= is_narrow(e, *class, what);
            is_fused |= matches!(what, Write::ClearedBits(_) | Write::QuotientOfSum(..));
            let sum = match what {
                Write::Sum(lin) => Some(lin.clone()),
                _ => None,
            };
            classes.push(Written { class: *class, sum });
            done[o as usize] = Some(expr);
            stack.pop();
        }
    }
    let roots = p.choices.roots.iter().map(|&r| done[s.chosen[r as usize] as usize].clone()).collect::<Option<_>>()?;
    Some(Rebuilt { roots, ranges, classes, narrow, is_exact: narrow && !is_fused })
}

/// Whether 32 bits hold the values of `class` and all intermediate values of `what`. Sums must fit in any order of
/// their terms.
fn is_narrow(e: &EGraph, class: Id, what: &Write) -> bool {
    let most = i128::from(i32::MAX);
    let largest = |i: Interval| i.bounded().map(|(lo, hi)| i128::from(lo).abs().max(i128::from(hi).abs()));
    let sum = |lin: &LinearForm| {
        lin.iter().try_fold(i128::from(lin.constant).abs(), |sum, (c, t)| {
            Some(sum + i128::from(c).abs() * largest(e.facts(t).interval).filter(|l| *l <= most)?)
        })
    };
    let parts = match what {
        Write::Sum(lin) | Write::Side(lin) | Write::QuotientOfSum(lin, ..) => sum(lin),
        Write::Compare(_, constants) => constants.iter().flatten().map(|&c| i128::from(c).abs()).max().or(Some(0)),
        // the parts of an opaque sub-expression are not checked
        Write::Variable(v) if e.is_opaque(*v) => None,
        _ => Some(0),
    };
    parts.is_some_and(|p| p <= most) && largest(e.facts(class).interval).is_some_and(|l| l <= most)
}

/// The expression that `what` writes with the operands `x`.
pub(crate) fn write(e: &EGraph, what: &Write, mut x: Operands, variables: &[Expr]) -> Expr {
    let chain =
        |op: Op, x: Operands| x.into_iter().reduce(|a, b| Expr::new(op.clone(), [a, b])).unwrap_or_else(|| int(0));
    match what {
        Write::Constant(c) => int(*c),
        Write::Variable(v) => variables[*v as usize].clone(),
        Write::Sum(lin) | Write::Side(lin) => {
            let range = |t: Id| e.facts(t).interval;
            let items = lin.iter().zip(x).map(|((c, t), x)| (c, x, range(t).scaled(c))).collect();
            sum(lin.constant, items)
        }
        Write::Part => int(0),
        Write::QuotientOfSum(lin, _, divisor) => {
            let range = |t: Id| e.facts(t).interval;
            let sum = sum(lin.constant, lin.iter().zip(x).map(|((c, t), x)| (c, x, range(t).scaled(c))).collect());
            sum.floor_div(int(*divisor))
        }
        Write::Compare(op, constants) => {
            let mut x = x.into_iter();
            let sides = constants.iter().map(|constant| constant.map(int).or_else(|| x.next()));
            Expr::new(op.clone(), sides.flatten().collect::<Operands>())
        }
        Write::Node(node) | Write::ClearedBits(node) => {
            // sums, comparisons and leaves are written by other variants of `Write`
            let Some(op) = node.op() else { return int(0) };
            match node {
                Node::Product(_) | Node::And(_) | Node::Or(_) => chain(op, x),
                Node::Not(_) => negation(x.remove(0)),
                // a selection by `not number` becomes a selection by the number with swapped branches
                Node::Select(_) if x[0].op() == &Op::Not => {
                    let number = x[0].args()[0].clone();
                    Expr::new(Op::Select, [number, x[2].clone(), x[1].clone()])
                }
                _ => Expr::new(op, x),
            }
        }
    }
}

/// The negation of `inner`. A negated equality or negation becomes `!=`.
fn negation(inner: Expr) -> Expr {
    match inner.op() {
        Op::Eq => Expr::new(Op::Ne, inner.args().to_vec()),
        Op::Not => Expr::new(Op::Ne, [inner.args()[0].clone(), int(0)]),
        _ => Expr::new(Op::Not, [inner]),
    }
}

/// A term of a sum that is being written: coefficient, operand, range of the product.
type Item = (i64, Expr, Interval);

/// Up to this many terms, the next term is found by comparing all remaining terms.
const MAX_COMPARED_TERMS: usize = 64;

/// Orders the terms so that each next term keeps the prefix nearest to zero. The time is quadratic in the number of
/// terms.
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

/// Orders the terms so that mostly negative terms follow prefixes that are mostly positive, and vice versa. Small terms
/// come first.
fn balanced(items: Vec<Item>) -> Vec<Item> {
    // twice the middle of a range. An open end counts as beyond all other ends
    let middle = |i: Interval| {
        let end = |end: Option<i64>, open: i128| end.map_or(open, i128::from);
        end(i.lo(), -1 << 65) + end(i.hi(), 1 << 65)
    };
    let (mut rising, mut falling): (Vec<Item>, Vec<Item>) = items.into_iter().partition(|t| middle(t.2) >= 0);
    // the next term is last in its list. Terms of the same size keep their order
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

/// `Σ items + constant`, in an order in which every prefix fits in 32 bits, if one is found. The first order tried
/// begins with a positive term and is otherwise by ids. If a prefix overflows in this order, the next term is always
/// the one that keeps the prefix nearest to zero.
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
    written(items.into_iter().map(|(c, x, _)| (x, c)))
}

fn fits(items: &[Item]) -> bool {
    let mut prefix = Interval::point(0);
    items.iter().all(|t| {
        prefix = prefix.plus(t.2);
        prefix.fits_i32()
    })
}

/// The comparison of `lin` with 0, where the terms of `lin` are written as `x`.
pub(crate) fn write_comparison(e: &EGraph, lin: &LinearForm, relation: Relation, x: &[Expr]) -> Expr {
    let Comparison { op, left, right } = Comparison::by_sign(lin, relation);
    let written = |side: &LinearForm| {
        let terms = lin.terms().iter().zip(x).map(|(&t, x)| (side.coeff(t), t, x));
        let items = terms.filter(|(c, ..)| *c != 0).map(|(c, t, x)| (c, x.clone(), e.facts(t).interval.scaled(c)));
        sum(side.constant, items.collect())
    };
    Expr::new(op, [written(&left), written(&right)])
}
