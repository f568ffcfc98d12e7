//! Shows the rules: whether each is in use, its text, and the answer when some rules are switched off.

use super::Shown;
use super::parts::{costs, text};
use crate::input::{Input, Text};
use maud::{Markup, html};
use quaff::rules::{Rule, RuleSet};
use quaff::{Simplifier, Stage};
use quaff_draw::page::counted;
use serde_json::json;
use std::collections::BTreeSet;

pub(crate) fn rules(input: &Input<'_>) -> Shown {
    let has_text = matches!(input.text, Text::Expressions(_) | Text::Kernel(_)) && input.is_whole();
    let (effect, fired) = match has_text {
        true => effect(input)?,
        false if matches!(input.text, Text::Source) => (of_source(), BTreeSet::new()),
        false => (html! {}, BTreeSet::new()),
    };
    let all = RuleSet::shipped().clone().and(input.rules.clone());
    let off = |name: &str| input.state.without.iter().any(|n| n == name);
    let (own, shipped): (Vec<&Rule>, Vec<&Rule>) =
        all.rules().iter().partition(|r| RuleSet::shipped().get(r.name()).is_none_or(|s| s.text() != r.text()));
    Ok(html! {
        div class="rules" {
            (effect)
            @if !own.is_empty() { h3 { "Added rules" } p { "No instance was found on which one of these is wrong. That is no proof." } (table("added", &own, &fired, &off)) }
            h2 { (shipped.len()) " rules" }
            p { label { "Search " input type="search" class="filter" data-filter="#rules"; } }
            (table("rules", &shipped, &fired, &off))
            h2 { "Stages" }
            p { "A stage is a part of a call that makes answers cheaper. Without it an answer is right, and may cost more." }
            ul { @for stage in Stage::ALL {
                li { label { input type="checkbox" data-bind-list="without" value=(stage.name()) checked[!off(stage.name())]; " " code { (stage.name()) } } }
            } }
        }
    })
}

/// The note that replaces the answer for a source file, because it has several values.
fn of_source() -> Markup {
    html! {
        p class="note" { "A source file has several values, which the view Kernel shows. Rules that are switched off here also apply there. "
            button type="button" data-set=(json!({"view": "kernel"})) { "Show the view Kernel" } }
    }
}

/// The answer with the rules and stages in use, beside the answer with all rules and stages.
fn effect(input: &Input<'_>) -> Result<(Markup, BTreeSet<String>), Vec<crate::problem::Problem>> {
    let exprs = input.expressions()?;
    let domain = input.domain_of_expressions();
    let usual = Simplifier::default().for_target(input.target);
    let with_all = usual.simplify_all(&exprs, &domain).map_err(|e| input.refused(&e))?;
    let now = input.simplifier().with_trace(true).simplify_all(&exprs, &domain).map_err(|e| input.refused(&e))?;
    let fired: BTreeSet<String> = now.trace().iter().map(|s| s.rule.to_string()).collect();
    let texts = |all: &[quaff::expr::Expr]| all.iter().map(text).collect::<Vec<_>>().join("; ");
    let markup = html! {
        h2 { "Answer " small { (costs(now.input_cost(), now.cost())) } }
        p { code { (texts(now.exprs())) } }
        @if now.exprs() != with_all.exprs() {
            p class="note" { "With all rules and stages it is " code { (texts(with_all.exprs())) } ", " (with_all.cost()) " instructions." }
        }
        p class="muted" {
            @if fired.is_empty() { "No rule fired." } @else { (counted(fired.len(), "rule")) " fired. The table marks the rules that fired." }
        }
    };
    Ok((markup, fired))
}

fn table(id: &str, all: &[&Rule], fired: &BTreeSet<String>, off: &dyn Fn(&str) -> bool) -> Markup {
    let mut all = all.to_vec();
    all.sort_by_key(|r| !fired.contains(r.name()));
    html! {
        table class="sortable" id=(id) {
            thead { tr { th { "on" } th data-sort="" { "rule" } th data-sort="" { "fired" } th { "law" } } }
            tbody { @for r in all {
                tr id=(format!("rule-{}", r.name())) class=[fired.contains(r.name()).then_some("chosen")] {
                    td { input type="checkbox" data-bind-list="without" value=(r.name()) checked[!off(r.name())] aria-label=(r.name()); }
                    td { code { (r.name()) } }
                    td { @if fired.contains(r.name()) { "fired" } }
                    td { (r.reason()) details { summary { "text" } pre { code { (r.text()) } } } }
                }
            } }
        }
    }
}
