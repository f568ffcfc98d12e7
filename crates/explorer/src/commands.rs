//! Writes the question of the page as a shell command and as Python code.

use crate::input::{Input, Text, pieces};
use crate::request::{Same, State, View, fields_of};
use crate::source::language_of;
use crate::views::{TileOfIndices, is_chain, lane_of, tile_of};
use quaff::domain::Domain;
use quaff_rewrite::Language;
use serde_json::Value;

const RULES: &str = "a command has the shipped rules and stages, and this page has others";
const VIEW: &str = "no command shows this view of this input";

/// The shell command that asks the question of the page.
pub(crate) fn command(state: &State, view: View, input: &Input<'_>) -> Same {
    // the commands have no options for added rules, or for rules and stages that are switched off
    if !state.add.trim().is_empty() || !state.without.is_empty() {
        return Err(RULES);
    }
    let mut words: Vec<String> = vec!["quaff".into()];
    let mut add = |all: &[&str]| words.extend(all.iter().map(|w| quoted(w)));
    let texts: Vec<&str> = pieces(&state.text, input.from).into_iter().map(|(_, piece)| piece.trim()).collect();
    match (view, &input.text) {
        (View::Answer | View::Rules, Text::Expressions(_)) => add(&[&["simplify"], &texts[..]].concat()),
        (View::Story, Text::Expressions(_)) => add(&[&["explain"], &texts[..texts.len().min(1)]].concat()),
        (View::Memory, Text::Expressions(_)) => match tile_of(input) {
            Some(tile) => return search(state, input, &tile),
            None => add(&[&["banks"], &texts[..texts.len().min(1)]].concat()),
        },
        (View::Layout, _) if !state.chain.trim().is_empty() => {
            let command = if is_chain(state.chain.trim()) { "view" } else { "layout" };
            add(&[command, state.chain.trim()]);
        }
        // the ranges of a kernel are in its text
        (View::Kernel, Text::Kernel(_)) if given(&state.vars).is_empty() && given(&state.assume).is_empty() => {
            return Ok(on_file("kernel.json", &state.text, "quaff kernel kernel.json --emit cuda"));
        }
        (View::Kernel, Text::Source) => {
            let file = source_file(language_of(input.from, &state.text)).1;
            add(&["rewrite", file]);
            given(&state.vars).iter().for_each(|v| add(&["--var", v]));
            given(&state.assume).iter().for_each(|a| add(&["--assume", a]));
            return Ok(on_file(file, &state.text, &words.join(" ")));
        }
        (View::Kernel, Text::Kernel(_)) => return Err("the ranges of a kernel are in its text"),
        (_, Text::None) => return Err("the input has nothing to ask about"),
        _ => return Err(VIEW),
    }
    if view == View::Memory {
        options_of_banks(state, input)?.iter().for_each(|option| add(&[option]));
        conditions(state)?.iter().filter(|c| c[0] == "--assume").for_each(|c| add(&[&c[0], &c[1]]));
    } else {
        given(&state.vars).iter().for_each(|v| add(&["--var", v]));
        if view != View::Layout || is_chain(state.chain.trim()) {
            given(&state.uniform).iter().for_each(|u| add(&["--uniform", u]));
        }
        conditions(state)?.iter().for_each(|c| c.iter().for_each(|word| add(&[word])));
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
    Ok(words.join(" "))
}

/// The options for the conditions of the page. Some of them are declarations, such as `loop i k`.
fn conditions(state: &State) -> Result<Vec<Vec<String>>, &'static str> {
    let option = |text: &str| {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (flag, value) = match word {
            _ if !Domain::is_declaration(text) => ("--assume", text.to_string()),
            "assume" => ("--assume", rest.trim().to_string()),
            "invariant" => ("--uniform", rest.trim().to_string()),
            "loop" => ("--loop", rest.split_whitespace().collect::<Vec<_>>().join(",")),
            "unrolled" => ("--unrolled", rest.trim().to_string()),
            "nonempty" => ("--nonempty", rest.trim().to_string()),
            "defined" => return Ok(vec!["--assume-defined".to_string()]),
            _ => return Err("the command line has no such declaration"),
        };
        Ok(vec![flag.to_string(), value])
    };
    given(&state.assume).into_iter().map(option).collect()
}

/// The variable that counts lanes. It must count one block of at most 1,024 lanes, as the command `banks` requires.
fn lane_of_block(input: &Input<'_>) -> Result<String, &'static str> {
    let lane = lane_of(input).ok_or("the index has no variable that counts lanes")?;
    let facts = input.variables();
    let last = facts.iter().find(|v| v.name == lane).and_then(|v| v.high?.checked_sub(v.low?));
    if last.is_none_or(|last| last >= 1024) {
        return Err("`quaff banks` takes one block of at most 1,024 lanes");
    }
    Ok(lane)
}

/// The command that searches layouts of `tile`. All facts are written in infix, in which the indices are.
fn search(state: &State, input: &Input<'_>, tile: &TileOfIndices) -> Same {
    let lane = lane_of_block(input)?;
    let mut words: Vec<String> = ["quaff", "banks", "--search", "--tile"].map(String::from).into();
    words.push(format!("{}x{}", tile.rows, tile.columns));
    for index in &tile.indices {
        let (row, column) = (index.floor_div(tile.columns), index.floor_mod(tile.columns));
        let access = format!("{row}, {column}, {}", state.width.max(state.bytes));
        words.extend(["--access".to_string(), quoted(&access)]);
    }
    for (kind, text) in fields_of(&tile.domain) {
        let is_lane = text.split_once('=').is_some_and(|(name, _)| name.trim() == lane);
        match kind {
            "var" if is_lane => words.extend(["--lane".to_string(), quoted(&text)]),
            "var" => words.extend(["--var".to_string(), quoted(&text)]),
            "assume" if !Domain::is_declaration(&text) => words.extend(["--assume".to_string(), quoted(&text)]),
            _ => {}
        }
    }
    if state.bytes != 4 {
        words.extend(["--bytes".to_string(), state.bytes.to_string()]);
    }
    words.extend(machine(state));
    Ok(words.join(" "))
}

/// The option for a machine that is not the usual one.
fn machine(state: &State) -> Vec<String> {
    match state.machine == State::default().machine {
        true => Vec::new(),
        false => vec!["--machine".to_string(), state.machine.clone()],
    }
}

/// The options of `banks` for one index.
fn options_of_banks(state: &State, input: &Input<'_>) -> Result<Vec<String>, &'static str> {
    let lane = lane_of_block(input)?;
    let mut options = Vec::new();
    for var in given(&state.vars) {
        let name = var.split('=').next().unwrap_or_default().trim();
        let flag = if name == lane { "--lane" } else { "--var" };
        let value = state.at.get(name).map_or_else(|| var.to_string(), |v| format!("{name}={v}..{v}"));
        options.extend([flag.to_string(), value]);
    }
    for (flag, value, usual) in [("--bytes", state.bytes, 4), ("--width", state.width.max(state.bytes), state.bytes)] {
        if value != usual {
            options.extend([flag.to_string(), value.to_string()]);
        }
    }
    options.extend(machine(state));
    Ok(options)
}

/// The name of a language in Python, and the name of a file in it.
fn source_file(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::Cuda => ("cuda", "kernel.cu"),
        Language::C => ("c", "kernel.c"),
        Language::Triton => ("triton", "kernel.py"),
    }
}

/// A shell script that writes `text` into `file` and runs `command`.
fn on_file(file: &str, text: &str, command: &str) -> String {
    let mut end = "END".to_string();
    while text.lines().any(|line| line == end) {
        end.push('_');
    }
    let line_end = if text.ends_with('\n') { "" } else { "\n" };
    format!("cat > {file} <<'{end}'\n{text}{line_end}{end}\n{command}")
}

/// The texts that are not blank, without surrounding white space.
fn given(all: &[String]) -> Vec<&str> {
    all.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect()
}

/// The Python call that asks the question of the page.
pub(crate) fn python(state: &State, view: View, input: &Input<'_>) -> Same {
    let usual = State::default();
    if !state.add.trim().is_empty() || !state.without.is_empty() {
        return Err(RULES);
    }
    if state.effort != usual.effort || state.target != usual.target {
        return Err("the call is that of the usual effort and target");
    }
    if view == View::Layout {
        return python_layout(state);
    }
    let all = match &input.text {
        Text::Expressions(all) => all,
        Text::Source if view == View::Kernel => return python_source(state, input),
        Text::Source => return Err("a source file has a call in the view Kernel"),
        Text::Kernel(_) => return Err("a kernel as JSON has no call of Python: `quaff.Kernel` builds kernels"),
        Text::None => return Err("the input has nothing to ask about"),
    };
    if state.from != usual.from {
        return Err("the text is of another language, and `quaff.read` reads it first");
    }
    let domain = domain(state).ok_or("a range or a condition is wrong")?;
    let index = literal(pieces(&state.text, input.from).first().map_or("", |(_, piece)| piece.trim()));
    match (view, all.len()) {
        (View::Answer | View::Rules, 1) => Ok(format!(
            "import quaff\n\nanswer = quaff.simplify({index}, {domain})\nprint(answer.expr, answer.cost)\nprint(answer.cuda())\n"
        )),
        (View::Story, _) => Ok(format!("import quaff\n\nprint(quaff.Simplifier().explain({index}, {domain}))\n")),
        (View::Memory, 1) => {
            let lane = lane_of(input).ok_or("the index has no variable that counts lanes")?;
            let at = |v: &String| match v
                .split_once('=')
                .and_then(|(name, _)| Some((name.trim(), state.at.get(name.trim())?)))
            {
                Some((name, value)) => format!("{name}={value}..{value}"),
                None => v.clone(),
            };
            let point = State { vars: state.vars.iter().map(at).collect(), ..state.clone() };
            let domain = self::domain(&point).ok_or("a range or a condition is wrong")?;
            let width = state.width.max(state.bytes) / state.bytes.max(1);
            let mut options = vec![literal(&lane), domain];
            for (name, value, usual) in [("bytes", state.bytes, 4), ("width", width, 1)] {
                if value != usual {
                    options.push(format!("{name}={value}"));
                }
            }
            if state.machine != usual.machine {
                options.push(format!("machine={}", literal(&state.machine)));
            }
            Ok(format!(
                "import quaff\n\nfound = quaff.bank_conflicts({index}, {})\nprint(found[\"degree\"], found[\"at\"])\n",
                options.join(", ")
            ))
        }
        (View::Answer | View::Rules | View::Memory, _) => Err("the call takes one expression"),
        _ => Err("the package has no call for expressions in this view"),
    }
}

/// The call for a view or a layout.
fn python_layout(state: &State) -> Same {
    let chain = state.chain.trim();
    if chain.is_empty() {
        return Err("the input has nothing to ask about");
    }
    let domain = domain(state).ok_or("a range or a condition is wrong")?;
    let known = if domain == "\"\"" { String::new() } else { format!(", {domain}") };
    Ok(match is_chain(chain) {
        true => format!("import quaff\n\nprint(quaff.View.parse({}{known}))\n", literal(chain)),
        false if known.is_empty() => format!("import quaff\n\nprint(quaff.Layout({}))\n", literal(chain)),
        false => return Err("a layout with names in it has a call of its own for each operation"),
    })
}

/// The call for a source file.
fn python_source(state: &State, input: &Input<'_>) -> Same {
    let language = source_file(language_of(input.from, &state.text)).0;
    let note = |text: &str| text.split_once('=').map(|(name, range)| format!("{} in {}", name.trim(), range.trim()));
    let notes =
        given(&state.vars).into_iter().filter_map(note).chain(given(&state.assume).into_iter().map(String::from));
    let notes: Vec<String> = notes.map(|note| literal(&note)).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(", notes=[{}]", notes.join(", ")) };
    Ok(format!("import quaff\n\nprint(quaff.rewrite({}, \"{language}\"{notes}).text)\n", literal(&state.text)))
}

/// The domain as Python text.
fn domain(state: &State) -> Option<String> {
    let condition = |a: &str| if Domain::is_declaration(a) { a.to_string() } else { format!("assume {a}") };
    let mut all: Vec<String> = given(&state.vars).into_iter().map(String::from).collect();
    all.extend(given(&state.uniform).into_iter().map(|u| format!("invariant {u}")));
    all.extend(given(&state.assume).into_iter().map(condition));
    let text = all.join(", ");
    text.parse::<Domain>().is_ok().then(|| literal(&text))
}

/// A word, quoted for a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A string literal of Python. Every JSON string is a valid literal of Python.
fn literal(text: &str) -> String {
    Value::from(text).to_string()
}
