//! A schedule for the threads of a block: which element each takes at each step.

use super::candidate::{Candidate, Price};
use super::error::CoalesceError;
use super::search::Question;
use quaff::access::SimplifiedAccesses;
use quaff::cost::Cost;
use quaff::emit::{Parameter, Text};
use quaff::expr::substitute::substituted;
use quaff::expr::{Expr, int, var};
use quaff::integer::floor_div;
use quaff::lower::LowerError;
use quaff::{Simplified, Simplifier};

/// The number of a lane, the thread, and the step.
const NUMBER: &str = "u";
const THREAD: &str = "t";
const STEP: &str = "s";

/// A schedule as a function of the thread `t` and the step `s`.
#[derive(Clone, Debug)]
pub struct Steps {
    threads: u32,
    steps: i64,
    vector: u32,
    sigma: Simplified,
    /// The buffers, whose names a vector load hides.
    objects: Vec<Parameter>,
    loads: SimplifiedAccesses,
}

impl Question<'_> {
    /// `candidate`, which is one of the answers to the question, for the threads of a block: thread `t` is lane `t + threads*s` at step `s`.
    ///
    /// # Errors
    /// [`CoalesceError::NoThreads`] where the question has none, [`CoalesceError::Threads`] where the elements are no whole number of steps,
    /// and what simplification says.
    pub fn steps(&self, candidate: &Candidate, simplifier: &Simplifier) -> Result<Steps, CoalesceError> {
        let threads = self.threads.ok_or(CoalesceError::NoThreads)?;
        let (extent, vector) = (candidate.schedule().extent(), candidate.vector());
        let step = i64::from(threads) * i64::from(vector);
        let steps = floor_div(extent.into(), step.max(1).into()) as i64;
        if steps * step != extent || extent != self.n as i64 {
            return Err(CoalesceError::Threads { threads, vector, n: self.n });
        }
        let domain = self.uniform.clone().with(THREAD, 0..i64::from(threads)).with(STEP, 0..steps).loop_nest([STEP]);
        let lane = var(THREAD) + int(threads.into()) * var(STEP);
        // of the first element that the lane takes
        let number = if vector == 1 { lane.clone() } else { &lane * int(vector.into()) };
        let element = substituted(candidate.sigma(), NUMBER, &number);
        let sigma = simplifier.simplify(&element, &domain)?;
        let (accesses, variable, n) = (self.accesses, self.variable, self.n as i64);
        let price = Price { accesses, variable, n, uniform: &self.uniform, simplifier };
        let loads = price.lane_loads(candidate.measured(), candidate.sigma(), None, &lane);
        let loads = simplifier.simplify_accesses(&loads, &domain)?;
        let objects = candidate.buffers();
        Ok(Steps { threads, steps, vector, sigma, objects, loads })
    }
}

impl Steps {
    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// How many steps there are.
    pub fn steps(&self) -> i64 {
        self.steps
    }

    /// Elements that a thread takes at each step, from [`Steps::sigma`] on in the order of the schedule.
    pub fn vector(&self) -> u32 {
        self.vector
    }

    /// The element of thread `t` at step `s`, its first one where it takes several.
    pub fn sigma(&self) -> &Expr {
        self.sigma.expr()
    }

    /// What indices and gates of all steps take.
    pub fn cost(&self) -> Cost {
        self.loads.cost()
    }

    /// The index of each access at step `s`, of its first element where a thread takes several by themselves.
    pub fn indices(&self) -> Vec<Expr> {
        self.loads.accesses().iter().map(|a| a.index().clone()).collect()
    }

    /// CUDA text of the element as a function of `t` and `s`.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn sigma_cuda(&self) -> Result<Text, LowerError> {
        self.sigma.cuda()
    }

    /// CUDA text of the loads of one step, the body of a loop over `s`.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn cuda(&self) -> Result<Text, LowerError> {
        let mut text = self.loads.cuda()?;
        text.objects.clone_from(&self.objects);
        Ok(text)
    }
}
