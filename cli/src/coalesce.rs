//! `quaff coalesce`: what the accesses of warps cost, and schedules under which they cost less.

use crate::dialect::{self, Reading};
use crate::input;
use crate::json;
use crate::output::write_whole;
use crate::report::{Failure, Given, Problem, io_failure};
use clap::{Args, ValueEnum};
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff_fronts::coalesce::{
    Access, Candidate, CoalesceError, Found, Measure, Schedule, Traffic, Warp, measure, page, search,
};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quaff coalesce 'i%64*64 + i//64' --n 4096
  quaff coalesce --read 'i%64*64 + i//64' --write 'i, 2' --n 4096 --element 4 --html warps.html
  quaff coalesce '(block*256 + t)%64*64' --lane t=0..255 --var block=0..1023";

/// Search schedules under which the accesses of a warp touch little memory
///
/// Every element `i` below `--n` is accessed by one lane; `u` counts lanes over all warps and steps, and a schedule says which
/// element lane `u` takes. Prints those of which no other one is better in gap, sectors, lines or cost and nowhere worse, the best by
/// `--by` first, and the CUDA text of that. With `--lane`, says what an access costs as it is written.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The index that element `i` accesses; read from standard input when `-`, or when neither `--read` nor `--write` is given
    #[arg(value_name = "INDEX", allow_hyphen_values = true)]
    index: Option<String>,

    /// Another index that is read, and how often it counts
    #[arg(long = "read", value_name = "INDEX[, WEIGHT]", allow_hyphen_values = true)]
    reads: Vec<String>,

    /// An index that is written, and how often it counts
    #[arg(long = "write", value_name = "INDEX[, WEIGHT]", allow_hyphen_values = true)]
    writes: Vec<String>,

    /// The condition under which element `i` accesses anything
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    gate: Option<String>,

    /// Elements
    #[arg(long, value_name = "COUNT", required_unless_present = "lane")]
    n: Option<u64>,

    /// Lanes of a warp
    #[arg(long, value_name = "LANES", default_value_t = 32)]
    warp: u32,

    /// Bytes of an element: 1, 2, 4, 8 or 16
    #[arg(long, value_name = "BYTES", default_value_t = 4)]
    element: u32,

    /// The most elements that a lane accesses at once, where they are aligned neighbours: 1, 2, 4, 8 or 16, of 16 bytes together;
    /// fewer are tried as well
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    vector: u32,

    /// Say what the access costs when this variable counts the threads of a block, and search nothing
    #[arg(long, value_name = "NAME=RANGE", conflicts_with_all = ["n", "reads", "writes", "html"])]
    lane: Option<String>,

    /// What is known of another variable than the lane, as for `simplify`; a search has the variable `i` alone
    #[arg(long = "var", value_name = "NAME=RANGE", requires = "lane", conflicts_with = "n")]
    vars: Vec<String>,

    #[command(flatten)]
    reading: Reading,

    /// The measure by which the first schedule is the best
    #[arg(long, value_enum, value_name = "MEASURE", default_value_t = By::Sectors, conflicts_with = "lane")]
    by: By,

    /// What is printed of the first schedule below the table
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Cuda, conflicts_with = "lane")]
    emit: Form,

    /// Print one JSON object: identity and optimum (gap, sectors), candidates (gap, sectors, lines, cost, index, sigma, vector, requests,
    /// view, dims), padded (the same with lanes), measured, cuda
    #[arg(long)]
    json: bool,

    /// Also write a page that shows which addresses the first warps touch before and after; `-` is standard output, in place of the text
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    html: Option<PathBuf>,
}

/// A measure of schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// pieces of 32 bytes that memory transfers
    Sectors,
    /// distances between the elements of neighbouring lanes
    Gap,
    /// pieces of 128 bytes
    Lines,
    /// instructions that access memory
    Requests,
    /// instructions of the index
    Cost,
}

impl From<By> for Measure {
    fn from(by: By) -> Measure {
        match by {
            By::Sectors => Measure::Sectors,
            By::Gap => Measure::Gap,
            By::Lines => Measure::Lines,
            By::Requests => Measure::Requests,
            By::Cost => Measure::Cost,
        }
    }
}

/// A form of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// CUDA text of the element and of the loads
    Cuda,
    /// movements of a row of elements, as `quaff view` reads them
    View,
    /// equations of dimensions, as `quaff dims` reads them
    Dims,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{text}` is no weight")]
#[diagnostic(code(quaff::coalesce::weight), help("write an index and a number of times, such as `--read 'i*4, 2'`"))]
struct NoWeight {
    text: String,
}

/// The variable that counts elements.
const ELEMENT: &str = "i";

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let warp = Warp::new(args.warp).and_then(|w| w.with_vector(args.vector)).map_err(|e| at_option(&e, args))?;
    let (accesses, given) = accesses(args)?;
    let out = match &args.lane {
        Some(lane) => costs(args, lane, &accesses[0], &given, warp)?,
        None => searched(args, &accesses, &given, warp)?,
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

fn accesses(args: &Arguments) -> Result<(Vec<Access>, Vec<Given>), Failure> {
    let (mut accesses, mut given) = (Vec::new(), Vec::new());
    let gate = args.gate.as_deref().map(|g| args.reading.one(g, "--gate")).transpose()?;
    let mut add = |read: Given, weight: u32, text: &str| -> Result<(), Failure> {
        let access = Access::new(read.parsed.expr().clone(), args.element).map_err(|e| at_option(&e, args))?;
        let access = access.with_weight(weight).map_err(|e| Problem::at_value(&e, read.file, text))?;
        accesses.push(match &gate {
            Some(gate) => access.when(gate.parsed.expr().clone()),
            None => access,
        });
        given.push(read);
        Ok(())
    };
    if args.index.is_some() || args.reads.is_empty() && args.writes.is_empty() {
        add(input::expression(args.index.as_deref(), "index", &args.reading)?, 1, "")?;
    }
    let flags = [(&args.reads, "--read"), (&args.writes, "--write")];
    for (text, flag) in flags.into_iter().flat_map(|(all, flag)| all.iter().map(move |text| (text, flag))) {
        // a weight stands behind the last comma outside of parentheses
        let (index, weight) = match text.rsplit_once(',') {
            Some((index, weight)) if !weight.contains(')') => (index, weight),
            _ => (text.as_str(), "1"),
        };
        let no_weight = |_| Problem::at_value(&NoWeight { text: weight.trim().into() }, flag, text);
        let weight = weight.trim().parse().map_err(no_weight)?;
        add(args.reading.one(index, flag)?, weight, text)?;
    }
    given.extend(gate);
    Ok((accesses, given))
}

/// The problem at the option that it is about, if it is about one.
fn at_option(error: &CoalesceError, args: &Arguments) -> Problem {
    let (flag, value) = match error {
        CoalesceError::Warp { .. } => ("--warp", args.warp.into()),
        CoalesceError::Element { .. } => ("--element", args.element.into()),
        CoalesceError::Vector { .. } => ("--vector", args.vector.into()),
        CoalesceError::NoWholeWarps { n, .. } => ("--n", *n),
        CoalesceError::TooMany { .. } if args.lane.is_none() => ("--n", args.n.unwrap_or(0)),
        _ => return Problem::new(error),
    };
    Problem::at_value(error, flag, &value.to_string())
}

/// The problem at its place, in whichever text that is.
fn refused(error: &CoalesceError, args: &Arguments, given: &[Given]) -> Problem {
    let name = match error {
        CoalesceError::Unknown { unknown, .. } => &unknown.name,
        CoalesceError::Open { name } => name,
        CoalesceError::NoValue { .. } | CoalesceError::Address { .. } if given.len() == 1 => {
            return Problem::at_whole(error, &given[0]);
        }
        _ => return at_option(error, args),
    };
    given.iter().find_map(|g| Problem::at_variable(error, g, name)).unwrap_or_else(|| Problem::new(error))
}

/// What an access costs as it is written.
fn costs(args: &Arguments, lane: &str, access: &Access, given: &[Given], warp: Warp) -> Result<String, Failure> {
    let mut domain = Domain::new();
    domain.declare(lane).map_err(|e| Problem::declared_by(&e, "--lane", lane))?;
    let name = domain.vars().next().unwrap_or_default().to_string();
    input::declare(&mut domain, &args.vars, &args.reading)?;
    let domain = dialect::known(domain, &given.iter().collect::<Vec<_>>())?;
    let measured = measure(access, &name, &domain, warp).map_err(|e| refused(&e, args, given))?;
    if args.json {
        return Ok(json::indented(&CostsJson::from(measured.traffic)));
    }
    let Traffic { gap, sectors, lines, requests, .. } = measured.traffic;
    Ok(format!("gap {gap}, {sectors} sectors, {lines} lines, {requests} requests\n"))
}

fn searched(args: &Arguments, accesses: &[Access], given: &[Given], warp: Warp) -> Result<String, Failure> {
    let n = args.n.unwrap_or(0);
    let found = search(accesses, ELEMENT, n, warp, &Simplifier::default()).map_err(|e| refused(&e, args, given))?;
    let found = found.sorted_by(args.by.into());
    if let Some(path) = &args.html {
        let (title, first) = (given[0].parsed.source(), &found.candidates()[0]);
        let warp = warp.with_vector(first.vector()).map_err(|e| Problem::new(&e))?;
        let drawn = page(title, &accesses[0], ELEMENT, n, warp, first.schedule());
        let drawn = drawn.map_err(|e| refused(&e, args, given))?;
        write_whole(path, |out| out.write_all(drawn.as_bytes()))?;
        if path == Path::new("-") {
            return Ok(String::new());
        }
    }
    Ok(if args.json { json::indented(&FoundJson::from(&found)) } else { listed(&found, warp, args.emit) })
}

fn listed(found: &Found, warp: Warp, form: Form) -> String {
    let summary = |name: &str, Traffic { gap, sectors, .. }: Traffic| format!("{name}: gap {gap}, {sectors} sectors\n");
    let mut out = summary("identity", found.identity()) + &summary("optimum", found.optimum());
    out += "\n";
    let vectors = warp.vector() > 1;
    out += &table(found.candidates(), vectors, false);
    if !found.padded().is_empty() {
        out += "\nwith lanes that have nothing to do:\n";
        out += &table(found.padded(), vectors, true);
    }
    let Some(first) = found.candidates().first() else { return out };
    let text = match form {
        Form::Cuda => cuda(first),
        Form::View => view(first).map(|text| text + "\n"),
        Form::Dims => dims(first),
    };
    out += "\n";
    out + &text.unwrap_or_else(|| "the first schedule has no such form\n".into())
}

/// One line for each candidate, in columns; those of vectors, and of lanes that have nothing to do, only where they are wanted.
fn table(candidates: &[Candidate], vectors: bool, padded: bool) -> String {
    const NUMBERS: usize = 7;
    let shown = [true, true, true, vectors, true, vectors, padded, true, true];
    let names = ["gap", "sectors", "lines", "requests", "cost", "vector", "lanes", "index", "sigma"];
    let mut rows = vec![names.map(String::from)];
    for c in candidates {
        let Traffic { gap, sectors, lines, requests, .. } = c.traffic();
        let [gap, sectors, lines, requests] = [gap, sectors, lines, requests].map(|n| n.to_string());
        let indices: Vec<String> = c.indices().iter().map(Expr::to_string).collect();
        let (cost, vector, lanes) = (c.cost().to_string(), c.vector().to_string(), c.schedule().extent().to_string());
        let (index, sigma) = (cell(&indices.join(", ")), cell(&c.sigma().to_string()));
        rows.push([gap, sectors, lines, requests, cost, vector, lanes, index, sigma]);
    }
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    let aligned = |(column, cell): (usize, &String)| {
        let width = widths[column];
        if column < NUMBERS { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
    };
    let mut out = String::new();
    for row in &rows {
        let line: Vec<String> = row.iter().enumerate().filter(|(column, _)| shown[*column]).map(aligned).collect();
        // writing to a string cannot fail
        let _ = writeln!(out, "{}", line.join("  ").trim_end());
    }
    out
}

/// The element and the loads as functions of `u`, or the loads as those of `t`.
fn cuda(candidate: &Candidate) -> Option<String> {
    let sigma = candidate.sigma_cuda().ok()?;
    let mut out = format!("// 0 <= u < {}\n", candidate.schedule().extent());
    if candidate.vector() > 1 {
        let (vector, last) = (candidate.vector(), candidate.vector().saturating_sub(1));
        out += &format!("// lane t takes the elements of u = {vector}*t .. {vector}*t + {last}\n");
    }
    out += "__device__ int element(int u) {\n";
    for line in sigma.whole().lines() {
        out += &format!("  {line}\n");
    }
    out += "}\n";
    out += &candidate.cuda().ok()?.whole();
    Some(out)
}

/// The schedule as a chain of movements, if it is one.
fn view(candidate: &Candidate) -> Option<String> {
    match candidate.schedule() {
        Schedule::Digits(digits) => Some(digits.chain_text()),
        _ => None,
    }
}

/// The schedule as a program of dimensions, if it is one.
fn dims(candidate: &Candidate) -> Option<String> {
    match candidate.schedule() {
        Schedule::Digits(digits) => digits.dims_text(),
        _ => None,
    }
}

/// `text` as far as a column is wide.
fn cell(text: &str) -> String {
    const WIDTH: usize = 72;
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text.into(),
    }
}

/// A number that JSON holds.
fn short(n: u128) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// What `--json` prints.
#[derive(Serialize)]
struct FoundJson {
    identity: TotalJson,
    optimum: TotalJson,
    candidates: Vec<CandidateJson>,
    padded: Vec<PaddedJson>,
    /// Schedules that were measured.
    measured: u64,
    /// Of the first candidate.
    cuda: Option<String>,
}

#[derive(Serialize)]
struct TotalJson {
    gap: u64,
    sectors: u64,
}

impl From<Traffic> for TotalJson {
    fn from(t: Traffic) -> TotalJson {
        TotalJson { gap: short(t.gap), sectors: short(t.sectors) }
    }
}

/// What `--lane --json` prints.
#[derive(Serialize)]
struct CostsJson {
    gap: u64,
    sectors: u64,
    lines: u64,
    requests: u64,
}

impl From<Traffic> for CostsJson {
    fn from(t: Traffic) -> CostsJson {
        let [gap, sectors, lines, requests] = [t.gap, t.sectors, t.lines, t.requests].map(short);
        CostsJson { gap, sectors, lines, requests }
    }
}

#[derive(Serialize)]
struct CandidateJson {
    gap: u64,
    sectors: u64,
    lines: u64,
    /// Of all that a lane computes for its indices, in instructions.
    cost: Cost,
    index: IndexJson,
    sigma: String,
    /// Elements of one lane.
    vector: u32,
    requests: u64,
    /// The schedule as a chain of movements, if it is one.
    view: Option<String>,
    /// As a program of dimensions, if it is one.
    dims: Option<String>,
}

/// One index, or one for each access.
#[derive(Serialize)]
#[serde(untagged)]
enum IndexJson {
    One(String),
    Several(Vec<String>),
}

#[derive(Serialize)]
struct PaddedJson {
    #[serde(flatten)]
    candidate: CandidateJson,
    /// Lanes over all steps; those whose element is not below `--n` have nothing to do.
    lanes: i64,
}

impl From<&Candidate> for CandidateJson {
    fn from(c: &Candidate) -> CandidateJson {
        let Traffic { gap, sectors, lines, requests, .. } = c.traffic();
        let mut indices: Vec<String> = c.indices().iter().map(Expr::to_string).collect();
        let index = match indices.len() {
            1 => IndexJson::One(indices.remove(0)),
            _ => IndexJson::Several(indices),
        };
        let [gap, sectors, lines, requests] = [gap, sectors, lines, requests].map(short);
        let (cost, sigma, vector) = (c.cost(), c.sigma().to_string(), c.vector());
        CandidateJson { gap, sectors, lines, cost, index, sigma, vector, requests, view: view(c), dims: dims(c) }
    }
}

impl From<&Found> for FoundJson {
    fn from(found: &Found) -> FoundJson {
        let padded = |c: &Candidate| PaddedJson { candidate: c.into(), lanes: c.schedule().extent() };
        FoundJson {
            identity: found.identity().into(),
            optimum: found.optimum().into(),
            candidates: found.candidates().iter().map(CandidateJson::from).collect(),
            padded: found.padded().iter().map(padded).collect(),
            measured: found.measured(),
            cuda: found.candidates().first().and_then(cuda),
        }
    }
}
