//! Shows the answer beside the question, its price, and its text in other languages.

use super::Shown;
use super::operations::operations;
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

/// The programming languages in which an answer can be written, in addition to all dialects.
pub(crate) const LANGUAGES: [&str; 5] = ["cuda", "c", "triton", "python", "rust"];

/// The most bytes of texts that are compared word by word.
const ALIGNED: usize = 4000;

pub(crate) fn answer(input: &Input<'_>) -> Shown {
    let exprs = input.expressions()?;
    let domain = input.domain_of_expressions();
    let simplifier = input.simplifier();
    let answer = simplifier.simplify_all(&exprs, &domain).map_err(|e| input.refused(&e))?;
    let (emitted, language) = (emitted(&answer, &input.state.emit)?, &input.state.emit);
    Ok(html! {
        div {
            @if matches!(input.text, Text::Kernel(_)) { (choice(input)) }
            h2 { "Answer " small { (costs(answer.input_cost(), answer.cost())) } }
            @for (at, (before, after)) in exprs.iter().zip(answer.exprs()).enumerate() {
                (aligned(at, before, after))
            }
            @if answer.cost() == answer.input_cost() { p class="muted" {
                @if answer.exprs() == exprs { "No cheaper form was found." } @else { "The answer is another form of the same cost." }
            } }
            h3 { "Text in " (language) }
            (source("emitted", &emitted))
            h3 { "Price of each operation" }
            div class="pair linked" {
                section { h4 { "as written" } (prices(&exprs, &domain, &simplifier)) }
                section { h4 { "answer" } (prices(answer.exprs(), &domain, &simplifier)) }
            }
            h3 { "Machine operations" }
            (operations(answer.exprs(), &domain, &input.target, &|e| answer.range_of(e)))
            p class="muted" {
                "The search made " (counted(answer.nodes(), "e-node")) " in " (counted(answer.rounds() as usize, "round")) ". It ended because of this: " (answer.stop().as_str()) "."
            }
        }
    })
}

/// The answers to `asked`, and their text for CUDA.
pub(crate) fn answered(asked: &[Expr], answer: &Simplified) -> Markup {
    html! {
        p { (costs(answer.input_cost(), answer.cost())) }
        @if asked.len() == answer.exprs().len() {
            @for (at, (before, after)) in asked.iter().zip(answer.exprs()).enumerate() { (aligned(at, before, after)) }
        } @else {
            @for after in answer.exprs() { pre { code { (text(after)) } } }
        }
        @if let Ok(cuda) = answer.cuda() { (source("cuda", &cuda.whole())) }
    }
}

/// The control with which the user chooses the shown expression, if there are several.
pub(super) fn choice(input: &Input<'_>) -> Markup {
    let (count, chosen) = (input.choices(), input.state.access);
    let what = if matches!(input.text, Text::Kernel(_)) { "Access of the kernel" } else { "Expression" };
    html! {
        @if count > 1 { p { label { (what) " " select data-bind="access" {
            @for at in 0..count { option value=(at) selected[at == chosen] { (at) } }
        } } } }
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

/// The question and, below it, the answer, with the changed words marked.
fn aligned(at: usize, before: &Expr, after: &Expr) -> Markup {
    let (before, after) = (text(before), text(after));
    // do not mark differences between long texts, because that is not helpful
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

/// Splits a text into names, numbers, signs and blanks.
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
        // each bracket is a separate word, so that a pair may stay unchanged when its neighbours change
        if last.is_some_and(|l| l != k || "()[],".contains(c)) && at > begin {
            all.push(&text[begin..at]);
            begin = at;
        }
        last = Some(if "()[],".contains(c) { 3 } else { k });
    }
    all.push(&text[begin..]);
    all
}
