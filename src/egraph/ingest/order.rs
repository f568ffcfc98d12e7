//! Sorts operands. The input is expressions. The output is the same expressions with sorted operands of commutative
//! operations. The order does not depend on how the expressions are written or on names.

use crate::domain::Interval;
use crate::egraph::ingest::shapes::{mix, shapes};
use crate::expr::offset::plus_offset;
use crate::expr::{Dag, Expr, Op, int};

/// The roots of `dag` with sorted operands in all sums, products, junctions and extrema. The constants of a sum are
/// added up and come last. `ranges` are the ranges of the nodes of `dag`. The time is linear in the size of `dag`.
pub(crate) fn in_order(dag: &Dag, ranges: &[Interval], position: &dyn Fn(&str) -> Option<usize>) -> Vec<Expr> {
    let (nodes, shapes) = (dag.nodes(), shapes(dag, ranges, position));
    // bit operations are left out, because the e-graph has no chains of them
    let commutes = |op: &Op| op.is_associative() && !op.is_bitwise();
    // a chain with several users is one operand for all of them, so it is not flattened
    let joins = |user: usize, a: u32| {
        let a = a as usize;
        commutes(&nodes[user].op) && nodes[a].op == nodes[user].op && shapes[a].uses == 1
    };
    let mut inner = vec![false; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        node.args().iter().filter(|&&a| joins(i, a)).for_each(|&a| inner[a as usize] = true);
    }
    let mut out: Vec<Expr> = Vec::with_capacity(nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        if inner[i] || !commutes(&node.op) {
            // the top of a chain writes the inner parts of the chain
            let args: Vec<Expr> = node.args().iter().map(|&a| out[a as usize].clone()).collect();
            out.push(Expr::new(node.op.clone(), args));
            continue;
        }
        let mut operands = Vec::new();
        let mut todo = vec![i];
        while let Some(j) = todo.pop() {
            for &a in nodes[j].args() {
                if joins(j, a) { todo.push(a as usize) } else { operands.push(a) }
            }
        }
        operands.sort_by_key(|&a| mix(shapes[a as usize].hash));
        let (mut constant, mut chain) = (0, None);
        for operand in operands.into_iter().map(|a| out[a as usize].clone()) {
            match operand.as_const().and_then(|k| i64::checked_add(constant, k)).filter(|_| node.op == Op::Add) {
                Some(sum) => constant = sum,
                None => {
                    chain = Some(match chain {
                        Some(chain) => Expr::new(node.op.clone(), [chain, operand]),
                        None => operand,
                    });
                }
            }
        }
        out.push(plus_offset(chain.unwrap_or_else(|| int(0)), constant));
    }
    dag.roots().iter().map(|&r| out[r as usize].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Domain, intervals_of};

    fn ordered(text: &str) -> String {
        let domain = Domain::new().with("x", 0..64).with("y", 0..64).with("z", 0..64);
        let e: Expr = text.parse().expect("an expression");
        let dag = Dag::new(&[e]);
        let ranges = intervals_of(&dag, |_| Interval::ALL);
        in_order(&dag, &ranges, &|name| domain.position(name))[0].to_string()
    }

    #[test]
    fn order_and_grouping_of_operands_do_not_matter() {
        for (one, other) in [
            ("x + y + z*3", "3*z + (y + x)"),
            ("min(x, min(y + 1, z))//4 - (x + y)", "min(min(z, 1 + y), x)//4 - (y + x)"),
            ("where(x < y and 2*y < z and x < 7, x*y*z, x)", "where(x < 7 and (y*2 < z and x < y), z*(y*x), x)"),
        ] {
            assert_eq!(ordered(one), ordered(other));
        }
        assert_eq!(ordered("-1 + x + 3 + -4"), "x - 2");
        // operands that do not commute keep their order
        assert_eq!(ordered("x//y - z%x"), "x//y - z%x");
    }

    #[test]
    fn a_chain_that_others_share_stays_whole() {
        // x + y stays one part that is computed once, although it is also part of another sum
        let text = ordered("(x + y) % 5 + (z + (x + y))");
        assert!(
            text.contains("(x + y)") && text.matches("x + y").count() == 2 || text.matches("y + x").count() == 2,
            "{text}"
        );
    }
}
