//! The steps of an explanation.

use super::text::text;
use crate::cost::Cost;
use crate::domain::{Congruence, Interval};
use crate::expr::Expr;
use crate::quasi::Decision;

/// Why `before` may be replaced by `after`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// Normal forms and what the ranges say, without any rule.
    NormalForm,
    /// A rule.
    Rule {
        /// Its name.
        name: String,
        /// Why it holds, in the words of whoever wrote it.
        why: String,
    },
    /// A step that the engine takes without a rule.
    Engine {
        /// Its name, which no rule has.
        name: &'static str,
        /// Why it holds.
        why: &'static str,
    },
    /// A part looked at on its own, where the conditions of the step hold.
    Context {
        /// What was seen, for example `under-conditions`; no rule has this name.
        name: &'static str,
        /// Why it holds.
        why: &'static str,
    },
    /// The parts that were found under conditions, each put where it was taken from.
    InPlace,
    /// The cheapest of all that was found equal, under the cost model.
    Choice {
        /// The cost of `before`.
        from: Cost,
        /// The cost of `after`.
        to: Cost,
    },
}

impl Reason {
    /// The name of the rule or of the step: `normal-form`, `in-place` and `cheapest` are those without one of their own.
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

/// What a rule stood on when it fired.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fact {
    /// A name of the rule stood for this number.
    Number {
        /// The name, without its sign.
        name: String,
        /// The number.
        value: i64,
    },
    /// A name of the rule stood for this expression, of which this was known.
    Value {
        /// The name, without its sign.
        name: String,
        /// The expression.
        expr: Expr,
        /// Where its values lie.
        range: Interval,
        /// What they leave over.
        congruence: Congruence,
    },
    /// A declared end that is not a number.
    End(Expr),
}

/// Where the part that a step is about stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// In the input.
    Input,
    /// In the result of an earlier step, which is the latest that has it; counted from 0.
    Step(usize),
    /// It is another spelling of what is there: sums are multiplied out and merge.
    Spelling,
}

/// One step of an [`Explanation`](crate::Explanation).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explained {
    /// Why it may be taken.
    pub reason: Reason,
    /// Where it holds: all points at which these do. Empty for all points of the domain.
    pub conditions: Vec<Expr>,
    /// A part of what is known by then.
    pub before: Expr,
    /// What it was found equal to.
    pub after: Expr,
    /// Where `before` stands.
    pub source: Source,
    /// What satisfied the guards, for a rule that has any.
    pub facts: Vec<Fact>,
    /// What the exact procedure, which knows nothing of rules, says of it.
    pub check: Decision,
    /// The same in detail, where the conditions are assumed: from `before` to `after`.
    pub steps: Vec<Explained>,
}

impl Fact {
    /// The expression, in which a long one is only measured; `None` for a number.
    pub fn text(&self) -> Option<String> {
        match self {
            Fact::Number { .. } => None,
            Fact::Value { expr, .. } | Fact::End(expr) => Some(text(expr)),
        }
    }
}

impl Explained {
    /// [`before`](Self::before) and [`after`](Self::after) as infix text; where what they share makes that too long to be
    /// of use, their size.
    pub fn texts(&self) -> [String; 2] {
        [&self.before, &self.after].map(text)
    }
}
