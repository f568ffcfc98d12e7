//! Rules that are applied while nodes are made, before there is an e-node.
//!
//! Rules marked `(at-once)` say of quotients ([`super::quotient`]) and comparisons ([`super::conditions`]) that they are
//! others, or none. They are applied by hand: what would be made, matched, merged and looked at anew is then never there.
//! A test holds what is done by hand to the text of those rules.

use super::firing::{Before, Bound, BoundTo, Cause, Firing};
use super::graph::EClasses;
use super::lin::Lin;
use crate::rules::program::AtOnce;
use rustc_hash::FxHashSet;

/// What was decided at once, for whoever asks for a trace.
#[derive(Default)]
pub(super) struct Decided {
    fired: Vec<Firing>,
    /// The same node is made again and again.
    told: FxHashSet<(u16, Before)>,
}

impl EClasses {
    /// From now on, applies these rules to every quotient and comparison that is made, and collects what they do if asked
    /// to.
    pub(crate) fn apply_at_once(&mut self, rules: AtOnce, collects: bool) {
        self.at_once = rules;
        self.decided = collects.then(Decided::default);
    }

    /// Whether what is decided at once is to be noted.
    pub(super) fn collects(&self) -> bool {
        self.decided.is_some()
    }

    /// What was decided at once since the last call.
    pub(crate) fn take_decided(&mut self) -> Vec<Firing> {
        self.decided.as_mut().map(|d| std::mem::take(&mut d.fired)).unwrap_or_default()
    }

    /// A sum that a rule has looked at, with what is known of it.
    pub(super) fn bound_to(&self, x: &Lin) -> BoundTo {
        let (interval, congruence) = self.facts_of(x);
        BoundTo::Sum(x.clone(), interval, congruence)
    }

    /// That `rule` found `to` in place of `from`, and what it had bound.
    pub(super) fn note<const N: usize>(&mut self, rule: u16, from: Before, to: &Lin, bound: [(&str, BoundTo); N]) {
        let Some(decided) = &mut self.decided else { return };
        if decided.told.insert((rule, from.clone())) {
            let bound = bound.map(|(name, value)| Bound { name: name.into(), value });
            decided.fired.push(Firing { cause: Cause::Rule(rule.into(), bound.into()), from, to: to.clone() });
        }
    }
}
