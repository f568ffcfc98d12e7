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
