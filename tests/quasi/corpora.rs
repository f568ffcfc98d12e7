//! Measures the exact procedure on whole corpora of kernels: the share of decided pairs, and the times.
//!
//! `cargo test --profile dist --test quasi corpora:: -- --nocapture` prints the table. The folder is `$QUAFF_CORPUS`,
//! or the first `shared/corpus/generated` next to a folder above this crate. Without such a folder, the test prints
//! this and passes.

use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::quasi::{Method, Options, Verdict, decide, enumerate};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn corpus() -> Option<PathBuf> {
    let below = |p: &Path| p.join("shared/corpus/generated");
    let above = || Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(below).find(|p| p.is_dir());
    std::env::var_os("QUAFF_CORPUS").map(PathBuf::from).or_else(above)
}

struct Pair {
    id: String,
    domain: Domain,
    a: Expr,
    b: Expr,
    /// The first variable and its last value.
    last: Option<(String, i64)>,
}

fn pairs(path: &Path) -> Vec<Pair> {
    let mut all = Vec::new();
    for line in std::fs::read_to_string(path).expect("a corpus").lines() {
        let v: Value = serde_json::from_str(line).expect("json");
        let (Some(vars), Some(text)) = (v["vars"].as_object(), v["expr"].as_str()) else { continue };
        let mut domain = Domain::new();
        for (name, range) in vars {
            domain.add_bounds(name.as_str(), range[0].as_i64().expect("a bound")..=range[1].as_i64().expect("a bound"));
        }
        let id = v["id"].as_str().expect("an id");
        for field in ["expected", "best", "out"] {
            if let Some(other) = v[field].as_str() {
                all.push(Pair {
                    id: format!("{id} {field}"),
                    domain: domain.clone(),
                    a: text.parse().expect(text),
                    b: other.parse().expect(other),
                    last: vars.iter().next().map(|(name, range)| (name.clone(), range[1].as_i64().expect("a bound"))),
                });
            }
        }
    }
    all
}

#[test]
fn answers_of_the_kernel_corpora_are_decided() {
    let Some(folder) = corpus() else {
        println!("skipped: no corpus");
        return;
    };
    let options = Options { smt_timeout: Duration::ZERO, ..Options::default() };
    println!(
        "{:<22} {:>5} {:>6} {:>7} {:>9} {:>9} {:>8} {:>8} {:>12} {:>9}",
        "corpus", "pairs", "exact", "share", "median us", "p99 us", "max ms", "total ms", "points", "plain ms"
    );
    let names = ["tinygrad_kernels", "inductor_kernels", "tinygrad_headroom", "views", "dims_corpus", "hard"];
    for name in names {
        let path = folder.join(format!("{name}.jsonl"));
        if !path.is_file() {
            println!("{name}: not there");
            continue;
        }
        let (mut times, mut exact, mut points, mut differ) = (Vec::new(), 0, 0, 0);
        let (mut plain_time, mut same_time, mut compared) = (Duration::ZERO, Duration::ZERO, 0);
        let mut slowest = (Duration::ZERO, String::new());
        for pair in pairs(&path) {
            let start = Instant::now();
            let decision = decide(&pair.a, &pair.b, &pair.domain, &options);
            let time = start.elapsed();
            times.push(time);
            if time > slowest.0 {
                slowest = (time, pair.id.clone());
            }
            points += decision.points;
            match &decision.verdict {
                Verdict::Equal => exact += usize::from(decision.method != Method::Solver),
                other => println!("{}: {other}\n    {}\n    {}", pair.id, pair.a, pair.b),
            }
            assert!(!matches!(decision.verdict, Verdict::Differs { .. }), "{}", pair.id);
            // the changed form is greater by one where the first variable has its last value, which is a single slice
            // of the box
            if let Some((name, last)) = &pair.last {
                let other = &pair.b + quaff::expr::var(name.as_str()).equals(*last);
                match decide(&pair.a, &other, &pair.domain, &options).verdict {
                    Verdict::Equal => panic!("{} is equal to {other}", pair.id),
                    Verdict::Differs { witness } => {
                        let at = |e: &Expr| e.eval(|name| witness.get(name)).ok();
                        assert_eq!(at(&pair.a), Some(witness.first()), "{}", pair.id);
                        assert_eq!(at(&other), witness.second().ok(), "{}", pair.id);
                        assert_ne!(Some(witness.first()), witness.second().ok(), "{}", pair.id);
                        differ += 1;
                    }
                    Verdict::Undecided { why } => println!("{} with a change: {why}", pair.id),
                }
            }
            // the result agrees with plain enumeration, unless enumeration takes too long for a test
            let small =
                Options { max_points: if cfg!(debug_assertions) { 1 << 12 } else { 1 << 20 }, ..options.clone() };
            let start = Instant::now();
            let plain = enumerate(&pair.a, &pair.b, &pair.domain, &small);
            if !matches!(plain.verdict, Verdict::Undecided { .. }) {
                plain_time += start.elapsed();
                same_time += time;
                compared += 1;
                assert_eq!(plain.verdict, Verdict::Equal, "{}", pair.id);
            }
        }
        times.sort_unstable();
        let micros = |t: Duration| t.as_secs_f64() * 1e6;
        let share = exact as f64 / times.len() as f64;
        println!(
            "{name:<22} {:>5} {exact:>6} {:>6.2}% {:>9.1} {:>9.1} {:>8.1} {:>8.1} {points:>12} {:>9.1}",
            times.len(),
            share * 100.0,
            micros(times[times.len().div_euclid(2)]),
            micros(times[(times.len() * 99).div_euclid(100)]),
            micros(slowest.0) / 1e3,
            micros(times.iter().sum()) / 1e3,
            micros(plain_time) / 1e3,
        );
        println!(
            "    on the {compared} that plain enumeration can do: {:.1} ms; {differ} changed ones differ; slowest: {}",
            micros(same_time) / 1e3,
            slowest.1
        );
        if name.ends_with("_kernels") {
            assert!(share >= 0.95, "{name}: {share}");
        }
    }
}
