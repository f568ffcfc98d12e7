//! Runs the examples of every `--help` as they are printed.

use crate::quaff_program::{quaff, shell};
use std::fs;
use tempfile::TempDir;

/// Commands that wait for a browser, or that read a file outside of the folder.
const NOT_RUN: [&str; 3] = ["quaff explore", "| man -l", "~/."];
/// Other programs that an example may need.
const OTHERS: [&str; 3] = ["jq", "dot", "z3"];

/// Examples whose exit code is not 0.
const EXPECTED: [(&str, i32); 1] = [("quaff rewrite --check", 1)];

/// The names of the subcommands of the command `quaff words...`.
fn commands(words: &[&str]) -> Vec<String> {
    let help = quaff(&[words, &["--help"]].concat()).stdout;
    let names = help.lines().filter_map(|line| line.strip_prefix("  ")?.split("  ").next());
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let before_options = help.lines().take_while(|line| *line != "Options:").count();
    let lines: Vec<&str> = help.lines().take(before_options).collect();
    names
        .filter(is_name)
        .filter(|name| *name != "help" && lines.iter().any(|l| l.starts_with(&format!("  {name} "))))
        .map(String::from)
        .collect()
}

/// The examples in a help text, each with its continuation lines.
fn examples(help: &str) -> Vec<String> {
    let Some((_, rest)) = help.split_once("\nExamples:\n") else { return Vec::new() };
    let mut all: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in rest.lines().take_while(|line| !line.is_empty()) {
        match all.last_mut().filter(|_| is_open) {
            Some(last) => *last += &format!("\n{}", &line[2..]),
            None => all.push(line.trim_start().to_string()),
        }
        let quotes = all.last().map_or(0, |text| text.matches('\'').count());
        is_open = line.ends_with('\\') || quotes % 2 == 1;
    }
    all
}

/// A folder with the files that the examples name.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("writable");
    };
    let lines = "{\"id\": \"conv\", \"vars\": {\"x\": [0, 99]}, \"expr\": \"(x*4 + 3)//4 + x%12//4\"}\n\
                 {\"id\": \"b\", \"vars\": {\"x\": [0, 99], \"y\": [0, 7]}, \"expr\": \"(x*8 + y)//8\"}\n";
    ["cases.jsonl", "corpus/all.jsonl"].into_iter().for_each(|name| write(name, lines));
    let rule =
        "(rule mine \"bits that never meet add\" (match (| ?x ?y)) (when (disjoint-bits ?x ?y)) (yield (+ ?x ?y)))\n";
    ["my-rules/own.rules", "rules-2024/own.rules", "rules-2025/own.rules"]
        .into_iter()
        .for_each(|name| write(name, rule));
    ["halide.rules", "synthesised.txt"].into_iter().for_each(|name| write(name, "(+ ?a 0) ==> ?a\n"));
    write("rules.egg", "(datatype Math (Num i64) (Add Math Math))\n(rewrite (Add a (Num 0)) a)\n");
    write("report.json", "{\"eqs\": [{\"lhs\": \"(+ ?a 0)\", \"rhs\": \"?a\", \"bidirectional\": false}]}");
    write(
        "conv.json",
        "{\"vars\": {\"t\": [0, 255]}, \"accesses\": [{\"expr\": \"t//16*16 + t%16\", \"buf\": \"in\"}]}",
    );
    let kernel = "__global__ void f(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x / 32 * 32 + threadIdx.x % 32] = 0; }\n";
    ["kernel.cu", "examples/sources/im2col.cu"].into_iter().for_each(|name| write(name, kernel));
    let out = shell(&format!("cd '{}' && quaff rules ablate cases.jsonl -o old/", folder.path().display()));
    assert_eq!(out.code, 0, "{}", out.stderr);
    folder
}

/// All commands and their subcommands.
fn all_commands() -> Vec<Vec<String>> {
    let below = |name: &String| match ["ask", "rules", "bench"].contains(&name.as_str()) {
        true => commands(&[name]).into_iter().map(|sub| vec![name.clone(), sub]).collect(),
        false => Vec::new(),
    };
    commands(&[]).iter().flat_map(|name| [vec![vec![name.clone()]], below(name)].concat()).collect()
}

#[test]
#[ignore = "a campaign"]
fn examples_run_as_they_are_printed() {
    let folder = folder();
    let (mut ran, mut skipped, mut wrong) = (0, Vec::new(), Vec::new());
    for command in all_commands() {
        let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let examples = examples(&quaff(&words).stdout);
        let has_none = command.len() > 1 || ["ask", "bench", "dims", "version"].contains(&command[0].as_str());
        assert!(has_none || !examples.is_empty(), "{command:?}");
        for example in examples {
            assert!(example.lines().all(|line| line.len() <= 98), "too long for the page: {example}");
            let is_missing =
                |p: &&&str| example.contains(&format!("| {p} ")) && shell(&format!("command -v {p}")).code != 0;
            if OTHERS.iter().find(is_missing).is_some() || NOT_RUN.iter().any(|part| example.contains(part)) {
                skipped.push(example);
                continue;
            }
            ran += 1;
            let out = shell(&format!("set -e; cd '{}'; {example}", folder.path().display()));
            let expected = EXPECTED.iter().find(|(part, _)| example.contains(part)).map_or(0, |(_, code)| *code);
            if out.code != expected {
                wrong.push(format!("{example}: exit code {}\n{}", out.code, out.stderr));
            }
        }
    }
    println!("{ran} examples ran; skipped: {skipped:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran > 90, "{ran} examples");
}
