//! The reader of kernels in Triton.

mod calls;
mod conditions;
mod define;
mod facts;
mod find;
mod loops;
mod outline;
mod parts;
mod reader;
mod scope;
#[cfg(test)]
mod tests;
mod tree;
mod types;
mod uses;
mod variables;
mod walk;

use crate::model::{Definition, Kernel, NotFollowed, Site};
use crate::options::Options;
use calls::machine_name;
use facts::Facts;
use find::{Found, functions};
use outline::Outline;
use reader::Reader;
use rustc_hash::FxHashMap;
use scope::{Scope, scope};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use tree::Tree;
use types::types;
use variables::{Key, Variables};
use walk::Walk;

/// The kernels of a Python file, in the order of the text. A kernel that cannot be read has no sites (parts that
/// compute integers), and `not_followed` has the reason.
///
/// The time is n log n for a text of n bytes. The recursion is at most 500 levels deep.
pub(crate) fn kernels(text: &str, options: &Options) -> Vec<Kernel> {
    functions(text).into_iter().map(|found| kernel(text, found, options)).collect()
}

fn kernel(text: &str, found: Found, options: &Options) -> Kernel {
    let Found { name, span, tree, comments } = found;
    match tree {
        Ok(tree) => {
            let comments = comments.into_iter().chain(tree.comments.iter().cloned()).collect();
            read(name, span, &tree, comments, options)
        }
        Err(reason) => {
            let line = text[span.clone()].lines().next().map_or(0, str::len);
            let not_followed = NotFollowed { span: span.start..span.start + line, reason: reason.into() };
            Kernel { not_followed: vec![not_followed], ..Kernel::new(name, span) }
        }
    }
}

fn read(name: &str, span: Range<usize>, tree: &Tree, comments: Vec<Range<usize>>, options: &Options) -> Kernel {
    let mut outline = Outline::new(tree);
    let scope = scope(tree, &outline);
    let mut not_followed = Vec::new();
    let facts = Facts::new(tree.text, &comments, &scope, calls(tree), options, &mut not_followed);
    let types = types(tree, &scope, &outline, &facts.integers(&scope, options));
    let words = words(tree);
    let reader = Reader::new(tree, &scope, &types, &words, &options.values);
    let mut walk = Walk {
        tree,
        scope: &scope,
        types: &types,
        outline: &mut outline,
        reader,
        facts,
        sites: Vec::new(),
        definitions: Vec::new(),
        contexts: Vec::new(),
        loops: Vec::new(),
        not_followed,
        is_read: vec![false; tree.nodes.len()],
        along_axes: FxHashMap::default(),
    };
    walk.reader.calls();
    walk.facts_of_arguments();
    if !walk.outline.bodies.is_empty() {
        walk.block(0, None);
    }
    mark_uses(&mut walk, &scope);
    let assumed = match walk.sites.is_empty() {
        true => Vec::new(),
        false => assumed(&scope, &types.assumed),
    };
    let Walk { reader, sites, mut definitions, contexts, loops, mut not_followed, .. } = walk;
    let sites = in_order(sites, &mut definitions);
    not_followed.sort_by(|a, b| (a.span.start, a.span.end, &a.reason).cmp(&(b.span.start, b.span.end, &b.reason)));
    not_followed.dedup();
    let Variables { all, names, .. } = reader.variables;
    let variables = names.into_iter().zip(all).map(|(name, known)| (name, known.variable)).collect();
    let (domain, blocks) = (reader.domain, outline.blocks);
    let empty = Kernel::new(name, span);
    Kernel { domain, variables, loops, blocks, sites, definitions, contexts, words, assumed, not_followed, ..empty }
}

/// The assumptions about a kernel with sites, as sentences that the slots `integers` are integers.
fn assumed(scope: &Scope, integers: &BTreeSet<usize>) -> Vec<String> {
    let integers = integers.iter().map(|&slot| format!("`{}` is an integer", scope.slots[slot].name));
    std::iter::once("32-bit integers do not overflow".into()).chain(integers).collect()
}

/// The sites in the order of the text. An outer site comes before the sites inside it.
fn in_order(mut sites: Vec<Site>, definitions: &mut [Definition]) -> Vec<Site> {
    let mut order: Vec<usize> = (0..sites.len()).collect();
    order.sort_by_key(|&at| (sites[at].span.start, Reverse(sites[at].span.end)));
    let mut position = vec![0; sites.len()];
    order.iter().enumerate().for_each(|(new, &old)| position[old] = new);
    definitions.iter_mut().for_each(|definition| definition.site = position[definition.site]);
    sites.sort_by_key(|site| (site.span.start, Reverse(site.span.end)));
    sites
}

/// The names of the variables that represent calls such as `tl.program_id(0)` in a function.
fn calls(tree: &Tree) -> Vec<String> {
    let nodes = (0..tree.nodes.len()).filter(|&node| tree.kind(node) == "call");
    let mut names: Vec<String> = nodes.filter_map(|node| machine_name(tree, node)).collect();
    names.sort();
    names.dedup();
    names
}

/// The identifiers of a function.
fn words(tree: &Tree) -> Vec<String> {
    let nodes = (0..tree.nodes.len()).filter(|&node| tree.kind(node) == "identifier");
    let mut words: Vec<String> = nodes.map(|node| tree.text_of(node).to_string()).collect();
    words.sort();
    words.dedup();
    words
}

/// Marks the definitions whose names are used outside of sites, so that they are not removed.
fn mark_uses(walk: &mut Walk, scope: &Scope) {
    let variables = &walk.reader.variables;
    let of_definition: FxHashMap<Arc<str>, usize> =
        walk.definitions.iter().enumerate().map(|(at, d)| (Arc::clone(&d.variable), at)).collect();
    for (node, is_read) in walk.is_read.iter().enumerate() {
        let Some(slot) = scope.slot(node).filter(|_| !is_read) else { continue };
        let name = variables.get(&Key::Slot(slot)).map(|at| &variables.names[at]);
        if let Some(&definition) = name.and_then(|name| of_definition.get(name)) {
            walk.definitions[definition].is_used_elsewhere = true;
        }
    }
}
