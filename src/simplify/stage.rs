//! The stages of a call, which an experiment can leave out one by one.

/// A part of a call that takes time and makes answers cheaper. Without a stage, answers are still correct but may cost
/// more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Searches of parts, such as a branch of a selection, under the conditions under which they are used.
    Contexts,
    /// A second pass that begins with the input after branches were simplified, if a limit ended the first pass.
    BranchesOfInput,
    /// Forms that share parts with other expressions of the e-graph.
    SharedForms,
    /// Rules that run on the chosen form only.
    LateRules,
    /// Extraction of DAGs, in which an operation that several trees share counts once. Without this stage, extraction
    /// chooses the cheapest tree of each e-class.
    Dags,
    /// Passes that begin with the unchanged answer of the previous pass.
    Again,
    /// A search for an answer whose values fit in 32 bits.
    Narrow,
    /// For accesses, a search for each expression alone, if a limit ended the search for all of them.
    EachApart,
    /// For accesses, a search for all expressions in one e-graph.
    Together,
    /// For accesses, the choice of each mask and each index among several forms.
    Mix,
    /// For accesses, further searches that begin with the results of earlier searches.
    Rounds,
    /// For accesses that differ only in numbers, as in an unrolled loop, one search for all of them.
    Copies,
}

impl Stage {
    /// All stages, in the order in which a call runs them.
    pub const ALL: [Stage; 12] = [
        Stage::Contexts,
        Stage::BranchesOfInput,
        Stage::SharedForms,
        Stage::LateRules,
        Stage::Dags,
        Stage::Again,
        Stage::Narrow,
        Stage::EachApart,
        Stage::Together,
        Stage::Mix,
        Stage::Rounds,
        Stage::Copies,
    ];

    /// The name of the stage on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Contexts => "contexts",
            Stage::BranchesOfInput => "branches-of-input",
            Stage::SharedForms => "shared-forms",
            Stage::LateRules => "late-rules",
            Stage::Dags => "dags",
            Stage::Again => "again",
            Stage::Narrow => "narrow",
            Stage::EachApart => "each-apart",
            Stage::Together => "together",
            Stage::Mix => "mix",
            Stage::Rounds => "rounds",
            Stage::Copies => "copies",
        }
    }
}

/// The set of stages that are left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeftOut(u16);

impl LeftOut {
    pub(super) fn and(self, stage: Stage) -> LeftOut {
        LeftOut(self.0 | 1 << stage as u16)
    }

    pub(super) fn has(self, stage: Stage) -> bool {
        self.0 >> stage as u16 & 1 == 1
    }
}
