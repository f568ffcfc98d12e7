//! Quotients and remainders of values whose sign is not known, and products of neighbours.

use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::Expr;

fn answer(expr: &str, vars: &str) -> String {
    let (expr, vars): (Expr, Domain) = (expr.parse().expect(expr), vars.parse().expect(vars));
    Simplifier::default().simplify(&expr, &vars).expect("answered").expr().to_string()
}

#[test]
fn quotients_of_values_of_any_sign() {
    for (expr, wanted) in [
        ("(x//2 + 1)//3", "(x + 2)//6"),
        ("(x//4 + 3)//-5", "(-x - 9)//20"),
        ("x//2 + x%2", "(x + 1)//2"),
        ("(x%2 + x)//2", "(x + 1)//2"),
        ("(x + 1)//2*2 - x", "x%2"),
        ("x//-2 + x%2", "-(x//2)"),
        ("x%-3 + x//-3*-3", "x"),
        ("x%6//2%3", "x//2%3"),
        ("x//2%3*2 + x%2", "x%6"),
    ] {
        for range in ["x=-100..100", "x=-100..-1", "x=-100000000..100000000"] {
            assert_eq!(answer(expr, range), wanted, "{expr} in {range}");
        }
    }
    // `x + 2` exceeds 32 bits, so a quotient of it would cost more than the input
    assert_eq!(answer("(x//2 + 1)//3", "x=-2147483648..2147483647"), "(x//2 + 1)//3");
    assert_eq!(answer("x//2 + x%2", "x=-2147483648..2147483647"), "-(x//2) + x");
}

#[test]
fn multiples_of_a_divisor_of_either_sign() {
    for divisor in ["y=1..50", "y=-50..-1", "y=-2147483648..-1", "y=-51..51 step 2 from 1"] {
        assert_eq!(answer("(x - x%y)%y", &format!("x=-2147483648..2147483647, {divisor}")), "0", "{divisor}");
    }
}

#[test]
fn products_of_neighbours_are_even() {
    for (expr, wanted) in [
        ("x*(x + 1)%2", "0"),
        ("(x + 3)*(x + 4)%2", "0"),
        ("x//3*(x//3 + 1)%2", "0"),
        ("x*(x + 1)%2 == 1", "0"),
        ("x*(x + 1)//2*2", "x*(x + 1)"),
    ] {
        assert_eq!(answer(expr, "x=-100..100, y=0..9"), wanted, "{expr}");
    }
    let vars: Domain = "x=-2147483648..2147483647".parse().expect("a range");
    let mut facts = Simplifier::default().facts(&vars);
    let mut proved = |text: &str| facts.prove(&text.parse().expect(text)).expect(text);
    assert_eq!([proved("x*(x + 1)%2 == 0"), proved("x*(x - 1)%2 != 0")], [Some(true), Some(false)]);
}
