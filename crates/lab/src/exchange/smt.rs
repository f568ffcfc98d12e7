//! Writes laws as questions to an SMT solver.

use crate::proof::{Law, written as questions};
use quaff::quasi::smt_text;
use quaff::rules::Rule;

/// The questions about a rule as SMT-LIB text. Each question is between a `push` and a `pop`.
pub(super) fn of_rule(rule: &Rule) -> Result<String, String> {
    let questions = questions(rule)?;
    let one = |[lean, full]: &[String; 2]| match lean == full {
        true => framed("", full),
        false => framed("; without guards that may be left out\n", lean) + &framed("; with all guards\n", full),
    };
    Ok(questions.iter().map(one).collect())
}

/// The question about the law of a normal form as SMT-LIB text.
pub(super) fn of_law(law: &Law) -> Result<String, String> {
    let sides = law.sides().ok_or("it is not written in integer expressions")?;
    let domain = sides.domain().ok_or("it is not written in integer expressions")?;
    let asked = smt_text(&sides.before, &sides.after, &domain).ok_or("no solver is asked about its operators")?;
    Ok(framed("", &asked))
}

fn framed(comment: &str, question: &str) -> String {
    format!("(push 1)\n{comment}{question}(pop 1)\n")
}
