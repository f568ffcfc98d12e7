//! What a caller knows of the kernels of a file.

use crate::notes::{Fact, facts};

/// What is known of all kernels of a file beside what the file says.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) facts: Vec<Fact>,
    pub(crate) values: Vec<(String, i64)>,
    pub(crate) has_host: bool,
}

impl Options {
    /// Adds what a note says: `n in 1..4096, n % 16 == 0`. It holds in each kernel that has a variable of each of its names.
    ///
    /// # Errors
    /// A sentence that quotes the first part that is neither a range nor a condition.
    pub fn note(mut self, text: &str) -> Result<Options, String> {
        self.facts.extend(facts(text)?);
        Ok(self)
    }

    /// Lets the host prepare divisors: kernels of CUDA get them as further parameters, and launches in the same file pass them.
    pub fn host(mut self) -> Options {
        self.has_host = true;
        self
    }

    /// The names that all of it is about, each once and in order.
    pub fn names(&self) -> Vec<String> {
        let of_facts = self.facts.iter().flat_map(Fact::names);
        let mut names: Vec<String> = of_facts.chain(self.values.iter().map(|(name, _)| name.clone())).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Gives `name` a value: an argument of a template, a macro, or a `tl.constexpr`.
    pub fn define(mut self, name: impl Into<String>, value: i64) -> Options {
        self.values.push((name.into(), value));
        self
    }
}
