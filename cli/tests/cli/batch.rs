//! Tests of `quaff batch`.

use crate::quaff_program::{Talk, quaff, quaff_with};
use serde_json::Value;

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|l| serde_json::from_str(l).expect(l)).collect()
}

#[test]
fn one_answer_a_line_in_order() {
    let input: String = (1..=3000)
        .map(|n| {
            format!("{{\"id\": \"case {n}\", \"vars\": {{\"x\": [0, 9]}}, \"expr\": \"({n}*x + {n} - 1) // {n}\"}}\n")
        })
        .collect();
    for threads in ["0", "1", "3"] {
        let out = quaff_with(&["batch", "-", "-j", threads], input.as_bytes());
        assert_eq!((out.code, out.stderr.as_str()), (0, ""), "no progress bar in a file");
        let answers = lines(&out.stdout);
        assert_eq!(answers.len(), 3000);
        for (i, a) in answers.iter().enumerate() {
            assert_eq!(a["id"], format!("case {}", i + 1));
            assert_eq!((&a["ok"], &a["out"], &a["cuda"]), (&true.into(), &"x".into(), &"return x;".into()));
            assert!(a["us"].as_f64() > Some(0.0) && a["cost"] == 0.0 && a["stop"] == "saturated");
            // the input `(1*x + 0)//1` also costs nothing
            assert!(a["input_cost"].as_f64().is_some_and(|cost| cost > 0.0 || i == 0), "{a}");
        }
    }
}

#[test]
fn an_answer_has_the_fields_that_simplify_prints() {
    let line = r#"{"id": 7, "vars": {"x": [0, 99], "y": [0, null]}, "expr": "x%12//4 + y*y*y"}"#;
    let batch = lines(&quaff_with(&["batch", "-", "--verify"], line.as_bytes()).stdout).remove(0);
    let args = ["simplify", "x%12//4 + y*y*y", "--var", "x=0..99", "--var", "y=0..", "--json", "--verify"];
    let single: Value = serde_json::from_str(&quaff(&args).stdout).expect("valid JSON");
    let names: Vec<&str> = batch.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["id", "ok", "out", "us", "cost", "input_cost", "cuda", "cuda_why", "stop", "verified"],
        "{batch}"
    );
    for name in names.into_iter().skip(2) {
        assert!(name == "us" || batch[name] == single[name], "{name}: {batch} and {single}");
        assert!(single.get(name).is_some(), "{name}: {single}");
    }
}

#[test]
fn files_are_read_and_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
    // the last line has no line end
    std::fs::write(&input, "{\"id\": 1, \"vars\": {}, \"expr\": \"1 + 1\"}\n{\"expr\": \"7 // 2\"}").expect("writable");
    let out = quaff(&["batch", input.to_str().expect("UTF-8"), "-o", output.to_str().expect("UTF-8")]);
    assert_eq!((out.code, out.stdout.as_str()), (0, ""));
    let answers = lines(&std::fs::read_to_string(&output).expect("written"));
    assert_eq!((&answers[0]["id"], &answers[0]["out"]), (&1.into(), &"2".into()));
    assert_eq!((&answers[1]["id"], &answers[1]["out"]), (&Value::Null, &"3".into()));
    let missing = folder.path().join("no/such/folder");
    let out = quaff(&["batch", input.to_str().expect("UTF-8"), "-o", missing.to_str().expect("UTF-8")]);
    assert_eq!(out.code, 74);
}

#[test]
fn a_bad_line_costs_only_itself() {
    let deep = format!("{}x{}", "(".repeat(50_000), ")//2".repeat(50_000));
    let bad: Vec<(String, &str)> = vec![
        ("not json".into(), "not JSON"),
        ("[1, 2]".into(), "not a JSON object"),
        (r#"{"id": 4}"#.into(), "no text in the field `expr`"),
        (r#"{"id": 5, "vars": {"x": [0, 9]}, "expr": "x +"}"#.into(), "end of the text"),
        (r#"{"id": 6, "vars": {"x": [0, 9]}, "expr": "x + y"}"#.into(), "`y` is not declared"),
        (r#"{"id": 7, "vars": {"x": [0, 9]}, "expr": "3 // x"}"#.into(), "can be 0"),
        (r#"{"id": 8, "vars": {"x": [9, 0]}, "expr": "x"}"#.into(), "is empty"),
        (r#"{"id": 9, "vars": {"x": 9}, "expr": "x"}"#.into(), "two ends"),
        (r#"{"id": 10, "vars": {"x": [0, 0.5]}, "expr": "x"}"#.into(), "64-bit integer"),
        (r#"{"id": 11, "vars": {"x": [0, {}]}, "expr": "x"}"#.into(), "neither"),
        (r#"{"id": 12, "vars": {"x": [0, "n"]}, "expr": "x"}"#.into(), "`n`, which is not declared"),
        (r#"{"id": 13, "vars": [], "expr": "x"}"#.into(), "not an object"),
        (r#"{"id": 14, "vars": {"x": [0, 9]}, "expr": "x << 127"}"#.into(), "shift count"),
    ];
    let good = r#"{"id": "good", "vars": {"x": [0, 9], "y": [0, "x"], "z": [null, 3]}, "expr": "(x*10 + y) // 10"}"#;
    let mut input: Vec<u8> = Vec::new();
    for (line, _) in &bad {
        input.extend_from_slice(format!("{line}\n{good}\n").as_bytes());
    }
    input.extend_from_slice(b"{\"id\": \"\xff\"}\n");
    input.extend_from_slice(
        format!("{{\"id\": \"deep\", \"vars\": {{\"x\": [0, 9]}}, \"expr\": \"{deep}\"}}\n").as_bytes(),
    );
    let out = quaff_with(&["batch", "-"], &input);
    assert_eq!(out.code, 1);
    let answers = lines(&out.stdout);
    assert_eq!(answers.len(), 2 * bad.len() + 2);
    for (i, (line, why)) in bad.iter().enumerate() {
        let a = &answers[2 * i];
        assert_eq!(a["ok"], false, "{line}");
        assert!(a["why"].as_str().expect("a reason").contains(why), "{line}: {a}");
        assert_eq!((&answers[2 * i + 1]["id"], &answers[2 * i + 1]["out"]), (&"good".into(), &"x".into()), "{line}");
    }
    assert!(answers[2 * bad.len()]["why"].as_str().expect("a reason").contains("not JSON"));
    assert_eq!(answers[2 * bad.len() + 1]["ok"], true);
    let message = format!("{} of {} lines have no answer", bad.len() + 1, answers.len());
    assert!(out.stderr.contains(&message), "{}", out.stderr);
}

#[test]
fn an_empty_input_has_an_empty_output() {
    let out = quaff_with(&["batch", "-"], b"");
    assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (0, "", ""));
}

/// Sends lines, and returns the reasons why they have no answer.
fn whys(input: &str) -> Vec<String> {
    let out = quaff_with(&["batch", "-"], input.as_bytes());
    lines(&out.stdout).iter().map(|a| a["why"].as_str().unwrap_or("answered").to_string()).collect()
}

#[test]
fn errors_name_line_and_column_of_the_file() {
    let input = [
        "\u{feff}{\"expr\": \"1 +\"}",
        "",
        "   \t\r",
        "{\"expr\": 1 +}",
        r#"{"vars": {"x": [0, 9]}, "expr": "x + y"}"#,
        r#"{"vars": {"x": [0, 9]}, "expr": "\u0078 +\t3 // (x - 5)"}"#,
        r#"{"vars": {"x": [0, "n + 1"]}, "expr": "2"}"#,
        r#"{"vars": {"é": [0, 1]}, "expr": "2"}"#,
        r#"{"origin": "é\"", "vars": {"x": [0, "1 + / 2"]}, "expr": "x"}"#,
        r#"{"expr": 5}"#,
        r#"{"vars": {"x": [0, 9]}, "expr": "x"}"#,
    ];
    let expected = [
        "line 1, column 14: expected a number",
        "line 4, column 12: not JSON: expected",
        "line 5, column 38: the variable `y` is not declared",
        "line 6, column 50: the divisor `x - 5` can be 0",
        "line 7, column 10: a bound of `x` mentions `n`",
        "line 8, column 11: `é` cannot be the name of a variable",
        "line 9, column 42: an end of the range of `x`: `/` is not an operator",
        "line 10, column 10: there is no text in the field `expr`",
        "answered",
    ];
    let whys = whys(&input.join("\n"));
    assert_eq!(whys.len(), expected.len(), "blank lines have no answer: {whys:?}");
    for (why, expected) in whys.iter().zip(expected) {
        assert!(why.starts_with(expected), "{why}\n{expected}");
    }
}

#[test]
fn fields_say_what_is_known_of_the_variables() {
    let out = |line: &str| {
        let out = quaff_with(&["batch", "-"], line.as_bytes());
        lines(&out.stdout)[0].clone()
    };
    let known = [
        (r#"{"vars": {"n": [1, 64], "x": [0, 99]}, "assume": ["x < n"], "expr": "x//n"}"#, "0"),
        (r#"{"vars": {"n": [8, 64]}, "step": {"n": [8, 0]}, "expr": "n//8*8"}"#, "n"),
        (r#"{"vars": {"n": [9, 65]}, "step": {"n": [8, 1]}, "expr": "n%8"}"#, "1"),
        (r#"{"vars": {"n": [1, 64], "x": [0, 99]}, "symbolic": {"x": "n - 1"}, "expr": "x//n"}"#, "0"),
        (r#"{"vars": {"n": [0, 64], "x": [0, 99]}, "defined": true, "expr": "x//n*n + x%n"}"#, "x"),
        (
            r#"{"vars": {"bd": [32, 1024], "i": [0, 63], "t": [0, "bd - 1"]}, "assume": ["bd % 32 == 0"], "uniform": ["bd"],
                "loop": ["i"], "expr": "(t + i*bd)//32"}"#,
            "i*(bd//32) + t//32",
        ),
    ];
    for (line, text) in known {
        let answer = out(&line.replace('\n', " "));
        assert_eq!((&answer["ok"], &answer["out"]), (&true.into(), &text.into()), "{line}: {answer}");
        assert_eq!(
            answer["defined"] == true,
            line.contains("defined"),
            "an answer that relies on it says so: {answer}"
        );
    }
    let wrong = [
        (r#"{"vars": {"x": [0, 9]}, "assume": ["x +* 2"], "expr": "x"}"#, "expected a number"),
        (r#"{"vars": {"x": [0, 9]}, "assume": [3], "expr": "x"}"#, "not a text"),
        (r#"{"vars": {"x": [0, 9]}, "assume": "x", "expr": "x"}"#, "the field `assume` is not a list"),
        (r#"{"vars": {"x": [0, 9]}, "uniform": ["y"], "expr": "x"}"#, "the variable `y` has no range"),
        (r#"{"vars": {"x": [0, 9]}, "loop": ["y"], "expr": "x"}"#, "the variable `y` has no range"),
        (r#"{"vars": {"x": [0, 9]}, "step": {"x": [2]}, "expr": "x"}"#, "the step of `x` is not a list of two"),
        (r#"{"vars": {"x": [0, 9]}, "step": {"y": [2, 0]}, "expr": "x"}"#, "the variable `y` has no range"),
        (r#"{"vars": {"x": [0, 9]}, "symbolic": {"y": "x"}, "expr": "x"}"#, "the variable `y` has no range"),
        (r#"{"vars": {"x": [0, 9]}, "defined": 1, "expr": "x"}"#, "neither true nor false"),
        (r#"{"vars": {"n": [0, 64], "x": [0, 99]}, "expr": "x//n"}"#, "the divisor `n` can be 0"),
    ];
    for (line, why) in wrong {
        let answer = out(line);
        assert_eq!(answer["ok"], false, "{line}: {answer}");
        assert!(answer["why"].as_str().expect("a text").contains(why), "{line}: {answer}");
    }
}

#[test]
fn fields_that_change_the_meaning_are_refused_by_name() {
    let line = r#"{"id": "a", "vars": {"x": [0, 9]}, "expr": "x", "gate": null}"#;
    let out = quaff_with(&["batch", "-"], line.as_bytes());
    let answer = &lines(&out.stdout)[0];
    assert_eq!((out.code, &answer["id"], &answer["ok"]), (1, &"a".into(), &false.into()));
    assert!(answer["why"].as_str().expect("a text").contains("`gate` is not supported"), "{answer}");
    let twice = [
        (r#"{"expr": "1", "expr": "2"}"#, "column 15: the field `expr` is given twice"),
        (r#"{"id": 1, "expr": "1", "\u0069d": 2}"#, "column 24: the field `id` is given twice"),
        (r#"{"vars": {"x": [0, 1], "x": [0, 2]}, "expr": "x"}"#, "column 24: the variable `x` is given twice"),
        (r#"{"note": 1, "expr": "1", "note": 2}"#, "column 26: the field `note` is given twice"),
    ];
    for (line, why) in twice {
        assert_eq!(whys(line), [format!("line 1, {why}")]);
    }
    let others = r#"{"id": 1, "origin": {"a": 1, "a": [[[2]]]}, "expected": "x", "best": "x", "best_by": "us", "best_cost": 1e999,
        "loops": [], "kinds": {}, "gated": true, "idx": "x", "steps": 3, "vars": {"x": [0, 9]}, "expr": "x"}"#;
    let out = quaff_with(&["batch", "-"], others.replace('\n', " ").as_bytes());
    assert_eq!((out.code, out.stderr.as_str(), &lines(&out.stdout)[0]["out"]), (0, "", &"x".into()));
}

#[test]
fn a_slip_in_a_field_is_warned_of_once() {
    let line = r#"{"var": {"x": [0, 9]}, "Expr": "x", "assumes": [], "expr": "1", "vars": {}}"#;
    let out = quaff_with(&["batch", "-"], format!("{line}\n{line}\n").as_bytes());
    assert_eq!(out.code, 0, "{}", out.stdout);
    let warned: Vec<&str> = out.stderr.lines().filter_map(|l| l.split('`').nth(1)).collect();
    assert_eq!(warned, ["var", "Expr", "assumes"], "{}", out.stderr);
    assert!(out.stderr.contains("line 1: the field `var` is ignored; did you mean `vars`?"), "{}", out.stderr);
}

#[test]
fn each_line_is_answered_before_the_next_is_sent() {
    for more in [&[][..], &["--verify"], &["-j", "1"]] {
        let mut talk = Talk::start(&[&["batch", "-"][..], more].concat());
        for n in 1..=20 {
            talk.send(
                format!("{{\"id\": {n}, \"vars\": {{\"x\": [0, 9]}}, \"expr\": \"(x*{n} + x)//{}\"}}\n", n + 1)
                    .as_bytes(),
            );
            let answer: Value = serde_json::from_str(&talk.line()).expect("JSON");
            assert_eq!((&answer["id"], &answer["out"]), (&n.into(), &"x".into()));
        }
        assert_eq!(talk.end(), 0);
    }
}

#[test]
fn a_line_is_answered_while_the_next_is_half_sent() {
    let mut talk = Talk::start(&["batch", "-"]);
    talk.send(b"{\"id\": 1, \"expr\": \"1 + 1\"}\n{\"id\": 2, \"ex");
    assert!(talk.line().contains("\"out\":\"2\""));
    talk.send(b"pr\": \"2 + 1\"}\n\n\n{\"id\": 3, \"expr\": \"4\"}\n");
    assert!(talk.line().contains("\"out\":\"3\""));
    assert!(talk.line().contains("\"out\":\"4\""));
    assert_eq!(talk.end(), 0);
}

#[test]
fn expressions_and_accesses_of_a_kernel_are_answered_together() {
    let input = r#"{"id": "both", "vars": {"x": [0, 99]}, "exprs": ["x//7*7", "x%7"]}
{"id": "kernel", "vars": {"b": [0, 3], "k": [0, 7], "n": [1, 30]}, "kinds": {"b": "block", "k": "loop", "n": "size"}, "symbolic": {"k": "n - 1"}, "accesses": [{"expr": "b*8 + k//1", "gate": "(b*8 + k)*2 < 60", "buf": "in", "loops": ["k"]}, {"expr": "k", "gate": null}, {"expr": "b", "gate": "b < 9"}, {"expr": "b", "gate": "b > 9"}]}
"#;
    let out = quaff_with(&["batch", "-", "--verify"], input.as_bytes());
    assert_eq!(
        (out.code, out.stderr.lines().next()),
        (0, Some("verified: 2 equal exactly, 0 by another method, 0 undecided, 0 wrong"))
    );
    // the texts of expressions and of accesses are run
    let ran = out.stderr.lines().nth(1).unwrap_or_default();
    assert!(ran.starts_with("2 texts run at ") && ran.ends_with(", 0 wrong"), "{ran}");
    let answers = lines(&out.stdout);
    assert_eq!((&answers[0]["outs"], &answers[0]["gates"]), (&serde_json::json!(["x//7*7", "x%7"]), &Value::Null));
    assert_eq!(answers[1]["outs"], serde_json::json!(["b*8 + k", "k", "b", "0"]));
    assert_eq!(answers[1]["gates"], serde_json::json!(["b*8 + k < 30", null, null, "0"]));
    assert!(
        answers
            .iter()
            .all(|a| a["ok"] == true && a["cost"].as_f64() <= a["input_cost"].as_f64() && a["cuda"].is_string())
    );
}

#[test]
fn what_is_wrong_with_the_accesses_of_a_line_has_its_place() {
    let cases = [
        (
            r#"{"vars": {"b": [0, 3]}, "kinds": {"q": "loop"}, "accesses": []}"#,
            "line 1, column 35: the variable `q` has no range in the field `vars`",
        ),
        (
            r#"{"vars": {"b": [0, 3]}, "kinds": {"b": "lop"}, "accesses": []}"#,
            "line 1, column 40: the kind of `b` is none of `block`, `thread`, `loop`, `unroll`, `size` or `data`",
        ),
        (
            r#"{"vars": {"b": [0, 3]}, "accesses": [{"expr": "b*8 +"}]}"#,
            "line 1, column 53: expected a number, a name or `(`, found the end of the text",
        ),
        (
            r#"{"vars": {"b": [0, 3]}, "accesses": [{"expr": "b", "gate": "b//b > 1"}]}"#,
            "line 1, column 61: the divisor `b` can be 0: its range is 0..3",
        ),
        (
            r#"{"vars": {"b": [0, 3]}, "accesses": [{"gate": "b"}]}"#,
            "line 1, column 38: an access has no text in the field `expr`",
        ),
        (r#"{"vars": {"b": [0, 3]}, "accesses": [7]}"#, "line 1, column 38: an access is not an object"),
        (r#"{"vars": {"b": [0, 3]}, "accesses": 7}"#, "line 1, column 37: the field `accesses` is not a list"),
        (r#"{"assume": ["0"], "exprs": ["1"]}"#, "line 1, column 1: no point of the domain satisfies 0"),
        (r#"{"vars": {"b": [0, 3]}, "exprs": ["b", 7]}"#, "line 1, column 40: an expression is not a text"),
        (r#"{"vars": {"b": [0, 3]}, "exprs": ["b", "c"]}"#, "line 1, column 41: the variable `c` is not declared"),
        (
            r#"{"vars": {"b": [0, 3]}, "expr": "b", "exprs": ["b"]}"#,
            "line 1, column 38: the line has a field `expr` as well",
        ),
    ];
    for (line, why) in cases {
        assert_eq!(whys(line), [why], "{line}");
    }
}

/// An id comes back unchanged, also if it exceeds all number types, and whatever its text is.
#[test]
fn an_id_comes_back_as_it_is_written() {
    let ids = [
        "1e400",
        r#""\ud800""#,
        "123456789012345678901234567890",
        "1.0",
        r#"{"b": 1, "a": [2]}"#,
        "null",
        r#""\u0061""#,
    ];
    let input: String = ids.map(|id| format!("{{\"id\": {id}, \"vars\": {{}}, \"expr\": \"7\"}}\n")).concat();
    let out = quaff_with(&["batch", "-"], input.as_bytes());
    assert_eq!((out.code, out.stdout.lines().count()), (0, ids.len()), "{}", out.stderr);
    for (line, id) in out.stdout.lines().zip(ids) {
        assert!(line.starts_with(&format!("{{\"id\":{id},\"ok\":true,")), "{line}");
    }
}

#[test]
fn kinds_are_those_that_there_are() {
    let line = |kind: &str| format!(r#"{{"vars": {{"x": [0, 9]}}, "kinds": {{"x": "{kind}"}}, "expr": "x"}}"#);
    assert!(whys(&line("bogus"))[0].contains("the kind of `x` is none of `block`, `thread`"));
    assert_eq!(quaff_with(&["batch", "-"], line("loop").as_bytes()).code, 0);
}

#[test]
fn rules_stages_and_prices_are_others_where_they_are_named() {
    let input = "{\"vars\": {\"x\": [0, 6], \"y\": [0, 14]}, \"expr\": \"(x*2 + (x + y)//7)//3*7 + (x + y)%7\"}\n";
    let answer = |args: &[&str]| {
        let out = quaff_with(&[&["batch", "-"], args].concat(), input.as_bytes());
        assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{args:?}");
        lines(&out.stdout).remove(0)
    };
    let cost = |args: &[&str]| answer(args)["cost"].as_f64().expect("a cost");
    let all = cost(&[]);
    // the two quotients of (x*15 + y)//21*7 + (x*15 + y)%7 share one sum of x and y
    assert_eq!(cost(&["--without", "dags"]), all + 1.0);
    assert!(cost(&["--without", "mod-recovery"]) > all);
    assert_eq!(answer(&["--cost", "operations"])["cost"].as_f64().map(f64::fract), Some(0.0));
    let near = quaff_with(&["batch", "-", "--without", "mod-recovry"], input.as_bytes());
    assert!(near.code != 0 && near.stderr.contains("mod-recovery"), "{}", near.stderr);
}
