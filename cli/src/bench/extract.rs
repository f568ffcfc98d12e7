//! `quaff bench extract`: compares several extractors on the same e-graphs.

use crate::corpora::Corpora;
use crate::output::{print_text, write_picture, write_whole};
use crate::report::{self, Failure, Problem, io_failure};
use crate::rule_folders::RuleFolders;
use crate::variant::Model;
use crate::{json, progress};
use clap::Args;
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::egraph::Limits;
use quaff::inspect::Extraction;
use quaff_lab::experiment::{BadLine, Corpus};
use quaff_lab::extraction::{Comparison, Extractor, UNIT_OF_FILES, problems, read, write};
use quaff_lab::plot::{self, Bar};
use rayon::prelude::*;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Each line of the corpus gives one e-graph: the e-graph of its first search, after saturation.
Extractors:
  trees                 selects the cheapest tree of each class. An operation that several trees
                        share counts once for each tree
  greedy-dag            bottom-up: selects the candidate whose operands' selections together cost
                        least
  greedy-dag-backwards  greedy-dag with the classes in the opposite order
  local-search          begins with the cheapest trees, and makes single changes as long as a change
                        lowers the cost
  branch-and-bound      begins with the cheapest trees; branch and bound with 3,000 visits of
                        candidates
  engine                the extractor of a simplifier call: branch and bound, then local search if
                        branch and bound ends without a proof
  ilp                   an integer linear program, solved by HiGHS in at most 10 seconds; only in
                        programs that are built with `--features ilp`
  exhaustive            branch and bound with 2,000,000 visits of candidates

Columns:
  cost          cost of all selections in instructions, each operation counted once
  above bound   how far the cost is above the bound, in percent
  where proved  how far the cost is above the optimum, in percent, for e-graphs with a proved
                optimum
  least         e-graphs for which no other extractor found a lower cost
  optimal       e-graphs for which the cost is the bound, so no selection costs less
  ms            milliseconds on one core
The bound of an e-graph is the best lower bound that any extractor proves.

Exit codes: 1 if a line or file gives no e-graph. All other lines and files were measured.

Examples:
  quaff bench extract cases.jsonl
  quaff bench extract cases.jsonl --cost truncating --effort 0,1,2 --json \\
      | jq '.tables[].rows[] | {extractor, cost}'
  quaff bench extract cases.jsonl --write egraphs/
  quaff bench extract --egraphs egraphs/";

/// Compare extractors on the e-graphs of a corpus or of other programs
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    corpora: Corpora,

    #[command(flatten)]
    rules: RuleFolders,

    /// Read e-graphs from the `*.json` files of this folder instead of corpora, in the format of egraph-serialize
    #[arg(long, value_name = "DIR", conflicts_with_all = ["paths", "write", "cost", "effort", "rules", "add_rules"])]
    egraphs: Option<PathBuf>,

    /// Write each e-graph into this folder, in the format of egraph-serialize, with costs in instructions
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,

    /// Cost models
    #[arg(long, value_enum, value_name = "MODELS", value_delimiter = ',', default_value = "instructions")]
    cost: Vec<Model>,

    /// Efforts of the search, from 0 to 3
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u8).range(0..=i64::from(Limits::MAX_EFFORT)))]
    effort: Vec<u8>,

    /// Extractors; the default is all extractors
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = extractor)]
    extractors: Vec<Extractor>,

    /// Write the cost and the time of each extractor on each e-graph into this file, as CSV
    #[arg(long, value_name = "FILE")]
    each: Option<PathBuf>,

    /// Draw how far costs are above the optimum into this file, as SVG, for the e-graphs of the first table whose
    /// optimum is proved
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Print one JSON object: tables, bad, refused
    #[arg(long)]
    json: bool,
}

fn extractor(name: &str) -> Result<Extractor, String> {
    let names = || Extractor::ALL.iter().map(|e| e.name()).collect::<Vec<_>>().join(", ");
    let found = Extractor::ALL.iter().find(|e| e.name() == name);
    found.copied().ok_or_else(|| format!("no such extractor; there are {}", names()))
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("there is no e-graph to extract from")]
#[diagnostic(
    code(quaff::bench::no_problems),
    help("a line of a corpus has the fields `vars` and `expr`; --egraphs takes a folder of `*.json` files")
)]
struct NoProblems;

/// An e-graph with its name.
type Named = (String, Extraction);

/// For each group of e-graphs in a table, the largest number of classes with more than one node (a choice).
const SIZES: [usize; 4] = [15, 63, 255, usize::MAX];

/// The results of the extractors for one cost model and effort.
struct Table {
    what: String,
    unit: u64,
    all: Comparison,
    by_size: [Comparison; SIZES.len()],
    /// The results for each e-graph: its name, its number of classes with a choice, and the results of the extractors.
    each: Vec<(String, usize, Comparison)>,
}

pub(super) fn run(args: &Arguments) -> Result<(), Failure> {
    let extractors = if args.extractors.is_empty() { Extractor::ALL.to_vec() } else { args.extractors.clone() };
    let pool = progress::pool(args.corpora.threads)?;
    let (mut tables, mut refused) = (Vec::new(), Vec::new());
    let (bad, lines);
    if let Some(folder) = &args.egraphs {
        let found;
        (found, bad) = read_all(folder)?;
        lines = found.len() + bad.len();
        tables.push(pool.install(|| table("egraph-serialize".into(), UNIT_OF_FILES, &found, &extractors)));
    } else {
        args.corpora.apart_from(args.each.iter().chain(&args.svg).cloned())?;
        let corpora = args.corpora.load()?;
        bad = corpora.iter().flat_map(|c| c.bad().iter().cloned()).collect::<Vec<_>>();
        lines = crate::corpora::lines(&corpora);
        for &model in &args.cost {
            for &effort in &args.effort {
                let simplifier =
                    Simplifier::default().with_rules(args.rules.set()?).with_limits(Limits::effort(effort));
                let simplifier = model.given_to(simplifier);
                let what = format!("{}, effort {effort}", model.name());
                // every cost model and effort refuses the same lines, so the first list suffices
                let mut again = Vec::new();
                let list = if tables.is_empty() { &mut refused } else { &mut again };
                let found = pool.install(|| found(&simplifier, &corpora, list));
                if let Some(folder) = &args.write {
                    write_all(folder, &format!("{}-{effort}", model.name()), &found, &mut refused)?;
                }
                tables.push(pool.install(|| table(what, Extraction::UNIT, &found, &extractors)));
            }
        }
    }
    if tables.iter().all(|t| t.all.problems() == 0) {
        report::list_lines(&[&bad, &refused]);
        return Err(Problem::new(&NoProblems).into());
    }
    if let Some(path) = &args.each {
        write_each(path, &tables)?;
    }
    if let (Some(path), Some(table)) = (&args.svg, tables.first()) {
        write_picture(path, &picture(table))?;
    }
    let out = match args.json {
        true => json::indented(&BenchJson {
            tables: tables.iter().map(TableJson::new).collect(),
            bad: &bad,
            refused: &refused,
        }),
        false => tables.iter().map(text).collect::<Vec<_>>().join("\n"),
    };
    print_text(&out)?;
    report::lines_without_answer(&[&bad, &refused], lines)
}

/// The e-graphs of all corpus lines, with their names. Lines without an e-graph are added to `refused`.
fn found(simplifier: &Simplifier, corpora: &[Corpus], refused: &mut Vec<BadLine>) -> Vec<Named> {
    let mut all = Vec::new();
    for corpus in corpora {
        for (case, problem) in corpus.cases().iter().zip(problems(simplifier, corpus)) {
            match problem {
                Ok(problem) => all.push((format!("{}-{}", corpus.name(), case.line), problem)),
                Err(line) => refused.push(line),
            }
        }
    }
    all
}

/// The e-graphs in a folder, and the files without an e-graph.
fn read_all(folder: &Path) -> Result<(Vec<Named>, Vec<BadLine>), Failure> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io_failure(folder))? {
        let path = entry.map_err(io_failure(folder))?.path();
        if path.extension().is_some_and(|x| x == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    let (mut found, mut bad) = (Vec::new(), Vec::new());
    for path in paths {
        let name = path.display().to_string();
        match read(&std::fs::read(&path).map_err(io_failure(&path))?) {
            Ok(problem) => found.push((name, problem)),
            Err(why) => bad.push(BadLine::new(name, 1, why)),
        }
    }
    Ok((found, bad))
}

/// Writes each e-graph into its own file. An e-graph without a selection is added to `refused`, because the format
/// cannot hold it.
fn write_all(folder: &Path, prefix: &str, found: &[Named], refused: &mut Vec<BadLine>) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(io_failure(folder))?;
    for (number, (name, problem)) in found.iter().enumerate() {
        match write(problem) {
            Ok(text) => {
                let path = folder.join(format!("{prefix}-{number:06}-{}.json", in_file_names(name)));
                write_whole(&path, |out| out.write_all(text.as_bytes()))?;
            }
            Err(why) => refused.push(BadLine::new(name, 1, why)),
        }
    }
    Ok(())
}

fn in_file_names(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn table(what: String, unit: u64, found: &[Named], extractors: &[Extractor]) -> Table {
    let bar = progress::bar(Some(found.len() as u64));
    let one = |(name, problem): &Named| {
        let choices = problem.classes().iter().filter(|c| c.len() > 1).count();
        let mut comparison = Comparison::new(extractors);
        comparison.add(problem);
        bar.inc(1);
        (name.clone(), choices, comparison)
    };
    let each: Vec<(String, usize, Comparison)> = found.par_iter().map(one).collect();
    bar.finish_and_clear();
    let (mut all, mut by_size) = (Comparison::new(extractors), SIZES.map(|_| Comparison::new(extractors)));
    for (_, choices, comparison) in &each {
        all.merge(comparison);
        by_size[SIZES.iter().position(|most| choices <= most).unwrap_or(0)].merge(comparison);
    }
    Table { what, unit, all, by_size, each }
}

/// Writes a row for each e-graph and extractor. The cost in a row is empty if the extractor found no selection.
fn write_each(path: &Path, tables: &[Table]) -> Result<(), Failure> {
    write_whole(path, |out| {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(["what", "egraph", "choices", "extractor", "cost", "bound", "ms"])?;
        for table in tables {
            for (name, choices, comparison) in &table.each {
                let has_costs = comparison.rows().iter().all(|row| row.none == 0);
                let instructions = |cost| if has_costs { table.instructions(cost).to_string() } else { String::new() };
                for row in comparison.rows() {
                    let ms = format!("{:.4}", row.time.as_secs_f64() * 1e3);
                    let (cost, bound) = (instructions(row.cost), instructions(comparison.bound()));
                    out.write_record([
                        &table.what,
                        name,
                        &choices.to_string(),
                        row.extractor.name(),
                        &cost,
                        &bound,
                        &ms,
                    ])?;
                }
            }
        }
        out.flush()
    })
}

fn picture(table: &Table) -> String {
    let above =
        |row: &quaff_lab::extraction::Row| Bar::amount(row.extractor.name(), gap(row.proved, table.all.optimum()));
    let bars: Vec<Bar<'_>> = table.all.rows().iter().map(above).collect();
    let caption = format!("cost above the optimum in percent, {} e-graphs", table.all.proved());
    plot::bars(&caption, &bars)
}

impl Table {
    /// The groups by size that contain e-graphs, each with its least and greatest number of classes with a choice.
    fn groups(&self) -> impl Iterator<Item = (usize, Option<usize>, &Comparison)> {
        let least = |at: usize| if at == 0 { 0 } else { SIZES[at - 1] + 1 };
        let groups = self.by_size.iter().enumerate().filter(|(_, c)| c.problems() > 0);
        groups.map(move |(at, c)| (least(at), (SIZES[at] != usize::MAX).then_some(SIZES[at]), c))
    }

    fn instructions(&self, cost: u64) -> f64 {
        cost as f64 / self.unit as f64
    }
}

fn gap(cost: u64, bound: u64) -> f64 {
    if bound == 0 { 0.0 } else { 100.0 * (cost as f64 / bound as f64 - 1.0) }
}

fn text(table: &Table) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {} e-graphs, {} with a proved optimum",
        table.what,
        table.all.problems(),
        table.all.proved()
    );
    let _ = writeln!(
        out,
        "{:<22}{:>12}{:>13}{:>14}{:>8}{:>9}{:>10}",
        "extractor", "cost", "above bound", "where proved", "least", "optimal", "ms"
    );
    for row in table.all.rows() {
        let _ = writeln!(
            out,
            "{:<22}{:>12.1}{:>11.3} %{:>12.3} %{:>8}{:>9}{:>10.1}",
            row.extractor.name(),
            table.instructions(row.cost),
            gap(row.cost, table.all.bound()),
            gap(row.proved, table.all.optimum()),
            row.least,
            row.optimal,
            row.time.as_secs_f64() * 1e3
        );
        if row.none > 0 {
            let _ = writeln!(out, "  no selection in {} e-graphs, which are in no sum", row.none);
        }
    }
    let _ = writeln!(out, "{:<22}{:>12.1}", "bound", table.instructions(table.all.bound()));
    let _ = writeln!(out, "\nabove the bound, by classes with a choice");
    let head: Vec<String> = table.groups().map(|(least, most, _)| range(least, most)).collect();
    let _ = writeln!(out, "{:<22}{}", "", head.iter().map(|h| format!("{h:>12}")).collect::<String>());
    let counts: String = table.groups().map(|(_, _, c)| format!("{:>12}", c.problems())).collect();
    let _ = writeln!(out, "{:<22}{counts}", "e-graphs");
    for (at, row) in table.all.rows().iter().enumerate() {
        let gaps: String =
            table.groups().map(|(_, _, c)| format!("{:>10.3} %", gap(c.rows()[at].cost, c.bound()))).collect();
        let _ = writeln!(out, "{:<22}{gaps}", row.extractor.name());
    }
    out
}

fn range(least: usize, most: Option<usize>) -> String {
    most.map_or_else(|| format!("{least}.."), |most| format!("{least}..{most}"))
}

#[derive(Serialize)]
struct BenchJson<'a> {
    tables: Vec<TableJson<'a>>,
    bad: &'a [BadLine],
    refused: &'a [BadLine],
}

#[derive(Serialize)]
struct TableJson<'a> {
    what: &'a str,
    #[serde(flatten)]
    all: SumsJson,
    by_size: Vec<GroupJson>,
}

#[derive(Serialize)]
struct GroupJson {
    least_choices: usize,
    most_choices: Option<usize>,
    #[serde(flatten)]
    sums: SumsJson,
}

#[derive(Serialize)]
struct SumsJson {
    egraphs: usize,
    proved: usize,
    bound: f64,
    rows: Vec<RowJson>,
}

#[derive(Serialize)]
struct RowJson {
    extractor: &'static str,
    cost: f64,
    percent_above_bound: f64,
    percent_above_optimum_where_proved: f64,
    least: usize,
    optimal: usize,
    without_selection: usize,
    ms: f64,
}

impl SumsJson {
    fn new(table: &Table, c: &Comparison) -> SumsJson {
        let row = |row: &quaff_lab::extraction::Row| RowJson {
            extractor: row.extractor.name(),
            cost: table.instructions(row.cost),
            percent_above_bound: gap(row.cost, c.bound()),
            percent_above_optimum_where_proved: gap(row.proved, c.optimum()),
            least: row.least,
            optimal: row.optimal,
            without_selection: row.none,
            ms: row.time.as_secs_f64() * 1e3,
        };
        SumsJson {
            egraphs: c.problems(),
            proved: c.proved(),
            bound: table.instructions(c.bound()),
            rows: c.rows().iter().map(row).collect(),
        }
    }
}

impl TableJson<'_> {
    fn new(table: &Table) -> TableJson<'_> {
        let group = |(least_choices, most_choices, c): (usize, Option<usize>, &Comparison)| GroupJson {
            least_choices,
            most_choices,
            sums: SumsJson::new(table, c),
        };
        TableJson {
            what: &table.what,
            all: SumsJson::new(table, &table.all),
            by_size: table.groups().map(group).collect(),
        }
    }
}
