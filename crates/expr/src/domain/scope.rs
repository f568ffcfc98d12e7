//! The scope of a variable: the expressions that use it.
//!
//! The range of a variable may be empty, for example if a loop has no iteration. Then values that use the variable are
//! never computed, but all other values are. A range therefore implies facts about other variables only in expressions
//! that use its variable. With `k` in `0..n - 1`, `n` is at least 1 in `t//n + k`, and nothing follows for an
//! expression without `k`.

use super::Bounds;
use super::resolve::mentioned;
use super::variables::{Domain, Presence, Variable};
use crate::expr::{Dag, Expr, Op, int};
use std::borrow::Cow;
use std::sync::Arc;

/// The variables with symbolic ends that have values when an expression is computed, as positions in the domain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scope(Vec<usize>);

impl Scope {
    /// The union of this scope and `other`.
    pub fn and(&self, other: &Scope) -> Scope {
        let mut both = [&self.0[..], &other.0].concat();
        both.sort_unstable();
        both.dedup();
        Scope(both)
    }

    /// The variables of this scope whose positions `keep` accepts.
    pub fn filtered(&self, keep: impl Fn(usize) -> bool) -> Scope {
        Scope(self.0.iter().copied().filter(|&p| keep(p)).collect())
    }

    /// Whether the variable at `position` is in scope.
    pub fn has(&self, position: usize) -> bool {
        self.0.binary_search(&position).is_ok()
    }

    /// The positions of the variables, in ascending order.
    pub fn positions(&self) -> &[usize] {
        &self.0
    }
}

impl Domain {
    /// Promises that the range of `name` is never empty, for any values of the variables in its ends. The range is then
    /// a fact for every expression, and not only for those that use the variable.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let domain: Domain = "n=0..100, x=0..n-1".parse()?;
    /// let e: Expr = "where(n > 0, 5, 7)".parse()?;
    /// let simplified = |domain: &Domain| Simplifier::default().simplify(&e, domain).map(|answer| answer.expr().to_string());
    /// assert_eq!(simplified(&domain)?, "where(n >= 1, 5, 7)");
    /// assert_eq!(simplified(&domain.nonempty("x"))?, "5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nonempty(mut self, name: impl Into<Arc<str>>) -> Domain {
        self.variable(name.into()).presence = Presence::Everywhere;
        self
    }

    /// The facts that hold when all of `exprs` are computed at one point. These facts are the ranges of the variables
    /// that `exprs` use, and of the variables in the ends of these ranges. The range of another variable is kept only
    /// if both its ends are numbers or it is [never empty](Domain::nonempty). An assumption is kept if the ranges of
    /// all its variables are kept.
    ///
    /// ```
    /// use quaff_expr::domain::Domain;
    ///
    /// let domain: Domain = "n=0..100, x=0..n-1".parse()?;
    /// let range_of_n = |text: &str| {
    ///     let facts = domain.seen_from(&[text.parse().unwrap()]).resolve()?;
    ///     Ok::<_, quaff_expr::domain::DomainError>(facts[0].interval.to_string())
    /// };
    /// assert_eq!(range_of_n("n + 2*x")?, "1..100");
    /// assert_eq!(range_of_n("n + 2")?, "0..100");
    /// # Ok::<(), quaff_expr::domain::DomainError>(())
    /// ```
    pub fn seen_from(&self, exprs: &[Expr]) -> Cow<'_, Domain> {
        if self.is_settled() {
            return Cow::Borrowed(self);
        }
        self.in_scope(&self.scope_of(exprs))
    }

    /// Whether the domain is settled: for every variable with a symbolic end, it is known in which expressions the
    /// variable has a value.
    pub fn is_settled(&self) -> bool {
        !self.variables.iter().any(Variable::is_unsettled)
    }

    /// The variables that are in scope when `exprs` are computed.
    pub fn scope_of(&self, exprs: &[Expr]) -> Scope {
        if self.is_settled() {
            return Scope::default();
        }
        let dag = Dag::new(exprs);
        self.scope_with(dag.nodes().iter().filter_map(|node| match &node.op {
            Op::Var(name) => self.position(name),
            _ => None,
        }))
    }

    /// The variables that are in scope wherever the variable `name` has a value.
    pub fn scope_of_variable(&self, name: &str) -> Scope {
        self.scope_with(self.position(name).into_iter())
    }

    /// The variables that are in scope wherever the variables at the positions `used` have values.
    fn scope_with(&self, used: impl Iterator<Item = usize>) -> Scope {
        let mut is_used = vec![false; self.len()];
        let mut open: Vec<usize> = used.collect();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut is_used[at], true) {
                // an undeclared name in an end is ignored here, because resolving the domain reports it
                open.extend(mentioned(self, &self.variables[at]).unwrap_or_default());
            }
        }
        // a variable that is equal to an expression has a value if all variables in the expression have values
        let is_present = |is_used: &[bool], p: usize| is_used[p] || !self.variables[p].is_unsettled();
        let mut is_new = true;
        while std::mem::take(&mut is_new) {
            for at in (0..self.len()).filter(|&at| self.variables[at].is_defined_by_value()) {
                let parts = mentioned(self, &self.variables[at]).unwrap_or_default();
                if !is_used[at] && parts.iter().all(|&p| is_present(&is_used, p)) {
                    (is_used[at], is_new) = (true, true);
                }
            }
        }
        Scope((0..self.len()).filter(|&at| is_used[at] && self.variables[at].is_unsettled()).collect())
    }

    /// The facts that hold for an expression with this scope: of the variables with symbolic ends, exactly those of
    /// `scope` have values.
    pub fn in_scope(&self, scope: &Scope) -> Cow<'_, Domain> {
        if self.is_settled() {
            return Cow::Borrowed(self);
        }
        let mut inside = self.clone();
        let is_kept = |condition: &Expr| {
            let used = self.scope_of(std::slice::from_ref(condition));
            used.0.iter().all(|&at| scope.has(at))
        };
        inside.assumptions.retain(is_kept);
        for (at, v) in inside.variables.iter_mut().enumerate().filter(|(_, v)| v.is_unsettled()) {
            v.presence = if scope.has(at) { Presence::InScope } else { Presence::Nowhere };
        }
        Cow::Owned(inside)
    }

    /// An expression that is at least 0 only if the range of the variable at `position` certainly has a value of its
    /// stride. `None` when an end is open, or there is no variable at `position`.
    pub fn room(&self, position: usize) -> Option<Expr> {
        let v = self.variables.get(position)?;
        let ends = |end: fn(&Bounds) -> Option<&Expr>| v.bounds.iter().filter_map(end).cloned();
        let lower = ends(Bounds::lower).reduce(|a, b| Expr::max(&a, b))?;
        let upper = ends(Bounds::upper).reduce(|a, b| Expr::min(&a, b))?;
        let modulus = v.strides.iter().try_fold(1i64, |all, (modulus, _)| all.checked_mul((*modulus).max(1)))?;
        Some(if modulus == 1 { upper - lower } else { upper - lower - int(modulus - 1) })
    }
}

impl Variable {
    /// Whether the variable is declared as equal to one expression, and by nothing else.
    fn is_defined_by_value(&self) -> bool {
        matches!(&self.bounds[..], [only] if only.value().is_some()) && self.strides.is_empty()
    }

    /// Whether the range may be empty, and it is not known in which expressions the variable has a value.
    fn is_unsettled(&self) -> bool {
        let is_symbolic = |e: Option<&Expr>| e.is_some_and(|e| e.as_const().is_none());
        self.presence == Presence::WhereUsed
            && self.bounds.iter().any(|b| is_symbolic(b.lower()) || is_symbolic(b.upper()))
    }
}
