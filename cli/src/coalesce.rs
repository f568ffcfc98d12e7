//! `quaff coalesce`: what the accesses of warps cost, and schedules under which they cost less.

use crate::answer;
use crate::input;
use crate::json;
use crate::output::write_whole;
use crate::report::{Failure, Given, Problem, io_failure};
use clap::Args;
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::coalesce::{Access, Candidate, CoalesceError, Found, Traffic, Warp, measure, page, search};
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::Expr;
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
/// element lane `u` takes. Prints those of which no other one is better in gap, sectors, lines or cost and nowhere worse, and the
/// CUDA text of the first. With `--lane`, says what an access costs as it is written.
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

    /// Elements that a lane accesses at once where they are aligned neighbours: 1, 2, 4, 8 or 16
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    vector: u32,

    /// Say what the access costs when this variable counts the threads of a block, and search nothing
    #[arg(long, value_name = "NAME=RANGE", conflicts_with_all = ["n", "reads", "writes", "html"])]
    lane: Option<String>,

    /// What is known of another variable, as for `simplify`
    #[arg(long = "var", value_name = "NAME=RANGE", requires = "lane")]
    vars: Vec<String>,

    /// Print one JSON object: identity and optimum (gap, sectors), candidates (gap, sectors, lines, cost, index, sigma), padded (the
    /// same with lanes), measured, cuda
    #[arg(long)]
    json: bool,

    /// Also write a page that shows which addresses the first warps touch before and after; `-` is standard output, in place of the text
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    html: Option<PathBuf>,
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
    let warp = Warp::new(args.warp).and_then(|w| w.with_vector(args.vector)).map_err(|e| Problem::new(&e))?;
    let (accesses, given) = accesses(args)?;
    let out = match &args.lane {
        Some(lane) => costs(args, lane, &accesses[0], &given, warp)?,
        None => searched(args, &accesses, &given, warp)?,
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

fn accesses(args: &Arguments) -> Result<(Vec<Access>, Vec<Given>), Failure> {
    let (mut accesses, mut given) = (Vec::new(), Vec::new());
    let gate = args.gate.as_deref().map(|g| input::expression(Some(g), "--gate")).transpose()?;
    let mut add = |read: Given, weight: u32| -> Result<(), Failure> {
        let access = Access::new(read.parsed.expr().clone(), args.element).and_then(|a| a.with_weight(weight));
        let access = access.map_err(|e| Problem::new(&e))?;
        accesses.push(match &gate {
            Some(gate) => access.when(gate.parsed.expr().clone()),
            None => access,
        });
        given.push(read);
        Ok(())
    };
    if args.index.is_some() || args.reads.is_empty() && args.writes.is_empty() {
        add(input::expression(args.index.as_deref(), "index")?, 1)?;
    }
    let flags = [(&args.reads, "--read"), (&args.writes, "--write")];
    for (text, flag) in flags.into_iter().flat_map(|(all, flag)| all.iter().map(move |text| (text, flag))) {
        // a weight stands behind the last comma outside of parentheses
        let (index, weight) = match text.rsplit_once(',') {
            Some((index, weight)) if !weight.contains(')') => (index, weight),
            _ => (text.as_str(), "1"),
        };
        let weight = weight.trim().parse().map_err(|_| Problem::new(&NoWeight { text: weight.trim().into() }))?;
        add(input::expression(Some(index), flag)?, weight)?;
    }
    given.extend(gate);
    Ok((accesses, given))
}

/// The problem at its place, in whichever text that is.
fn refused(error: &CoalesceError, given: &[Given]) -> Problem {
    let name = match error {
        CoalesceError::Unknown { unknown, .. } => &unknown.name,
        CoalesceError::Open { name } => name,
        CoalesceError::NoValue { .. } | CoalesceError::Address { .. } if given.len() == 1 => {
            return Problem::at_whole(error, &given[0]);
        }
        _ => return Problem::new(error),
    };
    given.iter().find_map(|g| Problem::at_variable(error, g, name)).unwrap_or_else(|| Problem::new(error))
}

/// What an access costs as it is written.
fn costs(args: &Arguments, lane: &str, access: &Access, given: &[Given], warp: Warp) -> Result<String, Failure> {
    let mut domain = Domain::new();
    domain.declare(lane).map_err(|e| Problem::declared_by(&e, "--lane", lane))?;
    let name = domain.vars().next().unwrap_or_default().to_string();
    for text in &args.vars {
        domain.declare(text).map_err(|e| Problem::declaration(&e, text))?;
    }
    let measured = measure(access, &name, &domain, warp).map_err(|e| refused(&e, given))?;
    if args.json {
        return Ok(json::indented(&CostsJson::from(measured.traffic)));
    }
    let Traffic { gap, sectors, lines, requests, .. } = measured.traffic;
    Ok(format!("gap {gap}, {sectors} sectors, {lines} lines, {requests} requests\n"))
}

fn searched(args: &Arguments, accesses: &[Access], given: &[Given], warp: Warp) -> Result<String, Failure> {
    let n = args.n.unwrap_or(0);
    let found = search(accesses, ELEMENT, n, warp, &Simplifier::default()).map_err(|e| refused(&e, given))?;
    if let Some(path) = &args.html {
        let title = given[0].parsed.source();
        let drawn = page(title, &accesses[0], ELEMENT, n, warp, found.candidates()[0].schedule());
        let drawn = drawn.map_err(|e| refused(&e, given))?;
        write_whole(path, |out| out.write_all(drawn.as_bytes()))?;
        if path == Path::new("-") {
            return Ok(String::new());
        }
    }
    Ok(if args.json { json::indented(&FoundJson::from(&found)) } else { listed(&found) })
}

fn listed(found: &Found) -> String {
    let summary = |name: &str, Traffic { gap, sectors, .. }: Traffic| format!("{name}: gap {gap}, {sectors} sectors\n");
    let mut out = summary("identity", found.identity()) + &summary("optimum", found.optimum());
    out += "\n";
    out += &table(found.candidates(), false);
    if !found.padded().is_empty() {
        out += "\nwith lanes that have nothing to do:\n";
        out += &table(found.padded(), true);
    }
    if let Some(text) = found.candidates().first().and_then(cuda) {
        out += "\n";
        out += &text;
    }
    out
}

/// One line for each candidate, in columns.
fn table(candidates: &[Candidate], padded: bool) -> String {
    let mut rows = vec![["gap", "sectors", "lines", "cost", "lanes", "index", "sigma"].map(String::from)];
    for c in candidates {
        let Traffic { gap, sectors, lines, .. } = c.traffic();
        let numbers = [gap, sectors, lines].map(|n| n.to_string());
        let [gap, sectors, lines] = numbers;
        let indices: Vec<String> = c.indices().iter().map(Expr::to_string).collect();
        let (cost, lanes) = (c.cost().to_string(), c.schedule().extent().to_string());
        rows.push([gap, sectors, lines, cost, lanes, cell(&indices.join(", ")), cell(&c.sigma().to_string())]);
    }
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().filter(|(column, _)| padded || *column != 4);
        let line: Vec<String> = cells
            .map(
                |(column, (cell, width))| {
                    if column < 5 { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
                },
            )
            .collect();
        // writing to a string cannot fail
        let _ = writeln!(out, "{}", line.join("  ").trim_end());
    }
    out
}

/// The element and the loads as functions of `u`.
fn cuda(candidate: &Candidate) -> Option<String> {
    let sigma = candidate.sigma_cuda().ok()?;
    let mut out = format!("// 0 <= u < {}\n__device__ int element(int u) {{\n", candidate.schedule().extent());
    for line in answer::whole(&sigma).lines() {
        out += &format!("  {line}\n");
    }
    out += "}\n";
    out += &answer::whole(&candidate.cuda().ok()?);
    Some(out)
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
    /// Of all indices together, in instructions.
    cost: Cost,
    index: IndexJson,
    sigma: String,
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
        let Traffic { gap, sectors, lines, .. } = c.traffic();
        let mut indices: Vec<String> = c.indices().iter().map(Expr::to_string).collect();
        let index = match indices.len() {
            1 => IndexJson::One(indices.remove(0)),
            _ => IndexJson::Several(indices),
        };
        let [gap, sectors, lines] = [gap, sectors, lines].map(short);
        CandidateJson { gap, sectors, lines, cost: c.cost(), index, sigma: c.sigma().to_string() }
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
