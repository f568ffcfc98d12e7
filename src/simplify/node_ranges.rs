//! Bounds all nodes of an expression, by adding it to an e-graph in normal form. No rule runs.

use super::error::SimplifyError;
use super::problem::{Ground, budget_of};
use super::settings::Settings;
use crate::domain::{Domain, Interval, Scope, interval_of_op, intervals_of};
use crate::egraph::normal::budget::Budget;
use crate::expr::{Dag, DagNode, Expr, Op};
use egg::Id;
use rustc_hash::FxHashMap;

/// The maximum number of nodes of an expression for which the e-graph bounds the inner nodes of chains. An inner node
/// of a sum of n terms has up to n terms itself, so all inner nodes together have n*n terms.
const MAX_NODES_WITH_CHAINS: usize = 1000;

/// The maximum number of nodes that are added to an e-graph together, and the maximum number of nodes of an e-graph
/// that is kept. This bounds the memory of a call.
const MAX_NODES_AT_ONCE: usize = 1 << 13;

/// The ranges of nodes of expressions over one domain. The e-graphs are kept between calls. So the conditions of the
/// domain and each part of an expression are added to an e-graph only once.
pub(crate) struct NodeRanges {
    settings: Settings,
    domain: Domain,
    /// What is known, for each set of variables in scope.
    places: Vec<(Scope, Place)>,
}

/// The facts that hold if certain variables are in scope.
struct Place {
    domain: Domain,
    /// The e-graph of the domain, before any rule runs. Made when first needed.
    graph: Option<Ground>,
    parts: Parts,
}

/// Parts of expressions that were bounded before, and their ranges.
#[derive(Default)]
struct Parts {
    ids: FxHashMap<DagNode, u32>,
    ranges: Vec<Interval>,
}

impl NodeRanges {
    /// The ranges over `domain`. Nothing is computed before the first call.
    pub(crate) fn new(settings: &Settings, domain: &Domain) -> NodeRanges {
        NodeRanges { settings: settings.clone(), domain: domain.clone(), places: Vec::new() }
    }

    /// The range of every node of `dag`, by the normal forms of the nodes and the ranges of their operands.
    ///
    /// # Errors
    /// The errors of [`simplify`](crate::simplify::simplify).
    pub(crate) fn of(&mut self, dag: &Dag) -> Result<Vec<Interval>, SimplifyError> {
        let NodeRanges { settings, domain, places } = self;
        place_of(dag.exprs(), domain, places).ranges(dag, settings, &budget_of(settings))
    }

    /// Drops the e-graphs, but keeps the ranges of parts.
    pub(crate) fn forget_graphs(&mut self) {
        self.places.iter_mut().for_each(|(_, place)| place.graph = None);
    }

    /// The number of e-graphs that are kept.
    pub(crate) fn graphs(&self) -> usize {
        self.places.iter().filter(|(_, place)| place.graph.is_some()).count()
    }

    /// The number of parts whose ranges are kept.
    pub(crate) fn parts(&self) -> usize {
        self.places.iter().map(|(_, place)| place.parts.ranges.len()).sum()
    }
}

/// The place in `places` for the variables in scope of `exprs`.
fn place_of<'p>(exprs: &[Expr], domain: &Domain, places: &'p mut Vec<(Scope, Place)>) -> &'p mut Place {
    let scope = domain.scope_of(exprs);
    let at = places.iter().position(|(known, _)| *known == scope).unwrap_or(places.len());
    if at == places.len() {
        let domain = domain.in_scope(&scope).into_owned();
        places.push((scope, Place { domain, graph: None, parts: Parts::default() }));
    }
    let place = &mut places[at].1;
    if place.domain.is_defined() {
        // the e-graph now assumes that a divisor is not 0. This is true only where the division is evaluated, so other
        // expressions get a new e-graph
        (place.graph, place.parts) = (None, Parts::default());
    }
    place
}

impl Place {
    /// Adds `dag` to the e-graph. Returns the e-graph and the classes of the roots of `dag`.
    fn enter(&mut self, dag: &Dag, settings: &Settings, budget: &Budget) -> Result<(&Ground, Vec<Id>), SimplifyError> {
        let is_full = |graph: &Ground| graph.e.graph.nodes().len() > MAX_NODES_AT_ONCE || graph.e.is_exhausted();
        let graph = match self.graph.take().filter(|graph| !is_full(graph)) {
            Some(graph) => graph,
            None => Ground::new(settings, &self.domain)?,
        };
        // an error may occur after some parts were added, and their facts are kept
        let graph = self.graph.insert(graph);
        graph.e.budget = budget.clone();
        let roots = graph.enter(dag, &self.domain)?.roots;
        Ok((graph, roots))
    }

    /// The range of every node of `dag`.
    fn ranges(&mut self, dag: &Dag, settings: &Settings, budget: &Budget) -> Result<Vec<Interval>, SimplifyError> {
        let nodes = dag.nodes();
        let places = self.parts.places(nodes);
        let links = if nodes.len() > MAX_NODES_WITH_CHAINS { links_of_chains(dag) } else { vec![false; nodes.len()] };
        let asked: Vec<usize> = (0..nodes.len()).filter(|&i| places[i].is_none() && !links[i]).collect();
        let mut found: Vec<Option<Interval>> = vec![None; nodes.len()];
        for some in asked.chunks(MAX_NODES_AT_ONCE) {
            let parts: Vec<Expr> = some.iter().map(|&i| dag.origin(i as u32).clone()).collect();
            let (graph, ids) = match self.enter(&Dag::new(&parts), settings, budget) {
                Err(SimplifyError::TooManyTerms) => {
                    let vars = self.domain.resolve()?;
                    let range_of = |name: &str| self.domain.position(name).map_or(Interval::ALL, |p| vars[p].interval);
                    return Ok(intervals_of(dag, range_of));
                }
                entered => entered?,
            };
            some.iter().zip(ids).for_each(|(&i, id)| found[i] = Some(graph.e.facts(id).interval));
        }
        let mut ranges: Vec<Interval> = Vec::with_capacity(nodes.len());
        for ((node, found), place) in nodes.iter().zip(found).zip(&places) {
            ranges.push(match place {
                Some(place) => self.parts.ranges[*place as usize],
                None => {
                    let operands: Vec<Interval> = node.args().iter().map(|&a| ranges[a as usize]).collect();
                    let by_operands = interval_of_op(&node.op, &operands);
                    // the normal form of a sum may give a wider range than the operands as written
                    found.map_or(by_operands, |own| own.meet(by_operands).unwrap_or(own))
                }
            });
        }
        self.parts.add(nodes, &places, &ranges);
        Ok(ranges)
    }
}

impl Parts {
    /// For each of `nodes`, its number among the known parts. `None` for a new node.
    fn places(&self, nodes: &[DagNode]) -> Vec<Option<u32>> {
        let mut places: Vec<Option<u32>> = Vec::with_capacity(nodes.len());
        for node in nodes {
            places.push(self.renumbered(node, &places).and_then(|node| self.ids.get(&node).copied()));
        }
        places
    }

    /// `node` with its operands renumbered by `places`. `None` if an operand is new.
    fn renumbered(&self, node: &DagNode, places: &[Option<u32>]) -> Option<DagNode> {
        let mut args = node.args;
        for a in &mut args[..node.op.arity()] {
            *a = places[*a as usize]?;
        }
        Some(DagNode { op: node.op.clone(), args })
    }

    /// Adds the `nodes` that are new.
    fn add(&mut self, nodes: &[DagNode], places: &[Option<u32>], ranges: &[Interval]) {
        let mut places = places.to_vec();
        for (i, node) in nodes.iter().enumerate() {
            if places[i].is_some() {
                continue;
            }
            if let Some(node) = self.renumbered(node, &places) {
                let id = self.ranges.len() as u32;
                self.ids.insert(node, id);
                self.ranges.push(ranges[i]);
                places[i] = Some(id);
            }
        }
    }
}

/// Whether each node is used only once, as an operand of a node of its own kind: sums in sums, conjunctions in
/// conjunctions.
fn links_of_chains(dag: &Dag) -> Vec<bool> {
    let nodes = dag.nodes();
    let uses = dag.use_counts();
    let kind = |op: &Op| match op {
        Op::Add | Op::Sub | Op::Neg => 1,
        Op::Mul => 2,
        Op::And => 3,
        Op::Or => 4,
        _ => 0,
    };
    let mut links = vec![false; nodes.len()];
    for node in nodes {
        for &a in node.args().iter().filter(|&&a| uses[a as usize] == 1) {
            let own = kind(&node.op);
            links[a as usize] = own != 0 && kind(&nodes[a as usize].op) == own;
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{int, var};

    #[test]
    fn long_chains_are_bounded_by_their_operands() {
        let x = var("x");
        let long = (0..MAX_NODES_WITH_CHAINS as i64).fold(int(0), |sum, k| sum + &x / int(k + 2));
        let dag = Dag::with_origins(&[long]);
        let domain = Domain::new().with("x", 0..100);
        let ranges = NodeRanges::new(&Settings::default(), &domain).of(&dag).expect("entered");
        let plain = intervals_of(&dag, |_| Interval::new(0, 99).expect("ordered"));
        assert_eq!(ranges.len(), plain.len());
        for (known, plain) in ranges.iter().zip(&plain) {
            assert_eq!(known.meet(*plain), Some(*known), "{known} {plain}");
        }
        assert!(links_of_chains(&dag).iter().filter(|l| **l).count() > MAX_NODES_WITH_CHAINS - 3);
    }
}
