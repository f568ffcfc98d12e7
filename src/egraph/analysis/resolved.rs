//! Finds the classes on which rules still need to run.
//!
//! The input is the classes of the requested answers. The output is the classes that may be used to compute them,
//! except those that only *resolved* classes use. A resolved class is a number or a sum of variables.

use crate::egraph::analysis::graph::{Graph, facts};
use egg::{Id, Language};
use smallvec::SmallVec;

/// Whether the class is a sum of variables or a number. Such a class cannot become simpler.
pub(crate) fn is_resolved(graph: &Graph, id: Id) -> bool {
    let f = facts(graph, id);
    match f.canon() {
        None => f.is_leaf(),
        Some(l) => l.terms().iter().all(|&t| facts(graph, graph.find(t)).is_leaf()),
    }
}

/// For each class, by id, whether it may be used to compute `roots`. A class that only resolved classes use is not
/// needed, because the form of a resolved class is final.
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
