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

/// What makes two nodes equal: operator, constant or name, operands.
///
/// In whole words, which hash faster than an array.
type Key = (std::mem::Discriminant<Op>, u64, u64, u32);

impl Dag {
    /// The flat form of `roots`, which may share sub-expressions with one another.
    pub fn new(roots: &[Expr]) -> Dag {
        let mut dag = Dag { nodes: Vec::with_capacity(32), origins: Vec::with_capacity(32), roots: Vec::new() };
        // only nodes with several owners can be met twice; most have one
        let mut shared: FxHashMap<usize, u32> = FxHashMap::with_capacity_and_hasher(14, Default::default());
        let mut ids: FxHashMap<Key, u32> = FxHashMap::with_capacity_and_hasher(64, Default::default());
        let mut names: FxHashMap<&str, u64> = FxHashMap::with_capacity_and_hasher(14, Default::default());
        let mut todo: Vec<(&Expr, bool)> = Vec::with_capacity(32);
        let mut values: Vec<u32> = Vec::with_capacity(32);
        for root in roots {
            todo.push((root, false));
            while let Some((e, operands_done)) = todo.pop() {
                let many = e.has_several_owners();
                if !operands_done {
                    if let Some(&id) = many.then(|| shared.get(&e.address())).flatten() {
                        values.push(id);
                        continue;
                    }
                    if !e.args().is_empty() {
                        todo.push((e, true));
                        todo.extend(e.args().iter().rev().map(|a| (a, false)));
                        continue;
                    }
                }
                let mut args = [0; 3];
                let operands = values.len() - e.args().len();
                args[..e.args().len()].copy_from_slice(&values[operands..]);
                values.truncate(operands);
                let payload = match e.op() {
                    Op::Const(c) => *c as u64,
                    Op::Var(name) => {
                        let next = names.len() as u64;
                        *names.entry(name).or_insert(next)
                    }
                    _ => 0,
                };
                let pair = u64::from(args[0]) << 32 | u64::from(args[1]);
                let key = (std::mem::discriminant(e.op()), payload, pair, args[2]);
                let id = *ids.entry(key).or_insert_with(|| {
                    dag.nodes.push(DagNode { op: e.op().clone(), args });
                    dag.origins.push(e.clone());
                    (dag.nodes.len() - 1) as u32
                });
                if many {
                    shared.insert(e.address(), id);
                }
                values.push(id);
            }
            dag.roots.extend(values.pop());
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
