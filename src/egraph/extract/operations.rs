//! The e-graph as an and-or graph, and the DAG cost of a choice in it.
//!
//! What goes in are an e-graph, a cost model and the roots that are wanted; what comes out is the graph of their candidates,
//! which [`super::selection`] searches. A *candidate* is one operation with the places its operands come from; a
//! *place* is a class in one of two roles, any value or an operation (a term of a sum is never itself a sum). The cost
//! of a choice is the sum of the prices of all candidates reached from the roots, each counted once.

use crate::cost::fused::may_fuse;
use crate::cost::loop_nest::{executed, product_price};
use crate::cost::{Cost, CostModel, Operation};
use crate::domain::Interval;
use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::extract::loops::{Loops, Term, comparison_of_part, terms_of};
use crate::egraph::extract::offset_sums::{OffsetSums, Reading};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::language::price::{
    comparison_operation, operation, operation_of_terms, side_comparison_operation, sum_is_wide, sum_operation,
};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::spellings::spellings;
use crate::rules::operator::Operator;
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Prices are counted in this fraction of a tenth of an instruction, so that tie-breaks stay below any price.
pub(super) const FRACTION: u64 = 256;
/// A price beyond this counts as this: thousands of them add up to what a number holds.
const MOST_PRICE: u64 = 1 << 50;
/// Surcharge, in fractions, for a sum that is never negative but whose terms do not show it.
const HIDDEN_SIGN: u64 = 1;
/// Surcharge, in fractions, for several operations that are one together: of forms that cost the same, the plain one is taken.
pub(super) const FUSED: u64 = 1;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Any,
    Operation,
}

/// What a candidate writes.
#[derive(Clone, Debug)]
pub(crate) enum Write {
    Constant(i64),
    Variable(u32),
    /// Operands are the places of the terms.
    Sum(Rc<LinearForm>),
    /// `lin` compared with 0.
    Compare {
        lin: Rc<LinearForm>,
        relation: Relation,
    },
    /// The same with some terms on the left and everything else on the right, where it is computed less often.
    CompareHoisted {
        lin: Rc<LinearForm>,
        relation: Relation,
        /// Of each term whether it stands on the left.
        left: SmallVec<[bool; 8]>,
    },
    /// A sum that is the side of comparisons and no class of its own.
    Side(Rc<LinearForm>),
    /// Nothing: what it stands for is part of sums that are written as a whole.
    Part,
    /// The operand's place compared with a constant: `side + constant`, or `-side + constant` when flipped, with 0.
    CompareSide {
        constant: i64,
        flipped: bool,
        relation: Relation,
    },
    /// The sum, of which the range is known, divided by a number; operands are the places of the terms. Nothing else reads the sum.
    QuotientOfSum(Rc<LinearForm>, Interval, i64),
    /// Any other node; operands are the places of its children.
    Node(Node),
}

#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) write: Write,
    pub(crate) class: Id,
    pub(crate) price: u64,
    pub(crate) operands: SmallVec<[u32; 4]>,
    /// The quotient that makes this remainder cheap: a candidate, not a place.
    pub(crate) needs: Option<u32>,
}

/// The and-or graph of everything below the roots.
pub(crate) struct AndOrGraph {
    pub(crate) candidates: Vec<Candidate>,
    /// Candidates of each place, and the class.
    pub(crate) places: Vec<SmallVec<[u32; 4]>>,
    pub(crate) roots: Vec<u32>,
}

pub(super) struct Builder<'a> {
    pub(super) e: &'a EGraph,
    pub(super) model: &'a dyn CostModel,
    pub(super) loops: Loops,
    pub(super) graph: AndOrGraph,
    /// The places of each class in its two roles, [`NEVER`] where there is none yet.
    ids: Vec<[u32; 2]>,
    quotients: FxHashMap<[Id; 2], u32>,
    /// The places of numbers with their low bits cleared, by the class of the quotient and the divisor.
    pub(super) cleared: FxHashMap<(Id, i64), u32>,
    sides: FxHashMap<Rc<LinearForm>, u32>,
    /// The places of numbers that are conditions.
    pub(super) tests: FxHashMap<Id, u32>,
    /// The places of truths that are numbers.
    pub(super) numbers: FxHashMap<Id, u32>,
    /// The places of parts of sums, by their terms and their constant.
    pub(super) parts: FxHashMap<(Vec<(Term, i128)>, i128), u32>,
    /// The classes that are wanted, where there are loops.
    roots: Vec<Id>,
    todo: Vec<(u32, Id, Role)>,
    comparisons: Vec<Comparison>,
}

/// A spelling of a comparison whose candidates are in `place`.
struct Comparison {
    place: u32,
    class: Id,
    lin: Rc<LinearForm>,
    relation: Relation,
}

impl AndOrGraph {
    pub(crate) fn new(e: &EGraph, model: &dyn CostModel, roots: &[Id]) -> AndOrGraph {
        let mut b = Builder::new(e, model);
        if !b.loops.is_empty() {
            b.roots = roots.iter().map(|&r| e.graph.find(r)).collect();
        }
        b.graph.roots = roots.iter().map(|&r| b.place(r, Role::Any)).collect();
        b.fill();
        b.graph
    }
}

impl<'a> Builder<'a> {
    pub(super) fn new(e: &'a EGraph, model: &'a dyn CostModel) -> Builder<'a> {
        let ids = e.graph.nodes().len();
        let (candidates, places) = (Vec::with_capacity(2 * ids), Vec::with_capacity(ids));
        Builder {
            e,
            model,
            loops: Loops::new(e),
            graph: AndOrGraph { candidates, places, roots: Vec::new() },
            ids: vec![[NEVER; 2]; ids],
            quotients: FxHashMap::default(),
            cleared: FxHashMap::default(),
            sides: FxHashMap::default(),
            tests: FxHashMap::default(),
            numbers: FxHashMap::default(),
            parts: FxHashMap::default(),
            roots: Vec::new(),
            todo: Vec::with_capacity(ids),
            comparisons: Vec::new(),
        }
    }

    pub(super) fn fill(&mut self) {
        while let Some((place, id, role)) = self.todo.pop() {
            let candidates = self.candidates(place, id, role);
            self.graph.places[place as usize] = candidates;
        }
        self.fill_numbers();
        self.compare_offset_sums();
    }

    /// Lets comparisons read sums that are there for something else, with whatever constant.
    fn compare_offset_sums(&mut self) {
        let comparisons = std::mem::take(&mut self.comparisons);
        if comparisons.is_empty() {
            return;
        }
        let mut sums = OffsetSums::default();
        for &[place, _] in self.ids.iter().filter(|places| places[Role::Any as usize] != NEVER) {
            let mut last: Option<&Rc<LinearForm>> = None;
            for &candidate in &self.graph.places[place as usize] {
                // a sum without constant is the side of its comparisons already, and one that clears bits stands beside its other form
                if let Write::Sum(lin) = &self.graph.candidates[candidate as usize].write
                    && lin.constant != 0
                    && last.is_none_or(|l| !Rc::ptr_eq(l, lin))
                {
                    sums.insert(place, lin);
                    last = Some(lin);
                }
            }
        }
        for Comparison { place, class, lin, relation } in comparisons {
            for Reading { place: sum, constant, flipped } in sums.readings(&lin) {
                let price = self.model.price(&side_comparison_operation(&lin, &|t| self.e.facts(t).interval));
                let price = self.loops.executed(self.e, price, lin.terms());
                let write = Write::CompareSide { constant, flipped, relation };
                let candidate = self.push(class, write, price, SmallVec::from_slice(&[sum]), None);
                self.graph.places[place as usize].push(candidate);
            }
        }
    }

    pub(super) fn place(&mut self, id: Id, role: Role) -> u32 {
        let id = self.e.graph.find(id);
        // a class without sums is the same place in both roles
        let f = self.e.facts(id);
        let role =
            if f.has_operation() && f.spellings.is_empty() && f.canon().is_none() { Role::Operation } else { role };
        let known = &mut self.ids[usize::from(id)][role as usize];
        if *known == NEVER {
            *known = self.graph.places.len() as u32;
            self.todo.push((*known, id, role));
            self.graph.places.push(SmallVec::new());
        }
        *known
    }

    pub(super) fn push(
        &mut self,
        class: Id,
        write: Write,
        price: Cost,
        operands: SmallVec<[u32; 4]>,
        needs: Option<u32>,
    ) -> u32 {
        // a price so high that it does not fit in fractions is as good as never chosen
        let price = price.tenths().saturating_mul(FRACTION).min(MOST_PRICE);
        self.graph.candidates.push(Candidate { write, class, price, operands, needs });
        self.graph.candidates.len() as u32 - 1
    }

    fn candidates(&mut self, place: u32, id: Id, role: Role) -> SmallVec<[u32; 4]> {
        let mut out = SmallVec::new();
        let e = self.e;
        if let Some(c) = e.facts(id).constant() {
            out.push(self.push(id, Write::Constant(c), Cost::ZERO, SmallVec::new(), None));
            return out;
        }
        if role == Role::Any {
            // operations, and then sums
            if e.facts(id).has_operation() {
                let operations = self.place(id, Role::Operation);
                let lin = Rc::new(LinearForm::atom(id));
                out.push(self.push(id, Write::Sum(lin), Cost::ZERO, SmallVec::from_slice(&[operations]), None));
            }
            for lin in spellings(e, id) {
                if lin.as_atom().is_some() {
                    continue;
                }
                let mut operands = self.operations(&lin);
                let price = self.sum_price(&lin, &[], self.is_root(id), &mut operands);
                self.moved_quotients(id, &lin, &mut out);
                // a remainder takes no more than clearing its other bits
                let clearing = if e.facts(id).has(Operator::Mod) { None } else { self.clearing_sum(id, &lin) };
                // whoever reads the text sees ranges only as far as the terms tell them
                let hidden = e.facts(id).interval.is_nonneg() && !range_by_terms(&e.graph, &lin).is_nonneg();
                let candidate = self.push(id, Write::Sum(lin), price, operands, None);
                let price = &mut self.graph.candidates[candidate as usize].price;
                *price = price.saturating_add(if hidden { HIDDEN_SIGN } else { 0 });
                out.push(candidate);
                out.extend(clearing);
            }
            return out;
        }
        if !e.facts(id).has_operation() {
            // cannot be a term of a tidy sum; be safe
            out.push({
                let any = self.place(id, Role::Any);
                self.push(id, Write::Sum(Rc::new(LinearForm::atom(id))), Cost::ZERO, SmallVec::from_slice(&[any]), None)
            });
            return out;
        }
        for node in e.nodes(id) {
            self.node_candidates(place, id, node, &mut out);
        }
        out
    }

    fn node_candidates(&mut self, place: u32, id: Id, node: &Node, out: &mut SmallVec<[u32; 4]>) {
        let e = self.e;
        let range = |i: Id| e.facts(i).interval;
        match node {
            Node::Sum(_) | Node::Const(_) => {}
            Node::Var(v) => out.push(self.push(id, Write::Variable(*v), Cost::ZERO, SmallVec::new(), None)),
            Node::NonNeg([x]) => self.comparisons(place, id, *x, Relation::NonNegative, out),
            Node::Zero([x]) => self.comparisons(place, id, *x, Relation::Zero, out),
            Node::Div([a, b]) => {
                let quotient = self.quotient(id, *a, *b);
                if !out.contains(&quotient) {
                    out.push(quotient);
                    let price = self.graph.candidates[quotient as usize].price;
                    if may_fuse(cost_of(price)) {
                        self.quotients_of_sums(id, *a, *b, out);
                    }
                }
            }
            Node::Mod([a, b]) => {
                let operands: SmallVec<[u32; 4]> = [*a, *b].iter().map(|&c| self.place(c, Role::Any)).collect();
                let price = |quotient| {
                    let price = operation(node, &|i| e.facts(i).interval, quotient);
                    self.loops.executed(e, price.map_or(Cost::ZERO, |o| self.model.price(&o)), &[*a, *b])
                };
                let (alone, shared) = (price(false), price(true));
                if shared < alone
                    && let Some(q) = e.graph.lookup(Node::Div([*a, *b]))
                {
                    let q = self.quotient(e.graph.find(q), *a, *b);
                    out.push(self.push(id, Write::Node(node.clone()), shared, operands.clone(), Some(q)));
                }
                out.push(self.push(id, Write::Node(node.clone()), alone, operands, None));
            }
            _ => {
                let operation = operation(node, &|i| range(i), false);
                let children = egg::Language::children(node);
                let price = match operation {
                    Some(Operation::Product { wide, .. }) if !self.loops.is_empty() => {
                        product_price(self.model, children.iter().map(|&f| self.loops.times(e, f)).collect(), wide)
                    }
                    _ => self.loops.executed(e, operation.map_or(Cost::ZERO, |o| self.model.price(&o)), children),
                };
                let operands = match node {
                    Node::And(x) | Node::Or(x) => x.iter().map(|&c| self.condition(c)).collect(),
                    Node::Not([x]) => SmallVec::from_slice(&[self.condition(*x)]),
                    Node::Select([c, a, b]) => {
                        let c = self.condition(*c);
                        [c].into_iter().chain([*a, *b].map(|x| self.place(x, Role::Any))).collect()
                    }
                    _ => egg::Language::children(node).iter().map(|&c| self.place(c, Role::Any)).collect(),
                };
                out.push(self.push(id, Write::Node(node.clone()), price, operands, None));
            }
        }
    }

    /// The candidates of the class `id` that compare `x` with 0, for `place`.
    fn comparisons(&mut self, place: u32, id: Id, x: Id, relation: Relation, out: &mut SmallVec<[u32; 4]>) {
        let e = self.e;
        let range = |i: Id| e.facts(i).interval;
        for lin in spellings(e, x) {
            let mut operands = match lin.terms() {
                // compared with a constant, a truth is one
                [term] => SmallVec::from_slice(&[self.place(*term, Role::Operation)]),
                _ => self.operations(&lin),
            };
            let hoisted = self.hoisted_comparison(&lin, &mut operands);
            let price = hoisted.as_ref().map_or_else(|| self.comparison_price(&lin, relation), |h| h.1);
            let side = self.side(&lin);
            // the side that others may share goes first: it wins where both cost the same
            if let Some((side, flipped)) = side {
                let price = self.model.price(&side_comparison_operation(&lin, &range));
                let price = self.loops.executed(e, price, lin.terms());
                let write = Write::CompareSide { constant: lin.constant, flipped, relation };
                out.push(self.push(id, write, price, SmallVec::from_slice(&[side]), None));
            }
            let write = match hoisted {
                Some((left, _)) => Write::CompareHoisted { lin: lin.clone(), relation, left },
                None => Write::Compare { lin: lin.clone(), relation },
            };
            out.push(self.push(id, write, price, operands, None));
            if lin.len() > 1 {
                self.comparisons.push(Comparison { place, class: id, lin, relation });
            }
        }
    }

    /// The places of the terms of a sum, as numbers.
    pub(super) fn operations(&mut self, lin: &LinearForm) -> SmallVec<[u32; 4]> {
        lin.terms().iter().map(|&t| self.number(t)).collect()
    }

    pub(super) fn is_root(&self, id: Id) -> bool {
        !self.loops.is_empty() && self.roots.contains(&id)
    }

    /// The price of a sum, `cleared` the divisors of its terms as in [`Term`], empty where no bits are cleared. In loops it is that of its
    /// last part; the part before becomes one more of the `operands`, which nobody writes.
    pub(super) fn sum_price(
        &mut self,
        lin: &LinearForm,
        cleared: &[i64],
        is_root: bool,
        operands: &mut SmallVec<[u32; 4]>,
    ) -> Cost {
        let range = |t: Id| self.e.facts(t).interval;
        if self.loops.is_empty() && cleared.is_empty() {
            return self.model.price(&sum_operation(lin, &range));
        }
        let wide = sum_is_wide(lin, &range);
        let (terms, constant) = terms_of(lin, cleared);
        if self.loops.is_empty() {
            return self.model.price(&operation_of_terms(terms.iter().map(|t| t.0), constant, wide));
        }
        let mut parts = self.loops.parts(self.e, &terms, constant, is_root);
        let Some(last) = parts.pop() else { return Cost::ZERO };
        operands.extend(self.part(parts, wide));
        last.price(self.model, wide, |t| self.loops.hoists(self.e, t.class, last.times))
    }

    /// The price of comparing `lin` with 0.
    fn comparison_price(&self, lin: &LinearForm, relation: Relation) -> Cost {
        let price = self.model.price(&comparison_operation(lin, relation, &|t| self.e.facts(t).interval));
        self.loops.executed(self.e, price, lin.terms())
    }

    /// Where some terms of `lin` are computed less often than others: which terms are those others, and the price of comparing these with
    /// the sum of the rest, which becomes one more of the `operands`.
    fn hoisted_comparison(
        &mut self,
        lin: &LinearForm,
        operands: &mut SmallVec<[u32; 4]>,
    ) -> Option<(SmallVec<[bool; 8]>, Cost)> {
        if self.loops.is_empty() {
            return None;
        }
        let (terms, constant) = terms_of(lin, &[]);
        let mut parts = self.loops.parts(self.e, &terms, constant, false);
        let last = parts.pop().filter(|_| !parts.is_empty())?;
        let wide = sum_is_wide(lin, &|t| self.e.facts(t).interval);
        operands.extend(self.part(parts, wide));
        let price = executed(self.model.price(&comparison_of_part(&last, wide)), last.times);
        Some((lin.terms().iter().map(|&t| self.loops.times(self.e, t) == last.times).collect(), price))
    }

    /// The place of a comparison's terms without the constant, first coefficient positive, and whether that took a
    /// change of sign. Comparisons of one sum with several constants share it.
    fn side(&mut self, lin: &LinearForm) -> Option<(u32, bool)> {
        // the constant changes sides, so it must have a negative
        if lin.len() < 2 || lin.constant == i64::MIN {
            return None;
        }
        let flipped = lin.coeffs()[0] < 0;
        let terms = lin.terms_only();
        let terms = Rc::new(if flipped { terms.scaled(-1)? } else { terms });
        if let Some(id) = self.e.graph.lookup(Node::Sum(terms.clone())) {
            return Some((self.place(id, Role::Any), flipped));
        }
        if let Some(&place) = self.sides.get(&terms) {
            return Some((place, flipped));
        }
        let mut operands = self.operations(&terms);
        let price = self.sum_price(&terms, &[], false, &mut operands);
        let place = self.graph.places.len() as u32;
        let candidate = self.push(terms.terms()[0], Write::Side(terms.clone()), price, operands, None);
        self.graph.places.push(SmallVec::from_slice(&[candidate]));
        self.sides.insert(terms, place);
        Some((place, flipped))
    }

    /// The one candidate of a division, shared by its class and by the remainders next to it.
    fn quotient(&mut self, id: Id, a: Id, b: Id) -> u32 {
        let (a, b) = (self.e.graph.find(a), self.e.graph.find(b));
        if let Some(&q) = self.quotients.get(&[a, b]) {
            return q;
        }
        let e = self.e;
        let node = Node::Div([a, b]);
        let price = operation(&node, &|i| e.facts(i).interval, false).map_or(Cost::ZERO, |o| self.model.price(&o));
        let price = self.loops.executed(e, price, &[a, b]);
        let operands = [a, b].iter().map(|&c| self.place(c, Role::Any)).collect();
        let q = self.push(id, Write::Node(node), price, operands, None);
        self.quotients.insert([a, b], q);
        q
    }
}

pub(crate) const NEVER: u32 = u32::MAX;

/// The cost that a sum of prices in fractions is.
pub(crate) fn cost_of(fractions: u64) -> Cost {
    Cost::from_tenths(fractions >> FRACTION.trailing_zeros())
}

impl AndOrGraph {
    /// The price of `candidate` in fractions, with that of the quotient it needs, its operands left out.
    pub(crate) fn price_alone(&self, candidate: u32) -> u64 {
        let o = &self.candidates[candidate as usize];
        o.price.saturating_add(o.needs.map_or(0, |q| self.candidates[q as usize].price))
    }
}

/// A candidate for tests; what it writes does not matter.
#[cfg(test)]
pub(crate) fn candidate(price: u32, operands: &[u32], needs: Option<u32>) -> Candidate {
    let operands = SmallVec::from_slice(operands);
    Candidate { write: Write::Constant(0), class: Id::from(0), price: price.into(), operands, needs }
}

/// A problem for tests: its candidates, and for each place those it can choose.
#[cfg(test)]
pub(crate) fn problem(candidates: Vec<Candidate>, choices: &[&[u32]], roots: &[u32]) -> AndOrGraph {
    AndOrGraph { candidates, places: choices.iter().map(|c| SmallVec::from_slice(c)).collect(), roots: roots.to_vec() }
}
