//! Random calls with sizes that are known only at run time. Extents (numbers of values of an index) are products, sums and
//! rounded-up quotients of sizes. Sizes have steps or assumed divisibility. Expressions divide by the parts of extents, compare with
//! them, and multiply by them.

use super::question::{Checked, Question};
use arbitrary::{Arbitrary, Result, Unstructured};
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, Op, int, select, var};
use std::fmt;

/// The most operations of an expression.
const MAX_SIZE: u32 = 24;
const SIZES: [&str; 3] = ["m", "n", "k"];
const INDICES: [&str; 3] = ["i", "j", "x"];
const TILES: [i64; 6] = [2, 4, 8, 16, 32, 128];

/// One call of the simplifier.
pub(crate) struct Case {
    expr: Expr,
    domain: Domain,
    names: Vec<&'static str>,
    seed: u64,
}

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Case> {
        let seed = u.arbitrary()?;
        let tile = *u.choose(&TILES)?;
        let (mut domain, mut names, mut sizes) = (Domain::new(), Vec::new(), Vec::new());
        for name in SIZES.iter().copied().take(u.int_in_range(1..=SIZES.len())?) {
            domain = size(u, domain, name, tile, sizes.last())?;
            names.push(name);
            sizes.push(var(name));
        }
        let mut extents = Vec::new();
        for name in INDICES.iter().copied().take(u.int_in_range(1..=INDICES.len())?) {
            let extent = extent(u, &sizes, tile)?;
            domain = domain.with(name, (0, extent.clone() - 1));
            names.push(name);
            extents.push(extent);
        }
        let indices = names[sizes.len()..].iter().map(|name| var(*name)).collect();
        let parts = Parts { tile, sizes, extents, indices };
        if u.ratio(1, 5)? {
            // a condition like the tail guard of a kernel
            let left = parts.number(u, &mut 4)?;
            domain = domain.assume(left.lt(parts.extent(u)?));
        }
        let mut left = u.int_in_range(3..=MAX_SIZE)?;
        let expr = parts.number(u, &mut left)?;
        Ok(Case { expr, domain, names, seed })
    }
}

/// Adds the size `name` to `domain`, alone or with an assumption about it and the size `before`.
fn size(u: &mut Unstructured<'_>, domain: Domain, name: &str, tile: i64, before: Option<&Expr>) -> Result<Domain> {
    let most = *u.choose(&[4, 9, 64, 1000, 40_000])?;
    Ok(match (u.int_in_range(0..=6)?, before) {
        (0, _) => domain.with(name, 0..=most).stride(name, tile.min(most), 0),
        (1, _) => domain.with(name, tile..=most.max(tile) * tile).assume((var(name) % int(tile)).equals(int(0))),
        (2, Some(before)) => {
            let divides = (var(name) % before.clone()).equals(int(0));
            domain.with(name, 1..=most).assume(divides)
        }
        (3, Some(before)) => domain.with(name, 1..=most).assume(before.clone().le(var(name))),
        (4, _) => domain.with(name, 0..=most),
        _ => domain.with(name, 1..=most),
    })
}

/// A random number of values of an index: a size, a product of sizes, a padded size, or a number of tiles.
fn extent(u: &mut Unstructured<'_>, sizes: &[Expr], tile: i64) -> Result<Expr> {
    let (a, b) = (u.choose(sizes)?.clone(), u.choose(sizes)?.clone());
    Ok(match u.int_in_range(0..=9)? {
        0..=2 => a,
        3..=5 => a * b,
        6 => (a + int(tile - 1)) / int(tile),
        7 => (a + int(tile - 1)) / int(tile) * b,
        8 => a + int(2),
        _ => int(tile),
    })
}

/// The parts from which expressions are built.
struct Parts {
    tile: i64,
    sizes: Vec<Expr>,
    extents: Vec<Expr>,
    indices: Vec<Expr>,
}

impl Parts {
    fn size(&self, u: &mut Unstructured<'_>) -> Result<Expr> {
        Ok(u.choose(&self.sizes)?.clone())
    }

    fn extent(&self, u: &mut Unstructured<'_>) -> Result<Expr> {
        Ok(u.choose(&self.extents)?.clone())
    }

    fn constant(&self, u: &mut Unstructured<'_>) -> Result<Expr> {
        let small = u.int_in_range(-3..=5)?;
        Ok(int(*u.choose(&[self.tile, 1, small, self.tile - 1, self.tile * 2])?))
    }

    /// A random divisor or factor. A call whose divisor may be 0 is refused.
    fn factor(&self, u: &mut Unstructured<'_>) -> Result<Expr> {
        Ok(match u.int_in_range(0..=9)? {
            0..=2 => self.size(u)?,
            3 => self.size(u)? * self.size(u)?,
            4 => self.extent(u)?,
            5 => self.size(u)? + int(1),
            6 => self.size(u)? * int(self.tile),
            7 => (self.size(u)? + int(self.tile - 1)) / int(self.tile),
            8 => self.size(u)?.max(int(1)),
            _ => int(self.tile),
        })
    }

    fn number(&self, u: &mut Unstructured<'_>, left: &mut u32) -> Result<Expr> {
        *left = left.saturating_sub(1);
        if *left == 0 || u.is_empty() || u.ratio(1, 6)? {
            return Ok(match u.int_in_range(0..=7)? {
                0 => self.constant(u)?,
                1 => self.size(u)?,
                _ => u.choose(&self.indices)?.clone(),
            });
        }
        let kind = u.int_in_range(0..=24u8)?;
        let a = self.number(u, left)?;
        Ok(match kind {
            0..=4 => a + self.number(u, left)?,
            5 | 6 => a - self.number(u, left)?,
            7..=9 => a * self.factor(u)?,
            10..=14 => a / self.factor(u)?,
            15..=18 => a % self.factor(u)?,
            19 => a.min(self.number(u, left)?),
            20 => a.max(self.number(u, left)?),
            21 => a + self.constant(u)?,
            22 => self.condition(u, left)?,
            _ => {
                let condition = self.condition(u, left)?;
                select(condition, a, self.number(u, left)?)
            }
        })
    }

    fn condition(&self, u: &mut Unstructured<'_>, left: &mut u32) -> Result<Expr> {
        let op = u.choose(&[Op::Lt, Op::Le, Op::Ge, Op::Gt, Op::Eq, Op::Ne])?.clone();
        let a = self.number(u, left)?;
        let b = if u.ratio(1, 2)? { self.factor(u)? } else { self.number(u, left)? };
        let one = Expr::try_new(op, [a, b]).expect("arity");
        Ok(match u.int_in_range(0..=5)? {
            0 if *left > 0 => one.and(self.condition(u, left)?),
            1 if *left > 0 => one.or(self.condition(u, left)?),
            _ => one,
        })
    }
}

impl Case {
    /// The case that is built from `bytes`. `None` if building it fails.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Case> {
        Case::arbitrary(&mut Unstructured::new(bytes)).ok()
    }

    /// Checks the call by [`Question::check`], at `count` points.
    ///
    /// # Errors
    /// A complete description of the first wrong result.
    pub(crate) fn check(&self, count: u32) -> std::result::Result<Checked, String> {
        let question = Question {
            expr: self.expr.clone(),
            domain: self.domain.clone(),
            names: self.names.clone(),
            simplifier: Simplifier::default(),
            seed: self.seed,
            is_beyond_reach: false,
            text: self.to_string(),
        };
        question.check(count)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} where {}", self.expr, self.domain)
    }
}
