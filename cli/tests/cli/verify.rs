//! Tests of `quaff verify` and `--verify`.

use crate::quaff_program::{Run, quaff, quaff_with};
use crate::repository;
use serde_json::Value;
use std::path::Path;

fn json(out: &Run) -> Value {
    serde_json::from_str(&out.stdout).expect("valid JSON")
}

/// A folder with one wrong rule.
fn careless_rules() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let rule = "(rule careless \"x // n is taken for x\" (match (// ?x #n)) (when (> #n 1)) (yield ?x))\n";
    std::fs::write(folder.path().join("careless.rules"), rule).expect("writable");
    folder
}

fn utf8(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn the_verdict_is_printed_and_is_the_exit_code() {
    let equal = quaff(&["verify", "(i*512 + j) // 512", "i", "--var", "i=0..1023", "--var", "j=0..511"]);
    assert_eq!((equal.code, equal.stdout.as_str(), equal.stderr.as_str()), (0, "equal\n", ""));
    let differs = quaff(&["verify", "x // 4 * 4", "x - 1", "--var", "x=0..99"]);
    assert_eq!((differs.code, differs.stdout.as_str()), (1, "different at x = 0: 0 but -1\n"));
    let none = ["verify", "x*y//z", "y*(x*x//(x*z))", "--var", "x=1..", "--var", "y=1", "--var", "z=1.."];
    let undecided = quaff(&[&none[..], &["--solver-timeout", "0"]].concat());
    assert_eq!(undecided.code, 2, "{}", undecided.stdout);
    assert!(undecided.stdout.starts_with("undecided: "), "{}", undecided.stdout);
}

#[test]
fn symbolic_ends_and_standard_input_are_understood() {
    let args = ["verify", "-", "x", "--var", "x=..", "--var", "n=1..64", "--var", "c=0..n-1"];
    assert_eq!(quaff_with(&args, b"(x*n + c) // n\n").code, 0);
    assert_eq!(quaff(&["verify", "-x", "0-x", "--var", "x=.."]).code, 0, "a leading minus is no option");
}

#[test]
fn json_has_the_witness_and_the_method() {
    let out = quaff(&["verify", "x // 4 * 4", "x - x%5", "--var", "x=0..99", "--json"]);
    let v = json(&out);
    assert_eq!((out.code, &v["verdict"], &v["method"]), (1, &"differs".into(), &"exact".into()));
    let x = v["witness"]["x"].as_i64().expect("a point");
    assert_eq!((v["first"].as_i64(), v["second"].as_i64()), (Some(x / 4 * 4), Some(x - x % 5)));
    let equal = json(&quaff(&["verify", "x", "x", "--var", "x=0..99", "--json"]));
    assert_eq!(equal["verdict"], "equal");
    assert!(equal["points"].is_u64() && equal["witness"].is_null());
    let no_value = json(&quaff(&["verify", "x", "x + 0//x", "--var", "x=0..99", "--json"]));
    assert!(no_value["second"].is_null() && no_value["second_why"].is_string(), "{no_value}");
    let wide = json(&quaff(&["verify", "x*x*4", "x", "--var", "x=4611686018427387904", "--json"]));
    assert_eq!(wide["first"], "85070591730234615865843651857942052864", "digits where a number would be rounded");
    let few = ["verify", "x*y*(x > y)", "y*x*(y < x)*1", "--var", "x=0..", "--var", "y=0..", "--json"];
    let few = json(&quaff(&[&few[..], &["--max-points", "4", "--solver-timeout", "0"]].concat()));
    assert!(few["verdict"] == "equal" || few["why"].is_string(), "{few}");
}

#[test]
fn input_that_cannot_be_used_is_shown_with_its_place() {
    let var = ["--var", "x=0..9"];
    for (args, shown) in [
        (&["verify", "x +", "x"][..], "[first expression:1:4]"),
        (&["verify", "x", "x )"], "[second expression:1:"),
        (&["verify", "x", "x + y"], "the variable `y` is not declared"),
        (&["verify", "x", "x + y"], "[second expression:1:5]"),
        (&["verify", "x", "x", "--var", "z=9..0"], "is empty"),
        (&["verify", "x", "x", "--var", "z=9...0"], "z=9...0"),
        (&["verify", "x"], "<B>"),
        (&["verify", "x", "x", "--solver-timeout=-1"], "solver-timeout"),
        (&["verify", "x", "x", "--max-points", "many"], "max-points"),
    ] {
        let out = quaff(&[args, &var[..]].concat());
        assert_eq!((out.code, out.stdout.as_str()), (64, ""), "{args:?}");
        assert!(out.stderr.contains(shown), "{args:?}: {}", out.stderr);
    }
}

#[test]
fn a_right_answer_passes_quietly() {
    let args = ["simplify", "(i*4 + j)//4", "--var", "i=0..9", "--var", "j=0..3", "--verify"];
    let out = quaff(&args);
    assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (0, "i\n", ""));
    assert_eq!(json(&quaff(&[&args[..], &["--json"]].concat()))["verified"], "equal");
    assert!(json(&quaff(&[&args[..6], &["--json"]].concat()))["verified"].is_null(), "only when asked for");
}

#[test]
fn a_wrong_answer_is_reported_and_the_input_returned() {
    let folder = careless_rules();
    let args = ["simplify", "x//3 + y", "--var", "x=0..9", "--var", "y=0..9", "--rules", utf8(folder.path())];
    let without = quaff(&[&args[..], &["--trust-rules"]].concat());
    assert_eq!((without.code, without.stdout.as_str()), (0, "y\n"), "the rule is as careless as it should be");
    let by_default = quaff(&args);
    assert_eq!((by_default.code, by_default.stdout.as_str()), (65, ""), "a rule that is wrong is not used");
    for part in
        ["/careless.rules:1:1 is wrong\n  input:  ", "\n  before: ", "\n  after:  ", "\n  at:     ", "--trust-rules"]
    {
        assert!(by_default.stderr.contains(part), "{part}: {}", by_default.stderr);
    }
    let args = [&args[..], &["--trust-rules"]].concat();
    let with = quaff(&[&args[..], &["--verify"]].concat());
    assert_eq!((with.code, with.stdout.as_str()), (65, "x//3 + y\n"));
    let named = format!("the rule `careless` of {}/careless.rules:1:1 is wrong", utf8(folder.path()));
    for part in [named.as_str(), "different at x = 3, y = 0: 1 but 0", "careless: "] {
        assert!(with.stderr.contains(part), "{part}: {}", with.stderr);
    }
    assert!(!with.stderr.contains("report"), "a rule of the user is no bug to report: {}", with.stderr);
    let with = quaff(&[&args[..], &["--verify", "--json"]].concat());
    let v = json(&with);
    assert_eq!((with.code, &v["out"]), (65, &"x//3 + y".into()));
    assert!(v["verified"].as_str().expect("a text").starts_with("wrong: different at "), "{v}");
    assert_eq!((&v["cost"], &v["wrong_rules"]), (&v["input_cost"], &serde_json::json!(["careless"])));
}

/// Every command checks its answers if it uses rules that are not built in. With `--trust-rules`, it does not.
#[test]
fn answers_under_own_rules_are_verified_by_default() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "(rule five \"for the test\" (match (// ?x 77)) (yield 5))\n";
    std::fs::write(folder.path().join("own.rules"), text).expect("writable");
    let rules = ["--add-rules", utf8(folder.path())];
    let [x, range] = ["--var", "x=0..999"];
    let accesses = r#"{"vars": {"x": [0, 999]}, "accesses": [{"expr": "x//77", "gate": "x < 700"}]}"#;
    let one = r#"{"vars": {"x": [0, 999]}, "expr": "x//77"}"#;
    let several = r#"{"vars": {"x": [0, 999]}, "exprs": ["x + 1", "x//77"]}"#;
    for (args, input, trusted) in [
        (&["simplify", "x//77", x, range][..], "", "5\n"),
        (&["access", "x//77", x, range], "", "v = in[5]\n"),
        (&["access", "x", "--gate", "x//77 < 3", x, range], "", "v = 0\n"),
        (&["access", "x", "--lane", "x//77 + 1", x, range], "", "in[6]"),
        (&["kernel", "-"], accesses, "[5]"),
        (&["batch", "-"], one, "\"out\":\"5\""),
        (&["batch", "-"], several, "\"outs\":[\"x + 1\",\"5\"]"),
        (&["batch", "-"], accesses, "\"outs\":[\"5\"]"),
    ] {
        let out = quaff_with(&[args, &rules].concat(), input.as_bytes());
        assert_eq!(out.code, 65, "{args:?}: {}{}", out.stdout, out.stderr);
        assert!(out.stderr.contains("the rule `five` of "), "{args:?}: {}", out.stderr);
        assert!(!out.stderr.contains("internal error"), "{args:?}: {}", out.stderr);
        assert!(!out.stdout.contains(trusted), "{args:?}: {}", out.stdout);
        let out = quaff_with(&[args, &rules, &["--trust-rules"]].concat(), input.as_bytes());
        assert_eq!(out.code, 0, "{args:?}: {}{}", out.stdout, out.stderr);
        assert!(out.stdout.contains(trusted), "{args:?}: {}", out.stdout);
    }
    // a correct rule, and the built-in rules read from a folder, give the usual answers
    let right = text.replace("(yield 5)", "(yield (// (* 3 ?x) 231))");
    std::fs::write(folder.path().join("own.rules"), right).expect("writable");
    let out = quaff(&[&["access", "x//77", x, range][..], &rules].concat());
    assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{}", out.stdout);
    let built_in = repository("rules");
    let out = quaff(&["simplify", "x//77", x, range, "--json", "--rules", utf8(&built_in)]);
    assert!(out.code == 0 && !out.stdout.contains("verified"), "{}", out.stdout);
}

/// A wrong rule is named whether it replaces the built-in rules or is added to them. This holds for any step that the
/// rule makes, and if other rules are present.
#[test]
#[ignore = "a campaign"]
fn a_wrong_rule_of_the_user_is_named() {
    wrong_rules_are_named("--rules");
}

#[test]
fn a_wrong_rule_beside_the_shipped_ones_is_named() {
    wrong_rules_are_named("--add-rules");
}

fn wrong_rules_are_named(option: &str) {
    let constant = "(rule five \"for the test\" (match (// ?x 77)) (yield 5))";
    let right = "(rule fine \"floor division composes\" (match (// (// ?x... #a) #b)) (when (> #a 0) (> #b 0)) \
                 (yield (// ?x (* #a #b))))";
    let masked = "(rule masked \"for the test\" (match (min ?x #n)) (yield ?x))";
    let replaced = "(rule nested-division \"for the test\" (match (// ?x 77)) (yield 0))";
    for (rules, expr, named) in [
        (vec![constant], "x//77 + x%5", &["five"][..]),
        (vec![right, constant], "x//7//11", &["five"]),
        (vec![masked, right], "where(x > 500, min(x, 700), 3)", &["masked"]),
        (vec![replaced], "x//77*3", &["nested-division"]),
        (vec![constant, masked], "x//77 + min(x, 3)", &["five", "masked"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("own.rules"), rules.join("\n")).expect("writable");
        let given = ["--var", "x=0..999", "--trust-rules", option, utf8(folder.path())];
        let out = quaff(&[&["simplify", expr, "--verify", "--json"][..], &given].concat());
        assert_eq!(out.code, 65, "{option} {expr}: {}", out.stderr);
        let blamed: Vec<String> = serde_json::from_value(json(&out)["wrong_rules"].clone()).expect("names");
        assert!(!blamed.is_empty() && blamed.iter().all(|b| named.contains(&b.as_str())), "{expr}: {blamed:?}");
        for name in blamed {
            assert!(out.stderr.contains(&format!("the rule `{name}` of ")), "{expr}: {}", out.stderr);
        }
        let explained = quaff(&[&["explain", expr][..], &given].concat());
        assert_eq!(explained.code, 65, "{option} {expr}: {}", explained.stderr);
        let error = &explained.stderr;
        assert!(error.contains("own.rules:") && !error.contains("report"), "{error}");
        let line = format!("{{\"vars\": {{\"x\": [0, 999]}}, \"expr\": \"{expr}\"}}\n{{\"expr\": \"?\"}}\n");
        let batch =
            quaff_with(&["batch", "-", "--verify", "--trust-rules", option, utf8(folder.path())], line.as_bytes());
        assert_eq!(batch.code, 65, "{option} {expr}: {}", batch.stderr);
        assert!(batch.stdout.contains("\"wrong_rules\":[") && !batch.stderr.contains("report"), "{}", batch.stderr);
    }
}

#[test]
fn a_batch_counts_what_was_verified() {
    let corpus = repository("tests/data/tinygrad_kernels.jsonl");
    let corpus = std::fs::read_to_string(corpus).expect("there");
    let input: String = corpus.lines().step_by(50).flat_map(|l| [l, "\n"]).collect();
    let out = quaff_with(&["batch", "-", "--verify"], input.as_bytes());
    let count = input.lines().count();
    assert_eq!(out.code, 0, "{}", out.stderr);
    let points = count * 512;
    assert_eq!(
        out.stderr,
        format!(
            "verified: {count} equal exactly, 0 by another method, 0 undecided, 0 wrong\n\
             {count} texts run at {points} points, 0 wrong\n"
        )
    );
    for line in out.stdout.lines() {
        let v: Value = serde_json::from_str(line).expect(line);
        assert_eq!((&v["ok"], &v["verified"]), (&true.into(), &"equal".into()), "{line}");
    }
}

#[test]
fn a_batch_returns_the_input_for_wrong_answers_and_goes_on() {
    let folder = careless_rules();
    let input = concat!(
        "{\"id\": \"good\", \"vars\": {\"x\": [0, 9]}, \"expr\": \"x + 0\"}\n",
        "{\"id\": \"wrong\", \"vars\": {\"x\": [0, 9]}, \"expr\": \"x//3\"}\n",
        "{\"id\": \"bad\", \"vars\": {\"x\": [0, 9]}, \"expr\": \"3 //\"}\n",
        "{\"id\": \"open\", \"vars\": {\"x\": [0, null], \"y\": [1, null]}, \"expr\": \"(x*y + y)//y\"}\n",
    );
    let rules = ["--trust-rules", "--rules", utf8(folder.path()), "--solver-timeout", "0"];
    let out = quaff_with(&[&["batch", "-", "--verify"][..], &rules].concat(), input.as_bytes());
    assert_eq!(out.code, 65);
    assert!(out.stderr.contains("careless: ") && out.stderr.contains("\"wrong\""), "{}", out.stderr);
    assert!(out.stderr.contains(" 1 wrong"), "{}", out.stderr);
    let lines: Vec<Value> = out.stdout.lines().map(|l| serde_json::from_str(l).expect(l)).collect();
    assert_eq!((&lines[0]["out"], &lines[0]["verified"]), (&"x".into(), &"equal".into()));
    assert_eq!((&lines[1]["ok"], &lines[1]["out"]), (&true.into(), &"x//3".into()));
    assert!(lines[1]["verified"].as_str().expect("a text").starts_with("wrong: "), "{}", lines[1]);
    assert_eq!((&lines[2]["ok"], &lines[2]["verified"]), (&false.into(), &Value::Null));
    assert_eq!(lines[3]["ok"], true);
}

#[test]
fn a_batch_returns_the_inputs_of_a_kernel_whose_answers_are_wrong() {
    let folder = careless_rules();
    let input = concat!(
        "{\"id\": \"exprs\", \"vars\": {\"x\": [0, 9]}, \"exprs\": [\"x + 0\", \"x//3\"]}\n",
        "{\"id\": \"index\", \"vars\": {\"x\": [0, 9]}, \"accesses\": [{\"expr\": \"x//3\"}]}\n",
        "{\"id\": \"gate\", \"vars\": {\"x\": [0, 9]}, \"accesses\": [{\"expr\": \"x\", \"gate\": \"x//3 == 1\"}]}\n",
        "{\"id\": \"good\", \"vars\": {\"x\": [0, 9]}, \"accesses\": [{\"expr\": \"x + 0\", \"gate\": \"x < 5\"}]}\n",
    );
    let rules = ["--trust-rules", "--rules", utf8(folder.path()), "--solver-timeout", "0"];
    let out = quaff_with(&[&["batch", "-", "--verify"][..], &rules].concat(), input.as_bytes());
    assert_eq!(out.code, 65, "{}", out.stderr);
    let lines: Vec<Value> = out.stdout.lines().map(|l| serde_json::from_str(l).expect(l)).collect();
    assert_eq!(lines[0]["outs"], serde_json::json!(["x + 0", "x//3"]));
    assert_eq!(lines[1]["outs"], serde_json::json!(["x//3"]));
    assert_eq!(lines[2]["gates"], serde_json::json!(["x//3 == 1"]));
    for wrong in &lines[..3] {
        assert!(wrong["verified"].as_str().expect("a text").starts_with("wrong: "), "{wrong}");
        assert_eq!(wrong["wrong_rules"], serde_json::json!(["careless"]), "{wrong}");
    }
    assert_eq!((&lines[3]["outs"], &lines[3]["verified"]), (&serde_json::json!(["x"]), &"equal".into()));
}

/// Every expression is equal to itself. This holds for large expressions, for any ranges, and if some points have no
/// value.
#[test]
fn an_expression_is_equal_to_itself() {
    let long = (0..20_000).map(|k| format!("x%{}//y", k + 2)).collect::<Vec<_>>().join("^");
    let short: String = long.chars().take(100_000).collect();
    let end = short.rfind('^').expect("more than one term");
    for text in ["x//y", "x*y*(x > y)", "1 << x*y", &short[..end]] {
        let out = quaff(&["verify", text, text, "--var", "x=..", "--var", "y=..", "--solver-timeout", "0"]);
        assert_eq!((out.code, out.stdout.as_str()), (0, "equal\n"), "{text:.60}");
    }
}

/// A check that reaches a limit reports the limit as its reason. It never exhausts the memory.
#[test]
fn many_quotients_are_compared() {
    let terms: Vec<String> = (0..30_000).map(|k| format!("(x + {k})//{}", k + 2)).collect();
    let forth = terms.join(" + ");
    let args = ["verify", "-", "x", "--var", "x=0..99", "--max-steps", "30000", "--max-evaluations", "1000"];
    let out = quaff_with(&[&args[..], &["--solver-timeout", "0"]].concat(), forth.as_bytes());
    assert_eq!(out.code, 1, "{}", out.stderr);
    let same = format!("0 + {forth}");
    let out = quaff_with(&["verify", "-", "x", "--var", "x=0..99"], same.as_bytes());
    assert_eq!((out.code, out.stderr.as_str()), (1, ""), "{}", out.stdout);
    let bits: Vec<String> = (0..30_000).map(|k| format!("(x ^ {k})")).collect();
    let args = ["verify", "-", "x", "--var", "x=0", "--max-steps", "3000", "--max-evaluations", "10"];
    let zero = format!("x + 0*({})", bits.join("+"));
    let out = quaff_with(&[&args[..], &["--solver-timeout", "0"]].concat(), zero.as_bytes());
    assert_eq!(
        (out.code, out.stdout.as_str()),
        (2, "undecided: more than 3000 steps of algebra would have to be taken\n")
    );
}

/// A rule that is wrong only for numbers near the ends of the range of `long long`. No procedure and no sample of the
/// expression detects the error.
fn far_rules() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let rule =
        "(rule far \"the highest bit is taken for 0\" (match (& ?x #n)) (when (> #n 4611686018427387903)) (yield 0))\n";
    std::fs::write(folder.path().join("far.rules"), rule).expect("writable");
    folder
}

#[test]
fn a_text_that_computes_something_else_is_withheld() {
    let folder = far_rules();
    let expr = "(x & 4611686018427387904) + y*y//y";
    let vars =
        ["--var", "x=0..", "--var", "y=1..9", "--trust-rules", "--rules", utf8(folder.path()), "--solver-timeout", "0"];
    let args = [&["simplify", expr, "--verify"][..], &vars].concat();
    let infix = quaff(&args);
    assert_eq!(infix.code, 0, "nothing is known of the expression: {}{}", infix.stdout, infix.stderr);
    assert!(infix.stderr.contains("not verified"), "{}", infix.stderr);
    for language in ["cuda", "c", "rust"] {
        let out = quaff(&[&args[..], &["--emit", language]].concat());
        assert_eq!((out.code, out.stdout.as_str()), (65, ""), "{language}: {}", out.stderr);
        for part in ["the rule `far` of ", "is wrong", "different at x = ", "withheld", "far: "] {
            assert!(out.stderr.contains(part), "{language}, {part}: {}", out.stderr);
        }
    }
    let out = quaff(&[&args[..], &["--json"]].concat());
    let v = json(&out);
    assert_eq!((out.code, &v["cuda"], &v["wrong_rules"][0]), (65, &Value::Null, &"far".into()));
    assert!(v["cuda_why"].as_str().expect("a reason").starts_with("withheld: different at x = "), "{v}");
    let line = format!("{{\"id\": \"far\", \"vars\": {{\"x\": [0, null], \"y\": [1, 9]}}, \"expr\": \"{expr}\"}}\n");
    let rules = ["--trust-rules", "--rules", utf8(folder.path()), "--solver-timeout", "0"];
    let out = quaff_with(&[&["batch", "-", "--verify"][..], &rules].concat(), line.as_bytes());
    let v = json(&out);
    assert_eq!((out.code, &v["ok"], &v["cuda"]), (65, &true.into(), &Value::Null));
    assert!(
        out.stderr.contains("\"far\": ") && out.stderr.contains("0 texts run at 0 points, 1 wrong"),
        "{}",
        out.stderr
    );
}

#[test]
fn texts_of_every_language_are_run_quietly() {
    let vars =
        ["--var", "x=0..2147483647", "--var", "n=1..64", "--uniform", "n", "--var", "i=0..n-1", "--assume", "i != 3"];
    for language in ["infix", "cuda", "c", "python", "rust", "sexp"] {
        let args = [&["simplify", "(x + x)//7 + i//n + x%n", "--verify", "--emit", language][..], &vars].concat();
        let (out, plain) =
            (quaff(&args), quaff(&args.iter().copied().filter(|a| *a != "--verify").collect::<Vec<_>>()));
        assert_eq!((out.code, &out.stdout, &out.stderr), (0, &plain.stdout, &plain.stderr), "{language}");
    }
}

/// A folder with an executable `z3`, which consists of this shell script.
#[cfg(unix)]
fn solver(script: &str) -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("z3");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("writable");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("ours");
    folder
}

/// If a solver does not answer, for any reason, the program reports it and ends.
#[cfg(unix)]
#[test]
fn a_solver_that_does_not_answer_is_ended() {
    let question = "quaff verify 'x*y*z' 'x*y*z + (x*y*z % 1000003 == 77)' --var x=0..1000000 --var y=0..1000000 \
                    --var z=0..1000000 --max-points 1000 --solver-timeout 0.01";
    for script in
        ["exec sleep 1000", "sleep 30; exit", "read a; echo success; exec sleep 1000", "while read a; do :; done"]
    {
        let folder = solver(script);
        let path = utf8(folder.path());
        let out = crate::quaff_program::shell(&format!("PATH={path}:$PATH; {question}"));
        let why = "undecided: the solver does not know: it did not answer within 2 seconds and was ended\n";
        assert_eq!((out.code, out.stdout.as_str()), (2, why), "{script}: {}", out.stderr);
    }
    // the solver is started once, not for each question
    let folder = solver("echo >> $(dirname $0)/started; exec sleep 1000");
    let path = utf8(folder.path());
    let out = crate::quaff_program::shell(&format!(
        "PATH={path}:$PATH; quaff rules check --all --only xor-self --instances 3 --smt-timeout 1"
    ));
    assert_eq!(out.code, 0, "{}{}", out.stdout, out.stderr);
    assert!(out.stdout.contains("tried on instances only: no solver was asked"), "{}", out.stdout);
    let said = format!("quaff: {path}/z3 did not answer in time and was ended; it is not asked any more\n");
    assert_eq!(out.stderr, said);
    assert_eq!(std::fs::read_to_string(folder.path().join("started")).expect("started"), "\n");
}

#[test]
fn a_text_of_c_that_may_overflow_is_warned_of() {
    let verify = |first: &str, range: &str| quaff(&["verify", "--from", "c", first, "x / 3", "--var", range]);
    let wide = verify("(x * 43691) >> 17", "x=0..65535");
    assert_eq!((wide.code, wide.stdout.as_str()), (0, "equal\n"));
    assert!(wide.stderr.contains("`x*43691` has values in 0..2863289685"), "{}", wide.stderr);
    let unsigned = verify("((unsigned)x * 43691u) >> 17", "x=0..65535");
    assert_eq!((unsigned.stdout.as_str(), unsigned.stderr.as_str()), ("equal\n", ""));
    for cast in ["uint32_t", "int64_t", "long long"] {
        let wide = verify(&format!("(({cast})x * 43691) >> 17"), "x=0..65535");
        assert_eq!((wide.stdout.as_str(), wide.stderr.as_str()), ("equal\n", ""), "{cast}");
    }
    let narrow = verify("(x * 43691) >> 17", "x=0..49151");
    assert_eq!((narrow.stdout.as_str(), narrow.stderr.as_str()), ("equal\n", ""));
}
