//! The rules at fault for a wrong answer.

use super::{Options as Instances, Status, check_rule};
use crate::domain::Domain;
use crate::expr::Expr;
use crate::quasi::{Options, Verdict, decide};
use crate::simplify::{Culprit, Settings, Simplified, simplify};
use std::sync::Arc;

/// Whether `before` and `after` have different values at `point`.
fn differ_at(before: &Expr, after: &Expr, point: &[(Arc<str>, i64)]) -> bool {
    let value_of = |name: &str| point.iter().find(|(n, _)| **n == *name).map(|(_, value)| *value);
    matches!((before.eval(value_of), after.eval(value_of)), (Ok(a), Ok(b)) if a != b)
}

/// The rules at fault for a wrong answer to `input`. See [`Simplifier::culprits`](crate::Simplifier::culprits).
pub(crate) fn culprits(
    settings: &Settings,
    input: &Expr,
    domain: &Domain,
    point: &[(Arc<str>, i64)],
    options: &Options,
) -> Vec<Culprit> {
    let Some(own) = &settings.own else { return Vec::new() };
    let trusting = settings.clone().trusting_rules();
    let traced = simplify(&trusting.clone().with_trace(true), input, domain);
    let steps = traced.as_ref().map_or(&[][..], Simplified::trace);
    let differs = |a: &Expr, b: &Expr, domain: &Domain| match decide(a, b, domain, options).verdict {
        verdict @ Verdict::Differs { .. } => Some(verdict.to_string()),
        Verdict::Undecided { .. } if differ_at(a, b, point) => Some("different at the point below".into()),
        _ => None,
    };
    // each rule is checked alone, because the trace of this search is unreliable: after a wrong merge, correct steps
    // are written with wrong operands
    let unsound = own.unsound.get_or_init(|| own.names.iter().filter_map(|name| unsound(settings, name)).collect());
    let sound = settings.rules().retain(|name| unsound.iter().all(|u| u.rule != name));
    let without = simplify(&trusting.with_rules(sound), input, domain);
    if !unsound.is_empty() && without.is_ok_and(|a| differs(input, a.expr(), domain).is_none()) {
        let fired = |c: &&Culprit| steps.iter().any(|s| s.rule == c.rule);
        let found: Vec<Culprit> = unsound.iter().filter(fired).cloned().collect();
        return if found.is_empty() { unsound.clone() } else { found };
    }
    // all steps before the first wrong step are correct, so the rule of that step is at fault
    let domain = domain.seen_from(std::slice::from_ref(input));
    let first = steps.iter().find_map(|s| {
        let here = s.conditions.iter().cloned().fold(domain.clone().into_owned(), Domain::assume);
        differs(&s.before, &s.after, &here).map(|shown| (s, shown))
    });
    let first = first.filter(|(s, _)| own.names.contains(&s.rule));
    let culprit =
        first.and_then(|(s, shown)| Some(Culprit::new(settings.rules().get(&s.rule)?, &s.before, &s.after, &shown)));
    culprit.map_or_else(|| unsound.clone(), |c| vec![c])
}

/// The rule `name` as a culprit, if one of its instances shows that it is wrong.
fn unsound(settings: &Settings, name: &str) -> Option<Culprit> {
    let rule = settings.rules().get(name)?;
    let report = check_rule(rule, &Instances::default());
    let example = report.counterexample.filter(|_| report.status == Status::Unsound)?;
    let shown = format!("different at {}", example.witness);
    Some(Culprit::new(rule, &example.before, &example.after, &shown))
}
