//! What all lines of a batch share, and what one gives besides its fields.

use crate::answer::Ran;
use crate::blame::Wrong;
use quaff::Simplifier;
use quaff::quasi::{Decision, Options};
use serde_json::value::RawValue;

/// What all lines share.
pub(super) struct Service {
    pub(super) simplifier: Simplifier,
    /// For checking answers; `None` where they are not checked.
    pub(super) exact: Option<Options>,
}

/// What one line gives besides its fields.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) id: Box<RawValue>,
    pub(super) decision: Option<Decision>,
    pub(super) ran: Ran,
    pub(super) wrong: Option<Wrong>,
    pub(super) slips: Vec<(String, &'static str)>,
}
