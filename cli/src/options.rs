//! Misspelt options. Where an expression may begin with `-`, clap takes them for one.

use crate::dialect::nearest;
use crate::report::shortened;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use std::ffi::OsString;

/// Refuses the first of `words` that looks like an option and is none of its command. They begin with the name of the program.
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
                return Err(refusal(command, written, &known));
            }
        }
    }
    Ok(())
}

/// That `command` has no option `written`, with the nearest of its options, which are `known`.
fn refusal(command: &Command, written: &str, known: &[String]) -> clap::Error {
    let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
    error.insert(ContextKind::InvalidArg, ContextValue::String(shortened(written)));
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    if let Some(near) = nearest(written, &known) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(near.into()));
    } else if command.get_positionals().any(Arg::is_allow_hyphen_values_set) {
        let tip = "an expression that begins with '--' needs parentheses".into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error.insert(ContextKind::Usage, ContextValue::StyledStr(command.clone().render_usage()));
    error
}
