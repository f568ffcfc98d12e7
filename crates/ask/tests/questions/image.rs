//! Sets of values of indices.

use crate::support::{cases, index};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, Program};
use quaff_ask::{Answer, Image, image};
use std::collections::BTreeSet;

fn asked(index: &str, domain: &str) -> Image {
    image(&Simplifier::default(), &index.parse().expect(index), &domain.parse().expect(domain)).expect(index)
}

/// The range, the stride, the number of values, and a hole.
fn found(index: &str, domain: &str) -> String {
    let Image { range, has_ends, stride, is_dense, count } = asked(index, domain);
    let ends = if has_ends { "" } else { " at most" };
    let dense = match is_dense {
        Answer::Yes => "dense".into(),
        Answer::No(hole) => format!("without {hole}"),
        Answer::NotProved => "open".into(),
    };
    format!("{range}{ends} by {stride}, {dense}, {}", count.map_or("?".into(), |count| count.to_string()))
}

#[test]
fn images_of_indices() {
    for (index, domain, wanted) in [
        ("i*3 + 1", "i=0..9", "1..28 by 3, dense, 10"),
        ("i*3 + j*5", "i=0..9, j=0..9", "0..72 by 1, without 1, 65"),
        ("i*i", "i=0..9", "0..81 by 1, without 2, 10"),
        ("7", "i=0..9", "7..7 by 0, dense, 1"),
        // for `n = 0` the range of `i` is empty, but `n` itself may still be 0
        ("n", "n=0..9, i=0..n-1", "0..9 by 1, dense, 10"),
        ("n + i*0", "n=0..9, i=0..n-1", "1..9 by 1, dense, 9"),
        ("i*20 + j*2 + 7", "i=0..99999, j=0..9", "7..2000005 by 2, dense, 1000000"),
        ("i*20 + j", "i=0..99999, j=0..9", "0..1999989 by 1, without 10, 1000000"),
        ("i + k", "i=0..999999, k=0..6", "0..1000005 by 1, dense, 1000006"),
        ("i*5 + j*2", "i=0..99999, j=0..2", "0..499999 by 1, without 1, 300000"),
        ("i*5 - j*2", "i=0..99999, j=0..99", "-198..499995 by 1, without -197, ?"),
        ("i//8*64 + i%8*2", "i=0..999999", "0..7999950 by 2, without 16, 1000000"),
        ("i//8*64 + i%8*2", "i=0..1000001", "0..8000002 by 2, open, ?"),
        ("i%8 + i//64*8", "i=0..1000001", "0..125006 at most by 1, open, ?"),
        ("i%1000", "i=0..999999", "0..999 by 1, dense, 1000"),
        ("i*4", "i=8..8000000 step 8", "32..32000000 by 32, dense, 1000000"),
        ("x*n + y", "n=1..4096, x=0..4095, y=0..n-1", "0..16777215 by 1, open, ?"),
        ("i*j*4", "i=0..9999, j=0..9999", "0..399920004 by 4, open, ?"),
        ("i + j", "i=0..9999, j=0..9999, assume i <= j", "0..19998 by 1, open, ?"),
        ("(i*192 + j)//128", "i=0..9999, j=0..191", "0..14999 by 1, open, ?"),
        ("i ^ i//8", "i=0..1048575", "0..1048575 at most by 1, open, ?"),
        ("i", "i=0..", "0.. at most by 1, open, ?"),
    ] {
        assert_eq!(found(index, domain), wanted, "{index} over {domain}");
    }
}

/// Compares the found image (the set of values of `e`) with all values. Returns whether the answer decides if the image
/// has holes.
fn is_right(e: &Expr, domain: &Domain, sizes: [i64; 2]) -> bool {
    let found = image(&Simplifier::default(), e, domain).expect("an answer");
    let program = Program::new(std::slice::from_ref(e), &["t", "p"]).expect("variables");
    let points = (0..sizes[0]).flat_map(|t| (0..sizes[1]).map(move |p| [t.into(), p.into()]));
    let values: BTreeSet<i64> = points.map(|at| program.eval(&at)[0].expect("a value") as i64).collect();
    let (first, last) = (*values.first().expect("points"), *values.last().expect("points"));
    assert!(found.range.contains(first) && found.range.contains(last), "{e}: {found:?}");
    if found.has_ends {
        assert_eq!(found.range.bounded(), Some((first, last)), "{e}: {found:?}");
    }
    let on_stride = |value: i64| match found.stride {
        0 => value == first,
        stride => (value - first) % stride == 0,
    };
    assert!(values.iter().all(|value| on_stride(*value)), "{e}: {found:?}");
    assert!(found.count.is_none_or(|count| count == values.len() as i64), "{e}: {found:?}");
    match found.is_dense {
        Answer::Yes => assert_eq!(values.len() as i64, (last - first) / found.stride.max(1) + 1, "{e}: {found:?}"),
        Answer::No(hole) => {
            assert!(on_stride(hole) && (first..last).contains(&hole) && !values.contains(&hole), "{e}: {found:?}");
        }
        Answer::NotProved => {}
    }
    found.is_dense != Answer::NotProved
}

fn sum_of_digits() -> impl Strategy<Value = Expr> {
    let digit =
        prop::sample::select(vec!["t", "p", "t//4", "t%4", "t//4%8", "t//32", "p//2", "p%2", "p%6", "p//6", "399 - t"]);
    let stride = prop::sample::select(vec!["1", "2", "3", "4", "8", "32", "128", "400", "700", "-2", "-400"]);
    prop::collection::vec((digit, stride), 1..4).prop_map(|terms| {
        let text: Vec<String> = terms.iter().map(|(digit, stride)| format!("({digit})*{stride}")).collect();
        (text.join(" + ") + " + 5").parse().expect("an expression")
    })
}

#[test]
#[ignore = "a campaign"]
fn images_are_all_values() {
    let mut runner = TestRunner::deterministic();
    // one domain has few points, which are evaluated one by one, and the other has too many
    let few = "t=0..39, p=0..9".parse().expect("a domain");
    for _ in 0..cases(80) {
        let e = index().new_tree(&mut runner).expect("an index").current();
        if e.variables().iter().all(|name| &**name != "n") {
            assert!(is_right(&e, &few, [40, 10]), "{e}");
        }
    }
    let (many, count) = ("t=0..399, p=0..349".parse().expect("a domain"), cases(60));
    let decided = (0..count).filter(|_| {
        let e = sum_of_digits().new_tree(&mut runner).expect("an index").current();
        is_right(&e, &many, [400, 350])
    });
    let decided = decided.count();
    println!("of {count} sums of digits, {decided} are decided");
    assert!(decided * 100 >= count * 60, "{decided} of {count}");
}
