//! A schedule with its costs.

use super::access::Access;
use super::error::CoalesceError;
use super::schedule::{Schedule, substituted};
use super::traffic::Traffic;
use crate::access::{Access as Load, Gate, SimplifiedAccesses};
use crate::cost::Cost;
use crate::domain::Domain;
use crate::emit::Text;
use crate::expr::{Expr, int};
use crate::lower::LowerError;
use crate::simplify::{Simplified, Simplifier};

/// The variable of a schedule: the number of a lane, counted over all warps and steps.
const LANE: &str = "u";

/// A schedule, what the accesses take under it, and what their indices take.
#[derive(Clone, Debug)]
pub struct Candidate {
    schedule: Schedule,
    traffic: Traffic,
    sigma: Simplified,
    accesses: SimplifiedAccesses,
    indices: Vec<Expr>,
}

/// What a price depends on.
pub(super) struct Price<'a> {
    pub(super) accesses: &'a [Access],
    pub(super) variable: &'a str,
    pub(super) n: i64,
    pub(super) simplifier: &'a Simplifier,
}

impl Candidate {
    pub(super) fn new(schedule: Schedule, traffic: Traffic, price: &Price<'_>) -> Result<Candidate, CoalesceError> {
        let domain = Domain::new().with(LANE, 0..schedule.extent());
        let sigma = price.simplifier.simplify(&schedule.expr(LANE), &domain)?;
        // lanes without an element
        let inside = (schedule.extent() > price.n).then(|| sigma.expr().lt(int(price.n)));
        let loads: Vec<Load> = price
            .accesses
            .iter()
            .zip(0..)
            .map(|(access, number)| {
                let at = |e: &Expr| substituted(e, price.variable, sigma.expr());
                let load = Load::load(format!("v{number}"), format!("in{number}"), at(access.index()));
                let gates = inside.iter().cloned().chain(access.gate().map(at));
                gates.fold(load, Load::when)
            })
            .collect();
        let accesses = price.simplifier.simplify_accesses(&loads, &domain)?;
        let indices = accesses.accesses().iter().map(|a| a.index().clone()).collect();
        Ok(Candidate { schedule, traffic, sigma, accesses, indices })
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// What all accesses take together, each as often as its weight says.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// The element that lane `u` takes, simplified.
    pub fn sigma(&self) -> &Expr {
        self.sigma.expr()
    }

    /// The indices of the accesses as functions of the lane `u`, simplified together.
    pub fn indices(&self) -> &[Expr] {
        &self.indices
    }

    /// The condition under which each access happens; 1 where it always does.
    pub fn gates(&self) -> Vec<Expr> {
        let gate = |gate: &Gate| match gate {
            Gate::Always => int(1),
            Gate::When(condition) => condition.clone(),
            Gate::Never => int(0),
        };
        self.accesses.accesses().iter().map(|a| gate(a.gate())).collect()
    }

    /// What indices and gates take together.
    pub fn cost(&self) -> Cost {
        self.accesses.cost()
    }

    /// CUDA text of the element as a function of `u`.
    ///
    /// # Errors
    /// When a value needs more than 64 bits, which no schedule does.
    pub fn sigma_cuda(&self) -> Result<Text, LowerError> {
        self.sigma.cuda()
    }

    /// CUDA text of loads of all accesses as functions of `u`, of `in0`, `in1` and so on into `v0`, `v1` and so on.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn cuda(&self) -> Result<Text, LowerError> {
        self.accesses.cuda()
    }

    /// Order of candidates: gap, sectors, cost.
    pub(super) fn rank(&self) -> (u128, u128, Cost, u128, String) {
        (self.traffic.gap, self.traffic.sectors, self.cost(), self.traffic.lines, self.sigma().to_string())
    }

    /// Whether it is nowhere worse than `other`.
    pub(super) fn covers(&self, other: &Candidate) -> bool {
        let (a, b) = (self.traffic, other.traffic);
        let traffic = a.gap <= b.gap && a.sectors <= b.sectors && a.lines <= b.lines && a.requests <= b.requests;
        traffic && self.cost() <= other.cost()
    }
}
