//! The kinds of searches that a call makes, and the share of the limits that each kind gets.

use super::error::SimplifyError;
use super::settings::Settings;
use crate::egraph::Limits;
use crate::egraph::normal::budget::Budget;
use crate::expr::{Dag, Expr, Op};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// The limits of a call grow with its number of expressions, up to this number of expressions.
const MAX_ROOTS: usize = 16;

/// The part of a call that a search simplifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// The whole input, which has no selections.
    Whole,
    /// The whole input. If a limit ends the search, the branches of selections get searches of their own.
    WholeWithBranches,
    /// The whole input after parts were simplified under conditions. The rules have already run on these parts.
    WholeAgain,
    /// A branch of a selection under its condition.
    Branch,
    /// A clause of a conjunction or disjunction under the other clauses. A clause is smaller than a branch, and a
    /// junction has several clauses.
    Clause,
}

impl Share {
    /// The kind of the first search of the roots of `dag`.
    pub(crate) fn first(dag: &Dag) -> Share {
        let branches = dag.nodes().iter().any(|n| n.op == Op::Select);
        if branches { Share::WholeWithBranches } else { Share::Whole }
    }

    /// The share of a call's `limits` for this kind of search. The shares were chosen by measurements over all corpora.
    fn share(self, limits: Limits) -> Limits {
        let Limits { rounds, nodes, visits, work, passes } = limits;
        match self {
            Share::Whole => limits,
            Share::WholeWithBranches => Limits { nodes: nodes.div_ceil(5).saturating_mul(2), ..limits },
            Share::WholeAgain => Limits { rounds: rounds.min(2), nodes: nodes.div_ceil(5).saturating_mul(4), ..limits },
            Share::Branch => Limits { nodes: nodes.div_ceil(2), work: work.div_ceil(16), ..limits },
            Share::Clause => Limits {
                rounds: rounds.div_ceil(2),
                nodes: nodes.div_ceil(4),
                visits: visits.div_ceil(2),
                work: work.div_ceil(16),
                passes,
            },
        }
    }
}

/// The settings with higher limits for a call with several expressions, because each expression adds operations. The
/// limits are multiplied by the number of different expressions among `exprs`, up to [`MAX_ROOTS`]. If the settings
/// have no budget for proofs, a new call begins. Its proofs get a budget that follows from the new limits.
pub(super) fn for_roots<'s>(settings: &'s Settings, exprs: &[Expr]) -> Cow<'s, Settings> {
    let roots = if exprs.len() < 2 {
        1
    } else {
        let different: FxHashSet<&Expr> = exprs.iter().filter(|e| e.op().arity() > 0).collect();
        different.len().clamp(1, MAX_ROOTS)
    };
    if roots == 1 && settings.budget.is_some() {
        return Cow::Borrowed(settings);
    }
    let Limits { rounds, nodes, visits, work, passes } = settings.limits;
    let limits = Limits {
        rounds,
        nodes: nodes.saturating_mul(roots),
        visits: visits.saturating_mul(roots),
        work: work.saturating_mul(roots as u64),
        passes,
    };
    let budget = settings.budget.clone().unwrap_or_else(|| Budget::new(limits.work));
    Cow::Owned(settings.clone().with_limits(limits).with_budget(budget))
}

/// The best of several results of `call`: one with the limits of each lower [effort](Limits::effort) from 1 on, and one
/// with the given limits. `choose` gets two results, the earlier one first, and returns the better one. A call that
/// is part of another call runs only with the given limits.
///
/// # Errors
/// The errors of `call`.
pub(crate) fn with_efforts_below<T>(
    settings: &Settings,
    call: impl Fn(&Settings) -> Result<T, SimplifyError>,
    choose: impl Fn(T, T) -> T,
) -> Result<T, SimplifyError> {
    let mut best = None;
    if settings.budget.is_none() {
        for limits in settings.limits.efforts_below() {
            let found = call(&settings.clone().with_limits(limits))?;
            best = Some(match best {
                Some(best) => choose(best, found),
                None => found,
            });
        }
    }
    let found = call(settings)?;
    Ok(match best {
        Some(best) => choose(best, found),
        None => found,
    })
}

/// The settings for one call with several searches of parts of `exprs`.
pub(crate) fn for_call(settings: &Settings, exprs: &[Expr]) -> Settings {
    for_roots(settings, exprs).into_owned().with_limits(settings.limits)
}

/// The settings with the share of their limits for `task`.
pub(super) fn for_task(settings: &Settings, task: Share) -> Settings {
    settings.clone().with_limits(task.share(settings.limits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_within_the_limits() {
        use Share::*;
        for task in [Whole, WholeWithBranches, WholeAgain, Branch, Clause] {
            // with a limit of 0 rounds, no search gets a round
            assert_eq!(task.share(Limits { rounds: 0, ..Limits::default() }).rounds, 0, "{task:?}");
            let most =
                Limits { rounds: u32::MAX, nodes: usize::MAX, visits: usize::MAX, work: u64::MAX, passes: u32::MAX };
            for limits in [Limits::default(), most] {
                let share = task.share(limits);
                assert!(share.rounds <= limits.rounds && share.rounds > 0, "{task:?}");
                assert!(share.nodes <= limits.nodes && share.nodes > 0, "{task:?}");
                assert!(share.visits <= limits.visits && share.visits > 0, "{task:?}");
                assert!(share.work <= limits.work && share.work > 0, "{task:?}");
            }
        }
        let nodes = |task: Share| task.share(Limits { nodes: 150, ..Limits::default() }).nodes;
        assert_eq!([WholeWithBranches, Branch, Clause].map(nodes), [60, 75, 38]);
    }
}
