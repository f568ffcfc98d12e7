//! Tests of `quaff rules check`, and of the record of results for the built-in rules.

use crate::quaff_program::quaff;
use crate::repository;
use quaff::check::{Options, check, check_rule};
use quaff::rules::RuleSet;
use std::path::PathBuf;

fn rules_folder() -> PathBuf {
    repository("rules")
}

#[test]
fn the_command_line_says_which_and_why() {
    let check = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quaff"));
        command.current_dir(repository("")).args(["rules", "check"]).args(arguments);
        let out = command.output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap())
    };
    let (status, text) = check(&["tests/broken-rules", "--only", "self-division", "--json"]);
    assert_eq!(status, Some(1));
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&report["rule"], &report["status"]), (&"self-division-of-all".into(), &"unsound".into()));
    let counterexample = &report["counterexample"];
    assert_ne!(counterexample["value_before"], counterexample["value_after"]);
    assert!(counterexample["domain"].as_array().is_some_and(|d| !d.is_empty()));

    let (status, text) = check(&["--only", "xor-self"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.starts_with("sound\txor-self\t"), "{text}");
}

/// Remarks of `quaff rules check` are about the benefit of a rule, and do not make the command fail.
#[test]
fn costlier_and_subsumed_rules_get_remarks() {
    let text = r#"
        (rule unfold "the same, and one `max` more" (match (min ?x ?y)) (yield (- (+ ?x ?y) (max ?x ?y))))
        (rule wrap "zeros are not dear" (match (^ ?x ?y)) (because "a normal form for what follows")
          (yield (- (| ?x ?y) (& ?x ?y))))
        (rule factor "q*(k*n + r)//n" (match (// (+ (* #c ?x) ?r...) #n)) (when (> #n 1) (divides #n #c))
          (yield (+ (* (/ #c #n) ?x) (// ?r #n))))
        (rule factor-two "`factor` for 2" (match (// (+ (* #c ?x) ?r...) 2)) (when (divides 2 #c))
          (yield (+ (* (/ #c 2) ?x) (// ?r 2))))
        (rule and-self "its own bits" (match (& ?x ?x)) (yield ?x))"#;
    let rules = RuleSet::parse("remarks.rules", text).unwrap();
    let mut options = Options::default();
    options.tries = 2_000;
    options.fired = 60;
    let reports = check(&rules, &options);
    let all = || reports.iter().map(|r| r.to_string()).collect::<Vec<_>>().join("\n");
    assert!(reports.iter().all(|r| r.passed()), "{}", all());
    let of = |name: &str| reports.iter().find(|r| r.name == name).unwrap();
    let unfold = of("unfold");
    assert!(unfold.costlier * 2 > unfold.fired, "{}", all());
    assert_eq!(unfold.remarks(), [format!("costlier in {} of {} instances", unfold.costlier, unfold.fired)]);
    assert!(of("wrap").costlier * 2 > of("wrap").fired, "{}", all());
    assert_eq!(of("factor-two").remarks(), ["the other rules find the same in all 20 instances"]);
    for name in ["wrap", "factor", "and-self"] {
        assert!(of(name).remarks().is_empty() && of(name).subsumed.is_none(), "{}", all());
    }
    assert!(of("factor-two").to_string().contains("\n  remark: the other rules"), "{}", all());

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("remarks.rules"), text).unwrap();
    let folder = folder.path().to_str().unwrap();
    let out = quaff(&["rules", "check", folder, "--smt-timeout", "0", "--instances", "60", "--json"]);
    assert_eq!(out.code, 0, "{}", out.stdout);
    let line = |name: &str| out.stdout.lines().find(|l| l.contains(&format!("\"rule\":\"{name}\""))).unwrap();
    assert!(line("factor-two").contains("\"subsumed\":20"), "{}", out.stdout);
    assert!(line("unfold").contains("\"subsumed\":null") && line("unfold").contains("costlier in "), "{}", out.stdout);

    // a single rule has no other rules that could subsume it
    assert_eq!(check_rule(rules.get("factor-two").unwrap(), &options).subsumed, None);
}

/// The rules that the output complains about, one a line.
fn complaints(out: &str) -> Vec<&str> {
    out.lines().filter(|l| l.starts_with("rule ")).collect()
}

#[test]
fn all_shipped_rules_are_recorded() {
    let out = quaff(&["rules", "check", rules_folder().to_str().unwrap(), "--recorded"]).stdout;
    assert!(complaints(&out).is_empty(), "{out}\nrun `quaff rules check rules --record`");
    // the compiled-in record is the same as that of the folder
    assert_eq!(quaff(&["rules", "check", "--recorded"]).stdout, out);
}

#[test]
fn changed_new_and_lost_rules_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(rules_folder()).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    let edit = |file: &str, from: &str, to: &str| {
        let path = folder.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    };
    let check = || quaff(&["rules", "check", folder.path().to_str().unwrap(), "--recorded"]);

    // comments, layout and reasons do not affect the record
    edit("bits.rules", "(rule xor-self \"equal bits cancel\"", "; here\n(rule xor-self\n\"why not\"");
    let before = check().stdout;
    assert!(complaints(&before).is_empty(), "{before}");

    edit("bits.rules", "(match (^ ?x ?x))\n  (yield 0)", "(match (^ ?x ?x))\n  (yield (- ?x ?x))");
    edit("bits.rules", "(rule or-self ", "(rule or-same ");
    let out = check();
    assert_eq!(out.code, 1);
    for line in [
        "rule xor-self changed since it was checked: run `quaff rules check DIR --record`",
        "rule or-same has not been checked: run `quaff rules check DIR --record`",
        "rule or-self is recorded and is no more: run `quaff rules check DIR --record`",
    ] {
        assert!(out.stdout.lines().any(|l| l == line), "{line}\n{}", out.stdout);
    }
    assert_eq!(complaints(&out.stdout).len(), complaints(&before).len() + 3, "{}", out.stdout);
}

/// Without a solver, a rule and its guards are recorded as tried on instances. The record contains the text of the
/// rule.
#[test]
fn rules_are_recorded_without_a_solver() {
    let folder = tempfile::tempdir().unwrap();
    let rule = "(rule own \"multiples of n leave the numerator\" (match (// (+ (* #n ?q) ?r...) #n)) (when (> #n 1))\n\
                (yield (+ ?q (// ?r #n))))\n";
    std::fs::write(folder.path().join("own.rules"), rule).unwrap();
    let path = folder.path().to_str().unwrap();
    let out = quaff(&["rules", "check", path, "--record", "--smt-timeout", "0", "--instances", "30"]);
    assert_eq!(out.code, 0, "{}{}", out.stdout, out.stderr);
    assert!(out.stdout.starts_with("not refuted\town\ttried "), "{}", out.stdout);
    assert!(out.stdout.contains("\n  not proved, tried on instances only: no solver was asked\n"), "{}", out.stdout);
    assert!(
        out.stdout.ends_with("1 rule, 0 of them proved for all integers, 0 wrong or without effect\n"),
        "{}",
        out.stdout
    );
    let record = std::fs::read_to_string(folder.path().join("proofs.json")).unwrap();
    assert_eq!(record.matches("\"is\": \"unasked\"").count(), 2, "the rule and its guard: {record}");
    assert!(record.contains("\"status\": \"not refuted\""), "{record}");
    let recorded = quaff(&["rules", "check", path, "--recorded"]);
    assert_eq!((recorded.code, recorded.stdout.as_str()), (0, "1 rule, all recorded\n"));
    // a wrong rule is not recorded, with or without a solver
    std::fs::write(folder.path().join("own.rules"), rule.replace("(yield (+ ?q", "(yield (+ 1 ?q")).unwrap();
    let out = quaff(&["rules", "check", path, "--record", "--smt-timeout", "0", "--instances", "30"]);
    assert!(out.code != 0 && out.stdout.contains("unsound"), "{}{}", out.stdout, out.stderr);
    assert_eq!(quaff(&["rules", "check", path, "--recorded"]).code, 1);
}
