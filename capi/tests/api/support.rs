//! Calls with places for results, as in C.

use quaff_c::domain::{quaff_domain, quaff_domain_parse};
use quaff_c::error::{quaff_error_code, quaff_error_message, quaff_error_place};
use quaff_c::expr::{quaff_expr_parse, quaff_expr_text};
use quaff_c::failure::quaff_error;
use quaff_c::handle::quaff_expr;
use quaff_c::place::{quaff_place, quaff_status};
use quaff_c::span::quaff_str;
use std::mem::MaybeUninit;

/// The place of a handle.
pub(crate) type Place<T> = MaybeUninit<Option<Box<T>>>;

/// The error of a call that failed.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) status: quaff_status,
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) place: quaff_place,
}

/// Calls a function with places for its result and its error. Returns the status, the result and the error.
pub(crate) fn called<T: Copy>(
    call: impl FnOnce(Option<&mut MaybeUninit<T>>, Option<&mut Place<quaff_error>>) -> quaff_status,
    nothing: T,
) -> (quaff_status, T, Option<Failed>) {
    let (mut out, mut error) = (MaybeUninit::new(nothing), Place::<quaff_error>::new(None));
    let status = call(Some(&mut out), Some(&mut error));
    // SAFETY: both were written before the call, and a call writes values only.
    let (out, error) = unsafe { (out.assume_init(), error.assume_init()) };
    (status, out, failed(status, error.as_deref()))
}

/// A call that makes a handle.
pub(crate) fn made<T>(
    call: impl FnOnce(Option<&mut Place<T>>, Option<&mut Place<quaff_error>>) -> quaff_status,
) -> (quaff_status, Option<Box<T>>, Option<Failed>) {
    let (mut out, mut error) = (Place::<T>::new(None), Place::<quaff_error>::new(None));
    let status = call(Some(&mut out), Some(&mut error));
    // SAFETY: both were written before the call, and a call writes values only.
    let (out, error) = unsafe { (out.assume_init(), error.assume_init()) };
    (status, out, failed(status, error.as_deref()))
}

/// A call that changes something.
pub(crate) fn changed(
    call: impl FnOnce(Option<&mut Place<quaff_error>>) -> quaff_status,
) -> (quaff_status, Option<Failed>) {
    let (status, _, error) = called(|_, error| call(error), ());
    (status, error)
}

fn failed(status: quaff_status, error: Option<&quaff_error>) -> Option<Failed> {
    let is_error = !matches!(status, quaff_status::Ok | quaff_status::NotProved);
    assert_eq!(error.is_some(), is_error, "{status:?}");
    let text = |text: quaff_str<'_>| text.as_str().expect("UTF-8").to_string();
    error.map(|error| Failed {
        status,
        code: text(quaff_error_code(Some(error))),
        message: text(quaff_error_message(Some(error))),
        place: quaff_error_place(Some(error)),
    })
}

pub(crate) fn expr(text: &str) -> Box<quaff_expr> {
    let (status, made, error) = made(|out, error| quaff_expr_parse(quaff_str::new(text), out, error));
    assert_eq!(status, quaff_status::Ok, "{text}: {error:?}");
    made.expect("an expression")
}

pub(crate) fn domain(text: &str) -> Box<quaff_domain> {
    let (status, made, error) = made(|out, error| quaff_domain_parse(quaff_str::new(text), out, error));
    assert_eq!(status, quaff_status::Ok, "{text}: {error:?}");
    made.expect("a domain")
}

pub(crate) fn text_of(expr: Option<&quaff_expr>) -> String {
    let (status, text, error) = called(|out, error| quaff_expr_text(expr, out, error), quaff_str::default());
    assert_eq!(status, quaff_status::Ok, "{error:?}");
    text.as_str().expect("UTF-8").to_string()
}

/// Texts as elements of a span.
pub(crate) fn strs<'a, const N: usize>(texts: [&'a str; N]) -> [quaff_str<'a>; N] {
    texts.map(quaff_str::new)
}
