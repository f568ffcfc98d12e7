//! `quaff view`: views of tensors as chains of movements such as reshape, and the memory accesses that read their
//! elements.

use crate::access;
use crate::answer::CudaJson;
use crate::answering::Answering;
use crate::dialect::Language;
use crate::input::{self, Assumptions};
use crate::json;
use crate::output::{print_text, write_whole};
use crate::report::{Failure, Problem, io_failure, no_answer, shortened};
use clap::Args;
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::access::Access;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::egraph::StopReason;
use quaff::expr::{Expr, var};
use quaff_explorer::Part;
use quaff_fronts::view::chain::Chain;
use quaff_fronts::view::{MergedDim, View, ViewError, ViewStack, common_loops};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXAMPLES: &str = "\
A chain begins with `shape(sizes)`, a layout `(sizes):(strides)`, or a view with its offset and mask
as the command prints it. Movements are reshape(sizes), permute(axes), expand(sizes),
pad((before, after), ...), shrink((begin, end), ...), flip(axes) and stride(steps).

Examples:
  quaff view 'shape(8, 12).reshape(4, 2, 12).permute(1, 0, 2).pad((0, 0), (1, 1), (0, 0))' \\
      --svg view.svg
  quaff view 'shape(n*4).reshape(n, 4).permute(1, 0)' --var n=1..4096
  quaff view --merge '(2, 6, 12):(12, 24, 1) - 24, mask (0, 2) (1, 5) (0, 12)'
  quaff view '(8, 12):(1, 8)' 'shape(12, 8).permute(1, 0)' 'shape(1, 12).expand(8, 12)'";

/// Compute the views of a tensor after reshape, permute, pad and other movements
///
/// For each chain, the command prints the shape, the views with strides, offset and mask, and the address and the validity
/// of an index. Address and validity are printed before and after they are simplified together. The CUDA text of all loads
/// follows. Several chains of one shape are read in the same loops, with as few loops as possible.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Chains of movements; several chains must have the same shape
    #[arg(value_name = "CHAIN", required = true)]
    chains: Vec<String>,

    /// The range of a variable in a size, written as for `simplify`
    #[arg(long = "var", help_heading = "Variables and conditions", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    /// Variables that are fixed for a kernel launch; the host can prepare divisions by them
    #[arg(long, value_name = "NAME")]
    uniform: Vec<String>,

    #[command(flatten)]
    assumptions: Assumptions,

    #[command(flatten)]
    language: Language,

    /// Names of the indices, one for each axis; the default is `i0`, `i1` and so on
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    names: Vec<String>,

    /// Join neighbouring axes that can be one axis. A single chain is then read with as few loops as possible, as several chains always
    /// are. The groups of axes of its last view are printed as `size:stride (real size)`
    #[arg(long)]
    merge: bool,

    /// The type of the elements in CUDA
    #[arg(long = "type", value_name = "TYPE", default_value = "float")]
    element: String,

    /// The size of an element in bytes, which determines the widest load
    #[arg(long, value_name = "N", default_value_t = 4)]
    bytes: u32,

    /// Print only the loads, in this language
    #[arg(long, value_enum, conflicts_with = "json")]
    emit: Option<access::Language>,

    /// Print one JSON object: chains, loops, cost, input_cost and stop. A chain has shape, views, merged, and address and validity
    /// before and after simplification. The object also has these fields of `simplify`: cuda, params, results, divisors and
    /// renamed
    #[arg(long)]
    json: bool,

    /// Draw which element each position of the first chain reads; the chain has at most 3 axes
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Print a page about the first chain: views, address, mask, and a grid
    #[arg(long, conflicts_with_all = ["emit", "json"])]
    html: bool,

    #[command(flatten)]
    answering: Answering,
}

/// The number of bytes of the widest load of a GPU.
const LOAD_BYTES: u32 = 16;

/// The error when the number of index names differs from the number of axes.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`--names` has {given} name{} for {axes} ax{}", if *given == 1 { "" } else { "s" }, if *axes == 1 { "is" } else { "es" })]
#[diagnostic(code(quaff::view::names), help("give one name for each axis, separated by commas"))]
struct Names {
    given: usize,
    axes: usize,
}

/// A chain, and its view.
struct Read {
    chain: Chain,
    stack: ViewStack,
    /// The name of the buffer of the chain in CUDA.
    buffer: String,
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    input::typed("--type", &args.element)?;
    let simplifier = args.answering.simplifier()?;
    let domain = input::domain(&args.vars, &args.uniform, &args.assumptions, &args.language.into())?;
    let mut chains = Vec::new();
    for (at, text) in args.chains.iter().enumerate() {
        let chain = args.language.chain(text)?;
        let stack = chain.stack(&domain).map_err(|e| Problem::chain(&e, text))?;
        let buffer = if args.chains.len() == 1 { "in".into() } else { format!("in{at}") };
        chains.push(Read { chain, stack, buffer });
    }
    if let Some(path) = &args.svg {
        let picture = chains[0].stack.svg(chains[0].chain.source_text()).map_err(refused)?;
        write_whole(path, |out| out.write_all(picture.as_bytes()))?;
    }
    if args.html {
        return print_text(&Part::view(chains[0].chain.source_text(), &chains[0].stack).map_err(refused)?.page());
    }
    let loops = Loops::of(args, &chains)?;
    let report = Report::new(args, &simplifier, &chains, &loops)?;
    let out = match args.emit {
        _ if args.json => json::indented(&report),
        None => report.text(),
        Some(_) => report.loads,
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

fn refused(error: ViewError) -> Failure {
    Problem::new(&error).into()
}

/// The loops that read all chains.
struct Loops {
    names: Vec<Arc<str>>,
    sizes: Vec<Expr>,
    /// The views of the chains, with these loops as their axes.
    stacks: Vec<ViewStack>,
    domain: Domain,
}

impl Loops {
    fn of(args: &Arguments, chains: &[Read]) -> Result<Loops, Failure> {
        let stacks: Vec<ViewStack> = chains.iter().map(|c| c.stack.clone()).collect();
        let stacks = match stacks.len() {
            1 if !args.merge => stacks,
            _ => common_loops(&stacks).map_err(refused)?.views,
        };
        let first = &stacks[0];
        let names = match args.names.as_slice() {
            [] => first.index_names(),
            names if names.len() != first.rank() => {
                return Err(Problem::new(&Names { given: names.len(), axes: first.rank() }).into());
            }
            names => names.iter().map(|n| n.as_str().into()).collect(),
        };
        let domain = first.index_domain(&names).map_err(refused)?;
        Ok(Loops { sizes: first.shape().to_vec(), names, domain, stacks })
    }
}

/// The report that is printed.
#[derive(Serialize)]
struct Report {
    chains: Vec<ChainReport>,
    /// The names and sizes of the loops that read all chains.
    loops: Vec<(String, String)>,
    /// The cost of all addresses and validity conditions together, in instructions.
    cost: Cost,
    /// The cost of the addresses and conditions before simplification.
    input_cost: Cost,
    /// The reason why the search ended.
    stop: StopReason,
    #[serde(flatten)]
    cuda: CudaJson,
    #[serde(skip)]
    body: Option<String>,
    /// The text that `--emit` prints.
    #[serde(skip)]
    loads: String,
}

#[derive(Serialize)]
struct ChainReport {
    chain: String,
    shape: Vec<String>,
    views: Vec<ViewReport>,
    /// With `--merge`, the groups of neighbouring axes of the last view that can be merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    merged: Option<Vec<MergedReport>>,
    /// Whether the elements are proved to be read in memory order, from the first element on and without gaps.
    contiguous: bool,
    /// The least and the greatest address that is read. Null if nothing is read, or if an end is unknown.
    reach: Option<[String; 2]>,
    /// The axis along which neighbouring elements are nearest in memory. Null if all strides are 0, or if the axis is
    /// not known.
    innermost: Option<usize>,
    /// The number of elements in the widest load of up to 16 bytes along `innermost`.
    vector: i64,
    address: String,
    address_built: String,
    /// The condition under which an index refers to an element, and not to padding. It is `1` if this is always so, and
    /// `0` if it is never so.
    valid: String,
    valid_built: String,
}

#[derive(Serialize)]
struct ViewReport {
    shape: Vec<String>,
    strides: Vec<String>,
    offset: String,
    /// For each axis, the first valid index and the first index after the valid indices. Null when all indices are
    /// valid.
    mask: Option<Vec<[String; 2]>>,
    #[serde(skip)]
    text: String,
}

/// Neighbouring axes that are merged into one axis.
#[derive(Serialize)]
struct MergedReport {
    size: String,
    stride: String,
    /// The number of innermost indices of the merged axis to which the stride applies.
    real_size: String,
}

impl MergedReport {
    fn of(stack: &ViewStack) -> Option<Vec<MergedReport>> {
        let one = |m: &MergedDim| MergedReport {
            size: m.size.to_string(),
            stride: m.stride.to_string(),
            real_size: m.real.to_string(),
        };
        Some(stack.merged().ok()?.iter().map(one).collect())
    }
}

impl ViewReport {
    fn new(view: &View) -> ViewReport {
        let texts = |all: &[Expr]| all.iter().map(Expr::to_string).collect();
        let ends = |mask: &[(Expr, Expr)]| mask.iter().map(|(b, e)| [b.to_string(), e.to_string()]).collect();
        ViewReport {
            shape: texts(view.shape()),
            strides: texts(view.strides()),
            offset: view.offset().to_string(),
            mask: view.mask().map(ends),
            text: view.to_string(),
        }
    }
}

impl Report {
    fn new(args: &Arguments, simplifier: &Simplifier, chains: &[Read], loops: &Loops) -> Result<Report, Failure> {
        let indices: Vec<Expr> = loops.names.iter().map(|n| var(n.clone())).collect();
        let mut accesses = Vec::new();
        for (chain, stack) in chains.iter().zip(&loops.stacks) {
            let into = chain.buffer.replacen("in", "v", 1);
            let access = stack.load(into, chain.buffer.as_str(), &indices).map_err(refused)?;
            accesses.push(access.element(args.element.as_str()));
        }
        let answer =
            simplifier.simplify_accesses(&accesses, &loops.domain).map_err(|e| no_answer(&e, || Problem::new(&e)))?;
        args.answering.check(&accesses, &answer, &loops.domain)?;
        args.answering.show(answer.trace(), &access::summary(&answer));
        let reports = chains.iter().zip(&accesses).zip(answer.accesses());
        let text = answer.cuda();
        Ok(Report {
            chains: reports
                .map(|((chain, built), simplified)| ChainReport::new(args, chain, [built, simplified]))
                .collect(),
            loops: loops.names.iter().map(|n| n.to_string()).zip(loops.sizes.iter().map(Expr::to_string)).collect(),
            cost: answer.cost(),
            input_cost: answer.input_cost(),
            stop: answer.stop(),
            loads: args.emit.map_or(Ok(String::new()), |language| access::text(&answer, language))?,
            body: text.as_ref().ok().map(|text| text.whole()),
            cuda: CudaJson::new(text),
        })
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for chain in &self.chains {
            if self.chains.len() > 1 {
                let _ = writeln!(out, "{}", chain.chain);
            }
            let mut line = |what: &str, text: &str| {
                let _ = writeln!(out, "{what:<11} {text}");
            };
            line("shape", &format!("({})", chain.shape.join(", ")));
            for view in &chain.views {
                line("view", &view.text);
            }
            if let Some(merged) = &chain.merged {
                let group = |m: &MergedReport| format!("{}:{} ({})", m.size, m.stride, m.real_size);
                line("merged", &merged.iter().map(group).collect::<Vec<_>>().join(", "));
            }
            line("contiguous", if chain.contiguous { "yes" } else { "no" });
            line("reach", &chain.reach.as_ref().map_or("-".into(), |[least, most]| format!("{least} to {most}")));
            let vector = chain.innermost.map(|axis| format!("{} along axis {axis}", chain.vector));
            line("vector", &vector.unwrap_or("-".into()));
            line("address", &chain.address);
            line("  as built", &chain.address_built);
            line("valid", &chain.valid);
            line("  as built", &chain.valid_built);
            out.push('\n');
        }
        let ranges: Vec<String> = self.loops.iter().map(|(name, size)| format!("{name} < {size}")).collect();
        let _ = writeln!(out, "cost {}, as built {}\n", self.cost, self.input_cost);
        match &self.body {
            Some(body) if self.loops.is_empty() => out += body,
            Some(body) => out += &format!("// {}\n{body}", ranges.join(", ")),
            None => {}
        }
        out
    }
}

impl ChainReport {
    fn new(args: &Arguments, read: &Read, [built, simplified]: [&Access; 2]) -> ChainReport {
        let gate = |access: &Access| shortened(&access.gate().to_string());
        let innermost = read.stack.innermost().ok().flatten().map(|(axis, _)| axis);
        let vector = |axis| read.stack.widest_vector(axis, args.bytes, LOAD_BYTES).ok();
        let reach = read.stack.reach().ok().flatten();
        ChainReport {
            chain: read.chain.to_string(),
            shape: read.stack.shape().iter().map(Expr::to_string).collect(),
            views: read.stack.views().iter().map(ViewReport::new).collect(),
            merged: args.merge.then(|| MergedReport::of(&read.stack)).flatten(),
            contiguous: read.stack.is_contiguous(),
            reach: reach.map(|(least, most)| [least.to_string(), most.to_string()]),
            innermost,
            vector: innermost.and_then(vector).map_or(1, |v| v.lanes),
            address: shortened(&simplified.index().to_string()),
            address_built: shortened(&built.index().to_string()),
            valid: gate(simplified),
            valid_built: gate(built),
        }
    }
}
