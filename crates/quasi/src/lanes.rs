//! Expressions compiled for the evaluation of many points together. Every operator is applied to a block of 64-bit
//! lanes, with one lane for each point.

use quaff_expr::expr::{Dag, Expr, Op, Program, UnknownVariable, Value};
use rustc_hash::FxHashMap;

/// The number of points that are evaluated together. A register takes 2 KiB, so the registers of a typical expression
/// fit the cache.
pub(super) const LANES: usize = 256;
/// The number of operators above which points are evaluated one by one. This limits the registers of a thread to 32
/// MiB.
const MAX_REGISTERS: usize = 1 << 14;
/// The cost of an operator at a single point, as a multiple of its cost for a point in a block.
const COST_ALONE: u64 = 8;

type Lanes = [i64; LANES];

/// Expressions (*roots*) compiled for blocks of points.
///
/// Every operator checks its lanes. A block is *tainted* if any value exceeds 64 bits, or if any divisor or shift is
/// undefined. The caller evaluates a tainted block again with the exact [`Program`]. A selection computes both
/// branches, so a branch that is not taken may taint a block. The exact evaluation then decides.
#[derive(Debug)]
pub(super) struct LaneProgram {
    steps: Vec<Step>,
    roots: Vec<u32>,
    exact: Program,
}

#[derive(Clone, Debug)]
enum Step {
    Const(i64),
    Input(u32),
    /// An operator and its operands. There are no special instructions for constants, because operations are as fast
    /// with a constant in a register.
    Node(Op, [u32; 3]),
    DivideBy(u32, Divisor),
    RemainderBy(u32, Divisor),
}

/// A divisor that is a positive constant.
#[derive(Clone, Copy, Debug)]
struct Divisor {
    by: i64,
    /// The number `floor((2^64 - 1)/by) + 1`. For numerators and divisors below 2^32, the quotient is the high half of
    /// its product with the numerator.
    reciprocal: u64,
    /// The exponent of `by`, if `by` is a power of two.
    shift: Option<u32>,
}

impl Divisor {
    fn new(by: i64) -> Option<Divisor> {
        let divisor = u64::try_from(by).ok().filter(|by| *by > 0)?;
        let reciprocal = u64::MAX.div_euclid(divisor).wrapping_add(1);
        Some(Divisor { by, reciprocal, shift: divisor.is_power_of_two().then(|| divisor.trailing_zeros()) })
    }

    /// Computes `out[i] = floor(a[i]/by)` for all lanes.
    #[inline]
    fn quotients(&self, a: &Lanes, out: &mut Lanes) {
        if let Some(shift) = self.shift {
            return each(a, out, |x| x >> shift);
        }
        // floor(x/c) equals x/c for x >= 0 and ~(~x/c) for x < 0; x ^ (x >> 63) equals x for x >= 0 and ~x for x < 0
        let widest = a.iter().fold(0, |all, x| all | (x ^ (x >> 63)));
        if widest < 1 << 32 && self.by < 1 << 32 {
            each(a, out, |x| {
                let sign = x >> 63;
                let product = u128::from((x ^ sign) as u64) * u128::from(self.reciprocal);
                ((product >> 64) as i64) ^ sign
            });
        } else {
            each(a, out, |x| floor_div_lane(x, self.by));
        }
    }
}

/// Floor division of one lane. The divisor `b` is not 0. If `a` is the least integer, `b` is not -1.
///
/// This is the 64-bit counterpart of [`floor_div`](quaff_expr::integer::floor_div), whose 128-bit arithmetic would be
/// too slow here.
#[inline]
fn floor_div_lane(a: i64, b: i64) -> i64 {
    // Euclidean division rounds down for positive divisors
    if b > 0 { a.wrapping_div_euclid(b) } else { a.wrapping_neg().wrapping_div_euclid(b.wrapping_neg()) }
}

#[inline]
fn each(a: &Lanes, out: &mut Lanes, f: impl Fn(i64) -> i64) {
    for (o, x) in out.iter_mut().zip(a) {
        *o = f(*x);
    }
}

#[inline]
fn pairs(a: &Lanes, b: &Lanes, out: &mut Lanes, f: impl Fn(i64, i64) -> i64) {
    for (o, (x, y)) in out.iter_mut().zip(a.iter().zip(b)) {
        *o = f(*x, *y);
    }
}

/// Applies `f` to each pair of lanes, as [`pairs`] does, and combines the sign bits of its second results. Returns
/// whether any lane is wrong.
#[inline]
fn checked(a: &Lanes, b: &Lanes, out: &mut Lanes, f: impl Fn(i64, i64) -> (i64, i64)) -> bool {
    let mut wrong = 0;
    for (o, (x, y)) in out.iter_mut().zip(a.iter().zip(b)) {
        let (value, w) = f(*x, *y);
        *o = value;
        wrong |= w;
    }
    wrong < 0
}

/// The buffers of an evaluation. Each thread has its own buffers. The default value is too small for a block.
#[derive(Default)]
pub(super) struct Registers {
    values: Vec<Lanes>,
    buffer: Vec<Value>,
}

impl LaneProgram {
    /// Compiles `roots`. Points give the values of the variables in the order of `variables`.
    pub(super) fn new(roots: &[Expr], variables: &[&str]) -> Result<LaneProgram, UnknownVariable> {
        let exact = Program::new(roots, variables)?;
        let dag = Dag::new(roots);
        let inputs: FxHashMap<&str, u32> = variables.iter().enumerate().map(|(i, v)| (*v, i as u32)).collect();
        let steps = dag.nodes().iter().map(|node| step(&node.op, node.args, &dag, &inputs)).collect();
        Ok(LaneProgram { steps, roots: dag.roots().to_vec(), exact })
    }

    /// The cost of a point, at least 1: the number of operators, or a multiple of it if there are too many operators
    /// for blocks.
    pub(super) fn cost(&self) -> u64 {
        let operators = self.steps.len().max(1) as u64;
        if self.is_blockwise() { operators } else { operators.saturating_mul(COST_ALONE) }
    }

    fn is_blockwise(&self) -> bool {
        self.steps.len() <= MAX_REGISTERS
    }

    pub(super) fn registers(&self) -> Registers {
        let mut values = if self.is_blockwise() { vec![[0; LANES]; self.steps.len()] } else { Vec::new() };
        for (register, step) in values.iter_mut().zip(&self.steps) {
            if let Step::Const(c) = step {
                *register = [*c; LANES];
            }
        }
        Registers { values, buffer: Vec::new() }
    }

    /// Evaluates a block. The function `fill(i, lanes)` writes the values of variable `i`. Returns whether the block is
    /// *not* tainted. A block counts as tainted if there are too many operators.
    pub(super) fn run(&self, registers: &mut Registers, fill: impl Fn(u32, &mut Lanes)) -> bool {
        if !self.is_blockwise() {
            return false;
        }
        let mut wrong = false;
        for (at, step) in self.steps.iter().enumerate() {
            let (done, rest) = registers.values.split_at_mut(at);
            let Some(out) = rest.first_mut() else { return false };
            match step {
                Step::Const(_) => {}
                Step::Input(i) => fill(*i, out),
                Step::DivideBy(a, divisor) => divisor.quotients(&done[*a as usize], out),
                Step::RemainderBy(a, divisor) => {
                    let a = &done[*a as usize];
                    divisor.quotients(a, out);
                    for (o, x) in out.iter_mut().zip(a) {
                        *o = x.wrapping_sub(o.wrapping_mul(divisor.by));
                    }
                }
                Step::Node(op, args) => wrong |= apply(op, args.map(|a| a as usize), done, out),
            }
        }
        !wrong
    }

    /// The values of root `i` at the points of the block, after [`LaneProgram::run`].
    pub(super) fn root<'r>(&self, registers: &'r Registers, i: usize) -> &'r Lanes {
        &registers.values[self.roots[i] as usize]
    }

    /// The exact values of the roots at one point.
    pub(super) fn exact<'r>(
        &'r self,
        registers: &'r mut Registers,
        point: &[i128],
    ) -> impl Iterator<Item = Value> + 'r {
        self.exact.eval_into(point, &mut registers.buffer)
    }
}

fn step(op: &Op, args: [u32; 3], dag: &Dag, inputs: &FxHashMap<&str, u32>) -> Step {
    let divisor = |i: u32| match dag.nodes()[i as usize].op {
        Op::Const(c) => Divisor::new(c),
        _ => None,
    };
    let [a, b, _] = args;
    match op {
        Op::Const(c) => Step::Const(*c),
        Op::Var(name) => Step::Input(inputs.get(&**name).copied().unwrap_or_default()),
        Op::FloorDiv if let Some(d) = divisor(b) => Step::DivideBy(a, d),
        Op::FloorMod if let Some(d) = divisor(b) => Step::RemainderBy(a, d),
        Op::Gt => Step::Node(Op::Lt, [b, a, 0]),
        Op::Ge => Step::Node(Op::Le, [b, a, 0]),
        op => Step::Node(op.clone(), args),
    }
}

/// Applies one operator to the lanes of its operands. Returns whether any lane is wrong, that is, undefined or above 64
/// bits.
fn apply(op: &Op, [a, b, c]: [usize; 3], done: &[Lanes], out: &mut Lanes) -> bool {
    let (a, b, c) = (&done[a], &done[b], &done[c]);
    let truth = i64::from;
    match op {
        Op::Neg => {
            return checked(a, a, out, |x, _| {
                let value = x.wrapping_neg();
                (value, x & value)
            });
        }
        Op::Add => {
            return checked(a, b, out, |x, y| {
                let sum = x.wrapping_add(y);
                (sum, (x ^ sum) & (y ^ sum))
            });
        }
        Op::Sub => {
            return checked(a, b, out, |x, y| {
                let difference = x.wrapping_sub(y);
                (difference, (x ^ y) & (x ^ difference))
            });
        }
        Op::Mul => {
            return checked(a, b, out, |x, y| {
                let (product, overflow) = x.overflowing_mul(y);
                (product, -truth(overflow))
            });
        }
        Op::FloorDiv | Op::FloorMod => {
            let remainder = *op == Op::FloorMod;
            return checked(a, b, out, |x, y| {
                if y == 0 || (x == i64::MIN && y == -1) {
                    return (0, -1);
                }
                let q = floor_div_lane(x, y);
                // the negation of `i64::MIN` does not fit, so a lane that may contain it is marked with -1
                let wrong = -truth(y < 0 && (x == i64::MIN || y == i64::MIN));
                (if remainder { x.wrapping_sub(q.wrapping_mul(y)) } else { q }, wrong)
            });
        }
        Op::Shl => {
            return checked(a, b, out, |x, by| {
                if !(0..63).contains(&by) {
                    return (0, -1);
                }
                let value = x << by;
                (value, -truth(value >> by != x))
            });
        }
        Op::Shr => {
            return checked(a, b, out, |x, by| if (0..=126).contains(&by) { (x >> by.min(63), 0) } else { (0, -1) });
        }
        Op::Min => pairs(a, b, out, i64::min),
        Op::Max => pairs(a, b, out, i64::max),
        Op::Lt => pairs(a, b, out, |x, y| truth(x < y)),
        Op::Le => pairs(a, b, out, |x, y| truth(x <= y)),
        Op::Eq => pairs(a, b, out, |x, y| truth(x == y)),
        Op::Ne => pairs(a, b, out, |x, y| truth(x != y)),
        Op::And => pairs(a, b, out, |x, y| truth(x != 0) & truth(y != 0)),
        Op::Or => pairs(a, b, out, |x, y| truth(x != 0) | truth(y != 0)),
        Op::BitAnd => pairs(a, b, out, |x, y| x & y),
        Op::BitOr => pairs(a, b, out, |x, y| x | y),
        Op::BitXor => pairs(a, b, out, |x, y| x ^ y),
        Op::Not => each(a, out, |x| truth(x == 0)),
        Op::Select => {
            for (o, (condition, (then, otherwise))) in out.iter_mut().zip(a.iter().zip(b.iter().zip(c))) {
                *o = if *condition != 0 { *then } else { *otherwise };
            }
        }
        // any other operator is evaluated one point at a time
        op => {
            for (i, o) in out.iter_mut().enumerate() {
                let value = op.eval([a[i], b[i], c[i]].map(|x| Ok(x.into())));
                let Some(value) = value.ok().and_then(|v| i64::try_from(v).ok()) else { return true };
                *o = value;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{Divisor, LANES, floor_div_lane};
    use quaff_expr::integer::floor_div;

    #[test]
    fn lane_division_is_floor_division() {
        let mut numbers: Vec<i64> = (-40..40).collect();
        for bits in [31, 32, 33, 62] {
            numbers.extend((-3..4).flat_map(|d| [(1 << bits) + d, -(1 << bits) + d]));
        }
        numbers.extend([i64::MAX, i64::MAX - 1, i64::MIN, i64::MIN + 1]);
        for &b in &numbers {
            for &a in &numbers {
                if b != 0 && !(b < 0 && (a == i64::MIN || b == i64::MIN)) {
                    assert_eq!(i128::from(floor_div_lane(a, b)), floor_div(a.into(), b.into()), "{a} // {b}");
                }
            }
            let Some(divisor) = Divisor::new(b) else { continue };
            // the fast path needs small numerators only
            for part in [numbers.clone(), numbers.iter().copied().filter(|n| n.unsigned_abs() < 1 << 32).collect()] {
                for some in part.chunks(LANES) {
                    let mut lanes = [0; LANES];
                    lanes[..some.len()].copy_from_slice(some);
                    let mut out = [0; LANES];
                    divisor.quotients(&lanes, &mut out);
                    for (a, q) in some.iter().zip(out) {
                        assert_eq!(i128::from(q), floor_div(i128::from(*a), b.into()), "{a} // {b}");
                    }
                }
            }
        }
    }
}
