//! Texts that quaff gives away.

/// Text of quaff's own: a 0 ends it.
#[derive(Clone, Debug)]
pub(crate) struct Ended(Box<str>);

impl Ended {
    pub(crate) fn new(text: impl Into<String>) -> Ended {
        let mut text = text.into();
        text.push('\0');
        Ended(text.into_boxed_str())
    }

    /// The text with its 0.
    pub(crate) fn whole(&self) -> &str {
        &self.0
    }
}
