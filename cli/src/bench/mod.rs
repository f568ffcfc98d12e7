//! `quaff bench`: measurements of parts of the engine.

mod egg;
mod extract;

use crate::report::Failure;
use clap::Subcommand;

/// Benchmark extractors, and quaff against plain egg
#[derive(Subcommand)]
pub(crate) enum Command {
    Extract(extract::Arguments),
    Egg(egg::Arguments),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Extract(args) => extract::run(args),
        Command::Egg(args) => egg::run(args),
    }
}
