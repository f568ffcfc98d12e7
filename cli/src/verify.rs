//! `quaff verify`: decides whether two expressions are equal.

use crate::dialect::{self, Reading};
use crate::exact::{Limits, VerdictJson};
use crate::input::{self, Assumptions};
use crate::json;
use crate::report::{Failure, Given, Problem, io_failure, shortened};
use clap::Args;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::Dag;
use quaff::quasi::{Verdict, Why, decide};
use quaff_dialects::Dialect;
use std::io::Write;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  quaff verify '(i*512 + j) // 512' 'i' --var i=0..1023 --var j=0..511
  quaff verify '(x*n + c) // n' 'x' --var x=.. --var n=1..64 --var 'c=0..n-1'
  quaff verify 'x // 4 * 4' 'x' --var x=0..99 --json | jq .witness

Exit codes:
  0   equal
  1   different; a point at which the expressions differ is printed
  2   undecided; the reason is printed
  64  the command line, an expression or a range was not understood";

/// Compare two expressions at every point of their ranges
///
/// The answer is certain. The proof that the expressions are equal uses periods and enumeration, and no rule of the
/// simplifier. The proof that they differ is a point at which both are evaluated. At points where the first expression
/// divides by 0, the second may have any value.
///
/// Expressions in C are compared as if integers had no size limit. A warning names a part that may overflow an `int`.
///
/// Two expressions with the same text are equal, whatever their size and ranges. For all others, the limits below bound time
/// and memory. The limits count work, not time. A check that reaches a limit is undecided, and the reason names the limit.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The first expression; `-` is standard input
    #[arg(value_name = "A", allow_hyphen_values = true)]
    first: String,

    /// The second expression; `-` is standard input
    #[arg(value_name = "B", allow_hyphen_values = true)]
    second: String,

    /// The range of a variable, both ends inclusive, written as for `simplify`
    #[arg(long = "var", help_heading = "Variables and conditions", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    /// Print one JSON object: verdict, method and points. If the expressions differ, the object also has witness, first
    /// and second. If the verdict is undecided, it also has why
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    assumptions: Assumptions,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    limits: Limits,
}

/// The exit codes of a verdict.
const DIFFERS: u8 = 1;
const UNDECIDED: u8 = 2;

pub(crate) fn run(args: &Arguments) -> Result<u8, Failure> {
    // exit code 1 means a verdict, so input that cannot be used is reported as a usage error
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
    let is_c = matches!(args.reading.dialect(), Dialect::C | Dialect::Cuda);
    if is_c && decision.verdict == Verdict::Equal {
        let texts = [(&args.first, &a), (&args.second, &b)];
        let ints = texts.into_iter().filter(|(text, _)| has_ints_only(text));
        ints.filter_map(|(_, given)| beyond_int(given, &domain)).for_each(|note| eprintln!("{note}"));
    }
    Ok(match decision.verdict {
        Verdict::Equal => 0,
        Verdict::Differs { .. } => DIFFERS,
        Verdict::Undecided { .. } => UNDECIDED,
    })
}

/// Whether a C text uses no other type than `int`. Another type is a word in the text or the suffix of a number.
fn has_ints_only(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let is_suffixed =
        |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && word.ends_with(['u', 'U', 'l', 'L']);
    !words.any(|word| {
        is_suffixed(word)
            || ["unsigned", "long", "size_t"].contains(&word)
            || word.ends_with("64_t")
            || word.starts_with("uint")
    })
}

/// The warning for a C text with a part whose values do not fit an `int`.
fn beyond_int(given: &Given, domain: &Domain) -> Option<String> {
    let dag = Dag::new(std::slice::from_ref(given.parsed.expr()));
    let simplifier = Simplifier::default();
    let mut facts = simplifier.facts(domain);
    let beyond = |id: usize| {
        let part = dag.expr(id as u32)?;
        let range = facts.bounds(part).ok()?;
        let is_int =
            range.lo().is_some_and(|lo| lo >= i32::MIN.into()) && range.hi().is_some_and(|hi| hi <= i32::MAX.into());
        (!is_int && part.as_const().is_none()).then(|| {
            let part = shortened(&part.to_string());
            format!("quaff: warning: `{part}` has values in {range}, which an `int` does not hold; where it overflows, the texts may differ")
        })
    };
    (0..dag.nodes().len()).find_map(beyond)
}

fn given(args: &Arguments) -> Result<(Given, Given, Domain), Failure> {
    let domain = input::domain(&args.vars, &[], &args.assumptions, &args.reading)?;
    let read = |text: &String, file| input::expression(Some(text), file, &args.reading);
    let (first, second) = (read(&args.first, "first expression")?, read(&args.second, "second expression")?);
    let domain = dialect::known(domain, &[&first, &second])?;
    Ok((first, second, domain))
}
