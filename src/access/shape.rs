//! Separates the expressions of accesses into those that are computed unconditionally and those that are computed only
//! when a gate is open. The latter are divided into *regions*: neighbouring accesses with one gate.

use super::scopes::Scopes;
use super::{Access, Gate};
use crate::domain::Interval;
use crate::expr::{Dag, DagNode, Expr};
use rustc_hash::FxHashMap;

/// Neighbouring accesses of one group under one gate.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) gate: Expr,
    /// The group of the accesses (see `scopes.rs`).
    pub(super) group: usize,
    /// The positions of the accesses in the call.
    pub(super) accesses: std::ops::Range<usize>,
    /// The positions of the indices of these accesses among the roots of the shape.
    pub(super) roots: Vec<usize>,
}

/// The facts about the nodes of a [`Shape`].
#[derive(Clone, Debug)]
pub(super) struct Ranges {
    /// For each group, the facts about its unconditional nodes.
    pub(super) groups: Vec<Part>,
    /// For each region, the facts about its nodes under its gate.
    pub(super) regions: Vec<Part>,
}

/// The roots of a part of a shape, with the facts that hold where the part is computed.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) known: Known,
    /// For each node of the part, its number in the shape.
    place: Vec<u32>,
}

/// Expressions and the ranges of their nodes.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) dag: Dag,
    /// The range of each node, in the order of the nodes.
    pub(super) ranges: Vec<Interval>,
}

impl Part {
    /// The ranges of the nodes of this part, by their numbers in the shape.
    pub(super) fn by_number(&self) -> FxHashMap<u32, Interval> {
        self.place.iter().copied().zip(self.known.ranges.iter().copied()).collect()
    }

    fn are_roots(&self, accepts: &impl Fn(&Interval) -> bool) -> bool {
        self.known.dag.roots().iter().all(|&root| accepts(&self.known.ranges[root as usize]))
    }
}

/// The expressions of accesses, with the places at which they are computed.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) dag: Dag,
    /// The positions, among the roots, of gates and of indices without gate.
    pub(super) outer: Vec<usize>,
    /// For each group, the positions in `outer` of the expressions that its accesses need.
    pub(super) groups: Vec<Vec<usize>>,
    pub(super) regions: Vec<Region>,
    /// For each access, the position of its gate in `outer`.
    pub(super) gates: Vec<Option<usize>>,
    /// For each access, the position of its first index. The position is one in `outer`, or among the roots of its
    /// region.
    pub(super) lanes: Vec<usize>,
    roots: Vec<Expr>,
    /// For each group, the nodes that its roots in `outer` need.
    reached: Vec<Vec<bool>>,
    /// The number of each node.
    ids: FxHashMap<DagNode, u32>,
}

impl Shape {
    pub(super) fn new(accesses: &[Access], scopes: &Scopes) -> Shape {
        let (mut roots, mut outer, mut regions) = (Vec::new(), Vec::new(), Vec::<Region>::new());
        let (mut gates, mut lanes) = (Vec::new(), Vec::new());
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); scopes.len()];
        for (i, access) in accesses.iter().enumerate() {
            let group = scopes.of(i);
            match &access.gate {
                Gate::Never => {
                    gates.push(None);
                    lanes.push(0);
                }
                Gate::Always => {
                    gates.push(None);
                    lanes.push(outer.len());
                    groups[group].extend(outer.len()..outer.len() + access.lanes.len());
                    outer.extend(roots.len()..roots.len() + access.lanes.len());
                    roots.extend(access.lanes.iter().cloned());
                }
                Gate::When(gate) => {
                    let is_open = |r: &Region| r.accesses.end == i && r.group == group && r.gate == *gate;
                    let open = regions.last().is_some_and(is_open);
                    if open {
                        gates.push(gates[i - 1]);
                    } else {
                        gates.push(Some(outer.len()));
                        groups[group].push(outer.len());
                        outer.push(roots.len());
                        roots.push(gate.clone());
                        regions.push(Region { gate: gate.clone(), group, accesses: i..i, roots: Vec::new() });
                    }
                    // the list is not empty, because the lines above add a region if there is none
                    let Some(region) = regions.last_mut() else { continue };
                    region.accesses.end = i + 1;
                    lanes.push(region.roots.len());
                    region.roots.extend(roots.len()..roots.len() + access.lanes.len());
                    roots.extend(access.lanes.iter().cloned());
                }
            }
        }
        let dag = Dag::new(&roots);
        let of_group = |group: &Vec<usize>| reached(&dag, group.iter().map(|&at| dag.roots()[outer[at]]));
        let reached = groups.iter().map(of_group).collect();
        let ids = dag.nodes().iter().cloned().zip(0..).collect();
        Shape { dag, outer, groups, regions, gates, lanes, roots, reached, ids }
    }

    /// The region of access `i`. `None` when it has no gate to compute.
    pub(super) fn region_of(&self, i: usize) -> Option<usize> {
        let at = self.regions.partition_point(|r| r.accesses.end <= i);
        self.regions.get(at).is_some_and(|r| r.accesses.contains(&i)).then_some(at)
    }

    pub(super) fn exprs(&self, roots: &[usize]) -> Vec<Expr> {
        roots.iter().map(|&r| self.roots[r].clone()).collect()
    }

    /// Whether `accepts` is true for the range of each gate and each index.
    pub(super) fn all_roots(&self, facts: &Ranges, accepts: impl Fn(&Interval) -> bool) -> bool {
        facts.groups.iter().chain(&facts.regions).all(|part| part.are_roots(&accepts))
    }

    /// The range of each node, over all places at which it is computed. If a group computes the node unconditionally,
    /// only the range without gates counts for this group.
    pub(super) fn ranges(&self, facts: &Ranges) -> Vec<Interval> {
        let mut all: Vec<Option<Interval>> = vec![None; self.dag.nodes().len()];
        // for each node, the last group that computes it without a gate
        let mut outside = vec![usize::MAX; all.len()];
        for (group, outer) in facts.groups.iter().enumerate() {
            outer.place.iter().for_each(|&at| outside[at as usize] = group);
            let inside = self.regions.iter().zip(&facts.regions).filter(|(region, _)| region.group == group);
            for part in inside.map(|(_, part)| part).chain([outer]) {
                for (&at, &range) in part.place.iter().zip(&part.known.ranges) {
                    let hull = &mut all[at as usize];
                    // if the group computes the node unconditionally, that range counts, because it holds under each
                    // gate as well
                    if std::ptr::eq(part, outer) || outside[at as usize] != group {
                        *hull = Some(hull.map_or(range, |hull| hull.hull(range)));
                    }
                }
            }
        }
        all.into_iter().map(|range| range.unwrap_or(Interval::ALL)).collect()
    }

    fn is_outer(&self, id: usize) -> bool {
        self.reached.iter().any(|reached| reached[id])
    }

    /// The part of the shape for `known`, which was made from some of the roots.
    pub(super) fn part(&self, known: Known) -> Part {
        let mut place: Vec<u32> = Vec::with_capacity(known.dag.nodes().len());
        for node in known.dag.nodes() {
            let mut args = node.args;
            args[..node.op.arity()].iter_mut().for_each(|a| *a = place[*a as usize]);
            // every node of a root is a node of the shape
            place.push(self.ids.get(&DagNode { op: node.op.clone(), args }).copied().unwrap_or(0));
        }
        Part { known, place }
    }

    /// The largest operations that several regions need and that are computed nowhere else. Only operations that
    /// `varies` accepts are included.
    pub(super) fn hoisted(&self, varies: impl Fn(u32) -> bool) -> Vec<u32> {
        let nodes = self.dag.nodes();
        let mut regions = vec![0; nodes.len()];
        for region in &self.regions {
            let inside = reached(&self.dag, region.roots.iter().map(|&r| self.dag.roots()[r]));
            regions.iter_mut().zip(inside).for_each(|(n, inside)| *n += u32::from(inside));
        }
        let shared: Vec<bool> = (0..nodes.len())
            .map(|i| regions[i] > 1 && !self.is_outer(i) && nodes[i].op.arity() > 0 && varies(i as u32))
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
