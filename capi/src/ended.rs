//! Texts that quaff gives away.

use crate::span::quaff_str;

/// Text of quaff's own: a 0 ends it.
#[derive(Clone, Debug)]
pub(crate) struct Ended(Box<str>);

impl Ended {
    pub(crate) fn new(text: impl Into<String>) -> Ended {
        let mut text = text.into();
        text.push('\0');
        Ended(text.into_boxed_str())
    }

    pub(crate) fn view(&self) -> quaff_str<'_> {
        quaff_str::ended(&self.0)
    }
}
