//! Contiguity, constancy and divisibility of an index along the lanes of a warp, or along an axis of a block.

use crate::AskError;
use crate::points;
use quaff::domain::{Bounds, Congruence, Domain, Points};
use quaff::expr::substitute::substituted;
use quaff::expr::{Expr, Program, int, var};
use quaff::integer::{floor_div, floor_mod, gcd};
use quaff::{Facts, Simplifier};
use std::sync::Arc;

/// The number of sample points at which properties are evaluated before they are proved.
const SAMPLES: usize = 6;

/// The greatest number of points of a domain that are all evaluated, so that no proofs are needed. Evaluating so many
/// points takes about as long as one failed proof.
const MOST_POINTS: i128 = 1 << 12;

/// The facts proved about one expression along a lane variable `l` in `0..n`. A group of length `g` begins at a lane
/// that is a multiple of `g`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// The number of lanes. The lane `l` is in `0..count-1`.
    pub count: i64,
    /// The greatest length of groups of lanes in which each value is the previous one plus 1. The length is at least 1
    /// and divides `count`.
    pub contiguity: i64,
    /// The greatest length of groups of lanes in which all values are equal. The length is at least 1 and divides
    /// `count`.
    pub constancy: i64,
    /// A congruence that the first value of each contiguous group satisfies.
    pub first: Congruence,
}

impl Lanes {
    /// The greatest number that is proved to divide the first value of each contiguous group. It is 0 if that value is
    /// always 0.
    ///
    /// ```
    /// # use quaff::Simplifier;
    /// # use quaff_ask::lanes;
    /// let domain = "pid=0..99, t=0..31".parse()?;
    /// let found = lanes(&Simplifier::default(), &["pid*48 + t".parse()?], "t", &domain)?;
    /// assert_eq!((found[0].contiguity, found[0].divisibility()), (32, 48));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn divisibility(&self) -> i64 {
        let divisor = gcd(self.first.modulus().into(), self.first.residue().into());
        // for the least `i64`, the divisor 2^63 does not fit, so the answer is 2^62
        i64::try_from(divisor).unwrap_or(1 << 62)
    }

    /// The greatest length of a vector access along the lanes, a power of two up to `most`. The values of the lanes of
    /// such an access are contiguous, and the first value is a multiple of the length.
    pub fn vector(&self, most: i64) -> i64 {
        widest(most, |width| divides(width, self.contiguity) && divides(width, self.divisibility()))
    }
}

/// The greatest number of neighbouring lanes that one vector access under `mask` covers, a power of two up to `most`.
///
/// ```
/// use quaff::{Simplifier, domain::Domain};
/// use quaff_ask::{lanes, widest_vector};
///
/// let domain: Domain = "t=0..255, n=2..4096 step 2".parse()?;
/// let found = lanes(&Simplifier::default(), &["t".parse()?, "t < n".parse()?], "t", &domain)?;
/// // eight contiguous elements, but the end may be behind the second one
/// assert_eq!((found[0].vector(8), widest_vector(&found[0], Some(&found[1]), 8)), (8, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn widest_vector(index: &Lanes, mask: Option<&Lanes>, most: i64) -> i64 {
    let shared = mask.map_or(index.count, |mask| mask.constancy);
    widest(index.vector(most), |width| divides(width, shared))
}

/// Whether `width`, at least 1, divides `n`.
fn divides(width: i64, n: i64) -> bool {
    floor_mod(n.into(), width.into()) == 0
}

/// The greatest power of two up to `most` that satisfies `is_right`, and 1 if there is none.
fn widest(most: i64, is_right: impl Fn(i64) -> bool) -> i64 {
    let powers = (0..62).map(|k| 1i64 << k).take_while(|width| *width <= most);
    powers.filter(|&width| is_right(width)).last().unwrap_or(1)
}

/// Finds contiguity, constancy and divisibility of indices and masks along the variable `lane`.
///
/// The range of `lane` must be `0..n-1`, where `n` is a number. The search tries groups of 1, 2, 4, … lanes, if their
/// length divides `n`, and one group of all lanes. An answer holds for all values of the other variables. If the domain
/// has up to 4,096 points, all of them are evaluated, and the answer is exact. If there are more points, sample points
/// first rule out group lengths. A binary search over the other lengths takes one proof for each step and property. The
/// divisibility takes one e-graph search.
///
/// ```
/// use quaff::{Simplifier, domain::Domain};
/// use quaff_ask::lanes;
///
/// let domain: Domain = "t=0..127, m=64..4096 step 64, pid=0..63".parse()?;
/// let found = lanes(&Simplifier::default(), &["(pid*64 + t%64)%m + t//64".parse()?], "t", &domain)?;
/// assert_eq!((found[0].contiguity, found[0].constancy), (64, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AskError::Unknown`] if the domain has no variable `lane`, and [`AskError::Lane`] or [`AskError::Step`] if its
/// range is not `0..n-1`. The errors of [`Simplifier::simplify`] if an expression has no value at some point.
pub fn lanes(simplifier: &Simplifier, exprs: &[Expr], lane: &str, domain: &Domain) -> Result<Vec<Lanes>, AskError> {
    let count = lane_count(lane, domain)?;
    let mut whole = simplifier.facts(domain);
    let samples = Samples::new(domain, lane, count);
    let mut groups = Groups { simplifier, domain, lane, count, samples, known: Vec::new() };
    let mut found = Vec::new();
    for expr in exprs {
        // the proof of `expr == expr` returns an error if the expression has no value at some point
        whole.prove(&expr.equals(expr))?;
        if let Some(seen) = AllPoints::of(domain, expr, lane).and_then(|all| all.lanes(count)) {
            found.push(seen);
            continue;
        }
        let contiguity = groups.greatest(expr, Property::Contiguous);
        let constancy = groups.greatest(expr, Property::Constant);
        let first = groups.first(expr, contiguity).unwrap_or(Congruence::new(1, 0));
        found.push(Lanes { count, contiguity, constancy, first });
    }
    Ok(found)
}

/// The number of lanes of the variable `lane`.
pub(crate) fn lane_count(lane: &str, domain: &Domain) -> Result<i64, AskError> {
    let name = || Arc::<str>::from(lane);
    let vars = domain.resolve()?;
    let at = domain.position(lane).and_then(|at| vars.get(at)).ok_or_else(|| AskError::Unknown { name: name() })?;
    let bad = || AskError::Lane { name: name(), range: at.interval.to_string() };
    // if the end is an expression, the number of lanes may vary
    let is_number = at.lower.is_none() && at.upper.is_none();
    let ends = at.interval.bounded().filter(|(low, _)| *low == 0 && is_number);
    match at.congruence.modulus() {
        step @ 2.. => Err(AskError::Step { name: name(), step }),
        _ => ends.and_then(|(_, high)| high.checked_add(1)).ok_or_else(bad),
    }
}

/// Divides the lanes into groups of `length` lanes, and writes a lane as `start + offset`. The first lane of the group
/// is `start`, and `offset` is the position in the group. Returns the domain with these facts, `start` and `offset`.
pub(crate) fn grouped(domain: &Domain, lane: &str, count: i64, length: i64) -> (Domain, Expr, Expr) {
    // these names contain blanks, so no variable of a program has them
    let (group, offset) = ("the group", "the lane in the group");
    let groups = i64::try_from(floor_div(count.into(), length.into())).unwrap_or(1);
    let start = if groups == 1 { int(0) } else { var(group) * length };
    let own = if groups == 1 { var(offset) } else { &start + var(offset) };
    let mut domain = domain.clone();
    domain.add_bounds(group, 0..groups);
    domain.add_bounds(offset, 0..length);
    domain.add_bounds(lane, Bounds::new(Some(own.clone()), Some(own)));
    (domain, start, var(offset))
}

/// A property of a group of lanes.
#[derive(Clone, Copy)]
enum Property {
    /// Each value is the first one plus the offset in the group.
    Contiguous,
    /// Each value is equal to the first one.
    Constant,
}

impl Property {
    /// The expected value of the lane at `offset` in a group whose first value is `first`.
    fn value(self, first: i128, offset: i128) -> Option<i128> {
        match self {
            Property::Contiguous => first.checked_add(offset),
            Property::Constant => Some(first),
        }
    }
}

/// The greatest length for which all groups of the `count` lanes have a property. If `are_nested` is set, each half of
/// a group with the property also has it, so that a binary search is possible.
fn greatest(count: i64, are_nested: bool, mut holds: impl FnMut(i64) -> bool) -> i64 {
    let powers: Vec<i64> =
        (1..62).map(|k| 1i64 << k).take_while(|length| divides(*length, count) && *length < count).collect();
    if !are_nested {
        return powers.into_iter().chain([count]).take_while(|&length| holds(length)).last().unwrap_or(1);
    }
    if holds(count) {
        return count;
    }
    let longest = powers.partition_point(|&length| holds(length));
    longest.checked_sub(1).map_or(1, |at| powers[at])
}

/// The value of an expression at `point`, after the coordinate with the index `place` is set to `lane`.
fn value_at(program: &Program, point: &[i64], place: usize, lane: i128) -> Option<i128> {
    let mut wide: Vec<i128> = point.iter().map(|value| (*value).into()).collect();
    wide[place] = lane;
    program.eval(&wide).swap_remove(0).ok()
}

/// A small domain with all its points, and an expression to evaluate at them.
struct AllPoints {
    points: Vec<points::Point>,
    program: Program,
    /// The index of the lane in a point.
    lane: usize,
}

impl AllPoints {
    /// Lists the points of `domain`. `None` if there are more than `MOST_POINTS`, or if a range is open.
    fn of(domain: &Domain, expr: &Expr, lane: &str) -> Option<AllPoints> {
        let expr = std::slice::from_ref(expr);
        let found = points::Points::up_to(MOST_POINTS, domain, expr, &[lane])?;
        let names: Vec<&str> = found.names.iter().map(|name| &**name).collect();
        let place = names.iter().position(|name| *name == lane)?;
        let program = Program::new(expr, &names).ok()?;
        Some(AllPoints { points: found.all, program, lane: place })
    }

    /// The first value of the group that contains the point, and the offset of the point in the group.
    fn first(&self, point: &points::Point, length: i64) -> Option<(i128, i128)> {
        let lane = i128::from(point[self.lane]);
        let offset = floor_mod(lane, length.into());
        value_at(&self.program, point, self.lane, lane - offset).map(|first| (first, offset))
    }

    /// Computes all properties exactly. `None` if there are no points, or if a value of `expr` is undefined or too
    /// large.
    fn lanes(&self, count: i64) -> Option<Lanes> {
        let values: Vec<i128> = self
            .points
            .iter()
            .map(|point| value_at(&self.program, point, self.lane, point[self.lane].into()))
            .collect::<Option<_>>()?;
        let longest = |property: Property| {
            greatest(count, false, |length| {
                self.points.iter().zip(&values).all(|(point, value)| {
                    let first = self.first(point, length);
                    first.and_then(|(first, offset)| property.value(first, offset)) == Some(*value)
                })
            })
        };
        let contiguity = longest(Property::Contiguous);
        let constancy = longest(Property::Constant);
        let mut firsts = self.points.iter().map(|point| self.first(point, contiguity).map(|(first, _)| first));
        let origin = i64::try_from(firsts.next()??).ok()?;
        let modulus = firsts.try_fold(0, |all, first| Some(gcd(all, first?.checked_sub(origin.into())?)))?;
        let first = Congruence::new(i64::try_from(modulus).ok()?, origin);
        Some(Lanes { count, contiguity, constancy, first })
    }
}

/// Sample points of the domain. They refute most properties that do not hold, in less time than a failed proof.
struct Samples {
    names: Vec<Arc<str>>,
    points: Vec<Vec<i64>>,
    /// The index of the lane in a point.
    lane: usize,
    /// For each point, expressions are also evaluated with the lane variable set to each of these values.
    lanes: Vec<i64>,
}

impl Samples {
    /// Chooses the sample points. There are none if no points of the domain are found.
    fn new(domain: &Domain, lane: &str, count: i64) -> Samples {
        let names: Vec<Arc<str>> = domain.vars().map(Arc::from).collect();
        let points = Points::new(domain, 0).map_or_else(|_| vec![], |points| points.take(SAMPLES).collect());
        let at = names.iter().position(|name| **name == *lane).unwrap_or(0);
        // if a condition contains the lane variable, a point with another lane may be outside of the domain, so no
        // other lanes are evaluated
        let is_free = !domain.conditions().iter().any(|e| e.variables().iter().any(|name| **name == *lane));
        let powers = (0..62).map(|k| 1i64 << k).take_while(|power| *power < count);
        let lanes = powers.flat_map(|power| [power - 1, power]).filter(|_| is_free).collect();
        Samples { names, points, lane: at, lanes }
    }

    /// Whether a sample point shows that groups of this length do not have the property.
    fn refute(&self, program: &Program, length: i64, property: Property) -> bool {
        self.points.iter().any(|point| {
            self.lanes.iter().chain([&point[self.lane]]).any(|&lane| {
                let offset = floor_mod(lane.into(), length.into());
                let value = |lane: i128| value_at(program, point, self.lane, lane);
                let wanted = value(i128::from(lane) - offset).and_then(|first| property.value(first, offset));
                offset != 0 && wanted.zip(value(lane.into())).is_some_and(|(wanted, own)| wanted != own)
            })
        })
    }
}

/// The state of a search for the longest groups of lanes with a property.
struct Groups<'a> {
    simplifier: &'a Simplifier,
    domain: &'a Domain,
    lane: &'a str,
    count: i64,
    samples: Samples,
    known: Vec<Group>,
}

/// Groups of one length, with the facts for the lane `length * group + offset`.
struct Group {
    length: i64,
    facts: Facts,
    /// The first lane of a group.
    start: Expr,
    offset: Expr,
}

impl Groups<'_> {
    fn of(&mut self, length: i64) -> &mut Group {
        let at = self.known.iter().position(|group| group.length == length).unwrap_or(self.known.len());
        if at == self.known.len() {
            self.known.push(self.made(length));
        }
        &mut self.known[at]
    }

    fn made(&self, length: i64) -> Group {
        let (domain, start, offset) = grouped(self.domain, self.lane, self.count, length);
        Group { length, facts: self.simplifier.facts(&domain), start, offset }
    }

    /// The greatest length for which all groups are proved to have a property.
    fn greatest(&mut self, expr: &Expr, property: Property) -> i64 {
        let (lane, count) = (self.lane, self.count);
        let names: Vec<&str> = self.samples.names.iter().map(|name| &**name).collect();
        let program = Program::new(std::slice::from_ref(expr), &names).ok();
        // if a condition contains the lane, the first lane of a half may be outside of the domain, so a property of a
        // group may fail in its halves
        let are_nested = !self.samples.lanes.is_empty();
        greatest(count, are_nested, |length| {
            if program.as_ref().is_some_and(|program| self.samples.refute(program, length, property)) {
                return false;
            }
            let Group { facts, start, offset, .. } = self.of(length);
            let at = |place: &Expr| substituted(expr, lane, place);
            let (value, first) = (at(&(&*start + &*offset)), at(start));
            let wanted = match property {
                Property::Contiguous => first + &*offset,
                Property::Constant => first,
            };
            matches!(facts.equal(&value, &wanted), Ok(Some(true)))
        })
    }

    /// The congruence of the first value of each group.
    fn first(&mut self, expr: &Expr, length: i64) -> Option<Congruence> {
        let lane = self.lane;
        let Group { facts, start, .. } = self.of(length);
        facts.congruence(&substituted(expr, lane, start)).ok()
    }
}
