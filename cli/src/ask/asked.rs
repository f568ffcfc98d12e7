//! The options that all questions have, and the output of answers.

use crate::input::Known;
use crate::json;
use crate::report::{Failure, Given, Problem, io_failure};
use clap::Args;
use miette::Diagnostic;
use quaff::expr::Expr;
use quaff_ask::AskError;
use serde::Serialize;
use std::io::Write as _;
use std::path::Path;

/// The facts that are known, and how the answer is printed.
#[derive(Args)]
pub(crate) struct Asked {
    #[command(flatten)]
    pub(super) known: Known,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// If no point satisfies the ranges and conditions, answer `empty` instead of an error
    #[arg(long)]
    pub(super) empty_ok: bool,
}

#[derive(Serialize)]
struct EmptyJson {
    empty: bool,
}

impl Asked {
    /// The answer in `found`. If the domain has no point, prints that it is empty, and returns `None`.
    pub(super) fn found<T>(&self, found: Result<T, AskError>, given: &Given) -> Result<Option<T>, Failure> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(error) if self.empty_ok && error.is_empty_domain() => {
                self.print(&EmptyJson { empty: true }, || "empty\n".into()).map(|()| None)
            }
            Err(error) => Err(refused(error, given).into()),
        }
    }

    /// Prints the answer, as JSON with `--json`.
    pub(super) fn print(&self, answer: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Failure> {
        let out = if self.json { json::indented(answer) } else { text() };
        std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
    }
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{error}")]
#[diagnostic(code(quaff::ask))]
struct Refused {
    error: AskError,
    #[help]
    help: Option<&'static str>,
}

/// The problem, shown at the expression that `error` is about.
pub(super) fn refused(error: AskError, given: &Given) -> Problem {
    let help = match &error {
        AskError::Simplify(error) => return Problem::refused(error, given.file, &given.parsed),
        AskError::Domain(error) => return Problem::new(error),
        AskError::Lane { .. } => Some("subtract its first value, and give it an end that is a number"),
        AskError::Unknown { .. } => Some("declare its range, such as `--var t=0..127`"),
        AskError::Extents { .. } => Some("give one for each output, with commas between them"),
        AskError::Step { .. } => Some("count its steps by another variable, and write it as a multiple of that one"),
        AskError::Taken { .. } | AskError::Twice { .. } => {
            Some("give each name once, and outputs names that no variable has")
        }
        AskError::Width { .. } => Some("give a length that divides the number of lanes, such as `--vector 2`"),
        AskError::Empty { .. } => Some("write the number of places, such as `--onto 32`"),
        _ => None,
    };
    Problem::new(&Refused { error, help })
}

pub(super) fn texts(all: &[Expr]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

/// The names in options that take several names, separated by commas.
pub(super) fn each_name(options: &[String]) -> Vec<&str> {
    options.iter().flat_map(|names| names.split(',')).map(str::trim).collect()
}
