//! What bounds a search, and why it ended.

/// Bounds on the work of a search. They count e-nodes, rounds and steps of rules, never time, so that results do not depend on the
/// machine. A call may take several searches: parts under conditions have searches of their own, each with a share of the limits.
///
/// With higher limits an answer never costs more than with the default. A call with limits above an [effort](Limits::effort) takes the call
/// of that effort first, and answers with the cheapest form that any of them found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Limits {
    /// Rounds over all changed classes. With 0 no rule is run: the answer is the cheapest spelling of the normal form.
    pub rounds: u32,
    /// E-nodes beyond those of the input.
    pub nodes: usize,
    /// E-classes looked at, all rounds together.
    pub visits: usize,
    /// Instructions of rules, all rounds together: with `visits`, it bounds the time beyond that for reading the input.
    /// A part under conditions has a sixteenth of them. The proofs about symbols in all searches of a call together may make one goal for
    /// each 128 of them. From then on proofs find nothing.
    pub work: u64,
    /// Passes after the first. Each begins with the best answer so far, its parts simplified under the conditions they are used under, and
    /// the call ends with a pass that finds nothing cheaper. With 0 nothing is simplified under conditions.
    pub passes: u32,
}

impl Default for Limits {
    /// Those of effort 1. Nearly nine in ten real kernels saturate within them; 250 e-nodes in place of 150 change the total cost of all by
    /// less than 0.1 %. Ten times as much work changes no cost of the files `kernels.jsonl` and `sizes.jsonl` of `tests/data`, and takes
    /// seven times as long for the latter (`quaff batch --work 2000000`).
    fn default() -> Limits {
        Limits { rounds: 5, nodes: 150, visits: 20_000, work: 200_000, passes: 5 }
    }
}

impl Limits {
    /// The highest effort.
    pub const MAX_EFFORT: u8 = 3;

    /// The limits of an effort from 0 to [`MAX_EFFORT`](Self::MAX_EFFORT). A greater number is the highest effort.
    ///
    /// - 0 is one pass of one round.
    /// - 1 is the default.
    /// - 2 and 3 have four and sixteen times as many e-nodes, for what is compiled once and run often.
    ///
    /// An answer never costs more than that of a lower effort.
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

    /// The limits of the efforts from 1 on that are below these.
    pub(crate) fn efforts_below(self) -> impl Iterator<Item = Limits> {
        let is_below = move |l: &Limits| {
            let is_within = l.rounds <= self.rounds && l.nodes <= self.nodes && l.visits <= self.visits;
            is_within && l.work <= self.work && l.passes <= self.passes && *l != self
        };
        (1..=Limits::MAX_EFFORT).map(Limits::effort).filter(is_below)
    }
}

/// Why saturation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// No rule has anything left to say.
    Saturated,
    /// [`Limits::rounds`].
    RoundLimit,
    /// [`Limits::nodes`].
    NodeLimit,
    /// [`Limits::visits`].
    VisitLimit,
    /// [`Limits::work`].
    WorkLimit,
    /// Normal forms would have repeated more terms than there may be: parts of the input were left as they are written.
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
