use super::*;
use crate::domain::Domain;

/// Three variables `0..=9`.
fn graph() -> EClasses {
    let domain = Domain::new().with("a", 0..10).with("b", 0..10).with("c", 0..10);
    EClasses::new(&domain.resolve().unwrap(), Arc::new(Gpu))
}

/// `Σ coeffs[v] * v + constant` of the first variables.
fn sum(e: &EClasses, coeffs: &[i64], constant: i64) -> Lin {
    let terms = coeffs.iter().enumerate().map(|(v, &c)| (e.var(v), i128::from(c)));
    Lin::from_terms(constant, terms.collect()).unwrap()
}

#[test]
fn classes_that_nothing_is_made_of_merge_without_a_rebuild() {
    let mut e = graph();
    let [x, y] = [[4, 1], [1, 6]].map(|coeffs| sum(&e, &coeffs, 0));
    let [p, q] = [x, y].map(|lin| e.class_of(&lin).unwrap());
    assert!(e.union(p, q) && !e.unsettled);
    assert!(!e.union(p, q), "they are one already");
    e.rebuild();
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
    // the ranges of both are the same: nothing to propagate, and the class of more users keeps its id
    let same = e.class_of(&sum(&e, &[1, 0, 4], 0)).unwrap();
    assert!(e.union(used, same) && !e.unsettled);
    // a tighter one is news for the quotient
    let tighter = e.class_of(&sum(&e, &[1, 1], 0)).unwrap();
    assert!(e.union(used, tighter) && e.unsettled);
    e.rebuild();
    let after = e.facts(quotient).interval;
    assert!(after != before && after.within(0, 6), "{after}");
    // two that are used: what is made of them may become one
    let [p, q] = [[0, 7, 1], [0, 1, 7]].map(|coeffs| e.class_of(&sum(&e, &coeffs, 0)).unwrap());
    let of = [p, q].map(|id| e.add(Node::Div([id, three])));
    assert!(e.union(p, q) && e.unsettled);
    e.rebuild();
    assert_eq!(e.graph.find(of[0]), e.graph.find(of[1]));
}
