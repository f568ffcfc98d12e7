//! Tests of `quaff rules stats`: its counts are compared with traces and explanations of the same cases.

use crate::quaff_program::{quaff, quaff_with};
use crate::repository;
use crate::samples::{Case, load};
use quaff::expr::{Dag, Op};
use quaff::inspect::statistics;
use quaff::quasi::Options;
use quaff::rules::RuleSet;
use quaff::{Reason, Simplifier};
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;

/// Every `every`-th line of a corpus, as text and as cases.
fn some_lines(name: &str, every: usize) -> (String, Vec<Case>) {
    let path = repository("tests/data").join(name).with_extension("jsonl");
    let text = std::fs::read_to_string(&path).expect("a corpus");
    let lines: String = text.lines().step_by(every).map(|l| format!("{l}\n")).collect();
    (lines, load(&path).into_iter().step_by(every).collect())
}

fn stats(input: &str, more: &[&str]) -> Value {
    let out = quaff_with(&[&["rules", "stats", "-", "--json"], more].concat(), input.as_bytes());
    assert_eq!((out.code, out.stderr.as_str()), (0, ""), "no progress bar in a file");
    serde_json::from_str(&out.stdout).expect("JSON")
}

/// A column of the table by rule, without zeros.
fn column(stats: &Value, name: &str) -> HashMap<String, u64> {
    let rules = stats["rules"].as_array().expect("a list");
    let count = |r: &Value| (r["rule"].as_str().expect("a name").to_string(), r[name].as_u64().expect("a count"));
    rules.iter().map(count).filter(|r| r.1 > 0).collect()
}

#[test]
fn firings_are_those_of_the_traces() {
    let (lines, cases) = some_lines("inductor_kernels", 5);
    let simplifier = Simplifier::default().with_trace(true);
    let (mut fired, mut fired_cases) = (HashMap::new(), HashMap::new());
    let (mut text, mut count) = (String::new(), 0);
    for (line, case) in lines.lines().zip(&cases) {
        let answer = simplifier.simplify(&case.expr, &case.domain()).expect("an answer");
        // a large answer or an answer with several quotients is searched again, and a trace leaves out searches without
        // effect. So these lines are left out
        let answer_dag = Dag::new(std::slice::from_ref(answer.expr()));
        let quotients = answer_dag.nodes().iter().filter(|n| matches!(n.op, Op::FloorDiv | Op::FloorMod)).count();
        if answer.nodes() > 20 || quotients > 1 {
            continue;
        }
        text += &format!("{line}\n");
        count += 1;
        let mut once = HashMap::new();
        // the trace also has steps of the engine, which are no applications of rules
        for step in answer.trace().iter().filter(|s| simplifier.rules().get(&s.rule).is_some()) {
            *fired.entry(step.rule.clone()).or_insert(0) += 1;
            once.insert(step.rule.clone(), 1);
        }
        once.into_keys().for_each(|r| *fired_cases.entry(r).or_insert(0) += 1);
    }
    let stats = stats(&text, &[]);
    assert_eq!(stats["cases"], count);
    assert!(fired.len() > 5, "{fired:?}");
    assert_eq!(column(&stats, "fired"), fired);
    assert_eq!(column(&stats, "fired_cases"), fired_cases);
    let matched = column(&stats, "matched");
    assert!(fired.iter().all(|(r, n)| matched[r] >= *n), "who fires has matched");
}

#[test]
fn the_path_is_what_the_answer_needs() {
    let (mut on_path, mut needless) = (0, 0);
    for case in some_lines("hard", 4).1 {
        let question = std::slice::from_ref(&case.expr);
        let (answer, statistics) = statistics(&Simplifier::default(), question, &case.domain()).expect("an answer");
        let path: Vec<&str> = statistics.rules().iter().filter(|r| r.path_calls > 0).map(|r| r.name.as_str()).collect();
        let with = |keep: &dyn Fn(&str) -> bool| {
            let simplifier =
                Simplifier::default().with_rules(RuleSet::shipped().retain(|r| path.contains(&r) && keep(r)));
            simplifier.simplify(&case.expr, &case.domain()).expect("an answer")
        };
        // only the costs are compared. Rules that never fire can decide which of two answers with the same cost is
        // found first
        assert_eq!(with(&|_| true).cost(), answer.cost(), "{path:?} suffice");
        // the path is made by trying to remove each rule once, while later rules are present. So it may have needless
        // rules
        needless += path.iter().filter(|rule| with(&|r| r != **rule).expr() == answer.expr()).count();
        on_path += path.len();
    }
    assert!(on_path > 10 && needless * 10 <= on_path, "{needless} of {on_path}");
}

#[test]
fn the_path_is_that_of_the_explanations() {
    let (text, cases) = some_lines("inductor_kernels", 60);
    let mut options = Options::default();
    (options.smt_timeout, options.max_points) = (Duration::ZERO, 1);
    let mut path_cases = HashMap::new();
    for case in &cases {
        let explanation = Simplifier::default().explain(&case.expr, &case.domain(), &options).expect("an explanation");
        let mut names: Vec<String> = Vec::new();
        for step in explanation.steps() {
            if let Reason::Rule { name, .. } = &step.reason {
                names.push(name.clone());
            }
        }
        names.sort();
        names.dedup();
        names.into_iter().for_each(|r| *path_cases.entry(r).or_insert(0) += 1);
    }
    assert!(path_cases.len() > 3, "{path_cases:?}");
    let counted = column(&stats(&text, &["-j", "2"]), "path_cases");
    for (name, cases) in &path_cases {
        assert_eq!(counted.get(name), Some(cases), "{name}");
    }
    // a trace has no step for a needed rule whose result has the same text as its input, so one count may be missing
    assert!(counted.len() <= path_cases.len() + 1, "{counted:?} but {path_cases:?}");
}

#[test]
fn times_are_parts_of_the_whole() {
    let (text, _) = some_lines("inductor_kernels", 9);
    let stats = stats(&text, &["--sort", "time"]);
    let us: Vec<f64> = stats["rules"].as_array().expect("a list").iter().filter_map(|r| r["us"].as_f64()).collect();
    assert!(us.windows(2).all(|w| w[0] >= w[1]), "most time first");
    assert!(us[0] > 0.0);
    let matching = us.iter().sum::<f64>() + stats["shared_us"].as_f64().expect("a time");
    let total = stats["total_us"].as_f64().expect("a time");
    assert!(0.0 < matching && matching < total, "{matching} of {total}");
}

#[test]
fn answers_are_the_same_with_and_without_statistics() {
    for case in some_lines("hard", 3).1 {
        let plain = Simplifier::default().simplify(&case.expr, &case.domain()).expect("an answer");
        let question = std::slice::from_ref(&case.expr);
        let (answer, statistics) = statistics(&Simplifier::default(), question, &case.domain()).expect("an answer");
        assert_eq!((answer.expr(), answer.nodes()), (plain.expr(), plain.nodes()));
        assert_eq!(statistics.calls(), 1);
    }
}

#[test]
fn a_bad_line_costs_only_itself() {
    let good = r#"{"vars": {"i": [0, 15], "j": [0, 3]}, "expr": "(i*4 + j)//12"}"#;
    let input = format!("{good}\nno JSON\n\n{{\"expr\": \"1//x\", \"vars\": {{\"x\": [0, 1]}}}}\n{good}\n");
    let out = quaff_with(&["rules", "stats", "-", "--json"], input.as_bytes());
    assert_eq!(out.code, 1);
    assert!(out.stderr.contains("standard input line 2: column 2: not JSON"), "{}", out.stderr);
    assert!(out.stderr.contains("line 4: the divisor `x` can be 0"), "{}", out.stderr);
    assert!(out.stderr.contains("2 of 4 lines have no answer"), "{}", out.stderr);
    let stats: Value = serde_json::from_str(&out.stdout).expect("JSON");
    assert_eq!(
        (&stats["cases"], &stats["bad"][0]["line"], &stats["refused"][0]["line"]),
        (&2.into(), &2.into(), &4.into())
    );
    assert_eq!(column(&stats, "path"), HashMap::from([("small-remainder".to_string(), 2)]));
    let table = quaff_with(&["rules", "stats", "-"], input.as_bytes()).stdout;
    let row = table.lines().find(|l| l.starts_with("small-remainder")).expect("a row");
    assert_eq!(row.split_whitespace().skip(4).take(2).collect::<Vec<_>>(), ["2", "2"], "{table}");
    assert!(table.ends_with("2 cases\n"));
}

#[test]
fn files_and_folders_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = "{\"vars\": {\"x\": [0, 9]}, \"expr\": \"x//10\"}\n";
    std::fs::write(folder.path().join("b.jsonl"), line).expect("writable");
    std::fs::write(folder.path().join("a.jsonl"), line.repeat(2)).expect("writable");
    std::fs::write(folder.path().join("notes.txt"), "none of it").expect("writable");
    let path = folder.path().to_str().expect("UTF-8");
    let out = quaff(&["rules", "stats", path]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    assert!(out.stdout.ends_with("3 cases\n"));
    for (args, code) in [(&["rules", "stats", "no/such/file"][..], 74), (&["rules", "stats"], 64)] {
        assert_eq!(quaff(args).code, code, "{args:?}");
    }
    let empty = tempfile::tempdir().expect("a folder");
    let out = quaff(&["rules", "stats", empty.path().to_str().expect("UTF-8")]);
    assert!(out.code == 74 && out.stderr.contains("no *.jsonl files"), "{}", out.stderr);
}
