//! The settings that all lines of a batch share, and the notes of one line besides its fields.

use crate::answer::Ran;
use crate::blame::Wrong;
use quaff::Simplifier;
use quaff::quasi::{Decision, Options};
use quaff_dialects::Dialect;
use serde_json::value::RawValue;

/// The settings that all lines share.
pub(crate) struct Service {
    pub(crate) simplifier: Simplifier,
    /// The language of lines that name no language.
    pub(crate) from: Dialect,
    /// The limits for checking answers. `None` when answers are not checked.
    pub(crate) exact: Option<Options>,
}

/// The notes about one line, besides its fields.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) id: Box<RawValue>,
    pub(crate) decision: Option<Decision>,
    pub(crate) ran: Ran,
    pub(crate) wrong: Option<Wrong>,
    pub(crate) slips: Vec<(String, &'static str)>,
}
