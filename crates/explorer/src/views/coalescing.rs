//! Shows the schedules of a search.

use super::parts::text;
use maud::{Markup, PreEscaped, html};
use quaff_fronts::coalesce::{Candidate, Found};

/// A table of all schedules of a search, and a picture of the first schedule.
pub(crate) fn schedules(found: &Found, picture: &str) -> Markup {
    html! {
        p { "In the order of the elements all warps touch " (found.identity().sectors) " sectors. No order touches fewer than " (found.optimum().sectors) "." }
        table class="sortable" {
            thead { tr {
                th { "element of lane " code { "u" } } th { "index" }
                @for name in ["sectors", "lines", "gap", "vector", "instructions"] { th class="number" data-sort="" { (name) } }
            } }
            tbody { @for c in found.candidates().iter().chain(found.padded()) { (row(c)) } }
        }
        div class="zoom" { (PreEscaped(picture)) }
    }
}

fn row(c: &Candidate) -> Markup {
    let traffic = c.traffic();
    let indices: Vec<String> = c.indices().iter().map(text).collect();
    html! { tr {
        td { code { (text(c.sigma())) } } td { code { (indices.join("; ")) } }
        td class="number" { (traffic.sectors) } td class="number" { (traffic.lines) } td class="number" { (traffic.gap) }
        td class="number" { (c.vector()) } td class="number" data-value=(c.cost().instructions()) { (c.cost()) }
    } }
}
