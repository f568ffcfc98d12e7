//! Normal forms that have a name, and the laws behind them.
//!
//! Most normal forms need no name: sums merge like terms, operands are sorted. Those listed here are pieces of algebra.
//! No rule says what they say. Traces and explanations tell each application by name, and `quaff rules check` proves the
//! law of each.

/// A piece of algebra that the e-graph applies to an operation before there is a node for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NormalForm {
    /// A quotient of which one part of the numerator lies in one bucket.
    DivOneBucket,
    /// A quotient of a quotient.
    QuotientOfQuotient,
    /// A comparison with 0 of a sum whose terms have a common factor.
    CompareCommonFactor,
}

/// An identity of integer expressions, which holds wherever the conditions do. Every name is an unknown integer.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The conditions.
    pub given: &'static [&'static str],
    /// What is replaced.
    pub before: &'static str,
    /// What it becomes.
    pub after: &'static str,
}

impl NormalForm {
    /// All of them.
    pub const ALL: [NormalForm; 3] =
        [NormalForm::DivOneBucket, NormalForm::QuotientOfQuotient, NormalForm::CompareCommonFactor];

    /// The name, which no shipped rule has.
    pub fn name(self) -> &'static str {
        match self {
            NormalForm::DivOneBucket => "div-one-bucket",
            NormalForm::QuotientOfQuotient => "quotient-of-quotient",
            NormalForm::CompareCommonFactor => "compare-common-factor",
        }
    }

    /// Why it is right, in one line.
    pub fn reason(self) -> &'static str {
        match self {
            NormalForm::DivOneBucket => {
                "(n*q + r)//n == q + b, when every value of r lies in the bucket b*n .. b*n+n-1"
            }
            NormalForm::QuotientOfQuotient => "(x//m)//n == x//(m*n) for positive n",
            NormalForm::CompareCommonFactor => "g*q + k >= 0 == q + k//g >= 0",
        }
    }

    /// What `quaff rules check` proves.
    pub fn law(self) -> Law {
        let (given, before, after): (&[&str], _, _) = match self {
            NormalForm::DivOneBucket => (&["n >= 1", "b*n <= r", "r < b*n + n"], "(n*q + r) // n", "q + b"),
            NormalForm::QuotientOfQuotient => (&["m != 0", "n >= 1"], "x // m // n", "x // (m*n)"),
            NormalForm::CompareCommonFactor => (&["g >= 1"], "g*q + k >= 0", "q + k//g >= 0"),
        };
        Law { given, before, after }
    }
}
