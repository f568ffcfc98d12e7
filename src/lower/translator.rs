//! The data of a translation from expressions to operations: the nodes, their plan, and the values made so far.

use super::build::Builder;
use super::divide::Operand;
use super::plan::Plan;
use super::relations::Relations;
use super::target::Target;
use crate::domain::{Interval, VarFacts, intervals_of};
use crate::expr::{Dag, Op};
use rustc_hash::FxHashMap;

/// The position that marks a node whose value is not computed, because nothing needs it.
pub(super) const NONE: u32 = u32::MAX;

/// A part that is being translated: its nodes, their plan, and the values made so far.
pub(super) struct Translator<'a> {
    pub(super) dag: &'a Dag,
    pub(super) plan: &'a Plan,
    pub(super) builder: Builder,
    /// The value of each node.
    pub(super) values: Vec<u32>,
    pub(super) host: &'a Host,
    /// The nodes that are parts of a sum and get no value of their own.
    pub(super) absorbed: Vec<bool>,
    /// The relations between computed nodes.
    pub(super) relations: Relations,
    /// The depth of the deepest loop in which each node changes. The depth is 0 for a node that changes in no loop.
    pub(super) depths: &'a [u32],
    pub(super) target: &'a Target,
    /// The positions of the parameters by name.
    pub(super) params: FxHashMap<String, u32>,
}

/// The facts that code of the host may use. This code runs before the launch, and unconditionally.
pub(super) struct Host {
    /// Whether the host can compute each node.
    pub(super) invariant: Vec<bool>,
    pub(super) ranges: Vec<Interval>,
}

impl Host {
    pub(super) fn new(dag: &Dag, vars: &[VarFacts], ranges: &[Interval]) -> Host {
        // a kernel computes nothing with a variable whose range is empty, but the host code still runs. So the host
        // must not rely on facts of such variables
        let ranges = if vars.iter().any(|v| v.may_be_empty) {
            let variables = |name: &str| vars.iter().find(|v| *v.name == *name).map_or(Interval::ALL, |v| v.declared);
            intervals_of(dag, variables)
        } else {
            ranges.to_vec()
        };
        Host { invariant: invariant(dag, vars, &ranges), ranges }
    }
}

/// For each node, whether the host can compute it before the launch, in `int` and from launch-invariant variables.
fn invariant(dag: &Dag, vars: &[VarFacts], ranges: &[Interval]) -> Vec<bool> {
    let fixed: FxHashMap<&str, bool> = vars.iter().map(|v| (&*v.name, v.launch_invariant)).collect();
    let mut state: Vec<bool> = Vec::with_capacity(dag.nodes().len());
    for (id, node) in dag.nodes().iter().enumerate() {
        let known = match &node.op {
            Op::Const(_) => true,
            Op::Var(name) => fixed.get(&**name).is_some_and(|f| *f),
            Op::Add | Op::Sub | Op::Mul => node.args().iter().all(|&a| state[a as usize]),
            _ => false,
        };
        state.push(known && ranges[id].fits_i32());
    }
    state
}

impl Translator<'_> {
    /// The value of a node with its range.
    pub(super) fn operand(&self, node: u32) -> Operand {
        Operand { id: self.values[node as usize], range: self.plan.range(node) }
    }

    /// The value of a node as a condition.
    pub(super) fn truth(&mut self, node: u32) -> u32 {
        self.builder.truth(self.values[node as usize], self.plan.range(node))
    }
}
