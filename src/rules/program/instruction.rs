//! The instructions that a rule compiles to, and the integers, terms and guards that they evaluate.
//!
//! Instructions read and write numbered *slots*, which hold the values of the names in a rule. Every slot is written by
//! only one instruction, because the second occurrence of a name in a pattern compiles to a comparison. So backtracking
//! has nothing to undo.

// the names and types of the fields are their documentation. `quaff::internals` exports these types for the crate that
// proves rules
#![allow(missing_docs)]

use crate::expr::Junction;
use crate::rules::operator::Operator;

/// The index of a slot among the slots of its kind.
pub type Slot = u8;

/// A step of matching. If an instruction has several results, the instructions after it run for each of them (a choice
/// point). If it has none, the matcher goes back to the last choice point.
#[derive(Clone, Debug, PartialEq)]
pub enum Instr {
    /// For each node with this operator in the class, writes its operands to class slots.
    Node {
        class: Slot,
        operator: Operator,
        operands: Vec<Slot>,
    },
    /// For each choice of `picked.len()` operands of an `and`/`or` in the class, writes the other operands to a list
    /// slot.
    Junction {
        class: Slot,
        junction: Junction,
        picked: Vec<Slot>,
        rest: Slot,
    },
    /// For each factor of a product in the class, writes this factor and the product of the others.
    Factor {
        class: Slot,
        picked: Slot,
        rest: Slot,
    },
    /// Writes the value of the class, which must be a constant.
    Constant {
        class: Slot,
        to: Slot,
    },
    /// For each sum that the class is known to equal (a spelling), writes the sum. If `all` is false, only the
    /// canonical spelling is written.
    Spelling {
        class: Slot,
        to: Slot,
        all: bool,
    },
    /// For each term of the sum, writes its position, coefficient and class.
    Pick {
        sum: Slot,
        at: Slot,
        coeff: Slot,
        class: Slot,
    },
    /// Writes the sum without the term at a position.
    Without {
        sum: Slot,
        at: Slot,
        to: Slot,
    },
    SameClass {
        a: Slot,
        b: Slot,
    },
    SameSum {
        a: Slot,
        b: Slot,
    },
    SameInt {
        a: Slot,
        b: IntExpr,
    },
    LetInt {
        to: Slot,
        value: IntExpr,
    },
    LetSum {
        to: Slot,
        value: Term,
    },
    /// For each divisor above 1 that `modulus` shares with coefficients of the sum, writes the divisor.
    ForGcds {
        to: Slot,
        sum: Slot,
        modulus: IntExpr,
    },
    /// For each divisor above 1 that `modulus` shares with a known divisor of terms of the sum, writes this divisor.
    ForMultiples {
        to: Slot,
        sum: Slot,
        modulus: IntExpr,
    },
    /// For each product, with a coefficient, that is a factor of terms of the sum, writes the product. At least one
    /// term must be a product of unknowns.
    ForFactors {
        to: Slot,
        sum: Slot,
    },
    /// For each product of unknowns, with a numeric factor, that all terms of `by` share with one term of `sum`, writes
    /// the product.
    ForSharedFactors {
        to: Slot,
        sum: Slot,
        by: Slot,
    },
    /// For each operation with this operator in the e-graph, writes its operands to class slots. With `first`, the
    /// first operand must be the class in that slot.
    There {
        operator: Operator,
        first: Option<Slot>,
        operands: Vec<Slot>,
    },
    /// For each sum with the terms of `sum` that is the first operand of an operation in the e-graph, writes the sum.
    /// The operation has one of the operators in the bit set `operators`.
    ForOperands {
        to: Slot,
        sum: Slot,
        operators: u32,
    },
    /// For each value of a list, writes the value.
    ForList {
        to: Slot,
        values: Vec<IntExpr>,
    },
    /// For each factor `a` such that `sum - a * part` has no term of `part`, writes the factor.
    ForRatios {
        to: Slot,
        sum: Slot,
        part: Slot,
    },
    /// Writes `q` and `r` with `sum == by * q + r`. A term goes to `q` if `by` divides its coefficient, and otherwise
    /// to `r`.
    Split {
        sum: Slot,
        by: IntExpr,
        q: Slot,
        r: Slot,
    },
    /// Writes `q` and `r` with `sum == q + r`. `by` is known to divide every term of `q`.
    SplitMultiples {
        sum: Slot,
        by: IntExpr,
        q: Slot,
        r: Slot,
    },
    /// Writes two sums with `sum == positive - negative`. Neither sum has a negative coefficient.
    Signs {
        sum: Slot,
        positive: Slot,
        negative: Slot,
    },
    /// Writes `units`, `floor` and `least` with `sum == floor + Σ |c| * u` over values `u >= 0`. `units` is `Σ u`, and
    /// `least` is the least `|c|`. For a constant, `least` is the greatest number.
    Units {
        sum: Slot,
        units: Slot,
        floor: Slot,
        least: Slot,
    },
    /// [`Instr::Split`] for a divisor that is known only at run time.
    SplitBy {
        sum: Slot,
        by: Term,
        q: Slot,
        r: Slot,
    },
    /// Writes `q` and `r` with `sum == n * q + r`. The coefficients in `r` have the least absolute values.
    Residue {
        sum: Slot,
        n: IntExpr,
        ties: IntExpr,
        q: Slot,
        r: Slot,
    },
    /// Writes the greatest common symbolic factor of all terms of `sum` and `by`, and both divided by it.
    CommonFactor {
        sum: Slot,
        by: Slot,
        factor: Slot,
        sum_over: Slot,
        by_over: Slot,
    },
    When(Guard),
    Yield(Term),
}

/// An integer that is computed while matching. Overflow, a zero divisor or an inexact `/` makes the match fail.
#[derive(Clone, Debug, PartialEq)]
pub enum IntExpr {
    Literal(i64),
    Slot(Slot),
    Add(Vec<IntExpr>),
    Sub(Box<[IntExpr; 2]>),
    Mul(Vec<IntExpr>),
    /// An exact quotient.
    Div(Box<[IntExpr; 2]>),
    Gcd(Box<[IntExpr; 2]>),
    /// A division or an extremum.
    Apply(Operator, Box<[IntExpr; 2]>),
    Abs(Box<IntExpr>),
    /// The lower end of the term's interval. `Highest` is the upper end. The match fails if the end is open.
    Lowest(Box<Term>),
    Highest(Box<Term>),
    /// The modulus of the term's congruence. `ResidueOf` is the residue.
    Modulus(Box<Term>),
    ResidueOf(Box<Term>),
    /// The constant part of a sum.
    ConstantOf(Slot),
    /// The greatest common divisor of the coefficients of a sum, without its constant.
    Content(Slot),
    /// The number of terms of a sum, without its constant.
    Terms(Slot),
    /// The number `k` for which all values of the term are in `[k*n, (k+1)*n)`.
    Bucket(Box<(Term, IntExpr)>),
    /// The value of `a // b`, if the intervals of `a` and `b` allow only one value.
    Quotient(Box<[Term; 2]>),
}

/// An expression that a rule builds. Its value is a linear form.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Int(IntExpr),
    Class(Slot),
    Sum(Slot),
    Add(Vec<Term>),
    Mul(Vec<Term>),
    NonNeg(Box<Term>),
    Zero(Box<Term>),
    Not(Box<Term>),
    Junction {
        junction: Junction,
        operands: Vec<Term>,
        rest: Option<Slot>,
    },
    Select(Box<[Term; 3]>),
    /// A division, an extremum or a bit operation.
    Apply(Operator, Box<[Term; 2]>),
}

/// A condition over facts.
#[derive(Clone, Debug, PartialEq)]
pub enum Guard {
    Equal(IntExpr, IntExpr),
    Differ(IntExpr, IntExpr),
    Less(IntExpr, IntExpr),
    AtMost(IntExpr, IntExpr),
    Divides(IntExpr, IntExpr),
    PowerOfTwo(IntExpr),
    /// `lo <= x < hi`, proved by intervals or by symbolic ends.
    Within(Box<[Term; 3]>),
    NonNegative(Term),
    Positive(Term),
    NonZero(Term),
    HasTerms(Slot),
    /// The sum is not the constant 0.
    Nontrivial(Slot),
    IsConstant(Slot),
    /// Each term of the first sum is a term of the second sum. The coefficients may differ.
    TermsIn(Slot, Slot),
    Boolean(Slot),
    /// The class is not known to be a single number.
    Unknown(Slot),
    /// The range that follows from the terms of the first operand is smaller than the range of the second operand.
    Tighter(Box<[Term; 2]>),
    /// No bit can be 1 in both operands.
    DisjointBits(Box<[Term; 2]>),
    Not(Box<Guard>),
    Any(Vec<Guard>),
}
