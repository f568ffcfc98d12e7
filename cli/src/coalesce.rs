//! `quaff coalesce`: the cost of memory accesses by warps, and schedules (maps from lanes to elements) that reduce it.

use crate::answering::{Answering, if_shared};
use crate::coalesce_text::{Columns, Form, cuda, dims, form, listed, steps_cuda, view};
use crate::dialect::{self, Reading};
use crate::input;
use crate::json;
use crate::output::write_whole;
use crate::report::{Failure, Given, Problem, io_failure, no_answer};
use clap::Args;
use miette::Diagnostic;
use quaff::SimplifyError;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::substitute::substituted;
use quaff::expr::{Expr, int};
use quaff_explorer::Part;
use quaff_fronts::coalesce::{
    Access, Apart, Candidate, CoalesceError, Found, Objective, Question, Steps, Traffic, Warp, measure,
};
use serde::Serialize;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quaff coalesce 'i%64*64 + i//64' --n 4096
  quaff coalesce --read 'i%64*64 + i//64' --write 'i, 2' --n 4096 --element 4 --html warps.html
  quaff coalesce 'i%64*64 + i//64 + pid' --n 4096 --threads 128 --uniform pid=0..1023 \\
      --by '2*sectors + cost'
  quaff coalesce '(block*256 + t)%64*64' --lane t=0..255 --var block=0..1023";

/// Count the sectors that warps touch, and search schedules that touch fewer sectors
///
/// One lane accesses each element `i` below `--n`. `u` counts lanes over all warps and steps, and a schedule maps lane `u` to its element.
/// The command prints the schedules that are Pareto-optimal in gap, sectors, lines and cost. The best schedule by `--by` comes first, and
/// its CUDA text follows. With `--threads`, the text is for thread `t` in a loop over steps `s`. With `--lane`, the command prints only the
/// cost of the access as it is written.
#[derive(Args)]
#[command(after_help = EXAMPLES, mut_args(|arg| if_shared(arg, |arg| arg.conflicts_with("lane"))))]
pub(crate) struct Arguments {
    /// The index that element `i` accesses; read from standard input when `-`, or when neither `--read` nor `--write` is given
    #[arg(value_name = "INDEX", allow_hyphen_values = true)]
    index: Option<String>,

    /// Another index that is read, and the weight of its cost
    #[arg(long = "read", value_name = "INDEX[, WEIGHT]", allow_hyphen_values = true)]
    reads: Vec<String>,

    /// An index that is written, and the weight of its cost
    #[arg(long = "write", value_name = "INDEX[, WEIGHT]", allow_hyphen_values = true)]
    writes: Vec<String>,

    /// The condition under which element `i` is accessed
    #[arg(long = "mask", visible_alias = "gate", value_name = "CONDITION", allow_hyphen_values = true)]
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

    /// The most elements that a lane accesses at once if they are aligned neighbours: 1, 2, 4, 8 or 16. Together, these elements
    /// have at most 16 bytes. Smaller vectors are tried as well
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    vector: u32,

    /// Print only the cost of the access, without a search; this variable counts the threads of a block
    #[arg(long, value_name = "NAME=RANGE", conflicts_with_all = ["n", "reads", "writes", "html"])]
    lane: Option<String>,

    /// The range of a variable that has the same value in all lanes, such as the number of a block. The range is written as for `simplify`.
    /// The search finds one schedule for all values. If a schedule for each value is better, the search finds these schedules as well. May
    /// be given several times
    #[arg(long = "var", visible_alias = "uniform", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    /// Threads of a block, which access the elements in several steps: lane `u` is thread `t` at step `s` with
    /// `u = t + THREADS*s`
    #[arg(long, value_name = "COUNT", conflicts_with = "lane")]
    threads: Option<u32>,

    #[command(flatten)]
    reading: Reading,

    /// The measure that the first schedule minimises: one of these, or a sum such as `2*sectors + cost`. `sectors` counts the pieces of 32
    /// bytes that warps touch, and `lines` the pieces of 128 bytes. `distance` adds the distances between the elements of neighbouring
    /// lanes. `gap` is `distance` without the distances of 1. `requests` counts the requests of warps to memory. `cost` counts the
    /// instructions of the index of one element. `fetches` counts the lines that a step touches and the step before does not; it needs
    /// `--threads`
    #[arg(
        long,
        value_name = "MEASURE",
        default_value = "sectors",
        conflicts_with = "lane",
        allow_hyphen_values = true
    )]
    by: String,

    /// The form in which the first schedule is printed below the table
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Cuda, conflicts_with = "lane")]
    emit: Form,

    /// Print one JSON object: identity and optimum (gap, sectors), candidates, padded, apart, measured, cuda and steps. A candidate has
    /// gap, sectors, lines, cost, index, schedule, vector, requests, distance, fetches, view and dims. A candidate in padded also has
    /// lanes, and a candidate in apart also has values. With --lane, the object has gap, sectors, lines and requests
    #[arg(long)]
    json: bool,

    /// Also write a page with the addresses that the first warps touch, before and after; `-` prints it instead of the text
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    html: Option<PathBuf>,

    #[command(flatten)]
    answering: Answering,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{text}` is no weight")]
#[diagnostic(code(quaff::coalesce::weight), help("write an index and a number of times, such as `--read 'i*4, 2'`"))]
struct NoWeight {
    text: String,
}

/// The name of the variable that counts elements.
const ELEMENT: &str = "i";
/// The name of the variable of a schedule, which counts the lanes.
const LANE: &str = "u";

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
    let gate = args.gate.as_deref().map(|g| args.reading.one(g, "--mask")).transpose()?;
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
        // a weight follows the last comma outside of parentheses
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

/// The problem for `error`, shown at the option that causes it, if there is one.
fn at_option(error: &CoalesceError, args: &Arguments) -> Problem {
    let (flag, value) = match error {
        CoalesceError::Warp { .. } => ("--warp", args.warp.into()),
        CoalesceError::Element { .. } => ("--element", args.element.into()),
        CoalesceError::Vector { .. } => ("--vector", args.vector.into()),
        CoalesceError::NoWholeWarps { n, .. } => ("--n", *n),
        CoalesceError::Threads { threads, .. } => ("--threads", (*threads).into()),
        CoalesceError::NoThreads => return Problem::at_value(error, "--by", &args.by),
        CoalesceError::TooMany { .. } if args.lane.is_none() => ("--n", args.n.unwrap_or(0)),
        _ => return Problem::new(error),
    };
    Problem::at_value(error, flag, &value.to_string())
}

/// The problem for `error`, shown in the text that causes it.
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

/// Prints the cost of an access as it is written.
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
    let mut uniform = Domain::new();
    input::declare(&mut uniform, &args.vars, &args.reading)?;
    let uniform = dialect::known_but(uniform, &given.iter().collect::<Vec<_>>(), &[ELEMENT.into()])?;
    let objective: Objective = args.by.parse().map_err(|e: CoalesceError| Problem::at_value(&e, "--by", &args.by))?;
    let question = Question::new(accesses, ELEMENT, n, warp).with_uniform(uniform.clone()).by(objective.clone());
    let question = match args.threads {
        Some(threads) => question.with_threads(threads),
        None => question,
    };
    let simplifier = args.answering.simplifier()?;
    let found = match question.search(&simplifier) {
        Err(CoalesceError::Simplify(e @ SimplifyError::WrongAnswer(_))) => Err(no_answer(&e, || Problem::new(&e))),
        found => found.map_err(|e| refused(&e, args, given).into()),
    }?;
    check(args, accesses, &found, &uniform)?;
    if let Some(path) = &args.html {
        let (title, first) = (given[0].parsed.source(), &found.candidates()[0]);
        let drawn = question.picture(title, first).map_err(|e| refused(&e, args, given))?;
        let drawn = Part::schedules(title, &found, &drawn).page();
        write_whole(path, |out| out.write_all(drawn.as_bytes()))?;
        if path == Path::new("-") {
            return Ok(String::new());
        }
    }
    let steps = args.threads.and_then(|_| found.candidates().first()).map(|first| question.steps(first, &simplifier));
    let steps = steps.transpose().map_err(|e| refused(&e, args, given))?;
    if args.json {
        return Ok(json::indented(&FoundJson {
            steps: steps.as_ref().map(StepsJson::from),
            ..FoundJson::from(&found)
        }));
    }
    let columns = Columns::new(&args.by, &objective, args.threads.is_some(), warp);
    Ok(listed(&found, &columns) + "\n" + &form(&found, args.emit, steps.as_ref()))
}

/// Checks the elements and indices of all schedules, and shows the steps of simplification for the first schedule.
fn check(args: &Arguments, accesses: &[Access], found: &Found, uniform: &Domain) -> Result<(), Failure> {
    let n = i64::try_from(args.n.unwrap_or(0)).unwrap_or(i64::MAX);
    let apart = found.apart().iter().map(|a| (a.candidate(), a.residues()));
    let all = found.candidates().iter().chain(found.padded()).map(|c| (c, &[][..])).chain(apart);
    for (candidate, residues) in all {
        let domain = residues.iter().fold(uniform.clone(), |domain, r| r.within(&domain));
        let domain = domain.with(LANE, 0..candidate.schedule().extent());
        args.answering.check_equal([&candidate.schedule().expr(LANE)], candidate.sigma(), &domain)?;
        // exclude lanes without an element, because they make no access
        let inside = domain.assume(candidate.sigma().lt(int(n)));
        for (access, simplified) in accesses.iter().zip(candidate.indices()) {
            let asked = substituted(access.index(), ELEMENT, candidate.sigma());
            let inside = access
                .gate()
                .map_or(inside.clone(), |gate| inside.clone().assume(substituted(gate, ELEMENT, candidate.sigma())));
            args.answering.check_equal([&asked], simplified, &inside)?;
        }
    }
    if let Some(first) = found.candidates().first() {
        args.answering.show(first.trace(), &format!("cost {}", first.cost()));
    }
    Ok(())
}

/// The number `n`, limited to the largest value that JSON holds.
fn short(n: u128) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

/// The output of `--json`.
#[derive(Serialize)]
struct FoundJson {
    identity: TotalJson,
    optimum: TotalJson,
    candidates: Vec<CandidateJson>,
    padded: Vec<PaddedJson>,
    /// The best schedule for each value of the uniform variables, if the best schedule depends on the value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    apart: Vec<ApartJson>,
    /// The number of schedules whose costs were measured.
    measured: u64,
    /// The CUDA text of the first schedule.
    cuda: Option<String>,
    /// The first schedule, as an element for each thread of a block and each step.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<StepsJson>,
}

#[derive(Serialize)]
struct ApartJson {
    /// The conditions on the uniform variables.
    values: Vec<String>,
    #[serde(flatten)]
    candidate: CandidateJson,
}

impl From<&Apart> for ApartJson {
    fn from(apart: &Apart) -> ApartJson {
        let values = apart.residues().iter().map(|r| r.to_string()).collect();
        ApartJson { values, candidate: apart.candidate().into() }
    }
}

#[derive(Serialize)]
struct StepsJson {
    threads: u32,
    steps: i64,
    /// The first element that thread `t` accesses at step `s`.
    schedule: String,
    /// The schedule, under its name in earlier versions.
    sigma: String,
    index: Vec<String>,
    cuda: Option<String>,
}

impl From<&Steps> for StepsJson {
    fn from(steps: &Steps) -> StepsJson {
        StepsJson {
            threads: steps.threads(),
            steps: steps.steps(),
            schedule: steps.sigma().to_string(),
            sigma: steps.sigma().to_string(),
            index: steps.indices().iter().map(Expr::to_string).collect(),
            cuda: steps_cuda(steps),
        }
    }
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

/// The output of `--lane --json`.
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
    /// The cost of all indices and gates of one lane, in instructions.
    cost: Cost,
    index: IndexJson,
    schedule: String,
    /// The schedule, under its name in earlier versions.
    sigma: String,
    /// The number of elements that one lane accesses together.
    vector: u32,
    requests: u64,
    distance: u64,
    /// The number of memory lines of 128 bytes that a step of a block touches and the step before it did not touch. 0
    /// if no threads of a block are given.
    fetches: u64,
    /// The schedule as a chain of movements, if it has this form.
    view: Option<String>,
    /// The schedule as a program of dimensions, if it has this form.
    dims: Option<String>,
}

/// The index of the only access, or the indices of all accesses.
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
    /// The number of lanes, counted over all steps. A lane whose element is at least `--n` does nothing.
    lanes: i64,
}

impl From<&Candidate> for CandidateJson {
    fn from(c: &Candidate) -> CandidateJson {
        let Traffic { gap, sectors, lines, requests, distance, fetches } = c.traffic();
        let mut indices: Vec<String> = c.indices().iter().map(Expr::to_string).collect();
        let index = match indices.len() {
            1 => IndexJson::One(indices.remove(0)),
            _ => IndexJson::Several(indices),
        };
        let [gap, sectors, lines, requests] = [gap, sectors, lines, requests].map(short);
        let [distance, fetches] = [distance, fetches].map(short);
        let (cost, sigma, vector, view, dims) = (c.cost(), c.sigma().to_string(), c.vector(), view(c), dims(c));
        let schedule = sigma.clone();
        CandidateJson {
            gap,
            sectors,
            lines,
            cost,
            index,
            schedule,
            sigma,
            vector,
            requests,
            distance,
            fetches,
            view,
            dims,
        }
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
            apart: found.apart().iter().map(ApartJson::from).collect(),
            measured: found.measured(),
            cuda: found.candidates().first().and_then(cuda),
            steps: None,
        }
    }
}
