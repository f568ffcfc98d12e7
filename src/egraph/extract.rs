//! Choosing the cheapest members: the DAG cost over all roots together.
//!
//! The e-graph is read as an and-or graph. An *option* is one operation with the places its operands come from; a
//! *place* is a class in one of two roles, any value or an operation (a term of a sum is never itself a sum). The cost
//! of a choice is the sum of the prices of all options reached from the roots, each counted once.
//!
//! The search is greedy with local improvement: cheapest trees first, then single changes as long as one lowers the
//! cost of the whole. [`Selection`] is the seam for an exact search: any other assignment of options to places can take
//! its place.

mod reach;
mod trees;

use super::facts::lin_facts;
use super::firing::Before;
use super::graph::EClasses;
use super::lin::Lin;
use super::node::Node;
use super::price::{compare_shape, is_wide, operation, sum_is_wide, sum_shape};
use crate::cost::{CostModel, Operation};
use egg::Id;
use reach::{Reach, Uses};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;
use trees::cheapest_trees;

/// Single changes are tried up to this many places; beyond, the trees' choice stands.
const MAX_IMPROVED_PLACES: usize = 400;
/// Passes over all places.
const MAX_PASSES: usize = 2;

/// Prices are counted in this fraction of the model's unit, so that tie-breaks stay below any price.
const FRACTION: u32 = 256;
/// Surcharge, in fractions, for a sum that is never negative but whose terms do not show it.
const HIDDEN_SIGN: u32 = 1;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Any,
    Operation,
}

/// What an option writes.
#[derive(Clone, Debug)]
pub(crate) enum Write {
    Constant(i64),
    Variable(u32),
    /// Operands are the places of the terms.
    Sum(Rc<Lin>),
    /// `lin >= 0` (or `== 0`).
    Compare {
        lin: Rc<Lin>,
        zero: bool,
    },
    /// A sum that is the side of comparisons and no class of its own.
    Side(Rc<Lin>),
    /// The operand's place compared with a constant: `side + constant >= 0`, or `-side + constant >= 0` when flipped.
    CompareSide {
        constant: i64,
        flipped: bool,
        zero: bool,
    },
    /// Any other node; operands are the places of its children.
    Node(Node),
}

#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) write: Write,
    pub(crate) class: Id,
    price: u32,
    pub(crate) operands: SmallVec<[u32; 4]>,
    /// The quotient that makes this remainder cheap: an option, not a place.
    needs: Option<u32>,
}

/// The and-or graph of everything below the roots.
pub(crate) struct Problem {
    pub(crate) options: Vec<Choice>,
    /// Options of each place, and the class.
    pub(crate) places: Vec<SmallVec<[u32; 4]>>,
    pub(crate) roots: Vec<u32>,
}

/// One option for each place.
pub(crate) struct Selection {
    pub(crate) chosen: Vec<u32>,
    /// In fractions; `None` when the selection has a cycle.
    cost: Option<u64>,
}

struct Builder<'a> {
    e: &'a EClasses,
    model: &'a dyn CostModel,
    problem: Problem,
    /// The places of each class in its two roles, [`NEVER`] where there is none yet.
    ids: Vec<[u32; 2]>,
    quotients: FxHashMap<[Id; 2], u32>,
    sides: FxHashMap<Rc<Lin>, u32>,
    todo: Vec<(u32, Id, Role)>,
}

impl Problem {
    pub(crate) fn new(e: &EClasses, model: &dyn CostModel, roots: &[Id]) -> Problem {
        let mut b = Builder::new(e, model);
        b.problem.roots = roots.iter().map(|&r| b.place(r, Role::Any)).collect();
        b.fill();
        b.problem
    }

    /// Two roots, `node` and `lin` as they stand, their operands open: for showing a step.
    pub(crate) fn step(e: &EClasses, model: &dyn CostModel, from: &Before, to: &Lin) -> Problem {
        let mut b = Builder::new(e, model);
        b.problem.roots = vec![0, 1];
        b.problem.places.resize(4, SmallVec::new());
        let nowhere = Id::from(0);
        let sum = |b: &mut Builder, lin: Rc<Lin>| {
            let operands = lin.terms().iter().map(|&t| b.place(t, Role::Operation)).collect();
            b.push(nowhere, Write::Sum(lin), 0, operands, None)
        };
        let comparison = |b: &mut Builder, lin: Rc<Lin>, zero: bool| {
            let operands = lin.terms().iter().map(|&t| b.place(t, Role::Operation)).collect();
            b.push(nowhere, Write::Compare { lin, zero }, 0, operands, None)
        };
        let before = match from {
            Before::Sum(l) => sum(&mut b, l.clone()),
            Before::Node(Node::NonNeg([x]) | Node::Zero([x])) => {
                comparison(&mut b, e.canonical(*x), matches!(from, Before::Node(Node::Zero(_))))
            }
            Before::Comparison { sum, zero } => comparison(&mut b, sum.clone(), *zero),
            Before::Quotient(x, n) => {
                // two places of their own for what has no class
                let numerator = sum(&mut b, x.clone());
                let divisor = b.push(nowhere, Write::Constant(*n), 0, SmallVec::new(), None);
                b.problem.places[2].push(numerator);
                b.problem.places[3].push(divisor);
                b.push(nowhere, Write::Node(Node::Div([nowhere; 2])), 0, SmallVec::from_slice(&[2, 3]), None)
            }
            Before::Node(n) => {
                let operands = egg::Language::children(n).iter().map(|&c| b.place(c, Role::Any)).collect();
                b.push(nowhere, Write::Node(n.clone()), 0, operands, None)
            }
        };
        let after = sum(&mut b, Rc::new(to.clone()));
        b.problem.places[0].push(before);
        b.problem.places[1].push(after);
        b.fill();
        b.problem
    }
}

impl<'a> Builder<'a> {
    fn new(e: &'a EClasses, model: &'a dyn CostModel) -> Builder<'a> {
        let ids = e.graph.nodes().len();
        let (options, places) = (Vec::with_capacity(2 * ids), Vec::with_capacity(ids));
        Builder {
            e,
            model,
            problem: Problem { options, places, roots: Vec::new() },
            ids: vec![[NEVER; 2]; ids],
            quotients: FxHashMap::default(),
            sides: FxHashMap::default(),
            todo: Vec::with_capacity(ids),
        }
    }

    fn fill(&mut self) {
        while let Some((place, id, role)) = self.todo.pop() {
            let options = self.options(id, role);
            self.problem.places[place as usize] = options;
        }
    }

    fn place(&mut self, id: Id, role: Role) -> u32 {
        let id = self.e.graph.find(id);
        // a class without sums is the same place in both roles
        let f = self.e.facts(id);
        let role =
            if f.weight != u32::MAX && f.forms.is_empty() && f.canon().is_none() { Role::Operation } else { role };
        let known = &mut self.ids[usize::from(id)][role as usize];
        if *known == NEVER {
            *known = self.problem.places.len() as u32;
            self.todo.push((*known, id, role));
            self.problem.places.push(SmallVec::new());
        }
        *known
    }

    fn push(&mut self, class: Id, write: Write, price: u32, operands: SmallVec<[u32; 4]>, needs: Option<u32>) -> u32 {
        // a price so high that it does not fit in fractions is as good as never chosen
        let price = price.saturating_mul(FRACTION);
        self.problem.options.push(Choice { write, class, price, operands, needs });
        self.problem.options.len() as u32 - 1
    }

    fn options(&mut self, id: Id, role: Role) -> SmallVec<[u32; 4]> {
        let mut out = SmallVec::new();
        let e = self.e;
        if let Some(c) = e.facts(id).constant() {
            out.push(self.push(id, Write::Constant(c), 0, SmallVec::new(), None));
            return out;
        }
        if role == Role::Any {
            // operations, and then sums
            if e.facts(id).weight != u32::MAX {
                let operations = self.place(id, Role::Operation);
                let lin = Rc::new(Lin::atom(id));
                out.push(self.push(id, Write::Sum(lin), 0, SmallVec::from_slice(&[operations]), None));
            }
            for lin in e.spellings(id) {
                if lin.as_atom().is_some() {
                    continue;
                }
                let (products, plain) = sum_shape(&lin);
                let wide = sum_is_wide(&lin, &|t| e.facts(t).interval) || is_wide(e.facts(id).interval);
                let price = self.model.price(&Operation::Sum { products, plain, wide });
                // whoever reads the text sees ranges only as far as the terms tell them
                let hidden = e.facts(id).interval.is_nonneg() && !lin_facts(&e.graph, &lin).0.is_nonneg();
                let operands = lin.terms().iter().map(|&t| self.place(t, Role::Operation)).collect();
                let option = self.push(id, Write::Sum(lin), price, operands, None);
                let price = &mut self.problem.options[option as usize].price;
                *price = price.saturating_add(if hidden { HIDDEN_SIGN } else { 0 });
                out.push(option);
            }
            return out;
        }
        if e.facts(id).weight == u32::MAX {
            // cannot be a term of a tidy sum; be safe
            out.push({
                let any = self.place(id, Role::Any);
                self.push(id, Write::Sum(Rc::new(Lin::atom(id))), 0, SmallVec::from_slice(&[any]), None)
            });
            return out;
        }
        for node in e.nodes(id) {
            self.node_options(id, node, &mut out);
        }
        out
    }

    fn node_options(&mut self, id: Id, node: &Node, out: &mut SmallVec<[u32; 4]>) {
        let e = self.e;
        let range = |i: Id| e.facts(i).interval;
        match node {
            Node::Sum(_) | Node::Const(_) => {}
            Node::Var(v) => out.push(self.push(id, Write::Variable(*v), 0, SmallVec::new(), None)),
            Node::NonNeg([x]) | Node::Zero([x]) => {
                let zero = matches!(node, Node::Zero(_));
                for lin in e.spellings(*x) {
                    let (products, plain) = compare_shape(&lin, zero);
                    let wide = sum_is_wide(&lin, &|t| range(t));
                    let price = self.model.price(&Operation::Compare { products, plain, wide });
                    let operands = lin.terms().iter().map(|&t| self.place(t, Role::Operation)).collect();
                    let side = self.side(&lin);
                    // the side that others may share goes first: it wins where both cost the same
                    if let Some((side, flipped)) = side {
                        let price = self.model.price(&Operation::Compare { products: 0, plain: 0, wide });
                        let write = Write::CompareSide { constant: lin.constant, flipped, zero };
                        out.push(self.push(id, write, price, SmallVec::from_slice(&[side]), None));
                    }
                    out.push(self.push(id, Write::Compare { lin: lin.clone(), zero }, price, operands, None));
                }
            }
            Node::Div([a, b]) => {
                let quotient = self.quotient(id, *a, *b);
                if !out.contains(&quotient) {
                    out.push(quotient);
                }
            }
            Node::Mod([a, b]) => {
                let operands: SmallVec<[u32; 4]> = [*a, *b].iter().map(|&c| self.place(c, Role::Any)).collect();
                let price =
                    |quotient| operation(node, &|i| e.facts(i).interval, quotient).map_or(0, |o| self.model.price(&o));
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
                let price = operation(node, &|i| range(i), false).map_or(0, |o| self.model.price(&o));
                let operands = egg::Language::children(node).iter().map(|&c| self.place(c, Role::Any)).collect();
                out.push(self.push(id, Write::Node(node.clone()), price, operands, None));
            }
        }
    }

    /// The place of a comparison's terms without the constant, first coefficient positive, and whether that took a
    /// change of sign. Comparisons of one sum with several constants share it.
    fn side(&mut self, lin: &Lin) -> Option<(u32, bool)> {
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
        let (products, plain) = sum_shape(&terms);
        let e = self.e;
        let wide = sum_is_wide(&terms, &|t| e.facts(t).interval);
        let price = self.model.price(&Operation::Sum { products, plain, wide });
        let operands = terms.terms().iter().map(|&t| self.place(t, Role::Operation)).collect();
        let place = self.problem.places.len() as u32;
        let option = self.push(terms.terms()[0], Write::Side(terms.clone()), price, operands, None);
        self.problem.places.push(SmallVec::from_slice(&[option]));
        self.sides.insert(terms, place);
        Some((place, flipped))
    }

    /// The one option of a division, shared by its class and by the remainders next to it.
    fn quotient(&mut self, id: Id, a: Id, b: Id) -> u32 {
        let (a, b) = (self.e.graph.find(a), self.e.graph.find(b));
        if let Some(&q) = self.quotients.get(&[a, b]) {
            return q;
        }
        let e = self.e;
        let node = Node::Div([a, b]);
        let price = operation(&node, &|i| e.facts(i).interval, false).map_or(0, |o| self.model.price(&o));
        let operands = [a, b].iter().map(|&c| self.place(c, Role::Any)).collect();
        let q = self.push(id, Write::Node(node), price, operands, None);
        self.quotients.insert([a, b], q);
        q
    }
}

const NEVER: u32 = u32::MAX;

/// A sum of prices in the model's unit.
pub(crate) fn in_units(fractions: u64) -> u64 {
    fractions >> FRACTION.trailing_zeros()
}

impl Selection {
    /// The cheapest trees, what they share counted once.
    pub(crate) fn trees(p: &Problem) -> Selection {
        Selection::start(p, &mut Reach::new(p)).0
    }

    /// The cheapest trees, and what no selection costs less than.
    fn start(p: &Problem, reach: &mut Reach) -> (Selection, u64) {
        let (chosen, least) = cheapest_trees(p);
        let cost = reach.cost(p, &chosen);
        (Selection { chosen, cost }, least)
    }

    /// Greedy with local improvement; deterministic.
    pub(crate) fn greedy(p: &Problem) -> Selection {
        let mut reach = Reach::new(p);
        let (mut s, least) = Selection::start(p, &mut reach);
        if let Some(cost) = s.cost
            && cost > least
            && p.places.len() <= MAX_IMPROVED_PLACES
        {
            s.cost = Some(s.improve(p, &mut reach, cost));
        }
        s
    }

    /// The price of the whole in the model's unit; `u64::MAX` when the selection has a cycle.
    pub(crate) fn price(&self) -> u64 {
        self.cost.map_or(u64::MAX, in_units)
    }

    /// Lowers the cost `best` of the selection, which `reach` has just walked; answers the new one.
    fn improve(&mut self, p: &Problem, reach: &mut Reach, mut best: u64) -> u64 {
        let mut uses = Uses::new(p, &self.chosen);
        for _ in 0..MAX_PASSES {
            let live = reach.live(p);
            if live.is_empty() {
                break;
            }
            let before = best;
            for &place in &live {
                for &o in &p.places[place as usize] {
                    best = self.try_changes(p, reach, &mut uses, &[(place, o)], best);
                }
            }
            for users in [Some(Users::direct(p, &live)), Users::through_forced(p, &live)].into_iter().flatten() {
                for &operand in &users.shared {
                    best = self.try_changes(p, reach, &mut uses, &users.lists[operand as usize], best);
                }
            }
            if best == before {
                break;
            }
            reach.cost(p, &self.chosen);
        }
        best
    }

    /// Chooses the option for each of the places, if that lowers the cost `best`; answers the new one.
    fn try_changes(
        &mut self,
        p: &Problem,
        reach: &mut Reach,
        uses: &mut Uses,
        changes: &[(u32, u32)],
        best: u64,
    ) -> u64 {
        let change = |s: &mut Selection, uses: &mut Uses, place: u32, o: u32| {
            let old = std::mem::replace(&mut s.chosen[place as usize], o);
            uses.exchange(p, &s.chosen, place, old, o);
            old
        };
        if changes.iter().all(|&(place, o)| self.chosen[place as usize] == o) {
            return best;
        }
        let known = uses.cost();
        let before: SmallVec<[u32; 8]> = changes.iter().map(|&(place, o)| change(self, uses, place, o)).collect();
        if uses.cost() < best
            && let Some(cost) = reach.cost(p, &self.chosen).filter(|&c| c < best)
        {
            if uses.cost() != cost {
                *uses = Uses::new(p, &self.chosen);
            }
            return cost;
        }
        for (&(place, _), old) in changes.iter().zip(before).rev() {
            change(self, uses, place, old);
        }
        // a cycle on the way may have left counts behind
        if uses.cost() != known {
            *uses = Uses::new(p, &self.chosen);
        }
        best
    }
}

/// What pays only when several places change at once: all that can use some operand use it.
struct Users {
    /// By operand: the places that can use it, once each, with the option that does.
    lists: Vec<SmallVec<[(u32, u32); 4]>>,
    /// Operands of several places.
    shared: Vec<u32>,
}

impl Users {
    /// Of operands as they stand.
    fn direct(p: &Problem, live: &[u32]) -> Users {
        let mut users = Users { lists: vec![SmallVec::new(); p.places.len()], shared: Vec::new() };
        for (place, o) in options(p, live) {
            p.options[o as usize].operands.iter().for_each(|&operand| users.note(operand, place, o));
        }
        users
    }

    /// Of these and of what those of them without a choice are made of, which is used with them; `None` where there are none.
    fn through_forced(p: &Problem, live: &[u32]) -> Option<Users> {
        let forced = |operand: u32| match *p.places[operand as usize] {
            [only] => &p.options[only as usize].operands[..],
            _ => &[],
        };
        let operands = |o: u32| p.options[o as usize].operands.iter().copied();
        if !options(p, live).any(|(_, o)| operands(o).any(|operand| !forced(operand).is_empty())) {
            return None;
        }
        let mut users = Users { lists: vec![SmallVec::new(); p.places.len()], shared: Vec::new() };
        for (place, o) in options(p, live) {
            let through = operands(o).flat_map(|operand| forced(operand).iter().copied());
            operands(o).chain(through).for_each(|operand| users.note(operand, place, o));
        }
        Some(users)
    }

    fn note(&mut self, operand: u32, place: u32, option: u32) {
        let list = &mut self.lists[operand as usize];
        if list.last().is_none_or(|l| l.0 != place) {
            list.push((place, option));
            if list.len() == 2 {
                self.shared.push(operand);
            }
        }
    }
}

/// All options of the places.
fn options<'a>(p: &'a Problem, places: &'a [u32]) -> impl Iterator<Item = (u32, u32)> + 'a {
    places.iter().flat_map(|&place| p.places[place as usize].iter().map(move |&o| (place, o)))
}

impl Problem {
    /// The price of `option` in fractions, with that of the quotient it needs, its operands left out.
    pub(crate) fn price_alone(&self, option: u32) -> u64 {
        let o = &self.options[option as usize];
        u64::from(o.price) + o.needs.map_or(0, |q| u64::from(self.options[q as usize].price))
    }
}

/// An option for tests; what it writes does not matter.
#[cfg(test)]
fn option(price: u32, operands: &[u32], needs: Option<u32>) -> Choice {
    let operands = SmallVec::from_slice(operands);
    Choice { write: Write::Constant(0), class: Id::from(0), price, operands, needs }
}

/// A problem for tests: its options, and for each place those it can choose.
#[cfg(test)]
fn problem(options: Vec<Choice>, choices: &[&[u32]], roots: &[u32]) -> Problem {
    Problem { options, places: choices.iter().map(|c| SmallVec::from_slice(c)).collect(), roots: roots.to_vec() }
}
