//! Proofs of rules for all integers, by an SMT solver.

#[cfg(feature = "smt")]
mod ask;
#[cfg(feature = "smt")]
mod bits;
#[cfg(feature = "smt")]
mod encode;
mod law;
mod outcome;

pub use law::{Law, laws};

pub use outcome::Proof;

#[cfg(feature = "smt")]
use crate::quasi::solver::Solver;
use crate::rules::Rule;
use std::time::Duration;

/// Asks the solvers that are installed.
#[derive(Clone, Debug)]
pub struct Prover {
    #[cfg(feature = "smt")]
    solvers: Vec<(Solver, String)>,
    timeout: Duration,
}

impl Prover {
    /// With a limit on the time of a question; `None` when no solver is on the path.
    pub fn installed(timeout: Duration) -> Option<Prover> {
        #[cfg(feature = "smt")]
        {
            let solvers: Vec<_> = Solver::installed().into_iter().map(|s| (s.clone(), s.version())).collect();
            (!solvers.is_empty() && !timeout.is_zero()).then_some(Prover { solvers, timeout })
        }
        #[cfg(not(feature = "smt"))]
        {
            let _ = timeout;
            None
        }
    }

    /// Tries to prove a rule.
    pub fn prove(&self, rule: &Rule) -> Proof {
        #[cfg(feature = "smt")]
        {
            ask::prove(&self.solvers, self.timeout, rule)
        }
        #[cfg(not(feature = "smt"))]
        {
            let _ = (rule, self.timeout);
            Proof::None { why: "built without solvers".into() }
        }
    }
}
