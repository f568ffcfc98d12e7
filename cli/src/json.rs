//! Prints the output of `--json` as text.

use serde::Serialize;
use serde_json::Value;

/// `value` as indented JSON, with a line end.
pub(crate) fn indented(value: &impl Serialize) -> String {
    written(serde_json::to_string_pretty(value))
}

/// `value` on one line, with a line end.
pub(crate) fn line(value: &impl Serialize) -> String {
    written(serde_json::to_string(value))
}

fn written(text: serde_json::Result<String>) -> String {
    // all keys are texts, so this cannot fail; otherwise the error is shown as the value
    text.unwrap_or_else(|error| Value::from(error.to_string()).to_string()) + "\n"
}
