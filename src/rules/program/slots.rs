//! The slots that instructions read and write. A slot holds the value of a name of the rule: an integer, a class, a sum
//! or a list of operands.

use super::instruction::{Guard, Instr, IntExpr, Slot, Term};
use crate::rules::operator::Operator;

/// A slot of any kind. The compiler uses it to find which instructions depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnySlot {
    Int(Slot),
    Class(Slot),
    Sum(Slot),
    List(Slot),
}

/// The number of slots of each kind that a rule uses.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SlotCounts {
    pub(crate) ints: usize,
    pub(crate) classes: usize,
    pub(crate) sums: usize,
    pub(crate) lists: usize,
}

impl SlotCounts {
    pub(in crate::rules) fn max(self, other: SlotCounts) -> SlotCounts {
        SlotCounts {
            ints: self.ints.max(other.ints),
            classes: self.classes.max(other.classes),
            sums: self.sums.max(other.sums),
            lists: self.lists.max(other.lists),
        }
    }
}

impl Instr {
    /// Whether the only effect of the instruction is that a match continues or fails.
    pub(in crate::rules) fn is_filter(&self) -> bool {
        !matches!(self, Instr::Yield(_)) && self.writes().is_empty()
    }

    /// A bit set of the operators for which the instruction searches the whole e-graph. The instruction finds nothing
    /// unless the e-graph has one of these operators.
    pub(in crate::rules) fn operators_asked_for(&self) -> Option<u32> {
        match self {
            Instr::There { operator, .. } => Some(Operator::bits(&[*operator])),
            Instr::ForOperands { operators, .. } => Some(*operators),
            _ => None,
        }
    }

    /// Whether the instruction has at most one result, which needs little work.
    pub(in crate::rules) fn is_test(&self) -> bool {
        use Instr::{Constant, LetInt, SameClass, SameInt, When};
        matches!(self, When(_) | LetInt { .. } | SameInt { .. } | Constant { .. } | SameClass { .. })
    }

    pub(in crate::rules) fn writes(&self) -> Vec<AnySlot> {
        use AnySlot::{Class, Int, List, Sum};
        match self {
            Instr::Node { operands, .. } | Instr::There { operands, .. } => {
                operands.iter().map(|&s| Class(s)).collect()
            }
            Instr::Junction { picked, rest, .. } => picked.iter().map(|&s| Class(s)).chain([List(*rest)]).collect(),
            Instr::Factor { picked, rest, .. } => vec![Class(*picked), Class(*rest)],
            Instr::Constant { to, .. }
            | Instr::LetInt { to, .. }
            | Instr::ForGcds { to, .. }
            | Instr::ForMultiples { to, .. }
            | Instr::ForList { to, .. }
            | Instr::ForRatios { to, .. } => vec![Int(*to)],
            Instr::Spelling { to, .. }
            | Instr::LetSum { to, .. }
            | Instr::ForFactors { to, .. }
            | Instr::ForSharedFactors { to, .. }
            | Instr::ForOperands { to, .. }
            | Instr::Without { to, .. } => vec![Sum(*to)],
            Instr::Pick { at, coeff, class, .. } => vec![Int(*at), Int(*coeff), Class(*class)],
            Instr::Split { q, r, .. }
            | Instr::SplitMultiples { q, r, .. }
            | Instr::SplitBy { q, r, .. }
            | Instr::Residue { q, r, .. } => vec![Sum(*q), Sum(*r)],
            Instr::Signs { positive, negative, .. } => vec![Sum(*positive), Sum(*negative)],
            Instr::Units { units, floor, least, .. } => vec![Sum(*units), Int(*floor), Int(*least)],
            Instr::CommonFactor { factor, sum_over, by_over, .. } => vec![Sum(*factor), Sum(*sum_over), Sum(*by_over)],
            Instr::SameClass { .. }
            | Instr::SameSum { .. }
            | Instr::SameInt { .. }
            | Instr::When(_)
            | Instr::Yield(_) => Vec::new(),
        }
    }

    /// The slots that the instruction reads.
    pub(in crate::rules) fn reads(&self) -> Vec<AnySlot> {
        use AnySlot::{Class, Int, Sum};
        let mut out = Vec::new();
        match self {
            Instr::Node { class, .. }
            | Instr::Junction { class, .. }
            | Instr::Factor { class, .. }
            | Instr::Constant { class, .. }
            | Instr::Spelling { class, .. } => out.push(Class(*class)),
            Instr::There { first, .. } => out.extend(first.map(Class)),
            Instr::Pick { sum, .. }
            | Instr::ForOperands { sum, .. }
            | Instr::ForFactors { sum, .. }
            | Instr::Signs { sum, .. }
            | Instr::Units { sum, .. } => out.push(Sum(*sum)),
            Instr::Without { sum, at, .. } => out.extend([Sum(*sum), Int(*at)]),
            Instr::SameClass { a, b } => out.extend([Class(*a), Class(*b)]),
            Instr::SameSum { a, b } => out.extend([Sum(*a), Sum(*b)]),
            Instr::SameInt { a, b } => {
                out.push(Int(*a));
                b.reads(&mut out);
            }
            Instr::LetInt { value, .. } => value.reads(&mut out),
            Instr::LetSum { value, .. } | Instr::Yield(value) => value.reads(&mut out),
            Instr::ForGcds { sum, modulus: by, .. }
            | Instr::ForMultiples { sum, modulus: by, .. }
            | Instr::Split { sum, by, .. }
            | Instr::SplitMultiples { sum, by, .. } => {
                out.push(Sum(*sum));
                by.reads(&mut out);
            }
            Instr::Residue { sum, n, ties, .. } => {
                out.push(Sum(*sum));
                n.reads(&mut out);
                ties.reads(&mut out);
            }
            Instr::ForList { values, .. } => values.iter().for_each(|v| v.reads(&mut out)),
            Instr::ForRatios { sum, part, .. } => out.extend([Sum(*sum), Sum(*part)]),
            Instr::SplitBy { sum, by, .. } => {
                out.push(Sum(*sum));
                by.reads(&mut out);
            }
            Instr::CommonFactor { sum, by, .. } | Instr::ForSharedFactors { sum, by, .. } => {
                out.extend([Sum(*sum), Sum(*by)])
            }
            Instr::When(g) => g.reads(&mut out),
        }
        out
    }
}

impl IntExpr {
    pub(in crate::rules) fn only_integers(&self) -> bool {
        match self {
            IntExpr::Literal(_)
            | IntExpr::Slot(_)
            | IntExpr::ConstantOf(_)
            | IntExpr::Terms(_)
            | IntExpr::Content(_) => true,
            IntExpr::Add(x) | IntExpr::Mul(x) => x.iter().all(IntExpr::only_integers),
            IntExpr::Sub(x) | IntExpr::Div(x) | IntExpr::Gcd(x) | IntExpr::Apply(_, x) => {
                x.iter().all(IntExpr::only_integers)
            }
            IntExpr::Abs(x) => x.only_integers(),
            _ => false,
        }
    }

    fn reads(&self, out: &mut Vec<AnySlot>) {
        match self {
            IntExpr::Literal(_) => {}
            IntExpr::Slot(s) => out.push(AnySlot::Int(*s)),
            IntExpr::ConstantOf(s) | IntExpr::Terms(s) | IntExpr::Content(s) => out.push(AnySlot::Sum(*s)),
            IntExpr::Add(x) | IntExpr::Mul(x) => x.iter().for_each(|e| e.reads(out)),
            IntExpr::Sub(x) | IntExpr::Div(x) | IntExpr::Gcd(x) | IntExpr::Apply(_, x) => {
                x.iter().for_each(|e| e.reads(out))
            }
            IntExpr::Abs(x) => x.reads(out),
            IntExpr::Lowest(t) | IntExpr::Highest(t) | IntExpr::Modulus(t) | IntExpr::ResidueOf(t) => t.reads(out),
            IntExpr::Bucket(x) => {
                x.0.reads(out);
                x.1.reads(out);
            }
            IntExpr::Quotient(x) => x.iter().for_each(|t| t.reads(out)),
        }
    }
}

impl Term {
    fn reads(&self, out: &mut Vec<AnySlot>) {
        match self {
            Term::Int(e) => e.reads(out),
            Term::Class(s) => out.push(AnySlot::Class(*s)),
            Term::Sum(s) => out.push(AnySlot::Sum(*s)),
            Term::Add(x) | Term::Mul(x) => x.iter().for_each(|t| t.reads(out)),
            Term::Apply(_, x) => x.iter().for_each(|t| t.reads(out)),
            Term::NonNeg(x) | Term::Zero(x) | Term::Not(x) => x.reads(out),
            Term::Junction { operands, rest, .. } => {
                operands.iter().for_each(|t| t.reads(out));
                out.extend(rest.map(AnySlot::List));
            }
            Term::Select(x) => x.iter().for_each(|t| t.reads(out)),
        }
    }
}

impl Guard {
    /// The integers that the guard compares or tests.
    fn operands(&self) -> Vec<&IntExpr> {
        match self {
            Guard::Equal(a, b)
            | Guard::Differ(a, b)
            | Guard::Less(a, b)
            | Guard::AtMost(a, b)
            | Guard::Divides(a, b) => {
                vec![a, b]
            }
            Guard::PowerOfTwo(a) => vec![a],
            _ => Vec::new(),
        }
    }

    /// [`operands`](Self::operands) as mutable references.
    pub(in crate::rules) fn operands_mut(&mut self) -> Vec<&mut IntExpr> {
        match self {
            Guard::Equal(a, b)
            | Guard::Differ(a, b)
            | Guard::Less(a, b)
            | Guard::AtMost(a, b)
            | Guard::Divides(a, b) => vec![a, b],
            Guard::PowerOfTwo(a) => vec![a],
            _ => Vec::new(),
        }
    }

    /// Whether the guard reads only integers.
    pub fn only_integers(&self) -> bool {
        match self {
            Guard::HasTerms(_)
            | Guard::Nontrivial(_)
            | Guard::IsConstant(_)
            | Guard::TermsIn(..)
            | Guard::Unknown(_) => true,
            Guard::Not(g) => g.only_integers(),
            Guard::Any(g) => g.iter().all(Guard::only_integers),
            g => !g.operands().is_empty() && g.operands().iter().all(|e| e.only_integers()),
        }
    }

    fn reads(&self, out: &mut Vec<AnySlot>) {
        match self {
            Guard::HasTerms(s) | Guard::Nontrivial(s) | Guard::IsConstant(s) => out.push(AnySlot::Sum(*s)),
            Guard::TermsIn(a, b) => out.extend([AnySlot::Sum(*a), AnySlot::Sum(*b)]),
            Guard::Boolean(s) | Guard::Unknown(s) => out.push(AnySlot::Class(*s)),
            Guard::NonNegative(t) | Guard::Positive(t) | Guard::NonZero(t) => t.reads(out),
            Guard::Within(x) => x.iter().for_each(|t| t.reads(out)),
            Guard::Tighter(x) | Guard::DisjointBits(x) => x.iter().for_each(|t| t.reads(out)),
            Guard::Not(g) => g.reads(out),
            Guard::Any(g) => g.iter().for_each(|g| g.reads(out)),
            Guard::Equal(..)
            | Guard::Differ(..)
            | Guard::Less(..)
            | Guard::AtMost(..)
            | Guard::Divides(..)
            | Guard::PowerOfTwo(_) => {
                self.operands().iter().for_each(|e| e.reads(out));
            }
        }
    }
}
