//! The rule language: every error of a file in one run, no panic on any text, and a reference whose examples compile.

use crate::golden;
use proptest::prelude::*;
use quaff::domain::Domain;
use quaff::expr::Op;
use quaff::rules::RuleSet;
use quaff::{Simplifier, expr::parse};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(root().join(path)).expect("the file can be read")
}

fn shipped_texts() -> Vec<String> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(root().join("rules")).expect("the folder can be read").map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|x| x == "rules"));
    paths.sort();
    paths.iter().map(read).collect()
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once() {
    let errors = RuleSet::parse("mistakes.rules", &read("tests/data/rules/mistakes.rules")).expect_err("mistakes");
    assert!(errors.errors().windows(2).all(|e| e[0].position() <= e[1].position()), "in order of position");
    golden::check("rules_errors.txt", &format!("{errors}\n"));
}

#[test]
fn mistakes_of_several_files_are_told_at_once() {
    let good = "(rule a \"\" (match (// ?x 1)) (yield ?x))";
    let files = [("one.rules", good), ("two.rules", ")"), ("three.rules", good)];
    let errors = RuleSet::parse_all(files.map(|(f, t)| (f.into(), t.into()))).expect_err("two mistakes");
    let texts: Vec<String> = errors.errors().iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["three.rules:1:1: `a` is already a rule, at one.rules:1:1", "two.rules:1:1: `)` without `(`"]);
}

/// The blocks of `rules/README.md` that are marked as `lisp`.
fn examples() -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (i, line) in read("rules/README.md").lines().enumerate() {
        match line {
            "```lisp" => {
                inside = true;
                out.push((i + 1, String::new()));
            }
            "```" => inside = false,
            _ if inside => {
                let block = &mut out.last_mut().expect("a block is open").1;
                block.push_str(line);
                block.push('\n');
            }
            _ => {}
        }
    }
    out
}

#[test]
fn the_examples_of_the_reference_compile() {
    let examples = examples();
    assert!(examples.len() >= 7, "{} blocks", examples.len());
    let mut wrong = String::new();
    for (line, text) in examples {
        match RuleSet::parse(&format!("README.md after line {line}"), &text) {
            Err(e) => wrong.push_str(&format!("{e}\n")),
            Ok(set) if set.rules().is_empty() => wrong.push_str(&format!("README.md:{line}: no rule\n")),
            Ok(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_reference_names_every_word_of_the_language() {
    let text = read("rules/README.md");
    let code: String =
        ["mod", "patterns", "clauses", "terms"].map(|file| read(format!("src/rules/compile/{file}.rs"))).concat();
    // the words are the string literals that the compiler of rules compares with, in `("split", [s, ..` and
    // `"and" => self`
    let words = code.lines().filter_map(|l| {
        let l = l.trim_start();
        let l = l.strip_prefix('(').unwrap_or(l).strip_prefix('"')?;
        let (word, rest) = l.split_once('"')?;
        ((rest.starts_with(", ") || rest.starts_with(" =>")) && !word.contains(' ')).then_some(word)
    });
    // further words are the symbols of the operators that rules can use, in `Operator::Div => Op::FloorDiv,`
    let operators = read("src/rules/operator.rs");
    let named = Op::all().iter().filter(|op| operators.contains(&format!(" => Op::{op:?},"))).map(Op::symbol);
    let mut words: Vec<&str> = words.collect();
    words.extend(named.map(|word| -> &str { word }));
    assert!(words.contains(&"split") && words.contains(&"//") && words.contains(&"within"), "{words:?}");
    let missing: Vec<&str> =
        words.into_iter().filter(|w| !text.contains(&format!("({w} ")) && !text.contains(&format!("`{w}`"))).collect();
    assert!(missing.is_empty(), "rules/README.md lacks {missing:?}");
}

/// Compiles `text`. A rule set that compiles must also run.
fn survive(text: &str) {
    let Ok(set) = RuleSet::parse("random.rules", text) else { return };
    let domain = Domain::new().with("x", 0..=63).with("y", -9..=9).with("n", 1..=9);
    for expr in [
        "x//8*8 + x%8 + 3*(x//n)",
        "(8*x + y)//16 + (x & 7) + min(x, y) - 2*max(x, 3)",
        "where(x > 3 and y >= 2, x, 0) + (x >= 3 or y < 4) + (4*x == 8)",
    ] {
        let expr = parse(expr).expect("an expression").into_expr();
        let simplifier = Simplifier::default().with_rules(set.clone()).trusting_rules().with_trace(true);
        // the rules are random, so the answer may be wrong. The call must return an answer or an error
        let _ = simplifier.simplify(&expr, &domain);
    }
}

/// Words of the language and similar words.
fn token() -> impl Strategy<Value = String> {
    let words: Vec<String> = shipped_texts()
        .join(" ")
        .split(|c: char| c.is_whitespace() || "()".contains(c))
        .filter(|w| !w.is_empty() && !w.contains('"'))
        .map(String::from)
        .chain(
            [
                "-1",
                "0",
                "9223372036854775807",
                "-9223372036854775808",
                "?",
                "#",
                "...",
                "?...",
                "\"",
                ";",
                ")",
                "(",
                "é",
            ]
            .map(String::from),
        )
        .collect();
    prop::sample::select(words)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text_is_refused_or_compiled(text in "[ -~\n\t(é)\"#?]{0,200}") {
        let _ = RuleSet::parse("random.rules", &text);
    }

    #[test]
    fn random_words_are_refused_or_compiled(words in prop::collection::vec(prop_oneof![token(), Just("(".into()), Just(")".into())], 0..60)) {
        let _ = RuleSet::parse("random.rules", &words.join(" "));
    }

    #[test]
    fn damaged_rules_are_refused_or_compiled(
        file in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), token(), 0..3u8), 1..4),
    ) {
        let texts = shipped_texts();
        let mut text: Vec<String> = file.get(&texts).split_inclusive([' ', '\n', '(', ')']).map(String::from).collect();
        for (at, word, how) in changes {
            let at = at.index(text.len());
            match how {
                0 => { text.remove(at); }
                1 => text.insert(at, format!("{word} ")),
                _ => text[at] = format!("{word} "),
            }
        }
        survive(&text.concat());
    }
}
