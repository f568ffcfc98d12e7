//! Rule sets in other languages, and rules of other systems.

use crate::hostile::{name, number, text};
use crate::{config, show};
use proptest::prelude::*;
use quaff::domain::Domain;
use quaff::quasi;
use quaff::rules::RuleSet;
use quaff_lab::exchange::{self, Export, Language, Source};
use quaff_lab::proof::laws;

/// Terms in the notations of several systems.
fn term() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "?a",
        "?b",
        "b",
        "#n",
        "(Num n)",
        "(Num 3)",
        "(Var \"x\")",
        "true",
        "...",
        "?",
        "?a...",
    ]);
    let leaf = prop_oneof![word.prop_map(String::from), number().prop_map(|n| n.to_string())];
    let operator = prop::sample::select(vec![
        "+", "-", "*", "/", "//", "%", "min", "&&", "or", "!", "<", "==", "!=", "select", "<<", ">>", "Add",
        "FloorMod", "Neg", "And", "f",
    ]);
    leaf.prop_recursive(5, 40, 3, move |inner| {
        (operator.clone(), prop::collection::vec(inner, 0..4))
            .prop_map(|(op, terms)| format!("({op} {})", terms.join(" ")))
    })
}

fn shown(stem: &str, text: &str) {
    for source in [Source::Egglog, Source::Ruler, Source::Enumo, Source::of_extension(stem)] {
        let read = exchange::import(stem, text, source);
        for rule in &read.rules {
            assert_eq!(rule.rule.is_none(), rule.text.is_empty());
            if let Some(rule) = &rule.rule {
                exported(&RuleSet::parse(stem, rule.text()).expect("a rule that was read"));
            }
        }
        show(&read);
    }
}

fn exported(rules: &RuleSet) {
    for language in [Language::Egg, Language::Egglog, Language::Smt] {
        let export = exchange::export(rules, &laws(), language);
        assert_eq!(export.written.len() + export.left_out.len(), rules.rules().len() + laws().len());
        show(&Export::reasons(&export));
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn questions_to_solvers(a in term(), b in term(), (lo, hi) in (number(), number())) {
        let [a, b] = [a, b].map(|t| t.replace(['?', '#'], "").parse().unwrap_or_else(|_| quaff::expr::int(lo)));
        show(&quasi::smt_text(&a, &b, &Domain::new().with("a", (lo, hi)).with("b", ..)));
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn rules_of_other_systems(text in text(), stem in name(), (a, b, c) in (term(), term(), term())) {
        shown(stem, &text);
        shown(stem, &format!("{a} ==> {b} if {c}\n{b} <=> {a}\n"));
        shown(stem, &format!("(rewrite {a} {b} :when ((> n {c}) (= {c} {a}) (= 0 (% {a} {b}))))(birewrite {b} {c})"));
        shown(stem, &serde_json::json!({"eqs": [{"lhs": a, "rhs": b, "bidirectional": true}, c, text], "rules": text}).to_string());
    }
}

#[test]
fn huge_rules() {
    let sum = format!("(+ {})", "?x ".repeat(5_000));
    let lets: String = (0..60).map(|i| format!("(let ?v{} (+ ?v{i} ?v{i}))", i + 1)).collect();
    let deep = (0..30).fold("?x".to_string(), |t, _| format!("(* {t} (+ ?x 1))"));
    for body in [format!("(yield {sum})"), format!("(let ?v0 (// ?x 2)){lets}(yield ?v60)"), format!("(yield {deep})")]
    {
        let text = format!("(rule long \"for the test\" (match (// ?x 3)) {body})");
        exported(&RuleSet::parse("long.rules", &text).expect("a rule"));
    }
    let long = (0..40).map(|i| format!("(+ ?v{i} ?w{i}) ==> {deep}\n")).collect::<String>();
    shown("long", &long);
    shown("long", &format!("{} ==> 0", "(".repeat(100_000)));
}
