//! The result of a search for schedules.

use super::candidate::Candidate;
use super::objective::Objective;
use super::traffic::{Measure, Traffic};
use super::uniform::Residue;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Found {
    pub(super) identity: Traffic,
    pub(super) optimum: Traffic,
    pub(super) candidates: Vec<Candidate>,
    pub(super) padded: Vec<Candidate>,
    pub(super) apart: Vec<Apart>,
    pub(super) measured: u64,
}

/// The best schedule for some values of the uniform variables. A uniform variable has the same value in all lanes.
#[derive(Clone, Debug)]
pub struct Apart {
    pub(super) residues: Vec<Residue>,
    pub(super) candidate: Candidate,
}

impl Apart {
    /// The values for which this schedule is the best. Variables of which only one value matters are left out.
    pub fn residues(&self) -> &[Residue] {
        &self.residues
    }

    /// The schedule. Its traffic is the sum over the values of [`Apart::residues`].
    pub fn candidate(&self) -> &Candidate {
        &self.candidate
    }
}

impl Found {
    /// The traffic when lane `u` takes element `u`, as written.
    pub fn identity(&self) -> Traffic {
        self.identity
    }

    /// The traffic when each access is made in the ascending order of its addresses, with one element for each lane.
    /// For a single access without a gate, no order has a smaller [`gap`](Traffic::gap). This order exceeds the least
    /// number of sectors by at most the number of warps minus 1.
    pub fn optimum(&self) -> Traffic {
        self.optimum
    }

    /// The schedules that give each element to exactly one lane and are Pareto-optimal in gap, sectors, lines, requests
    /// and cost of the index. They are sorted by sectors, then requests, lines and cost, fewest first, unless they are
    /// [sorted otherwise](Found::sorted_by). The list is never empty, and its first schedule has no more sectors than
    /// the identity.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Schedules with more lanes than elements, so that some lanes are idle. Their warps differ from the warps of
    /// [`Found::candidates`], so the costs of the two lists cannot be compared. They are sorted like the candidates.
    /// The list is often empty.
    pub fn padded(&self) -> &[Candidate] {
        &self.padded
    }

    /// The result with its schedules sorted by the measure `first`, lowest first.
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

    /// The result with its schedules sorted by `objective`, lowest first.
    pub fn sorted_for(mut self, objective: &Objective) -> Found {
        for list in [&mut self.candidates, &mut self.padded] {
            list.sort_by_cached_key(|candidate| candidate.rank(objective));
        }
        self
    }

    /// If several values of the uniform variables matter, the best schedule for each of them, up to 16. Compared with
    /// the first of [`Found::candidates`], they show the loss of using one schedule for all values.
    pub fn apart(&self) -> &[Apart] {
        &self.apart
    }

    /// The total traffic of the schedules of [`Found::apart`]. `None` if there are none.
    pub fn traffic_apart(&self) -> Option<Traffic> {
        let all = self.apart.iter().map(|a| a.candidate.traffic());
        all.reduce(|mut sum, traffic| {
            sum += traffic;
            sum
        })
    }

    /// The number of schedules that were measured.
    pub fn measured(&self) -> u64 {
        self.measured
    }
}
