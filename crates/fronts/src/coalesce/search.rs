//! The search for schedules: candidates of all families, measured, priced, and the worse ones left out.

use super::access::{Access, ELEMENTS, Table};
use super::candidate::{Candidate, Price};
use super::climb::{Goal, Scorer, by_stride, by_vectors};
use super::digits::Digits;
use super::error::CoalesceError;
use super::pieces::{ORDERED, Pieces};
use super::radices::{boundaries, systems};
use super::schedule::Schedule;
use super::traffic::{Measure, Traffic, Warp};
use quaff::Simplifier;
use quaff::integer::floor_div;

/// Accesses of one search.
const ACCESSES: usize = 16;
/// Schedules of digits that are measured on all elements and priced: 24, and fewer where these are more than 8,388,608 together.
const PRICED: u64 = 24;
const MEASURED: u64 = 1 << 23;

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    identity: Traffic,
    optimum: Traffic,
    candidates: Vec<Candidate>,
    padded: Vec<Candidate>,
    measured: u64,
}

impl Found {
    /// What the accesses take in the order in which they are written, one element a lane.
    pub fn identity(&self) -> Traffic {
        self.identity
    }

    /// What they take in ascending order of addresses, each access by itself, one element a lane. Of one access without a gate, no order of
    /// such lanes has a smaller [`gap`](Traffic::gap), and the sectors exceed the fewest by one at most for every warp but one.
    pub fn optimum(&self) -> Traffic {
        self.optimum
    }

    /// Schedules that give each element to exactly one lane, none of which is worse than another one in all of gap, sectors,
    /// lines, requests and cost of the index: the fewest sectors first, then the fewest requests, the fewest lines and the lowest cost, unless
    /// they are [sorted otherwise](Found::sorted_by). Never empty, and the first one has no more sectors than the identity.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Schedules of more lanes than there are elements, some of which have nothing to do: they are cut into other warps, so that
    /// their costs do not compare with those of [`Found::candidates`]. In the same order; often empty.
    pub fn padded(&self) -> &[Candidate] {
        &self.padded
    }

    /// The same schedules, those first of which `first` is the lowest.
    ///
    /// ```
    /// use quaff::Simplifier;
    /// use quaff_fronts::coalesce::{Access, Measure, Warp, search};
    ///
    /// // strides 3 and 2 overlap: the lowest gap takes more sectors than another order
    /// let access = Access::new("3*(i%16) + 2*(i//16)".parse()?, 4)?;
    /// let found = search(&[access], "i", 256, Warp::default(), &Simplifier::default())?;
    /// assert_eq!(found.candidates()[0].traffic().sectors, 28);
    /// let found = found.sorted_by(Measure::Gap);
    /// assert_eq!(found.candidates()[0].traffic().sectors, 52);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sorted_by(mut self, first: Measure) -> Found {
        for list in [&mut self.candidates, &mut self.padded] {
            list.sort_by_cached_key(|candidate| candidate.rank(first));
        }
        self
    }

    /// How many schedules were measured.
    pub fn measured(&self) -> u64 {
        self.measured
    }
}

/// Searches schedules in which `n` elements are accessed by the lanes of `warp` together, so that they touch little memory and
/// the index remains cheap. `accesses` are over `variable`, the number of the element, and count by their weights.
///
/// Digits of the number are permuted and reversed: digits between boundaries that the index itself has, and their prime factors. All
/// orders are tried where they are few; else the order of strides, which is the best one where strides are nested, is where a local
/// search begins. Where a boundary does not divide `n`, the most significant digit is ragged. The ascending order of addresses itself
/// is a candidate where it repeats itself, up to short pieces at its ends. The answer is the same on every run.
///
/// Tabulates all elements, and measures some thousand schedules on 4,096 lanes at most; what is answered is measured on all.
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
/// [`CoalesceError`]: no access or too many, elements that are no whole number of warps or more than 4,194,304, an index over
/// another variable, without value or out of range.
pub fn search(
    accesses: &[Access],
    variable: &str,
    n: u64,
    warp: Warp,
    simplifier: &Simplifier,
) -> Result<Found, CoalesceError> {
    if accesses.is_empty() || accesses.len() > ACCESSES {
        return Err(CoalesceError::Accesses { count: accesses.len(), limit: ACCESSES });
    }
    if n > ELEMENTS {
        return Err(CoalesceError::TooMany { n: n.into(), limit: ELEMENTS });
    }
    let group = u64::from(warp.lanes());
    if n == 0 || !n.is_multiple_of(group) {
        return Err(CoalesceError::NoWholeWarps { n, group });
    }
    accesses.iter().try_for_each(|a| a.fits(warp))?;
    let tables = accesses.iter().map(|a| Table::new(a, variable, n)).collect::<Result<Vec<_>, _>>()?;
    let sum = |of: &dyn Fn(&Table) -> Traffic| {
        tables.iter().fold(Traffic::default(), |mut sum, table| {
            sum += of(table);
            sum
        })
    };
    let systems = all_systems(accesses, variable, n as i64);
    let short = || tables.iter().filter(|t| t.addresses.len() <= ORDERED);
    let pieces: Vec<Pieces> = short()
        .flat_map(|t| [t.sorted(false), t.sorted(true)])
        .filter_map(|order| Pieces::of(&order, &columns(&systems)))
        .collect();
    let price = Price { accesses, variable, n: n as i64, simplifier };
    let (mut candidates, mut padded, mut measured) = (Vec::new(), Vec::new(), 0);
    for warp in warp.widths().filter(|w| n.is_multiple_of(w.group() as u64)) {
        let mut scorer = Scorer::new(&tables, warp);
        let mut schedules = schedules(&systems, &tables, n as i64, &mut scorer);
        schedules.extend(pieces.iter().cloned().map(Schedule::Pieces));
        for schedule in schedules {
            let measured = scorer.exact(schedule);
            if measured.is_of_use() {
                let list = if measured.schedule.extent() == n as i64 { &mut candidates } else { &mut padded };
                keep(list, Candidate::new(measured, &price)?);
            }
        }
        measured += scorer.measured;
    }
    let alone = warp.one_each();
    let (identity, optimum) = (sum(&|t| t.traffic(alone)), sum(&|t| t.sorted_traffic(alone)));
    Ok(Found { identity, optimum, candidates, padded, measured }.sorted_by(Measure::Sectors))
}

/// The radices of all accesses, none twice.
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

/// How many elements follow one another with the same digits below the most significant one, and one less.
fn columns(systems: &[Vec<i64>]) -> Vec<usize> {
    let last = systems.iter().filter_map(|radices| usize::try_from(*radices.last()?).ok());
    last.flat_map(|r| [r, r.saturating_sub(1)]).collect()
}

/// The best schedules of each kind, and the identity.
fn schedules(systems: &[Vec<i64>], tables: &[Table], n: i64, scorer: &mut Scorer<'_>) -> Vec<Schedule> {
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
            for goal in [Goal::Gap, Goal::Sectors] {
                add(scorer.climb(&start, goal));
                if let Some(best) = scorer.best_order(&start, goal) {
                    add(scorer.climb(&best, goal));
                }
            }
            add(start);
        }
    }
    // the identity stays, whatever there is that is better
    let identity = digits.remove(0);
    let mut ranked: Vec<([u128; 4], Digits)> = Vec::with_capacity(digits.len());
    for d in digits {
        ranked.push((Goal::Gap.key(scorer.sampled(&d)), d));
    }
    ranked.sort();
    let kept = floor_div(MEASURED.into(), n.into()).clamp(4, PRICED.into()) as usize;
    let mut best: Vec<Digits> = ranked.iter().take(kept).map(|(_, d)| d.clone()).collect();
    // those that are best in sectors are among them, whatever their gaps
    ranked.sort_by_key(|([gap, sectors, lines, requests], _)| [*requests, *sectors, *lines, *gap]);
    best.extend(
        ranked.into_iter().take(kept.div_ceil(4)).map(|(_, d)| d).filter(|d| !best.contains(d)).collect::<Vec<_>>(),
    );
    std::iter::once(identity).chain(best).map(Schedule::Digits).collect()
}

/// Adds `candidate` to a list none of whose members is worse in everything than another.
fn keep(list: &mut Vec<Candidate>, candidate: Candidate) {
    if !list.iter().any(|c| c.covers(&candidate)) {
        list.retain(|c| !candidate.covers(c));
        list.push(candidate);
    }
}
