//! A kernel as a question to the engine: its sites as accesses, with what is known of their variables.

use crate::model::{Kernel, Role, variables_of};
use quaff::Simplifier;
use quaff::access::{Access, Gate};
use quaff::cost::Cost;
use quaff::domain::{Bounds, Domain, Interval};
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Expr, Op, int, var};
use quaff::integer::floor_mod;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Which definitions are put in the place of their variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expand {
    /// All.
    All,
    /// Those that divide. Others are what a file has names for, and remain variables.
    Divisions,
}

/// The sites of a kernel over its variables, without the definitions that are expanded.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) domain: Domain,
    /// One of each site, in their order; the gate is what holds there.
    pub(crate) accesses: Vec<Access>,
    /// Whether a site is part of the question: the value of a definition that is expanded is none.
    pub(crate) is_root: Vec<bool>,
    /// The values of expanded definitions.
    pub(crate) values: FxHashMap<Arc<str>, Expr>,
}

impl Question {
    pub(crate) fn new(kernel: &Kernel, expand: Expand, simplifier: &Simplifier) -> Question {
        let mut values: FxHashMap<Arc<str>, Expr> = FxHashMap::default();
        let mut kept = Vec::new();
        for (number, definition) in kernel.definitions.iter().enumerate() {
            let value = expanded(&kernel.sites[definition.site].expr, &values);
            if definition.is_constant && (expand == Expand::All || !is_affine(&value)) {
                values.insert(definition.variable.clone(), value);
            } else {
                kept.push((number, value));
            }
        }
        let mut domain = with_loops(kernel, &values);
        for (number, value) in &kept {
            let definition = &kernel.definitions[*number];
            let known = known_of(&domain, value, simplifier);
            domain.add_bounds(definition.variable.clone(), known.0);
            if known.1 > 1 {
                domain.add_stride(definition.variable.clone(), known.1, known.2);
            }
        }
        let ranges = ranges(&domain);
        let accesses = kernel.sites.iter().map(|site| {
            let lane = expanded(&site.expr, &values);
            let mut access = Access::load("v", "p", lane.clone());
            let mut conditions: Vec<Expr> =
                kernel.conditions(site.context).into_iter().map(|c| expanded(c, &values)).collect();
            conditions.reverse();
            // the program divides by them where it computes this site
            conditions.extend(divisors(&lane, &ranges).into_iter().map(|d| d.differs(0)));
            for condition in conditions {
                access = access.when(condition);
            }
            access
        });
        let accesses = accesses.collect();
        let is_kept = |number: usize| kept.iter().any(|(kept, _)| *kept == number);
        let is_root = kernel.sites.iter().map(|site| match site.role {
            Role::Definition(number) => is_kept(number) || kernel.definitions[number].is_used_elsewhere,
            _ => true,
        });
        let is_root = is_root.collect();
        Question { domain, accesses, is_root, values }
    }

    /// The accesses of the roots, each with its site.
    pub(crate) fn roots(&self) -> (Vec<usize>, Vec<Access>) {
        let roots = self.is_root.iter().enumerate().filter(|(_, is_root)| **is_root);
        roots.map(|(at, _)| (at, self.accesses[at].clone())).unzip()
    }

    /// The condition under which a site is computed.
    pub(crate) fn gate(&self, site: usize) -> Option<&Expr> {
        self.accesses[site].gate().condition()
    }

    /// The conditions of a context.
    pub(crate) fn condition(&self, kernel: &Kernel, context: Option<usize>) -> Option<Expr> {
        let conditions = kernel.conditions(context).into_iter().rev();
        conditions.map(|c| expanded(c, &self.values)).reduce(|all, c| all.and(c))
    }

    /// What is known where a site is computed; `None` where it never is.
    pub(crate) fn inside(&self, site: usize) -> Option<Domain> {
        match self.accesses[site].gate() {
            Gate::Never => None,
            Gate::Always => Some(self.domain.clone()),
            Gate::When(condition) => Some(self.domain.clone().assume(condition.clone())),
        }
    }
}

/// The price of expressions under their gates, all together.
pub(crate) fn price(accesses: &[Access], domain: &Domain, simplifier: &Simplifier) -> Option<Cost> {
    simplifier.cost_of_accesses(accesses, domain).ok()
}

/// `e` with values in the place of variables.
pub(crate) fn expanded(e: &Expr, values: &FxHashMap<Arc<str>, Expr>) -> Expr {
    let new = substituted_all(std::slice::from_ref(e), |name| values.get(name).cloned());
    new.into_iter().next().unwrap_or_else(|| e.clone())
}

/// The ranges of variables that the domain alone says.
pub(crate) fn ranges(domain: &Domain) -> FxHashMap<Arc<str>, Interval> {
    let facts = domain.resolve().unwrap_or_default();
    facts.into_iter().map(|v| (v.name.clone(), v.interval)).collect()
}

/// Whether `e` is made of sums and products.
fn is_affine(e: &Expr) -> bool {
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if !matches!(e.op(), Op::Const(_) | Op::Var(_) | Op::Add | Op::Sub | Op::Mul | Op::Neg) {
            return false;
        }
        stack.extend(e.args());
    }
    true
}

/// What is known of the variables of a kernel, and of its loops.
fn with_loops(kernel: &Kernel, values: &FxHashMap<Arc<str>, Expr>) -> Domain {
    let mut domain = kernel.domain.clone();
    let mut facts: Vec<Expr> = kernel.facts.iter().map(|fact| expanded(fact, values)).collect();
    for (thread, block) in [("threadIdx", "blockDim"), ("blockIdx", "gridDim")] {
        for axis in ["x", "y", "z"] {
            let (index, size) = (format!("{thread}.{axis}"), format!("{block}.{axis}"));
            if domain.contains(&index) && domain.contains(&size) {
                facts.push(var(index).lt(var(size)));
            }
        }
    }
    for known in &kernel.loops {
        let is_usable = |e: &Expr| !variables_of(e).contains(&known.variable);
        let end = |e: &Option<Expr>| e.as_ref().map(|e| expanded(e, values)).filter(is_usable);
        domain.add_bounds(known.variable.clone(), Bounds::new(end(&known.lower), end(&known.upper)));
        if let Some((step, first)) = &known.step {
            let first = expanded(first, values);
            match first.as_const() {
                Some(first) => {
                    let residue = floor_mod(first.into(), (*step).into());
                    domain.add_stride(known.variable.clone(), *step, i64::try_from(residue).unwrap_or_default());
                }
                None => facts.push(((var(known.variable.clone()) - first) % *step).equals(int(0))),
            }
        }
        domain = domain.loop_nest(known.around.iter().cloned().chain([known.variable.clone()]));
    }
    facts.into_iter().fold(domain, Domain::assume)
}

/// The range, modulus and residue of `value`.
fn known_of(domain: &Domain, value: &Expr, simplifier: &Simplifier) -> (Interval, i64, i64) {
    let mut facts = simplifier.facts(domain);
    let range = facts.bounds(value).unwrap_or(Interval::ALL);
    match facts.congruence(value) {
        Ok(congruence) => (range, congruence.modulus(), congruence.residue()),
        Err(_) => (range, 1, 0),
    }
}

/// The divisors of `e` that it divides by at each of its points, and that may be 0 by the ranges alone.
fn divisors(e: &Expr, ranges: &FxHashMap<Arc<str>, Interval>) -> Vec<Expr> {
    let (mut found, mut stack): (Vec<Expr>, _) = (Vec::new(), vec![e]);
    while let Some(e) = stack.pop() {
        let args = e.args();
        if let (true, Some(divisor)) = (e.op().is_division(), args.get(1)) {
            let range = quaff::domain::interval_of(divisor, |name| ranges.get(name).copied().unwrap_or(Interval::ALL));
            if range.contains(0) && divisor.as_const().is_none() && !found.contains(divisor) {
                found.push(divisor.clone());
            }
        }
        match e.op() {
            Op::Select | Op::And | Op::Or => stack.extend(args.first()),
            _ => stack.extend(args),
        }
    }
    found
}
