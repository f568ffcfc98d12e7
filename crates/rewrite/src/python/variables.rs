//! The variables of the expressions of a kernel, with their names and facts.

use crate::model::Variable;
use quaff::domain::{Bounds, Interval};
use quaff::expr::Expr;
use quaff::expr::name::is_readable;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The origin of a variable in the source. Parts of the source with equal keys are one variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A name with one value.
    Slot(usize),
    /// A call that has the same value everywhere, such as `tl.program_id(0)`.
    Call(String),
    /// Another variable, followed by a suffix in the text, such as `offs[:, None]` or `pid.to(tl.int64)`.
    Suffixed(usize, String),
    /// Any other part of the text, such as a load, given by its node.
    At(usize),
}

/// A variable and its facts.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) variable: Variable,
    pub(super) range: Interval,
    /// The bounds of the variable as expressions, if an end of its range is not a number.
    pub(super) bounds: Option<Bounds>,
    /// The value of the variable, if its definition is an expression that can be read.
    pub(super) value: Option<Expr>,
    /// Whether the variable is a truth value, if that is known.
    pub(super) is_truth: Option<bool>,
    /// Whether the variable may have more than 32 bits.
    pub(super) is_wide: bool,
    /// Whether the variable is known at compile time.
    pub(super) is_constexpr: bool,
    /// Whether the variable, or a part of its value, is a tensor with one element.
    pub(super) is_unit: bool,
    /// For a variable with a suffix, the variable without the suffix, and the suffix.
    pub(super) suffixed: Option<(usize, String)>,
}

/// All variables of a kernel.
#[derive(Default)]
pub(super) struct Variables {
    pub(super) all: Vec<Known>,
    pub(super) names: Vec<Arc<str>>,
    of_key: FxHashMap<Key, usize>,
    of_name: FxHashMap<Arc<str>, usize>,
    /// The identifiers of the text. A variable that is not a name of the text must not be called like one of them.
    words: FxHashSet<String>,
    /// For each name, the last number that was appended to make it unique.
    numbers: FxHashMap<String, usize>,
}

impl Variables {
    pub(super) fn new(words: impl IntoIterator<Item = String>) -> Variables {
        Variables { words: words.into_iter().collect(), ..Variables::default() }
    }

    pub(super) fn get(&self, key: &Key) -> Option<usize> {
        self.of_key.get(key).copied()
    }

    /// The variable that expressions call `name`.
    pub(super) fn named(&self, name: &str) -> Option<usize> {
        self.of_name.get(name).copied()
    }

    /// Adds a variable with the name `base`, or with a similar name if `base` is taken.
    pub(super) fn add(&mut self, key: Key, base: &str, known: Known) -> usize {
        let is_slot = matches!(key, Key::Slot(_));
        let name: Arc<str> = self.free(base, is_slot).into();
        let at = self.all.len();
        self.of_key.insert(key, at);
        self.of_name.insert(Arc::clone(&name), at);
        self.names.push(name);
        self.all.push(known);
        at
    }

    fn free(&mut self, base: &str, is_slot: bool) -> String {
        let letters: String = base.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let base = if is_readable(&letters) { letters } else { format!("v{letters}") };
        let is_taken = |name: &str| self.of_name.contains_key(name);
        if !is_taken(&base) && (is_slot || !self.words.contains(&base)) {
            return base;
        }
        let mut number = self.numbers.get(&base).copied().unwrap_or(1);
        loop {
            number += 1;
            let name = format!("{base}_{number}");
            if !is_taken(&name) && !self.words.contains(&name) {
                self.numbers.insert(base, number);
                return name;
            }
        }
    }

    /// The ranges of variables, by their names in expressions.
    pub(super) fn range(&self, name: &str) -> Interval {
        self.named(name).map_or(Interval::ALL, |at| self.all[at].range)
    }
}
