//! Tests of `quaff rules export` and `quaff rules import`, and of the trial of rules before their use.

use crate::quaff_program::{Run, quaff, quaff_with};
use crate::repository;
use quaff::rules::RuleSet;
use std::path::Path;

fn utf8(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A folder with one rule file.
fn rules(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("own.rules"), text).expect("writable");
    folder
}

const HALVES: &str = "; a comment\n(rule halves \"wrong\"\n  (match (// ?x 2))\n  (yield ?x))\n";

/// Every command that takes rules refuses a wrong rule, for any question. The questions include one that the rule
/// answers with a number.
#[test]
fn a_wrong_rule_is_refused_with_its_place_and_an_example() {
    let folder = rules(HALVES);
    let corpus = repository("tests/data/views.jsonl");
    let corpus = utf8(&corpus);
    let sets = ["rules", "ablate", corpus, "--sets", utf8(folder.path())];
    let commands: [&[&str]; 7] = [
        &["simplify", "x//2"],
        &["simplify", "x//2", "--var", "x=0..99"],
        &["batch", corpus],
        &["explain", "x//2"],
        &["rules", "stats", corpus],
        &["rules", "ablate", corpus, "--without", "halves"],
        &["rules", "export", "--to", "egg"],
    ];
    let add = |command: &&[&str]| quaff(&[command, &["--add-rules", utf8(folder.path())][..]].concat());
    for out in commands.iter().map(add).chain([quaff(&sets)]) {
        let Run { code, stdout, stderr, .. } = out;
        assert_eq!((code, stdout.as_str()), (65, ""), "{stderr}");
        for part in ["the rule `halves` of ", "own.rules:2:1 is wrong", "before: ", "at:     x = ", "`--trust-rules`"] {
            assert!(stderr.contains(part), "{part}: {stderr}");
        }
    }
}

#[test]
fn trusted_rules_and_right_ones_are_used() {
    let folder = rules(HALVES);
    let out = quaff(&["rules", "export", "--to", "egglog", "--rules", utf8(folder.path()), "--trust-rules"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    assert!(out.stdout.contains("(rewrite (FloorDiv x (Num 2)) x)"), "{}", out.stdout);
    let right = rules(&HALVES.replace("(yield ?x)", "(yield (// (* 3 ?x) 6))"));
    let out = quaff(&["simplify", "x//2", "--var", "x=0..99", "--rules", utf8(right.path())]);
    assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (0, "x//2\n", ""));
}

#[test]
fn all_rules_are_exported_or_listed() {
    let count = RuleSet::shipped().rules().len() + quaff_lab_laws();
    for (to, comment, part) in
        [("egg", "// ", "rewrite!("), ("egglog", "; ", "(birewrite"), ("smt2", "; ", "(check-sat)")]
    {
        let out = quaff(&["rules", "export", "--to", to]);
        assert_eq!(out.code, 0, "{}", out.stderr);
        let written: usize =
            out.stderr["quaff: ".len()..].split(' ').next().and_then(|n| n.parse().ok()).expect("a count");
        let head = format!("{comment}Rules of quaff for ");
        assert!(
            out.stdout.starts_with(&head) && out.stdout.contains(&format!(": {written} of {count} rules and laws.")),
            "{to}"
        );
        let left: usize = out
            .stderr
            .lines()
            .skip(1)
            .map(|l| l.split(' ').nth(1).and_then(|n| n.parse::<usize>().ok()).expect("a count"))
            .sum();
        assert_eq!(written + left, count, "{to}: {}", out.stderr);
        assert!(out.stdout.contains(part) || to == "egglog" && out.stdout.contains("(rewrite"), "{to}");
    }
}

/// The number of laws (equalities of expressions) that the normal forms of the engine use.
fn quaff_lab_laws() -> usize {
    quaff::internals::NormalForm::ALL.len()
}

const SYNTHESISED: &str = "(// (+ (* ?a 6) ?b) 3) ==> (+ (* ?a 2) (// ?b 3))
(/ (- 0 ?a) ?b) ==> (- 0 (/ ?a ?b))
(+ ?a ?b) <=> (+ ?b ?a)
(max ?a (min ?a ?b)) ==> ?a
(frob ?a) ==> ?a
";

#[test]
fn synthesised_rules_are_tried_and_the_right_ones_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("synth.txt");
    std::fs::write(&file, SYNTHESISED).expect("writable");
    let kept = folder.path().join("kept");
    let corpus = folder.path().join("cases.jsonl");
    std::fs::write(&corpus, "{\"vars\": {\"x\": [0, 9], \"y\": [0, 9]}, \"expr\": \"(x*6 + y)//3\"}\n")
        .expect("writable");
    let args = ["rules", "import", utf8(&file), "-o", utf8(&kept), "--smt-timeout", "0", "--corpus", utf8(&corpus)];
    let out = quaff(&args);
    assert_eq!(out.code, 1, "a line cannot be read: {}", out.stderr);
    assert!(out.stderr.contains("synth.txt:5:1: `frob` with 1 operands is no operation"), "{}", out.stderr);
    let lines: Vec<&str> = out.stdout.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit())).collect();
    for (line, says) in lines.iter().zip(["\tknown\t", "\twrong\t", "\tnormal form\t", "\tnormal form\t"]) {
        assert!(line.contains(says), "{line} {says}");
    }
    assert!(out.stdout.contains("  before: ") && out.stdout.contains("  at:     "), "{}", out.stdout);
    assert!(out.stdout.contains("rule set"), "{}", out.stdout);
    RuleSet::load(&kept).expect("a folder of rules");
    // the results about rules are also printed if a line of the corpus has no answer
    std::fs::write(&corpus, "{\"vars\": {\"x\": [0, 9]}, \"expr\": \"x//3\"}\n{\"expr\": \"y +\"}\n")
        .expect("writable");
    let out = quaff(&args);
    assert!(out.code == 1 && out.stdout.contains("\twrong\t") && out.stdout.contains("1 case\n"), "{}", out.stdout);
    assert!(out.stderr.contains("cases line 2: "), "{}", out.stderr);
    // without a case in the corpus, no rule is tried
    std::fs::write(&corpus, "{\"shape\": [2, 3]}\n").expect("writable");
    let out = quaff(&args);
    assert_eq!((out.code, out.stdout.as_str()), (1, ""), "{}", out.stderr);
    assert!(out.stderr.contains("the corpora have no line to compare rule sets on"), "{}", out.stderr);
    let wrong = quaff_with(&["rules", "import", "-", "--from", "egglog"], b"(rewrite (Div x (Num 2)) x)");
    assert_eq!(wrong.code, 65, "{}{}", wrong.stdout, wrong.stderr);
    let none = quaff_with(&["rules", "import", "-"], b"\n");
    assert!(none.code == 1 && none.stderr.contains("no rules"), "{}", none.stderr);
}
