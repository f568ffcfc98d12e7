//! The spellings that a class keeps besides its canonical form.
//!
//! The input is linear forms found equal to a class. The output is the spellings that are worth matching, with current
//! classes as terms.

use crate::domain::Interval;
use crate::egraph::analysis::facts::{MAX_LATE_SPELLINGS, MAX_SPELLINGS, Spelling};
use crate::egraph::analysis::form_facts::{facts_by_terms, range_by_terms};
use crate::egraph::analysis::graph::facts_mut;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::price::sum_operation;
use crate::egraph::normal::graph::EGraph;
use egg::Id;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::rc::Rc;

/// The spellings of one class.
pub(crate) type Spellings = SmallVec<[Rc<LinearForm>; 6]>;

/// All spellings of a class that are worth matching, the canonical form first. For an atom, these are the atom itself
/// and the spellings that the class keeps.
pub(crate) fn spellings(e: &EGraph, id: Id) -> Spellings {
    let id = e.graph.find(id);
    let f = e.facts(id);
    let mut out = Spellings::new();
    let canonical = e.canonical(id);
    out.push(canonical.clone());
    if f.constant().is_some() {
        return out;
    }
    if f.canon().is_some() && f.has_operation() {
        out.push(Rc::new(LinearForm::atom(id)));
    }
    // the form as it was written, before some of its terms got linear forms of their own
    if let Some(lin) = f.canon().filter(|l| ***l != *canonical).and_then(|l| e.canonical_shallow(l))
        && *lin != *canonical
        && lin.as_atom() != Some(id)
    {
        out.push(Rc::new(lin.into_owned()));
    }
    for spelling in &f.spellings {
        match e.canonical_shallow(&spelling.lin) {
            Some(Cow::Borrowed(_)) => out.push(spelling.lin.clone()),
            Some(Cow::Owned(l)) if l == *spelling.lin => out.push(spelling.lin.clone()),
            Some(Cow::Owned(l)) if !out.iter().any(|o| **o == l) && l.as_atom() != Some(id) => {
                out.push(Rc::new(l));
            }
            _ => {}
        }
    }
    out
}

impl EGraph {
    /// Adds a spelling of `id`, and its facts to the facts of the class. Returns whether the spelling was new and kept.
    pub(crate) fn add_spelling(&mut self, id: Id, lin: LinearForm) -> bool {
        self.offer_spelling(id, lin, MAX_SPELLINGS)
    }

    /// Like [`add_spelling`](Self::add_spelling), for a class that keeps at most `most` spellings.
    fn offer_spelling(&mut self, id: Id, lin: LinearForm, most: usize) -> bool {
        let id = self.graph.find(id);
        if lin.as_atom() == Some(id) || self.facts(id).canon().is_some_and(|c| **c == lin) {
            return false;
        }
        let (interval, congruence) = facts_by_terms(&self.graph, &lin);
        let rank = self.rank(&lin);
        let data = facts_mut(&mut self.graph, id);
        let known = data.restrict(interval, congruence);
        let kept = data.offer_spelling(Spelling { rank, width: width(interval), lin: Rc::new(lin) }, most);
        if known {
            self.changed(id);
        } else if kept {
            self.touch(id);
        }
        kept
    }

    /// Adds a spelling that a late rule found. If it is a single class, that class is merged with `id`. No other rule
    /// matches late spellings, so a class may keep more of them.
    pub(crate) fn add_late_spelling(&mut self, id: Id, lin: &LinearForm) -> bool {
        match lin.as_atom() {
            Some(_) => self.equate(id, lin),
            None => self.offer_spelling(id, lin.clone(), MAX_LATE_SPELLINGS),
        }
    }

    /// Updates the spellings of a class after classes merged or became constants.
    pub(crate) fn refresh_spelling(&mut self, id: Id) {
        if self.facts(id).spellings.is_empty() {
            return;
        }
        let old = std::mem::take(&mut facts_mut(&mut self.graph, id).spellings);
        let most = old.len().max(MAX_SPELLINGS);
        for spelling in old {
            let Some(lin) = self.canonical_shallow(&spelling.lin) else { continue };
            if lin.as_atom().is_some_and(|other| other != id) {
                // the other terms have become 0. A spelling is never a single other class, so the two classes merge
                self.equate(id, &lin);
                continue;
            }
            if lin.as_atom() == Some(id) || self.facts(id).canon().is_some_and(|c| **c == *lin) {
                continue;
            }
            let (rank, width) = (self.rank(&lin), width(range_by_terms(&self.graph, &lin)));
            let lin = match lin {
                Cow::Borrowed(_) => spelling.lin,
                Cow::Owned(l) => Rc::new(l),
            };
            facts_mut(&mut self.graph, id).offer_spelling(Spelling { rank, width, lin }, most);
        }
    }

    /// Updates all spellings. No e-node connects a class with the terms of its spellings, so a change of a term does
    /// not mark the class as changed.
    pub(crate) fn refresh_spellings(&mut self) {
        let mut ids: Vec<Id> = self.graph.classes().map(|c| c.id).collect();
        ids.sort_unstable();
        for id in ids {
            let id = self.graph.find(id);
            self.refresh_spelling(id);
            for spelling in self.facts(id).spellings.clone() {
                // a product in the spelling may represent a sum since the last update. The terms of that sum may cancel
                // with other terms
                if let Some(Cow::Owned(expanded)) = self.canonical_deep(&spelling.lin) {
                    self.equate(id, &expanded);
                }
            }
        }
        self.rebuild();
    }

    /// Cost of a spelling as extraction counts it, in tenths of instructions. The operands of its operations do not
    /// count.
    pub(crate) fn rank(&self, lin: &LinearForm) -> u32 {
        let own = self.graph.analysis.model.price(&sum_operation(lin, &|t| self.facts(t).interval)).tenths_u32();
        lin.terms().iter().fold(own, |r, &t| r.saturating_add(self.facts(t).atom_cost.min(10_000)))
    }
}

/// The distance between the ends. `u64::MAX` if an end is open.
fn width(i: Interval) -> u64 {
    i.bounded().map_or(u64::MAX, |(lo, hi)| hi.abs_diff(lo))
}
