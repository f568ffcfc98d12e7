//! Names for the steps that the engine takes without a rule.

/// The reason for which the engine itself found a node equal to another class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuiltinStep {
    NormalForm,
    ClauseImplied,
    ClauseRefuted,
    ClauseReduced,
    SelectionDecided,
    SelectionIsExtremum,
    SelectionBranch,
    SelectionCovered,
    ExtremumDecided,
    ComparisonDecided,
}

impl BuiltinStep {
    /// The name of the step. No rule has the same name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            BuiltinStep::NormalForm => "normal-form",
            BuiltinStep::ClauseImplied => "clause-implied",
            BuiltinStep::ClauseRefuted => "clause-refuted",
            BuiltinStep::ClauseReduced => "clause-reduced",
            BuiltinStep::SelectionDecided => "selection-decided",
            BuiltinStep::SelectionIsExtremum => "selection-is-extremum",
            BuiltinStep::SelectionBranch => "selection-branch",
            BuiltinStep::SelectionCovered => "selection-covered",
            BuiltinStep::ExtremumDecided => "extremum-decided",
            BuiltinStep::ComparisonDecided => "comparison-decided",
        }
    }

    /// The justification of the step, in one line.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            BuiltinStep::NormalForm => "the operation written anew on what its operands became",
            BuiltinStep::ClauseImplied => {
                "a clause of `and` that the others imply, of `or` that implies the others, goes"
            }
            BuiltinStep::ClauseRefuted => "a clause that fails with the others (`or`: holds where they fail) decides",
            BuiltinStep::ClauseReduced => "a clause under what the clauses beside it say",
            BuiltinStep::SelectionDecided => "the condition is known, or the branches are equal",
            BuiltinStep::SelectionIsExtremum => "the condition chooses the smaller, or the greater, of the branches",
            BuiltinStep::SelectionBranch => "a branch that has one value wherever it is chosen",
            BuiltinStep::SelectionCovered => "a branch has the other one's value wherever that is chosen",
            BuiltinStep::ExtremumDecided => "the difference of the operands has one sign",
            BuiltinStep::ComparisonDecided => "what bounds the operands of extrema decides the comparison",
        }
    }
}
