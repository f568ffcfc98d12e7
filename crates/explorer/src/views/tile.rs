//! Searches for layouts of a tile of shared memory under which the accesses of the tile have fewer bank conflicts.

use super::lanes::{Warps, lane_of};
use super::parts::text;
use crate::input::{Input, Text};
use maud::{Markup, html};
use quaff::domain::{Domain, Interval};
use quaff::expr::Expr;
use quaff::integer::floor_div;
use quaff_fronts::banks::{Access, Machine, Tile, TileAccess, decide, search};
use serde_json::json;

/// The most layouts that are offered.
const OFFERED: usize = 4;
/// The most rows of a tile for which layouts are searched.
const ROWS: i64 = 512;

/// A tile of shared memory, and the indices of its accesses.
pub(crate) struct TileOfIndices {
    pub(crate) rows: i64,
    /// The number of elements in a row.
    pub(crate) columns: i64,
    pub(crate) indices: Vec<Expr>,
    /// The conflict degree of each access as it is written.
    before: Vec<u32>,
    /// The facts about the variables of the indices.
    pub(crate) domain: Domain,
}

/// The reason why no layouts are searched.
enum NoTile {
    /// The conflicts of an access of the tile are not known.
    Unknown,
    /// No access has a conflict.
    Free,
    /// An index may be negative, or the tile would have too many rows of this number of elements.
    Large(i64),
}

impl TileOfIndices {
    /// The tile of shared memory that the index of the page accesses. Its accesses are all expressions of the page, or
    /// all accesses of a kernel to one buffer.
    fn new(input: &Input<'_>, lane: &str, machine: &Machine) -> Result<TileOfIndices, NoTile> {
        let indices = indices(input);
        let domain = if indices.len() == 1 { input.domain_of_expressions() } else { input.domain.clone() };
        let degrees = indices.iter().map(|index| degree(input, index, lane, &domain, machine));
        let before = degrees.collect::<Option<Vec<u32>>>().ok_or(NoTile::Unknown)?;
        if before.iter().all(|d| *d <= 1) {
            return Err(NoTile::Free);
        }
        let of_banks = machine.memory().row_bytes().checked_div(input.state.bytes).unwrap_or(32).max(1);
        let columns = i64::from(if input.state.columns == 0 { of_banks } else { input.state.columns });
        let simplifier = input.simplifier();
        let mut facts = simplifier.facts(&domain);
        let mut row = |index: &Expr| {
            let (low, high) = facts.bounds(index).ok().and_then(Interval::bounded)?;
            (low >= 0).then_some(floor_div(high.into(), columns.into()) as i64 + 1)
        };
        let rows: Option<Vec<i64>> = indices.iter().map(&mut row).collect();
        let rows = rows.and_then(|rows| rows.into_iter().max()).filter(|rows| (1..=ROWS).contains(rows));
        let rows = rows.ok_or(NoTile::Large(columns))?;
        Ok(TileOfIndices { rows, columns, indices, before, domain })
    }
}

/// The tile whose layouts the page searches. `None` if the page does not search any.
pub(crate) fn tile_of(input: &Input<'_>) -> Option<TileOfIndices> {
    let machine = Machine::named(&input.state.machine).filter(|_| input.state.search)?;
    TileOfIndices::new(input, &lane_of(input)?, &machine).ok()
}

/// Shows layouts of the tile that the index accesses.
pub(super) fn layouts(input: &Input<'_>, lane: &str, machine: Machine) -> Markup {
    let state = input.state;
    let width = |columns: i64| {
        html! {
            p { label { "Elements in a row of the tile " input type="number" min="1" data-bind="columns" value=(columns); } }
        }
    };
    let tile = match TileOfIndices::new(input, lane, &machine) {
        Ok(tile) => tile,
        Err(NoTile::Unknown) => {
            return html! { p class="muted" { "No layout is searched, because the bank conflicts of another access of the tile are not known." } };
        }
        Err(NoTile::Free) => {
            return html! { p class="muted" { "No access of the tile has a bank conflict, so no layout is searched." } };
        }
        Err(NoTile::Large(columns)) => {
            return html! { (width(columns)) p class="muted" { "Layouts are searched for indices from 0 on with up to " (ROWS) " rows of " (columns) " elements." } };
        }
    };
    let TileOfIndices { rows, columns, indices, before, domain } = &tile;
    let (rows, columns) = (*rows, *columns);
    let width = width(columns);
    let is_all = !matches!(input.text, Text::Kernel(_));
    let simplifier = input.simplifier();
    let found = || {
        // both numbers are below 2^32, so the conversions are exact
        let tile = Tile::new(rows as u32, columns as u32, state.bytes)?;
        let access = |index: &Expr| {
            TileAccess::new(index.floor_div(columns), index.floor_mod(columns), state.width.max(state.bytes))
        };
        let accesses: Vec<TileAccess> = indices.iter().map(access).collect::<Result<_, _>>()?;
        search(&tile, &accesses, lane, domain, machine, &simplifier)
    };
    let found = match found() {
        Ok(found) => found,
        Err(e) => return html! { (width) p class="muted" { "No layout was searched: " (e) "." } },
    };
    let total = |degrees: &[u32]| degrees.iter().sum::<u32>();
    let better: Vec<_> =
        found.candidates().iter().filter(|c| total(c.degrees()) < total(before)).take(OFFERED).collect();
    if better.is_empty() {
        return html! { (width) p class="muted" { "No layout with fewer conflicts was found." } };
    }
    let (old, conditions) = input.as_before();
    let ways = |degrees: &[u32]| degrees.iter().map(|d| format!("{d}-way")).collect::<Vec<_>>().join(", ");
    html! {
        h3 { "Layouts with fewer conflicts" }
        (width)
        p {
            "They are for a tile of " (rows) " rows of " (columns) " elements: an index is taken as `row*" (columns) " + column`. "
            @if indices.len() > 1 { (indices.len()) " accesses are in the tile. As written they have these conflicts: " (ways(before)) "." }
        }
        table { thead { tr { th {} th { "layout" } th class="number" { "conflicts" } th class="number" { "bytes" } th class="number" { "instructions" } th { "indices" } } }
            tbody { @for c in better {
                @let new: Vec<String> = c.indices().exprs().iter().map(text).collect();
                tr {
                    td { @if is_all {
                        button type="button" data-set=(json!({
                            "text": new.join("\n"), "from": "infix", "columns": 0, "before": old, "before_assume": conditions,
                        })) { "Apply" }
                    } @else { span class="muted" { "for expressions" } } }
                    td { (c.layout()) } td class="number" { (ways(c.degrees())) }
                    td class="number" { (c.bytes()) } td class="number" { (c.cost()) } td { @for e in &new { div { code { (e) } } } }
                }
            } } }
    }
}

/// The indices into the tile.
fn indices(input: &Input<'_>) -> Vec<Expr> {
    let kernel = match &input.text {
        Text::Kernel(kernel) => kernel,
        _ => return input.expressions().unwrap_or_default(),
    };
    let chosen = kernel.accesses.get(input.state.access);
    let same = kernel.accesses.iter().filter(|a| chosen.is_some_and(|c| c.buffer() == a.buffer()));
    same.map(|a| a.index().clone()).collect()
}

/// The conflict degree of an access at the worst values of its variables.
pub(super) fn degree(input: &Input<'_>, index: &Expr, lane: &str, domain: &Domain, machine: &Machine) -> Option<u32> {
    let state = input.state;
    let Warps { index, lane, domain } = Warps::new(index, lane, domain, &state.machine);
    let access = Access::new(index, state.bytes).and_then(|a| a.wide(state.width.max(state.bytes))).ok()?;
    Some(decide(&access, &lane, &domain, machine.clone()).ok()?.service().degree())
}
