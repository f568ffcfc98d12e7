//! Writes polynomials as expressions, so that they can be compiled.

use super::poly::Poly;
use super::terms::{Atom, Terms, atoms_of};
use quaff_expr::expr::sum::written;
use quaff_expr::expr::{Expr, int, select, var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Writes polynomials over some terms as expressions over `names`. Equal parts become one node.
pub(super) struct Writer<'t> {
    terms: &'t Terms,
    names: &'t [Arc<str>],
    done: Vec<Option<Expr>>,
}

impl<'t> Writer<'t> {
    pub(super) fn new(terms: &'t Terms, names: &'t [Arc<str>]) -> Writer<'t> {
        Writer { terms, names, done: Vec::new() }
    }

    pub(super) fn write(&mut self, p: &Poly) -> Expr {
        let mut needed: Vec<u32> = Vec::new();
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut stack: Vec<u32> = atoms_of(p).collect();
        while let Some(id) = stack.pop() {
            if self.done.len() <= id as usize {
                self.done.resize(id as usize + 1, None);
            }
            if self.done[id as usize].is_none() && seen.insert(id) {
                needed.push(id);
                stack.extend(self.terms.atom(id).operands().into_iter().flat_map(atoms_of));
            }
        }
        // operands have smaller numbers, so they come first
        needed.sort_unstable();
        for id in needed {
            let e = match self.terms.atom(id) {
                Atom::Var(v) => var(self.names[*v as usize].clone()),
                Atom::Quotient(a, b) => self.sum(a).floor_div(self.sum(b)),
                Atom::NonNegative(p) => {
                    let positive = self.sum(&Poly { terms: p.terms.clone(), constant: 0 });
                    // the constant moves to the right side, unless its negation exceeds 64 bits
                    match p.constant.checked_neg() {
                        Some(c) => positive.ge(int(c)),
                        None => self.sum(p).ge(int(0)),
                    }
                }
                Atom::Zero(p) => self.sum(p).equals(int(0)),
                Atom::All(all) => {
                    let mut parts = all.iter();
                    let first = parts.next().map_or(int(1), |p| self.sum(p));
                    parts.fold(first, |e, p| e.and(self.sum(p)))
                }
                Atom::Other(op, args) => Expr::new(op.clone(), args.iter().map(|p| self.sum(p)).collect::<Vec<Expr>>()),
            };
            self.done[id as usize] = Some(e);
        }
        self.sum(p)
    }

    fn atom(&self, id: u32) -> Expr {
        // every atom of the sum is already written, because `write` visits atoms in ascending order
        self.done.get(id as usize).cloned().flatten().unwrap_or_else(|| int(0))
    }

    /// Writes a sum whose atoms are already written. Terms with a common truth value `c` become one
    /// `where(c, sum of the rest, 0)`, so that `c` is tested only once. The nesting is at most as deep as the number of
    /// factors of a product.
    fn sum(&self, p: &Poly) -> Expr {
        match p.as_literal() {
            Some((atom, true)) => return self.atom(atom),
            Some((atom, false)) if self.terms.atom(atom).is_truth() => return self.atom(atom).not(),
            _ => {}
        }
        let truth_of = |mono: &[u32]| mono.iter().copied().find(|a| self.terms.atom(*a).is_truth());
        let mut gated: Vec<(u32, Poly)> = Vec::new();
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        let mut sum: Vec<(Expr, i64)> = Vec::new();
        for (mono, c) in &p.terms {
            let Some(truth) = truth_of(mono) else {
                let product = mono.iter().map(|a| self.atom(*a)).reduce(|a, b| a * b);
                sum.push((product.unwrap_or_else(|| int(1)), *c));
                continue;
            };
            let mut rest = mono.clone();
            rest.retain(|a| *a != truth);
            let at = *places.entry(truth).or_insert(gated.len());
            if at == gated.len() {
                gated.push((truth, Poly::default()));
            }
            // if two products differ, they also differ without the common factor. Their order does not matter here
            if rest.is_empty() {
                gated[at].1.constant = *c;
            } else {
                gated[at].1.terms.push((rest, *c));
            }
        }
        for (truth, inside) in gated {
            match inside.as_constant() {
                Some(c) => sum.push((self.atom(truth), c)),
                None => sum.push((select(self.atom(truth), self.sum(&inside), int(0)), 1)),
            }
        }
        sum.push((int(1), p.constant));
        written(sum)
    }
}
