//! Expressions as nodes.

use crate::ended::Ended;
use crate::range::quaff_range;
use quaff::expr::{FlatNodes, Op};

/// One node of an expression. Its operands are the numbers of earlier nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct quaff_node {
    /// One of `quaff_op`.
    pub op: u32,
    /// The operands. Superfluous operands are ignored, and quaff writes them as 0.
    pub operands: [u32; 3],
    /// The value of a constant, or the number of the name of a variable. Other nodes ignore it, and quaff writes it as
    /// 0.
    pub value: i64,
}

/// The nodes of expressions, with their roots, names and ranges. Each distinct part is one node. The nodes are borrowed
/// from the handle that returned them.
pub struct quaff_nodes {
    pub(crate) nodes: Vec<quaff_node>,
    pub(crate) names: Vec<Ended>,
    pub(crate) roots: Vec<u32>,
    pub(crate) ranges: Vec<quaff_range>,
}

impl quaff_nodes {
    /// The nodes of a list. `ranges` may be shorter than the list.
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

/// The number of operands of an operator. It is 0 for leaves. It is also 0 for an invalid code, which is reported
/// later.
pub(crate) fn arity(code: i64) -> usize {
    let at = code.checked_sub(2).and_then(|at| usize::try_from(at).ok());
    at.and_then(|at| Op::all().get(at)).map_or(0, Op::arity)
}
