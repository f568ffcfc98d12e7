//! Translates comparisons and conjunctions.

use super::build::Builder;
use super::graph::{Compare, Instr, Type, Value};
use super::plan::{How, Plan};
use super::translator::Translator;
use crate::expr::{Dag, Op};
use rustc_hash::FxHashMap;

/// A comparison `x op y` of nodes.
#[derive(Clone, Copy)]
pub(super) struct Clause {
    op: Compare,
    x: u32,
    y: u32,
}

/// Which conjunctions are operands of one other conjunction and of nothing else. They get no value of their own: their
/// clauses become clauses of that conjunction.
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
    /// `a && (b && c && ...)` for `a && b && c && ...`, where that has three clauses or more and `a` is one that bounds a variable
    /// alone: what selects by a condition of the second kind is one selection a clause for some compilers.
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
        let is_alone = |b: &Builder, id: u32| {
            bounded(b, id).is_some_and(|x| matches!(b.instr(x).instr, Instr::Param(_)) && count[&x] == 1)
        };
        let Some(first) = clauses.iter().position(|&c| is_alone(self, c)).filter(|_| clauses.len() > 2) else {
            return condition;
        };
        let first = clauses.remove(first);
        let rest = clauses.into_iter().reduce(|a, b| self.emit(Instr::LogicalAnd, Type::Bool, &[a, b]));
        rest.map_or(condition, |rest| self.emit(Instr::LogicalAnd, Type::Bool, &[first, rest]))
    }
}

impl Translator<'_> {
    /// The comparison that a node is, looking through `not`.
    pub(super) fn clause(&self, mut id: u32) -> Option<Clause> {
        let mut negate = false;
        loop {
            if self.plan.is_given(id) {
                return None;
            }
            let node = &self.dag.nodes()[id as usize];
            let op = match node.op {
                Op::Lt => Compare::Lt,
                Op::Le => Compare::Le,
                Op::Gt => Compare::Gt,
                Op::Ge => Compare::Ge,
                Op::Eq => Compare::Eq,
                Op::Ne => Compare::Ne,
                Op::Not => {
                    negate = !negate;
                    id = node.args[0];
                    continue;
                }
                _ => return None,
            };
            let op = if negate { op.negated() } else { op };
            return Some(Clause { op, x: node.args[0], y: node.args[1] });
        }
    }

    pub(super) fn compare(&mut self, Clause { op, x, y }: Clause) -> u32 {
        let hull = self.plan.range(x).hull(self.plan.range(y));
        self.builder.compare(op, self.values[x as usize], self.values[y as usize], hull)
    }

    /// The clauses of a conjunction, with those of nested conjunctions that nothing else uses.
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

    /// `a and b and ...`, in which `0 <= x` and `x < n` become one unsigned comparison.
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
        let mut all = None;
        for (i, &c) in clauses.iter().enumerate() {
            if dropped[i] {
                continue;
            }
            let truth = match fused[i] {
                Some(clause) => self.unsigned_compare(clause),
                None => self.truth(c),
            };
            all = Some(match all {
                None => truth,
                Some(before) => self.builder.emit(Instr::LogicalAnd, Type::Bool, &[before, truth]),
            });
        }
        all.unwrap_or_else(|| self.builder.int(1))
    }

    /// `x` when the node says `0 <= x`, in any spelling.
    fn bounded_below(&self, node: u32) -> Option<u32> {
        let Clause { op, x, y } = self.clause(node)?;
        match (op, self.plan.point(x), self.plan.point(y)) {
            (Compare::Ge, None, Some(0)) | (Compare::Gt, None, Some(-1)) => Some(x),
            (Compare::Le, Some(0), None) | (Compare::Lt, Some(-1), None) => Some(y),
            _ => None,
        }
    }

    /// `x < y` or `x <= y` with `y >= 0`, when the node says that.
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
