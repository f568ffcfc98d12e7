//! Shows the lanes that each bank serves.

use maud::{Markup, PreEscaped, html};
use quaff_draw::page::counted;
use quaff_fronts::banks::{Decided, Memory};

/// The most conflicts that a table lists.
const LISTED: usize = 256;

/// The bank conflicts of an access at its worst point, as a picture and as a table.
pub(crate) fn banks(decided: &Decided, memory: Memory) -> Markup {
    let service = decided.service();
    let degree = service.degree();
    html! {
        h2 { "Shared memory: " @if degree <= 1 { span class="good" { "no bank conflict" } } @else { span class="bad" { (degree) "-way bank conflict" } } }
        p {
            (counted(service.transactions() as usize, "transaction")) " in " (counted(service.phases() as usize, "phase"))
            @if service.broadcast() { "; lanes with the same word share it" }
            "."
            @if degree > 1 { " Each further row is one more pass." }
        }
        @if !decided.at().is_empty() {
            p { "Shown at " @for (at, (name, value)) in decided.at().iter().enumerate() { @if at > 0 { ", " } code { (name) " = " (value) } } "." }
        }
        div class="zoom" { (PreEscaped(service.svg(memory, decided.lanes()))) }
        details { summary { "Conflicts as a table" } (conflicts(decided)) }
    }
}

fn conflicts(decided: &Decided) -> Markup {
    let all = decided.service().conflicts();
    let number = |lane: u32| decided.lanes().get(lane as usize).copied().unwrap_or(lane.into());
    html! {
        @if all.is_empty() { p { "No two lanes wait for one bank." } } @else {
            table { thead { tr { th { "bank" } th { "lane" } th { "waits for lane" } } }
                tbody { @for c in all.iter().take(LISTED) { tr {
                    td class="number" { (c.bank) }
                    td class="number" { (number(c.second)) } td class="number" { (number(c.first)) }
                } } } }
            @if all.len() > LISTED { p class="muted" { (all.len() - LISTED) " more are not listed." } }
        }
    }
}
