//! A flat view of expressions, in which every distinct node occurs once and operands come before their users.

use super::{Expr, Op};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// One node of a [`Dag`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DagNode {
    /// The operation of the node.
    pub op: Op,
    /// The positions of the operands, all smaller than the position of the node. Entries past [`Op::arity`] are 0.
    pub args: [u32; 3],
}

impl DagNode {
    /// The positions of the operands.
    #[inline]
    pub fn args(&self) -> &[u32] {
        &self.args[..self.op.arity()]
    }

    /// The value of a constant. `None` for another node.
    #[inline]
    pub fn as_const(&self) -> Option<i64> {
        if let Op::Const(c) = self.op { Some(c) } else { None }
    }

    /// The name of a variable. `None` for another node.
    #[inline]
    pub fn as_variable(&self) -> Option<&Arc<str>> {
        if let Op::Var(name) = &self.op { Some(name) } else { None }
    }
}

/// Expressions as one array of nodes. Equal sub-expressions are one node, and operands come before their users.
///
/// A `Dag` is built in time linear in the number of shared nodes. Evaluation, printing and simplification are based on
/// it.
#[derive(Clone, Debug, Default)]
pub struct Dag {
    nodes: Vec<DagNode>,
    roots: Vec<u32>,
    exprs: Vec<Expr>,
    /// For each node, one of the input expressions that became this node. The list is computed on first use, because
    /// few callers need it.
    origins: OnceLock<Vec<Expr>>,
}

impl Dag {
    /// The flat form of `roots`, which may share sub-expressions with one another.
    pub fn new(roots: &[Expr]) -> Dag {
        Dag::collected(roots, |_| ())
    }

    /// Builds the flat form as [`Dag::new`] does, and records the expression of every node. This suits callers that use
    /// [`origin`](Self::origin) often.
    pub fn with_origins(roots: &[Expr]) -> Dag {
        let mut origins = Vec::with_capacity(32);
        let dag = Dag::collected(roots, |e| origins.push(e.clone()));
        Dag { origins: OnceLock::from(origins), ..dag }
    }

    /// Calls `first` with the expression of each node, in the order of the nodes.
    fn collected<'a>(roots: &'a [Expr], mut first: impl FnMut(&'a Expr)) -> Dag {
        let exprs = roots.to_vec();
        let mut dag = Dag { nodes: Vec::with_capacity(32), roots: Vec::new(), exprs, origins: OnceLock::new() };
        // only a node with several owners can be visited twice, so only such nodes are recorded. Most nodes have one
        // owner
        let mut shared: FxHashMap<usize, u32> = FxHashMap::default();
        let mut ids: HashTable<u32> = HashTable::with_capacity(48);
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
                        e.args().iter().rev().for_each(|a| todo.push((a, false)));
                        continue;
                    }
                }
                let mut args = [0; 3];
                let operands = values.len() - e.args().len();
                // a node has at most three operands, for which a loop is faster than a call that copies
                for (i, value) in values[operands..].iter().enumerate() {
                    args[i] = *value;
                }
                values.truncate(operands);
                let nodes = &mut dag.nodes;
                let id = *ids
                    .entry(
                        hash(e.op(), &args),
                        |&i| nodes[i as usize].args == args && nodes[i as usize].op == *e.op(),
                        |&i| hash(&nodes[i as usize].op, &nodes[i as usize].args),
                    )
                    .or_insert_with(|| nodes.len() as u32)
                    .get();
                if id as usize == nodes.len() {
                    nodes.push(DagNode { op: e.op().clone(), args });
                    first(e);
                }
                // leaves are not recorded, because their operator finds them as fast as their address
                if many && !e.args().is_empty() {
                    if shared.is_empty() {
                        shared.reserve(28);
                    }
                    shared.insert(e.address(), id);
                }
                values.push(id);
            }
            dag.roots.extend(values.pop());
        }
        dag
    }

    /// All nodes. Operands come before their users.
    #[inline]
    pub fn nodes(&self) -> &[DagNode] {
        &self.nodes
    }

    /// The positions of the roots, in the order given to [`Dag::new`].
    #[inline]
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// The variables, each once, in the order of the nodes.
    pub fn variables(&self) -> impl Iterator<Item = &Arc<str>> {
        self.nodes.iter().filter_map(DagNode::as_variable)
    }

    /// The number of uses of each node as an operand or a root.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut uses = vec![0; self.nodes.len()];
        let operands = self.nodes.iter().flat_map(DagNode::args);
        operands.chain(&self.roots).for_each(|&id| uses[id as usize] += 1);
        uses
    }

    /// The expressions that the flat view was made from.
    pub fn exprs(&self) -> &[Expr] {
        &self.exprs
    }

    /// An expression that became node `id`, so that error messages can find its place in the text. `None` when there is
    /// no such node.
    ///
    /// The first call takes as long as [`Dag::new`].
    pub fn expr(&self, id: u32) -> Option<&Expr> {
        self.origins().get(id as usize)
    }

    /// The roots, rebuilt with the expressions that `form` returns for some nodes. `form` receives the position of a
    /// node and its new operands, in the order of the nodes. If it returns `None`, a node with unchanged operands
    /// remains the same expression. The time is linear in the number of nodes.
    ///
    /// ```
    /// use quaff_expr::expr::{Dag, Expr, Op};
    ///
    /// let e: Expr = "(x << 3) + y".parse()?;
    /// let dag = Dag::new(&[e]);
    /// let shifts = |id: u32, args: &[Expr]| (dag.nodes()[id as usize].op == Op::Shl).then(|| args[0].clone() * 8);
    /// assert_eq!(dag.rebuilt(shifts)[0].to_string(), "x*8 + y");
    /// # Ok::<(), quaff_expr::expr::ParseError>(())
    /// ```
    pub fn rebuilt(&self, mut form: impl FnMut(u32, &[Expr]) -> Option<Expr>) -> Vec<Expr> {
        let mut new: Vec<Expr> = Vec::with_capacity(self.nodes.len());
        let mut is_changed: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for (id, node) in (0..).zip(&self.nodes) {
            let args: Vec<Expr> = node.args().iter().map(|&a| new[a as usize].clone()).collect();
            let other = form(id, &args);
            is_changed.push(other.is_some() || node.args().iter().any(|&a| is_changed[a as usize]));
            let same = || self.origin(id).clone();
            new.push(match other {
                Some(other) => other,
                None if !is_changed[id as usize] => same(),
                // the operator comes from a node, so the number of operands is right
                None => Expr::try_new(node.op.clone(), args).unwrap_or_else(|_| same()),
            });
        }
        self.roots.iter().map(|&root| new[root as usize].clone()).collect()
    }

    /// The result of [`expr`](Self::expr) for a node that exists.
    #[doc(hidden)]
    pub fn origin(&self, id: u32) -> &Expr {
        &self.origins()[id as usize]
    }

    fn origins(&self) -> &[Expr] {
        self.origins.get_or_init(|| Dag::with_origins(&self.exprs).origins.into_inner().unwrap_or_default())
    }
}

impl Expr {
    /// The variables, each once, in the order of [`Dag::variables`]. Takes as long as [`Dag::new`].
    pub fn variables(&self) -> Vec<Arc<str>> {
        Dag::new(std::slice::from_ref(self)).variables().cloned().collect()
    }
}

/// The hash of a node. Whole words hash faster than an array.
fn hash(op: &Op, args: &[u32; 3]) -> u64 {
    let mut hasher = FxHasher::default();
    op.hash(&mut hasher);
    hasher.write_u64(u64::from(args[0]) << 32 | u64::from(args[1]));
    hasher.write_u32(args[2]);
    hasher.finish()
}
