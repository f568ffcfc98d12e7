//! Indices of Triton-like blocks: ranges, splats, broadcasts and their arithmetic. The answers are compared with those
//! of an analysis that looks at one operation after the other.

use crate::support::cases;
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, select, var};
use quaff::integer::{floor_mod, gcd};
use quaff_ask::lanes;

/// Contiguity, divisibility and constancy of an index along `x`.
fn found(index: &Expr, domain: &Domain) -> (i64, i64, i64) {
    let found = lanes(&Simplifier::default(), std::slice::from_ref(index), "x", domain).expect("an answer");
    (found[0].contiguity, found[0].divisibility(), found[0].constancy)
}

#[test]
fn operations_of_axes() {
    let known = "x=0..127, y=0..63, pid=0..65535, any=-1000000..1000000, n=16..1048576 step 16, ptr=0..1099511627776 step 16, c=0..1";
    let domain = known.parse().expect(known);
    for (operation, index, wanted) in [
        ("a range", "x", (128, 0, 1)),
        ("a range from a number on", "x + 8192", (128, 8192, 1)),
        ("a constant", "66", (1, 66, 128)),
        ("the least number", "-9223372036854775808", (1, 1 << 62, 128)),
        ("a splat", "any", (1, 1, 128)),
        ("a splat of known divisibility", "n", (1, 16, 128)),
        ("the other axis", "y", (1, 1, 128)),
        ("a sum", "x + 1", (128, 1, 1)),
        ("a sum of a splat", "pid*128 + x", (128, 128, 1)),
        ("a difference", "x - 64", (128, 64, 1)),
        ("a reversed range", "127 - x", (1, 1, 1)),
        ("a product by 1", "x*1", (128, 0, 1)),
        ("a product by a number", "x*4", (1, 4, 1)),
        ("a product by a size", "x*n", (1, 16, 1)),
        ("a product of divisible ones", "n*(pid*8)", (1, 128, 128)),
        ("a quotient by 1", "x//1", (128, 0, 1)),
        ("a quotient", "x//64", (1, 1, 64)),
        ("a quotient by no power of two", "x//66", (1, 1, 2)),
        ("a quotient of a range from a number on", "(x + 8192)//64", (1, 1, 64)),
        ("a quotient that is not aligned", "(x + 8)//64", (1, 1, 8)),
        ("a quotient of constants", "64//1", (1, 64, 128)),
        ("a remainder by 1", "x%1", (1, 0, 128)),
        ("a remainder", "x%64", (64, 0, 1)),
        ("a remainder by no power of two", "x%48", (16, 16, 1)),
        ("a remainder by a size", "(pid*128 + x)%n", (16, 16, 1)),
        ("a remainder by any size", "(pid*128 + x)%(any*any + 1)", (1, 1, 1)),
        ("below a constant", "x < 8", (1, 1, 8)),
        ("below the least one", "x < 0", (1, 0, 128)),
        ("up to a constant", "x <= 8", (1, 1, 1)),
        ("from a constant on", "x >= 48", (1, 1, 16)),
        ("below a divisible size", "pid*128 + x < n", (1, 1, 16)),
        ("below any size", "pid*128 + x < any", (1, 1, 1)),
        ("equal to a constant", "x == 0", (1, 1, 1)),
        ("a remainder below a constant", "x%48 < 32", (1, 1, 16)),
        ("bits of pairs", "x//64 & x//8", (1, 1, 8)),
        ("bits of either", "x//64 | x//8", (1, 1, 8)),
        ("different bits", "x//64 ^ x//8", (1, 1, 8)),
        ("one bit of a range", "x & 64", (1, 64, 64)),
        ("a range and one bit more", "x | 128", (128, 128, 1)),
        ("a selected range", "where(c, x, x + 64)", (128, 64, 1)),
        ("a selection by a mask", "where(x < 64, x, x + 1024)", (64, 1088, 1)),
        ("a selection of constants", "where(x//4%2, 8, 12)", (1, 4, 4)),
        ("a selected splat", "where(c, n, 0)", (1, 16, 128)),
        ("a shift to the left", "x << 8", (1, 256, 1)),
        ("a shift to the right", "x >> 4", (1, 1, 16)),
        ("a shifted constant", "8 << 4", (1, 128, 128)),
        ("the larger range", "max(x, x + 64)", (128, 64, 1)),
        ("the smaller range", "min(x, x + 64)", (128, 0, 1)),
        ("a range up to a number", "min(x, 64)", (1, 1, 1)),
        ("a range from a number", "max(x, 64)", (1, 1, 1)),
        ("the larger constant", "max(8, 4)", (1, 8, 128)),
        ("a pointer", "ptr + x", (128, 16, 1)),
        ("a row of a matrix", "ptr + y*n + x", (128, 16, 1)),
        ("a column of a matrix", "ptr + x*n + y", (1, 1, 1)),
        ("a broadcast column", "y*4", (1, 4, 128)),
        ("a row that wraps around", "ptr + (pid*128 + x)%n", (16, 16, 1)),
        ("elements of four bytes", "ptr + x*4", (1, 4, 1)),
    ] {
        let own = found(&index.parse().expect(index), &domain);
        assert_eq!(own, wanted, "{operation}: {index}");
    }
}

const LANES: i64 = 32;

/// An index, and the properties that the usual analysis of one operation after the other proves for it.
#[derive(Clone, Debug)]
struct Axis {
    e: Expr,
    contiguity: i64,
    divisibility: i64,
    constancy: i64,
}

impl Axis {
    fn new(e: Expr, contiguity: i64, divisibility: i64, constancy: i64) -> Axis {
        // the limit keeps the divisibility of products of many even numbers small
        Axis { e, contiguity, divisibility: divisibility.min(1 << 20), constancy }
    }

    /// The divisibility of the first values, for groups that are shortened to `contiguity` lanes.
    fn in_groups(&self, contiguity: i64) -> i64 {
        if self.contiguity > contiguity { common(self.divisibility, contiguity) } else { self.divisibility }
    }

    fn plus(self, other: Axis) -> Axis {
        let contiguity = common(self.contiguity, other.constancy).max(common(self.constancy, other.contiguity));
        let divisibility = common(self.in_groups(contiguity), other.in_groups(contiguity));
        Axis::new(self.e + other.e, contiguity, divisibility, common(self.constancy, other.constancy))
    }

    fn times(self, by: i64) -> Axis {
        let contiguity = if by == 1 { self.contiguity } else { 1 };
        Axis::new(&self.e * by, contiguity, self.in_groups(contiguity) * power_of_two(by), self.constancy)
    }

    fn quotient(self, by: i64) -> Axis {
        let aligned = common(common(self.contiguity, self.divisibility), by);
        let (contiguity, divisibility) = if by == 1 { (self.contiguity, self.divisibility) } else { (1, 1) };
        Axis::new(self.e.floor_div(by), contiguity, divisibility, self.constancy.max(aligned))
    }

    fn remainder(self, by: i64) -> Axis {
        let contiguity = common(common(self.contiguity, self.divisibility), by);
        Axis::new(self.e.floor_mod(by), contiguity, common(self.in_groups(contiguity), by), self.constancy)
    }

    fn below(self, other: Axis) -> Axis {
        let aligned = common(common(self.contiguity, self.divisibility), other.divisibility);
        let aligned = if other.constancy == LANES { aligned } else { 1 };
        Axis::new(self.e.lt(other.e), 1, 1, common(self.constancy, other.constancy).max(aligned))
    }

    fn bits(self, other: Axis) -> Axis {
        Axis::new(self.e ^ other.e, 1, 1, common(self.constancy, other.constancy))
    }

    fn or_else(self, mask: Axis, other: Axis) -> Axis {
        let contiguity = common(common(self.contiguity, other.contiguity), mask.constancy);
        let divisibility = common(self.in_groups(contiguity), other.in_groups(contiguity));
        let constancy = common(common(self.constancy, other.constancy), mask.constancy);
        Axis::new(select(mask.e, self.e, other.e), contiguity, divisibility, constancy)
    }
}

fn common(a: i64, b: i64) -> i64 {
    gcd(a.into(), b.into()) as i64
}

/// The greatest power of two that divides `n`, which is not 0.
fn power_of_two(n: i64) -> i64 {
    n & n.wrapping_neg()
}

fn axis() -> impl Strategy<Value = Axis> {
    let start = prop::sample::select(vec![0i64, 1, 4, 64, 96]);
    let range = start.prop_map(|from| Axis::new(var("x") + from, LANES, power_of_two(from | 1 << 20), 1));
    let number = prop::sample::select(vec![1i64, 6, 16, 64]);
    let leaf = prop_oneof![
        4 => range,
        2 => number.prop_map(|c| Axis::new(int(c), 1, power_of_two(c), LANES)),
        1 => Just(Axis::new(var("n"), 1, 16, LANES)),
        1 => Just(Axis::new(var("pid") * 32, 1, 32, LANES)),
        1 => Just(Axis::new(var("pid"), 1, 1, LANES)),
    ];
    let by = || prop::sample::select(vec![1i64, 2, 4, 8, 12, 16, 64]);
    leaf.prop_recursive(3, 8, 3, move |inner| {
        prop_oneof![
            4 => (inner.clone(), inner.clone()).prop_map(|(a, b)| a.plus(b)),
            2 => (inner.clone(), by()).prop_map(|(a, by)| a.times(by)),
            2 => (inner.clone(), by()).prop_map(|(a, by)| a.quotient(by)),
            2 => (inner.clone(), by()).prop_map(|(a, by)| a.remainder(by)),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| a.below(b)),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| a.bits(b)),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(mask, a, b)| a.or_else(mask, b)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(200) as u32, ..ProptestConfig::default() })]

    #[test]
    fn no_rule_of_an_operation_says_more(axis in axis()) {
        let domain = Domain::new().with("x", 0..LANES).with("pid", 0..65536).with("n", 16..=1 << 20).stride("n", 16, 0);
        let (contiguity, divisibility, constancy) = found(&axis.e, &domain);
        prop_assert!(contiguity >= axis.contiguity, "{}: contiguity {contiguity}, {axis:?}", axis.e);
        prop_assert!(constancy >= axis.constancy, "{}: constancy {constancy}, {axis:?}", axis.e);
        let is_divided = floor_mod(divisibility.into(), axis.divisibility.into()) == 0;
        prop_assert!(is_divided, "{}: divisibility {divisibility}, {axis:?}", axis.e);
    }
}
