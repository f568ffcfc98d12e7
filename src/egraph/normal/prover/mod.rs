//! Proves that a sum of products is at least 0 at every point.
//!
//! The input is a linear form whose terms may be products, and further assumptions. The output is whether it is proved
//! to be at least 0. Guards of rules, comparisons, clauses and divisors use the prover if sizes are known only at run
//! time.
//!
//! A proof replaces a goal `p >= 0` by other goals, each of which implies it, until the ranges of classes decide one of
//! them. A step may replace a term by one of its bounds. Bounds are symbolic ends of variables, operands of extrema,
//! and the definitions of quotients and remainders. Another step subtracts a multiple of an assumption. A step may also
//! multiply a goal by a positive factor, because `p >= 0` is equivalent to `n*p + n - 1 >= 0`. That step turns
//! `x//n < m` into `x < n*m`. The smallest goal is tried first. The number of goals of a proof is bounded. The
//! [`Budget`](crate::egraph::normal::budget::Budget) bounds the goals of all proofs of a call.

mod bounds;
pub(crate) mod corners;
mod polynomial;
mod steps;

use crate::egraph::analysis::linear_constraints::LinearConstraints;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Extremum, Node};
use crate::egraph::normal::budget::MAX_PROOFS;
use crate::egraph::normal::graph::EGraph;
use crate::integer::floor_div;
use crate::rules::operator::Operator;
use bounds::{Known, least, read};
use egg::Id;
use polynomial::Polynomial;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The maximum number of goals that one proof expands.
const MAX_GOALS: u32 = 24;
/// The longest chain of goals in which each implies the one before.
const MAX_PROOF_DEPTH: u32 = 12;
/// The largest depth of nested case distinctions on extrema and selections.
const MAX_CASES: u32 = 2;

/// Whether `lin >= 0` follows from the facts and constraints of `e`.
pub(crate) fn proves(e: &EGraph, lin: &LinearForm) -> bool {
    if let Some(&known) = e.proofs.borrow().get(lin) {
        return known;
    }
    let proved = proves_under(e, lin, &e.graph.analysis.constraints);
    e.proofs.borrow_mut().insert(lin.clone(), proved);
    proved
}

/// Whether `lin >= 0` is proved under `constraints`, which include the constraints of the context.
pub(crate) fn proves_under(e: &EGraph, lin: &LinearForm, constraints: &LinearConstraints) -> bool {
    if e.proofs_begun.get() == MAX_PROOFS {
        return false;
    }
    e.proofs_begun.set(e.proofs_begun.get() + 1);
    let Some(goal) = read(e, lin) else { return false };
    let assumed = constraints.iter().filter_map(|c| read(e, c)).map(|c| steps::reduced(e, c)).collect();
    Prover { known: Known::new(e, assumed), goals_left: MAX_GOALS }.proves(goal, MAX_CASES)
}

/// The greatest value of the quotient of `x` by the positive `n` that symbolic ends and assumptions allow.
pub(crate) fn greatest_quotient(e: &EGraph, x: Id, n: Id) -> Option<i128> {
    let assumed: Vec<Polynomial> = e.graph.analysis.constraints.iter().filter_map(|c| read(e, c)).collect();
    let ends = bounds::ends_of_quotient(e, &assumed, x, n, true);
    ends.iter().filter_map(|end| bounds::greatest(e, end)).min()
}

/// One proof.
struct Prover<'a> {
    known: Known<'a>,
    goals_left: u32,
}

impl Prover<'_> {
    /// Whether `goal >= 0` is proved. Case distinctions are tried only if nothing else helps.
    fn proves(&mut self, goal: Polynomial, cases: u32) -> bool {
        if cases == 0 {
            return self.reaches(goal);
        }
        // reserves some goals for the case distinctions
        let for_cases = floor_div(self.goals_left.into(), 2) as u32;
        self.goals_left -= for_cases;
        let reached = self.reaches(goal.clone());
        self.goals_left += for_cases;
        reached || self.by_cases(&goal, cases - 1)
    }

    /// Whether the search finds a goal that implies `goal` and that the ranges of classes decide.
    fn reaches(&mut self, goal: Polynomial) -> bool {
        let e = self.known.e;
        let goal = steps::reduced(e, goal);
        let mut seen: FxHashSet<Polynomial> = FxHashSet::from_iter([goal.clone()]);
        let mut todo = BinaryHeap::from([(Reverse((goal.size(), 0u32, 0u32)), goal)]);
        let mut number = 0;
        while let Some((Reverse((_, _, depth)), goal)) = todo.pop() {
            if is_decided(e, &goal) {
                return true;
            }
            if depth == MAX_PROOF_DEPTH || self.goals_left == 0 || e.budget.is_spent() {
                continue;
            }
            self.goals_left -= 1;
            let sufficient = steps::sufficient(&mut self.known, &goal);
            e.budget.spend(1 + sufficient.len() as u64);
            for next in sufficient {
                // decided before it is reduced: a product may have a tighter range than its factors, and `next` still
                // has the product
                if is_decided(e, &next) {
                    return true;
                }
                let next = steps::reduced(e, next);
                if seen.insert(next.clone()) {
                    number += 1;
                    todo.push((Reverse((next.size() + depth as usize, number, depth + 1)), next));
                }
            }
        }
        false
    }

    /// Whether `goal >= 0` in both cases of an extremum or a selection in it.
    fn by_cases(&mut self, goal: &Polynomial, cases: u32) -> bool {
        let mut atoms: Vec<Id> = goal.iter().flat_map(|(m, _)| m.iter().copied()).collect();
        atoms.sort_unstable();
        atoms.dedup();
        let split = Operator::bits(&[Operator::Min, Operator::Max, Operator::Select]);
        atoms.retain(|&f| self.known.e.facts(f).operators & split != 0);
        atoms.into_iter().any(|f| self.by_cases_of(goal, f, cases))
    }

    fn by_cases_of(&mut self, goal: &Polynomial, f: Id, cases: u32) -> bool {
        let e = self.known.e;
        let operands = e.nodes(f).iter().find_map(|node| match (Extremum::of(node), node) {
            (Some((extremum, operands)), _) => Some((Some(extremum), operands)),
            (None, Node::Select([_, a, b])) => Some((None, [*a, *b])),
            _ => None,
        });
        let Some((extremum, operands)) = operands else { return false };
        let [Some(a), Some(b)] = operands.map(|id| read(e, &e.canonical(id))) else { return false };
        [(&a, &b), (&b, &a)].into_iter().all(|(value, other)| {
            let Some(goal) = goal.substituted(f, value) else { return false };
            // if the minimum is this operand, this operand is at most the other one
            let order = extremum.and_then(|extremum| {
                let (greater, less) = if extremum == Extremum::Min { (other, value) } else { (value, other) };
                greater.clone().plus(-1, &polynomial::Monomial::new(), less)
            });
            let before = self.known.assume(order);
            let proved = self.proves(goal, cases);
            self.known.forget(before);
            proved
        })
    }
}

/// Whether the ranges of classes prove `goal >= 0`.
fn is_decided(e: &EGraph, goal: &Polynomial) -> bool {
    least(e, goal).is_some_and(|l| l >= 0)
}
