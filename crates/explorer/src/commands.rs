//! The same question as a command and as Python.

use crate::input::{Input, Text};
use crate::request::{State, View};
use quaff::domain::Domain;

/// A shell command and Python that ask the same; empty where a view has none.
pub(crate) fn of(state: &State, view: View, input: &Input<'_>) -> (String, String) {
    let command = command(state, view, input);
    (command, python(state, view, input))
}

fn command(state: &State, view: View, input: &Input<'_>) -> String {
    let mut words: Vec<String> = vec!["quaff".into()];
    let mut add = |all: &[&str]| words.extend(all.iter().map(|w| quoted(w)));
    let is_expression = matches!(input.text, Text::Expressions(_));
    match view {
        View::Answer | View::Rules if is_expression => add(&["simplify"]),
        View::Story if is_expression => add(&["explain"]),
        View::Memory if is_expression => add(&["banks"]),
        View::Layout if !state.chain.trim().is_empty() => {
            let command = if state.chain.trim_start().starts_with("shape") { "view" } else { "layout" };
            add(&[command, state.chain.trim()]);
        }
        View::Kernel if matches!(input.text, Text::Kernel(_)) => return "quaff kernel kernel.json --emit cuda".into(),
        View::Kernel if matches!(input.text, Text::Source) => return "quaff rewrite FILE --diff".into(),
        _ => return String::new(),
    }
    // `banks` has no conditions
    if view == View::Memory && state.assume.iter().any(|a| !a.trim().is_empty()) {
        return String::new();
    }
    if view != View::Layout {
        let lines: Vec<&str> = state.text.lines().filter(|l| !l.trim().is_empty()).collect();
        match view {
            View::Answer | View::Rules => add(&lines),
            _ => add(&lines[..lines.len().min(1)]),
        }
    }
    let lane = (view == View::Memory).then(|| lane_of(state, input)).flatten();
    for var in state.vars.iter().filter(|v| !v.trim().is_empty()) {
        let name = var.split('=').next().unwrap_or_default().trim();
        let value = (view == View::Memory).then(|| state.at.get(name)).flatten();
        let var = &value.map_or_else(|| var.clone(), |v| format!("{name}={v}..{v}"));
        let is_lane = lane.as_deref().is_some_and(|l| var.split('=').next().is_some_and(|n| n.trim() == l));
        add(&[if is_lane { "--lane" } else { "--var" }, var]);
    }
    if view == View::Memory {
        for (flag, value, usual) in [("--bytes", state.bytes, 4), ("--width", state.width, 0)] {
            if value != usual {
                add(&[flag, &value.to_string()]);
            }
        }
        if state.machine != "nvidia" {
            add(&["--machine", &state.machine]);
        }
    } else {
        state.uniform.iter().for_each(|u| add(&["--uniform", u]));
        state.assume.iter().filter(|a| !a.trim().is_empty()).for_each(|a| add(&["--assume", a]));
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
        add(&["--emit", &state.emit]);
    }
    words.join(" ")
}

/// The variable that counts lanes, where it is one of the declarations.
fn lane_of(state: &State, input: &Input<'_>) -> Option<String> {
    match state.lane.trim() {
        "" => crate::views::lane_of(input),
        lane => Some(lane.into()),
    }
}

fn python(state: &State, view: View, input: &Input<'_>) -> String {
    let Text::Expressions(_) = &input.text else { return String::new() };
    if state.from != "infix" || !state.add.trim().is_empty() {
        return String::new();
    }
    let lines: Vec<String> = state.text.lines().filter(|l| !l.trim().is_empty()).map(literal).collect();
    let domain = domain(state);
    match (view, lines.as_slice()) {
        (View::Answer, [one]) => {
            format!(
                "import quaff\n\nanswer = quaff.simplify({one}, {domain})\nprint(answer.expr, answer.cost)\nprint(answer.cuda())\n"
            )
        }
        (View::Story, [one, ..]) => format!("import quaff\n\nprint(quaff.Simplifier().explain({one}, {domain}))\n"),
        _ => String::new(),
    }
}

/// The domain as Python.
fn domain(state: &State) -> String {
    let vars = state.vars.iter().filter(|v| !v.trim().is_empty());
    let conditions = state.assume.iter().filter(|a| !a.trim().is_empty()).map(|a| format!("assume {}", a.trim()));
    let all: Vec<String> = vars.map(|v| v.trim().to_string()).chain(conditions).collect();
    let text = all.join(", ");
    match text.parse::<Domain>() {
        Ok(_) => literal(&text),
        Err(_) => "quaff.Domain()".into(),
    }
}

/// A word of a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A string literal of Python.
fn literal(text: &str) -> String {
    format!("{:?}", text)
}
