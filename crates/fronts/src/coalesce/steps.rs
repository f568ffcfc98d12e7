//! A schedule for the threads of a block, with the element of each thread at each step.

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

/// The variable for the number of a lane. The next two constants name the variables for the thread and the step.
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
    /// The buffers. Their names cannot be read from vector loads, so this field stores them.
    objects: Vec<Parameter>,
    loads: SimplifiedAccesses,
}

impl Question<'_> {
    /// The schedule `candidate` for the threads of a block: thread `t` is lane `t + threads*s` at step `s`. `candidate`
    /// must be an answer to this question.
    ///
    /// # Errors
    /// [`CoalesceError::NoThreads`] if the question has no threads, [`CoalesceError::Threads`] if the elements are no
    /// whole number of steps, and the errors of simplification.
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
        // the number of the first element that the lane takes
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
    /// The number of threads of a block.
    pub fn threads(&self) -> u32 {
        self.threads
    }

    /// The number of steps.
    pub fn steps(&self) -> i64 {
        self.steps
    }

    /// The number of elements that a thread takes at each step, from [`Steps::sigma`] on in the order of the schedule.
    pub fn vector(&self) -> u32 {
        self.vector
    }

    /// The element of thread `t` at step `s`. If the thread takes several elements, this is the first of them.
    pub fn sigma(&self) -> &Expr {
        self.sigma.expr()
    }

    /// The cost of the indices and gates of all steps.
    pub fn cost(&self) -> Cost {
        self.loads.cost()
    }

    /// The index of each access at step `s`. If a thread takes several elements one by one, this is the index of its
    /// first element.
    pub fn indices(&self) -> Vec<Expr> {
        self.loads.accesses().iter().map(|a| a.index().clone()).collect()
    }

    /// CUDA text of the element as a function of `t` and `s`.
    ///
    /// # Errors
    /// [`LowerError`] when a value needs more than 64 bits.
    pub fn sigma_cuda(&self) -> Result<Text, LowerError> {
        self.sigma.cuda()
    }

    /// CUDA text of the loads of one step, the body of a loop over `s`.
    ///
    /// # Errors
    /// [`LowerError`] when a value needs more than 64 bits.
    pub fn cuda(&self) -> Result<Text, LowerError> {
        let mut text = self.loads.cuda()?;
        text.objects.clone_from(&self.objects);
        Ok(text)
    }
}
