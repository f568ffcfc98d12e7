//! Divides expressions into groups that are computed at the same points. The facts about the variables of one group may
//! not hold for another group.

use super::error::SimplifyError;
use super::facts::Facts;
use super::settings::Settings;
use crate::domain::{Domain, Scope};

/// Groups of expressions that may be simplified together. Each group has the variables in scope in any of its
/// expressions, and the positions of these expressions in `scopes`.
///
/// Expressions of one group have the same variables in scope, with one exception. Only some of them may have a variable
/// in scope if two conditions hold. First, the range of the variable is proved to have a value whenever the variables in
/// the ends of the range have values. Second, no assumption mentions the variable.
///
/// # Errors
/// The errors of [`simplify`](super::call::simplify).
pub(crate) fn groups(
    settings: &Settings,
    scopes: &[Scope],
    domain: &Domain,
) -> Result<Vec<(Scope, Vec<usize>)>, SimplifyError> {
    let all = scopes.iter().fold(Scope::default(), |all, scope| all.and(scope));
    let everywhere = |p: usize| scopes.iter().all(|scope| scope.has(p));
    let apart: Vec<usize> = all.positions().iter().copied().filter(|&p| !everywhere(p)).collect();
    let facts = if apart.is_empty() { Vec::new() } else { domain.resolve()? };
    let mut may_be_empty = Vec::new();
    for position in apart {
        let is_assumed = domain.assumptions().iter().any(|a| domain.scope_of(std::slice::from_ref(a)).has(position));
        if is_assumed || facts[position].may_be_empty && !has_value(settings, position, domain)? {
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

/// Whether the variable at `position` is proved to have a value whenever the variables in the ends of its range have
/// values.
pub(crate) fn has_value(settings: &Settings, position: usize, domain: &Domain) -> Result<bool, SimplifyError> {
    let Some(room) = domain.room(position) else { return Ok(true) };
    let around = domain.in_scope(&domain.scope_of(std::slice::from_ref(&room)));
    Ok(Facts::new(settings, &around).bounds(&room)?.is_nonneg())
}
