//! Questions that compilers ask beside simplification, answered by the same facts and rules.
//!
//! What goes in are expressions and what is known of their variables; what comes out is what is proved of them. A question takes one
//! search under the limits of the simplifier, no more than the first stage of [`Simplifier::simplify`], whatever the number of
//! symbols: nothing is factored over all of them, and nothing substituted everywhere.

use super::error::SimplifyError;
use super::search::Search;
use super::simplifier::Simplifier;
use crate::domain::{Congruence, Domain, Interval};
use crate::egraph::context::definitions::range_by_definitions;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::prover::corners::range_at_corners;
use crate::egraph::normal::symbolic_bounds::proves_nonneg;
use crate::expr::{Expr, Op, int};
use crate::integer::floor_mod;
use std::slice::from_ref;

impl Simplifier {
    /// A range that all values of `expr` lie in, both ends inclusive; an end is open where none is found.
    ///
    /// It takes one search, and so time that is linear in the size of `expr` beside [`Limits`](crate::egraph::Limits). Where there are products
    /// or symbolic ends, proofs about these move the ends inwards.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let domain: Domain = "m=1..64, n=1..64, x=0..m*n-1".parse()?;
    /// let bounds = |text: &str| Simplifier::default().bounds(&text.parse().unwrap(), &domain);
    /// assert_eq!(bounds("x//n")?.to_string(), "0..63");
    /// assert_eq!(bounds("(m + n)*32 - m*n")?.to_string(), "0..2016");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn bounds(&self, expr: &Expr, domain: &Domain) -> Result<Interval, SimplifyError> {
        let search = self.question(expr, domain)?;
        let e = &search.graph.e;
        let root = search.graph.roots[0];
        let sum = e.canonical(root);
        let closer = [range_by_definitions(e, &sum), range_at_corners(e, &sum)];
        let known = closer.into_iter().fold(e.facts(root).interval, |known, range| known.meet(range).unwrap_or(known));
        let range = proved_range(e, &sum, known);
        for end in [range.lo().map(|lo| expr.ge(int(lo))), range.hi().map(|hi| expr.le(int(hi)))] {
            end.map_or(Ok(()), |holds| self.confirm_truth(&holds, true, domain))?;
        }
        Ok(range)
    }

    /// A congruence that all values of `expr` satisfy: modulus 1 where none is found, modulus 0 where there is one value only.
    ///
    /// It takes one search, and so time that is linear in the size of `expr` beside [`Limits`](crate::egraph::Limits).
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let domain: Domain = "ld=8..8192 step 8, r=0..99".parse()?;
    /// let congruence = Simplifier::default().congruence(&"r*ld + 20".parse()?, &domain)?;
    /// assert_eq!((congruence.residue(), congruence.modulus()), (4, 8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn congruence(&self, expr: &Expr, domain: &Domain) -> Result<Congruence, SimplifyError> {
        let search = self.question(expr, domain)?;
        let congruence = search.graph.e.facts(search.graph.roots[0]).congruence;
        self.confirm_congruence(expr, congruence, domain)?;
        Ok(congruence)
    }

    /// Compares `expr` with what a search under own rules says of it.
    fn confirm_congruence(&self, expr: &Expr, congruence: Congruence, domain: &Domain) -> Result<(), SimplifyError> {
        let (modulus, residue) = (congruence.modulus(), int(congruence.residue()));
        let rest = if modulus == 0 { expr.clone() } else { expr.clone() % int(modulus) };
        self.confirm_truth(&Expr::new(Op::Eq, [rest, residue]), true, domain)
    }

    /// Whether `n` is proved to divide every value of `expr`. It takes two searches where the first does not tell.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let domain: Domain = "ld=8..8192, r=0..99, assume ld % 8 == 0".parse()?;
    /// assert!(Simplifier::default().is_multiple_of(&"r*ld + 16".parse()?, 8, &domain)?);
    /// assert!(!Simplifier::default().is_multiple_of(&"r*ld + 4".parse()?, 8, &domain)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify). 0 divides 0 alone.
    pub fn is_multiple_of(&self, expr: &Expr, n: i64, domain: &Domain) -> Result<bool, SimplifyError> {
        if n == 0 {
            return Ok(self.prove(&Expr::new(Op::Eq, [expr.clone(), int(0)]), domain)? == Some(true));
        }
        let call = self.for_call(from_ref(expr));
        let search = call.question(expr, domain)?;
        let congruence = search.graph.e.facts(search.graph.roots[0]).congruence;
        let divides = |c: i64| floor_mod(c.into(), n.into()) == 0;
        if divides(congruence.modulus()) {
            self.confirm_congruence(expr, congruence, domain)?;
            return Ok(divides(congruence.residue()));
        }
        Ok(call.prove(&Expr::new(Op::Eq, [expr.clone() % int(n), int(0)]), domain)? == Some(true))
    }

    /// Whether `condition` holds at every point of `domain` (`Some(true)`), or at none (`Some(false)`), as far as is proved.
    ///
    /// It takes one search, and where that does not tell, the time of [`simplify`](Self::simplify).
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let domain: Domain = "m=1..64, n=1..64, pid=0..m*n-1".parse()?;
    /// let prove = |text: &str| Simplifier::default().prove(&text.parse().unwrap(), &domain);
    /// assert_eq!(prove("pid//n < m")?, Some(true));
    /// assert_eq!(prove("pid//n*n > pid")?, Some(false));
    /// assert_eq!(prove("pid < n")?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn prove(&self, condition: &Expr, domain: &Domain) -> Result<Option<bool>, SimplifyError> {
        let call = self.for_call(from_ref(condition));
        let search = call.question(condition, domain)?;
        let range = search.graph.e.facts(search.graph.roots[0]).interval;
        let known = if range.contains(0) { range.as_point().map(|value| value != 0) } else { Some(true) };
        if let Some(holds) = known {
            self.confirm_truth(condition, holds, domain)?;
            return Ok(known);
        }
        let answer = call.simplify(condition, domain)?;
        Ok(answer.expr().as_const().map(|value| value != 0))
    }

    /// Whether `a` and `b` are equal at every point of `domain` (`Some(true)`), or at none (`Some(false)`), as far as is proved.
    ///
    /// It takes one search over both together, and where that does not tell, the time of [`prove`](Self::prove).
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let domain: Domain = "h=1..64, d=1..64, x=0..99999".parse()?;
    /// let equal = |a: &str, b: &str| Simplifier::default().equal(&a.parse().unwrap(), &b.parse().unwrap(), &domain);
    /// assert_eq!(equal("x%(h*d)//d", "x//d%h")?, Some(true));
    /// assert_eq!(equal("x", "x + h")?, Some(false));
    /// assert_eq!(equal("x%h", "x%d")?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn equal(&self, a: &Expr, b: &Expr, domain: &Domain) -> Result<Option<bool>, SimplifyError> {
        let both = [a.clone(), b.clone()];
        let domain = &*domain.seen_from(&both);
        let call = self.for_call(&both);
        let search = call.with_guards(&both, domain, |exprs| call.search(exprs, domain))?;
        let e = &search.graph.e;
        let [left, right] = [e.canonical(search.graph.roots[0]), e.canonical(search.graph.roots[1])];
        let same = e.graph.find(search.graph.roots[0]) == e.graph.find(search.graph.roots[1]);
        let difference: Option<LinearForm> = left.plus(-1, &right);
        let known = match difference.and_then(|d| d.is_constant().then_some(d.constant)) {
            Some(constant) => Some(constant == 0),
            None => same.then_some(true),
        };
        let equation = Expr::new(Op::Eq, [a.clone(), b.clone()]);
        match known {
            Some(holds) => self.confirm_truth(&equation, holds, domain).map(|()| known),
            None => call.prove(&equation, domain),
        }
    }

    /// The e-graph of `expr` once the rules have been run.
    fn question(&self, expr: &Expr, domain: &Domain) -> Result<Search, SimplifyError> {
        self.with_guards(from_ref(expr), domain, |exprs| self.search(exprs, domain))
    }
}

/// `known`, the range of `sum`, with its ends moved inwards by proofs.
fn proved_range(e: &EGraph, sum: &LinearForm, known: Interval) -> Interval {
    if !e.has_symbols() || known.as_point().is_some() {
        return known;
    }
    let lo = proved_end(e, sum, known.lo());
    let hi = sum.scaled(-1).and_then(|negated| proved_end(e, &negated, known.hi()?.checked_neg()));
    let hi = hi.and_then(i64::checked_neg);
    // no end is moved beyond the other one where there are points
    Interval::new(lo.unwrap_or(i64::MIN), hi.unwrap_or(i64::MAX)).and_then(|range| range.meet(known)).unwrap_or(known)
}

/// The greatest number found that `sum` is proved to be at least, not below `known`. Steps are doubled while they succeed, and halved then.
fn proved_end(e: &EGraph, sum: &LinearForm, known: Option<i64>) -> Option<i64> {
    let is_at_least = |k: i64| {
        let less = k.checked_neg().and_then(|k| sum.clone().plus_constant(k));
        less.is_some_and(|less| proves_nonneg(e, &less))
    };
    let mut end = match known {
        Some(known) => known,
        None if is_at_least(0) => 0,
        None => return None,
    };
    let mut step = 1i64;
    while let Some(next) = end.checked_add(step).filter(|next| is_at_least(*next)) {
        end = next;
        let Some(doubled) = step.checked_mul(2) else { break };
        step = doubled;
    }
    while step > 1 {
        step >>= 1;
        if let Some(next) = end.checked_add(step).filter(|next| is_at_least(*next)) {
            end = next;
        }
    }
    Some(end)
}
