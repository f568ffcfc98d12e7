//! Tests with large inputs: each is answered or refused, and does not affect other inputs.

use crate::quaff_program::quaff_with;
use crate::shapes::large::sum_of_quotients;
use quaff::expr::Expr;

#[test]
fn a_hostile_line_of_a_batch_costs_itself_only() {
    let easy = r#"{"id": "easy", "vars": {"i": [0, 63], "j": [0, 15]}, "expr": "(i*16 + j)//16%4"}"#;
    let sum = sum_of_quotients(300).0;
    let vars = r#"{"x": [0, 999999], "y": [0, 999999]}"#;
    let hostile = format!(r#"{{"id": "hostile", "vars": {vars}, "expr": "{sum}"}}"#);
    let lines = format!("{easy}\n{hostile}\n{easy}\n");
    let run = quaff_with(&["batch", "-", "--work", "1000"], lines.as_bytes());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answers: Vec<serde_json::Value> = run.stdout.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let stops: Vec<&str> = answers.iter().filter_map(|a| a["stop"].as_str()).collect();
    assert_eq!(stops, ["saturated", "work limit", "saturated"]);
    assert_eq!(answers[0]["out"], "i%4");
    // at a limit, the best form found is a valid answer
    let out: Expr = answers[1]["out"].as_str().expect("text").parse().expect("an expression");
    for (x, y) in [(0, 0), (1, 2), (999_999, 999_999), (31_415, 926_535)] {
        let at = |v: &str| Some(if v == "x" { x } else { y });
        assert_eq!(out.eval(at), sum.eval(at));
    }
}

#[test]
fn deep_and_long_texts_are_answered_with_exit_code_0() {
    let n = 100_000;
    let texts = [
        format!("{}x{}", "(".repeat(n), ")".repeat(n)),
        format!("x{}", "%7".repeat(n)),
        format!("{}x < 5", "not ".repeat(n)),
        vec!["x"; n].join(" + "),
        vec!["x"; n].join("*"),
    ];
    for text in texts {
        let run = quaff_with(&["simplify", "-", "--json", "--var", "x=0..1"], text.as_bytes());
        assert_eq!(run.code, 0, "{}: {}", &text[..20], run.stderr);
        let answer: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert!(answer["nodes"].as_u64().is_some_and(|nodes| nodes < 1000), "{}", &text[..20]);
    }
}
