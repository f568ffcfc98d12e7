use super::*;
use crate::cost::Gpu;
use crate::domain::Domain;
use crate::egraph::trace::firing::Cause;
use proptest::prelude::*;
use std::sync::Arc;

/// A quotient to test: the factors of `x`, `y`, `z`, a constant and the divisor. The second field is the
/// divisor `inner`, if the numerator is `sum // inner`.
type Question = ([i64; 3], Option<i64>, i64, i64);

pub(in crate::egraph) fn graph() -> EGraph {
    let domain = Domain::new().with("x", 0..=7).with("y", -3..=20).with("z", 0..=2);
    let mut e = EGraph::new(&domain.resolve().unwrap(), Arc::new(Gpu));
    e.trace_normal_forms();
    e
}

/// The numerator and the divisor of a question.
fn quotient(e: &mut EGraph, (factors, inner, constant, n): Question) -> (LinearForm, i64) {
    let mut sum = LinearForm::constant(constant);
    for (v, c) in factors.into_iter().enumerate() {
        sum = sum.plus(c, &LinearForm::atom(e.var(v))).unwrap();
    }
    if let Some(m) = inner {
        sum = e.div_as_it_is(&sum, &LinearForm::constant(m)).unwrap();
    }
    (sum, n)
}

/// The value of a sum if the variables have the values `point`.
fn value(e: &EGraph, lin: &LinearForm, point: [i64; 3]) -> i64 {
    let term = |t: Id| match (0..3).find(|&v| e.var(v) == t) {
        Some(v) => point[v],
        None => {
            let div = e.nodes(t).iter().find_map(|n| if let Node::Div(x) = n { Some(*x) } else { None });
            let [a, b] = div.expect("a quotient").map(|x| value(e, &e.canonical(x), point));
            i64::try_from(floor_div(a.into(), b.into())).unwrap()
        }
    };
    lin.iter().fold(lin.constant, |sum, (c, t)| sum + c * term(t))
}

/// The normal form that is applied to a quotient, and the sum that it becomes.
fn applied(question: Question) -> (EGraph, Option<NormalForm>, LinearForm) {
    let mut e = graph();
    let (a, n) = quotient(&mut e, question);
    let to = e.div(&a, &LinearForm::constant(n)).unwrap();
    let forms = e.take_applied_forms();
    let form = forms.last().and_then(|f| if let Cause::NormalForm(form, _) = f.cause { Some(form) } else { None });
    (e, form, to)
}

#[test]
fn each_normal_form_is_applied_where_its_law_says_so() {
    let bucket = Some(NormalForm::DivOneBucket);
    for (question, form) in [
        (([24, 1, 0], None, 3, 24), bucket),
        (([24, 1, 0], None, 27, 24), bucket),
        // 25 is 1 modulo 24
        (([25, 0, 1], None, 12, 24), bucket),
        (([5, 1, 0], Some(6), 0, 7), Some(NormalForm::QuotientOfQuotient)),
        // the remaining terms reach into a second bucket
        (([24, 1, 0], None, 4, 24), None),
        (([25, 0, 1], None, 20, 24), None),
        (([5, 1, 0], None, 0, 7), None),
    ] {
        assert_eq!(applied(question).1, form, "{question:?}");
    }
}

/// Under conditions, a quotient may have a tighter range than the terms of its value. The class keeps both ranges.
#[test]
fn what_was_assumed_of_a_quotient_bounds_its_value() {
    let mut e = graph();
    e.assumed = true;
    let (a, n) = quotient(&mut e, ([24, 0, 1], None, 0, 24));
    let to = e.div(&a, &LinearForm::constant(n)).unwrap();
    let class = e.class_of(&to).unwrap();
    assert_eq!(to, LinearForm::atom(e.var(0)));
    assert!(e.facts(class).has(Operator::Div), "the quotient is a node of the class of x");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normal_forms_keep_values(
        factors in prop::array::uniform3(-30i64..=30),
        inner in prop::option::of(2i64..=9),
        constant in -40i64..=40,
        n in 2i64..=32,
    ) {
        let (mut e, _, to) = applied((factors, inner, constant, n));
        let (a, n) = quotient(&mut e, (factors, inner, constant, n));
        for point in [[0, -3, 0], [7, 20, 2], [0, 20, 1], [3, 4, 0], [7, -3, 2], [1, 0, 1]] {
            let want = floor_div(value(&e, &a, point).into(), n.into());
            prop_assert_eq!(i128::from(value(&e, &to, point)), want, "{:?}", point);
        }
    }
}
