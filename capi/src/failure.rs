//! `quaff_error`: the reason why a call failed.

use crate::ended::Ended;
use crate::handle::quaff_expr;
use crate::place::{quaff_place, quaff_place_kind, quaff_status};
use miette::Diagnostic;
use quaff::SimplifyError;
use quaff_ask::AskError;
use std::any::Any;
use std::mem::MaybeUninit;

/// An error: a status, a message, and the place. It is freed by `quaff_error_free`.
#[derive(Debug)]
pub struct quaff_error {
    pub(crate) status: quaff_status,
    pub(crate) code: Ended,
    pub(crate) message: Ended,
    pub(crate) help: Ended,
    pub(crate) place: quaff_place,
}

/// An error that this library finds, not quaff.
pub(crate) enum Failure {
    /// The argument with this name is NULL.
    Null(&'static str),
    /// The argument with this name is not UTF-8 at these bytes.
    Utf8 { argument: &'static str, number: usize, begin: usize, end: usize },
    /// A node or a root is invalid.
    Node { kind: quaff_place_kind, at: usize, message: String },
    /// An argument is outside of the accepted range.
    Argument(String),
    /// The call panicked.
    Internal(String),
}

impl From<Failure> for quaff_error {
    fn from(failure: Failure) -> quaff_error {
        let none = quaff_place::default();
        let (status, code, message, place) = match failure {
            Failure::Null(argument) => (quaff_status::Null, "quaff::c::null", format!("`{argument}` is NULL"), none),
            Failure::Utf8 { argument, number, begin, end } => {
                let place = quaff_place { kind: quaff_place_kind::Text, input: number, begin, end };
                (quaff_status::Utf8, "quaff::c::utf8", format!("`{argument}` is not UTF-8 from byte {begin} on"), place)
            }
            Failure::Node { kind, at, message } => {
                let place = quaff_place { kind, input: 0, begin: at, end: at.saturating_add(1) };
                (quaff_status::Nodes, "quaff::c::nodes", message, place)
            }
            Failure::Argument(message) => (quaff_status::Argument, "quaff::c::argument", message, none),
            Failure::Internal(message) => (quaff_status::Internal, "quaff::c::internal", message, none),
        };
        let help = if status == quaff_status::Internal { "this is a bug of quaff: please report it" } else { "" };
        quaff_error { status, code: Ended::new(code), message: Ended::new(message), help: Ended::new(help), place }
    }
}

impl quaff_error {
    /// An error of quaff. It has a place if the error is about a place in a text of this call.
    pub(crate) fn of(status: quaff_status, error: &dyn Diagnostic) -> quaff_error {
        let label = error.labels().and_then(|mut labels| labels.next());
        let place = label.map_or(quaff_place::default(), |label| {
            let end = label.offset().saturating_add(label.len());
            quaff_place { kind: quaff_place_kind::Text, input: 0, begin: label.offset(), end }
        });
        let said =
            |text: Option<Box<dyn std::fmt::Display + '_>>| Ended::new(text.map_or(String::new(), |t| t.to_string()));
        let (code, help) = (said(error.code()), said(error.help()));
        quaff_error { status, code, message: Ended::new(error.to_string()), help, place }
    }

    /// An error that has no diagnostic code, with `code` in its place.
    pub(crate) fn plain(status: quaff_status, code: &str, error: &dyn std::error::Error) -> quaff_error {
        let (message, help) = (Ended::new(error.to_string()), Ended::new(""));
        quaff_error { status, code: Ended::new(code), message, help, place: quaff_place::default() }
    }

    /// An error about expressions, with the place in the text or the nodes of the expression at fault.
    pub(crate) fn simplify(error: &SimplifyError, asked: &[&quaff_expr]) -> quaff_error {
        let status =
            if matches!(error, SimplifyError::Domain(_)) { quaff_status::Domain } else { quaff_status::Simplify };
        let found = error.culprit().and_then(|culprit| {
            let places = asked.iter().enumerate().map(|(input, expr)| (input, expr.place_of(culprit)));
            places.filter_map(|(input, place)| Some(quaff_place { input, ..place? })).next()
        });
        quaff_error { place: found.unwrap_or_default(), ..quaff_error::of(status, error) }
    }

    /// An error of a question.
    pub(crate) fn ask(error: &AskError, asked: &[&quaff_expr]) -> quaff_error {
        match error {
            AskError::Simplify(error) => quaff_error::simplify(error, asked),
            AskError::Domain(error) => quaff_error::of(quaff_status::Domain, error),
            error => quaff_error::plain(quaff_status::Ask, "quaff::ask", error),
        }
    }

    /// The error for a caught panic.
    pub(crate) fn panic(what: &(dyn Any + Send)) -> quaff_error {
        let text = what.downcast_ref::<String>().map(String::as_str).or_else(|| what.downcast_ref::<&str>().copied());
        Failure::Internal(format!("internal error: {}", text.unwrap_or("unknown"))).into()
    }
}

/// The place where a call stores its error.
pub(crate) type ErrorSlot<'a> = Option<&'a mut MaybeUninit<Option<Box<quaff_error>>>>;
