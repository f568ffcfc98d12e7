//! Arithmetic and comparisons of sizes under the facts about their variables, with a fast path for constants.

use super::error::{ErrorKind, ViewError};
use super::poly::Poly;
use quaff::Simplifier;
use quaff::domain::{Domain, Interval, VarFacts, interval_of};
use quaff::expr::{Expr, int};

/// The facts about the variables in sizes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Facts {
    domain: Domain,
    vars: Vec<VarFacts>,
}

impl Facts {
    /// # Errors
    /// [`ErrorKind::Domain`] when the facts of the domain contradict one another.
    pub(super) fn new(domain: Domain) -> Result<Facts, ViewError> {
        let vars = domain.resolve().map_err(ErrorKind::Domain)?;
        Ok(Facts { domain, vars })
    }

    pub(super) fn domain(&self) -> &Domain {
        &self.domain
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.domain.position(name)
    }

    pub(super) fn range(&self, name: &str) -> Interval {
        self.position(name).map_or(Interval::ALL, |p| self.vars[p].interval)
    }

    /// Checks that all variables of `e` are declared.
    pub(super) fn check(&self, e: &Expr) -> Result<(), ViewError> {
        if e.as_const().is_some() {
            return Ok(());
        }
        match e.variables().into_iter().find(|name| self.position(name).is_none()) {
            Some(name) => Err(ErrorKind::Undeclared { name }.into()),
            None => Ok(()),
        }
    }

    pub(super) fn poly(&self, e: &Expr) -> Result<Poly, ViewError> {
        let read = Poly::read(e, &|name| self.position(name));
        read.ok_or_else(|| ErrorKind::TooLarge { what: "a size" }.into())
    }

    pub(super) fn written(&self, p: &Poly) -> Result<Expr, ViewError> {
        p.to_expr().ok_or_else(|| ErrorKind::Overflow { what: "a size, stride or offset" }.into())
    }

    /// The normal form of `e`.
    pub(super) fn normal(&self, e: &Expr) -> Result<Expr, ViewError> {
        if e.as_const().is_some() {
            return Ok(e.clone());
        }
        self.written(&self.poly(e)?)
    }

    fn binary(
        &self,
        a: &Expr,
        b: &Expr,
        constants: fn(i64, i64) -> Option<i64>,
        polys: fn(&Poly, &Poly) -> Option<Poly>,
    ) -> Result<Expr, ViewError> {
        let overflow = || ErrorKind::Overflow { what: "a size, stride or offset" };
        if let (Some(a), Some(b)) = (a.as_const(), b.as_const()) {
            return Ok(int(constants(a, b).ok_or_else(overflow)?));
        }
        let made = polys(&self.poly(a)?, &self.poly(b)?).ok_or_else(overflow)?;
        self.written(&made)
    }

    pub(super) fn add(&self, a: &Expr, b: &Expr) -> Result<Expr, ViewError> {
        self.binary(a, b, i64::checked_add, Poly::plus)
    }

    pub(super) fn sub(&self, a: &Expr, b: &Expr) -> Result<Expr, ViewError> {
        self.binary(a, b, i64::checked_sub, Poly::minus)
    }

    pub(super) fn mul(&self, a: &Expr, b: &Expr) -> Result<Expr, ViewError> {
        self.binary(a, b, i64::checked_mul, Poly::times)
    }

    pub(super) fn neg(&self, a: &Expr) -> Result<Expr, ViewError> {
        self.sub(&int(0), a)
    }

    /// The product of all expressions.
    pub(super) fn product<'e>(&self, all: impl IntoIterator<Item = &'e Expr>) -> Result<Expr, ViewError> {
        let mut product = int(1);
        for e in all {
            product = self.mul(&product, e)?;
        }
        Ok(product)
    }

    /// The quotient `ceil(a / b)` for a constant `b` above 0.
    pub(super) fn ceil_div(&self, a: &Expr, b: i64) -> Result<Expr, ViewError> {
        if b == 1 {
            return Ok(a.clone());
        }
        let up = self.add(a, &int(b.saturating_sub(1)))?;
        self.normal(&up.floor_div(b))
    }

    /// Whether `a <= b` for all values of the variables (`true`) or for none (`false`). `None` if neither is known.
    pub(super) fn le(&self, a: &Expr, b: &Expr) -> Option<bool> {
        if let (Some(a), Some(b)) = (a.as_const(), b.as_const()) {
            return Some(a <= b);
        }
        let difference = self.poly(b).ok()?.minus(&self.poly(a).ok()?)?;
        if let Some(c) = difference.as_const() {
            return Some(c >= 0);
        }
        let difference = difference.to_expr()?;
        let range = interval_of(&difference, |name| self.range(name));
        if range.is_nonneg() {
            return Some(true);
        }
        if range.hi().is_some_and(|hi| hi < 0) {
            return Some(false);
        }
        self.truth(&difference.ge(0))
    }

    pub(super) fn lt(&self, a: &Expr, b: &Expr) -> Option<bool> {
        self.le(b, a).map(|t| !t)
    }

    /// Whether `a` and `b` are equal for all values of the variables (`true`) or for none (`false`). `None` if neither
    /// is known.
    pub(super) fn same(&self, a: &Expr, b: &Expr) -> Option<bool> {
        if let (Some(a), Some(b)) = (a.as_const(), b.as_const()) {
            return Some(a == b);
        }
        let difference = self.poly(b).ok()?.minus(&self.poly(a).ok()?)?;
        if let Some(c) = difference.as_const() {
            return Some(c == 0);
        }
        let difference = difference.to_expr()?;
        if !interval_of(&difference, |name| self.range(name)).contains(0) {
            return Some(false);
        }
        self.truth(&difference.equals(0))
    }

    pub(super) fn is(&self, a: &Expr, c: i64) -> bool {
        match a.as_const() {
            Some(a) => a == c,
            None => self.same(a, &int(c)) == Some(true),
        }
    }

    /// Whether the engine proves a condition to be true everywhere (`true`) or false everywhere (`false`). `None` if it
    /// proves neither.
    fn truth(&self, condition: &Expr) -> Option<bool> {
        let answer = Simplifier::default().simplify(condition, &self.domain).ok()?;
        answer.expr().as_const().map(|c| c != 0)
    }

    /// The smaller of `a` and `b`. If their order is not known, the result is an expression with `min`.
    pub(super) fn min(&self, a: &Expr, b: &Expr) -> Result<Expr, ViewError> {
        match (self.le(a, b), self.le(b, a)) {
            (Some(true), _) => Ok(a.clone()),
            (_, Some(true)) => Ok(b.clone()),
            _ => self.normal(&a.min(b)),
        }
    }

    /// The greater of `a` and `b`. If their order is not known, the result is an expression with `max`.
    pub(super) fn max(&self, a: &Expr, b: &Expr) -> Result<Expr, ViewError> {
        match (self.le(a, b), self.le(b, a)) {
            (Some(true), _) => Ok(b.clone()),
            (_, Some(true)) => Ok(a.clone()),
            _ => self.normal(&a.max(b)),
        }
    }
}
