//! Answers to yes-or-no questions. If neither answer is proved, the question stays undecided.

use std::sync::Arc;

/// Whether a statement holds at all points of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<W> {
    /// The statement is proved.
    Yes,
    /// The statement does not hold, and the witness `W` shows it.
    No(W),
    /// Neither the statement nor its opposite is proved.
    NotProved,
}

impl<W> Answer<W> {
    /// Whether the statement is proved.
    pub fn is_yes(&self) -> bool {
        matches!(self, Answer::Yes)
    }
}

/// Values of variables, each with its name.
pub type Values = Vec<(Arc<str>, i64)>;
