//! A compiled rule.

use super::instruction::Instr;
use super::slots::{AnySlot, SlotCounts};
use crate::rules::operator::Operator;
use crate::rules::read::Position;

/// When a rule is run, and what happens once it has fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Run in every round, on every node or sum that it is about.
    None,
    /// Once it has fired on a node, no later rule is run on that node: the result says all that can be said.
    Done,
    /// Run on the sums that the answer is made of, once the other rules find nothing more.
    Late,
    /// Run only on sums that are operands of some node.
    Operand,
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
    pub(crate) position: Position,
    pub(crate) operator: Operator,
    pub(crate) mark: Mark,
    pub(crate) code: Vec<Instr>,
    pub(crate) slots: SlotCounts,
    /// Names that clauses read, in the order in which they are bound. Explanations of a firing show their values.
    pub(crate) explained_names: Vec<(String, AnySlot)>,
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
    pub fn position(&self) -> Position {
        self.position
    }
}
