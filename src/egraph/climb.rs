//! The search of [`super::rows`]: which multiples of rows to take off a combination, on dense vectors.

use super::facts::{Graph, facts};
use super::lin::Lin;
use crate::domain::{floor_div, floor_mod, gcd};
use egg::Id;
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::rc::Rc;

/// Multiples of rows that one bound may take off.
const MAX_STEPS: usize = 5;
/// Combinations followed at once.
const BEAM: usize = 2;
/// Steps in a row that raise nothing, taken when no step does: ends that one row moved hide what the next row says.
const MAX_LEVEL: u32 = 2;
/// Rows looked at: those nearest to the combination.
const MAX_ROWS: usize = 14;
/// Coefficients beyond are not followed: no index has them, and sums of products stay below 128 bits.
const MAX_COEFFICIENT: i128 = 1 << 50;

type Coeffs = SmallVec<[i64; 12]>;

/// Floor, residual and row by number, and the factors of both.
type Steps = SmallVec<[(Floor, usize, usize, i64, i64); 8]>;

/// `constant + Σ coeffs[i] * ids[i]` over the terms of a [`Space`].
#[derive(Clone)]
struct Dense {
    constant: i128,
    coeffs: Coeffs,
}

/// The least value that the ranges of its terms leave to `scale` times what is bounded.
#[derive(Clone, Copy)]
pub(super) struct Floor {
    scale: i64,
    /// Terms without a bound on the side that counts.
    open: u32,
    value: i128,
}

/// `scale * wanted - Σ multiples of rows`.
struct Residual {
    dense: Dense,
    floor: Floor,
}

/// The terms that a search can meet, their ranges, and the rows over them.
pub(super) struct Space {
    ids: SmallVec<[Id; 12]>,
    ends: SmallVec<[(Option<i64>, Option<i64>); 12]>,
    rows: SmallVec<[Dense; 8]>,
}

impl Space {
    /// With those of `rows` that are connected with `start` by terms.
    pub(super) fn new<'r>(graph: &Graph, start: &[&Lin], rows: impl Iterator<Item = &'r Rc<Lin>> + Clone) -> Space {
        let mut ids: SmallVec<[Id; 12]> = SmallVec::new();
        let add = |ids: &mut SmallVec<[Id; 12]>, lin: &Lin| {
            for &t in lin.terms() {
                if !ids.contains(&t) {
                    ids.push(t);
                }
            }
        };
        start.iter().for_each(|l| add(&mut ids, l));
        let mut near: SmallVec<[&Lin; 8]> = SmallVec::new();
        loop {
            let before = near.len();
            for row in rows.clone() {
                if near.len() < MAX_ROWS
                    && !near.iter().any(|r| std::ptr::eq(*r, &**row))
                    && row.terms().iter().any(|t| ids.contains(t))
                {
                    near.push(row);
                    add(&mut ids, row);
                }
            }
            if near.len() == before {
                break;
            }
        }
        let ends = ids.iter().map(|&t| facts(graph, t).interval).map(|i| (i.lo(), i.hi())).collect();
        let mut space = Space { ids, ends, rows: SmallVec::new() };
        space.rows = near.into_iter().map(|r| space.dense(r)).collect();
        space
    }

    fn dense(&self, lin: &Lin) -> Dense {
        let mut coeffs: Coeffs = smallvec![0; self.ids.len()];
        for (c, t) in lin.iter() {
            if let Some(i) = self.ids.iter().position(|&u| u == t) {
                coeffs[i] = c;
            }
        }
        Dense { constant: lin.constant.into(), coeffs }
    }

    /// The best floor that a beam search from `start`, pairs of a combination and its scale, reaches.
    pub(super) fn climb(&self, start: &[(&Lin, i64)]) -> Option<Floor> {
        let from = |&(lin, scale): &(&Lin, i64)| {
            let dense = self.dense(lin);
            let floor = self.floor(&dense, 1, None, scale)?;
            Some(Residual { dense, floor })
        };
        let mut beam: SmallVec<[Residual; 2]> = start.iter().filter_map(from).collect();
        let mut best: Option<Floor> = None;
        let mut level = 0;
        for step in 0..=MAX_STEPS {
            for r in &beam {
                if best.as_ref().is_none_or(|b| r.floor.above(b)) {
                    best = Some(r.floor);
                }
            }
            if step == MAX_STEPS {
                break;
            }
            let mut next: Steps = SmallVec::new();
            let mut equal: Steps = SmallVec::new();
            for (b, at) in beam.iter().enumerate() {
                for (r, row) in self.rows.iter().enumerate() {
                    for (&c, &a) in at.dense.coeffs.iter().zip(&row.coeffs) {
                        // a positive multiple of the row that cancels this term
                        if c == 0 || a == 0 || (a > 0) != (c > 0) {
                            continue;
                        }
                        let Some((own, times)) = cancelling(c, a) else { continue };
                        let Some(scale) = at.floor.scale.checked_mul(own) else { continue };
                        let Some(floor) = self.floor(&at.dense, own, Some((row, times)), scale) else { continue };
                        match floor.order(&at.floor) {
                            Ordering::Greater => next.push((floor, b, r, own, times)),
                            Ordering::Equal => equal.push((floor, b, r, own, times)),
                            Ordering::Less => {}
                        }
                    }
                }
            }
            if !next.is_empty() {
                level = 0;
                next.sort_by(|x, y| y.0.order(&x.0));
                next.dedup_by(|x, y| x.0.order(&y.0) == Ordering::Equal);
            } else if level < MAX_LEVEL && !equal.is_empty() {
                level += 1;
                equal.sort_by(|x, y| y.0.order(&x.0));
                next = equal;
            } else {
                break;
            }
            next.truncate(BEAM);
            beam = next
                .into_iter()
                .filter_map(|(floor, b, r, own, times)| {
                    Some(Residual { dense: beam[b].dense.minus(own, &self.rows[r], times)?, floor })
                })
                .collect();
        }
        best
    }

    /// The floor of `own * dense - times * row`; `None` when a coefficient grows too large.
    fn floor(&self, dense: &Dense, own: i64, row: Option<(&Dense, i64)>, scale: i64) -> Option<Floor> {
        let own = i128::from(own);
        let mut floor = Floor { scale, open: 0, value: dense.constant.checked_mul(own)? };
        if let Some((row, times)) = row {
            floor.value -= row.constant * i128::from(times);
        }
        for (i, &c) in dense.coeffs.iter().enumerate() {
            let mut c = i128::from(c) * own;
            if let Some((row, times)) = row {
                c -= i128::from(row.coeffs[i]) * i128::from(times);
            }
            if c == 0 {
                continue;
            }
            if c.abs() > MAX_COEFFICIENT {
                return None;
            }
            let (lo, hi) = self.ends[i];
            match if c > 0 { lo } else { hi } {
                Some(end) => floor.value += c * i128::from(end),
                None => floor.open += 1,
            }
        }
        Some(floor)
    }
}

/// The least `own` and `times` with `own * c == times * a`, where `c` and `a` have one sign.
fn cancelling(c: i64, a: i64) -> Option<(i64, i64)> {
    let g = gcd(i128::from(c), i128::from(a));
    let part = |x: i64| i64::try_from(floor_div(i128::from(x).abs(), g)).ok();
    let (own, times) = (part(a)?, part(c)?);
    (i128::from(own.max(times)) <= MAX_COEFFICIENT).then_some((own, times))
}

impl Dense {
    fn minus(&self, own: i64, row: &Dense, times: i64) -> Option<Dense> {
        let (own, times) = (i128::from(own), i128::from(times));
        let part = |(&c, &a): (&i64, &i64)| i64::try_from(i128::from(c) * own - i128::from(a) * times).ok();
        let coeffs = self.coeffs.iter().zip(&row.coeffs).map(part).collect::<Option<_>>()?;
        let constant = self.constant.checked_mul(own)?.checked_sub(row.constant.checked_mul(times)?)?;
        (constant.abs() <= 1 << 70).then_some(Dense { constant, coeffs })
    }
}

impl Floor {
    fn above(&self, other: &Floor) -> bool {
        self.order(other) == Ordering::Greater
    }

    /// Fewer open terms first, then the greater value.
    fn order(&self, other: &Floor) -> Ordering {
        let scaled = |r: &Floor, s: i64| r.value.saturating_mul(i128::from(s));
        other.open.cmp(&self.open).then_with(|| scaled(self, other.scale).cmp(&scaled(other, self.scale)))
    }

    /// Whether the bound was rounded up.
    pub(super) fn is_rounded(&self) -> bool {
        floor_mod(self.value, i128::from(self.scale)) != 0
    }

    /// Rounded up: what is bounded is an integer.
    pub(super) fn bound(&self) -> Option<i128> {
        (self.open == 0).then(|| -floor_div(-self.value, i128::from(self.scale)))
    }
}
