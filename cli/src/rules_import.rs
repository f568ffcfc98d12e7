//! `quaff rules import`: reads, tries, proves and compares rules of other systems.

use crate::ablate::table;
use crate::corpora::{lines, load, with_cases};
use crate::input;
use crate::output::{print_text, write_whole};
use crate::program;
use crate::progress;
use crate::report::{self, Failure, Problem, io_failure};
use clap::{Args, ValueEnum};
use miette::Diagnostic;
use quaff::check::{Counterexample, Options, RuleReport, Status, check_among};
use quaff::rules::RuleSet;
use quaff_draw::page::counted;
use quaff_lab::exchange::{Import, Imported, Source, import};
use quaff_lab::experiment::{Corpus, Experiment, Results, Variant};
use quaff_lab::proof::{Proof, Prover};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Formats:
  egglog  (rewrite LEFT RIGHT :when (FACT...)) and (birewrite ...). A fact compares numbers, or says
          that terms are equal
  enumo   one rule on each line: LEFT ==> RIGHT, LEFT => RIGHT or LEFT <=> RIGHT, optionally
          followed by `if CONDITION`
  ruler   a report in JSON: a list of rules, or an object with `eqs`, `rules`, `new_rws`, `new_eqs`
          or `all_eqs`. Lines as for enumo are read, too
`/` and `%` are read as floor division. A rule that is right only for another division is reported
as wrong.

The output has a line for each rule: its place, its name, its status, and whether a solver proved
it. Status:
  `wrong`        a counterexample is shown, and the rule is not kept
  `normal form`  both sides have the same normal form, so no rule is needed
  `known`        the same result is found without the rule
  `not refuted`  the rule fired on instances and was never wrong
  `never fired`  the rule fired on no instance, so it was not tested

Exit codes: 1 if a rule cannot be read, 65 if a rule is wrong. All other rules were read, tried and
written.

Examples:
  quaff rules import halide.rules --from enumo
  quaff rules import report.json -o my-rules/
  quaff rules import rules.egg --corpus cases.jsonl";

/// Read rules of egglog, Ruler and Enumo, then try, prove and measure these rules
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// File of rules; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Format of the rules. The default follows from the ending of the file name: egglog for .egg and .egglog, ruler
    /// for .json, enumo for others
    #[arg(long, value_enum)]
    from: Option<From>,

    /// Folder for the rules that are kept. The name of the new file is the name of FILE with the ending .rules
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Measure, on files of JSON lines, the built-in rules alone, with each kept rule, and with all kept rules
    #[arg(long, value_name = "CORPUS", num_args = 1..)]
    corpus: Vec<PathBuf>,

    /// Try each rule until it has fired on this number of instances
    #[arg(long, value_name = "N", default_value_t = 100)]
    instances: usize,

    /// Seconds that a solver may take for one proof; 0 uses no solver
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    smt_timeout: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum From {
    /// a program of egglog
    Egglog,
    /// a report of Ruler
    Ruler,
    /// lines of Enumo
    Enumo,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("not read: {}", counted(*count, "rule"))]
#[diagnostic(code(quaff::rules::unread), help("their places are above; all others were read"))]
struct Unread {
    count: usize,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("the file has no rules")]
#[diagnostic(code(quaff::rules::none_read), help("`--from` says how rules are written"))]
struct NoneRead;

/// The result of trying and proving a rule.
enum Found {
    NormalForm,
    Tried { report: Box<RuleReport>, proof: Option<Proof> },
}

impl Found {
    /// Whether the rule is good enough to keep.
    fn is_kept(&self) -> bool {
        matches!(self, Found::Tried { report, .. } if matches!(report.status, Status::NotRefuted | Status::Undecided) && report.subsumed.is_none())
    }

    fn counterexample(&self) -> Option<&Counterexample> {
        match self {
            Found::NormalForm => None,
            Found::Tried { report, .. } => report.counterexample.as_ref(),
        }
    }

    fn text(&self) -> String {
        let Found::Tried { report, proof } = self else {
            return "normal form\tboth sides have one already".into();
        };
        let RuleReport { fired, fired_on_numbers, subsumed, .. } = &**report;
        let fired = fired + fired_on_numbers;
        let (word, how) = match (report.status, subsumed) {
            (Status::Unsound, _) => return format!("wrong\ton instance {fired} of those on which it fires"),
            (Status::NoChange, _) => ("known", format!("normal forms and facts say it on {fired} instances")),
            (Status::NotRefuted, Some(n)) => ("known", format!("the built-in rules find the same on {n} instances")),
            (status, _) => (status.as_str(), format!("fired on {fired} instances")),
        };
        let proof = proof.as_ref().map_or("no solver was asked".into(), |p| match p {
            Proof::None { .. } => p.to_string(),
            proved => format!("proved {proved}"),
        });
        format!("{word}\t{how}; {proof}")
    }
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let text = input::read(&args.file)?;
    let stem = args.file.file_stem().map_or("rules".into(), |s| s.to_string_lossy().into_owned());
    let stem = if stem == "-" { "rules".into() } else { stem };
    let source = match args.from {
        Some(From::Egglog) => Source::Egglog,
        Some(From::Ruler) => Source::Ruler,
        Some(From::Enumo) => Source::Enumo,
        None => Source::of_extension(args.file.extension().and_then(|e| e.to_str()).unwrap_or_default()),
    };
    let Import { rules, refused, .. } = import(&stem, &text, source);
    for (position, why) in &refused {
        eprintln!("quaff: {}:{position}: {}", args.file.display(), report::shortened(why));
    }
    if rules.is_empty() && refused.is_empty() {
        return Err(Problem::new(&NoneRead).into());
    }
    // read the corpus before rules are tried, so that an unreadable corpus is reported early
    let corpora = if args.corpus.is_empty() { Vec::new() } else { with_cases(load(&args.corpus)?)? };
    let found = tried(args, &rules);
    let mut out = String::new();
    for (rule, found) in rules.iter().zip(&found) {
        let _ = writeln!(out, "{}\t{}\t{}", rule.position, rule.written, found.text());
        if let Some(example) = found.counterexample() {
            let _ = writeln!(out, "  {}", example.to_string().replace('\n', "\n  "));
        }
    }
    let kept: Vec<&Imported> = rules.iter().zip(&found).filter(|(_, f)| f.is_kept()).map(|(r, _)| r).collect();
    let wrong = found.iter().filter(|f| f.counterexample().is_some()).count();
    let _ = writeln!(
        out,
        "{} read, {} refused, {wrong} wrong, {} kept",
        counted(rules.len(), "rule"),
        refused.len(),
        kept.len()
    );
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).map_err(io_failure(folder))?;
        let text: String = kept.iter().map(|r| format!("{}\n", r.text)).collect();
        write_whole(&folder.join(format!("{stem}.rules")), |out| out.write_all(text.as_bytes()))?;
    }
    print_text(&out)?;
    if !corpora.is_empty() {
        compare(corpora, &kept)?;
    }
    match (refused.len(), wrong) {
        (0, 0) => Ok(()),
        (0, _) => Err(Failure::WrongRule),
        (count, _) => Err(Problem::new(&Unread { count }).into()),
    }
}

/// Tries each rule on instances, and gives the rules that are not refuted to a solver.
fn tried(args: &Arguments, rules: &[Imported]) -> Vec<Found> {
    let prover = Prover::installed(Duration::from_secs(args.smt_timeout));
    let mut options = Options::default();
    (options.fired, options.tries) = (args.instances, args.instances.saturating_mul(30));
    let one = |imported: &Imported| {
        let Some(rule) = &imported.rule else { return Found::NormalForm };
        let among = RuleSet::parse(rule.file(), rule.text()).unwrap_or_default();
        let report = Box::new(check_among(rule, &RuleSet::shipped().clone().and(among), &options));
        let asked = prover.as_ref().filter(|_| report.status != Status::Unsound);
        Found::Tried { proof: asked.map(|p| p.prove(rule)), report }
    };
    rules.par_iter().map(one).collect()
}

/// Prints the cost of answers with and without the rules, like `quaff rules ablate`.
fn compare(corpora: Vec<Corpus>, kept: &[&Imported]) -> Result<(), Failure> {
    let shipped = || RuleSet::shipped().clone();
    let with = |name: &str, texts: &[&Imported]| {
        let text: String = texts.iter().map(|r| &r.text[..]).collect();
        Ok(Variant::new(format!("with {name}"), shipped().and(RuleSet::parse(name, &text)?)))
    };
    let one = |r: &&Imported| with(r.rule.as_ref().map_or("", |r| r.name()), &[r]);
    let mut variants = kept.iter().map(one).collect::<Result<Vec<_>, Failure>>()?;
    if kept.len() > 1 {
        variants.push(with("all of them", kept)?);
    }
    let experiment = Experiment::new(Variant::new("built-in", shipped()), corpora).with_engine(program::identity());
    let bar = progress::bar(Some((experiment.cases() * (1 + variants.len())) as u64));
    progress::remember_panics();
    let progress = |n| bar.inc(n as u64);
    let report = progress::pool(0)?.install(|| experiment.compare(&variants, &Results::in_memory(), &progress));
    bar.finish_and_clear();
    let report = report.map_err(|error| Failure::Io { what: "results".into(), error })?;
    print_text(&table(&report))?;
    report::lines_without_answer(&[&report.bad, &report.refused], lines(experiment.corpora()))
}
