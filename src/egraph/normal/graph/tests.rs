use super::*;
use crate::domain::Domain;

/// An e-graph with three variables `0..=9`.
fn graph() -> EGraph {
    let domain = Domain::new().with("a", 0..10).with("b", 0..10).with("c", 0..10);
    EGraph::new(&domain.resolve().unwrap(), Arc::new(Gpu))
}

/// The linear form of the first variables with these coefficients, plus `constant`.
fn sum(e: &EGraph, coeffs: &[i64], constant: i64) -> LinearForm {
    let terms = coeffs.iter().enumerate().map(|(v, &c)| (e.var(v), i128::from(c)));
    LinearForm::from_terms(constant, terms.collect()).unwrap()
}

#[test]
fn nothing_is_unsettled_until_classes_merge() {
    let mut e = graph();
    let [x, y] = [[4, 1], [1, 6]].map(|coeffs| sum(&e, &coeffs, 0));
    let [p, q] = [x, y].map(|lin| e.class_of(&lin).unwrap());
    assert!(!e.unsettled);
    assert!(e.union(p, q) && e.unsettled);
    e.rebuild();
    assert!(!e.union(p, q) && !e.unsettled, "they are one already");
    let nodes = e.nodes(p);
    assert!(nodes.len() == 2 && nodes.is_sorted(), "{nodes:?}");
}

#[test]
fn users_hear_of_new_ids_and_new_facts() {
    let mut e = graph();
    let used = e.class_of(&sum(&e, &[4, 1], 0)).unwrap();
    let three = e.add(Node::Const(3));
    let quotient = e.add(Node::Div([used, three]));
    let before = e.facts(quotient).interval;
    // a tighter range of the numerator changes the range of the quotient
    let tighter = e.class_of(&sum(&e, &[1, 1], 0)).unwrap();
    e.union(used, tighter);
    e.rebuild();
    let after = e.facts(quotient).interval;
    assert!(after != before && after.within(0, 6), "{after}");
    // if two numerators merge, their quotients merge too
    let [p, q] = [[0, 7, 1], [0, 1, 7]].map(|coeffs| e.class_of(&sum(&e, &coeffs, 0)).unwrap());
    let of = [p, q].map(|id| e.add(Node::Div([id, three])));
    e.union(p, q);
    e.rebuild();
    assert_eq!(e.graph.find(of[0]), e.graph.find(of[1]));
}
