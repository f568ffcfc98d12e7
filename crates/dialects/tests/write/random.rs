//! Random expressions with ranges of their variables.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use quaff_expr::domain::{Domain, Interval, Points, interval_of};
use quaff_expr::expr::{Expr, Op, Program, int, select, var};

pub(crate) const NAMES: [&str; 4] = ["x", "y", "z", "n"];

/// Expressions, and the ranges of the variables in the order of [`NAMES`].
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) roots: Vec<Expr>,
    pub(crate) ranges: Vec<(i64, i64)>,
}

impl Case {
    pub(crate) fn interval(&self, name: &str) -> Interval {
        let at = NAMES.iter().position(|n| *n == name).expect("a known name");
        Interval::new(self.ranges[at].0, self.ranges[at].1).expect("not empty")
    }

    pub(crate) fn range(&self, e: &Expr) -> Interval {
        interval_of(e, |name| self.interval(name))
    }

    /// Random points, with the values of all roots. Points at which a root has no value are left out.
    pub(crate) fn points(&self, count: usize) -> Vec<(Vec<i64>, Vec<i128>)> {
        let domain: Domain = NAMES.iter().zip(&self.ranges).map(|(name, &(lo, hi))| (*name, lo..=hi)).collect();
        let program = Program::new(&self.roots, &NAMES).expect("known names");
        let points = Points::new(&domain, 5).expect("a domain").take(count);
        let values = |p: &Vec<i64>| program.eval(&p.iter().map(|&v| v.into()).collect::<Vec<i128>>());
        points.filter_map(|p| values(&p).into_iter().collect::<Result<Vec<i128>, _>>().ok().map(|v| (p, v))).collect()
    }
}

fn range() -> impl Strategy<Value = (i64, i64)> {
    prop_oneof![
        4 => (-40..40i64, 0..80i64).prop_map(|(lo, length)| (lo, lo + length)),
        2 => (0..9i64, 0..999i64).prop_map(|(lo, length)| (lo, lo + length)),
        2 => (1..9i64, 0..9i64).prop_map(|(lo, length)| (lo, lo + length)),
        1 => Just((-2_147_483_648, 2_147_483_647)),
        1 => Just((0, 2_147_483_647)),
        1 => Just((-5_000_000_000, 5_000_000_000)),
    ]
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        4 => (0..NAMES.len()).prop_map(|i| var(NAMES[i])),
        2 => (-9..17i64).prop_map(int),
        1 => prop::sample::select(vec![-64, 32, 64, 100, 1 << 31, -(1 << 31), 3_000_000_000]).prop_map(int),
    ]
}

/// Expressions of all operators.
fn expression() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(5, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        let by_number = (inner.clone(), prop_oneof![1..20i64, Just(64i64), -9..-1i64]);
        prop_oneof![
            6 => (prop::sample::select(&[Op::Add, Op::Sub, Op::Mul, Op::Min, Op::Max][..]), two.clone())
                .prop_map(|(op, (a, b))| Expr::try_new(op, [a, b]).unwrap()),
            4 => (prop::sample::select(&[Op::FloorDiv, Op::FloorMod, Op::TruncDiv, Op::TruncMod][..]), by_number)
                .prop_map(|(op, (a, b))| Expr::try_new(op, [a, int(b)]).unwrap()),
            2 => (prop::sample::select(&[Op::FloorDiv, Op::FloorMod, Op::TruncDiv, Op::TruncMod][..]), two.clone())
                .prop_map(|(op, (a, b))| Expr::try_new(op, [a, b]).unwrap()),
            2 => (prop::sample::select(&[Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne, Op::And, Op::Or][..]), two.clone())
                .prop_map(|(op, (a, b))| Expr::try_new(op, [a, b]).unwrap()),
            1 => (prop::sample::select(&[Op::BitAnd, Op::BitOr, Op::BitXor][..]), two.clone())
                .prop_map(|(op, (a, b))| Expr::try_new(op, [a, b]).unwrap()),
            1 => (prop::sample::select(&[Op::Shl, Op::Shr][..]), inner.clone(), prop_oneof![(0..6i64).prop_map(int), leaf()])
                .prop_map(|(op, a, b)| Expr::try_new(op, [a, b]).unwrap()),
            1 => (inner.clone(), prop::sample::select(&[Op::Neg, Op::Not][..]))
                .prop_map(|(a, op)| Expr::try_new(op, [a]).unwrap()),
            2 => (inner.clone(), two.clone()).prop_map(|(c, (a, b))| select(c, a, b)),
            // the shared part `a` is used three times
            1 => two.prop_map(|(a, b)| (&a + &b) * (&a - (a.clone() % 7))),
        ]
    })
}

/// Expressions that MLIR can express as affine expressions.
fn affine() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(5, 24, 2, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            2 => (prop::sample::select(&[Op::Add, Op::Sub][..]), two)
                .prop_map(|(op, (a, b))| Expr::try_new(op, [a, b]).unwrap()),
            2 => (prop::sample::select(&[Op::FloorDiv, Op::FloorMod][..]), inner.clone(), 1..20i64)
                .prop_map(|(op, a, b)| Expr::try_new(op, [a, int(b)]).unwrap()),
            1 => (inner.clone(), -9..9i64).prop_map(|(a, b)| a * b),
            1 => (-9..9i64, inner.clone()).prop_map(|(a, b)| int(a) * b),
            1 => (inner.clone(), 1..9i64).prop_map(|(a, b)| -(-a / b)),
            1 => inner.clone().prop_map(|a| -a),
            1 => (inner.clone(), 0..5i64).prop_map(|(a, b)| a >> b),
            1 => (inner, 0..5i64).prop_map(|(a, b)| a & ((1 << b) - 1)),
        ]
    })
}

pub(crate) fn case(is_affine: bool) -> impl Strategy<Value = Case> {
    let root = if is_affine { affine().boxed() } else { expression().boxed() };
    let roots = prop::collection::vec(root, 1..3);
    (roots, prop::collection::vec(range(), NAMES.len())).prop_map(|(roots, ranges)| Case { roots, ranges })
}

/// The first `count` cases, which are the same on every machine.
pub(crate) fn cases(count: usize, is_affine: bool) -> Vec<Case> {
    let mut runner = TestRunner::deterministic();
    let strategy = case(is_affine);
    (0..count).map(|_| strategy.new_tree(&mut runner).expect("a case").current()).collect()
}
