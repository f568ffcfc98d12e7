//! The limits of a search, and the reasons why a search ends.

/// Bounds on the work of a search. They count e-nodes, rounds and steps of rules, but never time, so that results do
/// not depend on the machine. A call may run several searches: each part under conditions has a search of its own, with
/// a share of the limits.
///
/// With higher limits, an answer never costs more than with the default. A call with limits above those of an
/// [effort](Limits::effort) from 1 on first runs the search of that effort. The call returns the cheapest form that any
/// of its searches found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Limits {
    /// The maximum number of rounds over all changed classes. With 0, no rule is run, and the answer is the cheapest
    /// spelling of the normal form.
    pub rounds: u32,
    /// The maximum number of e-nodes beyond those of the input.
    pub nodes: usize,
    /// The maximum number of visits of e-classes, in all rounds together.
    pub visits: usize,
    /// The maximum number of instructions of rules, in all rounds together. `work` and `visits` bound the time of the
    /// search after the input is read. A part under conditions gets a sixteenth of the work. Proofs about symbols are
    /// limited, too. In all searches of a call together, they may try one goal, which is one step of a proof, for each
    /// 128 instructions of this limit. After that, no proof succeeds.
    pub work: u64,
    /// The maximum number of passes after the first one. Each pass starts with the best answer so far, and simplifies
    /// its parts under the conditions under which they are used. The call ends with a pass that finds nothing cheaper.
    /// With 0, nothing is simplified under conditions.
    pub passes: u32,
}

impl Default for Limits {
    /// The limits of effort 1. Nearly nine in ten real kernels saturate within them. With 250 e-nodes instead of 150,
    /// the total cost of all kernels changes by less than 0.1 %. Ten times as much work changes no cost of the files
    /// `kernels.jsonl` and `sizes.jsonl` of `tests/data`, and takes seven times as long for the latter
    /// (`quaff batch --work 2000000`).
    fn default() -> Limits {
        Limits { rounds: 5, nodes: 150, visits: 20_000, work: 200_000, passes: 5 }
    }
}

impl Limits {
    /// The highest effort.
    pub const MAX_EFFORT: u8 = 3;

    /// The limits of an effort from 0 to [`MAX_EFFORT`](Self::MAX_EFFORT). A greater number counts as the highest
    /// effort.
    ///
    /// - 0 is one pass of one round.
    /// - 1 is the default.
    /// - 2 and 3 have four and sixteen times as many e-nodes, for code that is compiled once and run often.
    ///
    /// An answer never costs more than the answer of a lower effort.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, egraph::Limits};
    ///
    /// let (expr, domain) = ("i//4%8*4 + i%4".parse()?, Domain::new().with("i", 0..64));
    /// let cost = |effort| {
    ///     let simplifier = Simplifier::default().with_limits(Limits::effort(effort));
    ///     simplifier.simplify(&expr, &domain).map(|answer| answer.cost())
    /// };
    /// assert!(cost(1)? <= cost(0)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn effort(effort: u8) -> Limits {
        let default = Limits::default();
        let times = |factor: u32, rounds: u32| {
            let Limits { nodes, visits, work, passes, .. } = default;
            let (nodes, visits) = (nodes * factor as usize, visits * factor as usize);
            Limits { rounds, nodes, visits, work: work * u64::from(factor), passes }
        };
        match effort {
            0 => Limits { rounds: 1, passes: 0, ..default },
            1 => default,
            2 => times(4, 10),
            _ => times(16, 40),
        }
    }

    /// The limits of the efforts from 1 on that are below these limits.
    pub(crate) fn efforts_below(self) -> impl Iterator<Item = Limits> {
        let is_below = move |l: &Limits| {
            let is_within = l.rounds <= self.rounds && l.nodes <= self.nodes && l.visits <= self.visits;
            is_within && l.work <= self.work && l.passes <= self.passes && *l != self
        };
        (1..=Limits::MAX_EFFORT).map(Limits::effort).filter(is_below)
    }
}

/// The reason why saturation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// No rule finds anything new.
    Saturated,
    /// The limit [`Limits::rounds`] was reached.
    RoundLimit,
    /// The limit [`Limits::nodes`] was reached.
    NodeLimit,
    /// The limit [`Limits::visits`] was reached.
    VisitLimit,
    /// The limit [`Limits::work`] was reached.
    WorkLimit,
    /// Normal forms would have repeated too many terms, so parts of the input were left as written.
    TermLimit,
}

impl StopReason {
    /// All reasons.
    #[cfg(feature = "serde")]
    pub(crate) const ALL: [StopReason; 6] = [
        StopReason::Saturated,
        StopReason::RoundLimit,
        StopReason::NodeLimit,
        StopReason::VisitLimit,
        StopReason::WorkLimit,
        StopReason::TermLimit,
    ];

    /// `"saturated"`, `"round limit"`, `"node limit"`, `"visit limit"`, `"work limit"` or `"term limit"`.
    pub fn as_str(self) -> &'static str {
        match self {
            StopReason::Saturated => "saturated",
            StopReason::RoundLimit => "round limit",
            StopReason::NodeLimit => "node limit",
            StopReason::VisitLimit => "visit limit",
            StopReason::WorkLimit => "work limit",
            StopReason::TermLimit => "term limit",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efforts_below_are_those_of_which_no_limit_is_higher() {
        let below = |limits: Limits| limits.efforts_below().collect::<Vec<_>>();
        assert_eq!(below(Limits::effort(0)), []);
        assert_eq!(below(Limits::default()), []);
        assert_eq!(below(Limits::effort(3)), [1, 2].map(Limits::effort));
        let more_rounds = Limits { rounds: 40, ..Limits::default() };
        assert_eq!(below(more_rounds), [Limits::default()]);
        assert_eq!(below(Limits { nodes: 10, ..more_rounds }), []);
    }
}
