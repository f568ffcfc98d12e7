//! The printed kernel, with a report of its indices and of its copies.

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

/// An index or condition of a kernel, before and after.
#[derive(Clone, Debug)]
pub struct KernelIndex {
    /// The name it was asked for under.
    pub name: Arc<str>,
    /// As the solver built it.
    pub raw: Expr,
    /// What is known of it wherever it is used: under a guard, this may be less than `raw`. Otherwise it is `raw`.
    pub known: Expr,
    /// As it is computed: everywhere equal to `raw`, or everywhere equal to `known`.
    pub simplified: Expr,
}

/// A printed kernel.
#[derive(Clone, Debug)]
pub struct KernelText {
    /// CUDA C++, complete: it compiles as it is.
    pub source: String,
    /// What the host needs to prepare divisors; empty when there are none.
    pub host: String,
    /// The parameters of the kernel, in their order, and what the host prepares of them.
    pub contract: Contract,
    /// All indices and conditions, in the order of recording.
    pub indices: Vec<KernelIndex>,
    /// How each copy is done, and why not by vectors where it is not.
    pub accesses: Vec<AccessReport>,
    /// The cost of all indices together, each computed once.
    pub cost: Cost,
    /// The same as the solver built them.
    pub input_cost: Cost,
    /// What a thread executes of the indices: each operation as often as the loops run that it depends on. What is a constant
    /// once loops are unrolled, and the constant that an address adds last, cost nothing.
    pub executed: Cost,
    /// The same as the solver built them; no less.
    pub input_executed: Cost,
    /// What ended the search for all indices.
    pub stop: StopReason,
    /// What is known of the variables of all indices.
    pub domain: Domain,
    /// The rules that fired in the searches for all indices; empty unless the simplifier
    /// [keeps them](quaff::Simplifier::with_trace).
    pub trace: Vec<Step>,
}

/// How a [`Transfer`] was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessReport {
    /// The buffer written.
    pub to: Arc<str>,
    /// The buffer read.
    pub from: Arc<str>,
    /// Number of elements along the vector dimensions.
    pub lanes: i64,
    /// The types of the vectors, in the order of the lanes.
    pub vectors: Vec<&'static str>,
    /// The number of lanes that are no part of a vector.
    pub single: i64,
    /// What kept one access from covering all lanes; empty where vectors cover them.
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
