//! The limits of one explanation, which its steps share: the number of steps, and the work of their checks.

use crate::domain::Domain;
use crate::expr::{Dag, Expr};
use crate::quasi::{Decision, Method, Options, Verdict, Why, decide};
use std::time::Duration;

/// The largest number of firings that become steps of one explanation.
const MAX_STEPS: usize = 1 << 10;
/// The largest number of nodes in the expressions of these steps. Shared sub-expressions of one step count once. Each
/// node is written, compared and checked.
const MAX_PARTS: usize = 1 << 18;
/// The limits of all checks of an explanation together, as a multiple of the limits in [`Options`] for one check.
const MAX_HARD: u64 = 2;
/// The largest number of steps for which a solver is called, if one is installed. Each call may take the whole time
/// limit.
const MAX_ASKED: u32 = 16;

/// The remaining part of the limits of one explanation.
pub(super) struct Allowance {
    options: Options,
    /// The numbers of points, of steps of algebra and of evaluations that the remaining checks may use together.
    left: [u64; 3],
    steps: usize,
    parts: usize,
    asked: u32,
    /// The number of firings that did not become steps.
    pub(super) left_out: usize,
    /// The number of steps that were not checked.
    pub(super) unchecked: usize,
}

impl Allowance {
    pub(super) fn new(options: &Options) -> Allowance {
        let limits = [options.max_points, options.max_steps, options.max_evaluations];
        Allowance {
            options: options.clone(),
            left: limits.map(|limit| limit.saturating_mul(MAX_HARD)),
            steps: MAX_STEPS,
            parts: MAX_PARTS,
            asked: MAX_ASKED,
            left_out: 0,
            unchecked: 0,
        }
    }

    /// Whether one more firing may become a step. A refused firing is counted in `left_out`.
    pub(super) fn allows_firing(&mut self) -> bool {
        let allows = self.steps > 0 && self.parts > 0;
        self.left_out += usize::from(!allows);
        allows
    }

    /// Subtracts the nodes of the two sides of a firing.
    pub(super) fn use_parts(&mut self, before: &Expr, after: &Expr) {
        self.parts = self.parts.saturating_sub(Dag::new(&[before.clone(), after.clone()]).nodes().len());
    }

    /// Subtracts a firing that became a step.
    pub(super) fn use_step(&mut self) {
        self.steps = self.steps.saturating_sub(1);
    }

    /// The result of the exact procedure for the sides of a step, within the limits that earlier checks left.
    pub(super) fn check(&mut self, before: &Expr, after: &Expr, domain: &Domain) -> Decision {
        let limits = [self.options.max_points, self.options.max_steps, self.options.max_evaluations];
        if limits.iter().zip(&self.left).any(|(limit, left)| *limit > 0 && *left == 0) {
            self.unchecked += 1;
            return Decision::not_asked(Why::NothingLeft);
        }
        let [points, steps, evaluations] = self.left;
        let options = Options {
            max_points: self.options.max_points.min(points),
            max_steps: self.options.max_steps.min(steps),
            max_evaluations: self.options.max_evaluations.min(evaluations),
            smt_timeout: if self.asked > 0 { self.options.smt_timeout } else { Duration::ZERO },
            ..self.options.clone()
        };
        let decision = decide(before, after, domain, &options);
        let taken = [decision.points, decision.steps, decision.evaluations];
        self.left.iter_mut().zip(taken).for_each(|(left, taken)| *left = left.saturating_sub(taken));
        let asked = matches!(decision.verdict, Verdict::Undecided { why: Why::Solver { .. } });
        self.asked = self.asked.saturating_sub(u32::from(asked || decision.method == Method::Solver));
        decision
    }
}
