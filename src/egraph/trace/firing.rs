//! What was found equal to what, and why: the entries of traces and explanations.

use crate::domain::{Congruence, Interval};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::trace::builtin_step::BuiltinStep;
use crate::egraph::trace::normal_form::NormalForm;
use std::rc::Rc;

/// `from` was found equal to `to`.
#[derive(Clone, Debug)]
pub(crate) struct Firing {
    pub(crate) cause: Cause,
    pub(crate) from: Matched,
    pub(crate) to: LinearForm,
}

/// Why something was found equal to something else.
#[derive(Clone, Debug)]
pub(crate) enum Cause {
    /// A rule, and what the guards and clauses of it looked at.
    Rule(usize, Vec<Bound>),
    Builtin(BuiltinStep),
    /// A normal form that has a name, and what the names in its law stood for.
    NormalForm(NormalForm, Vec<Bound>),
}

/// What a rule matched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Matched {
    Node(Node),
    Sum(Rc<LinearForm>),
    /// The quotient of a sum by a number, for which there is no node.
    Quotient(Rc<LinearForm>, i64),
    /// That a sum is not negative, or that it is 0; no node either.
    Comparison {
        sum: Rc<LinearForm>,
        relation: Relation,
    },
}

/// A name of a rule and what it stood for when the rule fired.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) name: String,
    pub(crate) value: BoundValue,
}

/// A number, or a sum with what was known of it.
#[derive(Clone, Debug)]
pub(crate) enum BoundValue {
    Number(i64),
    Sum(LinearForm, Interval, Congruence),
}

impl Firing {
    /// The rule, where it was one.
    pub(crate) fn rule(&self) -> Option<usize> {
        match self.cause {
            Cause::Rule(rule, _) => Some(rule),
            Cause::Builtin(_) | Cause::NormalForm(..) => None,
        }
    }
}
