//! Random calls of the simplifier, from bytes: an expression, a domain, a subset of the rules. Shared by the fuzz target,
//! the property test and the runner, so that a finding of one is an input of all.
#![allow(dead_code)] // each of them uses its part

pub(crate) mod host;
pub(crate) mod long;
pub(crate) mod names;
pub(crate) mod programs;

use arbitrary::{Arbitrary, Result, Unstructured};
use quaff::domain::Domain;
use quaff::expr::{Expr, Op, Program, int, select, var};
use quaff::quasi::{self, Verdict};
use quaff::rules::RuleSet;
use quaff::{Simplifier, SimplifyError};
use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

/// Operations of an expression, at the most.
const MAX_SIZE: u32 = 40;
/// Points of a domain that the exact procedure may enumerate: more would hold up the campaign.
const MAX_POINTS: u64 = 1 << 12;
/// The bytes of one case.
pub(crate) const BYTES: usize = 512;

const NAMES: [&str; 4] = ["x", "y", "z", "w"];
const DIVISORS: [i64; 20] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 24, 32, 48, 64, 100, 128, 1000, 4096];
const CONSTANTS: [i64; 20] = [0, 1, -1, 2, 3, 4, 5, -2, -3, -4, 7, 8, 15, 16, 31, 63, 64, 96, 255, -64];

/// A variable and what is known of it.
#[derive(Clone, Debug)]
struct Range {
    name: &'static str,
    lo: i64,
    hi: i64,
    /// The end is the value of the variable before, less one.
    below_previous: bool,
    /// Modulus and residue.
    stride: Option<(i64, i64)>,
}

/// One call.
pub(crate) struct Case {
    expr: Expr,
    ranges: Vec<Range>,
    /// Rules left out, by number.
    left_out: Vec<u8>,
    seed: u64,
}

/// What a call came to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checked {
    /// Points at which answer and input were compared.
    pub(crate) evaluations: u64,
    /// Calls that gave an answer.
    pub(crate) answers: u64,
    /// Answers that the exact procedure decided.
    pub(crate) decided: u64,
}

impl Checked {
    /// Both together.
    pub(crate) fn plus(self, other: Checked) -> Checked {
        Checked {
            evaluations: self.evaluations + other.evaluations,
            answers: self.answers + other.answers,
            decided: self.decided + other.decided,
        }
    }
}

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Case> {
        let seed = u.arbitrary()?;
        let left_out = match u.int_in_range(0..=3)? {
            0 | 1 => 0,
            2 => 3,
            _ => 48,
        };
        let left_out = (0..left_out).map(|_| u.arbitrary()).collect::<Result<_>>()?;
        // constants of index code are multiples of one another
        let base = *u.choose(&[1, 2, 3, 4, 6, 8, 12])?;
        let mut ranges = Vec::new();
        for name in NAMES.iter().take(u.int_in_range(1..=NAMES.len())?) {
            ranges.push(range(u, base, name, ranges.last())?);
        }
        let mut size = u.int_in_range(1..=MAX_SIZE)?;
        let expr = expression(u, base, &ranges, &mut size)?;
        Ok(Case { expr, ranges, left_out, seed })
    }
}

/// One of these, or a multiple of the base.
fn constant(u: &mut Unstructured<'_>, base: i64, others: &[i64]) -> Result<i64> {
    if u.ratio(1, 2)? { Ok(base * u.choose(&[1, 2, 3, 4, 5, 8, 12, 16])?) } else { Ok(*u.choose(others)?) }
}

fn range(u: &mut Unstructured<'_>, base: i64, name: &'static str, previous: Option<&Range>) -> Result<Range> {
    let n = constant(u, base, &DIVISORS)?;
    let (lo, hi) = match u.int_in_range(0..=9)? {
        0..=2 => (0, n - 1),
        3 => (1, n),
        4 => (0, u.int_in_range(0..=1000)?),
        5 => (-n, n),
        6 => (u.int_in_range(-9..=0)?, u.int_in_range(0..=9)?),
        7 => (0, (1 << 31) - 1),
        8 => (-(1 << 31), (1 << 31) - 1),
        _ => {
            let c = u.int_in_range(-9..=9)?;
            (c, c)
        }
    };
    // below a variable that is positive
    let below_previous = previous.is_some_and(|p| p.lo >= 1 && !p.below_previous) && u.ratio(1, 2)?;
    let stride = match u.int_in_range(0..=7)? {
        0 if hi - lo >= 16 => Some((*u.choose(&[2, 3, 4, 8])?, u.int_in_range(0..=1)?)),
        _ => None,
    };
    Ok(match below_previous {
        true => Range { name, lo: 0, hi: 0, below_previous, stride: None },
        false => Range { name, lo, hi, below_previous, stride },
    })
}

/// Mostly index code: sums, products with constants, divisions; now and then everything else.
fn expression(u: &mut Unstructured<'_>, base: i64, ranges: &[Range], size: &mut u32) -> Result<Expr> {
    *size = size.saturating_sub(1);
    if *size == 0 || u.is_empty() || u.ratio(1, 6)? {
        return Ok(match u.int_in_range(0..=3)? {
            0 => int(*u.choose(&CONSTANTS)?),
            _ => var(u.choose(ranges)?.name),
        });
    }
    let kind = u.int_in_range(0..=40u8)?;
    let divisor = constant(u, base, &DIVISORS)?;
    let constant = constant(u, base, &CONSTANTS)?;
    let positive = ranges.iter().find(|r| r.lo >= 1);
    let a = expression(u, base, ranges, size)?;
    Ok(match kind {
        0..=8 => a + expression(u, base, ranges, size)?,
        9..=11 => a - expression(u, base, ranges, size)?,
        12..=16 => a * int(constant),
        17..=21 => a / int(divisor),
        22..=26 => a % int(divisor),
        27 => a / int(-divisor),
        28 => a % int(-divisor),
        29 => match positive {
            Some(n) => a / var(n.name),
            None => a / (expression(u, base, ranges, size)?.max(int(1))),
        },
        30 => match positive {
            Some(n) => a % var(n.name),
            None => a % (expression(u, base, ranges, size)?.max(int(1))),
        },
        31 => match positive {
            Some(n) => a * var(n.name),
            None => -a,
        },
        32 => a << int(divisor % 5),
        33 => a >> int(constant.rem_euclid(9)),
        34 => a.not(),
        35 | 36 => {
            let b = expression(u, base, ranges, size)?;
            select(a, b, expression(u, base, ranges, size)?)
        }
        _ => {
            use Op::{Add, And, BitAnd, BitOr, BitXor, Eq, Ge, Gt, Le, Lt, Max, Min, Mul, Ne, Or};
            let op = u.choose(&[Add, Mul, Min, Max, Lt, Le, Gt, Ge, Eq, Ne, And, Or, BitAnd, BitOr, BitXor])?.clone();
            Expr::new(op, [a, expression(u, base, ranges, size)?])
        }
    })
}

impl Case {
    /// The case that these bytes stand for.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Case> {
        Case::arbitrary(&mut Unstructured::new(bytes)).ok()
    }

    fn domain(&self) -> Domain {
        let mut domain = Domain::new();
        for (i, r) in self.ranges.iter().enumerate() {
            domain = match r.below_previous {
                true => domain.with(r.name, (0, var(self.ranges[i - 1].name) - 1)),
                false => domain.with(r.name, r.lo..=r.hi),
            };
            if let Some((m, k)) = r.stride {
                domain = domain.stride(r.name, m, k);
            }
        }
        domain
    }

    /// Corners and random points of the domain.
    fn points(&self, count: u32) -> Vec<Vec<i128>> {
        let mut state = self.seed;
        let mut next = || {
            // splitmix64
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let x = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            x ^ (x >> 31)
        };
        let mut out = Vec::new();
        for i in 0..count {
            let mut point: Vec<i128> = Vec::new();
            for r in &self.ranges {
                let (lo, hi) = match (r.below_previous, point.last()) {
                    (true, Some(n)) => (0, n - 1),
                    _ => (i128::from(r.lo), i128::from(r.hi)),
                };
                let (m, k) = r.stride.map_or((1, 0), |(m, k)| (i128::from(m), i128::from(k)));
                // values are k modulo m
                let first = lo + (k - lo).rem_euclid(m);
                let steps = (hi - first) / m;
                let step = match (i, next() % 8) {
                    (0, _) | (1.., 0) => 0,
                    (1, _) | (2.., 1) => steps,
                    _ => i128::from(next()) % (steps + 1),
                };
                point.push(first + m * step);
            }
            out.push(point);
        }
        out
    }

    fn simplifier(&self) -> Simplifier {
        let shipped = RuleSet::shipped();
        if self.left_out.is_empty() {
            return Simplifier::default();
        }
        let left_out = |name: &str| {
            let number = shipped.rules().iter().position(|r| r.name() == name).unwrap_or_default();
            self.left_out.iter().any(|b| usize::from(*b) % shipped.rules().len() == number)
        };
        Simplifier::default().with_rules(shipped.retain(|name| !left_out(name)))
    }

    /// Simplifies and compares answer and input: at `count` points, and by the exact procedure where that is cheap.
    ///
    /// # Errors
    /// What is wrong, in full.
    pub(crate) fn check(&self, count: u32) -> std::result::Result<Checked, String> {
        let domain = self.domain();
        let answer = match self.simplifier().simplify(&self.expr, &domain) {
            Ok(answer) => answer,
            // refused, with a reason
            Err(SimplifyError::Overflow(_) | SimplifyError::DivisorMayBeZero { .. }) => return Ok(Checked::default()),
            Err(SimplifyError::ShiftOutOfRange { .. }) => return Ok(Checked::default()),
            Err(e) => return Err(format!("{self}\nrefused: {e}")),
        };
        if answer.cost() > answer.input_cost() {
            return Err(format!("{self}\ndearer: {} -> {}", answer.input_cost(), answer.cost()));
        }
        let names: Vec<&str> = self.ranges.iter().map(|r| r.name).collect();
        let roots = [self.expr.clone(), answer.expr().clone()];
        let program = Program::new(&roots, &names).map_err(|e| format!("{self}\nanswer {}: {e}", answer.expr()))?;
        let mut checked = Checked { answers: 1, ..Checked::default() };
        let mut buffer = Vec::new();
        for point in self.points(count) {
            let values: Vec<_> = program.eval_into(&point, &mut buffer).collect();
            if values[0].is_err() {
                continue;
            }
            if values[0] != values[1] {
                return Err(format!("{self}\nanswer {}\nat {names:?} = {point:?}: {values:?}", answer.expr()));
            }
            checked.evaluations += 1;
        }
        let options = quasi::Options {
            max_points: MAX_POINTS,
            samples: 0,
            threads: NonZeroUsize::MIN,
            smt_timeout: Duration::ZERO,
            ..quasi::Options::default()
        };
        match quasi::decide(&self.expr, answer.expr(), &domain, &options).verdict {
            Verdict::Equal => checked.decided = 1,
            Verdict::Differs { witness } => {
                return Err(format!("{self}\nanswer {}\nexactly: {witness}", answer.expr()));
            }
            Verdict::Undecided { .. } => {}
        }
        Ok(checked)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.expr)?;
        for (i, r) in self.ranges.iter().enumerate() {
            match r.below_previous {
                true => write!(f, " --var '{}=0..{}-1'", r.name, self.ranges[i - 1].name)?,
                false => write!(f, " --var '{}={}..{}", r.name, r.lo, r.hi)?,
            }
            match r.stride {
                Some((m, k)) => write!(f, " step {m} from {k}'")?,
                None if !r.below_previous => f.write_str("'")?,
                None => {}
            }
        }
        if !self.left_out.is_empty() {
            write!(f, ", without rules number {:?}", self.left_out)?;
        }
        Ok(())
    }
}
