//! Proofs with symbolic ends: what `j <= N - 1` says of sums over `j` and `N`.

use super::graph::EClasses;
use super::lin::Lin;
use super::node::{Head, Ids, Node};
use super::rows::division;
use crate::domain::{floor_div, floor_mod};
use egg::Id;
use std::borrow::Cow;

/// How many symbolic bounds a proof may substitute one after the other.
const MAX_PROOF_DEPTH: u32 = 6;

impl EClasses {
    /// Whether `lin >= 0` follows from intervals and from substituting symbolic ends (`j <= N - 1`).
    pub(crate) fn proves_nonneg(&self, lin: &Lin) -> bool {
        self.facts_of(lin).0.is_nonneg()
            || self.has_extrema(lin) && self.range_by_operands(lin).is_nonneg()
            || self.has_ends && self.proves(lin, MAX_PROOF_DEPTH)
    }

    fn proves(&self, lin: &Lin, depth: u32) -> bool {
        if self.facts_of(lin).0.is_nonneg() {
            return true;
        }
        if depth == 0 {
            return false;
        }
        for (i, (c, t)) in lin.iter().enumerate() {
            if self.by_dividend(lin, i, c, t).is_some_and(|l| self.proves(&l, depth - 1)) {
                return true;
            }
            let factors = self.factors(t);
            for (j, &f) in factors.iter().enumerate() {
                let Some(end) = self.symbolic_end(f, c < 0) else { continue };
                let mut others: Ids = factors.clone();
                others.remove(j);
                if !others.iter().all(|&o| self.facts(o).interval.is_nonneg()) {
                    continue;
                }
                if let Some(l) = self.substituted(lin, i, c, &end, &others)
                    && self.proves(&l, depth - 1)
                {
                    return true;
                }
            }
        }
        false
    }

    /// A lower bound of `lin` in which the dividend stands for term `i`, `k * n * (x//n)`: the product is at most `x`, and
    /// at least `x - (n - 1)`.
    fn by_dividend(&self, lin: &Lin, i: usize, c: i64, t: Id) -> Option<Lin> {
        let (x, n) = division(&self.graph, t)?;
        if floor_mod(c.into(), n.into()) != 0 {
            return None;
        }
        let k = i64::try_from(floor_div(c.into(), n.into())).ok()?;
        let least = lin.without(i).plus(k, &x)?;
        if c > 0 { least.plus_constant(k.checked_mul(n - 1)?.checked_neg()?) } else { Some(least) }
    }

    /// `lin` with term `i` (`c * f * others`) replaced by `c * end * others`, when no new product is needed.
    fn substituted(&self, lin: &Lin, i: usize, c: i64, end: &Lin, others: &Ids) -> Option<Lin> {
        let mut out = lin.without(i);
        let mut with = |k: i64, extra: Option<Id>| -> Option<()> {
            let mut ids = others.clone();
            if let Some(e) = extra {
                ids.extend(self.factors(e));
            }
            ids.sort_unstable();
            let k = k.checked_mul(c)?;
            out = match &*ids {
                [] => out.clone().plus_constant(k)?,
                &[x] => out.plus(k, &Lin::atom(x))?,
                _ => {
                    let p = self.graph.lookup(Node::Product(ids))?;
                    out.plus(k, &self.canonical(p))?
                }
            };
            Some(())
        };
        if end.constant != 0 {
            with(end.constant, None)?;
        }
        for (k, t) in end.iter() {
            with(k, Some(t))?;
        }
        Some(out)
    }

    /// The symbolic upper (or lower) end of an atom, where it has one.
    fn symbolic_end(&self, id: Id, upper: bool) -> Option<Lin> {
        let f = self.facts(id);
        if !f.has(Head::Var) && !f.has(Head::Mod) {
            return None;
        }
        for n in self.nodes(id) {
            match n {
                Node::Var(v) => {
                    let (l, u) = &self.symbolic[*v as usize];
                    let end = if upper { u } else { l };
                    if let Some(e) = end {
                        return self.expand(e).map(Cow::into_owned);
                    }
                }
                // x % n <= n - 1 for a divisor known only at run time
                Node::Mod([_, d])
                    if upper
                        && self.facts(*d).constant().is_none()
                        && self.facts(*d).interval.lo().is_some_and(|l| l >= 1) =>
                {
                    return self.canonical(*d).as_ref().clone().plus_constant(-1);
                }
                _ => {}
            }
        }
        None
    }
}
