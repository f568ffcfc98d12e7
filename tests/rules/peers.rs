//! Tests the cases of other systems in `tests/data/peers/rules.toml`: quaff also simplifies them. The table in
//! `docs/peers.md` is made from these cases.

use crate::golden;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::quasi::{Options, Verdict, decide};
use quaff::rules::RuleSet;
use quaff::{Simplified, Simplifier};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    group: String,
    of: String,
    rule: String,
    input: Option<String>,
    #[serde(default)]
    vars: String,
    theirs: Option<String>,
    ours: Vec<String>,
    why: Option<String>,
}

/// The parsed example of a case.
struct Example {
    input: Expr,
    theirs: Expr,
    domain: Domain,
}

const NONE: &str = "none";
const FACTS: &str = "facts";
const NORMAL_FORM: &str = "normal form";
const SYSTEMS: [&str; 4] = ["tinygrad", "morok", "Halide", "TVM"];

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/peers/rules.toml")
}

fn load() -> (String, Vec<Case>) {
    let text = std::fs::read_to_string(path()).expect("the cases can be read").replace("\r\n", "\n");
    let cases: Cases = toml::from_str(&text).unwrap_or_else(|e| panic!("{e}"));
    (text, cases.case)
}

impl Case {
    fn example(&self) -> Option<Example> {
        let parsed = |text: &str| text.parse::<Expr>().unwrap_or_else(|e| panic!("{text}: {e}"));
        let (input, theirs) = (parsed(self.input.as_deref()?), parsed(self.theirs.as_deref()?));
        Some(Example { input, theirs, domain: self.domain(false) })
    }

    /// The domain of the case. With `open`, every range is open.
    fn domain(&self, open: bool) -> Domain {
        let mut domain = Domain::new();
        for v in self.vars.split(';').map(str::trim) {
            let (name, _) = v.split_once('=').unwrap_or_else(|| panic!("{v}: NAME=RANGE"));
            let declared = if open { format!("{name}=..") } else { v.to_string() };
            domain.declare(&declared).unwrap_or_else(|e| panic!("{v}: {e}"));
        }
        domain
    }

    fn is_missing(&self) -> bool {
        self.ours.iter().any(|o| o == NONE)
    }
}

impl Example {
    /// The price of the result of the other system's rule.
    fn their_cost(&self) -> Cost {
        let bare = Simplifier::default().with_rules(RuleSet::empty());
        bare.simplify(&self.theirs, &self.domain).expect("what is equal to an expression has no error").input_cost()
    }

    fn answer(&self, rules: RuleSet) -> Simplified {
        let simplifier = Simplifier::default().with_rules(rules).with_trace(true);
        simplifier.simplify(&self.input, &self.domain).unwrap_or_else(|e| panic!("{}: {e}", self.input))
    }

    fn ours(&self) -> Simplified {
        self.answer(RuleSet::shipped().clone())
    }

    /// The rules and steps with which quaff reaches the cost of the other system. A rule is left out if the cost is
    /// also reached without it.
    fn reason(&self, case: &Case) -> Vec<String> {
        let most = self.their_cost();
        let shipped = RuleSet::shipped();
        let full = self.ours();
        if full.cost() > most {
            return vec![NONE.into()];
        }
        let fired: Vec<String> = full.trace().iter().map(|s| s.rule.clone()).collect();
        let mut kept = shipped.retain(|r| fired.iter().any(|f| f == r));
        if self.answer(kept.clone()).cost() > most {
            kept = shipped.clone();
        }
        // after a rule is left out, another rule may no longer be needed, so this repeats
        loop {
            let before = kept.rules().len();
            for name in shipped.rules().iter().map(|r| r.name()) {
                let fewer = kept.retain(|r| r != name);
                if fewer.rules().len() < kept.rules().len() && self.answer(fewer.clone()).cost() <= most {
                    kept = fewer;
                }
            }
            if kept.rules().len() == before {
                break;
            }
        }
        let mut out: Vec<String> = kept.rules().iter().map(|r| r.name().to_string()).collect();
        let answer = self.answer(kept);
        for step in answer.trace() {
            // the list has steps of the engine, except steps that only change the notation of an expression
            let own =
                shipped.get(&step.rule).is_none() && !(step.rule == "normal-form" || step.rule.starts_with("shared-"));
            if own && !out.contains(&step.rule) {
                out.push(step.rule.clone());
            }
        }
        if out.is_empty() {
            let open = Example { input: self.input.clone(), theirs: self.theirs.clone(), domain: case.domain(true) };
            let bare = Simplifier::default().with_rules(RuleSet::empty());
            let by_form = bare.simplify(&open.input, &open.domain).is_ok_and(|a| a.cost() <= most);
            out.push(if by_form { NORMAL_FORM } else { FACTS }.into());
        }
        out
    }
}

/// The errors in a case.
fn complaints(case: &Case) -> Vec<String> {
    let mut out = Vec::new();
    if case.is_missing() != case.why.is_some() {
        out.push("`why` belongs to `none`, and only to it".to_string());
    }
    if !SYSTEMS.iter().any(|s| case.of.contains(s)) && !case.of.starts_with("missing in all") {
        out.push(format!("`{}` names no system", case.of));
    }
    let Some(example) = case.example() else {
        if !case.is_missing() || case.input.is_some() || case.theirs.is_some() {
            out.push("an example has `input` and `theirs`".into());
        }
        return out;
    };
    let options = Options::default();
    let mut equal = |what: &str, e: &Expr| match decide(&example.input, e, &example.domain, &options).verdict {
        Verdict::Differs { witness } => out.push(format!("{what} `{e}` differs from the input: {witness:?}")),
        Verdict::Equal | Verdict::Undecided { .. } => {}
    };
    let answer = example.ours();
    equal("theirs", &example.theirs);
    equal("ours", answer.expr());
    let most = example.their_cost();
    if case.is_missing() {
        if answer.cost() <= most {
            out.push(format!("no longer missing: {} costs {}, not above {most}", answer.expr(), answer.cost()));
        }
        return out;
    }
    if answer.cost() > most {
        out.push(format!("`{}` costs {}, theirs {most}", answer.expr(), answer.cost()));
    }
    // the named rules suffice, and each of them fires
    let alone = example.answer(RuleSet::shipped().retain(|r| case.ours.iter().any(|o| o == r)));
    if alone.cost() > most {
        out.push(format!("{:?} do not suffice: `{}` costs {}, theirs {most}", case.ours, alone.expr(), alone.cost()));
    }
    let by_itself = case.ours == [FACTS] || case.ours == [NORMAL_FORM];
    for name in case.ours.iter().filter(|_| !by_itself) {
        if !alone.trace().iter().any(|s| s.rule == *name) {
            out.push(format!("{name} does not fire"));
        }
    }
    out
}

/// The cases. With `BLESS=1`, the field `ours` of each case is written before any test reads the cases.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let (text, cases) = load();
    if std::env::var_os("BLESS").is_none_or(|v| v != "1") {
        return cases;
    }
    let mut reasons = cases.iter().map(|c| c.example().map(|e| e.reason(c)));
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    for line in lines.iter_mut().filter(|l| l.starts_with("ours = ")) {
        if let Some(Some(reason)) = reasons.next() {
            *line = format!("ours = {reason:?}");
        }
    }
    std::fs::write(path(), lines.join("\n") + "\n").expect("the cases can be written");
    load().1
});

#[test]
fn every_rule_of_the_others_has_an_answer() {
    let mut wrong = String::new();
    for case in &*CASES {
        for what in complaints(case) {
            let input = case.input.as_deref().unwrap_or("no example");
            writeln!(wrong, "{}: {} ({input}): {what}", case.of, case.rule).expect("memory");
        }
    }
    assert!(wrong.is_empty(), "BLESS=1 writes `ours` anew\n{wrong}");
}

#[test]
fn the_table_is_made_from_the_cases() {
    golden::check("../../docs/peers.md", &table(&CASES));
}

#[test]
fn no_case_stands_twice() {
    let mut seen = BTreeMap::new();
    for case in CASES.iter().filter(|c| c.input.is_some()) {
        let key = (case.input.clone(), case.vars.clone());
        if let Some(first) = seen.insert(key, case.rule.clone()) {
            panic!("{:?}: {first} and {}", case.input, case.rule);
        }
    }
}

/// The text of a cell in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn code(text: &str) -> String {
    format!("`{}`", cell(text))
}

/// The text of `docs/peers.md`.
fn table(cases: &[Case]) -> String {
    let mut out = String::from(
        "# The rules of other systems, and ours\n\n\
         This page lists the rules by which tinygrad, morok, Halide and TVM simplify index arithmetic. Each rule has an\n\
         example, and the rules or facts of quaff that do the same. A rule has the name that its system uses. If a rule has no\n\
         name, the page uses the name of its group. This page states the identities and the examples in its own words. `//` is floor\n\
         division and `%` is floor modulo everywhere. The column *theirs* has the result of the other system's rule on the example,\n\
         and the column *ours* has the answer of quaff. The column *by* lists the parts of quaff that reach at most the cost of\n\
         *theirs*. A part is one of these:\n\
         \n\
         - a rule of [`rules/`](../rules/README.md), or a step of the engine, that fires on the example\n\
         - facts (ranges, congruences, symbolic ends)\n\
         - the normal form of every expression\n\
         \n\
         `tests/rules/peers.rs` writes this page from `tests/data/peers/rules.toml`. The test decides with the exact procedure\n\
         that *theirs* and *ours* are equal to the input. It compares their costs under the GPU model, and runs every example\n\
         with the named rules alone.\n\n",
    );
    writeln!(out, "| system | rules looked at | as cheap or cheaper here | cheaper here | not here |").expect("memory");
    writeln!(out, "|---|---|---|---|---|").expect("memory");
    let answers: Vec<Option<(Simplified, Cost)>> =
        cases.iter().map(|c| c.example().map(|e| (e.ours(), e.their_cost()))).collect();
    for system in SYSTEMS {
        let own = || cases.iter().zip(&answers).filter(|(c, _)| c.of.contains(system));
        let had = own().filter(|(c, _)| !c.is_missing()).count();
        let cheaper = own().filter(|(_, a)| a.as_ref().is_some_and(|(a, theirs)| a.cost() < *theirs)).count();
        writeln!(out, "| {system} | {} | {had} | {cheaper} | {} |", own().count(), own().count() - had)
            .expect("memory");
    }
    let mut group = "";
    for (case, answer) in cases.iter().zip(&answers) {
        if case.group != group {
            group = &case.group;
            let title = group[..1].to_uppercase() + &group[1..];
            write!(out, "\n## {title}\n\n| rule | who | example | theirs | ours | by |\n|---|---|---|---|---|---|\n")
                .expect("memory");
        }
        let by: Vec<String> = case
            .ours
            .iter()
            .map(|o| if [FACTS, NORMAL_FORM, NONE].contains(&&**o) { o.clone() } else { code(o) })
            .collect();
        let by = match &case.why {
            None => by.join(", "),
            Some(why) => format!("{}: {}", by.join(", "), cell(why)),
        };
        let (example, theirs, ours) = match (&case.input, &case.theirs, answer) {
            (Some(input), Some(theirs), Some((answer, cost))) => (
                format!("{}; {}", code(input), cell(&case.vars)),
                format!("{} ({cost})", code(theirs)),
                format!("{} ({})", code(&answer.expr().to_string()), answer.cost()),
            ),
            _ => Default::default(),
        };
        writeln!(out, "| {} | {} | {example} | {theirs} | {ours} | {by} |", cell(&case.rule), cell(&case.of))
            .expect("memory");
    }
    out
}
