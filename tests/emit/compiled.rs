//! Emitted C text, compared with the evaluator on random expressions and the corpora. Undefined behaviour is an error.

use crate::host::{Case, RANGES, Target, check, corpus, corpus_files, random_cases};
use crate::truncations::truncations;
use quaff::domain::Domain;
use quaff::expr::{int, var};

#[test]
#[ignore = "a campaign"]
fn random_expressions() {
    let cases = random_cases(42, 2500);
    let Some(summary) = check(Target::C, "random", &cases, 4, 48) else { return };
    println!("{} compared at {} values, {} refused", summary.compared, summary.values, summary.refused.len());
    assert!(summary.compared * 2 > cases.len(), "most random expressions fit 64 bits");
    assert!(summary.values > summary.compared * 30, "most points have values");
}

#[test]
fn random_expressions_as_cuda() {
    let cases = random_cases(43, 600);
    let Some(summary) = check(Target::Cuda, "cuda", &cases, 2, 24) else { return };
    assert!(summary.compared * 2 > cases.len(), "most random expressions fit 64 bits");
}

/// Every form of a division, at the ends of the ranges of this form.
#[test]
fn divisions_by_constants_and_variables() {
    let mut cases = Vec::new();
    let divisors = [2i64, 3, 7, 28, 100, 641, 1 << 20, 1_000_003, 2_147_483_647, 4_294_967_295, 1 << 33, (3 << 33) + 9];
    for (i, range) in RANGES.iter().enumerate() {
        for d in divisors.iter().flat_map(|d| [*d, -d]) {
            let vars = Domain::new().with("x", *range).resolve().expect("a range");
            let (x, d) = (var("x"), int(d));
            for roots in [vec![&x / &d], vec![&x % &d], vec![&x / &d, &x % &d], vec![(&x * 65_539 + 11) % &d]] {
                cases.push(Case {
                    id: format!("{i} {d}"),
                    vars: vars.clone(),
                    meaning: roots.clone(),
                    lowered: None,
                    roots,
                });
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
                        lowered: None,
                        roots,
                    });
                }
            }
        }
    }
    let Some(summary) = check(Target::C, "divisions", &cases, 2, 40) else { return };
    println!("{} compared at {} values, {} refused", summary.compared, summary.values, summary.refused.len());
    assert!(summary.refused.len() * 10 < cases.len(), "{:?}", &summary.refused[..10]);
}

/// Every form of a division that rounds towards zero.
#[test]
#[ignore = "a campaign"]
fn truncating_divisions() {
    let cases = truncations();
    let Some(summary) = check(Target::C, "truncations", &cases, 2, 40) else { return };
    println!("{} compared at {} values, {} refused", summary.compared, summary.values, summary.refused.len());
    assert!(summary.refused.is_empty(), "{:?}", &summary.refused[..1]);
    let some: Vec<Case> = cases.into_iter().step_by(3).collect();
    check(Target::Cuda, "truncations as cuda", &some, 2, 12);
}

/// One in `STRIDE` cases of the corpora, or all cases if `QUAFF_HOST_ALL` is set.
#[test]
#[ignore = "a campaign"]
fn corpora() {
    const STRIDE: usize = 4;
    let files = corpus_files();
    if files.is_empty() {
        println!("skipped: no corpus folder");
        return;
    }
    let stride = if std::env::var_os("QUAFF_HOST_ALL").is_some() { 1 } else { STRIDE };
    let cases: Vec<Case> = files.iter().flat_map(|f| corpus(f)).step_by(stride).collect();
    let Some(summary) = check(Target::C, "corpora", &cases, 4 * STRIDE.div_ceil(stride), 32) else { return };
    println!("{} compared at {} values, {} refused", summary.compared, summary.values, summary.refused.len());
    for (id, error) in summary.refused.iter().take(5) {
        println!("refused {id}: {error}");
    }
    assert!(summary.refused.len() * 50 < cases.len(), "{:?}", summary.refused);
}
