//! Detects misspelt options. If an argument may begin with `-`, clap reads a misspelt option as an expression.

use crate::dialect::nearest;
use crate::report::shortened;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use std::ffi::OsString;

/// Refuses the first of `words` that looks like an option and is not an option of its command. The first word is the
/// name of the program.
pub(crate) fn check(mut program: Command, words: impl Iterator<Item = OsString>) -> Result<(), clap::Error> {
    program.build();
    let mut command = &program;
    let words = words.skip(1).map(|word| word.to_string_lossy().into_owned());
    for word in words.take_while(|word| word != "--") {
        if let Some(inner) = command.find_subcommand(&word) {
            command = inner;
        } else if word.strip_prefix("--").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase())) {
            let written = word.split('=').next().unwrap_or_default();
            let names = command.get_arguments().filter_map(Arg::get_long_and_visible_aliases);
            let known: Vec<String> = names.flatten().map(|name| format!("--{name}")).collect();
            if known.iter().all(|option| option != written) {
                let elsewhere = program.get_subcommands().find(|other| has_option(other, written));
                return Err(refusal(command, written, &known, elsewhere.map(Command::get_name)));
            }
        }
    }
    Ok(())
}

/// Whether `command` has the option `written`, which begins with `--`.
fn has_option(command: &Command, written: &str) -> bool {
    let mut names = command.get_arguments().filter_map(Arg::get_long_and_visible_aliases).flatten();
    names.any(|name| written.strip_prefix("--") == Some(name))
}

/// The error that `command` has no option `written`. It suggests the most similar option in `known`, or the command `elsewhere`, which
/// has the option.
fn refusal(command: &Command, written: &str, known: &[String], elsewhere: Option<&str>) -> clap::Error {
    let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
    error.insert(ContextKind::InvalidArg, ContextValue::String(shortened(written)));
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    if let Some(near) = nearest(written, &known) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(near.into()));
    } else if let Some(other) = elsewhere {
        let tip = format!("`quaff {other}` has the option {written}").into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    } else if command.get_positionals().any(Arg::is_allow_hyphen_values_set) {
        let tip = "an expression that begins with '--' needs parentheses".into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error.insert(ContextKind::Usage, ContextValue::StyledStr(command.clone().render_usage()));
    error
}
