//! Errors for unknown operations.

use super::error::{LayoutTextError, LayoutTextErrorKind};
use super::{Evaluator, linear, strided};
use std::ops::Range;

impl Evaluator<'_> {
    /// The error for a name that is no operation.
    pub(super) fn unknown(&self, name: Range<usize>) -> LayoutTextError {
        let written = &self.text[name.clone()];
        let known: Vec<&str> = strided::names().chain(linear::names()).collect();
        let near = known.iter().map(|known| (strsim::levenshtein(known, written), *known)).min();
        let nearest = near.filter(|(distance, _)| *distance <= 3).map(|(_, known)| known);
        let kind = LayoutTextErrorKind::UnknownOperation { name: written.into(), nearest, known };
        LayoutTextError::new(kind, self.text, name)
    }
}
