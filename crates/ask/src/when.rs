//! What a condition asks of sizes: the weakest simple conditions under which it always holds.

use crate::AskError;
use crate::points::{Point, Points};
use quaff::Simplifier;
use quaff::domain::{self, Domain};
use quaff::expr::{Dag, Expr, Program, int, var};
use quaff::integer::{floor_div, floor_mod};
use rustc_hash::FxHashMap;

/// The most multiples of one size that are tried.
const MOST_MULTIPLES: usize = 12;
/// The most choices of sizes for which a failure is looked for, and the points at which it is.
const MOST_CHOICES: usize = 4096;
const MOST_TRIES: usize = 64;

/// Simple conditions on sizes, under which something always holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    /// They suffice together, which is proved. None where the condition always holds.
    pub conditions: Vec<Expr>,
    /// Whether the condition holds for these sizes only: `Some(false)` where it also holds for others; `None` where neither is
    /// found. Decided where all points can be looked at.
    pub necessary: Option<bool>,
}

/// The weakest simple conditions on `sizes` under which `condition` is proved to hold for all values of the other variables: multiples such as `n%4 == 0`, and
/// bounds such as `n <= 65535` or `m*n <= 1048576`. One condition where one suffices, and otherwise two.
///
/// Multiples come before bounds, and small ones before large ones. A bound is the loosest one of its kind. What implies another condition is left out. An empty
/// list says that nothing was found.
/// Each candidate takes a proof, and each bound some thirty.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_ask::when;
///
/// let ask = |text: &str, sizes: &[&str], domain: &str| {
///     let found = when(&Simplifier::default(), &text.parse().unwrap(), sizes, &domain.parse().unwrap()).unwrap();
///     found.iter().map(|when| when.conditions[0].to_string()).collect::<Vec<_>>()
/// };
/// // a vector of four elements begins at a multiple of 4 in each row
/// assert_eq!(ask("(row*ld + t*4)%4 == 0", &["ld"], "row=0..99, t=0..31, ld=1..9999"), ["ld%4 == 0"]);
/// // the index fits 32 bits
/// assert_eq!(ask("row*ld + t < 2147483648", &["ld"], "row=0..99999, t=0..31, ld=1..999999"), ["ld <= 21475"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AskError::Unknown`] for a size that the domain does not have; those of [`Simplifier::simplify`].
pub fn when(simplifier: &Simplifier, condition: &Expr, sizes: &[&str], domain: &Domain) -> Result<Vec<When>, AskError> {
    let vars = domain.resolve()?;
    if let Some(name) = sizes.iter().find(|name| domain.position(name).is_none()) {
        return Err(AskError::Unknown { name: (*name).into() });
    }
    let mut search = Search { simplifier, condition, domain, proofs: FxHashMap::default() };
    if simplifier.facts(domain).prove(condition)? == Some(true) {
        return Ok(vec![When { conditions: vec![], necessary: Some(true) }]);
    }
    let multiples: Vec<Vec<Expr>> = sizes.iter().map(|size| multiples(condition, size, domain)).collect();
    let mut found: Vec<Vec<Expr>> = vec![];
    for all in &multiples {
        found.extend(all.iter().find(|one| search.suffices(std::slice::from_ref(one))).map(|one| vec![one.clone()]));
    }
    for (at, size) in sizes.iter().enumerate() {
        let range = domain.position(size).and_then(|at| vars.get(at)).map(|v| v.interval);
        if let Some((low, high)) = range.and_then(|range| range.bounded()) {
            found.extend(search.bounds(&var(*size), low, high));
        }
        for other in &sizes[at + 1..] {
            let ends = |name: &str| domain.position(name).and_then(|at| vars.get(at)?.interval.bounded());
            if let Some(((low, high), (low_2, high_2))) =
                ends(size).zip(ends(other)).filter(|(a, b)| a.0 >= 0 && b.0 >= 0)
            {
                let ends = low.checked_mul(low_2).zip(high.checked_mul(high_2));
                let product = var(*size) * var(*other);
                found.extend(ends.and_then(|(low, high)| search.at_most(&product, low, high)).map(|one| vec![one]));
            }
        }
    }
    if found.is_empty() {
        found.extend(pair(&mut search, &multiples));
    }
    let found = search.weakest(found);
    Ok(found.into_iter().map(|conditions| with_necessity(condition, conditions, sizes, domain)).collect())
}

/// Two multiples of different sizes, of the least product.
fn pair(search: &mut Search<'_>, multiples: &[Vec<Expr>]) -> Option<Vec<Expr>> {
    for (at, first) in multiples.iter().enumerate() {
        for second in multiples[at + 1..].iter() {
            let mut all: Vec<(usize, usize)> =
                (0..first.len()).flat_map(|i| (0..second.len()).map(move |k| (i, k))).collect();
            all.sort_by_key(|(i, k)| (i + k, *i));
            let both = all.into_iter().map(|(i, k)| vec![first[i].clone(), second[k].clone()]);
            if let Some(both) = both.into_iter().find(|both| search.suffices(both)) {
                return Some(both);
            }
        }
    }
    None
}

/// `size % m == 0` for the numbers of the condition and the ends of ranges, and their halves; the least ones first.
fn multiples(condition: &Expr, size: &str, domain: &Domain) -> Vec<Expr> {
    let mut numbers: Vec<i64> =
        Dag::new(std::slice::from_ref(condition)).nodes().iter().filter_map(|n| n.as_const()).collect();
    if let Ok(vars) = domain.resolve() {
        numbers.extend(vars.iter().filter_map(|v| v.interval.hi()?.checked_add(1)));
        numbers.extend(vars.iter().map(|v| v.congruence.modulus()));
    }
    let mut all: Vec<i64> = vec![];
    for mut number in numbers.into_iter().filter_map(i64::checked_abs) {
        while (2..=1 << 20).contains(&number) {
            all.push(number);
            if floor_mod(number.into(), 2) != 0 {
                break;
            }
            number = i64::try_from(floor_div(number.into(), 2)).unwrap_or(0);
        }
    }
    all.sort_unstable();
    all.dedup();
    all.truncate(MOST_MULTIPLES);
    all.into_iter().map(|m| var(size).floor_mod(m).equals(0)).collect()
}

struct Search<'a> {
    simplifier: &'a Simplifier,
    condition: &'a Expr,
    domain: &'a Domain,
    proofs: FxHashMap<Vec<Expr>, bool>,
}

impl Search<'_> {
    /// Whether the condition is proved under others, which some point satisfies.
    fn suffices(&mut self, conditions: &[Expr]) -> bool {
        if let Some(known) = self.proofs.get(conditions) {
            return *known;
        }
        let domain = conditions.iter().fold(self.domain.clone(), |domain, one| domain.assume(one.clone()));
        let holds = matches!(self.simplifier.facts(&domain).prove(self.condition), Ok(Some(true)));
        self.proofs.insert(conditions.to_vec(), holds);
        holds
    }

    /// Those that imply no other one.
    fn weakest(&self, mut found: Vec<Vec<Expr>>) -> Vec<Vec<Expr>> {
        let mut at = 0;
        while at < found.len() {
            let domain = found[at].iter().fold(self.domain.clone(), |domain, one| domain.assume(one.clone()));
            let mut facts = self.simplifier.facts(&domain);
            let mut holds = |all: &Vec<Expr>| all.iter().all(|one| matches!(facts.prove(one), Ok(Some(true))));
            if (0..found.len()).any(|other| other != at && holds(&found[other])) {
                found.remove(at);
            } else {
                at += 1;
            }
        }
        found
    }

    /// The loosest bounds of a value in `low..=high`, from above and from below.
    fn bounds(&mut self, value: &Expr, low: i64, high: i64) -> Vec<Vec<Expr>> {
        let above = self.at_most(value, low, high);
        let below = self.at_least(value, low, high);
        above.into_iter().chain(below).map(|one| vec![one]).collect()
    }

    /// The greatest `b` below `high` for which `value <= b` suffices. None where it leaves one value.
    fn at_most(&mut self, value: &Expr, low: i64, high: i64) -> Option<Expr> {
        let (mut good, mut bad) = (low, high);
        let mut holds = |end: i64| self.suffices(&[value.le(end)]);
        if low >= high || !holds(low) {
            return None;
        }
        while let Some(middle) = between(good, bad) {
            if holds(middle) { good = middle } else { bad = middle }
        }
        (good > low).then(|| value.le(good))
    }

    /// The least `b` above `low` for which `value >= b` suffices. None where it leaves one value.
    fn at_least(&mut self, value: &Expr, low: i64, high: i64) -> Option<Expr> {
        let (mut bad, mut good) = (low, high);
        let mut holds = |end: i64| self.suffices(&[int(end).le(value)]);
        if low >= high || !holds(high) {
            return None;
        }
        while let Some(middle) = between(bad, good) {
            if holds(middle) { good = middle } else { bad = middle }
        }
        (good < high).then(|| int(good).le(value))
    }
}

/// The number in the middle of two; `None` where there is none between them.
fn between(low: i64, high: i64) -> Option<i64> {
    let middle = i64::try_from(floor_div(i128::from(low) + i128::from(high), 2)).ok()?;
    (low < middle && middle < high).then_some(middle)
}

/// Whether the condition fails somewhere for all sizes that do not satisfy the others.
fn with_necessity(condition: &Expr, conditions: Vec<Expr>, sizes: &[&str], domain: &Domain) -> When {
    let exprs: Vec<Expr> = std::iter::once(condition).chain(&conditions).cloned().collect();
    let necessary = by_all_points(&exprs, sizes, domain).or_else(|| by_failures(&exprs, sizes, domain));
    When { conditions, necessary }
}

/// By all points, where there are few: the condition comes first in `exprs`.
fn by_all_points(exprs: &[Expr], sizes: &[&str], domain: &Domain) -> Option<bool> {
    let points = Points::of(domain, exprs, sizes)?;
    let values = points.values(exprs)?;
    let others: Vec<&str> = points.names.iter().map(|name| &**name).filter(|name| !sizes.contains(name)).collect();
    // for each choice of sizes: whether the condition always holds, and whether the others do
    let mut choices: FxHashMap<Point, (bool, bool)> = FxHashMap::default();
    for (point, value) in points.all.iter().zip(&values) {
        let choice = choices.entry(points.parameters(point, &others)).or_insert((true, true));
        choice.0 &= value[0] != 0;
        choice.1 &= value[1..].iter().all(|value| *value != 0);
    }
    Some(choices.values().all(|(always, chosen)| !always || *chosen))
}

/// By one failure for each choice of sizes that does not satisfy the others, looked for at the ends of ranges first.
fn by_failures(exprs: &[Expr], sizes: &[&str], domain: &Domain) -> Option<bool> {
    let choices = Points::of(&domain_of(sizes, domain)?, &[], sizes)?;
    let names: Vec<&str> = domain.vars().collect();
    let program = Program::new(exprs, &names).ok()?;
    for choice in choices.all.iter().take(MOST_CHOICES) {
        let own = choices.names.iter().zip(choice);
        let fixed = own.fold(domain.clone(), |domain, (name, value)| domain.with(name.clone(), *value..=*value));
        let fails = |point: &Vec<i64>| {
            let wide: Vec<i128> = point.iter().map(|value| (*value).into()).collect();
            let values = program.eval(&wide);
            let is_chosen = values[1..].iter().all(|value| matches!(value, Ok(value) if *value != 0));
            is_chosen || values[0] == Ok(0)
        };
        if !domain::Points::new(&fixed, 0).ok()?.take(MOST_TRIES).any(|point| fails(&point)) {
            return None;
        }
    }
    (choices.all.len() <= MOST_CHOICES).then_some(true)
}

/// The ranges of the sizes alone, where they are numbers.
fn domain_of(sizes: &[&str], domain: &Domain) -> Option<Domain> {
    let vars = domain.resolve().ok()?;
    sizes.iter().try_fold(Domain::new(), |all, size| {
        let own = domain.position(size).and_then(|at| vars.get(at))?;
        let (low, high) = own.interval.bounded()?;
        let all = all.with(*size, low..=high);
        Some(if own.congruence.modulus() > 1 {
            all.stride(*size, own.congruence.modulus(), own.congruence.residue())
        } else {
            all
        })
    })
}
