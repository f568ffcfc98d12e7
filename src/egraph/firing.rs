//! What was found equal to what, and why: the entries of traces and explanations.

use super::judgement::Judgement;
use super::lin::Lin;
use super::node::Node;
use crate::domain::{Congruence, Interval};
use std::rc::Rc;

/// `from` was found equal to `to`.
#[derive(Clone, Debug)]
pub(crate) struct Firing {
    pub(crate) cause: Cause,
    pub(crate) from: Before,
    pub(crate) to: Lin,
}

/// Why something was found equal to something else.
#[derive(Clone, Debug)]
pub(crate) enum Cause {
    /// A rule, and what the guards and clauses of it looked at.
    Rule(usize, Vec<Bound>),
    Judged(Judgement),
}

/// What a rule matched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Before {
    Node(Node),
    Sum(Rc<Lin>),
    /// The quotient of a sum by a number, for which there is no node.
    Quotient(Rc<Lin>, i64),
    /// That a sum is not negative, or that it is 0; no node either.
    Comparison {
        sum: Rc<Lin>,
        zero: bool,
    },
}

/// A name of a rule and what it stood for when the rule fired.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) name: String,
    pub(crate) value: BoundTo,
}

/// A number, or a sum with what was known of it.
#[derive(Clone, Debug)]
pub(crate) enum BoundTo {
    Number(i64),
    Sum(Lin, Interval, Congruence),
}

impl Firing {
    /// Whether what was matched never was an e-node.
    pub(crate) fn is_at_once(&self) -> bool {
        matches!(self.from, Before::Quotient(..) | Before::Comparison { .. })
    }

    /// The rule, where it was one.
    pub(crate) fn rule(&self) -> Option<usize> {
        match self.cause {
            Cause::Rule(rule, _) => Some(rule),
            Cause::Judged(_) => None,
        }
    }
}
