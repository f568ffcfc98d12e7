//! Random domains of `t`, `p` and `n`, with all their points.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, Program};
use std::collections::BTreeSet;

pub(super) const NAMES: [&str; 3] = ["t", "p", "n"];

/// Declarations of `p` with further upper ends.
const ENDS: [&str; 5] = ["", "", "", ", p=0..n-1", ", p=0..n//2"];

/// Conditions of random domains. The first ones hold at many points.
const CONDITIONS: [&str; 11] = [
    "",
    "",
    "",
    "",
    ", assume t + p >= 3",
    ", assume t//4 != p",
    ", assume t < n",
    ", assume t*4 + p < n*3",
    ", assume p*8 + t < n*4",
    ", assume (t + p)%2 == 0",
    ", assume n%4 == 0",
];

/// Values of `t`, `p` and `n`.
pub(super) type Point = [i64; 3];

/// A generator of random values, which depend only on a seed, and the simplifier that answers questions.
pub(super) struct Draw {
    runner: TestRunner,
    pub(super) simplifier: Simplifier,
}

impl Draw {
    pub(super) fn new(round: u64) -> Draw {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&round.to_le_bytes());
        let runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        Draw { runner, simplifier: Simplifier::default() }
    }

    pub(super) fn of<S: Strategy>(&mut self, strategy: S) -> S::Value {
        strategy.new_tree(&mut self.runner).expect("no filter").current()
    }

    pub(super) fn one<T: Copy + std::fmt::Debug + 'static>(&mut self, choices: &'static [T]) -> T {
        self.of(prop::sample::select(choices))
    }
}

/// A domain and its points.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) domain: Domain,
    pub(super) points: Vec<Point>,
    /// `t` is in `0..lanes`.
    pub(super) lanes: i64,
}

impl Case {
    fn new(text: &str, lanes: i64, inner: i64, sizes: &[i64]) -> Case {
        // each point has values of all variables, even of those that an expression does not use
        let domain = text.parse::<Domain>().expect(text).nonempty("t").nonempty("p");
        let of_size = |n: i64| (0..lanes).flat_map(move |t| (0..inner).map(move |p| [t, p, n]));
        let mut case = Case { points: sizes.iter().flat_map(|&n| of_size(n)).collect(), domain, lanes };
        let mut conditions = case.domain.conditions();
        let ends = case.domain.resolve().expect("ranges").into_iter().filter_map(|v| Some((v.name, v.upper?)));
        conditions.extend(ends.map(|(name, end)| quaff::expr::var(name).le(end)));
        let holds = Values::of(&conditions);
        case.points.retain(|&at| holds.at(at).iter().all(|value| *value != 0));
        case
    }

    fn drawn(draw: &mut Draw, [lanes, inner]: [i64; 2], ends: &[&str], conditions: &[&str]) -> Case {
        let (step, low, count) = (draw.one(&[1i64, 1, 2, 3, 4, 8]), draw.of(1i64..6), draw.of(1i64..5));
        let pick = |draw: &mut Draw, texts: &[&str]| texts[draw.of(0..texts.len())].to_owned();
        let (end, condition) = (pick(draw, ends), pick(draw, conditions));
        let sizes: Vec<i64> = (low..low + count).map(|k| k * step).collect();
        let (first, last) = (low * step, (low + count - 1) * step);
        let text = format!("t=0..{}, p=0..{}{end}, n={first}..{last} step {step}{condition}", lanes - 1, inner - 1);
        Case::new(&text, lanes, inner, &sizes)
    }

    /// Numbers of lanes, and of values of `p`.
    fn few(draw: &mut Draw) -> [i64; 2] {
        [draw.one(&[4, 6, 8, 12, 16, 24, 32]), draw.of(1i64..6)]
    }

    /// A domain with conditions and with ends that depend on `n`. It has at least one point.
    pub(super) fn with_conditions(draw: &mut Draw) -> Case {
        loop {
            let sizes = Case::few(draw);
            let case = Case::drawn(draw, sizes, &ENDS, &CONDITIONS);
            if !case.points.is_empty() {
                return case;
            }
        }
    }

    /// A domain with more points than `lanes` evaluates one by one.
    pub(super) fn of_thousands(draw: &mut Draw) -> Case {
        let lanes = draw.one(&[32, 48, 64]);
        Case::drawn(draw, [lanes, 150], &[""], &CONDITIONS[..6])
    }

    /// A domain with ranges and without conditions.
    pub(super) fn of_ranges(draw: &mut Draw) -> Case {
        let sizes = Case::few(draw);
        Case::drawn(draw, sizes, &[""], &[""])
    }

    /// A domain with more points than any question evaluates one by one.
    pub(super) fn of_many_points(_: &mut Draw) -> Case {
        Case::new("t=0..255, p=0..599, n=8..8", 256, 600, &[8])
    }

    /// The values of `n` that occur in some point.
    pub(super) fn sizes(&self) -> Vec<i64> {
        self.points.iter().map(|at| at[2]).collect::<BTreeSet<i64>>().into_iter().collect()
    }

    /// The values of an expression at all points.
    pub(super) fn values(&self, e: &Expr) -> Vec<i64> {
        let program = Values::of(std::slice::from_ref(e));
        self.points.iter().map(|&at| program.at(at)[0]).collect()
    }
}

/// Expressions that are compiled for the evaluation at points.
pub(super) struct Values(Program);

impl Values {
    pub(super) fn of(exprs: &[Expr]) -> Values {
        Values(Program::new(exprs, &NAMES).expect("known variables"))
    }

    pub(super) fn at(&self, at: Point) -> Vec<i64> {
        let value = |value: Result<i128, _>| i64::try_from(value.expect("a value")).expect("a small one");
        self.0.eval(&at.map(i128::from)).into_iter().map(value).collect()
    }
}
