//! Parts that several views share.

use maud::{Markup, html};
use quaff::cost::Cost;
use quaff::expr::{DISPLAY_LIMIT, Expr};
use quaff::quasi::Verdict;
use quaff_draw::page::counted;

/// The text of an expression, or a sentence if the expression is too long.
pub(super) fn text(e: &Expr) -> String {
    e.to_infix(DISPLAY_LIMIT).unwrap_or_else(|e| format!("({e})"))
}

/// Program text that can be copied.
pub(super) fn source(id: &str, text: &str) -> Markup {
    html! {
        div class="source" {
            pre id=(id) { code { (text) } }
            button type="button" data-copy=(format!("#{id}")) { "Copy" }
        }
    }
}

/// Two costs, and the second cost as a share of the first.
pub(super) fn costs(before: Cost, after: Cost) -> Markup {
    let less = (before.instructions() > 0.0).then(|| 100.0 * (1.0 - after.instructions() / before.instructions()));
    html! {
        span class="cost" { (before) " → " (counted(after, "instruction")) }
        @if let Some(less) = less.filter(|less| *less >= 0.5) { span class="good" { " (" (format!("{less:.0}")) " % fewer)" } }
    }
}

/// The verdict of the exact procedure, as text.
pub(super) fn verdict(verdict: &Verdict) -> Markup {
    let (class, text) = match verdict {
        Verdict::Equal => ("good", "checked".to_string()),
        Verdict::Differs { .. } => ("bad", format!("wrong: {verdict}")),
        _ => ("muted", format!("{verdict}")),
    };
    html! { span class=(class) { (text) } }
}

/// The most characters of a text in a table.
const LONG: usize = 240;

/// A text, cut if it is too long for a table.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONG) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text.into(),
    }
}
