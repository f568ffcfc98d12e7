//! Parts that ranges decide, in expressions as they were written.
//!
//! What goes in are expressions and the ranges of their parts; what comes out are expressions without operations that have one value or
//! the value of an operand.

use super::interval::Interval;
use crate::expr::{Dag, DagNode, Expr, Junction, Op, int};

/// Clauses of a chain that the next one is compared with: a bound on the time for chains of very many.
const MAX_CLAUSES: usize = 64;

/// The roots of `dag` at the positions `roots` without the operations that `ranges`, those of all nodes, decide.
pub(crate) fn without_decided(dag: &Dag, ranges: &[Interval], roots: &[usize]) -> Vec<Expr> {
    let new = nodes_without_decided(dag, ranges, roots);
    let expr_of = |r: &usize| new[dag.roots()[*r] as usize].clone();
    roots.iter().map(|r| expr_of(r).unwrap_or_else(|| dag.exprs()[*r].clone())).collect()
}

/// The nodes of `dag` that its roots at the positions `roots` need, in which an operation that has one value is that value, and one that has
/// the value of an operand is that operand, as far as `ranges`, those of all nodes, say. Linear in the size of the DAG.
pub(crate) fn nodes_without_decided(dag: &Dag, ranges: &[Interval], roots: &[usize]) -> Vec<Option<Expr>> {
    let mut new: Vec<Option<Expr>> = vec![None; dag.nodes().len()];
    let mut needed = vec![false; dag.nodes().len()];
    roots.iter().for_each(|&r| needed[dag.roots()[r] as usize] = true);
    for (i, node) in dag.nodes().iter().enumerate().rev().filter(|(i, _)| ranges[*i].as_point().is_none()) {
        if needed[i] {
            node.args().iter().for_each(|&a| needed[a as usize] = true);
        }
    }
    for (i, node) in dag.nodes().iter().enumerate().filter(|(i, _)| needed[*i]) {
        new[i] = Some(match ranges[i].as_point() {
            Some(value) => int(value),
            None => operation(dag.origin(i as u32), node, ranges, &new),
        });
    }
    new
}

/// Whether `ranges`, those of all nodes of `dag`, decide an operation in it. Linear in the nodes.
pub(crate) fn decides_operations(dag: &Dag, ranges: &[Interval]) -> bool {
    let is_decided = |(node, range): (&DagNode, &Interval)| {
        !node.args().is_empty() && (range.as_point().is_some() || same_operand(node, ranges).is_some())
    };
    dag.nodes().iter().zip(ranges).any(is_decided)
}

/// What `node`, which is `old`, becomes on the `new` operands.
fn operation(old: &Expr, node: &DagNode, ranges: &[Interval], new: &[Option<Expr>]) -> Expr {
    // all operands are there: they were needed, and stand before their users
    let operand = |a: u32| new[a as usize].clone().unwrap_or_else(|| int(0));
    if let Some(same) = same_operand(node, ranges) {
        return operand(same);
    }
    let operands: Vec<Expr> = node.args().iter().map(|&a| operand(a)).collect();
    // a clause that the others have already
    if let (Some(junction), [a, b]) = (Junction::of(&node.op), &operands[..])
        && ranges[node.args[0] as usize].within(0, 1)
        && junction.clauses_from_last(a).take(MAX_CLAUSES).any(|clause| clause == *b)
    {
        return a.clone();
    }
    let unchanged = operands.iter().zip(old.args()).all(|(new, old)| new.address() == old.address());
    if unchanged { old.clone() } else { Expr::new(node.op.clone(), operands) }
}

/// The operand that `node` is always equal to, as far as the `ranges` of all nodes say.
fn same_operand(node: &DagNode, ranges: &[Interval]) -> Option<u32> {
    let value = |a: u32| ranges[a as usize].as_point();
    let is_truth = |a: u32| ranges[a as usize].within(0, 1);
    let [a, b, c] = node.args;
    match node.op {
        Op::Add if value(a) == Some(0) => Some(b),
        Op::Add | Op::Sub if value(b) == Some(0) => Some(a),
        Op::Mul if value(a) == Some(1) => Some(b),
        Op::Mul | Op::FloorDiv if value(b) == Some(1) => Some(a),
        Op::FloorMod if value(b).is_some_and(|n| ranges[a as usize].within(0, i128::from(n) - 1)) => Some(a),
        Op::And if value(a).is_some_and(|v| v != 0) && is_truth(b) => Some(b),
        Op::And if value(b).is_some_and(|v| v != 0) && is_truth(a) => Some(a),
        Op::Or if value(a) == Some(0) && is_truth(b) => Some(b),
        Op::Or if value(b) == Some(0) && is_truth(a) => Some(a),
        Op::Select => value(a).map(|chosen| if chosen != 0 { b } else { c }),
        Op::Min | Op::Max => {
            let at_most = |x: u32, y: u32| {
                let (most, least) = (ranges[x as usize].hi(), ranges[y as usize].lo());
                most.zip(least).is_some_and(|(most, least)| most <= least)
            };
            let (least, most) = if at_most(a, b) { (Some(a), Some(b)) } else { (Some(b), Some(a)) };
            let decided = at_most(a, b) || at_most(b, a);
            (if node.op == Op::Min { least } else { most }).filter(|_| decided)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Domain, intervals_of};

    /// `text` without what ranges decide, with its values at all points.
    fn folded(text: &str) -> String {
        let domain: Domain = "i=0..9, j=0..3, p=0..1".parse().expect("a domain");
        let facts = domain.resolve().expect("consistent");
        let dag = Dag::new(&[text.parse().expect("an expression")]);
        let ranges = intervals_of(&dag, |name| domain.position(name).map_or(Interval::ALL, |p| facts[p].interval));
        let new = without_decided(&dag, &ranges, &[0])[0].clone();
        for (i, j) in (0..10).flat_map(|i| (0..4).map(move |j| (i, j))) {
            let value = |name: &str| {
                Some(match name {
                    "i" => i,
                    "j" => j,
                    _ => i % 2,
                })
            };
            assert_eq!(dag.exprs()[0].eval(value), new.eval(value), "{text} at {i}, {j}");
        }
        new.to_string()
    }

    #[test]
    fn what_has_one_value_is_that_value() {
        assert_eq!(folded("128*((4*i + j)//40) + i"), "i");
        assert_eq!(folded("i < 10 and 4*i + j < 8"), "4*i + j < 8");
        assert_eq!(folded("i > 10 or j < 2"), "j < 2");
        assert_eq!(folded("where(i < 10, j, i)"), "j");
        assert_eq!(folded("i + 2*-1 + j"), "i + -2 + j");
        assert_eq!(folded("(i < 4 and j < 2) and i < 4 and p > 0"), "i < 4 and j < 2 and p > 0");
    }

    #[test]
    fn what_has_the_value_of_an_operand_is_that_operand() {
        assert_eq!(folded("(4*i + j)%40 + i//1 + 0*j"), "4*i + j + i");
        assert_eq!(folded("min(i, 9) + max(j, 3) + max(i, 0)"), "i + 3 + i");
    }

    #[test]
    fn what_ranges_do_not_decide_stays() {
        for text in ["(4*i + j)%39", "i < 9 and j < 3", "min(i, 8)", "where(i < 9, j, i)", "(4*i + j)//39"] {
            assert_eq!(folded(text), text);
        }
        // a number that is no truth value is not what the conjunction is
        assert_eq!(folded("i < 10 and j"), "True and j".replace("True", "1"));
    }

    #[test]
    fn that_something_is_decided_is_seen_without_writing_it() {
        let decides = |text: &str| {
            let dag = Dag::new(&[text.parse().expect("an expression")]);
            let ranges = intervals_of(&dag, |_| Interval::new(0, 9).expect("ordered"));
            decides_operations(&dag, &ranges)
        };
        assert!(decides("i%10 + j") && decides("j + 0*i") && decides("i > 9 or j < 3") && decides("2*3 + i"));
        assert!(!decides("i%9 + j*2 - 3") && !decides("i > 8 or j < 3") && !decides("i"));
    }
}
