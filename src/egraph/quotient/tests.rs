use super::*;
use crate::cost::Gpu;
use crate::domain::Domain;
use crate::egraph::matcher::{Matcher, Next};
use crate::rules::RuleSet;
use proptest::prelude::*;
use std::sync::Arc;

/// The rules that are applied to quotients at once.
pub(in crate::egraph) const RULES: [&str; 3] = ["div-one-bucket", "congruence", "nested-division"];

/// What is asked: the factors of `x`, `y`, `z` (and of `x // inner`), a constant, the divisor.
type Question = ([i64; 3], Option<i64>, i64, i64);

pub(in crate::egraph) fn graph() -> EClasses {
    let domain = Domain::new().with("x", 0..=7).with("y", -3..=20).with("z", 0..=2);
    EClasses::new(&domain.resolve().unwrap(), Arc::new(Gpu))
}

/// The numerator and the divisor of a question.
fn quotient(e: &mut EClasses, (factors, inner, constant, n): Question) -> (Lin, i64) {
    let mut sum = Lin::constant(constant);
    for (v, c) in factors.into_iter().enumerate() {
        sum = sum.plus(c, &Lin::atom(e.var(v))).unwrap();
    }
    if let Some(m) = inner {
        sum = e.div_as_it_is(&sum, &Lin::constant(m)).unwrap();
    }
    (sum, n)
}

/// `lin` with the quotients in it taken apart, so that answers of different e-graphs can be compared.
fn readable(e: &EClasses, lin: &Lin) -> String {
    let term = |(c, t): (i64, egg::Id)| {
        let quotient = e.nodes(t).iter().find_map(|node| match node {
            Node::Div([a, b]) => Some(format!("({:?} // {:?})", e.canonical(*a), e.facts(*b).constant())),
            _ => None,
        });
        format!("{c}*{}", quotient.unwrap_or_else(|| t.to_string()))
    };
    format!("{} + {}", lin.iter().map(term).collect::<Vec<_>>().join(" + "), lin.constant)
}

/// What `rule` alone does at once, by hand.
fn by_hand(rule: &str, question: Question) -> Option<String> {
    let mut e = graph();
    e.apply_at_once(RuleSet::shipped().retain(|r| r == rule).at_once(), true);
    let (a, n) = quotient(&mut e, question);
    let to = e.div(&a, &Lin::constant(n)).unwrap();
    let fired = e.take_decided();
    assert_eq!(fired.iter().filter(|f| f.rule() == Some(0)).count(), fired.len());
    (!fired.is_empty()).then(|| readable(&e, &to))
}

/// All that the text of `rule` says of the same.
fn by_text(rule: &str, question: Question) -> Vec<String> {
    let rules = RuleSet::shipped().retain(|r| r == rule);
    let mut e = graph();
    let (a, n) = quotient(&mut e, question);
    let (a, b) = (e.class_of(&a).unwrap(), e.class_of(&Lin::constant(n)).unwrap());
    let node = Node::Div([a, b]);
    let id = e.add(node.clone());
    let mut said = Vec::new();
    let mut matcher = Matcher::new(rules.slots());
    matcher.run(&mut e, rules.tree(Head::Div), id, &node, |e, _, _, lin| {
        said.push(readable(e, &lin));
        Next::More
    });
    said
}

#[test]
fn each_rule_is_applied_where_its_text_says_so() {
    for (rule, question) in [
        ("div-one-bucket", ([24, 1, 0], None, 3, 24)),
        ("div-one-bucket", ([24, 1, 0], None, 27, 24)),
        ("congruence", ([25, 0, 1], None, 12, 24)),
        ("nested-division", ([5, 1, 0], Some(6), 0, 7)),
    ] {
        let hand = by_hand(rule, question);
        assert!(hand.as_ref().is_some_and(|h| by_text(rule, question).contains(h)), "{rule} {question:?}: {hand:?}");
    }
    // a rest that reaches into a second bucket, and something beside the inner quotient
    assert_eq!(by_hand("div-one-bucket", ([24, 1, 0], None, 4, 24)), None);
    assert_eq!(by_hand("congruence", ([25, 0, 1], None, 20, 24)), None);
    assert_eq!(by_hand("nested-division", ([5, 1, 0], None, 0, 7)), None);
}

#[test]
fn without_its_rule_nothing_is_decided() {
    let mut e = graph();
    e.apply_at_once(RuleSet::empty().at_once(), true);
    let (a, n) = quotient(&mut e, ([24, 1, 0], None, 3, 24));
    let q = e.div(&a, &Lin::constant(n)).unwrap();
    assert!(q.as_atom().is_some_and(|q| e.facts(q).has(Head::Div)) && e.take_decided().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn by_hand_as_by_text(
        factors in prop::array::uniform3(-30i64..=30),
        inner in prop::option::of(2i64..=9),
        constant in -40i64..=40,
        n in 2i64..=32,
    ) {
        for rule in RULES {
            let question = (factors, inner, constant, n);
            if let Some(hand) = by_hand(rule, question) {
                let text = by_text(rule, question);
                prop_assert!(text.contains(&hand), "{rule}: {hand}, by its text {text:?}");
            }
        }
    }
}
