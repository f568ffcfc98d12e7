//! Computes hashes of nodes and spellings, with the versions of the facts about their classes. The hashes show which
//! nodes and spellings were visited since these facts last changed.

use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use egg::{Id, Language};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A hash of a spelling of `id` and the facts of its terms and their factors.
pub(super) fn state_of_spelling(e: &EGraph, id: Id, spelling: &LinearForm) -> u64 {
    let mut hasher = FxHasher::default();
    (id, spelling).hash(&mut hasher);
    for &t in spelling.terms() {
        for f in e.factors(t) {
            e.facts(f).version.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// A hash of a node and the facts of its operands. `kind` is a different number for each use of this hash.
pub(super) fn state(e: &EGraph, node: &Node, kind: u8) -> u64 {
    let mut hasher = FxHasher::default();
    (kind, node).hash(&mut hasher);
    for &c in node.children() {
        let c = e.graph.find(c);
        (c, e.facts(c).version).hash(&mut hasher);
    }
    hasher.finish()
}
