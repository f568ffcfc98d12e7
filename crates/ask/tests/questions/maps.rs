//! Maps from `t` and `p` to indices.

use crate::support::{cases, domain, index, points, value};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::expr::{Expr, int, var};
use quaff_ask::{Answer, disjoint, injective, inverse, surjective};
use std::collections::{HashMap, HashSet};

/// All points with this `n`, each with the values of `outputs`.
fn image(outputs: &[Expr], n: i64) -> Vec<([i64; 3], Vec<i64>)> {
    let own = points().filter(|at| at[2] == n);
    own.map(|at| (at, outputs.iter().map(|e| value(e, at)).collect())).collect()
}

/// Indices, many of which are numbers in a mixed-radix system.
pub(crate) fn output() -> impl Strategy<Value = Expr> {
    let digits = ["t", "p", "t%4", "t//4", "t//4%2", "t//8", "t%8", "p%2", "p//2", "t*p"];
    let others = [
        "31 - t",
        "4 - p",
        "(t + 5)%32",
        "(t + n)%32",
        "t ^ 5",
        "t ^ t//4",
        "t%8 ^ p",
        "(t + 3)//4",
        "(t + 3)%4",
        "(t + p)%8",
    ];
    let digit = prop::sample::select([digits, others].concat());
    let stride = prop::sample::select(vec!["0", "1", "1", "2", "4", "5", "8", "32", "n", "n*5"]);
    let sums = prop::collection::vec((digit, stride), 1..4).prop_map(|terms| {
        let text: Vec<String> = terms.iter().map(|(digit, stride)| format!("({digit})*{stride}")).collect();
        text.join(" + ").parse().expect("an expression")
    });
    prop_oneof![3 => sums, 1 => index()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(150) as u32, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "a campaign"]
    fn maps_are_what_is_said(outputs in prop::collection::vec(output(), 1..3), ends in prop::array::uniform2(1i64..9)) {
        let (simplifier, inputs) = (Simplifier::default(), ["t", "p"]);
        let all: Vec<_> = [4, 8, 12, 16].iter().map(|&n| image(&outputs, n)).collect();
        let is_injective = all.iter().all(|image| image.iter().map(|(_, v)| v).collect::<HashSet<_>>().len() == image.len());
        match injective(&simplifier, &outputs, &inputs, &domain()).unwrap() {
            Answer::Yes => prop_assert!(is_injective),
            Answer::No([a, b]) => {
                let at = |values: &quaff_ask::Values| -> Vec<i64> {
                    let own = |name: &str| values.iter().find(|(own, _)| &**own == name).map_or(4, |(_, value)| *value);
                    let at = [own("t"), own("p"), own("n")];
                    outputs.iter().map(|e| value(e, at)).collect()
                };
                prop_assert!(a != b && at(&a) == at(&b), "{a:?} {b:?}");
            }
            Answer::NotProved => prop_assert!(false, "few points"),
        }
        let extents: Vec<Expr> = ends[..outputs.len()].iter().map(|&end| int(end)).collect();
        let wanted = ends[..outputs.len()].iter().fold(vec![vec![]], |all: Vec<Vec<i64>>, &end| {
            all.iter().flat_map(|point| (0..end).map(move |i| [&point[..], &[i]].concat())).collect()
        });
        let is_onto = |image: &Vec<([i64; 3], Vec<i64>)>| {
            let values: HashSet<_> = image.iter().map(|(_, v)| v.clone()).collect();
            wanted.iter().all(|point| values.contains(point))
        };
        match surjective(&simplifier, &outputs, &extents, &inputs, &domain()).unwrap() {
            Answer::Yes => prop_assert!(all.iter().all(is_onto)),
            Answer::No(point) => {
                prop_assert!(wanted.contains(&point));
                prop_assert!(all.iter().any(|image| image.iter().all(|(_, v)| *v != point)));
            }
            Answer::NotProved => prop_assert!(false, "few points"),
        }
        let names = [("a", int(ends[0])), ("b", int(ends[1]))];
        if let Some(found) = inverse(&simplifier, &outputs, &names[..outputs.len()], &inputs, &domain()).unwrap() {
            prop_assert!(is_injective);
            for (image, n) in all.iter().zip([4, 8, 12, 16]) {
                let back: HashMap<&Vec<i64>, [i64; 3]> = image.iter().map(|(at, v)| (v, *at)).collect();
                for point in &wanted {
                    let at = |e: &Expr| {
                        let named = |name: &str| match name {
                            "a" => point.first().copied(),
                            "b" => point.get(1).copied(),
                            _ => Some(n),
                        };
                        e.eval(named).expect("a value")
                    };
                    let inside = found.inside.as_ref().is_none_or(|condition| at(condition) != 0);
                    prop_assert_eq!(inside, back.contains_key(point), "{:?} of {:?} at {:?}, n={}", &found, &outputs, point, n);
                    if let Some([t, p, _]) = back.get(point) {
                        prop_assert_eq!((at(&found.inputs[0]), at(&found.inputs[1])), ((*t).into(), (*p).into()));
                    }
                }
            }
        }
    }

    #[test]
    fn accesses_meet_where_it_is_shown(a in output(), b in output()) {
        let meets = [4, 8, 12, 16].iter().any(|&n| {
            let own: HashSet<_> = image(std::slice::from_ref(&a), n).into_iter().map(|(_, v)| v).collect();
            image(std::slice::from_ref(&b), n).iter().any(|(_, v)| own.contains(v))
        });
        match disjoint(&Simplifier::default(), &a, &b, &["t", "p"], &domain()).unwrap() {
            Answer::Yes => prop_assert!(!meets),
            Answer::No([first, second]) => {
                let at = |values: &quaff_ask::Values, e: &Expr| {
                    let own = |name: &str| values.iter().find(|(own, _)| &**own == name).map_or(4, |(_, value)| *value);
                    value(e, [own("t"), own("p"), own("n")])
                };
                prop_assert!(meets);
                prop_assert_eq!(at(&first, &a), at(&second, &b));
            }
            Answer::NotProved => prop_assert!(false, "few points"),
        }
    }
}

#[test]
fn maps_with_sizes_at_run_time() {
    let simplifier = Simplifier::default();
    let parse = |texts: &[&str]| texts.iter().map(|t| t.parse().unwrap()).collect::<Vec<Expr>>();
    let ask = |outputs: &[&str], inputs: &[&str], domain: &str| {
        injective(&simplifier, &parse(outputs), inputs, &domain.parse().unwrap()).unwrap()
    };
    let matrix = "n=1..4096, m=1..4096, x=0..m-1, y=0..n-1";
    assert_eq!(ask(&["x*n + y"], &["x", "y"], matrix), Answer::Yes);
    assert_eq!(ask(&["x*n + y*2"], &["x", "y"], matrix), Answer::NotProved);
    assert_eq!(ask(&["x", "y//4", "y%4"], &["x", "y"], matrix), Answer::Yes);
    // rows with a padded pitch
    assert_eq!(ask(&["x*p + y"], &["x", "y"], "n=1..4096, p=n..8192, x=0..99, y=0..n-1"), Answer::Yes);
    let onto = |outputs: &[&str], extents: &[&str], domain: &str| {
        surjective(&simplifier, &parse(outputs), &parse(extents), &["x", "y"], &domain.parse().unwrap()).unwrap()
    };
    assert_eq!(onto(&["x*n + y"], &["m*n"], matrix), Answer::Yes);
    assert_eq!(onto(&["y", "x"], &["n", "m"], matrix), Answer::Yes);
    assert_eq!(onto(&["x*n + y"], &["m*n"], &format!("{matrix}, assume x != 3")), Answer::NotProved);
    // for n = 1, x has one value, and so has x%2
    let short = "n=1..4, x=0..n//2, y=0..3";
    assert_eq!(onto(&["x%2"], &["2"], short), Answer::No(vec![1]));
    assert_eq!(onto(&["x%2"], &["2"], "n=1..400000, x=0..n//2, y=0..3"), Answer::NotProved);
    assert_eq!(onto(&["x%2"], &["2"], "n=2..400000, x=0..n//2, y=0..3"), Answer::Yes);
    let found = inverse(
        &simplifier,
        &parse(&["x*n + y"]),
        &[("f", var("m") * var("n"))],
        &["x", "y"],
        &matrix.parse().unwrap(),
    );
    let found = found.unwrap().unwrap();
    assert_eq!(found.inputs.iter().map(ToString::to_string).collect::<Vec<_>>(), ["f//n", "f%n"]);
    assert_eq!(found.inside, None);
}

#[test]
fn ranges_without_values_and_names_that_are_taken() {
    let simplifier = Simplifier::default();
    let y: Expr = "y".parse().unwrap();
    // for n = 1, no output is reached
    let onto =
        surjective(&simplifier, std::slice::from_ref(&y), &[int(1)], &["y"], &"n=1..2, y=0..n-2".parse().unwrap());
    assert_eq!(onto.unwrap(), Answer::NotProved);
    // a range with two upper ends, a number and an expression, and a range with an expression as its lower end
    let ask =
        |domain: &str| surjective(&simplifier, std::slice::from_ref(&y), &[var("n")], &["y"], &domain.parse().unwrap());
    assert_eq!(ask("n=1..99, y=0..7, y=0..n-1").unwrap(), Answer::No(vec![8]));
    assert_eq!(ask("n=1..8, y=0..7, y=0..n-1").unwrap(), Answer::Yes);
    // with the first condition, every size `n` has an input. With the second condition, some sizes have none
    assert_eq!(ask("n=1..8, y=0..9, assume y <= n").unwrap(), Answer::Yes);
    assert_eq!(ask("n=1..8, y=0..9, assume n*n <= y + 9").unwrap(), Answer::No(vec![0]));
    assert!(ask("n=1..3, y=n-1..9").unwrap_err().to_string().contains("begin at 0"));
    let both = [y.clone(), y.clone()];
    let domain = "y=0..3".parse().unwrap();
    let refused = |names: [&str; 2], inputs: &[&str]| {
        let places = names.map(|name| (name, int(4)));
        inverse(&simplifier, &both, &places, inputs, &domain).unwrap_err().to_string()
    };
    assert_eq!(refused(["q", "q"], &["y"]), "`q` is given twice");
    assert_eq!(refused(["y", "q"], &["y"]), "an output cannot be called `y`: a variable has the name");
    assert_eq!(refused(["p", "q"], &["y", "y"]), "`y` is given twice");
    let none = surjective(&simplifier, &[y], &[int(0)], &["y"], &domain).unwrap_err();
    assert_eq!(none.to_string(), "an output has 0 places, and there must be 1");
    let stepped = injective(&simplifier, &both, &["y"], &"y=0..30 step 2".parse().unwrap()).unwrap_err();
    assert!(stepped.to_string().contains("2 apart"), "{stepped}");
}
