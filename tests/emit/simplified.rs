//! The text of simplified answers, compiled for this machine, compared with the values of the input.

use crate::host::{Case, Target, check, corpus, corpus_files, random_cases};
use quaff::domain::{Domain, VarFacts};
use quaff::{Simplifier, SimplifyError};
use std::path::Path;

/// The domain with these facts, including symbolic ends.
fn domain(vars: &[VarFacts]) -> Domain {
    vars.iter().fold(Domain::new(), |d, v| {
        let d = d.with(v.name.clone(), v.interval).stride(
            v.name.clone(),
            v.congruence.modulus().max(1),
            v.congruence.residue(),
        );
        let bounds = quaff::domain::Bounds::new(v.lower.clone(), v.upper.clone());
        d.with(v.name.clone(), bounds)
    })
}

/// The simplified cases, and the cases that the simplifier refuses.
fn simplified(cases: Vec<Case>) -> (Vec<Case>, Vec<(String, SimplifyError)>) {
    let simplifier = Simplifier::default();
    let mut refused = Vec::new();
    let answered = cases
        .into_iter()
        .filter_map(|case| {
            let out = match simplifier.simplify_all(&case.meaning, &domain(&case.vars)) {
                Ok(out) => out,
                Err(error) => {
                    refused.push((case.id, error));
                    return None;
                }
            };
            // if a value needs more than 64 bits, `check` reports this
            Some(Case { roots: out.exprs().to_vec(), lowered: out.lowered().ok(), ..case })
        })
        .collect();
    (answered, refused)
}

#[test]
#[ignore = "a campaign"]
fn random_expressions() {
    let (cases, refused) = simplified(random_cases(77, 1500));
    for target in [Target::C, Target::Cuda] {
        let Some(summary) = check(target, "simplified_random", &cases, 4, 40) else { return };
        println!("{} compared at {} values, {} refused", summary.compared, summary.values, refused.len());
        assert!(summary.compared * 2 > cases.len(), "most random expressions fit 64 bits");
    }
}

/// The corpora of this repository, and the corpora beside it if they exist. One in `STRIDE` cases is compiled, or all
/// cases if `QUAFF_HOST_ALL` is set.
#[test]
#[ignore = "a campaign"]
fn corpora() {
    const STRIDE: usize = 3;
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let names = ["tinygrad_kernels", "inductor_kernels", "hard", "quasi_affine", "views"];
    let files = names.map(|f| own.join(f).with_extension("jsonl"));
    let beside = corpus_files();
    if beside.is_empty() {
        println!("the corpora beside the repository are not there: only its own are compiled");
    }
    let beside = beside.into_iter().filter(|f| !own.join(f.file_name().unwrap_or_default()).exists());
    let stride = if std::env::var_os("QUAFF_HOST_ALL").is_some() { 1 } else { STRIDE };
    let (mut cases, refused) = simplified(files.iter().flat_map(|f| corpus(f)).step_by(stride).collect());
    assert!(refused.is_empty(), "{refused:?}");
    // only cases with a run-time size as a divisor are refused, if the range of the size contains 0
    let (others, refused) = simplified(beside.flat_map(|f| corpus(&f)).step_by(stride).collect());
    let run_time_size = |(id, error): &&(String, SimplifyError)| {
        id.starts_with("symbolic/") && matches!(error, SimplifyError::DivisorMayBeZero { .. })
    };
    assert!(refused.iter().all(|r| run_time_size(&r)), "{refused:?}");
    println!("{} cases with run-time sizes refused", refused.len());
    cases.extend(others);
    let Some(summary) = check(Target::C, "simplified_corpora", &cases, 4 * STRIDE.div_ceil(stride), 32) else { return };
    println!("{} compared at {} values, {} refused", summary.compared, summary.values, summary.refused.len());
    assert!(summary.refused.len() * 50 < cases.len(), "{:?}", summary.refused);
}
