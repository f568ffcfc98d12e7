//! Rule sets compared with a base, case by case.

use super::corpus::Corpus;
use super::outcome::{Changed, Report, Row};
use super::run::{Answer, Key, Run, key_of, run};
use super::store::Results;
use quaff::rules::RuleSet;
use quaff::{Simplifier, Stage};
use rayon::prelude::*;
use std::io;

/// A rule set with a name.
#[derive(Clone, Debug)]
pub struct Variant {
    name: String,
    rules: RuleSet,
    stage: Option<Stage>,
}

impl Variant {
    /// Calls `rules` by a name.
    pub fn new(name: impl Into<String>, rules: RuleSet) -> Variant {
        Variant { name: name.into(), rules, stage: None }
    }

    /// The same rules but one; called `without RULE`.
    pub fn without(&self, rule: &str) -> Variant {
        let rules = self.rules.retain(|r| r != rule);
        Variant { name: format!("without {rule}"), rules, stage: self.stage }
    }

    /// The same rules, in calls without a stage; called `without STAGE`.
    pub fn without_stage(&self, stage: Stage) -> Variant {
        Variant { name: format!("without {}", stage.name()), rules: self.rules.clone(), stage: Some(stage) }
    }

    /// What the set is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rules.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }
}

/// A base, and corpora to compare other rule sets with it on.
#[derive(Clone)]
pub struct Experiment {
    base: Variant,
    corpora: Vec<Corpus>,
    engine: String,
    repeat: u32,
}

/// What `progress` is told: so many cases are ready.
pub(super) type Progress<'a> = &'a (dyn Fn(usize) + Sync);

impl Experiment {
    /// Compares with `base`, with the default cost model and limits.
    pub fn new(base: Variant, corpora: Vec<Corpus>) -> Experiment {
        Experiment { base, corpora, engine: env!("CARGO_PKG_VERSION").into(), repeat: 1 }
    }

    /// What kept results are results of: they count for programs of the same name only.
    pub fn with_engine(mut self, name: impl Into<String>) -> Experiment {
        self.engine = name.into();
        self
    }

    /// Calls for each case, of which the shortest time counts: 1 by default.
    pub fn with_repeat(mut self, repeat: u32) -> Experiment {
        self.repeat = repeat;
        self
    }

    /// The base.
    pub fn base(&self) -> &Variant {
        &self.base
    }

    /// The corpora.
    pub fn corpora(&self) -> &[Corpus] {
        &self.corpora
    }

    /// Cases of all corpora.
    pub fn cases(&self) -> usize {
        self.corpora.iter().map(|c| c.cases().len()).sum()
    }

    /// Runs base and variants on all corpora, on all threads, and compares. `progress` hears of
    /// [`cases`](Self::cases) for the base and for each variant.
    ///
    /// # Errors
    /// When results cannot be kept.
    pub fn compare(&self, variants: &[Variant], results: &Results, progress: Progress) -> io::Result<Report> {
        let base = self.base_runs(results, progress)?;
        let runs: Vec<Vec<Run>> =
            variants.par_iter().map(|v| self.runs(v, Some(&base), results, progress)).collect::<io::Result<_>>()?;
        let mut report = Report::default();
        for (corpus, run) in self.corpora.iter().zip(&base) {
            report.bad.extend(corpus.bad().iter().cloned());
            let refused = corpus.cases().iter().zip(&run.answers).filter_map(|(c, a)| Some((c, a.as_ref().err()?)));
            report.refused.extend(refused.map(|(c, why)| c.refused(corpus, why)));
        }
        report.base = self.rows(&self.base, &base, &base, &mut report.by_corpus);
        for (variant, runs) in variants.iter().zip(&runs) {
            report.rows.push(self.rows(variant, runs, &base, &mut report.by_corpus));
            report.changed.extend(self.changed(variant, runs, &base));
        }
        Ok(report)
    }

    pub(super) fn base_runs(&self, results: &Results, progress: Progress) -> io::Result<Vec<Run>> {
        self.runs(&self.base, None, results, progress)
    }

    /// The variant on every corpus, computed or found.
    pub(super) fn runs(
        &self,
        variant: &Variant,
        base: Option<&[Run]>,
        results: &Results,
        progress: Progress,
    ) -> io::Result<Vec<Run>> {
        let all = Simplifier::default().with_rules(variant.rules.clone());
        let simplifier = variant.stage.iter().fold(all, |simplifier, &stage| simplifier.without_stage(stage));
        let (base_key, rules) = (key_of(&self.base.rules), key_of(&variant.rules));
        let one = |(i, corpus): (usize, &Corpus)| {
            let base = base.map(|b| &b[i]);
            let key = Key {
                // times of one call and of several are not the same thing
                engine: format!("{} x{}", self.engine, self.repeat),
                base: base_key.clone(),
                rules: rules.clone(),
                stage: variant.stage.map_or_else(String::new, |stage| stage.name().into()),
                corpus: corpus.key().into(),
            };
            if let Some(found) = results.find(&key, base) {
                progress(corpus.cases().len());
                return Ok(found);
            }
            let run = run(&simplifier, corpus, self.repeat, &|| progress(1));
            results.keep(key, (&variant.name, corpus.name()), &run, base)?;
            Ok(run)
        };
        self.corpora.par_iter().enumerate().map(one).collect()
    }

    /// Figures of a variant: one row a corpus goes to `by_corpus`, their sum is returned.
    fn rows(&self, variant: &Variant, runs: &[Run], base: &[Run], by_corpus: &mut Vec<Row>) -> Row {
        let start = by_corpus.len();
        for ((corpus, run), base) in self.corpora.iter().zip(runs).zip(base) {
            by_corpus.push(row(variant, corpus.name(), run, base));
        }
        let mut all = Row { variant: variant.name.clone(), corpus: "all".into(), ..Row::default() };
        for r in &by_corpus[start..] {
            all.add(r);
        }
        all.rules = variant.rules.rules().len();
        all
    }

    fn changed<'a>(
        &'a self,
        variant: &'a Variant,
        runs: &'a [Run],
        base: &'a [Run],
    ) -> impl Iterator<Item = Changed> + 'a {
        self.corpora.iter().zip(runs).zip(base).flat_map(move |((corpus, run), base)| {
            let pairs = corpus.cases().iter().zip(&base.answers).zip(&run.answers);
            pairs.filter(|((_, before), after)| differ(before, after)).map(move |((case, before), after)| Changed {
                variant: variant.name.clone(),
                corpus: corpus.name().into(),
                line: case.line,
                id: case.id.clone(),
                input: case.text.clone(),
                ranges: case.ranges.clone(),
                before: before.clone(),
                after: after.clone(),
            })
        })
    }
}

/// Whether two answers read or cost differently; how the search went does not matter.
fn differ(a: &Result<Answer, String>, b: &Result<Answer, String>) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => a.text != b.text || a.cost != b.cost,
        (Err(a), Err(b)) => a != b,
        _ => true,
    }
}

fn row(variant: &Variant, corpus: &str, run: &Run, base: &Run) -> Row {
    let mut row = Row {
        variant: variant.name.clone(),
        corpus: corpus.into(),
        rules: variant.rules.rules().len(),
        ms: run.time.as_secs_f64() * 1e3,
        ..Row::default()
    };
    for (before, after) in base.answers.iter().zip(&run.answers) {
        row.changed += usize::from(differ(before, after));
        let Ok(after) = after else { continue };
        row.cases += 1;
        row.cost += after.cost;
        row.divisions += u64::from(after.divisions);
        row.nodes += u64::from(after.nodes);
        if let Ok(before) = before {
            row.cheaper += usize::from(after.cost < before.cost);
            row.dearer += usize::from(after.cost > before.cost);
        }
    }
    row
}
