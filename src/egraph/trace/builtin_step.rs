//! Names for the steps that the engine takes without a rule.

/// Why the engine itself found a node equal to another class.
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
    SharedRemainder,
    SharedSum,
    SharedQuotient,
    SharedDigit,
    SharedWeights,
    SharedBound,
}

impl BuiltinStep {
    /// The name, which no rule has.
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
            BuiltinStep::SharedRemainder => "shared-remainder",
            BuiltinStep::SharedSum => "shared-sum",
            BuiltinStep::SharedQuotient => "shared-quotient",
            BuiltinStep::SharedDigit => "shared-digit",
            BuiltinStep::SharedWeights => "shared-weights",
            BuiltinStep::SharedBound => "shared-bound",
        }
    }

    /// Why it is right, in one line.
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
            BuiltinStep::SharedRemainder => {
                "a*X + f*n*(X//n) == (a + f)*X - f*(X%n), with a remainder that is there anyway"
            }
            BuiltinStep::SharedQuotient => "x//(m*k) == (x//m)//k, with a quotient that is there anyway",
            BuiltinStep::SharedDigit => "(x//m)%k == (x%(m*k))//m, with a remainder that is there anyway",
            BuiltinStep::SharedWeights => {
                "x + y >= 1 == a*x + b*y >= 1 for x, y >= 0 and a, b >= 1, with a sum that is there anyway"
            }
            BuiltinStep::SharedBound => "x + n*y >= n*k == x//n + y >= k, with a quotient that is there anyway",
            BuiltinStep::SharedSum => "x%n == y%n where n divides y - x, with a sum that is there anyway",
        }
    }
}
