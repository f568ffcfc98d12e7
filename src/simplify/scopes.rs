//! Expressions that are computed at the same points.

use super::answer::{Effort, Simplified};
use super::candidate::{Candidate, InputPrice, cheaper};
use super::error::SimplifyError;
use super::settings::Settings;
use crate::domain::{Domain, Scope};
use crate::expr::Expr;

impl Settings {
    /// Groups of expressions that may be simplified together: of each, the variables in scope in any of its expressions, and the
    /// positions of these expressions in `scopes`.
    ///
    /// Expressions of one group have the same variables in scope. A difference of a variable is allowed where two things hold. Its
    /// range is proved to have a value wherever the variables in its ends have values. No assumption mentions the variable.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub(crate) fn groups(&self, scopes: &[Scope], domain: &Domain) -> Result<Vec<(Scope, Vec<usize>)>, SimplifyError> {
        let all = scopes.iter().fold(Scope::default(), |all, scope| all.and(scope));
        let everywhere = |p: usize| scopes.iter().all(|scope| scope.has(p));
        let apart: Vec<usize> = all.positions().iter().copied().filter(|&p| !everywhere(p)).collect();
        let facts = if apart.is_empty() { Vec::new() } else { domain.resolve()? };
        let mut may_be_empty = Vec::new();
        for position in apart {
            let is_assumed =
                domain.assumptions().iter().any(|a| domain.scope_of(std::slice::from_ref(a)).has(position));
            if is_assumed || facts[position].may_be_empty && !self.has_value(position, domain)? {
                may_be_empty.push(position);
            }
        }
        let mut groups: Vec<(Scope, Scope, Vec<usize>)> = Vec::new();
        for (i, scope) in scopes.iter().enumerate() {
            let key = scope.filtered(|p| may_be_empty.contains(&p));
            match groups.iter_mut().find(|(known, ..)| *known == key) {
                Some((_, whole, members)) => {
                    *whole = whole.and(scope);
                    members.push(i);
                }
                None => groups.push((key, scope.clone(), vec![i])),
            }
        }
        Ok(groups.into_iter().map(|(_, scope, members)| (scope, members)).collect())
    }

    /// Whether the variable at `position` is proved to have a value wherever those in the ends of its range have values.
    pub(crate) fn has_value(&self, position: usize, domain: &Domain) -> Result<bool, SimplifyError> {
        let Some(room) = domain.room(position) else { return Ok(true) };
        let around = domain.in_scope(&domain.scope_of(std::slice::from_ref(&room)));
        Ok(self.facts(&around).bounds(&room)?.is_nonneg())
    }

    /// The answer to `exprs` where they are of several [groups](Self::groups), all in one call; none where they are of one.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub(super) fn simplify_apart(&self, exprs: &[Expr], domain: &Domain) -> Result<Option<Simplified>, SimplifyError> {
        let call = self.for_call(exprs);
        let scopes: Vec<Scope> = exprs.iter().map(|e| domain.scope_of(std::slice::from_ref(e))).collect();
        let groups = call.groups(&scopes, domain)?;
        if groups.len() < 2 {
            return Ok(None);
        }
        call.simplify_groups(exprs, &groups, domain).map(Some)
    }

    /// Expressions of several `groups`, each group by itself: what is known where one is computed may not hold for another.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    fn simplify_groups(
        &self,
        exprs: &[Expr],
        groups: &[(Scope, Vec<usize>)],
        domain: &Domain,
    ) -> Result<Simplified, SimplifyError> {
        let mut out = exprs.to_vec();
        let mut trace = Vec::new();
        let mut effort: Option<Effort> = None;
        for (scope, members) in groups {
            let own: Vec<Expr> = members.iter().map(|&i| exprs[i].clone()).collect();
            let answer = self.simplify_all(&own, &domain.in_scope(scope))?;
            members.iter().zip(answer.exprs()).for_each(|(&i, e)| out[i] = e.clone());
            effort = Some(effort.map_or(answer.effort, |before| before.then(answer.effort)));
            trace.extend(answer.trace);
        }
        // text computes all of them at one point, at which all their variables have values
        let vars = domain.in_scope(&domain.scope_of(exprs)).resolve().or_else(|_| domain.resolve())?;
        let input = Candidate::new(exprs.to_vec(), vars.into(), self.model.clone());
        let found = input.replaced_by(out);
        let price = input.price();
        Ok(Simplified {
            chosen: cheaper(input, found),
            input_price: InputPrice { declared: price, assumed: price },
            effort: effort.unwrap_or_else(Effort::none),
            trace,
            target: self.target,
            elapsed: std::time::Duration::ZERO,
        })
    }
}
