//! The same question as a command and as Python.

use crate::input::{Input, Text, pieces};
use crate::request::{State, View};
use crate::views::{is_chain, lane_of};
use quaff::domain::Domain;
use serde_json::Value;

/// A shell command and Python that ask the same; empty where a view has none.
pub(crate) fn of(state: &State, view: View, input: &Input<'_>) -> (String, String) {
    let command = command(state, view, input);
    (command, python(state, view, input))
}

fn command(state: &State, view: View, input: &Input<'_>) -> String {
    // what a command has no option for is no part of its question
    let is_other = !state.add.trim().is_empty() || !state.without.is_empty();
    if is_other || view == View::Memory && !given(&state.assume).is_empty() {
        return String::new();
    }
    let mut words: Vec<String> = vec!["quaff".into()];
    let mut add = |all: &[&str]| words.extend(all.iter().map(|w| quoted(w)));
    let texts: Vec<&str> = pieces(&state.text, input.from).into_iter().map(|(_, piece)| piece.trim()).collect();
    match (view, &input.text) {
        (View::Answer | View::Rules, Text::Expressions(_)) => add(&[&["simplify"], &texts[..]].concat()),
        (View::Story, Text::Expressions(_)) => add(&[&["explain"], &texts[..texts.len().min(1)]].concat()),
        (View::Memory, Text::Expressions(_)) => add(&[&["banks"], &texts[..texts.len().min(1)]].concat()),
        (View::Layout, _) if !state.chain.trim().is_empty() => {
            let command = if is_chain(state.chain.trim()) { "view" } else { "layout" };
            add(&[command, state.chain.trim()]);
        }
        (View::Kernel, Text::Kernel(_)) => return "quaff kernel kernel.json --emit cuda".into(),
        (View::Kernel, Text::Source) => return "quaff rewrite FILE --diff".into(),
        _ => return String::new(),
    }
    if view == View::Memory {
        let Some(lane) = lane_of(input) else { return String::new() };
        // `banks` serves one block of lanes
        let facts = input.variables();
        let lanes = facts.iter().find(|v| v.name == lane).and_then(|v| v.high?.checked_sub(v.low?));
        if lanes.is_none_or(|last| last >= 1024) {
            return String::new();
        }
        for var in given(&state.vars) {
            let name = var.split('=').next().unwrap_or_default().trim();
            let flag = if name == lane { "--lane" } else { "--var" };
            match state.at.get(name) {
                Some(v) => add(&[flag, &format!("{name}={v}..{v}")]),
                None => add(&[flag, var]),
            }
        }
        for (flag, value, usual) in
            [("--bytes", state.bytes, 4), ("--width", state.width.max(state.bytes), state.bytes)]
        {
            if value != usual {
                add(&[flag, &value.to_string()]);
            }
        }
        if state.machine != "nvidia" {
            add(&["--machine", &state.machine]);
        }
    } else {
        given(&state.vars).iter().for_each(|v| add(&["--var", v]));
        if view != View::Layout || is_chain(state.chain.trim()) {
            given(&state.uniform).iter().for_each(|u| add(&["--uniform", u]));
        }
        given(&state.assume).iter().for_each(|a| add(&["--assume", a]));
    }
    if state.from != "infix" {
        add(&["--from", &state.from]);
    }
    if matches!(view, View::Answer | View::Rules) {
        if state.effort != 1 {
            add(&["--effort", &state.effort.to_string()]);
        }
        if state.target != "sm_90" {
            add(&["--target", &state.target]);
        }
    }
    if view == View::Answer {
        let flag =
            if ["cuda", "c", "rust", "triton", "python"].contains(&state.emit.as_str()) { "--emit" } else { "--to" };
        add(&[flag, &state.emit]);
    }
    words.join(" ")
}

/// The texts that are not blank.
fn given(all: &[String]) -> Vec<&str> {
    all.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect()
}

fn python(state: &State, view: View, input: &Input<'_>) -> String {
    let Text::Expressions(all) = &input.text else { return String::new() };
    let usual = State::default();
    let is_other = state.from != usual.from
        || state.effort != usual.effort
        || state.target != usual.target
        || !state.add.trim().is_empty()
        || !state.without.is_empty()
        || !given(&state.uniform).is_empty();
    let (Some(domain), false) = (domain(state), is_other) else { return String::new() };
    let index = literal(pieces(&state.text, input.from).first().map_or("", |(_, piece)| piece.trim()));
    match (view, all.len()) {
        (View::Answer, 1) => format!(
            "import quaff\n\nanswer = quaff.simplify({index}, {domain})\nprint(answer.expr, answer.cost)\nprint(answer.cuda())\n"
        ),
        (View::Story, _) => format!("import quaff\n\nprint(quaff.Simplifier().explain({index}, {domain}))\n"),
        _ => String::new(),
    }
}

/// The domain as a text of Python.
fn domain(state: &State) -> Option<String> {
    let conditions = given(&state.assume).into_iter().map(|a| format!("assume {a}"));
    let all: Vec<String> = given(&state.vars).into_iter().map(String::from).chain(conditions).collect();
    let text = all.join(", ");
    text.parse::<Domain>().is_ok().then(|| literal(&text))
}

/// A word of a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A string literal of Python, which those of JSON are.
fn literal(text: &str) -> String {
    Value::from(text).to_string()
}
