//! `quaff kernel`: simplifies the accesses of a kernel together.

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
use quaff_draw::page::counted;
use quaff_explorer::Part;
use quaff_lab::experiment::{Asked, Line, LineError};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXAMPLES: &str = r#"Examples:
  quaff kernel conv.json
  quaff kernel conv.json --emit cuda
  echo '{"vars": {"t": [0, 255], "k": [0, 7]}, "kinds": {"k": "loop"}, "accesses": [
    {"expr": "t//16*128 + k*16 + t%16", "mask": "t%16 + k >= 1", "buf": "in", "loops": ["k"]}
  ]}' | quaff kernel -

The file has one JSON object with these fields, as in a line of `quaff batch`:
  vars      {NAME: [LOWER, UPPER]}, both ends inclusive; null means no bound
  kinds     {NAME: "block" | "thread" | "loop" | "unroll" | "size" | "data"}
  symbolic  {NAME: TEXT}, an upper end that is an expression of other variables
  from      the language of the expressions; the default is the language of --from
  step      {NAME: [STEP, FROM]}: a loop counts FROM, FROM + STEP and so on
  accesses  [{"expr": TEXT, "mask": TEXT or null, "buf": NAME, "kind": "load" | "store", "loops": [NAME, ...],
              "lanes": [TEXT, ...], "type": TYPE, "aligned": BYTES}]
            NAME is an identifier that C and CUDA do not reserve. A loop occurs at most once in
            `loops`. Lanes are the indices of further elements under the same mask. `aligned` is the
            alignment of the buffer and of stored values. Neighbouring lanes then become vectors,
            such as a `float4`. The default of `type` is `float`"#;

/// Simplify all accesses of a kernel, given as JSON
///
/// Values that several accesses need are computed once. The cost of an operation in a loop is multiplied by the iterations of the loop.
/// Values that a loop does not change are computed before the loop. A loop carries a value from one iteration to the next if fewer
/// instructions are then executed. `quaff --help` lists the exit codes.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file of the kernel; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    language: Language,

    /// Language of the answer
    #[arg(long, value_enum, default_value = "infix", hide_possible_values = false)]
    emit: access::Language,

    /// Print one JSON object: outs (index of each lane), widths (if some lanes are vectors), masks (null if an access always happens),
    /// cost, input_cost, stop. Fields about loops are carried (values that loops carry in cuda), carried_cost and no_loops (why cuda has
    /// no loops). The object also has these fields of `simplify`: cuda, params, divisors and renamed
    #[arg(long, conflicts_with = "emit")]
    json: bool,

    /// Print a page with the accesses, their costs and their loops
    #[arg(long, conflicts_with_all = ["emit", "json"])]
    html: bool,

    #[command(flatten)]
    answering: Answering,
}

/// An error in a kernel, at its place.
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

/// The number of instructions that a thread executes, and the statements within their loops.
fn infix(answer: &SimplifiedAccesses, nested: &NestedAccesses) -> String {
    let head = format!(
        "# {} in place of {}, each as often as its loops run",
        counted(nested.cost(), "instruction"),
        answer.input_cost()
    );
    let lines: String = std::iter::once(head).chain(nested.lines(Access::statements)).map(|line| line + "\n").collect();
    unprinted(nested, "#") + &lines
}

/// A comment with the reason why the text has no loops. The comment is empty if the text has loops.
fn unprinted(nested: &NestedAccesses, sign: &str) -> String {
    nested.unprinted().map_or_else(String::new, |why| format!("{sign} no loops: {why}\n"))
}

/// The output of `--json`.
#[derive(Serialize)]
struct KernelJson {
    outs: Vec<String>,
    /// The number of elements of each entry of `outs`. Present if some entries are vectors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    widths: Vec<u32>,
    masks: Vec<Option<String>>,
    /// The masks again, under their name in earlier versions.
    gates: Vec<Option<String>>,
    /// The instructions that a thread executes.
    cost: Cost,
    /// The number of instructions that a thread executes for the input as written.
    input_cost: Cost,
    /// The reason why the search ended.
    stop: StopReason,
    /// The values that loops carry in `cuda`, and the instructions that a thread then executes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    carried: Vec<CarriedJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    carried_cost: Option<Cost>,
    /// The reason why `cuda` has no loops, if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_loops: Option<String>,
    #[serde(flatten)]
    cuda: CudaJson,
}

/// A value that a loop carries.
#[derive(Serialize)]
struct CarriedJson {
    name: String,
    /// The variable that counts the loop.
    r#loop: String,
    /// The expression whose value is carried.
    value: String,
    /// The value in the first iteration.
    base: String,
    /// The terms that are added to the value, one after each iteration, in turn.
    steps: Vec<String>,
    /// The period of the value: this number is subtracted whenever the value reaches it.
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
            masks: answer.accesses().iter().map(|a| gate(a.gate())).collect(),
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
