//! Emitted C against the evaluator: random expressions and the corpora, with undefined behaviour trapped.

mod host;

use host::{Case, Random, check, corpus, corpus_files};
use quaff::domain::Domain;
use quaff::expr::{Expr, int, select, var};

/// Ranges of different kinds: small, signed, near the ends of the machine types.
const RANGES: [(i64, i64); 14] = [
    (0, 7),
    (0, 1023),
    (-5, 5),
    (-1000, 999),
    (0, 1_000_000),
    (-123_456, 7_890_123),
    (0, i32::MAX as i64),
    (i32::MIN as i64, i32::MAX as i64),
    (i32::MAX as i64 - 100, i32::MAX as i64 + 100),
    (0, u32::MAX as i64),
    (1, 65_535),
    (-9, -2),
    (-(1 << 40), 1 << 40),
    (3, 12),
];
const CONSTANTS: [i64; 24] =
    [1, 2, 3, 4, 5, 7, 8, 12, 24, 31, 32, 60, 64, 100, 128, 641, 1000, 1024, 4097, 65_536, 1_000_003, -1, -3, 6];

fn constant(random: &mut Random) -> Expr {
    let c = *random.pick(&CONSTANTS);
    int(if random.below(12) == 0 { -c } else { c })
}

/// A random expression that reuses what was made before, so that values are shared.
fn expression(random: &mut Random, names: &[&str], steps: usize) -> Vec<Expr> {
    let mut pool: Vec<Expr> = names.iter().map(|n| var(*n)).collect();
    for _ in 0..steps {
        let recent = pool.len().saturating_sub(6);
        let a = &if random.below(3) == 0 { random.pick(&pool).clone() } else { random.pick(&pool[recent..]).clone() };
        let b = &if random.below(3) == 0 { constant(random) } else { random.pick(&pool).clone() };
        let c = &constant(random);
        let e = match random.below(30) {
            0..=3 => a + b,
            4..=5 => a - b,
            6..=8 => a * c,
            9 => a * b,
            10..=13 => a / c,
            14..=17 => a % c,
            18 => a / b,
            19 => a % b,
            20 => a.min(b),
            21 => a.max(b),
            22 => select(a.lt(b), a, c),
            23 => select(a.ge(0).and(a.lt(c)).and(b.le(5).not()), b, a + 1),
            24 => a & (*random.pick(&[1i64, 7, 255, 1023, -8, 0xFFFF_FFFF])),
            25 => (a | b) ^ c,
            26 => a / 8 * 8,
            27 => a >> (random.below(40) as i64),
            28 => -a,
            _ => a.equals(c).or(b) + (a << (random.below(5) as i64)),
        };
        pool.push(e);
    }
    let roots = 1 + random.below(3) as usize;
    pool.split_off(pool.len() - roots.min(steps))
}

fn random_cases(count: usize) -> Vec<Case> {
    let mut random = Random(42);
    (0..count)
        .map(|i| {
            let names = ["x", "y", "min", "t0"];
            let used = 1 + random.below(names.len() as u64) as usize;
            let mut domain = Domain::new();
            for name in &names[..used] {
                domain.add_bounds(*name, *random.pick(&RANGES));
            }
            if random.below(3) == 0 {
                domain = domain.launch_invariant(names[used - 1]);
            }
            let steps = 2 + random.below(8) as usize;
            let roots = expression(&mut random, &names[..used], steps);
            let vars = domain.resolve().expect("ranges");
            Case { id: format!("random/{i}"), vars, meaning: roots.clone(), roots }
        })
        .collect()
}

#[test]
fn random_expressions() {
    let cases = random_cases(2500);
    let Some(summary) = check("random", &cases, 4, 48) else { return };
    println!("{} compared at {} values, {} refused", summary.compared, summary.values, summary.refused.len());
    assert!(summary.compared * 2 > cases.len(), "most random expressions fit 64 bits");
    assert!(summary.values > summary.compared * 30, "most points have values");
}

/// Every divisor form, at the points where its range ends.
#[test]
fn divisions_by_constants_and_variables() {
    let mut cases = Vec::new();
    let divisors = [2i64, 3, 7, 28, 100, 641, 1 << 20, 1_000_003, 2_147_483_647, 4_294_967_295, 1 << 33, (3 << 33) + 9];
    for (i, range) in RANGES.iter().enumerate() {
        for d in divisors.iter().flat_map(|d| [*d, -d]) {
            let vars = Domain::new().with("x", *range).resolve().expect("a range");
            let (x, d) = (var("x"), int(d));
            for roots in [vec![&x / &d], vec![&x % &d], vec![&x / &d, &x % &d], vec![(&x * 65_539 + 11) % &d]] {
                cases.push(Case { id: format!("{i} {d}"), vars: vars.clone(), meaning: roots.clone(), roots });
            }
        }
        for (lo, hi) in [(1, 1000), (2, 1000), (1, i32::MAX as i64), (-50, -1), (5, 1 << 40)] {
            for fixed in [false, true] {
                let mut domain = Domain::new().with("x", *range).with("n", lo..=hi);
                if fixed {
                    domain = domain.launch_invariant("n");
                }
                let vars = domain.resolve().expect("ranges");
                let (x, n) = (var("x"), var("n"));
                for roots in [vec![&x / &n], vec![&x % &n], vec![&x / &n, &x % &n], vec![&x / (&n * 2)]] {
                    cases.push(Case {
                        id: format!("{i} {lo} {hi}"),
                        vars: vars.clone(),
                        meaning: roots.clone(),
                        roots,
                    });
                }
            }
        }
    }
    let Some(summary) = check("divisions", &cases, 2, 40) else { return };
    println!("{} compared at {} values, {} refused", summary.compared, summary.values, summary.refused.len());
    assert!(summary.refused.len() * 10 < cases.len(), "{:?}", &summary.refused[..10]);
}

/// The corpora, one case in `STRIDE`; all of them when `QUAFF_HOST_ALL` is set.
#[test]
fn corpora() {
    const STRIDE: usize = 4;
    let files = corpus_files();
    if files.is_empty() {
        println!("skipped: no corpus folder");
        return;
    }
    let stride = if std::env::var_os("QUAFF_HOST_ALL").is_some() { 1 } else { STRIDE };
    let cases: Vec<Case> = files.iter().flat_map(|f| corpus(f)).step_by(stride).collect();
    let Some(summary) = check("corpora", &cases, 4 * STRIDE.div_ceil(stride), 32) else { return };
    println!("{} compared at {} values, {} refused", summary.compared, summary.values, summary.refused.len());
    for (id, error) in summary.refused.iter().take(5) {
        println!("refused {id}: {error}");
    }
    assert!(summary.refused.len() * 50 < cases.len(), "{:?}", summary.refused);
}
