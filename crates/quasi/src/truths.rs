//! Normal forms of comparisons and of truth values.

use super::poly::Poly;
use super::terms::{Atom, Terms};
use quaff_expr::integer::{floor_div, floor_mod, gcd};

impl Terms {
    /// The truth value `[p >= 0]`.
    pub(super) fn non_negative(&mut self, p: &Poly) -> Option<Poly> {
        self.spend(&[p])?;
        let range = self.range(p);
        if p.terms.is_empty() || range.lo().is_some_and(|lo| lo >= 0) || range.hi().is_some_and(|hi| hi < 0) {
            return Some(Poly::constant(i64::from(if p.terms.is_empty() {
                p.constant >= 0
            } else {
                range.is_nonneg()
            })));
        }
        let g = p.terms.iter().fold(0, |g, (_, c)| gcd(g, (*c).into()));
        let less = |c: i64| floor_div(c.into(), g) as i64;
        let p = p.map(less(p.constant), less);
        if p.terms[0].1 < 0 {
            // `p >= 0` is the negation of `-p - 1 >= 0`
            return self.non_negative(&p.scaled(-1)?.plus_constant(-1)?)?.opposite();
        }
        if let Some(atom) = self.single_truth(&p) {
            return Some(match p.constant {
                0.. => Poly::constant(1),
                -1 => atom,
                _ => Poly::constant(0),
            });
        }
        self.intern(Atom::NonNegative(p))
    }

    /// The truth value `[p == 0]`.
    pub(super) fn zero(&mut self, p: &Poly) -> Option<Poly> {
        self.spend(&[p])?;
        let g = p.terms.iter().fold(0, |g, (_, c)| gcd(g, (*c).into()));
        if p.terms.is_empty() || floor_mod(p.constant.into(), g) != 0 || !self.range(p).contains(0) {
            return Some(Poly::constant(i64::from(p.is_zero())));
        }
        let p = if p.terms[0].1 < 0 { p.scaled(-1)? } else { p.clone() };
        let less = |c: i64| floor_div(c.into(), g) as i64;
        let p = p.map(less(p.constant), less);
        if let Some(atom) = self.single_truth(&p) {
            return match p.constant {
                0 => atom.opposite(),
                -1 => Some(atom),
                _ => Some(Poly::constant(0)),
            };
        }
        self.intern(Atom::Zero(p))
    }

    /// The truth value `t`, if `p` is `t` plus a constant.
    fn single_truth(&self, p: &Poly) -> Option<Poly> {
        match &p.terms[..] {
            [(mono, 1)] if mono.iter().all(|a| self.atom(*a).is_truth()) => {
                Some(Poly { terms: p.terms.clone(), constant: 0 })
            }
            _ => None,
        }
    }

    /// The truth value `[p != 0]`: a constant, an atom, or 1 minus an atom.
    pub(super) fn truth(&mut self, p: &Poly) -> Option<Poly> {
        if let [(mono, c @ (1 | -1))] = &p.terms[..]
            && mono.len() > 1
            && p.constant == i64::from(*c < 0)
            && mono.iter().all(|a| self.atom(*a).is_truth())
        {
            // a product of truth values is their conjunction, and 1 minus the product is the negation of the
            // conjunction
            let all = self.all(&mono.iter().map(|a| Poly::atom(*a)).collect::<Vec<_>>())?;
            return if *c == 1 { Some(all) } else { all.opposite() };
        }
        match (p.as_constant(), p.as_literal()) {
            (Some(c), _) => Some(Poly::constant(i64::from(c != 0))),
            (_, Some((atom, _))) if self.atom(atom).is_truth() => Some(p.clone()),
            _ => self.zero(p)?.opposite(),
        }
    }

    /// The truth values whose conjunction is `p`.
    pub(super) fn conjuncts<'p>(&'p self, p: &'p Poly) -> &'p [Poly] {
        match p.as_literal().filter(|(_, positive)| *positive).map(|(atom, _)| self.atom(atom)) {
            Some(Atom::All(all)) => all,
            _ => std::slice::from_ref(p),
        }
    }

    /// The conjunction of truth values.
    pub(super) fn all(&mut self, operands: &[Poly]) -> Option<Poly> {
        let mut parts: Vec<Poly> = Vec::new();
        for operand in operands {
            // this recursion is one step deep: the atoms of a product of truth values are truth values themselves
            let truth = self.truth(operand)?;
            let conjuncts = self.conjuncts(&truth);
            self.budget().spend(conjuncts.len())?;
            parts.extend(conjuncts.iter().cloned());
        }
        parts.sort_unstable();
        parts.dedup();
        parts.retain(|p| p.as_constant() != Some(1));
        for p in &parts {
            if p.is_zero() || parts.binary_search(&p.opposite()?).is_ok() {
                return Some(Poly::constant(0));
            }
        }
        match &parts[..] {
            [] => Some(Poly::constant(1)),
            [one] => Some(one.clone()),
            _ => self.intern(Atom::All(parts)),
        }
    }
}
