//! Indices that are computed only when they are read. These are indices of sums, and of sides that equal a product of
//! dimensions of size 1.

use super::error::DimsError;
use super::flow::{Source, State};
use super::indices::Indices;
use quaff::expr::{Expr, int};

impl Indices {
    /// Applies `of` to the index of a dimension, and returns the result.
    ///
    /// # Errors
    /// `unsolved` if the dimension has no index.
    pub(super) fn read<T>(&self, d: usize, of: impl Fn(&State, &(Expr, Source)) -> T) -> Result<T, DimsError> {
        if let Some(index) = &self.state.index[d] {
            return Ok(of(&self.state, index));
        }
        if let Some(state) = self.with_zero_reads()
            && let Some(index) = &state.index[d]
        {
            return Ok(of(&state, index));
        }
        Err(self.unsolved(d))
    }

    /// The state that is used for reads. It also has indices that the caller may still set or loop over. Every side
    /// that equals a product of dimensions of size 1 is set to 0, unless 0 contradicts another index. Sums with
    /// dimensions of size 1 are solved.
    pub(super) fn with_zero_reads(&self) -> Option<State> {
        let open = |state: &State, &(flow, side): &(u32, u8)| {
            let digits = &self.layout().flows[flow as usize].sides[side as usize].digits;
            let unsolved = digits.iter().map(|digit| digit.dim).find(|&d| state.index[d as usize].is_none());
            unsolved.filter(|_| state.is_active(flow) && !state.is_touched(flow, side))
        };
        let reads: Vec<_> = self.layout().zero_reads.iter().filter(|read| open(&self.state, read).is_some()).collect();
        if reads.is_empty() && !self.state.has_late_sum() {
            return None;
        }
        let mut state = self.state.clone();
        for read in reads {
            while let Some(dim) = open(&state, read) {
                let mark = state.mark();
                if state.set(dim, int(0), Source::Flow(read.0)).is_err() {
                    state.rewind(mark);
                    break;
                }
            }
        }
        state.follow_late_sums();
        Some(state)
    }
}
