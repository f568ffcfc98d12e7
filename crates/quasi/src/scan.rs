//! Searches the points of a box for the first point at which compiled expressions pass a test of their values. The
//! search uses all cores if there are many points.

use super::lanes::{LANES, LaneProgram, Registers};
use quaff_expr::expr::{EvalError, Value};
use quaff_expr::integer::{floor_div, floor_mod};
use std::sync::atomic::{AtomicU64, Ordering};

/// A box of integer points. The last variable varies fastest.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    start: Vec<i64>,
    /// For each variable, the number of points in which this variable and all earlier variables keep their values.
    weight: Vec<u64>,
    count: Vec<u64>,
    points: u64,
}

impl Grid {
    /// Builds the grid from the first value and the number of values of each variable. Each number of values must be at
    /// least 1, and the last value of each variable must fit 64 bits. `None` if the number of points does not fit 64
    /// bits.
    pub(super) fn new(start: Vec<i64>, count: Vec<u64>) -> Option<Grid> {
        let mut weight = vec![1; count.len()];
        let mut points: u64 = 1;
        for i in (0..count.len()).rev() {
            weight[i] = points;
            points = points.checked_mul(count[i])?;
        }
        Some(Grid { start, weight, count, points })
    }

    pub(super) fn points(&self) -> u64 {
        self.points
    }

    pub(super) fn point(&self, index: u64) -> Vec<i64> {
        (0..self.start.len()).map(|i| self.digit(i, index).1).collect()
    }

    /// The digit of variable `i` at the point `index` (a number from 0), and the value of the variable.
    fn digit(&self, i: usize, index: u64) -> (u64, i64) {
        let q = floor_div(index.into(), self.weight[i].into());
        let digit = floor_mod(q, self.count[i].into());
        (digit as u64, (i128::from(self.start[i]) + digit) as i64)
    }

    /// Writes the values of variable `i` at the points from `first` on. Lanes past the last point wrap around.
    fn fill(&self, i: usize, first: u64, lanes: &mut [i64; LANES]) {
        let (weight, count) = (self.weight[i], self.count[i]);
        let (mut digit, mut value) = self.digit(i, first);
        let mut at = 0;
        // a variable keeps its value for a run of points. This is the part of the run from `first` on
        let mut run = weight - floor_mod(first.into(), weight.into()) as u64;
        while at < LANES {
            if weight == 1 {
                let ramp = (LANES - at).min((count - digit).min(LANES as u64) as usize);
                for lane in &mut lanes[at..at + ramp] {
                    *lane = value;
                    value = value.wrapping_add(1);
                }
                at += ramp;
                (digit, value) = (0, self.start[i]);
                continue;
            }
            let end = at + run.min((LANES - at) as u64) as usize;
            lanes[at..end].fill(value);
            at = end;
            run = weight;
            digit += 1;
            value = value.wrapping_add(1);
            if digit == count {
                (digit, value) = (0, self.start[i]);
            }
        }
    }
}

/// The property of the point that is searched, in terms of the program's roots. The first roots are tested, and the
/// roots after them are conditions. A point counts only if all conditions are true.
#[derive(Clone, Copy, Debug)]
pub(super) enum Test {
    /// Any point that satisfies the conditions. Root 0 does not matter.
    Any,
    /// A point at which root 0 differs from this value.
    Not(i128),
    /// A point at which root 0 has a value and root 1 has another value or none.
    Differ,
}

impl Test {
    /// The index of the first root that is a condition.
    fn conditions(self) -> usize {
        match self {
            Test::Any | Test::Not(_) => 1,
            Test::Differ => 2,
        }
    }
}

/// The result of [`Scan::find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// No point passes the test.
    Nowhere,
    /// The index of the first point that passes the test.
    At(u64),
    /// A value that matters exceeds 128 bits.
    Overflow,
}

/// The number of points that a thread takes at a time.
const CHUNK: u64 = 64 * LANES as u64;
/// The number of operators times points above which all cores are used.
const PARALLEL_ABOVE: u64 = 1 << 23;

/// A program over the points of a box.
pub(super) struct Scan<'p> {
    pub(super) program: &'p LaneProgram,
    pub(super) grid: &'p Grid,
    /// The number of roots of the program.
    pub(super) roots: usize,
    pub(super) threads: usize,
}

impl Scan<'_> {
    /// The first point in `from..until` that passes `test`. The result does not depend on the number of threads.
    pub(super) fn find(&self, test: Test, from: u64, until: u64) -> Found {
        let points = self.grid.points().min(until);
        let work = points.saturating_sub(from).saturating_mul(self.program.cost());
        // the first point that passes or overflows
        let best = AtomicU64::new(u64::MAX);
        let failed = AtomicU64::new(u64::MAX);
        let next = AtomicU64::new(from);
        let worker = || {
            let mut registers = self.program.registers();
            loop {
                let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                // the counter cannot wrap around, because a machine cannot count so many points in a lifetime
                if first >= points || first > best.load(Ordering::Relaxed) {
                    return;
                }
                let mut at = first;
                while at < (first + CHUNK).min(points) {
                    match self.block(&mut registers, test, at) {
                        Found::Nowhere => at += LANES as u64,
                        Found::At(index) => {
                            best.fetch_min(index, Ordering::Relaxed);
                            return;
                        }
                        Found::Overflow => {
                            best.fetch_min(at, Ordering::Relaxed);
                            failed.fetch_min(at, Ordering::Relaxed);
                            return;
                        }
                    }
                }
            }
        };
        let threads = if work > PARALLEL_ABOVE { self.threads } else { 1 };
        if threads > 1 {
            std::thread::scope(|scope| {
                for _ in 1..threads {
                    scope.spawn(worker);
                }
                worker();
            });
        } else {
            worker();
        }
        match (best.into_inner(), failed.into_inner()) {
            (u64::MAX, _) => Found::Nowhere,
            (hit, failure) if failure <= hit => Found::Overflow,
            (hit, _) => Found::At(hit),
        }
    }

    /// The exact value of root 0 at a point.
    pub(super) fn value(&self, index: u64) -> Value {
        let point: Vec<i128> = self.grid.point(index).into_iter().map(i128::from).collect();
        let mut registers = self.program.registers();
        let first = self.program.exact(&mut registers, &point).next();
        first.unwrap_or(Err(EvalError::Overflow))
    }

    /// Searches a block for the first point that passes. An overflow is reported only if no earlier point of the block
    /// passes.
    fn block(&self, registers: &mut Registers, test: Test, first: u64) -> Found {
        let lanes = (self.grid.points() - first).min(LANES as u64) as usize;
        if !self.program.run(registers, |i, out| self.grid.fill(i as usize, first, out)) {
            return self.block_exactly(registers, test, first, lanes);
        }
        let mut hits = [true; LANES];
        match test {
            Test::Any => {}
            Test::Not(value) => {
                // no lane holds `value` if it does not fit 64 bits, so every lane differs from it
                if let Ok(value) = i64::try_from(value) {
                    mark(&mut hits, self.program.root(registers, 0), |x| x != value);
                }
            }
            Test::Differ => {
                let (a, b) = (self.program.root(registers, 0), self.program.root(registers, 1));
                for (hit, (x, y)) in hits.iter_mut().zip(a.iter().zip(b)) {
                    *hit = x != y;
                }
            }
        }
        for condition in test.conditions()..self.roots {
            mark(&mut hits, self.program.root(registers, condition), |x| x != 0);
        }
        hits[..lanes].iter().position(|hit| *hit).map_or(Found::Nowhere, |lane| Found::At(first + lane as u64))
    }

    fn block_exactly(&self, registers: &mut Registers, test: Test, first: u64, lanes: usize) -> Found {
        let mut point: Vec<i128> = Vec::new();
        for index in first..first + lanes as u64 {
            point.clear();
            point.extend(self.grid.point(index).into_iter().map(i128::from));
            let mut values = self.program.exact(registers, &point);
            let hit = match test {
                Test::Any => {
                    values.next();
                    Ok(true)
                }
                Test::Not(value) => values.next().unwrap_or(Ok(value)).map(|v| v != value),
                Test::Differ => match (values.next(), values.next()) {
                    (Some(Ok(a)), Some(Ok(b))) => Ok(a != b),
                    (Some(Err(EvalError::Overflow)), _) | (_, Some(Err(EvalError::Overflow))) => {
                        Err(EvalError::Overflow)
                    }
                    (Some(Ok(_)), Some(Err(_))) => Ok(true),
                    _ => Ok(false),
                },
            };
            // a condition without a value does not hold
            let mut allowed = Ok(true);
            for value in values {
                match value {
                    Ok(0) | Err(EvalError::DivisionByZero | EvalError::Shift | EvalError::NoValue) => {
                        allowed = Ok(false);
                        break;
                    }
                    Err(EvalError::Overflow) => allowed = Err(EvalError::Overflow),
                    Ok(_) => {}
                }
            }
            match (allowed, hit) {
                (Ok(false), _) | (_, Ok(false)) => {}
                (Ok(true), Ok(true)) => return Found::At(index),
                _ => return Found::Overflow,
            }
        }
        Found::Nowhere
    }
}

#[inline]
fn mark(hits: &mut [bool; LANES], lanes: &[i64; LANES], keep: impl Fn(i64) -> bool) {
    for (hit, x) in hits.iter_mut().zip(lanes) {
        *hit &= keep(*x);
    }
}
