//! Where matching spends its time, rule by rule; kept only when asked for.

use crate::rules::program::RuleTrie;
use std::time::{Duration, Instant};

/// Matches and time of every rule. The clock is read when the work passes from one rule to another, not at every
/// instruction; the time goes to the rule whose instruction runs, from pattern to merged result.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// Matches by rule.
    pub(crate) matched: Vec<u64>,
    /// Time by rule, and at the end that of instructions which several rules share.
    spent: Vec<Duration>,
    running: Option<usize>,
    since: Instant,
}

impl Profile {
    pub(crate) fn new(rules: usize) -> Profile {
        Profile {
            matched: vec![0; rules],
            spent: vec![Duration::ZERO; rules + 1],
            running: None,
            since: Instant::now(),
        }
    }

    /// The time of `rule`, that which it shares with others left out.
    pub(crate) fn own(&self, rule: usize) -> Duration {
        self.spent[rule]
    }

    /// The time of what several rules begin with.
    pub(crate) fn shared(&self) -> Duration {
        self.spent[self.matched.len()]
    }

    /// Adds what was measured in another e-graph with the same rules.
    pub(crate) fn add(&mut self, other: &Profile) {
        self.matched.iter_mut().zip(&other.matched).for_each(|(a, b)| *a += b);
        self.spent.iter_mut().zip(&other.spent).for_each(|(a, b)| *a += *b);
    }

    /// Begins an instruction; what ran before is to be given to [`pass`](Self::pass) afterwards.
    pub(crate) fn enter(&mut self, t: &RuleTrie) -> Option<usize> {
        let account = if t.shared { self.matched.len() } else { t.rule as usize };
        let before = self.running;
        self.pass(Some(account));
        before
    }

    /// From here on, time is that of `to`, or nobody's.
    pub(crate) fn pass(&mut self, to: Option<usize>) {
        if self.running == to {
            return;
        }
        let now = Instant::now();
        if let Some(account) = self.running {
            self.spent[account] += now - self.since;
        }
        (self.running, self.since) = (to, now);
    }
}
