//! What a search for schedules found.

use super::candidate::Candidate;
use super::objective::Objective;
use super::traffic::{Measure, Traffic};
use super::uniform::Residue;

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    pub(super) identity: Traffic,
    pub(super) optimum: Traffic,
    pub(super) candidates: Vec<Candidate>,
    pub(super) padded: Vec<Candidate>,
    pub(super) apart: Vec<Apart>,
    pub(super) measured: u64,
}

/// The best schedule for some values of the variables of which all lanes have the same value.
#[derive(Clone, Debug)]
pub struct Apart {
    pub(super) residues: Vec<Residue>,
    pub(super) candidate: Candidate,
}

impl Apart {
    /// The values, of those variables of which more than one value matters.
    pub fn residues(&self) -> &[Residue] {
        &self.residues
    }

    /// The schedule; its traffic is that of all these values together.
    pub fn candidate(&self) -> &Candidate {
        &self.candidate
    }
}

impl Found {
    /// What the accesses take in the order in which they are written, one element a lane.
    pub fn identity(&self) -> Traffic {
        self.identity
    }

    /// What they take in ascending order of addresses, each access by itself, one element a lane. Of one access without a gate, no order of
    /// such lanes has a smaller [`gap`](Traffic::gap), and the sectors exceed the fewest by one at most for every warp but one.
    pub fn optimum(&self) -> Traffic {
        self.optimum
    }

    /// Schedules that give each element to exactly one lane, none of which is worse than another one in all of gap, sectors,
    /// lines, requests and cost of the index: the fewest sectors first, then the fewest requests, the fewest lines and the lowest cost, unless
    /// they are [sorted otherwise](Found::sorted_by). Never empty, and the first one has no more sectors than the identity.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Schedules of more lanes than there are elements, some of which have nothing to do: they are cut into other warps, so that
    /// their costs do not compare with those of [`Found::candidates`]. In the same order; often empty.
    pub fn padded(&self) -> &[Candidate] {
        &self.padded
    }

    /// The same schedules, those first of which `first` is the lowest.
    ///
    /// ```
    /// use quaff::Simplifier;
    /// use quaff_fronts::coalesce::{Access, Measure, Warp, search};
    ///
    /// // strides 3 and 2 overlap: the order with the fewest sectors takes more instructions than it saves
    /// let access = Access::new("3*(i%16) + 2*(i//16)".parse()?, 4)?;
    /// let found = search(&[access], "i", 256, Warp::default(), &Simplifier::default())?;
    /// let fewest = found.candidates()[0].cost();
    /// let found = found.sorted_by(Measure::Cost);
    /// assert!(found.candidates()[0].cost() < fewest);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sorted_by(self, first: Measure) -> Found {
        self.sorted_for(&first.into())
    }

    /// The same schedules, those first for which `objective` is the lowest.
    pub fn sorted_for(mut self, objective: &Objective) -> Found {
        for list in [&mut self.candidates, &mut self.padded] {
            list.sort_by_cached_key(|candidate| candidate.rank(objective));
        }
        self
    }

    /// The best schedule for each value of the uniform variables that matters, where there are several, up to 16: whatever these take less
    /// than the first of [`Found::candidates`], one schedule for all values loses.
    pub fn apart(&self) -> &[Apart] {
        &self.apart
    }

    /// What the schedules of [`Found::apart`] take together; `None` where there are none.
    pub fn traffic_apart(&self) -> Option<Traffic> {
        let all = self.apart.iter().map(|a| a.candidate.traffic());
        all.reduce(|mut sum, traffic| {
            sum += traffic;
            sum
        })
    }

    /// How many schedules were measured.
    pub fn measured(&self) -> u64 {
        self.measured
    }
}
