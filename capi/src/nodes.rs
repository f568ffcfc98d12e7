//! Expressions as nodes: how a compiler hands over trees of its own, and takes them back, without text.

use crate::ended::Ended;
use crate::error::{Failure, quaff_error, quaff_place_kind};
use crate::facts::quaff_range;
use crate::span::{quaff_id_span, quaff_node_span, quaff_str, quaff_str_span};
use quaff::expr::{Expr, FlatNodes, FlatProblem, Op};

/// One node of expressions. Operands are numbers of nodes that come before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct quaff_node {
    /// One of `quaff_op`.
    pub op: u32,
    /// The operands. Those that the operator does not have are not read, and are 0 where quaff writes them.
    pub operands: [u32; 3],
    /// The value of a constant, or the number of the name of a variable. Of other nodes it is not read, and is 0 where quaff writes it.
    pub value: i64,
}

/// The nodes of expressions, each distinct part once, and what belongs to them. It is borrowed from the handle that it comes from.
pub struct quaff_nodes {
    nodes: Vec<quaff_node>,
    names: Vec<Ended>,
    roots: Vec<u32>,
    ranges: Vec<quaff_range>,
}

impl quaff_nodes {
    /// The nodes of a list. Ranges may be missing.
    pub(crate) fn new(flat: &FlatNodes, ranges: Vec<quaff_range>) -> quaff_nodes {
        let mut words = flat.words.iter().copied();
        let mut nodes = vec![];
        while let Some(code) = words.next() {
            let mut node = quaff_node { op: u32::try_from(code).unwrap_or(0), ..quaff_node::default() };
            match arity(code) {
                0 => node.value = words.next().unwrap_or(0),
                operands => {
                    for operand in &mut node.operands[..operands] {
                        *operand = words.next().and_then(|word| u32::try_from(word).ok()).unwrap_or(0);
                    }
                }
            }
            nodes.push(node);
        }
        quaff_nodes {
            nodes,
            names: flat.names.iter().map(|name| Ended::new(&**name)).collect(),
            roots: flat.roots.iter().map(|root| u32::try_from(*root).unwrap_or(0)).collect(),
            ranges,
        }
    }
}

/// The number of operands of an operator; 0 for leaves and for what is none, which the reader of the list finds.
fn arity(code: i64) -> usize {
    let at = code.checked_sub(2).and_then(|at| usize::try_from(at).ok());
    at.and_then(|at| Op::all().get(at)).map_or(0, Op::arity)
}

/// The expression of each node.
///
/// # Errors
/// With the number of the first node that is none.
pub(crate) fn read(nodes: quaff_node_span<'_>, names: quaff_str_span<'_>) -> Result<Vec<Expr>, quaff_error> {
    let nodes = nodes.nodes().ok_or(Failure::Null("nodes"))?;
    let names = names.texts("names")?;
    let mut flat = FlatNodes { names: names.into_iter().map(Into::into).collect(), ..FlatNodes::default() };
    // where each node begins, to find it by a word
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

/// The expressions of `roots` among those of all nodes.
pub(crate) fn rooted(all: &[Expr], roots: quaff_id_span<'_>) -> Result<Vec<Expr>, quaff_error> {
    let roots = roots.ids().ok_or(Failure::Null("roots"))?;
    roots.iter().enumerate().map(|(at, root)| one_root(all, at, *root)).collect()
}

/// The expression of the root of number `at`.
pub(crate) fn one_root(all: &[Expr], at: usize, root: u32) -> Result<Expr, quaff_error> {
    let found = usize::try_from(root).ok().and_then(|root| all.get(root));
    let message = || format!("root {at}: there is no node {root}");
    found.cloned().ok_or_else(|| Failure::Node { kind: quaff_place_kind::Root, at, message: message() }.into())
}

/// All nodes, operands before their users. They are borrowed from `nodes`. No nodes for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_nodes_all(nodes: Option<&quaff_nodes>) -> quaff_node_span<'_> {
    quaff_node_span::new(nodes.map_or(&[], |nodes| &nodes.nodes))
}

/// The nodes that are the expressions, in their order. They are borrowed from `nodes`. None for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_nodes_roots(nodes: Option<&quaff_nodes>) -> quaff_id_span<'_> {
    quaff_id_span::new(nodes.map_or(&[], |nodes| &nodes.roots))
}

/// The number of names of variables. 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_nodes_name_count(nodes: Option<&quaff_nodes>) -> usize {
    nodes.map_or(0, |nodes| nodes.names.len())
}

/// The name of number `at`. It is borrowed from `nodes`, and empty where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_nodes_name(nodes: Option<&quaff_nodes>, at: usize) -> quaff_str<'_> {
    nodes.and_then(|nodes| nodes.names.get(at)).map_or(quaff_str::empty(), Ended::view)
}

/// The values that a node can have, as far as the search of an answer found. Everything where nothing is known, as of nodes that are no answer.
///
/// A division whose dividend is not negative needs no correction where the host's division rounds towards zero.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_nodes_range(nodes: Option<&quaff_nodes>, node: u32) -> quaff_range {
    let at = usize::try_from(node).ok();
    nodes.zip(at).and_then(|(nodes, at)| nodes.ranges.get(at)).copied().unwrap_or_default()
}
