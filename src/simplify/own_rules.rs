//! Rules that are not shipped, and the wrong answers that they lead to.

use crate::expr::Expr;
use crate::quasi::Witness;
use crate::rules::{Rule, RuleSet};
use std::fmt;
use std::sync::OnceLock;

/// The rules of a set that are not shipped.
#[derive(Debug)]
pub(crate) struct OwnRules {
    pub(crate) names: Vec<String>,
    /// The rules for which a check finds a counterexample. The check makes examples from the text of the rule. Computed
    /// when first needed.
    pub(crate) unsound: OnceLock<Vec<Culprit>>,
}

impl OwnRules {
    /// The rules of `rules` that are not shipped. `None` if all are shipped.
    pub(super) fn of(rules: &RuleSet) -> Option<OwnRules> {
        let names: Vec<String> = rules.own().map(|r| r.name().to_string()).collect();
        (!names.is_empty()).then(|| OwnRules { names, unsound: OnceLock::new() })
    }
}

/// A rule that led to a wrong answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Culprit {
    /// The name of the rule.
    pub rule: String,
    /// The place of the rule, and an example that shows its error.
    pub why: String,
}

impl Culprit {
    /// The culprit `rule`, which replaces `before` by `after`. `shown` says why that is wrong.
    pub(crate) fn new(rule: &Rule, before: &Expr, after: &Expr, shown: &str) -> Culprit {
        let (name, file, position) = (rule.name(), rule.file(), rule.position());
        let [before, after] = [before, after].map(short);
        let why =
            format!("the rule `{name}` of {file}:{position} is wrong: it takes `{before}` for `{after}`, {shown}");
        Culprit { rule: name.into(), why }
    }
}

/// The text of `expr` for a message, at most its first 240 characters.
fn short(expr: &Expr) -> String {
    const SHOWN: usize = 240;
    let text = expr.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}

/// An answer whose value differs from its input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrongAnswer {
    /// The input expression.
    pub before: Expr,
    /// The wrong answer.
    pub after: Expr,
    /// A point at which `before` and `after` have different values.
    pub witness: Witness,
    /// The rules at fault, none of them shipped. If none is found, the list is empty and the fault is in this library.
    pub culprits: Vec<Culprit>,
}

impl fmt::Display for WrongAnswer {
    /// Writes each rule with an example, and the wrong answer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrongAnswer { before, after, witness, culprits } = self;
        match &culprits[..] {
            [] => write!(f, "internal error, please report it with the input: ")?,
            some => some.iter().try_for_each(|c| write!(f, "{}; ", c.why))?,
        }
        write!(f, "`{}` became `{}`, different at {witness}", short(before), short(after))
    }
}
