//! The extractors (methods that choose one node for each e-class) and their names.

use super::greedy::{Order, greedy};
use quaff::inspect::{Extraction, Method};

/// The most steps of [`Extractor::Exhaustive`]. A search that needs more steps ends without a proof.
const OPTIMUM_STEPS: u64 = 2_000_000;
/// The most steps of [`Extractor::BranchAndBound`]. The extraction in a call of the simplifier has the same limit.
const CALL_STEPS: u64 = 3_000;

/// A method that chooses a candidate (an e-node) for each e-class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Extractor {
    /// Chooses the cheapest tree of each class. The cost of a part that several trees share counts in each of them.
    Trees,
    /// Greedy extraction of DAGs: chooses the candidate that is cheapest together with the selections of its operands.
    /// Classes are visited in the order of the problem.
    Greedy,
    /// The same greedy extraction, with classes in the opposite order.
    GreedyBackwards,
    /// Starts with the cheapest trees, and changes the candidate of one class at a time, while this lowers the cost.
    LocalSearch,
    /// Starts with the cheapest trees, and continues with branch and bound, which visits at most 3,000 candidates.
    BranchAndBound,
    /// The extraction of the simplifier: branch and bound, followed by local search if there is no proof of the
    /// optimum.
    Engine,
    /// An integer linear program that HiGHS solves in at most 10 seconds. If the selection of the engine costs less, it
    /// is used.
    #[cfg(feature = "ilp")]
    Ilp,
    /// Branch and bound with at most 2,000,000 visits of candidates. If the selection of the engine costs less, it is
    /// used. A search that ends before this limit proves the optimum.
    Exhaustive,
}

impl Extractor {
    /// All extractors. The cheapest trees are first, and the exhaustive search is last.
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

    /// The name of the extractor.
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

    /// The cost of the selection that the extractor finds, if any, and a lower bound for the cost of all selections.
    /// The bound is 0 if nothing is proved.
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
