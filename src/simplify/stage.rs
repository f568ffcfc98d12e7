//! The stages of a call, which an experiment can leave out one by one.

/// A part of a call that takes time and makes answers cheaper. Without it answers are right, and may cost more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Searches of parts under the conditions they are used under.
    Contexts,
    /// The pass that begins with the input, where a limit ended the first one.
    BranchesOfInput,
    /// Forms with parts that something else computes.
    SharedForms,
    /// Rules that run on the chosen form only.
    LateRules,
    /// Extraction of DAGs, where operations that several trees have count once. Without it, each class has its cheapest tree.
    Dags,
    /// Passes that begin with the answer as it is.
    Again,
    /// A search for an answer within 32 bits.
    Narrow,
    /// Of accesses, each expression alone where a search for all of them was too short.
    EachApart,
    /// Of accesses, a search for everything in one e-graph.
    Together,
    /// Of accesses, the mix of gates and indices from several forms.
    Mix,
    /// Of accesses, searches that begin with what was found.
    Rounds,
    /// Of accesses, the patterns of copies.
    Copies,
}

impl Stage {
    /// All stages, in the order in which a call takes them.
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

    /// The name on a command line.
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

/// Stages that are left out.
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
