//! `quaff simplify`: one expression.

use crate::answer::{self, AnswerJson, CudaJson, Language, NoText, Ran, WideJson};
use crate::blame::{self, Evidence};
use crate::exact::{self, Limits};
use crate::input::{self, Assumptions};
use crate::json;
use crate::report::{Failure, Given, Problem, io_failure, warn_wide};
use crate::rule_folders::AnswerRules;
use crate::target::TargetName;
use clap::Args;
use quaff::quasi::{Verdict, decide};
use quaff::{Simplified, Simplifier, Step};
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  quaff simplify '(i*512 + j) // 512' --var i=0..1023 --var j=0..511
  quaff simplify '(r*w + c) % w' --var w=1..4096 --var 'c=0..w-1' --var r=0..99
  quaff simplify 'x // 7 % 8' --var x=0..9999 --emit cuda
  quaff simplify 'x % 12 // 4' --var x=0..99 --verify
  quaff simplify '(r + a)%28' --var r=0..27 --var a=0..2 --assume 'r + a < 28'
  echo '(4*x + 3) // 4' | quaff simplify --var x=.. --json";

/// Simplify one expression
///
/// The expression is in Python's grammar: integers, names, + - * // % (floor), comparisons, and, or, not, min, max,
/// abs, truncdiv and truncmod (of C), where(c, a, b), a if c else b, & | ^ ~ << >>. Every variable needs a range.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The expression; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expr: Option<String>,

    /// What is known of a variable, both ends inclusive: `i=0..15`, `j=0..N-1`, `n=1..`, `x=..` (nothing),
    /// `x=0..96 step 4 from 1`, `y=4*x+1` (equal to that)
    #[arg(long = "var", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    /// Variables that are fixed for a kernel launch, so that the host can prepare divisions by them
    #[arg(long, value_name = "NAME")]
    uniform: Vec<String>,

    #[command(flatten)]
    assumptions: Assumptions,

    /// Language of the answer
    #[arg(long, value_enum, default_value = "infix", hide_possible_values = false)]
    emit: Language,

    /// Print one JSON object: out, us (microseconds), cost, input_cost, cuda and stop as `batch` does; params (name and type of each),
    /// results (types), divisors (what the host prepares: name, divisor, helper), host_params (what else the host needs) and renamed (names
    /// that CUDA does not take, by others) of cuda, definitions and host (code that it needs); rounds, nodes, wide (what needs 64 bits), steps with --trace, verified with --verify, wrong_rules where rules of --rules or --add-rules are at
    /// fault
    #[arg(long, conflicts_with = "emit")]
    json: bool,

    #[command(flatten)]
    rules: AnswerRules,

    /// Show which rules fired, and the cost, on standard error
    #[arg(long)]
    trace: bool,

    /// Check the answer by a procedure that knows nothing of the rules, as is done in any case for rules that are not built in; one that is wrong is reported, and the input
    /// returned in its place (exit code 65 when a rule of --rules or --add-rules is at fault, else 70: a bug). CUDA, C and
    /// Rust text is run in its machine types at corners and random points as well; one that is wrong is withheld
    #[arg(long)]
    verify: bool,

    #[command(flatten)]
    target: TargetName,

    #[command(flatten)]
    limits: Limits,
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let rules = args.rules.set()?;
    let verify = args.verify || args.rules.are_compared(&rules);
    let simplifier =
        Simplifier::default().for_target(args.target.table()).with_rules(rules).with_limits(args.rules.limits());
    // what is wrong is reported below
    let simplifier = simplifier.trusting_rules().with_trace(args.trace);
    let domain = input::domain(&args.vars, &args.uniform, &args.assumptions)?;
    let given = input::expression(args.expr.as_deref(), "expression")?;
    let Given { parsed, file } = &given;
    let input = parsed.expr();
    let start = Instant::now();
    let answer = simplifier.simplify(input, &domain);
    let us = start.elapsed().as_nanos() as f64 / 1000.0;
    let mut answer = answer.map_err(|e| Problem::refused(&e, file, parsed))?;
    let options = args.limits.options();
    let decision = verify.then(|| decide(input, answer.expr(), &domain, &options));
    let mut wrong = None;
    match decision.as_ref().map(|d| &d.verdict) {
        Some(verdict @ Verdict::Differs { .. }) => {
            let found = blame::report(&simplifier, (input, &domain), &answer, &Evidence::Answer(verdict), &options);
            eprint!("{}", found.report);
            wrong = Some(found);
            answer = answer.with_input_as_answer(std::slice::from_ref(input));
        }
        Some(verdict @ Verdict::Undecided { .. }) if !args.json => eprintln!("quaff: not verified: {verdict}"),
        _ => {}
    }
    let language = if args.json { Language::Cuda } else { args.emit };
    let ran = if verify { answer::run(&answer, language, std::slice::from_ref(input), &domain) } else { Ran::Nothing };
    if let Ran::Wrong(mismatch) = &ran {
        let mut found = blame::report(&simplifier, (input, &domain), &answer, &Evidence::Text(mismatch), &options);
        eprint!("{}", found.report);
        if wrong.is_some() {
            // the text of an input that came back is no rule's doing
            found.rules.clear();
        }
        wrong = Some(found);
    }
    let out = if args.json {
        let mut out = SimplifyJson::new(&answer, us, args.trace).map_err(|e| Problem::new(&e))?;
        out.verified = decision.as_ref().map(|d| exact::verified(&d.verdict));
        out.wrong_rules = wrong.as_ref().map(|w| w.rules.clone()).unwrap_or_default();
        if let Ran::Wrong(mismatch) = &ran {
            out.answer.cuda = CudaJson::withheld(mismatch);
        }
        json::indented(&out)
    } else {
        if let (Ran::Wrong(_), Some(found)) = (&ran, &wrong) {
            return Err(found.failure());
        }
        if args.trace && wrong.is_none() {
            eprint!("{}", answer::trace(&answer));
        }
        let text = answer::text(&answer, args.emit).map_err(|e| Problem::new(&e))?;
        if args.emit.has_widths() {
            warn_wide(&answer.wide().unwrap_or_default(), answer.vars(), &[&given]);
        }
        text
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))?;
    wrong.map_or(Ok(()), |w| Err(w.failure()))
}

/// What `--json` prints.
#[derive(Serialize)]
struct SimplifyJson {
    #[serde(flatten)]
    answer: AnswerJson,
    /// Rounds of saturation.
    rounds: u32,
    /// E-nodes made.
    nodes: usize,
    /// What needs 64 bits; where there is CUDA text.
    #[serde(skip_serializing_if = "Option::is_none")]
    wide: Option<Vec<WideJson>>,
    /// With `--trace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<StepJson>>,
    /// `equal`, `undecided: why` or `wrong: where`; with `--verify`.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<String>,
    /// Rules that are at fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    wrong_rules: Vec<String>,
}

impl SimplifyJson {
    fn new(answer: &Simplified, us: f64, traced: bool) -> Result<SimplifyJson, NoText> {
        Ok(SimplifyJson {
            answer: AnswerJson::new(answer, us)?,
            rounds: answer.rounds(),
            nodes: answer.nodes(),
            wide: answer.wide().ok().map(|wide| WideJson::all(&wide)),
            steps: traced.then(|| answer.trace().iter().map(StepJson::from).collect()),
            verified: None,
            wrong_rules: Vec::new(),
        })
    }
}

/// A rule that fired, or a step of the engine.
#[derive(Serialize)]
struct StepJson {
    rule: String,
    before: String,
    after: String,
    /// What holds where the step was taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<String>,
}

impl From<&Step> for StepJson {
    fn from(step: &Step) -> StepJson {
        StepJson {
            rule: step.rule.to_string(),
            before: step.before.to_string(),
            after: step.after.to_string(),
            conditions: step.conditions.iter().map(|c| c.to_string()).collect(),
        }
    }
}
