//! Represents an e-graph as an and-or graph, in which extraction chooses.
//!
//! The graph holds the candidates of all classes below the roots, and [`super::local_search`] chooses among them. A
//! *candidate* is one operation with the places of its operands. A *place* is a class in one of two roles: any value,
//! or an operation. The second role is needed because a term of a sum is never itself a sum. The cost of a choice is
//! the sum of the prices of all candidates that the roots reach. Each candidate counts once.

use crate::cost::fused::may_fuse;
use crate::cost::loop_nest::product_price;
use crate::cost::{Cost, CostModel, Operation};
use crate::domain::Interval;
use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::extract::choices::{Candidate, Choices, NEVER};
use crate::egraph::extract::loops::{Loops, Term, terms_of};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::language::price::{operation, operation_of_terms, sum_is_wide, sum_operation};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::spellings::spellings;
use crate::expr::Op;
use crate::rules::operator::Operator;
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// The number of price units, called fractions, in a tenth of an instruction. Surcharges of a few fractions break ties
/// between equal prices.
pub(crate) const FRACTION: u64 = 256;
/// The greatest price of a candidate. Thousands of these prices still add up without an overflow.
const MOST_PRICE: u64 = 1 << 50;
/// Surcharge, in fractions, for a sum that is never negative although the ranges of its terms do not prove it.
const HIDDEN_SIGN: u64 = 1;
/// Surcharge, in fractions, for a sum of negative terms. Of forms with the same cost, one with a positive term is
/// chosen.
const NEGATIVE: u64 = 1;
/// Surcharge, in fractions, for a fused operation. Of forms with the same cost, the plain one is chosen.
pub(super) const FUSED: u64 = 1;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Any,
    Operation,
}

/// The expression that a candidate writes.
#[derive(Clone, Debug)]
pub(crate) enum Write {
    Constant(i64),
    Variable(u32),
    /// A sum. The operands are the places of the terms.
    Sum(Rc<LinearForm>),
    /// A comparison of two sides. A side is the given constant, or the next operand if it is `None`.
    Compare(Op, [Option<i64>; 2]),
    /// A sum that is the side of comparisons and has no class.
    Side(Rc<LinearForm>),
    /// A partial sum in a loop. It has a price, but writes nothing, because sums are written as a whole.
    Part,
    /// A sum with a known range, divided by a number. The operands are the places of the terms. No other candidate
    /// reads the sum.
    QuotientOfSum(Rc<LinearForm>, Interval, i64),
    /// A number with its low bits cleared, in place of a multiple of a quotient: `x & -8` for `x//8*8`. The node is the
    /// quotient.
    ClearedBits(Node),
    /// Any other node. The operands are the places of its children.
    Node(Node),
}

/// The and-or graph of everything below the roots.
pub(crate) struct AndOrGraph {
    pub(crate) choices: Choices,
    /// For each candidate its class, and the expression that it writes.
    pub(crate) writes: Vec<(Id, Write)>,
}

pub(super) struct Builder<'a> {
    pub(super) e: &'a EGraph,
    pub(super) model: &'a dyn CostModel,
    pub(super) loops: Loops,
    pub(super) graph: AndOrGraph,
    /// The places of each class in its two roles. [`NEVER`] if there is no place yet.
    pub(super) ids: Vec<[u32; 2]>,
    quotients: FxHashMap<[Id; 2], u32>,
    /// The places of numbers with their low bits cleared, by the class of the quotient and the divisor.
    pub(super) cleared: FxHashMap<(Id, i64), u32>,
    /// The places of sums that are sides of comparisons and have no class.
    pub(super) sides: FxHashMap<Rc<LinearForm>, u32>,
    /// The places of numbers that are used as conditions.
    pub(super) tests: FxHashMap<Id, u32>,
    /// The places of truths that are used as numbers.
    pub(super) numbers: FxHashMap<Id, u32>,
    /// The places of classes that have both truths and numbers as operations.
    pub(super) kinds: FxHashMap<Id, Kinds>,
    /// The places of partial sums, by their terms and their constant.
    pub(super) parts: FxHashMap<(Vec<(Term, i128)>, i128), u32>,
    /// The classes of the roots. Empty if there are no loops.
    roots: Vec<Id>,
    todo: Vec<(u32, Id, Role)>,
    /// Comparisons that may read an existing sum with another constant.
    pub(super) comparisons: Vec<OffsetComparison>,
}

/// A comparison of a sum of several terms with 0. Its candidates are in `place`.
pub(super) struct OffsetComparison {
    pub(super) place: u32,
    pub(super) class: Id,
    pub(super) lin: Rc<LinearForm>,
    pub(super) relation: Relation,
}

/// The places of the operations of a class that has both truths and numbers.
#[derive(Clone, Copy)]
pub(super) struct Kinds {
    pub(super) numbers: u32,
    pub(super) truths: u32,
}

impl AndOrGraph {
    pub(crate) fn new(e: &EGraph, model: &dyn CostModel, roots: &[Id]) -> AndOrGraph {
        let mut b = Builder::new(e, model);
        if !b.loops.is_empty() {
            b.roots = roots.iter().map(|&r| e.graph.find(r)).collect();
        }
        b.graph.choices.roots = roots.iter().map(|&r| b.place(r, Role::Any)).collect();
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
            graph: AndOrGraph {
                choices: Choices { candidates, places, roots: Vec::new() },
                writes: Vec::with_capacity(2 * ids),
            },
            ids: vec![[NEVER; 2]; ids],
            quotients: FxHashMap::default(),
            cleared: FxHashMap::default(),
            sides: FxHashMap::default(),
            tests: FxHashMap::default(),
            numbers: FxHashMap::default(),
            kinds: FxHashMap::default(),
            parts: FxHashMap::default(),
            roots: Vec::new(),
            todo: Vec::with_capacity(ids),
            comparisons: Vec::new(),
        }
    }

    pub(super) fn fill(&mut self) {
        while let Some((place, id, role)) = self.todo.pop() {
            let candidates = self.candidates(place, id, role);
            self.graph.choices.places[place as usize] = candidates;
        }
        self.fill_conversions();
        self.compare_offset_sums();
    }

    pub(super) fn place(&mut self, id: Id, role: Role) -> u32 {
        let id = self.e.graph.find(id);
        // a class without sums has the same place in both roles
        let f = self.e.facts(id);
        let role =
            if f.has_operation() && f.spellings.is_empty() && f.canon().is_none() { Role::Operation } else { role };
        let known = &mut self.ids[usize::from(id)][role as usize];
        if *known == NEVER {
            *known = self.graph.choices.places.len() as u32;
            self.todo.push((*known, id, role));
            self.graph.choices.places.push(SmallVec::new());
        }
        *known
    }

    /// Adds a place whose candidates are added later.
    pub(super) fn open_place(&mut self) -> u32 {
        self.graph.choices.places.push(SmallVec::new());
        self.graph.choices.places.len() as u32 - 1
    }

    pub(super) fn push(
        &mut self,
        class: Id,
        write: Write,
        price: Cost,
        operands: SmallVec<[u32; 4]>,
        needs: Option<u32>,
    ) -> u32 {
        // a price that does not fit is capped, because such a candidate is practically never chosen
        let price = price.tenths().saturating_mul(FRACTION).min(MOST_PRICE);
        self.graph.writes.push((class, write));
        self.graph.choices.candidates.push(Candidate { price, operands, needs });
        self.graph.choices.candidates.len() as u32 - 1
    }

    fn candidates(&mut self, place: u32, id: Id, role: Role) -> SmallVec<[u32; 4]> {
        let mut out = SmallVec::new();
        let e = self.e;
        if let Some(c) = e.facts(id).constant() {
            out.push(self.push(id, Write::Constant(c), Cost::ZERO, SmallVec::new(), None));
            return out;
        }
        if role == Role::Any {
            // first operations, then sums
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
                // `x - x//8*8` needs no candidate that clears bits if the class has `x % 8`, which costs at most as
                // much
                let clearing = if e.facts(id).has(Operator::Mod) { None } else { self.clearing_sum(id, &lin) };
                // a compiler that reads the text knows only the ranges that follow from the terms
                let hidden = e.facts(id).interval.is_nonneg() && !range_by_terms(&e.graph, &lin).is_nonneg();
                let is_negative = lin.constant <= 0 && lin.len() > 1 && lin.coeffs().iter().all(|&c| c < 0);
                let candidate = self.push(id, Write::Sum(lin), price, operands, None);
                let surcharge = if hidden { HIDDEN_SIGN } else { 0 } + if is_negative { NEGATIVE } else { 0 };
                let price = &mut self.graph.choices.candidates[candidate as usize].price;
                *price = price.saturating_add(surcharge);
                out.push(candidate);
                out.extend(clearing);
            }
            return out;
        }
        if !e.facts(id).has_operation() {
            // a term of a canonical form always has an operation, so this is only a safeguard
            out.push({
                let any = self.place(id, Role::Any);
                self.push(id, Write::Sum(Rc::new(LinearForm::atom(id))), Cost::ZERO, SmallVec::from_slice(&[any]), None)
            });
            return out;
        }
        for node in e.nodes(id) {
            self.node_candidates(place, id, node, &mut out);
        }
        self.by_kind(id, out)
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
                    let price = self.graph.choices.candidates[quotient as usize].price;
                    if may_fuse(cost_of(price)) {
                        self.quotients_of_sums(id, *a, *b, out);
                    }
                }
            }
            Node::Mod([a, b]) => {
                let operands: SmallVec<[u32; 4]> = [*a, *b].iter().map(|&c| self.place(c, Role::Any)).collect();
                let price = |quotient| {
                    let price = operation(node, range(id), &range, quotient);
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
                let operation = operation(node, range(id), &range, false);
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

    /// The places of the terms of a sum. Truths are converted to numbers.
    pub(super) fn operations(&mut self, lin: &LinearForm) -> SmallVec<[u32; 4]> {
        lin.terms().iter().map(|&t| self.number(t)).collect()
    }

    pub(super) fn is_root(&self, id: Id) -> bool {
        !self.loops.is_empty() && self.roots.contains(&id)
    }

    /// The price of a sum. `cleared` holds the divisors of its terms as in [`Term`], and is empty if no term has
    /// cleared bits. In loops, this is the price of the last partial sum. The partial sum before it is added to
    /// `operands`, although it is not written separately.
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

    /// The only candidate of a division. The class of the quotient and the remainders of the same operands share this
    /// candidate.
    fn quotient(&mut self, id: Id, a: Id, b: Id) -> u32 {
        let (a, b) = (self.e.graph.find(a), self.e.graph.find(b));
        if let Some(&q) = self.quotients.get(&[a, b]) {
            return q;
        }
        let e = self.e;
        let node = Node::Div([a, b]);
        let range = |i: Id| e.facts(i).interval;
        let price = operation(&node, range(id), &range, false).map_or(Cost::ZERO, |o| self.model.price(&o));
        let price = self.loops.executed(e, price, &[a, b]);
        let operands = [a, b].iter().map(|&c| self.place(c, Role::Any)).collect();
        let q = self.push(id, Write::Node(node), price, operands, None);
        self.quotients.insert([a, b], q);
        q
    }
}

/// Converts a sum of prices in fractions to a cost, rounded down to tenths of an instruction.
pub(crate) fn cost_of(fractions: u64) -> Cost {
    Cost::from_tenths(fractions >> FRACTION.trailing_zeros())
}
