//! Answers that may be left open.

use std::sync::Arc;

/// Whether something is so for all points of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<W> {
    /// It is proved.
    Yes,
    /// It is not, as this shows.
    No(W),
    /// Neither is proved.
    NotProved,
}

impl<W> Answer<W> {
    /// Whether it is proved.
    pub fn is_yes(&self) -> bool {
        matches!(self, Answer::Yes)
    }
}

/// Values of variables.
pub type Values = Vec<(Arc<str>, i64)>;
