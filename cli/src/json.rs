//! What commands print with `--json`, as text.

use serde::Serialize;
use serde_json::Value;

/// `value` as an object that people can read, with a line end.
pub(crate) fn indented(value: &impl Serialize) -> String {
    written(serde_json::to_string_pretty(value))
}

/// `value` on one line, with a line end.
pub(crate) fn line(value: &impl Serialize) -> String {
    written(serde_json::to_string(value))
}

fn written(text: serde_json::Result<String>) -> String {
    // all that is written here has keys that are texts, and no other way to fail: the error is shown where it would have been
    text.unwrap_or_else(|error| Value::from(error.to_string()).to_string()) + "\n"
}
