//! The variables that are in scope when an access happens.
//!
//! An access in a loop that may not run implies nothing about the accesses outside of the loop. So the accesses are
//! divided into groups. A variable of such a loop has an empty range when the loop does not run. The accesses of one
//! group depend on the same variables whose ranges may be empty. Each group has its own domain.

use super::{Access, Gate};
use crate::domain::{Domain, Scope};
use crate::expr::Expr;
use crate::simplify::{Settings, SimplifyError, groups};

/// The groups of accesses.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    /// The scope of each group: the variables that have values there.
    scopes: Vec<Scope>,
    /// The facts of each group.
    domains: Vec<Domain>,
    /// The group of each access.
    of: Vec<usize>,
}

impl Scopes {
    /// The groups of `accesses`.
    ///
    /// # Errors
    /// [`SimplifyError`], for the same reasons as in [`simplify`](crate::simplify::simplify).
    pub(super) fn new(settings: &Settings, accesses: &[Access], domain: &Domain) -> Result<Scopes, SimplifyError> {
        let scopes: Vec<Scope> = accesses.iter().map(|a| domain.scope_of(&exprs(a))).collect();
        let groups = groups(settings, &scopes, domain)?;
        if groups.is_empty() {
            return Ok(Scopes::one(domain));
        }
        let mut out = Scopes { scopes: Vec::new(), domains: Vec::new(), of: vec![0; accesses.len()] };
        for (scope, members) in groups {
            members.iter().for_each(|&i| out.of[i] = out.scopes.len());
            out.domains.push(domain.in_scope(&scope).into_owned());
            out.scopes.push(scope);
        }
        Ok(out)
    }

    /// A single group for any number of accesses, in which all facts of `domain` hold.
    pub(super) fn one(domain: &Domain) -> Scopes {
        Scopes { scopes: vec![Scope::default()], domains: vec![domain.clone()], of: Vec::new() }
    }

    /// The groups for `domain`, which has additional variables at its end. `more` has the scopes of additional accesses
    /// at the end.
    pub(super) fn extended(&self, more: impl IntoIterator<Item = Scope>, domain: &Domain) -> Scopes {
        let mut out = self.clone();
        out.domains = out.scopes.iter().map(|scope| domain.in_scope(scope).into_owned()).collect();
        for scope in more {
            let known = out.scopes.iter().position(|s| *s == scope).unwrap_or(out.scopes.len());
            if known == out.scopes.len() {
                out.domains.push(domain.in_scope(&scope).into_owned());
                out.scopes.push(scope);
            }
            out.of.push(known);
        }
        out
    }

    /// The number of groups.
    pub(super) fn len(&self) -> usize {
        self.domains.len()
    }

    /// The facts of a group.
    pub(super) fn domain(&self, group: usize) -> &Domain {
        &self.domains[group]
    }

    /// The group of access `i`.
    pub(super) fn of(&self, i: usize) -> usize {
        self.of.get(i).copied().unwrap_or(0)
    }

    /// The accesses of a group.
    pub(super) fn members(&self, group: usize) -> Vec<usize> {
        (0..self.of.len()).filter(|&i| self.of[i] == group).collect()
    }
}

/// The gate and the indices of an access. An access that never happens has none.
fn exprs(access: &Access) -> Vec<Expr> {
    let all = access.gate.condition().into_iter().chain(&access.lanes);
    all.filter(|_| access.gate != Gate::Never).cloned().collect()
}
