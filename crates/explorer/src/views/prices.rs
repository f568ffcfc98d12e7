//! The price of each operation of an expression.

use super::parts::{shortened, text};
use maud::{Markup, html};
use quaff::Simplifier;
use quaff::cost::{Cost, price};
use quaff::domain::{Domain, Interval, RangesByName, intervals_of};
use quaff::expr::{Dag, Expr};

/// The most operations that are priced. For a larger expression, only the first operations are priced.
const SHOWN: usize = 48;
/// The most nodes of an expression whose operations are priced.
const NODES: usize = 2000;

/// An operation: its text, its range, its own price, and the total price of the operation with all its operands.
struct Row {
    text: String,
    range: Interval,
    own: Cost,
    whole: Cost,
}

/// A table of the operations of `exprs`. Operands come before their users.
///
/// The price of a single operation is the price of its value minus the price of its operands. An operation that the
/// machine fuses with its user costs nothing.
pub(super) fn prices(exprs: &[Expr], domain: &Domain, simplifier: &Simplifier) -> Markup {
    let dag = Dag::with_origins(exprs);
    if dag.nodes().len() > NODES {
        return html! { p class="muted" { "The expression has " (dag.nodes().len()) " parts. Up to " (NODES) " are listed." } };
    }
    let (rows, left) = rows(&dag, domain, simplifier);
    html! {
        @if rows.is_empty() { p class="muted" { "There is no operation: nothing is computed." } }
        @else {
            table class="sortable prices" {
                thead { tr {
                    th data-sort="" { "value" } th data-sort="" { "range" }
                    th data-sort="" class="number" title="price of the value less the price of its operands" { "own" }
                    th data-sort="" class="number" title="price of the value and all below it" { "total" }
                } }
                tbody { @for r in &rows { tr data-key=(r.text) {
                    td { code { (r.text) } } td { (r.range) }
                    td class="number" data-value=(r.own.instructions()) { (r.own) }
                    td class="number" data-value=(r.whole.instructions()) { (r.whole) }
                } } }
            }
            @if left > 0 { p class="muted" { (left) " more operations are not listed." } }
        }
    }
}

fn rows(dag: &Dag, domain: &Domain, simplifier: &Simplifier) -> (Vec<Row>, usize) {
    let facts = domain.resolve().unwrap_or_default();
    let by_name = RangesByName::new(&facts);
    // use facts that also follow from the conditions of the domain
    let mut known = simplifier.facts(domain);
    let ranges = intervals_of(dag, |name| by_name.of(name));
    let of = |roots: &[Expr]| {
        let part = Dag::new(roots);
        price(&part, &intervals_of(&part, |name| by_name.of(name)), simplifier.model())
    };
    let (mut rows, mut left) = (Vec::new(), 0);
    for ((id, _), range) in (0..).zip(dag.nodes()).zip(ranges).filter(|((_, node), _)| !node.args().is_empty()) {
        let Some(e) = dag.expr(id).filter(|_| rows.len() < SHOWN) else {
            left += 1;
            continue;
        };
        let (whole, below) = (of(std::slice::from_ref(e)), of(e.args()));
        let own = Cost::from_tenths(whole.tenths().saturating_sub(below.tenths()));
        let range = known.bounds(e).unwrap_or(range);
        rows.push(Row { text: shortened(&text(e)), range, own, whole });
    }
    (rows, left)
}
