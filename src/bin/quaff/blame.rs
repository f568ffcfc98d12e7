//! Whose fault a wrong answer is: that of a rule which the user gave, or of this program.

use crate::answer;
use crate::report::{Failure, shortened};
use quaff::check::{Options as Instances, Status, check_rule, fingerprint};
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::quasi::{Options, Verdict, decide};
use quaff::rules::{Rule, RuleSet};
use quaff::{Simplified, Simplifier};
use std::sync::OnceLock;

/// The rules in use, and which of them are not built in.
pub(crate) struct Suspects {
    rules: RuleSet,
    /// Names of the rules of the user; found when first asked for.
    own: OnceLock<Vec<String>>,
    /// Those of them that are wrong on instances of their own; found when first asked for.
    unsound: OnceLock<Vec<String>>,
}

/// An answer that is wrong.
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

    /// Reports that `answer` to `input` is wrong, which `verdict` shows.
    pub(crate) fn report(
        &self,
        simplifier: &Simplifier,
        (input, domain): (&Expr, &Domain),
        answer: &Simplified,
        verdict: &Verdict,
        options: &Options,
    ) -> Wrong {
        let (rules, why) = self.culprits(simplifier, (input, domain), options);
        let wrong = shortened(&answer.expr().to_string());
        let first = match rules.is_empty() {
            true => format!("internal error, please report it with the input: the answer `{wrong}` is {verdict}"),
            false => format!("{why}\nit led to the answer `{wrong}`, which is {verdict}"),
        };
        let traced = simplifier.clone().with_trace(true).simplify(input, domain);
        let trace = answer::trace(traced.as_ref().unwrap_or(answer));
        let report =
            format!("quaff: {first}\nthe input is returned in its place; these rules led to the answer:\n{trace}");
        Wrong { report, rules }
    }

    /// The user's rules that are to blame for a wrong answer to `input`, and how that shows.
    pub(crate) fn culprits(
        &self,
        simplifier: &Simplifier,
        (input, domain): (&Expr, &Domain),
        options: &Options,
    ) -> (Vec<String>, String) {
        // a wrong rule may make others wrong after it, so only what it did itself is held against a rule
        let traced = simplifier.clone().with_trace(true).simplify(input, domain);
        let steps = traced.as_ref().map_or(&[][..], Simplified::trace);
        for step in steps.iter().filter(|s| self.own().contains(&s.rule)) {
            let here = step.conditions.iter().cloned().fold(domain.clone(), Domain::assume);
            let verdict = decide(&step.before, &step.after, &here, options).verdict;
            if let Verdict::Differs { .. } = verdict {
                let [before, after] = [&step.before, &step.after].map(|e| shortened(&e.to_string()));
                let why = format!("{} is wrong: it takes `{before}` for `{after}`, {verdict}", self.named(&step.rule));
                return (vec![step.rule.clone()], why);
            }
        }
        let unsound = self.unsound();
        let without = self.rules.retain(|name| !unsound.iter().any(|u| u == name));
        let without = simplifier.clone().with_rules(without).simplify(input, domain);
        let still =
            |a: &Simplified| matches!(decide(input, a.expr(), domain, options).verdict, Verdict::Differs { .. });
        if unsound.is_empty() || without.is_ok_and(|a| still(&a)) {
            return (Vec::new(), String::new());
        }
        let named: Vec<String> = unsound.iter().map(|name| self.named(name)).collect();
        (unsound.to_vec(), format!("{} is wrong: `quaff rules check` shows where", named.join(", ")))
    }

    fn named(&self, rule: &str) -> String {
        match self.rules.get(rule) {
            Some(r) => format!("the rule `{rule}` of {}:{}", r.file(), r.place()),
            None => format!("the rule `{rule}`"),
        }
    }

    fn unsound(&self) -> &[String] {
        self.unsound.get_or_init(|| {
            let wrong = |name: &&String| {
                let rule = self.rules.get(name);
                rule.is_some_and(|r| check_rule(r, &Instances::default()).status == Status::Unsound)
            };
            self.own().iter().filter(wrong).cloned().collect()
        })
    }
}
