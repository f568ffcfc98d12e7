//! The printed kernel, with a report of its indices and of the copies of its transfers.

#[cfg(doc)]
use super::Transfer;
use quaff::Step;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::egraph::StopReason;
use quaff::emit::Contract;
use quaff::expr::Expr;
use std::fmt;
use std::sync::Arc;

/// An index or condition of a kernel, before and after simplification.
#[derive(Clone, Debug)]
pub struct KernelIndex {
    /// The name under which the index or condition was requested.
    pub name: Arc<str>,
    /// The expression as the solver built it.
    pub raw: Expr,
    /// An expression that equals `raw` wherever the index is used. For an access with a mask it may be simpler than
    /// `raw`. Otherwise it is `raw`.
    pub known: Expr,
    /// The expression that the text computes. For all values of the variables, it equals either `raw` or `known`.
    pub simplified: Expr,
}

/// A printed kernel.
#[derive(Clone, Debug)]
pub struct KernelText {
    /// Complete CUDA C++ text, which compiles as it is.
    pub source: String,
    /// The code with which the host prepares divisors. Empty when there are none.
    pub host: String,
    /// The parameters of the kernel in their order, and the divisors that the host prepares from them.
    pub contract: Contract,
    /// All indices and conditions, in the order of recording.
    pub indices: Vec<KernelIndex>,
    /// The form of the copy of each [`Transfer`], with the reasons if the copy does not use vectors for all lanes.
    pub accesses: Vec<AccessReport>,
    /// The cost of all indices together, with each operation counted once.
    pub cost: Cost,
    /// The cost of all indices as the solver built them.
    pub input_cost: Cost,
    /// The cost of the operations that a thread executes for the indices. Each operation counts once for each iteration
    /// of the loops on which it depends. Constants of unrolled loops, and the constant offset of an address, cost
    /// nothing.
    pub executed: Cost,
    /// The executed cost of the indices as the solver built them. It is never less than `executed`.
    pub input_executed: Cost,
    /// The reason why the search for all indices ended.
    pub stop: StopReason,
    /// The facts about the variables of all indices.
    pub domain: Domain,
    /// The rules that fired in the searches for all indices. Empty unless the simplifier [keeps
    /// them](quaff::Simplifier::with_trace).
    pub trace: Vec<Step>,
}

/// The form of the copy of a [`Transfer`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessReport {
    /// The buffer that is written.
    pub to: Arc<str>,
    /// The buffer that is read.
    pub from: Arc<str>,
    /// The number of elements along the vector dimensions.
    pub lanes: i64,
    /// The types of the vectors, in the order of the lanes.
    pub vectors: Vec<&'static str>,
    /// The number of lanes that no vector covers.
    pub single: i64,
    /// The reasons why one access does not cover all lanes. Empty if vectors cover them.
    pub reasons: Vec<String>,
}

impl AccessReport {
    /// Whether vectors cover all lanes.
    pub fn is_vector(&self) -> bool {
        self.single == 0
    }
}

impl fmt::Display for AccessReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <- {}: ", self.to, self.from)?;
        if self.lanes == 1 {
            return write!(f, "one element");
        }
        let runs = self.vectors.chunk_by(|a, b| a == b);
        let mut parts: Vec<String> = runs
            .map(|run| if run.len() == 1 { run[0].to_string() } else { format!("{} {}", run.len(), run[0]) })
            .collect();
        match self.single {
            0 => {}
            single => {
                let elements = if single == 1 { "element" } else { "elements" };
                parts.push(format!("{single} single {elements}, as {}", self.reasons.join("; ")));
            }
        }
        f.write_str(&parts.join(", "))
    }
}
