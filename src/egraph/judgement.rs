//! Names for the steps that the engine takes without a rule.

/// Why the engine itself found a node equal to another class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
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
    SharedRemainder,
}

impl Judgement {
    /// The name, which no rule has.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Judgement::NormalForm => "normal-form",
            Judgement::ClauseImplied => "clause-implied",
            Judgement::ClauseRefuted => "clause-refuted",
            Judgement::ClauseReduced => "clause-reduced",
            Judgement::SelectionDecided => "selection-decided",
            Judgement::SelectionIsExtremum => "selection-is-extremum",
            Judgement::SelectionBranch => "selection-branch",
            Judgement::SelectionCovered => "selection-covered",
            Judgement::ExtremumDecided => "extremum-decided",
            Judgement::ComparisonDecided => "comparison-decided",
            Judgement::SharedRemainder => "shared-remainder",
        }
    }

    /// Why it is right, in one line.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Judgement::NormalForm => "the operation written anew on what its operands became",
            Judgement::ClauseImplied => {
                "a clause of `and` that the others imply, of `or` that implies the others, goes"
            }
            Judgement::ClauseRefuted => "a clause that fails with the others (`or`: holds where they fail) decides",
            Judgement::ClauseReduced => "a clause under what the clauses beside it say",
            Judgement::SelectionDecided => "the condition is known, or the branches are equal",
            Judgement::SelectionIsExtremum => "the condition chooses the smaller, or the greater, of the branches",
            Judgement::SelectionBranch => "a branch that has one value wherever it is chosen",
            Judgement::SelectionCovered => "a branch has the other one's value wherever that is chosen",
            Judgement::ExtremumDecided => "the difference of the operands has one sign",
            Judgement::ComparisonDecided => "what bounds the operands of extrema decides the comparison",
            Judgement::SharedRemainder => {
                "a*X + f*n*(X//n) == (a + f)*X - f*(X%n), with a remainder that is there anyway"
            }
        }
    }
}
