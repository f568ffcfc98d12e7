//! Finds copies of accesses: accesses that differ only in numbers, as in an unrolled loop. One search simplifies all
//! copies.
//!
//! The input is the accesses of a kernel. The output is the *patterns* of the kernel, one for each family of accesses
//! that differ only in numbers. In a pattern, parameters replace these numbers. The patterns are simplified like any
//! kernel. Each copy is then the pattern with its numbers substituted ([`fold`]). So all copies have the same form.

mod fold;
mod skeleton;

use super::{Access, Gate};
use crate::domain::Domain;
use crate::expr::name::free;
use crate::expr::substitute::substituted_all;
use crate::expr::{Expr, int, var};
use crate::integer::gcd;
use fold::folded;
use rustc_hash::FxHashMap;
use skeleton::{Filled, Skeletons};
use std::sync::Arc;

/// The least number of accesses of a family.
const MIN_COPIES: usize = 4;
/// The largest number of parameters of a pattern. Numbers that are linear functions of one another share one parameter.
const MAX_PARAMETERS: usize = 4;

/// A number that differs between the copies of a pattern.
struct Parameter {
    name: Arc<str>,
    /// The value of the parameter in each copy.
    values: Vec<i64>,
}

/// Accesses that differ only in numbers.
struct Family {
    /// The positions of the copies.
    copies: Vec<usize>,
    parameters: Vec<Parameter>,
}

/// The patterns of a kernel's accesses, in the order of their first copies.
pub(super) struct Patterns {
    families: Vec<Family>,
    accesses: Vec<Access>,
    /// The number of accesses of the kernel.
    count: usize,
}

impl Patterns {
    /// The patterns of `accesses`. `None` when no accesses are copies of each other. The names of parameters do not
    /// occur in `domain`.
    pub(super) fn new(accesses: &[Access], domain: &Domain) -> Option<Patterns> {
        if accesses.len() < MIN_COPIES {
            return None;
        }
        let mut skeletons = Skeletons::default();
        let mut filled: Vec<Option<Vec<Filled>>> = Vec::with_capacity(accesses.len());
        let mut members: FxHashMap<Vec<u32>, Vec<usize>> = FxHashMap::default();
        for (i, access) in accesses.iter().enumerate() {
            let parts: Option<Vec<Filled>> = exprs(access).map(|e| skeletons.of(e)).collect();
            if let Some(parts) = &parts {
                let kind = [u32::from(access.gate.condition().is_some()), u32::from(access.gate == Gate::Never)];
                let key = kind.into_iter().chain(parts.iter().map(|p| p.skeleton)).collect();
                members.entry(key).or_default().push(i);
            }
            filled.push(parts);
        }
        let mut of_first: FxHashMap<usize, Vec<usize>> =
            members.into_values().filter(|m| m.len() >= MIN_COPIES).map(|m| (m[0], m)).collect();
        let mut patterns = Patterns { families: Vec::new(), accesses: Vec::new(), count: accesses.len() };
        let mut taken = vec![false; accesses.len()];
        for first in 0..accesses.len() {
            if taken[first] {
                continue;
            }
            let copies = of_first.remove(&first).unwrap_or_else(|| vec![first]);
            let numbers: Vec<&[Filled]> = copies.iter().filter_map(|&i| filled[i].as_deref()).collect();
            let family = patterns.family(&accesses[first], &numbers, &skeletons, domain);
            let (copies, (pattern, parameters)) = match family {
                Some(found) if copies.len() > 1 => (copies, found),
                _ => (vec![first], (accesses[first].clone(), Vec::new())),
            };
            copies.iter().for_each(|&i| taken[i] = true);
            patterns.families.push(Family { copies, parameters });
            patterns.accesses.push(pattern);
        }
        (patterns.accesses.len() < accesses.len()).then_some(patterns)
    }

    /// The pattern of copies of `first` with these numbers, and its parameters. `None` when there are too many
    /// parameters.
    fn family(
        &self,
        first: &Access,
        copies: &[&[Filled]],
        skeletons: &Skeletons,
        domain: &Domain,
    ) -> Option<(Access, Vec<Parameter>)> {
        let parts = *copies.first()?;
        let known: usize = self.families.iter().map(|f| f.parameters.len()).sum();
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut hole_of = |values: Vec<i64>| -> Option<Expr> {
            if values.iter().all(|v| *v == values[0]) {
                return Some(int(values[0]));
            }
            if let Some(e) = parameters.iter().find_map(|p| p.expr_of(&values)) {
                return Some(e);
            }
            let name = fresh(known + parameters.len(), domain);
            parameters.push(Parameter { name: name.clone(), values });
            (parameters.len() <= MAX_PARAMETERS).then(|| var(name))
        };
        let mut made = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let holes = (0..part.numbers.len()).map(|n| hole_of(copies.iter().map(|c| c[at].numbers[n]).collect()));
            made.push(skeletons.expr(part.skeleton, &holes.collect::<Option<Vec<_>>>()?));
        }
        Some((with_exprs(first, made), parameters))
    }

    /// One access for each pattern.
    pub(super) fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// `domain` with the parameters. Each copy has a constant value of each parameter.
    pub(super) fn domain(&self, domain: &Domain) -> Domain {
        let mut out = domain.clone();
        for p in self.families.iter().flat_map(|f| &f.parameters) {
            let (lo, hi) = p.values.iter().fold((i64::MAX, i64::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)));
            out = out.with(p.name.clone(), lo..=hi);
            let apart = |v: &i64| i128::from(*v) - i128::from(lo);
            let stride = p.values.iter().map(apart).fold(0, gcd);
            if let Some(stride) = i64::try_from(stride).ok().filter(|s| *s > 1) {
                out = out.stride(p.name.clone(), stride, lo);
            }
            out = out.unrolled(p.name.clone());
        }
        out
    }

    /// The simplified accesses of the kernel `written`. `patterns` are the simplified forms of
    /// [`accesses`](Self::accesses), in the same order.
    pub(super) fn copies(&self, written: &[Access], patterns: &[Access]) -> Vec<Access> {
        let mut out: Vec<Option<Access>> = vec![None; self.count];
        for (family, pattern) in self.families.iter().zip(patterns) {
            let parts: Vec<Expr> = exprs(pattern).cloned().collect();
            for (n, &i) in family.copies.iter().enumerate() {
                let value_of = |name: &str| {
                    let parameter = family.parameters.iter().find(|p| *p.name == *name)?;
                    Some(int(parameter.values[n]))
                };
                let filled =
                    if family.parameters.is_empty() { parts.clone() } else { substituted_all(&parts, value_of) };
                let mut access = with_exprs(pattern, folded(&filled));
                (access.buffer, access.element) = (written[i].buffer.clone(), written[i].element.clone());
                access.direction = written[i].direction.clone();
                out[i] = Some(access);
            }
        }
        // every access belongs to exactly one family
        out.into_iter().zip(written).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect()
    }
}

impl Parameter {
    /// An expression over this parameter whose values in the copies are `values`. `None` unless a linear function gives
    /// these values.
    fn expr_of(&self, values: &[i64]) -> Option<Expr> {
        let at = self.values.iter().position(|v| *v != self.values[0])?;
        let (own, wanted) = (self.values[at].checked_sub(self.values[0])?, values[at].checked_sub(values[0])?);
        let factor = wanted.checked_div(own)?;
        let constant = values[0].checked_sub(self.values[0].checked_mul(factor)?)?;
        let is_same = |(own, wanted): (&i64, &i64)| {
            own.checked_mul(factor).and_then(|v| v.checked_add(constant)) == Some(*wanted)
        };
        if factor == 0 || !self.values.iter().zip(values).all(is_same) {
            return None;
        }
        let product = if factor == 1 { var(self.name.clone()) } else { var(self.name.clone()) * factor };
        Some(if constant == 0 { product } else { product + constant })
    }
}

/// The gate, if it is a condition, and the indices.
fn exprs(access: &Access) -> impl Iterator<Item = &Expr> {
    access.gate.condition().into_iter().chain(&access.lanes)
}

/// `access` with the expressions `new` in place of [`exprs`].
fn with_exprs(access: &Access, new: Vec<Expr>) -> Access {
    let (mut out, mut new) = (access.clone(), new.into_iter());
    if let (Gate::When(_), Some(gate)) = (&access.gate, access.gate.condition().and_then(|_| new.next())) {
        out.gate = gate.into();
    }
    out.lanes.iter_mut().zip(new).for_each(|(lane, e)| *lane = e);
    out
}

/// A name that does not occur in `domain`.
fn fresh(number: usize, domain: &Domain) -> Arc<str> {
    free(format!("copy{number}"), |name| domain.contains(name)).into()
}
