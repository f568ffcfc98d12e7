//! What all lines of a batch share, and what one gives besides its fields.

use crate::answer::Ran;
use crate::blame::Wrong;
use quaff::Simplifier;
use quaff::quasi::{Decision, Options};
use quaff_dialects::Dialect;
use serde_json::value::RawValue;

/// What all lines share.
pub(crate) struct Service {
    pub(crate) simplifier: Simplifier,
    /// The language of lines that name none.
    pub(crate) from: Dialect,
    /// For checking answers; `None` where they are not checked.
    pub(crate) exact: Option<Options>,
}

/// What one line gives besides its fields.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) id: Box<RawValue>,
    pub(crate) decision: Option<Decision>,
    pub(crate) ran: Ran,
    pub(crate) wrong: Option<Wrong>,
    pub(crate) slips: Vec<(String, &'static str)>,
}
