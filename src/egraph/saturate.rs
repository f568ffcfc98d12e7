//! The saturation loop: rules on what changed, until nothing does or a limit is reached.

use super::graph::EClasses;
use super::lin::Lin;
use super::matcher::{Matcher, Next};
use super::node::{Head, Node};
use crate::rules::RuleSet;
use egg::{Id, Language};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Bounds on the work for one call. They count e-nodes and rounds, never time, so that results do not depend on the
/// machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rounds over all changed classes.
    pub rounds: u32,
    /// E-nodes beyond those of the input.
    pub nodes: usize,
    /// E-classes looked at, all rounds together: what bounds the time for an input of any size.
    pub visits: usize,
}

impl Default for Limits {
    /// Nearly all real kernels saturate within them; beyond, cost falls by less than 0.1 % at several times the time.
    fn default() -> Limits {
        Limits { rounds: 8, nodes: 300, visits: 20_000 }
    }
}

/// Why saturation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// No rule has anything left to say.
    Saturated,
    /// [`Limits::rounds`].
    RoundLimit,
    /// [`Limits::nodes`].
    NodeLimit,
    /// [`Limits::visits`].
    VisitLimit,
}

impl StopReason {
    /// `"saturated"`, `"round limit"`, `"node limit"` or `"visit limit"`.
    pub fn as_str(self) -> &'static str {
        match self {
            StopReason::Saturated => "saturated",
            StopReason::RoundLimit => "round limit",
            StopReason::NodeLimit => "node limit",
            StopReason::VisitLimit => "visit limit",
        }
    }
}

/// A rule that fired: `from` was found equal to `to`.
#[derive(Clone, Debug)]
pub(crate) struct Firing {
    pub(crate) rule: usize,
    pub(crate) from: Before,
    pub(crate) to: Lin,
}

/// What a rule matched.
#[derive(Clone, Debug)]
pub(crate) enum Before {
    Node(Node),
    Sum(Rc<Lin>),
}

pub(crate) struct Outcome {
    pub(crate) stop: StopReason,
    pub(crate) rounds: u32,
}

pub(crate) struct Saturation<'a> {
    pub(crate) e: &'a mut EClasses,
    pub(crate) rules: &'a RuleSet,
    pub(crate) limits: Limits,
    /// Collects what fired when asked to.
    pub(crate) trace: Option<&'a mut Vec<Firing>>,
    matcher: Matcher,
    /// Hashes of the nodes looked at, together with their operands' versions then.
    seen: FxHashSet<u64>,
    /// Spellings the sum rules have been run on.
    spelled: FxHashSet<(Id, Rc<Lin>)>,
}

impl<'a> Saturation<'a> {
    pub(crate) fn new(
        e: &'a mut EClasses,
        rules: &'a RuleSet,
        limits: Limits,
        trace: Option<&'a mut Vec<Firing>>,
    ) -> Saturation<'a> {
        Saturation {
            e,
            rules,
            limits,
            trace,
            matcher: Matcher::new(rules.slots()),
            seen: FxHashSet::default(),
            spelled: FxHashSet::default(),
        }
    }

    pub(crate) fn run(mut self) -> Outcome {
        let most = self.e.graph.nodes().len() + self.limits.nodes;
        let (mut rounds, mut visits) = (0, 0);
        let stop = loop {
            self.e.rebuild();
            let batch = self.batch();
            if batch.is_empty() {
                break StopReason::Saturated;
            }
            if rounds == self.limits.rounds {
                break StopReason::RoundLimit;
            }
            rounds += 1;
            let mut reached = None;
            for id in batch {
                if visits == self.limits.visits {
                    reached = Some(StopReason::VisitLimit);
                    break;
                }
                visits += 1;
                self.visit(id);
                if self.e.graph.nodes().len() > most {
                    reached = Some(StopReason::NodeLimit);
                    break;
                }
            }
            if let Some(limit) = reached {
                break limit;
            }
        };
        self.e.rebuild();
        Outcome { stop, rounds }
    }

    /// Changed classes and the classes of their users, oldest first.
    fn batch(&mut self) -> Vec<Id> {
        let e = &mut self.e.graph;
        let dirty = std::mem::take(&mut e.analysis.dirty);
        let mut batch: Vec<Id> = dirty.into_iter().map(|id| e.find(id)).collect();
        batch.sort_unstable();
        batch.dedup();
        let changed = batch.len();
        for i in 0..changed {
            let users: Vec<Id> = e[batch[i]].parents().collect();
            batch.extend(users.into_iter().map(|p| e.find(p)));
        }
        batch.sort_unstable();
        batch.dedup();
        batch
    }

    fn visit(&mut self, id: Id) {
        let id = self.e.graph.find(id);
        self.e.refresh_forms(id);
        // the class may grow meanwhile: what is added then is new, and looked at in the next round
        for i in 0..self.e.nodes(id).len() {
            if self.is_constant(id) {
                return;
            }
            let id = self.e.graph.find(id);
            let Some(node) = self.e.nodes(id).get(i) else { break };
            let mut hasher = FxHasher::default();
            node.hash(&mut hasher);
            for &c in node.children() {
                let c = self.e.graph.find(c);
                (c, self.e.facts(c).version).hash(&mut hasher);
            }
            if !self.seen.insert(hasher.finish()) {
                continue;
            }
            let node = node.clone();
            if let Some(other) = self.e.renormalise(&node)
                && self.e.graph.find(other) != self.e.graph.find(id)
            {
                self.e.union(id, other);
            }
            if node.head() != Head::Sum {
                self.apply(id, &node);
            }
        }
        self.respell(id);
    }

    /// Whether the class has one value; its constant is added if need be, and nothing else needs to be found.
    fn is_constant(&mut self, id: Id) -> bool {
        let id = self.e.graph.find(id);
        let Some(c) = self.e.facts(id).constant() else { return false };
        if !self.e.nodes(id).contains(&Node::Const(c)) {
            let k = self.e.graph.add(Node::Const(c));
            self.e.union(id, k);
        }
        true
    }

    fn apply(&mut self, id: Id, node: &Node) {
        let rules = self.rules;
        let trace = &mut self.trace;
        self.matcher.run(self.e, rules.tree(node.head()), id, node, |e, r, lin| {
            let class = e.graph.find(id);
            if e.equate(class, &lin) {
                record(trace, r, || Before::Node(node.clone()), &lin);
            }
            // a constant, or a result that says all there is to say
            let class = e.graph.find(id);
            if rules.rules()[r as usize].done || e.facts(class).constant().is_some() {
                return Next::Stop;
            }
            Next::More
        });
    }

    /// Runs the rules about sums on every spelling of a class that is new. An improvement is taken at once and the
    /// search goes on from there, so that a sum of n digits needs n steps and not 2^n spellings.
    fn respell(&mut self, id: Id) {
        let tree = self.rules.tree(Head::Sum);
        if tree.is_empty() {
            return;
        }
        let id = self.e.graph.find(id);
        for spelling in self.e.spellings(id) {
            let heads = spelling.terms().iter().fold(0, |h, &t| h | self.e.facts(t).heads);
            if spelling.len() < 2
                || heads & self.rules.term_heads() == 0
                || !self.spelled.insert((id, spelling.clone()))
            {
                continue;
            }
            let mut best = spelling;
            let mut rank = self.e.rank(&best);
            let mut improved = false;
            // as many improvements as there are terms, no more: each takes one term's spelling to another
            for _ in 0..best.len() + 1 {
                let mut better = None;
                let (trace, from) = (&mut self.trace, best.clone());
                self.matcher.run_sum(self.e, tree, id, &from, |e, r, lin| {
                    let Some(lin) = e.tidy(&lin) else { return Next::More };
                    if lin == *from {
                        return Next::More;
                    }
                    let new = e.rank(&lin);
                    if new < rank {
                        record(trace, r, || Before::Sum(from.clone()), &lin);
                        better = Some((new, lin));
                        return Next::Stop;
                    }
                    if e.equate(id, &lin) {
                        record(trace, r, || Before::Sum(from.clone()), &lin);
                    }
                    Next::More
                });
                match better {
                    Some((new, lin)) => {
                        (rank, best, improved) = (new, Rc::new(lin), true);
                    }
                    None => break,
                }
            }
            if improved {
                let id = self.e.graph.find(id);
                self.e.equate(id, &best);
                self.spelled.insert((id, best));
            }
        }
    }
}

fn record(trace: &mut Option<&mut Vec<Firing>>, rule: u16, from: impl FnOnce() -> Before, to: &Lin) {
    if let Some(t) = trace {
        t.push(Firing { rule: rule as usize, from: from(), to: to.clone() });
    }
}
