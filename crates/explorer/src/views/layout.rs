//! Shows views (chains of movements on a tensor) and layouts as grids.

use super::Shown;
use super::parts::{costs, source, text};
use crate::input::Input;
use crate::problem::{Field, Problem};
use maud::{Markup, PreEscaped, html};
use miette::Diagnostic;
use quaff::expr::{Expr, var};
use quaff_fronts::layout::{Layout, Value, evaluate_in};
use quaff_fronts::view::chain::Chain;
use quaff_fronts::view::{ViewError, ViewStack};
use serde_json::json;

/// Example texts of views and layouts.
const EXAMPLES: [&str; 3] =
    ["shape(8, 12).permute(1, 0)", "shape(6, 6).pad((1, 1), (1, 1))", "zipped_divide((8,16):(16,1), (4,4))"];

pub(crate) fn layout(input: &Input<'_>) -> Shown {
    let chain = input.state.chain.trim();
    if !input.is_whole() {
        return Err(Vec::new());
    }
    if chain.is_empty() {
        return Ok(html! {
            p { "A view begins with its shape, and a layout has the form " code { "shape:stride" } "." }
            @for example in EXAMPLES { p { button type="button" data-set=(json!({"chain": example})) { code { (example) } } } }
        });
    }
    let field = Field::new("chain", &input.state.chain);
    let begin = input.state.chain.len() - input.state.chain.trim_start().len();
    let shift = |problem: Problem, e: &dyn Diagnostic| match e.labels().and_then(|mut l| l.next()) {
        Some(l) => problem.at(field, begin + l.offset()..begin + l.offset() + l.len()),
        None => problem,
    };
    if !is_chain(chain) {
        let found = evaluate_in(chain, &input.domain).map_err(|e| vec![shift(Problem::of(&e, field), &e)])?;
        return match found.value {
            Value::Layout(layout) => of_layout(chain, &layout),
            value => Ok(html! {
                h2 { "Layout" }
                (source("layout", &value.to_string()))
                p class="muted" { "A layout with names in it, or of bits, has no grid." }
            }),
        };
    }
    let read = Chain::read(chain, input.from).map_err(|e| vec![shift(Problem::of(&e, field), &e)])?;
    let stack = read.stack(&input.domain).map_err(|e| vec![shift(Problem::of(&e, field), &e)])?;
    of_view(input, &read, &stack)
}

/// Whether `text` is a chain of movements of a view, not a layout.
pub(crate) fn is_chain(text: &str) -> bool {
    text.starts_with("shape") || text.contains("mask") || text.contains(").")
}

fn of_view(input: &Input<'_>, chain: &Chain, stack: &ViewStack) -> Shown {
    let field = Field::new("chain", &input.state.chain);
    let wrong = |e: &dyn Diagnostic| vec![Problem::of(e, Field { text: "", ..field })];
    let names = stack.index_names();
    let indices: Vec<Expr> = names.iter().map(|n| var(n.clone())).collect();
    let domain = stack.index_domain(&names).map_err(|e| wrong(&e))?;
    let load = stack.load("v", "in", &indices).map_err(|e| wrong(&e))?;
    let answer = input.simplifier().simplify_access(&load, &domain).map_err(|e| wrong(&e))?;
    let masks: Vec<String> = load.gate().condition().map(text).into_iter().collect();
    Ok(html! {
        h2 { "View " small { (costs(answer.input_cost(), answer.cost())) } }
        (steps(chain, stack))
        (view(chain.source_text(), stack).map_err(|e| wrong(&e))?)
        p { button type="button" data-set=(json!({"view": "answer", "from": "infix", "text": text(load.index()), "assume": masks,
            "vars": declarations(&domain)})) { "Open the address as an index" } }
        h3 { "Load in CUDA" }
        (source("load", &answer.cuda().map_or_else(|e| format!("(there is no such text: {e})"), |t| t.whole())))
    })
}

/// The shape, the views, the address and the mask of a view, and its grid.
pub(crate) fn view(title: &str, stack: &ViewStack) -> Result<Markup, ViewError> {
    let names = stack.index_names();
    let indices: Vec<Expr> = names.iter().map(|n| var(n.clone())).collect();
    let at = stack.at(&indices)?;
    Ok(html! {
        table class="facts" { tbody {
            tr { th scope="row" { "shape" } td { code { "(" (stack.shape().iter().map(text).collect::<Vec<_>>().join(", ")) ")" } } }
            @for v in stack.views() { tr { th scope="row" { "view" } td { code { (v) } } } }
            tr { th scope="row" { "contiguous" } td { (if stack.is_contiguous() { "yes" } else { "no" }) } }
            tr { th scope="row" { "address" } td { code { (text(&at.address)) } } }
            tr { th scope="row" { "mask" } td { code { (text(&at.valid)) } } }
        } }
        p class="muted" { "A cell has the lane that reads it, if consecutive lanes read consecutive positions of the last axis." }
        (picture(stack.svg(title).map_err(|e| e.to_string())))
    })
}

/// The declarations of a domain of indices.
fn declarations(domain: &quaff::domain::Domain) -> Vec<String> {
    domain.resolve().unwrap_or_default().iter().map(|f| format!("{}={}", f.name, f.interval)).collect()
}

/// The movements of a chain, each with a button that removes it and all later movements.
fn steps(chain: &Chain, stack: &ViewStack) -> Markup {
    let whole = chain.source_text().trim_end();
    let spans: Vec<_> = chain.spans().collect();
    let movements = spans.windows(2).map(|pair| (&whole[pair[1].start..], pair[1].len(), pair[0].end));
    html! {
        ol class="chain" { @for (rest, length, end) in movements {
            li { code { "." (rest[..length]) } " " button type="button" data-set=(json!({"chain": whole[..end]})) { "remove from here on" } }
        } }
        p { "Add " @for m in movements_of(stack) { button type="button" data-set=(json!({"chain": format!("{whole}{m}")})) { code { (m) } } " " } }
    }
}

/// Possible next movements, one of each kind.
fn movements_of(stack: &ViewStack) -> Vec<String> {
    let rank = stack.rank();
    let listed = |one: &dyn Fn(usize) -> String| (0..rank).map(one).collect::<Vec<_>>().join(", ");
    let size = |axis: usize| text(&stack.shape()[axis]);
    let mut all = Vec::new();
    if rank > 1 {
        all.push(format!(".permute({})", listed(&|axis| (rank - 1 - axis).to_string())));
        all.push(format!(
            ".reshape({})",
            (0..rank).map(|axis| format!("({})", size(axis))).collect::<Vec<_>>().join("*")
        ));
    }
    if rank > 0 {
        all.push(format!(".flip({})", rank - 1));
        all.push(format!(".pad({})", listed(&|axis| if axis + 1 == rank { "(1, 1)".into() } else { "(0, 0)".into() })));
        all.push(format!(".stride({})", listed(&|axis| if axis + 1 == rank { "2".into() } else { "1".into() })));
    }
    all
}

fn of_layout(text: &str, layout: &Layout) -> Shown {
    let yes = |found: Result<bool, _>| {
        found.map_or_else(
            |e: quaff_fronts::layout::LayoutError| e.to_string(),
            |b| if b { "yes".into() } else { "no".into() },
        )
    };
    Ok(html! {
        h2 { "Layout" }
        table class="facts" { tbody {
            tr { th scope="row" { "layout" } td { code { (layout) } } }
            tr { th scope="row" { "coalesced" } td { code { (layout.coalesce()) } } }
            tr { th scope="row" { "size" } td { (layout.size()) } }
            tr { th scope="row" { "cosize" } td { (layout.cosize().map_or_else(|e| e.to_string(), |n| n.to_string())) } }
            tr { th scope="row" { "injective" } td { (yes(layout.is_injective())) } }
            tr { th scope="row" { "surjective" } td { (yes(layout.is_surjective())) } }
        } }
        p class="muted" { "A cell has the lane whose number is its coordinate." }
        (picture(layout.svg(text).map_err(|e| e.to_string())))
    })
}

/// A message with a capital letter and a full stop.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

fn picture(svg: Result<String, String>) -> Markup {
    html! {
        @match svg {
            Ok(svg) => { div class="zoom" { (PreEscaped(svg)) } }
            Err(why) => p class="muted" { (sentence(&why)) },
        }
    }
}
