//! `quaff canonical`: writes a quasi-affine function of one variable as a sum of quotients.

use crate::dialect::Reading;
use crate::input;
use crate::json;
use crate::report::{Failure, Given, Problem, io_failure};
use clap::Args;
use miette::Diagnostic;
use quaff::expr::Expr;
use quaff::quasi::{Canonical, CanonicalError, Case, Flattened, FloorTerm};
use serde::Serialize;
use std::io::Write as _;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  quaff canonical '((2*x + 1)//3 + x//4)//5'
  quaff canonical '((i + pid)//2)//3 + 2*pid' --uniform pid";

/// Write a function of one variable as a sum of quotients, with its period
///
/// A function with nested quotients is equal to a sum `c + k*((a*x + b)//d) + ..`. The function is determined by its least period, its
/// value at -1 and its jumps `f(r) - f(r - 1)` in one period. The command prints period, value and jumps, and a sum with few terms. The sum
/// is equal to the function for all integers.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The expression; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expr: Option<String>,

    /// The variable of the function; needed if several variables of the expression are not uniform
    #[arg(long, value_name = "NAME")]
    along: Option<String>,

    /// A symbol that does not change along the variable, such as the number of a block; may be given several times
    #[arg(long = "uniform", value_name = "NAME")]
    uniform: Vec<String>,

    #[command(flatten)]
    reading: Reading,

    /// Print one JSON object: variable, sum, cases (where, period, rise, before, jumps, sum, constant, terms)
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
enum Refused {
    #[error("the expression has the variables {names}, and one of them is needed")]
    #[diagnostic(code(quaff::canonical::variables), help("name it by `--along`, or all others by `--uniform`"))]
    Several { names: String },
    #[error(transparent)]
    #[diagnostic(code(quaff::canonical::refused))]
    Canonical(CanonicalError),
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let given = input::expression(args.expr.as_deref(), "expression", &args.reading)?;
    let variable = variable(args, &given)?;
    let found =
        Flattened::of(given.parsed.expr(), &variable).map_err(|e| Problem::at_whole(&Refused::Canonical(e), &given))?;
    let out = match args.json {
        true => json::indented(&AllJson::new(&found, &variable)),
        false => listed(&found, &variable),
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

/// The variable of the function.
fn variable(args: &Arguments, given: &Given) -> Result<String, Failure> {
    if let Some(along) = &args.along {
        return Ok(along.clone());
    }
    let mut names = given.variables();
    names.retain(|name| !args.uniform.contains(name));
    match names.as_slice() {
        [] => Ok("x".into()),
        [one] => Ok(one.clone()),
        several => {
            let names: Vec<String> = several.iter().map(|n| format!("`{n}`")).collect();
            Err(Problem::at_whole(&Refused::Several { names: names.join(", ") }, given).into())
        }
    }
}

/// The conditions on the symbols (all other variables) in one case. A symbol of period 1 has no condition.
fn conditions(found: &Flattened, case: &Case) -> Vec<String> {
    let symbols = found.symbols().iter().zip(case.residues()).filter(|((_, period), _)| period.length > 1);
    symbols.map(|((name, period), residue)| format!("{name}%{} == {residue}", period.length)).collect()
}

fn listed(found: &Flattened, variable: &str) -> String {
    let mut out = String::new();
    if let Some(sum) = found.sum() {
        out += &format!("sum     {sum}\n");
    }
    let several = found.cases().len() > 1;
    // if all cases are shifts of one function, the first case is enough
    let shown = if found.sum().is_some() { 1 } else { found.cases().len() };
    for (number, case) in found.cases().iter().take(shown).enumerate() {
        if several {
            let blank = if number > 0 { "\n" } else { "" };
            out += &format!("{blank}where {}:\n", conditions(found, case).join(", "));
        }
        out += &said(case, variable, found.sum().is_none());
    }
    out
}

/// The text of one case. It includes a sum for this case if there is no sum for all cases.
fn said(case: &Case, variable: &str, has_sum: bool) -> String {
    let canonical = case.canonical();
    let rise: i128 = canonical.jumps().iter().sum();
    let mut out = String::new();
    if has_sum {
        let sum = case.sum(variable).map_or_else(|| "none with few terms".into(), |sum| sum.to_string());
        out += &format!("sum     {sum}\n");
    }
    if let Some(fewest) = case.fewest() {
        out += &format!("terms   {}\n", fewest.terms().len());
    }
    out += &format!("period  {}, adds {rise}\n", canonical.period());
    out + &format!("jumps   {}\n", jumps(canonical))
}

/// The value of the function at -1, and its nonzero jumps, grouped by height. Of a long list, only the first jumps are
/// shown.
fn jumps(canonical: &Canonical) -> String {
    const SHOWN: usize = 64;
    let mut heights: Vec<i128> = canonical.jumps().iter().copied().filter(|j| *j != 0).collect();
    heights.sort_unstable();
    heights.dedup();
    let mut left = SHOWN;
    let mut parts = vec![format!("f(-1) = {}", canonical.before_zero())];
    for height in heights {
        let places = canonical.jumps().iter().enumerate().filter(|(_, j)| **j == height);
        let mut all: Vec<String> = places.map(|(r, _)| r.to_string()).collect();
        let more = all.len().saturating_sub(left);
        all.truncate(left);
        left = left.saturating_sub(all.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        parts.push(format!("{height:+} at {}{more}", all.join(", ")));
        if left == 0 {
            break;
        }
    }
    parts.join("; ")
}

/// The output of `--json`.
#[derive(Serialize)]
struct AllJson {
    variable: String,
    /// A sum that holds for all values of the symbols, if there is one.
    sum: Option<String>,
    cases: Vec<CaseJson>,
}

#[derive(Serialize)]
struct CaseJson {
    /// The conditions on the symbols.
    #[serde(rename = "where")]
    conditions: Vec<String>,
    period: i64,
    /// The number by which the function grows in one period.
    rise: String,
    /// The value of the function at -1.
    before: String,
    /// The jumps `f(r) - f(r - 1)` for each `r` of a period, as text, because they may not fit 64 bits.
    jumps: Vec<String>,
    sum: Option<String>,
    constant: Option<String>,
    terms: Vec<TermJson>,
}

/// A term `factor*((slope*x + offset)//divisor)` of the sum.
#[derive(Serialize)]
struct TermJson {
    factor: String,
    slope: String,
    offset: String,
    divisor: String,
}

impl From<&FloorTerm> for TermJson {
    fn from(term: &FloorTerm) -> TermJson {
        let [factor, slope, offset, divisor] =
            [term.factor, term.slope, term.offset, term.divisor].map(|n| n.to_string());
        TermJson { factor, slope, offset, divisor }
    }
}

impl AllJson {
    fn new(found: &Flattened, variable: &str) -> AllJson {
        let case = |case: &Case| CaseJson {
            conditions: conditions(found, case),
            // a period is at most 1,048,576, so the conversion succeeds
            period: i64::try_from(case.canonical().period()).unwrap_or(i64::MAX),
            rise: case.canonical().jumps().iter().sum::<i128>().to_string(),
            before: case.canonical().before_zero().to_string(),
            jumps: case.canonical().jumps().iter().map(i128::to_string).collect(),
            sum: case.sum(variable).as_ref().map(Expr::to_string),
            constant: case.fewest().map(|f| f.constant().to_string()),
            terms: case.fewest().map(|f| f.terms().iter().map(TermJson::from).collect()).unwrap_or_default(),
        };
        let sum = found.sum().map(Expr::to_string);
        AllJson { variable: variable.into(), sum, cases: found.cases().iter().map(case).collect() }
    }
}
