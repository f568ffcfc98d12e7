use super::*;
use crate::egraph::matcher::{Matcher, Next};
use crate::egraph::node::Head;
use crate::egraph::quotient::tests::{RULES as OF_QUOTIENTS, graph};
use crate::rules::RuleSet;
use crate::rules::program::AT_ONCE;
use proptest::prelude::*;

/// The rules that are applied to comparisons at once.
const RULES: [&str; 2] = ["compare-common-factor", "equal-common-factor"];

/// What is compared with 0: the factors of `x`, `y`, `z`, and a constant.
type Sum = ([i64; 3], i64);

fn sum(e: &mut EClasses, (factors, constant): Sum) -> Lin {
    let mut sum = Lin::constant(constant);
    for (v, c) in factors.into_iter().enumerate() {
        sum = sum.plus(c, &Lin::atom(e.var(v))).unwrap();
    }
    sum
}

/// What the comparison `id` compares with 0.
fn compared(e: &EClasses, id: Id) -> String {
    let inside = |n: &Node| match n {
        Node::NonNeg([x]) => Some(format!("{:?} >= 0", e.canonical(*x))),
        Node::Zero([x]) => Some(format!("{:?} == 0", e.canonical(*x))),
        _ => None,
    };
    e.nodes(id).iter().find_map(inside).unwrap_or_else(|| format!("{:?}", e.facts(id).constant()))
}

/// What `rule` alone does at once, by hand.
fn by_hand(rule: &str, of: Sum) -> Option<String> {
    let mut e = graph();
    e.apply_at_once(RuleSet::shipped().retain(|r| r == rule).at_once(), true);
    let sum = sum(&mut e, of);
    let id = if rule == "equal-common-factor" { e.zero(&sum) } else { e.nonneg(&sum) }.unwrap();
    let fired = e.take_decided();
    assert!(fired.len() <= 1 && fired.iter().all(|f| f.rule() == Some(0) && f.is_at_once()));
    (!fired.is_empty()).then(|| compared(&e, id))
}

/// What the text of `rule` says of the same.
fn by_text(rule: &str, of: Sum) -> Option<String> {
    let rules = RuleSet::shipped().retain(|r| r == rule);
    let mut e = graph();
    let sum = sum(&mut e, of);
    let (head, id) = if rule == "equal-common-factor" {
        (Head::Zero, e.zero(&sum).unwrap())
    } else {
        (Head::NonNeg, e.nonneg(&sum).unwrap())
    };
    let node = e.nodes(id).iter().find(|n| n.head() == head)?.clone();
    let mut said = None;
    Matcher::new(rules.slots()).run(&mut e, rules.tree(head), id, &node, |e, _, _, lin| {
        said = lin.as_atom().map(|id| compared(e, id));
        Next::Stop
    });
    said
}

#[test]
fn a_common_factor_leaves_at_once() {
    assert!(by_hand("compare-common-factor", ([4, -6, 0], 3)).is_some());
    assert!(by_hand("equal-common-factor", ([4, -6, 0], 2)).is_some());
    // nothing in common, and a constant that is no multiple
    assert_eq!(by_hand("compare-common-factor", ([4, -6, 1], 3)), None);
    assert_eq!(by_hand("equal-common-factor", ([4, -6, 0], 3)), None);
}

#[test]
fn without_its_rule_a_factor_stays() {
    let mut e = graph();
    e.apply_at_once(RuleSet::empty().at_once(), true);
    let sum = sum(&mut e, ([4, -6, 0], 2));
    let (compare, equal) = (e.nonneg(&sum).unwrap(), e.zero(&sum).unwrap());
    assert!(compared(&e, compare).contains('6') && compared(&e, equal).contains('6') && e.take_decided().is_empty());
}

#[test]
fn a_sum_that_became_a_number_is_decided() {
    let mut e = graph();
    e.apply_at_once(RuleSet::shipped().at_once(), true);
    let (x, three) = (e.var(0), e.add(Node::Const(3)));
    e.union(x, three);
    e.rebuild();
    let sum = Lin::term(4, x);
    for (constant, holds) in [(-12, [1, 1]), (-13, [0, 0]), (4, [1, 0])] {
        let sum = sum.clone().plus_constant(constant).unwrap();
        let ids = [e.nonneg(&sum).unwrap(), e.zero(&sum).unwrap()];
        assert_eq!(ids.map(|id| e.facts(id).constant()), holds.map(Some), "{constant}");
    }
    assert!(e.take_decided().is_empty());
}

#[test]
fn every_rule_at_once_is_compared_with_its_text() {
    assert_eq!([&OF_QUOTIENTS[..], &RULES].concat(), AT_ONCE);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn by_hand_as_by_text(
        factors in prop::array::uniform3(-6i64..=6),
        scale in 1i64..=8,
        constant in -40i64..=40,
    ) {
        for rule in RULES {
            let of = (factors.map(|f| f * scale), constant);
            prop_assert_eq!(by_hand(rule, of), by_text(rule, of), "{}", rule);
        }
    }
}
