//! Inputs that are large, or small inputs whose expanded form would be large. Each has an answer, the work grows with
//! the size of the input, and the answer reports the limit that ended the search. The tests count work, and measure no
//! time.

use crate::shapes::large::{LARGE, prefixes, remainders, sum_of_quotients};
use quaff::domain::Domain;
use quaff::egraph::{Limits, StopReason};
use quaff::expr::{Dag, Expr, int, var};
use quaff::{Simplifier, SimplifyError};

/// The largest number of e-nodes for each node of the input. It includes the searches under conditions.
const NODES_PER_NODE: usize = 6;
/// The largest number of e-nodes that searches may add to this for an input of any size.
const NODES_BESIDES: usize = 4000;

#[test]
#[ignore = "a campaign"]
fn e_nodes_grow_with_the_input_and_no_faster() {
    let simplifier = Simplifier::default();
    for (name, make) in LARGE {
        for n in [40, 160, 640, 1280] {
            let (expr, domain) = make(n);
            let size = Dag::new(std::slice::from_ref(&expr)).nodes().len();
            let answer = simplifier.simplify(&expr, &domain).expect("answered");
            let most = NODES_PER_NODE * size + NODES_BESIDES;
            assert!(answer.nodes() <= most, "{name} of size {n}: {} e-nodes, {size} nodes", answer.nodes());
            assert!(answer.cost() <= answer.input_cost(), "{name} of size {n}");
            assert!(answer.rounds() <= 3 * Limits::default().rounds, "{name} of size {n}");
        }
    }
}

#[test]
fn answers_have_the_values_of_the_input() {
    let simplifier = Simplifier::default();
    for (name, make) in LARGE {
        let (expr, domain) = make(200);
        let answer = simplifier.simplify(&expr, &domain).expect("answered");
        for point in [(0, 0), (1, 0), (0, 1), (1, 1), (999_999, 999_999), (123_456, 654_321)] {
            // the product of sums has a smaller domain
            let (x, y) = if name == "product of sums" { (point.0 & 1, point.1 & 1) } else { point };
            let at = |v: &str| Some(if v == "x" { x } else { y });
            assert_eq!(answer.expr().eval(at), expr.eval(at), "{name} at {x}, {y}");
        }
    }
}

#[test]
fn remainders_of_a_remainder_are_one_however_many() {
    for (n, stop) in [(10, StopReason::Saturated), (1000, StopReason::TermLimit), (20_000, StopReason::TermLimit)] {
        let (expr, domain) = remainders(n);
        let answer = Simplifier::default().simplify(&expr, &domain).expect("answered");
        assert_eq!(answer.expr().to_string(), "x%7", "{n}");
        assert_eq!(answer.stop(), stop, "{n}");
        // beyond the limit, the engine finds that each remainder is equal to the remainder inside of it
        assert!(answer.nodes() < 400, "{n}: {}", answer.nodes());
    }
}

#[test]
fn what_is_too_large_for_an_e_graph_is_answered_as_it_is() {
    let (expr, domain) = prefixes(4000);
    let answer = Simplifier::default().simplify(&expr, &domain).expect("answered");
    assert_eq!((answer.stop(), answer.nodes()), (StopReason::TermLimit, 0));
    assert_eq!(*answer.expr(), expr);
    assert_eq!(answer.cost(), answer.input_cost());
    assert!(answer.cuda().is_ok());
    // errors in the expression are still reported
    let refused = |e: Expr| Simplifier::default().simplify(&e, &domain).expect_err("refused");
    assert!(matches!(refused(&expr + var("z")), SimplifyError::UnknownVariable(z) if z == var("z")));
    assert!(matches!(refused(&expr / var("y")), SimplifyError::DivisorMayBeZero { .. }));
    assert!(matches!(refused(&expr << var("x")), SimplifyError::ShiftOutOfRange { .. }));
    // a smaller expression of the same shape is searched
    let (expr, domain) = prefixes(200);
    assert_ne!(Simplifier::default().simplify(&expr, &domain).expect("answered").nodes(), 0);
}

#[test]
fn the_limit_of_work_ends_a_search_with_the_best_so_far() {
    let (expr, domain) = sum_of_quotients(50);
    let with = |work| Simplifier::default().with_limits(Limits { work, ..Limits::default() });
    let [little, much] = [1, u64::MAX].map(|work| with(work).simplify(&expr, &domain).expect("answered"));
    assert_eq!(little.stop(), StopReason::WorkLimit);
    assert_ne!(much.stop(), StopReason::WorkLimit);
    assert!(little.nodes() < much.nodes());
    assert!(much.cost() <= little.cost() && little.cost() <= little.input_cost());
}

#[test]
fn a_sum_beyond_32_bits_keeps_its_prefixes_small() {
    // the sum has 200 terms of 2^28 times a small number, so in the order of the variables half of the prefixes exceed
    // 32 bits
    let mut domain = Domain::new();
    let mut sum = int(0);
    for k in 0..200 {
        let name = format!("v{k}");
        domain.add_bounds(name.as_str(), 0..=3);
        let sign = if k < 100 { 1 } else { -1 };
        sum = sum + var(name) * (sign * (1i64 << 28));
    }
    let answer = Simplifier::default().simplify(&sum, &domain).expect("answered");
    // positive and negative terms alternate, so no prefix is far from 0
    let mut e = answer.expr().clone();
    let mut terms = Vec::new();
    while e.args().len() == 2 && matches!(e.op(), quaff::expr::Op::Add | quaff::expr::Op::Sub) {
        terms.push(*e.op() == quaff::expr::Op::Add);
        e = e.args()[0].clone();
    }
    assert_eq!(terms.len(), 199);
    let balance = |positive: &bool| if *positive { 1i64 } else { -1 };
    let mut so_far = 1;
    for term in terms.iter().rev() {
        so_far += balance(term);
        assert!((-1..=2).contains(&so_far), "{so_far}");
    }
}
