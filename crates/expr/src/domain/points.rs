//! Points of a domain: its corners, points near them and random ones.

use super::variables::Domain;
use super::{DomainError, Interval, VarFacts};
use crate::expr::{Dag, Expr, Program};
use crate::integer::floor_mod;

/// The length of the window that replaces an open end. The window begins at the other end, or at 0 when both ends are
/// open.
const WINDOW: i128 = 1 << 33;
/// The number of rejected candidates in a row after which the sequence of points ends.
const TRIES: u32 = 64;

/// A small deterministic generator (xorshift64*). A seed gives the same points on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator whose numbers depend only on `seed`.
    pub fn new(seed: u64) -> Random {
        Random(seed | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// The next number, at least 0 and below `n`. The result is 0 when `n` is not positive.
    pub fn below(&mut self, n: i128) -> i128 {
        floor_mod(i128::from(self.next() >> 1), n.max(1))
    }
}

/// A value in `range`. `kind` selects an end, a value near an end or near 0, or any value. An open end is replaced by a
/// window.
pub fn sample(range: Interval, kind: i128, random: &mut Random) -> i64 {
    let (lo, hi) = match (range.lo().map(i128::from), range.hi().map(i128::from)) {
        (Some(lo), Some(hi)) => (lo, hi),
        (Some(lo), None) => (lo, lo + WINDOW),
        (None, Some(hi)) => (hi - WINDOW, hi),
        (None, None) => (-WINDOW, WINDOW),
    };
    let value = match kind {
        0 => lo,
        1 => hi,
        2 => lo + random.below(65),
        3 => hi - random.below(65),
        4 => random.below(65) - 32,
        _ => lo + random.below(hi - lo + 1),
    };
    // the windows of open ends may exceed 64 bits
    value.clamp(lo, hi).clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// An endless sequence of points of a [`Domain`]. A point has one value for each variable, in the order of the domain.
/// The points satisfy the symbolic ends, the strides and the assumptions. An open end is replaced by the greatest
/// number of [`Interval::ENDS`], or by its negation. The first point has all variables at their lower ends, and the
/// second has all at their upper ends. The other points are random, with more of them at ends, around 0 and around
/// powers of two.
///
/// The sequence ends when many successive candidates are rejected, because an assumption fails or a range is empty. The
/// end does not prove that no valid points remain, because they may be rare.
///
/// ```
/// use quaff_expr::domain::{Domain, Points};
/// use quaff_expr::expr::var;
///
/// let domain = Domain::new().with("j", (0, var("n") - 1)).with("n", 1..=64).assume(var("j").ge(2));
/// let points: Vec<Vec<i64>> = Points::new(&domain, 7)?.take(100).collect();
/// assert_eq!(points[0], [63, 64], "the lower ends do not satisfy the assumption");
/// assert!(points.iter().all(|p| 2 <= p[0] && p[0] < p[1]));
/// # Ok::<(), quaff_expr::domain::DomainError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Points {
    axes: Vec<Axis>,
    assumptions: Program,
    random: Random,
    round: u64,
}

/// A variable and its facts. The axes are sorted so that each follows the variables in its ends.
#[derive(Clone, Debug)]
struct Axis {
    at: usize,
    facts: VarFacts,
    lower: Option<End>,
    upper: Option<End>,
}

/// A symbolic end, and the positions of the variables that it mentions.
#[derive(Clone, Debug)]
struct End {
    program: Program,
    inputs: Vec<usize>,
}

impl End {
    fn new(end: &Expr, domain: &Domain) -> Option<End> {
        let dag = Dag::new(std::slice::from_ref(end));
        let names: Vec<&str> = dag.variables().map(|name| &**name).collect();
        let inputs = names.iter().map(|name| domain.position(name)).collect::<Option<_>>()?;
        Some(End { program: Program::new(std::slice::from_ref(end), &names).ok()?, inputs })
    }

    fn at(&self, point: &[i64]) -> Option<i128> {
        let inputs: Vec<i128> = self.inputs.iter().map(|&i| point[i].into()).collect();
        self.program.eval(&inputs).first()?.ok()
    }
}

impl Points {
    /// The points of `domain`. The same `seed` gives the same points.
    ///
    /// # Errors
    /// [`DomainError`], for the same reasons as in [`Domain::resolve`], and if an assumption mentions an undeclared
    /// variable.
    pub fn new(domain: &Domain, seed: u64) -> Result<Points, DomainError> {
        let facts = domain.resolve()?;
        let mut axes = Vec::with_capacity(facts.len());
        for at in super::resolve::order(domain)? {
            let facts = facts[at].clone();
            let end = |e: &Option<Expr>| e.as_ref().and_then(|e| End::new(e, domain));
            let (lower, upper) = (end(&facts.lower), end(&facts.upper));
            axes.push(Axis { at, facts, lower, upper });
        }
        let names: Vec<&str> = domain.vars().collect();
        let assumptions =
            Program::new(domain.assumptions(), &names).map_err(|e| DomainError::NotDeclared { name: e.name })?;
        Ok(Points { axes, assumptions, random: Random::new(seed), round: 0 })
    }

    /// The next candidate. `None` when a range is empty for the values drawn so far, or when an assumption does not
    /// hold.
    fn candidate(&mut self) -> Option<Vec<i64>> {
        let round = self.round;
        self.round += 1;
        let mut point = vec![0; self.axes.len()];
        for axis in &self.axes {
            point[axis.at] = axis.value(&point, round, &mut self.random)?;
        }
        let values: Vec<i128> = point.iter().copied().map(i128::from).collect();
        let holds = self.assumptions.eval(&values).iter().all(|v| matches!(v, Ok(t) if *t != 0));
        holds.then_some(point)
    }
}

impl Axis {
    fn value(&self, point: &[i64], round: u64, random: &mut Random) -> Option<i64> {
        let VarFacts { interval, congruence, .. } = &self.facts;
        let (mut lo, mut hi) = (interval.lo().map(i128::from), interval.hi().map(i128::from));
        if let Some(end) = &self.lower {
            lo = lo.max(Some(end.at(point)?));
        }
        if let Some(end) = &self.upper {
            let end = end.at(point)?;
            hi = Some(hi.map_or(end, |h| h.min(end)));
        }
        let (least, most) = (lo.unwrap_or(-OPEN).max(-OPEN - 1), hi.unwrap_or(OPEN).min(OPEN));
        if least > most {
            return None;
        }
        let drawn = random.below(12);
        let value = match (round, drawn) {
            (0, _) | (2.., 0) => least,
            (1, _) | (2.., 1) => most,
            // a value near a power of two of either sign
            (_, 5 | 6) => {
                let power = 1i128 << random.below(63);
                (if drawn == 5 { power } else { -power }) + random.below(5) - 2
            }
            _ => {
                let end = |known: Option<i128>, end: i128, open| known.map_or(open, |_| end as i64);
                let range = Interval::new(end(lo, least, i64::MIN), end(hi, most, i64::MAX))?;
                sample(range, drawn, random).into()
            }
        };
        // round down to a value of the stride, or take the first value of the stride in the range
        let modulus = i128::from(congruence.modulus().max(1));
        let value = value.clamp(least, most);
        let value = value - floor_mod(value - i128::from(congruence.residue()), modulus);
        let value = if value < least { value + modulus } else { value };
        if value > most { None } else { i64::try_from(value).ok() }
    }
}

/// The greatest end of a range, which replaces an open upper end.
const OPEN: i128 = *Interval::ENDS.end() as i128;

impl Iterator for Points {
    type Item = Vec<i64>;

    fn next(&mut self) -> Option<Vec<i64>> {
        (0..TRIES).find_map(|_| self.candidate())
    }
}
