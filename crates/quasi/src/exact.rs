//! The decision procedure for expressions that have a value at every point.
//!
//! The difference of both expressions becomes one polynomial over atoms, which are variables, quotients and truth
//! values. A [`Piece`] asks whether this polynomial is 0 at every point of a box that satisfies some conditions. The
//! piece splits into [`groups`](super::groups) over disjoint variables. If the conditions of one group allow no point,
//! the whole piece has no point, and the answer is yes. Otherwise the difference is 0 everywhere exactly if each group
//! is constant at its allowed points and these constants sum to 0. So each group is enumerated on its own, and
//! combinations of points of several groups are not enumerated. A piece with too many points is first simplified with
//! the ranges of its variables, and then split into cases. A case is one side of a comparison with a constant, one
//! truth value of a condition, or one value of a divisor or factor.

use super::budget::Budget;
use super::cases::split;
use super::groups::{Group, groups};
use super::options::Options;
use super::piece::Piece;
use super::poly::Poly;
use super::question::{Checker, Question};
use super::sample::search;
use super::scan::{Found, Scan, Test};
use super::shift::stretch;
use super::verdict::{Outcome, Why, Work};
use quaff_expr::domain::Interval;

/// The most pieces that one comparison may make. Each piece costs some tens of microseconds.
const MAX_PIECES: usize = 1 << 13;
/// The number of points that are tried before many points are enumerated. Most expressions that differ do so at many
/// points.
const FIRST_SAMPLES: u32 = 1 << 8;
/// If there are too many points to enumerate, the number of points among which one is searched that the conditions
/// allow.
const GLANCE: u64 = 1 << 16;

/// The outcome of enumerating a piece.
enum Attempt {
    /// The difference is 0 wherever the conditions hold.
    Zero,
    Differs(Vec<i64>),
    Unknown(Why),
}

/// The outcome of enumerating one group.
enum Look {
    /// The conditions allow no point.
    Empty,
    /// The group's part of the difference has this value at all allowed points. The vector is the first allowed point.
    /// For a group that has only conditions, only the point matters.
    Constant(i128, Vec<i64>),
    /// Two allowed points with different values.
    Varies(Vec<i64>, Vec<i64>),
    Unknown(Why),
}

struct Solver<'q> {
    question: &'q Question,
    checker: &'q Checker<'q>,
    options: &'q Options,
    budget: Budget,
    points: u64,
    /// The number of evaluated operators.
    evaluations: u64,
}

/// Decides whether the two expressions of `question` are equal. All operators must have values at all points. Returns
/// the outcome and the work that was done.
pub(super) fn decide(question: &Question, checker: &Checker<'_>, options: &Options) -> (Outcome, Work) {
    let budget = Budget::new(options.max_steps);
    let mut solver = Solver { question, checker, options, budget, points: 0, evaluations: 0 };
    let outcome = solver.run();
    let Solver { points, evaluations, budget, .. } = solver;
    (outcome, Work { points, evaluations, steps: budget.spent() })
}

impl Solver<'_> {
    fn run(&mut self) -> Outcome {
        let Some(first) = Piece::first(self.question, &self.budget) else { return Outcome::Unknown(self.stuck()) };
        let mut stack = vec![first];
        let mut made = 1;
        while let Some(piece) = stack.pop() {
            if piece.is_settled() {
                continue;
            }
            let under = |conditions: &[Poly]| {
                groups(&piece.terms, &self.question.axes, &piece.ranges, &piece.difference, conditions)
            };
            let Some(loose) = under(&[]) else { return Outcome::Unknown(self.stuck()) };
            let tight = match &piece.conditions[..] {
                [] => None,
                some => match under(some) {
                    Some(tight) => Some(tight),
                    None => return Outcome::Unknown(self.stuck()),
                },
            };
            let cost = tight.as_deref().map_or(u64::MAX, cost).min(cost(&loose));
            if cost > self.options.ranges_above && !piece.narrow {
                match piece.narrowed(&piece.ranges, &[]) {
                    Some(narrow) => stack.push(narrow),
                    None => return Outcome::Unknown(self.stuck()),
                }
                continue;
            }
            if cost > self.options.split_above && made == 1 {
                let options = self.options;
                let samples = options.samples.min(FIRST_SAMPLES);
                let (found, evaluations) = search(self.question, self.checker, samples, options.seed);
                self.evaluations = self.evaluations.saturating_add(evaluations);
                if let Some(point) = found {
                    return Outcome::Differs(point);
                }
            }
            if cost > self.options.split_above && made < MAX_PIECES {
                let heavy = tight.as_ref().unwrap_or(&loose).iter().rev().find(|g| g.has_part);
                let heavy = heavy.map(|g| g.variables.clone()).unwrap_or_default();
                if let Some(pieces) = split(&piece, &heavy) {
                    made += pieces.len();
                    stack.extend(pieces.into_iter().rev());
                    continue;
                }
            }
            match self.attempt(&piece, &loose, tight.as_deref()) {
                Attempt::Zero => {}
                Attempt::Differs(point) => return Outcome::Differs(point),
                Attempt::Unknown(why) => return Outcome::Unknown(why),
            }
        }
        Outcome::Equal
    }

    fn too_many(&self) -> Why {
        Why::TooManyPoints { limit: self.options.max_points }
    }

    /// The reason why polynomials could not be built: the steps are spent, or a coefficient needs too many bits.
    fn stuck(&self) -> Why {
        match self.budget.is_spent() {
            true => Why::TooManySteps { limit: self.options.max_steps },
            false => Why::Unrepresentable,
        }
    }

    /// Tries the groups without the conditions if that needs fewer points. If the difference is not proved to be 0,
    /// tries the groups with the conditions.
    fn attempt(&mut self, piece: &Piece, loose: &[Group], tight: Option<&[Group]>) -> Attempt {
        let Some(tight) = tight else { return self.groups(piece, loose, true) };
        if cost(loose) <= cost(tight) && matches!(self.groups(piece, loose, false), Attempt::Zero) {
            return Attempt::Zero;
        }
        self.groups(piece, tight, true)
    }

    /// Enumerates the groups. If `complete` is `false`, conditions were left out, so only the result [`Attempt::Zero`]
    /// is valid.
    fn groups(&mut self, piece: &Piece, groups: &[Group], complete: bool) -> Attempt {
        let free = !complete || piece.conditions.is_empty();
        let mut sum = i128::from(piece.difference.constant);
        // `point` gets an allowed value for each group. `second` differs from it in the values of one group
        let anywhere = |range: &Interval| stretch(*range, Some(1)).map_or(0, |(first, _)| first);
        let mut point: Vec<i64> = piece.ranges.iter().map(anywhere).collect();
        let mut second: Option<(Vec<u32>, Vec<i64>)> = None;
        for group in groups.iter().filter(|g| g.has_part) {
            match self.look(group) {
                Look::Empty => return Attempt::Zero,
                Look::Constant(value, at) => {
                    sum = sum.saturating_add(value);
                    place(&mut point, &group.variables, &at);
                }
                Look::Varies(at, other) => {
                    place(&mut point, &group.variables, &at);
                    second = Some((group.variables.clone(), other));
                    if free {
                        break;
                    }
                }
                Look::Unknown(why) => return Attempt::Unknown(why),
            }
        }
        if second.is_none() && sum == 0 {
            return Attempt::Zero;
        }
        if !complete {
            return Attempt::Unknown(self.too_many());
        }
        for group in groups.iter().filter(|g| !g.has_part) {
            match self.look(group) {
                Look::Empty => return Attempt::Zero,
                Look::Constant(_, at) => place(&mut point, &group.variables, &at),
                Look::Varies(..) => {}
                Look::Unknown(why) => return Attempt::Unknown(why),
            }
        }
        // the difference has different values at the two points, so it is not 0 at one of them
        if self.checker.witness(&point).is_none()
            && let Some((variables, other)) = second
        {
            place(&mut point, &variables, &other);
        }
        Attempt::Differs(point)
    }

    fn look(&mut self, group: &Group) -> Look {
        if let Some((at, other)) = &group.rises {
            return Look::Varies(at.clone(), other.clone());
        }
        let left = self.options.max_points.saturating_sub(self.points);
        let Some(grid) = group.grid() else { return Look::Unknown(self.too_many()) };
        let Some(program) = group.compile(&self.question.axes) else { return Look::Unknown(Why::Unrepresentable) };
        let scan = Scan { program: &program, grid, roots: group.roots(), threads: self.options.cores() };
        let evaluable = self.options.max_evaluations.saturating_sub(self.evaluations).div_euclid(program.cost());
        let affordable = grid.points() <= left.min(evaluable);
        let too_many = match grid.points() <= left {
            true => Look::Unknown(Why::TooManyEvaluations { limit: self.options.max_evaluations }),
            false => Look::Unknown(self.too_many()),
        };
        if !affordable && group.has_part {
            return too_many;
        }
        let until = if affordable { u64::MAX } else { GLANCE.min(evaluable) };
        self.evaluations = self.evaluations.saturating_add(program.cost().saturating_mul(grid.points().min(until)));
        let first = match scan.find(Test::Any, 0, until) {
            Found::Nowhere if affordable => return Look::Empty,
            Found::Nowhere => return too_many,
            Found::Overflow => return Look::Unknown(Why::Overflow),
            Found::At(first) => first,
        };
        if !group.has_part {
            self.points += first;
            return Look::Constant(0, grid.point(first));
        }
        self.points += grid.points();
        let Ok(value) = scan.value(first) else { return Look::Unknown(Why::Overflow) };
        match scan.find(Test::Not(value), first, u64::MAX) {
            Found::Nowhere => Look::Constant(value, grid.point(first)),
            Found::At(other) => Look::Varies(grid.point(first), grid.point(other)),
            Found::Overflow => Look::Unknown(Why::Overflow),
        }
    }
}

/// The number of points of all groups that contain terms of the difference.
fn cost(groups: &[Group]) -> u64 {
    groups.iter().filter(|g| g.has_part).fold(0, |sum: u64, g| sum.saturating_add(g.points()))
}

fn place(point: &mut [i64], variables: &[u32], values: &[i64]) {
    for (v, value) in variables.iter().zip(values) {
        point[*v as usize] = *value;
    }
}
