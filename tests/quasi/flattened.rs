//! Sums of quotients that contain variables besides `x` (symbols), compared with plain evaluation.

use proptest::prelude::*;
use quaff::expr::{Expr, int, var};
use quaff::quasi::Flattened;

fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop::sample::select(vec![var("x"), var("x"), var("p"), int(5)]);
    leaf.prop_recursive(4, 10, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
            (inner.clone(), prop::sample::select(vec![-2, 2, 3])).prop_map(|(a, k)| a * int(k)),
            (inner.clone(), prop::sample::select(vec![2, 3, 4])).prop_map(|(a, d)| a.floor_div(d)),
            (inner, prop::sample::select(vec![2, 4])).prop_map(|(a, d)| a.floor_mod(d)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// The sum for all residues of a symbol, and the sum for each residue, have the values of the function.
    #[test]
    fn sums_are_the_function_at_all_symbols(e in expression()) {
        let Ok(flat) = Flattened::of(&e, "x") else { return Ok(()) };
        for (x, p) in (-30..30).flat_map(|x| (-20..20).map(move |p| (x, p))) {
            let at = |name: &str| Some(if name == "x" { x } else { p });
            let value = e.eval(at).expect("no divisor is 0");
            if let Some(sum) = flat.sum() {
                prop_assert_eq!(sum.eval(at), Ok(value), "{} at {}, {}: {}", e, x, p, sum);
            }
            let residue = |period: i128| i128::from(p).rem_euclid(period);
            let own = |c: &&quaff::quasi::Case| c.residues().iter().zip(flat.symbols()).all(|(r, (_, s))| *r == residue(s.length));
            let case = flat.cases().iter().find(own).expect("a case for each residue");
            let sum = case.sum("x").expect("a short period");
            prop_assert_eq!(sum.eval(at), Ok(value), "{} at {}, {}: {}", e, x, p, sum);
        }
    }
}

#[test]
fn shifts_of_one_function_are_one_sum() {
    for (text, sum) in [
        ("((x + p)//2)//3", "(x + p)//6"),
        ("x//4 + p", "x//4 + p"),
        ("(x + p)%8 + p//2", "x - (x + p)//8*8 + (p + p//2)"),
        ("(x + p + q)//4", "(x + p + q)//4"),
    ] {
        let flat = Flattened::of(&text.parse().expect(text), "x").expect(text);
        let found = flat.sum().unwrap_or_else(|| panic!("{text}"));
        let wanted: Expr = sum.parse().expect(sum);
        let domain = ["x", "p", "q"].into_iter().fold(quaff::domain::Domain::new(), |d, v| d.with(v, ..));
        assert_eq!(quaff::quasi::equivalent(found, &wanted, &domain), quaff::quasi::Verdict::Equal, "{text}: {found}");
    }
    assert!(Flattened::of(&"(x + p//99)//2".parse().expect("valid"), "x").is_err());
}
