//! Compares extractors (methods that choose one node for each e-class) on the same e-graphs.

use super::extractor::Extractor;
use crate::experiment::{BadLine, Corpus, Question};
use quaff::Simplifier;
use quaff::expr::Expr;
use quaff::inspect::Extraction;
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// For each line of a corpus, the saturated e-graph, or the reason why there is none. For accesses, all indices and
/// gates are roots.
pub fn problems(simplifier: &Simplifier, corpus: &Corpus) -> Vec<Result<Extraction, BadLine>> {
    let one = |case: &crate::experiment::Case| {
        let exprs: Vec<Expr> = match &case.question {
            Question::Expr(expr) => vec![expr.clone()],
            Question::Accesses(accesses) => {
                accesses.iter().flat_map(|a| a.lanes().iter().chain(a.gate().condition())).cloned().collect()
            }
        };
        Extraction::of(simplifier, &exprs, &case.domain).map_err(|e| case.refused(corpus, &e.to_string()))
    };
    corpus.cases().par_iter().map(one).collect()
}

/// The results of an extractor on several problems.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The extractor.
    pub extractor: Extractor,
    /// The total cost of the extractor's selections, in the price unit of the problems.
    pub cost: u64,
    /// The part of this cost in problems for which some extractor proved the optimum.
    pub proved: u64,
    /// The number of problems in which the extractor found the least cost of all extractors.
    pub least: usize,
    /// The number of problems in which the extractor's cost equals a lower bound, so that no selection costs less.
    pub optimal: usize,
    /// The number of problems in which the extractor found no selection. These problems are in none of the sums.
    pub none: usize,
    /// The total time of the searches.
    pub time: Duration,
}

/// A comparison of several extractors on the same problems (e-graphs).
#[derive(Clone, Debug)]
pub struct Comparison {
    rows: Vec<Row>,
    bound: u64,
    /// The sum of the lower bounds of the problems with a proved optimum.
    optimum: u64,
    proved: usize,
    problems: usize,
}

impl Comparison {
    /// A comparison without problems.
    pub fn new(extractors: &[Extractor]) -> Comparison {
        let row =
            |&extractor| Row { extractor, cost: 0, proved: 0, least: 0, optimal: 0, none: 0, time: Duration::ZERO };
        Comparison { rows: extractors.iter().map(row).collect(), bound: 0, optimum: 0, proved: 0, problems: 0 }
    }

    /// Runs all extractors on a problem. If one of them finds no selection, the problem is in none of the sums.
    pub fn add(&mut self, problem: &Extraction) {
        let found: Vec<(Option<u64>, u64)> = self
            .rows
            .iter_mut()
            .map(|row| {
                let began = Instant::now();
                let found = row.extractor.run(problem);
                row.time += began.elapsed();
                found
            })
            .collect();
        self.problems += 1;
        let costs: Option<Vec<u64>> = found.iter().map(|f| f.0).collect();
        let Some(costs) = costs else {
            for (row, (cost, _)) in self.rows.iter_mut().zip(found) {
                row.none += usize::from(cost.is_none());
            }
            return;
        };
        let bound = found.iter().map(|f| f.1).max().unwrap_or(0);
        let least = costs.iter().copied().min().unwrap_or(0);
        self.bound = self.bound.saturating_add(bound);
        let is_proved = least <= bound;
        self.proved += usize::from(is_proved);
        self.optimum = self.optimum.saturating_add(if is_proved { bound } else { 0 });
        for (row, cost) in self.rows.iter_mut().zip(costs) {
            row.cost = row.cost.saturating_add(cost);
            row.proved = row.proved.saturating_add(if is_proved { cost } else { 0 });
            row.least += usize::from(cost == least);
            row.optimal += usize::from(cost <= bound);
        }
    }

    /// Adds the results of `other`, a comparison on further problems.
    pub fn merge(&mut self, other: &Comparison) {
        for (row, more) in self.rows.iter_mut().zip(&other.rows) {
            row.cost = row.cost.saturating_add(more.cost);
            row.proved = row.proved.saturating_add(more.proved);
            row.least += more.least;
            row.optimal += more.optimal;
            row.none += more.none;
            row.time += more.time;
        }
        self.bound = self.bound.saturating_add(other.bound);
        self.optimum = self.optimum.saturating_add(other.optimum);
        self.proved += other.proved;
        self.problems += other.problems;
    }

    /// The results of the extractors, in their order.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The sum of the greatest lower bounds of all problems.
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// The sum of the lower bounds of the problems in which the least cost equals the bound, so that it is optimal.
    pub fn optimum(&self) -> u64 {
        self.optimum
    }

    /// The number of problems in which the least cost equals the lower bound, so that it is optimal.
    pub fn proved(&self) -> usize {
        self.proved
    }

    /// The number of all problems.
    pub fn problems(&self) -> usize {
        self.problems
    }
}
