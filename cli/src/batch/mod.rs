//! `quaff batch`: answers a file of expressions, one JSON object a line, on all cores.

mod counts;
mod line;
mod made_from;
mod read;
mod resume;
pub(crate) mod service;
pub(crate) mod several;
mod write;

use crate::dialect::Language;
use crate::exact::Limits;
use crate::output::{self, Part, Target};
use crate::progress;
use crate::report::{self, Failure, io_failure};
use crate::rule_folders::AnswerRules;
use crate::target::TargetName;
use crate::variant::Variant;
use clap::Args;
use counts::Counts;
use made_from::{MadeFrom, Origin};
use quaff::Simplifier;
use read::{Ended, Input, answer_all};
use resume::Question;
use service::Service;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use write::Output;

const EXAMPLES: &str = r#"Input, one object on each line. Ends of ranges are inclusive, and may be expressions or null (open):
  {"id": "a", "vars": {"i": [0, 15], "j": [0, 3]}, "expr": "(i*4 + j) // 4"}
  {"id": "b", "vars": {"n": [1, 64], "k": [0, "n - 1"], "x": [0, null]}, "expr": "(x*n + k) % n"}

Output, one object for each line that is not blank, in the same order:
  {"id": "a", "ok": true, "out": "i", "us": 11.8, "cost": 0.0, "input_cost": 2.0, "cuda": "return i;", "params":
   [{"name": "i", "type": "int"}], "results": ["int"], "divisors": [], "renamed": {}, "stop": "saturated"}
  {"id": "b", "ok": false, "why": "line 2, column 84: ...", "help": "...", "code": "quaff::parse"}

The answer has the `id` of the line, exactly as it is written. A line has at most 128 MiB. A longer
line ends the run with exit code 74.

Each line is answered as soon as it is read, so a program may wait for an answer before it sends the
next line. A line may have further fields about its variables:
  "assume": [CONDITION...], "uniform": [NAME...], "step": {NAME: [STEP, FROM]},
  "symbolic": {NAME: END} in place of upper ends,
  "loop": [NAME...], "nonempty": [NAME...], "defined": true
"from": DIALECT is the language of the expressions and conditions of a line. The default is the
language of --from. Ends of ranges are always in the language `infix`:
  {"id": "e", "from": "cuda", "vars": {"threadIdx.x": [0, 255]}, "expr": "threadIdx.x >> 5"}

A line may have several expressions of one kernel, which are simplified together, or accesses, which
are simplified under their masks. A constant that is added last in an index costs nothing. `kinds`
marks the variables that are loops, and the sizes that are fixed for a launch:
  {"id": "c", "vars": {"x": [0, 99]}, "exprs": ["x//7*7", "x%7"]}
  {"id": "d", "vars": {"b": [0, 3], "k": [0, 7]}, "kinds": {"k": "loop"}, "accesses": [{"expr": "b*8 + k", "mask": "b*8 + k < 30"}]}
  {"id": "c", "ok": true, "outs": ["x//7*7", "x%7"], ...}
  {"id": "d", "ok": true, "outs": ["b*8 + k"], "masks": ["b*8 + k < 30"], ...}

A line with both `mask` and `expr` has no answer, because the mask would change the meaning of the
line. A line that has a field or variable twice has no answer, either. All other fields are ignored,
with a warning for a field that looks misspelt.

Fields of an answer:
  `us`           time of the simplification alone, in microseconds
  `cuda`         CUDA text; null if a value does not fit the machine
  `cuda_why`     the value that does not fit
  `params`       parameters of the CUDA text: name and type of each
  `divisors`     prepared divisors that the CUDA text uses: name, divisor, helper of each
  `definitions`  code that the CUDA text needs before its function
  `host`         code with which the host prepares divisors
  `results`      types of the results of the CUDA text
  `renamed`      new names for names that CUDA does not allow
  `verified`     "equal", "undecided: why" or "wrong: at which point", with --verify
  `wrong_rules`  rules of --rules or --add-rules that are at fault

If an answer is wrong, `out` is the input, and the rules that fired are printed on standard error.
The exit code is then 65 if rules of --rules or --add-rules are at fault, and 70 otherwise. Answers
found with such rules are always verified, unless --trust-rules is given. Verification also runs the
CUDA text with its machine types, at corners of the ranges and at random points. The index of an
access is run only at points that satisfy its mask. If a run gives a wrong value, `cuda` is null.

With -o OUT, the answers are first written to OUT.part, which replaces OUT when it is complete. So
OUT is never incomplete. If a run is stopped, as by ^C, OUT is unchanged, and --resume continues
from OUT.part. OUT.part.from records the lines, options, rules and build of quaff from which these
answers were made. --resume refuses a run if one of them differs, and the message names the
difference.

Examples:
  quaff batch cases.jsonl -o answers.jsonl
  quaff batch cases.jsonl --verify -o answers.jsonl
  quaff batch cases.jsonl -o answers.jsonl --resume
  quaff batch cases.jsonl --without dags,mod-recovery -o answers.jsonl
  grep conv cases.jsonl | quaff batch - | jq .cost"#;

/// Simplify many expressions, one JSON object a line
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// File of JSON lines; `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// File for the answers; `-` is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,

    /// Continue a stopped run after its last answer in OUT.part; the input, options and rules must be the same. Begin a new
    /// run if there are no answers
    #[arg(long)]
    resume: bool,

    /// Threads; 0 means one for each core
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0, value_parser = progress::threads())]
    threads: usize,

    /// The most instructions that rules may execute for the expression of one line. At this limit, the line gets the
    /// best answer found so far, and its `stop` is "work limit" [default: set by --effort, 200000 for 1]
    #[arg(long, value_name = "N")]
    work: Option<u64>,

    #[command(flatten)]
    rules: AnswerRules,

    /// Check each answer by a procedure that uses no rules, and print the number of each verdict on standard error
    #[arg(long)]
    verify: bool,

    #[command(flatten)]
    language: Language,

    #[command(flatten)]
    target: TargetName,

    #[command(flatten)]
    variant: Variant,

    #[command(flatten)]
    limits: Limits,
}

impl Arguments {
    /// The limits of each search.
    fn search_limits(&self) -> quaff::egraph::Limits {
        let limits = self.rules.limits();
        quaff::egraph::Limits { work: self.work.unwrap_or(limits.work), ..limits }
    }
}

/// The options that the answers depend on.
fn options(args: &Arguments, verify: bool) -> Vec<(&'static str, String)> {
    let mut options = vec![
        ("--target", args.target.name().to_string()),
        ("--effort", args.rules.effort().to_string()),
        ("--from", args.language.from.to_string()),
        ("--work", args.search_limits().work.to_string()),
        ("--verify", if verify { "on" } else { "off" }.to_string()),
    ];
    options.extend(args.variant.by_name());
    if verify {
        options.extend(args.limits.by_name());
    }
    options
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let rules = args.rules.set()?;
    let verify = args.verify || args.rules.are_compared(&rules);
    let simplifier = Simplifier::default()
        .for_target(args.target.table())
        .with_rules(rules)
        // wrong answers are reported for each line
        .trusting_rules()
        .with_limits(args.search_limits());
    let service = Arc::new(Service {
        simplifier: args.variant.of(simplifier)?,
        from: args.language.from,
        exact: verify.then(|| args.limits.on_one_thread()),
    });
    let pool = Arc::new(progress::pool(args.threads)?);
    let (in_error, out_error) = (io_failure(&args.input), io_failure(&args.output));
    let input = Input::open(&args.input).map_err(&in_error)?;
    let target = Target::of(&args.output).map_err(&out_error)?;
    let mut files = target.files();
    if let Target::File(path) = &target {
        files.push(Target::File(Origin::path_for(&Part::path_for(path))));
    }
    output::apart(input.handle, &files)?;
    let mut lines = quaff_lab::experiment::lines(input.lines);
    let question = Question { lines: &mut lines, input: &args.input };
    let made_from = || MadeFrom::new(service.simplifier.rules(), &options(args, verify));
    let (mut output, mut counts) = Output::open(target, &args.output, made_from, args.resume.then_some(question))?;

    let (start, is_file) = (Instant::now(), matches!(output, Output::Part(..)));
    let bar = progress::bar(input.size);
    bar.inc(counts.read);
    if is_file {
        progress::stop_in_order();
    }
    progress::remember_panics();
    let mut warned = BTreeSet::new();
    let done = answer_all(&pool, &service, lines, |answer| {
        let Some(answer) = answer else { return output.flush() };
        output.write(&answer.text, &answer.hash)?;
        counts.add(&answer);
        if let Some(wrong) = &answer.wrong {
            bar.suspend(|| eprint!("{}", wrong.report));
        }
        for (written, meant) in answer.slips {
            if warned.insert(written.clone()) {
                bar.suspend(|| report::warn_slip(&format!("line {}: ", answer.number), &written, meant));
            }
        }
        bar.inc(answer.read);
        bar.set_message(format!("{} lines, {} without answer", counts.lines, counts.failed));
        Ok(())
    });
    match done {
        Ok(()) => {}
        Err(Ended::Reading(e)) => return Err(in_error(e)),
        Err(Ended::Writing(e)) => return Err(out_error(e)),
        Err(Ended::Stopped) => {
            bar.finish_and_clear();
            output.flush().map_err(&out_error)?;
            return Err(Failure::Stopped { lines: counts.lines });
        }
    }
    output.finish().map_err(&out_error)?;
    bar.finish_and_clear();
    if is_file {
        eprintln!("{}", counts.summary(start.elapsed().as_secs_f64()));
    }
    let Counts { lines, failed, tally, wrong, blamed, .. } = counts;
    if verify {
        eprintln!("{tally}");
    }
    match wrong {
        0 if failed == 0 => Ok(()),
        0 => Err(Failure::Lines { failed, of: lines, place: "`why` in the output says the reason" }),
        _ if wrong == blamed => Err(Failure::WrongRule),
        _ => Err(Failure::Wrong),
    }
}
