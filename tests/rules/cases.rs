//! Every shipped rule fires on its cases, and does not fire where a guard fails.

use crate::rule_cases::{Expect, RuleCase, difference, load, path, points};
use quaff::Simplifier;
use quaff::rules::RuleSet;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Checks one case. Returns the text of the answer.
fn check(case: &RuleCase) -> Result<String, String> {
    let (expr, domain) = (case.expr(), case.domain());
    // the expression occurs twice, because some rules need several expressions that share parts
    let out = case.alone().simplify_all(&[expr.clone(), expr.clone()], &domain).map_err(|e| e.to_string())?;
    let fired = out.trace().iter().any(|s| s.rule == case.rule);
    match case.expect {
        Expect::Fires if !fired => return Err(format!("does not fire: {}", out.expr())),
        Expect::Refuses if fired => return Err(format!("fires: {}", out.expr())),
        _ => {}
    }
    let some = points(out.vars(), 20_000);
    if some.is_empty() {
        return Err("the domain has no point".into());
    }
    let whole = Simplifier::default().simplify(&expr, &domain).map_err(|e| e.to_string())?;
    match difference(&expr, out.expr(), out.vars(), &some).or(difference(&expr, whole.expr(), out.vars(), &some)) {
        Some(d) => Err(format!("changes the value: {d}")),
        None => Ok(out.expr().to_string()),
    }
}

#[test]
fn rules_fire_where_they_should_and_nowhere_else() {
    let (text, cases) = load();
    let bless = std::env::var_os("BLESS").is_some_and(|v| v == "1");
    let mut wrong = String::new();
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    for case in &cases {
        let mut complain = |what: String| writeln!(wrong, "cases.txt:{}: {}: {what}", case.line, case.rule).unwrap();
        match check(case) {
            Err(e) => complain(format!("{}: {e}", case.expr)),
            Ok(_) if case.expect == Expect::Refuses => {}
            Ok(answer) if bless => {
                let line = &mut lines[case.line - 1];
                let question = line.split("->").next().unwrap_or_default().trim_end().to_string();
                *line = format!("{question} -> {answer}");
            }
            Ok(answer) if answer != case.answer => {
                complain(format!("{} -> {answer}, not {}", case.expr, case.answer));
            }
            Ok(_) => {}
        }
    }
    if bless {
        std::fs::write(path(), lines.join("\n") + "\n").expect("the cases can be written");
    }
    assert!(wrong.is_empty(), "BLESS=1 writes new answers\n{wrong}");
}

/// Whether the rule has no condition except its pattern.
fn is_unconditional(text: &str) -> bool {
    let conditions = ["(when ", "(bucket ", "(quotient ", "(split", "(residue ", "(common-factor ", "(for "];
    !conditions.iter().any(|c| text.contains(c))
}

#[test]
fn every_rule_has_cases() {
    let (_, cases) = load();
    let mut seen: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for c in &cases {
        let n = seen.entry(&c.rule).or_default();
        match c.expect {
            Expect::Fires => n.0 += 1,
            Expect::Refuses => n.1 += 1,
        }
    }
    let mut lacking = String::new();
    let mut unconditional = Vec::new();
    for rule in RuleSet::shipped().rules() {
        let (fires, refuses) = seen.remove(rule.name()).unwrap_or_default();
        if fires == 0 {
            writeln!(lacking, "{}: no case in which it fires", rule.name()).unwrap();
        }
        if is_unconditional(rule.text()) {
            unconditional.push(rule.name());
        } else if refuses == 0 {
            writeln!(lacking, "{}: no case in which a guard fails", rule.name()).unwrap();
        }
    }
    println!("rules without a guard: {}", unconditional.join(", "));
    assert!(lacking.is_empty(), "{lacking}");
    assert!(seen.is_empty(), "cases of rules that do not exist: {:?}", seen.keys());
}
