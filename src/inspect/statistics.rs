//! Statistics of each rule in a call: how often it fired, how often it affected the answer, and the time it took.

use crate::domain::Domain;
use crate::expr::Expr;
use crate::report::{needed_rules, record};
use crate::simplifier::Simplifier;
use crate::simplify::{Simplified, SimplifyError};
use web_time::{Duration, Instant};

/// The statistics of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleStatistics {
    /// The name of the rule.
    pub name: String,
    /// The number of matches of its pattern and guards.
    pub matched: u64,
    /// The number of times that the rule added something new to an e-graph: it merged two classes, or added a spelling.
    pub fired: u64,
    /// The number of firings of the rule on the path, that is, in a run with only the rules that the answer needs. See
    /// [`Statistics`].
    pub path: u64,
    /// The number of calls in which the rule fired.
    pub fired_calls: u64,
    /// The number of calls in which the rule fired and cannot be left out.
    pub path_calls: u64,
    /// The time of the rule's own instructions: patterns, guards, building the result and merging it.
    /// [`Statistics::shared`] has the time of pattern beginnings that several rules share.
    pub time: Duration,
}

/// The statistics of all rules in one or several calls. [`statistics()`] returns them.
///
/// A call fills one e-graph for the whole expression, and others for parts under conditions. All these e-graphs count.
///
/// # On the path
/// A firing is on the path if the answer needs its rule. To find the needed rules, rules that fired are left out one by
/// one, in the order in which they first fired. A rule stays out if the answer is exactly the same without it. The
/// remaining rules are run again, and all their firings in this run are on the path. If either of two rules suffices,
/// only the one that fired later is counted. [`Simplifier::explain`] shows the same rules. A remaining rule may have no
/// firing on the path: its result adds nothing new to the e-graph, although other rules match it. If more than 32 rules
/// fired in a call, all of them are counted.
///
/// # Time
/// The clock is read when matching passes from one rule to another. Each reading takes some 20 ns, which are part of
/// the times. So the times are those of a slowed-down call. They can be compared with one another, but not with a plain
/// [`Simplifier::simplify`]. The times of congruence closure, of reading the input and of choosing the answer belong to
/// no rule. They are part of [`total`](Self::total) only, like the time of recording what fired.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    rules: Vec<RuleStatistics>,
    shared: Duration,
    total: Duration,
    calls: u64,
}

/// The answer of [`Simplifier::simplify_all`], and the statistics of each rule.
///
/// The call is repeated without each rule that fired, to find the rules that affect the answer.
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
/// [`SimplifyError`], for the same reasons as in [`Simplifier::simplify`].
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
    /// The statistics of each rule, in the order of the rule set.
    pub fn rules(&self) -> &[RuleStatistics] {
        &self.rules
    }

    /// The time of pattern beginnings that several rules share. They are matched once for all these rules.
    pub fn shared(&self) -> Duration {
        self.shared
    }

    /// The total time of the calls, from the input to the answer.
    pub fn total(&self) -> Duration {
        self.total
    }

    /// The number of calls.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Adds the statistics of other calls with the same rules.
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
