//! Shows the derivation of the answer: the steps, and the e-graph after each round.

use super::Shown;
use super::answer::choice;
use super::parts::{costs, text, verdict};
use crate::input::Input;
use crate::problem::{Field, Problem};
use maud::{Markup, PreEscaped, html};
use quaff::domain::Domain;
use quaff::egraph::Limits;
use quaff::expr::Dag;
use quaff::inspect::{Picture, picture};
use quaff::quasi::Options;
use quaff::{Explained, Explanation, Reason, Simplifier, SimplifyError, Source};
use quaff_draw::page::counted;
use quaff_lab::inspect::egraph;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

/// The most rounds whose e-graph is drawn.
const ROUNDS: u32 = 8;
/// The most expression nodes of an index, the most steps, and the most e-classes of all drawings together.
const NODES: usize = 200;
const STEPS: usize = 100;
const CLASSES: usize = 600;
/// The most parts that are simplified under conditions and whose e-graphs are drawn.
const PARTS: usize = 6;

/// The limits of a check, which are a hundredth of the limits of the command line.
fn options() -> Options {
    Options {
        max_points: 1 << 17,
        max_steps: 1 << 17,
        max_evaluations: 1 << 24,
        threads: NonZeroUsize::MIN,
        smt_timeout: Duration::ZERO,
        ..Options::default()
    }
}

pub(crate) fn story(input: &Input<'_>) -> Shown {
    let expr = input.expression()?;
    let parts = Dag::new(std::slice::from_ref(&expr)).nodes().len();
    if parts > NODES {
        let why = format!("the index has {parts} parts, and a story shows up to {NODES}");
        return Err(vec![Problem::new(Field::new("text", &input.state.text), why)]);
    }
    let domain = input.domain_of_expressions();
    let simplifier = input.simplifier();
    let explanation = simplifier.explain(&expr, &domain, &options()).map_err(|e| input.refused(&e))?;
    let graphs = graphs(&simplifier, &explanation, &domain, Limits::effort(input.state.effort))
        .map_err(|e| input.refused(&e))?;
    Ok(html! {
        div class="story" {
            (choice(input))
            h2 { "Steps" }
            (steps(&explanation))
            h2 { "E-graph" }
            p {
                "A box is a class of equal expressions, and its rows are the members. The cheapest form is made of the blue rows. "
                "A click on a class shows its facts."
            }
            p { "The last drawing names the steps: a step finds that two expressions are one class." }
            div class="rounds" {
                @for (title, graph) in &graphs {
                    section class="step" { h3 { (title) } (PreEscaped(graph)) }
                }
            }
        }
    })
}

/// The drawings: the e-graph after each round with the steps, and the e-graph of each part under its conditions.
fn graphs(
    simplifier: &Simplifier,
    explanation: &Explanation,
    domain: &Domain,
    limits: Limits,
) -> Result<Vec<(String, String)>, SimplifyError> {
    let asked = std::slice::from_ref(explanation.input());
    let mut rounds: Vec<Picture> = Vec::new();
    for round in 0..ROUNDS {
        let limits = Limits { rounds: round, ..limits };
        let found = picture(&simplifier.clone().with_limits(limits), asked, domain)?;
        let size = |p: &Picture| (p.classes.len(), p.classes.iter().map(|c| c.members.len()).sum::<usize>());
        let drawn: usize = rounds.iter().map(|p| p.classes.len()).sum();
        let is_same = rounds.last().is_some_and(|last| round > 1 && size(last) == size(&found));
        if is_same || !rounds.is_empty() && drawn + found.classes.len() > CLASSES {
            break;
        }
        rounds.push(found);
    }
    let title =
        |round: usize| if round == 0 { "The input in normal form".into() } else { format!("After round {round}") };
    let mut all: Vec<(String, String)> =
        rounds.iter().enumerate().map(|(round, p)| (title(round), egraph(p, &[]))).collect();
    all.push(("With the steps".into(), with_steps(simplifier, explanation, domain)?));
    let parts = explanation.steps().iter().enumerate().filter(|(_, step)| !step.conditions.is_empty());
    for (at, step) in parts.take(PARTS) {
        let conditions = step.conditions.iter().cloned();
        let inside = conditions.fold(domain.clone(), Domain::assume);
        // there is no e-graph for a part whose conditions never hold together
        if let Ok(found) = picture(simplifier, std::slice::from_ref(&step.before), &inside) {
            let where_ = step.conditions.iter().map(text).collect::<Vec<_>>().join(" and ");
            all.push((format!("Step {}: where {where_}", at + 1), egraph(&found, &[])));
        }
    }
    Ok(all)
}

/// The e-graph, including the expressions of the steps. Each class has the numbers of the steps that concern it.
fn with_steps(simplifier: &Simplifier, explanation: &Explanation, domain: &Domain) -> Result<String, SimplifyError> {
    let is_everywhere = |step: &&Explained| step.conditions.is_empty() && !matches!(step.reason, Reason::InPlace);
    let steps: Vec<(usize, &Explained)> =
        explanation.steps().iter().enumerate().filter(|(_, s)| is_everywhere(s)).collect();
    let mut exprs = vec![explanation.input().clone()];
    exprs.extend(steps.iter().map(|(_, step)| step.after.clone()));
    let found = picture(simplifier, &exprs, domain)?;
    let mut of_class: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for ((at, step), class) in steps.iter().zip(found.roots.iter().skip(1)) {
        of_class.entry(*class).or_default().push(format!("{} {}", at + 1, step.reason.name()));
    }
    let notes: Vec<(usize, String)> =
        of_class.into_iter().map(|(class, steps)| (class, format!("step {}", steps.join(", ")))).collect();
    Ok(egraph(&found, &notes))
}

/// The steps of an explanation, with its costs and the items that limits left out.
pub(crate) fn steps(explanation: &Explanation) -> Markup {
    let answer = explanation.answer();
    html! {
        p { "The whole: " code { (text(explanation.input())) } " = " code { (text(answer.expr())) } " " (verdict(&explanation.check().verdict)) }
        p { (costs(answer.input_cost(), answer.cost())) }
        p { "Each step replaces a part by an equal one. A separate decision procedure checks each step." }
        (all_steps(explanation.steps(), "steps"))
        @for s in explanation.shortened() { p class="note" { (s) "." } }
    }
}

fn all_steps(all: &[Explained], class: &str) -> Markup {
    html! {
        div class=(class) { @for (at, step) in all.iter().take(STEPS).enumerate() { (one(at, step)) } }
        @if all.len() > STEPS { p class="note" { (all.len() - STEPS) " more steps are not shown." } }
    }
}

fn one(at: usize, step: &Explained) -> Markup {
    let [before, after] = step.texts();
    let why = match &step.reason {
        Reason::Rule { why, .. } => why.as_str(),
        Reason::Engine { why, .. } | Reason::Context { why, .. } => why,
        Reason::InPlace => "the parts that were found under conditions, each in its place",
        Reason::Choice { .. } => "the cheapest of all forms that were found equal",
        _ => "the normal form of sums, and what the ranges say",
    };
    html! {
        section class="step" {
            h3 {
                (at + 1) ". "
                (step.reason.name())
                " " small { (verdict(&step.check.verdict)) }
            }
            p class="muted" { (why) }
            div class="aligned" {
                div { span class="muted" { "before " } code { (before) } }
                div { span class="muted" { "after " } code { (after) } }
            }
            @if let Reason::Choice { from, to } = &step.reason { p { (costs(*from, *to)) } }
            @if !step.conditions.is_empty() {
                p { "where " @for (at, c) in step.conditions.iter().enumerate() { @if at > 0 { " and " } code { (text(c)) } } }
            }
            @if !step.facts.is_empty() {
                p { "because " @for (at, f) in step.facts.iter().enumerate() { @if at > 0 { ", " } code { (f) } } }
            }
            p class="muted" { @match step.source {
                Source::Input => "of the input",
                Source::Step(n) => { "of the result of step " (n + 1) }
                _ => "of an equal form of a part above",
            } }
            @if !step.steps.is_empty() { details open { summary { (counted(step.steps.len(), "step")) @if step.conditions.is_empty() { " in detail" } @else { " under these conditions" } } (all_steps(&step.steps, "inner")) } }
        }
    }
}
