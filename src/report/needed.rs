//! The rules without which an answer would be another one.

use crate::domain::Domain;
use crate::expr::{Dag, Expr};
use crate::report::recorder::record;
use crate::simplify::{Settings, Simplified, SimplifyError, simplify_all};

/// Rules are left out one by one, to find those that matter, when at most so many fired.
const MAX_RULES: usize = 32;

/// Nodes, of the input and e-nodes of its searches, times the rules that fired, up to which rules are left out one by
/// one: each takes a search of its own.
const MAX_SEARCHED: usize = 1 << 16;

/// Settings with the rules that an answer needs.
pub(crate) struct NeededRules {
    pub(crate) settings: Settings,
    /// How many rules fired, where it would take too long to try without each of them: the settings have all rules then.
    pub(super) untried: Option<usize>,
}

/// `settings` with those rules only without which the answer would be another one; or with all, where to find them takes long.
pub(crate) fn needed_rules(
    settings: Settings,
    exprs: &[Expr],
    domain: &Domain,
    answer: &Simplified,
) -> Result<NeededRules, SimplifyError> {
    let fired = record(&settings, exprs, domain)?.1.first_fired();
    let names: Vec<String> = fired.into_iter().map(|r| settings.rules().rules()[r].name().into()).collect();
    let nodes = Dag::new(exprs).nodes().len().saturating_add(answer.nodes());
    if names.len() > MAX_RULES || names.len().saturating_mul(nodes) > MAX_SEARCHED {
        return Ok(NeededRules { settings, untried: Some(names.len()) });
    }
    let mut kept = settings;
    let all = kept.rules().retain(|r| names.iter().any(|n| n == r));
    // where rules that never fire end a search early, they are needed
    let without_idle = kept.clone().with_rules(all);
    if simplify_all(&without_idle, exprs, domain)?.exprs() == answer.exprs() {
        kept = without_idle;
    }
    for name in &names {
        let fewer = kept.clone().with_rules(kept.rules().retain(|r| r != name));
        if simplify_all(&fewer, exprs, domain)?.exprs() == answer.exprs() {
            kept = fewer;
        }
    }
    Ok(NeededRules { settings: kept, untried: None })
}
