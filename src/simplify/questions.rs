//! The questions that [`Facts`] answers.
//!
//! If the normal form of an expression does not answer a question, the rules run in one search, as in the first pass of
//! a call.

use super::budget::for_call;
use super::call::simplify;
use super::confirm::confirm_truth;
use super::ends::{farthest, with_proved_ends};
use super::error::SimplifyError;
use super::facts::Facts;
use super::problem::Problem;
use super::safe_divisors::with_guards;
use super::search::Search;
use crate::domain::{Congruence, Interval};
use crate::egraph::context::definitions::range_by_definitions;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::prover::corners::range_at_corners;
use crate::egraph::normal::symbolic_bounds::proves_nonneg;
use crate::expr::{Dag, Expr, Op, int};
use crate::integer::floor_mod;
use egg::Id;
use std::slice::from_ref;

#[cfg(doc)]
use crate::Simplifier;

impl Facts {
    /// A range that contains all values of `expr`, with both ends inclusive. An end is open if no bound is found.
    ///
    /// The question takes one search. Its time is bounded by [`Limits`](crate::egraph::Limits), plus a time that is
    /// linear in the size of `expr`. An end that `expr` does not reach at a few sample points takes a few more
    /// searches, which may narrow it.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let mut facts = Simplifier::default().facts(&"m=1..64, n=1..64, x=0..m*n-1".parse()?);
    /// assert_eq!(facts.bounds(&"x//n".parse()?)?.to_string(), "0..63");
    /// assert_eq!(facts.bounds(&"(m + n)*32 - m*n".parse()?)?.to_string(), "0..2016");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Simplifier::simplify`].
    pub fn bounds(&mut self, expr: &Expr) -> Result<Interval, SimplifyError> {
        let search = self.search(from_ref(expr))?;
        let e = &search.graph.e;
        let root = search.graph.roots[0];
        let sum = e.canonical(root);
        let closer = [range_by_definitions(e, &sum), range_at_corners(e, &sum)];
        let known = closer.into_iter().fold(e.facts(root).interval, |known, range| known.meet(range).unwrap_or(known));
        let range = proved_range(e, &sum, known);
        let range = with_proved_ends(self, expr, range)?;
        for end in [range.lo().map(|lo| expr.ge(int(lo))), range.hi().map(|hi| expr.le(int(hi)))] {
            end.map_or(Ok(()), |holds| confirm_truth(&self.settings, &holds, true, self.domain()))?;
        }
        Ok(range)
    }

    /// A congruence that all values of `expr` satisfy. The modulus is 1 if none is found, and 0 if there is only one
    /// value.
    ///
    /// The question takes one search. Its time is bounded by [`Limits`](crate::egraph::Limits), plus a time that is
    /// linear in the size of `expr`.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let mut facts = Simplifier::default().facts(&"ld=8..8192 step 8, r=0..99".parse()?);
    /// let congruence = facts.congruence(&"r*ld + 20".parse()?)?;
    /// assert_eq!((congruence.residue(), congruence.modulus()), (4, 8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Simplifier::simplify`].
    pub fn congruence(&mut self, expr: &Expr) -> Result<Congruence, SimplifyError> {
        let search = self.search(from_ref(expr))?;
        let congruence = search.graph.e.facts(search.graph.roots[0]).congruence;
        self.confirm_congruence(expr, congruence)?;
        Ok(congruence)
    }

    /// Whether `n` is proved to divide every value of `expr`. 0 divides only 0. No search is needed if the normal form
    /// shows the divisibility. If one search does not show it, the question also takes the time of
    /// [`prove`](Self::prove).
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let mut facts = Simplifier::default().facts(&"ld=8..8192, r=0..99, assume ld % 8 == 0".parse()?);
    /// assert!(facts.is_multiple_of(&"r*ld + 16".parse()?, 8)?);
    /// assert!(!facts.is_multiple_of(&"r*ld + 4".parse()?, 8)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Simplifier::simplify`].
    pub fn is_multiple_of(&mut self, expr: &Expr, n: i64) -> Result<bool, SimplifyError> {
        if n == 0 {
            return Ok(self.prove(&Expr::new(Op::Eq, [expr.clone(), int(0)]))? == Some(true));
        }
        let divides = |c: i64| floor_mod(c.into(), n.into()) == 0;
        let decided = |known: Congruence| divides(known.modulus()).then(|| divides(known.residue()));
        if let Some(divides) = self.in_normal_form(from_ref(expr), |e, ids| decided(e.facts(ids[0]).congruence))? {
            return Ok(divides);
        }
        let congruence = self.congruence(expr)?;
        match decided(congruence) {
            Some(divides) => Ok(divides),
            None => Ok(self.prove(&Expr::new(Op::Eq, [expr.clone() % int(n), int(0)]))? == Some(true)),
        }
    }

    /// Whether `condition` holds at every point (`Some(true)`), or at none (`Some(false)`). `None` if neither is
    /// proved.
    ///
    /// No search is needed if the normal form decides `condition`. If one search does not decide it, the question takes
    /// the time of [`simplify`](Simplifier::simplify).
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let mut facts = Simplifier::default().facts(&"m=1..64, n=1..64, pid=0..m*n-1".parse()?);
    /// assert_eq!(facts.prove(&"pid//n < m".parse()?)?, Some(true));
    /// assert_eq!(facts.prove(&"pid//n*n > pid".parse()?)?, Some(false));
    /// assert_eq!(facts.prove(&"pid < n".parse()?)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Simplifier::simplify`].
    pub fn prove(&mut self, condition: &Expr) -> Result<Option<bool>, SimplifyError> {
        if let Some(holds) = self.decide(condition)? {
            return Ok(Some(holds));
        }
        let connected = self.connected(from_ref(condition));
        let answer = simplify(&self.settings, condition, &connected)?;
        Ok(answer.expr().as_const().map(|value| value != 0))
    }

    /// [`prove`](Self::prove) by the normal form and one search only.
    pub(super) fn decide(&mut self, condition: &Expr) -> Result<Option<bool>, SimplifyError> {
        let truth = |e: &EGraph, id: Id| {
            let range = e.facts(id).interval;
            if range.contains(0) { range.as_point().map(|value| value != 0) } else { Some(true) }
        };
        if let Some(holds) = self.in_normal_form(from_ref(condition), |e, ids| truth(e, ids[0]))? {
            return Ok(Some(holds));
        }
        // symbolic bounds decide order comparisons but not equalities. If one side is less than the other, the sides
        // differ
        if let (Op::Eq | Op::Ne, [a, b]) = (condition.op(), condition.args()) {
            let orders = [a.lt(b), b.lt(a)];
            let is_ordered = |e: &EGraph, ids: &[Id]| ids.iter().any(|id| truth(e, *id) == Some(true)).then_some(true);
            if self.in_normal_form(&orders, is_ordered)?.is_some() {
                return Ok(Some(*condition.op() == Op::Ne));
            }
        }
        let search = self.search(from_ref(condition))?;
        let holds = truth(&search.graph.e, search.graph.roots[0]);
        holds.map_or(Ok(()), |holds| confirm_truth(&self.settings, condition, holds, self.domain()))?;
        Ok(holds)
    }

    /// Whether `a` and `b` are equal at every point (`Some(true)`), or at none (`Some(false)`). `None` if neither is
    /// proved.
    ///
    /// No search is needed if the normal forms decide the question. Otherwise one search runs over both expressions
    /// together. If the search does not decide it, the question also takes the time of [`prove`](Self::prove).
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let mut facts = Simplifier::default().facts(&"h=1..64, d=1..64, x=0..99999".parse::<Domain>()?);
    /// let mut equal = |a: &str, b: &str| facts.equal(&a.parse().unwrap(), &b.parse().unwrap());
    /// assert_eq!(equal("x%(h*d)//d", "x//d%h")?, Some(true));
    /// assert_eq!(equal("x", "x + h")?, Some(false));
    /// assert_eq!(equal("x%h", "x%d")?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Simplifier::simplify`].
    pub fn equal(&mut self, a: &Expr, b: &Expr) -> Result<Option<bool>, SimplifyError> {
        let both = [a.clone(), b.clone()];
        let are_equal = |e: &EGraph, ids: &[Id]| {
            let difference: Option<LinearForm> = e.canonical(ids[0]).plus(-1, &e.canonical(ids[1]));
            match difference.and_then(|d| d.is_constant().then_some(d.constant)) {
                Some(constant) => Some(constant == 0),
                None => (e.graph.find(ids[0]) == e.graph.find(ids[1])).then_some(true),
            }
        };
        if let Some(known) = self.in_normal_form(&both, are_equal)? {
            return Ok(Some(known));
        }
        let search = self.search(&both)?;
        let equation = Expr::new(Op::Eq, [a.clone(), b.clone()]);
        match are_equal(&search.graph.e, &search.graph.roots) {
            Some(holds) => confirm_truth(&self.settings, &equation, holds, self.domain()).map(|()| Some(holds)),
            None => self.prove(&equation),
        }
    }

    /// The e-graph of `exprs` after the rules have run.
    fn search(&mut self, exprs: &[Expr]) -> Result<Search, SimplifyError> {
        let place = self.place(exprs)?;
        let call = for_call(&self.settings, exprs);
        let ground = place.searched(&self.settings)?;
        with_guards(&call, exprs, &place.domain, |exprs, domain| {
            let problem = Problem::on(ground, &call, Dag::new(exprs), domain)?;
            let mut search = Search::of(&call, problem);
            search.saturate(&call);
            Ok(search)
        })
    }

    /// Checks `congruence`, which a search found for `expr`, if rules are used that are not shipped.
    fn confirm_congruence(&self, expr: &Expr, congruence: Congruence) -> Result<(), SimplifyError> {
        let (modulus, residue) = (congruence.modulus(), int(congruence.residue()));
        let rest = if modulus == 0 { expr.clone() } else { expr.clone() % int(modulus) };
        confirm_truth(&self.settings, &Expr::new(Op::Eq, [rest, residue]), true, self.domain())
    }
}

/// The range `known` of `sum`, with ends that were narrowed by proofs.
fn proved_range(e: &EGraph, sum: &LinearForm, known: Interval) -> Interval {
    if !e.has_symbols() || known.as_point().is_some() {
        return known;
    }
    let lo = proved_end(e, sum, known.lo());
    let hi = sum.scaled(-1).and_then(|negated| proved_end(e, &negated, known.hi()?.checked_neg()));
    let hi = hi.and_then(i64::checked_neg);
    // if the domain has points, the lower end is never above the upper end
    Interval::new(lo.unwrap_or(i64::MIN), hi.unwrap_or(i64::MAX)).and_then(|range| range.meet(known)).unwrap_or(known)
}

/// The greatest number found that is proved to be a lower bound of `sum`, at least `known`.
fn proved_end(e: &EGraph, sum: &LinearForm, known: Option<i64>) -> Option<i64> {
    let is_at_least = |k: i64| {
        let less = k.checked_neg().and_then(|k| sum.clone().plus_constant(k));
        less.is_some_and(|less| proves_nonneg(e, &less))
    };
    match known {
        None if !is_at_least(0) => None,
        known => Some(farthest(known.unwrap_or(0), is_at_least)),
    }
}
