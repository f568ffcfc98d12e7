//! A flat view of expressions: every distinct node once, operands before users.

use super::{Expr, Op};
use rustc_hash::FxHashMap;

/// One node of a [`Dag`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DagNode {
    /// What it computes.
    pub op: Op,
    /// Positions of the operands, all smaller than the node's own; entries past [`Op::arity`] are 0.
    pub args: [u32; 3],
}

impl DagNode {
    /// The operands' positions.
    pub fn args(&self) -> &[u32] {
        &self.args[..self.op.arity()]
    }
}

/// Expressions as one array in which equal sub-expressions are one node and operands stand before their users.
///
/// Built in time linear in the number of shared nodes; the base of evaluation, printing and simplification.
#[derive(Clone, Debug, Default)]
pub struct Dag {
    nodes: Vec<DagNode>,
    /// For each node, one expression it came from.
    origins: Vec<Expr>,
    roots: Vec<u32>,
}

impl Dag {
    /// The flat form of `roots`, which may share sub-expressions with one another.
    pub fn new(roots: &[Expr]) -> Dag {
        let mut dag = Dag::default();
        let mut seen: FxHashMap<usize, u32> = FxHashMap::default();
        let mut ids: FxHashMap<DagNode, u32> = FxHashMap::default();
        let mut stack: Vec<(&Expr, bool)> = Vec::new();
        for root in roots {
            stack.push((root, false));
            while let Some((e, operands_done)) = stack.pop() {
                if seen.contains_key(&e.address()) {
                    continue;
                }
                if !operands_done && !e.args().is_empty() {
                    stack.push((e, true));
                    stack.extend(e.args().iter().rev().map(|a| (a, false)));
                    continue;
                }
                let mut args = [0; 3];
                for (slot, a) in args.iter_mut().zip(e.args()) {
                    *slot = seen[&a.address()];
                }
                let node = DagNode { op: e.op().clone(), args };
                let id = *ids.entry(node.clone()).or_insert_with(|| {
                    dag.nodes.push(node);
                    dag.origins.push(e.clone());
                    (dag.nodes.len() - 1) as u32
                });
                seen.insert(e.address(), id);
            }
            dag.roots.push(seen[&root.address()]);
        }
        dag
    }

    /// All nodes, operands first.
    pub fn nodes(&self) -> &[DagNode] {
        &self.nodes
    }

    /// Positions of the roots, in the order given to [`Dag::new`].
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// An expression that node `id` came from (for places in error messages).
    pub fn origin(&self, id: u32) -> &Expr {
        &self.origins[id as usize]
    }
}
