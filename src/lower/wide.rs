//! Finds the smallest sub-expressions that need 64 bits.

use super::graph::{Lowered, Value, Wide};
use crate::domain::Interval;
use crate::expr::Dag;

/// The nodes for which 64-bit values were made.
#[derive(Default)]
pub(super) struct WideParts {
    /// For each 64-bit value, its node, its position among the values, and its range.
    made: Vec<(u32, usize, Interval)>,
}

impl WideParts {
    /// Records the 64-bit values among `added`, the values made for a node. The first of them is at `first`.
    pub(super) fn note(&mut self, node: u32, first: usize, added: &[Value], range: impl Fn() -> Interval) {
        let wide = added.iter().enumerate().filter(|(_, v)| v.ty.is_wide());
        self.made.extend(wide.map(|(i, _)| (node, first + i, range())));
    }

    /// The smallest sub-expressions that need 64 bits. Each of them has a 64-bit value that a root needs, and no
    /// smaller part of it has such a value.
    pub(super) fn smallest(self, dag: &Dag, lowered: &Lowered) -> Vec<Wide> {
        if self.made.is_empty() {
            return Vec::new();
        }
        let uses = lowered.use_counts();
        let mut range: Vec<Option<Interval>> = vec![None; dag.nodes().len()];
        for &(node, _, r) in self.made.iter().filter(|m| uses[m.1] > 0) {
            let slot = &mut range[node as usize];
            *slot = Some(slot.map_or(r, |known| known.hull(r)));
        }
        // for each node, whether it or a node below it is wide
        let mut above = vec![false; dag.nodes().len()];
        let mut out = Vec::new();
        for (id, node) in dag.nodes().iter().enumerate() {
            let below = node.args().iter().any(|&a| above[a as usize]);
            above[id] = below || range[id].is_some();
            if let Some(range) = range[id].filter(|_| !below) {
                out.push(Wide { expr: dag.origin(id as u32).clone(), range });
            }
        }
        out
    }
}
