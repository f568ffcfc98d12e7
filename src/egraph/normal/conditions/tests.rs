use super::*;
use crate::egraph::normal::quotients::tests::graph;
use crate::rules::operator::Operator;
use proptest::prelude::*;

fn sum(e: &mut EGraph, factors: [i64; 3], constant: i64) -> LinearForm {
    let mut sum = LinearForm::constant(constant);
    for (v, c) in factors.into_iter().enumerate() {
        sum = sum.plus(c, &LinearForm::atom(e.var(v))).unwrap();
    }
    sum
}

/// The sum that the comparison `id` compares with 0, or its truth value as a constant sum.
fn compared(e: &EGraph, id: Id) -> LinearForm {
    let inside = |n: &Node| if let Node::NonNeg([x]) = n { Some((*e.canonical(*x)).clone()) } else { None };
    let known = e.facts(id).constant().map(|c| LinearForm::constant(c - 1));
    known.or_else(|| e.nodes(id).iter().find_map(inside)).expect("a comparison")
}

#[test]
fn a_common_factor_leaves_a_comparison() {
    let mut e = graph();
    for (factors, constant, divided) in [([4, -6, 0], 3, true), ([4, -6, 1], 3, false)] {
        let sum = sum(&mut e, factors, constant);
        let id = e.nonneg(&sum).unwrap();
        assert_eq!(compared(&e, id) != sum, divided, "{factors:?}");
        assert_eq!(e.take_applied_forms().len(), usize::from(divided));
    }
    // equalities have a rule instead of a normal form
    let sum = sum(&mut e, [4, -6, 0], 2);
    let id = e.zero(&sum).unwrap();
    assert!(e.facts(id).has(Operator::Zero) && e.take_applied_forms().is_empty());
}

#[test]
fn a_sum_that_became_a_number_is_decided() {
    let mut e = graph();
    let (x, three) = (e.var(0), e.add(Node::Const(3)));
    e.union(x, three);
    e.rebuild();
    let sum = LinearForm::term(4, x);
    for (constant, holds) in [(-12, [1, 1]), (-13, [0, 0]), (4, [1, 0])] {
        let sum = sum.clone().plus_constant(constant).unwrap();
        let ids = [e.nonneg(&sum).unwrap(), e.zero(&sum).unwrap()];
        assert_eq!(ids.map(|id| e.facts(id).constant()), holds.map(Some), "{constant}");
    }
    assert!(e.take_applied_forms().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn comparisons_without_common_factors_have_the_same_truth(
        factors in prop::array::uniform3(-6i64..=6),
        scale in 1i64..=8,
        constant in -40i64..=40,
    ) {
        let mut e = graph();
        let factors = factors.map(|f| f * scale);
        let before = sum(&mut e, factors, constant);
        let id = e.nonneg(&before).unwrap();
        let after = compared(&e, id);
        for point in [[0, -3, 0], [7, 20, 2], [0, 20, 1], [3, 4, 0], [7, -3, 2], [1, 0, 1]] {
            let value = |lin: &LinearForm| (0..3).fold(lin.constant, |v, i| v + lin.coeff(e.var(i)) * point[i]);
            prop_assert_eq!(value(&before) >= 0, value(&after) >= 0, "{:?}", point);
        }
    }
}
