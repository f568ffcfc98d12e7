//! Proofs of rules for all integers, by an SMT solver.

#[cfg(feature = "smt")]
mod ask;
#[cfg(feature = "smt")]
mod bits;
#[cfg(feature = "smt")]
mod encode;

use crate::rules::Rule;
use std::fmt;
use std::time::Duration;

/// What a solver made of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proof {
    /// The rule holds for all integers.
    AllIntegers {
        /// The solver and its version.
        solver: String,
    },
    /// The rule holds for all values of its unknowns, with each of some choices of its constants.
    Constants {
        /// The solver and its version.
        solver: String,
        /// The choices.
        choices: usize,
    },
    /// Nothing is proved.
    None {
        /// Why not.
        why: String,
    },
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::AllIntegers { solver } => write!(f, "for all integers by {solver}"),
            Proof::Constants { solver, choices } => write!(f, "for {choices} choices of constants by {solver}"),
            Proof::None { why } => write!(f, "not proved: {why}"),
        }
    }
}

/// Asks the solvers that are installed.
#[derive(Clone, Debug)]
pub struct Prover {
    #[cfg(feature = "smt")]
    solvers: Vec<(crate::quasi::solver::Solver, String)>,
    timeout: Duration,
}

impl Prover {
    /// With a limit on the time of a question; `None` when no solver is on the path.
    pub fn installed(timeout: Duration) -> Option<Prover> {
        #[cfg(feature = "smt")]
        {
            let solvers: Vec<_> = crate::quasi::solver::Solver::installed();
            let solvers: Vec<_> = solvers.into_iter().map(|s| (s.clone(), s.version())).collect();
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
