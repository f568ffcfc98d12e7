//! Firings: each records one equality that was found, and its cause. Traces and explanations are lists of firings.

use crate::domain::{Congruence, Interval};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::trace::builtin_step::BuiltinStep;
use crate::egraph::trace::normal_form::NormalForm;
use std::rc::Rc;

/// One application of a rule, a built-in step or a normal form: `from` was found equal to `to`.
#[derive(Clone, Debug)]
pub(crate) struct Firing {
    pub(crate) cause: Cause,
    pub(crate) from: Matched,
    pub(crate) to: LinearForm,
}

/// The cause of an equality.
#[derive(Clone, Debug)]
pub(crate) enum Cause {
    /// A rule, by its position in the rule set, and the values of the names in its guards and clauses.
    Rule(usize, Vec<Binding>),
    Builtin(BuiltinStep),
    /// A named normal form, and the values of the names in its law.
    NormalForm(NormalForm, Vec<Binding>),
}

/// The left side of a firing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Matched {
    Node(Node),
    Sum(Rc<LinearForm>),
    /// The quotient of a sum by a number. The e-graph may have no node for it.
    Quotient(Rc<LinearForm>, i64),
    /// The comparison `sum >= 0` or `sum == 0`. The e-graph may have no node for it either.
    Comparison {
        sum: Rc<LinearForm>,
        relation: Relation,
    },
}

/// A name in a rule or a law and its value when it was applied.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) value: BindingValue,
}

/// The value of a name: a number, or a sum with its interval and its congruence at the time of the firing.
#[derive(Clone, Debug)]
pub(crate) enum BindingValue {
    Number(i64),
    Sum(LinearForm, Interval, Congruence),
}

impl Firing {
    /// The position of the rule in the rule set, if the cause is a rule.
    pub(crate) fn rule(&self) -> Option<usize> {
        match self.cause {
            Cause::Rule(rule, _) => Some(rule),
            Cause::Builtin(_) | Cause::NormalForm(..) => None,
        }
    }
}
