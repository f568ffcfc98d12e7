//! The answer beside the question, its price, and its text in other languages.

use super::Shown;
use super::parts::{costs, source, text};
use super::prices::prices;
use crate::input::{Input, Text};
use crate::problem::{Field, Problem};
use maud::{Markup, html};
use quaff::Simplified;
use quaff::domain::Interval;
use quaff::emit::sexp;
use quaff::expr::{DISPLAY_LIMIT, Expr};
use quaff_dialects::{Dialect, write};
use quaff_draw::page::counted;
use similar::{Algorithm, ChangeTag, capture_diff_slices};

/// Languages of programs that an answer is written in, and all dialects.
pub(crate) const LANGUAGES: [&str; 5] = ["cuda", "c", "triton", "python", "rust"];

/// Bytes of the longest texts that are compared word by word.
const ALIGNED: usize = 4000;

pub(crate) fn answer(input: &Input<'_>) -> Shown {
    let exprs = input.expressions()?;
    let domain = input.domain_of_expressions();
    let simplifier = input.simplifier();
    let answer = simplifier.simplify_all(&exprs, &domain).map_err(|e| input.refused(&e))?;
    let (emitted, language) = (emitted(&answer, &input.state.emit)?, &input.state.emit);
    Ok(html! {
        div {
            @if let Text::Kernel(kernel) = &input.text { (choose_access(kernel.accesses.len(), input.state.access)) }
            h2 { "Answer " small { (costs(answer.input_cost(), answer.cost())) } }
            @for (at, (before, after)) in exprs.iter().zip(answer.exprs()).enumerate() {
                (aligned(at, before, after))
            }
            @if answer.cost() == answer.input_cost() { p class="muted" { "No cheaper form was found." } }
            h3 { "Text in " (language) }
            (source("emitted", &emitted))
            h3 { "Price of each operation" }
            div class="pair linked" {
                section { h4 { "as written" } (prices(&exprs, &domain, &simplifier)) }
                section { h4 { "answer" } (prices(answer.exprs(), &domain, &simplifier)) }
            }
            p class="muted" {
                "The search made " (counted(answer.nodes(), "e-node")) " in " (counted(answer.rounds() as usize, "round")) ". It ended because of this: " (answer.stop().as_str()) "."
            }
        }
    })
}

/// A choice of the access that is shown.
pub(super) fn choose_access(count: usize, chosen: usize) -> Markup {
    html! {
        p { label { "Access of the kernel " select data-bind="access" {
            @for at in 0..count { option value=(at) selected[at == chosen] { (at) } }
        } } }
    }
}

pub(crate) fn languages() -> impl Iterator<Item = &'static str> {
    let others = Dialect::ALL.into_iter().map(Dialect::name).filter(|name| !LANGUAGES.contains(name));
    LANGUAGES.into_iter().chain(others)
}

/// The answer as text in `language`.
fn emitted(answer: &Simplified, language: &str) -> Result<String, Vec<Problem>> {
    let why = |e: String| format!("(there is no such text: {e})");
    Ok(match language {
        "cuda" => answer.cuda().map_or_else(|e| why(e.to_string()), |t| t.whole()),
        "c" => answer.c().map_or_else(|e| why(e.to_string()), |t| t.whole()),
        "rust" => answer.rust().map_or_else(|e| why(e.to_string()), |t| t.whole()),
        "triton" => answer.triton().map_or_else(|e| why(e.to_string()), |t| t.whole()),
        "python" => answer.python().whole(),
        "sexp" => {
            let one = |e: &Expr| sexp(e, DISPLAY_LIMIT).unwrap_or_else(|e| why(e.to_string()));
            answer.exprs().iter().map(one).collect::<Vec<_>>().join("\n")
        }
        name => match name.parse::<Dialect>() {
            Ok(dialect) => {
                let range_of = |e: &Expr| answer.range_of(e).unwrap_or(Interval::ALL);
                write(answer.exprs(), dialect, &range_of).map_or_else(|e| why(e.to_string()), |w| w.text)
            }
            Err(e) => return Err(vec![Problem::new(Field::NONE, e.to_string())]),
        },
    })
}

/// Question and answer, one below the other, with the words that changed.
fn aligned(at: usize, before: &Expr, after: &Expr) -> Markup {
    let (before, after) = (text(before), text(after));
    // a difference of long texts is no help
    let (old, new) = match before.len().max(after.len()) > ALIGNED {
        true => (vec![before.as_str()], vec![after.as_str()]),
        false => (words(&before), words(&after)),
    };
    let ops = capture_diff_slices(Algorithm::Patience, &old, &new);
    let changes: Vec<(ChangeTag, &str)> =
        ops.iter().flat_map(|op| op.iter_changes(&old, &new)).map(|c| (c.tag(), c.value())).collect();
    html! {
        div class="aligned" {
            div { span class="muted" { "input " } code {
                @for (tag, word) in &changes { @match tag {
                    ChangeTag::Delete => del { (word) },
                    ChangeTag::Equal => (word),
                    ChangeTag::Insert => "",
                } }
            } }
            div { span class="muted" { "answer " } code id=(format!("answer-{at}")) {
                @for (tag, word) in &changes { @match tag {
                    ChangeTag::Insert => ins { (word) },
                    ChangeTag::Equal => (word),
                    ChangeTag::Delete => "",
                } }
            } " " button type="button" data-copy=(format!("#answer-{at}")) { "Copy" } }
        }
    }
}

/// Names, numbers, signs and blanks of a text.
fn words(text: &str) -> Vec<&str> {
    let (mut all, mut begin) = (Vec::new(), 0);
    let kind = |c: char| {
        if c.is_alphanumeric() || c == '_' || c == '.' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut last = None;
    for (at, c) in text.char_indices() {
        let k = kind(c);
        // a bracket is a word by itself, so that a pair need not change with its neighbours
        if last.is_some_and(|l| l != k || "()[],".contains(c)) && at > begin {
            all.push(&text[begin..at]);
            begin = at;
        }
        last = Some(if "()[],".contains(c) { 3 } else { k });
    }
    all.push(&text[begin..]);
    all
}
