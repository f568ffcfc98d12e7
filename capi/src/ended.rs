//! Texts that quaff returns.

/// A text that quaff owns, with a 0 at its end.
#[derive(Clone, Debug)]
pub(crate) struct Ended(Box<str>);

impl Ended {
    pub(crate) fn new(text: impl Into<String>) -> Ended {
        let mut text = text.into();
        text.push('\0');
        Ended(text.into_boxed_str())
    }

    /// The text, including its 0.
    pub(crate) fn whole(&self) -> &str {
        &self.0
    }
}
