//! The beam search of [`super::linear_constraints`]. The input is a linear form and constraints. The output is a lower
//! bound of the form. Each step subtracts a multiple of a constraint. Because every constraint is at least 0, a lower
//! bound of the rest, the *residual*, is a lower bound of the form as well. The *floor* of a residual is its lower
//! bound by the ranges of its terms.

use crate::egraph::analysis::term_facts::TermFacts;
use crate::egraph::language::linear_form::LinearForm;
use crate::integer::{floor_div, gcd};
use egg::Id;
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::rc::Rc;

/// The largest number of constraint multiples that one bound may subtract.
const MAX_STEPS: usize = 3;
/// The beam width: the number of linear forms that the search keeps at each step.
const BEAM: usize = 3;
/// The largest number of consecutive steps that do not raise the bound. Such a step is taken only if no other step
/// raises the bound. It may make a later step possible that raises the bound.
const MAX_LEVEL: u32 = 2;
/// The largest number of constraints that the search uses.
const MAX_CONSTRAINTS: usize = 40;
/// The largest absolute value of a coefficient in the search. Index expressions have no larger coefficients.
const MAX_COEFFICIENT: i64 = 1 << 50;

/// Coefficients over the terms of a [`Space`], in its order.
type Coeffs = SmallVec<[i64; 16]>;

/// Candidate steps: the new floor, the number of the residual in the beam, the number of the constraint, and the
/// factors of the residual and of the constraint.
type Steps = SmallVec<[(Floor, usize, usize, i64, i64); 8]>;

/// `constant + Σ terms`. Each term is stored as its number in a [`Space`] and its coefficient.
#[derive(Clone, Debug)]
struct Constraint {
    constant: i64,
    terms: SmallVec<[(usize, i64); 4]>,
}

/// A lower bound of `scale` times the bounded form, by the ranges of its terms.
#[derive(Clone, Copy)]
pub(crate) struct Floor {
    scale: i64,
    /// The number of terms whose range is open on the side that the lower bound needs.
    open: u32,
    value: i64,
}

/// `scale * wanted - Σ multiples of constraints`. `coeffs` holds the coefficients of the terms that occur in a
/// constraint. The other terms only contribute to `floor`.
struct Residual {
    coeffs: Coeffs,
    floor: Floor,
}

/// The constraints, and for each term the constraints that contain it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space {
    ids: Vec<Id>,
    constraints: Vec<Constraint>,
    /// For each term: the numbers of the constraints that contain it, with its coefficient in each.
    columns: Vec<SmallVec<[(usize, i64); 4]>>,
}

/// The lower and the upper end of a range, if the range has them.
type Ends = (Option<i64>, Option<i64>);

/// The end of a term's range at which `c` times the term is least.
fn end(c: i64, ends: Ends) -> Option<i64> {
    if c > 0 { ends.0 } else { ends.1 }
}

impl Space {
    pub(crate) fn new(constraints: &[Rc<LinearForm>]) -> Space {
        let mut space = Space::default();
        for (r, constraint) in constraints.iter().take(MAX_CONSTRAINTS).enumerate() {
            let mut terms = SmallVec::with_capacity(constraint.len());
            for (c, t) in constraint.iter() {
                let i = space.number(t).unwrap_or_else(|| {
                    space.ids.push(t);
                    space.columns.push(SmallVec::new());
                    space.ids.len() - 1
                });
                space.columns[i].push((r, c));
                terms.push((i, c));
            }
            space.constraints.push(Constraint { constant: constraint.constant, terms });
        }
        space
    }

    fn number(&self, t: Id) -> Option<usize> {
        self.ids.iter().position(|&u| u == t)
    }

    /// The ends of each term, by its range and by the constraints that contain no other term.
    fn ends(&self, facts: &impl TermFacts) -> SmallVec<[Ends; 16]> {
        let mut ends: SmallVec<[Ends; 16]> = SmallVec::with_capacity(self.ids.len());
        for &t in &self.ids {
            let range = facts.interval(t);
            ends.push((range.lo(), range.hi()));
        }
        for constraint in &self.constraints {
            let [(i, c)] = constraint.terms[..] else { continue };
            // c*t + k >= 0, so t is at least -k/c, or at most k/-c
            let bound = floor_div(constraint.constant.into(), i128::from(c).abs());
            let Ok(bound) = i64::try_from(if c > 0 { -bound } else { bound }) else { continue };
            let (lo, hi) = &mut ends[i];
            if c > 0 {
                *lo = Some(lo.map_or(bound, |lo| lo.max(bound)));
            } else {
                *hi = Some(hi.map_or(bound, |hi| hi.min(bound)));
            }
        }
        ends
    }

    /// The residual of `lin` before the first step: its coefficients over the terms of the constraints, and its floor.
    /// `ends` are the ends of these terms. `None` if a number is too large.
    fn residual(&self, facts: &impl TermFacts, ends: &[Ends], lin: &LinearForm, scale: i64) -> Option<Residual> {
        let mut coeffs: Coeffs = smallvec![0; self.ids.len()];
        let mut floor = Floor { scale, open: 0, value: lin.constant };
        for (c, t) in lin.iter() {
            if c.unsigned_abs() > MAX_COEFFICIENT.unsigned_abs() {
                return None;
            }
            let ends = if let Some(i) = self.number(t) {
                coeffs[i] = c;
                ends[i]
            } else {
                let range = facts.interval(t);
                (range.lo(), range.hi())
            };
            match end(c, ends) {
                Some(e) => floor.value = floor.value.checked_add(c.checked_mul(e)?)?,
                None => floor.open += 1,
            }
        }
        Some(Residual { coeffs, floor })
    }

    /// The best floor that a beam search reaches from `start`, which holds pairs of a linear form and its scale.
    pub(crate) fn search(&self, facts: &impl TermFacts, start: &[(&LinearForm, i64)]) -> Option<Floor> {
        let ends = self.ends(facts);
        let mut beam: SmallVec<[Residual; 3]> =
            start.iter().filter_map(|s| self.residual(facts, &ends, s.0, s.1)).collect();
        let mut best: Option<Floor> = None;
        let mut tried: SmallVec<[(usize, i64, i64); 16]> = SmallVec::new();
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
                tried.clear();
                for (i, &c) in at.coeffs.iter().enumerate().filter(|c| *c.1 != 0) {
                    // positive multiples of the constraints that cancel this term
                    for &(r, a) in self.columns[i].iter().filter(|r| (r.1 > 0) == (c > 0)) {
                        let Some((own, times)) = cancelling(c, a) else { continue };
                        // one constraint may cancel several terms at once
                        if tried.contains(&(r, own, times)) {
                            continue;
                        }
                        tried.push((r, own, times));
                        let Some(floor) = at.floor_less(own, &self.constraints[r], times, &ends) else { continue };
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
            let taken = next.into_iter().filter_map(|(floor, b, r, own, times)| {
                Some(Residual { coeffs: beam[b].less(own, &self.constraints[r], times)?, floor })
            });
            beam = taken.collect();
        }
        best
    }
}

/// The least `own` and `times` with `own * c == times * a`. `c` and `a` have the same sign.
fn cancelling(c: i64, a: i64) -> Option<(i64, i64)> {
    let (c, a) = (c.checked_abs()?, a.checked_abs()?);
    let (own, times) = match (c, a) {
        _ if c == a => (1, 1),
        // no common factor
        (1, _) | (_, 1) => (a, c),
        _ => {
            let g = gcd(c.into(), a.into());
            let part = |x: i64| i64::try_from(floor_div(x.into(), g)).ok();
            (part(a)?, part(c)?)
        }
    };
    (own.max(times) <= MAX_COEFFICIENT).then_some((own, times))
}

impl Residual {
    /// The floor of `own * self - times * constraint`. `None` if a number is too large.
    fn floor_less(&self, own: i64, constraint: &Constraint, times: i64, ends: &[Ends]) -> Option<Floor> {
        let Floor { scale, mut open, value } = self.floor;
        let scale = scale.checked_mul(own)?;
        let mut value = value.checked_mul(own)?.checked_sub(constraint.constant.checked_mul(times)?)?;
        for &(i, a) in &constraint.terms {
            let old = self.coeffs[i].checked_mul(own)?;
            let new = old.checked_sub(a.checked_mul(times)?)?;
            if old.unsigned_abs().max(new.unsigned_abs()) > MAX_COEFFICIENT.unsigned_abs() {
                return None;
            }
            if old != 0 {
                match end(old, ends[i]) {
                    Some(e) => value = value.checked_sub(old.checked_mul(e)?)?,
                    None => open -= 1,
                }
            }
            if new != 0 {
                match end(new, ends[i]) {
                    Some(e) => value = value.checked_add(new.checked_mul(e)?)?,
                    None => open += 1,
                }
            }
        }
        Some(Floor { scale, open, value })
    }

    /// The coefficients of `own * self - times * constraint`.
    fn less(&self, own: i64, constraint: &Constraint, times: i64) -> Option<Coeffs> {
        let small = |c: i64| (-MAX_COEFFICIENT..=MAX_COEFFICIENT).contains(&c).then_some(c);
        let mut coeffs = Coeffs::from_slice(&self.coeffs);
        if own != 1 {
            for c in &mut coeffs {
                *c = small(c.checked_mul(own)?)?;
            }
        }
        for &(i, a) in &constraint.terms {
            coeffs[i] = small(coeffs[i].checked_sub(a.checked_mul(times)?)?)?;
        }
        Some(coeffs)
    }
}

impl Floor {
    fn above(&self, other: &Floor) -> bool {
        self.order(other) == Ordering::Greater
    }

    /// Compares two floors. The floor with fewer open terms is greater. If they have equally many open terms, the floor
    /// with the greater value is greater.
    fn order(&self, other: &Floor) -> Ordering {
        let scaled = |r: &Floor, s: i64| i128::from(r.value) * i128::from(s);
        other.open.cmp(&self.open).then_with(|| scaled(self, other.scale).cmp(&scaled(other, self.scale)))
    }

    /// The lower bound of the form, rounded up because the form is an integer.
    pub(crate) fn bound(&self) -> Option<i128> {
        (self.open == 0).then(|| -floor_div(-i128::from(self.value), self.scale.into()))
    }
}
