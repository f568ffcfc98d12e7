//! The steps of an explanation.

use super::text::text;
use crate::cost::Cost;
use crate::domain::{Congruence, Interval};
use crate::expr::Expr;
use crate::quasi::Decision;

/// The reason why `before` may be replaced by `after`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// Normal forms and facts from ranges, without any rule.
    NormalForm,
    /// A rule.
    Rule {
        /// The name of the rule.
        name: String,
        /// Why the rule holds, in the words of its author.
        why: String,
    },
    /// A step that the engine takes without a rule.
    Engine {
        /// The name of the step, which no rule has.
        name: &'static str,
        /// Why the step holds.
        why: &'static str,
    },
    /// A sub-expression was simplified separately, under the conditions of the step.
    Context {
        /// The kind of step, such as `under-conditions`. No rule has this name.
        name: &'static str,
        /// Why the step holds.
        why: &'static str,
    },
    /// The parts that were simplified under conditions are put back in their places.
    InPlace,
    /// The choice of the cheapest of all equal forms, under the cost model.
    Choice {
        /// The cost of `before`.
        from: Cost,
        /// The cost of `after`.
        to: Cost,
    },
}

impl Reason {
    /// The name of the rule or of the step. Steps without a name of their own are `normal-form`, `in-place` and
    /// `cheapest`.
    pub fn name(&self) -> &str {
        match self {
            Reason::NormalForm => "normal-form",
            Reason::Rule { name, .. } => name,
            Reason::Engine { name, .. } | Reason::Context { name, .. } => name,
            Reason::InPlace => "in-place",
            Reason::Choice { .. } => "cheapest",
        }
    }
}

/// A fact on which a rule relied when it fired.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fact {
    /// A name of the rule had this number as its value.
    Number {
        /// The name in the rule, without its first character `#` or `?`.
        name: String,
        /// The value.
        value: i64,
    },
    /// A name of the rule had this expression as its value, with these facts.
    Value {
        /// The name in the rule, without its first character `#` or `?`.
        name: String,
        /// The expression.
        expr: Expr,
        /// The range of the expression.
        range: Interval,
        /// The congruence of the expression.
        congruence: Congruence,
    },
    /// A declared end of a range that is not a number.
    End(Expr),
}

/// The place of the part (sub-expression) to which a step applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The part is in the input.
    Input,
    /// The part is in the result of this earlier step, the latest that contains it. Steps are counted from 0.
    Step(usize),
    /// No earlier step contains the part in this form. The part is a sum that was multiplied out after e-classes
    /// merged.
    Spelling,
}

/// One step of an [`Explanation`](crate::Explanation).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explained {
    /// The reason why the step is valid.
    pub reason: Reason,
    /// The conditions under which the step holds. If there are none, it holds at all points of the domain.
    pub conditions: Vec<Expr>,
    /// A sub-expression of the expressions that are known at this step.
    pub before: Expr,
    /// The equal expression that the step found.
    pub after: Expr,
    /// The place of `before`.
    pub source: Source,
    /// The facts that satisfied the guards of a rule.
    pub facts: Vec<Fact>,
    /// The verdict of the exact procedure, which uses no rules.
    pub check: Decision,
    /// The detailed steps from `before` to `after`. These steps hold under `conditions`.
    pub steps: Vec<Explained>,
}

impl Fact {
    /// The text of the expression. For a long expression, it is only the size. `None` for a number.
    pub fn text(&self) -> Option<String> {
        match self {
            Fact::Number { .. } => None,
            Fact::Value { expr, .. } | Fact::End(expr) => Some(text(expr)),
        }
    }
}

impl Explained {
    /// [`before`](Self::before) and [`after`](Self::after) as infix text. If shared parts make a text too long, it is
    /// replaced by the size of the expression.
    pub fn texts(&self) -> [String; 2] {
        [&self.before, &self.after].map(text)
    }
}
