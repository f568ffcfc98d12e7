//! Emits sums as machine operations. The order of the terms, and how each is written, decide which instructions the
//! compiler can fuse.
//!
//! The input is a sum, including nested sums that only this sum uses. The output is operations with the same value.
//! Terms that are known before a loop come before those that change in it, so that the compiler finds the
//! loop-invariant part as one value. A *spelling* is one of several ways to write a value in C. `docs/design/lower.md`
//! lists the gain of each spelling.

use super::build::Builder;
use super::divide::Operand;
use super::forms::{DivKind, form_by};
use super::graph::{Instr, Type, Value};
use super::plan::{How, Plan, is_narrow};
use super::translator::{NONE, Translator};
use crate::domain::Interval;
use crate::expr::{Dag, DagNode, Op};
use rustc_hash::FxHashSet;

/// A term of a sum: `coefficient * node`.
#[derive(Clone, Copy)]
pub(super) struct Term {
    pub(super) node: u32,
    pub(super) coefficient: i64,
    /// The depth of the deepest loop in which the term changes.
    pub(super) depth: u32,
}

/// The value of the terms that have been added so far.
#[derive(Clone, Copy)]
struct Partial {
    id: u32,
    range: Interval,
}

/// Whether a node is a sum or a multiple in 32 bits whose value is not computed already.
fn is_part(dag: &Dag, plan: &Plan, id: u32) -> bool {
    let narrow = matches!(plan.how[id as usize], How::Exact32 | How::Low32);
    let node = &dag.nodes()[id as usize];
    narrow && !plan.is_given(id) && (is_sum(node) || multiple(dag, plan, node).is_some())
}

fn is_sum(node: &DagNode) -> bool {
    matches!(node.op, Op::Add | Op::Sub | Op::Neg)
}

/// The operand `x` and the factor `c` of `x * c` or `x << k` for a constant. `None` if the operation clears bits.
fn multiple(dag: &Dag, plan: &Plan, node: &DagNode) -> Option<(u32, i64)> {
    let addends = node.addends(|a| plan.point(a)).filter(|_| !is_sum(node));
    // a larger shift would leave no bit in 32 bits
    let (x, c) = addends?.next().filter(|(_, c)| node.op == Op::Mul || *c <= 1 << 30)?;
    (plan.point(x).is_none() && plan.cleared_low_bits(dag, node).is_none()).then_some((x, c))
}

/// For each node, whether it is a part of exactly one sum and has no other use. Such a node gets no value of its own.
pub(super) fn absorbed(dag: &Dag, plan: &Plan) -> Vec<bool> {
    let mut absorbed = vec![false; dag.nodes().len()];
    for (id, node) in dag.nodes().iter().enumerate() {
        if is_sum(node) && is_part(dag, plan, id as u32) {
            for &a in node.args() {
                absorbed[a as usize] = plan.uses[a as usize] == 1 && is_part(dag, plan, a);
            }
        }
    }
    absorbed
}

impl Translator<'_> {
    /// The value of the sum at `id`, if it is computed in 32 bits.
    pub(super) fn sum(&mut self, id: u32, how: How) -> Option<u32> {
        if !is_sum(&self.dag.nodes()[id as usize]) || !is_part(self.dag, self.plan, id) {
            return None;
        }
        let (mut terms, mut constant) = self.terms(id);
        if self.target.shared_sums {
            self.rebase(id, &mut terms, &mut constant);
        }
        let value = match self.quotient_of_more(&terms, constant) {
            Some(value) => value,
            None => self.add_up(terms, constant).unwrap_or_else(|| self.builder.int(0)),
        };
        Some(match how {
            How::Low32 => self.builder.cast(value, Type::Unsigned),
            _ => value,
        })
    }

    /// Whether a node is a sum or a multiple in 32 bits whose value is not computed already.
    pub(super) fn is_part(&self, id: u32) -> bool {
        is_part(self.dag, self.plan, id)
    }

    /// The value `(x + k*d)//d` for `x//d + k`. Compilers add `k` to the product before they take its upper half, which
    /// would need 64 bits.
    fn quotient_of_more(&mut self, terms: &[Term], constant: i128) -> Option<u32> {
        let [Term { node, coefficient: 1, .. }] = *terms else { return None };
        let Op::FloorDiv = self.dag.nodes()[node as usize].op else { return None };
        let [x, d, _] = self.dag.nodes()[node as usize].args;
        let (d, k) = (self.plan.point(d)?, i64::try_from(constant).ok().filter(|k| *k != 0)?);
        let (more, range) = (d.checked_mul(k)?, self.plan.range(x));
        let moved = range.plus(Interval::point(more));
        let is_one = |r: Interval| {
            r.fits_i32() && matches!(form_by(r, d, &self.target.prices).kind, DivKind::MulHi { shift: 0, .. })
        };
        let alone = self.plan.uses[node as usize] == 1 && self.plan.uses[x as usize] == 1;
        if !self.target.quotient_offsets || !alone || !is_one(range) || !is_one(moved) {
            return None;
        }
        let (terms, constant) = if self.is_part(x) {
            self.terms(x)
        } else {
            (vec![Term { node: x, coefficient: 1, depth: self.depths[x as usize] }], 0)
        };
        let sum = self.add_up(terms, constant + i128::from(more))?;
        let out = moved.floor_div(Interval::point(d))?;
        let sum = self.builder.settle(sum, moved);
        Some(self.builder.divide(Operand { id: sum, range: moved }, d, out))
    }

    /// The sum of `terms` and `constant`. `None` when there is nothing to add.
    pub(super) fn add_up(&mut self, mut terms: Vec<Term>, constant: i128) -> Option<u32> {
        let constant = self.builder.constant_term(constant);
        // compilers combine a right shift with an addition, if its result is added last
        let is_last = |t: &Term| self.target.shifts_last && t.coefficient == 1 && self.is_shifted_down(t.node);
        terms.sort_by_cached_key(|t| (t.depth, is_last(t)));
        // the first term should be positive, among the terms that are known equally early
        if let Some(i) = terms.iter().position(|t| t.coefficient > 0 && t.depth == terms[0].depth) {
            terms[..=i].rotate_right(1);
        }
        let quotients = self.quotients(&terms);
        let mut conditions = Vec::new();
        // a sum without a positive term begins with the constant, as in `5 - x`
        let (first, rest) = match terms.first() {
            Some(Term { coefficient: -1, .. }) => (constant, None),
            _ => (None, constant),
        };
        let mut sum = first;
        for &term in &terms {
            if self.builder.ty(self.values[term.node as usize]) == Type::Bool && terms.len() > 1 {
                conditions.push(term);
                continue;
            }
            sum = Some(self.plus(sum, term, &quotients));
        }
        sum = self.plus_constant(sum, rest);
        for term in conditions {
            sum = Some(self.plus_where(sum, term));
        }
        sum.map(|sum| sum.id)
    }

    /// Whether the last operation of a term is a right shift by a constant, and the term has no other use.
    fn is_shifted_down(&self, node: u32) -> bool {
        let value = self.values[node as usize];
        if value == NONE || self.plan.uses[node as usize] > 1 {
            return false;
        }
        let Value { instr, args, .. } = self.builder.instr(self.builder.uncast(value));
        instr == Instr::Shr && matches!(self.builder.instr(args[1]).instr, Instr::Const(_))
    }

    /// The terms of the sum at `id`, and its constant.
    pub(super) fn terms(&self, id: u32) -> (Vec<Term>, i128) {
        let (mut terms, mut constant) = (Vec::new(), 0i128);
        let mut stack = vec![(id, 1i64)];
        while let Some((at, sign)) = stack.pop() {
            if let Some(c) = self.plan.point(at) {
                constant += i128::from(c) * i128::from(sign);
                continue;
            }
            let node = &self.dag.nodes()[at as usize];
            if at != id && !self.absorbed[at as usize] {
                terms.push(Term { node: at, coefficient: sign, depth: self.depths[at as usize] });
                continue;
            }
            if let Some((x, c)) = multiple(self.dag, self.plan, node) {
                // -2^63 and its negation are equal modulo 2^32
                terms.push(Term { node: x, coefficient: c.wrapping_mul(sign), depth: self.depths[x as usize] });
            } else if let Some(addends) = node.addends(|_| None) {
                stack.extend(addends.rev().map(|(x, c)| (x, c * sign)));
            }
        }
        (terms, constant)
    }

    fn plus(&mut self, sum: Option<Partial>, term: Term, quotients: &FxHashSet<i64>) -> Partial {
        let Term { node, coefficient: c, .. } = term;
        let (mut x, range) = (self.values[node as usize], self.plan.range(node).scaled(c));
        if self.target.fences && c.unsigned_abs() == 1 && self.cancels(x, quotients) {
            x = self.builder.fenced(x);
        }
        let Some(before) = sum else { return Partial { id: self.product(x, c, range), range } };
        let total = before.range.plus(range);
        // for `y - x*8`, compilers need a shift and a subtraction. For `y + x*-8`, they need one instruction
        let is_power = c < -1 && c.unsigned_abs().is_power_of_two() && self.target.negative_factors;
        let (instr, c, range) = match c.checked_neg() {
            Some(opposite) if c < 0 && !is_power => (Instr::Sub, opposite, range.scaled(-1)),
            _ => (Instr::Add, c, range),
        };
        let product = self.product(x, c, range);
        let id = self.builder.ring(instr, &[before.id, product], of_range(total), total);
        Partial { id, range: total }
    }

    /// The product `x * c`, whose range is `range`.
    fn product(&mut self, x: u32, c: i64, range: Interval) -> u32 {
        let b = &mut self.builder;
        let is_power = c > 1 && c <= 1 << 30 && c.count_ones() == 1;
        if self.target.fences && is_power && b.ends_in_bits(x, c) {
            let (u, k) = (b.cast(x, Type::Unsigned), b.int(c.trailing_zeros().into()));
            let shifted = b.emit(Instr::FunnelShl, Type::Unsigned, &[u, k]);
            return if is_narrow(range) { b.settle(shifted, range) } else { shifted };
        }
        let factor = b.int(c);
        b.ring(Instr::Mul, &[x, factor], of_range(range), range)
    }

    /// The coefficients of the terms that are quotients.
    fn quotients(&self, terms: &[Term]) -> FxHashSet<i64> {
        let b = &self.builder;
        let is_quotient = |t: &&Term| b.instr(b.uncast(self.values[t.node as usize])).instr == Instr::MulHi;
        terms.iter().filter(is_quotient).map(|t| t.coefficient).collect()
    }

    /// Whether `x` is `y - z*c` and another term is `q*c` with a quotient `q`. A compiler rewrites this to `(q - z)*c`.
    /// Then it adds within the multiply-high, for which it prepares a 64-bit sum.
    fn cancels(&self, x: u32, quotients: &FxHashSet<i64>) -> bool {
        let b = &self.builder;
        let Value { instr: Instr::Sub, args: [_, product, _], .. } = b.instr(b.uncast(x)) else { return false };
        let Value { instr: Instr::Mul, args: [_, c, _], .. } = b.instr(b.uncast(product)) else { return false };
        let Value { instr: Instr::Const(c), .. } = b.instr(c) else { return false };
        quotients.contains(&c)
    }

    fn plus_constant(&mut self, sum: Option<Partial>, constant: Option<Partial>) -> Option<Partial> {
        let (Some(before), Some(c)) = (sum, constant) else { return sum.or(constant) };
        let range = before.range.plus(c.range);
        Some(Partial { id: self.builder.ring(Instr::Add, &[before.id, c.id], of_range(range), range), range })
    }

    /// The selection `condition ? sum + c : sum`, which is one predicated addition if the sum is an operation itself.
    fn plus_where(&mut self, sum: Option<Partial>, term: Term) -> Partial {
        let Term { node, coefficient: c, .. } = term;
        let is_operation = |s: &Partial| self.builder.lowered.values[s.id as usize].instr.arity() > 1;
        let Some(before) = sum.filter(|s| self.target.conditional_sums && is_operation(s)) else {
            return self.plus(sum, term, &FxHashSet::default());
        };
        let more = before.range.plus(Interval::point(c));
        let constant = self.builder.int(c);
        let then = self.builder.ring(Instr::Add, &[before.id, constant], of_range(more), more);
        let range = before.range.hull(more);
        let condition = self.values[node as usize];
        Partial { id: self.builder.ring(Instr::Select, &[condition, then, before.id], of_range(range), range), range }
    }
}

/// How a part of a sum with this range is computed. The low 32 bits of a part suffice for the low 32 bits of the sum.
fn of_range(range: Interval) -> How {
    if is_narrow(range) { How::Exact32 } else { How::Low32 }
}

impl Builder {
    pub(super) fn instr(&self, id: u32) -> Value {
        self.lowered.values[id as usize]
    }

    /// The constant of a sum, unless it is 0. If it exceeds 64 bits, its low 32 bits suffice.
    fn constant_term(&mut self, c: i128) -> Option<Partial> {
        let (value, range) = match i64::try_from(c) {
            Ok(0) => return None,
            Ok(c) => (c, Interval::point(c)),
            Err(_) => (i64::from(c as u32), Interval::ALL),
        };
        Some(Partial { id: self.int(value), range })
    }

    /// The operand of a conversion between 32-bit types, or the value itself if it is no such conversion.
    pub(super) fn uncast(&self, id: u32) -> u32 {
        match self.instr(id) {
            Value { instr: Instr::Cast, ty, args } if !ty.is_wide() && !self.ty(args[0]).is_wide() => args[0],
            _ => id,
        }
    }

    /// The value in a spelling that the compiler cannot analyse, and that takes no instruction.
    fn fenced(&mut self, x: u32) -> u32 {
        let ty = self.ty(x);
        let (u, zero) = (self.cast(x, Type::Unsigned), self.int(0));
        let fenced = self.emit(Instr::FunnelShl, Type::Unsigned, &[u, zero]);
        self.cast(fenced, ty)
    }

    /// Whether the last operation of `x` is a right shift or a mask. A compiler would exchange this operation with a
    /// left shift that follows.
    fn ends_in_bits(&self, x: u32, c: i64) -> bool {
        let Value { instr, args, .. } = self.instr(self.uncast(x));
        let by = |id: u32| match self.instr(id).instr {
            Instr::Const(k) => Some(k),
            _ => None,
        };
        match instr {
            Instr::Shr => by(args[1]).is_some_and(|k| k != i64::from(c.trailing_zeros())),
            Instr::And => by(args[1]).is_some(),
            _ => false,
        }
    }
}
