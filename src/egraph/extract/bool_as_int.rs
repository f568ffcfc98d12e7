//! Truths that are numbers, and numbers that are conditions.
//!
//! Machines keep truths apart from numbers. What goes in is the class of a term or of a condition; what comes out is the place of its value as
//! the other kind, which is computed once for all who need it.

use super::operations::{Builder, Role, Write};
use crate::cost::Operation;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::language::price::side_comparison_operation;
use crate::rules::operator::Operator;
use egg::Id;
use smallvec::SmallVec;
use std::rc::Rc;

/// Operators whose values are truths.
const TRUTHS: u32 = Operator::bits(&[Operator::NonNeg, Operator::Zero, Operator::Not, Operator::And, Operator::Or]);

impl Write {
    /// Whether what is written is a truth and not a number.
    fn is_truth(&self) -> bool {
        match self {
            Write::Compare { .. } | Write::CompareHoisted { .. } | Write::CompareSide { .. } => true,
            Write::Node(node) => matches!(node, Node::Not(_) | Node::And(_) | Node::Or(_)),
            _ => false,
        }
    }
}

impl Builder<'_> {
    /// The place of a term of a sum: a truth is made a number.
    pub(super) fn number(&mut self, id: Id) -> u32 {
        let place = self.place(id, Role::Operation);
        let id = self.e.graph.find(id);
        if self.e.facts(id).operators & TRUTHS == 0 {
            return place;
        }
        let next = self.graph.places.len() as u32;
        let number = *self.numbers.entry(id).or_insert(next);
        if number == next {
            self.graph.places.push(SmallVec::new());
        }
        number
    }

    /// Lists what the places of numbers can choose, when all classes are done: what is computed as a number, or a truth that becomes one.
    pub(super) fn fill_numbers(&mut self) {
        let mut numbers: Vec<(u32, Id)> = self.numbers.iter().map(|(&id, &number)| (number, id)).collect();
        numbers.sort_unstable();
        for (number, id) in numbers {
            let place = self.place(id, Role::Operation);
            let price = self.loops.executed(self.e, self.model.price(&Operation::Number), &[id]);
            let itself = Write::Sum(Rc::new(LinearForm::atom(id)));
            let converted = self.push(id, itself, price, SmallVec::from_slice(&[place]), None);
            let candidates = self.graph.places[place as usize].iter().copied();
            let numbers = candidates.filter(|&c| !self.graph.candidates[c as usize].write.is_truth());
            self.graph.places[number as usize] = numbers.chain([converted]).collect();
        }
    }

    /// The place of a condition: a number is compared with 0, though it be 0 or 1.
    pub(super) fn condition(&mut self, id: Id) -> u32 {
        let (e, id) = (self.e, self.e.graph.find(id));
        let place = self.place(id, Role::Any);
        if e.facts(id).operators & TRUTHS != 0 || e.facts(id).constant().is_some() {
            return place;
        }
        if let Some(&test) = self.tests.get(&id) {
            return test;
        }
        let compared = side_comparison_operation(&LinearForm::atom(id), &|t| e.facts(t).interval);
        let price = self.loops.executed(e, self.model.price(&compared), &[id]);
        let itself = Write::Sum(Rc::new(LinearForm::atom(id)));
        let candidate = self.push(id, itself, price, SmallVec::from_slice(&[place]), None);
        let test = self.graph.places.len() as u32;
        self.graph.places.push(SmallVec::from_slice(&[candidate]));
        self.tests.insert(id, test);
        test
    }
}
