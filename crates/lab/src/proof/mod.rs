//! Proofs of rules for all integers, by an SMT solver.

#[cfg(feature = "smt")]
mod ask;
#[cfg(feature = "smt")]
mod bits;
#[cfg(feature = "smt")]
mod encode;
mod law;
mod outcome;

#[cfg(feature = "smt")]
pub(crate) use ask::written;
pub use law::{Law, laws};

pub use outcome::Proof;

#[cfg(feature = "smt")]
use quaff::quasi::solver::Solver;
use quaff::rules::Rule;
use std::path::PathBuf;
use std::time::Duration;

/// Proves rules with the installed solvers.
#[derive(Clone, Debug)]
pub struct Prover {
    #[cfg(feature = "smt")]
    solvers: Vec<(Solver, String)>,
    timeout: Duration,
}

impl Prover {
    /// A prover with a time limit for each question. `None` if no solver on the path prints its version within the
    /// limit.
    pub fn installed(timeout: Duration) -> Option<Prover> {
        #[cfg(feature = "smt")]
        {
            let installed = if timeout.is_zero() { Vec::new() } else { Solver::installed() };
            let with_version = |s: Solver| s.version(timeout).map(|version| (s, version));
            let solvers: Vec<_> = installed.into_iter().filter_map(with_version).collect();
            (!solvers.is_empty()).then_some(Prover { solvers, timeout })
        }
        #[cfg(not(feature = "smt"))]
        {
            let _ = timeout;
            None
        }
    }

    /// The solvers on the path that did not print their version in time. They are not used again in this process.
    pub fn silent() -> Vec<PathBuf> {
        #[cfg(feature = "smt")]
        {
            Solver::silent()
        }
        #[cfg(not(feature = "smt"))]
        {
            Vec::new()
        }
    }

    /// Tries to prove a rule with one solver after another.
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
