//! The record of named normal forms that an e-graph applied. The record is kept only if a caller requested a trace.

use super::firing::{Firing, Matched};
use super::normal_form::NormalForm;
use rustc_hash::FxHashSet;

/// Applications of named normal forms, in the order in which they happened.
#[derive(Clone, Default)]
pub(crate) struct AppliedForms {
    pub(crate) firings: Vec<Firing>,
    /// The applications that are in `firings`. The same operation is built many times but recorded once.
    pub(crate) known: FxHashSet<(NormalForm, Matched)>,
}
