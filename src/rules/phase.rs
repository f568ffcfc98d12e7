//! The phases of a search: when rules are run, and on what.

/// A phase of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Search,
    Operand,
    Share,
    Late,
    Several,
}

/// What holds of the rules of a phase.
pub(crate) struct Scheduled {
    pub(crate) phase: Phase,
    /// Its name in `(phase NAME)`.
    pub(crate) name: &'static str,
    /// Whether its rules are about sums alone.
    pub(crate) is_of_sums: bool,
    /// Whether its rules may ask for what is in the e-graph, `(there PATTERN)`.
    pub(crate) sees_all: bool,
}

/// The schedule: all phases, in the order in which a search runs them.
pub(crate) const SCHEDULE: [Scheduled; 5] = [
    // in every round, on all operations and sums that changed, until nothing changes or a limit is met
    Scheduled { phase: Phase::Search, name: "search", is_of_sums: false, sees_all: false },
    // in the same rounds, on sums that are operands
    Scheduled { phase: Phase::Operand, name: "operand", is_of_sums: true, sees_all: false },
    // once, on all operations and sums, after the rounds; a second time where the late rules found something
    Scheduled { phase: Phase::Share, name: "share", is_of_sums: false, sees_all: true },
    // once, on the sums of the cheapest form
    Scheduled { phase: Phase::Late, name: "late", is_of_sums: true, sees_all: false },
    // together with these, where several expressions are simplified at once
    Scheduled { phase: Phase::Several, name: "several", is_of_sums: true, sees_all: false },
];

impl Phase {
    /// The phase of this name.
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
