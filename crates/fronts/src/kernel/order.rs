//! Sorts the terms of each sum by the places where their values become known, so that the loop-invariant terms form one
//! partial sum.

use quaff::domain::Interval;
use quaff::expr::sum::{Addends, written};
use quaff::expr::{Dag, DagNode, Expr, Op};
use rustc_hash::FxHashMap;

/// Expressions, and the ranges of their subexpressions, keyed by the addresses of the nodes.
pub(super) struct Ordered {
    pub(super) exprs: Vec<Expr>,
    pub(super) ranges: FxHashMap<usize, Interval>,
}

/// The same expressions, with the terms of every sum sorted by `rank`. The rank of a variable grows with the depth of
/// the loops in which it gets its value.
pub(super) fn by_rank(
    exprs: &[Expr],
    rank: impl Fn(&str) -> u64,
    range: impl Fn(&Expr) -> Option<Interval>,
) -> Ordered {
    let dag = Dag::new(exprs);
    let nodes = dag.nodes();
    let mut ranks: Vec<u64> = vec![];
    for node in nodes {
        let own = match &node.op {
            Op::Var(name) => rank(name),
            _ => node.args().iter().map(|&a| ranks[a as usize]).max().unwrap_or(0),
        };
        ranks.push(own);
    }
    let view = View { nodes, uses: dag.use_counts(), ranks };
    let mut made: Vec<Expr> = vec![];
    let mut ranges = FxHashMap::default();
    for id in 0..nodes.len() as u32 {
        let node = &nodes[id as usize];
        let args = || node.args().iter().map(|&a| made[a as usize].clone()).collect::<Vec<_>>();
        let expr = match node.op {
            Op::Add | Op::Sub | Op::Neg => sum(&view.terms(id), &made),
            // `(x + i) * c` where only `i` changes in a loop: the invariant part `x * c` can be computed outside of the
            // loop
            Op::Mul if view.constant(node.args[0]).is_some() != view.constant(node.args[1]).is_some() => {
                let terms = view.terms(id);
                if terms.len() > 1 { sum(&terms, &made) } else { Expr::new(Op::Mul, args()) }
            }
            _ => Expr::new(node.op.clone(), args()),
        };
        if let Some(known) = range(dag.origin(id)) {
            ranges.insert(expr.address(), known);
        }
        made.push(expr);
    }
    Ordered { exprs: dag.roots().iter().map(|&r| made[r as usize].clone()).collect(), ranges }
}

/// The term `coefficient * node`.
struct Summand {
    /// Whether the node is a constant. Constants come last, because they fold into the address of an access.
    constant: bool,
    rank: u64,
    coefficient: i64,
    node: u32,
}

struct View<'d> {
    nodes: &'d [DagNode],
    uses: Vec<u32>,
    ranks: Vec<u64>,
}

impl View<'_> {
    fn constant(&self, id: u32) -> Option<i64> {
        self.nodes[id as usize].as_const()
    }

    /// A node as a flat sum whose terms are in the order in which they become known. Nested sums are flattened if only
    /// this node uses them.
    fn terms(&self, id: u32) -> Vec<Summand> {
        let mut terms = vec![];
        let mut stack = vec![(id, 1i64)];
        while let Some((at, factor)) = stack.pop() {
            let n = &self.nodes[at as usize];
            let [a, b, _] = n.args;
            // a product with a sum is multiplied out only if the terms of the sum become known at different places
            let own = at == id || self.uses[at as usize] == 1;
            let is_whole = matches!(n.op, Op::Add | Op::Sub)
                && factor.unsigned_abs() != 1
                && self.ranks[a as usize] == self.ranks[b as usize];
            let addends = n.addends(|x| self.constant(x)).filter(|_| own && !is_whole);
            let scaled = |addends: Addends| addends.rev().map(|(x, c)| Some((x, factor.checked_mul(c)?))).collect();
            match addends.and_then(scaled) {
                Some::<Vec<_>>(scaled) => stack.extend(scaled),
                None => {
                    let (constant, rank) = (self.constant(at).is_some(), self.ranks[at as usize]);
                    terms.push(Summand { constant, rank, coefficient: factor, node: at });
                }
            }
        }
        terms.sort_by_key(|t| (t.constant, t.rank, t.coefficient < 0));
        terms
    }
}

fn sum(terms: &[Summand], made: &[Expr]) -> Expr {
    written(terms.iter().map(|term| (made[term.node as usize].clone(), term.coefficient)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_terms_come_first() {
        let ranks = |name: &str| if name == "i" { 2 } else { u64::from(name == "j") };
        for (given, wanted) in [
            ("i*4 + t - (j + 3) + (i + b)//7", "t - j + i*4 + (b + i)//7 - 3"),
            ("(t + i*3)*16 + b", "t*16 + b + i*48"),
            ("(t + b)*16 + i", "(t + b)*16 + i"),
        ] {
            let e: Expr = given.parse().unwrap();
            assert_eq!(by_rank(&[e], ranks, |_| None).exprs[0].to_string(), wanted);
        }
    }
}
