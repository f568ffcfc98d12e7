//! The instructions that a rule compiles to, and the integers, terms and guards that they evaluate.
//!
//! Instructions read and write numbered slots. Every slot is written by one instruction only (a name that is repeated in
//! a pattern compiles to a comparison), so backtracking has nothing to undo.

// what the fields hold is said by their names and types; `quaff::internals` passes these types on to the crate that proves rules
#![allow(missing_docs)]

use crate::expr::Junction;
use crate::rules::operator::Operator;

/// Index of a slot, in the file of its kind.
pub type Slot = u8;

/// One step of matching. Instructions that have several answers are choice points; one without an answer backtracks.
#[derive(Clone, Debug, PartialEq)]
pub enum Instr {
    /// For each node with this operator in the class: its operands go to class slots.
    Node {
        class: Slot,
        operator: Operator,
        operands: Vec<Slot>,
    },
    /// For each choice of `picked.len()` operands of an `and`/`or` in the class; the rest goes to a list slot.
    Junction {
        class: Slot,
        junction: Junction,
        picked: Vec<Slot>,
        rest: Slot,
    },
    /// For each factor of a product in the class: that factor and the product of the others.
    Factor {
        class: Slot,
        picked: Slot,
        rest: Slot,
    },
    /// The class is a constant: its value.
    Constant {
        class: Slot,
        to: Slot,
    },
    /// For each spelling of the class as a sum (only the canonical one when not `all`).
    Spelling {
        class: Slot,
        to: Slot,
        all: bool,
    },
    /// For each term of the sum: its position, coefficient and class.
    Pick {
        sum: Slot,
        at: Slot,
        coeff: Slot,
        class: Slot,
    },
    /// The sum without the term at a position.
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
    /// For each divisor above 1 that `modulus` shares with coefficients of the sum.
    ForGcds {
        to: Slot,
        sum: Slot,
        modulus: IntExpr,
    },
    /// For each divisor above 1 that `modulus` shares with what is known to divide terms of the sum.
    ForMultiples {
        to: Slot,
        sum: Slot,
        modulus: IntExpr,
    },
    /// For each product that terms of the sum, one of which is a product, have as a factor.
    ForFactors {
        to: Slot,
        sum: Slot,
    },
    /// For each product of unknowns, with a number before it, that all terms of `by` share with one term of `sum`.
    ForSharedFactors {
        to: Slot,
        sum: Slot,
        by: Slot,
    },
    /// For each operation with this operator in the e-graph: its operands go to class slots. With `first`, only those whose first operand is
    /// the class in that slot.
    There {
        operator: Operator,
        first: Option<Slot>,
        operands: Vec<Slot>,
    },
    /// For each sum with the terms of `sum` that is the first operand of an operation in the e-graph with one of these operators, which
    /// are bits.
    ForOperands {
        to: Slot,
        sum: Slot,
        operators: u32,
    },
    /// For each listed value.
    ForList {
        to: Slot,
        values: Vec<IntExpr>,
    },
    /// For each factor `a` such that `sum - a * part` loses all terms of `part`.
    ForRatios {
        to: Slot,
        sum: Slot,
        part: Slot,
    },
    /// `sum == by * q + r`, terms sorted by divisibility.
    Split {
        sum: Slot,
        by: IntExpr,
        q: Slot,
        r: Slot,
    },
    /// `sum == q + r`, where `by` is known to divide every term of `q`.
    SplitMultiples {
        sum: Slot,
        by: IntExpr,
        q: Slot,
        r: Slot,
    },
    /// `sum == positive - negative`, neither with a negative coefficient.
    Signs {
        sum: Slot,
        positive: Slot,
        negative: Slot,
    },
    /// `sum == floor + Σ |c| * u` over values `u >= 0`; `units == Σ u`, `least` the least `|c|`, of a constant the greatest number.
    Units {
        sum: Slot,
        units: Slot,
        floor: Slot,
        least: Slot,
    },
    /// The same for a divisor known only at run time.
    SplitBy {
        sum: Slot,
        by: Term,
        q: Slot,
        r: Slot,
    },
    /// `sum == n * q + r` with coefficients of least absolute value in `r`.
    Residue {
        sum: Slot,
        n: IntExpr,
        ties: IntExpr,
        q: Slot,
        r: Slot,
    },
    /// The greatest common symbolic factor of all terms of `sum` and of `by`: both divided by it.
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

/// An integer computed while matching; overflow, a zero divisor or an inexact `/` makes the match fail.
#[derive(Clone, Debug, PartialEq)]
pub enum IntExpr {
    Literal(i64),
    Slot(Slot),
    Add(Vec<IntExpr>),
    Sub(Box<[IntExpr; 2]>),
    Mul(Vec<IntExpr>),
    /// Exact quotient.
    Div(Box<[IntExpr; 2]>),
    Gcd(Box<[IntExpr; 2]>),
    /// A division or an extremum.
    Apply(Operator, Box<[IntExpr; 2]>),
    Abs(Box<IntExpr>),
    /// Ends of the interval; fail when open.
    Lowest(Box<Term>),
    Highest(Box<Term>),
    /// The congruence.
    Modulus(Box<Term>),
    ResidueOf(Box<Term>),
    /// The constant part of a sum.
    ConstantOf(Slot),
    /// Greatest common divisor of the coefficients of a sum, its constant left out.
    Content(Slot),
    /// Number of terms of a sum, its constant left out.
    Terms(Slot),
    /// `k` when all values lie in `[k*n, (k+1)*n)`.
    Bucket(Box<(Term, IntExpr)>),
    /// The one value of `a // b`, when its interval has only one.
    Quotient(Box<[Term; 2]>),
}

/// An expression a rule builds; evaluated to a linear combination.
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
    /// `lo <= x < hi`, by intervals or by symbolic ends.
    Within(Box<[Term; 3]>),
    NonNegative(Term),
    Positive(Term),
    NonZero(Term),
    HasTerms(Slot),
    /// Not the constant 0.
    Nontrivial(Slot),
    IsConstant(Slot),
    /// Each term of the first sum is one of the second, whatever their factors.
    TermsIn(Slot, Slot),
    Boolean(Slot),
    /// Not known to be one number.
    Unknown(Slot),
    /// The terms of the first bound it better than those of the second do.
    Tighter(Box<[Term; 2]>),
    /// No bit can be 1 in both.
    DisjointBits(Box<[Term; 2]>),
    Not(Box<Guard>),
    Any(Vec<Guard>),
}
