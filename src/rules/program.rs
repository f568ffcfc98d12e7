//! What a rule compiles to: a short list of instructions over numbered slots.
//!
//! Every slot is written by one instruction only (a repeated name compiles to a check), so backtracking needs no undo.

use super::Place;
use crate::egraph::node::Head;

/// Index of a slot, in the file of its kind.
pub(crate) type Slot = u8;

/// One step of matching. Instructions that have several answers are choice points; one without an answer backtracks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Instr {
    /// For each node with this head in the class: its operands go to class slots.
    Node {
        class: Slot,
        head: Head,
        operands: Vec<Slot>,
    },
    /// For each choice of `picked.len()` operands of an `and`/`or` in the class; the rest goes to a list slot.
    Junction {
        class: Slot,
        and: bool,
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
    /// `sum == positive - negative`, neither with a negative coefficient.
    Signs {
        sum: Slot,
        positive: Slot,
        negative: Slot,
    },
    /// `sum == floor + Σ |c| * u` over values `u >= 0`; `units == Σ u`, `least` the least `|c|`.
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
pub(crate) enum IntExpr {
    Literal(i64),
    Slot(Slot),
    Add(Vec<IntExpr>),
    Sub(Box<[IntExpr; 2]>),
    Mul(Vec<IntExpr>),
    /// Exact quotient.
    Div(Box<[IntExpr; 2]>),
    FloorDiv(Box<[IntExpr; 2]>),
    FloorMod(Box<[IntExpr; 2]>),
    Gcd(Box<[IntExpr; 2]>),
    Min(Box<[IntExpr; 2]>),
    Max(Box<[IntExpr; 2]>),
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
pub(crate) enum Term {
    Int(IntExpr),
    Class(Slot),
    Sum(Slot),
    Add(Vec<Term>),
    Mul(Vec<Term>),
    Div(Box<[Term; 2]>),
    Mod(Box<[Term; 2]>),
    Min(Box<[Term; 2]>),
    Max(Box<[Term; 2]>),
    NonNeg(Box<Term>),
    Zero(Box<Term>),
    Not(Box<Term>),
    Junction { and: bool, operands: Vec<Term>, rest: Option<Slot> },
    Select(Box<[Term; 3]>),
    Bits(Head, Box<[Term; 2]>),
}

/// A condition over facts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Guard {
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
    Boolean(Slot),
    /// Not known to be one number.
    Unknown(Slot),
    /// The terms of the first bound it better than those of the second do.
    Tighter(Box<[Term; 2]>),
    /// Some variable is in both sums, or something relates their variables.
    Related(Slot, Slot),
    /// No bit can be 1 in both.
    DisjointBits(Box<[Term; 2]>),
    Not(Box<Guard>),
    Any(Vec<Guard>),
}

/// A compiled rule.
#[derive(Clone, Debug)]
pub struct Rule {
    pub(crate) name: String,
    pub(crate) reason: String,
    /// Why it is there although nothing needs it.
    pub(crate) because: Option<String>,
    /// The rule as written, on one line.
    pub(crate) text: String,
    pub(crate) file: String,
    pub(crate) place: Place,
    pub(crate) head: Head,
    /// Once it has fired on a node, no later rule looks at that node: its result says all that can be said.
    pub(crate) done: bool,
    /// Run once all others have nothing left to say, and by an answer that nobody looks at again.
    pub(crate) late: bool,
    /// Run only on sums that something else is made of.
    pub(crate) operand: bool,
    /// Applied to quotients or comparisons before there is an e-node.
    pub(crate) at_once: bool,
    pub(crate) code: Vec<Instr>,
    pub(crate) slots: SlotCounts,
    /// Names that clauses read, in the order of their binding: what a firing is explained with.
    pub(crate) told: Vec<(String, AnySlot)>,
}

/// The rules that are applied to quotients and comparisons before there is an e-node, by number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AtOnce {
    pub(crate) one_bucket: Option<u16>,
    pub(crate) congruence: Option<u16>,
    pub(crate) nested: Option<u16>,
    pub(crate) compare_factor: Option<u16>,
    pub(crate) equal_factor: Option<u16>,
}

/// Their names: what they say is built into the engine.
pub(crate) const AT_ONCE: [&str; 5] =
    ["div-one-bucket", "congruence", "nested-division", "compare-common-factor", "equal-common-factor"];

/// How many slots of each kind a rule uses.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SlotCounts {
    pub(crate) ints: usize,
    pub(crate) classes: usize,
    pub(crate) sums: usize,
    pub(crate) lists: usize,
}

impl SlotCounts {
    pub(super) fn max(self, other: SlotCounts) -> SlotCounts {
        SlotCounts {
            ints: self.ints.max(other.ints),
            classes: self.classes.max(other.classes),
            sums: self.sums.max(other.sums),
            lists: self.lists.max(other.lists),
        }
    }
}

/// Rules with a common beginning: what they share is matched once.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) instr: Instr,
    /// The first rule through this instruction; for a [`Instr::Yield`] the rule that yields.
    pub(crate) rule: u16,
    /// Whether several rules go through this instruction.
    pub(crate) shared: bool,
    /// Below an [`Instr::Pick`]: a term none of whose heads is among these bits matches nothing from here on.
    pub(crate) heads: u32,
    pub(crate) next: Vec<Tree>,
}

impl Tree {
    /// For rules about sums: the heads that some picked term must have, as bits, for any of them to match.
    pub(super) fn term_heads(trees: &[Tree]) -> u32 {
        trees.iter().fold(0, |bits, t| {
            bits | match &t.instr {
                Instr::Node { head, .. } => 1 << *head as u32,
                Instr::Factor { .. } => 1 << Head::Product as u32,
                Instr::Yield(_) => u32::MAX,
                _ => Tree::term_heads(&t.next),
            }
        })
    }

    /// Notes below each choice of a term which heads the term must have.
    pub(super) fn note_heads(trees: &mut [Tree]) {
        for t in trees {
            if let Instr::Pick { class, .. } = t.instr {
                t.next.iter_mut().for_each(|n| n.heads = n.heads_of(class));
            }
            Tree::note_heads(&mut t.next);
        }
    }

    /// The heads, as bits, one of which `slot` must have for any rule to match from here on.
    fn heads_of(&self, slot: Slot) -> u32 {
        match &self.instr {
            Instr::Node { class, head, .. } if *class == slot => 1 << *head as u32,
            Instr::Junction { class, and, .. } if *class == slot => 1 << if *and { Head::And } else { Head::Or } as u32,
            Instr::Factor { class, .. } if *class == slot => 1 << Head::Product as u32,
            Instr::Yield(_) => u32::MAX,
            _ => self.next.iter().fold(0, |bits, t| bits | t.heads_of(slot)),
        }
    }

    /// Adds the rest of a rule's code below `siblings`.
    pub(super) fn insert(siblings: &mut Vec<Tree>, rule: u16, code: &[Instr]) {
        let Some((first, rest)) = code.split_first() else { return };
        let shared = !matches!(first, Instr::Yield(_));
        let i = match siblings.iter().position(|t| shared && t.instr == *first) {
            Some(i) => {
                siblings[i].shared |= siblings[i].rule != rule;
                i
            }
            None => {
                siblings.push(Tree { instr: first.clone(), rule, shared: false, heads: u32::MAX, next: Vec::new() });
                siblings.len() - 1
            }
        };
        Tree::insert(&mut siblings[i].next, rule, rest);
    }
}

impl Rule {
    /// The rule's unique name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why the rule is right, in one line.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Why the rule is there although others, or the facts, say what it says; in the words of whoever wrote it.
    pub fn because(&self) -> Option<&str> {
        self.because.as_deref()
    }

    /// The rule as it stands in its file, on one line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file that it came from.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Where in the file it begins.
    pub fn place(&self) -> Place {
        self.place
    }
}

/// A slot of some kind, for finding out which instruction needs which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnySlot {
    Int(Slot),
    Class(Slot),
    Sum(Slot),
    List(Slot),
}

impl Instr {
    /// Whether it may have several answers, or does work that an earlier failure would save.
    pub(super) fn is_choice(&self) -> bool {
        !matches!(self, Instr::Yield(_) | Instr::When(_) | Instr::SameInt { .. })
    }

    /// Whether it has at most one answer, found with little work from what is there.
    pub(super) fn is_test(&self) -> bool {
        use Instr::{Constant, LetInt, SameClass, SameInt, When};
        matches!(self, When(_) | LetInt { .. } | SameInt { .. } | Constant { .. } | SameClass { .. })
    }

    pub(super) fn writes(&self) -> Vec<AnySlot> {
        use AnySlot::{Class, Int, List, Sum};
        match self {
            Instr::Node { operands, .. } => operands.iter().map(|&s| Class(s)).collect(),
            Instr::Junction { picked, rest, .. } => picked.iter().map(|&s| Class(s)).chain([List(*rest)]).collect(),
            Instr::Factor { picked, rest, .. } => vec![Class(*picked), Class(*rest)],
            Instr::Constant { to, .. }
            | Instr::LetInt { to, .. }
            | Instr::ForGcds { to, .. }
            | Instr::ForList { to, .. }
            | Instr::ForRatios { to, .. } => vec![Int(*to)],
            Instr::Spelling { to, .. } | Instr::LetSum { to, .. } | Instr::Without { to, .. } => vec![Sum(*to)],
            Instr::Pick { at, coeff, class, .. } => vec![Int(*at), Int(*coeff), Class(*class)],
            Instr::Split { q, r, .. } | Instr::SplitBy { q, r, .. } | Instr::Residue { q, r, .. } => {
                vec![Sum(*q), Sum(*r)]
            }
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

    /// What the instructions that may be moved read.
    pub(super) fn reads(&self) -> Vec<AnySlot> {
        let mut out = Vec::new();
        match self {
            Instr::When(g) => g.reads(&mut out),
            Instr::LetInt { value, .. } => value.reads(&mut out),
            Instr::SameInt { a, b } => {
                out.push(AnySlot::Int(*a));
                b.reads(&mut out);
            }
            Instr::SameClass { a, b } => out.extend([AnySlot::Class(*a), AnySlot::Class(*b)]),
            Instr::Constant { class, .. } => out.push(AnySlot::Class(*class)),
            Instr::Without { sum, at, .. } => out.extend([AnySlot::Sum(*sum), AnySlot::Int(*at)]),
            _ => {}
        }
        out
    }
}

impl IntExpr {
    pub(super) fn only_integers(&self) -> bool {
        match self {
            IntExpr::Literal(_)
            | IntExpr::Slot(_)
            | IntExpr::ConstantOf(_)
            | IntExpr::Terms(_)
            | IntExpr::Content(_) => true,
            IntExpr::Add(x) | IntExpr::Mul(x) => x.iter().all(IntExpr::only_integers),
            IntExpr::Sub(x)
            | IntExpr::Div(x)
            | IntExpr::FloorDiv(x)
            | IntExpr::FloorMod(x)
            | IntExpr::Gcd(x)
            | IntExpr::Min(x)
            | IntExpr::Max(x) => x.iter().all(IntExpr::only_integers),
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
            IntExpr::Sub(x)
            | IntExpr::Div(x)
            | IntExpr::FloorDiv(x)
            | IntExpr::FloorMod(x)
            | IntExpr::Gcd(x)
            | IntExpr::Min(x)
            | IntExpr::Max(x) => x.iter().for_each(|e| e.reads(out)),
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
            Term::Div(x) | Term::Mod(x) | Term::Min(x) | Term::Max(x) | Term::Bits(_, x) => {
                x.iter().for_each(|t| t.reads(out));
            }
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

    pub(crate) fn only_integers(&self) -> bool {
        match self {
            Guard::HasTerms(_) | Guard::Nontrivial(_) | Guard::IsConstant(_) | Guard::Unknown(_) => true,
            Guard::Not(g) => g.only_integers(),
            Guard::Any(g) => g.iter().all(Guard::only_integers),
            g => !g.operands().is_empty() && g.operands().iter().all(|e| e.only_integers()),
        }
    }

    fn reads(&self, out: &mut Vec<AnySlot>) {
        match self {
            Guard::HasTerms(s) | Guard::Nontrivial(s) | Guard::IsConstant(s) => out.push(AnySlot::Sum(*s)),
            Guard::Related(a, b) => out.extend([AnySlot::Sum(*a), AnySlot::Sum(*b)]),
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
