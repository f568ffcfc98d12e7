//! The phases of a search: when rules are run, and on which nodes.

/// A phase of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Search,
    Operand,
    Share,
    Late,
    Several,
}

/// The properties of a phase.
pub(crate) struct Scheduled {
    pub(crate) phase: Phase,
    /// The name of the phase in `(phase NAME)`.
    pub(crate) name: &'static str,
    /// Whether all rules of the phase match sums.
    pub(crate) is_of_sums: bool,
    /// Whether rules of the phase may search the whole e-graph with `(there PATTERN)`.
    pub(crate) sees_all: bool,
}

/// The schedule: all phases, in the order in which a search runs them.
pub(crate) const SCHEDULE: [Scheduled; 5] = [
    // in every round, on all operations and sums that changed, until nothing changes or a limit is reached
    Scheduled { phase: Phase::Search, name: "search", is_of_sums: false, sees_all: false },
    // in the same rounds, on sums that are operands
    Scheduled { phase: Phase::Operand, name: "operand", is_of_sums: true, sees_all: false },
    // once after the rounds, on all operations and sums. If the late rules found a form, this phase runs a second time
    Scheduled { phase: Phase::Share, name: "share", is_of_sums: false, sees_all: true },
    // once, on the sums of the cheapest form
    Scheduled { phase: Phase::Late, name: "late", is_of_sums: true, sees_all: false },
    // together with the late rules, if several expressions are simplified at once
    Scheduled { phase: Phase::Several, name: "several", is_of_sums: true, sees_all: false },
];

impl Phase {
    /// The phase with this name.
    pub(in crate::rules) fn named(name: &str) -> Option<Phase> {
        SCHEDULE.iter().find(|s| s.name == name).map(|s| s.phase)
    }

    pub(in crate::rules) fn schedule(self) -> &'static Scheduled {
        &SCHEDULE[self as usize]
    }

    /// The names of all phases, for messages.
    pub(in crate::rules) fn names() -> String {
        SCHEDULE.map(|s| s.name).join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::SCHEDULE;

    #[test]
    fn phases_are_numbered_in_the_order_of_the_schedule() {
        for (i, scheduled) in SCHEDULE.iter().enumerate() {
            assert_eq!(scheduled.phase as usize, i, "{}", scheduled.name);
        }
    }
}
