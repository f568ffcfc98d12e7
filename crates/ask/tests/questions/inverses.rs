//! Inverses of reversals, rotations and swizzles, and of their compositions.

use crate::support::cases;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, Op, int, var};
use quaff::integer::{floor_div, floor_mod, gcd};
use quaff_ask::{Answer, injective, inverse, surjective};

/// The inverse as text, with `;` between the inputs and with the condition after `where`. The text is `none` if no
/// inverse is found.
fn inverted(outputs: &str, extents: &str, inputs: &str, domain: &str) -> String {
    let all = |text: &str| text.split("; ").map(|part| part.parse().expect(part)).collect::<Vec<Expr>>();
    let names = ["p", "q", "r"];
    let places: Vec<(&str, Expr)> = names.into_iter().zip(all(extents)).collect();
    let inputs: Vec<&str> = inputs.split(' ').collect();
    let domain = domain.parse().expect(domain);
    match inverse(&Simplifier::default(), &all(outputs), &places, &inputs, &domain).expect(outputs) {
        None => "none".into(),
        Some(found) => {
            let values: Vec<String> = found.inputs.iter().map(ToString::to_string).collect();
            let inside = found.inside.map_or_else(String::new, |inside| format!(" where {inside}"));
            values.join("; ") + &inside
        }
    }
}

#[test]
fn inverses_of_named_maps() {
    for (outputs, extents, inputs, domain, wanted) in [
        ("63 - x", "64", "x", "x=0..63", "-p + 63"),
        ("60 - x", "64", "x", "x=0..60", "-p + 60 where p < 61"),
        ("n - 1 - x", "n", "x", "n=1..4096, x=0..n-1", "n - p - 1"),
        ("(x + 5)%64", "64", "x", "x=0..63", "(p - 5)%64"),
        ("(5 - x)%64", "64", "x", "x=0..63", "(-p + 5)%64"),
        ("(x*5 + 3)%64", "64", "x", "x=0..63", "(p*13 - 39)%64"),
        // the input `y` has a single value
        ("(x ^ 5)*5 + y", "200", "x y", "x=0..31, y=0..0", "5 ^ p//5; 0 where 5 ^ p//5 < 32 and p%5 == 0"),
        // the stride is 0 at q = 4, which is not an output
        (
            "x*(4 - y); y",
            "32; 4",
            "x y",
            "x=0..7, y=0..3",
            "p//(-q + 4); q where p//(-q + 4) < 8 and q*(p//(-q + 4)) == p//(-q + 4)*4 - p",
        ),
        ("x*(4 - y); y", "32; 6", "x y", "x=0..7, y=0..3", "none"),
        ("(x + s)%n", "n", "x", "n=1..4096, s=0..n-1, x=0..n-1", "(p - s)%n"),
        ("(x + s)%n", "n", "x", "n=1..4096, s=0..99999, x=0..n-1", "(p - s)%n"),
        ("x ^ 5", "64", "x", "x=0..63", "p ^ 5"),
        ("x ^ x//8", "64", "x", "x=0..63", "p ^ p//8"),
        ("x ^ x//8", "1024", "x", "x=0..1023", "p ^ (p ^ (p ^ p//8)//8)//8"),
        ("x ^ x//8%8", "1048576", "x", "x=0..1048575", "p ^ p//8%8"),
        ("x ^ ((x & 1792) >> 4)", "1048576", "x", "x=0..1048575", "p ^ p//256%8*16"),
        ("x ^ x//2", "32", "x", "x=0..31", "p ^ (p ^ (p ^ (p ^ p//2)//2)//2)//2"),
        ("row*64 + (col ^ row%8)", "64*64", "row col", "row=0..63, col=0..63", "p//64; p%64 ^ p//64%8"),
        ("row*64 + (col ^ row%8*8)", "64*100000", "row col", "row=0..99999, col=0..63", "p//64; p%64 ^ p//64%8*8"),
        (
            "row*72 + (col ^ row%8*8)",
            "7200000",
            "row col",
            "row=0..99999, col=0..63",
            "p//72; p//72%8*8 ^ p%72 where p//72%8*8 ^ p%72 < 64",
        ),
        (
            "row*K + (col ^ row%8)",
            "R*K",
            "row col",
            "K=64..4096, R=1..4096, row=0..R-1, col=0..63",
            "p//K; p//K%8 ^ p%K where p//K%8 ^ p%K < 64",
        ),
        ("(row*64 + col) ^ row%8*8", "6400000", "row col", "row=0..99999, col=0..63", "p//64; p%64 ^ p//64%8*8"),
        ("row; col//8 ^ row%8; col%8", "100000; 8; 8", "row col", "row=0..99999, col=0..63", "p; r + (q ^ p%8)*8"),
        ("(63 - x)//8; (63 - x)%8", "8; 8", "x", "x=0..63", "p*-8 - q + 63"),
        ("(60 - x)//8; (60 - x)%8", "8; 8", "x", "x=0..60", "p*-8 - q + 60 where p*8 + q < 61"),
        ("x//8*8 - x%8 + 7", "64", "x", "x=0..63", "p//8*16 - p + 7"),
        ("x//8*8 - x%8 + 7", "800000", "x", "x=0..799999", "p//8*16 - p + 7"),
        ("x + 3", "70", "x", "x=0..63", "p - 3 where p < 67 and p >= 3"),
        ("(x + 3)//4; (x + 3)%4", "17; 4", "x", "x=0..63", "p*4 + q - 3 where p*4 + q >= 3 and p*4 + q < 67"),
        (
            "(x + 3)//4; (x + 3)%4",
            "n; 4",
            "x",
            "n=1..4096, x=0..n-1",
            "p*4 + q - 3 where n >= p*4 + q - 2 and p*4 + q >= 3",
        ),
        ("(x + 5)%64//8; (x + 5)%64%8", "8; 8", "x", "x=0..63", "(p*8 + q - 5)%64"),
        ("(x ^ x//8)//16; (x ^ x//8)%16", "4; 16", "x", "x=0..63", "p*16 + q ^ (p*16 + q)//8"),
        ("x + x//32", "2000", "x", "x=0..1023", "(p*32 + 32)//33 where p < 1055 and p%33 < 32"),
        ("x + x//32", "2000000", "x", "x=0..1048575", "(p*32 + 32)//33 where p < 1081343 and p%33 < 32"),
        ("x*8 - y", "6400000", "x y", "x=0..99999, y=0..7", "(p + 7)//8; (p + 7)//8*8 - p where p < 799993"),
        ("(x*8 + y + s)%(n*8)", "n*8", "x y", "n=1..4096, s=0..99, x=0..n-1, y=0..7", "(p - s)//8%n; (p - s)%8"),
        ("x//n; x%n", "m; n", "x", "m=1..4096, n=1..4096, x=0..m*n-1", "q + n*p"),
        (
            "(x*n + y + 1)%(m*n)",
            "m*n",
            "x y",
            "m=1..4096, n=1..4096, x=0..m-1, y=0..n-1",
            "(p - 1)%(m*n)//n; (p - 1)%(m*n)%n",
        ),
        ("(x + y)%8; y", "8; 8", "x y", "x=0..7, y=0..7", "(p - q)%8; q"),
        ("x; (y - x*3)%5", "9; 5", "x y", "x=0..8, y=0..4", "p; (p*3 + q)%5"),
        ("y; x + y*y", "9; 99", "x y", "x=0..8, y=0..4", "q - p*p; p where p < 5 and q >= p*p and p*p >= q - 8"),
        ("x*x", "99", "x", "x=0..8", "none"),
        ("x ^ x//6", "99", "x", "x=0..63", "none"),
    ] {
        assert_eq!(inverted(outputs, extents, inputs, domain), wanted, "{outputs} over {domain}");
    }
}

/// Outputs that are a permutation of their places, with the number of places of each.
pub(crate) type Permutation = Vec<(Expr, i64)>;

/// Composes the outputs with one more permutation. `kind` chooses it, and `a`, `b` and `c` are its numbers.
pub(crate) fn changed(mut outputs: Permutation, (kind, a, b, c): (u8, usize, usize, i64)) -> Permutation {
    let at = a % outputs.len();
    let other = (at + 1 + b % outputs.len().max(2).saturating_sub(1)) % outputs.len();
    let (e, extent) = outputs[at].clone();
    let is_power = extent.count_ones() == 1 && extent > 1;
    let beside = (other != at).then(|| outputs[other].clone());
    let xor = |a: Expr, b: Expr| Expr::new(Op::BitXor, [a, b]);
    let new = match (kind, beside) {
        (0, _) => int(extent - 1) - e,
        (1, _) => (e + c) % extent,
        (2, Some((by, _))) => (e + by) % extent,
        (3, _) => (e + var("n")) % extent,
        (4, _) if is_power => xor(e, int(c % extent)),
        (5, _) if is_power => xor(e.clone(), e / (2 << (c % 4))),
        (6, Some((by, most))) if is_power && most <= extent => xor(e, by),
        (7, _) if gcd(c.into(), extent.into()) == 1 => (e * c) % extent,
        (8, _) => {
            let Some(by) = (2..=16).rev().find(|by| floor_mod(extent.into(), *by) == 0 && i128::from(extent) > *by)
            else {
                return outputs;
            };
            let by = by as i64;
            outputs[at] = (&e / by, floor_div(extent.into(), by.into()) as i64);
            outputs.insert(at + 1, (e % by, by));
            return outputs;
        }
        (9, Some((fast, many))) => {
            outputs[at] = (e * many + fast, extent * many);
            outputs.remove(other);
            return outputs;
        }
        _ => return outputs,
    };
    outputs[at].0 = new;
    outputs
}

/// The number of chains of permutations, out of `count`, that are inverted and proved to be injective and surjective.
/// Each inverse is compared with the map at `points`.
fn inverted_chains(count: usize, domain: &Domain, from: &[(&str, i64)], points: &[Vec<i64>]) -> [usize; 3] {
    let (simplifier, mut runner) = (Simplifier::default(), TestRunner::deterministic());
    let steps = proptest::collection::vec((0u8..10, 0usize..4, 0usize..4, 1i64..40), 1..5);
    let inputs: Vec<&str> = from.iter().map(|(name, _)| *name).collect();
    let mut found = [0; 3];
    for _ in 0..count {
        let steps = steps.new_tree(&mut runner).expect("steps").current();
        let start: Permutation = from.iter().map(|(name, extent)| (var(*name), *extent)).collect();
        let all = steps.iter().fold(start, |outputs, step| changed(outputs, *step));
        let (outputs, extents): (Vec<Expr>, Vec<Expr>) = all.into_iter().map(|(e, extent)| (e, int(extent))).unzip();
        let injective = injective(&simplifier, &outputs, &inputs, domain).expect("an answer");
        let surjective = surjective(&simplifier, &outputs, &extents, &inputs, domain).expect("an answer");
        assert!(!matches!(injective, Answer::No(_)) && !matches!(surjective, Answer::No(_)), "{outputs:?}");
        found[1] += usize::from(injective.is_yes());
        found[2] += usize::from(surjective.is_yes());
        let names: Vec<String> = (0..outputs.len()).map(|at| format!("y{at}")).collect();
        let places: Vec<(&str, Expr)> = names.iter().map(String::as_str).zip(extents).collect();
        let Some(found_inverse) = inverse(&simplifier, &outputs, &places, &inputs, domain).expect("an answer") else {
            continue;
        };
        found[0] += 1;
        for point in points {
            let input = |name: &str| inputs.iter().chain(&["n"]).position(|own| *own == name).map(|at| point[at]);
            let image: Vec<i64> = outputs.iter().map(|e| e.eval(input).expect("a value") as i64).collect();
            let place =
                |name: &str| names.iter().position(|own| own == name).map(|at| image[at]).or_else(|| input(name));
            let back: Vec<i64> = found_inverse.inputs.iter().map(|e| e.eval(place).expect("a value") as i64).collect();
            assert_eq!(back, point[..inputs.len()], "{outputs:?}: {found_inverse:?}");
            let inside = found_inverse.inside.as_ref().map_or(1, |inside| inside.eval(place).expect("a value"));
            assert_eq!(inside, 1, "{outputs:?}: {found_inverse:?}");
        }
    }
    found
}

/// With `nonempty`, facts about an input also hold for expressions that do not contain it.
#[test]
fn no_input_is_in_its_inverse() {
    let simplifier = Simplifier::default();
    for (outputs, extents, inputs, domain) in [
        (["x%8", "16 + (x + 3)//4*5 + x%8"], [8, 64], "x", "x=0..15, n=5..5, assume x < n*4"),
        (["x + n%4 + n//4", "y"], [100, 8], "x y", "x=0..7, y=0..7, n=8..99, z=0..99, assume n%4 + n//4 == y"),
    ] {
        let outputs = outputs.map(|text| text.parse::<Expr>().unwrap());
        let inputs: Vec<&str> = inputs.split(' ').collect();
        let domain = inputs.iter().fold(domain.parse::<Domain>().unwrap(), |domain, input| domain.nonempty(*input));
        let places = [("p", int(extents[0])), ("q", int(extents[1]))];
        let found = inverse(&simplifier, &outputs, &places, &inputs, &domain).unwrap().expect("an inverse");
        for e in found.inputs.iter().chain(&found.inside) {
            assert!(e.variables().iter().all(|name| !inputs.contains(&&**name)), "{e} over {domain:?}");
        }
    }
}

#[test]
fn chains_of_permutations_are_inverted() {
    let count = cases(200);
    let small: Vec<Vec<i64>> =
        (0..64).flat_map(|t| (0..6).flat_map(move |p| (1..4).map(move |n| vec![t, p, n]))).collect();
    let domain = "t=0..63, p=0..5, n=1..3".parse().expect("a domain");
    let few = inverted_chains(count, &domain, &[("t", 64), ("p", 6)], &small);
    let mut random = quaff::domain::Random::new(7);
    let mut below = |n: i64| random.below(n.into()) as i64;
    let large: Vec<Vec<i64>> = (0..200).map(|_| vec![below(1 << 20), below(96), 1 + below(1000)]).collect();
    let domain = "t=0..1048575, p=0..95, n=1..1000".parse().expect("a domain");
    let many = inverted_chains(count, &domain, &[("t", 1 << 20), ("p", 96)], &large);
    for (found, what) in few.into_iter().chain(many).zip(["inverted", "injective", "surjective"].iter().cycle()) {
        assert!(found * 100 >= count * 98, "{found} of {count} are {what}");
    }
    println!("of {count}: inverted, injective, surjective {few:?}, and where points are too many {many:?}");
}
