//! `quaff batch`, run as a program.
#![cfg(feature = "cli")]

mod quaff_program;

use quaff_program::{quaff, quaff_with};
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
        }
    }
}

#[test]
fn files_are_read_and_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, output) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
    // the last line without its end
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
        ("".into(), "not JSON"),
        ("[1, 2]".into(), "no text in the field `expr`"),
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
        (r#"{"id": 14, "vars": {"x": [0, 9]}, "expr": "x*9223372036854775807*99"}"#.into(), "64 bits"),
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
