//! The rules and stages that a request switches off, and the rules that it adds.

use crate::input::Input;
use crate::problem::{Field, Problem};
use maud::{Markup, html};
use quaff::Stage;
use quaff::check::{self, Status, check_rule};
use quaff::rules::{RuleErrors, RuleSet};
use serde_json::json;
use std::sync::{Mutex, PoisonError};

/// The limits of the trial of an added rule. It ends when the rule has fired on `FIRED` instances, or after `TRIES`
/// instances.
const FIRED: usize = 10;
const TRIES: usize = 200;
/// The most rules that one request may add.
const ADDED: usize = 16;
/// The most errors in the text of rules that are listed. One slip may cause several errors.
const LISTED: usize = 2;

impl Input<'_> {
    /// Sets the rules and stages in use. Added rules are tested on instances first, and a rule that is wrong is not
    /// used.
    pub(crate) fn set_rules(&mut self) {
        let field = Field::new("add", &self.state.add);
        if !self.state.add.trim().is_empty() {
            match RuleSet::parse("rules", &self.state.add) {
                Ok(added) if added.rules().len() > ADDED => {
                    let why = format!("a request may add up to {ADDED} rules");
                    self.problems.push(Problem::new(field, why).warning());
                }
                Ok(added) => {
                    let wrong = tried(&added, field.text);
                    match wrong.is_empty() {
                        true => self.rules = self.rules.clone().and(added),
                        false => self.problems.extend(
                            wrong
                                .iter()
                                .map(|(why, example)| Problem::new(field, why).with_help(example.as_str()).warning()),
                        ),
                    }
                }
                Err(errors) => self.problems.extend(rule_problems(&errors, field)),
            }
        }
        let mut off = Vec::new();
        for name in &self.state.without {
            match Stage::ALL.into_iter().find(|stage| stage.name() == name) {
                Some(stage) => self.stages.push(stage),
                None if self.rules.get(name).is_some() => off.push(name.as_str()),
                None => {
                    let why = format!("there is no rule and no stage `{name}`");
                    self.problems.push(Problem::new(Field::NONE, why));
                }
            }
        }
        if !off.is_empty() {
            self.rules = self.rules.retain(|name| !off.contains(&name));
        }
    }

    /// Sentences about rules that are switched off, added, or not used. They apply to every view.
    pub(crate) fn notes(&self) -> Markup {
        let off = self.state.without.len();
        let has_own = !self.state.add.trim().is_empty();
        html! {
            @if off > 0 {
                p class="note" { "Switched off: " (self.state.without.join(", ")) ". "
                    button type="button" data-set=(json!({"without": []})) { "Switch all on" } }
            }
            @if has_own {
                p class="note" {
                    @if self.rules.own().next().is_some() { "Rules are added. " } @else { "Rules are typed in and not used. " }
                    button type="button" data-set=(json!({"view": "rules"})) { "Show them" } " "
                    button type="button" data-set=(json!({"add": ""})) { "Remove them" }
                }
            }
        }
    }
}

/// The problems in the text of rules, each at its place.
fn rule_problems(errors: &RuleErrors, field: Field<'_>) -> Vec<Problem> {
    let place = |line: u32, column: u32| {
        let lines = field.text.split_inclusive('\n').take(line.saturating_sub(1) as usize);
        let begin: usize = lines.map(str::len).sum();
        let rest = field.text.get(begin..).unwrap_or_default();
        let column = rest.char_indices().nth(column.saturating_sub(1) as usize).map_or(rest.len(), |(at, _)| at);
        begin + column
    };
    let problem = |e: &quaff::rules::RuleError| {
        let at = place(e.position().line, e.position().column);
        Problem::new(field, e.message()).at(field, at..at + 1).warning()
    };
    let more = errors.errors().len().saturating_sub(LISTED);
    let rest = (more > 0).then(|| Problem::new(field, format!("{more} more errors follow in the text")).warning());
    errors.errors().iter().take(LISTED).map(problem).chain(rest).collect()
}

/// A sentence about a wrong rule, with a counterexample.
type Wrong = (String, String);

/// The text of the last tested rules, with the wrong rules among them. So a change of another input needs no new test.
static TRIED: Mutex<Option<(String, Vec<Wrong>)>> = Mutex::new(None);

/// The rules of `added` that a counterexample refutes. Their text is `text`.
fn tried(added: &RuleSet, text: &str) -> Vec<Wrong> {
    let known = TRIED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, wrong)) = known.filter(|(known, _)| known == text) {
        return wrong;
    }
    let wrong = wrong_rules(added);
    *TRIED.lock().unwrap_or_else(PoisonError::into_inner) = Some((text.into(), wrong.clone()));
    wrong
}

fn wrong_rules(added: &RuleSet) -> Vec<Wrong> {
    let mut options = check::Options::default();
    (options.fired, options.tries) = (FIRED, TRIES);
    let mut wrong = Vec::new();
    for rule in added.rules() {
        let report = check_rule(rule, &options);
        if report.status == Status::Unsound {
            let example = report.counterexample.map(|c| c.to_string()).unwrap_or_default();
            wrong.push((format!("the rule `{}` is wrong, and is not used", rule.name()), example));
        }
    }
    wrong
}
