//! What the accesses of a warp take: banks of shared memory, and sectors of global memory.

use super::Shown;
use super::answer::choose_access;
use super::banks::banks;
use super::parts::text;
use crate::input::{Input, Text};
use crate::problem::{Field, Problem};
use maud::{Markup, PreEscaped, html};
use miette::Diagnostic;
use quaff::domain::{Bounds, Domain, Interval};
use quaff::expr::name::free;
use quaff::expr::offset::plus_offset;
use quaff::expr::substitute::substituted;
use quaff::expr::{Dag, Expr, Program, var};
use quaff::integer::{floor_div, floor_mod};
use quaff_draw::grid::{Cell, Fill, Panel, svg};
use quaff_draw::page::counted;
use quaff_fronts::banks::{Access, Decided, Machine, Tile, TileAccess, decide, search};
use quaff_fronts::coalesce::{self, Question, Warp};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Bytes of a sector.
const SECTOR: i128 = 32;
/// Lanes of a warp.
const WARP: i64 = 32;
/// Names that count lanes, in the order in which one is chosen.
const LANES: [&str; 6] = ["threadIdx.x", "threadIdx_x", "lane", "tid", "tx", "t"];
/// Candidates that are offered.
const OFFERED: usize = 4;
/// Elements of a schedule that is searched.
const SCHEDULED: i64 = 4096;
/// Rows of a tile that is searched.
const ROWS: i64 = 512;

pub(crate) fn memory(input: &Input<'_>) -> Shown {
    let whole = input.expression()?;
    let state = input.state;
    let asked = input.domain_of_expressions();
    let (lane_name, is_guess) = lane(input, &whole, &asked)?;
    let machine = Machine::named(&state.machine)
        .ok_or_else(|| vec![Problem::new(Field::NONE, format!("there is no machine `{}`", state.machine))])?;
    let warp = if state.machine.starts_with("cdna") { 2 * WARP } else { WARP };
    let Warps { index, lane, domain } = Warps::new(&whole, &lane_name, &asked, warp);
    let ranges = domain.resolve().unwrap_or_default();
    let range = |name: &str| ranges.iter().find(|f| &*f.name == name).map_or(Interval::ALL, |f| f.interval);
    let dag = Dag::new(std::slice::from_ref(&index));
    let others: Vec<String> = dag.variables().map(|v| v.to_string()).filter(|v| *v != lane).collect();
    let at = |name: &String| state.at.get(name).copied().filter(|v| range(name).contains(*v));
    let fixed = others.iter().filter_map(|name| Some((name, at(name)?)));
    let point = fixed.fold(domain.clone(), |domain, (name, v)| domain.with(name.as_str(), v..=v));
    // a lane accesses an element at least
    let width = state.width.max(state.bytes);
    let wrong = |e: &dyn Diagnostic| {
        let field = Field::new("text", &state.text);
        vec![Problem::new(field, e.to_string()).with_help(e.help().map(|h| h.to_string()).unwrap_or_default())]
    };
    let access = Access::new(index.clone(), state.bytes).and_then(|a| a.wide(width)).map_err(|e| wrong(&e))?;
    let decided = decide(&access, &lane, &point, machine.clone()).map_err(|e| wrong(&e))?;
    let degree = decided.service().degree();
    Ok(html! {
        div class="memory" {
            @if let Text::Kernel(kernel) = &input.text { (choose_access(kernel.accesses.len(), state.access)) }
            p { "Access " code { (text(&index)) } ", lanes " code { (lane) } ", " (state.bytes) "-byte elements, " (width) " bytes a lane." }
            @if is_guess { p class="note" { "It is a guess that " code { (lane_name) } " counts the lanes. The field `lane` on the left says otherwise." } }
            (sliders(&others, &decided, &range, &at))
            (banks(&decided, machine.memory()))
            (layouts(input, &Tiled { index: &whole, lane: &lane_name, domain: &asked, width, degree }, machine))
            h2 { "Global memory" }
            (sectors(&index, &lane, &decided, [state.bytes, width]).unwrap_or_else(|| html! { p { "The addresses have no value here." } }))
            (schedules(input, &whole, &lane_name, &asked, width))
        }
    })
}

/// An index whose lanes are those of one warp; which warp it is, is a variable of its own.
struct Warps {
    index: Expr,
    /// The name of the variable that counts the lanes of a warp.
    lane: String,
    domain: Domain,
}

impl Warps {
    /// `index` over warps of `warp` lanes, where `lane` counts more.
    fn new(index: &Expr, lane: &str, domain: &Domain, warp: i64) -> Warps {
        let facts = domain.resolve().unwrap_or_default();
        let range = facts.iter().find(|f| &*f.name == lane).and_then(|f| f.interval.bounded());
        let Some((low, high)) = range.filter(|(low, high)| high.saturating_sub(*low) >= warp) else {
            return Warps { index: index.clone(), lane: lane.into(), domain: domain.clone() };
        };
        let free = |name: &str| free(name.into(), |n| domain.contains(n));
        let (of_lane, of_warp) = (free("lane"), free("warp"));
        let number = plus_offset(var(of_warp.clone()) * warp + var(of_lane.clone()), low);
        let put_in = |e: &Expr| substituted(e, lane, &number);
        let last = floor_div(i128::from(high) - i128::from(low), warp.into()) as i64;
        let mut inside = Domain::new().with(of_lane.clone(), 0..warp).with(of_warp, 0..=last).assume(number.le(high));
        for fact in facts.iter().filter(|f| &*f.name != lane) {
            let (modulus, residue) = (fact.congruence.modulus(), fact.congruence.residue());
            inside.add_bounds(fact.name.clone(), Bounds::from(fact.interval));
            if modulus > 1 {
                inside.add_stride(fact.name.clone(), modulus, residue);
            }
        }
        let ends = facts.iter().flat_map(|f| {
            let name = var(f.name.clone());
            let lower = f.lower.as_ref().map(|e| name.ge(e.clone()));
            lower.into_iter().chain(f.upper.as_ref().map(|e| name.le(e.clone())))
        });
        let conditions = domain.assumptions().iter().cloned().chain(ends);
        let domain = conditions.fold(inside, |inside, c| inside.assume(put_in(&c)));
        Warps { index: put_in(index), lane: of_lane, domain }
    }
}

/// The variable that counts lanes, and whether that is a guess.
fn lane(input: &Input<'_>, index: &Expr, domain: &Domain) -> Result<(String, bool), Vec<Problem>> {
    let wanted = input.state.lane.trim();
    if !wanted.is_empty() {
        return match domain.contains(wanted) {
            true => Ok((wanted.into(), false)),
            false => Err(vec![Problem::new(Field::new("lane", wanted), format!("`{wanted}` has no range"))]),
        };
    }
    let dag = Dag::new(std::slice::from_ref(index));
    let names: Vec<String> = dag.variables().map(|v| v.to_string()).collect();
    let known = LANES.iter().find(|name| names.iter().any(|n| n == *name));
    match (known, names.as_slice()) {
        (Some(name), _) => Ok((name.to_string(), false)),
        (None, [one]) => Ok((one.clone(), false)),
        (None, [.., last]) => Ok((last.clone(), true)),
        (None, []) => {
            let field = Field::new("text", &input.state.text);
            Err(vec![Problem::new(field, "the index has no variable that counts lanes")])
        }
    }
}

/// A slider for each variable beside the lanes, at its value of the picture.
fn sliders(
    others: &[String],
    decided: &Decided,
    range: &dyn Fn(&str) -> Interval,
    at: &dyn Fn(&String) -> Option<i64>,
) -> Markup {
    let shown = |name: &String| {
        at(name)
            .or_else(|| decided.at().iter().find(|(n, _)| **n == **name).map(|(_, v)| *v))
            .or_else(|| range(name).lo())
    };
    html! {
        @if !others.is_empty() {
            p { "Values of the other variables. The worst ones are shown until a slider is moved." }
            div class="sliders" { @for name in others { @if let Some((low, high)) = range(name).bounded() {
                label { code { (name) } " "
                    input type="range" data-bind=(format!("at.{name}")) min=(low) max=(high) value=(shown(name).unwrap_or(low));
                    " " output { (shown(name).unwrap_or(low)) }
                    @if at(name).is_none() { span class="muted" { " worst" } }
                }
            } } }
            button type="button" data-set=(json!({"at": {}})) { "Worst values" }
        }
    }
}

/// An index into a tile of shared memory.
struct Tiled<'a> {
    index: &'a Expr,
    lane: &'a str,
    domain: &'a Domain,
    /// Bytes that a lane accesses.
    width: u32,
    /// The degree of the index as it is.
    degree: u32,
}

/// Layouts of the tile around the index under which there are fewer conflicts.
fn layouts(input: &Input<'_>, tiled: &Tiled<'_>, machine: Machine) -> Markup {
    let Tiled { index, lane, domain, width, degree } = *tiled;
    if degree <= 1 {
        return html! {};
    }
    let columns = i64::from(machine.memory().row_bytes().checked_div(input.state.bytes).unwrap_or(32).max(1));
    let simplifier = input.simplifier();
    let mut facts = simplifier.facts(domain);
    let range = facts.bounds(index).ok().and_then(Interval::bounded);
    let rows = range.filter(|(low, _)| *low >= 0).map(|(_, high)| floor_div(high.into(), columns.into()) as i64 + 1);
    let Some(rows) = rows.filter(|rows| (1..=ROWS).contains(rows)) else {
        return html! { p class="muted" { "Layouts are searched for an index from 0 on with up to " (ROWS) " rows of " (columns) " elements." } };
    };
    let found = || {
        let tile = Tile::new(u32::try_from(rows).ok()?, u32::try_from(columns).ok()?, input.state.bytes).ok()?;
        let access = TileAccess::new(index.floor_div(columns), index.floor_mod(columns), width).ok()?;
        search(&tile, &[access], lane, domain, machine, &simplifier).ok()
    };
    let found = found();
    let candidates = found.iter().flat_map(|found| found.candidates());
    let better: Vec<_> = candidates.filter(|c| c.degrees().iter().all(|d| *d < degree)).take(OFFERED).collect();
    if better.is_empty() {
        return html! { p class="muted" { "No layout with fewer conflicts was found." } };
    }
    html! {
        h3 { "Layouts with fewer conflicts" }
        p { "They are for a tile of " (rows) " rows of " (columns) " elements: the index is taken as `row*" (columns) " + column`." }
        table { thead { tr { th {} th { "layout" } th class="number" { "conflict" } th class="number" { "bytes" } th class="number" { "instructions" } th { "index" } } }
            tbody { @for c in better {
                @let new = c.indices().exprs().first().map(text).unwrap_or_default();
                tr { td { (apply(input, &json!({"text": new, "from": "infix"}))) }
                    td { (c.layout()) } td class="number" { (c.degrees().first().copied().unwrap_or(1)) "-way" }
                    td class="number" { (c.bytes()) } td class="number" { (c.cost()) } td { code { (new) } } }
            } } }
    }
}

/// A button that puts another index in the place of the only one.
fn apply(input: &Input<'_>, set: &Value) -> Markup {
    let is_only = matches!(&input.text, Text::Expressions(all) if all.len() == 1);
    html! { @if is_only { button type="button" data-set=(set) { "Apply" } } @else { span class="muted" { "for one index" } } }
}

/// The sectors that the lanes of a warp touch, as a picture and as a sentence.
fn sectors(index: &Expr, lane: &str, decided: &Decided, [bytes, width]: [u32; 2]) -> Option<Markup> {
    let mut names = vec![lane];
    names.extend(decided.at().iter().map(|(n, _)| &**n).filter(|n| *n != lane));
    let program = Program::new(std::slice::from_ref(index), &names).ok()?;
    // a lane that no bank serves does not access
    let words = decided.service().words();
    let is_active = |position: usize| words.iter().any(|w| w.lanes.iter().any(|l| *l as usize == position));
    let address = |lane: i64| {
        let rest = names[1..].iter().filter_map(|n| decided.at().iter().find(|(m, _)| **m == **n));
        let point: Vec<i128> = std::iter::once(lane.into()).chain(rest.map(|(_, v)| (*v).into())).collect();
        program.eval(&point).first()?.as_ref().ok().copied()?.checked_mul(bytes.into())
    };
    let mut lanes: Vec<(i64, Option<i128>)> = Vec::new();
    for (position, &lane) in decided.lanes().iter().enumerate() {
        lanes.push((lane, if is_active(position) { Some(address(lane)?) } else { None }));
    }
    let mut starts: Vec<i128> = lanes.iter().filter_map(|(_, a)| *a).collect();
    starts.sort_unstable();
    let (Some(&low), Some(&high)) = (starts.first(), starts.last()) else {
        return Some(html! { p { "No lane is active at these values." } });
    };
    let (mut touched, mut used, mut end) = (BTreeSet::new(), 0, low);
    for a in starts {
        let last = a + i128::from(width);
        touched.extend(floor_div(a, SECTOR)..=floor_div(last - 1, SECTOR));
        used += (last - end.max(a)).max(0);
        end = end.max(last);
    }
    let least = floor_div(used + SECTOR - 1, SECTOR);
    let scale = ((high - low).max(1) as f64).recip();
    let cells = lanes.iter().map(|(lane, a)| match a {
        Some(a) => Cell {
            label: floor_div(*a, SECTOR).to_string(),
            tip: format!(
                "lane {lane}: byte {a}, sector {}, byte {} of it",
                floor_div(*a, SECTOR),
                floor_mod(*a, SECTOR)
            ),
            fill: Fill::Shade((a - low) as f64 * scale),
        },
        None => Cell { label: "-".into(), tip: format!("lane {lane}: no access"), fill: Fill::Masked },
    });
    let panel = Panel {
        title: "sector of each lane".into(),
        axes: [String::new(), "lane".into()],
        columns: 16,
        cells: cells.collect(),
    };
    let count = touched.len() as i128;
    Some(html! {
        p { "The warp uses " (used) " bytes and touches " strong { (counted(touched.len(), "sector")) } " of 32 bytes. "
            @if count <= least { span class="good" { "That is the least." } } @else { span class="bad" { "The bytes would fit in " (least) "." } } }
        div class="zoom" { (PreEscaped(svg("sectors of a warp", &[panel]))) }
        details { summary { "Addresses as a table" } table {
            thead { tr { th { "lane" } th { "byte" } th { "sector" } } }
            tbody { @for (lane, a) in &lanes { tr {
                td class="number" { (lane) }
                @match a {
                    Some(a) => { td class="number" { (a) } td class="number" { (floor_div(*a, SECTOR)) } }
                    None => { td { "no access" } td {} }
                }
            } } } } }
    })
}

/// Orders of the lanes in which their accesses touch fewer sectors.
fn schedules(input: &Input<'_>, index: &Expr, lane: &str, domain: &Domain, width: u32) -> Markup {
    let facts = domain.resolve().unwrap_or_default();
    let range = facts.iter().find(|f| &*f.name == lane).and_then(|f| f.interval.bounded());
    let n = match range {
        Some((0, last)) if last < SCHEDULED && floor_mod(i128::from(last) + 1, WARP.into()) == 0 => last + 1,
        _ => {
            return html! { p class="muted" { "Schedules are searched for lanes from 0 on, in whole warps, up to " (SCHEDULED) "." } };
        }
    };
    if width != input.state.bytes || facts.iter().any(|f| f.lower.is_some() || f.upper.is_some()) {
        return html! { p class="muted" { "Schedules are searched for accesses of one element whose ranges are numbers." } };
    }
    let mut uniform = Domain::new();
    for f in facts.iter().filter(|f| &*f.name != lane) {
        if let Some((low, high)) = f.interval.bounded() {
            uniform = uniform.with(f.name.clone(), low..=high);
        }
    }
    let Ok(access) = coalesce::Access::new(index.clone(), input.state.bytes) else { return html! {} };
    let gate = domain.assumptions().iter().cloned().reduce(|all, c| all.and(c));
    let accesses = [gate.iter().fold(access, |access, gate| access.when(gate.clone()))];
    let question = Question::new(&accesses, lane, n as u64, Warp::default()).with_uniform(uniform);
    let found = match question.search(&input.simplifier()) {
        Ok(found) => found,
        Err(e) => return html! { p class="muted" { "No schedule was searched: " (e) "." } },
    };
    let better = found.candidates().iter().filter(|c| c.traffic().sectors < found.identity().sectors);
    let better: Vec<_> = better.take(OFFERED).collect();
    // the candidate's lanes have a name of their own
    let renamed = |e: &Expr| text(&substituted(e, "u", &var(lane)));
    html! {
        p { "Over all warps and all values, accesses touch " (found.identity().sectors) " sectors. " @if better.is_empty() { "No schedule was found that touches fewer." } }
        @if !better.is_empty() {
            h3 { "Schedules with fewer sectors" }
            p { "A schedule gives the elements to other lanes. A button puts it into the index and its conditions." }
            table { thead { tr { th {} th { "element of lane " (lane) } th class="number" { "sectors" } th class="number" { "instructions" } th { "index" } } }
                tbody { @for c in better {
                    @let new = c.indices().first().map(renamed).unwrap_or_default();
                    @let masks: Vec<String> = c.gates().iter().filter(|g| g.as_const() != Some(1)).map(renamed).collect();
                    tr { td { (apply(input, &json!({"text": new, "from": "infix", "assume": masks}))) }
                        td { code { (renamed(c.sigma())) } } td class="number" { (c.traffic().sectors) } td class="number" { (c.cost()) }
                        td { code { (new) } } }
                } } }
        }
    }
}

/// The variable that counts lanes, where one is found.
pub(crate) fn lane_of(input: &Input<'_>) -> Option<String> {
    let index = input.expression().ok()?;
    lane(input, &index, &input.domain_of_expressions()).ok().map(|(lane, _)| lane)
}
