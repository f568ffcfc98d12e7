//! Facts and settings from the caller about the kernels of a file.

use crate::notes::{Fact, facts};

/// Facts about all kernels of a file that the file itself does not state.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) facts: Vec<Fact>,
    pub(crate) values: Vec<(String, i64)>,
    pub(crate) has_host: bool,
}

impl Options {
    /// Adds the facts of a note: `n in 1..4096, n % 16 == 0`. A fact applies to each kernel that has variables with all
    /// of its names.
    ///
    /// # Errors
    /// A sentence for the user, which quotes the first part of `text` that is neither a range nor a condition.
    pub fn note(mut self, text: &str) -> Result<Options, String> {
        self.facts.extend(facts(text)?);
        Ok(self)
    }

    /// Lets the host prepare divisors, so that a kernel computes a division with a multiplication and a shift. A CUDA
    /// kernel gets the prepared numbers as additional parameters, and launches of the kernel in the same file pass
    /// them.
    pub fn host(mut self) -> Options {
        self.has_host = true;
        self
    }

    /// The names in the facts, in order and without duplicates.
    pub fn names(&self) -> Vec<String> {
        let of_facts = self.facts.iter().flat_map(Fact::names);
        let mut names: Vec<String> = of_facts.chain(self.values.iter().map(|(name, _)| name.clone())).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Gives `name` a value. The name is a template argument, a macro, or a `tl.constexpr`.
    pub fn define(mut self, name: impl Into<String>, value: i64) -> Options {
        self.values.push((name.into(), value));
        self
    }
}
