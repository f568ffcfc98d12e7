//! Conversions between truths and numbers, as in `x + (i < 4)` and `where(x, a, b)`.
//!
//! A GPU keeps a truth, such as the result of a comparison, in a predicate register, and a number in a general
//! register. The input is the class of a term of a sum or of a condition. The output is the place of its value (see
//! `operations.rs`) in the kind, truth or number, that the user needs. A conversion is computed once for all users.

use super::choices::NEVER;
use super::operations::{Builder, Kinds, Role, Write};
use crate::cost::{Cost, Operation};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::price::is_wide;
use crate::rules::operator::Operator;
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// The operators whose results are truths.
const TRUTHS: u32 = Operator::bits(&[Operator::NonNeg, Operator::Zero, Operator::Not, Operator::And, Operator::Or]);

impl Write {
    /// Whether the result is a truth and not a number.
    fn is_truth(&self) -> bool {
        match self {
            Write::Compare(..) => true,
            Write::Node(node) => TRUTHS & 1 << node.operator() as u32 != 0,
            _ => false,
        }
    }
}

impl Builder<'_> {
    /// The place of a term of a sum. A truth is converted to a number.
    pub(super) fn number(&mut self, id: Id) -> u32 {
        let id = self.e.graph.find(id);
        if self.e.facts(id).operators & TRUTHS == 0 {
            return self.place(id, Role::Operation);
        }
        if let Some(&number) = self.numbers.get(&id) {
            return number;
        }
        // places of users are numbered before places of their operands
        let number = self.open_place();
        self.numbers.insert(id, number);
        self.place(id, Role::Operation);
        number
    }

    /// The place of a condition. A number is compared with 0, even if it is 0 or 1.
    pub(super) fn condition(&mut self, id: Id) -> u32 {
        let (e, id) = (self.e, self.e.graph.find(id));
        let f = e.facts(id);
        if f.constant().is_some() || f.canon().is_none() && f.spellings.is_empty() && f.operators & !TRUTHS == 0 {
            return self.place(id, Role::Any);
        }
        if let Some(&test) = self.tests.get(&id) {
            return test;
        }
        let test = self.open_place();
        self.tests.insert(id, test);
        self.place(id, Role::Any);
        if f.operators & TRUTHS != 0 {
            self.place(id, Role::Operation);
        }
        test
    }

    /// Groups the operations `candidates` of the class `id` by kind. If the class has truths and numbers, each kind
    /// becomes one candidate. So all places that need one kind choose the same operation.
    pub(super) fn by_kind(&mut self, id: Id, candidates: SmallVec<[u32; 4]>) -> SmallVec<[u32; 4]> {
        if self.e.facts(id).operators & TRUTHS == 0 {
            return candidates;
        }
        let is_truth = |c: &u32| self.graph.writes[*c as usize].1.is_truth();
        let (truths, numbers): (SmallVec<[u32; 4]>, SmallVec<[u32; 4]>) =
            candidates.iter().copied().partition(is_truth);
        if truths.is_empty() || numbers.is_empty() {
            return candidates;
        }
        let first = self.graph.choices.places.len() as u32;
        self.graph.choices.places.extend([numbers, truths]);
        let kinds = Kinds { numbers: first, truths: first + 1 };
        self.kinds.insert(id, kinds);
        [kinds.numbers, kinds.truths].iter().map(|&place| self.itself(id, place, Cost::ZERO)).collect()
    }

    /// Adds the candidates of the places that [`number`](Self::number) and [`condition`](Self::condition) opened. It
    /// runs after all classes are done. A candidate is a value of the needed kind, or a converted value of the other
    /// kind.
    pub(super) fn fill_conversions(&mut self) {
        let sorted = |places: &FxHashMap<Id, u32>| {
            let mut sorted: Vec<(u32, Id)> = places.iter().map(|(&id, &place)| (place, id)).collect();
            sorted.sort_unstable();
            sorted
        };
        for (number, id) in sorted(&self.numbers) {
            let Kinds { numbers, truths } = self.kinds_of(id);
            let numbers = (numbers != NEVER).then(|| self.itself(id, numbers, Cost::ZERO));
            let converted = (truths != NEVER).then(|| self.converted(id, truths, &Operation::Number));
            self.graph.choices.places[number as usize] = numbers.into_iter().chain(converted).collect();
        }
        for (test, id) in sorted(&self.tests) {
            let any = self.place(id, Role::Any);
            let Kinds { truths, .. } = self.kinds_of(id);
            let truths = (truths != NEVER).then(|| self.itself(id, truths, Cost::ZERO));
            let wide = is_wide(self.e.facts(id).interval);
            let converted = self.converted(id, any, &Operation::Compare { wide });
            self.graph.choices.places[test as usize] = truths.into_iter().chain([converted]).collect();
        }
    }

    /// The places of the operations of a class by kind. [`NEVER`] if the class has no operation of a kind.
    fn kinds_of(&mut self, id: Id) -> Kinds {
        if let Some(kinds) = self.kinds.get(&id) {
            return *kinds;
        }
        if self.e.facts(id).operators & TRUTHS == 0 {
            return Kinds { numbers: NEVER, truths: NEVER };
        }
        let place = self.place(id, Role::Operation);
        let first = self.graph.choices.places[place as usize].first();
        if first.is_some_and(|&c| self.graph.writes[c as usize].1.is_truth()) {
            Kinds { numbers: NEVER, truths: place }
        } else {
            Kinds { numbers: place, truths: NEVER }
        }
    }

    /// A candidate that converts the value of `place` to the other kind by `operation`.
    fn converted(&mut self, id: Id, place: u32, operation: &Operation) -> u32 {
        let price = self.loops.executed(self.e, self.model.price(operation), &[id]);
        self.itself(id, place, price)
    }

    /// A candidate that is the value of `place`, at the additional cost `price`.
    fn itself(&mut self, id: Id, place: u32, price: Cost) -> u32 {
        let itself = Write::Sum(Rc::new(LinearForm::atom(id)));
        self.push(id, itself, price, SmallVec::from_slice(&[place]), None)
    }
}
