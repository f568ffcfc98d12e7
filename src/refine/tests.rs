use super::*;
use proptest::prelude::*;

fn domain() -> Domain {
    Domain::new().with("g", 0..=15).with("x", 0..=99).with("r", 0..=2)
}

fn names(positions: &[u32]) -> Vec<&'static str> {
    let mut names: Vec<&str> = positions.iter().map(|&p| ["g", "x", "r"][p as usize]).collect();
    names.sort_unstable();
    names
}

fn expr(text: &str) -> Expr {
    text.parse().unwrap()
}

#[test]
fn a_glance_tells_the_sum_around_from_what_is_inside() {
    for (text, variables, inner, linear) in [
        ("g*4 + r + 1", &["g", "r"][..], &[][..], true),
        ("g*4 + x//2", &["g", "x"], &["x"], false),
        ("g*4 + (x + r)%8*g", &["g", "r", "x"], &["r", "x"], false),
        ("x - g < 3", &["g", "x"], &["g", "x"], true),
        ("(x//2 + g)*(x//2 + g)", &["g", "x"], &["x"], false),
    ] {
        let glance = Glance::new(&expr(text), &domain());
        assert_eq!((&names(&glance.variables)[..], &names(&glance.inner)[..]), (variables, inner), "{text}");
        assert_eq!(glance.linear, linear, "{text}");
    }
}

#[test]
fn a_comparison_at_one_end_pins_its_sides() {
    let simplifier = Simplifier::default();
    let domain = domain();
    let vars = domain.resolve().unwrap();
    let refiner = Refiner::new(&simplifier, &domain, &vars, false);
    for text in
        ["r >= 2", "not r < 2", "r > 1", "0 >= x", "x < 1", "not 1 <= x", "g + x <= 0", "x == 7", "not x", "not x != 7"]
    {
        assert!(refiner.pins(&expr(text)), "{text}");
    }
    for text in
        ["r >= 1", "r < 2", "not r < 1", "x <= 1", "g + x <= 1", "x != 7", "not x == 7", "not (x < 1 and g < 1)"]
    {
        assert!(!refiner.pins(&expr(text)), "{text}");
    }
}

/// Whether a search says that no condition in `text` concerns what is under it, and whether a look under the conditions
/// changes anything.
fn is_free(text: &str) -> (bool, bool) {
    let (simplifier, domain) = (Simplifier::default(), domain());
    let roots = [expr(text)];
    let (answer, _) = simplifier.found(&simplifier.search(&roots, &domain, false).unwrap(), &roots);
    let vars = domain.resolve().unwrap();
    (answer.is_free(), refined(&simplifier, answer.exprs(), &domain, &vars, false).is_some())
}

#[test]
fn conditions_about_other_variables_are_not_assumed() {
    for text in [
        "where(g < 3, x//2*5 + r, 7)",
        "where(g < 3, g*8 + x%7, 7)",
        "g + 1 < 9 and x%7 < 3",
        "g < 5 and g*2 + r >= 3 and x%7 < 3",
        "where(g < 5 and x%7 < 3, r*100 + g, where(r < 1, 90, 5))",
        "not (g < 3 or x%7 > 2)",
    ] {
        assert_eq!(is_free(text), (true, false), "{text}");
    }
    for text in [
        // inside of something else than a sum
        "where(g < 3, (g + x*5)//4, 7)",
        "where(g < 3, where(x < 9, g//4, 1), 7)",
        "g%7 < 3 and g//4 + r < 2",
        "g + x*6 < 3 or g >= 1",
        // one value where the condition holds, or fails
        "where(g >= 15, g*8 + x%7, 7)",
        "where(g < 15, 7, g*8 + x%7)",
        "where(g == 5, g*8 + x%7, 7)",
        "where(g < 15 and x%7 < 3, x, g*8 + r)",
        "where(g*(x//50)*r, g*8 + x, 7)",
    ] {
        assert!(!is_free(text).0, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_free_of_conditions_is_not_changed_under_them(text in conditional()) {
        let (free, changed) = is_free(&text);
        prop_assert!(!free || !changed, "{text}");
    }
}

/// Selections and junctions of comparisons over sums, quotients and remainders of the three variables.
fn conditional() -> impl Strategy<Value = String> {
    let variable = prop::sample::select(vec!["g", "x", "r"]);
    let term = (variable, 1..9i64, 0..3usize, 2..9i64).prop_map(|(v, c, kind, n)| match kind {
        0 => format!("{v}*{c}"),
        1 => format!("{v}//{n}*{c}"),
        _ => format!("{v}%{n}*{c}"),
    });
    let sum = prop::collection::vec(term, 1..3).prop_map(|t| t.join(" + "));
    let clause = (sum.clone(), prop::sample::select(vec!["<", ">=", "=="]), 0..30i64)
        .prop_map(|(s, op, k)| format!("{s} {op} {k}"));
    let condition = (prop::collection::vec(clause, 1..4), prop::sample::select(vec![" and ", " or "]))
        .prop_map(|(c, op)| c.join(op));
    let selection = (condition.clone(), sum.clone(), sum.clone()).prop_map(|(c, a, b)| format!("where({c}, {a}, {b})"));
    prop_oneof![
        condition.clone(),
        selection.clone(),
        (condition, selection, sum).prop_map(|(c, a, b)| format!("where({c}, {a}, {b})")),
    ]
}
