//! The searches of one call, and how they share its limits.

use super::Simplifier;
use crate::egraph::Limits;

/// What a search is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// All there is, without selections.
    Whole,
    /// All there is: where a limit ends the search, the branches of selections get searches of their own.
    WholeWithBranches,
    /// All there is, with what was found under conditions in its place: the rules have been run on the parts.
    WholeAgain,
    /// A branch of a selection under its condition.
    Branch,
    /// A clause under the others: it is smaller than a branch, and there are several.
    Clause,
}

impl Task {
    /// The task's share of a call's `limits`, chosen by measurement over all corpora.
    fn share(self, limits: Limits) -> Limits {
        let Limits { rounds, nodes, visits } = limits;
        let (few, many) = ((nodes * 2).div_ceil(5), (nodes * 2).div_ceil(3));
        match self {
            Task::Whole => limits,
            Task::WholeWithBranches => Limits { nodes: few, ..limits },
            Task::WholeAgain => Limits { rounds: rounds.min(2), ..limits },
            Task::Branch => Limits { nodes: many, ..limits },
            Task::Clause => Limits { rounds: rounds.div_ceil(2), nodes: nodes.div_ceil(4), visits: visits.div_ceil(2) },
        }
    }
}

impl Simplifier {
    /// The same simplifier with the share of its limits that `task` gets.
    pub(crate) fn for_task(&self, task: Task) -> Simplifier {
        Simplifier { limits: task.share(self.limits), ..self.clone() }
    }
}
