use super::*;
use crate::cost::Gpu;
use crate::domain::{Domain, Interval, intervals_of};
use crate::egraph::analysis::form_facts::{Units, range_by_terms, units};
use crate::egraph::context::renormalise::decided_sign;
use crate::egraph::ingest::expressions::ingest;
use crate::egraph::normal::extrema::range_by_operands;
use crate::expr::{Dag, Expr};
use std::sync::Arc;

const VARIABLES: [(&str, i64, i64); 4] = [("i", 0, 15), ("j", 0, 15), ("k", -8, 7), ("o", i64::MIN, i64::MAX)];

/// An e-graph without rules, and the classes of these expressions in it.
fn classes<const N: usize>(texts: [&str; N]) -> (EGraph, [Id; N]) {
    let domain =
        VARIABLES.iter().fold(Domain::new(), |d, (name, lo, hi)| d.with(*name, Interval::new(*lo, *hi).unwrap()));
    let vars = domain.resolve().unwrap();
    let roots: Vec<Expr> = texts.iter().map(|t| t.parse().unwrap()).collect();
    let dag = Dag::new(&roots);
    let ranges = intervals_of(&dag, |name| vars[domain.position(name).unwrap()].interval);
    let mut e = EGraph::new(&vars, Arc::new(Gpu));
    let lins = ingest(&mut e, &dag, &ranges, &|name| domain.position(name), false).ok().unwrap().roots;
    let mut ids = [Id::from(0); N];
    for (id, lin) in ids.iter_mut().zip(&lins) {
        *id = e.class_of(lin).unwrap();
    }
    e.rebuild();
    let ids = ids.map(|id| e.graph.find(id));
    (e, ids)
}

/// Asserts that the reduction of `junction` gives `wanted`.
fn reduces(junction: &str, wanted: &str) {
    let (mut e, [id, other]) = classes([junction, wanted]);
    let formula = e.nodes(id).iter().find_map(|n| n.clauses().map(|(junction, clauses)| (junction, clauses.clone())));
    let got = match formula {
        Some((junction, clauses)) => reduced_junction(&mut e, junction, &clauses).0,
        // there is no reduced form, because the ranges have already decided the junction
        None => id,
    };
    let (got, other) = (e.graph.find(got), e.graph.find(other));
    assert_eq!(got, other, "{junction} is {:?}, not {wanted}", e.nodes(got));
}

#[test]
fn a_clause_that_the_others_imply_goes() {
    reduces("i + j < 9 and i < 9", "i + j < 9");
    reduces("i < 5 and j < 5 and i + j < 9", "i < 5 and j < 5");
    reduces("i < j and j < k and i < k", "i < j and j < k");
    reduces("i + j >= 9 or i >= 9", "i + j >= 9");
    reduces("i < 5 or j < 5 or i + j < 6", "i < 5 or j < 5");
    // the bound differs by one, so the clause stays
    reduces("i < 5 and j < 5 and i + j < 8", "i < 5 and j < 5 and i + j < 8");
    // if two clauses imply one another, one of them stays
    reduces("i + j < 9 and 2*i + 2*j < 17", "i + j < 9");
}

#[test]
fn a_clause_that_the_others_refute_decides() {
    reduces("i < j and j < k and k <= i + 1", "0");
    reduces("i < 3 and j < 3 and i + j > 4", "0");
    reduces("i >= 3 or j >= 3 or i + j <= 4", "1");
    reduces("i//4 == 2 and i < 8", "0");
}

#[test]
fn nested_junctions_are_reduced_under_the_clauses_beside_them() {
    reduces("i < 8 and (i < 9 or j < 3)", "i < 8");
    reduces("i < 8 and (i > 9 or j < 3)", "i < 8 and j < 3");
    reduces("i < 8 or (i < 9 and j < 3)", "i < 8 or (i < 9 and j < 3)");
    reduces("i < 8 or (i >= 8 and j < 3)", "i < 8 or j < 3");
    reduces("i < 8 and (j < 3 or (i < 10 and k < 2))", "i < 8 and (j < 3 or k < 2)");
}

#[test]
fn more_clauses_than_are_judged_stay() {
    let many: Vec<String> = (0..MAX_CLAUSES as i64 + 1).map(|n| format!("{n}*i + o < {}", 50 + n)).collect();
    let text = many.join(" and ");
    reduces(&text, &text);
}

#[test]
fn a_selection_of_the_smaller_is_a_minimum() {
    for (text, wanted) in [
        ("where(i < j, i, j)", "min(i, j)"),
        ("where(i <= j, i, j)", "min(i, j)"),
        ("where(i < j, j, i)", "max(i, j)"),
        ("where(i + k > j, j, i + k)", "min(i + k, j)"),
        ("where(i >= 9, 9, i)", "min(i, 9)"),
    ] {
        let (mut e, [id, other]) = classes([text, wanted]);
        let Some(&Node::Select(x)) = e.nodes(id).iter().find(|n| matches!(n, Node::Select(_))) else {
            panic!("{text}");
        };
        let got = decided_select(&mut e, id, x).map(|(x, _)| e.graph.find(x));
        assert_eq!(got, Some(e.graph.find(other)), "{text}");
    }
}

#[test]
fn a_selection_has_the_range_of_its_branches_where_they_are_chosen() {
    for (text, range) in [
        ("where(i < 8, i, 3)", (0, 7)),
        ("where(i + j < 9, i + j, 0)", (0, 8)),
        ("where(i >= 8, i, j + 8)", (8, 23)),
        ("where(i < j, j - i, 1)", (1, 15)),
        ("where(o >= 3, 3, o)", (i64::MIN, 3)),
    ] {
        let (mut e, [id]) = classes([text]);
        let Some(&Node::Select(x)) = e.nodes(id).iter().find(|n| matches!(n, Node::Select(_))) else {
            panic!("{text}");
        };
        decided_select(&mut e, id, x);
        let known = e.facts(id).interval;
        assert_eq!((known.lo().unwrap_or(i64::MIN), known.hi().unwrap_or(i64::MAX)), range, "{text}");
        // the range holds only for the selection, so the range of the branch is unchanged
        assert_eq!(e.facts(x[1]).interval, range_by_terms(&e.graph, &e.canonical(x[1])), "{text}");
    }
}

#[test]
fn a_selection_is_judged_by_its_branches_under_the_condition() {
    let judged = |texts: [&str; 2]| {
        let (mut e, [id, user]) = classes(texts);
        let node = e.nodes(id).iter().find(|n| matches!(n, Node::Select(_))).cloned().unwrap();
        let found = reduced_or_decided(&mut e, id, &node).map(|(x, _)| e.graph.find(x));
        (found, e.facts(id).interval, user)
    };
    // j can have any value, so the selection is not constant, but its range is smaller
    let (found, range, _) = judged(["where(i < 4, i*16 + j, -1)", "j"]);
    assert_eq!((found, range.bounded()), (None, Some((-1, 63))));
    // the condition makes a branch constant
    let (found, _, one) = judged(["where(i < 1, i + 5, j + 7)", "where(i < 1, 5, j + 7)"]);
    assert_eq!(found, Some(one));
}

#[test]
fn extrema_are_bounded_by_their_operands() {
    for (text, range) in [
        ("min(i, j) - i", (-15, 0)),
        ("max(i, j) - i", (0, 15)),
        ("i + j - min(i, j) - max(i, j)", (-15, 15)),
        ("min(i, min(j, k)) - k", (-15, 0)),
        ("i - min(i, j + 3) + k", (-8, 22)),
    ] {
        let (mut e, [id]) = classes([text]);
        let lin = e.canonical(id);
        let found = range_by_operands(&e, &lin);
        let (lo, hi) = found.bounded().unwrap();
        assert!(lo >= range.0 && hi <= range.1, "{text}: {found}");
        let least = lin.as_ref().clone().plus_constant(-range.0).unwrap();
        let sign = e.class_of(&least).unwrap();
        assert_eq!(decided_sign(&e, sign), Some(true), "{text}");
    }
}

#[test]
fn units_count_what_is_above_the_least_value() {
    let (mut e, [lin]) = classes(["2*i - 3*j + 5*k + 1"]);
    let lin = e.canonical(lin);
    // 2*i + 3*(15 - j) + 5*(k + 8) - 84
    let Units { sum, low, step } = units(&e.graph, &lin).unwrap();
    assert_eq!((low, step), (-84, 2));
    let (mut f, [wanted]) = classes(["i - j + k + 23"]);
    assert_eq!(f.canonical(wanted).constant, sum.constant);
    assert_eq!(f.canonical(wanted).coeffs(), sum.coeffs());
    // an end is open
    let (_, [o]) = classes(["i + o"]);
    let (g, [i_and_o]) = classes(["i + o"]);
    assert_eq!(o, i_and_o);
    assert!(units(&g.graph, &g.canonical(i_and_o)).is_none());
    assert!(e.class_of(&sum).is_some() && f.class_of(&sum).is_some());
}

#[test]
fn a_row_times_a_value_of_known_sign_bounds_products() {
    reduces("k >= 0 and k <= o and k*k <= o*o", "k >= 0 and k <= o");
    reduces("i < j and o >= 0 and i*o <= j*o", "i < j and o >= 0");
    // (j - i)*o is positive, so j - i and o have the same sign
    reduces("i < j and i*o < j*o and o < 1", "0");
    reduces("i > j and i*o < j*o and o > -1", "0");
    // the bound differs by one, so the clause stays
    reduces("k >= -1 and k <= o and k*k <= o*o", "k >= -1 and k <= o and k*k <= o*o");
    reduces("i < j and o >= -1 and i*o <= j*o", "i < j and o >= -1 and i*o <= j*o");
    reduces("i <= j and i*o <= j*o and o < 0", "i <= j and i*o <= j*o and o < 0");
}

#[test]
fn a_clause_loses_a_term_that_another_clause_relates_to_the_rest() {
    reduces("16*i + j < 51 and i <= j", "i < 3 and i <= j");
    // the sum is also below 54 with `i` 3 and `j` 3 to 5
    reduces("16*i + j < 54 and i <= j", "16*i + j < 54 and i <= j");
    // no clause relates `j` to `i`
    reduces("16*i + j < 51", "16*i + j < 51");
}

#[test]
fn a_clause_loses_all_terms_that_another_clause_has_with_the_same_factors() {
    reduces("64*i + 2*j + k < 195 and i <= 2*j + k", "i < 3 and i <= 2*j + k");
    // the sum is also below 196 with `i` 3 and the other terms 3
    reduces("64*i + 2*j + k < 196 and i <= 2*j + k", "64*i + 2*j + k < 196 and i <= 2*j + k");
    reduces("64*i + 2*j + k < 195 and i <= 2*j - k", "64*i + 2*j + k < 195 and i <= 2*j - k");
}

#[test]
fn a_clause_loses_no_term_that_it_divides_as_well() {
    // the other clauses give i <= j and j < 9, but without `j` the remainder would be lost
    reduces("(i + j)%16 < 7 and i <= j and j < 9", "(i + j)%16 < 7 and i <= j and j < 9");
}
