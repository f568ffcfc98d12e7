//! Finds the part of a domain that matters for an expression.

use super::variables::{Domain, Variable};
use crate::expr::{Dag, Expr};

/// A domain, divided into independent parts. Two variables are in one part if a range, a loop or an assumption connects
/// them.
///
/// ```
/// use quaff_expr::domain::{Connected, Domain};
/// use quaff_expr::expr::var;
///
/// let domain = Domain::new().with("n", 1..64).with("i", (0, var("n") - 1)).with("x", 0..8).assume(var("x").lt(5));
/// let connected = Connected::new(&domain);
/// let about = |name: &str| connected.about([&var(name)]);
/// assert_eq!(about("i").vars().collect::<Vec<_>>(), ["n", "i"]);
/// assert_eq!((about("x").len(), about("x").assumptions().len(), about("n").assumptions().len()), (1, 1, 0));
/// ```
#[derive(Clone, Debug)]
pub struct Connected {
    domain: Domain,
    /// The number of the part that each variable belongs to. The index is the position of the variable.
    parts: Vec<usize>,
    /// The variables of each part, in the order of their declarations.
    variables: Vec<Vec<usize>>,
    /// The assumptions of each part, in order.
    assumptions: Vec<Vec<usize>>,
    /// The assumptions without variables, which belong to no part.
    others: Vec<usize>,
}

impl Connected {
    /// Divides `domain` into its parts. Takes time that is nearly linear in the size of `domain`.
    pub fn new(domain: &Domain) -> Connected {
        let mut roots: Vec<usize> = (0..domain.len()).collect();
        let of_assumptions: Vec<Vec<usize>> = domain.assumptions.iter().map(|a| positions(domain, [a])).collect();
        for (at, v) in domain.variables.iter().enumerate() {
            connected_with(domain, v).into_iter().for_each(|other| join(&mut roots, at, other));
        }
        for all in &of_assumptions {
            all.iter().skip(1).for_each(|&other| join(&mut roots, all[0], other));
        }
        let parts: Vec<usize> = (0..roots.len()).map(|at| root(&mut roots, at)).collect();
        let (mut variables, mut assumptions) = (vec![Vec::new(); parts.len()], vec![Vec::new(); parts.len()]);
        let mut others = Vec::new();
        parts.iter().enumerate().for_each(|(at, &part)| variables[part].push(at));
        for (at, all) in of_assumptions.iter().enumerate() {
            match all.first() {
                Some(&first) => assumptions[parts[first]].push(at),
                None => others.push(at),
            }
        }
        Connected { domain: domain.clone(), parts, variables, assumptions, others }
    }

    /// The whole domain.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The declarations and assumptions that matter for `exprs`: those of the parts that share a variable with `exprs`.
    /// The time is linear in the size of `exprs` and of these parts.
    pub fn about<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Domain {
        let mut wanted: Vec<usize> = positions(&self.domain, exprs).into_iter().map(|at| self.parts[at]).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let gathered = |of: &[Vec<usize>]| {
            let mut all: Vec<usize> = wanted.iter().flat_map(|&part| of[part].iter().copied()).collect();
            all.sort_unstable();
            all
        };
        let mut about = Domain::new();
        for at in gathered(&self.variables) {
            let v = &self.domain.variables[at];
            *about.variable(v.name.clone()) = v.clone();
        }
        let mut assumptions = [gathered(&self.assumptions), self.others.clone()].concat();
        assumptions.sort_unstable();
        about.assumptions = assumptions.into_iter().map(|at| self.domain.assumptions[at].clone()).collect();
        if self.domain.is_defined() { about.defined() } else { about }
    }
}

/// The positions of the variables that the declaration of `v` mentions.
fn connected_with(domain: &Domain, v: &Variable) -> Vec<usize> {
    let ends = v.bounds.iter().flat_map(|b| b.lower().into_iter().chain(b.upper()));
    let around = v.looped.iter().flat_map(|looped| &looped.around).filter_map(|name| domain.position(name));
    positions(domain, ends).into_iter().chain(around).collect()
}

/// The positions of the variables in `exprs`, in ascending order.
fn positions<'e>(domain: &Domain, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<usize> {
    let exprs: Vec<Expr> = exprs.into_iter().cloned().collect();
    let dag = Dag::new(&exprs);
    let mut all: Vec<usize> = dag.variables().filter_map(|name| domain.position(name)).collect();
    all.sort_unstable();
    all
}

/// The number of the part that contains the variable at `at`. Parts that were joined count as one part.
fn root(roots: &mut [usize], mut at: usize) -> usize {
    while roots[at] != at {
        roots[at] = roots[roots[at]];
        at = roots[at];
    }
    at
}

fn join(roots: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(roots, a), root(roots, b));
    // the number of a part is the position of its first variable
    roots[a.max(b)] = a.min(b);
}
