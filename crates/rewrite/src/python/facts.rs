//! The facts from notes in the file and from the caller, and the assignment after which each fact holds.

use super::scope::{Scope, Slot, Source};
use crate::model::NotFollowed;
use crate::notes::{Fact, facts, note};
use crate::options::Options;
use quaff::expr::{Dag, Expr};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A fact, and the slots of the names in it. A slot is a name with one value.
pub(super) struct Known {
    pub(super) fact: Fact,
    pub(super) names: Vec<String>,
    /// The number of names in the fact to which no value was assigned yet. The fact holds once this number is 0.
    missing: usize,
}

/// The facts about the names of a kernel.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) all: Vec<Known>,
    /// The facts whose names are all results of calls, such as `program_id_0`.
    pub(super) of_calls: Vec<usize>,
    /// The names of results of calls in this kernel.
    calls: Vec<String>,
    of_slot: FxHashMap<usize, Vec<usize>>,
    /// The slots with each name.
    slots: FxHashMap<String, Vec<usize>>,
}

/// The names of the variables in conditions.
fn names_of(conditions: &[Expr]) -> Vec<String> {
    Dag::new(conditions).variables().map(|name| name.to_string()).collect()
}

impl Facts {
    /// The facts of `options` and of the `comments` of the text. Adds notes that cannot be read to `not_followed`.
    pub(super) fn new(
        text: &str,
        comments: &[Range<usize>],
        scope: &Scope,
        calls: Vec<String>,
        options: &Options,
        not_followed: &mut Vec<NotFollowed>,
    ) -> Facts {
        let mut found = Facts { calls, ..Facts::default() };
        for (at, slot) in scope.slots.iter().enumerate() {
            found.slots.entry(slot.name.to_string()).or_default().push(at);
        }
        for fact in &options.facts {
            // a fact from the caller is ignored if this kernel does not have its names
            let _ = found.add(fact.clone());
        }
        for comment in comments {
            let Some(note) = note(&text[comment.clone()]) else { continue };
            let added = facts(note).and_then(|facts| facts.into_iter().try_for_each(|fact| found.add(fact)));
            not_followed.extend(added.err().map(|reason| NotFollowed { span: comment.clone(), reason }));
        }
        found
    }

    fn add(&mut self, fact: Fact) -> Result<(), String> {
        let mut names = names_of(&fact.conditions());
        names.retain(|name| self.slots.contains_key(name) || !self.calls.contains(name));
        for name in &names {
            match self.slots.get(name).map(Vec::len) {
                None => return Err(format!("`{name}` is no variable of this kernel")),
                Some(2..) if names.len() > 1 => return Err(format!("`{name}` is several variables of this kernel")),
                _ => {}
            }
        }
        let at = self.all.len();
        if names.is_empty() {
            self.of_calls.push(at);
        }
        for name in &names {
            for &slot in self.slots.get(name).into_iter().flatten() {
                self.of_slot.entry(slot).or_default().push(at);
            }
        }
        self.all.push(Known { fact, missing: names.len(), names });
        Ok(())
    }

    /// The slots (names with one value) in facts, and the names to which the caller gave a value. All must be integers.
    pub(super) fn integers(&self, scope: &Scope, options: &Options) -> Vec<usize> {
        let is_given = |slot: &Slot| {
            let is_from_outside = matches!(slot.source, Source::Parameter(_) | Source::Global);
            is_from_outside && options.values.iter().any(|(name, _)| name == slot.name)
        };
        let given = scope.slots.iter().enumerate().filter(|(_, slot)| is_given(slot)).map(|(at, _)| at);
        given.chain(self.of_slot.keys().copied()).collect()
    }

    /// The facts that hold after the assignment of `slot`, and not before.
    pub(super) fn hold_with(&mut self, slot: usize) -> Vec<usize> {
        let mut hold = Vec::new();
        for &fact in self.of_slot.get(&slot).into_iter().flatten() {
            let known = &mut self.all[fact];
            known.missing = known.missing.saturating_sub(1);
            if known.missing == 0 || known.names.len() == 1 {
                hold.push(fact);
            }
        }
        hold
    }

    /// The slot of a name, if the name has exactly one slot.
    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        match self.slots.get(name).map(Vec::as_slice) {
            Some([slot]) => Some(*slot),
            _ => None,
        }
    }
}
