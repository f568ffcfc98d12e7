//! `quaff batch`: a file of expressions, one JSON object a line, on all cores.

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
use write::Output;

const EXAMPLES: &str = r#"Input, one object a line; ends of ranges are inclusive, and may be expressions or null (open):
  {"id": "a", "vars": {"i": [0, 15], "j": [0, 3]}, "expr": "(i*4 + j) // 4"}
  {"id": "b", "vars": {"n": [1, 64], "k": [0, "n - 1"], "x": [0, null]}, "expr": "(x*n + k) % n"}

Output, one object for each line that is not blank, in the same order:
  {"id": "a", "ok": true, "out": "i", "us": 11.8, "cost": 0.0, "input_cost": 2.0, "cuda": "return i;", "params":
   [{"name": "i", "type": "int"}], "results": ["int"], "divisors": [], "renamed": {}, "stop": "saturated"}
  {"id": "b", "ok": false, "why": "line 2, column 84: ...", "help": "...", "code": "quaff::parse"}

An `id` comes back as it is written. A line has at most 128 MiB; a longer one ends the run, with exit code 74.

Each line is answered when it has been read, so that a program may wait for an answer before it sends the next line.
A line may say more of its variables: "assume": [CONDITION...], "uniform": [NAME...], "step": {NAME: [STEP, FROM]},
"symbolic": {NAME: END} in place of upper ends, "loop": [NAME...], "nonempty": [NAME...], "defined": true.
"from": DIALECT names the language of its expressions and conditions; --from is that of lines without it. Ends of ranges are infix:
  {"id": "e", "from": "cuda", "vars": {"threadIdx.x": [0, 255]}, "expr": "threadIdx.x >> 5"}

Several expressions of one kernel are simplified together, and accesses under their gates; the constant that an index
adds last costs nothing. `kinds` names the loops, and the sizes that are fixed for a launch:
  {"id": "c", "vars": {"x": [0, 99]}, "exprs": ["x//7*7", "x%7"]}
  {"id": "d", "vars": {"b": [0, 3], "k": [0, 7]}, "kinds": {"k": "loop"}, "accesses": [{"expr": "b*8 + k", "gate": "b*8 + k < 30"}]}
  {"id": "c", "ok": true, "outs": ["x//7*7", "x%7"], ...}
  {"id": "d", "ok": true, "outs": ["b*8 + k"], "gates": ["b*8 + k < 30"], ...}

`gate` beside `expr` would change the meaning of a line and is not supported: such a line has no answer, nor has one with
a field or variable given twice. All other fields are passed over; of one that looks like a misspelt one of these there
is a warning.

`us` is the time of the simplification alone, in microseconds. `cuda` relies on `params` (name and type of each), on the
prepared `divisors` (name, divisor, helper) and on the code in `definitions` and `host`. `results` are its types, and
`renamed` has the names that CUDA does not take. `cuda` is null when a value does not fit the machine; `cuda_why` then
says which one. With --verify, `verified` is "equal", "undecided: why" or "wrong: at which point"; where it is wrong,
`out` is the input and standard error has the rules that fired. Where rules of --rules or --add-rules are at fault,
`wrong_rules` names them, and the exit code is 65; else it is 70. With such rules, answers are verified in any case,
unless --trust-rules is given. The CUDA text is run in its machine types at corners
and random points, an index of an access where its gate is open; where that goes wrong, `cuda` is null.

With -o OUT the answers grow in OUT.part, which takes the place of OUT when all are there: OUT is never half a file. A run
that was stopped leaves OUT as it was, and OUT.part, which --resume takes up. OUT.part.from says what these answers are made
from: a run with other lines, options or rules, or another build of quaff, is refused, with what differs.

Examples:
  quaff batch cases.jsonl -o answers.jsonl
  quaff batch cases.jsonl --verify -o answers.jsonl
  quaff batch cases.jsonl -o answers.jsonl --resume
  quaff batch cases.jsonl --without dags,mod-recovery -o answers.jsonl
  grep conv cases.jsonl | quaff batch - | jq .cost"#;

/// Simplify many expressions
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// File of JSON lines; `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// File for the answers; `-` is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,

    /// Go on after the answers that a stopped run has left in OUT.part, with the same input, options and rules; begin where there
    /// are none
    #[arg(long)]
    resume: bool,

    /// Threads; 0 means one for each core
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0)]
    threads: usize,

    /// Instructions that rules may take for the expression of one line; a line that reaches it is answered with the best
    /// that was found by then, and its `stop` is "work limit" [default: that of the effort, 200000 for 1]
    #[arg(long, value_name = "N")]
    work: Option<u64>,

    #[command(flatten)]
    rules: AnswerRules,

    /// Check each answer by a procedure that knows nothing of the rules, and count the verdicts on standard error
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

/// The options that answers depend on.
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
        // lines whose answer is wrong are reported one by one
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

    let bar = progress::bar(input.size);
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
                bar.suspend(|| report::warn_slip(&written, meant));
            }
        }
        bar.inc(answer.read);
        bar.set_message(format!("{} lines, {} without answer", counts.lines, counts.failed));
        Ok(())
    });
    done.map_err(|e| match e {
        Ended::Reading(e) => in_error(e),
        Ended::Writing(e) => out_error(e),
    })?;
    output.finish().map_err(&out_error)?;
    bar.finish_and_clear();
    let Counts { lines, failed, tally, wrong, blamed } = counts;
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
