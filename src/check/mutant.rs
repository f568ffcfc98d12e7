//! Makes mutants of a rule: copies that lack one of the rule's guards. A good check finds that a mutant is wrong.

use crate::rules::read::{Datum, read};
use crate::rules::{Rule, RuleSet};

/// A rule without one of its guards.
///
/// If the guard is needed, the mutant is wrong. Otherwise the guard only limits the rule to useful cases, and the
/// mutant is as correct as the rule.
#[derive(Clone, Debug)]
pub struct Mutant {
    guard: String,
    rule: Rule,
}

impl Mutant {
    /// The guard that was left out, as written.
    pub fn guard(&self) -> &str {
        &self.guard
    }

    /// The rule without the guard, under its old name.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }
}

/// All mutants of a rule, one for each guard.
///
/// ```
/// use quaff::check::mutants;
/// use quaff::rules::RuleSet;
///
/// let rule = RuleSet::shipped().get("nested-division").unwrap();
/// let guards: Vec<String> = mutants(rule).iter().map(|m| m.guard().to_string()).collect();
/// assert_eq!(guards, ["(> #m 1)", "(> #n 1)", "(nontrivial ?r)"]);
/// ```
pub fn mutants(rule: &Rule) -> Vec<Mutant> {
    let (data, _) = read(rule.text());
    let Some(clauses) = data.first().and_then(Datum::list) else { return Vec::new() };
    let mut out = Vec::new();
    for (i, clause) in clauses.iter().enumerate() {
        let Some([when, guards @ ..]) = clause.list() else { continue };
        if when.word() != Some("when") {
            continue;
        }
        for (j, guard) in guards.iter().enumerate() {
            let mut mutated = clauses.to_vec();
            let mut rest = vec![when.clone()];
            rest.extend(guards.iter().enumerate().filter(|(k, _)| *k != j).map(|(_, g)| g.clone()));
            match rest.len() {
                1 => drop(mutated.remove(i)),
                _ => mutated[i] = Datum::List(clause.position(), rest),
            }
            let text = Datum::List(rule.position(), mutated).to_string();
            // a rule that compiles with the guard also compiles without it, because guards bind no names
            let Ok(set) = RuleSet::parse(rule.file(), &text) else { continue };
            out.extend(set.rules().iter().map(|r| Mutant { guard: guard.to_string(), rule: r.clone() }));
        }
    }
    out
}
