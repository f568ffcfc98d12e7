//! Answers to questions that may stay undecided.

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

/// Values of variables.
pub type Values = Vec<(Arc<str>, i64)>;
