//! `quaff rewrite`: rewrites source files with cheaper index arithmetic.

use crate::input;
use crate::json;
use crate::output::write_whole;
use crate::report::{Failure, Problem, io_failure};
use crate::rule_folders::AnswerRules;
use crate::target::TargetName;
use clap::Args;
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::quasi;
use quaff_dialects::IntegerType;
use quaff_draw::page::counted;
use quaff_rewrite::{Change, Language, Options, Prepared, Report, Rewritten, rewrite};
use serde::Serialize;
use similar::TextDiff;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quaff rewrite examples/sources/im2col.cu
  quaff rewrite --check examples/sources/*.cu
  quaff rewrite kernel.cu --var n=1..4096 --assume 'n % 16 == 0' --block 256 --write

A comment in or directly before a function gives facts about the variables of the function:
  // quaff: n in 1..4096, n % 16 == 0, shift < ws

Exit codes:
  0   all files were read, and with --check, no file would change
  1   a file was refused, or with --check, a file would change";

/// Rewrite the index arithmetic of source files
///
/// The kernels of each file are rewritten. Kernels are functions with `__global__` or `__device__` in CUDA, all functions in C and C++, and
/// functions under `@triton.jit` in Python. The integer expressions of a kernel are simplified together. Each new value is compared with
/// the old value, and then a patch is printed. Comments, macros and everything that is no integer stay as they are.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Files: `.cu` and `.cuh` of CUDA, `.c`, `.cc`, `.cpp`, `.cxx`, `.h` and `.hpp`, and `.py` with Triton
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Write the files instead of printing a patch
    #[arg(long, conflicts_with = "check")]
    write: bool,

    /// Print only the names of files that would change, and end with code 1 if a file would change
    #[arg(long)]
    check: bool,

    /// Print one JSON array with an object for each file: file, is_changed, text and kernels. A kernel has name, line, before and after
    /// (costs), changes, assumed, left, unknown_signs, proved, tried and prepared
    #[arg(long, conflicts_with = "check")]
    json: bool,

    /// Also print the steps from each old value to a new one
    #[arg(long, conflicts_with_all = ["check", "json"])]
    explain: bool,

    /// Let the host prepare divisors (CUDA only). Kernels get prepared divisors as further parameters, and launches in the
    /// same file pass them
    #[arg(long)]
    host: bool,

    /// The range of a variable of the kernels, written as for `simplify`
    #[arg(long = "var", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    /// A condition that holds in each kernel that has all variables of the condition
    #[arg(long = "assume", value_name = "CONDITION")]
    conditions: Vec<String>,

    /// The value of a template parameter, a macro or a `tl.constexpr`
    #[arg(long = "define", value_name = "NAME=VALUE", value_parser = definition)]
    definitions: Vec<(String, i64)>,

    /// Threads of a block along x, y and z: `256` or `32,8`
    #[arg(long, value_name = "X,Y,Z", value_parser = sizes::<1024>)]
    block: Option<Sizes>,

    /// The most blocks of a grid along x, y and z
    #[arg(long, value_name = "X,Y,Z", value_parser = sizes::<0x7fff_ffff>)]
    grid: Option<Sizes>,

    #[command(flatten)]
    target: TargetName,

    #[command(flatten)]
    rules: AnswerRules,
}

/// Sizes along x, y and z.
#[derive(Clone)]
struct Sizes(Vec<i64>);

/// One to three sizes of at most `MOST`.
fn sizes<const MOST: i64>(text: &str) -> Result<Sizes, String> {
    let size = |part: &str| part.trim().parse().ok().filter(|size| (1..=MOST).contains(size));
    let all: Option<Vec<i64>> = text.split(',').map(size).collect();
    let all = all.filter(|all| all.len() <= 3);
    all.map(Sizes).ok_or_else(|| format!("one to three numbers from 1 to {MOST} are needed, as in `32,8`"))
}

fn definition(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("a name and a number are needed, as in `TILE=32`")?;
    let value = value.trim().parse().map_err(|error| format!("`{value}` is no number: {error}"))?;
    Ok((name.trim().into(), value))
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{name}` has no language that is known by its name")]
#[diagnostic(code(quaff::rewrite::language), help("names end with .cu, .cuh, .c, .cc, .cpp, .cxx, .h, .hpp or .py"))]
struct NoLanguage {
    name: String,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{name}` has no launches")]
#[diagnostic(code(quaff::rewrite::no_host), severity(Warning), help("--host changes kernels in CUDA"))]
struct NoHost {
    name: String,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{0}")]
#[diagnostic(code(quaff::rewrite::fact))]
struct NoFact(String);

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("no file has the name `{name}` of --var, --assume or --define")]
#[diagnostic(code(quaff::rewrite::unknown_name), severity(Warning))]
struct UnknownName {
    name: String,
}

/// Whether `name` is a built-in variable of CUDA. `--block` and `--grid` give the sizes of such variables.
fn is_builtin(name: &str) -> bool {
    IntegerType::of_builtin(name).is_some()
}

/// The exit code of `--check` when a file would change.
const CHANGES: u8 = 1;

pub(crate) fn run(args: &Arguments) -> Result<u8, Failure> {
    let options = options(args)?;
    let simplifier = args.rules.given_to(Simplifier::default().for_target(args.target.table()))?;
    let (mut changed, mut objects) = (0, Vec::new());
    let mut unknown: Vec<String> = options.names().into_iter().filter(|name| !is_builtin(name)).collect();
    let mut out = std::io::stdout().lock();
    for path in &args.files {
        let name = path.display().to_string();
        let language = Language::of(path);
        let language =
            language.ok_or_else(|| Failure::Usage(Box::new(Problem::new(&NoLanguage { name: name.clone() }))))?;
        if args.host && language != Language::Cuda {
            Problem::new(&NoHost { name: name.clone() }).warn();
        }
        let source = input::read(path)?;
        unknown.retain(|name| !source.contains(name.as_str()));
        let answer = rewrite(&source, language, &options, &simplifier);
        let answer = answer.map_err(|error| Failure::Refused(Box::new(Problem::in_file(&error, &name, &source))))?;
        let is_changed = answer.text != source;
        changed += usize::from(is_changed);
        if args.write && is_changed {
            write_whole(path, |file| file.write_all(answer.text.as_bytes()))?;
        }
        let text = match (args.json, args.check) {
            (true, _) => {
                objects.push(json::line(&FileJson::new(&name, is_changed, &answer)));
                String::new()
            }
            (_, true) if is_changed => format!("{name}\n"),
            (_, true) => String::new(),
            _ => told(args, &name, &source, &answer, &simplifier),
        };
        out.write_all(text.as_bytes()).map_err(io_failure(Path::new("-")))?;
    }
    for name in unknown {
        Problem::new(&UnknownName { name }).warn();
    }
    if args.json {
        let text = format!("[{}]\n", objects.iter().map(|o| o.trim_end()).collect::<Vec<_>>().join(",\n"));
        out.write_all(text.as_bytes()).map_err(io_failure(Path::new("-")))?;
    }
    Ok(if args.check && changed > 0 { CHANGES } else { 0 })
}

/// The options of the rewriter, which apply to all kernels.
fn options(args: &Arguments) -> Result<Options, Failure> {
    let mut notes: Vec<String> = Vec::new();
    for text in &args.vars {
        // declare it here only to report an error in its range
        Domain::new().declare(text).map_err(|e| Failure::Usage(Box::new(Problem::declaration(&e, text))))?;
        let (name, range) = text.split_once('=').unwrap_or((text, ""));
        notes.push(format!("{} in {}", name.trim(), range.trim()));
    }
    notes.extend(args.conditions.iter().cloned());
    for (axis, threads) in ["x", "y", "z"].into_iter().zip(args.block.iter().flat_map(|sizes| &sizes.0)) {
        notes.push(format!("blockDim.{axis} in {threads}..{threads}, threadIdx.{axis} in 0..{}", threads - 1));
    }
    for (axis, blocks) in ["x", "y", "z"].into_iter().zip(args.grid.iter().flat_map(|sizes| &sizes.0)) {
        notes.push(format!("gridDim.{axis} in 1..{blocks}, blockIdx.{axis} in 0..{}", blocks - 1));
    }
    let known = notes.iter().try_fold(Options::default(), |options, note| options.note(note));
    let known = if args.host { known.map(Options::host) } else { known };
    let options = known.map_err(|reason| Failure::Usage(Box::new(Problem::new(&NoFact(reason)))))?;
    Ok(args.definitions.iter().fold(options, |options, (name, value)| options.define(name.clone(), *value)))
}

/// The patch of a file, and the result for each of its kernels.
fn told(args: &Arguments, name: &str, source: &str, answer: &Rewritten, simplifier: &Simplifier) -> String {
    let mut text = String::new();
    if !args.write && answer.text != source {
        let diff = TextDiff::from_lines(source, &answer.text);
        text += &diff.unified_diff().header(name, name).to_string();
    }
    if answer.kernels.is_empty() {
        text += &format!("{name}: no kernels\n");
    }
    for kernel in &answer.kernels {
        // writing into a string cannot fail
        let _ = writeln!(text, "{}", summary(name, kernel));
        for change in &kernel.changes {
            let _ = writeln!(
                text,
                "  line {}: `{}` -> `{}`{}",
                change.line,
                one_line(&change.before),
                one_line(&change.after),
                costs(change)
            );
            if args.explain {
                text += &steps(change, simplifier);
            }
        }
        let is_changed = !kernel.changes.is_empty() || !kernel.prepared.is_empty();
        // list the assumptions only if the kernel has changed
        for sentence in kernel.assumed.iter().filter(|_| is_changed) {
            let _ = writeln!(text, "  assumed: {sentence}");
        }
        if let (false, Some(name)) = (is_changed, kernel.unknown_signs.first()) {
            let all = kernel.unknown_signs.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let _ = writeln!(
                text,
                "  note: {all} may be 0 or negative; a fact such as `--assume '{name} >= 1'` may make values cheaper"
            );
        }
        text += &host(&kernel.prepared);
        for left in &kernel.left {
            let _ = writeln!(text, "  left: line {}: `{}`: {}", left.line, one_line(&left.text), left.reason);
        }
    }
    text
}

fn summary(name: &str, kernel: &Report) -> String {
    let Report { line, before, after, proved, tried, .. } = kernel;
    let kernel_name = &kernel.name;
    let is_read = kernel.left.is_empty() || *before > Cost::default();
    if !is_read {
        return format!("{name}:{line}: {kernel_name}: left as written");
    }
    if kernel.changes.is_empty() && kernel.prepared.is_empty() && before == after {
        return format!("{name}:{line}: {kernel_name}: {}, nothing is cheaper", counted(before, "instruction"));
    }
    let tried = match tried {
        0 => String::new(),
        n => format!(", {n} equal at all points that were tried"),
    };
    let (after, proved) = (counted(after, "instruction"), counted(proved, "value"));
    format!("{name}:{line}: {kernel_name}: {before} -> {after}, {proved} proved equal{tried}")
}

/// The arguments that launches must pass for divisors that the host prepares.
fn host(prepared: &[Prepared]) -> String {
    let Some(first) = prepared.first() else { return String::new() };
    let divisions: usize = prepared.iter().map(|p| p.divisions).sum();
    let arguments: Vec<String> = prepared.iter().map(|p| format!("quaff_divisor({})", p.divisor)).collect();
    let launches = match first.launches {
        0 => "no launch is in the file".into(),
        1 => "the launch in the file passes them".into(),
        n => format!("the {n} launches in the file pass them"),
    };
    let are = if divisions == 1 { "is" } else { "are" };
    let divisions = counted(divisions, "division");
    format!("  host: {divisions} {are} prepared; further arguments: {}; {launches}\n", arguments.join(", "))
}

fn costs(change: &Change) -> String {
    change.cost.map_or_else(String::new, |(before, after)| format!(" ({before} -> {after})"))
}

/// `text` on one line, shortened if it is long.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 120;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &words[..at]),
        None => words,
    }
}

/// The steps from the old value of a changed text to its simplest form, as text.
fn steps(change: &Change, simplifier: &Simplifier) -> String {
    match simplifier.explain(&change.value, &change.domain, &quasi::Options::default()) {
        Ok(explanation) => explanation.to_string().lines().map(|line| format!("    {line}\n")).collect(),
        Err(error) => format!("    {error}\n"),
    }
}

/// The output of `--json` for one file.
#[derive(Serialize)]
struct FileJson<'a> {
    file: &'a str,
    is_changed: bool,
    text: &'a str,
    kernels: Vec<KernelJson<'a>>,
}

#[derive(Serialize)]
struct KernelJson<'a> {
    name: &'a str,
    line: usize,
    before: Cost,
    after: Cost,
    changes: Vec<ChangeJson<'a>>,
    assumed: &'a [String],
    left: Vec<LeftJson<'a>>,
    unknown_signs: &'a [String],
    proved: usize,
    tried: usize,
    prepared: Vec<PreparedJson<'a>>,
}

#[derive(Serialize)]
struct PreparedJson<'a> {
    name: &'a str,
    divisor: &'a str,
    divisions: usize,
    launches: usize,
}

#[derive(Serialize)]
struct ChangeJson<'a> {
    line: usize,
    before: &'a str,
    after: &'a str,
    cost: Option<(Cost, Cost)>,
}

#[derive(Serialize)]
struct LeftJson<'a> {
    line: usize,
    text: &'a str,
    reason: &'a str,
}

impl<'a> FileJson<'a> {
    fn new(file: &'a str, is_changed: bool, answer: &'a Rewritten) -> FileJson<'a> {
        FileJson { file, is_changed, text: &answer.text, kernels: answer.kernels.iter().map(KernelJson::new).collect() }
    }
}

impl<'a> KernelJson<'a> {
    fn new(kernel: &'a Report) -> KernelJson<'a> {
        let Report { name, line, before, after, changes, assumed, left, unknown_signs, proved, tried, prepared } =
            kernel;
        let change = |c: &'a Change| ChangeJson { line: c.line, before: &c.before, after: &c.after, cost: c.cost };
        KernelJson {
            name,
            line: *line,
            before: *before,
            after: *after,
            changes: changes.iter().map(change).collect(),
            assumed,
            left: left.iter().map(|l| LeftJson { line: l.line, text: &l.text, reason: &l.reason }).collect(),
            unknown_signs,
            proved: *proved,
            tried: *tried,
            prepared: prepared
                .iter()
                .map(|p| PreparedJson {
                    name: &p.name,
                    divisor: &p.divisor,
                    divisions: p.divisions,
                    launches: p.launches,
                })
                .collect(),
        }
    }
}
