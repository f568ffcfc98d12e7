//! `quaff_error`: why a call failed.

use crate::ended::Ended;
use crate::expr::quaff_expr;
use crate::span::quaff_str;
use miette::Diagnostic;
use quaff::SimplifyError;
use quaff_ask::AskError;
use std::any::Any;
use std::mem::MaybeUninit;

/// How a call ended. All but the first two are errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_status {
    /// The call did what it says.
    #[default]
    Ok = 0,
    /// The question has no proved answer, in either direction. This is no error: there is no `quaff_error`.
    NotProved = 1,
    /// A pointer is NULL that must not be.
    Null = 2,
    /// A text is not UTF-8.
    Utf8 = 3,
    /// A text is no expression.
    Parse = 4,
    /// What is said of variables cannot be read or cannot be true.
    Domain = 5,
    /// Nodes are no expression.
    Nodes = 6,
    /// An expression cannot be simplified: a variable is not declared, or a divisor can be 0.
    Simplify = 7,
    /// An answer has no text in a language.
    Lower = 8,
    /// A question has no answer: a name is not known, or is given twice.
    Ask = 9,
    /// An argument is outside of what the function takes.
    Argument = 10,
    /// An expression has no value at a point.
    Eval = 11,
    /// A bug in quaff, which was caught. All handles can still be used, and must still be freed.
    Internal = 12,
}

/// What a `quaff_place` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_place_kind {
    /// No place is known.
    #[default]
    None = 0,
    /// Bytes of a text: of the argument of this call, or of the text from which an expression was parsed.
    Text = 1,
    /// Nodes of a span, given to this call or to the one that made an expression.
    Node = 2,
    /// Roots, numbers of nodes.
    Root = 3,
}

/// The part of an input that an error is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct quaff_place {
    /// What `begin` and `end` count.
    pub kind: quaff_place_kind,
    /// The number of the input, from 0 on, where a call takes several expressions or names. Otherwise 0.
    pub input: usize,
    /// The first byte, node or root.
    pub begin: usize,
    /// The one behind the last.
    pub end: usize,
}

/// An error: a status, a message, and the place. It is freed by `quaff_error_free`.
#[derive(Debug)]
pub struct quaff_error {
    status: quaff_status,
    code: Ended,
    message: Ended,
    help: Ended,
    place: quaff_place,
}

/// An error of this library, beside those of quaff.
pub(crate) enum Failure {
    /// The argument of that name is NULL.
    Null(&'static str),
    /// The argument of that name is not UTF-8 at these bytes.
    Utf8 { argument: &'static str, number: usize, begin: usize, end: usize },
    /// A node or a root.
    Node { kind: quaff_place_kind, at: usize, message: String },
    /// An argument outside of what is taken.
    Argument(String),
    /// A panic.
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
    /// An error of quaff, with the place in a text of this call where it knows one.
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

    /// An error without a code of its own.
    pub(crate) fn plain(status: quaff_status, code: &str, error: &dyn std::error::Error) -> quaff_error {
        let (message, help) = (Ended::new(error.to_string()), Ended::new(""));
        quaff_error { status, code: Ended::new(code), message, help, place: quaff_place::default() }
    }

    /// An error about expressions, with the place in the text or the nodes of the one that it is about.
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

    /// A panic that was caught.
    pub(crate) fn panic(what: &(dyn Any + Send)) -> quaff_error {
        let text = what.downcast_ref::<String>().map(String::as_str).or_else(|| what.downcast_ref::<&str>().copied());
        Failure::Internal(format!("internal error: {}", text.unwrap_or("unknown"))).into()
    }

    /// How the call ended.
    pub(crate) fn status(&self) -> quaff_status {
        self.status
    }
}

/// The status that the call returned. `QUAFF_STATUS_OK` for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_status(error: Option<&quaff_error>) -> quaff_status {
    error.map_or(quaff_status::Ok, |error| error.status)
}

/// What is wrong, for people. It is borrowed from `error`, and empty for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_message(error: Option<&quaff_error>) -> quaff_str<'_> {
    error.map_or(quaff_str::empty(), |error| error.message.view())
}

/// What is wrong, for programs: a name such as `quaff::zero_divisor`. It is borrowed from `error`, and empty for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_code(error: Option<&quaff_error>) -> quaff_str<'_> {
    error.map_or(quaff_str::empty(), |error| error.code.view())
}

/// What to do, or nothing. It is borrowed from `error`, and empty for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_help(error: Option<&quaff_error>) -> quaff_str<'_> {
    error.map_or(quaff_str::empty(), |error| error.help.view())
}

/// The part of an input that the error is about.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_place(error: Option<&quaff_error>) -> quaff_place {
    error.map_or(quaff_place::default(), |error| error.place)
}

/// Frees an error. NULL is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_free(error: Option<Box<quaff_error>>) {
    drop(error);
}

/// The version of the library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_version() -> quaff_str<'static> {
    quaff_str::ended(concat!(env!("CARGO_PKG_VERSION"), "\0"))
}

/// Where a call puts its error.
pub(crate) type ErrorSlot<'a> = Option<&'a mut MaybeUninit<Option<Box<quaff_error>>>>;
