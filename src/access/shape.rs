//! Which expressions of some accesses are computed unconditionally, and which where a gate is open.

use super::{Access, Gate};
use crate::domain::Interval;
use crate::domain::decided::without_decided;
use crate::expr::{Dag, DagNode, Expr};
use rustc_hash::FxHashMap;

/// Neighbouring accesses under one gate.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) gate: Expr,
    /// Positions of the accesses.
    pub(super) accesses: std::ops::Range<usize>,
    /// Positions of their indices among the roots.
    pub(super) roots: Vec<usize>,
}

/// Which expressions are computed where.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) dag: Dag,
    /// Positions, among the roots, of gates and of indices without gate.
    pub(super) outer: Vec<usize>,
    pub(super) regions: Vec<Region>,
    /// For each access, the position of its gate in `outer`.
    pub(super) gates: Vec<Option<usize>>,
    /// For each access, the position of its first index in `outer`, or among the roots of its region.
    pub(super) lanes: Vec<usize>,
    roots: Vec<Expr>,
    /// Nodes that the roots in `outer` need.
    reached: Vec<bool>,
    /// The nodes by what they are.
    ids: FxHashMap<DagNode, u32>,
}

impl Shape {
    pub(super) fn new(accesses: &[Access]) -> Shape {
        let (mut roots, mut outer, mut regions) = (Vec::new(), Vec::new(), Vec::<Region>::new());
        let (mut gates, mut lanes) = (Vec::new(), Vec::new());
        for (i, access) in accesses.iter().enumerate() {
            match &access.gate {
                Gate::Never => {
                    gates.push(None);
                    lanes.push(0);
                }
                Gate::Always => {
                    gates.push(None);
                    lanes.push(outer.len());
                    outer.extend(roots.len()..roots.len() + access.lanes.len());
                    roots.extend(access.lanes.iter().cloned());
                }
                Gate::When(gate) => {
                    let open = regions.last().is_some_and(|r| r.accesses.end == i && r.gate == *gate);
                    if open {
                        gates.push(gates[i - 1]);
                    } else {
                        gates.push(Some(outer.len()));
                        outer.push(roots.len());
                        roots.push(gate.clone());
                        regions.push(Region { gate: gate.clone(), accesses: i..i, roots: Vec::new() });
                    }
                    // the list is not empty: the lines above have made a region where there was none
                    let Some(region) = regions.last_mut() else { continue };
                    region.accesses.end = i + 1;
                    lanes.push(region.roots.len());
                    region.roots.extend(roots.len()..roots.len() + access.lanes.len());
                    roots.extend(access.lanes.iter().cloned());
                }
            }
        }
        let dag = Dag::new(&roots);
        let reached = reached(&dag, outer.iter().map(|&r| dag.roots()[r]));
        let ids = dag.nodes().iter().cloned().zip(0..).collect();
        Shape { dag, outer, regions, gates, lanes, roots, reached, ids }
    }

    /// `accesses`, those that this is the shape of, without operations that `facts`, what is known of the nodes of each part, decide.
    pub(super) fn decided(&self, accesses: &[Access], facts: &[Vec<Interval>]) -> Vec<Access> {
        let mut out = accesses.to_vec();
        let outer = without_decided(&self.dag, &facts[0], &self.outer);
        for (i, access) in out.iter_mut().enumerate().filter(|(_, a)| a.gate != Gate::Never) {
            match self.gates[i] {
                Some(gate) => access.gate = outer[gate].clone().into(),
                None => {
                    access.lanes.iter_mut().zip(&outer[self.lanes[i]..]).for_each(|(lane, new)| *lane = new.clone())
                }
            }
        }
        for (region, known) in self.regions.iter().zip(&facts[1..]) {
            let roots = without_decided(&self.dag, known, &region.roots);
            for i in region.accesses.clone() {
                out[i].lanes.iter_mut().zip(&roots[self.lanes[i]..]).for_each(|(lane, new)| *lane = new.clone());
            }
        }
        out
    }

    pub(super) fn exprs(&self, roots: &[usize]) -> Vec<Expr> {
        roots.iter().map(|&r| self.roots[r].clone()).collect()
    }

    /// The nodes of all roots of a part: the unconditional one, or a region from 1 on.
    pub(super) fn indices(&self, part: usize) -> Vec<u32> {
        let roots = if part == 0 { &self.outer } else { &self.regions[part - 1].roots };
        roots.iter().map(|&r| self.dag.roots()[r]).collect()
    }

    /// Whether a node is computed unconditionally.
    pub(super) fn is_outer(&self, id: u32) -> bool {
        self.reached[id as usize]
    }

    /// What is known of the nodes of `part`, a dag of some of the roots, at the places of these nodes in the whole.
    pub(super) fn placed(&self, part: &Dag, known: &[Interval]) -> Vec<Interval> {
        let mut out = vec![Interval::ALL; self.dag.nodes().len()];
        let mut place: Vec<u32> = Vec::with_capacity(part.nodes().len());
        for (node, &range) in part.nodes().iter().zip(known) {
            let mut args = node.args;
            args[..node.op.arity()].iter_mut().for_each(|a| *a = place[*a as usize]);
            // every part of a root is in the whole
            let id = self.ids.get(&DagNode { op: node.op.clone(), args }).copied().unwrap_or(0);
            out[id as usize] = range;
            place.push(id);
        }
        out
    }

    /// The largest operations that several regions need and nothing else computes, as far as `varies` accepts them.
    pub(super) fn hoisted(&self, varies: impl Fn(u32) -> bool) -> Vec<u32> {
        let nodes = self.dag.nodes();
        let mut regions = vec![0; nodes.len()];
        for region in &self.regions {
            let inside = reached(&self.dag, region.roots.iter().map(|&r| self.dag.roots()[r]));
            regions.iter_mut().zip(inside).for_each(|(n, inside)| *n += u32::from(inside));
        }
        let shared: Vec<bool> = (0..nodes.len())
            .map(|i| regions[i] > 1 && !self.reached[i] && nodes[i].op.arity() > 0 && varies(i as u32))
            .collect();
        let mut top = vec![false; nodes.len()];
        self.dag.roots().iter().for_each(|&r| top[r as usize] = true);
        for (i, node) in nodes.iter().enumerate() {
            if !shared[i] && regions[i] > 0 {
                node.args().iter().for_each(|&a| top[a as usize] = true);
            }
        }
        (0..nodes.len()).filter(|&i| shared[i] && top[i]).map(|i| i as u32).collect()
    }
}

/// The nodes that `roots` need.
fn reached(dag: &Dag, roots: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut reached = vec![false; dag.nodes().len()];
    roots.for_each(|r| reached[r as usize] = true);
    for (i, node) in dag.nodes().iter().enumerate().rev() {
        if reached[i] {
            node.args().iter().for_each(|&a| reached[a as usize] = true);
        }
    }
    reached
}
