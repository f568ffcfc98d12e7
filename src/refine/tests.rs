use super::*;

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
