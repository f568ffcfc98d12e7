//! Decides exactly whether views of constant sizes equal a single view.
//!
//! Views equal a single view exactly when their valid indices are a box and the address changes by a constant along
//! each axis of this box. Both the box and the constants follow from one valid index. The box reaches along each axis
//! to the last valid index. Each constant is the difference between the addresses of two neighbouring indices.
//! [`quasi`] decides whether the views agree with this candidate. Most wrong candidates already fail at a corner or a
//! random index.
//!
//! [`quasi`]: quaff::quasi

use super::facts::Facts;
use super::locate::{Located, locate};
use super::numbers::{Numbers, address};
use super::strided::View;
use quaff::domain::{Domain, Random};
use quaff::expr::{Expr, int, var};
use quaff::quasi::{Options, Verdict, decide};
use std::time::Duration;

/// The number of random indices that are tried to find a valid index, and the number of random indices at which a
/// candidate is tested.
const SAMPLES: usize = 64;
/// The most axes whose ends are combined to corners of a box.
const CORNER_AXES: usize = 6;
/// The most points that are enumerated over all parts of a question, and the most steps of algebra. With this limit, a
/// movement takes milliseconds.
const MAX_POINTS: u64 = 1 << 20;
/// The most operators that are evaluated, which also limits the time of a movement to milliseconds.
const MAX_EVALUATIONS: u64 = 1 << 26;

/// The result of the decision.
#[derive(Clone, Debug)]
pub(super) enum OneView {
    /// The views equal this view.
    Yes(View),
    /// No single view equals the views.
    No,
    /// The question is not decided, because a limit was reached.
    Open,
}

/// A candidate: the box of valid indices as pairs of first index and exclusive end, and an affine address.
struct Candidate {
    valid: Vec<(i128, i128)>,
    strides: Vec<i128>,
    /// The address of index 0.
    offset: i128,
}

impl Candidate {
    fn contains(&self, index: &[i128]) -> bool {
        index.iter().zip(&self.valid).all(|(x, (begin, end))| begin <= x && x < end)
    }

    fn address(&self, index: &[i128]) -> i128 {
        index.iter().zip(&self.strides).fold(self.offset, |sum, (x, stride)| sum.wrapping_add(x.wrapping_mul(*stride)))
    }

    fn view(&self, shape: &[Expr]) -> Option<View> {
        let small = |v: i128| i64::try_from(v).ok().map(int);
        let mask = self.valid.iter().map(|(b, e)| Some((small(*b)?, small(*e)?))).collect::<Option<Vec<_>>>()?;
        let strides = self.strides.iter().map(|s| small(*s)).collect::<Option<Vec<_>>>()?;
        Some(View { shape: shape.to_vec(), strides, offset: small(self.offset)?, mask: Some(mask) })
    }
}

/// Decides whether `views` equal a single view.
pub(super) fn one_view(facts: &Facts, views: &[View]) -> OneView {
    let (Some(numbers), Some(top)) = (views.iter().map(Numbers::of).collect::<Option<Vec<_>>>(), views.last()) else {
        return OneView::Open;
    };
    let names: Vec<Expr> = (0..top.rank()).map(|k| var(format!("i{k}"))).collect();
    let Ok(Located { address: index, valid }) = locate(facts, views, &names) else { return OneView::Open };
    let question = Question { numbers: &numbers, names: &names, index, valid };
    let point = match question.valid_point() {
        Ok(Some(point)) => point,
        Ok(None) => {
            let none = vec![(int(0), int(0)); top.rank()];
            return OneView::Yes(View { mask: Some(none), ..top.clone() });
        }
        Err(Undecided) => return OneView::Open,
    };
    let Some(candidate) = question.candidate(&point) else { return OneView::Open };
    if question.differs(&candidate) {
        return OneView::No;
    }
    match question.is(&candidate) {
        Some(true) => candidate.view(&top.shape).map_or(OneView::Open, OneView::Yes),
        Some(false) => OneView::No,
        None => OneView::Open,
    }
}

/// The error after a limit was reached.
struct Undecided;

struct Question<'q> {
    numbers: &'q [Numbers],
    names: &'q [Expr],
    index: Expr,
    valid: Expr,
}

impl Question<'_> {
    fn address(&self, index: &[i128]) -> Option<i128> {
        address(self.numbers, index)
    }

    /// The valid box of the last view, which contains all valid indices.
    fn outer(&self) -> &[(i128, i128)] {
        self.numbers.last().map_or(&[], |top| &top.valid)
    }

    fn options() -> Options {
        Options {
            max_points: MAX_POINTS,
            max_steps: MAX_POINTS,
            max_evaluations: MAX_EVALUATIONS,
            samples: 1 << 8,
            smt_timeout: Duration::ZERO,
            ..Options::default()
        }
    }

    fn domain(&self, ranges: &[(i128, i128)]) -> Option<Domain> {
        let mut domain = Domain::new();
        for (k, (begin, end)) in ranges.iter().enumerate() {
            let (low, high) = (i64::try_from(*begin).ok()?, i64::try_from(end - 1).ok()?);
            domain.add_bounds(format!("i{k}"), low..=high);
        }
        Some(domain)
    }

    /// A valid index. `None` when there is none.
    fn valid_point(&self) -> Result<Option<Vec<i128>>, Undecided> {
        let outer = self.outer();
        if outer.iter().any(|(begin, end)| begin >= end) {
            return Ok(None);
        }
        if let Some(point) = self.some_points(outer).find(|p| self.address(p).is_some()) {
            return Ok(Some(point));
        }
        let domain = self.domain(outer).ok_or(Undecided)?;
        match decide(&self.valid, &int(0), &domain, &Question::options()).verdict {
            Verdict::Equal => Ok(None),
            Verdict::Differs { witness } => {
                // an index that does not occur in the condition may have any value
                let value = |k: usize| witness.get(&format!("i{k}")).map_or(outer[k].0, i128::from);
                let point: Vec<i128> = (0..outer.len()).map(value).collect();
                Ok(self.address(&point).map(|_| point))
            }
            Verdict::Undecided { .. } => Err(Undecided),
        }
    }

    /// Corners of a box, its middle, and random indices in it.
    fn some_points<'p>(&self, ranges: &'p [(i128, i128)]) -> impl Iterator<Item = Vec<i128>> + use<'p> {
        let moving: Vec<usize> =
            (0..ranges.len()).filter(|&k| ranges[k].1 - ranges[k].0 > 1).take(CORNER_AXES).collect();
        let corner = move |bits: usize| {
            let high = |k: usize| moving.iter().position(|&m| m == k).is_none_or(|at| bits >> at & 1 == 1);
            ranges.iter().enumerate().map(|(k, (b, e))| if high(k) { e - 1 } else { *b }).collect::<Vec<_>>()
        };
        let corners = 1usize << ranges.iter().filter(|(b, e)| e - b > 1).count().min(CORNER_AXES);
        let middle = ranges.iter().map(|(b, e)| b + floor_half(e - b)).collect::<Vec<_>>();
        let mut random = Random::new(SAMPLES as u64);
        let drawn = (0..SAMPLES).map(move |_| ranges.iter().map(|(b, e)| b + random.below(e - b)).collect());
        (0..corners).map(corner).chain([middle]).chain(drawn)
    }

    /// The only view that can equal the views, given a valid index.
    fn candidate(&self, point: &[i128]) -> Option<Candidate> {
        let here = self.address(point)?;
        let at = |axis: usize, x: i128| {
            let mut other = point.to_vec();
            other[axis] = x;
            self.address(&other)
        };
        let (mut valid, mut strides, mut offset) = (Vec::new(), Vec::new(), here);
        for (axis, (begin, end)) in self.outer().iter().enumerate() {
            let x = point[axis];
            // if the valid indices are a box, all indices between `x` and the end of the box are valid, so bisection
            // finds the end
            let behind = first_that(x + 1, *end, |x| at(axis, x).is_none());
            let before = -first_that(1 - x, 1 - begin, |x| at(axis, -x).is_none());
            let stride = match (x + 1 < behind, x - 1 > before) {
                (true, _) => at(axis, x + 1)? - here,
                (_, true) => here - at(axis, x - 1)?,
                _ => 0,
            };
            valid.push((before + 1, behind));
            strides.push(stride);
            offset = offset.checked_sub(x.checked_mul(stride)?)?;
        }
        Some(Candidate { valid, strides, offset })
    }

    /// Whether an index was found at which the candidate is wrong.
    fn differs(&self, candidate: &Candidate) -> bool {
        let inside = |p: &Vec<i128>| self.address(p) == Some(candidate.address(p));
        let both = |p: &Vec<i128>| self.address(p).is_some() == candidate.contains(p);
        let near: Vec<(i128, i128)> = std::iter::zip(&candidate.valid, self.outer())
            .map(|((b, e), (least, behind))| ((b - 1).max(*least), (e + 1).min(*behind)))
            .collect();
        !(self.some_points(&candidate.valid).all(|p| inside(&p))
            && self.some_points(self.outer()).all(|p| both(&p))
            && self.some_points(&near).all(|p| both(&p)))
    }

    /// Whether the candidate is correct at every index.
    fn is(&self, candidate: &Candidate) -> Option<bool> {
        let options = Question::options();
        let verdict =
            |a: &Expr, b: &Expr, ranges: &[(i128, i128)]| match decide(a, b, &self.domain(ranges)?, &options).verdict {
                Verdict::Equal => Some(true),
                Verdict::Differs { .. } => Some(false),
                Verdict::Undecided { .. } => None,
            };
        // the candidate is right inside of the box if all its indices are valid and the address is affine
        let view = candidate.view(&[])?;
        let mut affine = view.offset.clone();
        for (name, stride) in self.names.iter().zip(&view.strides).filter(|(_, s)| s.as_const() != Some(0)) {
            affine = affine + name * stride;
        }
        let mut right = verdict(&self.index, &affine, &candidate.valid)?;
        if self.valid.as_const() == Some(1) {
            return Some(right);
        }
        right = right && verdict(&self.valid, &int(1), &candidate.valid)?;
        // the candidate is right outside of the box if no index is valid there, which is tested in slabs beyond each
        // side
        let mut slab = self.outer().to_vec();
        for (axis, (begin, end)) in candidate.valid.iter().enumerate() {
            let (least, behind) = slab[axis];
            for side in [(least, *begin), (*end, behind)] {
                if right && side.0 < side.1 {
                    slab[axis] = side;
                    right = verdict(&self.valid, &int(0), &slab)?;
                }
            }
            slab[axis] = (*begin, *end);
        }
        Some(right)
    }
}

fn floor_half(n: i128) -> i128 {
    n >> 1
}

/// The first number of `from..to` for which `is` holds, or `to` if there is none. If `is` holds for a number, it must
/// hold for all later numbers.
fn first_that(from: i128, to: i128, is: impl Fn(i128) -> bool) -> i128 {
    let (mut low, mut high) = (from, to);
    while low < high {
        let middle = low + floor_half(high - low);
        if is(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
