//! Extractors by name.

use super::greedy::{Order, greedy};
use quaff::inspect::{Extraction, Method};

/// Steps after which [`Extractor::Exhaustive`] ends without a proof.
const OPTIMUM_STEPS: u64 = 2_000_000;
/// Steps of [`Extractor::BranchAndBound`], those that a call takes.
const CALL_STEPS: u64 = 3_000;

/// A way to choose a candidate for each class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Extractor {
    /// The cheapest tree of each class: what several of them share counts for each.
    Trees,
    /// Greedy on DAGs: the candidate whose operands' selections cost least together, classes in the order of the problem.
    Greedy,
    /// The same, classes in the opposite order.
    GreedyBackwards,
    /// The cheapest trees, and single changes as long as one lowers the cost.
    LocalSearch,
    /// The cheapest trees, and branch and bound with 3,000 visits of candidates.
    BranchAndBound,
    /// What a call does: branch and bound, and local search where that ends without a proof.
    Engine,
    /// An integer linear program, which HiGHS solves in at most 10 seconds, or the engine's selection where that costs less.
    #[cfg(feature = "ilp")]
    Ilp,
    /// Branch and bound with 2,000,000 visits of candidates, or the engine's selection where that costs less. Where the search ends before,
    /// its cost is the optimum.
    Exhaustive,
}

impl Extractor {
    /// All of them, the cheapest trees first and the exhaustive search last.
    pub const ALL: &[Extractor] = &[
        Extractor::Trees,
        Extractor::Greedy,
        Extractor::GreedyBackwards,
        Extractor::LocalSearch,
        Extractor::BranchAndBound,
        Extractor::Engine,
        #[cfg(feature = "ilp")]
        Extractor::Ilp,
        Extractor::Exhaustive,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Extractor::Trees => "trees",
            Extractor::Greedy => "greedy-dag",
            Extractor::GreedyBackwards => "greedy-dag-backwards",
            Extractor::LocalSearch => "local-search",
            Extractor::BranchAndBound => "branch-and-bound",
            Extractor::Engine => "engine",
            #[cfg(feature = "ilp")]
            Extractor::Ilp => "ilp",
            Extractor::Exhaustive => "exhaustive",
        }
    }

    /// The cost of the selection that it finds, where it finds one, and a cost that no selection is below; 0 where it knows none.
    pub fn run(self, problem: &Extraction) -> (Option<u64>, u64) {
        let method = match self {
            Extractor::Trees => Method::Trees,
            Extractor::Greedy | Extractor::GreedyBackwards => {
                let order = if self == Extractor::Greedy { Order::AsGiven } else { Order::Backwards };
                return (problem.cost(&greedy(problem, order)), 0);
            }
            Extractor::LocalSearch => Method::LocalSearch,
            Extractor::BranchAndBound => Method::Exact { steps: CALL_STEPS },
            Extractor::Engine => Method::Engine,
            #[cfg(feature = "ilp")]
            Extractor::Ilp => return super::ilp::ilp(problem),
            Extractor::Exhaustive => {
                let [exact, engine] =
                    [Method::Exact { steps: OPTIMUM_STEPS }, Method::Engine].map(|method| problem.select(method));
                return (exact.cost.into_iter().chain(engine.cost).min(), exact.least.max(engine.least));
            }
        };
        let found = problem.select(method);
        (found.cost, found.least)
    }
}
