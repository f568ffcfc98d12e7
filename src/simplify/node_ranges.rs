//! The ranges of the nodes of expressions, by their normal forms.

use super::error::SimplifyError;
use super::problem::{Ground, budget_of};
use super::settings::Settings;
use crate::domain::{Domain, Interval, Scope, interval_of_op, intervals_of};
use crate::egraph::normal::budget::Budget;
use crate::expr::{Dag, DagNode, Expr, Op};
use egg::Id;
use rustc_hash::FxHashMap;

/// In expressions with more nodes, the e-graph is not asked for the ranges of the inner nodes of chains. Such a node of a sum of n terms
/// has up to n terms itself, so that all of them together have n*n.
const MAX_NODES_WITH_CHAINS: usize = 1000;

/// Nodes that enter an e-graph together, and nodes of an e-graph that is kept. The bound limits the memory of a call.
const MAX_NODES_AT_ONCE: usize = 1 << 13;

/// The ranges of nodes of expressions over one domain. Its e-graphs are kept between calls: the conditions of the domain enter them once,
/// and each part of an expression enters them once.
pub(crate) struct NodeRanges {
    settings: Settings,
    domain: Domain,
    /// By the variables in scope.
    places: Vec<(Scope, Place)>,
}

/// What is known where certain variables are in scope.
struct Place {
    domain: Domain,
    /// The e-graph of the domain, without what rules find; made when it is needed.
    graph: Option<Ground>,
    parts: Parts,
}

/// Parts of expressions that have been looked at, and their ranges.
#[derive(Default)]
struct Parts {
    ids: FxHashMap<DagNode, u32>,
    ranges: Vec<Interval>,
}

impl NodeRanges {
    /// Nothing is computed before the first question.
    pub(crate) fn new(settings: &Settings, domain: &Domain) -> NodeRanges {
        NodeRanges { settings: settings.clone(), domain: domain.clone(), places: Vec::new() }
    }

    /// The range of every node of `dag`, by the normal forms of the nodes and the ranges of their operands.
    ///
    /// # Errors
    /// Those of [`simplify`](crate::simplify::simplify).
    pub(crate) fn of(&mut self, dag: &Dag) -> Result<Vec<Interval>, SimplifyError> {
        let NodeRanges { settings, domain, places } = self;
        place_of(dag.exprs(), domain, places).ranges(dag, settings, &budget_of(settings))
    }

    /// Forgets the e-graphs, and keeps what is known of parts.
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

/// The place in `places` where `exprs` are computed.
fn place_of<'p>(exprs: &[Expr], domain: &Domain, places: &'p mut Vec<(Scope, Place)>) -> &'p mut Place {
    let scope = domain.scope_of(exprs);
    let at = places.iter().position(|(known, _)| *known == scope).unwrap_or(places.len());
    if at == places.len() {
        let domain = domain.in_scope(&scope).into_owned();
        places.push((scope, Place { domain, graph: None, parts: Parts::default() }));
    }
    let place = &mut places[at].1;
    if place.domain.is_defined() {
        // that a divisor is not 0 is known where the division is used, and says nothing of other expressions
        (place.graph, place.parts) = (None, Parts::default());
    }
    place
}

impl Place {
    /// The e-graph with `dag` in it, and the classes of the roots of `dag`.
    fn enter(&mut self, dag: &Dag, settings: &Settings, budget: &Budget) -> Result<(&Ground, Vec<Id>), SimplifyError> {
        let is_full = |graph: &Ground| graph.e.graph.nodes().len() > MAX_NODES_AT_ONCE || graph.e.is_exhausted();
        let graph = match self.graph.take().filter(|graph| !is_full(graph)) {
            Some(graph) => graph,
            None => Ground::new(settings, &self.domain)?,
        };
        // what enters before an error is known as well
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
                    // the normal form of a sum may be bounded less closely than the operands as they are written
                    found.map_or(by_operands, |own| own.meet(by_operands).unwrap_or(own))
                }
            });
        }
        self.parts.add(nodes, &places, &ranges);
        Ok(ranges)
    }
}

impl Parts {
    /// The number of each of `nodes`, none for those that are new.
    fn places(&self, nodes: &[DagNode]) -> Vec<Option<u32>> {
        let mut places: Vec<Option<u32>> = Vec::with_capacity(nodes.len());
        for node in nodes {
            places.push(self.renumbered(node, &places).and_then(|node| self.ids.get(&node).copied()));
        }
        places
    }

    /// `node` with the numbers that its operands have here.
    fn renumbered(&self, node: &DagNode, places: &[Option<u32>]) -> Option<DagNode> {
        let mut args = node.args;
        for a in &mut args[..node.op.arity()] {
            *a = places[*a as usize]?;
        }
        Some(DagNode { op: node.op.clone(), args })
    }

    /// Adds those of `nodes` that have no place.
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

/// Which nodes are used once, as an operand of the same kind of chain: sums in sums, conjunctions in conjunctions.
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
