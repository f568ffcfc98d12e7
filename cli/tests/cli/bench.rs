//! Tests of `quaff bench extract`: extractors against the proved optimum, and writing and reading of e-graphs.

use crate::quaff_program::{quaff, quaff_with};
use crate::repository;
use serde_json::Value;

fn some_lines(name: &str, every: usize) -> String {
    let text = std::fs::read_to_string(repository("tests/data").join(name).with_extension("jsonl")).expect("a corpus");
    text.lines().step_by(every).map(|l| format!("{l}\n")).collect()
}

/// The report without times, which differ between runs.
fn report(args: &[&str], input: &str) -> Value {
    let out = quaff_with(&[&["bench", "extract", "--json"], args].concat(), input.as_bytes());
    assert_eq!((out.code, out.stderr.as_str()), (0, ""));
    without_times(serde_json::from_str(&out.stdout).expect("JSON"))
}

fn without_times(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.remove("ms");
            fields.values_mut().for_each(|v| *v = without_times(v.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|v| *v = without_times(v.take())),
        _ => {}
    }
    value
}

fn row<'a>(table: &'a Value, extractor: &str) -> &'a Value {
    let rows = table["rows"].as_array().expect("a list");
    rows.iter().find(|r| r["extractor"] == extractor).expect("a row")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn no_extractor_is_below_the_bound_and_the_exhaustive_search_finds_the_least() {
    let input = some_lines("tinygrad_kernels", 20);
    let found = report(&["-"], &input);
    let table = &found["tables"][0];
    let count = input.lines().count();
    assert_eq!((&table["what"], &table["egraphs"]), (&"instructions, effort 1".into(), &count.into()));
    let (bound, proved) = (number(&table["bound"]), table["proved"].as_u64().expect("a count"));
    for extractor in
        ["trees", "greedy-dag", "greedy-dag-backwards", "local-search", "branch-and-bound", "engine", "exhaustive"]
    {
        let row = row(table, extractor);
        assert!(number(&row["cost"]) >= bound, "{row}");
        assert!(row["optimal"].as_u64() <= row["least"].as_u64() && row["optimal"].as_u64() <= Some(proved), "{row}");
    }
    let cost = |extractor| number(&row(table, extractor)["cost"]);
    assert!(
        cost("engine") < cost("trees") && cost("local-search") < cost("trees") && cost("exhaustive") <= cost("engine")
    );
    assert_eq!(row(table, "exhaustive")["optimal"], table["proved"]);
    assert!(proved as usize * 20 >= count * 19, "{proved} of {count} are proved");
    // each e-graph is in one of the groups by size
    let groups = table["by_size"].as_array().expect("a list");
    let sum = |name: &str| groups.iter().map(|g| number(&g[name])).sum::<f64>();
    assert!(sum("egraphs") == count as f64 && (sum("bound") - bound).abs() < 1e-6 && groups.len() > 1);
    // apart from times, the report is the same for any number of threads
    assert_eq!(report(&["-", "-j", "1"], &input), found);
}

#[test]
fn models_and_efforts_are_tables() {
    let input = some_lines("inductor_kernels", 40);
    let args = ["-", "--cost", "operations,truncating", "--effort", "0,2", "--extractors", "trees,engine"];
    let found = report(&args, &input);
    let tables = found["tables"].as_array().expect("a list");
    let names: Vec<&str> = tables.iter().filter_map(|t| t["what"].as_str()).collect();
    let expected = ["operations, effort 0", "operations, effort 2", "truncating, effort 0", "truncating, effort 2"];
    assert_eq!(names, expected);
    for table in tables {
        assert_eq!(table["rows"].as_array().map(Vec::len), Some(2));
    }
    // with effort 2, the e-graphs have more forms. So the lower bound of the costs is at most that with effort 0
    assert!(number(&tables[1]["bound"]) <= number(&tables[0]["bound"]) + 1e-9);
}

#[test]
fn e_graphs_that_are_written_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    let input = some_lines("inductor_kernels", 40);
    let before = report(&["-", "--write", path], &input);
    let table = tempfile::NamedTempFile::new().expect("a file");
    let after = report(&["--egraphs", path, "--each", table.path().to_str().expect("UTF-8")], "");
    let each: Vec<csv::StringRecord> =
        csv::Reader::from_path(table.path()).and_then(|mut reader| reader.records().collect()).expect("CSV");
    let of = |extractor: &str| -> Vec<f64> {
        each.iter().filter(|r| &r[3] == extractor).map(|r| r[4].parse().expect("a cost")).collect()
    };
    for extractor in ["trees", "engine", "exhaustive"] {
        let sum: f64 = of(extractor).iter().sum();
        assert!((sum - number(&row(&after["tables"][0], extractor)["cost"])).abs() < 1e-6, "{extractor}: {sum}");
        assert_eq!(after["tables"][0]["egraphs"], of(extractor).len());
    }
    let (before, after) = (&before["tables"][0], &after["tables"][0]);
    assert_eq!((&before["egraphs"], &after["what"]), (&after["egraphs"], &"egraph-serialize".into()));
    // the order of classes decides between trees of the same cost. So the shared nodes may differ, but the optimal cost
    // does not
    let [cost, again] = [before, after].map(|table| number(&row(table, "exhaustive")["cost"]));
    assert!((cost - again).abs() < 1e-4 * cost, "{cost} {again}");
    for table in [before, after] {
        assert_eq!((&table["proved"], &row(table, "exhaustive")["optimal"]), (&table["egraphs"], &table["egraphs"]));
    }
    let files = std::fs::read_dir(path).expect("a folder").count();
    assert_eq!(before["egraphs"], files);
}

#[test]
fn what_has_no_e_graph_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    let none = quaff(&["bench", "extract", "--egraphs", path]);
    assert!(none.code == 1 && none.stderr.contains("there is no e-graph to extract from"), "{}", none.stderr);
    let node = r#"{"nodes": {"a": {"op": "x", "eclass": "1"}}, "root_eclasses": ["1"]}"#;
    std::fs::write(folder.path().join("good.json"), node).expect("writable");
    std::fs::write(folder.path().join("bad.json"), node.replace(r#"["1"]"#, "[]")).expect("writable");
    let out = quaff(&["bench", "extract", "--egraphs", path]);
    assert!(out.code == 1 && out.stderr.contains("bad.json") && out.stderr.contains("no roots"), "{}", out.stderr);
    assert!(out.stdout.starts_with("egraph-serialize: 1 e-graphs, 1 with a proved optimum\n"), "{}", out.stdout);
    let line = "{\"vars\": {\"x\": [0, 9]}, \"expr\": \"x//2\"}\n{\"expr\": \"?\"}\n";
    let out = quaff_with(&["bench", "extract", "-"], line.as_bytes());
    assert!(out.code == 1 && out.stdout.contains("1 e-graphs"), "{}", out.stderr);
    for (args, code) in [
        (&["bench", "extract"][..], 64),
        (&["bench", "extract", "no/such/file"], 74),
        (&["bench", "extract", "-", "--extractors", "magic"], 64),
        (&["bench", "extract", "-", "--egraphs", path], 64),
    ] {
        assert_eq!(quaff(args).code, code, "{args:?}");
    }
}

#[test]
fn plain_egg_finds_less_and_needs_more() {
    let input = some_lines("inductor_kernels", 80);
    let out = quaff_with(&["bench", "egg", "-", "--json", "--nodes", "500"], input.as_bytes());
    assert_eq!((out.code, out.stderr.as_str()), (0, ""));
    let report = without_times(serde_json::from_str(&out.stdout).expect("JSON"));
    assert_eq!(report["cases"], input.lines().count());
    let rows = report["rows"].as_array().expect("a list");
    let names: Vec<&str> = rows.iter().filter_map(|r| r["engine"].as_str()).collect();
    assert_eq!(
        names,
        ["plain egg", "plain egg, DAGs", "plain egg with ranges", "plain egg with ranges, DAGs", "quaff"]
    );
    let [others @ .., ours] = &rows[..] else { panic!("{report}") };
    let (cost, nodes) = (|r: &Value| number(&r["cost"]), |r: &Value| number(&r["median_nodes"]));
    // plain egg chooses trees without regard to sharing, so its answer may cost more than the question
    assert!(cost(ours) < number(&report["input"]));
    for other in others {
        assert!(cost(ours) < cost(other) && nodes(ours) < nodes(other), "{other}");
    }
    let again = quaff_with(&["bench", "egg", "-", "--json", "--nodes", "500", "-j", "1"], input.as_bytes());
    assert_eq!(without_times(serde_json::from_str(&again.stdout).expect("JSON")), report);
    let accesses = "{\"vars\": {\"x\": [0, 9]}, \"accesses\": [{\"expr\": \"x//2\", \"gate\": null}]}\n";
    let out = quaff_with(&["bench", "egg", "-"], accesses.as_bytes());
    assert!(out.code == 1 && out.stderr.contains("no line with a single expression"), "{}", out.stderr);
}

#[test]
fn pictures_are_drawn_and_no_corpus_is_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let (corpus, picture) = (folder.path().join("a.jsonl"), folder.path().join("a.svg"));
    let [corpus_name, picture_name] = [&corpus, &picture].map(|path| path.to_str().expect("UTF-8"));
    let line = "{\"vars\": {\"x\": [0, 999]}, \"expr\": \"x%7 + x\"}\n";
    std::fs::write(&corpus, line).expect("a file");
    for (command, labels) in [("extract", ["trees", "engine"]), ("egg", ["as written", "plain egg, DAGs"])] {
        let out = quaff(&["bench", command, corpus_name, "--svg", picture_name]);
        assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{command}");
        let drawn = std::fs::read_to_string(&picture).expect("a picture");
        assert!(drawn.starts_with("<svg") && labels.iter().all(|label| drawn.contains(label)), "{command}: {drawn}");
        assert_eq!(quaff(&["bench", command, corpus_name, "--svg", corpus_name]).code, 64, "{command}");
    }
    assert_eq!(quaff(&["bench", "extract", corpus_name, "--each", corpus_name]).code, 64);
    assert_eq!(std::fs::read_to_string(&corpus).expect("the corpus"), line);
}
