//! The outcome of an experiment: figures of rule sets, the cases whose answers changed, the search for a smallest
//! set.

use super::corpus::BadLine;
use super::run::Answer;
use super::times::Times;
use quaff::cost::Cost;
use quaff::inspect::Work;

/// Figures of one rule set on one corpus, or on all together.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// The rule set.
    pub variant: String,
    /// The corpus; `all` for all together.
    pub corpus: String,
    /// Its rules.
    pub rules: usize,
    /// Cases with an answer.
    pub cases: usize,
    /// Total cost of the answers.
    pub cost: Cost,
    /// `//` and `%` left in the answers.
    pub divisions: u64,
    /// E-nodes made.
    pub nodes: u64,
    /// The work of all searches: a measure of time that is the same on every machine, and the e-graphs round by round.
    pub work: Work,
    /// Times beside the base, where they are measured.
    pub times: Option<Times>,
    /// Of a set without two parts: what it costs more than the losses of either part add up to, in instructions. `None` where these are
    /// not in the report.
    pub interaction: Option<f64>,
    /// Cases with another answer than the base has.
    pub changed: usize,
    /// Those among them that cost less than with the base.
    pub cheaper: usize,
    /// Those that cost more.
    pub costlier: usize,
}

/// A case whose answer is not that of the base.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Changed {
    /// The rule set.
    pub variant: String,
    /// The corpus.
    pub corpus: String,
    /// The case's line and id.
    pub line: usize,
    /// Its id.
    pub id: String,
    /// The expression as it stands in the corpus.
    pub input: String,
    /// The ranges, for people.
    pub ranges: String,
    /// What the base makes of it.
    pub before: Result<Answer, String>,
    /// What the variant makes of it.
    pub after: Result<Answer, String>,
}

impl Changed {
    /// What the variant's answer costs more than that of the base, in instructions.
    pub fn difference(&self) -> f64 {
        let cost = |r: &Result<Answer, String>| r.as_ref().map_or(0.0, |a| a.cost.instructions());
        cost(&self.after) - cost(&self.before)
    }
}

/// The outcome of an experiment.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The base on all corpora together.
    pub base: Row,
    /// Every variant on all corpora together, in the order given.
    pub rows: Vec<Row>,
    /// Base and variants on each corpus.
    pub by_corpus: Vec<Row>,
    /// All cases whose answers differ, variant by variant.
    pub changed: Vec<Changed>,
    /// Lines of the corpora that are no questions.
    pub bad: Vec<BadLine>,
    /// Cases that the engine refuses, whatever the rules.
    pub refused: Vec<BadLine>,
    /// What an earlier program found, where there is something to compare with.
    pub earlier: Option<Earlier>,
    /// A search for a smallest set, if one was made.
    pub elimination: Option<Elimination>,
}

/// The results of an earlier program on the same corpora.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Earlier {
    /// Its results, by name.
    pub name: String,
    /// The base of that program beside the base of this one, on the corpora that both have. The changed cases are among those of the
    /// report.
    pub base: Row,
    /// What the base of this program costs on these corpora.
    pub cost_here: Cost,
    /// The variants that both have.
    pub effects: Vec<Effects>,
    /// Corpora of which it has no results.
    pub missing: Vec<String>,
}

/// What a variant costs more than the base of its program, in instructions, on the corpora that both programs have.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Effects {
    /// The variant.
    pub variant: String,
    /// With the earlier program.
    pub there: f64,
    /// With this one.
    pub here: f64,
}

/// One attempt to leave out a rule.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trial {
    /// The rule.
    pub rule: String,
    /// Total cost without it and without all that were left out before.
    pub cost: Cost,
    /// Cases that then cost more than with all rules.
    pub costlier: usize,
    /// Whether it stays left out.
    pub left_out: bool,
}

/// A smallest set of rules, as far as greedy search finds it, and how it was found.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Elimination {
    /// Total cost with all rules.
    pub cost: Cost,
    /// The attempts, in order.
    pub trials: Vec<Trial>,
    /// Rules that stay, in the order of the base.
    pub kept: Vec<String>,
    /// Rules that are left out, in the order in which that was done.
    pub left_out: Vec<String>,
}

impl Row {
    /// What the answers cost more than those of `base`, in instructions.
    pub fn effect(&self, base: &Row) -> f64 {
        self.cost.instructions() - base.cost.instructions()
    }

    /// Adds figures of another corpus.
    pub(super) fn add(&mut self, other: &Row) {
        self.cases += other.cases;
        self.cost += other.cost;
        self.divisions += other.divisions;
        self.nodes += other.nodes;
        self.work.add(&other.work);
        match (&mut self.times, &other.times) {
            (Some(times), Some(other)) => times.add(other),
            (times, other) => *times = other.clone(),
        }
        self.changed += other.changed;
        self.cheaper += other.cheaper;
        self.costlier += other.costlier;
    }
}
