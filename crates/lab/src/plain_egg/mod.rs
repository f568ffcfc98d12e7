//! Plain egg as a baseline for comparisons. It uses binary operators, rules for commutativity, associativity and
//! distributivity, and the runner and extractor of the library egg.
//!
//! The search has no normal form of sums, no facts and no contexts, as quaff's search has. With [`Facts::Ranges`], each
//! class also has an interval, so that rules whose conditions need ranges can apply.
//!
//! ```
//! use quaff::domain::Domain;
//! use quaff_lab::plain_egg::{Baseline, Facts};
//!
//! let domain = Domain::new().with("i", 0..64).with("j", 0..16);
//! let expr = "(i*16 + j)//16".parse()?;
//! let plain = Baseline::new(Facts::None).simplify(&expr, &domain)?;
//! assert_eq!(plain.trees.expr.to_string(), "i + j//16");
//! let ranges = Baseline::new(Facts::Ranges).simplify(&expr, &domain)?;
//! assert_eq!(ranges.trees.expr.to_string(), "i");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod analysis;
mod dags;
pub(crate) mod language;
mod prices;
mod rules;

pub use analysis::Facts;

use analysis::{Known, Ranges};
use egg::{Extractor, RecExpr, Runner, StopReason};
use language::Math;
use prices::Prices;
use quaff::cost::{Cost, Gpu, price};
use quaff::domain::{Domain, DomainError, RangesByName, intervals_of};
use quaff::expr::{Dag, Expr};
use std::time::{Duration, Instant};

/// Plain egg with its rules and limits.
#[derive(Clone, Debug)]
pub struct Baseline {
    facts: Facts,
    nodes: usize,
    iterations: usize,
}

/// The result of plain egg for an expression.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// The form that the extractor of egg chooses: the cheapest tree.
    pub trees: Form,
    /// The form that the extractor of quaff chooses from the same e-graph. In its cost, a shared part counts once.
    pub shared: Form,
    /// The number of e-nodes at the end.
    pub nodes: usize,
    /// The number of e-classes at the end.
    pub classes: usize,
    /// The number of iterations of the runner.
    pub iterations: usize,
    /// Whether the rules reached saturation.
    pub is_saturated: bool,
}

/// An extracted expression.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Form {
    /// The answer as an expression.
    pub expr: Expr,
    /// The time of the search and of this extraction.
    pub time: Duration,
}

/// The reason why plain egg cannot simplify an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The expression has more operations than the limit of e-nodes.
    #[error("the expression has {operations} different operations, and there may be {limit} e-nodes")]
    TooLarge {
        /// The number of different operations of the expression.
        operations: usize,
        /// The limit of e-nodes.
        limit: usize,
    },
    /// The ranges of the expression contradict each other.
    #[error(transparent)]
    Domain(#[from] DomainError),
}

impl Baseline {
    /// A baseline with the limits of the runner of egg: 10,000 e-nodes and 30 iterations, without its limit of time.
    pub fn new(facts: Facts) -> Baseline {
        Baseline { facts, nodes: 10_000, iterations: 30 }
    }

    /// Sets other limits.
    pub fn with_limits(self, nodes: usize, iterations: usize) -> Baseline {
        Baseline { nodes, iterations, ..self }
    }

    /// The cheapest forms after saturation, or when a limit is reached. The limits bound the time of the rules. The
    /// extractor of egg may take time quadratic in the number of e-nodes, for example for a chain of operations.
    ///
    /// # Errors
    /// Fails if the expression has more operations than the limit of e-nodes, or if ranges contradict each other.
    pub fn simplify(&self, expr: &Expr, domain: &Domain) -> Result<Found, BaselineError> {
        let dag = Dag::new(std::slice::from_ref(expr));
        if dag.nodes().len() > self.nodes {
            return Err(BaselineError::TooLarge { operations: dag.nodes().len(), limit: self.nodes });
        }
        let (asked, variables) = language::read(&dag);
        let ranges = match self.facts {
            Facts::None => Ranges::default(),
            Facts::Ranges => {
                let vars = domain.resolve()?;
                let known = RangesByName::new(&vars);
                Ranges::of(variables.iter().map(|(symbol, name)| (*symbol, known.of(name))))
            }
        };
        let began = Instant::now();
        let runner = Runner::<Math, Known>::new(Known { ranges })
            .with_explanations_disabled()
            .with_node_limit(self.nodes)
            .with_iter_limit(self.iterations)
            // this time limit of one hour is never reached, so the result does not depend on the clock
            .with_time_limit(Duration::from_secs(3600))
            .with_expr(&asked)
            .run(&rules::all(self.facts));
        let searched = began.elapsed();
        let form = |extract: &dyn Fn() -> RecExpr<Math>| {
            let began = Instant::now();
            let best = extract();
            let time = searched + began.elapsed();
            Form { expr: language::written(&best, &variables), time }
        };
        let (graph, root) = (&runner.egraph, runner.roots[0]);
        let trees = || Extractor::new(graph, Prices(graph)).find_best(root).1;
        Ok(Found {
            trees: form(&trees),
            shared: form(&|| dags::cheapest(graph, root).unwrap_or_else(trees)),
            nodes: runner.egraph.total_size(),
            classes: runner.egraph.number_of_classes(),
            iterations: runner.iterations.len(),
            is_saturated: matches!(runner.stop_reason, Some(StopReason::Saturated)),
        })
    }
}

/// The cost of an expression under the GPU model, with the ranges of its variables. Every shared part counts once.
///
/// # Errors
/// Fails if ranges contradict each other.
pub fn cost(expr: &Expr, domain: &Domain) -> Result<Cost, DomainError> {
    let dag = Dag::new(std::slice::from_ref(expr));
    let vars = domain.resolve()?;
    let ranges = RangesByName::new(&vars);
    Ok(price(&dag, &intervals_of(&dag, |name| ranges.of(name)), &Gpu))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Corpus, Question};
    use quaff::quasi::{Verdict, equivalent};

    fn simplified(facts: Facts, expr: &str, domain: &Domain) -> String {
        let engine = Baseline::new(facts).with_limits(1_000, 8);
        let found = engine.simplify(&expr.parse().expect("an expression"), domain).expect("an answer");
        found.trees.expr.to_string()
    }

    #[test]
    fn identities_without_ranges_are_found_and_no_others() {
        let domain = Domain::new().with("i", 0..64).with("j", 0..16);
        for (expr, plain, ranges) in [
            ("i + j - i", "j", "j"),
            ("i//4//8", "i//32", "i//32"),
            ("(i*16 + j)//16", "i + j//16", "i"),
            ("(i*16 + j)%16", "j%16", "j"),
            ("i//8*8 + i%8", "i", "i"),
            ("-(-i)", "i", "i"),
            ("min(i, j) + min(j, i)", "2*min(i, j)", "2*min(i, j)"),
        ] {
            let costs = |text: &str| cost(&text.parse().unwrap(), &domain).unwrap();
            let found = [Facts::None, Facts::Ranges].map(|facts| costs(&simplified(facts, expr, &domain)));
            assert_eq!(found, [costs(plain), costs(ranges)], "{expr}");
        }
    }

    #[test]
    fn answers_have_the_values_of_the_questions() {
        for name in ["inductor_kernels", "quasi_affine"] {
            let path = format!("{}/../../tests/data/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).expect("a corpus");
            let some: String = text.lines().step_by(47).map(|l| format!("{l}\n")).collect();
            let (mut compared, corpus) = (0, Corpus::parse(name, some.as_bytes()));
            for case in corpus.cases() {
                let Question::Expr(expr) = &case.question else { continue };
                let found = Baseline::new(Facts::Ranges).with_limits(500, 6).simplify(expr, &case.domain).unwrap();
                for form in [&found.trees.expr, &found.shared.expr] {
                    let verdict = equivalent(expr, form, &case.domain);
                    assert!(!matches!(verdict, Verdict::Differs { .. }), "{expr} and {form}: {verdict:?}");
                }
                compared += 1;
            }
            assert!(compared > 4, "{compared}");
        }
    }

    #[test]
    fn shared_parts_are_one_and_deep_expressions_have_an_answer() {
        // a tree with 2^30 leaves
        let mut expr: Expr = quaff::expr::var("x");
        for _ in 0..30 {
            expr = &expr + &expr;
        }
        let engine = Baseline::new(Facts::None).with_limits(2_000, 3);
        assert!(engine.simplify(&expr, &Domain::new()).is_ok());
        let mut deep: Expr = quaff::expr::var("x");
        for at in 0..2_000 {
            deep = deep.floor_mod(1_000_000 + at);
        }
        let error = engine.simplify(&deep, &Domain::new()).map(|f| f.nodes).unwrap_err();
        assert_eq!(error.to_string(), "the expression has 4001 different operations, and there may be 2000 e-nodes");
        assert!(engine.with_limits(5_000, 1).simplify(&deep, &Domain::new()).is_ok());
    }
}
