//! Computes the cost of a selection, by a walk from the roots or by updates after single changes.
//!
//! The input is an and-or graph and one candidate for each place. The output is the sum of the prices of the candidates
//! that the roots reach. Each candidate counts once.

use super::choices::{Choices, NEVER};

/// Cost of a whole selection, by a walk from the roots.
pub(crate) struct Reach {
    stamp: u32,
    seen: Vec<u32>,
    done: Vec<u32>,
    stack: Vec<(u32, bool)>,
    /// The places that the last walk reached, users before operands.
    places: Vec<u32>,
}

impl Reach {
    pub(crate) fn new(p: &Choices) -> Reach {
        Reach {
            stamp: 0,
            seen: vec![0; p.candidates.len()],
            done: vec![0; p.candidates.len()],
            stack: Vec::with_capacity(p.candidates.len()),
            places: Vec::with_capacity(2 * p.candidates.len()),
        }
    }

    /// The places of the last walk that have several candidates, each once.
    pub(crate) fn live(&self, p: &Choices) -> Vec<u32> {
        let mut live: Vec<u32> = self.places.iter().copied().filter(|&l| p.places[l as usize].len() > 1).collect();
        live.sort_unstable();
        live.dedup();
        live
    }

    /// The cost of the selection `chosen`. `None` if it has a cycle or reaches a place without a candidate.
    pub(crate) fn cost(&mut self, p: &Choices, chosen: &[u32]) -> Option<u64> {
        self.stamp += 1;
        self.places.clear();
        self.stack.clear();
        let mut total = 0u64;
        for &r in p.roots.iter().rev() {
            self.places.push(r);
            self.stack.push((chosen[r as usize], false));
        }
        while let Some((o, leaving)) = self.stack.pop() {
            if o == NEVER {
                return None;
            }
            let i = o as usize;
            if leaving {
                self.done[i] = self.stamp;
                continue;
            }
            if self.seen[i] == self.stamp {
                if self.done[i] != self.stamp {
                    return None;
                }
                continue;
            }
            self.seen[i] = self.stamp;
            let candidate = &p.candidates[i];
            total = total.saturating_add(candidate.price);
            self.stack.push((o, true));
            for &place in &candidate.operands {
                self.places.push(place);
                self.stack.push((chosen[place as usize], false));
            }
            if let Some(q) = candidate.needs {
                self.stack.push((q, false));
            }
        }
        Some(total)
    }
}

/// How often the candidates of a selection are used, counted from the roots. With these counts, the cost of a change is
/// found without a walk over the whole graph. Cycles are not detected.
pub(crate) struct Uses {
    places: Vec<u32>,
    candidates: Vec<u32>,
    cost: u64,
    /// The number of used places that have no candidate.
    broken: u32,
}

impl Uses {
    pub(crate) fn new(p: &Choices, chosen: &[u32]) -> Uses {
        let (places, candidates) = (vec![0; p.places.len()], vec![0; p.candidates.len()]);
        let mut uses = Uses { places, candidates, cost: 0, broken: 0 };
        for &root in &p.roots {
            uses.use_place(p, chosen, root);
        }
        uses
    }

    /// The cost that [`Reach::cost`] computes, if the selection has no cycle.
    pub(crate) fn cost(&self) -> u64 {
        if self.broken == 0 { self.cost } else { u64::MAX }
    }

    /// Updates the counts after `chosen` has changed from `old` to `new` at `place`.
    pub(crate) fn exchange(&mut self, p: &Choices, chosen: &[u32], place: u32, old: u32, new: u32) {
        if old != new && self.places[place as usize] > 0 {
            // the new candidate is counted first. The counts of operands that both candidates share then never fall to
            // 0, so the parts below are not visited
            self.use_candidate(p, chosen, new);
            self.leave_candidate(p, chosen, old);
        }
    }

    fn use_place(&mut self, p: &Choices, chosen: &[u32], place: u32) {
        let uses = &mut self.places[place as usize];
        *uses += 1;
        if *uses == 1 {
            self.use_candidate(p, chosen, chosen[place as usize]);
        }
    }

    fn leave_place(&mut self, p: &Choices, chosen: &[u32], place: u32) {
        let uses = &mut self.places[place as usize];
        let Some(fewer) = uses.checked_sub(1) else { return };
        *uses = fewer;
        if fewer == 0 {
            self.leave_candidate(p, chosen, chosen[place as usize]);
        }
    }

    fn use_candidate(&mut self, p: &Choices, chosen: &[u32], o: u32) {
        if o == NEVER {
            self.broken += 1;
            return;
        }
        let uses = &mut self.candidates[o as usize];
        *uses += 1;
        if *uses == 1 {
            let candidate = &p.candidates[o as usize];
            self.cost = self.cost.saturating_add(candidate.price);
            candidate.operands.iter().for_each(|&place| self.use_place(p, chosen, place));
            candidate.needs.into_iter().for_each(|q| self.use_candidate(p, chosen, q));
        }
    }

    fn leave_candidate(&mut self, p: &Choices, chosen: &[u32], o: u32) {
        if o == NEVER {
            self.broken = self.broken.saturating_sub(1);
            return;
        }
        // the count may already be 0, because a cycle can make counts wrong. Callers compare the cost with that of a
        // walk
        let uses = &mut self.candidates[o as usize];
        let Some(fewer) = uses.checked_sub(1) else { return };
        *uses = fewer;
        if fewer == 0 {
            let candidate = &p.candidates[o as usize];
            self.cost = self.cost.saturating_sub(candidate.price);
            candidate.operands.iter().for_each(|&place| self.leave_place(p, chosen, place));
            candidate.needs.into_iter().for_each(|q| self.leave_candidate(p, chosen, q));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::choices::{candidate, problem};
    use super::*;

    /// Two roots over shared places. Both roots reach place 2. Candidate 5 is also reached through `needs`.
    fn shared() -> Choices {
        let candidates = vec![
            candidate(10, &[2], None),
            candidate(3, &[2, 3], None),
            candidate(20, &[2], Some(5)),
            candidate(7, &[3], None),
            candidate(1, &[], None),
            candidate(4, &[3], None),
            candidate(2, &[], None),
        ];
        problem(candidates, &[&[0, 1], &[2, 3], &[4, 5], &[6]], &[0, 1])
    }

    #[test]
    fn counting_uses_finds_what_a_walk_finds() {
        let p = shared();
        let mut reach = Reach::new(&p);
        let mut chosen = vec![0, 2, 4, 6];
        let mut uses = Uses::new(&p, &chosen);
        // shared once: 10 + 1, and 20 with the quotient of 4 and its operand of 2
        assert_eq!((uses.cost(), reach.cost(&p, &chosen)), (37, Some(37)));
        // visits all selections, one change at a time, and returns to the first one
        for (place, new) in [(0, 1), (2, 5), (1, 3), (2, 4), (0, 0), (2, 5), (1, 2), (0, 1), (0, 0), (2, 4)] {
            let old = std::mem::replace(&mut chosen[place as usize], new);
            uses.exchange(&p, &chosen, place, old, new);
            assert_eq!(Some(uses.cost()), reach.cost(&p, &chosen), "{chosen:?}");
        }
        assert_eq!(uses.cost(), 37);
        // a place without a candidate
        let old = std::mem::replace(&mut chosen[3], NEVER);
        uses.exchange(&p, &chosen, 3, old, NEVER);
        assert_eq!((uses.cost(), reach.cost(&p, &chosen)), (u64::MAX, None));
    }
}
