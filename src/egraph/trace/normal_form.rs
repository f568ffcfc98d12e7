//! The normal forms that have a name, and the algebraic laws that make them correct.
//!
//! Most normal forms need no name: they merge like terms of sums or sort operands. The normal forms listed here are
//! algebraic identities that no rule states. Traces and explanations name each application, and `quaff rules check`
//! proves the law of each.

/// An algebraic identity that the e-graph applies to an operation before it makes a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NormalForm {
    /// A quotient `(n*q + r)//n` where all values of `r` lie between two neighbouring multiples of `n`.
    DivOneBucket,
    /// A quotient of a quotient.
    QuotientOfQuotient,
    /// A comparison with 0 of a sum whose terms have a common factor.
    CompareCommonFactor,
}

/// An identity of integer expressions that holds if the conditions in `given` hold. Every name is an unknown integer.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The conditions of the identity.
    pub given: &'static [&'static str],
    /// The expression that is replaced.
    pub before: &'static str,
    /// The expression that replaces `before`.
    pub after: &'static str,
}

impl NormalForm {
    /// All named normal forms.
    pub const ALL: [NormalForm; 3] =
        [NormalForm::DivOneBucket, NormalForm::QuotientOfQuotient, NormalForm::CompareCommonFactor];

    /// The name of the normal form. No shipped rule has the same name.
    pub fn name(self) -> &'static str {
        match self {
            NormalForm::DivOneBucket => "div-one-bucket",
            NormalForm::QuotientOfQuotient => "quotient-of-quotient",
            NormalForm::CompareCommonFactor => "compare-common-factor",
        }
    }

    /// The reason why the normal form is correct, in one line.
    pub fn reason(self) -> &'static str {
        match self {
            NormalForm::DivOneBucket => {
                "(n*q + r)//n == q + b, when every value of r lies in the bucket b*n .. b*n+n-1"
            }
            NormalForm::QuotientOfQuotient => "(x//m)//n == x//(m*n) for positive n",
            NormalForm::CompareCommonFactor => "g*q + k >= 0 == q + k//g >= 0",
        }
    }

    /// The law that `quaff rules check` proves.
    pub fn law(self) -> Law {
        let (given, before, after): (&[&str], _, _) = match self {
            NormalForm::DivOneBucket => (&["n >= 1", "b*n <= r", "r < b*n + n"], "(n*q + r) // n", "q + b"),
            NormalForm::QuotientOfQuotient => (&["m != 0", "n >= 1"], "x // m // n", "x // (m*n)"),
            NormalForm::CompareCommonFactor => (&["g >= 1"], "g*q + k >= 0", "q + k//g >= 0"),
        };
        Law { given, before, after }
    }
}
