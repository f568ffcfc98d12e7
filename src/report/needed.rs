//! Finds the rules that an answer needs. Without a needed rule, the answer would differ.

use crate::domain::Domain;
use crate::expr::{Dag, Expr};
use crate::report::recorder::record;
use crate::simplify::{Settings, Simplified, SimplifyError, simplify_all};

/// The largest number of fired rules for which rules are left out one by one.
const MAX_RULES: usize = 32;

/// The largest work for which rules are left out one by one. Each fired rule takes one more search, whose size is the
/// number of nodes of the input plus the number of e-nodes. The work is the number of rules times this size.
const MAX_SEARCHED: usize = 1 << 16;

/// Settings with only the rules that an answer needs.
pub(crate) struct NeededRules {
    pub(crate) settings: Settings,
    /// The number of fired rules, if it would take too long to leave each of them out. The settings then have all
    /// rules.
    pub(super) untried: Option<usize>,
}

/// `settings` with only the needed rules, without which the answer would differ. If finding the needed rules would take
/// too long, the settings have all rules.
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
    // matching a rule takes work even if it never fires. If that work ends a search early, removing the rule changes
    // the answer, so the rule is needed
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
