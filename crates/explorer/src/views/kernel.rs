//! All accesses of a kernel in their loops, or a source file beside its rewritten form.

use super::Shown;
use super::parts::{costs, source, text};
use crate::input::{Input, Kernel, Text};
use crate::problem::{Field, Problem};
use maud::{Markup, html};
use quaff::access::{Access, Direction, Gate, NestedAccesses, SimplifiedAccesses};
use quaff::cost::Cost;
use quaff_dialects::Dialect;
use quaff_draw::page::counted;
use quaff_rewrite::{Language, Options, Report, rewrite};
use similar::{ChangeTag, TextDiff};

pub(crate) fn kernel(input: &Input<'_>) -> Shown {
    match &input.text {
        Text::Kernel(kernel) if input.is_whole() => of_accesses(input, kernel),
        Text::Source => of_source(input),
        Text::Expressions(_) if input.is_whole() => {
            let exprs = input.expressions()?;
            let load = |(at, e): (usize, quaff::expr::Expr)| Access::load(format!("v{at}"), "in", e);
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

/// All accesses, as asked and in their cheapest form, each with its `price`, and the loops around them.
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
        (source("nested", &lines(nested)))
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

fn row(at: usize, before: &Access, after: &Access, prices: [Option<Cost>; 2]) -> Markup {
    let gate = |a: &Access| (*a.gate() != Gate::Always).then(|| a.gate().to_string());
    let kind = match before.direction() {
        Direction::Load { .. } => "load",
        _ => "store",
    };
    html! {
        tr {
            td { (at) " " span class="muted" { (kind) } }
            td { code { (before.buffer()) } }
            td { div { code { del { (text(before.index())) } } } div { code { ins { (text(after.index())) } } } }
            td { @if let Some(g) = gate(before) { div { code { del { (g) } } } } @if let Some(g) = gate(after) { div { code { ins { (g) } } } } }
            @for p in prices { td class="number" data-value=[p.map(|p| p.instructions())] { @if let Some(p) = p { (p) } } }
        }
    }
}

fn lines(nested: &NestedAccesses) -> String {
    nested.lines(Access::statements).into_iter().map(|line| line + "\n").collect()
}

fn of_source(input: &Input<'_>) -> Shown {
    let state = input.state;
    let text = &state.text;
    let field = Field::new("text", text);
    let language = match input.from {
        Dialect::Triton | Dialect::Python => Language::Triton,
        Dialect::C => Language::C,
        Dialect::Cuda => Language::Cuda,
        _ if text.contains("__global__") => Language::Cuda,
        _ if text.contains("def ") => Language::Triton,
        _ => Language::C,
    };
    let mut options = Options::default();
    for note in state.vars.iter().filter_map(|v| v.split_once('=')) {
        let sentence = format!("{} in {}", note.0.trim(), note.1.trim());
        options =
            options.note(&sentence).map_err(|e| vec![Problem::new(Field { name: "vars", line: 0, text: "" }, e)])?;
    }
    for condition in state.assume.iter().filter(|c| !c.trim().is_empty()) {
        options =
            options.note(condition).map_err(|e| vec![Problem::new(Field { name: "assume", line: 0, text: "" }, e)])?;
    }
    let found = rewrite(text, language, &options, &input.simplifier()).map_err(|e| vec![Problem::of(&e, field)])?;
    let diff = TextDiff::from_lines(text.as_str(), found.text.as_str());
    Ok(html! {
        h2 { "Source" }
        @if found.kernels.is_empty() { p { "The text has no kernel." } }
        @for k in &found.kernels { (report(k)) }
        @if found.text == *text { p { "Nothing is cheaper: the text stays as it is." } } @else {
        h3 { "Changes" }
        pre class="diff" { @for change in diff.iter_all_changes() { @match change.tag() {
            ChangeTag::Delete => del { "- " (change.value()) },
            ChangeTag::Insert => ins { "+ " (change.value()) },
            ChangeTag::Equal => { "  " (change.value()) }
        } } }
        h3 { "The whole file" }
        (source("rewritten", &found.text))
        }
    })
}

fn report(k: &Report) -> Markup {
    html! {
        h3 { code { (k.name) } " " small { (costs(k.before, k.after)) } }
        p { (counted(k.proved, "value")) " proved to be the same" @if k.tried > 0 { ", and " (k.tried) " that agree at all points that were tried" } "." }
        @for a in &k.assumed { p class="note" { "It relies on this: " (a) "." } }
        @if !k.changes.is_empty() {
            table { thead { tr { th class="number" { "line" } th { "before" } th { "after" } th class="number" { "instructions now" } } }
                tbody { @for c in &k.changes { tr {
                    td class="number" { (c.line) } td { code { del { (c.before) } } } td { code { ins { (c.after) } } }
                    td class="number" { @if let Some((_, after)) = c.cost { (after) } }
                } } } }
        }
        @if !k.left.is_empty() {
            details { summary { (counted(k.left.len(), "place")) " left as written" } ul { @for l in &k.left { li { "line " (l.line) ": " code { (l.text) } " " (l.reason) } } } }
        }
    }
}
