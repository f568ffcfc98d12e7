//! The record of named normal forms that an e-graph applied; it is kept only where somebody asked for a trace.

use super::firing::{Firing, Matched};
use super::normal_form::NormalForm;
use rustc_hash::FxHashSet;

/// Applications of named normal forms, in the order in which they happened.
#[derive(Clone, Default)]
pub(crate) struct AppliedForms {
    pub(crate) firings: Vec<Firing>,
    /// The applications that are in `firings`. The same operation is built many times, and it is recorded once.
    pub(crate) known: FxHashSet<(NormalForm, Matched)>,
}
