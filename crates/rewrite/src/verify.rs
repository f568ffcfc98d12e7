//! Whether a rewritten kernel computes what it computed before: its text is read again, and each value is compared.

use crate::model::{Kernel, Role};
use crate::question::{Expand, Question};
use quaff::Simplifier;
use quaff::access::Gate;
use quaff::cost::Cost;
use quaff::quasi::{Options as Effort, Verdict, decide};
use std::ops::Range;

/// What comparing two readings of a kernel found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compared {
    /// Values that are equal for certain.
    pub(crate) proved: usize,
    /// Values that agree at all points that were tried.
    pub(crate) tried: usize,
    /// What the rewritten kernel costs.
    pub(crate) cost: Option<Cost>,
}

/// Compares the values of two readings of a kernel; those within `removed` are no part of the second one.
///
/// # Errors
/// The number of a value that differs; of all of them, if they are not the same values.
pub(crate) fn compared(
    before: &Kernel,
    after: &Kernel,
    removed: &[Range<usize>],
    simplifier: &Simplifier,
    effort: &Effort,
) -> Result<Compared, String> {
    let [old, new] = [before, after].map(|kernel| Question::new(kernel, Expand::All, simplifier));
    let [mut old_sites, new_sites] = [before, after].map(roots);
    let is_removed = |span: &Range<usize>| removed.iter().any(|r| r.start <= span.start && span.end <= r.end);
    old_sites.retain(|site| !is_removed(&before.sites[*site].span));
    if old_sites.len() != new_sites.len() {
        return Err(format!("it has {} values in the place of {}", new_sites.len(), old_sites.len()));
    }
    let mut found = Compared { proved: 0, tried: 0, cost: cost_of(after, &new, simplifier) };
    for (&a, &b) in old_sites.iter().zip(&new_sites) {
        let (one, other) = (old.accesses[a].index(), new.accesses[b].index());
        if one == other {
            found.proved += 1;
            continue;
        }
        let Some(inside) = old.inside(a) else { continue };
        let text = || format!("`{one}` has become `{other}`");
        match decide(one, other, &inside, effort).verdict {
            Verdict::Equal => found.proved += 1,
            Verdict::Differs { .. } => return Err(text()),
            Verdict::Undecided { .. } => match simplifier.facts(&inside).equal(one, other) {
                Ok(Some(true)) => found.proved += 1,
                Ok(Some(false)) => return Err(text()),
                _ => found.tried += 1,
            },
        }
    }
    Ok(found)
}

/// The sites whose values the kernel uses.
fn roots(kernel: &Kernel) -> Vec<usize> {
    let is_used = |site: &usize| match kernel.sites[*site].role {
        Role::Definition(number) => {
            let definition = &kernel.definitions[number];
            definition.is_used_elsewhere || !definition.is_constant
        }
        _ => true,
    };
    (0..kernel.sites.len()).filter(is_used).collect()
}

/// What a kernel costs as it is written.
pub(crate) fn cost(kernel: &Kernel, simplifier: &Simplifier) -> Option<Cost> {
    let question = Question::new(kernel, Expand::All, simplifier);
    cost_of(kernel, &question, simplifier)
}

fn cost_of(kernel: &Kernel, question: &Question, simplifier: &Simplifier) -> Option<Cost> {
    let happens = |site: &usize| *question.accesses[*site].gate() != Gate::Never;
    let sites = roots(kernel).into_iter().filter(happens);
    question.price(sites.map(|site| question.accesses[site].index()), simplifier)
}
