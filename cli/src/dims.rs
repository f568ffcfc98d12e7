//! `quaff dims`: computes sizes of dimensions and indices from equations in a TOML file.

use crate::answering::Answering;
use crate::dialect::Language;
use crate::dims_error::FileError;
use crate::dims_file::{Given, Program, Sized};
use crate::dims_read::{Answer, Why};
use crate::input;
use crate::json;
use crate::report::{Failure, Problem, io_failure, no_answer, shortened};
use clap::{Args, ValueEnum};
use miette::Diagnostic;
use quaff::cost::Cost;
use quaff::egraph::StopReason;
use quaff::emit::Contract;
use quaff::expr::Expr;
use quaff_draw::page::counted;
use quaff_fronts::kernel::{KernelIndex, KernelText};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Example, gemv.toml:
  equations = [\"thread = warp * lane\", \"row = pass * warp\"]
  [sizes]
  thread = 256
  lane = 32
  row = 4096
  [set]
  thread = \"threadIdx.x\"
  [[want]]
  enter = [\"loop pass as i\"]
  get = [\"row\", \"lane\"]

  quaff dims gemv.toml
  quaff dims gemv.toml --why warp
  quaff dims gemv.toml --json";

/// Solve sizes of dimensions and compute indices, from equations in a file
///
/// The file is in TOML. It has equations between products of dimensions, known sizes, scopes, known indices and wanted
/// indices. The command prints the sizes, each wanted index before and after simplification, and CUDA text. Sizes may be
/// known only at run time.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    #[command(flatten)]
    language: Language,

    /// Explain where the size and the index of a dimension come from, or why it has none
    #[arg(long, value_name = "DIM")]
    why: Option<String>,

    /// Print one JSON object: sizes, run_time, indices, cost, input_cost, executed, input_executed, stop, transfers, cuda and host, and why
    /// with --why. The object also has these fields of `simplify`: params, divisors and renamed. If there is no answer, the object has only
    /// error
    #[arg(long)]
    json: bool,

    /// Print only the wanted indices, or only the kernel
    #[arg(long, value_enum, value_name = "FORM", conflicts_with_all = ["json", "why"])]
    emit: Option<Form>,

    /// Print only the kernel, as `--emit cuda` does
    #[arg(long, conflicts_with_all = ["json", "why", "emit"])]
    cuda: bool,

    #[command(flatten)]
    answering: Answering,
}

/// A form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// one line `name = index` for each wanted index, in Python's grammar
    Infix,
    /// the CUDA kernel
    Cuda,
}

type Outcome = (KernelText, Vec<Answer>, Vec<Why>);

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let text = input::read(&args.file)?;
    let simplifier = args.answering.simplifier()?;
    let result = Program::read(&text, args.language.from).and_then(|program| {
        if let Some(why) = &args.why {
            program.check_dim(why)?;
        }
        let outcome = program.answer(args.why.as_deref(), simplifier)?;
        Ok((program, outcome))
    });
    if let Ok((_, (kernel, ..))) = &result {
        check(&args.answering, kernel)?;
        let end = format!("cost {} -> {}, {}", kernel.input_cost, kernel.cost, kernel.stop.as_str());
        args.answering.show(&kernel.trace, &end);
    }
    if let Some(wrong) = result.as_ref().err().and_then(FileError::wrong_answer) {
        return Err(no_answer(wrong, || Problem::new(wrong)));
    }
    let form = if args.cuda { Some(Form::Cuda) } else { args.emit };
    let out = match &result {
        Ok((program, outcome)) if args.json => json::indented(&DimsJson::new(program, outcome)),
        Ok((program, outcome)) => match (&args.why, form) {
            (Some(name), _) => explanation(program, name, &outcome.2),
            (None, Some(Form::Cuda)) => outcome.0.source.clone(),
            (None, Some(Form::Infix)) => outcome.1.iter().map(|a| format!("{} = {}\n", a.name, a.simplified)).collect(),
            (None, None) => as_text(program, outcome),
        },
        Err(error) if args.json => json::indented(&RefusedJson { error: ErrorJson::new(error, &text) }),
        Err(_) => String::new(),
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))?;
    let file = if args.file == Path::new("-") { "standard input".into() } else { args.file.display().to_string() };
    result.map(|_| ()).map_err(|e| Problem::in_file(&e, &file, &text).into())
}

/// Checks the indices and conditions of `kernel`.
fn check(answering: &Answering, kernel: &KernelText) -> Result<(), Failure> {
    let check = |i: &KernelIndex| answering.check_equal([&i.known, &i.raw], &i.simplified, &kernel.domain);
    kernel.indices.iter().try_for_each(check)
}

fn as_text(program: &Program, (kernel, answers, _): &Outcome) -> String {
    let mut out = String::from("sizes\n");
    for Sized { name, size, given } in &program.sizes {
        let _ = match given {
            Given::Stated => writeln!(out, "  {name} = {size}"),
            Given::Solved => writeln!(out, "  {name} = {size}  (solved)"),
            Given::RunTime { low, high, step: 1 } => writeln!(out, "  {name} in {low}..{high}  (at run time)"),
            Given::RunTime { low, high, step } => {
                writeln!(out, "  {name} in {low}..{high} step {step}  (at run time)")
            }
        };
    }
    let mut place = None;
    for answer in answers {
        if place != Some(&answer.place) {
            let _ = writeln!(out, "indices, {}", answer.place);
            place = Some(&answer.place);
        }
        let _ = writeln!(out, "  {} = {}", answer.name, answer.raw);
        let _ = writeln!(out, "  {:width$} = {}", "", answer.simplified, width = answer.name.chars().count());
        if let Some(inside) = &answer.inside {
            let _ = writeln!(out, "  {:width$} where {inside}", "", width = answer.name.chars().count());
        }
    }
    if !kernel.accesses.is_empty() {
        let _ = writeln!(out, "transfers");
        for access in &kernel.accesses {
            let _ = writeln!(out, "  {access}");
        }
    }
    if !answers.is_empty() || !kernel.accesses.is_empty() {
        let _ = writeln!(
            out,
            "cost of all indices: {}, as built {}",
            counted(kernel.cost, "instruction"),
            kernel.input_cost
        );
        if answers.iter().any(|answer| answer.place.contains("loop ")) {
            let (executed, built) = (kernel.executed, kernel.input_executed);
            let _ =
                writeln!(out, "each as often as its loops run: {}, as built {built}", counted(executed, "instruction"));
        }
        let _ = write!(out, "CUDA\n{}", kernel.source);
        if !kernel.host.is_empty() {
            let _ = write!(out, "host\n{}", kernel.host);
        }
    }
    out
}

fn explanation(program: &Program, name: &str, whys: &[Why]) -> String {
    let mut out = String::new();
    if let Some(Sized { size, given, .. }) = program.sizes.iter().find(|s| s.name == name) {
        let how = match given {
            Given::Stated => "stated",
            Given::Solved => "solved by the equations",
            Given::RunTime { .. } => "a parameter, known at run time",
        };
        let _ = writeln!(out, "size of {name}: {size}, {how}");
    }
    for why in whys {
        let _ = writeln!(out, "{name}, {}: {}", why.place, why.text);
    }
    out
}

/// The output of `--json`.
#[derive(Serialize)]
struct DimsJson<'a> {
    /// The sizes by the names of dimensions. A size is a number, or an expression over sizes that are known at run
    /// time.
    sizes: Map<String, Value>,
    /// The range and step of each size that is known at run time.
    #[serde(skip_serializing_if = "Map::is_empty")]
    run_time: Map<String, Value>,
    /// The requested indices.
    indices: Vec<IndexJson<'a>>,
    /// The cost of all indices, in instructions.
    cost: Cost,
    /// The cost of the indices before simplification.
    input_cost: Cost,
    /// The cost of all indices, where each operation counts once for each iteration of its loops.
    executed: Cost,
    /// The executed cost of the indices before simplification.
    input_executed: Cost,
    /// The reason why the search ended.
    stop: StopReason,
    /// The form of each transfer, with the reason if the transfer uses no vectors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    transfers: Vec<String>,
    /// The CUDA text of the kernel.
    cuda: &'a str,
    /// The parameters of the kernel, and the values that the host computes from them.
    #[serde(flatten)]
    contract: &'a Contract,
    /// Functions with which the host prepares divisors.
    host: &'a str,
    /// With `--why`: the explanation of the index in each place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    why: Vec<WhyJson<'a>>,
}

/// A requested index.
#[derive(Serialize)]
struct IndexJson<'a> {
    place: &'a str,
    name: &'a str,
    /// The index before simplification.
    raw: String,
    simplified: String,
    /// The condition under which the index is inside of its dimension. Absent if the index is always inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<String>,
}

/// An explanation of an index in one place: its origin, or the equations that do not determine it yet.
#[derive(Serialize)]
struct WhyJson<'a> {
    place: &'a str,
    text: &'a str,
}

impl<'a> DimsJson<'a> {
    fn new(program: &Program, (kernel, answers, whys): &'a Outcome) -> DimsJson<'a> {
        let index = |a: &'a Answer| {
            let [raw, simplified] = [&a.raw, &a.simplified].map(|e| e.to_string());
            let inside = a.inside.as_ref().map(ToString::to_string);
            IndexJson { place: &a.place, name: &a.name, raw, simplified, inside }
        };
        let number = |size: &Expr| size.as_const().map_or_else(|| size.to_string().into(), Value::from);
        let run_time = |s: &Sized| match s.given {
            Given::RunTime { low, high, step } => {
                Some((s.name.clone(), json!({ "low": low, "high": high, "step": step })))
            }
            _ => None,
        };
        DimsJson {
            sizes: program.sizes.iter().map(|s| (s.name.clone(), number(&s.size))).collect(),
            run_time: program.sizes.iter().filter_map(run_time).collect(),
            indices: answers.iter().map(index).collect(),
            cost: kernel.cost,
            input_cost: kernel.input_cost,
            executed: kernel.executed,
            input_executed: kernel.input_executed,
            stop: kernel.stop,
            transfers: kernel.accesses.iter().map(ToString::to_string).collect(),
            cuda: &kernel.source,
            contract: &kernel.contract,
            host: &kernel.host,
            why: whys.iter().map(|w| WhyJson { place: &w.place, text: &w.text }).collect(),
        }
    }
}

/// The output of `--json` for a file without an answer.
#[derive(Serialize)]
struct RefusedJson {
    error: ErrorJson,
}

/// An error. Parts that an error does not have are null.
#[derive(Serialize)]
struct ErrorJson {
    code: Option<String>,
    message: String,
    help: Option<String>,
    /// The places in the file that the error concerns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<PlaceJson>,
}

/// A place in the file.
#[derive(Serialize)]
struct PlaceJson {
    /// The line, counted from 1.
    line: usize,
    /// The column in characters, counted from 1.
    column: usize,
    text: String,
}

impl PlaceJson {
    fn new(file: &str, place: &Range<usize>) -> PlaceJson {
        let before = file.get(..place.start).unwrap_or(file);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let text = file.get(place.clone()).unwrap_or_default();
        PlaceJson {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            text: shortened(text),
        }
    }
}

impl ErrorJson {
    fn new(error: &FileError, file: &str) -> ErrorJson {
        ErrorJson {
            code: error.code().map(|c| c.to_string()),
            message: error.to_string(),
            help: error.help().map(|h| h.to_string()),
            places: error.places().iter().map(|p| PlaceJson::new(file, p)).collect(),
        }
    }
}
