//! The SMT solvers that are installed.

use easy_smt::{Context, ContextBuilder, SExpr};
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// A solver on the path.
#[derive(Clone, Debug)]
pub(crate) struct Solver {
    name: &'static str,
    program: PathBuf,
}

impl Solver {
    /// Those that are installed, the one to ask first in front.
    pub(crate) fn installed() -> Vec<Solver> {
        ["z3", "cvc5"].into_iter().filter_map(|name| Some(Solver { name, program: on_path(name)? })).collect()
    }

    /// A fresh process that ends itself after `limit`, even in the middle of a step.
    pub(crate) fn start(&self, limit: Duration) -> io::Result<Context> {
        let seconds = limit.as_secs_f64().ceil().max(1.0) as u64;
        let millis = limit.as_millis().max(1);
        let args = match self.name {
            "z3" => vec!["-smt2".into(), "-in".into(), "-v:0".into(), format!("-t:{millis}"), format!("-T:{seconds}")],
            _ => vec!["--quiet".into(), "--lang=smt2".into(), "--incremental".into(), format!("--tlimit={millis}")],
        };
        ContextBuilder::new().solver(&self.program).solver_args(args).build()
    }

    /// Name and version, for example `z3 4.13.0`.
    pub(crate) fn version(&self) -> String {
        let said = Command::new(&self.program).arg("--version").output();
        let said = said.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
        let number = said.split_whitespace().find(|w| w.starts_with(|c: char| c.is_ascii_digit()) && w.contains('.'));
        format!("{} {}", self.name, number.unwrap_or("of unknown version"))
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

/// The number in a model: `7` or `(- 7)`.
pub(crate) fn read_number(context: &Context, value: SExpr) -> Option<i64> {
    let magnitude = |e: SExpr| context.get_atom(e)?.parse::<i64>().ok();
    match context.get_list(value) {
        Some([minus, e]) if context.get_atom(*minus) == Some("-") => magnitude(*e)?.checked_neg(),
        Some(_) => None,
        None => magnitude(value),
    }
}
