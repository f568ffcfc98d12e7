//! What a call answers.

use super::{Access, Gate, text};
use crate::domain::{Interval, VarFacts};
use crate::egraph::StopReason;
use crate::emit::{Dialect, Text};
use crate::expr::{Dag, DagNode, Expr};
use crate::lower::{LowerError, Lowered, Part, Wide, lower_parts};
use rustc_hash::FxHashMap;

/// Simplified accesses; see [`Simplifier::simplify_accesses`](crate::Simplifier::simplify_accesses).
#[derive(Clone, Debug)]
pub struct SimplifiedAccesses {
    pub(super) accesses: Vec<Access>,
    pub(super) vars: Vec<VarFacts>,
    pub(super) shape: Shape,
    /// The ranges of all nodes: unconditionally, and in each region.
    pub(super) facts: Vec<Vec<Interval>>,
    pub(super) cost: u64,
    pub(super) input_cost: u64,
    pub(super) stop: StopReason,
}

impl SimplifiedAccesses {
    /// The accesses, in the order of the call.
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// What gates and indices cost together under the cost model, in instructions.
    pub fn cost(&self) -> f64 {
        self.cost as f64 / 10.0
    }

    /// What they cost as written.
    pub fn input_cost(&self) -> f64 {
        self.input_cost as f64 / 10.0
    }

    /// What ended the first search, of gates and indices, that a limit ended.
    pub fn stop(&self) -> StopReason {
        self.stop
    }

    /// What was known of the variables.
    pub fn vars(&self) -> &[VarFacts] {
        &self.vars
    }

    /// The sub-expressions that need 64 bits.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn wide(&self) -> Result<Vec<Wide>, LowerError> {
        Ok(self.lowered()?.0.wide().to_vec())
    }

    /// CUDA text: what is computed unconditionally, then the accesses in order, each index inside of its gate's `if`
    /// or conditional expression. The statements are lines; there are no results.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn cuda(&self) -> Result<Text, LowerError> {
        self.text(Dialect::Cuda)
    }

    /// C99 text, otherwise like [`cuda`](Self::cuda).
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn c(&self) -> Result<Text, LowerError> {
        self.text(Dialect::C)
    }

    fn text(&self, dialect: Dialect) -> Result<Text, LowerError> {
        let (lowered, roots) = self.lowered()?;
        Ok(text::text(self, &lowered, &roots, dialect))
    }

    /// All parts together; the roots of each, of the outer one without those that are only shared.
    fn lowered(&self) -> Result<(Lowered, Vec<Vec<u32>>), LowerError> {
        let dag = &self.shape.dag;
        let roots = |ids: &[usize]| ids.iter().map(|&r| dag.roots()[r]).collect::<Vec<u32>>();
        let facts: Vec<_> = self.facts.iter().map(|known| move |id: u32| known[id as usize]).collect();
        let inner: Vec<Vec<u32>> = self.shape.regions.iter().map(|r| roots(&r.roots)).collect();
        let outer = roots(&self.shape.outer);
        let all = |hoisted: Vec<u32>| -> Result<(Lowered, Vec<Vec<u32>>), LowerError> {
            let outer = [&outer[..], &hoisted].concat();
            let parts: Vec<&[u32]> = std::iter::once(&outer[..]).chain(inner.iter().map(|r| &r[..])).collect();
            let parts: Vec<Part<'_>> =
                parts.into_iter().zip(&facts).map(|(roots, facts)| Part { roots, facts }).collect();
            lower_parts(dag, &self.vars, &parts)
        };
        let hoisted = self.shape.hoisted(|id| self.facts[1..].iter().all(|f| f[id as usize].as_point().is_none()));
        if hoisted.is_empty() {
            return all(hoisted);
        }
        // what two regions share may be too wide, or undefined, where their gates are closed
        match (all(hoisted), all(Vec::new())) {
            (Ok(shared), Ok(alone)) if shared.0.wide().len() > alone.0.wide().len() => Ok(alone),
            (Ok((lowered, mut roots)), _) => {
                roots[0].truncate(outer.len());
                Ok((lowered, roots))
            }
            (Err(_), alone) => alone,
        }
    }
}

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
    /// For each access, the position of its first index in `outer` or in its region.
    pub(super) lanes: Vec<usize>,
    roots: Vec<Expr>,
    /// Nodes that the roots in `outer` need.
    reached: Vec<bool>,
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
                    // there is one by now
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
        Shape { dag, outer, regions, gates, lanes, roots, reached }
    }

    pub(super) fn exprs(&self, roots: &[usize]) -> Vec<Expr> {
        roots.iter().map(|&r| self.roots[r].clone()).collect()
    }

    /// Whether a node is computed unconditionally.
    pub(super) fn is_outer(&self, id: u32) -> bool {
        self.reached[id as usize]
    }

    /// What is known of the nodes of `part`, a dag of some of the roots, at the places of these nodes in the whole.
    pub(super) fn placed(&self, part: &Dag, known: &[Interval]) -> Vec<Interval> {
        let ids: FxHashMap<&DagNode, u32> = self.dag.nodes().iter().zip(0..).collect();
        let mut out = vec![Interval::ALL; self.dag.nodes().len()];
        let mut place: Vec<u32> = Vec::with_capacity(part.nodes().len());
        for (node, &range) in part.nodes().iter().zip(known) {
            let mut args = node.args;
            args[..node.op.arity()].iter_mut().for_each(|a| *a = place[*a as usize]);
            // every part of a root is in the whole
            let id = ids.get(&DagNode { op: node.op.clone(), args }).copied().unwrap_or(0);
            out[id as usize] = range;
            place.push(id);
        }
        out
    }

    /// The largest operations that several regions need and nothing else computes, as far as `varies` accepts them.
    fn hoisted(&self, varies: impl Fn(u32) -> bool) -> Vec<u32> {
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
