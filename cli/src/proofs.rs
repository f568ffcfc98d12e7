//! The file `proofs.json`: the results of checking the rules of a folder, so that no check is repeated.

use quaff::check::{RuleReport, Status, fingerprint};
use quaff::rules::{Rule, RuleSet};
use quaff_lab::proof::{Law, Proof, laws};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the file in a folder of rules.
pub(crate) const FILE: &str = "proofs.json";

/// The results for all rules of a folder, by name.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Record {
    /// The results for the laws of the engine's normal forms. Only the record of the built-in rules has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    normal_forms: Option<BTreeMap<String, Proved>>,
    rules: BTreeMap<String, Entry>,
}

/// The result for the law behind a normal form.
#[derive(Clone, Serialize, Deserialize)]
struct Proved {
    law: String,
    proof: Recorded,
}

/// The result of checking one rule.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The text of the rule, as [`fingerprint`] writes it.
    text: String,
    status: String,
    /// The number of instances on which the rule fired.
    instances: usize,
    /// The number of comparisons that were decided for all points, and the number of comparisons at some points only.
    decided: usize,
    sampled: usize,
    proof: Recorded,
    /// For each guard, the result of checking the rule without the guard.
    guards: BTreeMap<String, Recorded>,
}

/// The result for a rule, or for a rule without a guard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub(crate) enum Recorded {
    /// Proved for all integers.
    Proved { solver: String },
    /// Proved for this number of choices of its constants, and for all values of its unknowns.
    ProvedFor { choices: usize, solver: String },
    /// Tried on instances, without a solver.
    Unasked,
    /// Neither proved nor refuted.
    Open { why: String },
    /// Refuted by a counterexample.
    Wrong,
}

impl From<Proof> for Recorded {
    fn from(proof: Proof) -> Recorded {
        match proof {
            Proof::AllIntegers { solver } => Recorded::Proved { solver },
            Proof::Constants { solver, choices } => Recorded::ProvedFor { choices, solver },
            Proof::None { why } => Recorded::Open { why },
            _ => Recorded::Open { why: "of a kind that is not recorded".into() },
        }
    }
}

impl std::fmt::Display for Recorded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Recorded::Proved { solver } => write!(f, "proved for all integers by {solver}"),
            Recorded::ProvedFor { choices, solver } => {
                write!(f, "proved for {choices} choices of constants by {solver}")
            }
            Recorded::Unasked => f.write_str("not proved, tried on instances only: no solver was asked"),
            Recorded::Open { why } => write!(f, "not proved, tried on instances only: {why}"),
            Recorded::Wrong => f.write_str("wrong"),
        }
    }
}

impl Entry {
    pub(crate) fn new(rule: &Rule, report: &RuleReport, proof: Recorded, guards: BTreeMap<String, Recorded>) -> Entry {
        Entry {
            text: fingerprint(rule),
            status: Entry::status(report, &proof).into(),
            instances: report.fired,
            decided: report.decided,
            sampled: report.sampled,
            proof,
            guards,
        }
    }

    /// The status of a rule. Only a proved rule is called sound.
    pub(crate) fn status(report: &RuleReport, proof: &Recorded) -> &'static str {
        match (report.status, proof) {
            (Status::NotRefuted, Recorded::Proved { .. }) => "sound",
            (status, _) => status.as_str(),
        }
    }

    /// Whether the rule or one of its guards was recorded without a solver, so that a solver may prove more.
    pub(crate) fn is_unasked(&self) -> bool {
        self.proof == Recorded::Unasked || self.guards.values().any(|g| *g == Recorded::Unasked)
    }

    pub(crate) fn proof(&self) -> &Recorded {
        &self.proof
    }
}

impl Record {
    pub(crate) fn read(text: &str) -> serde_json::Result<Record> {
        serde_json::from_str(text)
    }

    pub(crate) fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The entry of a rule, if the text of the rule is unchanged.
    pub(crate) fn of(&self, rule: &Rule) -> Option<&Entry> {
        self.rules.get(rule.name()).filter(|e| e.text == fingerprint(rule))
    }

    /// Whether a rule with this [`fingerprint`] was checked, under any name.
    pub(crate) fn knows(&self, fingerprint: &str) -> bool {
        self.rules.values().any(|e| e.text == fingerprint)
    }

    pub(crate) fn insert(&mut self, name: &str, entry: Entry) {
        self.rules.insert(name.into(), entry);
    }

    /// Whether this is the record of the built-in rules, which also has the laws of normal forms.
    pub(crate) fn has_normal_forms(&self) -> bool {
        self.normal_forms.is_some()
    }

    /// The result for a law, if the law is unchanged.
    pub(crate) fn of_law(&self, law: &Law) -> Option<&Recorded> {
        let known = self.normal_forms.as_ref()?.get(law.name())?;
        (known.law == law.to_string()).then_some(&known.proof)
    }

    pub(crate) fn insert_law(&mut self, law: &Law, proof: Recorded) {
        if let Some(forms) = &mut self.normal_forms {
            forms.insert(law.name().into(), Proved { law: law.to_string(), proof });
        }
    }

    /// Removes the entries of rules and normal forms that no longer exist.
    pub(crate) fn keep(&mut self, rules: &RuleSet) {
        self.rules.retain(|name, _| rules.get(name).is_some());
        if let Some(forms) = &mut self.normal_forms {
            forms.retain(|name, _| laws().iter().any(|l| l.name() == name));
        }
    }

    /// A message about each entry that does not match the present rules.
    pub(crate) fn complaints(&self, rules: &RuleSet) -> Vec<String> {
        let advice = "run `quaff rules check DIR --record`";
        let mut out = Vec::new();
        for rule in rules.rules() {
            let name = rule.name();
            match (self.rules.get(name), self.of(rule)) {
                (_, Some(_)) => {}
                (None, _) => out.push(format!("rule {name} has not been checked: {advice}")),
                (Some(_), None) => out.push(format!("rule {name} changed since it was checked: {advice}")),
            }
        }
        for law in laws().iter().filter(|l| self.has_normal_forms() && self.of_law(l).is_none()) {
            out.push(format!("normal form {} has not been proved as it is: {advice}", law.name()));
        }
        for name in self.rules.keys().filter(|n| rules.get(n).is_none()) {
            out.push(format!("rule {name} is recorded and is no more: {advice}"));
        }
        out
    }
}
