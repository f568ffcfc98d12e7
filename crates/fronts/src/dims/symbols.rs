//! Sizes that are known at run time, and what is known of them before.
//!
//! What goes in are the kernel's parameters with their ranges and steps, and quotients rounded up; what comes out are
//! expressions, ranges, and proofs that a product of sizes is an integer, or equal to another one, or no less.

use super::base::{Base, Exact};
use super::model::Model;
use super::product::Product;
use quaff::Simplifier;
use quaff::domain::{Domain, Interval, interval_of};
use quaff::expr::{Expr, Op, int, var};
use quaff::integer::{ceil_div, floor_mod};
use std::sync::{Arc, OnceLock};

/// The most factors of a size that are known at run time.
const MAX_DEGREE: i64 = 62;

/// The simplifier with its defaults, made once.
pub(super) fn shared() -> &'static Simplifier {
    static SHARED: OnceLock<Simplifier> = OnceLock::new();
    SHARED.get_or_init(Simplifier::default)
}

/// The parameters in their order, and after them quotients rounded up.
#[derive(Clone)]
pub(super) struct Symbols {
    exprs: Vec<Expr>,
    /// Which quotient each one is, after the parameters.
    quotients: Vec<Product>,
    steps: Vec<i64>,
    /// Parameters and assumptions.
    domain: Domain,
}

/// What keeps a product from being a size.
pub(super) enum Unfit {
    /// It is no integer.
    Fraction,
    /// It may not fit 64 bits.
    Wide,
    /// It is an integer only where this holds.
    Unless(Expr),
}

impl Symbols {
    pub(super) fn new(model: &Model) -> Symbols {
        let mut domain = Domain::new();
        for p in &model.parameters {
            domain.add_bounds(p.name.clone(), p.range);
            domain.add_stride(p.name.clone(), p.step, 0);
            domain = domain.launch_invariant(p.name.clone());
        }
        let domain = model.assumptions.iter().fold(domain, |domain, a| domain.assume(a.clone()));
        let exprs = model.parameters.iter().map(|p| var(p.name.clone())).collect();
        Symbols { exprs, quotients: vec![], steps: model.parameters.iter().map(|p| p.step).collect(), domain }
    }

    /// Parameters with their facts, and what is assumed of them: the same for all threads of a launch.
    pub(super) fn domain(&self) -> &Domain {
        &self.domain
    }

    /// How messages call each symbol.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        let name = |e: &Expr| match e.op() {
            Op::Var(name) => name.clone(),
            _ => format!("({e})").into(),
        };
        self.exprs.iter().map(name).collect()
    }

    /// The product for a message.
    pub(super) fn exact(&self, product: &Product) -> Exact {
        let base = Base::new([product.num(), product.den()], self.names());
        base.exact(&base.valuation_of(product))
    }

    /// `of / by` rounded up: itself where it is an integer, else a new symbol, or that of an equal quotient. `None` beyond 64
    /// bits.
    pub(super) fn rounded_up(&mut self, quotient: &Product) -> Option<Product> {
        if quotient.powers().is_empty() {
            let up = ceil_div(quotient.num().into(), quotient.den().into());
            return Some(Product::number(i64::try_from(up).ok()?));
        }
        match self.check(quotient) {
            Ok(()) => return Some(quotient.clone()),
            Err(Unfit::Wide) => return None,
            Err(Unfit::Fraction | Unfit::Unless(_)) => {}
        }
        let first = self.steps.len();
        let at = self.quotients.iter().position(|q| q == quotient).unwrap_or(self.quotients.len());
        if at == self.quotients.len() {
            let [of, by] = quotient.parts().map(|part| self.expr(&part));
            let sum = match by.as_const() {
                Some(c) => of + (c - 1),
                None => of + (by.clone() - 1),
            };
            self.exprs.push(sum.floor_div(by));
            self.quotients.push(quotient.clone());
        }
        let symbol = Product::symbol(u32::try_from(first + at).ok()?);
        self.range(&symbol).bounded().map(|_| symbol)
    }

    /// The product as an expression; it is that product where it is an integer.
    pub(super) fn expr(&self, product: &Product) -> Expr {
        let [up, down] = product.parts();
        let symbols = self.powers(&up);
        match (symbols, self.powers(&down)) {
            (None, None) if product.den() == 1 => int(product.num()),
            (Some(symbols), None) => {
                // the denominator has no factor in common with the number, so it divides the symbols
                let exact = if product.den() == 1 { symbols } else { symbols.floor_div(product.den()) };
                if product.num() == 1 { exact } else { exact * product.num() }
            }
            (symbols, below) => {
                let times = |symbols: Option<Expr>, n: i64| match symbols {
                    Some(e) if n == 1 => e,
                    Some(e) => e * n,
                    None => int(n),
                };
                times(symbols, product.num()).floor_div(times(below, product.den()))
            }
        }
    }

    /// The product of the symbols alone.
    fn powers(&self, product: &Product) -> Option<Expr> {
        let factors = product.powers().iter().flat_map(|&(s, e)| {
            let repeated = usize::try_from(e).unwrap_or(0);
            std::iter::repeat_n(&self.exprs[s as usize], repeated)
        });
        factors.cloned().reduce(|a, b| a * b)
    }

    /// A range that the product lies in; open above where 64 bits may not hold it.
    pub(super) fn range(&self, product: &Product) -> Interval {
        // beyond that degree a product of values above 1 does not fit, and its text would be as long
        let degree = product.powers().iter().fold(0i64, |sum, &(_, e)| sum.saturating_add(e.saturating_abs()));
        match product.as_number() {
            Some(n) => Interval::point(n),
            None if degree > MAX_DEGREE => Interval::ALL,
            None => self.range_of(&self.expr(product)),
        }
    }

    fn range_of(&self, expr: &Expr) -> Interval {
        let Ok(facts) = self.domain.resolve() else { return Interval::ALL };
        let known = |name: &str| self.domain.position(name).and_then(|at| facts.get(at));
        interval_of(expr, |name| known(name).map_or(Interval::ALL, |f| f.interval))
    }

    /// Whether the product is a size: an integer that 64 bits hold, whatever the parameters are.
    ///
    /// A division by a number is decided by the steps alone; for others the simplifier is asked.
    pub(super) fn check(&self, product: &Product) -> Result<(), Unfit> {
        let [of, by] = product.parts();
        if product.powers().is_empty() {
            return if product.den() == 1 { Ok(()) } else { Err(Unfit::Fraction) };
        }
        if self.range(&of).bounded().is_none() || self.range(product).bounded().is_none() {
            return Err(Unfit::Wide);
        }
        let known = of.powers().iter().fold(1i128, |known, &(s, e)| {
            let step = i128::from(self.steps.get(s as usize).copied().unwrap_or(1));
            let exponent = u32::try_from(e).unwrap_or(u32::MAX);
            step.checked_pow(exponent).and_then(|p| p.checked_mul(known)).unwrap_or(known)
        });
        if by.powers().is_empty() && floor_mod(known, product.den().into()) == 0 {
            return Ok(());
        }
        // a number that divides symbols has no factor in common with the number beside them
        let dividend = if by.powers().is_empty() { self.powers(&of) } else { None };
        let condition = dividend.unwrap_or_else(|| self.expr(&of)).floor_mod(self.expr(&by)).equals(0);
        match self.holds(&condition) {
            Some(true) => Ok(()),
            Some(false) => Err(Unfit::Fraction),
            None => Err(Unfit::Unless(condition)),
        }
    }

    /// That the product is 1: that what is multiplied is what it is divided by. `None` where that is too long.
    pub(super) fn equal_parts(&self, product: &Product) -> Option<Expr> {
        self.compared(product, |up, down| up.equals(down))
    }

    /// That the product is at least 1. `None` where that is too long.
    pub(super) fn at_least_one(&self, product: &Product) -> Option<Expr> {
        self.compared(product, |up, down| down.le(up))
    }

    fn compared(&self, product: &Product, compare: impl Fn(&Expr, &Expr) -> Expr) -> Option<Expr> {
        let [up, down] = product.parts();
        let short = [&up, &down].iter().all(|part| self.range(part).bounded().is_some());
        short.then(|| compare(&self.expr(&up), &self.expr(&down)))
    }

    /// Whether a condition on the parameters holds for all of their values (`Some(true)`) or for none, as far as is proved.
    pub(super) fn holds(&self, condition: &Expr) -> Option<bool> {
        shared().facts(&self.domain).prove(condition).ok().flatten()
    }
}
