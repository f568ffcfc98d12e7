//! Accesses in their loops, together with the values that the loops carry.

use super::blocks::Blocks;
use super::carry::{Carried, Carrying, carry, computed};
use crate::access::print_prices::{Printed, printed};
use crate::access::{Access, Gate, SimplifiedAccesses};
use crate::cost::Cost;
use crate::domain::{Domain, Interval, Scope, VarFacts};
use crate::expr::Expr;
use crate::simplify::{Settings, SimplifyError, has_value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The largest number of loops around one access in a text.
const MAX_LOOPS: usize = 32;

/// Accesses in their loops.
#[derive(Clone, Debug)]
pub struct NestedAccesses {
    /// The accesses of the call. They are followed by loads without a buffer. These loads are the values that are
    /// computed before loops for carried values, and the ends of loops that are no numbers.
    pub(super) answer: SimplifiedAccesses,
    /// The number of accesses of the call.
    pub(super) count: usize,
    pub(super) nests: Vec<Vec<Arc<str>>>,
    pub(super) carried: Vec<Carried>,
    /// The loops whose end is no number, in the order of their ends in `answer`.
    pub(super) ends: Vec<Arc<str>>,
    /// The range of each loop, and whether it may run no iteration.
    pub(super) loops: FxHashMap<Arc<str>, Counted>,
    unprinted: Option<String>,
}

/// The facts about a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    /// The numeric ends of the loop. If the upper end is no number, it is replaced by an upper bound.
    pub(super) range: Interval,
    /// Whether the loop may run no iteration.
    pub(super) may_be_empty: bool,
}

/// Puts the accesses of `answer` into the loops around each access. See
/// [`Simplifier::in_loops`](crate::Simplifier::in_loops).
pub(crate) fn in_loops(
    settings: &Settings,
    answer: &SimplifiedAccesses,
    nests: &[Vec<Arc<str>>],
    domain: &Domain,
) -> Result<NestedAccesses, SimplifyError> {
    let vars = domain.resolve()?;
    let mut nests: Vec<Vec<Arc<str>>> = nests.to_vec();
    nests.resize(answer.accesses.len(), Vec::new());
    let unprinted = unprintable(&answer.accesses, &nests, domain, &vars);
    if unprinted.is_some() {
        nests.fill(Vec::new());
    }
    let before = (&answer.accesses[..], &answer.scopes, answer.cost);
    let Carrying { mut accesses, carried, domain, cost } = carry(settings, before, &nests, domain)?;
    let count = accesses.len();
    accesses.extend(carried.iter().flat_map(computed));
    let mut scopes: Vec<Scope> = carried.iter().flat_map(|c| c.scopes(&domain)).collect();
    let mut ends: Vec<Arc<str>> = Vec::new();
    for name in nests.iter().flatten() {
        let end = vars.iter().find(|v| v.name == *name).and_then(|v| v.upper.clone());
        if let Some(end) = end.filter(|_| !ends.contains(name)) {
            scopes.push(domain.scope_of(std::slice::from_ref(&end)));
            accesses.push(Access::load("", "", end));
            ends.push(name.clone());
        }
    }
    let vars = domain.resolve()?;
    let scopes = answer.scopes.extended(scopes, &domain);
    let Printed { shape, offsets, facts } = printed(settings, &accesses, count, &scopes)?;
    let answer = SimplifiedAccesses { accesses, vars, scopes, shape, offsets, facts, cost, ..answer.clone() };
    let loops = counted(settings, &nests, &domain)?;
    Ok(NestedAccesses { answer, count, nests, carried, ends, loops, unprinted })
}

/// The loops of `nests`.
fn counted(
    settings: &Settings,
    nests: &[Vec<Arc<str>>],
    domain: &Domain,
) -> Result<FxHashMap<Arc<str>, Counted>, SimplifyError> {
    let mut loops = FxHashMap::default();
    for name in nests.iter().flatten() {
        let Some(at) = domain.position(name).filter(|_| !loops.contains_key(name)) else { continue };
        let around = domain.in_scope(&domain.scope_of_variable(name).filtered(|p| p != at));
        let range = around.resolve()?.get(at).map_or(Interval::ALL, |v| v.interval);
        let may_be_empty = domain.scope_of_variable(name).has(at) && !has_value(settings, at, domain)?;
        loops.insert(name.clone(), Counted { range, may_be_empty });
    }
    Ok(loops)
}

/// The step of a loop.
pub(super) fn step_of(facts: &VarFacts) -> i64 {
    facts.congruence.modulus().max(1)
}

/// The reason why there is no text with the loops of `nests`. Each loop needs two ends, and each access must be inside
/// of the loops on which it depends.
fn unprintable(accesses: &[Access], nests: &[Vec<Arc<str>>], domain: &Domain, vars: &[VarFacts]) -> Option<String> {
    let facts_of = |name: &Arc<str>| vars.iter().find(|v| v.name == *name);
    let uncounted = |name: &Arc<str>| match facts_of(name) {
        Some(VarFacts { lower: Some(_), .. }) => Some(format!("the loop over `{name}` begins at an expression")),
        Some(v) => match v.interval.bounded() {
            Some((lo, hi)) if past_end(lo, hi, step_of(v)) => {
                Some(format!("the counter of the loop over `{name}` leaves its type after the last iteration"))
            }
            Some(_) => None,
            None => Some(format!("the range of `{name}` is open")),
        },
        None => Some(format!("`{name}` has no range")),
    };
    let ends = |name: &Arc<str>| facts_of(name).and_then(|v| v.upper.as_ref()).map(Expr::variables).unwrap_or_default();
    let of_nest = |nest: &[Arc<str>]| {
        if nest.len() > MAX_LOOPS {
            return Some(format!("there are more than {MAX_LOOPS} loops around an access"));
        }
        nest.iter().enumerate().find_map(|(i, name)| {
            if nest[..i].contains(name) {
                return Some(format!("the loop over `{name}` is around itself"));
            }
            // the end of a loop is computed before the loop, so it may use only the counters of outer loops
            let late = ends(name).into_iter().find(|v| domain.loops_of(v).is_some() && !nest[..i].contains(v));
            let late = late.map(|v| {
                format!("the end of `{name}` depends on `{v}`, which is known only in loops that are not around it")
            });
            uncounted(name).or(late)
        })
    };
    let counts = |name: &Arc<str>| {
        domain.loops_of(name).is_some_and(|(_, counts)| counts) || nests.iter().any(|nest| nest.contains(name))
    };
    let outside = |(access, nest): (&Access, &Vec<Arc<str>>)| {
        let exprs = access.gate.condition().into_iter().chain(&access.lanes).filter(|_| access.gate != Gate::Never);
        let loops = exprs.flat_map(Expr::variables).find(|name| counts(name) && !nest.contains(name));
        loops.map(|name| format!("an access depends on `{name}` and is not in its loop"))
    };
    nests.iter().find_map(|nest| of_nest(nest)).or_else(|| accesses.iter().zip(nests).find_map(outside))
}

/// Whether the counter of a loop over `lo..=hi` leaves its type after the last iteration.
fn past_end(lo: i64, hi: i64, step: i64) -> bool {
    let types = [(i32::MIN.into(), i32::MAX.into()), (0, u32::MAX.into()), (i64::MIN, i64::MAX)];
    let own = types.into_iter().find(|&(least, most): &(i64, i64)| least <= lo && hi <= most);
    own.is_some_and(|(_, most)| hi.checked_add(step).is_none_or(|next| next > most))
}

impl NestedAccesses {
    /// The accesses of `answer` without loops.
    pub(super) fn without_loops(answer: SimplifiedAccesses) -> NestedAccesses {
        let count = answer.accesses.len();
        let (carried, ends, loops) = (Vec::new(), Vec::new(), FxHashMap::default());
        NestedAccesses { answer, count, nests: vec![Vec::new(); count], carried, ends, loops, unprinted: None }
    }

    /// The accesses, in the order of the call, in terms of the carried values.
    pub fn accesses(&self) -> &[Access] {
        &self.answer.accesses[..self.count]
    }

    /// The reason why the text has no loops although some were given.
    pub fn unprinted(&self) -> Option<&str> {
        self.unprinted.as_deref()
    }

    /// The values that loops carry.
    pub fn carried(&self) -> &[Carried] {
        &self.carried
    }

    /// The cost of the instructions that a thread executes.
    pub fn cost(&self) -> Cost {
        self.answer.cost
    }

    /// The loops that may run no iteration.
    pub(super) fn may_be_empty(&self) -> Vec<Arc<str>> {
        let is_here = |name: &&Arc<str>| self.loops.get(*name).is_some_and(|l| l.may_be_empty);
        self.ends.iter().filter(is_here).cloned().collect()
    }

    /// The position, among the accesses of `answer`, of the first value that is computed before a loop for `c`.
    pub(super) fn outside(&self, c: &Carried) -> usize {
        let before = self.carried.iter().take_while(|other| other.name != c.name);
        self.count + before.map(|other| other.outside().len()).sum::<usize>()
    }

    /// The position, among the accesses of `answer`, of the end of the loop `name`. `None` when the end is a number.
    pub(super) fn end_of(&self, name: &str) -> Option<usize> {
        let at = self.ends.iter().position(|n| **n == *name)?;
        Some(self.answer.accesses.len() - self.ends.len() + at)
    }

    /// The values that the loop of block `at` carries and that accesses in the block use.
    pub(super) fn carried_by<'a>(&'a self, blocks: &Blocks, at: usize) -> impl Iterator<Item = &'a Carried> {
        let variable = blocks.variable(at);
        let of_loop = self.carried.iter().filter(move |c| variable.is_some_and(|v| *v == c.variable));
        of_loop.filter(move |c| {
            let mut inside = blocks.accesses(at).flat_map(|i| {
                let access = &self.answer.accesses[i];
                let exprs = access.gate.condition().into_iter().chain(&access.lanes);
                exprs.flat_map(Expr::variables).collect::<Vec<_>>()
            });
            inside.any(|name| name == c.name)
        })
    }
}
