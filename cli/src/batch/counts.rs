//! What the answers of a batch come to.

use super::line::Line;
use crate::exact::Tally;

/// What all answers come to.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) lines: usize,
    pub(super) failed: usize,
    pub(super) tally: Tally,
    /// Lines with a wrong answer or a wrong text.
    pub(super) wrong: usize,
    /// Those of them that are wrong by a rule of the user.
    pub(super) blamed: usize,
}

impl Counts {
    pub(super) fn add(&mut self, line: &Line) {
        self.lines += 1;
        self.failed += usize::from(!line.ok);
        if let Some(decision) = &line.decision {
            self.tally.add(decision);
        }
        self.tally.add_text(&line.ran);
        self.wrong += usize::from(line.wrong.is_some());
        self.blamed += usize::from(line.wrong.as_ref().is_some_and(|w| !w.rules.is_empty()));
    }
}
