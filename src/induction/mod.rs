//! Analyses an index in a loop: its value in the first iteration, and its change from one iteration to the next.
//!
//! A loop can carry an index in a variable `p`. The variable begins with `p = base`, and each iteration adds the step
//! to it. Then no other part of the index is computed in the loop.
//!
//! ```
//! use quaff::induction::Change;
//! use quaff::{Simplifier, domain::Domain, expr::Expr};
//!
//! let domain: Domain = "t=0..255, k=0..63, loop k".parse()?;
//! let simplifier = Simplifier::default();
//! let split = |text: &str| simplifier.split_by(&text.parse::<Expr>()?, "k", &domain).map_err(Box::<dyn std::error::Error>::from);
//!
//! let address = split("(t//16 + k*16)*1024 + t%16")?.expect("linear in k");
//! assert_eq!(address.base.to_string(), "t + t//16*1008");
//! assert_eq!(address.change, Change::Step(16384.into()));
//!
//! // every second iteration begins another row
//! let rows = split("k%2*4 + k//2*100")?.expect("of period 2");
//! assert_eq!(rows.change, Change::Periodic(vec![4.into(), 96.into()]));
//!
//! // a ring buffer of 3 stages
//! let ring = split("(t + k)%3")?.expect("a remainder");
//! assert_eq!(ring.change, Change::Wrapping { step: 1.into(), modulus: 3 });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::domain::{Bounds, Domain, DomainError};
use crate::expr::substitute::substituted;
use crate::expr::{Expr, Op, int, var};
use crate::quasi::{Verdict, equivalent};
use crate::simplify::{Settings, Simplified, SimplifyError, simplify};

#[cfg(doc)]
use crate::Simplifier;

/// The longest period that the search tries, in iterations.
const MAX_PERIOD: i64 = 8;

/// An index in a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Induction {
    /// The index in the first iteration, as an expression without the variable of the loop.
    pub base: Expr,
    /// The change from one iteration to the next.
    pub change: Change,
}

/// The change of an index `f` from one iteration to the next. No expression in it contains the variable of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A constant step: `f(k + 1) = f(k) + step`.
    Step(Expr),
    /// A list of steps that repeats: `f(k + 1) = f(k) + steps[(k - first) % len]`.
    Periodic(Vec<Expr>),
    /// A step in `0..modulus` with wrapping: `f(k + 1)` is `f(k) + step`, less `modulus` if the sum is at least
    /// `modulus`.
    Wrapping {
        /// The step.
        step: Expr,
        /// The upper bound: all values are below the modulus.
        modulus: i64,
    },
}

/// The value of `expr` in the first iteration of a loop, and its change from one iteration to the next. See
/// [`Simplifier::split_by`].
pub(crate) fn split_by(
    settings: &Settings,
    expr: &Expr,
    variable: &str,
    domain: &Domain,
) -> Result<Option<Induction>, SimplifyError> {
    let domain = &*domain.seen_from(std::slice::from_ref(expr));
    let vars = domain.resolve()?;
    let Some(facts) = vars.iter().find(|v| *v.name == *variable) else {
        let base = simplify(settings, expr, domain)?.expr().clone();
        return Ok(Some(Induction { base, change: Change::Step(int(0)) }));
    };
    let first = match (&facts.lower, facts.interval.lo()) {
        (Some(end), _) => end.clone(),
        (None, Some(end)) => int(end),
        (None, None) => return Ok(None),
    };
    if facts.congruence.modulus() != 1 {
        return Ok(None);
    }
    // no iteration follows the last one
    let last = facts.upper.clone().or(facts.interval.hi().map(int));
    let question = Question { settings, variable, domain, first, last };
    let base = question.simplified(&substituted(expr, variable, &question.first), 0)?;
    let change = match question.step(expr)? {
        Some(step) => Some(Change::Step(step)),
        None => match question.wrapping(expr)? {
            Some(change) => Some(change),
            None => question.periodic(expr)?,
        },
    };
    Ok(change.map(|change| Induction { base, change }))
}

impl Simplified {
    /// Applies [`Simplifier::split_by`] to the first expression of the answer. The result holds at all points in the
    /// ranges of the variables. Other assumptions of the call are not used.
    ///
    /// ```
    /// use quaff::induction::Change;
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let address: Expr = "(t + k*32)//32*40 + (t + k*32)%32".parse()?;
    /// let domain = Domain::new().with("t", 0..32).with("k", 0..16).loop_variable("k");
    /// let split = Simplifier::default().simplify(&address, &domain)?.split_by("k")?.expect("linear in k");
    /// assert_eq!((split.base.to_string().as_str(), split.change), ("t", Change::Step(40.into())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SimplifyError`], for the same reasons as in [`Simplifier::simplify`].
    pub fn split_by(&self, variable: &str) -> Result<Option<Induction>, SimplifyError> {
        let domain = self.vars().iter().fold(Domain::new(), |domain, v| {
            let ends = Bounds::new(v.interval.lo().map(int), v.interval.hi().map(int));
            let domain =
                domain.with(v.name.clone(), ends).with(v.name.clone(), Bounds::new(v.lower.clone(), v.upper.clone()));
            match v.congruence.modulus() {
                0 | 1 => domain,
                modulus => domain.stride(v.name.clone(), modulus, v.congruence.residue()),
            }
        });
        split_by(&Settings::default(), self.expr(), variable, &domain)
    }
}

/// A loop and the facts about it, for questions about an index in the loop.
struct Question<'a> {
    settings: &'a Settings,
    variable: &'a str,
    domain: &'a Domain,
    first: Expr,
    last: Option<Expr>,
}

impl Question<'_> {
    /// The domain of the iterations that are followed by at least `more` further ones.
    fn before_last(&self, more: i64) -> Domain {
        let last = self.last.iter().map(|last| (var(self.variable) + more).le(last.clone()));
        last.fold(self.domain.clone(), Domain::assume)
    }

    fn simplified(&self, e: &Expr, more: i64) -> Result<Expr, SimplifyError> {
        let domain = if more == 0 { self.domain.clone() } else { self.before_last(more) };
        Ok(simplify(self.settings, e, &domain)?.expr().clone())
    }

    /// The difference `f(k + by) - f(k)`, if it is the same for all `k`.
    fn difference(&self, expr: &Expr, by: i64) -> Result<Option<Expr>, SimplifyError> {
        let shifted = substituted(expr, self.variable, &(var(self.variable) + by));
        let difference = match self.simplified(&(shifted - expr.clone()), by) {
            // the loop has at most `by` iterations. If `by` is 1, no step is ever taken, so any step is right. If `by`
            // is larger, a period of this length is useless
            Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) => return Ok((by == 1).then(|| int(0))),
            difference => difference?,
        };
        if !mentions(&difference, self.variable) {
            return Ok(Some(difference));
        }
        let one = substituted(&difference, self.variable, &self.first);
        let is_same = equivalent(&difference, &one, &self.before_last(by)) == Verdict::Equal;
        if is_same { Ok(Some(self.simplified(&one, 0)?)) } else { Ok(None) }
    }

    fn step(&self, expr: &Expr) -> Result<Option<Expr>, SimplifyError> {
        self.difference(expr, 1)
    }

    /// The change of a remainder whose numerator has a constant step.
    fn wrapping(&self, expr: &Expr) -> Result<Option<Change>, SimplifyError> {
        let answer = self.simplified(expr, 0)?;
        for form in [expr, &answer] {
            let (Op::FloorMod, [numerator, modulus]) = (form.op(), form.args()) else { continue };
            let Some(modulus) = modulus.as_const().filter(|n| *n > 0) else { continue };
            let Some(step) = self.difference(numerator, 1)? else { continue };
            let step = self.simplified(&step.floor_mod(modulus), 0)?;
            return Ok(Some(Change::Wrapping { step, modulus }));
        }
        Ok(None)
    }

    /// The change with the shortest period.
    fn periodic(&self, expr: &Expr) -> Result<Option<Change>, SimplifyError> {
        for period in 2..=MAX_PERIOD {
            if self.difference(expr, period)?.is_none() {
                continue;
            }
            let at = |i: i64| substituted(expr, self.variable, &(self.first.clone() + i));
            let steps = (0..period).map(|i| self.simplified(&(at(i + 1) - at(i)), 0));
            return Ok(Some(Change::Periodic(steps.collect::<Result<_, SimplifyError>>()?)));
        }
        Ok(None)
    }
}

fn mentions(e: &Expr, variable: &str) -> bool {
    e.variables().iter().any(|name| **name == *variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, domain: &str) -> Option<Induction> {
        let (e, domain): (Expr, Domain) = (text.parse().expect("an expression"), domain.parse().expect("a domain"));
        let found = split_by(&Settings::default(), &e, "k", &domain).expect("a question");
        if let Some(found) = &found {
            holds(&e, found, &domain);
        }
        found
    }

    /// Checks that the carried value is right in all iterations, for all values of the other variables. Their ranges
    /// are closed.
    fn holds(e: &Expr, found: &Induction, domain: &Domain) {
        let names: Vec<&str> = domain.vars().collect();
        let loop_at = names.iter().position(|n| *n == "k").expect("a loop");
        let facts = domain.resolve().expect("consistent");
        let ranges: Vec<(i64, i64)> = facts.iter().map(|f| f.interval.bounded().expect("closed")).collect();
        let (lo, hi) = ranges[loop_at];
        let value = |e: &Expr, point: &[i64]| -> i128 {
            e.eval(|name| point.get(names.iter().position(|n| *n == name)?).copied()).expect("a value")
        };
        let mut points: Vec<Vec<i64>> = vec![Vec::new()];
        for (at, (lo, hi)) in ranges.iter().enumerate() {
            let values = if at == loop_at { *lo..=*lo } else { *lo..=*hi };
            points = points.iter().flat_map(|p| values.clone().map(|v| [&p[..], &[v]].concat())).collect();
        }
        for mut point in points {
            let mut carried = value(&found.base, &point);
            for k in lo..=hi {
                point[loop_at] = k;
                assert_eq!(value(e, &point), carried, "{e} at {point:?}: {found:?}");
                carried = match &found.change {
                    Change::Step(step) => carried + value(step, &point),
                    Change::Periodic(steps) => {
                        let at = crate::domain::floor_mod((k - lo).into(), steps.len() as i128);
                        carried + value(&steps[usize::try_from(at).expect("small")], &point)
                    }
                    Change::Wrapping { step, modulus } => {
                        let next = carried + value(step, &point);
                        next - if next >= (*modulus).into() { (*modulus).into() } else { 0 }
                    }
                };
            }
        }
    }

    #[test]
    fn linear_indices_have_a_step() {
        assert!(matches!(
            split("(t//4 + k*2)*8 + t%4", "t=0..15, k=2..9"),
            Some(Induction { change: Change::Step(_), .. })
        ));
        assert!(matches!(split("k*n + t", "t=0..3, n=1..5, k=0..4"), Some(Induction { change: Change::Step(_), .. })));
        // within the loop, the index never reaches the next row
        assert!(matches!(
            split("(t*8 + k)//8*5 + k%8", "t=0..3, k=0..7"),
            Some(Induction { change: Change::Step(_), .. })
        ));
        assert!(matches!(split("t*3", "t=0..3, k=0..7"), Some(Induction { change: Change::Step(_), .. })));
        assert!(matches!(split("t%3 + k//5", "t=0..3, k=4..4"), Some(Induction { change: Change::Step(_), .. })));
    }

    #[test]
    fn rows_of_a_few_elements_have_a_period() {
        let found = split("k//3*10 + k%3 + t", "t=0..3, k=0..11").expect("of period 3");
        assert_eq!(found.change, Change::Periodic(vec![int(1), int(1), int(8)]));
        assert!(split("k//4*10 + k%4", "k=1..12").is_some());
        assert_eq!(split("k//11*100 + k%11", "k=0..40"), None);
    }

    #[test]
    fn remainders_wrap() {
        let found = split("(t + 3*k)%7", "t=0..9, k=0..20").expect("a remainder");
        assert!(matches!(&found.change, Change::Wrapping { modulus: 7, .. }), "{found:?}");
        let found = split("(t - k)%5", "t=0..9, k=0..20").expect("a remainder");
        assert!(matches!(&found.change, Change::Wrapping { step, modulus: 5 } if *step == int(4)), "{found:?}");
    }

    #[test]
    fn other_changes_are_none() {
        assert_eq!(split("k*k", "k=0..20"), None);
        assert_eq!(split("(k*7)//5", "k=0..60, t=0..1").map(|i| matches!(i.change, Change::Periodic(_))), Some(true));
        assert_eq!(split("(k*7)//13", "k=0..60"), None);
    }
}
