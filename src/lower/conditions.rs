//! Translates comparisons and conjunctions.

use super::build::Builder;
use super::graph::{Instr, Type, Value};
use super::plan::{How, Plan};
use super::translator::Translator;
use crate::domain::Interval;
use crate::expr::sum::Sum;
use crate::expr::{Compare, Dag, Op};
use rustc_hash::FxHashMap;

/// A comparison `x op y` of nodes.
#[derive(Clone, Copy)]
pub(super) struct Clause {
    pub(super) op: Compare,
    pub(super) x: u32,
    pub(super) y: u32,
}

impl Clause {
    /// The comparison with its sides exchanged.
    pub(super) fn swapped(self) -> Clause {
        Clause { op: self.op.mirrored(), x: self.y, y: self.x }
    }
}

/// One of the two bounds that make a [`Window`]: `x >= y + shift`, or `x <= y + shift`.
#[derive(Clone, Copy)]
struct Bound {
    x: u32,
    y: u32,
    shift: i64,
    is_lower: bool,
}

/// Two bounds of `x` that one unsigned comparison can test: `y + shift <= x < y + shift + width`.
#[derive(Clone, Copy)]
struct Window {
    x: u32,
    y: u32,
    shift: i64,
    width: i64,
    /// The range of `x - y`.
    range: Interval,
    /// The range of `x - y - shift`.
    from: Interval,
}

/// The limits for bounds that are combined to windows. They are the largest number of terms of a bound, and the largest
/// number of steps to find these terms.
const MAX_TERMS: usize = 8;
const MAX_STEPS: usize = 4 * MAX_TERMS;

/// For each node, whether it is a conjunction that is used once, as an operand of another conjunction. Such a node gets
/// no value of its own, because its clauses become clauses of the other conjunction.
pub(super) fn absorbed(dag: &Dag, plan: &Plan) -> Vec<bool> {
    let mut absorbed = vec![false; dag.nodes().len()];
    for (id, (node, how)) in dag.nodes().iter().zip(&plan.how).enumerate() {
        if node.op == Op::And && !matches!(how, How::Skip | How::Constant(_)) && !plan.is_given(id as u32) {
            for &a in node.args() {
                let inner = dag.nodes()[a as usize].op == Op::And && plan.uses[a as usize] == 1 && !plan.is_given(a);
                absorbed[a as usize] = inner && !matches!(plan.how[a as usize], How::Constant(_));
            }
        }
    }
    absorbed
}

impl Builder {
    /// Groups `a && b && c` as `a && (b && c)`, if the conjunction has at least three clauses. With this grouping, some
    /// compilers need fewer instructions for a selection. The clause `a` in front compares a variable, if possible one
    /// that no other clause compares.
    pub(super) fn first_apart(&mut self, condition: u32) -> u32 {
        let (mut clauses, mut at) = (Vec::new(), condition);
        while let Value { instr: Instr::LogicalAnd, args: [a, b, _], .. } = self.instr(at) {
            clauses.push(b);
            at = a;
        }
        clauses.push(at);
        clauses.reverse();
        let bounded = |b: &Builder, id: u32| match b.instr(id) {
            Value { instr: Instr::Compare(_), args: [x, ..], .. } => Some(b.uncast(x)),
            _ => None,
        };
        let mut count: FxHashMap<u32, u32> = FxHashMap::default();
        clauses.iter().filter_map(|&c| bounded(self, c)).for_each(|x| *count.entry(x).or_default() += 1);
        let bounds = |b: &Builder, id: u32| {
            bounded(b, id).filter(|x| matches!(b.instr(*x).instr, Instr::Param(_))).map(|x| count[&x])
        };
        let alone = clauses.iter().position(|&c| bounds(self, c) == Some(1));
        let first = alone.or_else(|| clauses.iter().position(|&c| bounds(self, c).is_some()));
        let Some(first) = first.filter(|_| clauses.len() > 2) else { return condition };
        let first = clauses.remove(first);
        let rest = clauses.into_iter().reduce(|a, b| self.emit(Instr::LogicalAnd, Type::Bool, &[a, b]));
        rest.map_or(condition, |rest| self.emit(Instr::LogicalAnd, Type::Bool, &[first, rest]))
    }
}

impl Translator<'_> {
    /// The comparison of a node. `not` around a comparison negates it. `None` when the node is no comparison.
    pub(super) fn clause(&self, mut id: u32) -> Option<Clause> {
        let mut negate = false;
        loop {
            if self.plan.is_given(id) {
                return None;
            }
            let node = &self.dag.nodes()[id as usize];
            if node.op == Op::Not {
                negate = !negate;
                id = node.args[0];
                continue;
            }
            let op = Compare::of(&node.op)?;
            let op = if negate { op.negated() } else { op };
            return Some(Clause { op, x: node.args[0], y: node.args[1] });
        }
    }

    pub(super) fn compare(&mut self, clause: Clause) -> u32 {
        if let Some(test) = self.any_bit(clause) {
            return test;
        }
        let Clause { op, x, y } = clause;
        let hull = self.plan.range(x).hull(self.plan.range(y));
        self.builder.compare(op, self.values[x as usize], self.values[y as usize], hull)
    }

    /// The clauses of a conjunction, including the clauses of nested conjunctions that have no other user.
    fn clauses(&self, id: u32) -> Vec<u32> {
        let mut clauses = Vec::new();
        let mut stack = vec![id];
        while let Some(node) = stack.pop() {
            let inner = node == id || self.plan.uses[node as usize] == 1 && !self.plan.is_given(node);
            let and = &self.dag.nodes()[node as usize];
            match self.plan.how[node as usize] {
                How::Constant(_) => {}
                _ if and.op == Op::And && inner => stack.extend(and.args().iter().rev()),
                _ => clauses.push(node),
            }
        }
        clauses
    }

    /// The conjunction `a and b and ...`, in which `0 <= x` and `x < n` become one unsigned comparison.
    pub(super) fn conjunction(&mut self, id: u32) -> u32 {
        let clauses = self.clauses(id);
        let lower: FxHashMap<u32, usize> =
            clauses.iter().enumerate().filter_map(|(i, &c)| Some((self.bounded_below(c)?, i))).collect();
        let mut dropped = vec![false; clauses.len()];
        let mut fused = vec![None; clauses.len()];
        for (i, &c) in clauses.iter().enumerate() {
            if let Some(clause) = self.bounded_above(c)
                && let Some(&at) = lower.get(&clause.x)
                && !dropped[at]
            {
                dropped[at] = true;
                fused[i] = Some(clause);
            }
        }
        let mut windows = vec![None; clauses.len()];
        let free: Vec<usize> = (0..clauses.len()).filter(|&i| !dropped[i] && fused[i].is_none()).collect();
        for (n, &i) in free.iter().enumerate() {
            let found = free[n + 1..].iter().find_map(|&j| {
                (!dropped[i] && !dropped[j]).then(|| self.window(clauses[i], clauses[j])).flatten().map(|w| (j, w))
            });
            if let Some((j, window)) = found {
                (windows[i], dropped[j]) = (Some(window), true);
            }
        }
        let mut all = None;
        for (i, &c) in clauses.iter().enumerate() {
            if dropped[i] {
                continue;
            }
            let truth = match (fused[i], windows[i]) {
                (Some(clause), _) => self.unsigned_compare(clause),
                (None, Some(window)) => self.within(window),
                (None, None) => self.truth(c),
            };
            all = Some(match all {
                None => truth,
                Some(before) => self.builder.emit(Instr::LogicalAnd, Type::Bool, &[before, truth]),
            });
        }
        all.unwrap_or_else(|| self.builder.int(1))
    }

    /// The window for `x` from two clauses that bound `x` by the same unknowns, such as `x > a` and `x <= a + 64`.
    fn window(&self, first: u32, second: u32) -> Option<Window> {
        let pairs = self.bounds(first)?.into_iter().zip([self.bounds(second)?; 2]);
        pairs.flat_map(|(a, others)| others.map(|b| (a, b))).find_map(|(a, b)| match (a.is_lower, b.is_lower) {
            (true, false) => self.window_between(a, b),
            (false, true) => self.window_between(b, a),
            _ => None,
        })
    }

    fn window_between(&self, low: Bound, high: Bound) -> Option<Window> {
        if low.x != high.x || self.plan.point(low.x).is_some() || self.plan.point(low.y).is_some() {
            return None;
        }
        let (below, above) = (self.linear(low.y)?, self.linear(high.y)?);
        // both ends are inclusive
        let width = above.constant.checked_sub(below.constant)?.checked_add(high.shift - low.shift)?.checked_add(1)?;
        let range = self.plan.range(low.x).plus(self.plan.range(low.y).scaled(-1));
        let from = range.plus(Interval::point(-low.shift));
        // the compared value has 32 bits. If it is negative, it is large as an unsigned number. So the unsigned
        // comparison with the width tests both bounds
        let fits = range.fits_i32() && from.fits_i32() && (1..=i64::from(i32::MAX)).contains(&width);
        let Bound { x, y, shift, .. } = low;
        (below.terms == above.terms && fits).then_some(Window { x, y, shift, width, range, from })
    }

    /// The bound `x >= y + shift` or `x <= y + shift` of the node, and the equal bound of the other side, such as
    /// `y <= x - shift`. `None` when the node is no such comparison.
    fn bounds(&self, node: u32) -> Option<[Bound; 2]> {
        let Clause { op, x, y } = self.clause(node)?;
        let (is_lower, shift) = match op {
            Compare::Ge => (true, 0),
            Compare::Gt => (true, 1),
            Compare::Le => (false, 0),
            Compare::Lt => (false, -1),
            Compare::Eq | Compare::Ne => return None,
        };
        Some([Bound { x, y, shift, is_lower }, Bound { x: y, y: x, shift: -shift, is_lower: !is_lower }])
    }

    /// The node as a sum. `None` when it has more than a few terms.
    pub(super) fn linear(&self, id: u32) -> Option<Sum> {
        let sum = Sum::of(self.dag.nodes(), [(id, 1)], |id| self.plan.point(id), MAX_STEPS);
        sum.filter(|sum| sum.terms.len() <= MAX_TERMS)
    }

    /// The comparison `(unsigned)(x - y - shift) < width`.
    fn within(&mut self, Window { x, y, shift, width, range, from }: Window) -> u32 {
        let [x, y] = [x, y].map(|node| self.values[node as usize]);
        let difference = match self.builder.instr(self.builder.uncast(y)) {
            Value { instr: Instr::Neg, args: [minus, ..], .. } => {
                self.builder.ring(Instr::Add, &[x, minus], How::Exact32, range)
            }
            _ => self.builder.ring(Instr::Sub, &[x, y], How::Exact32, range),
        };
        let shift = self.builder.int(shift);
        let above = self.builder.ring(Instr::Sub, &[difference, shift], How::Exact32, from);
        let (above, width) = (self.builder.cast(above, Type::Unsigned), self.builder.int(width));
        let width = self.builder.cast(width, Type::Unsigned);
        self.builder.emit(Instr::Compare(Compare::Lt), Type::Bool, &[above, width])
    }

    /// The node `x` if the given node is `0 <= x`, in any spelling.
    fn bounded_below(&self, node: u32) -> Option<u32> {
        let Clause { op, x, y } = self.clause(node)?;
        match (op, self.plan.point(x), self.plan.point(y)) {
            (Compare::Ge, None, Some(0)) | (Compare::Gt, None, Some(-1)) => Some(x),
            (Compare::Le, Some(0), None) | (Compare::Lt, Some(-1), None) => Some(y),
            _ => None,
        }
    }

    /// The clause `x < y` or `x <= y` with `y >= 0`, if the given node is such a clause.
    fn bounded_above(&self, node: u32) -> Option<Clause> {
        let Clause { op, x, y } = self.clause(node)?;
        let clause = match op {
            Compare::Lt | Compare::Le => Clause { op, x, y },
            Compare::Gt => Clause { op: Compare::Lt, x: y, y: x },
            Compare::Ge => Clause { op: Compare::Le, x: y, y: x },
            Compare::Eq | Compare::Ne => return None,
        };
        self.plan.range(clause.y).is_nonneg().then_some(clause)
    }

    fn unsigned_compare(&mut self, Clause { op, x, y }: Clause) -> u32 {
        let hull = self.plan.range(x).hull(self.plan.range(y));
        let (a, b) = self.builder.common(self.values[x as usize], self.values[y as usize], hull);
        let unsigned = if self.builder.ty(a).is_wide() { Type::UnsignedLong } else { Type::Unsigned };
        let (a, b) = (self.builder.cast(a, unsigned), self.builder.cast(b, unsigned));
        self.builder.emit(Instr::Compare(op), Type::Bool, &[a, b])
    }
}
