//! The search problem of an and-or graph: what candidates cost, and which places they use.

use smallvec::SmallVec;

/// No candidate, or no place.
pub(crate) const NEVER: u32 = u32::MAX;

/// One operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidate {
    /// In fractions of a tenth of an instruction, operands left out.
    pub(crate) price: u64,
    /// The places of its operands.
    pub(crate) operands: SmallVec<[u32; 4]>,
    /// The quotient that makes this remainder cheap: a candidate, not a place.
    pub(crate) needs: Option<u32>,
}

/// Candidates, and the places that choose one of them.
pub(crate) struct Choices {
    pub(crate) candidates: Vec<Candidate>,
    /// The candidates of each place.
    pub(crate) places: Vec<SmallVec<[u32; 4]>>,
    pub(crate) roots: Vec<u32>,
}

impl Choices {
    /// The price of `candidate` in fractions, with that of the quotient it needs, its operands left out.
    pub(crate) fn price_alone(&self, candidate: u32) -> u64 {
        let o = &self.candidates[candidate as usize];
        o.price.saturating_add(o.needs.map_or(0, |q| self.candidates[q as usize].price))
    }

    /// The same problem without places that have one candidate and one user: the user costs more instead. The places and candidates that
    /// are left keep their numbers, and a selection costs the same in both. Linear in the size of the graph.
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

    /// How many candidates its places have.
    pub(crate) fn count(&self) -> usize {
        self.places.iter().map(SmallVec::len).sum()
    }
}

/// Who uses the places of a problem.
struct Uses {
    /// Of each place the one candidate that uses it; [`NEVER`] for none, and where there are several users or it is a root.
    user: Vec<u32>,
    /// Of each candidate whether one place alone has it, and no remainder needs it.
    is_in_one_place: Vec<bool>,
    /// Of each candidate that is part of another one by now, that one; of others the candidate itself.
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

    /// The one candidate of `place`, which becomes part of its one user, and that user; `None` where there are several of either.
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

/// A problem for tests: its candidates, and for each place those it can choose.
#[cfg(test)]
pub(crate) fn problem(candidates: Vec<Candidate>, choices: &[&[u32]], roots: &[u32]) -> Choices {
    Choices { candidates, places: choices.iter().map(|c| SmallVec::from_slice(c)).collect(), roots: roots.to_vec() }
}
