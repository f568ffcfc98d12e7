//! `quaff bench egg`: gives the same questions to quaff and to plain egg, a baseline with the library egg.

use crate::corpora::Corpora;
use crate::output::{print_text, write_picture};
use crate::report::{self, Failure, Problem};
use crate::{json, progress};
use clap::Args;
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::expr::Expr;
use quaff_lab::experiment::{BadLine, Case, Corpus, Question};
use quaff_lab::plain_egg::{Baseline, Facts, Form, cost};
use quaff_lab::plot::{self, Bar};
use rayon::prelude::*;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Plain egg has binary operators and 52 rewrites: commutativity, associativity, distributivity, and
the basic identities of quotients, remainders, extrema and conditions. Plain egg uses egg's runner
with its scheduler, and egg's extractor of trees. Plain egg has no normal form of sums, no facts
except constants, and no contexts. In rows named `with ranges`, each e-class also has an interval,
and four more rewrites have a condition on the interval. Rows with `DAGs` use the same e-graphs, but
quaff's extractor.

Columns:
  cost          cost of all answers in instructions, each operation counted once
  saturated     lines for which the rules had nothing more to add before a limit
  median nodes  median of the e-nodes at the end
  p99 nodes     99th percentile of the e-nodes at the end
  ms            milliseconds of all calls, without the time for reading and writing

Exit codes: 1 if a line does not have the answers of all engines. All other lines were measured.

Examples:
  quaff bench egg cases.jsonl
  quaff bench egg corpus/ --nodes 5000 --iterations 20 --json | jq '.rows[] | {engine, cost}'";

/// Compare quaff with plain egg on a corpus
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    corpora: Corpora,

    /// The most e-nodes of plain egg
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    nodes: usize,

    /// The most iterations of plain egg
    #[arg(long, value_name = "N", default_value_t = 30)]
    iterations: usize,

    /// Draw the costs into this file, as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Print one JSON object: cases, input, rows, bad, refused
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("the corpora have no line with a single expression")]
#[diagnostic(code(quaff::bench::no_cases), help("a line of a corpus has the fields `vars` and `expr`"))]
struct NoCases;

/// One answer: its cost in tenths of an instruction, the number of e-nodes, whether the search ended by itself, and the
/// time.
struct Measured {
    cost: u64,
    nodes: usize,
    is_saturated: bool,
    time: Duration,
}

/// The cost of a question, and the answer of each engine.
type Answers = (u64, [Measured; ENGINES.len()]);

const ENGINES: [&str; 5] =
    ["plain egg", "plain egg, DAGs", "plain egg with ranges", "plain egg with ranges, DAGs", "quaff"];

pub(super) fn run(args: &Arguments) -> Result<(), Failure> {
    args.corpora.apart_from(args.svg.clone())?;
    let corpora = args.corpora.load()?;
    let all: Vec<(&Corpus, &Case)> = corpora.iter().flat_map(|c| c.cases().iter().map(move |case| (c, case))).collect();
    let engines = [Facts::None, Facts::Ranges].map(|f| Baseline::new(f).with_limits(args.nodes, args.iterations));
    let simplifier = Simplifier::default();
    let bar = progress::bar(Some(all.len() as u64));
    let found: Vec<Result<Answers, BadLine>> = progress::pool(args.corpora.threads)?.install(|| {
        let one = |(corpus, case): &(&Corpus, &Case)| {
            let answers = match &case.question {
                Question::Expr(expr) => answers(&engines, &simplifier, expr, case),
                Question::Accesses(_) => Err("plain egg takes single expressions only".to_string()),
            };
            bar.inc(1);
            answers.map_err(|why| case.refused(corpus, &why))
        };
        all.par_iter().map(one).collect()
    });
    bar.finish_and_clear();
    let bad: Vec<BadLine> = corpora.iter().flat_map(|c| c.bad().iter().cloned()).collect();
    let (mut measured, mut refused) = (Vec::new(), Vec::new());
    for answers in found {
        match answers {
            Ok(answers) => measured.push(answers),
            Err(line) => refused.push(line),
        }
    }
    if measured.is_empty() {
        report::list_lines(&[&bad, &refused]);
        return Err(Problem::new(&NoCases).into());
    }
    let report = EggJson {
        cases: measured.len(),
        input: instructions(measured.iter().map(|m| m.0)),
        rows: std::array::from_fn(|at| row(at, &measured)),
        bad: &bad,
        refused: &refused,
    };
    if let Some(path) = &args.svg {
        write_picture(path, &picture(&report))?;
    }
    let out = if args.json { json::indented(&report) } else { text(&report) };
    print_text(&out)?;
    report::lines_without_answer(&[&bad, &refused], all.len() + bad.len())
}

fn answers(engines: &[Baseline; 2], simplifier: &Simplifier, expr: &Expr, case: &Case) -> Result<Answers, String> {
    let domain = &case.domain;
    let price = |expr: &Expr| cost(expr, domain).map(|c| c.tenths()).map_err(|e| e.to_string());
    let plain = |engine: &Baseline| -> Result<[Measured; 2], String> {
        let found = engine.simplify(expr, domain).map_err(|e| e.to_string())?;
        let measured = |form: &Form| -> Result<Measured, String> {
            let cost = price(&form.expr)?;
            Ok(Measured { cost, nodes: found.nodes, is_saturated: found.is_saturated, time: form.time })
        };
        Ok([measured(&found.trees)?, measured(&found.shared)?])
    };
    let [without, with] = engines.each_ref().map(plain);
    let began = Instant::now();
    let answer = simplifier.simplify(expr, domain).map_err(|e| e.to_string())?;
    let ours = Measured {
        time: began.elapsed(),
        cost: price(answer.expr())?,
        nodes: answer.nodes(),
        is_saturated: answer.stop() == quaff::egraph::StopReason::Saturated,
    };
    let ([trees, shared], [trees_with, shared_with]) = (without?, with?);
    Ok((price(expr)?, [trees, shared, trees_with, shared_with, ours]))
}

fn instructions(tenths: impl Iterator<Item = u64>) -> f64 {
    tenths.sum::<u64>() as f64 / 10.0
}

fn row(at: usize, measured: &[Answers]) -> RowJson {
    let all = || measured.iter().map(|(_, engines)| &engines[at]);
    let mut nodes: Vec<usize> = all().map(|m| m.nodes).collect();
    nodes.sort_unstable();
    let last = nodes.len() - 1;
    RowJson {
        engine: ENGINES[at],
        cost: instructions(all().map(|m| m.cost)),
        saturated: all().filter(|m| m.is_saturated).count(),
        median_nodes: nodes[last.div_ceil(2)],
        p99_nodes: nodes[(last * 99).div_ceil(100)],
        ms: all().map(|m| m.time.as_secs_f64() * 1e3).sum(),
    }
}

#[derive(Serialize)]
struct EggJson<'a> {
    cases: usize,
    input: f64,
    rows: [RowJson; ENGINES.len()],
    bad: &'a [BadLine],
    refused: &'a [BadLine],
}

#[derive(Serialize)]
struct RowJson {
    engine: &'static str,
    cost: f64,
    saturated: usize,
    median_nodes: usize,
    p99_nodes: usize,
    ms: f64,
}

fn picture(report: &EggJson) -> String {
    let costs = [("as written", report.input)].into_iter().chain(report.rows.iter().map(|row| (row.engine, row.cost)));
    let bars: Vec<Bar<'_>> = costs.map(|(name, cost)| Bar::amount(name, cost)).collect();
    plot::bars(&format!("cost of all answers in instructions, {} lines", report.cases), &bars)
}

fn text(report: &EggJson) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{} lines, cost {:.1} as they are written", report.cases, report.input);
    let _ = writeln!(
        out,
        "{:<28}{:>12}{:>11}{:>14}{:>12}{:>12}",
        "engine", "cost", "saturated", "median nodes", "p99 nodes", "ms"
    );
    for row in &report.rows {
        let RowJson { engine, cost, saturated, median_nodes, p99_nodes, ms } = row;
        let _ = writeln!(out, "{engine:<28}{cost:>12.1}{saturated:>11}{median_nodes:>14}{p99_nodes:>12}{ms:>12.1}");
    }
    out
}
