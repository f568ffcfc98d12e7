//! Extraction as a separate problem: the candidates of each e-class, and the searches of the engine among the
//! candidates.

use crate::domain::Domain;
use crate::egraph::extract::choices::{self, Choices, NEVER};
use crate::egraph::extract::local_search::Selection;
use crate::egraph::extract::operations::{AndOrGraph, FRACTION, Write};
use crate::egraph::extract::reach::Reach;
use crate::expr::Expr;
use crate::inspect::view::label;
use crate::simplifier::Simplifier;
use crate::simplify::{SimplifyError, saturated};

/// One way to compute the value of an e-class: an operation and the classes of its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// A readable name of the operation.
    pub label: String,
    /// The price of the operation without its operands. One instruction costs [`Extraction::UNIT`].
    pub price: u64,
    /// The classes of the operands.
    pub operands: Vec<usize>,
}

/// An extraction problem: e-classes with their candidates, and the classes that must be computed (the roots).
///
/// A selection has one candidate for each class that the roots reach. The cost of a selection is the sum of the prices
/// of these candidates, each counted once. A selection with a cycle has no cost.
///
/// ```
/// use quaff::{Simplifier, domain::Domain, inspect::{Extraction, Method}};
///
/// let domain = Domain::new().with("x", 0..100);
/// let problem = Extraction::of(&Simplifier::default(), &["x//7".parse()?, "x%7".parse()?], &domain)?;
/// let (trees, exact) = (problem.select(Method::Trees), problem.select(Method::Exact { steps: 1_000_000 }));
/// assert!(exact.cost <= trees.cost && exact.cost == Some(exact.least));
/// assert_eq!(problem.cost(&exact.chosen), exact.cost);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extraction {
    classes: Vec<Vec<Candidate>>,
    roots: Vec<usize>,
}

/// A search for a cheap selection, one of those that the engine uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Selects the cheapest tree of each class. A value that several operands share counts once for each of them.
    Trees,
    /// Starts from the cheapest trees, and makes single changes while one reduces the total cost. A problem of more
    /// than 400 classes for each root keeps the trees.
    LocalSearch,
    /// Starts from the cheapest trees and continues with branch and bound.
    Exact {
        /// The largest number of visited candidates.
        steps: u64,
    },
    /// The search of [`Simplifier::simplify`]: branch and bound with few steps, and local search if branch and bound
    /// ends without a proof of optimality.
    Engine,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selected {
    /// For each class, the position of the selected candidate in the class. `None` when no candidate is selected.
    pub chosen: Vec<Option<usize>>,
    /// The cost of the selection, the sum of its prices. `None` when the selection has a cycle.
    pub cost: Option<u64>,
    /// A lower bound of the cost of all selections.
    pub least: u64,
}

/// The error for a class that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the class {class} is no class: there are {classes}")]
#[non_exhaustive]
pub struct NoSuchClass {
    /// The position that was given, at which there is no class.
    pub class: usize,
    /// The number of classes.
    pub classes: usize,
}

impl Extraction {
    /// The price of one instruction. Smaller prices decide between forms with the same number of instructions.
    pub const UNIT: u64 = 10 * FRACTION;

    /// An extraction problem from its classes and roots.
    ///
    /// # Errors
    /// [`NoSuchClass`] when an operand or a root is not the position of a class.
    pub fn new(classes: Vec<Vec<Candidate>>, roots: Vec<usize>) -> Result<Extraction, NoSuchClass> {
        let operands = classes.iter().flatten().flat_map(|c| c.operands.iter());
        match operands.chain(&roots).find(|&&class| class >= classes.len()) {
            Some(&class) => Err(NoSuchClass { class, classes: classes.len() }),
            None => Ok(Extraction { classes, roots }),
        }
    }

    /// The extraction problem of the first search of a call: the e-graph after saturation, with the prices of the
    /// simplifier's cost model.
    ///
    /// An operation that several classes need, such as a quotient beside its remainder, is a separate class and costs
    /// once.
    ///
    /// # Errors
    /// [`SimplifyError`], for the same reasons as in [`Simplifier::simplify`].
    pub fn of(simplifier: &Simplifier, exprs: &[Expr], domain: &Domain) -> Result<Extraction, SimplifyError> {
        let search = saturated(&simplifier.settings, exprs, domain)?;
        let graph = AndOrGraph::new(&search.graph.e, simplifier.model(), &search.graph.roots);
        let labels: Vec<String> = graph.writes.iter().map(|(_, write)| name(write, &search.names)).collect();
        Ok(plain(&graph.choices, labels))
    }

    /// The candidates of each class.
    pub fn classes(&self) -> &[Vec<Candidate>] {
        &self.classes
    }

    /// The classes that must be computed.
    pub fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// The cost of a selection: the sum of the prices of all candidates that the roots reach, each counted once. `None`
    /// when the selection has a cycle, or reaches a class without a choice. The time is linear in the size of the
    /// problem.
    pub fn cost(&self, chosen: &[Option<usize>]) -> Option<u64> {
        let (choices, first) = self.choices();
        let of_class = |(class, o): (usize, &Option<usize>)| match o {
            Some(o) if *o < self.classes[class].len() => first[class] + *o as u32,
            _ => NEVER,
        };
        let mut all: Vec<u32> = chosen.iter().take(self.classes.len()).enumerate().map(of_class).collect();
        all.resize(self.classes.len(), NEVER);
        Reach::new(&choices).cost(&choices, &all)
    }

    /// The selection that the search `method` finds. The result is deterministic.
    pub fn select(&self, method: Method) -> Selected {
        let (p, first) = self.choices();
        let found = match method {
            Method::Trees => Selection::trees(&p),
            Method::LocalSearch => Selection::trees(&p).improved(&p),
            Method::Exact { steps } => Selection::trees(&p).exact(&p, steps),
            Method::Engine => Selection::cheapest(&p),
        };
        let chosen = found.chosen.iter().zip(first).map(|(&o, first)| (o != NEVER).then(|| (o - first) as usize));
        Selected { chosen: chosen.collect(), cost: found.cost, least: found.least }
    }

    /// The problem in the form that the searches take, and the number of the first candidate of each class.
    fn choices(&self) -> (Choices, Vec<u32>) {
        let mut candidates = Vec::new();
        let (mut places, mut first) = (Vec::with_capacity(self.classes.len()), Vec::with_capacity(self.classes.len()));
        for class in &self.classes {
            let begin = candidates.len() as u32;
            first.push(begin);
            candidates.extend(class.iter().map(|c| choices::Candidate {
                price: c.price,
                operands: c.operands.iter().map(|&o| o as u32).collect(),
                needs: None,
            }));
            places.push((begin..candidates.len() as u32).collect());
        }
        (Choices { candidates, places, roots: self.roots.iter().map(|&r| r as u32).collect() }, first)
    }
}

/// The same problem, with every candidate in exactly one class. A candidate that several classes can choose, or that a
/// remainder needs, gets a class of its own.
fn plain(p: &Choices, labels: Vec<String>) -> Extraction {
    let mut places = vec![0_u32; p.candidates.len()];
    p.places.iter().flatten().for_each(|&o| places[o as usize] += 1);
    let mut is_apart: Vec<bool> = places.iter().map(|&count| count > 1).collect();
    p.candidates.iter().filter_map(|c| c.needs).for_each(|q| is_apart[q as usize] = true);
    let mut own: Vec<Option<usize>> = vec![None; p.candidates.len()];
    for (class, o) in (p.places.len()..).zip((0..own.len()).filter(|&o| is_apart[o])) {
        own[o] = Some(class);
    }
    let candidate = |o: usize| {
        let c = &p.candidates[o];
        let operands = c.operands.iter().map(|&place| place as usize);
        let operands = operands.chain(c.needs.and_then(|q| own[q as usize])).collect();
        Candidate { label: labels[o].clone(), price: c.price, operands }
    };
    let in_place = |&o: &u32| match own[o as usize] {
        Some(class) => Candidate { label: "shared".into(), price: 0, operands: vec![class] },
        None => candidate(o as usize),
    };
    let mut classes: Vec<Vec<Candidate>> = p.places.iter().map(|place| place.iter().map(in_place).collect()).collect();
    classes.extend((0..own.len()).filter(|&o| own[o].is_some()).map(|o| vec![candidate(o)]));
    Extraction { classes, roots: p.roots.iter().map(|&r| r as usize).collect() }
}

/// A readable name of a candidate.
fn name(write: &Write, variables: &[Expr]) -> String {
    match write {
        Write::Constant(c) => c.to_string(),
        Write::Variable(v) => variables.get(*v as usize).map_or_else(String::new, ToString::to_string),
        Write::Sum(lin) => match lin.as_atom() {
            Some(_) => "operation".into(),
            None => format!("sum {:?} + {}", lin.coeffs(), lin.constant),
        },
        Write::Compare(op, _) => op.symbol().into(),
        Write::Side(_) => "side of a comparison".into(),
        Write::Part => "part of a sum".into(),
        Write::QuotientOfSum(_, _, n) => format!("sum // {n}"),
        Write::ClearedBits(_) => "low bits cleared".into(),
        Write::Node(node) => label(node, variables),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Gpu;
    use crate::egraph::extract::choices::{candidate, problem};

    #[test]
    fn a_quotient_that_a_remainder_needs_is_paid_for_once() {
        // class 0 is a sum of the remainder and the quotient. Candidate 2 is the quotient, which candidate 1 needs
        let p = problem(
            vec![
                candidate(1, &[1, 2], None),
                candidate(3, &[3], Some(2)),
                candidate(8, &[3], None),
                candidate(0, &[], None),
            ],
            &[&[0], &[1], &[2], &[3]],
            &[0],
        );
        let labels = ["sum", "%", "//", "x"].map(String::from).to_vec();
        let plain = plain(&p, labels);
        assert_eq!(plain.classes().len(), 5);
        let found = plain.select(Method::Engine);
        assert_eq!((found.cost, Selection::cheapest(&p).cost), (Some(12), Some(12)));
        assert_eq!(plain.cost(&found.chosen), Some(12));
        assert_eq!(plain.cost(&[]), None);
    }

    #[test]
    fn a_quotient_of_no_place_is_paid_for() {
        let candidates = vec![candidate(3, &[1], Some(1)), candidate(8, &[1], None), candidate(0, &[], None)];
        let p = problem(candidates, &[&[0], &[2]], &[0]);
        let found = plain(&p, vec![String::new(); 3]).select(Method::Engine);
        assert_eq!((found.cost, Selection::cheapest(&p).cost), (Some(11), Some(11)));
    }

    /// The plain problem and that of the engine have the same selections, so a proof for one holds for the other.
    #[test]
    fn the_plain_problem_has_the_costs_of_the_engines() {
        let simplifier = Simplifier::default();
        let domain = Domain::new().with("x", 0..5000).with("y", 0..300).with("n", 1..=64);
        for text in [
            "x//7 + x%7",
            "x%7*3 + y",
            "x%49 + x%7 + y//7%7",
            "where(x%n < y, x//n*64 + x%n, y//n)",
            "x//12*5 + (x + y)%12",
        ] {
            let exprs = [text.parse().unwrap(), "x%7 + x%n".parse().unwrap()];
            let search = saturated(&simplifier.settings, &exprs, &domain).unwrap();
            let graph = AndOrGraph::new(&search.graph.e, &Gpu, &search.graph.roots);
            let own = Selection::trees(&graph.choices).exact(&graph.choices, 1_000_000);
            let found =
                Extraction::of(&simplifier, &exprs, &domain).unwrap().select(Method::Exact { steps: 1_000_000 });
            assert_eq!((found.cost, found.cost), (own.cost, Some(found.least)), "{text}");
        }
    }

    #[test]
    fn what_is_no_class_is_refused() {
        let one = || vec![vec![Candidate { label: "x".into(), price: 1, operands: vec![] }]];
        assert_eq!(Extraction::new(one(), vec![1]), Err(NoSuchClass { class: 1, classes: 1 }));
        let itself = vec![vec![Candidate { label: "x".into(), price: 1, operands: vec![0] }]];
        // a problem with only a cycle has no solution
        assert_eq!(Extraction::new(itself, vec![0]).map(|p| p.select(Method::Engine).cost), Ok(None));
        assert_eq!(Extraction::new(one(), vec![0]).map(|p| p.select(Method::Trees).cost), Ok(Some(1)));
    }
}
