//! Proofs of rules by a solver. Without a solver on the path, these tests print this and pass. The record is also
//! tested without a solver.

use quaff::rules::RuleSet;
use quaff_lab::proof::{Proof, Prover, laws};
use std::path::Path;
use std::time::Duration;

fn prover() -> Option<Prover> {
    let prover = Prover::installed(Duration::from_secs(2));
    if prover.is_none() {
        println!("skipped: neither z3 nor cvc5 on the path");
    }
    prover
}

fn proved(prover: &Prover, text: &str) -> bool {
    let rules = RuleSet::parse("proofs.rules", text).unwrap();
    matches!(prover.prove(&rules.rules()[0]), Proof::AllIntegers { .. })
}

#[test]
fn right_rules_are_proved() {
    let Some(prover) = prover() else { return };
    for name in ["congruence-reduce", "min-and-max", "where-arithmetic", "not-and", "or-disjoint", "and-subsumption"] {
        let rule = RuleSet::shipped().get(name).unwrap();
        assert!(matches!(prover.prove(rule), Proof::AllIntegers { .. }), "{name}: {}", prover.prove(rule));
    }
}

#[test]
fn laws_behind_normal_forms_are_proved() {
    let Some(prover) = prover() else { return };
    for law in laws() {
        assert!(matches!(prover.prove_law(&law), Proof::AllIntegers { .. }), "{law}: {}", prover.prove_law(&law));
    }
}

#[test]
fn wrong_rules_are_not_proved() {
    let Some(prover) = prover() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken-rules");
    for rule in RuleSet::load(&folder).unwrap().rules().iter().step_by(5) {
        let proof = prover.prove(rule);
        assert!(matches!(proof, Proof::None { .. }), "{}: {proof}", rule.name());
    }
}

#[test]
fn each_part_of_the_language_says_what_it_means() {
    let Some(prover) = prover() else { return };
    // a right rule, and a rule that is slightly wrong
    for (right, wrong) in [
        (
            "(match (min ?x ?y)) (when (nonneg (- ?y ?x))) (yield ?x)",
            "(match (min ?x ?y)) (when (nonneg (- ?x ?y))) (yield ?x)",
        ),
        (
            "(match (// ?x #n)) (when (within ?x 0 #n)) (yield 0)",
            "(match (// ?x #n)) (when (within ?x 0 (+ #n 1))) (yield 0)",
        ),
        ("(match (// ?x #n)) (when (= #n -1)) (yield (- ?x))", "(match (// ?x #n)) (when (= #n 1)) (yield (- ?x))"),
        // an alternative of `any` that cannot be computed proves nothing
        (
            "(match (max ?x ?y)) (when (any (< (lowest ?y) 0) (= 1 1))) (yield (max ?y ?x))",
            "(match (max ?x ?y)) (when (any (= (lowest ?x) (highest ?y)) (= 1 1))) (yield ?y)",
        ),
        (
            "(match (and (>= ?x... 0) ?rest...)) (yield (and (>= ?x 0) ?rest...))",
            "(match (and (>= ?x... 0) ?rest...)) (yield (and ?rest...))",
        ),
        ("(match (& ?x 0)) (yield 0)", "(match (& ?x 0)) (yield ?x)"),
        (
            "(match (>= ?x... 0)) (split ?x 4 ?q ?r) (when (constant ?r)) (yield (>= ?q 0))",
            "(match (>= ?x... 0)) (split ?x 4 ?q ?r) (yield (>= ?q 0))",
        ),
        // each result is proved separately, so the second guard does not help the first result
        (
            "(match (min ?x ?y)) (yield (min ?y ?x)) (when (nonneg (- ?y ?x))) (yield ?x)",
            "(match (min ?x ?y)) (yield ?x) (when (nonneg (- ?y ?x))) (yield ?x)",
        ),
        // the presence of a sum in the e-graph proves nothing about its value
        (
            "(match (% ?x... #n)) (for ?y (operands ?x //)) (when (> #n 1)) (let ?d (- ?y ?x)) \
             (split ?d #n ?q ?r) (when (not (nontrivial ?r))) (yield (% ?y #n)) (phase share)",
            "(match (% ?x... #n)) (for ?y (operands ?x //)) (when (> #n 1)) (yield (% ?y #n)) (phase share)",
        ),
        (
            "(match (// ?x #n)) (there (// ?x #m)) (when (= #n #m)) (yield (// ?x #m)) (phase share)",
            "(match (// ?x #n)) (there (// ?x #m)) (yield (// ?x #m)) (phase share)",
        ),
    ] {
        let rule = |clauses: &str| format!("(rule r \"\" {clauses})");
        assert!(proved(&prover, &rule(right)), "{right}");
        assert!(!proved(&prover, &rule(wrong)), "{wrong}");
    }
    for wrong in [
        // if a fact is not known, its negation does not hold
        "(match (max ?x ?y)) (when (not (nonneg (- ?y ?x)))) (yield ?x)",
        // an expression that may be 0 cannot be a divisor
        "(match (min ?x ?y)) (yield (+ (min ?x ?y) (* 0 (// ?x ?y))))",
        // a rule whose guards never hold is not proved
        "(match (max ?x ?y)) (when (not (= 1 1))) (yield ?x)",
    ] {
        assert!(!proved(&prover, &format!("(rule r \"\" {wrong})")), "{wrong}");
    }
}
