//! Compares rule sets with a base rule set, case by case. A case is one line of a corpus.

use super::corpus::Corpus;
use super::measure::measured;
use super::outcome::{Changed, Earlier, Effects, Report, Row};
use super::run::{Answer, Key, Run, key_of, run};
use super::store::Results;
use fastrand::Rng;
use quaff::cost::Cost;
use quaff::rules::RuleSet;
use quaff::{Simplifier, Stage};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::io;
use std::slice::from_ref;

/// A rule set with a name.
#[derive(Clone, Debug)]
pub struct Variant {
    name: String,
    rules: RuleSet,
    stages: Vec<Stage>,
    /// The names of the rules and stages of the engine that are left out.
    left_out: Vec<String>,
}

impl Variant {
    /// A variant with the name `name` and the rules `rules`.
    pub fn new(name: impl Into<String>, rules: RuleSet) -> Variant {
        Variant { name: name.into(), rules, stages: Vec::new(), left_out: Vec::new() }
    }

    /// The same rule set without one rule, called `without RULE`. If other rules are already left out, it is called
    /// `without OTHERS, RULE`.
    pub fn without(&self, rule: &str) -> Variant {
        Variant { rules: self.rules.retain(|r| r != rule), ..self.without_part(rule) }
    }

    /// The same rule set, run without one stage of the engine. It is called `without STAGE`.
    pub fn without_stage(&self, stage: Stage) -> Variant {
        let mut variant = self.without_part(stage.name());
        variant.stages.push(stage);
        variant
    }

    /// The rule set without the rules and stages that this variant or `other` leaves out. All other rules of the two
    /// variants must be equal.
    pub fn and(&self, other: &Variant) -> Variant {
        let left_out: Vec<String> = self.left_out.iter().chain(&other.left_out).cloned().collect();
        Variant {
            name: format!("without {}", left_out.join(", ")),
            rules: self.rules.retain(|r| other.rules.get(r).is_some()),
            stages: self.stages.iter().chain(&other.stages).copied().collect(),
            left_out,
        }
    }

    /// A rule set with only this rule, called `RULE alone`.
    pub fn alone(&self, rule: &str) -> Variant {
        Variant { name: format!("{rule} alone"), rules: self.rules.retain(|r| r == rule), ..self.clone() }
    }

    /// A rule set that keeps each rule with a probability of one half. The same `seed` gives the same set. It is called
    /// `half SEED`.
    pub fn half(&self, seed: u64) -> Variant {
        let mut rng = Rng::with_seed(seed);
        let kept: FxHashSet<&str> = self.rules.rules().iter().map(|r| r.name()).filter(|_| rng.bool()).collect();
        Variant { name: format!("half {seed}"), rules: self.rules.retain(|r| kept.contains(r)), ..self.clone() }
    }

    fn without_part(&self, part: &str) -> Variant {
        let mut variant = self.clone();
        variant.left_out.push(part.into());
        variant.name = format!("without {}", variant.left_out.join(", "));
        variant
    }

    fn simplifier(&self) -> Simplifier {
        let all = Simplifier::default().with_rules(self.rules.clone());
        self.stages.iter().fold(all, |simplifier, &stage| simplifier.without_stage(stage))
    }

    /// The name of the set.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rules.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }
}

/// A base rule set, and the corpora on which other rule sets (variants) are compared with it.
#[derive(Clone)]
pub struct Experiment {
    base: Variant,
    corpora: Vec<Corpus>,
    engine: String,
    timed: u32,
}

/// A callback that receives the number of finished cases.
pub(super) type Progress<'a> = &'a (dyn Fn(usize) + Sync);

impl Experiment {
    /// Compares rule sets with `base`, with the default cost model and limits.
    pub fn new(base: Variant, corpora: Vec<Corpus>) -> Experiment {
        Experiment { base, corpora, engine: env!("CARGO_PKG_VERSION").into(), timed: 0 }
    }

    /// Sets the name of the program, with which results are stored. Stored results are reused only under the same name.
    pub fn with_engine(mut self, name: impl Into<String>) -> Experiment {
        self.engine = name.into();
        self
    }

    /// Sets the number of rounds in which [`Times`](super::Times) are measured. The default is 0. A round simplifies
    /// each case with the base and with the variant.
    pub fn with_times(mut self, rounds: u32) -> Experiment {
        self.timed = rounds;
        self
    }

    /// The base rule set.
    pub fn base(&self) -> &Variant {
        &self.base
    }

    /// The corpora.
    pub fn corpora(&self) -> &[Corpus] {
        &self.corpora
    }

    /// The number of cases of all corpora.
    pub fn cases(&self) -> usize {
        self.corpora.iter().map(|c| c.cases().len()).sum()
    }

    /// Runs the base and the variants on all corpora, on all threads, and compares them. `progress` receives the number
    /// of newly finished [`cases`](Self::cases), each of which runs once with the base and once with each variant.
    ///
    /// # Errors
    /// Fails if results cannot be stored.
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
            report.changed.extend(self.changed(&variant.name, runs, &base));
        }
        let effects: FxHashMap<&[String], f64> =
            variants.iter().zip(&report.rows).map(|(v, r)| (&v.left_out[..], r.effect(&report.base))).collect();
        let interaction = |v: &Variant| {
            let [a, b] = &v.left_out[..] else { return None };
            let alone = |part: &String| effects.get(from_ref(part)).copied();
            Some(effects.get(&v.left_out[..])? - alone(a)? - alone(b)?)
        };
        let found: Vec<Option<f64>> = variants.iter().map(interaction).collect();
        report.rows.iter_mut().zip(found).for_each(|(row, interaction)| row.interaction = interaction);
        Ok(report)
    }

    /// Compares the base with the base in `earlier`, the stored results of another program, case by case. Also reports
    /// the effect of each variant in the other program. A corpus counts only if both programs have results for the same
    /// text of it.
    ///
    /// # Errors
    /// Fails if results cannot be stored.
    pub fn compare_with_earlier(
        &self,
        report: &mut Report,
        name: &str,
        earlier: &Results,
        results: &Results,
    ) -> io::Result<()> {
        let base = self.base_runs(results, &|_| {})?;
        let mut found = Earlier { name: name.into(), ..Earlier::default() };
        let mut all = Row { variant: name.into(), corpus: "all".into(), ..Row::default() };
        for (corpus, now) in self.corpora.iter().zip(&base) {
            let Some(before) = earlier.latest(corpus.key(), &self.base.name, None).filter(|run| run.is_like(now))
            else {
                found.missing.push(corpus.name().into());
                continue;
            };
            all.add(&row(&self.base, corpus.name(), &before, now));
            found.cost_here += now.cost();
            report.changed.extend(changed(name, corpus, &before, now));
            for here in report.by_corpus.iter().filter(|r| r.corpus == corpus.name() && r.variant != self.base.name) {
                let Some(run) = earlier.latest(corpus.key(), &here.variant, Some(&before)) else { continue };
                let more = |cost: Cost, base: Cost| cost.instructions() - base.instructions();
                let (there, here_more) = (more(run.cost(), before.cost()), more(here.cost, now.cost()));
                match found.effects.iter_mut().find(|e| e.variant == here.variant) {
                    Some(sum) => (sum.there, sum.here) = (sum.there + there, sum.here + here_more),
                    None => found.effects.push(Effects { variant: here.variant.clone(), there, here: here_more }),
                }
            }
        }
        found.base = all;
        report.earlier = Some(found);
        Ok(())
    }

    pub(super) fn base_runs(&self, results: &Results, progress: Progress) -> io::Result<Vec<Run>> {
        self.runs(&self.base, None, results, progress)
    }

    /// The results of the variant on every corpus. They are computed only if they are not stored.
    pub(super) fn runs(
        &self,
        variant: &Variant,
        base: Option<&[Run]>,
        results: &Results,
        progress: Progress,
    ) -> io::Result<Vec<Run>> {
        let (own, of_base) = (variant.simplifier(), self.base.simplifier());
        let (base_key, rules) = (key_of(&self.base.rules), key_of(&variant.rules));
        let one = |(i, corpus): (usize, &Corpus)| {
            let base = base.map(|b| &b[i]);
            let key = Key {
                engine: self.engine.clone(),
                base: base_key.clone(),
                rules: rules.clone(),
                stage: variant.stages.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(" "),
                corpus: corpus.key().into(),
                timed: self.timed,
            };
            if let Some(found) = results.find(&key, base) {
                progress(corpus.cases().len());
                return Ok(found);
            }
            let mut run = run(&own, corpus, &|| progress(1));
            run.times = (self.timed > 0).then(|| measured(&of_base, &own, corpus, self.timed));
            results.keep(key, (&variant.name, corpus.name()), &run, base)?;
            Ok(run)
        };
        self.corpora.par_iter().enumerate().map(one).collect()
    }

    /// The figures of a variant. A row for each corpus is added to `by_corpus`, and the sum of these rows is returned.
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

    fn changed<'a>(&'a self, variant: &'a str, runs: &'a [Run], base: &'a [Run]) -> impl Iterator<Item = Changed> + 'a {
        let each = self.corpora.iter().zip(runs).zip(base);
        each.flat_map(move |((corpus, run), base)| changed(variant, corpus, run, base))
    }
}

/// The cases in which `run`, the results of `variant`, has a different answer than `base`.
fn changed<'a>(
    variant: &'a str,
    corpus: &'a Corpus,
    run: &'a Run,
    base: &'a Run,
) -> impl Iterator<Item = Changed> + 'a {
    let pairs = corpus.cases().iter().zip(&base.answers).zip(&run.answers);
    pairs.filter(|((_, before), after)| differ(before, after)).map(move |((case, before), after)| Changed {
        variant: variant.into(),
        corpus: corpus.name().into(),
        line: case.line,
        id: case.id.clone(),
        input: case.text.clone(),
        ranges: case.ranges.clone(),
        before: before.clone(),
        after: after.clone(),
    })
}

/// Whether two answers differ in text or cost. The sizes of the searches do not matter.
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
        work: run.work.clone(),
        times: run.times.clone(),
        ..Row::default()
    };
    for (before, after) in base.answers.iter().zip(&run.answers) {
        row.changed += usize::from(differ(before, after));
        let Ok(after) = after else { continue };
        row.cases += 1;
        row.cost += after.cost;
        row.divisions += u64::from(after.divisions);
        row.nodes += after.nodes;
        if let Ok(before) = before {
            row.cheaper += usize::from(after.cost < before.cost);
            row.costlier += usize::from(after.cost > before.cost);
        }
    }
    row
}
