//! What a selection costs: by a walk from the roots, and change by change.

use super::{NEVER, Problem};

/// Cost of a whole selection, by a walk from the roots.
pub(super) struct Reach {
    stamp: u32,
    seen: Vec<u32>,
    done: Vec<u32>,
    stack: Vec<(u32, bool)>,
    /// Places reached by the last walk, users before operands.
    places: Vec<u32>,
}

impl Reach {
    pub(super) fn new(p: &Problem) -> Reach {
        Reach {
            stamp: 0,
            seen: vec![0; p.options.len()],
            done: vec![0; p.options.len()],
            stack: Vec::with_capacity(p.options.len()),
            places: Vec::with_capacity(2 * p.options.len()),
        }
    }

    /// Places of the last walk that have a choice, each once.
    pub(super) fn live(&self, p: &Problem) -> Vec<u32> {
        let mut live: Vec<u32> = self.places.iter().copied().filter(|&l| p.places[l as usize].len() > 1).collect();
        live.sort_unstable();
        live.dedup();
        live
    }

    /// `None` when the selection has a cycle or reaches a place without choice.
    pub(super) fn cost(&mut self, p: &Problem, chosen: &[u32]) -> Option<u64> {
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
            let option = &p.options[i];
            total += u64::from(option.price);
            self.stack.push((o, true));
            for &place in &option.operands {
                self.places.push(place);
                self.stack.push((chosen[place as usize], false));
            }
            if let Some(q) = option.needs {
                self.stack.push((q, false));
            }
        }
        Some(total)
    }
}

/// How often the options of a selection are used, counted from the roots: what a change costs is found without a walk over
/// the whole. Of a cycle it knows nothing.
pub(super) struct Uses {
    places: Vec<u32>,
    options: Vec<u32>,
    cost: u64,
    /// Places without a choice that are used.
    broken: u32,
}

impl Uses {
    pub(super) fn new(p: &Problem, chosen: &[u32]) -> Uses {
        let (places, options) = (vec![0; p.places.len()], vec![0; p.options.len()]);
        let mut uses = Uses { places, options, cost: 0, broken: 0 };
        for &root in &p.roots {
            uses.use_place(p, chosen, root);
        }
        uses
    }

    /// That of [`Reach::cost`] where there is no cycle.
    pub(super) fn cost(&self) -> u64 {
        if self.broken == 0 { self.cost } else { u64::MAX }
    }

    /// `place` chooses `new`, as `chosen` says, and no longer `old`.
    pub(super) fn exchange(&mut self, p: &Problem, chosen: &[u32], place: u32, old: u32, new: u32) {
        if old != new && self.places[place as usize] > 0 {
            // in this order what both use is not walked
            self.use_option(p, chosen, new);
            self.leave_option(p, chosen, old);
        }
    }

    fn use_place(&mut self, p: &Problem, chosen: &[u32], place: u32) {
        let uses = &mut self.places[place as usize];
        *uses += 1;
        if *uses == 1 {
            self.use_option(p, chosen, chosen[place as usize]);
        }
    }

    fn leave_place(&mut self, p: &Problem, chosen: &[u32], place: u32) {
        let uses = &mut self.places[place as usize];
        let Some(fewer) = uses.checked_sub(1) else { return };
        *uses = fewer;
        if fewer == 0 {
            self.leave_option(p, chosen, chosen[place as usize]);
        }
    }

    fn use_option(&mut self, p: &Problem, chosen: &[u32], o: u32) {
        if o == NEVER {
            self.broken += 1;
            return;
        }
        let uses = &mut self.options[o as usize];
        *uses += 1;
        if *uses == 1 {
            let option = &p.options[o as usize];
            self.cost += u64::from(option.price);
            option.operands.iter().for_each(|&place| self.use_place(p, chosen, place));
            option.needs.into_iter().for_each(|q| self.use_option(p, chosen, q));
        }
    }

    fn leave_option(&mut self, p: &Problem, chosen: &[u32], o: u32) {
        if o == NEVER {
            self.broken = self.broken.saturating_sub(1);
            return;
        }
        // none where a cycle made the counts wrong: whoever asks for the cost finds out
        let uses = &mut self.options[o as usize];
        let Some(fewer) = uses.checked_sub(1) else { return };
        *uses = fewer;
        if fewer == 0 {
            let option = &p.options[o as usize];
            self.cost = self.cost.saturating_sub(option.price.into());
            option.operands.iter().for_each(|&place| self.leave_place(p, chosen, place));
            option.needs.into_iter().for_each(|q| self.leave_option(p, chosen, q));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{option, problem};
    use super::*;

    /// Two roots over shared places; place 2 is reached by both, option 5 through `needs`, too.
    fn shared() -> Problem {
        let options = vec![
            option(10, &[2], None),
            option(3, &[2, 3], None),
            option(20, &[2], Some(5)),
            option(7, &[3], None),
            option(1, &[], None),
            option(4, &[3], None),
            option(2, &[], None),
        ];
        problem(options, &[&[0, 1], &[2, 3], &[4, 5], &[6]], &[0, 1])
    }

    #[test]
    fn counting_uses_finds_what_a_walk_finds() {
        let p = shared();
        let mut reach = Reach::new(&p);
        let mut chosen = vec![0, 2, 4, 6];
        let mut uses = Uses::new(&p, &chosen);
        // shared once: 10 + 1, and 20 with the quotient of 4 and its operand of 2
        assert_eq!((uses.cost(), reach.cost(&p, &chosen)), (37, Some(37)));
        // through all selections, one change at a time, and back
        for (place, new) in [(0, 1), (2, 5), (1, 3), (2, 4), (0, 0), (2, 5), (1, 2), (0, 1), (0, 0), (2, 4)] {
            let old = std::mem::replace(&mut chosen[place as usize], new);
            uses.exchange(&p, &chosen, place, old, new);
            assert_eq!(Some(uses.cost()), reach.cost(&p, &chosen), "{chosen:?}");
        }
        assert_eq!(uses.cost(), 37);
        // a place without a choice
        let old = std::mem::replace(&mut chosen[3], NEVER);
        uses.exchange(&p, &chosen, 3, old, NEVER);
        assert_eq!((uses.cost(), reach.cost(&p, &chosen)), (u64::MAX, None));
    }
}
