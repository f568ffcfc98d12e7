//! Which variables are in scope where an access happens.
//!
//! An access in a loop that may not run says nothing of the accesses outside of it. So what is known of the variables, a domain, is known
//! for each group of accesses that have the same variables with ranges that may be empty.

use super::{Access, Gate};
use crate::domain::{Domain, Scope};
use crate::expr::Expr;
use crate::simplify::{Settings, SimplifyError, groups};

/// The groups of accesses.
#[derive(Clone, Debug)]
pub(super) struct Scopes {
    /// What is in scope, of each group.
    scopes: Vec<Scope>,
    /// What is known, of each group.
    domains: Vec<Domain>,
    /// The group of each access.
    of: Vec<usize>,
}

impl Scopes {
    /// Those of `accesses`.
    ///
    /// # Errors
    /// Those of [`simplify`](crate::simplify::simplify).
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

    /// One group for any number of accesses, for which all of `domain` is known.
    pub(super) fn one(domain: &Domain) -> Scopes {
        Scopes { scopes: vec![Scope::default()], domains: vec![domain.clone()], of: Vec::new() }
    }

    /// The same for `domain`, which has more variables at its end, with accesses at the end of which these are the scopes.
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

    /// How many groups there are.
    pub(super) fn len(&self) -> usize {
        self.domains.len()
    }

    /// What is known in a group.
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

/// Gate and indices of an access; nothing of one that never happens.
fn exprs(access: &Access) -> Vec<Expr> {
    let all = access.gate.condition().into_iter().chain(&access.lanes);
    all.filter(|_| access.gate != Gate::Never).cloned().collect()
}
