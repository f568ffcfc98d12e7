//! `quaff banks`: bank conflicts of an access, and layouts without them.

use crate::answering::{Answering, if_shared};
use crate::banks_input::{in_shape, machine};
use crate::dialect::{self, Reading};
use crate::input::{self, Conditions};
use crate::json;
use crate::output::write_whole;
use crate::parts::at_commas;
use crate::report::{Failure, Given, Problem, io_failure, no_answer};
use clap::Args;
use miette::Diagnostic;
use quaff::SimplifyError;
use quaff::cost::Cost;
use quaff::domain::{Domain, DomainError};
use quaff::emit::Text;
use quaff::expr::name::free;
use quaff_draw::page::counted;
use quaff_explorer::Part;
use quaff_fronts::banks::{
    Access, BankError, Candidate, Decided, Found, Layout, Machine, Memory, Tile, TileAccess, decide, search,
};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quaff banks 't*32 + k' --lane t=0..31 --var k=0..31
  quaff banks 't//8*64 + t%8*8' --lane t=0..31 --bytes 2 --width 16 --svg map.svg
  quaff banks 't*32' --lane t=0..31 --assume 't < 8'
  quaff banks --index 'k, t' --shape 32x33 --lane t=0..31 --var k=0..31
  quaff banks 't%32*16' --lane t=0..63 --bytes 2 --width 16 --machine cdna3
  quaff banks --search --tile 32x32 --access 'k, t' --access 't, k' --lane t=0..31 --var k=0..31
  quaff banks --search --tile 64x64 --bytes 2 --access 'k*4 + t//8, t%8*8, 16' \\
      --access 't%16, k*16 + t//16*8, 16' \\
      --lane t=0..31 --var k=0..3";

/// Count bank conflicts of shared memory, or search a tile layout without conflicts
///
/// The answer is for the worst values of the variables. Memory serves lanes in phases. A phase of NVIDIA has 32 lanes of up to 4 bytes
/// each, 16 lanes of 8 bytes, or 8 lanes of 16 bytes. The degree is the largest number of different words that one bank serves in one
/// phase. Degree N is an N-way bank conflict, and degree 1 is no conflict. A lane for which a condition of `--assume` is false makes no access.
#[derive(Args)]
#[command(after_help = EXAMPLES, mut_args(|arg| if_shared(arg, |arg| arg.requires("search"))))]
pub(crate) struct Arguments {
    /// The index, in elements; read from standard input when absent or `-`
    #[arg(value_name = "INDEX", allow_hyphen_values = true, conflicts_with = "search")]
    index: Option<String>,

    /// The indices of an array, one for each dimension. `--shape` gives the sizes. The last dimension is innermost
    #[arg(long = "index", value_name = "INDEX, INDEX..", requires = "shape", conflicts_with_all = ["index", "search"], allow_hyphen_values = true)]
    indices: Option<String>,

    /// The sizes of the dimensions, padding included: in `32x33`, a row has 33 elements
    #[arg(long, value_name = "SIZExSIZE..", conflicts_with = "search")]
    shape: Option<String>,

    /// The variable that counts lanes, and its range
    #[arg(long, value_name = "NAME=RANGE", required = true)]
    lane: String,

    /// The range of another variable, written as for `simplify`
    #[arg(long = "var", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    #[command(flatten)]
    conditions: Conditions,

    #[command(flatten)]
    reading: Reading,

    /// Bytes of an element: 1, 2, 4, 8 or 16
    #[arg(long, value_name = "BYTES", default_value_t = 4)]
    bytes: u32,

    /// Bytes that each lane accesses, beginning at its element: 1, 2, 4, 8 or 16. The default is the size of an element
    #[arg(long, value_name = "BYTES", conflicts_with = "search")]
    width: Option<u32>,

    /// Banks
    #[arg(long, value_name = "COUNT", default_value_t = 32, conflicts_with = "machine")]
    banks: u32,

    /// Bytes of one word of a bank
    #[arg(long, value_name = "BYTES", default_value_t = 4, conflicts_with = "machine")]
    bank_bytes: u32,

    /// The machine, which decides which lanes are served in one phase: `nvidia`, `cdna3`, `cdna4`, `cdna3-write`, `cdna4-write`, or a file.
    /// `cdna3` and `cdna4` are reads on AMD machines, with 64 lanes. A file has `banks`, `bank_bytes` and a table `[phases]`, which lists
    /// the lanes of each phase by width in bytes, such as `16 = ["0..3, 20..23", ..]`
    #[arg(long, value_name = "NAME|FILE")]
    machine: Option<String>,

    /// Also write the map of the banks to this file, as SVG; `-` prints it instead of the text
    #[arg(long, value_name = "FILE", conflicts_with_all = ["search", "json"])]
    svg: Option<PathBuf>,

    /// Print a page with the map of the banks and a table of the conflicts
    #[arg(long, conflicts_with_all = ["svg", "json", "search"])]
    html: bool,

    /// Print one JSON object: degree, broadcast, conflicts (two lanes and a bank for each) and phases. With `--search`,
    /// it has tried and candidates instead
    #[arg(long)]
    json: bool,

    /// Search the best layouts of a tile among paddings and exclusive-or swizzles
    #[arg(long, requires = "tile", requires = "accesses")]
    search: bool,

    /// Rows and columns of the tile
    #[arg(long, value_name = "ROWSxCOLS", requires = "search")]
    tile: Option<String>,

    /// An access to the tile: row, first column, and bytes that each lane accesses; may be given several times
    #[arg(long = "access", value_name = "ROW, COL[, WIDTH]", requires = "search", allow_hyphen_values = true)]
    accesses: Vec<String>,

    #[command(flatten)]
    answering: Answering,
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let machine = match &args.machine {
        Some(name) => machine(name)?,
        None => Memory::new(args.banks, args.bank_bytes).map_err(|e| Problem::new(&e))?.into(),
    };
    let (domain, lane) = domain(args)?;
    let out = match args.search {
        true => searched(args, &domain, &lane, machine)?,
        false => decided(args, &domain, &lane, machine)?,
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

/// The domain of all declarations, and the name of the lane variable, which is the first declaration.
fn domain(args: &Arguments) -> Result<(Domain, String), Failure> {
    let mut domain = Domain::new();
    domain.declare(&args.lane).map_err(|e| Problem::declared_by(&e, "--lane", &args.lane))?;
    let lane = domain.vars().next().unwrap_or_default().to_string();
    input::declare(&mut domain, &args.vars, &args.reading)?;
    Ok((args.conditions.assumed(domain, &args.reading)?, lane))
}

fn decided(args: &Arguments, domain: &Domain, lane: &str, machine: Machine) -> Result<String, Failure> {
    let given = match (&args.indices, &args.shape) {
        (Some(text), _) => at_commas(text).iter().map(|t| args.reading.one(t, "--index")).collect::<Result<_, _>>()?,
        (None, Some(_)) => {
            let (text, file) = input::text(args.index.as_deref(), "index")?;
            at_commas(&text).iter().map(|t| args.reading.one(t, file)).collect::<Result<Vec<Given>, _>>()?
        }
        (None, None) => vec![input::expression(args.index.as_deref(), "index", &args.reading)?],
    };
    let domain = &dialect::known(domain.clone(), &given.iter().collect::<Vec<_>>())?;
    let index = match &args.shape {
        Some(shape) => in_shape(&given, shape, domain)?,
        None => given[0].parsed.expr().clone(),
    };
    let title = index.to_string();
    let access = Access::new(index, args.bytes)
        .and_then(|a| a.wide(args.width.unwrap_or(args.bytes)))
        .map_err(|e| Problem::new(&e))?;
    let memory = machine.memory();
    let decided = decide(&access, lane, domain, machine);
    let decided = decided.map_err(|e| refused(&e, &given, e.access().and(given.first())))?;
    let service = decided.service();
    if service.words().is_empty() {
        let conditions: Vec<String> = domain.assumptions().iter().map(ToString::to_string).collect();
        return Err(Problem::new(&DomainError::NeverHolds { conditions: conditions.join(", ") }).into());
    }
    if args.json {
        return Ok(json::indented(&ServiceJson::from(&decided)));
    }
    if args.html {
        return Ok(Part::banks(&title, &decided, memory).page());
    }
    let map = service.text(memory, decided.lanes());
    let text = summary(&decided) + "\n" + &map;
    match &args.svg {
        Some(path) => {
            let svg = service.svg(memory, decided.lanes());
            write_whole(path, |out| out.write_all(svg.as_bytes()))?;
            Ok(if path == Path::new("-") { String::new() } else { text })
        }
        None => Ok(text),
    }
}

/// Two sentences about the conflicts of one access.
fn summary(decided: &Decided) -> String {
    let service = decided.service();
    let at: Vec<String> = decided.at().iter().map(|(n, v)| format!("{n} = {v}")).collect();
    let at = if at.is_empty() { String::new() } else { format!(", at {}", at.join(", ")) };
    let phases = if service.phases() == 1 { "1 phase".into() } else { format!("{} phases", service.phases()) };
    let broadcast = if service.broadcast() { "broadcast" } else { "no broadcast" };
    let conflict = match service.degree() {
        0 | 1 => "no bank conflict".to_string(),
        n => format!("{n}-way bank conflict"),
    };
    let mut out = format!("{conflict} in {phases}, {broadcast}{at}\n");
    let number = |lane: u32| decided.lanes().get(lane as usize).copied().unwrap_or(lane.into());
    match service.conflicts().as_slice() {
        [] => {}
        all @ [first, ..] => {
            let (a, b) = (number(first.first), number(first.second));
            let many =
                if all.len() == 1 { "1 conflict: ".into() } else { format!("{} conflicts, such as ", all.len()) };
            // writing into a string cannot fail
            let _ = writeln!(out, "{many}lanes {a} and {b} in bank {}", first.bank);
        }
    }
    out
}

#[derive(Debug, thiserror::Error, Diagnostic)]
enum BadArgument {
    #[error("`{text}` is no tile")]
    #[diagnostic(code(quaff::banks::tile), help("write rows and columns, such as `--tile 128x32`"))]
    Tile { text: String },
    #[error("`{text}` is no access")]
    #[diagnostic(
        code(quaff::banks::access),
        help("write row, first column and bytes, such as `--access 't//8, t%8*8, 16'`")
    )]
    Access { text: String },
}

fn searched(args: &Arguments, domain: &Domain, lane: &str, machine: Machine) -> Result<String, Failure> {
    let tile = tile(args)?;
    let (mut accesses, mut given) = (Vec::new(), Vec::new());
    for text in &args.accesses {
        let parts = at_commas(text);
        let (row, col, width) = match parts.as_slice() {
            [row, col] => (row, col, Some(args.bytes)),
            [row, col, width] => (row, col, width.parse().ok()),
            _ => return Err(Problem::new(&BadArgument::Access { text: text.clone() }).into()),
        };
        let width = width.ok_or_else(|| Problem::new(&BadArgument::Access { text: text.clone() }))?;
        let (row, col) = (args.reading.one(row, "--access")?, args.reading.one(col, "--access")?);
        let access = TileAccess::new(row.parsed.expr().clone(), col.parsed.expr().clone(), width);
        accesses.push(access.map_err(|e| Problem::new(&e))?);
        given.extend([row, col]);
    }
    let domain = &dialect::known(domain.clone(), &given.iter().collect::<Vec<_>>())?;
    let found = match search(&tile, &accesses, lane, domain, machine, &args.answering.simplifier()?) {
        Err(BankError::Simplify(e @ SimplifyError::WrongAnswer(_))) => Err(no_answer(&e, || Problem::new(&e))),
        found => found.map_err(|e| refused(&e, &given, culprit(&e, &given, &tile)).into()),
    }?;
    for candidate in found.candidates() {
        check(args, candidate, &given, (&tile, domain))?;
    }
    if args.json {
        let candidates = found.candidates().iter().map(|c| CandidateJson::new(c, &tile)).collect();
        return Ok(json::indented(&FoundJson { tried: found.tried(), candidates }));
    }
    Ok(listed(&found, &tile))
}

/// Checks the indices of `candidate`, a layout for the accesses to the rows and columns in `given`, and shows the steps
/// of their simplification.
fn check(args: &Arguments, candidate: &Candidate, given: &[Given], place: (&Tile, &Domain)) -> Result<(), Failure> {
    let ((tile, domain), layout, indices) = (place, candidate.layout(), candidate.indices());
    for (at, simplified) in given.chunks(2).zip(indices.exprs()) {
        let [row, col] = at else { continue };
        let asked = layout.index(tile, row.parsed.expr(), col.parsed.expr());
        args.answering.check_equal([&asked], simplified, domain)?;
    }
    let end = format!("{layout}: cost {} -> {}, {}", indices.input_cost(), indices.cost(), indices.stop().as_str());
    args.answering.show(indices.trace(), &end);
    Ok(())
}

fn tile(args: &Arguments) -> Result<Tile, Failure> {
    let text = args.tile.clone().unwrap_or_default();
    let sides = text.split_once('x').and_then(|(r, c)| Some((r.trim().parse().ok()?, c.trim().parse().ok()?)));
    let (rows, cols) = sides.ok_or_else(|| Problem::new(&BadArgument::Tile { text }))?;
    Ok(Tile::new(rows, cols, args.bytes).map_err(|e| Problem::new(&e))?)
}

/// The problem for `error`. An error about a variable is shown at the variable, and any other error at the whole text
/// of `index`.
fn refused(error: &BankError, given: &[Given], index: Option<&Given>) -> Problem {
    let name = match error {
        BankError::Unknown(unknown) => &unknown.name,
        BankError::Open { name } | BankError::Lanes { name, .. } => name,
        _ => return index.map_or_else(|| Problem::new(error), |index| Problem::at_whole(error, index)),
    };
    given.iter().find_map(|g| Problem::at_variable(error, g, name)).unwrap_or_else(|| Problem::new(error))
}

/// The row or column expression that the error concerns.
fn culprit<'a>(error: &BankError, given: &'a [Given], tile: &Tile) -> Option<&'a Given> {
    let is_row = matches!(error, BankError::Outside { row, .. } if !(0..i128::from(tile.rows())).contains(row));
    given.get(2 * error.access()? + usize::from(!is_row))
}

fn listed(found: &Found, tile: &Tile) -> String {
    let mut out = String::new();
    for c in found.candidates() {
        let degrees: Vec<String> = c.degrees().iter().map(|degree| format!("{degree}-way")).collect();
        let swizzle = c.layout().swizzle(tile).map_or(String::new(), |s| format!(", {s}"));
        let (layout, bytes, cost) = (c.layout(), c.bytes(), c.cost().instructions());
        let degrees = degrees.join(", ");
        // writing into a string cannot fail
        let _ = writeln!(out, "{layout}{swizzle}: {degrees}; {bytes} bytes, {}", counted(cost, "instruction"));
        c.indices().exprs().iter().for_each(|e| out += &format!("  {e}\n"));
        for line in cuda(c).unwrap_or_default().lines() {
            out += &format!("    {line}\n");
        }
    }
    out
}

/// Definitions of the indices in CUDA, in the order of the accesses.
fn cuda(candidate: &Candidate) -> Option<String> {
    let text = candidate.indices().cuda().ok()?;
    let mut contract = text.contract();
    // the text declares a variable for each index, with the type of the result
    contract.results.clear();
    let Text { prelude, statements, results, .. } = text;
    let mut out = prelude;
    contract.to_string().lines().for_each(|line| out += &format!("// {line}\n"));
    statements.iter().for_each(|s| out += &format!("{s}\n"));
    for (result, number) in results.iter().zip(0..) {
        let name = free(format!("index{number}"), |name| contract.params.iter().any(|p| p.name == name));
        out += &format!("const {} {name} = {};\n", result.ty, result.text);
    }
    Some(out)
}

/// The output of `--json` for one access.
#[derive(Serialize)]
struct ServiceJson {
    degree: u32,
    broadcast: bool,
    /// Pairs of lanes that conflict, each with the bank.
    conflicts: Vec<(i64, i64, u32)>,
    phases: u32,
}

impl From<&Decided> for ServiceJson {
    fn from(decided: &Decided) -> ServiceJson {
        let service = decided.service();
        let number = |lane: u32| decided.lanes().get(lane as usize).copied().unwrap_or(lane.into());
        ServiceJson {
            degree: service.degree(),
            broadcast: service.broadcast(),
            conflicts: service.conflicts().iter().map(|c| (number(c.first), number(c.second), c.bank)).collect(),
            phases: service.phases(),
        }
    }
}

/// The output of `--search --json`.
#[derive(Serialize)]
struct FoundJson {
    /// The number of layouts that were tried.
    tried: u32,
    candidates: Vec<CandidateJson>,
}

#[derive(Serialize)]
struct CandidateJson {
    layout: String,
    /// The number of unused elements between rows. None if the layout is a swizzle with an exclusive or.
    padding: Option<u32>,
    /// The swizzle in the notation of CuTe, if the layout is a swizzle.
    swizzle: Option<String>,
    /// The size of the whole tile, in bytes.
    bytes: u64,
    /// For each access, its degree: the most different words that one bank must serve in a phase.
    degrees: Vec<u32>,
    /// The cost of all indices together, in instructions.
    cost: Cost,
    /// The index of each access, in elements.
    indices: Vec<String>,
    cuda: Option<String>,
}

impl CandidateJson {
    fn new(candidate: &Candidate, tile: &Tile) -> CandidateJson {
        let layout = candidate.layout();
        CandidateJson {
            layout: layout.to_string(),
            padding: if let Layout::Padding(by) = layout { Some(by) } else { None },
            swizzle: layout.swizzle(tile).map(|s| s.to_string()),
            bytes: candidate.bytes(),
            degrees: candidate.degrees().to_vec(),
            cost: candidate.cost(),
            indices: candidate.indices().exprs().iter().map(|e| e.to_string()).collect(),
            cuda: cuda(candidate),
        }
    }
}
