//! A compiled rule.

use super::instruction::{Guard, Instr};
use super::slots::{AnySlot, SlotCounts};
use crate::rules::operator::Operator;
use crate::rules::phase::Phase;
use crate::rules::read::Position;

/// A compiled rule.
#[derive(Clone, Debug)]
pub struct Rule {
    pub(crate) name: String,
    pub(crate) reason: String,
    /// The author's reason to keep the rule although no answer needs it.
    pub(crate) because: Option<String>,
    /// The rule as written, on one line.
    pub(crate) text: String,
    pub(crate) file: String,
    pub(crate) position: Position,
    pub(crate) operator: Operator,
    pub(crate) phase: Phase,
    /// Whether no later rule is run on a node on which this rule fired, because the result of this rule cannot be
    /// improved.
    pub(crate) is_done: bool,
    pub(crate) code: Vec<Instr>,
    pub(crate) slots: SlotCounts,
    /// The names that clauses read, in the order in which they are bound. An explanation of a firing shows the values
    /// of these names.
    pub(crate) explained_names: Vec<(String, AnySlot)>,
}

impl Rule {
    /// Whether the rule can match only if sizes are unknown. It then matches a product of unknowns, or a divisor that
    /// is no known number.
    pub(in crate::rules) fn needs_unknowns(&self) -> bool {
        let divisors: Vec<AnySlot> = self.code.iter().filter_map(divisor).collect();
        let divisors: Vec<AnySlot> = divisors.iter().flat_map(|d| self.spellings(*d).chain([*d])).collect();
        self.code.iter().any(|instr| match instr {
            Instr::Factor { .. } | Instr::ForFactors { .. } | Instr::ForSharedFactors { .. } => true,
            Instr::When(guard) => needs_unknown(guard, &divisors),
            _ => false,
        })
    }

    /// The sums that represent the class of a slot.
    fn spellings(&self, of: AnySlot) -> impl Iterator<Item = AnySlot> + '_ {
        self.code.iter().filter_map(move |instr| match instr {
            Instr::Spelling { class, to, .. } if AnySlot::Class(*class) == of => Some(AnySlot::Sum(*to)),
            _ => None,
        })
    }

    /// The unique name of the rule.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why the rule is right, in one line.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The author's reason to keep the rule although other rules or facts imply it.
    pub fn because(&self) -> Option<&str> {
        self.because.as_deref()
    }

    /// The rule as it is written in its file, on one line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file of the rule.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The position in the file at which the rule begins.
    pub fn position(&self) -> Position {
        self.position
    }
}

/// The slot of the divisor, if the instruction matches a quotient or remainder.
fn divisor(instr: &Instr) -> Option<AnySlot> {
    match instr {
        Instr::Node { operator, operands, .. } if operator.divides() => {
            operands.get(1).map(|divisor| AnySlot::Class(*divisor))
        }
        _ => None,
    }
}

/// Whether the guard requires that one of the divisors is no number.
fn needs_unknown(guard: &Guard, divisors: &[AnySlot]) -> bool {
    match guard {
        Guard::HasTerms(sum) => divisors.contains(&AnySlot::Sum(*sum)),
        Guard::Unknown(class) => divisors.contains(&AnySlot::Class(*class)),
        Guard::Any(guards) => guards.iter().all(|g| needs_unknown(g, divisors)),
        _ => false,
    }
}
