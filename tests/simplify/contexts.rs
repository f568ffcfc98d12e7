//! Simplification under conditions: a branch of a selection under its condition, and a clause of a conjunction under
//! the other clauses. The facts of one context must not be used in any other context.

use crate::masks::{NAMES, condition, masked, ranges};
use crate::samples::{Case, grid, renamed, reordered};
use allocation_counter::measure;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, Op, int, select, var};

/// A case with ranges such as `x=0..15 y=..`.
fn case(expr: &str, vars: &str) -> Case {
    let vars = vars.split_whitespace().map(|v| {
        let (name, range) = v.split_once('=').expect(v);
        let (lo, hi) = range.split_once("..").expect(v);
        (name.to_string(), (lo.parse().expect(v), hi.parse().expect(v)))
    });
    Case { id: String::new(), expr: expr.parse().expect(expr), vars: vars.collect() }
}

fn ranges_of(case: &Case) -> Vec<(i64, i64)> {
    case.vars.iter().map(|v| v.1).collect()
}

/// The answer, after comparing its values with those of the question at all points.
fn answer(case: &Case) -> String {
    let out = Simplifier::default().simplify(&case.expr, &case.domain()).expect("answered");
    let difference = case.difference(out.expr(), &grid(&ranges_of(case), 20_000));
    assert!(difference.is_none(), "{} -> {}: {difference:?}", case.expr, out.expr());
    assert!(out.cost() <= out.input_cost(), "{}", case.expr);
    out.expr().to_string()
}

/// Checks cases of the form `(expression, variables, answer)`.
pub(crate) fn all(cases: &[(&str, &str, &str)]) {
    let mut wrong = String::new();
    for (expr, vars, wanted) in cases {
        let got = answer(&case(expr, vars));
        if got != *wanted {
            wrong.push_str(&format!("{expr}; {vars}\n   wanted {wanted}\n   got    {got}\n"));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn a_branch_is_simplified_under_its_condition() {
    all(&[
        ("where(i < 8, i//8 + j, i//8*8)", "i=0..15 j=0..3", "where(i < 8, j, 8)"),
        // under the condition, one branch has the same value as the other, so the condition is not needed
        ("where(i == 3, 6, max(i, 6))", "i=0..15", "max(i, 6)"),
        ("where(i == 3, 7, max(i, 6))", "i=0..15", "where(i == 3, 7, max(i, 6))"),
        ("max(where(i == 3, 1, i), i)", "i=0..15", "i"),
        ("where(i//8 == 1, i//16, 5)", "i=0..31", "where(i//8 == 1, 0, 5)"),
        ("where(i < 3, (i*4 + j)//12, 7)", "i=0..7 j=0..3", "where(i < 3, 0, 7)"),
        ("where(i + j < 8, (i + j)%8, 0)", "i=0..7 j=0..7", "where(i + j < 8, i + j, 0)"),
        ("where(i >= 8, i%16, 0)", "i=0..23", "where(i >= 8, i%16, 0)"),
        ("where(i == 5, i*j%7, j)", "i=0..9 j=0..9", "where(i == 5, i*j%7, j)"),
        ("where(i%4 == 0, (i + 3)//4, 0)", "i=0..63", "where(i%4 == 0, i//4, 0)"),
        // an equality in the condition is used, although the expression has no division
        ("where(i == j, i*3 - j*3 + k, 0)", "i=0..9 j=0..9 k=0..9", "where(i == j, k, 0)"),
        ("where(i != j, 0, i*3 - j*3 + k)", "i=0..9 j=0..9 k=0..9", "where(i == j, k, 0)"),
        ("where(i == 0, i + j, 0)", "i=0..9 j=0..9", "where(i == 0, j, 0)"),
        ("where(i, 7, i + j)", "i=0..9 j=0..9", "where(i, 7, j)"),
    ]);
}

#[test]
fn the_other_branch_is_simplified_under_its_negation() {
    all(&[
        ("where(i >= 8, 5, i//8)", "i=0..15", "where(i >= 8, 5, 0)"),
        ("where(i < 8 or j < 4, 5, i//8*100 + j//4)", "i=0..15 j=0..7", "where(i < 8 or j < 4, 5, 101)"),
        ("where(not (i < 8), 5, i%8)", "i=0..15", "where(i >= 8, 5, i)"),
        ("where(i + j >= 16, 0, (i + j)//16)", "i=0..15 j=0..15", "0"),
    ]);
}

#[test]
fn conditions_inside_of_conditions_add_up() {
    all(&[
        ("where(i < 8, where(j < 8, (i + j)//15, 1), 2)", "i=0..15 j=0..15", "where(i < 8, j >= 8, 2)"),
        ("where(i < 8, where(i < 9, i, 3), where(i < 7, 4, 5))", "i=0..15", "where(i < 8, i, 5)"),
        ("where(i < j, where(j < k, (k - i + 30)//32, 0), 0)", "i=0..15 j=0..15 k=0..15", "j < k and i < j"),
    ]);
}

#[test]
fn clauses_are_simplified_under_the_others() {
    all(&[
        ("i < 8 and i//8 == 0", "i=0..15", "i < 8"),
        ("i < 8 and i%8 == 3", "i=0..15", "i == 3"),
        ("i < 8 and (i//4 < 2 or j < 3)", "i=0..15 j=0..9", "i < 8"),
        ("i < 8 and (i > 9 or j < 3)", "i=0..15 j=0..9", "i < 8 and j < 3"),
        ("i >= 8 or i//8 == 0", "i=0..15", "1"),
        ("i >= 8 or (i//8 == 0 and j < 3)", "i=0..15 j=0..9", "i >= 8 or j < 3"),
        ("i < 4 and i + j < 4 and j < 9", "i=0..15 j=0..15", "i + j < 4"),
        ("i < 4 and j < 4 and i + j > 9", "i=0..15 j=0..15", "0"),
        ("i < 4 or j < 4 or i + j >= 3", "i=0..15 j=0..15", "1"),
    ]);
}

/// Two clauses without a common variable affect each other only if some fact relates their variables.
#[test]
fn clauses_over_different_variables() {
    let both: Expr = "i < 5 and j < 8".parse().unwrap();
    let free = Domain::new().with("i", 0..=15).with("j", 0..=15);
    let answer = |domain: &Domain| Simplifier::default().simplify(&both, domain).unwrap().expr().to_string();
    assert_eq!(answer(&free), "j < 8 and i < 5");
    assert_eq!(answer(&free.clone().assume("j <= i".parse::<Expr>().unwrap())), "i < 5");
    // the same clause is dropped if the assumption makes both variables equal
    assert_eq!(answer(&free.clone().assume("i == j".parse::<Expr>().unwrap())), "i < 5");
    // a range with a symbolic end relates the variables, too
    let below = Domain::new().with("i", 0..=15).with("j", int(0)..=var("i"));
    assert_eq!(answer(&below), "i < 5");
    // and so does another clause
    let chain = [
        ("i < 5 and j < 8 and j <= i", "i=0..15 j=0..15"),
        ("k < 3 and i < 5 and j < 8 and j <= i", "i=0..15 j=0..15 k=0..9"),
    ];
    for (expr, vars) in chain {
        assert!(!self::answer(&case(expr, vars)).contains("j < 8"), "{expr}");
    }
}

#[test]
fn a_clause_that_is_a_number_stays_a_truth() {
    // a number other than 0 counts as true. A conjunction or disjunction of which one clause remains still has the
    // value 0 or 1
    all(&[
        ("(i and (i < 3 or i >= 3))*10", "i=0..5", "(i != 0)*10"),
        ("i and (j//8 == 0 or j >= 8)", "i=0..5 j=0..15", "i != 0"),
        ("(i or (j//8 == 1 and j < 8)) + 1", "i=0..5 j=0..15", "(i != 0) + 1"),
        ("where(i, i//6, i + j)", "i=0..5 j=0..15", "where(i, 0, j)"),
    ]);
}

/// A fact that holds in one context is not used in another context, or outside of it.
#[test]
fn facts_do_not_leave_their_context() {
    all(&[
        // a quotient in a branch, in the other branch, and outside of the selection
        ("where(i < 8, i//8, i//8 + 1) + i//8", "i=0..31", "i//8*2 + (i >= 8)"),
        ("where(i < 8, i%8, 0)*100 + i%8", "i=0..31", "i%8 + where(i < 8, i%8, 0)*100"),
        ("where(i == 3, i*j, 0) + i*j", "i=0..7 j=0..7", "i*j + where(i == 3, i*j, 0)"),
        ("where(i%4 == 0, i%4 + j, i%4*10) + i%4*100", "i=0..31 j=0..7", "i%4*100 + where(i%4 == 0, j, i%4*10)"),
        ("(i < 8 and i//8 == 0) + (i//8 == 0)*2 + i//8*4", "i=0..31", "i//8*4 + (i < 8)*3"),
        // two contexts with conditions that exclude each other
        ("where(i < 8, (i + j)//16, 0) + where(i >= 8, (i + j)//16, 0)", "i=0..15 j=0..7", "(i + j)//16"),
        // a condition that never holds implies nothing outside of its branch
        ("where(i < 8, where(i > 9, i//16, 5), 6) + i//16", "i=0..31", "i//16 + where(i < 8, 5, 6)"),
    ]);
}

/// A node that occurs in several contexts is simplified for each of them, although the input has it only once.
#[test]
fn shared_nodes_are_simplified_for_each_context_apart() {
    let (i, j) = (var("i"), var("j"));
    let shared = (&i + &j) / 16;
    let masked = select(i.lt(8).and(j.lt(8)), &shared + 1, &shared * 3);
    let expr = &masked + select(j.ge(12), &masked + &shared, &masked - &shared) + &shared;
    let case = Case { id: String::new(), expr, vars: vec![("i".into(), (0, 31)), ("j".into(), (0, 15))] };
    answer(&case);
    // the same with several expressions in one call
    let roots = [masked.clone(), shared.clone(), select(i.lt(4), masked, shared)];
    let out = Simplifier::default().simplify_all(&roots, &case.domain()).expect("answered");
    for (root, answer) in roots.iter().zip(out.exprs()) {
        let single = Case { expr: root.clone(), ..case.clone() };
        assert_eq!(single.difference(answer, &grid(&ranges_of(&case), 1_000)), None, "{root} -> {answer}");
    }
}

/// A shared node is visited once for each context that matters to it. It is not visited once for each path from the
/// root.
#[test]
fn towers_of_shared_selections_take_bounded_work() {
    // the taller towers have 2^30 times as many paths
    let [low, high] = [30, 60].map(tower_work);
    for (low, high) in low.into_iter().zip(high) {
        println!("{low} allocations at 30 levels, {high} at 60");
        assert!(high <= low * TOWER_GROWTH, "{low} allocations at 30 levels, {high} at 60");
    }
}

/// The largest factor by which the work may grow if the height doubles. The work grows with the square of the height,
/// because each node is visited once for each context.
const TOWER_GROWTH: u64 = 6;

/// The number of allocations for three towers (expressions in which each level uses the level below it several times).
/// In the first tower each condition has its own variable, and in the second all conditions have the same variable. The
/// third tower consists of nested clauses.
fn tower_work(levels: usize) -> [u64; 3] {
    let names: Vec<String> = (0..levels).map(|k| format!("m{k}")).collect();
    let domain = names.iter().fold(Domain::new().with("x", 0..=999), |d, n| d.with(n.as_str(), 0..=9));
    let mut apart = var("x");
    let mut together = var("x");
    let mut clauses = var("x").ge(3);
    for (k, n) in names.iter().enumerate() {
        let k = k as i64;
        apart = select(var(n.as_str()).lt(5), &apart % 97 + 1, &apart / 2);
        together = select((var("x") % (k + 2)).lt(5), &together % 97 + 1, &together / 2);
        let (p, q) = ((var("x") / (k + 2)).lt(7), var(n.as_str()).ge(4));
        clauses = clauses.and(p.clone()).or(clauses.and(q)).or(p);
    }
    let simplifier = Simplifier::default();
    [apart, together, clauses].map(|expr| {
        let work = measure(|| {
            let out = simplifier.simplify(&expr, &domain).expect("answered");
            assert!(out.cost() <= out.input_cost());
        });
        work.count_total
    })
}

/// Deeply nested conditions must not overflow the stack of a thread, which has 2 MiB here.
#[test]
fn deep_selections_need_no_deep_stack() {
    let domain = Domain::new().with("x", 0..=999).with("y", 0..=999);
    let mut expr = int(7);
    for k in 0..140 {
        expr = select(var("x").lt(999 - k), &expr, var("y") % (k + 3));
    }
    let mut clauses = var("y").ge(3);
    for k in 0..140 {
        let p = (var("x") % (k + 3)).lt(2);
        clauses = if k % 2 == 0 { clauses.and(p) } else { clauses.or(p) };
    }
    for expr in [expr, clauses] {
        assert!(Simplifier::default().simplify(&expr, &domain).is_ok());
    }
}

#[test]
fn many_clauses_take_bounded_work() {
    let simplifier = Simplifier::default();
    for op in [Op::And, Op::Or] {
        let [few, many] = [75, 150].map(|count| clauses_work(&simplifier, &op, count));
        println!("{op:?}: {few} allocations for 75 clauses, {many} for 150");
        // quadratic work would be 4 times as much
        assert!(many <= few * 5, "{op:?}: {few} allocations for 75 clauses, {many} for 150");
    }
}

/// The number of allocations for a conjunction or disjunction of `count` clauses. Each clause is about two neighbouring
/// variables.
fn clauses_work(simplifier: &Simplifier, op: &Op, count: usize) -> u64 {
    let names: Vec<String> = (0..count).map(|k| format!("v{k}")).collect();
    let domain = names.iter().fold(Domain::new(), |d, n| d.with(n.as_str(), 0..=9));
    let clauses = names.windows(2).map(|n| (var(n[0].as_str()) + var(n[1].as_str())).lt(9));
    let expr = clauses.reduce(|a, b| Expr::try_new(op.clone(), [a, b]).expect("arity")).expect("many");
    measure(|| assert!(simplifier.simplify(&expr, &domain).is_ok())).count_total
}

/// The number of cases and the seed are fixed. With `PROPTEST_CASES`, that many random cases are tried instead.
fn config() -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases: 500, rng_seed: RngSeed::Fixed(1), ..default },
    }
}

fn random(expr: Expr, ranges: [(i64, i64); 3]) -> Case {
    Case { id: String::new(), expr, vars: NAMES.iter().map(|n| n.to_string()).zip(ranges).collect() }
}

/// Compares the answer with the input at all points.
fn checked(case: &Case) -> Result<(), TestCaseError> {
    let out = match Simplifier::default().simplify(&case.expr, &case.domain()) {
        Ok(out) => out,
        Err(e) => return Err(TestCaseError::fail(format!("{} with {:?}: {e}", case.expr, case.vars))),
    };
    prop_assert!(out.cost() <= out.input_cost(), "{} with {:?} -> {}", case.expr, case.vars, out.expr());
    let difference = case.difference(out.expr(), &grid(&ranges_of(case), 2_000));
    prop_assert!(difference.is_none(), "{} with {:?}\nanswer {}\n{difference:?}", case.expr, case.vars, out.expr());
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn masked_expressions_keep_their_values(expr in masked(), ranges in ranges()) {
        checked(&random(expr, ranges))?;
    }

    #[test]
    fn conditions_keep_their_truth(condition in condition(), ranges in ranges()) {
        checked(&random(condition, ranges))?;
    }

    #[test]
    fn what_a_branch_becomes_stays_in_it(condition in condition(), part in masked(), ranges in ranges()) {
        // the part under the condition, under the negated condition, and outside of both
        let expr = select(&condition, &part, &part * 16) + &part * 256 + condition * 4096;
        checked(&random(expr, ranges))?;
    }

    #[test]
    fn names_do_not_matter_to_masks(expr in masked(), ranges in ranges()) {
        let other = |name: &str| format!("v{}", (b'z' - name.as_bytes()[0]));
        let case = random(expr, ranges);
        let vars = case.vars.iter().map(|(n, r)| (other(n), *r)).collect();
        let twin = Case { id: String::new(), expr: renamed(&case.expr, other), vars };
        let simplifier = Simplifier::default();
        match (simplifier.simplify(&case.expr, &case.domain()), simplifier.simplify(&twin.expr, &twin.domain())) {
            (Ok(a), Ok(b)) => prop_assert_eq!(renamed(a.expr(), other).to_string(), b.expr().to_string()),
            (Err(_), Err(_)) => {}
            (a, b) => prop_assert!(false, "{}: {:?} and {:?}", case.expr, a.err(), b.err()),
        }
    }

    #[test]
    fn the_order_of_clauses_does_not_matter(condition in condition(), ranges in ranges()) {
        let case = random(condition, ranges);
        let other = reordered(&case.expr, |op| matches!(op, Op::And | Op::Or));
        let simplifier = Simplifier::default();
        let answers = (simplifier.simplify(&case.expr, &case.domain()), simplifier.simplify(&other, &case.domain()));
        if let (Ok(a), Ok(b)) = answers {
            prop_assert_eq!(a.cost(), b.cost(), "{} with {:?}: {} and {}", case.expr, case.vars, a.expr(), b.expr());
        }
    }
}

#[test]
fn a_negated_comparison_is_the_opposite_one() {
    let nodes = |text: &str| {
        let domain = Domain::new().with("g", 0..=9).with("l", 0..=5);
        let expr: Expr = text.parse().unwrap();
        Simplifier::default().simplify(&expr, &domain).unwrap().nodes()
    };
    for (negated, opposite) in
        [("not g + l%3 < 1", "g + l%3 >= 1"), ("not g <= l//2", "g > l//2"), ("not g%2 > l", "g%2 <= l")]
    {
        assert_eq!(nodes(negated), nodes(opposite), "{negated}");
    }
}

#[test]
fn what_a_comparison_leaves_one_value_is_written_in_its_place() {
    all(&[("where(r >= 2, r*62 + x//4*9, -1)", "r=0..2 x=0..19", "where(r >= 2, x//4*9 + 124, -1)")]);
}

#[test]
fn a_sum_at_the_end_of_its_range_has_each_part_at_an_end() {
    // r%2 is 1, and (x + y)%3 is 0
    let text = "r < 16 and (x + y)%3 < r%2";
    all(&[(text, "r=0..16 x=0..3 y=0..4", "(x + y)%3 < r%2"), (text, "r=0..17 x=0..3 y=0..4", text)]);
}

#[test]
fn every_junction_of_a_class_is_matched() {
    all(&[
        ("b + d >= 1 and (a + c)%2 < 1 and (b + d)%2 >= 1", "a=0..6 b=0..6 c=0..2 d=0..2", "(a + c)%2 < (b + d)%2"),
        // the two comparisons with the ends of `x` are found among other clauses, and an equality replaces both
        (
            "g + x >= 1 and h*4 + l >= 2 and h*4 + l < 9 and (x + 2)%3 < 1",
            "g=0..3 h=0..3 l=0..3 x=0..2",
            "h*4 + l >= 2 and h*4 + l < 9 and x == 1",
        ),
    ]);
}

#[test]
fn a_remainder_is_shared_by_comparisons_and_a_branch() {
    all(&[(
        "where(not r + x%15 < 1 and x%15*2 + r < 30, r*31 + g*899 + x%15*62 + (z*3 + y) - 31, -1)",
        "r=0..2 y=0..1 g=0..7 x=0..59 z=0..9",
        "where(r + x%15 < 16 and r + x%15 >= 1, r*31 + y + g*899 + z*3 + x%15*62 - 31, -1)",
    )]);
}

#[test]
fn a_clause_loses_a_term_that_another_one_bounds_with_a_constant() {
    all(&[("r*10 + x < 32 and x + 1 >= r", "r=0..3 x=0..7", "x >= r - 1 and r < 3")]);
}

#[test]
fn a_clause_loses_no_term_that_a_remainder_has() {
    // the clause `i1%3 < 2` would simplify the remainder only for `i4 = 0`, and only the other clause implies that
    all(&[(
        "where((i1*3 + i3 + i4*15)//9%5 < 2 and (i1*3 + i3 + i4*15)//3%3 < 2 and i3 >= 2, 0, -1)",
        "i1=0..4 i3=0..2 i4=0..2",
        "where(i3 >= 2 and i4 < 1 and i1 != 2, 0, -1)",
    )]);
}

#[test]
fn a_comparison_as_a_number_is_that_of_a_quotient_beside_it() {
    all(&[("(x >= 12) + (x + 48)%60*15 + 1", "x=0..35", "x*15 - (x >= 12)*899 + 721")]);
}

#[test]
fn an_answer_as_it_was_written_has_nothing_that_ranges_decide() {
    for (text, vars, gone) in [
        (
            "(g*4 + k%4 + r*12 < 39 and (g*4 + k%4 + r*12)%13 < 10) and (h*4 + l < 39 and (h*4 + l)%13 < 10)",
            "g=0..2 h=0..2 k=0..11 l=0..3 r=0..3",
            "h*4 + l)%13",
        ),
        (
            "((not (b + a*11)//10%11 < 2 and (b + a*11)//10%11 < 10) and (not (b + a*11)%10 < 0 and (b + a*11)%10 < 7)) \
             and not ((b + a*11)%10 + 0*-1 + ((b + a*11)//10%11 + 2*-1)*7)%8 < 1",
            "a=0..9 b=0..10",
            "*-1",
        ),
    ] {
        let case = case(text, vars);
        let answer = answer(&case);
        assert!(text.contains(gone) && !answer.contains(gone), "{answer}");
    }
}

#[test]
fn a_shift_count_that_is_in_range_in_its_branch_only_stays_as_it_was() {
    all(&[("where(z >> 1, x, x >> (z & 7))", "x=0..30 z=-9..9", "where(z//2, x, x >> z%8)")]);
}
