//! Symbols for sizes that are known only at run time, and the facts about them.
//!
//! The symbols are the parameters of the kernel, with their ranges and steps, and quotients that are rounded up. This
//! module computes expressions and ranges of products of sizes. It also proves that a product is an integer, equals
//! another product, or is at least as large as it.

use super::base::{Base, Exact};
use super::model::Model;
use super::product::Product;
use quaff::Simplifier;
use quaff::domain::{Domain, Interval, interval_of};
use quaff::expr::{Expr, Op, int, var};
use quaff::integer::{ceil_div, floor_mod};
use std::sync::{Arc, OnceLock};

/// The most factors of a size that may be above 1. If a size has more, its range has no upper end.
const MAX_DEGREE: i64 = 62;

/// The simplifier with default settings, made once.
pub(super) fn shared() -> &'static Simplifier {
    static SHARED: OnceLock<Simplifier> = OnceLock::new();
    SHARED.get_or_init(Simplifier::default)
}

/// The parameters in their order, followed by the quotients that are rounded up.
#[derive(Clone)]
pub(super) struct Symbols {
    exprs: Vec<Expr>,
    /// The quotients of the symbols after the parameters.
    quotients: Vec<Product>,
    steps: Vec<i64>,
    /// The facts about the parameters, and the assumptions.
    domain: Domain,
}

/// The reason why a product is not a valid size.
pub(super) enum Unfit {
    /// The product is no integer.
    Fraction,
    /// The product may not fit 64 bits.
    Wide,
    /// The product is an integer only under this condition.
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

    /// The facts about the parameters and the assumptions. They are the same for all threads of a launch.
    pub(super) fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The name of each symbol in messages.
    pub(super) fn names(&self) -> Vec<Arc<str>> {
        let name = |e: &Expr| match e.op() {
            Op::Var(name) => name.clone(),
            _ => format!("({e})").into(),
        };
        self.exprs.iter().map(name).collect()
    }

    /// The product in the form that messages use.
    pub(super) fn exact(&self, product: &Product) -> Exact {
        let base = Base::new([product.num(), product.den()], self.names());
        base.exact(&base.valuation_of(product))
    }

    /// `quotient` rounded up. An integer is returned unchanged. Otherwise the result is the symbol of the quotient,
    /// which is added if it is new. `None` if the result exceeds 64 bits.
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

    /// The product as an expression. If the product is not an integer, the expression has another value.
    pub(super) fn expr(&self, product: &Product) -> Expr {
        let [up, down] = product.parts();
        let symbols = self.powers(&up);
        match (symbols, self.powers(&down)) {
            (None, None) if product.den() == 1 => int(product.num()),
            (Some(symbols), None) => {
                // the denominator is coprime to the number, so it divides the symbols
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

    /// The product of the symbols, without the number.
    fn powers(&self, product: &Product) -> Option<Expr> {
        let factors = product.powers().iter().flat_map(|&(s, e)| {
            let repeated = usize::try_from(e).unwrap_or(0);
            std::iter::repeat_n(&self.exprs[s as usize], repeated)
        });
        factors.cloned().reduce(|a, b| a * b)
    }

    /// A range of the product. It is unbounded above if the product may exceed 64 bits.
    pub(super) fn range(&self, product: &Product) -> Interval {
        // a product of more than `MAX_DEGREE` values above 1 exceeds 64 bits
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

    /// Whether the product is a size for all parameters: an integer that fits 64 bits.
    ///
    /// The steps alone may prove a division by a number to be exact. Otherwise the simplifier tries a proof.
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
        // a denominator without symbols is coprime to the number in the numerator, so it must divide the symbols
        let dividend = if by.powers().is_empty() { self.powers(&of) } else { None };
        let condition = dividend.unwrap_or_else(|| self.expr(&of)).floor_mod(self.expr(&by)).equals(0);
        match self.holds(&condition) {
            Some(true) => Ok(()),
            Some(false) => Err(Unfit::Fraction),
            None => Err(Unfit::Unless(condition)),
        }
    }

    /// The condition that the product is 1, so that its numerator equals its denominator. `None` if one of them may
    /// exceed 64 bits.
    pub(super) fn equal_parts(&self, product: &Product) -> Option<Expr> {
        self.compared(product, |up, down| up.equals(down))
    }

    /// The condition that the product is at least 1. `None` if its numerator or its denominator may exceed 64 bits.
    pub(super) fn at_least_one(&self, product: &Product) -> Option<Expr> {
        self.compared(product, |up, down| down.le(up))
    }

    fn compared(&self, product: &Product, compare: impl Fn(&Expr, &Expr) -> Expr) -> Option<Expr> {
        let [up, down] = product.parts();
        let short = [&up, &down].iter().all(|part| self.range(part).bounded().is_some());
        short.then(|| compare(&self.expr(&up), &self.expr(&down)))
    }

    /// Whether a condition on the parameters is proved to hold for all of their values (`Some(true)`) or for none
    /// (`Some(false)`).
    pub(super) fn holds(&self, condition: &Expr) -> Option<bool> {
        shared().facts(&self.domain).prove(condition).ok().flatten()
    }
}
