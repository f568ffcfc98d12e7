//! Inputs with a slip (a likely mistake of the user), and the buttons that correct the slip.

use super::{ask, changed, html, pressed, problem, problems};
use serde_json::{Value, json};

fn label(fix: &Value) -> &str {
    fix["label"].as_str().expect("text")
}

#[test]
fn a_text_of_c_is_read_as_c_by_a_button() {
    let state = json!({"text": "a > 3 ? a / 4 : 0", "vars": ["a=0..99"]});
    let found = ask("answer", &state);
    let fix = &problem(&found)["fixes"][0];
    assert_eq!(label(fix), "read as c");
    let mended = ask("answer", &changed(&state, &fix["set"]));
    assert!(problems(&mended).is_empty() && html(&mended).contains("return a &gt;&gt; 2;"), "{mended}");
    // no language can read this text
    let wrong = ask("answer", &json!({"text": "a +* 3", "vars": ["a=0..99"]}));
    assert_eq!(problem(&wrong)["fixes"], json!([]));
}

#[test]
fn the_fix_of_a_divisor_leaves_0_out() {
    let state = json!({"text": "a//n + b"});
    let found = ask("answer", &state);
    let labels: Vec<&str> = problems(&found).iter().map(|p| label(&p["fixes"][0])).collect();
    assert_eq!(labels, ["a=0..1023", "n=1..1023", "b=0..1023"]);
    let all = &problems(&found)[0]["fixes"][1];
    assert_eq!(label(all), "all up to 1023");
    assert!(problems(&ask("answer", &changed(&state, &all["set"]))).is_empty());
}

#[test]
fn a_division_by_0_is_named() {
    let found = ask("answer", &json!({"text": "a//0", "vars": ["a=0..9"]}));
    let found = problem(&found);
    assert_eq!((&found["message"], &found["from"], &found["to"]), (&json!("the divisor is 0"), &json!(3), &json!(4)));
}

#[test]
fn a_text_that_ends_early_is_underlined_at_its_end() {
    for (text, from) in [("n +", 2), ("n + ", 2), ("(n", 0), ("{\"vars\": {}, \"accesses\": [", 25)] {
        let found = ask("answer", &json!({"text": text, "vars": ["n=0..9"]}));
        let found = problem(&found);
        assert_eq!((&found["from"], &found["to"]), (&json!(from), &json!(from + 1)), "{text}: {found}");
    }
}

#[test]
fn ranges_of_other_notations_are_refused() {
    for (range, says) in [("i=0..2^31", "exclusive or"), ("i=0-47", "`..` between the ends")] {
        let found = ask("answer", &json!({"text": "i//4", "vars": [range]}));
        let found = problem(&found);
        assert!(found["message"].as_str().expect("text").contains(says), "{found}");
        assert_eq!(found["field"], "vars");
    }
    // a range with a single value is not a slip, and neither is an end that is a difference
    for range in ["i=48", "i=-5", "i=0..48 - 1"] {
        assert!(problems(&ask("answer", &json!({"text": "i//4", "vars": [range]}))).is_empty(), "{range}");
    }
}

#[test]
fn a_variable_that_nothing_uses_has_a_note() {
    let state = json!({"text": "i//4", "vars": ["i=0..n", "n=1..9", "old=0..3", "k=0..7"], "assume": ["loop k"]});
    let found = ask("answer", &state);
    let note = problem(&found);
    assert_eq!((&note["message"], &note["severity"]), (&json!("no expression uses `old`"), &json!("warning")));
    assert!(!html(&found).is_empty());
    assert!(problems(&ask("answer", &changed(&state, &note["fixes"][0]["set"]))).is_empty());
}

#[test]
fn what_is_no_command_has_a_reason() {
    let state = json!({"text": "i//4", "vars": ["i=0..99"], "without": ["fold"]});
    for (view, state, field) in [
        ("memory", json!({"text": "i", "vars": ["i=0..4095"]}), "command"),
        ("answer", json!({"text": "i", "vars": ["i=0..31", "k=0..3"], "assume": ["computed i in k"]}), "command"),
        ("answer", json!({"text": ""}), "command"),
        ("answer", state, "command"),
        ("memory", json!({"text": "i\nj", "vars": ["i=0..31", "j=0..3"]}), "python"),
        ("kernel", json!({"text": "i", "vars": ["i=0..31"]}), "python"),
        ("answer", json!({"text": "void f(int* x) { x[0] = 1; }", "from": "c"}), "python"),
        ("answer", json!({"text": "i/4", "from": "c", "vars": ["i=0..31"]}), "python"),
    ] {
        let found = ask(view, &state);
        let why = format!("{field}_why");
        assert!(found[field] == "" && !found[&why].as_str().expect("text").is_empty(), "{view} of {state}: {found}");
    }
    let found = ask("answer", &json!({"text": "i//4", "vars": ["i=0..31"], "uniform": ["i"], "assume": ["loop i"]}));
    assert_eq!((&found["command_why"], &found["python_why"]), (&json!(""), &json!("")));
    assert!(found["python"].as_str().expect("text").contains("\"i=0..31, invariant i, loop i\""), "{found}");
}

#[test]
fn values_of_a_source_have_views_of_their_own() {
    let text = "__global__ void f(float* x, int n) {\n  int r = threadIdx.x / 32;\n  for (int k = 0; k < 8; k++) x[r * n + k] = 0;\n}\n";
    let state = json!({"text": text, "vars": ["n=1..64"]});
    let found = ask("kernel", &state);
    let rows: Vec<(&str, &str)> = found["variables"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|v| (v["name"].as_str().expect("text"), v["text"].as_str().expect("text")))
        .collect();
    assert!(rows.contains(&("threadIdx.x", "0..1023")) && rows.contains(&("n", "1..64")), "{rows:?}");
    assert!(rows.iter().all(|(name, _)| *name != "k"), "{rows:?}");
    let alone = pressed(&state, html(&found), |set| set["text"] == "threadIdx.x//32*n + k");
    assert_eq!(alone["vars"], json!(["n=1..64", "threadIdx.x=0..1023", "k=0..7"]));
    for view in ["answer", "story", "memory"] {
        let alone = pressed(&state, html(&found), |set| {
            set["view"] == view && set["text"].as_str().is_some_and(|t| t == "threadIdx.x//32*n + k")
        });
        let mut input = alone.clone();
        input.as_object_mut().expect("fields").remove("view");
        let shown = ask(view, &input);
        assert!(problems(&shown).iter().all(|p| p["severity"] == "warning"), "{view} of {alone}: {shown}");
        assert!(html(&shown).len() > 300, "{view} of {alone}: {shown}");
    }
}

#[test]
fn all_expressions_have_their_conflicts() {
    let state = json!({"text": "t*32\nt\nt*2", "vars": ["t=0..31"]});
    let found = ask("memory", &state);
    for degree in ["32-way", "1-way", "2-way"] {
        assert!(html(&found).contains(&format!("<td class=\"number\">{degree}</td>")), "{degree}: {found}");
    }
    let second = pressed(&state, html(&found), |set| set["access"] == 1);
    assert!(html(&ask("memory", &second)).contains("no bank conflict"));
}

#[test]
fn a_lane_that_is_guessed_has_a_warp_of_values() {
    let found = ask("memory", &json!({"text": "a*4 + b", "vars": ["a=0..63", "b=0..2"]}));
    assert!(html(&found).contains("It is a guess that <code>a</code> counts the lanes"), "{found}");
    let found = ask("memory", &json!({"text": "a*64 + b", "vars": ["a=0..63", "b=0..63"]}));
    assert!(html(&found).contains("It is a guess that <code>b</code> counts the lanes"), "{found}");
}

#[test]
fn conditions_are_marked_in_their_row() {
    let never = ask("answer", &json!({"text": "x", "vars": ["x=0..99"], "assume": ["x > 50", "x < 10", ""]}));
    assert_eq!((&problem(&never)["field"], &problem(&never)["line"]), (&json!("assume"), &json!(1)), "{never}");
    let assigned = ask("answer", &json!({"text": "x", "from": "c", "vars": ["x=0..99"], "assume": ["x = 3"]}));
    assert_eq!(
        (&problem(&assigned)["field"], &problem(&assigned)["help"]),
        (&json!("assume"), &json!("`==` compares"))
    );
}

#[test]
fn a_source_file_has_a_button_for_its_view() {
    let state = json!({"text": "__global__ void f(int* x) { x[threadIdx.x / 4 * 4 + threadIdx.x % 4] = 0; }"});
    for view in ["answer", "story", "memory"] {
        let found = ask(view, &state);
        assert_eq!(problem(&found)["fixes"][0]["set"], json!({"view": "kernel"}), "{view}: {found}");
    }
}

#[test]
fn an_answer_of_the_same_cost_is_called_so() {
    let same = |text: &str, vars: &[&str]| ask("answer", &json!({"text": text, "vars": vars}));
    let kept = same("x//7", &["x=0..99"]);
    assert!(kept["html"].as_str().expect("text").contains("No cheaper form was found."), "{kept}");
    let other = same("y%4*4 + y//4", &["y=0..15"]);
    assert!(other["html"].as_str().expect("text").contains("another form of the same cost"), "{other}");
    let none = ask("rules", &json!({"text": "x", "vars": ["x=0..99"]}));
    assert!(none["html"].as_str().expect("text").contains("No rule fired."), "{none}");
}

#[test]
fn a_syntax_error_in_a_source_file_is_marked_at_its_place() {
    let text = "// é\n__global__ void f(int *p) {\n  p[(threadIdx.x * 8 / 8] = 1;\n}\n";
    let found = ask("kernel", &json!({"text": text, "from": "cuda"}));
    let problem = problem(&found);
    assert_eq!((&problem["field"], &problem["severity"]), (&json!("text"), &json!("warning")));
    let units: Vec<u16> = text.encode_utf16().collect();
    let end = |name: &str| problem[name].as_u64().expect("a place") as usize;
    let marked = String::from_utf16(&units[end("from")..end("to")]).expect("text");
    assert_eq!(marked, "  p[(threadIdx.x * 8 / 8");
    assert!(html(&found).contains("left as written"), "{found}");
    // places in a kernel that quaff can read are only listed, without a warning
    let read = "__global__ void f(int *p) { p[threadIdx.x * 8 / 8] = g(p[0] / 2); }";
    assert!(problems(&ask("kernel", &json!({"text": read, "from": "cuda"}))).is_empty());
}
