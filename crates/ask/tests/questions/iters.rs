//! Maps as sums of iterators.

use crate::inverses::changed;
use crate::support::{cases, domain, points, value};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use quaff::Simplifier;
use quaff::expr::{Expr, var};
use quaff_ask::{Detected, Divided, Division, IterSum, detect, subspace_divide};
use std::collections::HashSet;

fn all(text: &str) -> Vec<Expr> {
    text.split("; ").map(|part| part.parse().expect(part)).collect()
}

/// `scale * (digit):extent` of each iterator and the base, then whether the map is bijective.
fn found(outputs: &str, inputs: &str, domain: &str) -> String {
    let inputs: Vec<&str> = inputs.split(' ').collect();
    let domain = domain.parse().expect(domain);
    match detect(&Simplifier::default(), &all(outputs), &inputs, &domain).expect(outputs) {
        Detected::Not { output, part } => format!("not {output}: {part}"),
        Detected::Map(found) => {
            let sum = |sum: &IterSum| {
                let terms = sum.iterators.iter().map(|i| format!("{} * ({}):{}", i.scale, i.digit(), i.extent));
                terms.chain([sum.base.to_string()]).collect::<Vec<_>>().join(" + ")
            };
            let sums: Vec<String> = found.outputs.iter().map(sum).collect();
            let is_bijective = match found.is_bijective {
                Some(true) => "bijective",
                Some(false) => "not bijective",
                None => "not proved",
            };
            let pads: String = found
                .padding
                .iter()
                .map(|p| format!(", {} by {} padded {} and {}", p.source, p.lower, p.left, p.right))
                .collect();
            format!("{}; {is_bijective}{pads}", sums.join("; "))
        }
    }
}

#[test]
fn sums_of_iterators() {
    for (outputs, inputs, domain, wanted) in [
        ("x; y; 3", "x y", "x=0..2, y=0..3", "1 * (x):3 + 0; 1 * (y):4 + 0; 3; bijective"),
        ("x; x; 3", "x y", "x=0..2, y=0..3", "1 * (x):3 + 0; 1 * (x):3 + 0; 3; not bijective"),
        ("x; z", "x y z", "x=0..2, y=0..3, z=0..0", "1 * (x):3 + 0; 0; not bijective"),
        ("y*3 + 1 + c + x", "x y", "c=0..99, x=0..2, y=0..3", "1 * (y*3 + x):12 + c + 1; bijective"),
        ("(y + 1)*c + x", "x y", "c=1..99, x=0..c-1, y=0..3", "1 * (y*c + x):c*4 + c; bijective"),
        ("y*3 + x; y", "x y", "x=0..2, y=0..3", "1 * (y*3 + x):12 + 0; 1 * (y):4 + 0; not bijective"),
        ("y*4 + x", "x y", "x=0..2, y=0..3", "4 * (y):4 + 1 * (x):3 + 0; bijective"),
        ("x*4 + y*2", "x y", "x=0..2, y=0..1", "2 * (x*2 + y):6 + 0; bijective"),
        ("x*2*c + y*2", "x y", "c=1..99, x=0..2, y=0..c-1", "2 * (x*c + y):c*3 + 0; bijective"),
        ("x//3; x%3*2 + c", "x", "c=0..9, x=0..23", "1 * (x//3):8 + 0; 2 * (x%3):3 + c; bijective"),
        ("x//6; x%6//2; x%2", "x", "x=0..23", "1 * (x//6):4 + 0; 1 * (x//2%3):3 + 0; 1 * (x%2):2 + 0; bijective"),
        ("x//c; x%c", "x", "c=1..99, d=1..99, x=0..c*d-1", "1 * (x//c):d + 0; 1 * (x%c):c + 0; bijective"),
        ("x*2//4; x*2%4", "x", "x=0..7", "1 * (x//2):4 + 0; 2 * (x%2):2 + 0; bijective"),
        ("x*2//4*4 + x*2%4", "x", "x=0..7", "2 * (x):8 + 0; bijective"),
        ("x//(y%8%6 + 1)", "x y", "x=0..23, y=0..7", "not 0: x//(y%6 + 1)"),
        (
            "(i*192 + j)%128; (i*192 + j)//128",
            "i j",
            "i=0..63, j=0..191",
            "1 * ((i*192 + j)%128):128 + 0; 1 * ((i*192 + j)//128):96 + 0; bijective",
        ),
        (
            "y//3*6 + x//5*3 + y%3; x%5",
            "x y",
            "x=0..9, y=0..8",
            "1 * (y//3*6 + x//5*3 + y%3):18 + 0; 1 * (x%5):5 + 0; bijective",
        ),
        ("x//2*2 - x%2 + 1", "x", "x=0..7", "1 * (x//2*2 + 1 - x%2):8 + 0; bijective"),
        ("63 - x; (63 - x)//8", "x", "x=0..63", "1 * (63 - x//8*8 - x%8):64 + 0; 1 * (7 - x//8):8 + 0; not bijective"),
        ("x*10 + y", "x y", "x=0..12, y=0..9, assume x*10 + y < 128", "1 * (x*10 + y):128 + 0; bijective"),
        ("x*10 + y", "x y", "x=0..12, y=0..9, assume x*10 + y >= 6", "1 * (x*10 + y - 6):124 + 6; bijective"),
        (
            "i*8 + j*2 + k",
            "i j k",
            "i=0..10, j=0..4, k=0..1, assume 1 <= j*2 + k, assume j*2 + k < 9",
            "1 * (i*8 + j*2 + k - 1):88 + 1; bijective",
        ),
        ("i", "i", "i=0..47, assume i < 10", "1 * (i):10 + 0; bijective"),
        (
            "i*8 + j*2 + k",
            "i j k",
            "i=0..10, j=0..4, k=0..1, assume 1 <= j*2 + k and j*2 + k < 9, assume 3 <= i*8 + j*2 + k and i*8 + j*2 + k < 25",
            "1 * (i*8 + j*2 + k - 3):22 + 3; bijective",
        ),
        (
            "i%16; i//16",
            "i",
            "i=0..1023, assume 3 <= i%16 and i%16 < 10, assume 4 <= i//16 and i//16 < 12",
            "1 * (i%16 - 3):7 + 3; 1 * (i//16 - 4):8 + 4; bijective",
        ),
        ("x*16 + y*4", "x y", "x=0..2, y=0..3, assume x*4 + y < 10", "4 * (x*4 + y):10 + 0; bijective"),
        ("z*19 + y*3 + x", "x y z", "x=0..2, y=0..2, z=0..2", "19 * (z):3 + 1 * (y*3 + x):9 + 0; bijective"),
        ("z*19 + y*3 + x", "x y", "x=0..2, y=0..2, z=0..2", "1 * (y*3 + x):9 + z*19; bijective"),
        ("z*z + y*3 + x", "x y", "x=0..2, y=0..2, z=0..99", "1 * (y*3 + x):9 + z*z; bijective"),
        ("(y + 64)//32; (y + 64)%32", "y", "y=0..191", "1 * (y//32):6 + 2; 1 * (y%32):32 + 0; bijective"),
        ("(y + 80)//32", "y", "y=0..175", "1 * ((y + 16)//32):6 + 2; not bijective, y + 16 by 32 padded 16 and 0"),
        ("(y + 80)//2%16; (y + 80)%2", "y", "y=0..175", "1 * ((y + 80)//2%16):16 + 0; 1 * (y%2):2 + 0; not bijective"),
        (
            "(x*32 + y*8)//16; (x*32 + y*8)%16",
            "x y",
            "x=0..4, y=0..3",
            "1 * (x*2 + y//2):10 + 0; 8 * (y%2):2 + 0; bijective",
        ),
        ("(x + 7)//32", "x", "x=0..44", "1 * ((x + 7)//32):2 + 0; not bijective, x + 7 by 32 padded 7 and 12"),
        ("x//15", "x", "x=0..25", "1 * (x//15):2 + 0; not bijective"),
        ("x//3%5; x%3", "x", "x=0..25", "1 * (x//3%5):5 + 0; 1 * (x%3):3 + 0; not bijective"),
        ("(x + 71)//32", "x", "x=0..44", "1 * ((x + 7)//32):2 + 2; not bijective, x + 7 by 32 padded 7 and 12"),
        (
            "(x*360 + y)//16",
            "y",
            "x=0..99, y=0..359",
            "1 * ((y + x%2*8)//16):23 + x*360//16; not bijective, y + x%2*8 by 16 padded x*360%16 and x%2*-8 + 8",
        ),
        ("(x*360 + y)%16", "y", "x=0..99, y=0..359", "1 * ((x*360 + y)%16):16 + 0; not bijective"),
        (
            "(x + 10)%3; (x + 10)//3%4; (x + 10)//3//4%5",
            "x",
            "x=0..239",
            "1 * ((x + 10)%3):3 + 0; 1 * ((x + 10)//3%4):4 + 0; 1 * ((x + 10)//12%5):5 + 0; not bijective",
        ),
        (
            "(x*32 + y*8)//5",
            "x y",
            "x=0..4, y=0..3",
            "1 * ((x*32 + y*8)//5):31 + 0; not bijective, x*32 + y*8 by 5 padded 0 and 2",
        ),
        ("x*7 + y", "x y", "x=0..2, y=0..7", "1 * (x*7 + y):22 + 0; not bijective"),
        ("x*18 + y*7 + z", "x y z", "x=0..1, y=0..2, z=0..7", "1 * (x*18 + y*7 + z):40 + 0; not bijective"),
        ("y - x*7", "x y", "x=0..2, y=0..7", "1 * (14 - x*7 + y):22 + -14; not bijective"),
        ("x + a", "x a", "x=0..223, a=0..6", "1 * (a + x):230 + 0; not bijective"),
        ("x*5 + y*2", "x y", "x=0..3, y=0..2", "not 0: x"),
        ("x//n*n + x%n", "x", "n=1..99, x=0..n*32-1", "1 * (x):n*32 + 0; bijective"),
        ("x//(n*n)%32*(n*n) + x//n%n*n + x%n", "x", "n=1..99, x=0..n*n*32-1", "1 * (x):n*n*32 + 0; bijective"),
        (
            "(i + 3)//4; (i + 3)%4",
            "i",
            "n=1..4096, i=0..n-1",
            "1 * ((i + 3)//4):(n + 6)//4 + 0; 1 * ((i + 3)%4):4 + 0; not proved, i + 3 by 4 padded 3 and (-n - 7)%4",
        ),
        ("x + x//32", "x", "x=0..1023", "33 * (x//32):32 + 1 * (x%32):32 + 0; bijective"),
        ("x*y", "x y", "x=0..2, y=0..7", "not 0: x*y"),
        ("max(x, 3) + y", "x y", "x=0..9, y=0..7", "not 0: max(x, 3)"),
        ("x + x//8", "x", "x=0.., y=0..7", "not 0: x*9//8"),
        (
            "i*8 + j; 31 - k",
            "i j k",
            "n=1..99, i=0..n-1, j=0..7, k=0..31",
            "1 * (i*8 + j):n*8 + 0; 1 * (31 - k):32 + 0; bijective",
        ),
        (
            "(i*8 + j)//4; (i*8 + j)%4",
            "i j",
            "n=1..99, i=0..n-1, j=0..7",
            "1 * (i*2 + j//4):n*2 + 0; 1 * (j%4):4 + 0; bijective",
        ),
        ("i*64 + j", "i j", "i=0..15, j=0..63", "1 * (i*64 + j):1024 + 0; bijective"),
    ] {
        assert_eq!(found(outputs, inputs, domain), wanted, "{outputs} over {domain}");
    }
}

/// Sums of multiples of digits. A digit is taken from `t`, `p`, a fused value such as `t*5 + p`, or a shifted value
/// such as `t + 3`.
fn output() -> impl Strategy<Value = Expr> {
    let source = prop::sample::select(vec![
        "t", "p", "t*5 + p", "p*32 + t", "t + 3", "31 - t", "t + p*4", "t*n + p", "t + n", "t*2",
    ]);
    let digit = (source, prop::sample::select(vec!["", "//2", "//4", "%4", "//4%2", "%8", "//3", "%3", "//n", "%n"]));
    let stride = prop::sample::select(vec!["1", "1", "2", "4", "8", "-1", "-4", "32", "n", "0"]);
    prop::collection::vec((digit, stride), 1..4).prop_map(|terms| {
        let text: Vec<String> = terms.iter().map(|((of, op), stride)| format!("(({of}){op})*{stride}")).collect();
        text.join(" + ").parse().expect("an expression")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(150) as u32, ..ProptestConfig::default() })]

    #[test]
    fn iterators_are_the_map(outputs in prop::collection::vec(output(), 1..3), condition in prop::sample::select(vec!["", "t + p >= 3", "t < 20", "t*5 + p < 90"])) {
        let mut domain = domain();
        let condition: Option<Expr> = condition.parse().ok();
        if let Some(condition) = &condition {
            domain = domain.assume(condition.clone());
        }
        let Detected::Map(found) = detect(&Simplifier::default(), &outputs, &["t", "p"], &domain).unwrap() else { return Ok(()) };
        let all: Vec<[i64; 3]> = points().filter(|at| condition.as_ref().is_none_or(|e| value(e, *at) != 0)).collect();
        for (e, sum) in outputs.iter().zip(&found.outputs) {
            prop_assert!(sum.base.variables().iter().all(|name| &**name == "n"), "{e}: {sum:?}");
            for at in &all {
                let digits = sum.iterators.iter().map(|i| (value(&i.digit(), *at), value(&i.scale, *at), value(&i.extent, *at)));
                let digits: Vec<(i64, i64, i64)> = digits.collect();
                prop_assert!(digits.iter().all(|(digit, scale, extent)| *scale >= 1 && (0..*extent).contains(digit)), "{e}: {sum:?} at {at:?}");
                let own: i64 = digits.iter().map(|(digit, scale, _)| digit * scale).sum();
                prop_assert_eq!(own + value(&sum.base, *at), value(e, *at), "{}: {:?} at {:?}", e, sum, at);
                for pair in digits.windows(2) {
                    prop_assert!(pair[0].1 >= pair[1].1 * pair[1].2, "{e}: {sum:?} at {at:?}");
                }
            }
        }
        let digits: Vec<&quaff_ask::IterTerm> = found.outputs.iter().flat_map(|sum| &sum.iterators).collect();
        let is_bijective = [4, 8, 12, 16].iter().all(|&n| {
            let own: Vec<Vec<i64>> = all.iter().filter(|at| at[2] == n).map(|at| digits.iter().map(|i| value(&i.digit(), *at)).collect()).collect();
            let places: i64 = digits.iter().map(|i| value(&i.extent, [0, 0, n])).product();
            own.iter().collect::<HashSet<_>>().len() == own.len() && own.len() as i64 == places
        });
        prop_assert_eq!(found.is_bijective, Some(is_bijective), "{:?}: {:?}", outputs, found);
    }
}

#[test]
fn splits_fuses_and_reversals_are_detected() {
    let (simplifier, mut runner, count) = (Simplifier::default(), TestRunner::deterministic(), cases(200));
    let kinds = prop::sample::select(vec![0u8, 8, 9]);
    let steps = prop::collection::vec((kinds, 0usize..4, 0usize..4, 1i64..40), 1..6);
    let domain = "t=0..1048575, p=0..95, n=1..1000".parse().expect("a domain");
    let (mut detected, mut bijective) = (0, 0);
    for _ in 0..count {
        let steps = steps.new_tree(&mut runner).expect("steps").current();
        let all = steps.iter().fold(vec![(var("t"), 1 << 20), (var("p"), 96)], |outputs, step| changed(outputs, *step));
        let outputs: Vec<Expr> = all.into_iter().map(|(e, _)| e).collect();
        if let Detected::Map(found) = detect(&simplifier, &outputs, &["t", "p"], &domain).expect("an answer") {
            detected += 1;
            assert_ne!(found.is_bijective, Some(false), "{outputs:?}");
            bijective += usize::from(found.is_bijective == Some(true));
        }
    }
    println!("of {count}: {detected} are detected, {bijective} of them as bijective");
    assert!(detected * 100 >= count * 95 && bijective * 100 >= count * 95, "{detected} and {bijective} of {count}");
}

/// `outer:extent * stride + inner:extent` for each output, and the conditions. If the map cannot be divided, the part
/// that prevents it.
fn divided(outputs: &str, inputs: &str, inner: &str, domain: &str) -> String {
    let [inputs, inner] = [inputs, inner].map(|names| names.split(' ').collect::<Vec<&str>>());
    let domain = domain.parse().expect(domain);
    match subspace_divide(&Simplifier::default(), &all(outputs), &inputs, &inner, &domain).expect(outputs) {
        Divided::Not { part } => format!("not {part}"),
        Divided::Map(found) => {
            let of = |d: &Division| {
                format!("({}):{} * {} + ({}):{}", d.outer, d.outer_extent, d.stride, d.inner, d.inner_extent)
            };
            let sums: Vec<String> = found.outputs.iter().map(of).collect();
            let conditions = |all: &[Expr]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
            let both = [conditions(&found.outer_conditions), conditions(&found.inner_conditions)];
            if both.iter().all(String::is_empty) {
                sums.join("; ")
            } else {
                format!("{}; where {}", sums.join("; "), both.join("; "))
            }
        }
    }
}

#[test]
fn maps_are_divided_by_their_inner_inputs() {
    let (plain, loops, split) =
        ("x=0..2, y=0..3, z=0..4, c=0..99", "i=0..3, j=0..7, k=0..1", "j=0..3, l=0..1, m=0..5, q=0..2");
    for (outputs, inputs, inner, domain, wanted) in [
        ("z*12 + y*3 + x + c", "x y z", "x", plain, "(z*4 + y):20 * 3 + (x + c):3"),
        (
            "z*12 + y*3 + x + c",
            "x y z",
            "x",
            &format!("{plain}, assume z*4 + y < 18"),
            "(z*4 + y):18 * 3 + (x + c):3; where z*4 + y < 18; ",
        ),
        ("z*12 + y*3 + x + c", "x y z", "y", plain, "not x"),
        ("i*2 + j//4; j%4*2 + k", "i j k", "k", loops, "(i*2 + j//4):8 * 1 + (0):1; (j%4):4 * 2 + (k):2"),
        ("i*2 + j//4; j%4*2 + k", "i j k", "j k", loops, "(i):4 * 2 + (j//4):2; (0):1 * 8 + (j%4*2 + k):8"),
        ("i*2 + j//4; j%4*2 + k", "i j k", "i k", loops, "not j//4"),
        (
            "i*2 + j//4; j%4*2 + k",
            "i j k",
            "k",
            &format!("{loops}, assume i*2 + j//4 < 7"),
            "(i*2 + j//4):7 * 1 + (0):1; (j%4):4 * 2 + (k):2; where i*2 + j//4 < 7; ",
        ),
        (
            "i*2 + j//4; j%4*2 + k",
            "i j k",
            "j k",
            &format!("{loops}, assume j%4*2 + k < 7"),
            "(i):4 * 2 + (j//4):2; (0):1 * 7 + (j%4*2 + k):7; where ; j%4*2 + k < 7",
        ),
        ("i*2 + j//4; j%4*2 + k", "i j k", "k", &format!("{loops}, assume j%4*2 + k < 7"), "not j%4*2 + k < 7"),
        (
            "j*2 + (l*6 + m)//6; (l*6 + m)%6//3; (l*6 + m)%3*3 + q",
            "j l m q",
            "m q",
            split,
            "(j*2 + l):8 * 1 + (0):1; (0):1 * 2 + (m//3):2; (0):1 * 9 + (m%3*3 + q):9",
        ),
        (
            "j*2 + (l*6 + m)//6; (l*6 + m)%6//3; (l*6 + m)%3*3 + q",
            "j l m q",
            "l m q",
            split,
            "(j):4 * 2 + (l):2; (0):1 * 2 + (m//3):2; (0):1 * 9 + (m%3*3 + q):9",
        ),
        (
            "j*2 + (l*6 + m)//6; (l*6 + m)%6//3; (l*6 + m)%3*3 + q",
            "j l m q",
            "l q",
            split,
            "(j):4 * 2 + (l):2; (m//3):2 * 1 + (0):1; (m%3):3 * 3 + (q):3",
        ),
        ("j*tile + i", "i j", "i", "tile=4..4, i=0..3, j=0..tile-1", "(j):4 * 4 + (i):4"),
        ("j*tile + i", "i j", "i", "tile=1..9, i=0..3, j=0..tile-1", "not j*tile + i"),
        ("x*16 + y", "x y", "y", "x=0..0, y=0..15", "(0):1 * 16 + (y):16"),
        ("i*n + j*2", "i j", "j", "n=2..99, m=1..9, i=0..m-1, j=0..n//2-1", "(i):m * n + (j*2):n//2*2 - 1"),
        (
            "i*n*m + j*m + k",
            "i j k",
            "j k",
            "n=2..99, m=1..9, i=0..9, j=0..n-1, k=0..m-1",
            "(i):10 * n*m + (j*m + k):n*m",
        ),
    ] {
        assert_eq!(divided(outputs, inputs, inner, domain), wanted, "{outputs} by {inner} over {domain}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(150) as u32, ..ProptestConfig::default() })]

    #[test]
    fn divisions_are_the_map(e in output(), inner in prop::sample::select(vec!["t", "p"])) {
        let outputs = [e.clone()];
        let Divided::Map(found) = subspace_divide(&Simplifier::default(), &outputs, &["t", "p"], &[inner], &domain()).unwrap() else { return Ok(()) };
        let one = &found.outputs[0];
        prop_assert!(!one.outer.variables().iter().any(|name| &**name == inner), "{e}: {one:?}");
        prop_assert!(!one.inner.variables().iter().any(|name| ["t", "p"].contains(&&**name) && &**name != inner), "{e}: {one:?}");
        for n in [4, 8, 12, 16] {
            let own: Vec<[i64; 3]> = points().filter(|at| at[2] == n).collect();
            let least = own.iter().map(|at| value(&one.inner, *at)).min().unwrap_or(0);
            for at in own {
                let [outer, count, stride] = [&one.outer, &one.outer_extent, &one.stride].map(|part| value(part, at));
                let (inner, extent) = (value(&one.inner, at), value(&one.inner_extent, at));
                prop_assert_eq!(outer * stride + inner, value(&e, at), "{}: {:?} at {:?}", &e, one, at);
                prop_assert!((0..count).contains(&outer) && inner - least < extent && extent <= stride, "{e}: {one:?} at {at:?}");
            }
        }
    }
}
