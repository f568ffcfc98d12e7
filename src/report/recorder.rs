//! Records the firings and the profile of all e-graphs of a call.

use crate::domain::Domain;
use crate::egraph::saturate::profile::Profile;
use crate::egraph::trace::firing::Firing;
use crate::expr::Expr;
use crate::simplify::{Observer, Settings, Simplified, SimplifyError, simplify_all};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An observer that records all e-graphs of a call.
#[derive(Debug, Default)]
struct Recorder(Mutex<Recorded>);

/// The records of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    /// The number of the rule of each firing, in the order of the firings.
    pub(crate) fired: Vec<usize>,
    /// The matches and the times. `None` until a rule is run.
    pub(crate) profile: Option<Profile>,
}

impl Observer for Recorder {
    fn rules_were_run(&self, fired: &[Firing], profile: &Profile) {
        let mut all = self.lock();
        all.fired.extend(fired.iter().filter_map(Firing::rule));
        match &mut all.profile {
            Some(sum) => sum.add(profile),
            none => *none = Some(profile.clone()),
        }
    }
}

impl Recorder {
    fn lock(&self) -> MutexGuard<'_, Recorded> {
        // a call that panicked leaves no incomplete record
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorded {
    /// The rules that fired, each once, in the order in which they first fired.
    pub(super) fn first_fired(&self) -> Vec<usize> {
        let mut first = Vec::new();
        for &rule in &self.fired {
            if !first.contains(&rule) {
                first.push(rule);
            }
        }
        first
    }
}

/// The answer, and the records of all e-graphs of the call.
pub(crate) fn record(
    settings: &Settings,
    exprs: &[Expr],
    domain: &Domain,
) -> Result<(Simplified, Recorded), SimplifyError> {
    let recorder = Arc::new(Recorder::default());
    let observed = settings.clone().with_observer(recorder.clone());
    let answer = simplify_all(&observed, exprs, domain)?;
    let recorded = recorder.lock().clone();
    Ok((answer, recorded))
}
