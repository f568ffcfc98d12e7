//! The problem that the search solves: the candidates of each place of an and-or graph, with their prices and the
//! places of their operands.

use smallvec::SmallVec;

/// The number that means no candidate or no place.
pub(crate) const NEVER: u32 = u32::MAX;

/// One way to compute a value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidate {
    /// The price without the operands, in fractions of a tenth of an instruction.
    pub(crate) price: u64,
    /// The places of the operands.
    pub(crate) operands: SmallVec<[u32; 4]>,
    /// The quotient from which this remainder is cheap to compute. It is a candidate, not a place.
    pub(crate) needs: Option<u32>,
}

/// The candidates, and the places that choose one of them.
pub(crate) struct Choices {
    pub(crate) candidates: Vec<Candidate>,
    /// The candidates of each place.
    pub(crate) places: Vec<SmallVec<[u32; 4]>>,
    pub(crate) roots: Vec<u32>,
}

impl Choices {
    /// The price of `candidate` in fractions, without its operands. It includes the price of the quotient that the
    /// candidate needs.
    pub(crate) fn price_alone(&self, candidate: u32) -> u64 {
        let o = &self.candidates[candidate as usize];
        o.price.saturating_add(o.needs.map_or(0, |q| self.candidates[q as usize].price))
    }

    /// An equivalent problem without places that have one candidate and one user. The cost of such a place is added to
    /// its user. The remaining places and candidates keep their numbers, and a selection costs the same in both
    /// problems. The time is linear in the size of the graph.
    pub(crate) fn collapsed(&self) -> Choices {
        let mut uses = Uses::new(self);
        let mut out =
            Choices { candidates: self.candidates.clone(), places: self.places.clone(), roots: self.roots.clone() };
        for place in (0..self.places.len() as u32).rev() {
            let Some((only, user)) = uses.forced(self, place) else { continue };
            let Candidate { price, operands, .. } = std::mem::take(&mut out.candidates[only as usize]);
            out.places[place as usize].clear();
            let user = &mut out.candidates[user as usize];
            user.price = user.price.saturating_add(price);
            user.operands.retain(|operand| *operand != place);
            user.operands.extend(operands);
        }
        out
    }

    /// The number of candidates of all places.
    pub(crate) fn count(&self) -> usize {
        self.places.iter().map(SmallVec::len).sum()
    }
}

/// Which candidates use each place of a problem.
struct Uses {
    /// For each place the only candidate that uses it. [`NEVER`] if there is no user or several, or if the place is a
    /// root.
    user: Vec<u32>,
    /// For each candidate whether it belongs to exactly one place and no remainder needs it.
    is_in_one_place: Vec<bool>,
    /// For each candidate that was merged into another one, that other candidate. Otherwise the candidate itself.
    part_of: Vec<u32>,
}

impl Uses {
    fn new(p: &Choices) -> Uses {
        let (mut user, mut several) = (vec![NEVER; p.places.len()], vec![false; p.places.len()]);
        p.roots.iter().for_each(|&root| several[root as usize] = true);
        let mut is_in_one_place = vec![false; p.candidates.len()];
        let mut is_placed = vec![false; p.candidates.len()];
        for &o in p.places.iter().flatten() {
            is_in_one_place[o as usize] = !std::mem::replace(&mut is_placed[o as usize], true);
        }
        for (o, candidate) in p.candidates.iter().enumerate() {
            for &operand in &candidate.operands {
                several[operand as usize] |= user[operand as usize] != NEVER;
                user[operand as usize] = o as u32;
            }
            if let Some(q) = candidate.needs {
                is_in_one_place[q as usize] = false;
            }
        }
        for (user, _) in user.iter_mut().zip(several).filter(|(_, several)| *several) {
            *user = NEVER;
        }
        Uses { user, is_in_one_place, part_of: (0..p.candidates.len() as u32).collect() }
    }

    /// The only candidate of `place`, which is merged into the only user of the place, and that user. `None` if there
    /// are several candidates or users.
    fn forced(&mut self, p: &Choices, place: u32) -> Option<(u32, u32)> {
        let mut user = self.user[place as usize];
        let &[only] = &p.places[place as usize][..] else { return None };
        if user == NEVER || !self.is_in_one_place[only as usize] || p.candidates[only as usize].needs.is_some() {
            return None;
        }
        while self.part_of[user as usize] != user {
            user = self.part_of[user as usize];
        }
        // a candidate may be its own operand
        if user == only {
            return None;
        }
        self.part_of[only as usize] = user;
        Some((only, user))
    }
}

/// A candidate for tests.
#[cfg(test)]
pub(crate) fn candidate(price: u32, operands: &[u32], needs: Option<u32>) -> Candidate {
    Candidate { price: price.into(), operands: SmallVec::from_slice(operands), needs }
}

/// A problem for tests: its candidates, and for each place the candidates that it can choose.
#[cfg(test)]
pub(crate) fn problem(candidates: Vec<Candidate>, choices: &[&[u32]], roots: &[u32]) -> Choices {
    Choices { candidates, places: choices.iter().map(|c| SmallVec::from_slice(c)).collect(), roots: roots.to_vec() }
}
