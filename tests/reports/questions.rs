//! Reports that ask about properties of an index: conditions, lanes, parts, strides, sizes and inverses.

use crate::support::{domain, expr};
use quaff::Simplifier;
use quaff::expr::{Expr, int};
use quaff_ask::{
    Dimension, Strides, When, injective, inverse, lanes, parts, strides, surjective, when, when_vector, widest_vector,
};

#[test]
fn conditions() {
    for (report, condition, known, wanted) in [
        (
            "triton-cpu PR 96",
            "i*T + l < size",
            "T=1..64, size=1..100000, i=0..(size + T - 1)//T - 1, l=0..T-1, assume size%T == 0",
            Some(true),
        ),
        ("tilelang PR 1834", "(tx*4 + i < N) == (tx*4 < N)", "tx=0..255, i=0..3, N=4..4096 step 4", Some(true)),
        ("jax #36770", "pid*128%128 == 0", "pid=0..99", Some(true)),
        ("jax #36770", "pid*128%512 == 0", "pid=0..99", None),
        ("jax #36770", "pid*128%512 == 0", "pid=1..3", Some(false)),
        ("tvm PR 11235", "x == x1", "x=0..9, y=0..6, x1=0..9, y1=0..6, assume x*7 + y == x1*7 + y1", Some(true)),
        ("tvm PR 11287", "x == x1", "x=0..9, y=0..7, x1=0..9, y1=0..7, assume x*7 + y == x1*7 + y1", None),
    ] {
        let proved = Simplifier::default().facts(&domain(known)).prove(&expr(condition)).unwrap();
        assert_eq!(proved, wanted, "{report}");
    }
}

/// A report, its index, its mask, and the ranges of the lane `t` and other variables. The numbers are the contiguity,
/// divisibility and constancy of the index, the constancy of the mask, and the widest vector.
type Axis = (&'static str, &'static str, &'static str, &'static str, [i64; 5]);

const AXES: &[Axis] = &[
    // lanes are contiguous in pairs. The first value of each pair is even, although single lanes have odd values
    ("triton #11544", "t%(2 << t//16)", "1", "t=0..31", [2, 2, 1, 32, 2]),
    ("triton #7425", "64%(32 + t)", "1", "t=0..127", [1, 1, 1, 128, 1]),
    ("triton #7749", "truncdiv(t - 64, 32)", "1", "t=0..127", [1, 1, 1, 128, 1]),
    ("triton #7749", "(t - 64)//32", "1", "t=0..127", [1, 1, 32, 128, 1]),
    ("triton #7758", "min(4 + t, where(t//2 == 0, 8, where(t//2 == 2, 0, 16)) + t%2)", "1", "t=0..7", [2, 2, 1, 8, 2]),
    (
        "triton #642",
        "(pid*128 + t)%M",
        "1",
        "t=0..127, pid=0..99999, M=128..1048576 step 128, assume pid*128 < M",
        [128, 128, 1, 128, 16],
    ),
    (
        "triton #642",
        "(pid*128 + t)%M",
        "1",
        "t=0..127, pid=0..99999, M=1..1048576, assume pid*128 < M",
        [1, 1, 1, 128, 1],
    ),
    (
        "triton PR 785",
        "pid*128 + t",
        "pid*128 + t < n",
        "t=0..127, pid=0..65535, n=16..1048576 step 16",
        [128, 128, 1, 16, 16],
    ),
    ("triton PR 785", "pid*128 + t", "pid*128 + t < n", "t=0..127, pid=0..65535, n=1..1048576", [128, 128, 1, 1, 1]),
    ("tilelang PR 1834", "x*4 + t", "x*4 + t < N", "x=0..255, t=0..3, N=4..4096 step 4", [4, 4, 1, 4, 4]),
    (
        "pytorch PR 176653",
        "(b*1024 + t)//k*s + (b*1024 + t)%k",
        "1",
        "b=0..99, t=0..1023, k=16..4096 step 16, s=16..4096 step 16",
        [16, 16, 1, 1024, 16],
    ),
    ("pytorch PR 177061", "t + ks0*x1", "1", "t=0..63, x1=0..63, ks0=1..4096", [64, 1, 1, 64, 1]),
];

#[test]
fn lanes_and_vectors() {
    for (report, index, mask, known, wanted) in AXES {
        let found = lanes(&Simplifier::default(), &[expr(index), expr(mask)], "t", &domain(known)).unwrap();
        let (own, mask) = (&found[0], &found[1]);
        let width = widest_vector(own, Some(mask), 16);
        let found = [own.contiguity, own.divisibility(), own.constancy, mask.constancy, width];
        assert_eq!(found, *wanted, "{report}: {index}");
    }
}

/// The first found condition on sizes, and whether this condition is also necessary.
fn first(found: Vec<When>) -> (String, Option<bool>) {
    found.into_iter().next().map_or_else(Default::default, |when| (when.test().to_string(), when.necessary))
}

#[test]
fn sizes_that_suffice() {
    // pytorch PR 176653, 177061, 178318, #189940: the sizes of a vector load
    for (index, sizes, known, wanted) in [
        ("t + ks0*x1", &["ks0"][..], "t=0..63, x1=0..63, ks0=1..4096", "ks0%4 == 0"),
        (
            "(b*1024 + t)//k*s + (b*1024 + t)%k",
            &["k", "s"],
            "b=0..99, t=0..1023, k=1..4096, s=1..4096",
            "k%4 == 0 and s%4 == 0",
        ),
    ] {
        let found = when_vector(&Simplifier::default(), &expr(index), None, ("t", 4), sizes, &domain(known)).unwrap();
        assert_eq!(first(found).0, wanted, "{index}");
    }
    // FlagGems PR 5882, MSLK PR 303: the sizes for which 32 bits hold an offset
    for (index, sizes, known, wanted) in [
        (
            "(pid*vol + lin)*suffix + s",
            &["vol", "suffix"][..],
            "pid=0..99, vol=1..65536, lin=0..vol-1, suffix=1..4096, s=0..suffix-1",
            "vol*suffix <= 21474795",
        ),
        ("token*1024 + i", &["token"], "token=0..4095, i=0..1023", "1"),
    ] {
        let fits = expr(index).le(2147483647);
        let found = when(&Simplifier::default(), &fits, sizes, &domain(known)).unwrap();
        assert_eq!(first(found).0, wanted, "{index}");
    }
}

#[test]
fn uniform_and_lane_parts() {
    // wave PR 977, 179, 744, triton PR 10248, 10362, iree-turbine PR 492
    let known = domain("wg=0..1023, k=0..63, t=0..255, K=64..8192");
    let index = expr("(wg*128 + t//8)*K + k*64 + t%8*8");
    let found = parts(&Simplifier::default(), &index, &[&["wg", "k"], &["t"]], &known).unwrap();
    assert!(found.is_whole());
    assert_eq!(found.parts.iter().map(Expr::to_string).collect::<Vec<_>>(), ["k*64 + wg*K*128", "K*(t//8) + t%8*8"]);
    assert_eq!(found.shared, int(0));
}

#[test]
fn shapes_and_strides() {
    // pytorch #125077, #148725, PR 127342, 132937, triton-shared #16, #48, #80
    for (index, axes, known, wanted) in [
        ("i//8*64 + i%8*2", &["i"][..], "i=0..63", &["i//8 of 8 by 64", "i//1 of 8 by 2"][..]),
        ("x%256*4 + x//256%64", &["x"], "x=0..16383", &["x//256 of 64 by 1", "x//1 of 256 by 4"]),
        (
            "(pid*128 + t)%M*K + k",
            &["t", "k"],
            "pid=0..99, t=0..127, k=0..63, M=1..8192, K=64..4096",
            &["t//1 of 128 by K from pid*128 around M", "k//1 of 64 by 1"],
        ),
    ] {
        let found = strides(&Simplifier::default(), &expr(index), axes, &domain(known)).unwrap();
        let Strides::Strided(found) = found else { panic!("{index}: {found:?}") };
        let text = |d: &Dimension| {
            let extent = d.extent.as_ref().expect("a closed range");
            let wrap = d.wrap.as_ref().map(|w| format!(" from {} around {}", w.origin, w.extent)).unwrap_or_default();
            format!("{}//{} of {extent} by {}{wrap}", d.axis, d.below, d.stride)
        };
        assert_eq!(found.dimensions.iter().map(text).collect::<Vec<_>>(), wanted, "{index}");
        assert_eq!(found.offset, int(0), "{index}");
    }
}

/// A report, the outputs of a map, its inputs and ranges, the extents, whether the map is injective and surjective, its
/// inverse, and the condition of the inverse.
type Map<'a> = (&'a str, &'a [&'a str], &'a [&'a str], &'a str, &'a [i64], [bool; 2], &'a [&'a str], Option<&'a str>);

#[test]
fn maps_and_inverses() {
    let maps: [Map<'_>; 4] = [
        ("tvm PR 6667", &["x*7 + y"], &["x", "y"], "x=0..9, y=0..6", &[70], [true; 2], &["a//7", "a%7"], None),
        (
            "tvm PR 11235",
            &["i//8", "i%8"],
            &["i"],
            "i=0..27",
            &[4, 8],
            [true, false],
            &["a*8 + b"],
            Some("a*8 + b < 28"),
        ),
        (
            "tvm PR 12039",
            &["(i + 1)//4", "(i + 1)%4"],
            &["i"],
            "i=0..9",
            &[4, 4],
            [true, false],
            &["a*4 + b - 1"],
            Some("a*4 + b >= 1 and a*4 + b < 11"),
        ),
        ("tvm PR 11287", &["x*3 + y*2"], &["x", "y"], "x=0..9, y=0..9", &[46], [false; 2], &[], None),
    ];
    let simplifier = Simplifier::default();
    for (report, outputs, inputs, known, extents, [one_to_one, onto], wanted, inside) in maps {
        let (outputs, known): (Vec<Expr>, _) = (outputs.iter().map(|text| expr(text)).collect(), domain(known));
        let extents: Vec<Expr> = extents.iter().map(|&n| int(n)).collect();
        assert_eq!(injective(&simplifier, &outputs, inputs, &known).unwrap().is_yes(), one_to_one, "{report}");
        let covered = surjective(&simplifier, &outputs, &extents, inputs, &known).unwrap();
        assert_eq!(covered.is_yes(), onto, "{report}");
        let names: Vec<(&str, Expr)> = ["a", "b"].into_iter().zip(extents).collect();
        let found = inverse(&simplifier, &outputs, &names, inputs, &known).unwrap();
        let texts = found.iter().flat_map(|found| found.inputs.iter().map(Expr::to_string));
        assert_eq!(texts.collect::<Vec<_>>(), wanted, "{report}");
        let found = found.and_then(|found| found.inside).map(|inside| inside.to_string());
        assert_eq!(found.as_deref(), inside, "{report}");
    }
}
