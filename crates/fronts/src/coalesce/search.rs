//! Searches schedules: measures candidates of all kinds, computes the costs of their indices, and keeps the
//! Pareto-optimal candidates.

use super::access::{Access, ELEMENTS, Table};
use super::candidate::{Candidate, Price};
use super::climb::{Goal, Scorer, by_stride, by_vectors};
use super::composed::composed;
use super::digits::Digits;
use super::error::CoalesceError;
use super::found::{Apart, Found};
use super::objective::Objective;
use super::pieces::{ORDERED, Pieces};
use super::radices::{boundaries, systems};
use super::schedule::Schedule;
use super::traffic::{Traffic, Warp};
use super::uniform::{Point, points};
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::integer::floor_div;

/// The most accesses of one search.
const ACCESSES: usize = 16;
/// The most combinations of values of uniform variables that are tried, and the most for which separate schedules are
/// searched.
const VALUES: u64 = 64;
const APART: usize = 16;
/// With few elements, more combinations are tried, up to 65,536 elements over all combinations.
const OF_FEW: u64 = 1 << 16;
/// The most tables of addresses whose ascending order is tried as a schedule.
const ORDERS: usize = 16;
/// The most digit schedules for the first goal that are measured on all elements and get an index cost. Each further
/// goal adds a quarter of this number. More than 4 schedules are measured only if together they have at most 8,388,608
/// elements.
const PRICED: u64 = 24;
const MEASURED: u64 = 1 << 23;

/// Searches schedules under which the lanes of `warp` access `n` elements together with little memory traffic and a
/// cheap index. `accesses` are functions of `variable`, the number of the element. Their costs are multiplied by their
/// weights.
///
/// The search permutes and reverses digits of the number. The boundaries between the digits are periods of the index,
/// and digits are split into prime factors. If there are few orders of the digits, all of them are tried. Otherwise a
/// local search begins with the digits sorted by stride, which is optimal if the strides are nested. If a boundary does
/// not divide `n`, the last value of the most significant digit is incomplete. The ascending order of addresses is a
/// candidate, too, if it is periodic except for short pieces at its ends. The answer is the same on every run.
///
/// The search tabulates all elements, and measures some thousand schedules on 4,096 lanes at most. The schedules of the
/// answer are measured on all lanes.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_fronts::coalesce::{Access, Warp, search};
///
/// // columns of a matrix with 64 rows
/// let access = Access::new("i%16*64 + i//16".parse()?, 4)?;
/// let found = search(&[access], "i", 1024, Warp::default(), &Simplifier::default())?;
/// assert_eq!((found.identity().sectors, found.optimum().sectors), (512, 128));
/// let best = &found.candidates()[0];
/// assert_eq!((best.traffic().gap, best.traffic().sectors), (0, 128));
/// assert_eq!(best.sigma().to_string(), "u*16 - u//64*1023");
/// assert_eq!(best.indices()[0].to_string(), "u");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`CoalesceError::Accesses`] for no access or more than 16, [`CoalesceError::NoWholeWarps`] if the elements are no
/// whole number of warps, and [`CoalesceError::TooMany`] for more than 4,194,304 elements. [`CoalesceError::Unknown`],
/// [`CoalesceError::NoValue`] and [`CoalesceError::Address`] for an index over another variable, without a value, or
/// beyond 2^40.
pub fn search(
    accesses: &[Access],
    variable: &str,
    n: u64,
    warp: Warp,
    simplifier: &Simplifier,
) -> Result<Found, CoalesceError> {
    Question::new(accesses, variable, n, warp).search(simplifier)
}

/// A search for schedules, with the accesses, the facts about other variables, and the objective by which schedules are
/// compared.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_fronts::coalesce::{Access, Question, Warp};
///
/// // blocks begin anywhere in a line
/// let accesses = [Access::new("i%64*64 + i//64 + pid".parse()?, 4)?];
/// let question = Question::new(&accesses, "i", 256, Warp::default()).with_uniform("pid=0..7".parse()?).with_threads(64);
/// let found = question.by("2*sectors + cost".parse()?).search(&Simplifier::default())?;
/// let best = &found.candidates()[0];
/// assert_eq!(best.indices()[0].to_string(), "pid + u + u//4*60");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Question<'a> {
    pub(super) accesses: &'a [Access],
    pub(super) variable: &'a str,
    pub(super) n: u64,
    pub(super) warp: Warp,
    pub(super) uniform: Domain,
    pub(super) threads: Option<u32>,
    objective: Objective,
}

impl<'a> Question<'a> {
    /// The question of [`search`]: it minimises the sectors, and there are no other variables.
    pub fn new(accesses: &'a [Access], variable: &'a str, n: u64, warp: Warp) -> Question<'a> {
        let (uniform, objective) = (Domain::new(), Objective::default());
        Question { accesses, variable, n, warp, uniform, threads: None, objective }
    }

    /// The question with uniform variables, which have the same value in all lanes. A schedule is optimised for all of
    /// their values together, and [`Found::apart`] has schedules for single values. A value is skipped if all addresses
    /// equal the addresses of an earlier value, shifted by whole lines. Of the other values, 64 combinations are tried,
    /// or more if there are few elements.
    pub fn with_uniform(self, uniform: Domain) -> Question<'a> {
        Question { uniform, ..self }
    }

    /// The question for blocks of `threads` threads, which take `n` elements in several steps. The number of a lane is
    /// `t + threads*s` for thread `t` at step `s`. The search counts [`Traffic::fetches`].
    pub fn with_threads(self, threads: u32) -> Question<'a> {
        Question { threads: Some(threads), ..self }
    }

    /// The question with `objective` as the number to minimise, in place of the sectors.
    pub fn by(self, objective: Objective) -> Question<'a> {
        Question { objective, ..self }
    }

    /// The schedules that the search finds. See [`search`].
    ///
    /// # Errors
    /// The errors of [`search`]. [`CoalesceError::Threads`] and [`CoalesceError::NoThreads`] for an unsuitable or
    /// missing number of threads. [`CoalesceError::Values`] for uniform variables with too many values,
    /// [`CoalesceError::Open`] for a variable without a range, and [`CoalesceError::Name`] for a variable with a name
    /// that schedules use.
    pub fn search(&self, simplifier: &Simplifier) -> Result<Found, CoalesceError> {
        self.check()?;
        let (points, gated) = points(self.accesses, self.variable, &self.uniform, self.limit())?;
        let mut of_points = Vec::with_capacity(points.len());
        for point in &points {
            of_points.push(self.tables(point, &gated)?);
        }
        let all: Vec<Table> = of_points.iter().flatten().cloned().collect();
        let mut found = self.search_tables(&all, &self.uniform, simplifier)?;
        if (2..=APART).contains(&points.len()) {
            for (point, tables) in points.iter().zip(&of_points) {
                let uniform = point.residues.iter().fold(self.uniform.clone(), |domain, r| r.within(&domain));
                let own = self.search_tables(tables, &uniform, simplifier)?;
                found.measured += own.measured;
                let candidate = own.candidates.into_iter().next();
                found.apart.extend(candidate.map(|candidate| Apart { residues: point.residues.clone(), candidate }));
            }
        }
        Ok(found)
    }

    /// The most combinations of values of uniform variables that are tried.
    fn limit(&self) -> u64 {
        let per = |all: u64| floor_div(all.into(), self.n.max(1).into()) as u64;
        VALUES.max(per(OF_FEW)).min(per(ELEMENTS))
    }

    /// Checks that the question has a valid number of accesses and elements.
    fn check(&self) -> Result<(), CoalesceError> {
        let (accesses, n) = (self.accesses, self.n);
        if accesses.is_empty() || accesses.len() > ACCESSES {
            return Err(CoalesceError::Accesses { count: accesses.len(), limit: ACCESSES });
        }
        if n > ELEMENTS {
            return Err(CoalesceError::TooMany { n: n.into(), limit: ELEMENTS });
        }
        let group = u64::from(self.warp.lanes());
        if n == 0 || !n.is_multiple_of(group) {
            return Err(CoalesceError::NoWholeWarps { n, group });
        }
        if let Some(threads) = self.threads {
            let whole = threads > 0 && n.is_multiple_of(threads.into()) && threads.is_multiple_of(self.warp.lanes());
            if !whole {
                return Err(CoalesceError::Threads { threads, vector: 1, n });
            }
        }
        if self.objective.has_fetches && self.threads.is_none() {
            return Err(CoalesceError::NoThreads);
        }
        if let Some(name) = self.uniform.vars().find(|name| is_taken(name) || *name == self.variable) {
            return Err(CoalesceError::Name { name: name.into() });
        }
        accesses.iter().try_for_each(|a| a.fits(self.warp))
    }

    /// The first access, with the first value of each uniform variable substituted.
    pub(super) fn at_first(&self) -> Result<Access, CoalesceError> {
        self.check()?;
        let (points, gated) = points(self.accesses, self.variable, &self.uniform, self.limit())?;
        let none = || CoalesceError::Accesses { count: 0, limit: ACCESSES };
        let (Some(point), Some(access)) = (points.first(), gated.first()) else { return Err(none()) };
        Ok(access.at(|e| point.put_in(e)))
    }

    /// The addresses of all accesses, at one point of the uniform variables.
    fn tables(&self, point: &Point, gated: &[Access]) -> Result<Vec<Table>, CoalesceError> {
        let table = |(number, access): (usize, &Access)| {
            let mut table = Table::new(&access.at(|e| point.put_in(e)), self.variable, self.n)?;
            let weight = table.weight.saturating_mul(point.times);
            (table.weight, table.access, table.moves) = (weight, number, !point.values.is_empty());
            Ok(table)
        };
        gated.iter().enumerate().map(table).collect()
    }

    /// Whether the elements are a whole number of steps of a block, if each thread takes as many elements as a lane of
    /// `warp`.
    fn fits_steps(&self, warp: Warp) -> bool {
        let step = u64::from(self.threads.unwrap_or(1)) * u64::from(warp.vector());
        self.n.is_multiple_of(step)
    }

    fn search_tables(
        &self,
        tables: &[Table],
        uniform: &Domain,
        simplifier: &Simplifier,
    ) -> Result<Found, CoalesceError> {
        let (accesses, variable, n) = (self.accesses, self.variable, self.n);
        let systems = all_systems(accesses, variable, n as i64);
        let short = || tables.iter().filter(|t| t.addresses.len() <= ORDERED).take(ORDERS);
        let pieces: Vec<Pieces> = short()
            .flat_map(|t| [t.sorted(false), t.sorted(true)])
            .filter_map(|order| Pieces::of(&order, &columns(&systems)))
            .collect();
        let price = Price { accesses, variable, n: n as i64, uniform, simplifier };
        let (mut candidates, mut padded, mut measured) = (Vec::new(), Vec::new(), 0);
        let whole = |w: &Warp| n.is_multiple_of(w.group() as u64) && self.fits_steps(*w);
        for warp in self.warp.widths().filter(whole) {
            let mut scorer = Scorer::new(tables, warp, self.threads);
            let goals = goals(&self.objective);
            let mut schedules = schedules(&systems, tables, n as i64, &mut scorer, &goals);
            let chains = composed(&systems, tables, (n as i64, warp, self.threads), &goals);
            schedules.extend(chains.into_iter().map(|(first, second)| Schedule::Composed(first, second)));
            schedules.extend(pieces.iter().cloned().map(Schedule::Pieces));
            for schedule in schedules {
                let measured = scorer.exact(schedule);
                if measured.is_of_use() {
                    let list = if measured.schedule.extent() == n as i64 { &mut candidates } else { &mut padded };
                    keep(list, Candidate::new(measured, &price)?, &self.objective);
                }
            }
            measured += scorer.measured;
        }
        let alone = self.warp.one_each();
        let sum = |of: &dyn Fn(&Table) -> Traffic| {
            tables.iter().fold(Traffic::default(), |mut sum, table| {
                sum += of(table);
                sum
            })
        };
        let (identity, optimum) = (sum(&|t| t.traffic(alone)), sum(&|t| t.sorted_traffic(alone)));
        let found = Found { identity, optimum, candidates, padded, apart: Vec::new(), measured };
        Ok(found.sorted_for(&self.objective))
    }
}

/// The lists of radices of all accesses, without duplicates.
fn all_systems(accesses: &[Access], variable: &str, n: i64) -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = Vec::new();
    for access in accesses {
        for radices in systems(&boundaries(access, variable, n), n) {
            if !all.contains(&radices) {
                all.push(radices);
            }
        }
    }
    all
}

/// For each list, the radix `r` of its most significant digit, and `r - 1`. In an order by lower digits, `r` elements,
/// or `r - 1`, have the same lower digits.
fn columns(systems: &[Vec<i64>]) -> Vec<usize> {
    let last = systems.iter().filter_map(|radices| usize::try_from(*radices.last()?).ok());
    last.flat_map(|r| [r, r.saturating_sub(1)]).collect()
}

/// The measures that the search minimises, each in a separate search.
fn goals(objective: &Objective) -> Vec<Goal<'_>> {
    let own = objective.guides.then_some(Goal::Own(objective));
    [Goal::Gap, Goal::Sectors].into_iter().chain(own).collect()
}

/// The schedule in which lane `u` takes element `u`, and the best schedules for each goal.
fn schedules(
    systems: &[Vec<i64>],
    tables: &[Table],
    n: i64,
    scorer: &mut Scorer<'_>,
    goals: &[Goal<'_>],
) -> Vec<Schedule> {
    let mut digits: Vec<Digits> = Vec::new();
    let mut add = |found: Digits| {
        let fused = found.fused();
        if !digits.contains(&fused) {
            digits.push(fused);
        }
    };
    add(Digits::identity(&[n]));
    let vector = i64::from(scorer.vector());
    for radices in systems {
        let vectors = tables.iter().filter(|_| vector > 1).filter_map(|t| by_vectors(radices, t, vector));
        let starts = tables.iter().map(|t| by_stride(radices, t)).chain([Digits::identity(radices)]);
        for start in starts.chain(vectors) {
            for goal in goals.iter().copied() {
                add(scorer.climb(&start, goal));
                if let Some(best) = scorer.best_order(&start, goal) {
                    add(scorer.climb(&best, goal));
                }
            }
            add(start);
        }
    }
    // the schedule without permutation is always kept
    let identity = digits.remove(0);
    let mut ranked: Vec<(Traffic, Digits)> = Vec::with_capacity(digits.len());
    for d in digits {
        ranked.push((scorer.sampled(&d), d));
    }
    let kept = floor_div(MEASURED.into(), n.into()).clamp(4, PRICED.into()) as usize;
    let mut best: Vec<Digits> = Vec::new();
    for goal in goals.iter().copied() {
        ranked.sort_by_cached_key(|(traffic, d)| (goal.key(*traffic), d.clone()));
        // a goal after the first one adds its best schedules, even if they are bad for the first goal
        let some = if best.is_empty() { kept } else { kept.div_ceil(4) };
        let more: Vec<Digits> =
            ranked.iter().take(some).map(|(_, d)| d).filter(|d| !best.contains(d)).cloned().collect();
        best.extend(more);
    }
    std::iter::once(identity).chain(best).map(Schedule::Digits).collect()
}

/// Whether schedules use `name` for a number, a lane, a thread or a step.
fn is_taken(name: &str) -> bool {
    ["u", "t", "s"].contains(&name)
}

/// Adds `candidate` to a Pareto-optimal list. A member is dropped if another candidate is at least as good in every
/// measure.
fn keep(list: &mut Vec<Candidate>, candidate: Candidate, objective: &Objective) {
    if !list.iter().any(|c| c.covers(&candidate, objective)) {
        list.retain(|c| !candidate.covers(c, objective));
        list.push(candidate);
    }
}
