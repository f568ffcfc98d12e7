//! `quaff simplify`: simplifies one expression, or several together.

use crate::answer::{self, CudaJson, Language, NoText, Ran};
use crate::answer_json::{CheckedJson, FoundJson, OneJson, SearchJson};
use crate::answering::Answering;
use crate::batch::service::{Notes, Service};
use crate::batch::several;
use crate::blame::{self, Evidence, Wrong};
use crate::dialect;
use crate::input::{self, Known};
use crate::json;
use crate::report::{Failure, Given, Problem, io_failure, warn_wide};
use clap::Args;
use miette::Diagnostic;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::quasi::{Verdict, decide};
use quaff::{Simplified, Simplifier, SimplifyError};
use quaff_dialects::Dialect;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  quaff simplify '(i*512 + j) // 512' --var i=0..1023 --var j=0..511
  quaff simplify '(r*w + c) % w' --var w=1..4096 --var 'c=0..w-1' --var r=0..99
  quaff simplify 'x // 7 % 8' --var x=0..9999 --emit cuda
  quaff simplify 'x // (w*3)' --var x=0..9999 --var w=1..64 --uniform w --emit cuda --function row
  quaff simplify 'x % 12 // 4' --var x=0..99 --verify
  quaff simplify '(r + a)%28' --var r=0..27 --var a=0..2 --assume 'r + a < 28'
  echo '(4*x + 3) // 4' | quaff simplify --var x=.. --json";

/// Simplify expressions
///
/// An expression is in Python's grammar, or in the language of --from. It may have integers, names, + - * // % (floor), comparisons,
/// and, or, not, min, max, abs, and truncdiv and truncmod (the division of C). It may also have where(c, a, b), a if c else b, & | ^
/// ~ << >>. Every variable needs a range. Several expressions are simplified together. If a check finds that an answer is wrong, the
/// command prints the input instead.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The expression; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expr: Option<String>,

    /// More expressions, which are simplified together with the first; an expression that begins with `-` needs
    /// parentheses
    #[arg(value_name = "MORE")]
    more: Vec<String>,

    #[command(flatten)]
    known: Known,

    /// Dialect of the answer; `--from` with the same name reads it back
    #[arg(long, value_name = "DIALECT", conflicts_with_all = ["emit", "json", "function"], value_parser = dialect::dialects())]
    to: Option<Dialect>,

    /// Language of the answer, printed as program text with the fewest instructions
    #[arg(long, value_enum, default_value = "infix", hide_possible_values = false)]
    emit: Language,

    /// Print the answer as a whole function of this name, with definitions, typed parameters, and the calls by which the host prepares
    /// divisors. `--emit infix` and `--emit sexp` have no functions
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    function: Option<String>,

    /// Print one JSON object: out, us (microseconds), cost, input_cost, cuda and stop, as `batch` does. Fields about cuda are params (name
    /// and type of each), results (types), and renamed (new names for names that CUDA does not allow). The host prepares divisors (name,
    /// divisor, helper); its other parameters are host_params. definitions and host are code that cuda needs. Fields about the search are
    /// rounds, nodes, and wide (parts that need 64 bits). There are also steps with --trace, verified with --verify, and wrong_rules if
    /// rules of --rules or --add-rules are at fault
    #[arg(long, conflicts_with = "emit")]
    json: bool,

    /// If no point satisfies the ranges and conditions, answer 0 instead of an error
    #[arg(long)]
    empty_ok: bool,

    #[command(flatten)]
    answering: Answering,
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let verify = args.answering.checks()?;
    // the checks below report wrong answers, so the library need not check them
    let simplifier = args.answering.simplifier()?.trusting_rules();
    let given = given(args)?;
    let all: Vec<&Given> = given.iter().collect();
    let domain = args.known.domain(&all)?;
    args.known.warn_of_slips(&all, &domain);
    let (given, domain) = match args.empty_ok && is_empty(&simplifier, &given, &domain) {
        true => (given.into_iter().map(Given::zero).collect(), Domain::new()),
        false => (given, domain),
    };
    let (out, wrong) = match given.as_slice() {
        [given] => one(args, &simplifier, verify, given, &domain)?,
        given => several(args, simplifier, verify, given, &domain)?,
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))?;
    wrong.map_or(Ok(()), |w| Err(w.failure()))
}

/// Whether the domain is proved to have no point.
fn is_empty(simplifier: &Simplifier, given: &[Given], domain: &Domain) -> bool {
    let exprs: Vec<Expr> = given.iter().map(|given| given.parsed.expr().clone()).collect();
    matches!(simplifier.simplify_all(&exprs, domain), Err(error) if error.is_empty_domain())
}

/// The expressions of all texts.
fn given(args: &Arguments) -> Result<Vec<Given>, Failure> {
    let mut given = Vec::new();
    let more = args.more.iter().map(|text| Some(text.as_str()));
    for argument in std::iter::once(args.expr.as_deref()).chain(more) {
        let (text, file) = input::text(argument, "expression")?;
        given.extend(args.known.reading.all(&text, file)?);
    }
    Ok(given)
}

/// The output for one expression, and a report if its answer is wrong.
fn one(
    args: &Arguments,
    simplifier: &Simplifier,
    verify: bool,
    given: &Given,
    domain: &Domain,
) -> Result<(String, Option<Wrong>), Failure> {
    let Given { parsed, file, .. } = given;
    let input = parsed.expr();
    let start = Instant::now();
    let answer = simplifier.simplify(input, domain);
    let us = start.elapsed().as_nanos() as f64 / 1000.0;
    let mut answer = answer.map_err(|e| Problem::refused(&e, file, parsed))?;
    let options = args.answering.options();
    let decision = verify.then(|| decide(input, answer.expr(), domain, &options));
    let mut wrong = None;
    match decision.as_ref().map(|d| &d.verdict) {
        Some(verdict @ Verdict::Differs { .. }) => {
            let found = blame::report(simplifier, (input, domain), &answer, &Evidence::Answer(verdict), &options);
            eprint!("{}", found.report);
            wrong = Some(found);
            answer = answer.with_input_as_answer(std::slice::from_ref(input));
        }
        Some(verdict @ Verdict::Undecided { .. }) if !args.json => eprintln!("quaff: not verified: {verdict}"),
        _ => {}
    }
    let language = if args.json { Language::Cuda } else { args.emit };
    let ran = if verify { answer::run(&answer, language, std::slice::from_ref(input), domain) } else { Ran::Nothing };
    if let Ran::Wrong(mismatch) = &ran {
        let mut found = blame::report(simplifier, (input, domain), &answer, &Evidence::Text(mismatch), &options);
        eprint!("{}", found.report);
        if wrong.is_some() {
            // the text is of the unchanged input, so no rule can be at fault
            found.rules.clear();
        }
        wrong = Some(found);
    }
    if args.json {
        let mut found = FoundJson::new(&answer, us);
        if let Ran::Wrong(mismatch) = &ran {
            found.cuda = CudaJson::withheld(mismatch);
        }
        let checked = CheckedJson::new(decision.as_ref(), wrong.as_ref(), domain);
        let out = OneJson::new(&answer, found, checked).map_err(|e| Problem::new(&NoText::from(e)))?;
        return Ok((
            json::indented(&SimplifyJson { answer: out, search: SearchJson::new(&answer, args.answering.traces()) }),
            wrong,
        ));
    }
    if let (Ran::Wrong(_), Some(found)) = (&ran, &wrong) {
        return Err(found.failure());
    }
    if args.answering.traces() && wrong.is_none() {
        let explained = simplifier.explain(input, domain, &options).ok();
        eprint!("{}", answer::trace(&answer, explained.as_ref().map(answer::needed).as_ref()));
    }
    Ok((text(args, &answer, std::slice::from_ref(given))?, wrong))
}

/// The output for several expressions, and the report if an answer is wrong.
fn several(
    args: &Arguments,
    simplifier: Simplifier,
    verify: bool,
    given: &[Given],
    domain: &Domain,
) -> Result<(String, Option<Wrong>), Failure> {
    let exprs: Vec<Expr> = given.iter().map(|g| g.parsed.expr().clone()).collect();
    let service = Service { simplifier, from: Dialect::Infix, exact: verify.then(|| args.answering.options()) };
    let mut notes = Notes::default();
    let refused = |e: &SimplifyError| {
        let holds = |g: &&Given| e.culprit().is_some_and(|c| g.parsed.span_of(c).is_some());
        let place = given.iter().find(holds).or(given.first());
        place.map_or_else(|| Problem::new(e), |g| Problem::refused(e, g.file, &g.parsed))
    };
    let (answer, us) = several::answered(&service, &exprs, domain, &mut notes).map_err(|e| refused(&e))?;
    let out = if args.json {
        let out = several::json(&answer, us, &exprs, domain, &mut notes);
        let out = out.map_err(|why| Problem::new(&NoAnswer { why }))?;
        json::indented(&SimplifyJson { answer: out, search: SearchJson::new(&answer, args.answering.traces()) })
    } else {
        if let Some(undecided @ Verdict::Undecided { .. }) = notes.decision.as_ref().map(|d| &d.verdict) {
            eprintln!("quaff: not verified: {undecided}");
        }
        if verify && let Ran::Wrong(mismatch) = answer::run(&answer, args.emit, &exprs, domain) {
            let report = format!(
                "quaff: internal error, please report it with the input: the text is different at {mismatch}\n"
            );
            eprint!("{report}");
            return Err(Failure::Wrong);
        }
        if args.answering.traces() && notes.wrong.is_none() {
            eprint!("{}", answer::trace(&answer, None));
        }
        text(args, &answer, given)?
    };
    if let Some(wrong) = &notes.wrong {
        eprint!("{}", wrong.report);
    }
    Ok((out, notes.wrong))
}

/// The answers in the requested language.
fn text(args: &Arguments, answer: &Simplified, given: &[Given]) -> Result<String, Failure> {
    if let Some(dialect) = args.to {
        return Ok(answer::written(answer, dialect).map_err(|e| Problem::new(&e))?);
    }
    let text = answer::text(answer, args.emit, args.function.as_deref()).map_err(|e| Problem::new(&e))?;
    if args.emit.has_widths() {
        warn_wide(&answer.wide().unwrap_or_default(), answer.vars(), &given.iter().collect::<Vec<_>>());
    }
    Ok(text)
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{why}")]
#[diagnostic(code(quaff::too_large))]
struct NoAnswer {
    why: String,
}

/// The output of `--json` for one or several answers.
#[derive(Serialize)]
struct SimplifyJson<A> {
    #[serde(flatten)]
    answer: A,
    #[serde(flatten)]
    search: SearchJson,
}
