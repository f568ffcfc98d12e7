//! Searches for the selection of least cost.
//!
//! The input is an and-or graph. The output is a [`Selection`], one candidate for each place that is needed, and a
//! lower bound of the cost of all selections. The search starts with the cheapest trees. If these are not proved to be
//! optimal, the exact search (`branch_and_bound.rs`) improves them. If the exact search ends without a proof, single
//! changes are tried as long as one lowers the total cost.

use super::branch_and_bound::{Gap, improve};
use super::choices::Choices;
use super::operations::cost_of;
use super::reach::{Reach, Uses};
use super::trees::cheapest_trees;
use crate::cost::Cost;
use smallvec::SmallVec;

/// Single changes are tried only if a problem has at most this many places, multiplied by its number of roots. At most
/// `MAX_ROOTS` roots count.
const MAX_IMPROVED_PLACES: usize = 400;
const MAX_ROOTS: usize = 16;
/// The maximum number of passes over all places.
const MAX_PASSES: usize = 2;
/// The maximum number of candidates that the exact search visits. With three times as many, a p99 call takes a fifth
/// more instructions, and the cost of all kernels falls by 0.03 %. With a third as many, a median call takes more
/// instructions, because the local improvement runs more often.
const EXACT_STEPS: u64 = 3000;
/// The exact search ends when the cost and its lower bound differ by less than this number of fractions. With 1, it
/// ends when they are equal.
const UNIT: u64 = 1;

/// One candidate for each place, with its cost.
pub(crate) struct Selection {
    pub(crate) chosen: Vec<u32>,
    /// The cost in fractions of a tenth of an instruction. `None` if the selection has a cycle.
    pub(crate) cost: Option<u64>,
    /// A lower bound of the cost of every selection, in the same fractions.
    pub(crate) least: u64,
}

/// Whether a problem has so many places that single changes are not tried.
fn is_large(p: &Choices) -> bool {
    p.places.len() > MAX_IMPROVED_PLACES * p.roots.len().clamp(1, MAX_ROOTS)
}

impl Selection {
    /// The selection of the cheapest trees. Its cost counts shared candidates once.
    pub(crate) fn trees(p: &Choices) -> Selection {
        let (chosen, least) = cheapest_trees(p);
        let cost = Reach::new(p).cost(p, &chosen);
        Selection { chosen, cost, least }
    }

    /// The cheapest selection that is found. It is optimal if the exact search ends in few steps. Otherwise it is the
    /// result of local improvement. The result is deterministic.
    pub(crate) fn cheapest(p: &Choices) -> Selection {
        let s = Selection::trees(p);
        if s.is_least() || is_large(p) {
            return s;
        }
        // places without a choice keep their candidates
        let p = &p.collapsed();
        // with so many places the exact search would end without a proof
        let steps = if p.places.len() > MAX_IMPROVED_PLACES { 0 } else { EXACT_STEPS };
        s.exact(p, steps).improved(p)
    }

    /// Improves the selection by branch and bound, with at most `steps` visits of candidates.
    pub(crate) fn exact(mut self, p: &Choices, steps: u64) -> Selection {
        if let Some(cost) = self.cost.filter(|_| !self.is_least()) {
            let known = Gap { cost, least: self.least };
            let Gap { cost, least } = improve(p, &mut Reach::new(p), &mut self.chosen, known, UNIT, steps);
            (self.cost, self.least) = (Some(cost), least);
        }
        self
    }

    /// Improves the selection by single changes, as long as one lowers the cost. Unchanged if there are too many
    /// places.
    pub(crate) fn improved(mut self, p: &Choices) -> Selection {
        if !self.is_least() && !is_large(p) {
            let mut reach = Reach::new(p);
            if let Some(cost) = reach.cost(p, &self.chosen) {
                self.cost = Some(self.improve(p, &mut reach, cost));
            }
        }
        self
    }

    /// Whether no search is needed, because the cost is proved to be least or there is no cost.
    fn is_least(&self) -> bool {
        self.cost.is_none_or(|cost| cost < self.least.saturating_add(UNIT))
    }

    /// The cost of the selection. [`Cost::MAX`] if the selection has a cycle.
    pub(crate) fn price(&self) -> Cost {
        self.cost.map_or(Cost::MAX, cost_of)
    }

    /// A lower bound of the cost of every selection.
    pub(crate) fn least(&self) -> Cost {
        cost_of(self.least)
    }

    /// Lowers the cost `best` of the selection, which `reach` walked last. Returns the new cost.
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

    /// Chooses the given candidate for each of the places, if that lowers the cost `best`. Returns the new cost.
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
            // tries to revert each change alone. Reverting is kept if it does not raise the cost
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
        // a cycle in an intermediate selection may have made the counts wrong
        if uses.cost() != known {
            *uses = Uses::new(p, &self.chosen);
        }
        best
    }
}

/// Groups of changes that lower the cost only if they are made together: all places that can use a certain operand
/// start to use it.
struct Users {
    /// For each operand, the places that can use it. Each place occurs once, with the candidate that uses the operand.
    lists: Vec<SmallVec<[(u32, u32); 4]>>,
    /// The operands that several places can use.
    shared: Vec<u32>,
}

impl Users {
    /// For each operand of a candidate, the places that can use it directly.
    fn direct(p: &Choices, live: &[u32]) -> Users {
        let mut users = Users { lists: vec![SmallVec::new(); p.places.len()], shared: Vec::new() };
        for (place, o) in candidates(p, live) {
            p.candidates[o as usize].operands.iter().for_each(|&operand| users.note(operand, place, o));
        }
        users
    }

    /// Like [`direct`](Self::direct), but a place also counts as a user of the operands of its operand, if that operand
    /// has only one candidate. `None` if there is no such case.
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

/// All candidates of `places`, each with its place.
fn candidates<'a>(p: &'a Choices, places: &'a [u32]) -> impl Iterator<Item = (u32, u32)> + 'a {
    places.iter().flat_map(|&place| p.places[place as usize].iter().map(move |&o| (place, o)))
}
