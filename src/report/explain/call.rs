//! The call that explains an answer.

use super::allowance::Allowance;
use super::explainer::Explainer;
use super::explanation::{Explanation, Shortened};
use super::sources::find_sources;
use crate::domain::Domain;
use crate::expr::Expr;
use crate::quasi::{Options, decide};
use crate::report::needed::{NeededRules, needed_rules};
use crate::simplify::{Settings, SimplifyError, derive, simplify};

/// The answer and its explanation. See [`Simplifier::explain`](crate::Simplifier::explain).
pub(crate) fn explain(
    settings: &Settings,
    expr: &Expr,
    domain: &Domain,
    options: &Options,
) -> Result<Explanation, SimplifyError> {
    let domain = &*domain.seen_from(std::slice::from_ref(expr));
    // the call trusts the rules, because each step is checked later and a wrong step is shown
    let plain = settings.clone().with_trace(false).trusting_rules();
    let answer = simplify(&plain, expr, domain)?;
    // only the needed rules are kept for the explanation
    let NeededRules { settings: few, untried } = needed_rules(plain, std::slice::from_ref(expr), domain, &answer)?;
    let few = few.with_trace(true);
    let mut allowance = Allowance::new(options);
    let mut whole = Explainer::new(&few, domain, &mut allowance)?;
    whole.explain_derivation(expr, &derive(&few, std::slice::from_ref(expr), domain)?)?;
    let mut steps = whole.steps;
    find_sources(expr, &mut steps);
    let Allowance { left_out, unchecked, .. } = allowance;
    let rules = untried.map(|fired| Shortened::AllRules { fired });
    let firings = (left_out > 0).then_some(Shortened::Steps { left_out });
    let checks = (unchecked > 0).then_some(Shortened::Checks { left_out: unchecked });
    let shortened = [rules, firings, checks].into_iter().flatten().collect();
    let check = decide(expr, answer.expr(), domain, options);
    Ok(Explanation { input: expr.clone(), check, answer, steps, shortened })
}
