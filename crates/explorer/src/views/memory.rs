//! Shows the cost of the accesses of a warp: banks of shared memory, and sectors of global memory.

use super::Shown;
use super::answer::choice;
use super::banks::banks;
use super::lanes::{WARP, Warps, lane};
use super::parts::text;
use super::tile::{degree, layouts};
use crate::input::{Input, Text};
use crate::problem::{Field, Problem};
use crate::request::{State, View};
use maud::{Markup, PreEscaped, html};
use miette::Diagnostic;
use quaff::domain::{Domain, Interval};
use quaff::expr::substitute::substituted;
use quaff::expr::{Dag, Expr, Program, var};
use quaff::integer::{floor_div, floor_mod};
use quaff_draw::grid::{Cell, Fill, Panel, svg};
use quaff_draw::page::counted;
use quaff_fronts::banks::{Access, Decided, Machine, decide};
use quaff_fronts::coalesce::{self, Question, Warp};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The number of bytes of a sector.
const SECTOR: i128 = 32;
/// The most schedules that are offered.
const OFFERED: usize = 4;
/// The most indices whose conflicts are listed.
const LISTED: usize = 16;
/// The most elements for which schedules are searched.
const SCHEDULED: i64 = 4096;

pub(crate) fn memory(input: &Input<'_>) -> Shown {
    let state = input.state;
    let now = Measured::new(input)?;
    let lane_name = &now.lane_name;
    let before = before(state);
    Ok(html! {
        div class="memory" {
            (choice(input))
            (all_degrees(input, lane_name, &now.machine))
            p { "Access " code { (text(&now.index)) } ", lanes " code { (now.lane) } ", " (state.bytes) "-byte elements, " (now.width) " bytes a lane." }
            @if now.is_guess { p class="note" { "It is a guess that " code { (lane_name) } " counts the lanes. The field `lane` on the left says otherwise." } }
            (now.sliders())
            @if let Some(before) = &before {
                p { "The index was " code { (text(&before.index)) } ". "
                    button type="button" data-set=(json!({"before": "", "before_assume": []})) { "Hide the index before" } }
                div class="pair" {
                    section { h2 { "Before" } (before.banks()) }
                    section { h2 { "Now" } (now.banks()) }
                }
            } @else { (now.banks()) }
            @if state.search {
                (layouts(input, lane_name, now.machine.clone()))
            } @else {
                button type="button" data-set=(json!({"search": true})) { "Search layouts and schedules" }
            }
            h2 { "Global memory" }
            @if let Some(before) = &before {
                div class="pair" {
                    section { h3 { "Before" } (before.sectors()) }
                    section { h3 { "Now" } (now.sectors()) }
                }
            } @else { (now.sectors()) }
            @if state.search { (schedules(input, &now.whole, lane_name, &now.asked, now.width)) }
        }
    })
}

/// The access of the index as it was before a layout or a schedule was applied. `None` if there is no such index, or if
/// it cannot be read with the present inputs.
fn before(state: &State) -> Option<Measured> {
    let state = State {
        text: state.before.clone(),
        from: "infix".into(),
        assume: state.before_assume.clone(),
        before: String::new(),
        ..state.clone()
    };
    let input = Input::read(&state, View::Memory);
    Measured::new(&input).ok()
}

/// The accesses of one warp, at the worst values or at the chosen values of the other variables.
struct Measured {
    /// The index with a variable for all lanes, and its domain.
    whole: Expr,
    asked: Domain,
    lane_name: String,
    is_guess: bool,
    /// The index with a variable for the lanes of one warp, and this variable.
    index: Expr,
    lane: String,
    /// The other variables, each with its range and its chosen value.
    others: Vec<(String, Interval, Option<i64>)>,
    machine: Machine,
    bytes: u32,
    /// The number of bytes that a lane accesses, at least one element.
    width: u32,
    decided: Decided,
}

impl Measured {
    fn new(input: &Input<'_>) -> Result<Measured, Vec<Problem>> {
        let whole = input.expression()?;
        let state = input.state;
        let asked = input.domain_of_expressions();
        let (lane_name, is_guess) = lane(input, &whole, &asked)?;
        let machine = Machine::named(&state.machine)
            .ok_or_else(|| vec![Problem::new(Field::NONE, format!("there is no machine `{}`", state.machine))])?;
        let Warps { index, lane, domain } = Warps::new(&whole, &lane_name, &asked, &state.machine);
        let ranges = domain.resolve().unwrap_or_default();
        let range = |name: &str| ranges.iter().find(|f| &*f.name == name).map_or(Interval::ALL, |f| f.interval);
        let dag = Dag::new(std::slice::from_ref(&index));
        let others = dag.variables().map(|v| v.to_string()).filter(|v| *v != lane).map(|name| {
            let (range, chosen) = (range(&name), state.at.get(&name).copied());
            (name, range, chosen.filter(|v| range.contains(*v)))
        });
        let others: Vec<(String, Interval, Option<i64>)> = others.collect();
        let fixed = others.iter().filter_map(|(name, _, at)| Some((name, (*at)?)));
        let point = fixed.fold(domain, |domain, (name, v)| domain.with(name.as_str(), v..=v));
        let width = state.width.max(state.bytes);
        let wrong = |e: &dyn Diagnostic| {
            let field = Field::new("text", &state.text);
            vec![Problem::new(field, e.to_string()).with_help(e.help().map(|h| h.to_string()).unwrap_or_default())]
        };
        let access = Access::new(index.clone(), state.bytes).and_then(|a| a.wide(width)).map_err(|e| wrong(&e))?;
        let decided = decide(&access, &lane, &point, machine.clone()).map_err(|e| wrong(&e))?;
        let bytes = state.bytes;
        Ok(Measured { whole, asked, lane_name, is_guess, index, lane, others, machine, bytes, width, decided })
    }

    fn banks(&self) -> Markup {
        banks(&self.decided, self.machine.memory())
    }

    fn sectors(&self) -> Markup {
        let found = sectors(&self.index, &self.lane, &self.decided, [self.bytes, self.width]);
        found.unwrap_or_else(|| html! { p { "The addresses have no value here." } })
    }

    /// A slider for each variable except the lanes, set to the value in the picture.
    fn sliders(&self) -> Markup {
        let worst = |name: &str| self.decided.at().iter().find(|(n, _)| **n == *name).map(|(_, v)| *v);
        html! {
            @if !self.others.is_empty() {
                p { "Values of the other variables. The worst ones are shown until a slider is moved." }
                div class="sliders" { @for (name, range, chosen) in &self.others { @if let Some((low, high)) = range.bounded() {
                    @let shown = chosen.or_else(|| worst(name)).unwrap_or(low);
                    label { code { (name) } " "
                        input type="range" data-bind=(format!("at.{name}")) min=(low) max=(high) value=(shown);
                        " " output { (shown) }
                        @if chosen.is_none() { span class="muted" { " worst" } }
                    }
                } } }
                button type="button" data-set=(json!({"at": {}})) { "Worst values" }
            }
        }
    }
}

/// The conflicts of each expression, or of each access of a kernel, if there are several of them.
fn all_degrees(input: &Input<'_>, lane: &str, machine: &Machine) -> Markup {
    let count = input.choices();
    let degree = |at: usize| {
        let (index, domain) = input.choice(at)?;
        let degree = degree(input, &index, lane, &domain, machine);
        Some((text(&index), degree.map_or("not known".into(), |d| format!("{d}-way"))))
    };
    html! {
        @if count > 1 {
            table { thead { tr { th {} th { "index" } th class="number" { "bank conflict" } } }
                tbody { @for at in 0..count.min(LISTED) { @if let Some((index, degree)) = degree(at) {
                    tr aria-current=[(at == input.state.access).then_some("true")] {
                        td { @if at == input.state.access { "shown" } @else { button type="button" data-set=(json!({"access": at, "at": {}})) { "Show" } } }
                        td { code { (index) } }
                        td class="number" { (degree) }
                    }
                } } } }
            @if count > LISTED { p class="muted" { (count - LISTED) " more are not listed." } }
        }
    }
}

/// The sectors that the lanes of a warp touch, as a picture and as a sentence.
fn sectors(index: &Expr, lane: &str, decided: &Decided, [bytes, width]: [u32; 2]) -> Option<Markup> {
    let mut names = vec![lane];
    names.extend(decided.at().iter().map(|(n, _)| &**n).filter(|n| *n != lane));
    let program = Program::new(std::slice::from_ref(index), &names).ok()?;
    // a lane that no bank serves does not access memory
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

/// A button that replaces the index, if the text has only one index.
fn apply(input: &Input<'_>, set: &Value) -> Markup {
    let is_only = matches!(&input.text, Text::Expressions(all) if all.len() == 1);
    html! { @if is_only { button type="button" data-set=(set) { "Apply" } } @else { span class="muted" { "for one index" } } }
}

/// Shows schedules (orders of the lanes) with which the accesses touch fewer sectors.
fn schedules(input: &Input<'_>, index: &Expr, lane: &str, domain: &Domain, width: u32) -> Markup {
    let facts = domain.resolve().unwrap_or_default();
    let range = facts.iter().find(|f| &*f.name == lane).and_then(|f| f.interval.bounded());
    let n = match range {
        Some((0, last)) if last < SCHEDULED && floor_mod(i128::from(last) + 1, WARP.into()) == 0 => last + 1,
        _ => {
            return html! { p class="muted" { "No schedule was searched. A search needs a lane variable with the range `0..N-1`, where `N` is a multiple of 32 and at most " (SCHEDULED) "." } };
        }
    };
    if width != input.state.bytes || facts.iter().any(|f| f.lower.is_some() || f.upper.is_some()) {
        return html! { p class="muted" { "No schedule was searched. A search needs lanes that access one element, and ranges with numbers as ends." } };
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
    // the candidate has another name for its lanes
    let renamed = |e: &Expr| text(&substituted(e, "u", &var(lane)));
    let (old, conditions) = input.as_before();
    html! {
        p { "Over all warps and all values, accesses touch " (found.identity().sectors) " sectors. " @if better.is_empty() { "No schedule was found that touches fewer." } }
        @if !better.is_empty() {
            h3 { "Schedules with fewer sectors" }
            p { "A schedule gives the elements to other lanes. A button puts it into the index and its conditions." }
            table { thead { tr { th {} th { "element of lane " (lane) } th class="number" { "sectors" } th class="number" { "instructions" } th { "index" } } }
                tbody { @for c in better {
                    @let new = c.indices().first().map(renamed).unwrap_or_default();
                    @let masks: Vec<String> = c.gates().iter().filter(|g| g.as_const() != Some(1)).map(renamed).collect();
                    tr { td { (apply(input, &json!({
                        "text": new, "from": "infix", "assume": masks, "before": old, "before_assume": conditions,
                    }))) }
                        td { code { (renamed(c.sigma())) } } td class="number" { (c.traffic().sectors) } td class="number" { (c.cost()) }
                        td { code { (new) } } }
                } } }
        }
    }
}
