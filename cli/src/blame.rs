//! Whose fault a wrong answer is: that of a rule which the user gave, or of this program.

use crate::answer;
use crate::report::{Failure, shortened};
use quaff::check::{Options as Instances, Status, check_rule, fingerprint};
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::lower::Mismatch;
use quaff::quasi::{Options, Verdict, decide};
use quaff::rules::{Rule, RuleSet};
use quaff::{Simplified, Simplifier};
use std::sync::{Arc, OnceLock};

/// The rules in use, and which of them are not built in.
pub(crate) struct Suspects {
    rules: RuleSet,
    /// Names of the rules of the user; found when first asked for.
    own: OnceLock<Vec<String>>,
    /// Those of them that are wrong on instances of their own, each with how that shows; found when first asked for.
    unsound: OnceLock<Vec<(String, String)>>,
}

/// How it shows that an answer or its text is wrong.
pub(crate) enum Evidence<'a> {
    /// The answer has another value than the input.
    Answer(&'a Verdict),
    /// The text of the answer computes another value than the input.
    Text(&'a Mismatch),
}

/// Variables and their values.
pub(crate) type Point<'a> = &'a [(Arc<str>, i64)];

/// Whether the two have different values at `point`.
fn differ_at(before: &Expr, after: &Expr, point: Point<'_>) -> bool {
    let value_of = |name: &str| point.iter().find(|(n, _)| **n == *name).map(|(_, value)| *value);
    matches!((before.eval(value_of), after.eval(value_of)), (Ok(a), Ok(b)) if a != b)
}

impl Evidence<'_> {
    /// The point at which it shows.
    pub(crate) fn point(&self) -> Point<'_> {
        match self {
            Evidence::Text(mismatch) => &mismatch.values,
            Evidence::Answer(Verdict::Differs { witness }) => witness.values(),
            Evidence::Answer(_) => &[],
        }
    }

    /// What is wrong, and at which point.
    fn told(&self, answer: &str) -> String {
        match self {
            Evidence::Answer(verdict) => format!("the answer `{answer}`, which is {verdict}"),
            Evidence::Text(mismatch) => format!("the text of the answer `{answer}`, which is different at {mismatch}"),
        }
    }

    /// What is done about it.
    fn consequence(&self) -> &'static str {
        match self {
            Evidence::Answer(_) => "the input is returned in its place",
            Evidence::Text(_) => "it is withheld",
        }
    }
}

/// An answer or a text that is wrong.
pub(crate) struct Wrong {
    /// What there is to say of it, for people.
    pub(crate) report: String,
    /// The user's rules that are to blame; empty when this program is.
    pub(crate) rules: Vec<String>,
}

impl Wrong {
    /// What the command ends with.
    pub(crate) fn failure(&self) -> Failure {
        if self.rules.is_empty() { Failure::Wrong } else { Failure::WrongRule }
    }
}

impl Suspects {
    pub(crate) fn new(rules: &RuleSet) -> Suspects {
        Suspects { rules: rules.clone(), own: OnceLock::new(), unsound: OnceLock::new() }
    }

    fn own(&self) -> &[String] {
        let built_in = |r: &Rule| RuleSet::shipped().get(r.name()).is_some_and(|s| fingerprint(s) == fingerprint(r));
        let own = || self.rules.rules().iter().filter(|r| !built_in(r)).map(|r| r.name().to_string()).collect();
        self.own.get_or_init(own)
    }

    /// Reports that `answer` to `input`, or its text, is wrong, which `evidence` shows.
    pub(crate) fn report(
        &self,
        simplifier: &Simplifier,
        (input, domain): (&Expr, &Domain),
        answer: &Simplified,
        evidence: &Evidence<'_>,
        options: &Options,
    ) -> Wrong {
        let (rules, why) = self.culprits(simplifier, (input, domain), options, evidence.point());
        let wrong = evidence.told(&shortened(&answer.expr().to_string()));
        let first = match rules.is_empty() {
            true => format!("internal error, please report it with the input: it led to {wrong}"),
            false => format!("{why}\nit led to {wrong}; `quaff rules check DIR` tries the rules of a folder"),
        };
        let traced = simplifier.clone().with_trace(true).simplify(input, domain);
        let trace = answer::trace(traced.as_ref().unwrap_or(answer));
        let report = format!("quaff: {first}\n{}; these rules led to the answer:\n{trace}", evidence.consequence());
        Wrong { report, rules }
    }

    /// The user's rules that are to blame for a wrong answer to `input`, and how that shows. `point` is one at which the
    /// answer is wrong, or empty; it tells where the exact procedure does not decide.
    pub(crate) fn culprits(
        &self,
        simplifier: &Simplifier,
        (input, domain): (&Expr, &Domain),
        options: &Options,
        point: Point<'_>,
    ) -> (Vec<String>, String) {
        if self.own().is_empty() {
            return (Vec::new(), String::new());
        }
        let traced = simplifier.clone().with_trace(true).simplify(input, domain);
        let steps = traced.as_ref().map_or(&[][..], Simplified::trace);
        let differs = |a: &Expr, b: &Expr, domain: &Domain| match decide(a, b, domain, options).verdict {
            verdict @ Verdict::Differs { .. } => Some(verdict.to_string()),
            Verdict::Undecided { .. } if differ_at(a, b, point) => Some("different at the point below".into()),
            _ => None,
        };
        // rules are tried on their own: the steps of a search that went wrong show its parts in forms that are wrong too
        let unsound = self.unsound();
        let without = self.rules.retain(|name| unsound.iter().all(|(u, _)| u != name));
        let without = simplifier.clone().with_rules(without).simplify(input, domain);
        let mut found = Vec::new();
        if !unsound.is_empty() && without.is_ok_and(|a| differs(input, a.expr(), domain).is_none()) {
            let fired = |name: &String| steps.iter().any(|s| s.rule == *name);
            found = unsound.iter().filter(|(name, _)| fired(name)).cloned().collect();
            if found.is_empty() {
                found = unsound.to_vec();
            }
        } else {
            // up to the first step that is wrong, nothing was
            let first = steps.iter().find_map(|s| {
                let here = s.conditions.iter().cloned().fold(domain.clone(), Domain::assume);
                differs(&s.before, &s.after, &here).map(|shown| (s, shown))
            });
            if let Some((s, shown)) = first.filter(|(s, _)| self.own().contains(&s.rule)) {
                found.push((s.rule.clone(), self.wrong(&s.rule, &s.before, &s.after, &shown)));
            }
        }
        let (rules, whys): (Vec<String>, Vec<String>) = found.into_iter().unzip();
        (rules, whys.join("\n"))
    }

    /// That `rule` takes `before` for `after`.
    fn wrong(&self, rule: &str, before: &Expr, after: &Expr, shown: &str) -> String {
        let place = self.rules.get(rule).map_or(String::new(), |r| format!(" of {}:{}", r.file(), r.position()));
        let [before, after] = [before, after].map(|e| shortened(&e.to_string()));
        format!("the rule `{rule}`{place} is wrong: it takes `{before}` for `{after}`, {shown}")
    }

    fn unsound(&self) -> &[(String, String)] {
        let wrong = |name: &String| {
            let report = check_rule(self.rules.get(name)?, &Instances::default());
            let example = report.counterexample.filter(|_| report.status == Status::Unsound)?;
            let shown = format!("different at {}", example.witness);
            Some((name.clone(), self.wrong(name, &example.before, &example.after, &shown)))
        };
        self.unsound.get_or_init(|| self.own().iter().filter_map(wrong).collect())
    }
}
