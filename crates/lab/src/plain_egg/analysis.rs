//! The facts of plain egg about an e-class: the value if it is constant, and an interval if ranges are used.

use super::language::{Math, op};
use egg::{Analysis, DidMerge, EGraph, Id, Symbol};
use quaff::domain::{Interval, interval_of_op};
use quaff::integer::{floor_div, floor_mod};
use rustc_hash::FxHashMap;

/// Selects the facts that are known about a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facts {
    /// Only the values of classes that are constants.
    None,
    /// Also an interval for each class.
    Ranges,
}

/// The intervals of variables. They are empty if ranges are not used.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    of: FxHashMap<Symbol, Interval>,
    are_taken: bool,
}

impl Ranges {
    pub(super) fn of(known: impl Iterator<Item = (Symbol, Interval)>) -> Ranges {
        Ranges { of: known.collect(), are_taken: true }
    }
}

/// The analysis of plain egg.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(super) ranges: Ranges,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Data {
    pub(crate) constant: Option<i64>,
    pub(super) interval: Interval,
}

impl Analysis<Math> for Known {
    type Data = Data;

    fn make(egraph: &mut EGraph<Math, Known>, node: &Math, _id: Id) -> Data {
        let constant = value(node, |id| egraph[id].data.constant);
        let interval = match constant {
            Some(c) => Interval::point(c),
            None if egraph.analysis.ranges.are_taken => interval(egraph, node),
            None => Interval::ALL,
        };
        Data { constant: constant.or(interval.as_point()), interval }
    }

    fn merge(&mut self, a: &mut Data, b: Data) -> DidMerge {
        let interval = a.interval.meet(b.interval).unwrap_or(a.interval);
        let both = Data { constant: a.constant.or(b.constant).or(interval.as_point()), interval };
        let did = DidMerge(both != *a, both != b);
        *a = both;
        did
    }

    fn modify(egraph: &mut EGraph<Math, Known>, id: Id) {
        if let Some(c) = egraph[id].data.constant {
            let number = egraph.add(Math::Num(c));
            egraph.union(id, number);
        }
    }
}

/// The value of an operation on constants.
fn value(node: &Math, of: impl Fn(Id) -> Option<i64>) -> Option<i64> {
    let truth = |b: bool| Some(i64::from(b));
    match node {
        Math::Num(c) => Some(*c),
        Math::Add([a, b]) => of(*a)?.checked_add(of(*b)?),
        Math::Sub([a, b]) => of(*a)?.checked_sub(of(*b)?),
        Math::Mul([a, b]) => of(*a)?.checked_mul(of(*b)?),
        Math::Neg(a) => of(*a)?.checked_neg(),
        Math::Div([a, b]) => rounded(floor_div, of(*a)?, of(*b)?),
        Math::Mod([a, b]) => rounded(floor_mod, of(*a)?, of(*b)?),
        Math::Min([a, b]) => Some(of(*a)?.min(of(*b)?)),
        Math::Max([a, b]) => Some(of(*a)?.max(of(*b)?)),
        Math::Lt([a, b]) => truth(of(*a)? < of(*b)?),
        Math::Le([a, b]) => truth(of(*a)? <= of(*b)?),
        Math::Gt([a, b]) => truth(of(*a)? > of(*b)?),
        Math::Ge([a, b]) => truth(of(*a)? >= of(*b)?),
        Math::Eq([a, b]) => truth(of(*a)? == of(*b)?),
        Math::Ne([a, b]) => truth(of(*a)? != of(*b)?),
        Math::And([a, b]) => truth(of(*a)? != 0 && of(*b)? != 0),
        Math::Or([a, b]) => truth(of(*a)? != 0 || of(*b)? != 0),
        Math::Not(a) => truth(of(*a)? == 0),
        Math::Select(_) | Math::Symbol(_) | Math::Other(..) => None,
    }
}

/// The quotient or remainder. `None` if the divisor is 0.
fn rounded(f: fn(i128, i128) -> i128, a: i64, b: i64) -> Option<i64> {
    if b == 0 { None } else { i64::try_from(f(a.into(), b.into())).ok() }
}

fn interval(egraph: &EGraph<Math, Known>, node: &Math) -> Interval {
    if let Math::Symbol(name) = node {
        return egraph.analysis.ranges.of.get(name).copied().unwrap_or(Interval::ALL);
    }
    let operands: Vec<Interval> = egg::Language::children(node).iter().map(|&c| egraph[c].data.interval).collect();
    op(node).map_or(Interval::ALL, |op| interval_of_op(&op, &operands))
}
