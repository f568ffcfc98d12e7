//! Checks that a rewritten kernel computes the same values as before. The new text is read, and each value is compared
//! with the old value.

use crate::model::{Kernel, Role};
use crate::question::{Expand, Question};
use crate::signed::is_promised;
use quaff::Simplifier;
use quaff::access::Gate;
use quaff::cost::Cost;
use quaff::domain::{Domain, Points};
use quaff::expr::{Expr, Program};
use quaff::quasi::{Options, Verdict, decide};
use std::ops::Range;

/// The result of comparing the old and the new text of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compared {
    /// The number of values that are proved to be equal.
    pub(crate) proved: usize,
    /// The number of values that agree at all tested points, but are not proved to be equal.
    pub(crate) tried: usize,
    /// The cost of the rewritten kernel.
    pub(crate) cost: Option<Cost>,
}

/// A difference between the old and the new text of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The site of the old kernel whose value differs. `None` if the two texts have different numbers of values.
    pub(crate) site: Option<usize>,
    /// A sentence about the difference.
    pub(crate) reason: String,
}

/// Compares the values of a kernel, given with its question, with the values of its new text. Values in the byte ranges
/// `removed` of the old text are skipped, because the new text does not contain them.
///
/// # Errors
/// A [`Difference`] for the first value that differs, or if the two texts have different numbers of values.
pub(crate) fn compared(
    (before, old): (&Kernel, &Question),
    after: &Kernel,
    removed: &[Range<usize>],
    simplifier: &Simplifier,
) -> Result<Compared, Difference> {
    let new = Question::new(after, Expand::All, simplifier);
    let [mut old_sites, new_sites] = [before, after].map(roots);
    let is_removed = |span: &Range<usize>| removed.iter().any(|r| r.start <= span.start && span.end <= r.end);
    old_sites.retain(|site| !is_removed(&before.sites[*site].span));
    if old_sites.len() != new_sites.len() {
        let reason = format!("it has {} values in the place of {}", new_sites.len(), old_sites.len());
        return Err(Difference { site: None, reason });
    }
    let mut found = Compared { proved: 0, tried: 0, cost: cost(after, &new, simplifier) };
    for (&a, &b) in old_sites.iter().zip(&new_sites) {
        let (one, other) = (old.accesses[a].index(), new.accesses[b].index());
        if one == other {
            found.proved += 1;
            continue;
        }
        let Some(inside) = old.inside(a) else { continue };
        let mut verdict = are_equal(one, other, &inside, simplifier);
        if verdict != Some(true) && is_promised(before, a) {
            // compare only at points where the old value does not overflow, because signed overflow is undefined
            // behaviour
            let inside = inside.assume(one.ge(i32::MIN)).assume(one.le(i32::MAX));
            verdict = are_equal(one, other, &inside, simplifier);
        }
        match verdict {
            Some(true) => found.proved += 1,
            Some(false) => {
                let reason = format!("`{one}` has become `{other}`");
                return Err(Difference { site: Some(a), reason });
            }
            None => found.tried += 1,
        }
    }
    Ok(found)
}

/// The number of points at which two values are compared.
const POINTS: usize = 64;
/// The seed for the choice of the points.
const SEED: u64 = 0x71a5_1aff;

/// Whether `a` and `b` are equal at all points of `inside`. `None` if they agree at all tested points, but are not
/// proved to be equal.
///
/// First both are evaluated at some points. Then the simplifier tries to prove that they are equal. A decision
/// procedure that uses no rewrite rules takes longer and comes last.
pub(crate) fn are_equal(a: &Expr, b: &Expr, inside: &Domain, simplifier: &Simplifier) -> Option<bool> {
    let names: Vec<&str> = inside.vars().collect();
    if let (Ok(program), Ok(points)) = (Program::new(&[a.clone(), b.clone()], &names), Points::new(inside, SEED)) {
        for point in points.take(POINTS) {
            let point: Vec<i128> = point.into_iter().map(i128::from).collect();
            // skip a point at which `a` has no value, because the kernel does not compute `a` there
            if let [Ok(a), b] = program.eval(&point)[..]
                && b != Ok(a)
            {
                return Some(false);
            }
        }
    }
    if let Ok(Some(equal)) = simplifier.facts(inside).equal(a, b) {
        return Some(equal);
    }
    match decide(a, b, inside, &Options::default()).verdict {
        Verdict::Equal => Some(true),
        Verdict::Differs { .. } => Some(false),
        Verdict::Undecided { .. } => None,
    }
}

/// The sites whose values are compared: all sites except definitions whose values their users contain.
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

/// The cost of a kernel as written. `whole` is the question with all definitions expanded.
pub(crate) fn cost(kernel: &Kernel, whole: &Question, simplifier: &Simplifier) -> Option<Cost> {
    let happens = |site: &usize| *whole.accesses[*site].gate() != Gate::Never;
    let sites = roots(kernel).into_iter().filter(happens);
    whole.price(sites.map(|site| whole.accesses[site].index()), simplifier)
}
