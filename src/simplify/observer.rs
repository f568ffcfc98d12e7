//! The interface to count what the rules do in a call; `report` has the one that does.

use crate::egraph::saturate::profile::Profile;
use crate::egraph::trace::firing::Firing;

/// Receives what the rules did in every e-graph of a call, after each time that they were run.
pub(crate) trait Observer: Send + Sync {
    /// The rules have been run: what `fired` since the last time on this e-graph, and the time that each rule took.
    fn rules_were_run(&self, fired: &[Firing], profile: &Profile);
}
