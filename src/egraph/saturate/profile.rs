//! Where a search spends its time and work, by rule and by round; kept only for an observer.

use crate::rules::program::RuleTrie;
use std::time::{Duration, Instant};

/// The e-graph of a search after a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Round {
    /// E-nodes that were ever made.
    pub(crate) nodes: u64,
    /// E-classes.
    pub(crate) classes: u64,
    /// Instructions of rules that were run.
    pub(crate) instructions: u64,
}

/// Matches and time of every rule, and the growth of the e-graph. The clock is read when the work passes from one rule to another, not at every
/// instruction; the time goes to the rule whose instruction runs, from pattern to merged result.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// Matches by rule.
    pub(crate) matched: Vec<u64>,
    /// Time by rule, and at the end that of instructions which several rules share.
    spent: Vec<Duration>,
    /// The e-graph as the rules find it, and after each round; empty for late rules, which have no rounds.
    pub(crate) rounds: Vec<Round>,
    /// Instructions of rules, all rounds together.
    pub(crate) instructions: u64,
    running: Option<usize>,
    since: Instant,
}

impl Profile {
    pub(crate) fn new(rules: usize) -> Profile {
        Profile {
            matched: vec![0; rules],
            spent: vec![Duration::ZERO; rules + 1],
            rounds: Vec::new(),
            instructions: 0,
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

    /// Adds the matches and times of another e-graph with the same rules.
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
