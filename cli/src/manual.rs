//! `quaff completions` and `quaff man`: completions for shells, and manual pages.

use crate::dialect::nearest;
use crate::output::print_text;
use crate::report::{Failure, Problem};
use clap::{Args, Command};
use clap_complete::Shell;
use miette::Diagnostic;

const EXAMPLES: &str = "\
Examples:
  quaff completions bash > ~/.local/share/bash-completion/completions/quaff
  quaff completions zsh > ~/.zfunc/_quaff";

/// Print the completions of a shell
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const PAGES: &str = "\
Examples:
  quaff man simplify | man -l -
  quaff man > quaff.1";

/// Print the manual page of the program or of a command
#[derive(Args)]
#[command(after_help = PAGES)]
pub(crate) struct Man {
    /// The command, such as `simplify` or `rules ablate`; without a command, the page of the program is printed
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("there is no command `{name}`")]
#[diagnostic(code(quaff::usage::command))]
struct NoCommand {
    name: String,
    #[help]
    help: Option<String>,
}

pub(crate) fn completions(args: &Completions, mut program: Command) -> Result<(), Failure> {
    let mut out = Vec::new();
    clap_complete::generate(args.shell, &mut program, "quaff", &mut out);
    print_text(&String::from_utf8_lossy(&out))
}

pub(crate) fn man(args: &Man, mut program: Command) -> Result<(), Failure> {
    program.build();
    let mut command = &program;
    for name in &args.command {
        command = command.find_subcommand(name).ok_or_else(|| {
            let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            let help = nearest(name, &known).map(|near| format!("did you mean `{near}`?"));
            Failure::Usage(Box::new(Problem::new(&NoCommand { name: name.clone(), help })))
        })?;
    }
    let mut out = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut out)
        .map_err(|error| Failure::Io { what: "the manual page".into(), error })?;
    print_text(&String::from_utf8_lossy(&out))
}
