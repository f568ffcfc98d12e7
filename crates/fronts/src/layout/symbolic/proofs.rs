//! Proofs of conditions on sizes and strides, and simplification of sizes.

use crate::layout::error::LayoutError;
use crate::layout::leaf::Leaf;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use quaff::{Facts, Simplifier};

/// Proofs about the names of one domain.
pub(super) struct Proofs<'d> {
    domain: &'d Domain,
    simplifier: Simplifier,
    facts: Facts,
}

impl Proofs<'_> {
    pub(super) fn new(domain: &Domain) -> Proofs<'_> {
        let simplifier = Simplifier::default();
        Proofs { domain, facts: simplifier.facts(domain), simplifier }
    }

    /// Whether the condition is proved to be true everywhere (`true`) or false everywhere (`false`). `None` if neither
    /// is proved.
    pub(super) fn truth(&mut self, condition: &Expr) -> Result<Option<bool>, LayoutError> {
        match condition.eval(|_| None) {
            Ok(value) => Ok(Some(value != 0)),
            Err(_) => Ok(self.facts.prove(condition)?),
        }
    }

    pub(super) fn holds(&mut self, condition: &Expr) -> Result<bool, LayoutError> {
        Ok(self.truth(condition)? == Some(true))
    }

    pub(super) fn equal(&mut self, a: &Expr, b: &Expr) -> Result<bool, LayoutError> {
        self.holds(&a.equals(b))
    }

    pub(super) fn divides(&mut self, divisor: &Expr, e: &Expr) -> Result<bool, LayoutError> {
        self.holds(&e.floor_mod(divisor).equals(0))
    }

    /// Returns an error unless the condition is proved.
    pub(super) fn require(&mut self, condition: &Expr, why: &'static str) -> Result<(), LayoutError> {
        match self.truth(condition)? {
            Some(true) => Ok(()),
            Some(false) => Err(LayoutError::Refuted { condition: condition.to_string(), why }),
            None => Err(LayoutError::NotProved { condition: condition.to_string(), why }),
        }
    }

    /// The cheapest form of an expression.
    pub(super) fn simple(&self, e: &Expr) -> Result<Expr, LayoutError> {
        if e.as_const().is_some() {
            return Ok(e.clone());
        }
        Ok(self.simplifier.simplify(e, self.domain)?.expr().clone())
    }

    /// The leaves with a size other than 1, with neighbours that are proved to be mergeable joined.
    pub(super) fn merged(&mut self, leaves: &[Leaf<Expr>]) -> Result<Vec<Leaf<Expr>>, LayoutError> {
        let mut out: Vec<Leaf<Expr>> = Vec::new();
        for leaf in leaves {
            if self.equal(&leaf.size, &int(1))? {
                continue;
            }
            match out.last_mut() {
                Some(last) if self.equal(&(&last.size * &last.stride), &leaf.stride)? => {
                    last.size = self.simple(&(&last.size * &leaf.size))?;
                }
                _ => out.push(leaf.clone()),
            }
        }
        Ok(out)
    }

    /// The positions of the leaves by ascending strides, without leaves of stride 0 or size 1. All strides are proved
    /// to be at least 1.
    pub(super) fn ascending(&mut self, leaves: &[Leaf<Expr>]) -> Result<Vec<usize>, LayoutError> {
        let mut out: Vec<usize> = Vec::new();
        for (place, leaf) in leaves.iter().enumerate() {
            if self.equal(&leaf.size, &int(1))? || self.equal(&leaf.stride, &int(0))? {
                continue;
            }
            self.require(&leaf.stride.ge(1), "strides are ordered, so each is above 0")?;
            let mut at = out.len();
            while at > 0 && !self.holds(&leaves[out[at - 1]].stride.le(&leaf.stride))? {
                at -= 1;
                let is_before = leaf.stride.le(&leaves[out[at]].stride);
                self.require(&is_before, "the order of the strides is that of the modes")?;
            }
            out.insert(at, place);
        }
        Ok(out)
    }
}
