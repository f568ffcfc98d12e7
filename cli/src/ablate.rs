//! `quaff rules ablate`: what rules, and sets of rules, are good for.

use crate::output::{Target, apart, handle_of, write_whole};
use crate::report::{Failure, Problem, io_failure};
use crate::rule_folders::{RuleFolders, known, tried};
use crate::{program, progress, report};
use clap::{Args, ValueEnum};
use miette::Diagnostic;
use quaff::Stage;
use quaff::rules::RuleSet;
use quaff_lab::experiment::{BadLine, Corpus, Experiment, Keep, Report, Results, Row, Variant};
use same_file::{Handle, is_same_file};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
What is compared with the base, which is the built-in rules or those of --rules and --add-rules:
  --each        the base without one rule, for every rule (the default)
  --only NAMES  the same for some rules
  --sets DIR... the rules of other folders, each folder a set
  --stages      the base without one stage of a call, for every stage
  --minimal     the base without every rule that can be left out: greedy backward elimination, from the rule whose loss
                costs least to the one whose loss costs most, until none can be left out any more
Normal forms are no rules: they are applied in every set.

Columns: total cost of the answers in instructions, `//` and `%` left in them, e-nodes made, milliseconds of all calls,
cases with another answer than the base, cheaper and dearer ones among them. Times are those of calls made on all cores at
once; for times to rely on take `-j 1 --repeat 5` and a quiet machine.

Files in the folder of -o:
  results.jsonl  one line for each rule set and corpus, written when it is finished. A run that was stopped goes on from
                 there when it is started again: what has the same rules, corpus and program is not run again
  summary.csv    figures by rule set and corpus
  changed.csv    every case whose answer is not that of the base
  report.json    both
  report.html    both, with plots, in a page that needs no other file

Exit codes: 1 when lines of the corpus had no answer or a rule has no such name; all others were run.

Examples:
  quaff rules ablate cases.jsonl -o ablation/
  quaff rules ablate cases.jsonl --only mod-recovery,small-remainder
  quaff rules ablate corpus/ --sets rules-2024/ rules-2025/ --json | jq '.rows[] | {variant, cost}'
  quaff rules ablate corpus/ --minimal -o minimal/";

/// Compare the rules with fewer or other rules over a corpus
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    corpora: Corpora,

    #[command(flatten)]
    rules: RuleFolders,

    /// Leave out every rule, one at a time
    #[arg(long)]
    each: bool,

    /// Leave out every stage of a call, one at a time, in place of rules
    #[arg(long, conflicts_with_all = ["each", "only", "sets", "minimal"])]
    stages: bool,

    /// Leave out these rules, one at a time
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "each")]
    only: Vec<String>,

    /// Take the rules of each of these folders
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["each", "only"])]
    sets: Vec<PathBuf>,

    /// Search for a smallest set of rules
    #[arg(long, conflicts_with_all = ["each", "only", "sets"])]
    minimal: bool,

    /// What the smallest set must keep
    #[arg(long, value_enum, default_value = "total", requires = "minimal")]
    keep: Criterion,

    /// Rules that the smallest set must have
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "minimal")]
    needed: Vec<String>,

    /// Folder for results and reports
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Calls for each case, of which the shortest time counts
    #[arg(long, value_name = "N", default_value_t = 1)]
    repeat: u32,

    /// Print the report as one JSON object: base, rows, by_corpus, changed, bad, refused, elimination with --minimal
    #[arg(long)]
    json: bool,
}

/// What a smallest set must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Criterion {
    /// the total cost over all corpora
    Total,
    /// the cost of every case
    EveryCase,
}

/// Where the cases come from.
#[derive(Args)]
pub(crate) struct Corpora {
    /// Files of JSON lines as for `quaff batch`, or folders of `*.jsonl` files; `-` is standard input
    #[arg(value_name = "CORPUS", required = true)]
    paths: Vec<PathBuf>,

    /// Threads; 0 means one for each core
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
}

/// The files in the folder of `-o`.
const RESULTS: &str = "results.jsonl";
const SUMMARY: &str = "summary.csv";
const CHANGED: &str = "changed.csv";
const REPORT: &str = "report.json";
const PAGE: &str = "report.html";

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{name}` is both the folder of the corpora and the one for the results")]
#[diagnostic(code(quaff::io::same_file), help("results would be taken for a corpus: give another folder with -o"))]
struct SameFolder {
    name: String,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("the corpora have no line to compare rule sets on")]
#[diagnostic(code(quaff::rules::no_cases), help("a line of a corpus has the fields `vars` and `expr`"))]
struct NoCases;

impl Corpora {
    /// Refuses to write files that are read, and to write into a folder of corpora, where results would be taken for one.
    fn apart_from(&self, folder: &Path) -> Result<(), Failure> {
        let outputs = [RESULTS, SUMMARY, CHANGED, REPORT, PAGE].map(|name| Target::File(folder.join(name)));
        for path in &self.paths {
            if path == Path::new("-") {
                apart(Handle::stdin(), &outputs)?;
            } else if path.is_dir() {
                if is_same_file(path, folder).map_err(io_failure(folder))? {
                    return Err(Failure::Usage(Box::new(Problem::new(&SameFolder {
                        name: path.display().to_string(),
                    }))));
                }
                for entry in std::fs::read_dir(path).map_err(io_failure(path))?.flatten() {
                    apart(handle_of(&entry.path()), &outputs)?;
                }
            } else {
                apart(handle_of(path), &outputs)?;
            }
        }
        Ok(())
    }

    pub(crate) fn load(&self) -> Result<Vec<Corpus>, Failure> {
        let mut corpora = Vec::new();
        for path in &self.paths {
            if path == Path::new("-") {
                let mut bytes = Vec::new();
                io::stdin().read_to_end(&mut bytes).map_err(io_failure(path))?;
                corpora.push(Corpus::parse("standard input", &bytes));
            } else {
                corpora.extend(Corpus::load(path).map_err(io_failure(path))?);
            }
        }
        let slips: BTreeSet<_> = corpora.iter().flat_map(Corpus::slips).collect();
        slips.iter().for_each(|(written, meant)| report::warn_slip(written, meant));
        Ok(corpora)
    }
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let base = Variant::new("base", args.rules.set()?);
    let variants = variants(args, &base)?;
    for name in &args.needed {
        known(base.rules(), name)?;
    }
    let results = match &args.output {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(io_failure(folder))?;
            args.corpora.apart_from(folder)?;
            let path = folder.join(RESULTS);
            Results::open(&path).map_err(io_failure(&path))?
        }
        None => Results::in_memory(),
    };
    let experiment =
        Experiment::new(base, args.corpora.load()?).with_engine(program::identity()).with_repeat(args.repeat);
    if experiment.cases() == 0 {
        let bad: Vec<&[BadLine]> = experiment.corpora().iter().map(Corpus::bad).collect();
        report::list_lines(&bad);
        return Err(Problem::new(&NoCases).into());
    }
    let failed = |error| Failure::Io { what: "results".into(), error };
    let sets = if args.minimal { experiment.base().rules().rules().len() } else { 1 + variants.len() };
    let bar = progress::bar(Some((experiment.cases() * sets) as u64));
    progress::remember_panics();
    let report = progress::pool(args.corpora.threads)?.install(|| match args.minimal {
        true => {
            let keep = match args.keep {
                Criterion::Total => Keep::Total,
                Criterion::EveryCase => Keep::EveryCase,
            };
            // how many sets are tried shows on the way
            let progress = |n| {
                bar.inc(n as u64);
                if bar.position() > bar.length().unwrap_or(0) {
                    bar.inc_length(experiment.cases() as u64);
                }
            };
            experiment.minimal(keep, &args.needed, &results, &progress)
        }
        false => experiment.compare(&variants, &results, &|n| bar.inc(n as u64)),
    });
    bar.finish_and_clear();
    let report = report.map_err(failed)?;
    if let Some(folder) = &args.output {
        write_files(folder, &report)?;
        eprintln!("quaff: {} runs computed, the others found in {}", results.computed(), folder.display());
    }
    let out = if args.json { format!("{:#}\n", report.json()) } else { table(&report) };
    written(&out).map_err(io_failure(Path::new("-")))?;
    let lines = experiment.corpora().iter().map(|c| c.cases().len() + c.bad().len()).sum();
    report::lines_without_answer(&[&report.bad, &report.refused], lines)
}

/// The rule sets to compare with the base.
fn variants(args: &Arguments, base: &Variant) -> Result<Vec<Variant>, Failure> {
    if args.minimal {
        return Ok(Vec::new());
    }
    if args.stages {
        return Ok(Stage::ALL.iter().map(|&stage| base.without_stage(stage)).collect());
    }
    if !args.sets.is_empty() {
        let set = |d: &PathBuf| {
            let set = RuleSet::load(d)?;
            if !args.rules.trusts() {
                tried(&set)?;
            }
            Ok(Variant::new(d.display().to_string(), set))
        };
        return args.sets.iter().map(set).collect();
    }
    if !args.only.is_empty() {
        return args.only.iter().map(|name| known(base.rules(), name).map(|r| base.without(r.name()))).collect();
    }
    Ok(base.rules().rules().iter().map(|r| base.without(r.name())).collect())
}

fn write_files(folder: &Path, report: &Report) -> Result<(), Failure> {
    write_whole(&folder.join(SUMMARY), |out| report.write_csv(out))?;
    write_whole(&folder.join(CHANGED), |out| report.write_changed_csv(out))?;
    write_whole(&folder.join(REPORT), |out| writeln!(out, "{:#}", report.json()))?;
    write_whole(&folder.join(PAGE), |out| out.write_all(report.html().as_bytes()))
}

pub(crate) fn written(text: &str) -> io::Result<()> {
    io::stdout().lock().write_all(text.as_bytes())
}

pub(crate) fn table(report: &Report) -> String {
    let width = report.rows.iter().map(|r| r.variant.len()).max().unwrap_or(0).max(12);
    let mut out = format!(
        "{:<width$}{:>6}{:>12}{:>10}{:>11}{:>10}{:>10}{:>9}{:>9}{:>8}\n",
        "rule set", "rules", "cost", "+", "divisions", "e-nodes", "ms", "changed", "cheaper", "dearer"
    );
    for r in std::iter::once(&report.base).chain(&report.rows) {
        let Row { variant, rules, cost, divisions, nodes, ms, changed, cheaper, dearer, .. } = r;
        let more = cost.instructions() - report.base.cost.instructions();
        let more = if more == 0.0 { String::new() } else { format!("{more:+.1}") };
        let _ = writeln!(
            out,
            "{variant:<width$}{rules:>6}{cost:>12.1}{more:>10}{divisions:>11}{nodes:>10}{ms:>10.0}{changed:>9}{cheaper:>9}{dearer:>8}"
        );
    }
    if let Some(e) = &report.elimination {
        let _ = writeln!(out, "{} rules stay: {}", e.kept.len(), e.kept.join(" "));
        let _ = writeln!(out, "{} rules can be left out: {}", e.left_out.len(), e.left_out.join(" "));
    }
    let _ = writeln!(out, "{} cases", report.base.cases);
    out
}
