//! How the answer follows from the question: the steps, and the e-graph after each round.

use super::Shown;
use super::answer::choose_access;
use super::parts::{costs, counted, text, verdict};
use crate::input::{Input, Text};
use maud::{Markup, PreEscaped, html};
use quaff::egraph::Limits;
use quaff::inspect::{Picture, picture};
use quaff::quasi::Options;
use quaff::{Explained, Explanation, Reason, Source};
use quaff_lab::inspect::egraph;
use std::num::NonZeroUsize;
use std::time::Duration;

/// Rounds of which the e-graph is drawn.
const ROUNDS: u32 = 8;

/// The limits of a check, a hundredth of those of the command line.
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
    let domain = input.domain_of_expressions();
    let simplifier = input.simplifier();
    let explanation = simplifier.explain(&expr, &domain, &options()).map_err(|e| input.refused(&e))?;
    let mut rounds: Vec<(u32, Picture)> = Vec::new();
    let asked = std::slice::from_ref(&expr);
    for round in 0..ROUNDS {
        let limits = Limits { rounds: round, ..Limits::effort(input.state.effort) };
        let found = picture(&simplifier.clone().with_limits(limits), asked, &domain).map_err(|e| input.refused(&e))?;
        let size = |p: &Picture| (p.classes.len(), p.classes.iter().map(|c| c.members.len()).sum::<usize>());
        if rounds.last().is_some_and(|(_, last)| round > 1 && size(last) == size(&found)) {
            break;
        }
        rounds.push((round, found));
    }
    Ok(html! {
        div class="story" {
            @if let Text::Kernel(kernel) = &input.text { (choose_access(kernel.accesses.len(), input.state.access)) }
            h2 { "Steps" }
            (steps(&explanation))
            h2 { "E-graph" }
            p {
                "A box is a class of equal expressions, and its rows are the members. The cheapest form is made of the blue rows. "
                "A click on a class shows its facts."
            }
            div class="rounds" {
                @for (round, found) in &rounds {
                    section class="step" {
                        h3 { @match round { 0 => "before any rule", n => { "after round " (n) } } }
                        p class="muted" { (found.classes.len()) @if found.classes.len() == 1 { " class" } @else { " classes" } }
                        (PreEscaped(egraph(found)))
                    }
                }
            }
        }
    })
}

/// The steps of an explanation, with its costs and what limits left out.
pub(crate) fn steps(explanation: &Explanation) -> Markup {
    let answer = explanation.answer();
    html! {
        p { "The whole: " code { (text(explanation.input())) } " = " code { (text(answer.expr())) } " " (verdict(&explanation.check().verdict)) }
        p { (costs(answer.input_cost(), answer.cost())) }
        p { "Each step replaces a part by an equal one. A procedure that knows no rule checks it." }
        (all_steps(explanation.steps(), "steps"))
        @for s in explanation.shortened() { p class="note" { (s) "." } }
    }
}

fn all_steps(all: &[Explained], class: &str) -> Markup {
    html! { div class=(class) { @for (at, step) in all.iter().enumerate() { (one(at, step)) } } }
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
                @match &step.reason {
                    Reason::Rule { name, .. } => { a href=(format!("#rule-{name}")) data-set=(format!("{{\"view\":\"rules\",\"rule\":\"{name}\"}}")) { (name) } }
                    reason => (reason.name()),
                }
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
                _ => "another spelling of a part above",
            } }
            @if !step.steps.is_empty() { details open { summary { (counted(step.steps.len(), "step")) @if step.conditions.is_empty() { " in detail" } @else { " under these conditions" } } (all_steps(&step.steps, "inner")) } }
        }
    }
}
