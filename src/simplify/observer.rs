//! The interface for counting the work of rules in a call. `report` implements it.

use crate::egraph::saturate::profile::Profile;
use crate::egraph::trace::firing::Firing;

/// Receives the firings and times of the rules in every e-graph of a call, after each run of the rules.
pub(crate) trait Observer: Send + Sync {
    /// Called after a run of the rules, with the rules that `fired` since the last call for this e-graph, and the time
    /// of each rule.
    fn rules_were_run(&self, fired: &[Firing], profile: &Profile);
}
