//! `quaff access`: simplifies one load or store under a mask.

use crate::answer::{CudaJson, WideJson};
use crate::answering::Answering;
use crate::input::{self, Known};
use crate::json;
use crate::report::{Failure, Given, Problem, io_failure, no_answer, warn_wide};
use clap::{Args, ValueEnum};
use miette::Diagnostic;
use quaff::SimplifyError;
use quaff::access::{Access, Gate, SimplifiedAccesses};
use quaff::cost::Cost;
use quaff::egraph::StopReason;
use quaff::expr::Parsed;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  quaff access '(t//16 + r - 1)*16 + t%16' --mask 't//16 + r >= 1' --var t=0..255 --var r=0..2 \\
      --buffer image
  quaff access 'b*32 + t' --mask 'b*32 + t < n' --var n=1..1000 --var 'b=0..(n+31)//32-1' \\
      --var t=0..31
  quaff access 'i//n' --mask 'n > 0' --var i=0..999 --var n=0..99 --emit cuda
  quaff access 'where(i >= 1, i - 1, -1)' --invalid -1 --var i=0..64 --store v --buffer out \\
      --emit c";

/// Simplify the mask of an access, and the index under the mask
///
/// The mask is simplified on its own. The index is simplified under the mask, because it is not computed if the mask is
/// false. `quaff --help` lists the exit codes. If `--invalid` finds no mask in the index, the command prints a warning,
/// and the exit code is 0.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The index; read from standard input when absent or `-`
    #[arg(value_name = "INDEX", allow_hyphen_values = true)]
    index: Option<String>,

    /// The index of a further lane under the same mask
    #[arg(long = "lane", value_name = "INDEX", allow_hyphen_values = true)]
    lanes: Vec<String>,

    /// The condition under which the access happens; if several are given, all must hold
    #[arg(long = "mask", visible_alias = "gate", value_name = "CONDITION")]
    gates: Vec<String>,

    /// Turn an index `where(c, i, INVALID)` into the index `i` with the mask `c`. Below other operations, INVALID may be a name or a
    /// number. If it is a name, there is no access when the index is computed from this name. If it is a number, there is no access
    /// when the whole index is equal to this number
    #[arg(long, value_name = "INVALID", allow_hyphen_values = true)]
    invalid: Option<String>,

    #[command(flatten)]
    known: Known,

    /// The buffer
    #[arg(long, default_value = "in")]
    buffer: String,

    /// The type of the elements of the buffer
    #[arg(long = "type", value_name = "TYPE", default_value = "float")]
    element: String,

    /// The alignment of the buffer and of stored values, in bytes. With it, neighbouring lanes become one access: a `float4` with 16
    #[arg(long, value_name = "BYTES", default_value_t = 1, value_parser = alignment)]
    aligned: u32,

    /// The variable that receives the loaded value
    #[arg(long, value_name = "NAME", default_value = "v")]
    into: String,

    /// The value if the mask is false
    #[arg(long, value_name = "VALUE", default_value = "0", allow_hyphen_values = true)]
    otherwise: String,

    /// Store this value instead of loading
    #[arg(long, value_name = "VALUE", conflicts_with_all = ["into", "otherwise"])]
    store: Option<String>,

    /// Language of the answer
    #[arg(long, value_enum, default_value = "infix", hide_possible_values = false)]
    emit: Language,

    /// Print one JSON object: gate (the mask: `1` is always, `0` is never), indices, widths, cost, input_cost, stop and wide (parts that need
    /// 64 bits). The object also has these fields of `simplify`: cuda, params, results, divisors and renamed
    #[arg(long, conflicts_with = "emit")]
    json: bool,

    #[command(flatten)]
    answering: Answering,
}

/// A language of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// one statement for each lane, in Python's grammar (`//` and `%` are floor)
    Infix,
    /// CUDA C++: types of 32 bits if they suffice, and no division by constants
    Cuda,
    /// C99: types of 32 bits if they suffice, and no division by constants
    C,
}

/// The warning that the index never has the value of `--invalid`, so that it has no mask.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("no mask is found in the index: it is never `{invalid}`")]
#[diagnostic(
    code(quaff::access::no_gate),
    severity(Warning),
    help("write `where(condition, index, {invalid})`, or give the condition as `--mask`")
)]
struct NoGate {
    invalid: String,
}

/// An alignment in bytes: a power of two.
fn alignment(text: &str) -> Result<u32, String> {
    let bytes: u32 = text.parse().map_err(|_| "an alignment is a number of bytes, such as 16".to_string())?;
    match bytes.is_power_of_two() {
        true => Ok(bytes),
        false => Err("an alignment is a power of two, such as 16".into()),
    }
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let simplifier = args.answering.simplifier()?;
    let mut given = vec![args.known.expression(args.index.as_deref(), "index")?];
    for text in &args.lanes {
        given.push(args.known.expression(Some(text), "--lane")?);
    }
    let lanes = given.len();
    for text in &args.gates {
        given.push(args.known.expression(Some(text), "--mask")?);
    }
    let invalid = args.invalid.as_deref().map(|text| args.known.reading.one(text, "--invalid")).transpose()?;
    // variables that occur in `--invalid` need no declaration
    let names: Vec<String> = invalid.iter().flat_map(Given::variables).collect();
    let domain = args.known.domain_but(&given.iter().collect::<Vec<_>>(), &names)?;
    let (access, is_bare) = access(args, &given[..lanes], &given[lanes..], invalid.as_ref())?;
    let vectors = simplifier.vectorised(std::slice::from_ref(&access), &domain);
    let vectors = vectors.map_err(|e| no_answer(&e, || refused(&e, &given)))?;
    let access = vectors.into_iter().next().unwrap_or(access);
    let answer = simplifier.simplify_access(&access, &domain).map_err(|e| no_answer(&e, || refused(&e, &given)))?;
    args.answering.check(std::slice::from_ref(&access), &answer, &domain)?;
    args.answering.show(answer.trace(), &summary(&answer));
    if let Some(invalid) = &args.invalid
        && (is_bare || *answer.accesses()[0].gate() == Gate::Always && access.index() == given[0].parsed.expr())
    {
        Problem::at_whole(&NoGate { invalid: invalid.clone() }, &given[0]).warn();
    }
    let out = if args.json {
        json::indented(&AccessJson::from(&answer))
    } else {
        let text = text(&answer, args.emit)?;
        if args.emit != Language::Infix {
            warn_wide(&answer.wide().unwrap_or_default(), answer.vars(), &given.iter().collect::<Vec<_>>());
        }
        text
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

/// The access that the arguments describe. The flag is true if `--invalid` finds no mask in the index.
fn access(
    args: &Arguments,
    lanes: &[Given],
    gates: &[Given],
    invalid: Option<&Given>,
) -> Result<(Access, bool), Failure> {
    input::named("--buffer", &args.buffer)?;
    input::named("--into", &args.into)?;
    input::typed("--type", &args.element)?;
    match &args.store {
        Some(value) => input::other_than_buffer("--store", value, &args.buffer)?,
        None => input::other_than_buffer("--into", &args.into, &args.buffer)?,
    }
    let index = |given: &Given| given.parsed.expr().clone();
    let first = index(&lanes[0]);
    let mut access = match &args.store {
        Some(value) => Access::store(args.buffer.as_str(), first, value.as_str()),
        None => Access::load(args.into.as_str(), args.buffer.as_str(), first).otherwise(args.otherwise.as_str()),
    };
    access = access.element(args.element.as_str()).aligned(args.aligned);
    if let Some(invalid) = invalid {
        access = access.ungated(invalid.parsed.expr());
    }
    let is_bare = *access.gate() == Gate::Always;
    access = lanes[1..].iter().map(index).fold(access, Access::lane);
    Ok((gates.iter().map(index).fold(access, Access::when), is_bare))
}

/// The problem for `error`, shown in the text that causes it.
fn refused(error: &SimplifyError, given: &[Given]) -> Problem {
    let holds = |parsed: &Parsed| error.culprit().is_some_and(|e| parsed.span_of(e).is_some());
    match given.iter().find(|g| holds(&g.parsed)).or(given.first()) {
        Some(g) => Problem::refused(error, g.file, &g.parsed),
        None => Problem::new(error),
    }
}

/// The costs of accesses before and after the search, and the reason why the search ended.
pub(crate) fn summary(answer: &SimplifiedAccesses) -> String {
    format!("cost {} -> {}, {}", answer.input_cost(), answer.cost(), answer.stop().as_str())
}

/// The statements of `answer` in the given language.
pub(crate) fn text(answer: &SimplifiedAccesses, language: Language) -> Result<String, Failure> {
    let text = match language {
        Language::Infix => Ok(infix(answer)),
        Language::Cuda => answer.cuda().map(|t| t.whole()),
        Language::C => answer.c().map(|t| t.whole()),
    };
    Ok(text.map_err(|e| Problem::new(&e))?)
}

fn infix(answer: &SimplifiedAccesses) -> String {
    answer.accesses().iter().flat_map(Access::statements).map(|s| s + "\n").collect()
}

/// The number of elements of each lane. The list is empty when no lane is a vector.
pub(crate) fn widths(accesses: &[Access]) -> Vec<u32> {
    let widths = accesses.iter().flat_map(|a| (0..a.lanes().len()).map(|lane| a.width(lane)));
    let has_vectors = accesses.iter().any(|a| a.elements() != a.lanes().len());
    widths.filter(|_| has_vectors).collect()
}

/// The output of `--json`.
#[derive(Serialize)]
struct AccessJson {
    /// The condition: `1` when the access always happens, `0` when it never does.
    gate: String,
    /// The index of each lane. The index of a vector is the index of its first element.
    indices: Vec<String>,
    /// The number of elements of each lane. The list is empty when no lane is a vector.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    widths: Vec<u32>,
    /// The cost of the gate and the indices together, in instructions.
    cost: Cost,
    /// The cost of the input as written.
    input_cost: Cost,
    /// The reason why the search ended.
    stop: StopReason,
    #[serde(flatten)]
    cuda: CudaJson,
    /// The parts that need 64 bits, if there is CUDA text.
    #[serde(skip_serializing_if = "Option::is_none")]
    wide: Option<Vec<WideJson>>,
}

impl From<&SimplifiedAccesses> for AccessJson {
    fn from(answer: &SimplifiedAccesses) -> AccessJson {
        let access = &answer.accesses()[0];
        AccessJson {
            gate: access.gate().to_string(),
            indices: access.lanes().iter().map(|e| e.to_string()).collect(),
            widths: widths(std::slice::from_ref(access)),
            cost: answer.cost(),
            input_cost: answer.input_cost(),
            stop: answer.stop(),
            cuda: CudaJson::new(answer.cuda()),
            wide: answer.wide().ok().map(|wide| WideJson::all(&wide)),
        }
    }
}
