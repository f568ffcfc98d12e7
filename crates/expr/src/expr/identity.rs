//! Structural equality, hashing and size of expressions, in time linear in the shared nodes.

use super::{Dag, Expr, Op};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::{SmallVec, smallvec};
use std::hash::{Hash, Hasher};

/// The number of nodes, or of pairs of nodes, that a traversal visits before it starts a table of visited nodes. Most
/// trees are smaller, and for small trees the table would take longer than the traversal.
const EAGER_NODES: usize = 256;

impl PartialEq for Expr {
    /// Whether both expressions are the same tree. The time is linear in the shared nodes of both, even if the trees
    /// are exponentially larger.
    fn eq(&self, other: &Expr) -> bool {
        let mut stack = vec![(self, other)];
        for _ in 0..EAGER_NODES {
            let Some((a, b)) = stack.pop() else { return true };
            if a.address() == b.address() {
                continue;
            }
            if a.op() != b.op() {
                return false;
            }
            stack.extend(a.args().iter().zip(b.args()));
        }
        let dag = Dag::new(&[self.clone(), other.clone()]);
        dag.roots()[0] == dag.roots()[1]
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    /// A hash that agrees with `==`, and is the same in every run. The time is linear in the shared nodes.
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.bottom_up(|op, args: &[u64]| {
            let mut h = FxHasher::default();
            op.hash(&mut h);
            args.hash(&mut h);
            h.finish()
        }));
    }
}

impl Expr {
    /// The number of nodes of the tree. A shared node counts once for each path to it. The result is at most
    /// `u64::MAX`.
    ///
    /// The time is linear in the shared nodes.
    pub fn tree_size(&self) -> u64 {
        let mut stack: SmallVec<[&Expr; 16]> = smallvec![self];
        for size in 0..EAGER_NODES as u64 {
            let Some(e) = stack.pop() else { return size };
            stack.extend(e.args());
        }
        self.bottom_up(|_, args: &[u64]| args.iter().fold(1, |n: u64, a| n.saturating_add(*a)))
    }

    /// The value of the root. `node` computes the value of a node from the values of its operands. Every shared node is
    /// visited once.
    fn bottom_up(&self, node: impl Fn(&Op, &[u64]) -> u64) -> u64 {
        if self.args().is_empty() {
            return node(self.op(), &[]);
        }
        let mut done: FxHashMap<usize, u64> = FxHashMap::default();
        let mut stack = vec![(self, false)];
        while let Some((e, operands_done)) = stack.pop() {
            if done.contains_key(&e.address()) {
                continue;
            }
            if !operands_done && !e.args().is_empty() {
                stack.push((e, true));
                stack.extend(e.args().iter().map(|a| (a, false)));
                continue;
            }
            let mut values = [0; 3];
            for (slot, a) in values.iter_mut().zip(e.args()) {
                *slot = done[&a.address()];
            }
            done.insert(e.address(), node(e.op(), &values[..e.args().len()]));
        }
        done[&self.address()]
    }
}

#[cfg(test)]
mod tests {
    use crate::expr::{Expr, int, var};
    use std::collections::HashSet;

    fn doubled(levels: usize) -> Expr {
        (0..levels).fold(var("x"), |e, _| &e + &e)
    }

    #[test]
    fn equality_is_structural_and_ignores_sharing() {
        assert_eq!(var("x") + 1, var("x") + 1);
        assert_ne!(var("x") + 1, var("x") - 1);
        assert_ne!(var("x") + 1, int(1) + var("x"));
        assert_ne!(doubled(200), doubled(199));
        assert_eq!(doubled(200), doubled(200));
        let set: HashSet<Expr> = [doubled(100), doubled(100), var("x") + 1, var("x") + 1].into();
        assert_eq!(set.len(), 2);
    }

    #[test]
    fn tree_size_counts_shared_nodes_each_time_and_saturates() {
        assert_eq!(int(3).tree_size(), 1);
        // tree sizes below and above the number of nodes that are counted one by one
        assert_eq!([7, 8, 10].map(|levels| doubled(levels).tree_size()), [255, 511, 2047]);
        assert_eq!(doubled(100).tree_size(), u64::MAX);
    }
}
