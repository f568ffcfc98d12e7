//! What bounds a search, and why it ended.

/// Bounds on the work of a search. They count e-nodes and rounds, never time, so that results do not depend on the
/// machine. A call may take several: parts under conditions have searches of their own, each with a share of the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Limits {
    /// Rounds over all changed classes.
    pub rounds: u32,
    /// E-nodes beyond those of the input.
    pub nodes: usize,
    /// E-classes looked at, all rounds together.
    pub visits: usize,
    /// Instructions of rules, all rounds together: with `visits`, what bounds the time beyond that for reading the input.
    /// A part under conditions has a sixteenth of them. The proofs about symbols in all searches of a call together may make one goal for
    /// each 32 of them. From then on proofs find nothing.
    pub work: u64,
}

impl Default for Limits {
    /// Nearly nine in ten real kernels saturate within them; 250 e-nodes in place of 150 change the total cost of all by
    /// less than 0.1 %. None of them takes a tenth of the work, which is about a second.
    fn default() -> Limits {
        Limits { rounds: 5, nodes: 150, visits: 20_000, work: 2_000_000 }
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
