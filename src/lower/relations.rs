//! Linear relations between nodes, such as `x - 5*q - r == 0` for `q = x//5` and `r = x%5`.

use super::plan::{How, Plan};
use crate::expr::{Dag, Op};
use rustc_hash::FxHashMap;

/// The equation `Σ coefficient * node + constant == 0`.
pub(super) struct Relation {
    pub(super) terms: Vec<(u32, i64)>,
    pub(super) constant: i64,
}

/// The relations between nodes that have values.
#[derive(Default)]
pub(super) struct Relations {
    all: Vec<Relation>,
    /// The relations that contain each node.
    of: FxHashMap<u32, Vec<usize>>,
}

/// The largest number of relations of one node that a sum tries, and the largest number of terms of a relation.
const MAX_RELATIONS: usize = 8;
const MAX_TERMS: usize = 4;

impl Relations {
    /// The relations that contain a node. A node has only a few relations.
    pub(super) fn of(&self, node: u32) -> impl Iterator<Item = &Relation> {
        self.of.get(&node).into_iter().flatten().map(|&i| &self.all[i])
    }

    pub(super) fn add(&mut self, terms: Vec<(u32, i64)>, constant: i64) {
        if terms.len() > MAX_TERMS {
            return;
        }
        for &(node, _) in &terms {
            let known = self.of.entry(node).or_default();
            if known.len() < MAX_RELATIONS {
                known.push(self.all.len());
            }
        }
        self.all.push(Relation { terms, constant });
    }

    /// The relations of remainders whose quotients are also computed: `x - n*(x//n) - x%n == 0`.
    pub(super) fn of_remainders(dag: &Dag, plan: &Plan) -> Relations {
        let mut relations = Relations::default();
        let is_there = |id: usize| matches!(plan.how[id], How::Exact32) || plan.is_given(id as u32);
        let mut quotients: FxHashMap<(u32, i64), u32> = FxHashMap::default();
        for (id, node) in dag.nodes().iter().enumerate() {
            let [x, d, _] = node.args;
            if node.op == Op::FloorDiv
                && is_there(id)
                && let Some(d) = plan.point(d)
            {
                quotients.insert((x, d), id as u32);
            }
        }
        for (id, node) in dag.nodes().iter().enumerate() {
            let [x, d, _] = node.args;
            if node.op == Op::FloorMod
                && is_there(id)
                && let Some(d) = plan.point(d)
                && let Some(&q) = quotients.get(&(x, d))
            {
                relations.add(vec![(x, 1), (q, d.wrapping_neg()), (id as u32, -1)], 0);
            }
        }
        relations
    }
}
