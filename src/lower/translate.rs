//! Translates the nodes of a DAG into typed operations. Operands come before the nodes that use them.

use super::LowerError;
use super::build::{Builder, natural};
use super::conditions;
use super::divide::{Operand, Want};
use super::graph::{FastDivisor, Instr, Lowered, Param, Type};
use super::plan::{How, Plan, finite, is_narrow};
use super::relations::Relations;
use super::short_name::short_name;
use super::sums;
use super::target::Target;
use super::translator::{Host, NONE, Translator};
use super::wide::WideParts;
use crate::domain::{Interval, Repeats, VarFacts};
use crate::expr::{Dag, Op};
use rustc_hash::FxHashMap;

/// One of the parts that are lowered together: its roots, and the ranges of all nodes when these roots are computed.
pub(super) struct Piece<'a> {
    pub(super) roots: &'a [u32],
    pub(super) ranges: Vec<Interval>,
    /// An earlier part that is computed whenever this part is computed.
    pub(super) inside: Option<usize>,
}

/// Translates all parts into one graph, and returns the roots of each part. The parts inside of a part use the values
/// that this part computes exactly. Divisors that the host prepares rely only on the facts of the first part.
pub(super) fn translate(
    dag: &Dag,
    vars: &[VarFacts],
    pieces: Vec<Piece<'_>>,
    target: &Target,
) -> Result<(Lowered, Vec<Vec<u32>>), LowerError> {
    let count = dag.nodes().len();
    let (mut builder, mut params) = (Builder::new(target), FxHashMap::default());
    let mut host = None;
    // for each part, its exact values, which the parts inside of it may use
    let mut exact: Vec<Vec<u32>> = Vec::with_capacity(pieces.len());
    let none = vec![NONE; count];
    let mut roots = Vec::with_capacity(pieces.len());
    let mut wide = WideParts::default();
    let depths = depths(dag, vars);
    for piece in pieces {
        let shared = piece.inside.and_then(|part| exact.get(part)).unwrap_or(&none);
        let given = shared.iter().map(|&v| v != NONE).collect();
        let plan = Plan::new(dag, piece.roots, piece.ranges, given, target.prices)?;
        let host: &Host = host.get_or_insert_with(|| Host::new(dag, vars, &plan.ranges));
        let values = vec![NONE; count];
        let absorbed = sums::absorbed(dag, &plan);
        let (depths, relations) = (&depths, Relations::default());
        let mut translator =
            Translator { dag, plan: &plan, builder, values, host, absorbed, relations, depths, target, params };
        if target.shared_sums {
            translator.relations = translator.relations();
        }
        translator.declare(vars);
        translator.all(shared, &mut wide);
        roots.push(piece.roots.iter().map(|&r| translator.values[r as usize]).collect::<Vec<u32>>());
        let values = translator.values;
        (builder, params) = (translator.builder, translator.params);
        let mut own = Vec::new();
        if piece.inside.is_none() {
            own.clone_from(&none);
            for (id, node) in dag.nodes().iter().enumerate() {
                if matches!(plan.how[id], How::Exact32 | How::Exact64) && node.op.arity() > 0 {
                    own[id] = values[id];
                }
            }
        }
        exact.push(own);
    }
    let mut lowered = builder.lowered;
    lowered.roots = roots.concat();
    lowered.wide = wide.smallest(dag, &lowered);
    Ok((lowered, roots))
}

/// For each node, a number that is greater if the node changes in a deeper loop. Nodes that depend on an unrolled loop
/// have the greatest number.
fn depths(dag: &Dag, vars: &[VarFacts]) -> Vec<u32> {
    let depth_of = |v: &VarFacts| match v.repeats {
        Repeats::Once => 0,
        Repeats::Loop(times) => u32::try_from(times.max(1)).unwrap_or(u32::MAX),
        Repeats::Unrolled(_) => u32::MAX,
    };
    let depth: FxHashMap<&str, u32> = vars.iter().map(|v| (&*v.name, depth_of(v))).collect();
    let mut depths: Vec<u32> = Vec::with_capacity(dag.nodes().len());
    for node in dag.nodes() {
        depths.push(match &node.op {
            Op::Var(name) => depth.get(&**name).copied().unwrap_or(0),
            _ => node.args().iter().map(|&a| depths[a as usize]).max().unwrap_or(0),
        });
    }
    depths
}

impl Translator<'_> {
    /// Translates all needed nodes. A node with a value in `shared` is not computed again. The shared value is
    /// converted if the type differs.
    fn all(&mut self, shared: &[u32], wide: &mut WideParts) {
        let clauses = conditions::absorbed(self.dag, self.plan);
        for id in 0..self.dag.nodes().len() as u32 {
            let at = id as usize;
            let first = self.builder.lowered.values.len();
            self.values[at] = match self.plan.how[at] {
                // this part does not need the node, but a sum in it may reuse the value of another part
                How::Skip if self.plan.is_given(id) && self.builder.ty(shared[at]) == natural(self.plan.range(id)) => {
                    shared[at]
                }
                How::Skip => NONE,
                _ if clauses[at] || self.absorbed[at] => NONE,
                How::Constant(c) => self.builder.int(c),
                _ if self.plan.is_given(id) => self.builder.settle(shared[at], self.plan.range(id)),
                how => {
                    let value = self.node(id, how);
                    match how {
                        How::Exact32 | How::Exact64 => self.builder.settle(value, self.plan.range(id)),
                        _ => value,
                    }
                }
            };
            let made = &self.builder.lowered.values[first..];
            wide.note(id, first, made, || self.reach(id));
        }
    }

    /// The range that a warning about 64 bits shows for a node. If the node itself fits 32 bits, its operands are the
    /// reason, so their ranges are included.
    fn reach(&self, id: u32) -> Interval {
        let range = self.plan.range(id);
        let args = self.dag.nodes()[id as usize].args();
        if is_narrow(range) { args.iter().fold(range, |r, &a| r.hull(self.plan.range(a))) } else { range }
    }

    /// Declares parameters for the needed variables, in the order of `vars`.
    fn declare(&mut self, vars: &[VarFacts]) {
        let used: FxHashMap<&str, ()> = (self.dag.nodes().iter().zip(&self.plan.how))
            .filter(|(_, how)| !matches!(how, How::Skip | How::Constant(_)))
            .filter_map(|(node, _)| Some((&**node.as_variable()?, ())))
            .collect();
        for v in vars.iter().filter(|v| used.contains_key(&*v.name)) {
            let params = &mut self.builder.lowered.params;
            if !self.params.contains_key(&*v.name) {
                self.params.insert(v.name.to_string(), params.len() as u32);
                let ty = natural(finite(v.declared));
                params.push(Param { name: v.name.clone(), ty, text: v.text.clone() });
            }
        }
    }

    fn node(&mut self, id: u32, how: How) -> u32 {
        let (dag, plan) = (self.dag, self.plan);
        let node = &dag.nodes()[id as usize];
        let args = node.args;
        let range = plan.range(id);
        let value = |t: &Self, i: usize| t.values[args[i] as usize];
        if let Some((x, k)) = plan.cleared_low_bits(dag, node) {
            let mask = self.builder.int(-1 << k);
            return self.builder.ring(Instr::And, &[self.values[x as usize], mask], how, range);
        }
        if let Some(sum) = self.sum(id, how) {
            return sum;
        }
        if let Some(instr) = Instr::of_low_bits(&node.op) {
            let operands = [value(self, 0), if node.op.arity() > 1 { value(self, 1) } else { 0 }];
            return self.builder.ring(instr, &operands[..node.op.arity()], how, range);
        }
        if let Some(clause) = self.clause(id) {
            return self.compare(clause);
        }
        match &node.op {
            Op::Const(c) => self.builder.int(*c),
            Op::Var(name) => {
                let at = self.params[&**name];
                let ty = self.builder.lowered.params[at as usize].ty;
                self.builder.emit(Instr::Param(at), ty, &[])
            }
            Op::Select => self.select(id, how),
            Op::FloorDiv => match plan.point(args[1]) {
                Some(d) => self.divide(args[0], d, range),
                None => self.divide_variable(args, Want::Quotient, range),
            },
            Op::FloorMod => match plan.point(args[1]) {
                Some(d) => self.remainder(args, d, range),
                // if the quotient is computed as well, x - q*y is the cheapest remainder
                None => self.divide_variable(args, Want::Remainder, range),
            },
            Op::TruncDiv => self.truncated(args, Want::Quotient, range),
            Op::TruncMod => self.truncated(args, Want::Remainder, range),
            Op::Shl => self.shift_up(args, how, range),
            Op::Shr => self.shift_down(args, range),
            op if op.is_extremum() => {
                let hull = plan.range(args[0]).hull(plan.range(args[1]));
                let (a, b) = self.builder.common(value(self, 0), value(self, 1), hull);
                let ty = natural(hull);
                self.builder.emit(if node.op == Op::Min { Instr::Min } else { Instr::Max }, ty, &[a, b])
            }
            Op::Not => {
                let truth = self.truth(args[0]);
                self.builder.emit(Instr::LogicalNot, Type::Bool, &[truth])
            }
            Op::And => self.conjunction(id),
            Op::Or => {
                let (a, b) = (self.truth(args[0]), self.truth(args[1]));
                match (plan.point(args[0]), plan.point(args[1])) {
                    (Some(0), _) => b,
                    (_, Some(0)) => a,
                    _ => self.builder.emit(Instr::LogicalOr, Type::Bool, &[a, b]),
                }
            }
            // the arms above cover all operators
            _ => self.builder.int(0),
        }
    }

    /// The value `x // d` for a constant `d`.
    fn divide(&mut self, x: u32, d: i64, range: Interval) -> u32 {
        match self.scaled_quotient(x, d, range) {
            Some(quotient) => quotient,
            None => self.builder.divide(self.operand(x), d, range),
        }
    }

    /// The value `x % d` for a constant `d`.
    fn remainder(&mut self, args: [u32; 3], d: i64, range: Interval) -> u32 {
        let form = self.plan.mod_form(args[0], args[1], d);
        match self.complement(args[0], form, range) {
            Some(complement) => complement,
            None => self.builder.remainder(self.operand(args[0]), d, form, range),
        }
    }

    fn select(&mut self, id: u32, how: How) -> u32 {
        let node = &self.dag.nodes()[id as usize];
        let range = self.plan.range(id);
        match *self.plan.taken(node) {
            [condition, a, b] => {
                let truth = self.truth(condition);
                let alone = self.plan.uses[condition as usize] == 1;
                let condition =
                    if alone && self.target.split_conditions { self.builder.first_apart(truth) } else { truth };
                let (a, b) = (self.values[a as usize], self.values[b as usize]);
                self.builder.ring(Instr::Select, &[condition, a, b], how, range)
            }
            // only one branch is ever taken. Its value is converted as if 0 were added to it
            [only] => {
                let zero = self.builder.int(0);
                self.builder.ring(Instr::Add, &[self.values[only as usize], zero], how, range)
            }
            _ => self.builder.int(0),
        }
    }

    fn shift_up(&mut self, args: [u32; 3], how: How, range: Interval) -> u32 {
        let x = self.values[args[0] as usize];
        if let Some(k) = self.plan.point(args[1]).filter(|k| *k <= 62) {
            let factor = self.builder.int(1 << k);
            return self.builder.ring(Instr::Mul, &[x, factor], how, range);
        }
        let wide = matches!(how, How::Exact64 | How::Low64) || !self.plan.range(args[1]).within(0, 31);
        let ty = if wide { Type::UnsignedLong } else { Type::Unsigned };
        let x = self.builder.cast(x, ty);
        let shifted = self.builder.emit(Instr::Shl, ty, &[x, self.values[args[1] as usize]]);
        match how {
            How::Low32 => self.builder.cast(shifted, Type::Unsigned),
            How::Low64 => shifted,
            _ => self.builder.settle(shifted, range),
        }
    }

    fn shift_down(&mut self, args: [u32; 3], range: Interval) -> u32 {
        if let Some(k) = self.plan.point(args[1]).filter(|k| *k <= 62) {
            return self.divide(args[0], 1 << k, range);
        }
        let x = self.operand(args[0]);
        let ty = match self.builder.ty(x.id) {
            Type::Bool => Type::Int,
            other => other,
        };
        let last = if ty.is_wide() { 63 } else { 31 };
        let amounts = self.plan.range(args[1]);
        let mut amount = self.values[args[1] as usize];
        if !amounts.within(0, last) {
            // a shift by at least the width leaves only the sign, like a shift by the width less one
            let limit = self.builder.int(last as i64);
            let (a, b) = self.builder.common(amount, limit, amounts.hull(Interval::point(last as i64)));
            let ty = self.builder.ty(a);
            let least = self.builder.emit(Instr::Min, ty, &[a, b]);
            amount = self.builder.cast(least, Type::Int);
        }
        // an unsigned value below 2^32 that is shifted by 32 or more is 0, so even the top bit must be shifted out
        if ty == Type::Unsigned && !amounts.within(0, last) {
            let x = self.builder.cast(x.id, Type::Long);
            let wide = Operand { id: x, range: self.plan.range(args[0]) };
            return self.wide_shift_down(wide, args[1], range);
        }
        let shifted = self.builder.emit(Instr::Shr, ty, &[x.id, amount]);
        self.builder.settle(shifted, range)
    }

    fn wide_shift_down(&mut self, x: Operand, amount: u32, range: Interval) -> u32 {
        let limit = self.builder.int(63);
        let hull = self.plan.range(amount).hull(Interval::point(63));
        let (a, b) = self.builder.common(self.values[amount as usize], limit, hull);
        let ty = self.builder.ty(a);
        let least = self.builder.emit(Instr::Min, ty, &[a, b]);
        let least = self.builder.cast(least, Type::Int);
        let shifted = self.builder.emit(Instr::Shr, Type::Long, &[x.id, least]);
        self.builder.settle(shifted, range)
    }

    pub(super) fn divide_variable(&mut self, args: [u32; 3], want: Want, range: Interval) -> u32 {
        let (x, y) = (self.operand(args[0]), self.operand(args[1]));
        let int = i32::MAX as i128;
        // the host prepares the divisor before it is known whether the kernel uses it
        let (invariant, divisors) = (self.host.invariant[args[1] as usize], self.host.ranges[args[1] as usize]);
        let is_int = y.range.within(1, int) && divisors.within(-int - 1, int);
        let prepared = invariant && is_int && x.range.within(-int - 1, int);
        let fast = prepared.then(|| {
            let is_positive = divisors.within(1, int);
            let may_be_one = divisors.contains(1) || !is_positive;
            let dag = self.dag;
            let at = self.builder.fast_divisor(args[1], || {
                let divisor = dag.origin(args[1]);
                let name = short_name(divisor).into();
                // the host code also runs when nothing divides by it, and the divisor may then be 0 or negative
                let divisor = if is_positive { divisor.clone() } else { divisor.max(1) };
                FastDivisor { divisor, name, may_be_one }
            });
            let multiplier = self.builder.emit(Instr::FastMultiplier(at), Type::Unsigned, &[]);
            let shift = self.builder.emit(Instr::FastShift(at), Type::Unsigned, &[]);
            (multiplier, shift, may_be_one)
        });
        if want == Want::Remainder && self.plan.has_quotient(args[0], args[1]) && x.range.is_nonneg() {
            // the quotient is shared. Otherwise `%` alone would be cheaper
            return self.remainder_of_shared(x, y, fast, range);
        }
        self.builder.divide_variable(x, y, fast, want, range)
    }

    fn remainder_of_shared(&mut self, x: Operand, y: Operand, fast: Option<(u32, u32, bool)>, out: Interval) -> u32 {
        let quotients = x.range.floor_div(y.range).unwrap_or(Interval::ALL);
        let q = self.builder.divide_variable(x, y, fast, Want::Quotient, quotients);
        let how = |r: Interval, narrow: bool| match (narrow, is_narrow(r), r.bounded().is_some()) {
            (true, true, _) => How::Exact32,
            (true, false, _) => How::Low32,
            (false, _, true) => How::Exact64,
            (false, _, false) => How::Low64,
        };
        let narrow = is_narrow(out);
        let product = quotients.times(y.range);
        let product = self.builder.ring(Instr::Mul, &[q, y.id], how(product, narrow), product);
        self.builder.ring(Instr::Sub, &[x.id, product], how(out, narrow), out)
    }
}
