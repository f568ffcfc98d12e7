//! Shows all accesses of a kernel in their loops, or a source file beside its rewritten form.

use super::Shown;
use super::parts::{costs, shortened, source, text};
use crate::input::{Input, Kernel, Text};
use crate::request::fields_of;
use maud::{Markup, html};
use quaff::access::{Access, Direction, Gate, NestedAccesses, SimplifiedAccesses};
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::{DISPLAY_LIMIT, Expr};
use quaff_draw::page::counted;
use quaff_fronts::kernel::{KernelIndex, KernelText};
use quaff_rewrite::{Report, Value};
use serde_json::json;
use similar::{ChangeTag, TextDiff};
use std::collections::BTreeMap;

/// The views that show a single expression, with their titles.
const VIEWS_OF_ONE: [(&str, &str); 3] = [("Answer", "answer"), ("Story", "story"), ("Memory", "memory")];
/// The most values of a source file that are listed.
const LISTED: usize = 256;

pub(crate) fn kernel(input: &Input<'_>) -> Shown {
    match &input.text {
        Text::Kernel(kernel) if input.is_whole() => of_accesses(input, kernel),
        Text::Source => of_source(input),
        Text::Expressions(_) if input.is_whole() => {
            let exprs = input.expressions()?;
            let load = |(at, e): (usize, Expr)| Access::load(format!("v{at}"), "in", e);
            let accesses: Vec<Access> = exprs.into_iter().enumerate().map(load).collect();
            let nests = vec![Vec::new(); accesses.len()];
            of_accesses(input, &Kernel { accesses, nests })
        }
        _ => Err(Vec::new()),
    }
}

fn of_accesses(input: &Input<'_>, kernel: &Kernel) -> Shown {
    let simplifier = input.simplifier();
    let wrong = |e: &quaff::SimplifyError| input.refused(e);
    let asked = simplifier.vectorised(&kernel.accesses, &input.domain).map_err(|e| wrong(&e))?;
    let answer = simplifier.simplify_accesses(&asked, &input.domain).map_err(|e| wrong(&e))?;
    let nested = simplifier.in_loops(&answer, &kernel.nests, &input.domain).map_err(|e| wrong(&e))?;
    let price = |a: &Access| simplifier.cost_of_accesses(std::slice::from_ref(a), &input.domain).ok();
    Ok(accesses(&asked, &answer, &nested, &price))
}

/// All accesses, as written and in their cheapest form, with the `price` of each access, and the loops around them.
pub(crate) fn accesses(
    asked: &[Access],
    answer: &SimplifiedAccesses,
    nested: &NestedAccesses,
    price: &dyn Fn(&Access) -> Option<Cost>,
) -> Markup {
    html! {
        h2 { "Kernel " small { (costs(answer.input_cost(), nested.cost())) } }
        p { "Each operation counts as often as its loops run, and a value that several accesses share counts once." }
        table class="sortable" {
            thead { tr {
                th { "access" } th { "buffer" } th { "index" } th { "mask" }
                th class="number" data-sort="" { "as written" } th class="number" data-sort="" { "now" }
            } }
            tbody { @for (at, (before, after)) in asked.iter().zip(answer.accesses()).enumerate() {
                (row(at, before, after, [price(before), price(after)]))
            } }
        }
        p class="muted" { "The last two columns are the executed instructions of each access by itself." }
        h3 { "In its loops" }
        p class="muted" { "The number behind " code { "#" } " is the executed instructions of the line by itself." }
        (source("nested", &lines(nested, price)))
        @if let Some(why) = nested.unprinted() { p class="note" { "No loops are printed: " (why) "." } }
        @if !nested.carried().is_empty() {
            h3 { "Values that loops carry" }
            table { thead { tr { th { "name" } th { "loop" } th { "value" } th { "at the start" } } }
                tbody { @for c in nested.carried() { tr {
                    td { code { (c.name) } } td { code { (c.variable) } } td { code { (text(&c.value)) } } td { code { (text(&c.base)) } }
                } } } }
        }
        h3 { "CUDA" }
        (source("kernel-cuda", &nested.cuda().map_or_else(|e| format!("(there is no such text: {e})"), |t| t.whole())))
    }
}

/// The indices of a printed kernel before and after simplification, its copies and its text.
pub(crate) fn printed_kernel(text: &KernelText) -> Markup {
    html! {
        p { span class="cost" { (text.input_executed) " → " (counted(text.executed, "instruction")) " of a thread" } }
        table {
            thead { tr { th { "index" } th { "as built" } th { "simplified" } } }
            tbody { @for KernelIndex { name, raw, simplified, .. } in &text.indices { tr {
                td { code { (name) } } td { code { (self::text(raw)) } } td { code { (self::text(simplified)) } }
            } } }
        }
        @for copy in &text.accesses { p { (copy) } }
        (source("kernel", &text.source))
    }
}

fn row(at: usize, before: &Access, after: &Access, prices: [Option<Cost>; 2]) -> Markup {
    let gate = |a: &Access| (*a.gate() != Gate::Always).then(|| a.gate().to_string());
    let kind = match before.direction() {
        Direction::Load { .. } => "load",
        _ => "store",
    };
    html! {
        tr {
            td {
                (at) " " span class="muted" { (kind) }
                @for (name, view) in VIEWS_OF_ONE {
                    " " button type="button" data-set=(json!({"view": view, "access": at})) { (name) }
                }
            }
            td { code { (before.buffer()) } }
            td { div { code { del { (text(before.index())) } } } div { code { ins { (text(after.index())) } } } }
            td { @if let Some(g) = gate(before) { div { code { del { (g) } } } } @if let Some(g) = gate(after) { div { code { ins { (g) } } } } }
            @for p in prices { td class="number" data-value=[p.map(|p| p.instructions())] { @if let Some(p) = p { (p) } } }
        }
    }
}

/// The accesses in their loops. Each line has its executed instructions as a comment.
fn lines(nested: &NestedAccesses, price: &dyn Fn(&Access) -> Option<Cost>) -> String {
    let statements = |access: &Access| {
        let mut all = access.statements();
        if let (Some(line), Some(cost)) = (all.last_mut(), price(access)) {
            *line += &format!("  # {cost}");
        }
        all
    };
    nested.lines(statements).into_iter().map(|line| line + "\n").collect()
}

fn of_source(input: &Input<'_>) -> Shown {
    let text = &input.state.text;
    let found = input.rewritten().as_ref().map_err(Clone::clone)?;
    let diff = TextDiff::from_lines(text.as_str(), found.text.as_str());
    let values = input.values().as_ref().map_err(Clone::clone)?;
    let is_same = found.text == *text;
    let before = of_lines(values);
    let after = if is_same { BTreeMap::new() } else { of_lines(&input.values_of(&found.text)?) };
    Ok(html! {
        h2 { "Source" }
        @if found.kernels.is_empty() { p { "The text has no kernel." } }
        @for k in &found.kernels { (report(k, &input.state.vars)) }
        @if is_same { p { "No cheaper form was found: the text stays as it is." } } @else { h3 { "Changes" } }
        p class="muted" { "The number before a line is the executed instructions of its values. A definition counts where its value is used." }
        pre class="diff" { @for change in diff.iter_all_changes() {
            @let count = of_line(&before, change.old_index());
            @match change.tag() {
                ChangeTag::Delete => del { (count) " - " (change.value()) },
                ChangeTag::Insert => ins { (of_line(&after, change.new_index())) " + " (change.value()) },
                ChangeTag::Equal => { (count) "   " (change.value()) }
            }
        } }
        @if !is_same {
            h3 { "The whole file" }
            (source("rewritten", &found.text))
        }
        (all_values(values))
    })
}

/// For each line, the instructions that compute its values. Lines are counted from 0.
fn of_lines(values: &[Value]) -> BTreeMap<usize, Cost> {
    let mut all = BTreeMap::new();
    for v in values {
        if let Some(cost) = v.cost {
            *all.entry(v.line.saturating_sub(1)).or_insert(Cost::ZERO) += cost;
        }
    }
    all
}

/// The text of a line's cost, with the width of a column. It is blank for a line without values.
fn of_line(all: &BTreeMap<usize, Cost>, line: Option<usize>) -> String {
    let number = line.and_then(|line| all.get(&line)).map(Cost::to_string);
    format!("{:>6}", number.unwrap_or_default())
}

/// Each value with its price, and buttons for the views of a single expression.
fn all_values(all: &[Value]) -> Markup {
    html! {
        h3 { "All values" }
        p class="muted" { "The last column is the executed instructions of each value by itself, as written." }
        table { thead { tr { th class="number" { "line" } th {} th { "text" } th { "value" } th class="number" { "instructions" } } }
            tbody { @for v in all.iter().take(LISTED) { tr {
                td class="number" { (v.line) }
                td { (alone(&v.value, &v.domain)) }
                td { code { (shortened(&v.text)) } } td { code { (shortened(&text(&v.value))) } }
                td class="number" { @if let Some(cost) = v.cost { (cost) } }
            } } } }
        @if all.len() > LISTED { p class="muted" { (all.len() - LISTED) " more are not listed." } }
    }
}

/// Buttons that open a single value in other views, if the page can read it.
fn alone(value: &Expr, domain: &Domain) -> Markup {
    let Ok(text) = value.to_infix(DISPLAY_LIMIT) else { return html! {} };
    let Ok(facts) = domain.resolve() else { return html! {} };
    // a variable may have several declarations, from its type and from a note
    let vars: Vec<String> = facts
        .iter()
        .map(|f| match (f.congruence.modulus(), f.congruence.residue()) {
            (0 | 1, _) => format!("{}={}", f.name, f.interval),
            (modulus, residue) => format!("{}={} step {modulus} from {residue}", f.name, f.interval),
        })
        .collect();
    let fields = fields_of(domain);
    let of = |wanted: &str| -> Vec<String> {
        fields.iter().filter(|(name, _)| *name == wanted).map(|(_, text)| text.clone()).collect()
    };
    let ends = facts.iter().flat_map(|f| {
        let end = |sign: &str, end: &Expr| format!("{} {sign} {}", f.name, self::text(end));
        [f.lower.as_ref().map(|e| end(">=", e)), f.upper.as_ref().map(|e| end("<=", e))]
    });
    let assume: Vec<String> = of("assume").into_iter().chain(ends.flatten()).collect();
    let uniform = of("uniform");
    let is_readable = text.parse::<Expr>().is_ok() && domain.to_string().parse::<Domain>().is_ok();
    html! { @if is_readable {
        @for (name, view) in VIEWS_OF_ONE {
            " " button type="button" data-set=(json!({
                "view": view, "text": text, "from": "infix", "vars": vars, "assume": assume, "uniform": uniform, "access": 0,
            })) { (name) }
        }
    } }
}

/// The declarations `vars` of the page, and the range `1..` for each of `names` without one.
fn positive(vars: &[String], names: &[String]) -> Vec<String> {
    let is_declared = |name: &&String| vars.iter().any(|v| v.split('=').next().is_some_and(|n| n.trim() == **name));
    let new = names.iter().filter(|name| !is_declared(name)).map(|name| format!("{name}=1.."));
    vars.iter().filter(|v| !v.trim().is_empty()).cloned().chain(new).collect()
}

fn report(k: &Report, vars: &[String]) -> Markup {
    html! {
        h3 { code { (k.name) } " " small { (costs(k.before, k.after)) } }
        p { (counted(k.proved, "value")) " proved to be the same" @if k.tried > 0 { ", and " (k.tried) " that agree at all points that were tried" } "." }
        @if k.changes.is_empty() && !k.unknown_signs.is_empty() { p class="note" {
            "These divisors may be 0 or negative: "
            @for (at, name) in k.unknown_signs.iter().enumerate() { @if at > 0 { ", " } code { (name) } }
            ". A range may make values cheaper. "
            button type="button" data-set=(json!({"vars": positive(vars, &k.unknown_signs)})) { "Assume that they are positive" }
        } }
        @for a in &k.assumed { p class="note" { "It relies on this: " (a) "." } }
        @if !k.changes.is_empty() {
            p class="muted" { "The last two columns are the executed instructions of each value by itself." }
            table { thead { tr { th class="number" { "line" } th { "before" } th { "after" } th class="number" { "as written" } th class="number" { "now" } } }
                tbody { @for c in &k.changes { tr {
                    td class="number" { (c.line) } td { code { del { (c.before) } } } td { code { ins { (c.after) } } }
                    @if let Some((before, after)) = c.cost { td class="number" { (before) } td class="number" { (after) } } @else { td {} td {} }
                } } } }
        }
        @if !k.left.is_empty() {
            details open[k.changes.is_empty()] { summary { (counted(k.left.len(), "place")) " left as written" } ul { @for l in &k.left { li { "line " (l.line) ": " code { (l.text) } " " (l.reason) } } } }
        }
    }
}
