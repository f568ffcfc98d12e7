//! The work of a call as counts, which are the same on every machine.

use crate::egraph::saturate::profile::{Profile, Round as Noted};
use crate::egraph::trace::firing::Firing;
use crate::simplifier::Simplifier;
use crate::simplify::Observer;
use std::sync::{Arc, Mutex, PoisonError};

/// The sizes of the e-graphs of one or several searches after a round of saturation, added up. A search that ended in
/// an earlier round counts with its last round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Round {
    /// The number of searches that ran this round.
    pub searches: u64,
    /// The number of e-nodes made so far.
    pub nodes: u64,
    /// The number of e-classes.
    pub classes: u64,
    /// The number of times that two classes merged: the number of e-nodes less the number of classes.
    pub merges: u64,
    /// The number of rule instructions so far, as [`Limits::work`](crate::egraph::Limits::work) counts them.
    pub instructions: u64,
}

/// The work of the searches of one or several calls. [`work()`] returns this value.
///
/// A call has one search for the whole expression. A call also has searches for parts under conditions, for later
/// passes and for groups of accesses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Work {
    /// The rounds. The first entry is the state before any rule.
    rounds: Vec<Round>,
    searches: u64,
    late: u64,
    instructions: u64,
}

/// The result of `call` with `simplifier`, and the work of all searches in it.
///
/// The counts depend only on the call, and not on the machine or on other programs. Counting makes `call` slower.
///
/// ```
/// use quaff::{Simplifier, domain::Domain, expr::Expr, inspect};
///
/// let address: Expr = "x%12//4*4 + x%4".parse()?;
/// let domain = Domain::new().with("x", 0..100);
/// let (answer, work) = inspect::work(&Simplifier::default(), |s| s.simplify(&address, &domain));
/// assert_eq!(answer?.expr().to_string(), "x%12");
/// assert!(work.searches() >= 1 && work.instructions() > 0);
/// let [first, .., last] = work.rounds() else { panic!("a round was run") };
/// assert!(first.merges <= last.merges && first.nodes <= last.nodes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn work<T>(simplifier: &Simplifier, call: impl FnOnce(&Simplifier) -> T) -> (T, Work) {
    let counter = Arc::new(Counter::default());
    let settings = simplifier.settings.clone().with_observer(counter.clone());
    let result = call(&Simplifier { settings });
    // if a call panicked, the counts of complete searches remain
    let work = counter.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    (result, work)
}

#[derive(Debug, Default)]
struct Counter(Mutex<Work>);

impl Observer for Counter {
    fn rules_were_run(&self, _: &[Firing], profile: &Profile) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add_run(profile);
    }
}

impl Work {
    /// The e-graphs before any rule and after each round, summed over all searches.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// The number of searches.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// The number of rule instructions, including those of late rules.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// The number of instructions of late rules, which run on the sums of an answer.
    pub fn late_instructions(&self) -> u64 {
        self.late
    }

    /// The number of e-nodes that the rounds made, including those of the input.
    pub fn nodes(&self) -> u64 {
        self.rounds.last().map_or(0, |round| round.nodes)
    }

    /// Adds the work of other calls.
    pub fn add(&mut self, other: &Work) {
        self.add_rounds(&other.rounds);
        self.searches = self.searches.saturating_add(other.searches);
        self.late = self.late.saturating_add(other.late);
        self.instructions = self.instructions.saturating_add(other.instructions);
    }

    /// Adds the work of one search.
    fn add_run(&mut self, profile: &Profile) {
        let round = |r: &Noted| Round {
            searches: 1,
            nodes: r.nodes,
            classes: r.classes,
            merges: r.nodes.saturating_sub(r.classes),
            instructions: r.instructions,
        };
        let rounds: Vec<Round> = profile.rounds.iter().map(round).collect();
        self.add_rounds(&rounds);
        match rounds.is_empty() {
            true => self.late = self.late.saturating_add(profile.instructions),
            false => self.searches = self.searches.saturating_add(1),
        }
        self.instructions = self.instructions.saturating_add(profile.instructions);
    }

    /// Adds each round of `others` to the round with the same number. The shorter list is extended by its last round,
    /// in which no search runs.
    fn add_rounds(&mut self, others: &[Round]) {
        let ended = |list: &[Round]| Round { searches: 0, ..list.last().copied().unwrap_or_default() };
        let (own, other) = (ended(&self.rounds), ended(others));
        self.rounds.resize(self.rounds.len().max(others.len()), own);
        for (i, round) in self.rounds.iter_mut().enumerate() {
            round.add(others.get(i).unwrap_or(&other));
        }
    }
}

impl Round {
    fn add(&mut self, other: &Round) {
        self.searches = self.searches.saturating_add(other.searches);
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.classes = self.classes.saturating_add(other.classes);
        self.merges = self.merges.saturating_add(other.merges);
        self.instructions = self.instructions.saturating_add(other.instructions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use crate::expr::Expr;

    fn counted(text: &str) -> Work {
        let domain = Domain::new().with("x", 0..100).with("y", 0..4);
        let (answer, work) = work(&Simplifier::default(), |s| s.simplify(&text.parse::<Expr>().expect(text), &domain));
        answer.expect(text);
        work
    }

    #[test]
    fn the_counts_are_those_of_the_call() {
        let [idle, busy] = ["x", "where(x%12 < y, (x*12 + y)//48 + x%5, (x + y)//7)"].map(counted);
        assert!(busy.searches() > idle.searches() && busy.instructions() > idle.instructions());
        assert_eq!(busy, counted("where(x%12 < y, (x*12 + y)//48 + x%5, (x + y)//7)"));
        let rounds = busy.rounds();
        assert_eq!(rounds[0].searches, busy.searches());
        assert!(rounds.windows(2).all(|w| w[0].searches >= w[1].searches && w[0].nodes <= w[1].nodes));
        assert!(rounds.iter().all(|r| r.nodes == r.classes + r.merges));
        assert!(busy.instructions() >= busy.late_instructions() + rounds[rounds.len() - 1].instructions);
    }

    #[test]
    fn a_search_that_ended_counts_with_its_last_round() {
        let round = |searches, nodes| Round { searches, nodes, ..Round::default() };
        let mut sum = Work::default();
        sum.add_rounds(&[round(1, 3)]);
        sum.add_rounds(&[round(1, 5), round(1, 7), round(1, 8)]);
        sum.add_rounds(&[round(1, 1), round(1, 2)]);
        assert_eq!(sum.rounds(), [round(3, 9), round(2, 12), round(1, 13)]);
    }
}
