//! Decides how each node is computed: in 32 or 64 bits, and exactly or only modulo 2^32 or 2^64. This depends on its
//! range and on the bits that its users need.

use super::forms::{DivForm, ModForm, ModKind, form_by, remainder_by};
use super::graph::Instr;
use super::{LowerError, Prices, name_of};
use crate::domain::{Interval, VarFacts, interval_of_op};
use crate::expr::{Dag, DagNode, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// The part of a node's value that its users need. Later variants need more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    Nothing,
    /// The value modulo 2^32.
    Low32,
    /// The value modulo 2^64.
    Low64,
    /// The exact value.
    Exact,
}

/// How a node is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The node is not computed.
    Skip,
    /// The node has only one value.
    Constant(i64),
    /// Exactly, in `int` or `unsigned`.
    Exact32,
    /// Modulo 2^32, in `unsigned`.
    Low32,
    /// Exactly, in `long long`.
    Exact64,
    /// Modulo 2^64, in `unsigned long long`.
    Low64,
}

impl How {
    fn is_wide(self) -> bool {
        matches!(self, How::Exact64 | How::Low64)
    }

    /// What a ring operation, such as `+`, needs of its operands if it is computed like this.
    fn operand_need(self) -> Need {
        if self.is_wide() { Need::Low64 } else { Need::Low32 }
    }
}

pub(super) struct Plan {
    pub(super) ranges: Vec<Interval>,
    pub(super) how: Vec<How>,
    /// The number of live users of each node.
    pub(super) uses: Vec<u32>,
    /// The nodes whose exact values another part computes.
    given: Vec<bool>,
    /// The dividend and the divisor of every live `//`.
    quotients: FxHashSet<(u32, u32)>,
    /// The dividend and the divisor of every live `truncdiv`.
    truncated: FxHashSet<(u32, u32)>,
    prices: Prices,
}

/// Whether every value fits `int` or every value fits `unsigned`.
pub(super) fn is_narrow(r: Interval) -> bool {
    r.fits_i32() || r.within(0, u32::MAX as i128)
}

/// The range of the negated values.
pub(super) fn negated(r: Interval) -> Interval {
    r.scaled(-1)
}

impl Plan {
    /// The plan for computing `roots`, with the given ranges of nodes.
    pub(super) fn new(
        dag: &Dag,
        roots: &[u32],
        ranges: Vec<Interval>,
        given: Vec<bool>,
        prices: Prices,
    ) -> Result<Plan, LowerError> {
        let count = dag.nodes().len();
        let (how, uses) = (vec![How::Skip; count], vec![0; count]);
        let (quotients, truncated) = Default::default();
        let mut plan = Plan { ranges, how, uses, given, quotients, truncated, prices };
        plan.find_quotients(dag, roots);
        let mut need = vec![Need::Nothing; count];
        for &root in roots {
            need[root as usize] = Need::Exact;
            plan.uses[root as usize] += 1;
        }
        for id in (0..count as u32).rev() {
            let wanted = need[id as usize];
            if wanted == Need::Nothing {
                continue;
            }
            let how = plan.decide(dag, id, wanted)?;
            plan.how[id as usize] = how;
            plan.each_operand(dag, id, how, |plan, operand, n| {
                need[operand as usize] = need[operand as usize].max(n);
                plan.uses[operand as usize] += 1;
            });
        }
        Ok(plan)
    }

    pub(super) fn range(&self, id: u32) -> Interval {
        self.ranges[id as usize]
    }

    pub(super) fn point(&self, id: u32) -> Option<i64> {
        self.range(id).as_point()
    }

    /// The form of `x % d` for a constant `d`.
    pub(super) fn mod_form(&self, x: u32, divisor: u32, d: i64) -> ModForm {
        // a numerator that exceeds 64 bits has no known quotient
        let range = self.range(x).bounded().map_or(Interval::ALL, |_| self.range(x));
        remainder_by(range, d, self.has_quotient(x, divisor), &self.prices)
    }

    /// The part of `x` that `x // d` needs. A division form exists only for 64-bit numerators. The exact value of a
    /// larger numerator is required, so that lowering refuses it with an error.
    fn dividend_need(&self, x: u32, form: impl Fn(Interval) -> DivForm) -> Need {
        let range = self.range(x);
        if range.bounded().is_some() && form(range).takes_wrapped() { Need::Low32 } else { Need::Exact }
    }

    /// The part of `x` that `x % d` needs. Only the low bits are needed, unless a quotient is computed for the
    /// remainder.
    fn numerator_need(&self, x: u32, divisor: u32, d: i64) -> Need {
        let form = self.mod_form(x, divisor, d);
        let low = if form.wide { Need::Low64 } else { Need::Low32 };
        match form.kind {
            // the low bits suffice, even if the numerator exceeds 64 bits
            ModKind::Zero | ModKind::Mask(_) => low,
            ModKind::Quotient(q) => low.max(self.dividend_need(x, |_| q)),
            ModKind::SharedQuotient => low.max(self.dividend_need(x, |range| form_by(range, d, &self.prices))),
            ModKind::Offset(_) | ModKind::UnsignedMin { .. } if self.range(x).bounded().is_none() => Need::Exact,
            ModKind::Offset(_) | ModKind::UnsignedMin { .. } => low,
        }
    }

    /// Whether the DAG has a live node `x // divisor`.
    pub(super) fn has_quotient(&self, x: u32, divisor: u32) -> bool {
        self.quotients.contains(&(x, divisor))
    }

    /// Whether the DAG has a live node `truncdiv(x, divisor)`.
    pub(super) fn has_truncated(&self, x: u32, divisor: u32) -> bool {
        self.truncated.contains(&(x, divisor))
    }

    /// Whether the exact value of a node is computed by another part. Then its operands are not needed here.
    pub(super) fn is_given(&self, id: u32) -> bool {
        self.given[id as usize]
    }

    fn find_quotients(&mut self, dag: &Dag, roots: &[u32]) {
        let mut live = vec![false; dag.nodes().len()];
        for &root in roots {
            live[root as usize] = true;
        }
        for (id, node) in dag.nodes().iter().enumerate().rev() {
            if !live[id] || self.ranges[id].as_point().is_some() {
                continue;
            }
            match node.op {
                Op::FloorDiv => drop(self.quotients.insert((node.args[0], node.args[1]))),
                Op::TruncDiv => drop(self.truncated.insert((node.args[0], node.args[1]))),
                _ => {}
            }
            if !self.given[id] {
                self.taken(node).iter().for_each(|&a| live[a as usize] = true);
            }
        }
    }

    /// The operands, without the branch of a selection that is never taken and without a known condition.
    pub(super) fn taken<'n>(&self, node: &'n DagNode) -> &'n [u32] {
        let args = node.args();
        if node.op != Op::Select {
            return args;
        }
        let condition = self.range(args[0]);
        if !condition.contains(0) {
            &args[1..2]
        } else if condition.as_point() == Some(0) {
            &args[2..3]
        } else {
            args
        }
    }

    fn decide(&self, dag: &Dag, id: u32, need: Need) -> Result<How, LowerError> {
        let range = self.range(id);
        if let Some(c) = range.as_point() {
            return Ok(How::Constant(c));
        }
        if !self.is_given(id) {
            self.undefined(dag, id)?;
        }
        if is_narrow(range) {
            return Ok(How::Exact32);
        }
        if self.is_given(id) {
            return Ok(How::Exact64);
        }
        // the bits of an operand only affect the same and higher bits of the result
        let op = &dag.nodes()[id as usize].op;
        let ring = Instr::of_low_bits(op).is_some() || matches!(op, Op::Shl | Op::Select);
        match need {
            Need::Low32 if ring => Ok(How::Low32),
            _ if range.bounded().is_some() => Ok(How::Exact64),
            Need::Low64 if ring => Ok(How::Low64),
            _ => Err(self.too_wide(dag, id)),
        }
    }

    /// The error for the smallest sub-expression that needs more than 64 bits.
    fn too_wide(&self, dag: &Dag, mut id: u32) -> LowerError {
        let open = |id: u32| self.range(id).bounded().is_none();
        while let Some(&part) = dag.nodes()[id as usize].args().iter().find(|&&a| open(a)) {
            id = part;
        }
        self.undefined(dag, id).err().unwrap_or_else(|| LowerError::TooWide { expr: name_of(dag.origin(id)) })
    }

    /// Returns an error when the operator of a node has no value for some values of its operands.
    fn undefined(&self, dag: &Dag, id: u32) -> Result<(), LowerError> {
        let node = &dag.nodes()[id as usize];
        let expr = || name_of(dag.origin(id));
        let right = self.range(node.args[1]);
        match node.op {
            ref op if op.is_division() && right.contains(0) => Err(LowerError::ZeroDivisor { expr: expr() }),
            Op::Shl if !right.within(0, 63) => Err(LowerError::Shift { expr: expr() }),
            Op::Shr if !right.within(0, i64::MAX as i128) => Err(LowerError::Shift { expr: expr() }),
            _ => Ok(()),
        }
    }

    /// Calls `visit` for every operand that the operations of a node use, with the part of the operand that they need.
    fn each_operand(&mut self, dag: &Dag, id: u32, how: How, mut visit: impl FnMut(&mut Plan, u32, Need)) {
        if matches!(how, How::Constant(_) | How::Skip) || self.is_given(id) {
            return;
        }
        let prices = self.prices;
        let node = &dag.nodes()[id as usize];
        let args = node.args;
        if let Some((x, _)) = self.cleared_low_bits(dag, node) {
            return visit(self, x, how.operand_need());
        }
        let both = |plan: &mut Plan, visit: &mut dyn FnMut(&mut Plan, u32, Need)| {
            visit(plan, args[0], Need::Exact);
            visit(plan, args[1], Need::Exact);
        };
        match &node.op {
            Op::Const(_) | Op::Var(_) => {}
            op if Instr::of_low_bits(op).is_some() => {
                for &a in node.args() {
                    visit(self, a, how.operand_need());
                }
            }
            Op::Select => {
                let taken = self.taken(node);
                let branches = if let [condition, branches @ ..] = taken
                    && taken.len() == 3
                {
                    visit(self, *condition, Need::Exact);
                    branches
                } else {
                    taken
                };
                for &a in branches {
                    visit(self, a, how.operand_need());
                }
            }
            Op::FloorDiv => match self.point(args[1]) {
                Some(d) => visit(self, args[0], self.dividend_need(args[0], |x| form_by(x, d, &prices))),
                None => both(self, &mut visit),
            },
            Op::FloorMod => match self.point(args[1]) {
                Some(d) => visit(self, args[0], self.numerator_need(args[0], args[1], d)),
                None => both(self, &mut visit),
            },
            Op::Shl => {
                // a shift count that 32-bit registers do not support needs 64-bit registers, even for a small result
                let wide = how.is_wide() || !self.range(args[1]).within(0, 31);
                visit(self, args[0], if wide { Need::Low64 } else { Need::Low32 });
                visit(self, args[1], Need::Exact);
            }
            _ => {
                for &a in node.args() {
                    visit(self, a, Need::Exact);
                }
            }
        }
    }

    /// The node `x` and the number `k` for `x // 2^k * 2^k`, in any spelling. The value is `x` with its low `k` bits
    /// cleared.
    pub(super) fn cleared_low_bits(&self, dag: &Dag, node: &DagNode) -> Option<(u32, u32)> {
        let (inner, k) = self.power(node, &Op::Mul, &Op::Shl).or_else(|| {
            let swapped = DagNode { op: node.op.clone(), args: [node.args[1], node.args[0], 0] };
            (node.op == Op::Mul).then(|| self.power(&swapped, &Op::Mul, &Op::Shl)).flatten()
        })?;
        let (x, down) = self.power(&dag.nodes()[inner as usize], &Op::FloorDiv, &Op::Shr)?;
        (k == down).then_some((x, k))
    }

    /// The first operand and the exponent if `node` multiplies or divides by 2^k with `1 <= k <= 62`.
    fn power(&self, node: &DagNode, by_factor: &Op, by_shift: &Op) -> Option<(u32, u32)> {
        let c = (node.op.arity() == 2).then(|| self.point(node.args[1])).flatten()?;
        let k = if node.op == *by_factor {
            (c > 1 && c.count_ones() == 1).then(|| c.trailing_zeros())
        } else {
            (node.op == *by_shift).then(|| u32::try_from(c).ok()).flatten()
        };
        k.filter(|k| (1..=62).contains(k)).map(|k| (node.args[0], k))
    }
}

/// The range of every node, in the order of the nodes.
pub(crate) fn ranges(
    dag: &Dag,
    vars: &[VarFacts],
    facts: impl Fn(u32) -> Interval,
) -> Result<Vec<Interval>, LowerError> {
    let of_var: FxHashMap<&str, Interval> = vars.iter().map(|v| (&*v.name, v.interval)).collect();
    let mut ranges: Vec<Interval> = Vec::with_capacity(dag.nodes().len());
    for (id, node) in dag.nodes().iter().enumerate() {
        let own = match &node.op {
            Op::Var(name) => match of_var.get(&**name) {
                Some(&interval) => finite(interval),
                None => return Err(LowerError::Unknown { name: name.clone() }),
            },
            op => {
                let args = node.args.map(|a| ranges.get(a as usize).copied().unwrap_or(Interval::ALL));
                interval_of_op(op, &args[..op.arity()])
            }
        };
        // if the facts contradict the ranges, the part is never computed, so any code is right
        ranges.push(own.meet(facts(id as u32)).unwrap_or(own));
    }
    Ok(ranges)
}

/// The range of a variable in `long long`. Open ends are replaced by [`OPEN`] and its negation, and other ends stay.
pub(super) fn finite(interval: Interval) -> Interval {
    let (lo, hi) = (interval.lo().unwrap_or(-OPEN), interval.hi().unwrap_or(OPEN));
    Interval::new(lo, hi).unwrap_or(interval)
}

/// The value that replaces an open upper end. Its negation replaces an open lower end. Both numbers can be negated
/// without overflow, and an interval can hold both.
pub(super) const OPEN: i64 = i64::MAX - 1;
