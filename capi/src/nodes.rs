//! Expressions as nodes. With nodes, a compiler exchanges expressions with quaff without text.

use crate::ended::Ended;
use crate::failure::{Failure, quaff_error};
use crate::node::{arity, quaff_nodes};
use crate::place::quaff_place_kind;
use crate::range::quaff_range;
use crate::span::{quaff_id_span, quaff_node_span, quaff_str, quaff_str_span};
use quaff::expr::{Expr, FlatNodes, FlatProblem};

/// The expressions of all nodes.
///
/// # Errors
/// The error has the number of the first invalid node.
pub(crate) fn read(nodes: quaff_node_span<'_>, names: quaff_str_span<'_>) -> Result<Vec<Expr>, quaff_error> {
    let nodes = nodes.nodes().ok_or(Failure::Null("nodes"))?;
    let names = names.texts("names")?;
    let mut flat = FlatNodes { names: names.into_iter().map(Into::into).collect(), ..FlatNodes::default() };
    // the start of each node in the list of words, to find the node of an error
    let mut begins = Vec::with_capacity(nodes.len());
    for node in nodes {
        begins.push(flat.words.len());
        flat.words.push(node.op.into());
        match arity(node.op.into()) {
            0 => flat.words.push(node.value),
            operands => flat.words.extend(node.operands[..operands].iter().map(|operand| i64::from(*operand))),
        }
    }
    flat.roots = (0..nodes.len()).filter_map(|node| i64::try_from(node).ok()).collect();
    flat.exprs().map_err(|error| {
        let at = begins.partition_point(|begin| *begin <= error.at).saturating_sub(1);
        let message = match error.wrong {
            FlatProblem::Operand { operand, .. } => format!("node {at}: the operand {operand} is no node before it"),
            wrong => format!("node {at}: {wrong}"),
        };
        Failure::Node { kind: quaff_place_kind::Node, at, message }.into()
    })
}

/// The expressions of `roots`, taken from the expressions of all nodes.
pub(crate) fn rooted(all: &[Expr], roots: quaff_id_span<'_>) -> Result<Vec<Expr>, quaff_error> {
    let roots = roots.ids().ok_or(Failure::Null("roots"))?;
    roots.iter().enumerate().map(|(at, root)| one_root(all, at, *root)).collect()
}

/// The expression of root number `at`.
pub(crate) fn one_root(all: &[Expr], at: usize, root: u32) -> Result<Expr, quaff_error> {
    let found = usize::try_from(root).ok().and_then(|root| all.get(root));
    let message = || format!("root {at}: there is no node {root}");
    found.cloned().ok_or_else(|| Failure::Node { kind: quaff_place_kind::Root, at, message: message() }.into())
}

/// All nodes, each after its operands. They are borrowed from `nodes`. The span is empty for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_nodes_all(nodes: Option<&quaff_nodes>) -> quaff_node_span<'_> {
    quaff_node_span::new(nodes.map_or(&[], |nodes| &nodes.nodes))
}

/// The numbers of the nodes of the expressions, in their order. They are borrowed from `nodes`. The span is empty for
/// NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_nodes_roots(nodes: Option<&quaff_nodes>) -> quaff_id_span<'_> {
    quaff_id_span::new(nodes.map_or(&[], |nodes| &nodes.roots))
}

/// The number of names of variables. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_nodes_name_count(nodes: Option<&quaff_nodes>) -> usize {
    nodes.map_or(0, |nodes| nodes.names.len())
}

/// Name number `at`. The result is borrowed from `nodes`, and empty if there is no such name.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_nodes_name(nodes: Option<&quaff_nodes>, at: usize) -> quaff_str<'_> {
    nodes.and_then(|nodes| nodes.names.get(at)).map_or(quaff_str::empty(), Ended::view)
}

/// The range of the values of a node, which the search of the answer found. The result is open on both sides if nothing
/// is known, and for nodes that belong to no answer.
///
/// If the dividend of a division is not negative, the host needs no correction for a division that rounds towards zero.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_nodes_range(nodes: Option<&quaff_nodes>, node: u32) -> quaff_range {
    let at = usize::try_from(node).ok();
    nodes.zip(at).and_then(|(nodes, at)| nodes.ranges.get(at)).copied().unwrap_or_default()
}
