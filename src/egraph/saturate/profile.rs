//! The time and work of a search, by rule and by round. A profile is recorded only for an observer.

use crate::rules::program::RuleTrie;
use web_time::{Duration, Instant};

/// The e-graph of a search after a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Round {
    /// The e-nodes that were ever made.
    pub(crate) nodes: u64,
    /// E-classes.
    pub(crate) classes: u64,
    /// Instructions of rules that were run.
    pub(crate) instructions: u64,
}

/// Matches and time of every rule, and the growth of the e-graph. The clock is read when another rule starts to run,
/// and not at every instruction. Time counts for the rule whose instruction runs, from its pattern to the merge of its
/// result.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// The number of matches by rule.
    pub(crate) matched: Vec<u64>,
    /// The time by rule. The last entry is the time of instructions that several rules share.
    spent: Vec<Duration>,
    /// The sizes of the e-graph before the first round and after each round. Empty for late rules, which have no
    /// rounds.
    pub(crate) rounds: Vec<Round>,
    /// The number of rule instructions in all rounds together.
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

    /// The time of `rule`, without the instructions that it shares with other rules.
    pub(crate) fn own(&self, rule: usize) -> Duration {
        self.spent[rule]
    }

    /// The time of the instructions that several rules share.
    pub(crate) fn shared(&self) -> Duration {
        self.spent[self.matched.len()]
    }

    /// Adds the matches and times of another e-graph with the same rules.
    pub(crate) fn add(&mut self, other: &Profile) {
        self.matched.iter_mut().zip(&other.matched).for_each(|(a, b)| *a += b);
        self.spent.iter_mut().zip(&other.spent).for_each(|(a, b)| *a += *b);
    }

    /// Starts to measure an instruction. From here on, time counts for the account of its rule, or for the account of
    /// instructions that several rules share. Returns the previous account, which the caller passes to
    /// [`pass`](Self::pass) afterwards.
    pub(crate) fn enter(&mut self, t: &RuleTrie) -> Option<usize> {
        let account = if t.shared { self.matched.len() } else { t.rule as usize };
        let before = self.running;
        self.pass(Some(account));
        before
    }

    /// Counts the time from here on for the account `to`, or for none.
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
