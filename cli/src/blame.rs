//! Finds the cause of a wrong answer, which is a rule of the user or a bug of this program.

use crate::answer;
use crate::report::{Failure, shortened};
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::lower::Mismatch;
use quaff::quasi::{Options, Verdict};
use quaff::{Culprit, Simplified, Simplifier};
use std::sync::Arc;

/// The evidence that an answer or its text is wrong.
pub(crate) enum Evidence<'a> {
    /// The answer has another value than the input.
    Answer(&'a Verdict),
    /// The text of the answer computes another value than the input.
    Text(&'a Mismatch),
}

/// A point, as variables with their values.
pub(crate) type Point<'a> = &'a [(Arc<str>, i64)];

impl Evidence<'_> {
    /// The point at which the values differ.
    pub(crate) fn point(&self) -> Point<'_> {
        match self {
            Evidence::Text(mismatch) => &mismatch.values,
            Evidence::Answer(Verdict::Differs { witness }) => witness.values(),
            Evidence::Answer(_) => &[],
        }
    }

    /// The message about a wrong answer or text, with a point where it is wrong.
    fn told(&self, answer: &str) -> String {
        match self {
            Evidence::Answer(verdict) => format!("the answer `{answer}`, which is {verdict}"),
            Evidence::Text(mismatch) => format!("the text of the answer `{answer}`, which is different at {mismatch}"),
        }
    }

    /// What the error means for the user, as text.
    fn consequence(&self) -> &'static str {
        match self {
            Evidence::Answer(_) => "the input is returned in its place",
            Evidence::Text(_) => "it is withheld",
        }
    }
}

/// An answer or a text that is wrong.
pub(crate) struct Wrong {
    /// The report, as text for users.
    pub(crate) report: String,
    /// The rules of the user that are to blame. The list is empty when this program is to blame.
    pub(crate) rules: Vec<String>,
}

impl Wrong {
    /// The failure with which the command ends.
    pub(crate) fn failure(&self) -> Failure {
        if self.rules.is_empty() { Failure::Wrong } else { Failure::WrongRule }
    }
}

/// The cause of a wrong answer, as text for users.
pub(crate) fn fault(culprits: &[Culprit]) -> String {
    match culprits {
        [] => "internal error, please report it with the input:".into(),
        some => some.iter().map(|c| &c.why[..]).collect::<Vec<_>>().join("\n"),
    }
}

/// Reports that `answer` to `input`, or its text, is wrong. `evidence` shows the error.
pub(crate) fn report(
    simplifier: &Simplifier,
    (input, domain): (&Expr, &Domain),
    answer: &Simplified,
    evidence: &Evidence<'_>,
    options: &Options,
) -> Wrong {
    let culprits = simplifier.culprits(input, domain, evidence.point(), options);
    let (fault, wrong) = (fault(&culprits), evidence.told(&shortened(&answer.expr().to_string())));
    let first = match culprits.is_empty() {
        true => format!("{fault} it led to {wrong}"),
        false => format!("{fault}\nit led to {wrong}; `quaff rules check DIR` tries the rules of a folder"),
    };
    let traced = simplifier.clone().with_trace(true).simplify(input, domain);
    let trace = answer::trace(traced.as_ref().unwrap_or(answer), None);
    let report = format!("quaff: {first}\n{}; these rules fired:\n{trace}", evidence.consequence());
    Wrong { report, rules: culprits.into_iter().map(|c| c.rule).collect() }
}
