//! The selection of least cost.
//!
//! What goes in is an and-or graph; what comes out is a [`Selection`], one candidate for each place that is needed, and a cost that no
//! selection is below. The cheapest trees come first. Where these are not proved to be the cheapest, the exact search goes on from
//! them (`branch_and_bound.rs`). Where that ends without a proof, single changes follow, as long as one lowers the cost of the whole.

use super::branch_and_bound::{Gap, improve};
use super::choices::Choices;
use super::operations::cost_of;
use super::reach::{Reach, Uses};
use super::trees::cheapest_trees;
use crate::cost::Cost;
use smallvec::SmallVec;

/// Single changes are tried up to this many places for each root, of so many roots; beyond, the trees' choice stands.
const MAX_IMPROVED_PLACES: usize = 400;
const MAX_ROOTS: usize = 16;
/// Passes over all places.
const MAX_PASSES: usize = 2;
/// Candidates that the exact search visits. With three times as many a p99 call takes a fifth more instructions, for 0.03 % of the
/// cost of all kernels; with a third as many a median call takes more, for it is often left to the local improvement.
const EXACT_STEPS: u64 = 3000;
/// Costs that are less than a tenth of an instruction apart are the same.
const UNIT: u64 = 1;

/// One candidate for each place.
pub(crate) struct Selection {
    pub(crate) chosen: Vec<u32>,
    /// In fractions; `None` when the selection has a cycle.
    pub(crate) cost: Option<u64>,
    /// In fractions; no selection costs less.
    pub(crate) least: u64,
}

/// Whether a problem has too many places to try changes of each.
fn is_large(p: &Choices) -> bool {
    p.places.len() > MAX_IMPROVED_PLACES * p.roots.len().clamp(1, MAX_ROOTS)
}

impl Selection {
    /// The cheapest trees, what they share counted once.
    pub(crate) fn trees(p: &Choices) -> Selection {
        let (chosen, least) = cheapest_trees(p);
        let cost = Reach::new(p).cost(p, &chosen);
        Selection { chosen, cost, least }
    }

    /// The cheapest that is found: the least of all where that takes few steps, else trees with local improvement. Deterministic.
    pub(crate) fn cheapest(p: &Choices) -> Selection {
        let s = Selection::trees(p);
        if s.is_least() || is_large(p) {
            return s;
        }
        // places without a choice keep theirs
        let p = &p.collapsed();
        // among so many places the exact search would end without a proof
        let steps = if p.places.len() > MAX_IMPROVED_PLACES { 0 } else { EXACT_STEPS };
        s.exact(p, steps).improved(p)
    }

    /// What branch and bound makes of it, with at most `steps` visits of candidates.
    pub(crate) fn exact(mut self, p: &Choices, steps: u64) -> Selection {
        if let Some(cost) = self.cost.filter(|_| !self.is_least()) {
            let known = Gap { cost, least: self.least };
            let Gap { cost, least } = improve(p, &mut Reach::new(p), &mut self.chosen, known, UNIT, steps);
            (self.cost, self.least) = (Some(cost), least);
        }
        self
    }

    /// What single changes make of it, as long as one lowers the cost; the same where there are too many places.
    pub(crate) fn improved(mut self, p: &Choices) -> Selection {
        if !self.is_least() && !is_large(p) {
            let mut reach = Reach::new(p);
            if let Some(cost) = reach.cost(p, &self.chosen) {
                self.cost = Some(self.improve(p, &mut reach, cost));
            }
        }
        self
    }

    /// Whether nothing is left to search: the cost is proved, or there is none.
    fn is_least(&self) -> bool {
        self.cost.is_none_or(|cost| cost < self.least.saturating_add(UNIT))
    }

    /// The price of the whole; [`Cost::MAX`] when the selection has a cycle.
    pub(crate) fn price(&self) -> Cost {
        self.cost.map_or(Cost::MAX, cost_of)
    }

    /// What no selection costs less than.
    pub(crate) fn least(&self) -> Cost {
        cost_of(self.least)
    }

    /// Lowers the cost `best` of the selection, which `reach` has just walked; answers the new one.
    fn improve(&mut self, p: &Choices, reach: &mut Reach, mut best: u64) -> u64 {
        let mut uses = Uses::new(p, &self.chosen);
        for _ in 0..MAX_PASSES {
            let live = reach.live(p);
            if live.is_empty() {
                break;
            }
            let before = best;
            for &place in &live {
                for &o in &p.places[place as usize] {
                    best = self.try_changes(p, reach, &mut uses, &[(place, o)], best);
                }
            }
            for users in [Some(Users::direct(p, &live)), Users::through_forced(p, &live)].into_iter().flatten() {
                for &operand in &users.shared {
                    best = self.try_changes(p, reach, &mut uses, &users.lists[operand as usize], best);
                }
            }
            if best == before {
                break;
            }
            reach.cost(p, &self.chosen);
        }
        best
    }

    /// Chooses the candidate for each of the places, if that lowers the cost `best`; answers the new one.
    fn try_changes(
        &mut self,
        p: &Choices,
        reach: &mut Reach,
        uses: &mut Uses,
        changes: &[(u32, u32)],
        best: u64,
    ) -> u64 {
        let change = |s: &mut Selection, uses: &mut Uses, place: u32, o: u32| {
            let old = std::mem::replace(&mut s.chosen[place as usize], o);
            uses.exchange(p, &s.chosen, place, old, o);
            old
        };
        if changes.iter().all(|&(place, o)| self.chosen[place as usize] == o) {
            return best;
        }
        let known = uses.cost();
        let before: SmallVec<[u32; 8]> = changes.iter().map(|&(place, o)| change(self, uses, place, o)).collect();
        if uses.cost() >= best && changes.len() > 2 {
            // what pays for some of the places may not pay for others
            for (&(place, new), &old) in changes.iter().zip(&before) {
                let with = uses.cost();
                change(self, uses, place, old);
                if uses.cost() > with {
                    change(self, uses, place, new);
                }
            }
        }
        if uses.cost() < best
            && let Some(cost) = reach.cost(p, &self.chosen).filter(|&c| c < best)
        {
            if uses.cost() != cost {
                *uses = Uses::new(p, &self.chosen);
            }
            return cost;
        }
        for (&(place, _), old) in changes.iter().zip(before).rev() {
            change(self, uses, place, old);
        }
        // a cycle on the way may have left counts behind
        if uses.cost() != known {
            *uses = Uses::new(p, &self.chosen);
        }
        best
    }
}

/// What pays only when several places change at once: all that can use some operand use it.
struct Users {
    /// By operand: the places that can use it, once each, with the candidate that does.
    lists: Vec<SmallVec<[(u32, u32); 4]>>,
    /// Operands of several places.
    shared: Vec<u32>,
}

impl Users {
    /// Of operands as they stand.
    fn direct(p: &Choices, live: &[u32]) -> Users {
        let mut users = Users { lists: vec![SmallVec::new(); p.places.len()], shared: Vec::new() };
        for (place, o) in candidates(p, live) {
            p.candidates[o as usize].operands.iter().for_each(|&operand| users.note(operand, place, o));
        }
        users
    }

    /// Of these and of what those of them without a choice are made of, which is used with them; `None` where there are none.
    fn through_forced(p: &Choices, live: &[u32]) -> Option<Users> {
        let forced = |operand: u32| match *p.places[operand as usize] {
            [only] => &p.candidates[only as usize].operands[..],
            _ => &[],
        };
        let operands = |o: u32| p.candidates[o as usize].operands.iter().copied();
        if !candidates(p, live).any(|(_, o)| operands(o).any(|operand| !forced(operand).is_empty())) {
            return None;
        }
        let mut users = Users { lists: vec![SmallVec::new(); p.places.len()], shared: Vec::new() };
        for (place, o) in candidates(p, live) {
            let through = operands(o).flat_map(|operand| forced(operand).iter().copied());
            operands(o).chain(through).for_each(|operand| users.note(operand, place, o));
        }
        Some(users)
    }

    fn note(&mut self, operand: u32, place: u32, candidate: u32) {
        let list = &mut self.lists[operand as usize];
        if list.last().is_none_or(|l| l.0 != place) {
            list.push((place, candidate));
            if list.len() == 2 {
                self.shared.push(operand);
            }
        }
    }
}

/// All candidates of the places.
fn candidates<'a>(p: &'a Choices, places: &'a [u32]) -> impl Iterator<Item = (u32, u32)> + 'a {
    places.iter().flat_map(|&place| p.places[place as usize].iter().map(move |&o| (place, o)))
}
