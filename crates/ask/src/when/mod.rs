//! The weakest simple conditions on sizes, such as `n%4 == 0`, under which a wanted condition always holds.

mod accesses;
mod necessity;

use crate::AskError;
pub use accesses::{when_disjoint, when_vector};
use necessity::{Choices, are_necessary};
use quaff::Simplifier;
use quaff::domain::{Domain, Interval, interval_of};
use quaff::expr::{Dag, Expr, int, var};
use quaff::integer::{floor_div, floor_mod};
use quaff_dialects::{Dialect, WriteError, Written, write};
use rustc_hash::FxHashMap;

/// The greatest number of conditions `size % m == 0` that are tried for one size.
const MOST_MULTIPLES: usize = 12;

/// Simple conditions on sizes under which the wanted condition always holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    /// The conditions on the sizes. Together they are proved to imply the wanted condition. The list is empty if the
    /// wanted condition always holds.
    pub conditions: Vec<Expr>,
    /// Whether the wanted condition fails for all sizes that violate these conditions. `None` if this is not decided.
    /// It is decided if all points can be evaluated.
    pub necessary: Option<bool>,
}

impl When {
    /// The conjunction of all conditions, and 1 if there are none.
    pub fn test(&self) -> Expr {
        self.conditions.iter().cloned().reduce(|all, next| all.and(next)).unwrap_or_else(|| int(1))
    }

    /// The conjunction of all conditions as text in `dialect`, for code on the host. The sizes have the ranges of
    /// `domain`.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    /// use quaff_ask::when;
    /// use quaff_dialects::Dialect;
    ///
    /// let domain: Domain = "i=0..9, k=0..9, ld=1..4096, s=1..4096".parse()?;
    /// let found = when(&Simplifier::default(), &"(i*ld + k*s)%8 == 0".parse()?, &["ld", "s"], &domain)?;
    /// assert_eq!(found[0].code(Dialect::C, &domain)?.text, "ld % 8 == 0 && s % 8 == 0");
    /// assert_eq!(found[0].code(Dialect::Python, &domain)?.text, "ld%8 == 0 and s%8 == 0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`write`](write()), such as the error of a dialect that has only affine maps.
    pub fn code(&self, dialect: Dialect, domain: &Domain) -> Result<Written, WriteError> {
        let vars = domain.resolve().unwrap_or_default();
        let own = |name: &str| domain.position(name).and_then(|at| vars.get(at)).map_or(Interval::ALL, |v| v.interval);
        write(&[self.test()], dialect, &|e| interval_of(e, own))
    }
}

/// The weakest simple conditions on `sizes` under which `condition` is proved to hold for all values of the other variables.
///
/// The conditions are divisibilities (*multiples*) such as `n%4 == 0`, and bounds such as `n <= 65535`, `m*n <=
/// 1048576` or `m <= n`. Each answer is a single condition if one suffices. Otherwise it is a list of multiples, one
/// each for two or more sizes.
///
/// Multiples come before bounds, and small divisors before large ones. For each kind of bound, the loosest bound that
/// suffices is returned. A condition that implies another one is left out. An empty list means that no conditions were
/// found. Each divisor that is tried takes a proof, and each bound takes about thirty proofs. If the domain has up to
/// 131,072 points, all of them are evaluated first. These values refute conditions without a proof. If no proof
/// succeeds at all, they alone decide which conditions suffice.
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
/// [`AskError::Unknown`] for a size that the domain does not have, and the errors of [`Simplifier::simplify`].
pub fn when(simplifier: &Simplifier, condition: &Expr, sizes: &[&str], domain: &Domain) -> Result<Vec<When>, AskError> {
    let all = std::slice::from_ref(condition);
    Wanted { simplifier, proved: (all, domain), seen: (condition, domain) }.when(sizes)
}

/// The conditions that must hold for all values of the variables that are not sizes.
struct Wanted<'a> {
    simplifier: &'a Simplifier,
    /// The wanted conditions, and the domain at whose points they are proved.
    proved: (&'a [Expr], &'a Domain),
    /// The conjunction of the wanted conditions, and the domain of the points at which it is evaluated.
    seen: (&'a Expr, &'a Domain),
}

impl Wanted<'_> {
    fn when(&self, sizes: &[&str]) -> Result<Vec<When>, AskError> {
        let (condition, domain) = self.seen;
        let vars = domain.resolve()?;
        if let Some(name) = sizes.iter().find(|name| domain.position(name).is_none()) {
            return Err(AskError::Unknown { name: (*name).into() });
        }
        let mut facts = self.simplifier.facts(self.proved.1);
        let mut always = true;
        for condition in self.proved.0 {
            always &= facts.prove(condition)? == Some(true);
        }
        let choices = Choices::of(condition, sizes, domain);
        if always || choices.as_ref().is_some_and(|choices| choices.suffice(&[])) {
            return Ok(vec![When { conditions: vec![], necessary: Some(true) }]);
        }
        let ends = |name: &str| domain.position(name).and_then(|at| vars.get(at)?.interval.bounded());
        let ranges: Vec<Size> = sizes.iter().map(|size| (var(*size), ends(size))).collect();
        let multiples: Vec<Vec<Expr>> = sizes.iter().map(|size| multiples(self.proved.0, size, domain)).collect();
        let mut search =
            Search { wanted: self, choices: choices.as_ref(), by: By::Proofs, proofs: FxHashMap::default() };
        let mut found = search.all(&multiples, &ranges);
        if found.is_empty() && choices.is_some() {
            let mut search = Search { by: By::Points, proofs: FxHashMap::default(), ..search };
            found = search.all(&multiples, &ranges);
        }
        let found = found.into_iter().map(|conditions| {
            let necessary = are_necessary((condition, choices.as_ref()), &conditions, sizes, domain);
            When { conditions, necessary }
        });
        Ok(found.collect())
    }
}

/// Conditions `size % m == 0` on two different sizes that together suffice. They come from the first two sizes that
/// have such conditions. Small numbers `m` are tried first.
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

/// Conditions `size % m == 0` on several sizes that together suffice. The numbers `m` have the same position in the
/// list of each size, and the first such position is used. Conditions that are not needed are left out.
fn several(search: &mut Search<'_>, multiples: &[Vec<Expr>]) -> Option<Vec<Expr>> {
    let most = multiples.iter().map(Vec::len).max().filter(|_| multiples.len() > 2)?;
    let all = (0..most).map(|at| multiples.iter().filter_map(|own| own.get(at).cloned()).collect::<Vec<Expr>>());
    let mut all = all.into_iter().find(|all| search.suffices(all))?;
    let mut at = 0;
    while at < all.len() {
        let one = all.remove(at);
        if !search.suffices(&all) {
            all.insert(at, one);
            at += 1;
        }
    }
    Some(all)
}

/// Candidates `size % m == 0`, the least `m` first. The numbers `m` come from the wanted condition and from the ends
/// and steps of ranges. Their halves, quarters and so on are tried, too.
fn multiples(conditions: &[Expr], size: &str, domain: &Domain) -> Vec<Expr> {
    let mut numbers: Vec<i64> = Dag::new(conditions).nodes().iter().filter_map(|n| n.as_const()).collect();
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

/// The method that decides whether conditions suffice.
enum By {
    Proofs,
    Points,
}

struct Search<'a> {
    wanted: &'a Wanted<'a>,
    /// All combinations of values of the sizes, if the domain has few points. They refute conditions without a proof.
    choices: Option<&'a Choices>,
    by: By,
    proofs: FxHashMap<Vec<Expr>, bool>,
}

/// A size with the ends of its range.
type Size = (Expr, Option<(i64, i64)>);

impl Search<'_> {
    /// The weakest conditions that suffice: multiples and bounds.
    fn all(&mut self, multiples: &[Vec<Expr>], ranges: &[Size]) -> Vec<Vec<Expr>> {
        let mut found: Vec<Vec<Expr>> = vec![];
        for own in multiples {
            found.extend(own.iter().find(|one| self.suffices(std::slice::from_ref(one))).map(|one| vec![one.clone()]));
        }
        found.extend(self.all_bounds(ranges));
        if found.is_empty() {
            found.extend(pair(self, multiples).or_else(|| several(self, multiples)));
        }
        self.weakest(found)
    }

    /// Whether the wanted condition is proved under `conditions`, and some point satisfies `conditions`.
    fn suffices(&mut self, conditions: &[Expr]) -> bool {
        let is_seen = self.choices.is_none_or(|choices| choices.suffice(conditions));
        if !is_seen || matches!(self.by, By::Points) {
            return is_seen;
        }
        if let Some(known) = self.proofs.get(conditions) {
            return *known;
        }
        let Wanted { simplifier, proved: (wanted, domain), .. } = self.wanted;
        let domain = conditions.iter().fold((*domain).clone(), |domain, one| domain.assume(one.clone()));
        let mut facts = simplifier.facts(&domain);
        let holds = wanted.iter().all(|one| matches!(facts.prove(one), Ok(Some(true))));
        self.proofs.insert(conditions.to_vec(), holds);
        holds
    }

    /// The lists of conditions that do not imply another list. A list that implies another one is stronger than
    /// necessary.
    fn weakest(&self, mut found: Vec<Vec<Expr>>) -> Vec<Vec<Expr>> {
        let mut at = 0;
        while at < found.len() {
            let known = self.wanted.seen.1.clone();
            let domain = found[at].iter().fold(known, |domain, one| domain.assume(one.clone()));
            let mut facts = self.wanted.simplifier.facts(&domain);
            let mut holds = |all: &Vec<Expr>| all.iter().all(|one| matches!(facts.prove(one), Ok(Some(true))));
            if (0..found.len()).any(|other| other != at && holds(&found[other])) {
                found.remove(at);
            } else {
                at += 1;
            }
        }
        found
    }

    /// The loosest bounds that suffice: of each size (`n <= 8`), of each product of two sizes (`m*n <= 64`), and of one
    /// size by another (`m <= n`).
    fn all_bounds(&mut self, sizes: &[Size]) -> Vec<Vec<Expr>> {
        let mut found = vec![];
        for (at, (size, ends)) in sizes.iter().enumerate() {
            if let Some((low, high)) = *ends {
                found.extend(self.bounds(size, low, high));
            }
            for (other, other_ends) in &sizes[at + 1..] {
                let both = ends.zip(*other_ends).filter(|(a, b)| a.0 >= 0 && b.0 >= 0);
                let ends = both.and_then(|(a, b)| a.0.checked_mul(b.0).zip(a.1.checked_mul(b.1)));
                let product = size * other;
                let most = ends.and_then(|(low, high)| self.at_most(&product, low, high));
                let orders = [size.le(other), other.le(size)];
                found.extend(
                    most.into_iter()
                        .chain(orders.into_iter().filter(|one| self.suffices(std::slice::from_ref(one))))
                        .map(|one| vec![one]),
                );
            }
        }
        found
    }

    /// The loosest upper bound and the loosest lower bound that suffice for a value in `low..=high`.
    fn bounds(&mut self, value: &Expr, low: i64, high: i64) -> Vec<Vec<Expr>> {
        let above = self.at_most(value, low, high);
        let below = self.at_least(value, low, high);
        above.into_iter().chain(below).map(|one| vec![one]).collect()
    }

    /// The greatest `b` below `high` for which `value <= b` suffices. `None` if that bound leaves only one value.
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

    /// The least `b` above `low` for which `value >= b` suffices. `None` if that bound leaves only one value.
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

/// The number in the middle of two numbers. `None` if there is no number between them.
fn between(low: i64, high: i64) -> Option<i64> {
    let middle = i64::try_from(floor_div(i128::from(low) + i128::from(high), 2)).ok()?;
    (low < middle && middle < high).then_some(middle)
}
