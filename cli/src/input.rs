//! What the commands about one or two expressions read: expressions and declarations.

use crate::report::{Failure, Given, Problem, io_failure, shortened};
use clap::Args;
use miette::Diagnostic;
use quaff::domain::Domain;
use quaff::expr;
use std::io::Read;
use std::path::Path;

/// `--assume`.
#[derive(Args)]
pub(crate) struct Assumptions {
    /// A condition that holds wherever the expression is used, such as the mask of an access: `r + a >= 1`; may be given
    /// several times
    #[arg(long = "assume", value_name = "CONDITION")]
    conditions: Vec<String>,
}

/// The declarations of `--var` and `--uniform`, and the conditions of `--assume`.
pub(crate) fn domain(vars: &[String], uniform: &[String], assumptions: &Assumptions) -> Result<Domain, Failure> {
    let mut domain = declared(vars, uniform)?;
    for text in &assumptions.conditions {
        let parsed = expr::parse(text).map_err(|e| Problem::syntax(&e, "--assume", text))?;
        domain = domain.assume(parsed.into_expr());
    }
    Ok(domain)
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`--uniform` names `{name}`, which has no range")]
#[diagnostic(code(quaff::uniform))]
struct NoRange {
    name: String,
    #[help]
    help: String,
}

/// How to give `name` a range, and which names have one.
fn help(name: &str, known: &[String]) -> String {
    let declare = format!("declare its range, such as `--var {name}=1..4096`; `--var {name}=..` when nothing is known");
    match known.is_empty() {
        true => declare,
        false => format!("{declare}\ndeclared are {}", shortened(&known.join(", "))),
    }
}

/// The declarations of `--var` and `--uniform`.
pub(crate) fn declared(vars: &[String], uniform: &[String]) -> Result<Domain, Failure> {
    let mut domain = Domain::new();
    for text in vars {
        domain.declare(text).map_err(|e| Problem::declaration(&e, text))?;
    }
    for name in uniform {
        if !domain.contains(name) {
            let known: Vec<String> = domain.vars().map(|v| format!("`{v}`")).collect();
            return Err(Problem::new(&NoRange { name: name.clone(), help: help(name, &known) }).into());
        }
        domain = domain.launch_invariant(name.as_str());
    }
    Ok(domain)
}

/// Reads `text`, which stands in `file`; standard input when it is absent or `-`.
pub(crate) fn expression(text: Option<&str>, file: &'static str) -> Result<Given, Failure> {
    let (text, file) = match text {
        None | Some("-") => (standard_input()?, "<stdin>"),
        Some(text) => (text.to_string(), file),
    };
    let parsed = expr::parse(&text).map_err(|e| Problem::syntax(&e, file, &text))?;
    Ok(Given { parsed, file })
}

fn standard_input() -> Result<String, Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(io_failure(Path::new("-")))?;
    Ok(text)
}
