//! `quaff verify`: whether two expressions are equal.

use crate::dialect::{self, Reading};
use crate::exact::{Limits, VerdictJson};
use crate::input::{self, Assumptions};
use crate::json;
use crate::report::{Failure, Given, Problem, io_failure};
use clap::Args;
use quaff::domain::Domain;
use quaff::quasi::{Verdict, Why, decide};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  quaff verify '(i*512 + j) // 512' 'i' --var i=0..1023 --var j=0..511
  quaff verify '(x*n + c) // n' 'x' --var x=.. --var n=1..64 --var 'c=0..n-1'
  quaff verify 'x // 4 * 4' 'x' --var x=0..99 --json | jq .witness

Exit codes:
  0   equal
  1   different; a point at which they differ is printed
  2   undecided; why is printed
  64  the command line, an expression or a range was not understood";

/// Whether two expressions are equal at every point of the ranges
///
/// The answer is certain: it rests on periods and enumeration, or on a point at which both were evaluated, and on no
/// rule of the simplifier. Where the first expression divides by 0, the second may be anything.
///
/// An expression is equal to itself as it is written, whatever its size and its ranges. Otherwise time and memory are
/// bounded by the limits below, which count work and not time: a question that goes to one of them is undecided, and the
/// reason names it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The first expression; `-` is standard input
    #[arg(value_name = "A", allow_hyphen_values = true)]
    first: String,

    /// The second expression; `-` is standard input
    #[arg(value_name = "B", allow_hyphen_values = true)]
    second: String,

    /// What is known of a variable, both ends inclusive, as for `simplify`
    #[arg(long = "var", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    /// Print one JSON object: verdict, method, points, and witness, first and second, or why
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    assumptions: Assumptions,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    limits: Limits,
}

/// Exit codes of a verdict.
const DIFFERS: u8 = 1;
const UNDECIDED: u8 = 2;

pub(crate) fn run(args: &Arguments) -> Result<ExitCode, Failure> {
    // 1 is a verdict here: input that cannot be used is a matter of usage
    let (a, b, domain) = given(args).map_err(|failure| match failure {
        Failure::Refused(problem) => Failure::Usage(problem),
        other => other,
    })?;
    let decision = decide(a.parsed.expr(), b.parsed.expr(), &domain, &args.limits.options());
    if let Verdict::Undecided { why: Why::Domain(e) } = &decision.verdict {
        return Err(Failure::Usage(Box::new(Problem::new(e))));
    }
    let out = match args.json {
        true => json::indented(&VerdictJson::from(&decision)),
        false => format!("{}\n", decision.verdict),
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))?;
    Ok(match decision.verdict {
        Verdict::Equal => ExitCode::SUCCESS,
        Verdict::Differs { .. } => ExitCode::from(DIFFERS),
        Verdict::Undecided { .. } => ExitCode::from(UNDECIDED),
    })
}

fn given(args: &Arguments) -> Result<(Given, Given, Domain), Failure> {
    let domain = input::domain(&args.vars, &[], &args.assumptions, &args.reading)?;
    let read = |text: &String, file| input::expression(Some(text), file, &args.reading);
    let (first, second) = (read(&args.first, "first expression")?, read(&args.second, "second expression")?);
    let domain = dialect::known(domain, &[&first, &second])?;
    Ok((first, second, domain))
}
