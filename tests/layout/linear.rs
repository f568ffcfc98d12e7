//! Functions of bits, compared with their values for every number.

use crate::oracle::{Random, index};
use quaff::Simplifier;
use quaff::expr::{Expr, Program, var};
use quaff_fronts::banks::Swizzle;
use quaff_fronts::layout::{Layout, LinearLayout};
use std::collections::{BTreeMap, BTreeSet};

/// A random function with the inputs `x0`, `x1`, ... of up to `most` bits, and with outputs of the given names and
/// bits.
fn random(random: &mut Random, inputs: i64, most: u64, outs: &[(&str, usize)]) -> LinearLayout {
    let names: Vec<String> = (0..inputs).map(|at| format!("x{at}")).collect();
    let ins: Vec<(&str, Vec<Vec<i64>>)> = names
        .iter()
        .map(|name| {
            let count = random.below(most + 1);
            let bases = (0..count).map(|_| outs.iter().map(|(_, bits)| random.below(1 << bits)).collect()).collect();
            (name.as_str(), bases)
        })
        .collect();
    let sizes: Vec<(&str, i64)> = outs.iter().map(|(name, bits)| (*name, 1 << bits)).collect();
    LinearLayout::new(&ins, &sizes).expect("few bits")
}

/// All inputs. The first input varies fastest.
fn inputs(layout: &LinearLayout) -> Vec<Vec<i64>> {
    numbers(&layout.ins())
}

fn numbers(dims: &[(&str, i64)]) -> Vec<Vec<i64>> {
    dims.iter().rev().fold(vec![Vec::new()], |all, (_, size)| {
        let longer = |rest: &Vec<i64>| (0..*size).map(|c| [&[c], &rest[..]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(longer).collect()
    })
}

/// The number with the bits of all parts. The first part has the lowest bits.
fn joined(dims: &[(&str, i64)], at: &[i64]) -> i64 {
    dims.iter().zip(at).rev().fold(0, |n, ((_, size), c)| n * size + c)
}

fn linear(text: &str) -> LinearLayout {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn functions_of_bits() {
    let mut source = Random(21);
    let (mut inverted, mut left, mut right) = (0, 0, 0);
    for _ in 0..4_000 {
        let bits = [1 + source.below(3) as usize, source.below(3) as usize];
        let count = 1 + source.below(2);
        let a = random(&mut source, count, 3, &[("y0", bits[0]), ("y1", bits[1])]);
        let all = inputs(&a);
        let values: Vec<Vec<i64>> = all.iter().map(|at| a.apply(at).expect("in range")).collect();
        for (x, i) in all.iter().zip(&values) {
            for (y, j) in all.iter().zip(&values) {
                let xor = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(x, y)| x ^ y).collect::<Vec<_>>();
                assert_eq!(a.apply(&xor(x, y)), Some(xor(i, j)), "{a} is linear");
            }
        }
        let different: BTreeSet<&Vec<i64>> = values.iter().collect();
        let [injective, surjective] = [different.len() == values.len(), different.len() == 1 << (bits[0] + bits[1])];
        assert_eq!([a.is_injective(), a.is_surjective()], [injective, surjective], "{a}");
        assert_eq!(1 << a.rank(), different.len(), "{a}");
        // if the free (redundant) input bits are 0, the function still has all its values, and it is injective
        let masks: Vec<i64> = a.free_masks().iter().map(|(_, mask)| *mask).collect();
        let kept = |x: &&Vec<i64>| x.iter().zip(&masks).all(|(c, mask)| c & mask == 0);
        let without: Vec<_> = all.iter().filter(kept).map(|x| a.apply(x).expect("in range")).collect();
        assert_eq!(without.len(), different.len(), "{a}");
        assert_eq!(without.iter().collect::<BTreeSet<_>>(), different, "{a}");
        match a.left_inverse() {
            Ok(inverse) => {
                left += 1;
                assert!(all.iter().zip(&values).all(|(x, y)| inverse.apply(y).as_ref() == Some(x)), "{inverse} of {a}");
            }
            Err(_) => assert!(!injective, "{a}"),
        }
        match a.right_inverse() {
            Ok(inverse) => {
                right += 1;
                for y in numbers(&a.outs()) {
                    let x = inverse.apply(&y).expect("in range");
                    assert_eq!(a.apply(&x).as_ref(), Some(&y), "{inverse} of {a}");
                    // the inverse returns the least input
                    let number = |x: &Vec<i64>| joined(&a.ins(), x);
                    let least = all.iter().filter(|x| a.apply(x).as_ref() == Some(&y)).map(number).min();
                    assert_eq!(Some(number(&x)), least, "{inverse} of {a}");
                }
            }
            Err(_) => assert!(!surjective, "{a}"),
        }
        inverted += usize::from(a.invert().is_ok());
        assert_eq!(a.invert().is_ok(), injective && surjective, "{a}");
    }
    assert!(inverted > 100 && left > inverted && right > inverted, "{inverted} {left} {right}");
}

#[test]
fn products_and_quotients() {
    let mut source = Random(24);
    let mut divided = [0, 0];
    for _ in 0..3_000 {
        let counts = [1 + source.below(2), 1 + source.below(2)];
        let a = random(&mut source, counts[0], 2, &[("y0", 2), ("y1", 1)]);
        let outs: &[(&str, usize)] = match source.below(3) {
            0 => &[("y0", 1), ("y1", 2)],
            1 => &[("y1", 2), ("y2", 1)],
            _ => &[("y2", 2)],
        };
        let outer = random(&mut source, counts[1], 2, outs);
        let product = a.product(&outer).expect("few bits");
        let size =
            |dims: &[(&str, i64)], name: &str| dims.iter().find(|(n, _)| *n == name).map_or(1, |(_, size)| *size);
        for at in inputs(&product) {
            let given: BTreeMap<&str, i64> =
                product.ins().iter().map(|(name, _)| *name).zip(at.iter().copied()).collect();
            let low: Vec<i64> = a.ins().iter().map(|(name, size)| given[name] % size).collect();
            let high: Vec<i64> = outer.ins().iter().map(|(name, _)| given[name] / size(&a.ins(), name)).collect();
            let [low, high] = [(&a, low), (&outer, high)].map(|(f, x)| {
                let names = f.outs().into_iter().map(|(name, _)| name.to_string());
                names.zip(f.apply(&x).expect("in range")).collect::<BTreeMap<String, i64>>()
            });
            let part = |of: &BTreeMap<String, i64>, name: &str| of.get(name).copied().unwrap_or(0);
            let expected: Vec<i64> = product
                .outs()
                .iter()
                .map(|(name, _)| part(&low, name) + part(&high, name) * size(&a.outs(), name))
                .collect();
            assert_eq!(product.apply(&at), Some(expected), "{a} times {outer} at {at:?}");
        }
        let [rest, first] =
            [product.divide_left(&a), product.divide_right(&outer)].map(|f| f.expect("it is a product"));
        assert_eq!(a.product(&rest).expect("few bits"), product);
        assert_eq!(first.product(&outer).expect("few bits"), product);
        assert_eq!(product.is_surjective(), a.is_surjective() && outer.is_surjective());
        // a random function rarely divides another random function, so `other` is small
        let other = random(&mut source, counts[0], 1, &[("y0", 1), ("y1", 1)]);
        for (at, found) in [a.divide_left(&other), a.divide_right(&other)].into_iter().enumerate() {
            let Some(rest) = found else { continue };
            divided[at] += 1;
            let [left, right] = if at == 0 { [&other, &rest] } else { [&rest, &other] };
            assert_eq!(left.product(right).expect("few bits"), a);
        }
    }
    assert!(divided.iter().all(|n| *n > 20), "{divided:?}");
}

#[test]
fn one_after_another() {
    let mut source = Random(25);
    let (mut made, mut refused) = (0, 0);
    for _ in 0..2_000 {
        let inner = random(&mut source, 2, 3, &[("x1", 1), ("x0", 2)]);
        let outer = random(&mut source, 2, 3, &[("y0", 2), ("y1", 2)]);
        let sizes: BTreeMap<&str, i64> = outer.ins().into_iter().collect();
        match outer.compose(&inner) {
            Ok(both) => {
                made += 1;
                for at in inputs(&inner) {
                    let middle = inner.apply(&at).expect("in range");
                    assert_eq!(both.apply(&at), outer.apply(&[middle[1], middle[0]]), "{outer} after {inner}");
                }
            }
            Err(e) => assert!(sizes["x0"] < 4 || sizes["x1"] < 2, "{outer} after {inner}: {e}"),
        }
        // for each input of `outer`, `invert_and_compose` finds an input at which `b` has the value of `outer`
        let b = random(&mut source, 2, 3, &[("y1", 2), ("y0", 2)]);
        match outer.invert_and_compose(&b) {
            Ok(found) => {
                for at in inputs(&outer) {
                    let there = b.apply(&found.apply(&at).expect("in range")).expect("in range");
                    assert_eq!(outer.apply(&at), Some(vec![there[1], there[0]]), "{found}: {outer} and {b}");
                }
            }
            Err(_) => {
                refused += 1;
                let reached: BTreeSet<Vec<i64>> = inputs(&b).iter().filter_map(|x| b.apply(x)).collect();
                let is_reached = |x: &Vec<i64>| outer.apply(x).is_some_and(|y| reached.contains(&vec![y[1], y[0]]));
                assert!(!inputs(&outer).iter().all(is_reached), "{outer} and {b}");
            }
        }
    }
    assert!(made > 100 && refused > 100, "{made} {refused}");
}

#[test]
fn other_orders_names_and_sizes() {
    let mut source = Random(26);
    for _ in 0..1_000 {
        let a = random(&mut source, 2, 3, &[("y0", 2), ("y1", 3), ("y2", 1)]);
        let [swapped, turned] =
            [a.transpose_ins(&["x1", "x0"]), a.transpose_outs(&["y2", "y0", "y1"])].map(|f| f.expect("the same names"));
        let part = a.sublayout(&["x1"], &["y2", "y0"]).expect("names of it");
        let flat = a.flatten_ins("x").and_then(|f| f.flatten_outs("y")).expect("as many bits");
        let total = joined(&a.ins(), &a.ins().iter().map(|(_, size)| size - 1).collect::<Vec<_>>()) + 1;
        let shaped = a.reshape_ins(&[("p", 1), ("q", total)]).and_then(|f| f.reshape_outs(&[("r", 8), ("s", 8)]));
        let shaped = shaped.expect("as many bits");
        for at in inputs(&a) {
            let y = a.apply(&at).expect("in range");
            assert_eq!(swapped.apply(&[at[1], at[0]]), Some(y.clone()));
            assert_eq!(turned.apply(&at), Some(vec![y[2], y[0], y[1]]));
            if at[0] == 0 {
                assert_eq!(part.apply(&at[1..]), Some(vec![y[0], y[2]]));
            }
            let (x, all) = (joined(&a.ins(), &at), joined(&a.outs(), &y));
            assert_eq!(flat.apply(&[x]), Some(vec![all]));
            assert_eq!(shaped.apply(&[0, x]), Some(vec![all % 8, all / 8]));
        }
        assert_eq!(linear(&a.to_string()), a, "it is read as it is printed");
    }
    for text in ["{x: [[]]} -> {}", "{x: [], y: [[], []]} -> {}", "{} -> {}", "{} -> {y: 2}"] {
        assert_eq!(linear(text).to_string(), text);
    }
    let closed = linear("{x: [1, 2]}").sublayout(&["x"], &[]).expect("names of it");
    assert_eq!(linear(&closed.to_string()), closed, "it has no outputs");
    let a = linear("{x: [1, 2]}");
    for (wrong, message) in [
        (a.transpose_ins(&["y"]), "the inputs are x, and not y"),
        (a.sublayout(&["x"], &["y"]), "there is no output `y`; there are dim0"),
        (a.reshape_outs(&[("y", 8)]), "the outputs have 2 bits, and the sizes given 3"),
        (a.right_inverse().and_then(|f| f.product(&a)), ""),
    ] {
        let found = wrong.map_or_else(|e| e.to_string(), |_| String::new());
        assert!(found.ends_with(message), "{found}");
    }
    let disorder = linear("{x: [1], y: [2]}").product(&linear("{y: [1], x: [2]}"));
    assert!(disorder.expect_err("no order").to_string().contains("in different orders"));
}

/// The cases of Triton's tests, with other numbers.
#[test]
fn as_triton_has_them() {
    let cases = [
        ("identity(1, x, y)", "{x: []} -> {y: 1}"),
        ("strided(4, 8, x, y)", "{x: [8, 16]} -> {y: 32}"),
        ("zeros(4, x, y, 2)", "{x: [0, 0]} -> {y: 2}"),
        ("identity(4, x, y) * identity(8, x, y)", "{x: [1, 2, 4, 8, 16]} -> {y: 32}"),
        ("identity(4, x, y) * identity(2, z, w)", "{x: [(1,0), (2,0)], z: [(0,1)]} -> {y: 4, w: 2}"),
        ("identity(4, x, y) * zeros(2, x, y, 1)", "{x: [1, 2, 0]} -> {y: 4}"),
        ("zeros(2, x, y, 1) * identity(4, x, y)", "{x: [0, 1, 2]} -> {y: 4}"),
        ("identity(2, x, y) * identity(4, x, z)", "{x: [(1,0), (0,1), (0,2)]} -> {y: 2, z: 4}"),
        ("{a: [1]} -> {y: 2} o {x: [0, 1]} -> {a: 2}", "{x: [0, 1]} -> {y: 2}"),
        ("invert({x: [2, 4, 1]} -> {y: 8})", "{y: [4, 1, 2]} -> {x: 8}"),
        ("right_inverse({x: [0, 2, 1, 0]} -> {y: 4})", "{y: [4, 2]} -> {x: 16}"),
        (
            "invert_and_compose({x: [2, 1], w: [0]}, {z: [2, 1], v: [0]})",
            "{x: [(1,0), (2,0)], w: [(0,0)]} -> {z: 4, v: 2}",
        ),
        ("divide_left(identity(8, x, y), identity(8, x, y))", "{x: []} -> {y: 1}"),
        ("divide_right(identity(8, x, y), identity(2, x, y))", "{x: [1, 2]} -> {y: 4}"),
        ("flatten_outs({x: [(1,0), (5,3)]} -> {a: 8, b: 4}, c)", "{x: [1, 29]} -> {c: 32}"),
        ("reshape_outs({x: [1, 6]} -> {a: 8}, {b: 2, c: 4})", "{x: [(1,0), (0,3)]} -> {b: 2, c: 4}"),
        (
            "#ttg.linear<{register = [[0, 1]], lane = [[2, 0], [1, 1]], block = []}>",
            "{register: [(0,1)], lane: [(2,0), (1,1)], block: []} -> {dim0: 4, dim1: 2}",
        ),
        ("linear((4,8):(8,1), [i, j], k)", "{i: [8, 16], j: [1, 2, 4]} -> {k: 32}"),
        ("left_inverse(linear(Swizzle<1,0,1> o 4:1, [c], k))", "{k: [1, 3]} -> {c: 4}"),
        ("layout({i: [8, 16], j: [1, 2, 4]})", "(4,8):(8,1)"),
    ];
    for (text, expected) in cases {
        let found = quaff_fronts::layout::evaluate(text).unwrap_or_else(|e| panic!("{text}: {e}")).value.to_string();
        assert_eq!(found, expected, "{text}");
    }
    let free = linear("{x: [(1,1), (2,2), (0,0)], y: [(1,0), (0,1), (2,0)]}");
    assert_eq!(free.free_masks(), [("x", 4), ("y", 2)]);
}

#[test]
fn wrong_texts_have_their_place() {
    let cases = [
        ("{x: [4]} -> {y: 4}", "{x: [4]} -> {y: 4}", "leaves the 4 numbers of y"),
        ("{x: [(1,2), 3]}", "{x: [(1,2), 3]}", "a basis has 1 numbers, and there are 2 outputs"),
        ("{x: 4}", "4", "expected bases in brackets: `[1, 2]`"),
        ("{x: [1]} -> [y]", "[y]", "expected the sizes of the outputs: `{y: 4}`"),
        ("{x: [1] y: [2]}", "y", "expected `,` or `}`"),
        ("{x: [1], x: [2]}", "{x: [1], x: [2]}", "`x` names two of the inputs"),
        ("identity(3, x, y)", "identity(3, x, y)", "the size 3 is no power of two"),
        ("sublayout({x: [1]}, x, [dim0])", "x", "expected names in brackets: `[x, y]`"),
        ("invert({x: [1, 1]})", "invert({x: [1, 1]})", "it is not injective"),
        ("flaten_outs({x: [1]}, y)", "flaten_outs", "unknown operation `flaten_outs`"),
        ("{x: [1]} o 4:1", "4:1", "expected a function of bits; `linear(L, [x], y)` makes one of a layout"),
    ];
    for (text, place, message) in cases {
        let error = quaff_fronts::layout::evaluate(text).expect_err(text);
        assert!(
            &text[error.span()] == place && error.to_string().contains(message),
            "{text}: {error} at {:?}",
            error.span()
        );
    }
    let layout = "4:1".parse::<LinearLayout>().expect_err("no bits");
    assert_eq!(layout.span(), 0..3);
}

#[test]
fn the_index_is_that_of_the_bits() {
    let mut source = Random(22);
    for _ in 0..1_000 {
        let a = random(&mut source, 2, 5, &[("y0", 6), ("y1", 2)]);
        let names: Vec<Expr> = ["x0", "x1"].map(var).to_vec();
        let index = a.index(&names).expect("two inputs");
        let program = Program::new(&index, &["x0", "x1"]).expect("two variables");
        for at in inputs(&a) {
            let wide: Vec<i128> = at.iter().map(|c| i128::from(*c)).collect();
            let expected: Vec<i128> = a.apply(&at).expect("in range").into_iter().map(i128::from).collect();
            let found: Vec<i128> = program.eval(&wide).into_iter().map(|v| v.expect("a value")).collect();
            assert_eq!(found, expected, "{a} at {at:?}");
        }
    }
}

/// Input bits that are shifted by the same distance are one term, and terms without a common bit are added.
#[test]
fn the_text_of_tiles_is_short() {
    let cases = [
        // the fragment of a tensor core: 8 rows of 4 lanes, and each lane has two neighbouring elements
        (
            "{register: [(0,1), (8,0)], lane: [(0,2), (0,4), (1,0), (2,0), (4,0)]}",
            "register//2*8 + lane//4; register%2 + lane%4*2",
            6.0,
        ),
        // the columns are permuted by an exclusive or with the row. The row occurs twice: 9 is 8 + 1
        ("{row: [9, 18, 36], column: [1, 2, 4]}", "column ^ row*9", 2.0),
        // only bits 0 and 2 are shifted by the same distance
        ("{x: [1, 8, 4, 64]}", "", 7.0),
    ];
    for (text, expected, most) in cases {
        let answer = linear(text).simplify(&Simplifier::default()).expect("an answer");
        let found = answer.exprs().iter().map(|e| e.to_string()).collect::<Vec<_>>().join("; ");
        assert!(expected.is_empty() || found == expected, "{text}: {found}");
        assert!(
            answer.cost().to_string().parse::<f64>().expect("a number") <= most,
            "{text}: {found} costs {}",
            answer.cost()
        );
    }
}

#[test]
fn layouts_of_powers_of_two_are_linear_and_back() {
    let mut source = Random(23);
    let mut made = 0;
    for case in 0..4_000 {
        let mut layout = source.layout(&[1, 2, 4, 8], &[0, 1, 2, 4, 8, 16, 32, 3]);
        if case % 2 == 0 {
            layout = layout.swizzled(Swizzle::new(2, 0, 2).expect("a swizzle")).expect("no negative strides");
        }
        let names: Vec<String> = (0..layout.rank()).map(|at| format!("c{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let Ok(linear) = LinearLayout::of_layout(&layout, &names, "index") else { continue };
        made += 1;
        for at in inputs(&linear) {
            assert_eq!(
                linear.apply(&at).map(|all| all[0]),
                layout.at_coordinate(&at),
                "{layout} and {linear} at {at:?}"
            );
        }
        let whole = LinearLayout::of_layout(&layout, &["c"], "index").expect("as the modes are");
        assert!(
            (0..layout.size()).all(|c| whole.apply(&[c]) == Some(vec![layout.at(c).expect("an index")])),
            "{layout}"
        );
        if let Ok(back) = linear.to_layout() {
            for c in 0..layout.size() {
                assert_eq!(index(&back, c), index(&layout, c), "{layout} and {back}");
            }
        } else {
            assert!(case % 2 == 0, "{layout} without a swizzle has no carry");
        }
    }
    assert!(made > 1_000, "{made}");
    let three: Layout = "(4,2):(3,1)".parse().expect("a layout");
    let error = LinearLayout::of_layout(&three, &["i", "j"], "k").expect_err("it carries");
    assert!(error.to_string().contains("carries"));
}
