//! Records the classes that are never 0 although their ranges contain 0. The input is a class that a condition such as
//! `n != 0`, or a division that is always computed, shows to be nonzero. The record answers whether a sum is nonzero.

use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use egg::Id;

/// The maximum number of classes that are recorded as nonzero.
const MAX_NONZERO: usize = 32;

/// Records that the class `id` is never 0, although its range contains 0. The factors of a product are not 0, either.
pub(crate) fn record_nonzero(e: &mut EGraph, id: Id) {
    let mut todo = vec![id];
    while let Some(id) = todo.pop() {
        let id = e.graph.find(id);
        if e.nonzero.len() >= MAX_NONZERO || e.nonzero.contains(&id) {
            continue;
        }
        e.nonzero.push(id);
        todo.extend(only_term(&e.canonical(id)));
        todo.extend(factors(e, id).into_iter().flatten());
    }
}

/// Whether a condition or a division shows that `lin` is never 0.
pub(crate) fn is_recorded_nonzero(e: &EGraph, lin: &LinearForm) -> bool {
    if e.nonzero.is_empty() {
        return false;
    }
    let is_same = |id: &Id| {
        let known = e.canonical(*id);
        *known == *lin || known.scaled(-1).is_some_and(|known| known == *lin)
    };
    let is_term = |t: Id| e.nonzero.iter().any(|&id| e.graph.find(id) == e.graph.find(t));
    let is_product = |t: Id| factors(e, t).is_some_and(|factors| factors.into_iter().all(is_term));
    e.nonzero.iter().any(is_same) || only_term(lin).is_some_and(|t| is_term(t) || is_product(t))
}

/// The term of a sum of one term.
fn only_term(lin: &LinearForm) -> Option<Id> {
    match lin.terms() {
        [t] if lin.constant == 0 => Some(*t),
        _ => None,
    }
}

/// The factors of the class `id`, if it is a product.
fn factors(e: &EGraph, id: Id) -> Option<Vec<Id>> {
    e.nodes(id).iter().find_map(|node| if let Node::Product(x) = node { Some(x.to_vec()) } else { None })
}
