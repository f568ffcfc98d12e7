//! Computes the facts of a node from the facts of its operands.
//!
//! The input is a node whose operands have facts. The output is the facts of a class that has only this node. Ranges
//! come from [`interval_of_op`], the interval arithmetic that expressions use too.

use crate::domain::{Congruence, Interval, interval_of_op};
use crate::egraph::analysis::facts::{Facts, MAX_WEIGHT, NODE};
use crate::egraph::analysis::form_facts::{facts_by_terms, weight_of_form};
use crate::egraph::analysis::graph::{Graph, facts};
use crate::egraph::language::node::Node;
use crate::egraph::language::price;
use crate::expr::Op;
use egg::{Id, Language};
use smallvec::SmallVec;

/// The facts about the value of `node`.
pub(super) fn facts_of_node(g: &Graph, node: &Node) -> Facts {
    let mut f = Facts::unknown();
    let (interval, congruence) = match node {
        Node::Const(c) => return Facts::exact(*c),
        Node::Var(v) => g.analysis.vars[*v as usize],
        Node::Sum(lin) => {
            let heaviest = lin.terms().iter().map(|&t| facts(g, t).weight.min(MAX_WEIGHT)).max().unwrap_or(0);
            f.canon = Some((heaviest, lin.clone()));
            facts_by_terms(g, lin)
        }
        _ => {
            f.zeros = zero_bits_of_node(g, node);
            (interval_of_node(g, node), congruence_of_node(g, node, f.zeros))
        }
    };
    if !matches!(node, Node::Sum(_)) {
        let range = |id: Id| facts(g, id).interval;
        let operation = price::operation(node, interval, &range, false);
        f.atom_cost = operation.map_or(0, |o| g.analysis.model.price(&o).tenths_u32());
        f.weight = weight_of_node(g, node);
    }
    f.operators = 1 << node.operator() as u32;
    f.restrict(interval, congruence);
    f
}

/// The range of a comparison or an operation.
fn interval_of_node(g: &Graph, node: &Node) -> Interval {
    let at = |id: Id| facts(g, id).interval;
    let compared = |op: Op, x: Id| interval_of_op(&op, &[at(x), Interval::point(0)]);
    let Some(op) = node.op() else {
        return match node {
            Node::NonNeg([x]) => compared(Op::Ge, *x),
            // a value is not 0 if its congruence does not contain 0
            Node::Zero([x]) if !facts(g, *x).congruence.contains(0) => Interval::point(0),
            Node::Zero([x]) => compared(Op::Eq, *x),
            _ => Interval::ALL,
        };
    };
    let ranges = node.children().iter().map(|&c| at(c));
    if op.arity() != 2 {
        return interval_of_op(&op, &ranges.collect::<SmallVec<[Interval; 3]>>());
    }
    let range = ranges.reduce(|a, b| interval_of_op(&op, &[a, b])).unwrap_or(Interval::ALL);
    match node {
        Node::Product(x) if is_even_power(x) => {
            let never_negative = Interval::new(0, i64::MAX).unwrap_or(Interval::ALL);
            range.meet(never_negative).unwrap_or(range)
        }
        _ => range,
    }
}

/// Whether the product of these classes is an even power of one of them.
fn is_even_power(factors: &[Id]) -> bool {
    factors.len() & 1 == 0 && factors.windows(2).all(|w| w[0] == w[1])
}

/// The congruence of a comparison or an operation. `zeros` are the bits that are 0 in its values.
fn congruence_of_node(g: &Graph, node: &Node, zeros: u64) -> Congruence {
    let at = |id: &Id| facts(g, *id).congruence;
    match node {
        Node::Product(x) => x.iter().fold(Congruence::point(1), |product, id| product.times(at(id))),
        Node::Div([a, b]) => facts(g, *b).constant().filter(|c| *c > 0).map_or(Congruence::ANY, |c| at(a).floor_div(c)),
        // a - b*q keeps every common modulus of a and b
        Node::Mod([a, b]) | Node::TruncMod([a, b]) => at(a).plus(at(b).times(Congruence::ANY)),
        // a multiple of the divisor is divided exactly, whatever its sign
        Node::TruncDiv([a, b]) => {
            let multiple = |c: &i64| at(a).residue_mod(*c) == Some(0);
            facts(g, *b).constant().filter(|c| *c > 0).filter(multiple).map_or(Congruence::ANY, |c| at(a).floor_div(c))
        }
        Node::Min([a, b]) | Node::Max([a, b]) => at(a).join(at(b)),
        Node::Select([c, a, b]) => match facts(g, *c).interval {
            c if c.as_point() == Some(0) => at(b),
            c if !c.contains(0) => at(a),
            _ => at(a).join(at(b)),
        },
        // if the low bits are 0, a power of two divides the value
        _ if zeros & 1 != 0 => Congruence::new(1i64 << zeros.trailing_ones().min(62), 0),
        _ => Congruence::ANY,
    }
}

/// The bits that are 0 in every value. Only bit operations have such bits here.
fn zero_bits_of_node(g: &Graph, node: &Node) -> u64 {
    let at = |id: &Id| facts(g, *id).zero_bits();
    match node {
        Node::BitAnd([a, b]) => at(a) | at(b),
        Node::BitOr([a, b]) | Node::BitXor([a, b]) => at(a) & at(b),
        _ => 0,
    }
}

/// The weight of an operation: its own weight plus the weights of its operands. Remainders, products and bit operations
/// count twice. So of two ways to write a value, the one without these operations is lighter. `x & 7` then takes the
/// place of `x - x//8*8` in every sum. An operation that rounds towards zero is heavier than its floor form, and a
/// remainder is heavier than its quotient.
fn weight_of_node(g: &Graph, node: &Node) -> u32 {
    let operands = node.children().iter().fold(NODE, |w, &c| w.saturating_add(weight_of_class(g, c)));
    let extra = match node {
        Node::Mod(_) | Node::Product(_) | Node::TruncDiv(_) => NODE,
        Node::BitAnd(_) | Node::BitOr(_) | Node::BitXor(_) | Node::Shl(_) | Node::Shr(_) => NODE,
        Node::TruncMod(_) => 2 * NODE,
        _ => 0,
    };
    operands.saturating_add(extra).min(MAX_WEIGHT)
}

fn weight_of_class(g: &Graph, id: Id) -> u32 {
    let f = facts(g, id);
    match f.canon() {
        Some(lin) if !f.has_operation() => weight_of_form(g, lin),
        _ => f.weight.min(MAX_WEIGHT),
    }
}
