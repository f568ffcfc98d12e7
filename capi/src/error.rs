//! The functions of `quaff_error`.

use crate::failure::quaff_error;
use crate::place::{quaff_place, quaff_status};
use crate::span::quaff_str;

/// The status that the call returned. It is `QUAFF_STATUS_OK` for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_status(error: Option<&quaff_error>) -> quaff_status {
    error.map_or(quaff_status::Ok, |error| error.status)
}

/// The message for people. The result is borrowed from `error`, and empty for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_message(error: Option<&quaff_error>) -> quaff_str<'_> {
    error.map_or(quaff_str::empty(), |error| error.message.view())
}

/// The code for programs, a name such as `quaff::zero_divisor`. The result is borrowed from `error`, and empty for
/// NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_code(error: Option<&quaff_error>) -> quaff_str<'_> {
    error.map_or(quaff_str::empty(), |error| error.code.view())
}

/// A hint how to correct the error, or an empty text. The result is borrowed from `error`, and empty for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_help(error: Option<&quaff_error>) -> quaff_str<'_> {
    error.map_or(quaff_str::empty(), |error| error.help.view())
}

/// The part of an input that the error is about.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_place(error: Option<&quaff_error>) -> quaff_place {
    error.map_or(quaff_place::default(), |error| error.place)
}

/// Frees an error. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_error_free(error: Option<Box<quaff_error>>) {
    drop(error);
}

/// The version of the library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_version() -> quaff_str<'static> {
    quaff_str::ended(concat!(env!("CARGO_PKG_VERSION"), "\0"))
}
