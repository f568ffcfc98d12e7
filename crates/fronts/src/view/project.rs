//! Merges two views if no digit of an address carries into the next digit.
//!
//! The address of the upper view is a sum over its axes. This sum is taken modulo the size of each axis of the lower
//! view. If the remainders always stay below the size, every digit is also a sum over the axes, and so is the address
//! of the lower view. This method covers the usual cases, including symbolic sizes. It never proves that two views
//! cannot be merged: undecided cases go to [`exact`](super::exact).

use super::error::ViewError;
use super::facts::Facts;
use super::merge::{Group, groups};
use super::strided::View;
use quaff::expr::{Expr, int};

/// The reason why there is no merged view.
enum Stop {
    /// No index is valid.
    Empty,
    /// Some digit may carry.
    Open,
    Error(ViewError),
}

impl From<ViewError> for Stop {
    fn from(error: ViewError) -> Stop {
        Stop::Error(error)
    }
}

/// The view that reads `base` through `top`, if this method finds it.
///
/// # Errors
/// [`ViewError`] for addresses that exceed 64 bits.
pub(super) fn projected(facts: &Facts, base: &View, top: &View) -> Result<Option<View>, ViewError> {
    let empty = || {
        let view = View { mask: Some(vec![(int(0), int(0)); top.rank()]), ..top.clone() };
        view.canonical(facts).map(Some)
    };
    if base.is_empty(facts) || top.is_empty(facts) {
        return empty();
    }
    match project(facts, base, top) {
        Ok(view) => view.canonical(facts).map(Some),
        Err(Stop::Empty) => empty(),
        Err(Stop::Open) => Ok(None),
        Err(Stop::Error(error)) => Err(error),
    }
}

/// An axis of the upper view. It runs over `count` indices from `begin`. It runs backwards if its stride is negative,
/// so that the address never decreases.
struct Run {
    begin: Expr,
    count: Expr,
    backwards: bool,
    /// The amount that a step adds to the remaining address.
    step: Expr,
    /// The amount that a step adds to the address of the lower view.
    stride: Expr,
}

struct Sum<'f> {
    facts: &'f Facts,
    runs: Vec<Run>,
    /// The remaining address at the first index of all runs.
    start: Expr,
    /// The address of the lower view at the first index of all runs.
    offset: Expr,
}

fn project(facts: &Facts, base: &View, top: &View) -> Result<View, Stop> {
    let (offset, groups) = groups(facts, base)?;
    let mut sum = Sum { facts, runs: Vec::with_capacity(top.rank()), start: top.offset.clone(), offset };
    for axis in 0..top.rank() {
        sum.run(top, axis)?;
    }
    for (at, group) in groups.iter().enumerate().rev() {
        sum.digit(group, at == 0)?;
    }
    sum.view(top)
}

impl Sum<'_> {
    fn run(&mut self, top: &View, axis: usize) -> Result<(), Stop> {
        let facts = self.facts;
        let (begin, end) = top.valid(axis);
        let count = facts.sub(&end, &begin)?;
        let stride = &top.strides[axis];
        let backwards = !facts.le(&int(0), stride).ok_or(Stop::Open)?;
        let first = if backwards { facts.sub(&end, &int(1))? } else { begin.clone() };
        self.start = facts.add(&self.start, &facts.mul(&first, stride)?)?;
        let step = if backwards { facts.neg(stride)? } else { stride.clone() };
        self.runs.push(Run { begin, count, backwards, step, stride: int(0) });
        Ok(())
    }

    /// Splits the digit of `group` off the remaining address.
    fn digit(&mut self, group: &Group, is_outermost: bool) -> Result<(), Stop> {
        let facts = self.facts;
        let mut start = self.start.clone();
        let mut steps: Vec<Expr> = self.runs.iter().map(|r| r.step.clone()).collect();
        if !is_outermost {
            (self.start, start) = split(facts, &self.start, &group.size)?;
            for (run, step) in self.runs.iter_mut().zip(&mut steps) {
                (run.step, *step) = split(facts, &run.step, &group.size)?;
            }
            let most = self.most(&start, &steps)?;
            if facts.lt(&most, &group.size) != Some(true) {
                return Err(Stop::Open);
            }
        }
        start = self.mask(group, start, &steps, is_outermost)?;
        self.offset = facts.add(&self.offset, &facts.mul(&start, &group.stride)?)?;
        for (run, step) in self.runs.iter_mut().zip(&steps) {
            run.stride = facts.add(&run.stride, &facts.mul(step, &group.stride)?)?;
        }
        Ok(())
    }

    /// The greatest value of a digit that begins at `start` and grows by `steps` along the runs.
    fn most(&self, start: &Expr, steps: &[Expr]) -> Result<Expr, Stop> {
        let mut most = start.clone();
        for (run, step) in self.runs.iter().zip(steps).filter(|(_, s)| s.as_const() != Some(0)) {
            let last = self.facts.sub(&run.count, &int(1))?;
            most = self.facts.add(&most, &self.facts.mul(step, &last)?)?;
        }
        Ok(most)
    }

    /// Restricts the runs to the indices whose digit is within the mask of the group. `start` is the first value of the
    /// digit. Returns the first value within the mask.
    fn mask(&mut self, group: &Group, start: Expr, steps: &[Expr], is_outermost: bool) -> Result<Expr, Stop> {
        let facts = self.facts;
        let full = facts.is(&group.begin, 0) && facts.same(&group.end, &group.size) == Some(true);
        if full && is_outermost {
            // every address of the upper view is within the lower view, so its outermost digit is in range
            return Ok(start);
        }
        let most = self.most(&start, steps)?;
        let (above, below) = (facts.le(&group.begin, &start), facts.lt(&most, &group.end));
        if above == Some(true) && below == Some(true) {
            return Ok(start);
        }
        if facts.lt(&most, &group.begin) == Some(true) || facts.le(&group.end, &start) == Some(true) {
            return Err(Stop::Empty);
        }
        let moves = |at: &usize| {
            let (step, count) = (&steps[*at], &self.runs[*at].count);
            step.as_const() != Some(0) && count.as_const() != Some(1)
        };
        let moving: Vec<usize> = (0..steps.len()).filter(moves).collect();
        let [at] = moving[..] else { return Err(Stop::Open) };
        let mut first = int(0);
        if above != Some(true) {
            let least = self.steps_to(&facts.sub(&group.begin, &start)?, &steps[at])?;
            first = facts.max(&least, &int(0))?;
        }
        let mut last = self.runs[at].count.clone();
        if below != Some(true) {
            let least = self.steps_to(&facts.sub(&group.end, &start)?, &steps[at])?;
            last = facts.min(&least, &last)?;
        }
        if facts.le(&last, &first) == Some(true) {
            return Err(Stop::Empty);
        }
        self.narrow(at, &first, &last)?;
        Ok(facts.add(&start, &facts.mul(&first, &steps[at])?)?)
    }

    /// The least number of steps that add at least `distance`.
    fn steps_to(&self, distance: &Expr, step: &Expr) -> Result<Expr, Stop> {
        if let Some(step @ 1..) = step.as_const() {
            return Ok(self.facts.ceil_div(distance, step)?);
        }
        let (distance, step) = (self.facts.poly(distance)?, self.facts.poly(step)?);
        match distance.div_rem(&step) {
            Some((q, r)) if r.as_const() == Some(0) => Ok(self.facts.written(&q)?),
            _ => Err(Stop::Open),
        }
    }

    /// Restricts a run to the steps `first..last`.
    fn narrow(&mut self, at: usize, first: &Expr, last: &Expr) -> Result<(), Stop> {
        let facts = self.facts;
        let run = &mut self.runs[at];
        self.start = facts.add(&self.start, &facts.mul(first, &run.step)?)?;
        self.offset = facts.add(&self.offset, &facts.mul(first, &run.stride)?)?;
        let skipped = if run.backwards { facts.sub(&run.count, last)? } else { first.clone() };
        run.begin = facts.add(&run.begin, &skipped)?;
        run.count = facts.sub(last, first)?;
        Ok(())
    }

    fn view(self, top: &View) -> Result<View, Stop> {
        let facts = self.facts;
        let (mut strides, mut mask, mut offset) = (Vec::new(), Vec::new(), self.offset);
        for run in &self.runs {
            let end = facts.add(&run.begin, &run.count)?;
            let first = if run.backwards { facts.sub(&end, &int(1))? } else { run.begin.clone() };
            let stride = if run.backwards { facts.neg(&run.stride)? } else { run.stride.clone() };
            offset = facts.sub(&offset, &facts.mul(&first, &stride)?)?;
            strides.push(stride);
            mask.push((run.begin.clone(), end));
        }
        Ok(View { shape: top.shape.clone(), strides, offset, mask: Some(mask) })
    }
}

/// The quotient and the remainder of floor division by a size, if the remainder is known to be in range.
fn split(facts: &Facts, e: &Expr, size: &Expr) -> Result<(Expr, Expr), Stop> {
    let is_digit = |e: &Expr| facts.le(&int(0), e) == Some(true) && facts.lt(e, size) == Some(true);
    if is_digit(e) {
        return Ok((int(0), e.clone()));
    }
    let (q, r) = facts.poly(e)?.div_rem(&facts.poly(size)?).ok_or(Stop::Open)?;
    let (q, r) = (facts.written(&q)?, facts.written(&r)?);
    if is_digit(&r) {
        return Ok((q, r));
    }
    let (q, r) = (facts.sub(&q, &int(1))?, facts.add(&r, size)?);
    if is_digit(&r) { Ok((q, r)) } else { Err(Stop::Open) }
}
