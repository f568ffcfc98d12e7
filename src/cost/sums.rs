//! Flattens the sums of an expression: the terms of a nested sum become terms of the outer sum.

use super::Operation;
use crate::domain::Interval;
use crate::expr::{DagNode, Op};

/// A coefficient beyond 64 bits is priced as this many wide products.
const UNREPRESENTABLE: u32 = 4;

/// The maximum number of steps that flattening sums may take: this number for each node, plus `MAX_STEPS`. A tree needs
/// one step for each node.
const MAX_STEPS_PER_NODE: usize = 16;
const MAX_STEPS: usize = 4096;

/// Nodes with their ranges.
#[derive(Clone, Copy)]
pub(super) struct Nodes<'a> {
    pub(super) nodes: &'a [DagNode],
    pub(super) ranges: &'a [Interval],
}

impl<'a> Nodes<'a> {
    #[inline]
    pub(super) fn node(self, i: u32) -> &'a DagNode {
        &self.nodes[i as usize]
    }

    #[inline]
    pub(super) fn range(self, i: u32) -> Interval {
        self.ranges[i as usize]
    }

    #[inline]
    pub(super) fn is_wide(self, i: u32) -> bool {
        !self.range(i).fits_i32()
    }

    /// Whether a node is a sum, a negation, or a product with a number.
    #[inline]
    pub(super) fn is_linear(self, i: u32) -> bool {
        let n = self.node(i);
        match n.op {
            Op::Add | Op::Sub | Op::Neg => true,
            Op::Mul => n.args().iter().any(|&a| self.range(a).as_point().is_some()),
            _ => false,
        }
    }

    /// For each node, whether it is an operand more than once, either of several nodes or of one node.
    pub(super) fn shared(self) -> Vec<bool> {
        let (mut used, mut shared) = (vec![false; self.nodes.len()], vec![false; self.nodes.len()]);
        for &a in self.nodes.iter().flat_map(|n| n.args()) {
            shared[a as usize] |= std::mem::replace(&mut used[a as usize], true);
        }
        shared
    }
}

/// Flattens sums. The buffers are kept from one sum to the next.
pub(super) struct Sums<'a> {
    nodes: Nodes<'a>,
    /// The position of each node in `terms`. [`Sums::NONE`] if the node is not a term.
    places: Vec<u32>,
    /// The terms of the sum with their coefficients.
    terms: Vec<(u32, i128)>,
    stack: Vec<(u32, i128)>,
    /// The number of steps that are left. When it is 0, shared sums are not flattened any more, and count as values of
    /// their own.
    steps: usize,
    /// For each node, whether it has several users. The list is computed when it is first needed.
    shared: Vec<bool>,
}

impl<'a> Sums<'a> {
    const NONE: u32 = u32::MAX;

    pub(super) fn new(nodes: Nodes<'a>) -> Sums<'a> {
        let count = nodes.nodes.len();
        Sums {
            nodes,
            places: vec![Sums::NONE; count],
            terms: Vec::with_capacity(16),
            stack: Vec::with_capacity(16),
            steps: MAX_STEPS_PER_NODE.saturating_mul(count).saturating_add(MAX_STEPS),
            shared: Vec::new(),
        }
    }

    /// The collected terms.
    #[inline]
    pub(super) fn terms(&self) -> &[(u32, i128)] {
        &self.terms
    }

    /// The sum of the collected terms. Its terms are added to `todo`.
    #[inline]
    pub(super) fn operation(&mut self, constant: i128, wide: bool, todo: &mut Vec<u32>) -> Operation {
        // a negated value that is not part of another sum is an instruction of its own
        let mut coefficients = self.terms.iter().map(|(_, c)| *c).filter(|c| *c != 0);
        let negation = constant == 0 && coefficients.next() == Some(-1) && coefficients.next().is_none();
        let (mut products, mut plain) = (0, u32::from(constant != 0 || negation));
        for (i, c) in self.take_terms() {
            match c {
                1 | -1 => plain += 1,
                c => products += if i64::try_from(c).is_ok() { 1 } else { UNREPRESENTABLE },
            }
            todo.push(i);
        }
        Operation::Sum { products, plain, wide }
    }

    /// Removes the collected terms. Terms with coefficient 0 are left out.
    #[inline]
    pub(super) fn take_terms(&mut self) -> impl Iterator<Item = (u32, i128)> + '_ {
        let places = &mut self.places;
        self.terms.drain(..).inspect(|(i, _)| places[*i as usize] = Sums::NONE).filter(|(_, c)| *c != 0)
    }

    /// Collects the terms of the sum `top`. Returns its constant, and whether a sum in it is wide.
    pub(super) fn collect(&mut self, top: u32) -> (i128, bool) {
        let nodes = self.nodes;
        let (mut constant, mut wide) = (0i128, false);
        self.stack.push((top, 1));
        while let Some((i, f)) = self.stack.pop() {
            if let Some(c) = nodes.range(i).as_point() {
                constant = constant.saturating_add(times(f, c));
                continue;
            }
            if self.is_term(i, top) {
                self.add_term(i, f);
                continue;
            }
            wide |= nodes.is_wide(i);
            let addends = nodes.node(i).addends(|a| nodes.range(a).as_point());
            self.stack.extend(addends.into_iter().flatten().rev().map(|(x, c)| (x, times(f, c))));
        }
        (constant, wide)
    }

    /// Whether a part of the sum `top` counts as one term. Uses one step.
    fn is_term(&mut self, i: u32, top: u32) -> bool {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 && self.shared.is_empty() {
            self.shared = self.nodes.shared();
        }
        !self.nodes.is_linear(i) || self.steps == 0 && i != top && self.shared[i as usize]
    }

    fn add_term(&mut self, i: u32, f: i128) {
        let place = &mut self.places[i as usize];
        if *place == Sums::NONE {
            *place = self.terms.len() as u32;
            self.terms.push((i, f));
        } else {
            let coefficient = &mut self.terms[*place as usize].1;
            *coefficient = coefficient.saturating_add(f);
        }
    }
}

/// `f * c`, saturated. Most factors have 64 bits, and their product needs no test for overflow.
#[inline]
fn times(f: i128, c: i64) -> i128 {
    match i64::try_from(f) {
        Ok(f) => i128::from(f) * i128::from(c),
        Err(_) => f.saturating_mul(c.into()),
    }
}
