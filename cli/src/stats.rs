//! `quaff rules stats`: the effect of each rule on the answers of a corpus.

use crate::corpora::Corpora;
use crate::output::print_text;
use crate::report::Failure;
use crate::rule_folders::RuleFolders;
use crate::{json, progress, report};
use clap::{Args, ValueEnum};
use quaff::inspect::statistics;
use quaff::{RuleStatistics, Simplifier, Statistics};
use quaff_draw::page::counted;
use quaff_lab::experiment::{BadLine, Corpus, Question};
use rayon::prelude::*;
use serde::Serialize;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

const EXAMPLES: &str = "\
Columns:
  matched  number of matches of pattern and guards
  fired    number of matches that added something new to the e-graph. `cases` counts the cases in
           which the rule fired
  path     number of firings on the path to the chosen form. To find the path, rules are left out
           one by one, in the order in which they first fired. A rule stays out if the answer is the
           same without it. The remaining rules are run again, and their firings are the path. If
           either of two rules suffices, the rule that fired later counts. `cases` counts the cases
           in which the rule remains
  us       microseconds spent in the rule: matching, building the result, merging it. Rules with the
           same beginning of their patterns match the beginning together. The time of all such
           beginnings is in the last lines, and the time of all calls as well. The time of all calls
           includes work of no rule: reading the input, closing the e-graph under congruence,
           choosing the answer. All times include the time of reading the clock, so compare them
           only with one another

Exit codes: 1 if lines of the corpus had no answer. All other lines were counted.

Examples:
  quaff rules stats cases.jsonl
  quaff rules stats corpus/ --sort path
  quaff rules stats cases.jsonl --json | jq '.rules[] | select(.fired == 0).rule'";

/// Show how often each rule fires and matters on a corpus, and the time that it takes
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    corpora: Corpora,

    #[command(flatten)]
    rules: RuleFolders,

    /// Order of the rules
    #[arg(long, value_enum, default_value = "set")]
    sort: Order,

    /// Print one JSON object: cases, total_us, shared_us, rules, bad, refused
    #[arg(long)]
    json: bool,
}

/// The order of rules in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// order of the rule set
    Set,
    /// most firings first
    Fired,
    /// most firings on the path first
    Path,
    /// most time first
    Time,
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let simplifier = Simplifier::default().with_rules(args.rules.set()?);
    let corpora = args.corpora.load()?;
    let cases: usize = corpora.iter().map(|c| c.cases().len()).sum();
    let bar = progress::bar(Some(cases as u64));
    let all: Vec<_> = corpora.iter().flat_map(|c| c.cases().iter().map(move |case| (c, case))).collect();
    progress::remember_panics();
    let counted = progress::pool(args.corpora.threads)?.install(|| {
        let one = |(corpus, case): &(&Corpus, &quaff_lab::experiment::Case)| {
            let Question::Expr(expr) = &case.question else {
                return Err(case.refused(corpus, "rules are counted for single expressions only"));
            };
            let question = std::slice::from_ref(expr);
            // a panic in a call leaves no partial state, because the shared rules and limits never change
            let counted = catch_unwind(AssertUnwindSafe(|| statistics(&simplifier, question, &case.domain)));
            bar.inc(1);
            match counted {
                Ok(counted) => counted.map(|c| c.1).map_err(|e| case.refused(corpus, &e.to_string())),
                Err(_) => Err(case.refused(corpus, &progress::internal_error())),
            }
        };
        all.par_iter().map(one).collect::<Vec<Result<Statistics, BadLine>>>()
    });
    bar.finish_and_clear();
    let mut total = Statistics::default();
    let mut refused = Vec::new();
    for c in counted {
        match c {
            Ok(one) => total.add(&one),
            Err(line) => refused.push(line),
        }
    }
    let mut rules: Vec<&RuleStatistics> = total.rules().iter().collect();
    match args.sort {
        Order::Set => {}
        Order::Fired => rules.sort_by_key(|r| std::cmp::Reverse(r.fired)),
        Order::Path => rules.sort_by_key(|r| std::cmp::Reverse(r.path)),
        Order::Time => rules.sort_by_key(|r| std::cmp::Reverse(r.time)),
    }
    let bad: Vec<BadLine> = corpora.iter().flat_map(|c| c.bad().iter().cloned()).collect();
    let out = match args.json {
        true => json::indented(&StatsJson::new(&total, &rules, &bad, &refused)),
        false => table(&total, &rules),
    };
    print_text(&out)?;
    report::lines_without_answer(&[&bad, &refused], cases + bad.len())
}

fn us(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

fn table(total: &Statistics, rules: &[&RuleStatistics]) -> String {
    let width = rules.iter().map(|r| r.name.len()).max().unwrap_or(0).max(22);
    let mut out = format!(
        "{:<width$}{:>10}{:>10}{:>8}{:>8}{:>8}{:>12}{:>8}\n",
        "rule", "matched", "fired", "cases", "path", "cases", "us", "%"
    );
    let share = |t: Duration| 100.0 * us(t) / us(total.total()).max(1.0);
    let (shown, idle): (Vec<&RuleStatistics>, Vec<&RuleStatistics>) =
        rules.iter().copied().partition(|rule: &&RuleStatistics| rule.matched > 0);
    for r in shown {
        let RuleStatistics { name, matched, fired, fired_calls, path, path_calls, time, .. } = r;
        let _ = writeln!(
            out,
            "{name:<width$}{matched:>10}{fired:>10}{fired_calls:>8}{path:>8}{path_calls:>8}{:>12.1}{:>8.2}",
            us(*time),
            share(*time)
        );
    }
    for (what, time) in [("common beginnings", total.shared()), ("all calls", total.total())] {
        let _ = writeln!(out, "{what:<width$}{:>56.1}{:>8.2}", us(time), share(time));
    }
    if !idle.is_empty() {
        let time: Duration = idle.iter().map(|rule| rule.time).sum();
        let what = format!("{} without a match", counted(idle.len(), "rule"));
        let _ = writeln!(out, "{what:<width$}{:>56.1}{:>8.2}", us(time), share(time));
    }
    let _ = writeln!(out, "{}", counted(total.calls(), "case"));
    out
}

/// The output of `--json`.
#[derive(Serialize)]
struct StatsJson<'a> {
    /// The number of counted calls.
    cases: u64,
    /// The time of all calls, in microseconds.
    total_us: f64,
    /// The time, in microseconds, to match beginnings of patterns that several rules have in common.
    shared_us: f64,
    rules: Vec<RuleJson<'a>>,
    /// The lines that could not be read.
    bad: &'a [BadLine],
    /// The questions without an answer.
    refused: &'a [BadLine],
}

/// The statistics of one rule.
#[derive(Serialize)]
struct RuleJson<'a> {
    rule: &'a str,
    matched: u64,
    fired: u64,
    /// The number of cases in which the rule fired.
    fired_cases: u64,
    path: u64,
    /// The number of cases with the rule on the path to the answer.
    path_cases: u64,
    us: f64,
}

impl<'a> StatsJson<'a> {
    fn new(
        total: &Statistics,
        rules: &[&'a RuleStatistics],
        bad: &'a [BadLine],
        refused: &'a [BadLine],
    ) -> StatsJson<'a> {
        let rule = |r: &&'a RuleStatistics| RuleJson {
            rule: &r.name,
            matched: r.matched,
            fired: r.fired,
            fired_cases: r.fired_calls,
            path: r.path,
            path_cases: r.path_calls,
            us: us(r.time),
        };
        StatsJson {
            cases: total.calls(),
            total_us: us(total.total()),
            shared_us: us(total.shared()),
            rules: rules.iter().map(rule).collect(),
            bad,
            refused,
        }
    }
}
