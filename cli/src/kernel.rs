//! `quaff kernel`: the accesses of a kernel, simplified together.

use crate::access;
use crate::answer::CudaJson;
use crate::answering::Answering;
use crate::dialect::Language;
use crate::input;
use crate::json;
use crate::report::{Failure, Problem, io_failure, no_answer};
use clap::Args;
use miette::Diagnostic;
use quaff::SimplifyError;
use quaff::access::{Access, Carried, Gate, NestedAccesses, SimplifiedAccesses};
use quaff::cost::Cost;
use quaff::egraph::StopReason;
use quaff::induction::Change;
use quaff_explorer::Part;
use quaff_lab::experiment::{Asked, Line, LineError};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXAMPLES: &str = r#"Examples:
  quaff kernel conv.json
  quaff kernel conv.json --emit cuda
  echo '{"vars": {"t": [0, 255], "k": [0, 7]}, "kinds": {"k": "loop"}, "accesses": [{"expr": "t//16*128 + k*16 + t%16",
    "gate": "t%16 + k >= 1", "buf": "in", "loops": ["k"]}]}' | quaff kernel -

The file holds one JSON object, as a line of `quaff batch` does:
  vars      {NAME: [LOWER, UPPER]}, inclusive; null is open
  kinds     {NAME: "block" | "thread" | "loop" | "unroll" | "size" | "data"}
  symbolic  {NAME: TEXT}, an upper end over other variables
  from      the language of the expressions; without it, that of --from
  step      {NAME: [STEP, FROM]}: a loop counts FROM, FROM + STEP and so on
  accesses  [{"expr": TEXT, "gate": TEXT or null, "buf": NAME, "kind": "load" | "store", "loops": [NAME, ...],
              "lanes": [TEXT, ...], "type": TYPE, "aligned": BYTES}]
            NAME is an identifier that C and CUDA do not reserve; a loop is at most once around an access.
            Lanes are further elements under the same gate. With the alignment of the buffer, and of values that are stored, lanes that
            are neighbours are vectors, such as a `float4`; without a type they are of `float`"#;

/// Simplify all accesses of a kernel together
///
/// What they compute alike is computed once, an operation in a loop costs as often as the loop runs, and what a loop does not change is
/// computed before it. A loop carries a value from one iteration to the next where that executes less. Exit codes are those of `simplify`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The kernel; standard input where it is `-`
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    language: Language,

    /// Language of the answer
    #[arg(long, value_enum, default_value = "infix", hide_possible_values = false)]
    emit: access::Language,

    /// Print one JSON object: outs (the index of each lane), widths (of each lane, where some are vectors), gates (null where an access always
    /// happens), cost, input_cost, carried (values that loops carry
    /// in cuda), carried_cost, no_loops (why cuda has none), cuda and its params, divisors and renamed as `simplify` does
    #[arg(long, conflicts_with = "emit")]
    json: bool,

    /// Print a page with the accesses, their prices and their loops
    #[arg(long, conflicts_with_all = ["emit", "json"])]
    html: bool,

    #[command(flatten)]
    answering: Answering,
}

/// What is wrong with a kernel, at its place.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
#[diagnostic(code(quaff::kernel))]
struct BadKernel {
    message: String,
    #[label("here")]
    place: miette::SourceSpan,
    #[help]
    help: Option<String>,
}

impl BadKernel {
    fn new(error: &LineError, text: &str) -> BadKernel {
        let at = text.char_indices().nth(error.column.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
        BadKernel { message: error.message.clone(), place: (at, 1).into(), help: error.help.clone() }
    }
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("the kernel has no field `accesses`")]
#[diagnostic(code(quaff::kernel), help("`quaff batch` answers lines with `expr` or `exprs`"))]
struct NoAccesses;

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let text = input::read(&args.file)?;
    let name = args.file.display().to_string();
    let bad = |e: LineError| Problem::in_file(&BadKernel::new(&e, &text), &name, &text);
    let line = Line::read(text.as_bytes()).map_err(bad)?.in_dialect(args.language.from);
    let (asked, domain) = line.asked().map_err(bad)?;
    let Asked::Accesses(_, accesses) = &asked else { return Err(Problem::new(&NoAccesses).into()) };
    let nests: Vec<Vec<Arc<str>>> =
        line.nests().map_err(bad)?.into_iter().map(|nest| nest.into_iter().map(Arc::from).collect()).collect();
    let simplifier = args.answering.simplifier()?;
    let refused = |e: SimplifyError| no_answer(&e, || bad(line.refused(&e, &asked)));
    let accesses = &simplifier.vectorised(accesses, &domain).map_err(refused)?;
    let answer = simplifier.simplify_accesses(accesses, &domain).map_err(refused)?;
    args.answering.check(accesses, &answer, &domain)?;
    args.answering.show(answer.trace(), &access::summary(&answer));
    let nested = simplifier.in_loops(&answer, &nests, &domain).map_err(refused)?;
    let out = match args.emit {
        _ if args.json => json::indented(&KernelJson::new(&answer, &nested)),
        _ if args.html => {
            let price = |access: &Access| simplifier.cost_of_accesses(std::slice::from_ref(access), &domain).ok();
            Part::kernel(accesses, &answer, &nested, price).page()
        }
        access::Language::Infix => infix(&answer, &nested),
        access::Language::Cuda => unprinted(&nested, "//") + &nested.cuda().map_err(|e| Problem::new(&e))?.whole(),
        access::Language::C => unprinted(&nested, "//") + &nested.c().map_err(|e| Problem::new(&e))?.whole(),
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

/// Statements in the loops around them, after what a thread executes.
fn infix(answer: &SimplifiedAccesses, nested: &NestedAccesses) -> String {
    let head =
        format!("# {} instructions in place of {}, each as often as its loops run", nested.cost(), answer.input_cost());
    let lines: String = std::iter::once(head).chain(nested.lines(Access::statements)).map(|line| line + "\n").collect();
    unprinted(nested, "#") + &lines
}

/// Why there are no loops, as a comment, where that is so.
fn unprinted(nested: &NestedAccesses, sign: &str) -> String {
    nested.unprinted().map_or_else(String::new, |why| format!("{sign} no loops: {why}\n"))
}

/// What `--json` prints.
#[derive(Serialize)]
struct KernelJson {
    outs: Vec<String>,
    /// How many elements each of `outs` is, where some are vectors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    widths: Vec<u32>,
    gates: Vec<Option<String>>,
    /// What a thread executes, in instructions.
    cost: Cost,
    /// The same as written.
    input_cost: Cost,
    /// What ended the search.
    stop: StopReason,
    /// The values that loops carry in `cuda`, and what is executed then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    carried: Vec<CarriedJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    carried_cost: Option<Cost>,
    /// Why `cuda` has no loops, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_loops: Option<String>,
    #[serde(flatten)]
    cuda: CudaJson,
}

/// A value that a loop carries.
#[derive(Serialize)]
struct CarriedJson {
    name: String,
    /// What counts the loop.
    r#loop: String,
    /// What it stands for.
    value: String,
    /// The value in the first iteration.
    base: String,
    /// What is added after each iteration, one after the other.
    steps: Vec<String>,
    /// What is subtracted where the value is no less.
    #[serde(skip_serializing_if = "Option::is_none")]
    modulus: Option<i64>,
}

impl From<&Carried> for CarriedJson {
    fn from(carried: &Carried) -> CarriedJson {
        let (steps, modulus) = match &carried.change {
            Change::Step(step) => (std::slice::from_ref(step), None),
            Change::Wrapping { step, modulus } => (std::slice::from_ref(step), Some(*modulus)),
            Change::Periodic(steps) => (&steps[..], None),
        };
        CarriedJson {
            name: carried.name.to_string(),
            r#loop: carried.variable.to_string(),
            value: carried.value.to_string(),
            base: carried.base.to_string(),
            steps: steps.iter().map(ToString::to_string).collect(),
            modulus,
        }
    }
}

impl KernelJson {
    fn new(answer: &SimplifiedAccesses, nested: &NestedAccesses) -> KernelJson {
        let gate = |gate: &Gate| (*gate != Gate::Always).then(|| gate.to_string());
        KernelJson {
            outs: answer.accesses().iter().flat_map(Access::lanes).map(ToString::to_string).collect(),
            widths: access::widths(answer.accesses()),
            gates: answer.accesses().iter().map(|a| gate(a.gate())).collect(),
            cost: answer.cost(),
            input_cost: answer.input_cost(),
            stop: answer.stop(),
            carried: nested.carried().iter().map(CarriedJson::from).collect(),
            carried_cost: (!nested.carried().is_empty()).then(|| nested.cost()),
            no_loops: nested.unprinted().map(str::to_string),
            cuda: CudaJson::new(nested.cuda()),
        }
    }
}
