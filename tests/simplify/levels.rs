//! `Facts` with levels: conditions and variables that are added in a level no longer hold after its end.

use proptest::prelude::*;
use quaff::domain::Domain;
use quaff::expr::{Expr, Program};
use quaff::{Facts, Simplifier};

use crate::alternatives::{NAMES, box_of, comparison, condition, config};

fn e(text: &str) -> Expr {
    text.parse().expect(text)
}

fn facts(domain: &str) -> Facts {
    Simplifier::default().facts(&domain.parse().expect(domain))
}

fn proves(facts: &mut Facts, condition: &str) -> Option<bool> {
    facts.prove(&e(condition)).expect("an answer")
}

#[test]
fn levels_end_in_the_order_in_which_they_began() {
    let mut known = facts("n=1..4096, x=0..9999");
    assert_eq!(proves(&mut known, "x < n"), None);
    known.push();
    known.assume(e("x < n"));
    assert_eq!(proves(&mut known, "x < n"), Some(true));
    known.push();
    known.add(&"i=0..x, assume n <= 8".parse().expect("a domain"));
    assert_eq!(proves(&mut known, "i < 8"), Some(true));
    assert_eq!(known.bounds(&e("x + i")).expect("a range").bounded(), Some((0, 14)));
    assert_eq!(known.domain().assumptions().len(), 2);
    assert!(known.pop());
    assert!(known.bounds(&e("i")).is_err(), "i is not declared here");
    assert_eq!(proves(&mut known, "x < 8"), None);
    assert_eq!(proves(&mut known, "x//n == 0"), Some(true));
    assert!(known.pop());
    assert_eq!(proves(&mut known, "x < n"), None);
    assert!(!known.pop());
    assert_eq!(known.domain(), &"n=1..4096, x=0..9999".parse::<Domain>().expect("a domain"));
}

#[test]
fn contradictions_are_errors_of_what_they_are_about() {
    let mut known = facts("x=0..9, y=0..9");
    known.push();
    known.assume(e("x > 20"));
    assert!(known.prove(&e("x < 5")).is_err_and(|error| error.is_empty_domain()));
    assert_eq!(proves(&mut known, "y < 10"), Some(true));
    known.pop();
    assert_eq!(proves(&mut known, "x < 10"), Some(true));
}

#[test]
fn what_is_not_connected_changes_nothing() {
    let alone = "n=1..4096, bx=0..65535, tx=0..127, assume bx*128 + tx < n";
    let others: Vec<String> = (0..200).map(|k| format!("u{k}=0..{}", 100 + k)).collect();
    let conditions: Vec<String> = (0..100).map(|k| format!("assume u{} + u{} < 150", 2 * k, 2 * k + 1)).collect();
    let mut known = facts(&format!("{alone}, {}, {}", others.join(", "), conditions.join(", ")));
    for (condition, truth) in [("bx*128 + tx + 1 <= n", Some(true)), ("bx*128 >= n", Some(false)), ("bx < 5", None)] {
        assert_eq!(proves(&mut facts(alone), condition), truth, "{condition} alone");
        assert_eq!(proves(&mut known, condition), truth, "{condition} among others");
    }
}

/// The answers to three questions about one expression: its range, its remainder modulo 4, and whether it is positive.
fn asked(facts: &mut Facts, expr: &Expr) -> Option<[String; 3]> {
    let range = facts.bounds(expr).ok()?;
    let congruence = facts.congruence(expr).ok()?;
    Some([range.to_string(), format!("{congruence:?}"), format!("{:?}", facts.prove(&expr.gt(0)).ok()?)])
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn what_is_known_within_levels_holds_at_every_point(
        conditions in prop::collection::vec(condition(), 1..4), questions in prop::collection::vec(comparison(), 1..4),
    ) {
        let mut known = facts("x=-6..6, y=-6..6, z=-6..6");
        let before = asked(&mut known, &e("x*4 + y"));
        let mut held = Vec::new();
        for condition in &conditions {
            known.push();
            known.assume(e(condition));
            held.push(e(condition));
            let exprs: Vec<Expr> = held.iter().cloned().chain(questions.iter().map(|q| e(q))).collect();
            let program = Program::new(&exprs, &NAMES).expect("known names");
            let mut seen = vec![[false; 2]; questions.len()];
            for point in box_of(6) {
                let values: Vec<bool> = program.eval(&point).into_iter().map(|v| v.expect("a value") != 0).collect();
                if values[..held.len()].iter().all(|&holds| holds) {
                    seen.iter_mut().zip(&values[held.len()..]).for_each(|(seen, &holds)| seen[usize::from(holds)] = true);
                }
            }
            for (question, [is_false, is_true]) in questions.iter().zip(seen) {
                let Ok(answer) = known.prove(&e(question)) else {
                    prop_assert!(!is_false && !is_true, "{conditions:?} hold at a point, and are refused");
                    continue;
                };
                let is_wrong = answer.is_some_and(|truth| if truth { is_false } else { is_true });
                prop_assert!(!is_wrong, "{question} is not always {answer:?} where {held:?}");
                let fresh = Simplifier::default().facts(known.domain()).prove(&e(question)).ok().flatten();
                prop_assert!(fresh.is_none() || answer.is_some(), "{question} is {fresh:?} where {held:?}, and not proved within levels");
            }
        }
        (0..conditions.len()).for_each(|_| assert!(known.pop()));
        prop_assert_eq!(asked(&mut known, &e("x*4 + y")), before);
    }
}
