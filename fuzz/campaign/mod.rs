//! Random calls of the simplifier, built from bytes: an expression, a domain and a subset of the rules. The fuzz target,
//! the property test and the runner share them, so that bytes with which one of them fails are an input of all.
#![allow(dead_code)] // each program that includes this module uses only a part of it

mod c_text;
mod far;
pub(crate) mod host;
pub(crate) mod long;
pub(crate) mod names;
pub(crate) mod programs;
mod question;
pub(crate) mod sizes;

use arbitrary::{Arbitrary, Result, Unstructured};
use far::Family;
use quaff::Simplifier;
use quaff::domain::{Bounds, Domain, Interval};
use quaff::expr::{Expr, Op, int, select, var};
use quaff::rules::RuleSet;
pub(crate) use question::{Checked, Question};
use std::fmt;

/// The most operations of an expression.
const MAX_SIZE: u32 = 40;
/// The number of bytes from which one case is built.
pub(crate) const BYTES: usize = 512;

const NAMES: [&str; 4] = ["x", "y", "z", "w"];
const DIVISORS: [i64; 20] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 24, 32, 48, 64, 100, 128, 1000, 4096];
const CONSTANTS: [i64; 20] = [0, 1, -1, 2, 3, 4, 5, -2, -3, -4, 7, 8, 15, 16, 31, 63, 64, 96, 255, -64];

/// A variable and the facts about it.
#[derive(Clone, Debug)]
struct Range {
    name: &'static str,
    /// The least value. `None` if the range is open below.
    lo: Option<i64>,
    hi: Option<i64>,
    /// Whether the greatest value is the previous variable minus 1.
    below_previous: bool,
    /// The modulus and the residue of the values.
    stride: Option<(i64, i64)>,
    /// Whether the variable has one value during a launch, so that the host prepares divisions by it.
    fixed: bool,
}

impl Range {
    fn is_positive(&self) -> bool {
        !self.below_previous && self.lo.is_some_and(|lo| lo >= 1)
    }

    /// Whether an end of a range is outside of [`Interval::ENDS`], so that the call must be refused.
    fn is_beyond_reach(&self) -> bool {
        !self.below_previous && [self.lo, self.hi].into_iter().flatten().any(|end| !Interval::ENDS.contains(&end))
    }
}

/// One call of the simplifier.
pub(crate) struct Case {
    expr: Expr,
    ranges: Vec<Range>,
    /// The numbers of the rules that are left out.
    left_out: Vec<u8>,
    seed: u64,
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
        // in index code, constants are often multiples of one another
        let numbers = Numbers { base: *u.choose(&[1, 2, 3, 4, 6, 8, 12])?, family: Family::choose(u)? };
        let mut ranges = Vec::new();
        for name in NAMES.iter().take(u.int_in_range(1..=NAMES.len())?) {
            ranges.push(range(u, numbers, name, ranges.last())?);
        }
        let mut size = u.int_in_range(1..=MAX_SIZE)?;
        let expr = expression(u, numbers, &ranges, &mut size)?;
        Ok(Case { expr, ranges, left_out, seed })
    }
}

/// The source of random constants: multiples of `base`, and numbers of `family`.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    base: i64,
    family: Family,
}

impl Numbers {
    /// One of `others`, or a small multiple of the base.
    fn near(self, u: &mut Unstructured<'_>, others: &[i64]) -> Result<i64> {
        if u.ratio(1, 2)? { Ok(self.base * u.choose(&[1, 2, 3, 4, 5, 8, 12, 16])?) } else { Ok(*u.choose(others)?) }
    }

    /// A random positive number.
    fn divisor(self, u: &mut Unstructured<'_>) -> Result<i64> {
        let far = self.family != Family::Index && u.ratio(1, 4)?;
        if far { far::divisor(u) } else { self.near(u, &DIVISORS) }
    }

    fn constant(self, u: &mut Unstructured<'_>) -> Result<i64> {
        let far = self.family != Family::Index && u.ratio(1, 4)?;
        if far { far::constant(u) } else { self.near(u, &CONSTANTS) }
    }
}

fn range(u: &mut Unstructured<'_>, numbers: Numbers, name: &'static str, previous: Option<&Range>) -> Result<Range> {
    let n = numbers.near(u, &DIVISORS)?;
    let (lo, hi) = match u.int_in_range(0..=9)? {
        0..=4 if numbers.family != Family::Index => far::range(u, numbers.family)?,
        0..=2 => (Some(0), Some(n - 1)),
        3 => (Some(1), Some(n)),
        4 => (Some(0), Some(u.int_in_range(0..=1000)?)),
        5 => (Some(-n), Some(n)),
        6 => (Some(u.int_in_range(-9..=0)?), Some(u.int_in_range(0..=9)?)),
        7 => (Some(0), Some((1 << 31) - 1)),
        8 => (Some(-(1 << 31)), Some((1 << 31) - 1)),
        _ => {
            let c = u.int_in_range(-9..=9)?;
            (Some(c), Some(c))
        }
    };
    // the range may end below the previous variable, if that variable is positive
    let below_previous = previous.is_some_and(Range::is_positive) && u.ratio(1, 2)?;
    let long = lo.zip(hi).is_some_and(|(lo, hi)| i128::from(hi) - i128::from(lo) >= 16);
    let stride = match u.int_in_range(0..=7)? {
        0 if long => Some((*u.choose(&[2, 3, 4, 8])?, u.int_in_range(0..=1)?)),
        _ => None,
    };
    let fixed = u.ratio(1, 4)?;
    Ok(match below_previous {
        true => Range { name, lo: Some(0), hi: None, below_previous, stride: None, fixed },
        false => Range { name, lo, hi, below_previous, stride, fixed },
    })
}

/// A random expression. Most operations are sums, products with constants, and divisions, as in index code. The other
/// operations occur sometimes.
fn expression(u: &mut Unstructured<'_>, numbers: Numbers, ranges: &[Range], size: &mut u32) -> Result<Expr> {
    *size = size.saturating_sub(1);
    if *size == 0 || u.is_empty() || u.ratio(1, 6)? {
        return Ok(match u.int_in_range(0..=3)? {
            0 => int(numbers.constant(u)?),
            _ => var(u.choose(ranges)?.name),
        });
    }
    let kind = u.int_in_range(0..=40u8)?;
    let (divisor, constant) = (numbers.divisor(u)?, numbers.constant(u)?);
    let positive = ranges.iter().find(|r| r.is_positive());
    let a = expression(u, numbers, ranges, size)?;
    Ok(match kind {
        0..=8 => a + expression(u, numbers, ranges, size)?,
        9..=11 => a - expression(u, numbers, ranges, size)?,
        12..=16 => a * int(constant),
        17..=21 => a / int(divisor),
        22..=26 => a % int(divisor),
        27 => a / int(-divisor),
        28 => a % int(-divisor),
        29 => match positive {
            Some(n) => a / var(n.name),
            None => a / (expression(u, numbers, ranges, size)?.max(int(1))),
        },
        30 => match positive {
            Some(n) => a % var(n.name),
            None => a % (expression(u, numbers, ranges, size)?.max(int(1))),
        },
        31 => match positive {
            Some(n) => a * var(n.name),
            None => -a,
        },
        32 => a << int(divisor.rem_euclid(if numbers.family == Family::Wide { 61 } else { 5 })),
        33 => a >> int(constant.rem_euclid(if numbers.family == Family::Wide { 61 } else { 9 })),
        34 => a.not(),
        35 | 36 => {
            let b = expression(u, numbers, ranges, size)?;
            select(a, b, expression(u, numbers, ranges, size)?)
        }
        _ => {
            use Op::{Add, And, BitAnd, BitOr, BitXor, Eq, Ge, Gt, Le, Lt, Max, Min, Mul, Ne, Or};
            let op = u.choose(&[Add, Mul, Min, Max, Lt, Le, Gt, Ge, Eq, Ne, And, Or, BitAnd, BitOr, BitXor])?.clone();
            Expr::try_new(op, [a, expression(u, numbers, ranges, size)?]).expect("arity")
        }
    })
}

impl Case {
    /// The case that is built from `bytes`. `None` if building it fails.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Case> {
        Case::arbitrary(&mut Unstructured::new(bytes)).ok()
    }

    fn domain(&self) -> Domain {
        let mut domain = Domain::new();
        for (i, r) in self.ranges.iter().enumerate() {
            domain = match r.below_previous {
                true => domain.with(r.name, (0, var(self.ranges[i - 1].name) - 1)),
                false => domain.with(r.name, Bounds::new(r.lo.map(int), r.hi.map(int))),
            };
            if let Some((m, k)) = r.stride {
                domain = domain.stride(r.name, m, k);
            }
            if r.fixed {
                domain = domain.launch_invariant(r.name);
            }
        }
        domain
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

    /// Checks the call by [`Question::check`], at `count` points.
    ///
    /// # Errors
    /// A complete description of the first wrong result.
    pub(crate) fn check(&self, count: u32) -> std::result::Result<Checked, String> {
        let question = Question {
            expr: self.expr.clone(),
            domain: self.domain(),
            names: self.ranges.iter().map(|r| r.name).collect(),
            simplifier: self.simplifier(),
            seed: self.seed,
            is_beyond_reach: self.ranges.iter().any(Range::is_beyond_reach),
            text: self.to_string(),
        };
        question.check(count)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.expr)?;
        for (i, r) in self.ranges.iter().enumerate() {
            match r.below_previous {
                true => write!(f, " --var '{}=0..{}-1'", r.name, self.ranges[i - 1].name)?,
                false => {
                    let end = |e: Option<i64>| e.map_or_else(String::new, |e| e.to_string());
                    write!(f, " --var '{}={}..{}", r.name, end(r.lo), end(r.hi))?
                }
            }
            match r.stride {
                Some((m, k)) => write!(f, " step {m} from {k}'")?,
                None if !r.below_previous => f.write_str("'")?,
                None => {}
            }
            if r.fixed {
                write!(f, " --uniform {}", r.name)?;
            }
        }
        if !self.left_out.is_empty() {
            write!(f, ", without rules number {:?}", self.left_out)?;
        }
        Ok(())
    }
}
