//! The normal forms that an e-graph applied.

use super::firing::{Firing, Matched};
use super::normal_form::NormalForm;
use rustc_hash::FxHashSet;

/// Where normal forms were applied, for whoever asks for a trace.
#[derive(Default)]
pub(crate) struct AppliedForms {
    pub(crate) firings: Vec<Firing>,
    /// What was told already: the same operation is written again and again.
    pub(crate) known: FxHashSet<(NormalForm, Matched)>,
}
