//! Explanations: the steps lead from the input to the answer that `simplify` gives, and each step is right.

use crate::samples::{Case, load};
use quaff::quasi::Options;
use quaff::{Explained, Reason, Simplifier};

use std::path::Path;

/// Whether a step is about the whole expression. All other steps are about parts of it.
fn is_about_the_whole(step: &Explained) -> bool {
    matches!(step.reason, Reason::NormalForm | Reason::InPlace | Reason::Choice { .. })
}

/// The fault of the explanation for `case`, or `None`.
fn fault(case: &Case) -> Option<String> {
    let explanation =
        Simplifier::default().explain(&case.expr, &case.domain(), &Options::default()).expect("an answer");
    let given = Simplifier::default().simplify(&case.expr, &case.domain()).expect("an answer");
    let mut known = &case.expr;
    for step in explanation.steps().iter().filter(|step| is_about_the_whole(step)) {
        if step.before != *known {
            return Some(format!("{}: `{}` follows `{known}`", step.reason.name(), step.before));
        }
        known = &step.after;
    }
    if known != given.expr() {
        return Some(format!("the steps end with `{known}`, the answer is `{}`", given.expr()));
    }
    explanation.is_wrong().then(|| "a step is wrong".into())
}

#[test]
fn steps_lead_from_the_input_to_the_answer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut faults = Vec::new();
    for (corpus, every) in [("tinygrad_kernels", 37), ("inductor_kernels", 19), ("quasi_affine", 7), ("hard", 5)] {
        let cases = load(&folder.join(corpus).with_extension("jsonl"));
        for case in cases.iter().step_by(every) {
            faults.extend(fault(case).map(|fault| format!("{}: {fault}", case.id)));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// A trace costs none of the work that the limits allow, so the answer is the same with and without a trace. The masks
/// of gated reads are good cases, because they use up the limit on bounds.
#[test]
fn a_trace_changes_no_answer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let (plain, traced) = (Simplifier::default(), Simplifier::default().with_trace(true));
    let mut gated = 0;
    for (corpus, every) in [("tinygrad_kernels", 41), ("inductor_kernels", 23), ("views", 31), ("hard", 5)] {
        let cases = load(&folder.join(corpus).with_extension("jsonl"));
        for (at, case) in cases.iter().enumerate() {
            let is_gated = case.id.contains("reshape-gated");
            gated += usize::from(is_gated);
            if at % every == 0 || is_gated {
                let [plain, traced] =
                    [&plain, &traced].map(|s| s.simplify(&case.expr, &case.domain()).expect("an answer"));
                assert_eq!(plain.expr(), traced.expr(), "{}", case.id);
            }
        }
    }
    assert!(gated > 30, "{gated} gated reads");
}
