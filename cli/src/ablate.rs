//! `quaff rules ablate`: the effect of single rules, and of sets of rules, on answers.

use crate::corpora::{Corpora, lines, with_cases};
use crate::output::{print_text, write_whole};
use crate::report::{Failure, io_failure};
use crate::rule_folders::{RuleFolders, known, loaded, tried};
use crate::variant::Part;
use crate::{program, progress, report};
use clap::{Args, ValueEnum};
use quaff::Stage;
use quaff::rules::RuleSet;
use quaff_draw::page::counted;
use quaff_lab::experiment::{Experiment, Keep, Report, Results, Row, Times, Variant};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The base is the built-in rules, or the rules of --rules and --add-rules. The command compares the
base with other rule sets, which these options choose:
  --each           the base without one rule, for every rule (the default)
  --without NAMES  the base without one rule or stage of a call, for each of these names
  --stages         the base without one stage of a call, for every stage
  --pairs          the base without two rules or stages. The pairs are made of the NAMES of
                   --without, or of all rules or stages whose single loss changes the cost. A pair
                   interacts if its loss costs more or less than both single losses together
  --alone          one rule, for every rule or each rule of --without. The base then has no rules
  --random N       N random halves of the rules, chosen by --seed
  --sets DIR...    the rules of other folders. Each folder is one set
  --minimal        the base without every rule that can be left out. Greedy backward elimination
                   begins with the rule whose loss costs least, and ends if no rule can be left out
Normal forms are not rules. They are applied in every set.

The output begins with a summary. The table lists the sets that change an answer, the costliest
first. Columns:
  cost       total cost of the answers in instructions
  divisions  number of `//` and `%` in the answers
  e-nodes    number of e-nodes made
  work       number of instructions of rules
  changed    number of cases whose answer differs from the answer of the base
  cheaper    number of changed cases with a cheaper answer
  costlier   number of changed cases with a costlier answer
All these figures are the same on every machine.

With --times, each case is first called with the base and with the rule set to warm up. Then the
base and the rule set are called by turns. The table has the median and the quartiles of the rounds
in milliseconds, and the difference from the base. A difference is `noise` if its 99 % interval,
from a paired bootstrap over the cases, contains 0. The base is also compared with itself. Use
`-j 1` and a quiet machine.

Files in the folder of -o:
  results.jsonl  one line for each rule set and corpus, written when that run is finished. If a
                 stopped command is started again, it continues from this file: a run with the same
                 rules, corpus and program is not repeated
  summary.csv    figures by rule set and corpus
  rounds.csv     e-nodes, e-classes, merges and work of each rule set, by round of saturation
  changed.csv    every case whose answer differs from the answer of the base
  report.json    the contents of the three CSV files, as one JSON object
  report.html    figures and changed cases, with plots, in a page that needs no other file

Exit codes: 1 if a name is not the name of a rule or stage, or if lines of the corpus had no answer.
All other lines were run.

Examples:
  quaff rules ablate cases.jsonl -o ablation/
  quaff rules ablate cases.jsonl --without mod-recovery,small-remainder --pairs
  quaff rules ablate cases.jsonl --stages --times -j 1
  quaff rules ablate cases.jsonl -o new/ --against old/
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

    /// Leave out every stage of a call instead of rules, one at a time
    #[arg(long, conflicts_with_all = ["each", "without", "sets", "minimal"])]
    stages: bool,

    /// Leave out these rules and stages, one at a time
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "each")]
    without: Vec<String>,

    /// Also leave out two rules or stages at a time
    #[arg(long, conflicts_with_all = ["alone", "random", "sets", "minimal"])]
    pairs: bool,

    /// Use each rule alone
    #[arg(long, conflicts_with_all = ["each", "stages", "random", "sets", "minimal"])]
    alone: bool,

    /// Use N random halves of the rules
    #[arg(long, value_name = "N", conflicts_with_all = ["each", "stages", "without", "sets", "minimal"])]
    random: Option<u64>,

    /// Seed of the first random half; each later half has the next number as its seed
    #[arg(long, value_name = "N", default_value_t = 1, requires = "random")]
    seed: u64,

    /// Use the rules of each of these folders as one set
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["each", "without"])]
    sets: Vec<PathBuf>,

    /// Search for a smallest set of rules
    #[arg(long, conflicts_with_all = ["each", "without", "sets"])]
    minimal: bool,

    /// The cost that the smallest set must keep
    #[arg(long, value_enum, default_value = "total", requires = "minimal")]
    keep: Criterion,

    /// Rules that the smallest set must contain
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "minimal")]
    needed: Vec<String>,

    /// Folder for results and reports
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Measure times in N rounds [5 without a number]
    #[arg(long, value_name = "N", conflicts_with = "minimal", num_args = 0..=1, require_equals = true, default_value_t = 0, default_missing_value = "5",
          value_parser = clap::value_parser!(u32).range(0..=1000), hide_default_value = true)]
    times: u32,

    /// Compare with the results of another program or commit; DIR is the folder of its -o
    #[arg(long, value_name = "DIR")]
    against: Option<PathBuf>,

    /// Print the report as one JSON object: headline, base, rows, by_corpus, changed, bad, refused, elimination (with
    /// --minimal) and earlier (with --against)
    #[arg(long)]
    json: bool,
}

/// The cost that a smallest set must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Criterion {
    /// the total cost over all corpora
    Total,
    /// the cost of every case
    EveryCase,
}

/// The names of the files that are written into the folder of `-o`.
const RESULTS: &str = "results.jsonl";
const SUMMARY: &str = "summary.csv";
const ROUNDS: &str = "rounds.csv";
const CHANGED: &str = "changed.csv";
const REPORT: &str = "report.json";
const PAGE: &str = "report.html";

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let all = Variant::new("base", args.rules.set()?);
    let variants = variants(args, &all)?;
    for name in &args.needed {
        known(all.rules(), name)?;
    }
    let base = if args.alone { Variant::new("no rule", RuleSet::empty()) } else { all };
    let earlier = args.against.as_deref().map(earlier).transpose()?;
    let results = match &args.output {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(io_failure(folder))?;
            args.corpora.apart_from_folder(folder, &[RESULTS, SUMMARY, ROUNDS, CHANGED, REPORT, PAGE])?;
            let path = folder.join(RESULTS);
            Results::open(&path).map_err(io_failure(&path))?
        }
        None => Results::in_memory(),
    };
    let corpora = with_cases(args.corpora.load()?)?;
    let experiment = Experiment::new(base, corpora).with_engine(program::identity()).with_times(args.times);
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
            // the search for a smallest set does not know at the start how many sets it tries
            let progress = |n| {
                bar.inc(n as u64);
                if bar.position() > bar.length().unwrap_or(0) {
                    bar.inc_length(experiment.cases() as u64);
                }
            };
            experiment.minimal(keep, &args.needed, &results, &progress)
        }
        false => {
            let report = experiment.compare(&variants, &results, &|n| bar.inc(n as u64))?;
            if !args.pairs {
                return Ok(report);
            }
            let pairs = pairs(args, &variants, &report);
            bar.inc_length((experiment.cases() * pairs.len()) as u64);
            experiment.compare(&[variants, pairs].concat(), &results, &|n| bar.inc(n as u64))
        }
    });
    bar.finish_and_clear();
    let mut report = report.map_err(failed)?;
    if let Some((name, earlier)) = &earlier {
        experiment.compare_with_earlier(&mut report, name, earlier, &results).map_err(failed)?;
    }
    if let Some(folder) = &args.output {
        write_files(folder, &report)?;
        eprintln!("quaff: {} computed; all results are in {}", counted(results.computed(), "run"), folder.display());
    }
    let out = if args.json { format!("{:#}\n", report.json()) } else { table(&report) };
    print_text(&out)?;
    report::lines_without_answer(&[&report.bad, &report.refused], lines(experiment.corpora()))
}

/// The rule sets that are compared with the base.
fn variants(args: &Arguments, base: &Variant) -> Result<Vec<Variant>, Failure> {
    if args.minimal {
        return Ok(Vec::new());
    }
    if args.stages {
        return Ok(Stage::ALL.iter().map(|&stage| base.without_stage(stage)).collect());
    }
    if !args.sets.is_empty() {
        let set = |d: &PathBuf| {
            let set = loaded(d)?;
            if !args.rules.trusts() {
                tried(&set)?;
            }
            Ok(Variant::new(d.display().to_string(), set))
        };
        return args.sets.iter().map(set).collect();
    }
    if let Some(count) = args.random {
        return Ok((0..count).map(|n| base.half(args.seed.wrapping_add(n))).collect());
    }
    // a name that is given twice counts once
    let mut names: Vec<&str> = Vec::new();
    for name in &args.without {
        if !names.contains(&&name[..]) {
            names.push(name);
        }
    }
    let all = || base.rules().rules().iter().map(|r| r.name());
    match (args.alone, names.is_empty()) {
        (true, true) => Ok(all().map(|name| base.alone(name)).collect()),
        (true, false) => names.into_iter().map(|name| Ok(base.alone(known(base.rules(), name)?.name()))).collect(),
        (false, true) => Ok(all().map(|name| base.without(name)).collect()),
        (false, false) => names.into_iter().map(|name| without(base, name)).collect(),
    }
}

/// `base` without the stage or the rule called `name`.
fn without(base: &Variant, name: &str) -> Result<Variant, Failure> {
    Ok(match Part::named(base.rules(), name)? {
        Part::Stage(stage) => base.without_stage(stage),
        Part::Rule(rule) => base.without(rule.name()),
    })
}

/// For each pair of `variants`, a variant without the rules and stages that either of them leaves out. With
/// `--without`, all variants are paired. Otherwise only variants whose total cost differs from the base are paired.
fn pairs(args: &Arguments, variants: &[Variant], report: &Report) -> Vec<Variant> {
    let matters = |row: &Row| !args.without.is_empty() || row.cost != report.base.cost;
    let chosen: Vec<&Variant> =
        variants.iter().zip(&report.rows).filter(|(_, row)| matters(row)).map(|p| p.0).collect();
    let second =
        |(i, first): (usize, &&Variant)| chosen[i + 1..].iter().map(|other| first.and(other)).collect::<Vec<_>>();
    chosen.iter().enumerate().flat_map(second).collect()
}

/// Reads the name of the program and the results in the folder of an earlier run.
fn earlier(folder: &Path) -> Result<(String, Results), Failure> {
    let path = folder.join(RESULTS);
    Ok((folder.display().to_string(), Results::read(&path).map_err(io_failure(&path))?))
}

fn write_files(folder: &Path, report: &Report) -> Result<(), Failure> {
    write_whole(&folder.join(SUMMARY), |out| report.write_csv(out))?;
    write_whole(&folder.join(ROUNDS), |out| report.write_rounds_csv(out))?;
    write_whole(&folder.join(CHANGED), |out| report.write_changed_csv(out))?;
    write_whole(&folder.join(REPORT), |out| writeln!(out, "{:#}", report.json()))?;
    write_whole(&folder.join(PAGE), |out| out.write_all(report.html().as_bytes()))
}

/// The results as text: the headline, the base rule set, and the rule sets that change an answer.
pub(crate) fn table(report: &Report) -> String {
    let mut shown: Vec<&Row> = report.rows.iter().filter(|r| r.changed > 0).collect();
    shown.sort_by_key(|row| std::cmp::Reverse(row.cost));
    let width = shown.iter().map(|r| r.variant.len()).max().unwrap_or(0).max(12);
    let mut out = format!("{}\n\n", report.headline());
    let _ = writeln!(
        out,
        "{:<width$}{:>6}{:>12}{:>10}{:>11}{:>10}{:>12}{:>9}{:>9}{:>10}{}{}",
        "rule set",
        "rules",
        "cost",
        "+",
        "divisions",
        "e-nodes",
        "work",
        "changed",
        "cheaper",
        "costlier",
        if shown.iter().any(|r| r.interaction.is_some()) { "  interaction" } else { "" },
        if report.base.times.is_some() { "  ms [quartiles], + [interval]" } else { "" },
    );
    for r in std::iter::once(&report.base).chain(shown.iter().copied()) {
        let Row { variant, rules, cost, divisions, nodes, changed, cheaper, costlier, .. } = r;
        let (more, work) = (signed(r.effect(&report.base)), r.work.instructions());
        let interaction = r.interaction.map_or_else(String::new, |more| format!("{:>13}", signed(more)));
        let times = r.times.as_ref().map_or_else(String::new, |times| format!("  {}", milliseconds(times)));
        let _ = writeln!(
            out,
            "{variant:<width$}{rules:>6}{cost:>12.1}{more:>10}{divisions:>11}{nodes:>10}{work:>12}{changed:>9}{cheaper:>9}{costlier:>10}{interaction}{times}"
        );
    }
    let same = report.rows.len() - shown.len();
    if same > 0 {
        let _ = writeln!(out, "{same} other rule sets change no answer");
    }
    if let Some(e) = &report.elimination {
        let _ = writeln!(out, "{} stay: {}", counted(e.kept.len(), "rule"), e.kept.join(" "));
        let _ = writeln!(out, "{} can be left out: {}", counted(e.left_out.len(), "rule"), e.left_out.join(" "));
    }
    if let Some(e) = &report.earlier {
        let Row { cost, changed, cheaper, costlier, .. } = &e.base;
        let _ = writeln!(
            out,
            "beside {}: cost {cost:.1} there, {:.1} here; {changed} answers differ, {cheaper} are cheaper there, {costlier} are cheaper here",
            e.name, e.cost_here
        );
        if !e.missing.is_empty() {
            let _ = writeln!(out, "no results there of: {}", e.missing.join(" "));
        }
    }
    let _ = writeln!(out, "{}", counted(report.base.cases, "case"));
    out
}

/// `difference` with its sign. The text is empty for 0.
fn signed(difference: f64) -> String {
    if difference.abs() < 0.05 { String::new() } else { format!("{difference:+.1}") }
}

/// The median and the quartiles of the times, and the difference from the base.
fn milliseconds(times: &Times) -> String {
    let (own, more) = (times.own(), times.difference());
    let own = format!("{:.1} [{:.1}, {:.1}]", own.median, own.first, own.third);
    match more.is_noise() {
        true => format!("{own}, noise"),
        false => format!("{own}, {:+.1} [{:+.1}, {:+.1}]", more.ms, more.low, more.high),
    }
}
