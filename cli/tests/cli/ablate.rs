//! `quaff rules ablate`, run as a program: its figures against single calls, and what is kept between runs.

use crate::quaff_program::{Run, quaff};
use crate::repository;
use crate::samples;
use crate::samples::load;
use quaff::Simplifier;
use quaff::rules::RuleSet;
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

/// One line needs `or-disjoint`, one `factor-remainder`, one no rule; ids try to break out of pages.
const THREE: &str = r#"{"id": "or </script><b>", "vars": {"x": [0, 15], "y": [0, 3]}, "expr": "x*4 | y"}
{"id": "split, \"quoted\"", "vars": {"N": [1, 64], "i": [0, 15], "j": [0, 1023]}, "expr": "(i*N + j)//N - j//N"}
{"id": "none", "vars": {"x": [0, 15]}, "expr": "x + 1 + x"}
"#;

struct Work {
    folder: TempDir,
}

impl Work {
    fn new(files: &[(&str, &str)]) -> Work {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("writable");
        }
        Work { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// `quaff rules ablate` with arguments of which those with a `@` are files of the folder.
    fn ablate(&self, args: &[&str]) -> Run {
        let args: Vec<String> = args
            .iter()
            .map(|a| a.strip_prefix('@').map_or(a.to_string(), |name| self.path(name).display().to_string()))
            .collect();
        let args: Vec<&str> = ["rules", "ablate"].into_iter().chain(args.iter().map(String::as_str)).collect();
        quaff(&args)
    }

    fn report(&self) -> Value {
        serde_json::from_str(&self.text("out/report.json")).expect("JSON")
    }
}

fn data(name: &str) -> PathBuf {
    repository("tests/data").join(name).with_extension("jsonl")
}

/// Records of a CSV file, without its head.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.records().map(|r| r.expect("CSV").iter().map(String::from).collect()).collect()
}

/// The report without times, which differ from run to run.
fn timeless(mut report: Value) -> Value {
    fn strip(v: &mut Value) {
        match v {
            Value::Object(o) => {
                o.remove("ms");
                o.values_mut().for_each(strip);
            }
            Value::Array(a) => a.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut report);
    report
}

#[test]
fn leaving_out_the_only_rule_changes_the_cases_that_need_it() {
    let work = Work::new(&[("three.jsonl", THREE)]);
    let only = "or-disjoint,factor-remainder,nested-division";
    let out = work.ablate(&["@three.jsonl", "--only", only, "-o", "@out"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let rows: Vec<Vec<&str>> = out.stdout.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!((rows.len(), rows[1][0], rows[5].clone()), (6, "base", vec!["3", "cases"]), "{}", out.stdout);
    let changed: Vec<(String, String)> =
        records(&work.text("out/changed.csv")).into_iter().map(|r| (r[0].clone(), r[3].clone())).collect();
    let expected = [("without or-disjoint", "or </script><b>"), ("without factor-remainder", "split, \"quoted\"")];
    assert_eq!(changed, expected.map(|(v, id)| (v.to_string(), id.to_string())));
    let report = work.report();
    let row = |i: usize| &report["rows"][i];
    assert_eq!((&row(0)["changed"], &row(0)["dearer"], &row(0)["cheaper"]), (&1.into(), &1.into(), &0.into()));
    assert_eq!((&row(1)["divisions"], &report["base"]["divisions"]), (&2.into(), &0.into()));
    assert_eq!((&row(2)["changed"], &row(2)["cost"]), (&0.into(), &report["base"]["cost"]));
    assert_eq!(report["changed"][1]["before"]["text"], "i");
    assert_eq!(report["changed"][1]["ranges"], "N=1..64, i=0..15, j=0..1023");
}

#[test]
fn every_figure_is_that_of_single_calls() {
    let path = data("inductor_kernels");
    let text: String =
        std::fs::read_to_string(&path).expect("a corpus").lines().step_by(29).map(|l| format!("{l}\n")).collect();
    let cases: Vec<_> = load(&path).into_iter().step_by(29).collect();
    let work = Work::new(&[("some.jsonl", &text)]);
    assert_eq!(work.ablate(&["@some.jsonl", "-o", "@out"]).code, 0);
    let report = work.report();
    assert_eq!(report["rows"].as_array().map(Vec::len), Some(RuleSet::shipped().rules().len()));
    let answers = |rules: RuleSet| -> Vec<(String, f64, usize)> {
        let simplifier = Simplifier::default().with_rules(rules);
        let answer = |c: &samples::Case| {
            let a = simplifier.simplify(&c.expr, &c.domain()).expect("an answer");
            (a.expr().to_string(), a.cost().instructions(), a.nodes())
        };
        cases.iter().map(answer).collect()
    };
    let base = answers(RuleSet::shipped().clone());
    let mut changed_somewhere = 0;
    for (rule, row) in RuleSet::shipped().rules().iter().zip(report["rows"].as_array().expect("rows")) {
        assert_eq!(row["variant"], format!("without {}", rule.name()));
        let other = answers(RuleSet::shipped().retain(|r| r != rule.name()));
        let pairs = || base.iter().zip(&other);
        assert_eq!(row["changed"], pairs().filter(|(a, b)| a.0 != b.0).count(), "{}", rule.name());
        assert_eq!(row["dearer"], pairs().filter(|(a, b)| a.1 < b.1).count(), "{}", rule.name());
        assert_eq!(row["cheaper"], pairs().filter(|(a, b)| a.1 > b.1).count(), "{}", rule.name());
        assert_eq!(row["nodes"], other.iter().map(|o| o.2).sum::<usize>(), "{}", rule.name());
        let cost: f64 = other.iter().map(|o| o.1).sum();
        assert!((row["cost"].as_f64().expect("a cost") - cost).abs() < 1e-6, "{}", rule.name());
        changed_somewhere += usize::from(row["changed"] != 0);
    }
    assert!(changed_somewhere > 3);
}

#[test]
fn a_resumed_run_computes_what_is_missing_and_reports_the_same() {
    let inductor = std::fs::read_to_string(data("inductor_kernels")).expect("a corpus");
    let some: String = inductor.lines().step_by(60).map(|l| format!("{l}\n")).collect();
    let work = Work::new(&[("three.jsonl", THREE), ("some.jsonl", &some)]);
    let args = ["@three.jsonl", "@some.jsonl", "--only", "or-disjoint,factor-remainder", "-o", "@out"];
    let computed = |expected: usize| {
        let out = work.ablate(&args);
        assert_eq!(out.code, 0);
        assert!(out.stderr.starts_with(&format!("quaff: {expected} runs computed")), "{}", out.stderr);
    };
    computed(6);
    let (first, page, results) =
        (work.text("out/report.json"), work.text("out/report.html"), work.text("out/results.jsonl"));
    assert_eq!(results.lines().count(), 6);
    computed(0);
    assert_eq!(work.text("out/report.json"), first, "times are kept as well");
    assert_eq!(work.text("out/report.html"), page);

    // stopped in the middle of a line
    let half = results.len() - results.lines().last().expect("a line").len() / 2;
    std::fs::write(work.path("out/results.jsonl"), &results[..half]).expect("writable");
    computed(1);
    assert_eq!(timeless(work.report()), timeless(serde_json::from_str(&first).expect("JSON")));
    assert_eq!(work.text("out/results.jsonl").lines().count(), 6);
    // a line that is none is passed over, and what follows it is read
    std::fs::write(work.path("out/results.jsonl"), format!("{{\"key\": 1}}\n{results}")).expect("writable");
    computed(0);

    // another corpus, other rules: what they share with the first run is not run again
    std::fs::write(work.path("three.jsonl"), THREE.replace("+ 1 +", "+ 2 +")).expect("writable");
    computed(3);
    let out = work.ablate(&["@some.jsonl", "--only", "nested-division", "-o", "@out"]);
    assert!(out.stderr.starts_with("quaff: 1 runs computed"), "{}", out.stderr);
    // times of several calls are not times of one
    let out = work.ablate(&["@some.jsonl", "--only", "nested-division", "--repeat", "2", "-o", "@out"]);
    assert!(out.stderr.starts_with("quaff: 2 runs computed"), "{}", out.stderr);
}

/// What a page must not have if it is to work alone, and in one piece.
fn self_contained(html: &str) {
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    for outside in ["src=", "<link", "@import", "url(", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!html.contains(outside), "{outside}");
    }
    for (i, _) in html.match_indices("http") {
        let before = &html[..i];
        // the name of a vocabulary is no address that is read
        assert!(before.ends_with("xmlns=\"") || before.ends_with("xmlns:xlink=\""), "{}", &html[i - 20..i + 20]);
    }
    assert_eq!(html.matches("</script>").count(), 2, "data and program");
}

#[test]
fn the_page_is_one_file_with_plots_and_cases() {
    let work = Work::new(&[("three.jsonl", THREE)]);
    let out = work.ablate(&["@three.jsonl", "--only", "or-disjoint,factor-remainder", "-o", "@out"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let html = work.text("out/report.html");
    self_contained(&html);
    assert_eq!(html.matches("<svg").count(), 2);
    assert!(!html.contains("</script><b>") && html.contains("\\u003c/script>\\u003cb>") || html.contains("\\u003cb>"));
    let data = html.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("data").0;
    let data: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(timeless(data), timeless(work.report()), "few cases are all on the page");
}

#[test]
fn tables_add_up() {
    let work = Work::new(&[("three.jsonl", THREE), ("again.jsonl", THREE)]);
    let out = work.ablate(&["@three.jsonl", "@again.jsonl", "--only", "or-disjoint", "-o", "@out"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let rows = records(&work.text("out/summary.csv"));
    let names: Vec<(&str, &str)> = rows.iter().map(|r| (r[0].as_str(), r[1].as_str())).collect();
    let corpora = ["three", "again", "all"];
    let expected: Vec<(&str, &str)> =
        ["base", "without or-disjoint"].into_iter().flat_map(|v| corpora.map(|c| (v, c))).collect();
    assert_eq!(names, expected);
    for part in rows.chunks(3) {
        for column in 3..11 {
            let value = |r: &Vec<String>| r[column].parse::<f64>().expect("a number");
            assert!((value(&part[0]) + value(&part[1]) - value(&part[2])).abs() < 0.01, "{part:?}");
        }
    }
    let json = work.ablate(&["@three.jsonl", "@again.jsonl", "--only", "or-disjoint", "-o", "@out", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&json.stdout).expect("JSON"), work.report());
}

#[test]
fn sets_of_rules_are_compared() {
    let rules = repository("rules");
    let work = Work::new(&[("three.jsonl", THREE)]);
    std::fs::create_dir(work.path("few")).expect("writable");
    let one = "(rule or-disjoint \"bits that never meet add\" (match (| ?x ?y)) (when (disjoint-bits ?x ?y)) (yield (+ ?x ?y)))";
    std::fs::write(work.path("few/one.rules"), one).expect("writable");
    let same = rules.display().to_string();
    let out = work.ablate(&["@three.jsonl", "--sets", "@few", &same, "-o", "@out"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let report = work.report();
    let row = |i: usize, field: &str| report["rows"][i][field].clone();
    assert_eq!((row(0, "rules"), row(0, "changed")), (1.into(), 1.into()), "division is missing");
    assert_eq!((row(1, "changed"), row(1, "cost")), (0.into(), report["base"]["cost"].clone()));
    std::fs::write(work.path("few/one.rules"), "(rule broken").expect("writable");
    let out = work.ablate(&["@three.jsonl", "--sets", "@few"]);
    assert!(out.code == 1 && out.stderr.contains("one.rules:1:1"), "{}", out.stderr);
}

#[test]
fn the_smallest_set_is_what_the_corpus_needs() {
    let work = Work::new(&[("three.jsonl", THREE)]);
    for keep in ["total", "every-case"] {
        let out = work.ablate(&["@three.jsonl", "--minimal", "--keep", keep, "-o", "@out"]);
        assert_eq!(out.code, 0, "{}", out.stderr);
        let report = work.report();
        let found = &report["elimination"];
        assert_eq!(found["kept"], serde_json::json!(["or-disjoint", "factor-remainder"]), "{}", out.stdout);
        let rules = RuleSet::shipped().rules().len();
        assert_eq!(found["left_out"].as_array().map(Vec::len), Some(rules - 2));
        let last = report["rows"].as_array().and_then(|r| r.last()).expect("a row");
        assert_eq!(
            (&last["variant"], &last["rules"], &last["cost"]),
            (&"minimal".into(), &2.into(), &report["base"]["cost"])
        );
        self_contained(&work.text("out/report.html"));
    }
    let out = work.ablate(&["@three.jsonl", "--minimal", "--needed", "nested-division", "-o", "@out"]);
    assert_eq!(work.report()["elimination"]["kept"].as_array().map(Vec::len), Some(3), "{}", out.stdout);
    let again = work.ablate(&["@three.jsonl", "--minimal", "--needed", "nested-division", "-o", "@out"]);
    assert!(again.stderr.starts_with("quaff: 0 runs computed"), "{}", again.stderr);
    assert_eq!(again.stdout, out.stdout);
}

#[test]
fn errors_have_names_near_by_and_exit_codes() {
    let work = Work::new(&[("three.jsonl", THREE), ("bad.jsonl", "{\"expr\": \"x\"}\n{}\n{\"expr\": \"4//2\"}\n")]);
    let out = work.ablate(&["@three.jsonl", "--only", "or-disjiont"]);
    assert!(out.code == 1 && out.stderr.contains("or-disjoint"), "{}", out.stderr);
    let out = work.ablate(&["@three.jsonl", "--minimal", "--needed", "zzz"]);
    assert!(out.code == 1 && out.stderr.contains("quaff rules list"), "{}", out.stderr);
    let out = work.ablate(&["@bad.jsonl", "--only", "or-disjoint", "--json"]);
    assert_eq!(out.code, 1);
    let report: Value = serde_json::from_str(&out.stdout).expect("JSON");
    assert_eq!(
        (&report["base"]["cases"], &report["refused"][0]["line"], &report["bad"][0]["line"]),
        (&1.into(), &1.into(), &2.into())
    );
    assert!(out.stderr.contains("2 of 3 lines have no answer"), "{}", out.stderr);
    for (args, code) in [
        (&["@none.jsonl"][..], 74),
        (&["@three.jsonl", "--each", "--minimal"], 64),
        (&["@three.jsonl", "--keep", "total"], 64),
        (&["@three.jsonl", "--only", "or-disjoint", "-o", "@three.jsonl"], 74),
    ] {
        assert_eq!(work.ablate(args).code, code, "{args:?}");
    }
}

/// Nothing is compared, and nothing is written.
#[test]
fn a_corpus_without_expressions_is_refused_at_once() {
    let lines = "{\"vars\": {\"x\": [0, 9]}, \"exprs\": [\"x//3\", \"x%3\"]}\n";
    for text in [lines, "", "\n\n"] {
        let work = Work::new(&[("corpus.jsonl", text)]);
        for mode in ["--each", "--minimal"] {
            let out = work.ablate(&["@corpus.jsonl", mode]);
            assert_eq!((out.code, out.stdout.as_str()), (1, ""), "{}", out.stderr);
            assert!(out.stderr.contains("the corpora have no line to compare rule sets on"), "{}", out.stderr);
            assert_eq!(out.stderr.contains("corpus line 1: "), text == lines, "{}", out.stderr);
        }
    }
}

/// An expression under a condition, and two accesses that share a sum which neither has for itself.
const STAGED: &str = r#"{"id": "masked", "vars": {"x": [0, 99], "y": [0, 99]}, "expr": "where(x + y < 60, (x + y)//20//3 + x, -1)"}
{"id": "kernel", "vars": {"x": [0, 63], "y": [0, 7]}, "accesses": [{"expr": "x//8*9 + x%8 + y", "gate": "x//8 + y < 9"}, {"expr": "x + x//8"}]}
"#;

#[test]
fn stages_are_left_out_one_by_one() {
    let work = Work::new(&[("staged.jsonl", STAGED)]);
    let out = work.ablate(&["@staged.jsonl", "--stages", "--json"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let report: Value = serde_json::from_str(&out.stdout).expect("JSON");
    assert_eq!(report["base"]["cases"], 2);
    let rows = report["rows"].as_array().expect("rows");
    let names: Vec<&str> = rows.iter().filter_map(|r| r["variant"].as_str()).collect();
    let stages: Vec<String> = quaff::Stage::ALL.iter().map(|s| format!("without {}", s.name())).collect();
    assert_eq!(names, stages);
    let dearer = |name: &str| rows.iter().find(|r| r["variant"] == name).map(|r| r["dearer"].clone());
    assert_eq!(dearer("without contexts"), Some(1.into()), "{}", out.stdout);
    assert_eq!(work.ablate(&["@staged.jsonl", "--stages", "--each"]).code, 64);
}
