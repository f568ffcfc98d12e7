//! What an e-graph knows of the range of every part of an expression.

use super::error::SimplifyError;
use super::simplifier::Simplifier;
use crate::domain::{Domain, Interval, interval_of_op, intervals_of};
use crate::expr::{Dag, Expr, Op};

/// In expressions with more nodes, the e-graph is not asked for the ranges of the inner nodes of chains. Such a node of a sum of n terms
/// has up to n terms itself, so that all of them together have n*n.
const MAX_NODES_WITH_CHAINS: usize = 1000;

/// Nodes whose ranges come from one e-graph. The bound limits the memory of a call.
const MAX_NODES_AT_ONCE: usize = 1 << 13;

impl Simplifier {
    /// The range of every node of `dag` at the points of `domain`, as far as what is assumed and declared says.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub(crate) fn ranges_under(&self, dag: &Dag, domain: &Domain) -> Result<Vec<Interval>, SimplifyError> {
        let domain = &*domain.seen_from(dag.exprs());
        let nodes = dag.nodes();
        let long = nodes.len() > MAX_NODES_WITH_CHAINS;
        let links = if long { links_of_chains(dag) } else { vec![false; nodes.len()] };
        let asked = (0..nodes.len()).filter(|&i| !links[i]);
        let parts: Vec<Expr> = asked.clone().map(|i| dag.origin(i as u32).clone()).collect();
        let mut known = Vec::with_capacity(parts.len());
        for some in parts.chunks(MAX_NODES_AT_ONCE) {
            let graph = match self.build(Dag::new(some), domain) {
                Err(SimplifyError::TooManyTerms) => {
                    let vars = domain.resolve()?;
                    let range_of = |name: &str| domain.position(name).map_or(Interval::ALL, |p| vars[p].interval);
                    return Ok(intervals_of(dag, range_of));
                }
                graph => graph?,
            };
            known.extend(graph.roots.iter().map(|&r| graph.e.facts(r).interval));
        }
        let mut known = known.into_iter();
        let mut ranges: Vec<Interval> = Vec::with_capacity(nodes.len());
        for (node, is_link) in nodes.iter().zip(links) {
            let operands: Vec<Interval> = node.args().iter().map(|&a| ranges[a as usize]).collect();
            let by_operands = interval_of_op(&node.op, &operands);
            let own = if is_link { None } else { known.next() };
            // the normal form of a sum may be bounded less closely than the operands as they are written
            ranges.push(own.map_or(by_operands, |own| own.meet(by_operands).unwrap_or(own)));
        }
        Ok(ranges)
    }
}

/// Which nodes are used once, as an operand of the same kind of chain: sums in sums, conjunctions in conjunctions.
fn links_of_chains(dag: &Dag) -> Vec<bool> {
    let nodes = dag.nodes();
    let mut uses = vec![0u32; nodes.len()];
    nodes.iter().flat_map(|n| n.args()).chain(dag.roots()).for_each(|&a| uses[a as usize] += 1);
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
        let ranges = Simplifier::default().ranges_under(&dag, &domain).expect("entered");
        let plain = intervals_of(&dag, |_| Interval::new(0, 99).expect("ordered"));
        assert_eq!(ranges.len(), plain.len());
        for (known, plain) in ranges.iter().zip(&plain) {
            assert_eq!(known.meet(*plain), Some(*known), "{known} {plain}");
        }
        assert!(links_of_chains(&dag).iter().filter(|l| **l).count() > MAX_NODES_WITH_CHAINS - 3);
    }
}
