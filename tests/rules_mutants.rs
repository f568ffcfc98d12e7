//! Every guard of every shipped rule left out, one at a time: the checker rejects the mutant, or the guard is listed in
//! `tests/golden/guard-mutants.txt` as one that says when a rule is of use and not when it is right.
//!
//! `QUAFF_BLESS=1` writes the list anew.

use quaff::check::{Options, Status, check_rule};
use quaff::rules::RuleSet;
use std::collections::BTreeSet;
use std::path::Path;

/// The place behind the list or word that begins at `start`.
fn end_of(text: &str, start: usize) -> usize {
    let mut depth = 0;
    for (i, c) in text[start..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return start + i + 1;
        }
    }
    text.len()
}

/// Each guard, and the text without it.
fn mutants(text: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (when, _) in text.match_indices("(when ") {
        let end = end_of(text, when);
        let mut guards = Vec::new();
        let mut at = when + "(when ".len();
        while at < end - 1 {
            let guard_end = end_of(text, at);
            guards.push(at..guard_end);
            at = guard_end + 1;
        }
        for g in &guards {
            let rest: Vec<&str> = guards.iter().filter(|o| *o != g).map(|o| &text[o.clone()]).collect();
            let clause = if rest.is_empty() { String::new() } else { format!("(when {})", rest.join(" ")) };
            out.push((text[g.clone()].to_string(), format!("{}{clause}{}", &text[..when], &text[end..])));
        }
    }
    out
}

#[test]
fn guards_are_needed_or_listed() {
    let mut options = Options::default();
    options.tries = 3_000;
    let mut survivors = BTreeSet::new();
    let mut rejected = 0;
    for rule in RuleSet::shipped().rules() {
        for (guard, text) in mutants(rule.text()) {
            let mutant = RuleSet::parse(rule.name(), &text).unwrap();
            match check_rule(&mutant.rules()[0], &options).status {
                Status::Unsound => rejected += 1,
                _ => assert!(survivors.insert(format!("{}\t{guard}", rule.name())) || !guard.is_empty()),
            }
        }
    }
    assert!(rejected > 0);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/guard-mutants.txt");
    if std::env::var_os("QUAFF_BLESS").is_some() {
        let lines: String = survivors.iter().map(|l| format!("{l}\n")).collect();
        std::fs::write(&path, lines).unwrap();
        println!("{rejected} mutants rejected, {} listed", survivors.len());
    }
    let listed = std::fs::read_to_string(&path).unwrap_or_default();
    let listed: BTreeSet<String> = listed.lines().map(String::from).collect();
    let new: Vec<_> = survivors.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&survivors).collect();
    assert!(new.is_empty(), "these guards can be left out: {new:#?}");
    assert!(gone.is_empty(), "these are needed, or are no more: {gone:#?}");
}
