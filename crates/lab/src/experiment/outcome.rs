//! The outcome of an experiment: figures for each rule set, the corpus cases whose answers changed, and the search for
//! a small rule set.

use super::corpus::BadLine;
use super::run::Answer;
use super::times::Times;
use quaff::cost::Cost;
use quaff::inspect::Work;

/// The figures of one rule set on one corpus, or on all corpora together.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// The rule set.
    pub variant: String,
    /// The corpus. The name is `all` for all corpora together.
    pub corpus: String,
    /// The number of rules.
    pub rules: usize,
    /// The number of cases (corpus lines) with an answer.
    pub cases: usize,
    /// The total cost of the answers.
    pub cost: Cost,
    /// The number of `//` and `%` in the answers.
    pub divisions: u64,
    /// The number of e-nodes that all searches created.
    pub nodes: u64,
    /// The work of all searches: the number of executed rule instructions, and the sizes of the e-graphs in each round.
    /// Unlike time, these numbers are the same on every machine.
    pub work: Work,
    /// The times of this rule set and of the base rule set, if they are measured.
    pub times: Option<Times>,
    /// The interaction of two removed parts of a rule set, in instructions. It is the effect of removing both parts,
    /// minus the effects of removing each part alone. `None` if the report has no costs for the single removals.
    pub interaction: Option<f64>,
    /// The number of cases whose answers differ from those of the base rule set.
    pub changed: usize,
    /// The number of changed cases whose answer costs less than with the base.
    pub cheaper: usize,
    /// The number of changed cases whose answer costs more than with the base.
    pub costlier: usize,
}

/// A case (corpus line) whose answer differs from the answer with the base rule set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Changed {
    /// The rule set.
    pub variant: String,
    /// The corpus.
    pub corpus: String,
    /// The line of the case.
    pub line: usize,
    /// The id of the case.
    pub id: String,
    /// The expression as written in the corpus.
    pub input: String,
    /// The ranges as readable text.
    pub ranges: String,
    /// The answer of the base.
    pub before: Result<Answer, String>,
    /// The answer of the variant.
    pub after: Result<Answer, String>,
}

impl Changed {
    /// The cost of the answer of the variant minus the cost of the answer of the base, in instructions.
    pub fn difference(&self) -> f64 {
        let cost = |r: &Result<Answer, String>| r.as_ref().map_or(0.0, |a| a.cost.instructions());
        cost(&self.after) - cost(&self.before)
    }
}

/// The outcome of an experiment.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The figures of the base on all corpora together.
    pub base: Row,
    /// The figures of every variant (compared rule set) on all corpora together, in the given order.
    pub rows: Vec<Row>,
    /// The figures of the base and the variants on each corpus.
    pub by_corpus: Vec<Row>,
    /// All cases whose answers differ, ordered by variant.
    pub changed: Vec<Changed>,
    /// The lines of the corpora that cannot be read as questions.
    pub bad: Vec<BadLine>,
    /// The cases for which the simplifier returns an error, whichever rules are used.
    pub refused: Vec<BadLine>,
    /// The comparison with the stored results of an earlier version of the program, if there is one.
    pub earlier: Option<Earlier>,
    /// The search for a small rule set, if there was one.
    pub elimination: Option<Elimination>,
}

/// The stored results of an earlier version of the program on the same corpora.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Earlier {
    /// The name of the earlier program.
    pub name: String,
    /// The figures of the earlier program's base, compared with the base of this program. They cover the corpora for
    /// which both programs have results. The field [`Report::changed`] also contains the cases that changed between the
    /// programs.
    pub base: Row,
    /// The cost of this program's base on the same corpora.
    pub cost_here: Cost,
    /// The effects of the variants for which both programs have results.
    pub effects: Vec<Effects>,
    /// The corpora for which the earlier program has no results.
    pub missing: Vec<String>,
}

/// The effect of a variant (a compared rule set) in two versions of the program. An effect is the cost of the variant
/// minus the cost of the base in the same version, in instructions. It covers the corpora for which both programs have
/// results.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Effects {
    /// The variant.
    pub variant: String,
    /// The effect with the earlier program.
    pub there: f64,
    /// The effect with this program.
    pub here: f64,
}

/// One attempt to leave out a rule.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trial {
    /// The name of the rule.
    pub rule: String,
    /// The total cost of the answers without this rule and without the rules that were already left out.
    pub cost: Cost,
    /// The number of cases whose answers cost more without these rules than with all rules.
    pub costlier: usize,
    /// Whether the rule stays left out.
    pub left_out: bool,
}

/// A small rule set that was found by greedy search, and the steps of the search.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Elimination {
    /// The total cost of the answers with all rules.
    pub cost: Cost,
    /// The attempts to leave out rules, in order.
    pub trials: Vec<Trial>,
    /// The rules that stay, in the order of the base rule set.
    pub kept: Vec<String>,
    /// The rules that are left out, in the order of their removal.
    pub left_out: Vec<String>,
}

impl Row {
    /// The cost of the answers minus the cost of the answers of `base`, in instructions.
    pub fn effect(&self, base: &Row) -> f64 {
        self.cost.instructions() - base.cost.instructions()
    }

    /// Adds the figures of another corpus.
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
