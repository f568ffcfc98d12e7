//! Loops: the variables that count their iterations, and the number of iterations.

use super::loop_ranges::{Looped, MOST_REPEATS, MOST_VALUES, Repeats, UNKNOWN_TRIPS};
use super::{Domain, VarFacts};
use crate::integer::floor_div;
use std::sync::Arc;

impl Domain {
    /// Declares that `name` counts the iterations of a loop. This is a [nest](Domain::loop_nest) of one loop.
    pub fn loop_variable(self, name: impl Into<Arc<str>>) -> Domain {
        self.loop_nest([name])
    }

    /// Declares that `names`, the outermost first, count the iterations of nested loops. A value that depends on one of
    /// these variables is computed in each iteration of its loop, and of all loops around it. All other values are
    /// computed before the loops.
    ///
    /// A loop has as many trips as its variable has values. If the variable has more than 2^24 values, the loop has
    /// [`UNKNOWN_TRIPS`] trips. If a nest has more than 2^24 iterations in total, they count as 2^24. If several nests
    /// end with the same variable, the shortest nest counts.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::{Domain, Repeats}, expr::Expr};
    ///
    /// let domain = Domain::new().with("t", 0..256).with("i", 0..64).with("k", 0..8).loop_nest(["i", "k"]);
    /// let facts = domain.resolve()?;
    /// assert_eq!(facts[1].repeats, Repeats::Loop(64));
    /// assert_eq!(facts[2].repeats, Repeats::Loop(512));
    /// // one division before the loops, and an addition in each iteration
    /// let address: Expr = "t//7 + k".parse()?;
    /// let alone: Expr = "t//7".parse()?;
    /// let cost = |e: &Expr| Simplifier::default().simplify(e, &domain).map(|answer| answer.cost().tenths());
    /// assert_eq!(cost(&address)?, cost(&alone)? + 512 * 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn loop_nest<N: Into<Arc<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Domain {
        let mut around: Vec<Arc<str>> = Vec::new();
        for name in names {
            let name = name.into();
            let known = &mut self.variable(name.clone()).looped;
            if known.as_ref().is_none_or(|known| known.around.len() > around.len()) {
                *known = Some(Looped { around: around.clone(), counts: true });
            }
            around.push(name);
        }
        self
    }

    /// Declares that `name` counts no loop, but gets its value inside loops. The variables `around`, the outermost
    /// first, count these loops. A value that depends on `name` is computed in each iteration of the innermost loop.
    ///
    /// ```
    /// use quaff_expr::domain::{Domain, Repeats};
    ///
    /// let domain = Domain::new().with("k", 0..64).with("row", 0..1000).loop_variable("k").computed_in("row", ["k"]);
    /// assert_eq!(domain.resolve()?[1].repeats, Repeats::Loop(64));
    /// # Ok::<(), quaff_expr::domain::DomainError>(())
    /// ```
    pub fn computed_in<N: Into<Arc<str>>>(
        mut self,
        name: impl Into<Arc<str>>,
        around: impl IntoIterator<Item = N>,
    ) -> Domain {
        let around = around.into_iter().map(Into::into).collect();
        self.variable(name.into()).looped = Some(Looped { around, counts: false });
        self
    }

    /// Declares that `name` counts the copies of a loop that is unrolled completely. A value that depends on `name` is
    /// computed in each copy. If it depends on no other variable, it is a constant in each copy and costs nothing. The
    /// addition of such a constant to the rest of an address costs nothing either, because it is the offset of the
    /// address.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let domain = Domain::new().with("t", 0..256).with("u", 0..4).unrolled("u");
    /// let address: Expr = "t*12 + u//2*7 + u%2".parse()?;
    /// // t*12, to which each copy adds a constant
    /// assert_eq!(Simplifier::default().simplify(&address, &domain)?.cost().tenths(), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unrolled(mut self, name: impl Into<Arc<str>>) -> Domain {
        self.variable(name.into()).is_unrolled = true;
        self
    }

    /// The loops in which `name` changes, the outermost first, and whether `name` counts the last of them. `None` when
    /// `name` changes in no loop.
    pub fn loops_of(&self, name: &str) -> Option<(Vec<Arc<str>>, bool)> {
        let variable = &self.variables[self.position(name)?];
        let Looped { around, counts } = variable.looped.as_ref().filter(|_| !variable.is_unrolled)?;
        Some((around.iter().cloned().chain(counts.then(|| variable.name.clone())).collect(), *counts))
    }

    /// Sets `repeats` in `facts`: how often a value that depends on the variable is computed. `facts` has one entry for
    /// each variable.
    pub(super) fn set_repeats(&self, facts: &mut [VarFacts]) {
        let trips = |at: usize, facts: &[VarFacts]| match facts[at].interval.bounded() {
            // so wide a range is that of a machine type, and not that of a loop
            Some((lo, hi)) if i128::from(hi) - i128::from(lo) >= MOST_VALUES.into() => UNKNOWN_TRIPS,
            Some((lo, hi)) => {
                let values = floor_div(i128::from(hi) - i128::from(lo), facts[at].congruence.modulus().max(1).into());
                u64::try_from(values + 1).unwrap_or(MOST_REPEATS)
            }
            None => UNKNOWN_TRIPS,
        };
        for (at, v) in self.variables.iter().enumerate() {
            let capped = |n: u64| n.min(MOST_REPEATS);
            if v.is_unrolled {
                facts[at].repeats = Repeats::Unrolled(capped(trips(at, facts)));
            } else if let Some(Looped { around, counts }) = &v.looped {
                let around = around.iter().filter_map(|name| self.position(name));
                let running = around.filter(|&p| !self.variables[p].is_unrolled).chain(counts.then_some(at));
                let times = running.fold(1, |times: u64, p| capped(times.saturating_mul(trips(p, facts))));
                facts[at].repeats = Repeats::Loop(times);
            }
        }
    }
}
