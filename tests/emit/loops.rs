//! Random kernels whose loops have symbolic ends, and so may not run. Answers and texts are compared with the written
//! accesses, in the order in which the accesses happen. `QUAFF_KERNELS=10000 cargo test --test emit loops::` tries
//! 10,000 kernels.

use crate::host::{Case, Printed, Random, Target, run};
use quaff::Simplifier;
use quaff::access::{Access, Gate, SimplifiedAccesses};
use quaff::domain::Domain;
use quaff::emit::Output;
use quaff::expr::{Expr, var};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The number of kernels, unless `QUAFF_KERNELS` sets another number.
const KERNELS: usize = 150;
/// The seed of the first kernel.
const SEED: u64 = 0x1f3a_77c1;

/// A C++ class that replaces buffers. It combines all reads, in their order, into one number.
const BUFFERS: &str = "
struct Seen {
  unsigned long long *trace; long long number, by;
  long long operator[](long long at) const {
    *trace = *trace * 1000003ull + (unsigned long long)((at + by) * 64 + number);
    return at;
  }
  Seen operator+(long long k) const { return Seen{trace, number, by + k}; }
  Seen operator-(long long k) const { return Seen{trace, number, by - k}; }
};
";

struct Kernel {
    domain: Domain,
    accesses: Vec<Access>,
    nests: Vec<Vec<Arc<str>>>,
    /// For each loop, the lower end, which is a number, and the upper end.
    loops: BTreeMap<Arc<str>, (i64, Expr)>,
}

/// The sizes of all kernels, with their ends.
const SIZES: [(&str, i64, i64); 2] = [("n", -2, 6), ("m", 0, 5)];
const THREADS: i64 = 8;

fn kernel(random: &mut Random) -> Kernel {
    let mut domain = Domain::new().with("t", 0..THREADS);
    for (name, lo, hi) in SIZES {
        domain = domain.with(name, lo..=hi);
    }
    let names = ["q", "k", "r"];
    let depth = 1 + random.below(3) as usize;
    let mut loops = BTreeMap::new();
    for (i, name) in names[..depth].iter().enumerate() {
        let before = if i == 0 { "m" } else { names[i - 1] };
        let end = match random.below(9) {
            0 => "n - 1".into(),
            1 => "m - 1".into(),
            2 => before.into(),
            3 => format!("{before} - 1"),
            4 => "min(n, 3)".into(),
            5 => "(n + 3)//4".into(),
            6 => format!("n - {before} - 1"),
            7 => "n*m - 1".into(),
            _ => random.within(0, 3).to_string(),
        };
        let (lower, upper): (i64, Expr) = (random.within(0, 2), end.parse().expect("an end"));
        let lower = upper.as_const().map_or(lower, |end| lower.min(end));
        domain = domain.with(*name, (lower, upper.clone())).loop_nest(names[..=i].to_vec());
        loops.insert(Arc::from(*name), (lower, upper));
    }
    let (mut accesses, mut nests) = (Vec::new(), Vec::new());
    for i in 0..1 + random.below(4) {
        let inside = random.below(depth as u64 + 1) as usize;
        let scope: Vec<&str> = names[..inside].iter().copied().chain(["t", "n", "m"]).collect();
        let name = |random: &mut Random| *random.pick(&scope);
        let (a, b, c) = (name(random), name(random), name(random));
        let (x, y) = (random.within(1, 9), random.within(2, 7));
        let index = match random.below(9) {
            0 => format!("{a}*{x} + {b}"),
            1 => format!("t//max({a}, 1)*{x} + {b}"),
            2 => format!("({a}*{x} + {b})//{y}*{c} + ({a}*{x} + {b})%{y}"),
            3 => format!("where({a} > {b}, {a} - {b}, {c}*{x})"),
            4 => format!("(t + {a})%{y}*{x} + {b}"),
            5 => format!("t//n*{x} + {a}"),
            6 => format!("{a}*n + {b} + t%m"),
            7 => format!("max({a}, {b})*{x} + min({b}, {c}//{y})"),
            _ => format!("{a}*m + {b}*{x} - {c}"),
        };
        let gate = match random.below(7) {
            0 => Some("n > 0".into()),
            1 => Some(format!("{a} < {b}")),
            2 => Some(format!("{a} + {c} < n*{y}")),
            3 => Some(format!("m >= 1 and {a} >= {b}")),
            _ => None,
        };
        let mut access = Access::load(format!("v{i}"), format!("in{i}"), index.parse().expect("an index"));
        if let Some(gate) = gate {
            access = access.when(gate.parse().expect("a gate"));
        }
        accesses.push(access.element("long long"));
        nests.push(names[..inside].iter().map(|n| Arc::from(*n)).collect());
    }
    Kernel { domain, accesses, nests, loops }
}

/// The values of variables.
type Point = BTreeMap<Arc<str>, i64>;

/// An access that happens: its number and the values of the variables.
type Event = (usize, Point);

impl Kernel {
    /// Appends the events of the accesses with numbers in `of`. The loops outside of `depth` already have values in
    /// `at`.
    fn events(&self, of: std::ops::Range<usize>, depth: usize, at: &Point, out: &mut Vec<Event>) {
        let mut i = of.start;
        while i < of.end {
            let Some(name) = self.nests[i].get(depth) else {
                out.push((i, at.clone()));
                i += 1;
                continue;
            };
            let end = (i..of.end).find(|&j| self.nests[j].get(depth) != Some(name)).unwrap_or(of.end);
            let (lower, upper) = &self.loops[name];
            for value in *lower..=value(upper, at).expect("an end") {
                let mut at = at.clone();
                at.insert(name.clone(), value);
                self.events(i..end, depth + 1, &at, out);
            }
            i = end;
        }
    }

    /// The points of sizes and threads, each with the accesses that happen at the point.
    fn runs(&self) -> Vec<(Point, Vec<Event>)> {
        let mut runs = Vec::new();
        for n in SIZES[0].1..=SIZES[0].2 {
            for m in SIZES[1].1..=SIZES[1].2 {
                for t in [0, 3, THREADS - 1] {
                    let at: Point = [("n", n), ("m", m), ("t", t)].map(|(name, value)| (name.into(), value)).into();
                    let mut events = Vec::new();
                    self.events(0..self.accesses.len(), 0, &at, &mut events);
                    runs.push((at, events));
                }
            }
        }
        runs
    }
}

fn value(e: &Expr, at: &Point) -> Option<i64> {
    e.eval(|name| at.get(name).copied()).ok().and_then(|v| i64::try_from(v).ok())
}

/// The address of an access. `None` if its gate is false.
fn address(access: &Access, at: &Point) -> Option<i64> {
    let is_open = match access.gate() {
        Gate::Always => true,
        Gate::Never => false,
        Gate::When(gate) => value(gate, at).expect("a gate") != 0,
    };
    is_open.then(|| value(access.index(), at).expect("an index"))
}

fn count() -> usize {
    std::env::var("QUAFF_KERNELS").ok().and_then(|n| n.parse().ok()).unwrap_or(KERNELS)
}

/// The kernels that have an answer.
fn answered() -> Vec<(usize, Kernel, SimplifiedAccesses)> {
    let mut out = Vec::new();
    for i in 0..count() {
        let mut random = Random(SEED + i as u64 * 0x9e37_79b9);
        let kernel = kernel(&mut random);
        // a kernel with a loop that never runs is refused
        if kernel.domain.resolve().is_err() {
            continue;
        }
        // a kernel with a divisor that may be 0 is refused, too
        if let Ok(answer) = Simplifier::default().simplify_accesses(&kernel.accesses, &kernel.domain) {
            out.push((i, kernel, answer));
        }
    }
    assert!(out.len() * 2 > count(), "most kernels are answered");
    out
}

#[test]
fn answers_have_the_addresses_of_the_loops_that_run() {
    let mut addresses = 0;
    for (i, kernel, answer) in answered() {
        for (at, events) in kernel.runs() {
            for (number, point) in events {
                let wanted = address(&kernel.accesses[number], &point);
                let found = address(&answer.accesses()[number], &point);
                let shown = || format!("kernel {i}: {} at {at:?}\n{:#?}", kernel.domain, kernel.accesses);
                assert_eq!(found, wanted, "{}\nbecame {:?} at {point:?}", shown(), answer.accesses()[number]);
                addresses += 1;
            }
        }
    }
    assert!(addresses > 1000);
}

#[test]
fn texts_have_the_addresses_of_the_loops_that_run() {
    let mut texts = Vec::new();
    for (i, kernel, answer) in answered() {
        let nested = Simplifier::default().in_loops(&answer, &kernel.nests, &kernel.domain);
        let nested = nested.unwrap_or_else(|e| panic!("kernel {i}: {e}\n{}\n{:#?}", kernel.domain, kernel.accesses));
        let mut text = nested.c().unwrap_or_else(|e| panic!("kernel {i}: {e}"));
        text.results = vec![Output { text: "trace".into(), ty: "unsigned long long" }];
        let buffers = (0..kernel.accesses.len()).map(|b| format!("  const Seen in{b}{{&trace, {b}, 0}};\n"));
        let before = ["  unsigned long long trace = 0;\n".to_string()].into_iter().chain(buffers).collect();
        let domain = kernel.domain.clone().with("wanted", ..);
        let vars = domain.resolve().expect("consistent");
        let points = kernel.runs().into_iter().map(|(at, events)| {
            let mut trace = 0u64;
            for (number, point) in events {
                if let Some(index) = address(&kernel.accesses[number], &point) {
                    trace = trace.wrapping_mul(1_000_003).wrapping_add((index * 64 + number as i64) as u64);
                }
            }
            let value = |name: &str| at.get(name).copied().unwrap_or(if name == "wanted" { trace as i64 } else { 0 });
            domain.vars().map(value).collect()
        });
        let (meaning, points) = (vec![var("wanted")], Some(points.collect()));
        let case = Case { id: format!("kernel {i}"), vars, roots: Vec::new(), lowered: None, meaning };
        texts.push(Printed { case, text, before, points });
    }
    let files = texts.len().div_ceil(500).max(2);
    let Some(summary) = run(Target::Cuda, "loops", "undefined", BUFFERS, &texts, files, 0) else { return };
    assert_eq!(summary.compared, texts.len());
    println!("{} kernels compared in {} runs", summary.compared, summary.values);
}
