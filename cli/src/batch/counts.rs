//! The counts of the answers of a batch.

use super::line::Line;
use crate::exact::Tally;

/// The counts of all answers.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) lines: usize,
    pub(super) failed: usize,
    /// The number of bytes of the lines.
    pub(super) read: u64,
    /// The costs of all inputs and of all answers, in instructions.
    pub(super) cost: [f64; 2],
    pub(super) tally: Tally,
    /// The number of lines with a wrong answer or a wrong text.
    pub(super) wrong: usize,
    /// The number of lines that are wrong because of a rule of the user.
    pub(super) blamed: usize,
}

impl Counts {
    pub(super) fn add(&mut self, line: &Line) {
        self.lines += 1;
        self.failed += usize::from(!line.ok);
        self.read += line.read;
        self.add_cost(line.cost);
        if let Some(decision) = &line.decision {
            self.tally.add(decision);
        }
        self.tally.add_text(&line.ran);
        self.wrong += usize::from(line.wrong.is_some());
        self.blamed += usize::from(line.wrong.as_ref().is_some_and(|w| !w.rules.is_empty()));
    }

    pub(super) fn add_cost(&mut self, cost: [f64; 2]) {
        self.cost = [self.cost[0] + cost[0], self.cost[1] + cost[1]];
    }

    /// A sentence with all counts.
    pub(super) fn summary(&self, seconds: f64) -> String {
        let [before, after] = self.cost;
        let answers = self.lines - self.failed;
        format!(
            "{answers} answers, {} lines without one, instructions {before:.1} -> {after:.1}, {seconds:.1} s",
            self.failed
        )
    }
}
