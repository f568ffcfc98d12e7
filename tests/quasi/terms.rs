//! Forms with the fewest terms, compared with the corpus and with the functions that they represent.

use num_rational::Ratio;
use proptest::prelude::*;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff::quasi::{Canonical, FloorSum, Period, Verdict, equivalent, separated};
use serde_json::Value;

fn rows() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/quasi_affine.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus is part of the crate");
    text.lines().map(|line| serde_json::from_str(line).expect("json")).collect()
}

/// Periods, slopes, jumps and numbers of terms agree with those in the corpus. Every form is proved equal to its
/// function. Five rows have fewer terms than recorded, because of a quotient `(a*x + b)//d` next to a multiple of `x`,
/// or because of a term that is on no chain of divisors.
#[test]
fn quasi_affine_rows() {
    let rows = rows();
    println!("{} rows", rows.len());
    assert!(!rows.is_empty());
    let everywhere = Domain::new().with("x", ..);
    let mut fewer = Vec::new();
    for row in &rows {
        let id = row["id"].as_str().expect("an id");
        let parse = |key: &str| row[key].as_str().expect("text").parse::<Expr>().expect("an expression");
        let number = |v: &Value| i128::from(v.as_i64().expect("a number"));
        let (expr, expected) = (parse("expr"), parse("expected"));
        let canonical = Canonical::of(&expr, "x").expect(id);
        assert_eq!(canonical.period(), number(&row["period"]), "{id}");
        assert_eq!(canonical.slope(), (number(&row["slope"][0]), number(&row["slope"][1])), "{id}");
        let jumps = canonical.jumps().iter().filter(|j| **j != 0).count();
        assert_eq!(jumps as i128, number(&row["jumps"]), "{id}");

        let sum = FloorSum::of(&expr, "x").expect(id);
        let terms = number(&row["terms"]) - sum.terms().len() as i128;
        assert!(terms >= 0, "{id}: {} terms, {} recorded", sum.terms().len(), row["terms"]);
        if terms > 0 {
            fewer.push(id);
        }
        assert_eq!(sum.slope(), Ratio::new(canonical.slope().0, canonical.slope().1), "{id}");
        let form = sum.to_expr("x").expect(id);
        for other in [&expr, &expected] {
            assert_eq!(equivalent(&form, other, &everywhere), Verdict::Equal, "{id}: {form}");
        }
        assert_eq!(Canonical::of(&form, "x").as_ref(), Ok(&canonical), "{id}: {form}");
    }
    assert_eq!(fewer.len(), 5, "{fewer:?}");
}

/// Quasi-affine expressions over `x`, with up to three levels of divisions.
fn quasi_affine() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![3 => Just(var("x")), 1 => (-9..9_i64).prop_map(int)];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a - b),
            (inner.clone(), -4..5_i64).prop_map(|(a, k)| a * int(k)),
            (inner.clone(), 2..7_i64).prop_map(|(a, d)| a.floor_div(d)),
            (inner, 2..7_i64).prop_map(|(a, d)| a.floor_mod(d)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_form_has_the_values_of_its_function(e in quasi_affine()) {
        let Ok(sum) = FloorSum::of(&e, "x") else { return Ok(()) };
        let form = sum.to_expr("x").expect("small numbers");
        for x in -70..70 {
            let value = e.eval(|_| Some(x)).expect("a value");
            prop_assert_eq!(form.eval(|_| Some(x)).expect("a value"), value, "{} and {} at {}", e, form, x);
            prop_assert_eq!(sum.value(x.into()), Some(value));
        }
        let period = Period::of(&e, "x").expect("a period");
        prop_assert_eq!(sum.slope(), Ratio::new(period.rise, period.length));
        // no factor or slope of a term is 0, each divisor is positive, and each offset is below its divisor
        for t in sum.terms() {
            prop_assert!(t.factor != 0 && t.slope != 0 && t.divisor > 0 && (0..t.divisor).contains(&t.offset), "{:?}", t);
        }
        if let Some(digits) = sum.digits() {
            // for each `x` from 0 on, the sum of the mixed-radix digits is the value of the function
            for x in 0..140_i128 {
                let mut value = sum.value(0).expect("small");
                for (at, (boundary, stride)) in digits.iter().enumerate() {
                    let above = digits.get(at + 1).map(|d| d.0);
                    let digit = match above {
                        Some(above) => x.div_euclid(*boundary).rem_euclid(above / boundary),
                        None => x.div_euclid(*boundary),
                    };
                    value += stride * digit;
                }
                prop_assert_eq!(Some(value), sum.value(x), "{} at {}", form, x);
            }
        }
    }

    /// `separated` recognises a sum of functions of one variable, even if multiples of periods move between its terms.
    /// It rejects all other functions.
    #[test]
    fn sums_of_functions_of_one_variable_are_taken_apart(a in quasi_affine(), b in quasi_affine(), d in 2..6_i64, k in -3..4_i64) {
        let of_y: Expr = b.to_string().replace('x', "y").parse().expect("renamed");
        let shifted = (&a + &of_y * int(d) + int(k)).floor_div(d) * int(d) + (&a + int(k)).floor_mod(d);
        let Ok(Some(sums)) = separated(&shifted, &["x", "y"]) else {
            // a period exceeds a limit
            prop_assert!(FloorSum::of(&a, "x").is_err() || FloorSum::of(&b, "x").is_err() || separated(&shifted, &["x", "y"]).is_err());
            return Ok(());
        };
        for (x, y) in (-30..30_i64).map(|x| (x, 7 * x - 11)) {
            let at = |v: &str| Some(if v == "x" { x } else { y });
            let sum = sums[0].value(x.into()).zip(sums[1].value(y.into())).map(|(a, b)| a + b);
            prop_assert_eq!(sum, shifted.eval(at).ok(), "{} at {}, {}", shifted, x, y);
        }
        let mixed = (var("x") + var("y")).floor_div(d) + &shifted;
        prop_assert_eq!(separated(&mixed, &["x", "y"]), Ok(None), "{}", mixed);
    }

    /// If the period is a power of two, the form has the fewest terms. The test tries sums of two terms.
    #[test]
    fn two_terms_are_found(a in -5..5_i128, b in -5..5_i128, (d, r) in (0..4_u32, 0..16_i128), (e, s) in (0..4_u32, 0..16_i128)) {
        let term = |height: i128, log: u32, residue: i128| {
            let d = 1_i64 << log;
            (var("x") - int(residue as i64 % d)).floor_div(d) * int(height as i64)
        };
        let sum = term(a, d, r) + term(b, e, s);
        let form = FloorSum::of(&sum, "x").expect("a form");
        prop_assert!(form.terms().len() <= 2, "{}", sum);
    }
}
