//! The spellings that a class keeps besides its canonical form.
//!
//! What goes in are linear forms found equal to a class; what comes out are those worth matching, over the classes that their
//! terms are by now.

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

/// All spellings of a class worth matching: the canonical one first. An atom is its own only spelling besides those that it
/// keeps.
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
    // as it was written, before some of its terms came to stand for linear forms of their own
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
    /// Remembers a spelling of `id` and what it says of the value; answers whether it was new and kept.
    pub(crate) fn add_spelling(&mut self, id: Id, lin: LinearForm) -> bool {
        self.offer_spelling(id, lin, MAX_SPELLINGS)
    }

    /// The same for a class that keeps `most` spellings.
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

    /// The same for a spelling, or another class, that a late rule found: no rule goes on from it, so that more of them are kept.
    pub(crate) fn add_late_spelling(&mut self, id: Id, lin: &LinearForm) -> bool {
        match lin.as_atom() {
            Some(_) => self.equate(id, lin),
            None => self.offer_spelling(id, lin.clone(), MAX_LATE_SPELLINGS),
        }
    }

    /// Brings the spellings of a class up to date with merged and newly constant classes.
    pub(crate) fn refresh_spelling(&mut self, id: Id) {
        if self.facts(id).spellings.is_empty() {
            return;
        }
        let old = std::mem::take(&mut facts_mut(&mut self.graph, id).spellings);
        let most = old.len().max(MAX_SPELLINGS);
        for spelling in old {
            let Some(lin) = self.canonical_shallow(&spelling.lin) else { continue };
            if lin.as_atom().is_some_and(|other| other != id) {
                // its other terms have become 0: nobody writes a spelling that is another class
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

    /// Brings all spellings up to date: no node says that a class changes with the terms of its spellings.
    pub(crate) fn refresh_spellings(&mut self) {
        let mut ids: Vec<Id> = self.graph.classes().map(|c| c.id).collect();
        ids.sort_unstable();
        for id in ids {
            let id = self.graph.find(id);
            self.refresh_spelling(id);
            for spelling in self.facts(id).spellings.clone() {
                // a product in it may stand for a sum by now, whose terms cancel with others
                if let Some(Cow::Owned(expanded)) = self.canonical_deep(&spelling.lin) {
                    self.equate(id, &expanded);
                }
            }
        }
        self.rebuild();
    }

    /// Cost of a spelling as the extraction sees it, operands of its operations left out (tenths of instructions).
    pub(crate) fn rank(&self, lin: &LinearForm) -> u32 {
        let own = self.graph.analysis.model.price(&sum_operation(lin, &|t| self.facts(t).interval)).tenths_u32();
        lin.terms().iter().fold(own, |r, &t| r.saturating_add(self.facts(t).atom_cost.min(10_000)))
    }
}

/// Distance between the ends, `u64::MAX` when one is open.
fn width(i: Interval) -> u64 {
    i.bounded().map_or(u64::MAX, |(lo, hi)| hi.abs_diff(lo))
}
