//! Which classes need no more rules.
//!
//! What goes in are the classes that an answer is for; what comes out are those that something unresolved below them is made of.

use crate::egraph::analysis::graph::{Graph, facts};
use egg::{Id, Language};
use smallvec::SmallVec;

/// Whether the class is a sum of variables, or a number: nothing simpler can be found.
pub(crate) fn is_resolved(graph: &Graph, id: Id) -> bool {
    let f = facts(graph, id);
    match f.canon() {
        None => f.is_leaf(),
        Some(l) => l.terms().iter().all(|&t| facts(graph, graph.find(t)).is_leaf()),
    }
}

/// Which classes, by id, `roots` can be made of: those that no unresolved class needs are left out.
pub(crate) fn live(graph: &Graph, roots: impl IntoIterator<Item = Id>) -> Vec<bool> {
    let mut live = vec![false; graph.nodes().len()];
    let mut todo: SmallVec<[Id; 32]> = roots.into_iter().collect();
    while let Some(id) = todo.pop() {
        let id = graph.find(id);
        if std::mem::replace(&mut live[usize::from(id)], true) || is_resolved(graph, id) {
            continue;
        }
        todo.extend(graph[id].nodes.iter().flat_map(|n| n.children()).copied());
        todo.extend(facts(graph, id).spellings.iter().flat_map(|f| f.lin.terms()).copied());
    }
    live
}
