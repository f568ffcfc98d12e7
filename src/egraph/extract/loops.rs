//! Computes how often candidates are executed in loops.
//!
//! The input is classes and nodes. The output is how often the value of a class is computed, and the price of an
//! operation multiplied by this number.

use crate::cost::Cost;
use crate::cost::fused::left_of_constant;
use crate::cost::loop_nest::{Dependence, LoopNest, PartialSum, executed};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::spellings::spellings;
use crate::rules::operator::Operator;
use egg::{Id, Language};
use smallvec::SmallVec;

/// A term of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Term {
    pub(super) class: Id,
    /// The divisor, if the class is a quotient and the term is its numerator with the low bits cleared. Otherwise 0.
    pub(super) cleared: i64,
}

/// How often the value of each class is computed.
pub(super) struct Loops {
    /// The loops that each class depends on, by id. Empty if there are no loops.
    of_classes: Vec<Dependence>,
}

impl Loops {
    /// Finds for each class the node or spelling that is computed least often. Passes over the classes repeat until
    /// nothing changes. If the e-graph has no cycles and operands are older than their users, the time is linear.
    pub(super) fn new(e: &EGraph) -> Loops {
        let nest = e.loops();
        if nest.is_empty() {
            return Loops { of_classes: Vec::new() };
        }
        let mut known: Vec<Option<Dependence>> = vec![None; e.graph.nodes().len()];
        let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).collect();
        ids.sort_unstable();
        loop {
            let mut changed = false;
            for &id in &ids {
                let new = least(e, nest, id, &known);
                if new.is_some() && new != known[usize::from(id)] {
                    known[usize::from(id)] = new;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let unknown = nest.of_variable(usize::MAX);
        Loops { of_classes: known.into_iter().map(|d| d.unwrap_or(unknown)).collect() }
    }

    /// Whether there are no loops.
    pub(super) fn is_empty(&self) -> bool {
        self.of_classes.is_empty()
    }

    /// How often the value of `id` is computed.
    pub(super) fn times(&self, e: &EGraph, id: Id) -> u64 {
        e.loops().times(self.of(e, id))
    }

    fn of(&self, e: &EGraph, id: Id) -> Dependence {
        self.of_classes.get(usize::from(e.graph.find(id))).copied().unwrap_or(Dependence::ONCE)
    }

    /// The price of an operation on `operands`, multiplied by how often the operation is computed.
    pub(super) fn executed(&self, e: &EGraph, price: Cost, operands: &[Id]) -> Cost {
        if self.is_empty() {
            return price;
        }
        // if one operand differs between the copies of an unrolled loop and the other is computed once, the operation
        // is computed in each copy
        let all = operands.iter().map(|&id| self.of(e, id)).fold(Dependence::NONE, Dependence::and);
        executed(price, e.loops().times(all))
    }

    /// The partial sums in which the sum of `terms` and `constant` is computed. If the sum `is_offset` of an address,
    /// the constants that copies of a loop add are left out.
    pub(super) fn parts(
        &self,
        e: &EGraph,
        terms: &[(i64, Term)],
        constant: i64,
        is_offset: bool,
    ) -> Vec<PartialSum<Term>> {
        let terms = terms.iter().map(|&(c, t)| (self.times(e, t.class), t, i128::from(c))).collect();
        PartialSum::parts(terms, constant.into(), is_offset)
    }

    /// Whether `id` is a product with a factor that is computed less often than `times`.
    pub(super) fn hoists(&self, e: &EGraph, id: Id, times: u64) -> bool {
        e.facts(id).has(Operator::Product) && e.factors(id).iter().any(|&f| self.times(e, f) < times)
    }
}

/// The terms of `lin` with their coefficients, and its constant. A term with cleared bits has the coefficient 1 or -1.
/// `cleared` is empty if no term has cleared bits.
pub(super) fn terms_of(lin: &LinearForm, cleared: &[i64]) -> (SmallVec<[(i64, Term); 8]>, i64) {
    let divisor = |i: usize| cleared.get(i).copied().unwrap_or(0);
    let term = |(i, (c, class)): (usize, (i64, Id))| {
        let cleared = divisor(i);
        (if cleared == 0 { c } else { c.signum() }, Term { class, cleared })
    };
    let clearing = lin.coeffs().iter().enumerate().filter(|(i, _)| divisor(*i) != 0).map(|(_, &c)| i128::from(c));
    let constant = if left_of_constant(clearing, lin.constant.into()) == 0 { 0 } else { lin.constant };
    (lin.iter().enumerate().map(term).collect(), constant)
}

/// The loops that `id` depends on, for the node or spelling that is computed least often. `known` holds the current
/// results of its operands.
fn least(e: &EGraph, nest: &LoopNest, id: Id, known: &[Option<Dependence>]) -> Option<Dependence> {
    if e.facts(id).constant().is_some() {
        return Some(Dependence::NONE);
    }
    let of =
        |ids: &[Id]| ids.iter().try_fold(Dependence::NONE, |d, &c| Some(d.and(known[usize::from(e.graph.find(c))]?)));
    let nodes = e.nodes(id).iter().filter_map(|node| match node {
        Node::Var(v) => Some(nest.of_variable(*v as usize)),
        Node::Sum(_) => None,
        node => of(node.children()),
    });
    let spellings = spellings(e, id);
    let sums = spellings.iter().filter(|s| s.as_atom().is_none()).filter_map(|s| of(s.terms()));
    let before = known[usize::from(id)];
    before.into_iter().chain(nodes).chain(sums).min_by_key(|d| nest.times(*d))
}
