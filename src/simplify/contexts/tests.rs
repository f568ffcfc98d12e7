use super::context::Context;
use super::relevance::{Dependencies, Relevance};
use super::walk::{Contexts, MAX_CONTEXTS};
use crate::domain::Domain;
use crate::expr::Expr;
use crate::simplify::pass::search_once;
use crate::simplify::settings::Settings;

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
fn dependencies_tell_the_sum_around_from_what_is_inside() {
    for (text, variables, inner, linear) in [
        ("g*4 + r + 1", &["g", "r"][..], &[][..], true),
        ("g*4 + x//2", &["g", "x"], &["x"], false),
        ("g*4 + (x + r)%8*g", &["g", "r", "x"], &["r", "x"], false),
        ("x - g < 3", &["g", "x"], &["g", "x"], true),
        ("(x//2 + g)*(x//2 + g)", &["g", "x"], &["x"], false),
    ] {
        let d = Dependencies::of(&expr(text), &domain());
        assert_eq!((&names(&d.variables)[..], &names(&d.inner)[..]), (variables, inner), "{text}");
        assert_eq!(d.linear, linear, "{text}");
    }
}

#[test]
fn a_comparison_at_one_end_leaves_one_value() {
    let domain = domain();
    let vars = domain.resolve().unwrap();
    let relevance = Relevance::new(&domain, &vars);
    for text in
        ["r >= 2", "not r < 2", "r > 1", "0 >= x", "x < 1", "not 1 <= x", "g + x <= 0", "x == 7", "not x", "not x != 7"]
    {
        assert!(relevance.leaves_one_value(&expr(text)), "{text}");
    }
    for text in
        ["r >= 1", "r < 2", "not r < 1", "x <= 1", "g + x <= 1", "x != 7", "not x == 7", "not (x < 1 and g < 1)"]
    {
        assert!(!relevance.leaves_one_value(&expr(text)), "{text}");
    }
}

/// The number of parts of the answer to `text` that are simplified under conditions, and whether any part changes.
fn contexts_of(text: &str) -> (u32, bool) {
    let (settings, domain) = (Settings::default(), domain());
    let answer = search_once(&settings, &[expr(text)], &domain).unwrap();
    let mut contexts = Contexts::new(&settings, &domain, answer.vars());
    contexts.walk(answer.expr(), &Context::default());
    (MAX_CONTEXTS - contexts.contexts_left, contexts.changed)
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
        // a disjunction of negations gives no information about a single side
        "where(g < 15 and x%7 < 3, x, g*8 + r)",
        // a product that is not 0 gives no bound of its factors
        "where(g*(x//50)*r, g*8 + x, 7)",
    ] {
        assert_eq!(contexts_of(text), (0, false), "{text}");
    }
    for text in [
        // the variable is inside an operation other than a sum
        "where(g < 3, (g + x*5)//4, 7)",
        "where(g < 3, where(x < 9, g//4, 1), 7)",
        "g%7 < 3 and g//4 + r < 2",
        "g//4 + x*6 < 3 or g >= 1",
        // the condition, or its negation, leaves one value
        "where(g >= 15, g*8 + x%7, 7)",
        "where(g < 15, 7, g*8 + x%7)",
        "where(g == 5, g*8 + x%7, 7)",
        "where(g < 15 or x%7 < 3, x, g*8 + r)",
        "where(g*(x//50)*r != 6, 7, g*8 + x)",
    ] {
        assert_ne!(contexts_of(text).0, 0, "{text}");
    }
}
