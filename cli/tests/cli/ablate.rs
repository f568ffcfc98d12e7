//! Tests of the program `quaff rules ablate`: its figures are compared with single calls, and later runs reuse the
//! results that it stores.

use crate::quaff_program::{Run, quaff};
use crate::repository;
use crate::samples;
use crate::samples::load;
use quaff::rules::RuleSet;
use quaff::{Simplifier, inspect};
use serde_json::Value;
use std::path::PathBuf;
use tempfile::TempDir;

/// One line needs `or-disjoint`, one needs `factor-remainder`, and one needs no rule. The ids contain HTML that could
/// break a page.
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

    /// Runs `quaff rules ablate`. An argument with a `@` is the name of a file in the folder.
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

/// The records of a CSV file, without its header.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.records().map(|r| r.expect("CSV").iter().map(String::from).collect()).collect()
}

#[test]
fn leaving_out_the_only_rule_changes_the_cases_that_need_it() {
    let work = Work::new(&[("three.jsonl", THREE)]);
    let only = "or-disjoint,factor-remainder,nested-division";
    let out = work.ablate(&["@three.jsonl", "--without", only, "-o", "@out"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let headline = "2 of 3 rule sets matter: with 2 of them the answers cost more, with 0 less.";
    assert!(out.stdout.starts_with(headline), "{}", out.stdout);
    let rows: Vec<Vec<&str>> = out.stdout.lines().skip(3).map(|l| l.split_whitespace().collect()).collect();
    let [base, first, second, same, cases] = &rows[..] else { panic!("{}", out.stdout) };
    assert_eq!((base[0], first[1], second[1]), ("base", "factor-remainder", "or-disjoint"), "by cost");
    assert_eq!((same.join(" "), cases.join(" ")), ("1 other rule sets change no answer".into(), "3 cases".into()));
    let changed: Vec<(String, String)> =
        records(&work.text("out/changed.csv")).into_iter().map(|r| (r[0].clone(), r[3].clone())).collect();
    let expected = [("without or-disjoint", "or </script><b>"), ("without factor-remainder", "split, \"quoted\"")];
    assert_eq!(changed, expected.map(|(v, id)| (v.to_string(), id.to_string())));
    let report = work.report();
    let row = |i: usize| &report["rows"][i];
    assert_eq!((&row(0)["changed"], &row(0)["costlier"], &row(0)["cheaper"]), (&1.into(), &1.into(), &0.into()));
    assert_eq!((&row(1)["divisions"], &report["base"]["divisions"]), (&2.into(), &0.into()));
    assert_eq!((&row(2)["changed"], &row(2)["cost"]), (&0.into(), &report["base"]["cost"]));
    assert_eq!(report["changed"][1]["before"]["text"], "i");
    assert_eq!(report["changed"][1]["ranges"], "N=1..64, i=0..15, j=0..1023");
}

#[test]
#[ignore = "a campaign"]
fn every_figure_is_that_of_single_calls() {
    let path = data("inductor_kernels");
    let text: String =
        std::fs::read_to_string(&path).expect("a corpus").lines().step_by(29).map(|l| format!("{l}\n")).collect();
    let cases: Vec<_> = load(&path).into_iter().step_by(29).collect();
    let work = Work::new(&[("some.jsonl", &text)]);
    assert_eq!(work.ablate(&["@some.jsonl", "-o", "@out"]).code, 0);
    let report = work.report();
    assert_eq!(report["rows"].as_array().map(Vec::len), Some(RuleSet::shipped().rules().len()));
    let answers = |rules: RuleSet| -> Vec<(String, f64, u64)> {
        let simplifier = Simplifier::default().with_rules(rules);
        let answer = |c: &samples::Case| {
            let (a, work) = inspect::work(&simplifier, |s| s.simplify(&c.expr, &c.domain()));
            let a = a.expect("an answer");
            (a.expr().to_string(), a.cost().instructions(), work.instructions())
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
        assert_eq!(row["costlier"], pairs().filter(|(a, b)| a.1 < b.1).count(), "{}", rule.name());
        assert_eq!(row["cheaper"], pairs().filter(|(a, b)| a.1 > b.1).count(), "{}", rule.name());
        assert_eq!(row["work"], other.iter().map(|o| o.2).sum::<u64>(), "{}", rule.name());
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
    let args = ["@three.jsonl", "@some.jsonl", "--without", "or-disjoint,factor-remainder", "-o", "@out"];
    let computed = |expected: usize| {
        let out = work.ablate(&args);
        assert_eq!(out.code, 0);
        assert!(out.stderr.starts_with(&format!("quaff: {expected} run")), "{}", out.stderr);
    };
    computed(6);
    let (first, page, results) =
        (work.text("out/report.json"), work.text("out/report.html"), work.text("out/results.jsonl"));
    assert_eq!(results.lines().count(), 6);
    computed(0);
    assert_eq!(work.text("out/report.json"), first);
    assert_eq!(work.text("out/report.html"), page);

    // the results file is cut in the middle of a line, as if the run was stopped there
    let half = results.len() - results.lines().last().expect("a line").len() / 2;
    std::fs::write(work.path("out/results.jsonl"), &results[..half]).expect("writable");
    computed(1);
    assert_eq!(work.text("out/report.json"), first, "a run that is repeated says the same");
    assert_eq!(work.text("out/results.jsonl").lines().count(), 6);
    // an invalid line is skipped, and the lines after it are read
    std::fs::write(work.path("out/results.jsonl"), format!("{{\"key\": 1}}\n{results}")).expect("writable");
    computed(0);

    // a run with another corpus or other rules computes only the cases that the first run did not have
    std::fs::write(work.path("three.jsonl"), THREE.replace("+ 1 +", "+ 2 +")).expect("writable");
    computed(3);
    let out = work.ablate(&["@some.jsonl", "--without", "nested-division", "-o", "@out"]);
    assert!(out.stderr.starts_with("quaff: 1 run computed"), "{}", out.stderr);
    // a result without times is computed again if times are measured, and the times are stored with it
    let timed = ["@some.jsonl", "--without", "nested-division", "--times=2", "-o", "@out"];
    for expected in [2, 0] {
        let out = work.ablate(&timed);
        assert!(out.stderr.starts_with(&format!("quaff: {expected} runs computed")), "{}", out.stderr);
    }
}

/// Checks that a page is complete and loads no other file.
fn self_contained(html: &str) {
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    assert!(html.contains("<head>") && html.contains("</style>\n</head>\n<body class=\"quaff static\">"), "{html}");
    for outside in ["src=", "<link", "@import", "url(", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!html.contains(outside), "{outside}");
    }
    // the page names the SVG namespace, and has a pattern that is compared with such names; it loads neither
    let html = html.replace("http://www.w3.org/", "").replace("/^http:", "");
    assert!(!html.contains("http"));
    assert_eq!(html.matches("</script>").count(), 1, "the script of all pages");
}

#[test]
fn the_page_is_one_file_with_plots_and_cases() {
    let work = Work::new(&[("three.jsonl", THREE)]);
    let out = work.ablate(&["@three.jsonl", "--without", "or-disjoint,factor-remainder", "-o", "@out"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let html = work.text("out/report.html");
    self_contained(&html);
    // three charts: the cost, the work, and the rounds of the run without left-out rules
    assert_eq!(html.matches("<svg").count(), 3);
    assert!(!html.contains("</script><b>") && html.contains("&lt;b&gt;"), "names are text");
    let report = work.report();
    let changed = report["changed"].as_array().expect("cases");
    assert!(!changed.is_empty());
    for case in changed {
        let line = format!("{} line {}: ", case["corpus"].as_str().expect("a name"), case["line"]);
        assert!(html.contains(&line), "few cases are all on the page, and not {line}");
    }
}

#[test]
fn tables_add_up() {
    let work = Work::new(&[("three.jsonl", THREE), ("again.jsonl", THREE)]);
    let out = work.ablate(&["@three.jsonl", "@again.jsonl", "--without", "or-disjoint", "-o", "@out"]);
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
    let json = work.ablate(&["@three.jsonl", "@again.jsonl", "--without", "or-disjoint", "-o", "@out", "--json"]);
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
#[ignore = "a campaign"]
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
    let out = work.ablate(&["@three.jsonl", "--without", "or-disjiont"]);
    assert!(out.code == 1 && out.stderr.contains("or-disjoint"), "{}", out.stderr);
    let out = work.ablate(&["@three.jsonl", "--minimal", "--needed", "zzz"]);
    assert!(out.code == 1 && out.stderr.contains("quaff rules list"), "{}", out.stderr);
    let out = work.ablate(&["@bad.jsonl", "--without", "or-disjoint", "--json"]);
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
        (&["@three.jsonl", "--seed", "1"], 64),
        (&["@three.jsonl", "--pairs", "--minimal"], 64),
        (&["@three.jsonl", "--times=1001"], 64),
        (&["@three.jsonl", "--times", "--minimal"], 64),
        (&["@three.jsonl", "--without", "or-disjoint", "-o", "@three.jsonl"], 74),
    ] {
        assert_eq!(work.ablate(args).code, code, "{args:?}");
    }
}

/// The command ends with an error, without comparing rule sets or printing a report.
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

#[test]
fn times_have_quartiles_and_the_base_is_compared_with_itself() {
    let work = Work::new(&[("three.jsonl", THREE)]);
    let out = work.ablate(&[
        "@three.jsonl",
        "--without",
        "or-disjoint,nested-division",
        "--times=3",
        "-j",
        "1",
        "-o",
        "@out",
    ]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let report = work.report();
    let rows = report["rows"].as_array().expect("rows").iter();
    for row in rows.chain([&report["base"]]).chain(report["by_corpus"].as_array().expect("rows")) {
        let ms = |name: &str| row["times"][name].as_f64().unwrap_or_else(|| panic!("{name}: {row}"));
        assert!(0.0 < ms("first") && ms("first") <= ms("median") && ms("median") <= ms("third"), "{row}");
        assert!(ms("low") <= ms("more") && ms("more") <= ms("high") && ms("base") > 0.0, "{row}");
        assert_eq!(row["times"]["noise"], ms("low") <= 0.0 && ms("high") >= 0.0, "{row}");
    }
    assert!(out.stdout.contains("ms [quartiles], + [interval]"), "{}", out.stdout);
    let summary = work.text("out/summary.csv");
    let head = summary.lines().next().expect("a head");
    assert!(head.ends_with("interaction,ms_first,ms_median,ms_third,ms_base,ms_more,ms_low,ms_high"), "{head}");
}

#[test]
fn a_pair_interacts_where_either_of_two_rules_would_do() {
    let work = Work::new(&[("three.jsonl", THREE)]);
    let out = work.ablate(&[
        "@three.jsonl",
        "--without",
        "or-disjoint,factor-remainder,contexts,or-disjoint",
        "--pairs",
        "-o",
        "@out",
    ]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let report = work.report();
    let rows = report["rows"].as_array().expect("rows");
    let names: Vec<&str> = rows.iter().filter_map(|r| r["variant"].as_str()).collect();
    assert_eq!(
        names[3..],
        [
            "without or-disjoint, factor-remainder",
            "without or-disjoint, contexts",
            "without factor-remainder, contexts"
        ]
    );
    let cost = |i: usize| rows[i]["cost"].as_f64().expect("a cost") - report["base"]["cost"].as_f64().expect("a cost");
    assert!(cost(0) > 0.0 && cost(1) > 0.0);
    // the two rules affect different lines of the corpus, so their costs add up
    assert_eq!((rows[3]["interaction"].as_f64(), cost(3)), (Some(0.0), cost(0) + cost(1)));
    // `--pairs` tries only pairs of rules that each change the cost when left out alone
    let out = work.ablate(&["@three.jsonl", "--pairs", "--json"]);
    let report: Value = serde_json::from_str(&out.stdout).expect("JSON");
    let rules = RuleSet::shipped().rules().len();
    let pairs = &report["rows"].as_array().expect("rows")[rules..];
    let names: Vec<&str> = pairs.iter().filter_map(|r| r["variant"].as_str()).collect();
    assert_eq!(names, ["without or-disjoint, factor-remainder"], "{}", out.stderr);
}

#[test]
fn rules_alone_and_random_halves() {
    let work = Work::new(&[("three.jsonl", THREE)]);
    let report = |args: &[&str]| -> Value {
        let out = work.ablate(&[&["@three.jsonl", "--json"], args].concat());
        assert_eq!(out.code, 0, "{}", out.stderr);
        serde_json::from_str(&out.stdout).expect("JSON")
    };
    let alone = report(&["--alone", "--without", "or-disjoint,nested-division"]);
    let row = |i: usize| &alone["rows"][i];
    assert_eq!(
        (&alone["base"]["rules"], &row(0)["rules"], &row(0)["variant"]),
        (&0.into(), &1.into(), &"or-disjoint alone".into())
    );
    assert_eq!((&row(0)["cheaper"], &row(1)["changed"]), (&1.into(), &0.into()));
    let halves = report(&["--random", "3", "--seed", "7"]);
    let rules: Vec<(&str, u64)> = halves["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|r| (r["variant"].as_str().expect("a name"), r["rules"].as_u64().expect("a number")))
        .collect();
    let all = RuleSet::shipped().rules().len() as u64;
    assert!(rules.iter().all(|r| (all / 3..all * 2 / 3).contains(&r.1)), "{rules:?}");
    assert_eq!(rules.iter().map(|r| r.0).collect::<Vec<_>>(), ["half 7", "half 8", "half 9"]);
    assert_eq!(halves, report(&["--random", "3", "--seed", "7"]));
}

#[test]
fn results_of_two_programs_are_compared() {
    let work = Work::new(&[("three.jsonl", THREE), ("again.jsonl", &THREE.replace("x*4", "x*8"))]);
    assert_eq!(work.ablate(&["@three.jsonl", "--without", "or-disjoint", "-o", "@old"]).code, 0);
    // the old results look as if another version of quaff had found longer and costlier answers
    let [hash, texts] = [r#""engine":""#, "x*4 + y"];
    let old = work.text("old/results.jsonl").replace(hash, r#""engine":"old "#).replace(texts, "x*4 | y | 0");
    let costs =
        |list: &Value| list.as_array().expect("a list").iter().map(|c| c.as_u64().expect("tenths")).collect::<Vec<_>>();
    let mut records: Vec<Value> = old.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    for record in records.iter_mut() {
        let mut cost = costs(&record["cost"]);
        cost[0] += if record["variant"] == "base" { 10 } else { 30 };
        record["cost"] = cost.into();
    }
    let old: String = records
        .iter()
        .map(|r| {
            format!(
                "{r}
"
            )
        })
        .collect();
    std::fs::write(work.path("old/results.jsonl"), old).expect("writable");

    let args = ["@three.jsonl", "@again.jsonl", "--without", "or-disjoint", "-o", "@new", "--against", "@old"];
    let out = work.ablate(&args);
    assert_eq!(out.code, 0, "{}", out.stderr);
    assert!(
        out.stdout.contains("cost 3.0 there, 2.0 here; 1 answers differ, 0 are cheaper there, 1 are cheaper here"),
        "{}",
        out.stdout
    );
    assert!(out.stdout.contains("no results there of: again"), "{}", out.stdout);
    let report: Value = serde_json::from_str(&work.text("new/report.json")).expect("JSON");
    let earlier = &report["earlier"];
    assert_eq!(earlier["missing"], serde_json::json!(["again"]));
    assert_eq!(earlier["effects"][0]["variant"], "without or-disjoint");
    let effect = |name: &str| earlier["effects"][0][name].as_f64().expect("a number");
    assert_eq!((effect("there"), effect("here")), (3.0, 1.0));
    for (folder, code) in [("@nowhere", 74), ("@empty", 74)] {
        std::fs::create_dir_all(work.path("empty")).expect("writable");
        std::fs::write(
            work.path("empty/results.jsonl"),
            "{}
",
        )
        .expect("writable");
        assert_eq!(work.ablate(&["@three.jsonl", "--against", folder]).code, code);
    }
}

/// An expression under a condition, and two accesses that share a sum which neither would compute alone.
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
    let costlier = |name: &str| rows.iter().find(|r| r["variant"] == name).map(|r| r["costlier"].clone());
    assert_eq!(costlier("without contexts"), Some(1.into()), "{}", out.stdout);
    assert_eq!(work.ablate(&["@staged.jsonl", "--stages", "--each"]).code, 64);
}
