//! Splits an index into a sum of parts, each of which depends on one given set of variables.

use crate::AskError;
use crate::digits::{MOST_STEPS, each_once};
use quaff::domain::{Domain, Interval};
use quaff::expr::substitute::substituted_all;
use quaff::expr::sum::{Sum, written};
use quaff::expr::{Dag, Expr, int};
use quaff::integer::{floor_div, floor_mod};
use quaff::{Facts, Simplifier};
use std::sync::Arc;

/// An index as a sum: `parts[0] + parts[1] + .. + shared + mixed[0] + ..`, for all points of the domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// One part for each set of variables. A part contains variables of its set, and variables that are in no set.
    pub parts: Vec<Expr>,
    /// The sum of the terms that contain no variable of any set.
    pub shared: Expr,
    /// Terms with variables of several sets that are not proved to be a sum of one part for each set.
    pub mixed: Vec<Expr>,
}

impl Parts {
    /// Whether the index is a sum of the parts, without mixed terms.
    pub fn is_whole(&self) -> bool {
        self.mixed.is_empty()
    }
}

/// Splits an index by sets of variables. For example, one set has the variables that are uniform in a warp, and another
/// set has the lanes.
///
/// Variables in no set, such as sizes and strides, may occur in every part. The parts are simplified. Constants are
/// part of the field `shared`.
///
/// One proof suffices if all terms with variables of several sets can be split together. Otherwise each of these terms
/// takes its own proof. Simplifying the parts takes one e-graph search.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_ask::parts;
///
/// let domain = "wg=0..1023, k=0..63, t=0..255, K=8..8192 step 8".parse()?;
/// let index = "(wg*32 + t//8)*K + k*64 + t%8*8".parse()?;
/// let found = parts(&Simplifier::default(), &index, &[&["wg", "k"], &["t"]], &domain)?;
/// assert!(found.is_whole());
/// // the scalar offset, and the offset of each lane
/// assert_eq!(found.parts[0].to_string(), "k*64 + wg*K*32");
/// assert_eq!(found.parts[1].to_string(), "K*(t//8) + t%8*8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AskError::Twice`] if a variable is in two sets or twice in one set, and the errors of [`Simplifier::simplify`].
pub fn parts(simplifier: &Simplifier, index: &Expr, sets: &[&[&str]], domain: &Domain) -> Result<Parts, AskError> {
    each_once(&sets.concat())?;
    // sometimes only the simplified form can be split into parts, and sometimes only the index as written
    let simple = simplifier.simplify(index, domain)?.expr().clone();
    let bases = bases(domain)?;
    let mut split = Split { sets, bases: &bases, facts: simplifier.facts(domain) };
    let mut terms = split.terms(index);
    if !terms.mixed.is_empty() {
        let others = split.terms(&simple);
        terms = if others.mixed.is_empty() { others } else { terms };
    }
    let sums: Vec<Expr> = terms.own.into_iter().chain([terms.shared]).map(written).collect();
    let mut simple = Vec::new();
    for sum in &sums {
        simple.push(simplifier.simplify(sum, domain)?.expr().clone());
    }
    let shared = simple.pop().unwrap_or_else(|| int(0));
    Ok(Parts { parts: simple, shared, mixed: terms.mixed.into_iter().map(|term| written([term])).collect() })
}

/// The terms of a sum, grouped by the set of their variables. Each term has a factor.
struct Terms {
    own: Vec<Vec<(Expr, i64)>>,
    shared: Vec<(Expr, i64)>,
    mixed: Vec<(Expr, i64)>,
}

impl Terms {
    fn give(&mut self, (own, rest): (Vec<Expr>, Expr), sign: i64) {
        self.own.iter_mut().zip(own).for_each(|(sum, part)| sum.push((part, sign)));
        self.shared.push((rest, sign));
    }
}

/// The terms of a sum with their factors.
fn terms(e: &Expr) -> Vec<(Expr, i64)> {
    let dag = Dag::with_origins(std::slice::from_ref(e));
    let number = |id: u32| dag.nodes()[id as usize].as_const();
    let Some(sum) = Sum::of(dag.nodes(), [(dag.roots()[0], 1)], number, MOST_STEPS) else {
        return vec![(e.clone(), 1)];
    };
    let own = sum.terms.iter().map(|&(id, factor)| (dag.origin(id).clone(), factor));
    own.chain((sum.constant != 0).then(|| (int(sum.constant), 1))).collect()
}

/// For each variable, a value of its range, called its base: the least value if the range has one.
fn bases(domain: &Domain) -> Result<Vec<(Arc<str>, i64)>, AskError> {
    let vars = domain.resolve()?;
    Ok(vars.iter().map(|v| (v.name.clone(), v.interval.lo().or(v.interval.hi()).unwrap_or(0))).collect())
}

struct Split<'a> {
    sets: &'a [&'a [&'a str]],
    bases: &'a [(Arc<str>, i64)],
    facts: Facts,
}

impl Split<'_> {
    /// Groups the terms of `e` by the set of their variables. Terms with variables of several sets are split if
    /// possible.
    fn terms(&mut self, e: &Expr) -> Terms {
        let mut found = Terms { own: vec![vec![]; self.sets.len()], shared: vec![], mixed: vec![] };
        let mut several = vec![];
        for (term, factor) in terms(e) {
            match self.owners(&term)[..] {
                [] => found.shared.push((term, factor)),
                [one] => found.own[one].push((term, factor)),
                _ => several.push((term, factor)),
            }
        }
        if several.is_empty() {
            return found;
        }
        if let Some(parts) = self.apart(&written(several.clone())) {
            found.give(parts, 1);
            return found;
        }
        for (term, factor) in several {
            match self.apart(&term) {
                Some(parts) => found.give(parts, factor),
                None => found.mixed.push((term, factor)),
            }
        }
        found
    }

    /// The sets that contain variables of `e`.
    fn owners(&self, e: &Expr) -> Vec<usize> {
        let variables = e.variables();
        let is_owner = |set: &&[&str]| variables.iter().any(|name| set.contains(&&**name));
        self.sets.iter().enumerate().filter(|(_, set)| is_owner(set)).map(|(at, _)| at).collect()
    }

    /// `e` with the variables of all sets except the set `but` replaced by their bases. If `but` is `None`, no set is
    /// excepted.
    fn at_bases(&self, e: &Expr, but: Option<usize>) -> Expr {
        let base = |name: &str| {
            let set = self.sets.iter().position(|set| set.contains(&name))?;
            let known = self.bases.iter().find(|(own, _)| **own == *name).map_or(0, |(_, base)| *base);
            (Some(set) != but).then(|| int(known))
        };
        substituted_all(std::slice::from_ref(e), base).pop().unwrap_or_else(|| e.clone())
    }

    /// Splits `e` into a part for each set and a rest, if `e` is proved to be their sum.
    fn apart(&mut self, e: &Expr) -> Option<(Vec<Expr>, Expr)> {
        let origin = self.at_bases(e, None);
        let part = |at: usize| written([(self.at_bases(e, Some(at)), 1), (origin.clone(), -1)]);
        let parts: Vec<Expr> = (0..self.sets.len()).map(part).collect();
        let sum = written(parts.iter().cloned().chain([origin.clone()]).map(|part| (part, 1)));
        matches!(self.facts.equal(e, &sum), Ok(Some(true))).then_some((parts, origin))
    }
}

/// Splits an offset into a base and an immediate operand of an instruction: `(base, immediate)`, with `base + immediate
/// == offset`.
///
/// The immediate is the constant term of the offset, if the range `immediate` contains it, such as `0..=4095` for 12
/// bits. Otherwise a multiple of the range's length is moved from the constant to the base. Neighbouring offsets then
/// have the same base.
///
/// ```
/// use quaff::{Simplifier, domain::Interval};
/// use quaff_ask::base_and_immediate;
///
/// let bits = Interval::new(0, 4095).expect("ordered");
/// let split = |text: &str| base_and_immediate(&text.parse().unwrap(), bits);
/// let (base, immediate) = split("t*16 + 4100").expect("numbers of 64 bits");
/// assert_eq!((base.to_string().as_str(), immediate), ("t*16 + 4096", 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Returns `None` if the range is open or the base exceeds 64 bits. The time is proportional to the size of the sum.
pub fn base_and_immediate(offset: &Expr, immediate: Interval) -> Option<(Expr, i64)> {
    let (low, high) = immediate.bounded()?;
    let (mut terms, mut constant) = (terms(offset), 0i64);
    terms.retain(|(term, factor)| match term.as_const() {
        Some(value) => {
            constant = constant.saturating_add(value.saturating_mul(*factor));
            false
        }
        None => true,
    });
    if constant == i64::MIN || constant == i64::MAX {
        return None;
    }
    let length = i128::from(high) - i128::from(low) + 1;
    let above = i128::from(constant) - i128::from(low);
    let own = i64::try_from(floor_mod(above, length) + i128::from(low)).ok()?;
    let rest = i64::try_from(floor_div(above, length) * length).ok()?;
    Some((written(terms.into_iter().chain([(int(rest), 1)])), own))
}
