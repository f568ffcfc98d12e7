//! Reads the expressions and the declarations in the arguments of commands.

use crate::dialect::{self, Reading};
use crate::report::{Failure, Given, Problem, io_failure, shortened};
use clap::Args;
use miette::Diagnostic;
use quaff::domain::Domain;
use quaff::emit::{is_name, is_type};
use quaff::expr::{Dag, Expr};
use quaff_lab::experiment::MAX_LINE;
use std::collections::HashSet;
use std::io::{IsTerminal, Read};
use std::path::Path;

/// `--assume`.
#[derive(Args)]
#[command(next_help_heading = "Variables and conditions")]
pub(crate) struct Conditions {
    /// A condition that holds wherever the expression is used, such as the mask of an access: `r + a >= 1`; may be given
    /// several times
    #[arg(long = "assume", value_name = "CONDITION")]
    conditions: Vec<String>,
}

impl Conditions {
    /// Adds the conditions to `domain`, with the variables that they declare.
    pub(crate) fn assumed(&self, domain: Domain, reading: &Reading) -> Result<Domain, Failure> {
        let mut domain = domain;
        for text in &self.conditions {
            if quaff_dialects::is_assignment(text) {
                return Err(Problem::at_value(&Assignment, "--assume", text).into());
            }
            let given = reading.one(text, "--assume")?;
            domain = domain.and(&given.domain);
            dialect::unproved(&domain, &given)?;
            domain = domain.assume(given.parsed.into_expr());
        }
        Ok(domain)
    }
}

/// `--assume`, and the options that name loops and ranges.
#[derive(Args)]
#[command(next_help_heading = "Variables and conditions")]
pub(crate) struct Assumptions {
    #[command(flatten)]
    conditions: Conditions,
    /// A variable that counts the iterations of a loop, or several such variables for nested loops, the outermost first:
    /// `--loop i,k`. The cost of an operation that depends on them counts as often as the operation runs; may be given
    /// several times
    #[arg(long = "loop", value_name = "NAMES")]
    loops: Vec<String>,
    /// A variable that counts the copies of an unrolled loop; may be given several times
    #[arg(long = "unrolled", value_name = "NAME")]
    unrolled: Vec<String>,
    /// A variable whose range is never empty, for all values of the variables in its ends. The range is then a fact in all expressions,
    /// not only in expressions with the variable; may be given several times
    #[arg(long = "nonempty", value_name = "NAME")]
    nonempty: Vec<String>,
    /// Assume that no used part divides by 0, although this is not proved. The answer relies on this assumption
    #[arg(long = "assume-defined")]
    defined: bool,
}

/// What is known of the variables of expressions, and the language of these.
#[derive(Args)]
#[command(next_help_heading = "Variables and conditions")]
pub(crate) struct Known {
    /// The range of a variable, both ends inclusive: `i=0..15`, `j=0..N-1`, `n=1..`, `x=..` (no bounds),
    /// `x=0..96 step 4 from 1`, `y=4*x+1` (equal to this expression)
    #[arg(long = "var", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    /// Variables that are fixed for a kernel launch; the host can prepare divisions by them
    #[arg(long, value_name = "NAME")]
    uniform: Vec<String>,

    #[command(flatten)]
    assumptions: Assumptions,

    #[command(flatten)]
    pub(crate) reading: Reading,
}

impl Known {
    /// The expression in an argument. Without an argument, it is read from standard input.
    pub(crate) fn expression(&self, argument: Option<&str>, name: &'static str) -> Result<Given, Failure> {
        expression(argument, name, &self.reading)
    }

    /// The domain of the variables of `given`.
    pub(crate) fn domain(&self, given: &[&Given]) -> Result<Domain, Failure> {
        self.domain_but(given, &[])
    }

    /// Warns of a variable that is declared twice, and of a variable that is never used, because its name may be
    /// misspelt.
    pub(crate) fn warn_of_slips(&self, given: &[&Given], domain: &Domain) {
        let ranges = domain.resolve().unwrap_or_default();
        let ends = ranges.into_iter().flat_map(|facts| [facts.lower, facts.upper]).flatten();
        let exprs = given.iter().map(|g| g.parsed.expr().clone()).chain(domain.conditions()).chain(ends);
        let dag = Dag::new(&exprs.collect::<Vec<_>>());
        let named = [&self.assumptions.loops, &self.assumptions.unrolled, &self.assumptions.nonempty, &self.uniform];
        let named = named.into_iter().flatten().flat_map(|names| names.split(',')).map(str::trim);
        let used: HashSet<&str> = dag.variables().map(|name| &**name).chain(named).collect();
        let declarations: Vec<String> = self.vars.iter().map(|text| self.reading.declaration(text)).collect();
        let mut seen = HashSet::new();
        for name in declarations.iter().filter_map(|text| text.split_once('=')).map(|(name, _)| name.trim()) {
            if !seen.insert(name) {
                eprintln!("quaff: warning: `{name}` has several ranges, and all of them hold");
            } else if !used.contains(name) {
                eprintln!("quaff: warning: no expression uses `{name}`");
            }
        }
    }

    /// The domain of the variables of `given`, in which the names `but` need no declaration.
    pub(crate) fn domain_but(&self, given: &[&Given], but: &[String]) -> Result<Domain, Failure> {
        dialect::known_but(domain(&self.vars, &self.uniform, &self.assumptions, &self.reading)?, given, but)
    }
}

/// The domain from the declarations of `--var` and `--uniform` and the conditions of `--assume`.
pub(crate) fn domain(
    vars: &[String],
    uniform: &[String],
    assumptions: &Assumptions,
    reading: &Reading,
) -> Result<Domain, Failure> {
    let mut domain = assumptions.conditions.assumed(declared(vars, uniform, reading)?, reading)?;
    for names in &assumptions.loops {
        let names = names.split(',').map(|name| has_range(&domain, "--loop", name.trim()));
        let names: Vec<&str> = names.collect::<Result<_, _>>()?;
        domain = domain.loop_nest(names);
    }
    for name in &assumptions.unrolled {
        let name = has_range(&domain, "--unrolled", name)?;
        domain = domain.unrolled(name);
    }
    for name in &assumptions.nonempty {
        let name = has_range(&domain, "--nonempty", name)?;
        domain = domain.nonempty(name);
    }
    Ok(if assumptions.defined { domain.defined() } else { domain })
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{option}` names `{name}`, which has no range")]
#[diagnostic(code(quaff::uniform))]
struct NoRange {
    option: &'static str,
    name: String,
    #[help]
    help: String,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("this is an assignment, and no condition")]
#[diagnostic(code(quaff::condition), help("`==` compares"))]
struct Assignment;

/// A hint with the declaration of `name`, and a list of the declared variables.
fn help(name: &str, known: &[String]) -> String {
    let declare = format!("declare its range, such as `--var {name}=1..4096`; `--var {name}=..` when nothing is known");
    match known.is_empty() {
        true => declare,
        false => format!("{declare}\ndeclared are {}", shortened(&known.join(", "))),
    }
}

/// The domain from the declarations of `--var` and `--uniform`.
pub(crate) fn declared(vars: &[String], uniform: &[String], reading: &Reading) -> Result<Domain, Failure> {
    let mut domain = Domain::new();
    declare(&mut domain, vars, reading)?;
    for name in uniform {
        let name = has_range(&domain, "--uniform", name)?;
        domain = domain.launch_invariant(name);
    }
    Ok(domain)
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("this range has one value: `{name}` is equal to `{value}`")]
#[diagnostic(
    code(quaff::domain::one_value),
    severity(Warning),
    help("write `{name}={value}` if that is meant, and `{name}=0..{}` for the range below it", value - 1)
)]
struct OneValue {
    name: Expr,
    value: Expr,
}

/// Adds the declarations of `--var`. Warns of a range whose two ends are the same expression, because `NAME=EXPR`
/// without `..` is the usual form.
pub(crate) fn declare(domain: &mut Domain, vars: &[String], reading: &Reading) -> Result<(), Failure> {
    for text in vars {
        let text = &reading.declaration(text);
        let mut declared = Domain::new();
        declared.declare(text).map_err(|e| Problem::declaration(&e, text))?;
        // a range whose two ends are the same expression is declared as an equality
        if text.contains("..")
            && let [equality] = &declared.conditions()[..]
            && let [name, value] = equality.args()
        {
            Problem::at_value(&OneValue { name: name.clone(), value: value.clone() }, "--var", text).warn();
        }
        *domain = std::mem::take(domain).and(&declared);
    }
    Ok(())
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{option}` is `{given}`, which is no {what}")]
#[diagnostic(code(quaff::name))]
struct NoName {
    option: &'static str,
    given: String,
    what: &'static str,
    #[help]
    help: &'static str,
}

/// Checks that `text`, the value of `option`, can be the name of a variable or a buffer.
pub(crate) fn named(option: &'static str, text: &str) -> Result<(), Failure> {
    let help = "a name has letters, digits and `_`, begins with no digit, and is no word that C or CUDA reserve or that texts use";
    match is_name(text) {
        true => Ok(()),
        false => Err(Problem::new(&NoName { option, given: shortened(text), what: "free name", help }).into()),
    }
}

/// Checks that `text`, the value of `option`, differs from the name of the buffer.
pub(crate) fn other_than_buffer(option: &'static str, text: &str, buffer: &str) -> Result<(), Failure> {
    let help = "the buffer has this name";
    match text != buffer {
        true => Ok(()),
        false => Err(Problem::new(&NoName { option, given: shortened(text), what: "free name", help }).into()),
    }
}

/// Checks that `text`, the value of `option`, can be the type of elements.
pub(crate) fn typed(option: &'static str, text: &str) -> Result<(), Failure> {
    let help = "a type is one or several words, such as `float`, `unsigned short` or `at::Half`, and may end with `*`";
    match is_type(text) {
        true => Ok(()),
        false => Err(Problem::new(&NoName { option, given: shortened(text), what: "type", help }).into()),
    }
}

/// Returns `name`, the value of `option`, if it is declared.
pub(crate) fn has_range<'n>(domain: &Domain, option: &'static str, name: &'n str) -> Result<&'n str, Failure> {
    if domain.contains(name) {
        return Ok(name);
    }
    let known: Vec<String> = domain.vars().map(|v| format!("`{v}`")).collect();
    Err(Problem::new(&NoRange { option, name: name.to_string(), help: help(name, &known) }).into())
}

/// The text of an argument. It is read from standard input when the argument is absent or `-`.
pub(crate) fn text(argument: Option<&str>, name: &'static str) -> Result<(String, &'static str), Failure> {
    match argument {
        None | Some("-") => Ok((read(Path::new("-"))?, "<stdin>")),
        Some(text) => Ok((text.to_string(), name)),
    }
}

/// The only expression of an argument. It is read from standard input when the argument is absent or `-`.
pub(crate) fn expression(argument: Option<&str>, name: &'static str, reading: &Reading) -> Result<Given, Failure> {
    let (text, file) = text(argument, name)?;
    reading.one(&text, file)
}

/// The text of `file`, or of standard input for `-`. At most [`MAX_LINE`] bytes of standard input are read.
pub(crate) fn read(file: &Path) -> Result<String, Failure> {
    if file != Path::new("-") {
        return std::fs::read_to_string(file).map_err(io_failure(file));
    }
    if std::io::stdin().is_terminal() {
        eprintln!("quaff: reading from the terminal; ^D ends the input");
    }
    let mut text = String::new();
    let read = std::io::stdin().take(MAX_LINE as u64 + 1).read_to_string(&mut text);
    read.and_then(|length| match length {
        0..=MAX_LINE => Ok(text),
        _ => Err(std::io::Error::other(format!("there are more than {MAX_LINE} bytes"))),
    })
    .map_err(io_failure(file))
}
