//! Extracts the cheapest DAG from an e-graph of egg, with the extractor of quaff. The extractor of egg itself chooses
//! the cheapest tree.

use super::analysis::Known;
use super::language::Math;
use super::prices::own_price;
use egg::{EGraph, Id, Language, RecExpr};
use quaff::inspect::{Candidate, Extraction, Method};
use rustc_hash::FxHashMap;

/// The cheapest form of `root` that the extractor finds. In its cost, a shared operation counts once. `None` if it
/// finds no form.
pub(super) fn cheapest(egraph: &EGraph<Math, Known>, root: Id) -> Option<RecExpr<Math>> {
    let root = egraph.find(root);
    let mut ids: Vec<Id> = egraph.classes().map(|class| class.id).collect();
    ids.sort_unstable();
    let place: FxHashMap<Id, usize> = ids.iter().enumerate().map(|(at, &id)| (id, at)).collect();
    let candidate = |node: &Math| Candidate {
        label: String::new(),
        price: own_price(egraph, node) * Extraction::UNIT / 10,
        operands: node.children().iter().map(|&child| place[&egraph.find(child)]).collect(),
    };
    let classes = ids.iter().map(|&id| egraph[id].nodes.iter().map(candidate).collect()).collect();
    let problem = Extraction::new(classes, vec![place[&root]]).ok()?;
    let found = problem.select(Method::Engine);
    found.cost?;
    let chosen = |at: usize| found.chosen[at].map(|o| &egraph[ids[at]].nodes[o]);
    let mut out = RecExpr::default();
    let mut made: FxHashMap<usize, Id> = FxHashMap::default();
    let mut todo = vec![place[&root]];
    while let Some(&at) = todo.last() {
        let node = chosen(at)?;
        let operands = || node.children().iter().map(|&child| place[&egraph.find(child)]);
        let before = todo.len();
        todo.extend(operands().filter(|operand| !made.contains_key(operand)));
        if todo.len() == before {
            todo.pop();
            if !made.contains_key(&at) {
                let id = out.add(node.clone().map_children(|child| made[&place[&egraph.find(child)]]));
                made.insert(at, id);
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain_egg::prices::Prices;
    use egg::Extractor;

    #[test]
    fn what_is_shared_counts_once() {
        let mut graph = EGraph::<Math, Known>::default();
        let mut add = |text: &str| graph.add_expr(&text.parse().expect(text));
        let root = add("(* (// y 5) (// z 5))");
        // each side alone is cheaper without `x//7`, but both sides together are cheaper with `x//7`
        for [left, right] in
            [["(// y 5)", "(+ (// x 7) x)"], ["(// z 5)", "(- (// x 7) x)"]].map(|pair| pair.map(&mut add))
        {
            graph.union(left, right);
        }
        graph.rebuild();
        let trees = Extractor::new(&graph, Prices(&graph)).find_best(root).1;
        assert_eq!(trees.to_string(), "(* (// y 5) (// z 5))");
        let shared = cheapest(&graph, root).expect("a form");
        assert_eq!(shared.to_string(), "(* (+ (// x 7) x) (- (// x 7) x))");
    }
}
