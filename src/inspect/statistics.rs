//! What each rule did in a call: how often it fired, what came of it, and the time it took.

use crate::domain::Domain;
use crate::expr::Expr;
use crate::report::{needed_rules, record};
use crate::simplifier::Simplifier;
use crate::simplify::{Simplified, SimplifyError};
use std::time::{Duration, Instant};

/// What one rule did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleStatistics {
    /// Its name.
    pub name: String,
    /// Times it matched, pattern and guards.
    pub matched: u64,
    /// Times it added something new to an e-graph: two classes merged, or a spelling kept.
    pub fired: u64,
    /// Its firings on the path to the chosen form; see [`Statistics`].
    pub path: u64,
    /// Calls in which it fired.
    pub fired_calls: u64,
    /// Calls in which it fired and cannot be left out.
    pub path_calls: u64,
    /// Time of its own instructions: patterns, guards, building the result and merging it. What it begins with in common
    /// with other rules is in [`Statistics::shared`].
    pub time: Duration,
}

/// What the rules did in a call, or in several; made by [`statistics()`].
///
/// A call fills one e-graph for the whole and others for parts under conditions; all of them count.
///
/// # On the path
/// Rules that fired are left out one by one, in the order in which they first fired, as long as the answer stays the same
/// to the letter. The rules that are left are run again: their firings are the path. Where either of two rules would do, the one
/// that fired later is counted. These are the rules that [`Simplifier::explain`] shows. A rule that is left may have no
/// firing on the path: what it writes says nothing new there, but others look at it. Of a call in which more than 32 rules
/// fired all are counted.
///
/// # Time
/// The clock is read when matching passes from one rule to another. Each reading costs some 20 ns, which are in the times:
/// they are shares of a slowed-down call, to be compared with one another and not with a plain [`Simplifier::simplify`].
/// Congruence closure after each round, reading the input and choosing the answer belong to no rule; they are in
/// [`total`](Self::total) only, as is the recording of what fired.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    rules: Vec<RuleStatistics>,
    shared: Duration,
    total: Duration,
    calls: u64,
}

/// The answer of [`Simplifier::simplify_all`], and what each rule did for it.
///
/// Repeats the call without each rule that fired, to find out which ones matter.
///
/// ```
/// use quaff::{Simplifier, domain::Domain, expr::Expr, inspect};
///
/// let address: Expr = "(i*4 + j) // 12".parse()?;
/// let domain = Domain::new().with("i", 0..16).with("j", 0..4);
/// let (answer, statistics) = inspect::statistics(&Simplifier::default(), &[address], &domain)?;
/// assert_eq!(answer.expr().to_string(), "i//3");
/// let on_path: Vec<_> = statistics.rules().iter().filter(|r| r.path > 0).map(|r| r.name.as_str()).collect();
/// assert_eq!(on_path, ["small-remainder"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`Simplifier::simplify`].
pub fn statistics(
    simplifier: &Simplifier,
    exprs: &[Expr],
    domain: &Domain,
) -> Result<(Simplified, Statistics), SimplifyError> {
    let plain = simplifier.settings.clone().with_trace(false);
    let start = Instant::now();
    let (answer, recorded) = record(&plain, exprs, domain)?;
    let total = start.elapsed();
    let names = simplifier.rules().rules().iter().map(|r| r.name());
    let mut rules: Vec<RuleStatistics> =
        names.map(|n| RuleStatistics { name: n.into(), ..RuleStatistics::default() }).collect();
    for &rule in &recorded.fired {
        (rules[rule].fired, rules[rule].fired_calls) = (rules[rule].fired + 1, 1);
    }
    let needed = needed_rules(plain, exprs, domain, &answer)?.settings;
    for rule in record(&needed, exprs, domain)?.1.fired {
        let name = needed.rules().rules()[rule].name();
        if let Some(r) = rules.iter_mut().find(|r| r.name == name) {
            r.path += 1;
        }
    }
    for r in rules.iter_mut().filter(|r| (r.fired > 0 || r.path > 0) && needed.rules().get(&r.name).is_some()) {
        r.path_calls = 1;
    }
    let mut shared = Duration::ZERO;
    if let Some(profile) = recorded.profile {
        for (i, r) in rules.iter_mut().enumerate() {
            (r.matched, r.time) = (profile.matched[i], profile.own(i));
        }
        shared = profile.shared();
    }
    Ok((answer, Statistics { rules, shared, total, calls: 1 }))
}

impl Statistics {
    /// What each rule did, in the order of the rule set.
    pub fn rules(&self) -> &[RuleStatistics] {
        &self.rules
    }

    /// Time of what several rules begin with, which is matched once for all of them.
    pub fn shared(&self) -> Duration {
        self.shared
    }

    /// Time of the calls as a whole, from the input to the answer.
    pub fn total(&self) -> Duration {
        self.total
    }

    /// Calls that were counted.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Adds what was counted in other calls with the same rules.
    pub fn add(&mut self, other: &Statistics) {
        if self.rules.is_empty() {
            self.rules =
                other.rules.iter().map(|r| RuleStatistics { name: r.name.clone(), ..Default::default() }).collect();
        }
        for (a, b) in self.rules.iter_mut().zip(&other.rules) {
            a.matched = a.matched.saturating_add(b.matched);
            a.fired = a.fired.saturating_add(b.fired);
            a.path = a.path.saturating_add(b.path);
            a.fired_calls = a.fired_calls.saturating_add(b.fired_calls);
            a.path_calls = a.path_calls.saturating_add(b.path_calls);
            a.time = a.time.saturating_add(b.time);
        }
        self.shared = self.shared.saturating_add(other.shared);
        self.total = self.total.saturating_add(other.total);
        self.calls = self.calls.saturating_add(other.calls);
    }
}
