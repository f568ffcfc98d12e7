//! Errors of rule files.

use super::Position;
use std::fmt;

/// An error in a rule file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleError {
    pub(super) file: String,
    pub(super) position: Position,
    pub(super) message: String,
}

impl RuleError {
    /// The name of the file, as given to [`RuleSet`](super::RuleSet).
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The position in the file.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.position, self.message)
    }
}

/// All errors of the files that were read, in the order of their positions. There is at least one error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("{}", .errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
#[diagnostic(code(quaff::rules), help("the rule language is described in rules/README.md"))]
pub struct RuleErrors {
    errors: Vec<RuleError>,
}

impl RuleErrors {
    pub(super) fn new(mut errors: Vec<RuleError>) -> RuleErrors {
        errors.sort_by(|a, b| (&a.file, a.position).cmp(&(&b.file, b.position)));
        RuleErrors { errors }
    }

    /// The errors as a list.
    pub fn errors(&self) -> &[RuleError] {
        &self.errors
    }
}
