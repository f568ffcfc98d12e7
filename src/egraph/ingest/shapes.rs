//! Computes facts about the nodes of an expression before they are added to the e-graph: their kind, their height, and
//! a hash. The hash does not depend on how the expression is written.
//!
//! The input is an expression as a graph, with the ranges of its nodes. The output is a [`Shape`] for each node.
//! Operations are added in the order of their shapes. The operands of commutative operations are sorted by their
//! hashes.

use crate::domain::Interval;
use crate::expr::{Compare, Dag, DagNode, Op};
use std::borrow::Cow;

/// The form that a node takes in the e-graph.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Constant(i64),
    /// A part of a linear form.
    Linear,
    /// An operation, which becomes an e-node of its own.
    Operation,
}

/// The facts about a node before it is added to the e-graph.
pub(super) struct Shape {
    pub(super) kind: Kind,
    /// The number of operations on the longest path from this node to a leaf.
    pub(super) height: u32,
    /// A hash of the structure alone. The hash of a sum adds up the hashes of its terms, so grouping and order do not
    /// matter.
    pub(super) hash: u64,
    /// How often the node is an operand or a root.
    pub(super) uses: u32,
}

/// The operation and the operands of node `n`. The negation of an order comparison is the opposite comparison.
pub(super) fn meaning<'a>(nodes: &'a [DagNode], n: &'a DagNode) -> (Cow<'a, Op>, &'a [u32]) {
    if n.op == Op::Not {
        let inner = &nodes[n.args[0] as usize];
        if let Some(op) = opposite(&inner.op) {
            return (Cow::Owned(op), inner.args());
        }
    }
    (Cow::Borrowed(&n.op), n.args())
}

/// The comparison that is the negation of the order comparison `op`. `None` for other operators.
pub(super) fn opposite(op: &Op) -> Option<Op> {
    Compare::of(op).filter(|compare| compare.is_order()).map(|compare| compare.negated().op())
}

/// The shapes of all nodes of `dag`, which have the given `ranges`. `position` gives the position of a variable in the
/// domain.
pub(super) fn shapes(dag: &Dag, ranges: &[Interval], position: &dyn Fn(&str) -> Option<usize>) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::with_capacity(dag.nodes().len());
    for (i, n) in dag.nodes().iter().enumerate() {
        for &a in n.args() {
            shapes[a as usize].uses += 1;
        }
        let kind = kind_of(n, i, &shapes, ranges);
        let (op, args) = meaning(dag.nodes(), n);
        let deepest = args.iter().map(|&a| shapes[a as usize].height).max().unwrap_or(0);
        let (height, hash) = match kind {
            Kind::Constant(c) => (0, (c as u64).wrapping_mul(ONE)),
            Kind::Linear => (deepest, linear_hash(n, &shapes)),
            Kind::Operation => (deepest + 1, operation_hash(&op, args, &shapes, position)),
        };
        shapes.push(Shape { kind, height, hash, uses: 0 });
    }
    for &r in dag.roots() {
        shapes[r as usize].uses += 1;
    }
    shapes
}

/// The kind of node `n`, which has the number `i`. `shapes` are the shapes of its operands.
fn kind_of(n: &DagNode, i: usize, shapes: &[Shape], ranges: &[Interval]) -> Kind {
    let constant = |k: usize| constant_of(&shapes[n.args[k] as usize]);
    let folded = match &n.op {
        Op::Const(c) => Some(*c),
        // a division whose range is one number must not hide the error that its divisor can be 0
        _ if n.op.is_partial() && n.args().iter().any(|&a| ranges[a as usize].as_point().is_none()) => None,
        op if op.is_division() && constant(1) == Some(0) => None,
        _ => ranges[i].as_point(),
    };
    match folded {
        Some(c) => Kind::Constant(c),
        None if n.addends(|a| constant_of(&shapes[a as usize])).is_some() => Kind::Linear,
        None => Kind::Operation,
    }
}

/// The value of a constant node.
pub(super) fn constant_of(shape: &Shape) -> Option<i64> {
    match shape.kind {
        Kind::Constant(c) => Some(c),
        _ => None,
    }
}

/// The hash of a node that is part of a linear form. It is the value of the form modulo 2^64, with hashes in place of
/// the terms.
fn linear_hash(n: &DagNode, shapes: &[Shape]) -> u64 {
    let addends = n.addends(|a| constant_of(&shapes[a as usize])).into_iter().flatten();
    addends.fold(0, |sum, (x, c)| sum.wrapping_add(shapes[x as usize].hash.wrapping_mul(c as u64)))
}

/// The hash of the constant 1.
const ONE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads a difference in a few bits over all bits.
pub(super) fn mix(x: u64) -> u64 {
    // the finaliser of splitmix64 (Steele, Lea, Flood 2014)
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The hash of an operation. It does not depend on the order of commutative operands, or on which side of a comparison
/// is written first.
fn operation_hash(op: &Op, args: &[u32], shapes: &[Shape], position: &dyn Fn(&str) -> Option<usize>) -> u64 {
    let tag = |t: u64| mix(t.wrapping_mul(0xd6e8_feb8_6659_fd93));
    let h = |k: usize| mix(shapes[args[k] as usize].hash);
    let ordered =
        |t: u64| args.iter().enumerate().fold(tag(t), |acc, (k, _)| mix(acc.wrapping_mul(31).wrapping_add(h(k))));
    let unordered = |t: u64| mix(tag(t).wrapping_add((0..args.len()).fold(0u64, |s, k| s.wrapping_add(h(k)))));
    let raw = |k: usize| shapes[args[k] as usize].hash;
    let nonneg = |d: u64| mix(tag(14).wrapping_add(mix(d)));
    let equality = |t: u64| {
        let d = raw(0).wrapping_sub(raw(1));
        mix(tag(t).wrapping_add(mix(d)).wrapping_add(mix(d.wrapping_neg())))
    };
    match op {
        Op::Const(c) => (*c as u64).wrapping_mul(ONE),
        Op::Var(name) => mix(tag(1).wrapping_add(position(name).map_or(u64::MAX, |p| p as u64))),
        Op::Mul => unordered(2),
        Op::Min => unordered(3),
        Op::Max => unordered(4),
        Op::And => unordered(5),
        Op::Or => unordered(6),
        Op::Eq => equality(7),
        Op::Ne => equality(8),
        Op::BitAnd => unordered(9),
        Op::BitOr => unordered(10),
        Op::BitXor => unordered(11),
        Op::FloorDiv => ordered(12),
        Op::FloorMod => ordered(13),
        // all order comparisons are `difference >= 0`, so `x < y` and `y > x` have the same hash
        Op::Lt => nonneg(raw(1).wrapping_sub(raw(0)).wrapping_sub(ONE)),
        Op::Le => nonneg(raw(1).wrapping_sub(raw(0))),
        Op::Gt => nonneg(raw(0).wrapping_sub(raw(1)).wrapping_sub(ONE)),
        Op::Ge => nonneg(raw(0).wrapping_sub(raw(1))),
        Op::Select => ordered(18),
        Op::Shl => ordered(19),
        Op::Shr => ordered(20),
        Op::Not => ordered(21),
        // sums have kind `Linear`, so they do not get here
        op => ordered(22 + op.code() as u64),
    }
}
