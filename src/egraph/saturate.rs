//! The saturation loop: rules on what changed, until nothing does or a limit is reached.

use super::facts::Facts;
use super::firing::{Before, Bound, BoundTo, Cause, Firing};
use super::graph::EClasses;
use super::judgement::Judgement;
use super::lin::Lin;
use super::matcher::{Matcher, Next};
use super::node::{CONDITIONS, Head, Node};
use super::profile::Profile;
use super::rebuild::Written;
use crate::rules::RuleSet;
use crate::rules::program::Tree;
use crate::rules::program::{AnySlot, Rule};
use crate::rules::set::SumRules;
use egg::{Id, Language};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// As many classes of [`CONDITIONS`] are judged when a limit ended the search, which may come before they were; a formula of more
/// takes long.
const MAX_LATE_CONDITIONS: usize = 6;

/// Bounds on the work of a search. They count e-nodes and rounds, never time, so that results do not depend on the
/// machine. A call may take several: parts under conditions have searches of their own, each with a share of the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rounds over all changed classes.
    pub rounds: u32,
    /// E-nodes beyond those of the input.
    pub nodes: usize,
    /// E-classes looked at, all rounds together.
    pub visits: usize,
    /// Instructions of rules, all rounds together: with `visits`, what bounds the time beyond that for reading the input.
    /// A part under conditions has a sixteenth of them.
    pub work: u64,
}

impl Default for Limits {
    /// Nearly nine in ten real kernels saturate within them; 250 e-nodes in place of 150 change the total cost of all by
    /// less than 0.1 %. None of them takes a tenth of the work, which is about a second.
    fn default() -> Limits {
        Limits { rounds: 5, nodes: 150, visits: 20_000, work: 2_000_000 }
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
    /// [`Limits::work`].
    WorkLimit,
    /// Normal forms would have repeated more terms than there may be: parts of the input were left as they are written.
    TermLimit,
}

impl StopReason {
    /// `"saturated"`, `"round limit"`, `"node limit"`, `"visit limit"`, `"work limit"` or `"term limit"`.
    pub fn as_str(self) -> &'static str {
        match self {
            StopReason::Saturated => "saturated",
            StopReason::RoundLimit => "round limit",
            StopReason::NodeLimit => "node limit",
            StopReason::VisitLimit => "visit limit",
            StopReason::WorkLimit => "work limit",
            StopReason::TermLimit => "term limit",
        }
    }
}

impl Firing {
    /// A rule that fired just now, on what `matcher` holds.
    pub(crate) fn of_rule(e: &EClasses, (at, rule): (u16, &Rule), matcher: &Matcher, from: Before, to: &Lin) -> Firing {
        let sum = |lin: &Lin| {
            let (interval, congruence) = e.facts_of(lin);
            BoundTo::Sum(lin.clone(), interval, congruence)
        };
        let bound = rule.told.iter().filter_map(|(name, slot)| {
            let value = match *slot {
                AnySlot::Int(i) => BoundTo::Number(matcher.ints[i as usize]),
                AnySlot::Class(c) => sum(&Lin::atom(e.graph.find(matcher.classes[c as usize]))),
                AnySlot::Sum(s) => sum(&matcher.sums[s as usize]),
                AnySlot::List(_) => return None,
            };
            Some(Bound { name: name.clone(), value })
        });
        Firing { cause: Cause::Rule(at.into(), bound.collect()), from, to: to.clone() }
    }
}

pub(crate) struct Outcome {
    pub(crate) stop: StopReason,
    pub(crate) rounds: u32,
}

pub(crate) struct Saturation<'a> {
    pub(crate) e: &'a mut EClasses,
    pub(crate) rules: &'a RuleSet,
    pub(crate) limits: Limits,
    /// What the search is for.
    roots: &'a [Id],
    /// Collects what fired when asked to.
    pub(crate) trace: Option<&'a mut Vec<Firing>>,
    matcher: &'a mut Matcher,
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
        roots: &'a [Id],
        matcher: &'a mut Matcher,
        trace: Option<&'a mut Vec<Firing>>,
    ) -> Saturation<'a> {
        Saturation {
            e,
            rules,
            limits,
            roots,
            trace,
            matcher,
            seen: FxHashSet::default(),
            spelled: FxHashSet::default(),
        }
    }

    /// What `run` does, and the matches and times of all rules.
    pub(crate) fn profiled<T>(mut self, run: impl FnOnce(&mut Self) -> T) -> (T, Profile) {
        let none = Profile::new(self.rules.rules().len());
        self.matcher.profile = Some(none.clone());
        let outcome = run(&mut self);
        (outcome, self.matcher.profile.take().unwrap_or(none))
    }

    /// Runs the late rules on what was `written`, once the others have been run; answers whether they found other spellings of
    /// sums. Of a class that was written as a sum they see that sum, of another one itself, and of both the sums with remainders.
    pub(crate) fn finish(&mut self, written: &[Written]) -> bool {
        let SumRules { tree, term_heads } = self.rules.late();
        let mut classes: Vec<(Id, Option<&Rc<Lin>>)> =
            written.iter().map(|w| (self.e.graph.find(w.class), w.sum.as_ref())).collect();
        classes.sort_by_key(|c| c.0);
        let mut news = false;
        for same in classes.chunk_by(|a, b| a.0 == b.0) {
            let id = same[0].0;
            let is_sum = same.iter().any(|c| c.1.is_some());
            let f = self.e.facts(id);
            if f.heads & term_heads == 0 && f.canon().is_none() && f.forms.is_empty() {
                // an atom that no rule is about
                continue;
            }
            for sum in self.e.spellings(id) {
                if self.is_out_of_work() {
                    break;
                }
                let heads = sum.terms().iter().fold(0, |h, &t| h | self.e.facts(t).heads);
                let written = if is_sum { same.iter().any(|c| c.1 == Some(&sum)) } else { sum.as_atom().is_some() };
                let seen = written || heads & (1 << Head::Mod as u32) != 0;
                if !seen || heads & term_heads == 0 {
                    continue;
                }
                let better = self.improved(tree, id, &sum, &mut |e, lin| {
                    let new = e.add_late_form(id, lin);
                    news |= new;
                    new
                });
                news |= better.is_some_and(|lin| self.e.add_late_form(id, &lin));
            }
        }
        self.e.rebuild();
        self.tell_decided();
        news
    }

    /// Runs the rules until they have nothing left to say, or a limit is met.
    pub(crate) fn run(&mut self) -> Outcome {
        let most = self.e.graph.nodes().len().saturating_add(self.limits.nodes);
        self.seen.reserve(56);
        self.spelled.reserve(28);
        let (mut rounds, mut visits) = (0, 0);
        let stop = loop {
            self.e.rebuild();
            let mut batch = self.batch();
            if batch.is_empty() {
                // conditions are looked at as a whole once their parts stand still
                self.judge_conditions();
                self.e.rebuild();
                batch = self.batch();
            }
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
                if self.is_out_of_work() {
                    reached = Some(StopReason::WorkLimit);
                    break;
                }
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
        // without a round nothing was searched for: the normal form alone was asked for
        if stop != StopReason::Saturated && rounds > 0 && self.conditions().len() <= MAX_LATE_CONDITIONS {
            self.judge_conditions();
            self.e.rebuild();
            self.choose_branches();
        }
        self.use_remainders();
        self.tell_decided();
        let stop = if stop == StopReason::Saturated && self.e.is_out_of_terms { StopReason::TermLimit } else { stop };
        Outcome { stop, rounds }
    }

    fn is_out_of_work(&self) -> bool {
        self.matcher.work >= self.limits.work
    }

    /// The classes of junctions and selections, in order.
    fn conditions(&self) -> Vec<Id> {
        let e = &self.e;
        let of = Head::bits(&CONDITIONS);
        if e.graph.analysis.heads & of == 0 {
            return Vec::new();
        }
        let open = |f: &Facts| f.heads & of != 0 && f.constant().is_none();
        let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).filter(|&id| open(e.facts(id))).collect();
        ids.sort_unstable();
        ids
    }

    /// Makes selections equal to a branch where their conditions were decided after they were last looked at.
    fn choose_branches(&mut self) {
        for id in self.conditions() {
            for i in 0..self.e.nodes(id).len() {
                let Some(node @ Node::Select([c, ..])) = self.e.nodes(id).get(i).cloned() else { continue };
                if self.e.facts(c).constant().is_some()
                    && let Some(branch) = self.e.renormalise(&node)
                {
                    self.record_judgement(node, branch);
                    self.e.union(id, branch);
                }
            }
        }
        self.e.rebuild();
    }

    /// Looks at the junctions and selections that changed since they were last looked at.
    fn judge_conditions(&mut self) {
        for id in self.conditions() {
            for i in 0..self.e.nodes(id).len() {
                let id = self.e.graph.find(id);
                let Some(node) = self.e.nodes(id).get(i).filter(|n| CONDITIONS.contains(&n.head())).cloned() else {
                    continue;
                };
                if !self.seen.insert(state(self.e, &node, 1)) {
                    continue;
                }
                if let Some(equal) = self.e.judged(id, &node) {
                    self.record_judgement(node, equal);
                    self.e.union(id, equal);
                }
            }
        }
    }

    fn record_judgement(&mut self, node: Node, equal: Id) {
        if let (Some(t), Some(judgement)) = (&mut self.trace, self.e.judgement()) {
            t.append(&mut self.e.take_decided());
            t.push(Firing { cause: Cause::Judged(judgement), from: Before::Node(node), to: Lin::atom(equal) });
        }
    }

    /// What rules applied at once have found since something was told last.
    fn tell_decided(&mut self) {
        if let Some(t) = &mut self.trace {
            t.append(&mut self.e.take_decided());
        }
    }

    /// Spells sums with remainders that are there anyway: `a*X + f*n*(X//n) == (a + f)*X - f*(X%n)`.
    ///
    /// It pays only where something else computes the remainder, which is known when all rules have been run.
    fn use_remainders(&mut self) {
        let e = &self.e;
        let with = |head: Head| e.graph.classes().map(|c| c.id).filter(move |&id| e.facts(id).has(head));
        if e.graph.analysis.heads & Head::bits(&[Head::Mod]) == 0 {
            return;
        }
        let mut sums: Vec<Id> = with(Head::Sum).collect();
        sums.sort_unstable();
        for id in sums {
            for spelling in self.e.spellings(id) {
                for (c, q) in spelling.iter() {
                    if let Some(lin) = self.e.with_remainder(&spelling, c, q)
                        && self.e.facts(id).forms.iter().all(|f| *f.lin != lin)
                        && self.e.add_form(id, lin.clone())
                        && let Some(t) = &mut self.trace
                    {
                        let cause = Cause::Judged(Judgement::SharedRemainder);
                        t.push(Firing { cause, from: Before::Sum(spelling.clone()), to: lin });
                    }
                }
            }
        }
    }

    /// Changed classes and the classes of their users, oldest first.
    fn batch(&mut self) -> Vec<Id> {
        let dirty = std::mem::take(&mut self.e.graph.analysis.dirty);
        if dirty.is_empty() {
            return dirty;
        }
        let graph = &self.e.graph;
        let mut batch: Vec<Id> = dirty.into_iter().map(|id| graph.find(id)).collect();
        batch.sort_unstable();
        batch.dedup();
        if batch.len() == graph.number_of_classes() {
            return batch;
        }
        for i in 0..batch.len() {
            let class = &graph[batch[i]];
            batch.extend(class.parents().map(|p| graph.find(p)));
        }
        batch.sort_unstable();
        batch.dedup();
        // what only resolved classes were made of is no longer looked at, nor what only conditions are made of: their
        // expressions have been simplified before
        let live = self.e.live(self.roots.iter().copied());
        batch.retain(|&id| live[usize::from(id)]);
        batch
    }

    fn visit(&mut self, id: Id) {
        let id = self.e.graph.find(id);
        if self.is_constant(id) || self.e.is_resolved(id) {
            return;
        }
        let f = self.e.facts(id);
        if f.heads == 1 << Head::Var as u32 && f.canon().is_none() && f.forms.is_empty() {
            // no rule is about a variable alone
            return;
        }
        self.e.refresh_forms(id);
        // the class may grow meanwhile: what is added then is new, and looked at in the next round
        for i in 0..self.e.nodes(id).len() {
            if self.is_constant(id) {
                return;
            }
            let id = self.e.graph.find(id);
            let Some(node) = self.e.nodes(id).get(i) else { break };
            if !self.seen.insert(state(self.e, node, 0)) {
                continue;
            }
            let node = node.clone();
            if let Some(other) = self.e.renormalise(&node)
                && self.e.graph.find(other) != self.e.graph.find(id)
            {
                self.record_judgement(node.clone(), other);
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
        self.matcher.run(self.e, rules.tree(node.head()), id, node, |e, m, r, lin| {
            let class = e.graph.find(id);
            let defined = std::mem::take(&mut e.defined);
            if (e.equate(class, &lin) || defined)
                && let Some(t) = trace
            {
                t.append(&mut e.take_decided());
                t.push(Firing::of_rule(e, (r, &rules.rules()[r as usize]), m, Before::Node(node.clone()), &lin));
            }
            // a constant, or a result that says all there is to say
            let class = e.graph.find(id);
            if rules.rules()[r as usize].done || e.facts(class).constant().is_some() {
                return Next::Stop;
            }
            Next::More
        });
    }

    /// Runs the rules about sums on every spelling of a class that is new.
    fn respell(&mut self, id: Id) {
        let id = self.e.graph.find(id);
        let operand = self.e.graph[id].parents().next().is_some();
        let SumRules { tree, term_heads } = self.rules.sums(operand);
        let f = self.e.facts(id);
        if tree.is_empty() || f.canon().is_none() && f.forms.is_empty() {
            // an atom is no sum
            return;
        }
        for spelling in self.e.spellings(id) {
            let heads = spelling.terms().iter().fold(0, |h, &t| h | self.e.facts(t).heads);
            let bare = spelling.constant == 0 && spelling.coeffs() == [1];
            if bare || heads & term_heads == 0 || !self.spelled.insert((id, spelling.clone())) {
                continue;
            }
            if self.e.defines_remainder(&spelling) {
                continue;
            }
            if let Some(better) = self.improved(tree, id, &spelling, &mut |e, lin| e.equate(id, lin)) {
                let id = self.e.graph.find(id);
                self.e.equate(id, &better);
                self.spelled.insert((id, better));
            }
        }
    }

    /// A cheaper spelling of the sum `id`. An improvement is taken at once and the search goes on from there, so that a sum
    /// of n digits needs n steps and not 2^n spellings; `other` hears of what is none, and says whether it is news.
    fn improved(
        &mut self,
        tree: &[Tree],
        id: Id,
        spelling: &Rc<Lin>,
        other: &mut dyn FnMut(&mut EClasses, &Lin) -> bool,
    ) -> Option<Rc<Lin>> {
        let mut best = spelling.clone();
        let mut rank = self.e.rank(&best);
        // as many improvements as there are terms, no more: each takes one term's spelling to another
        for _ in 0..spelling.len() + 1 {
            if self.is_out_of_work() {
                break;
            }
            let mut better = None;
            let (trace, from, rules) = (&mut self.trace, best.clone(), self.rules);
            self.matcher.run_sum(self.e, tree, id, &from, |e, m, r, lin| {
                let fired = |e: &EClasses, lin: &Lin| {
                    Firing::of_rule(e, (r, &rules.rules()[r as usize]), m, Before::Sum(from.clone()), lin)
                };
                let defined = std::mem::take(&mut e.defined);
                let Some(lin) = e.tidy(&lin) else { return Next::More };
                if *lin == *from && !defined {
                    return Next::More;
                }
                let new = e.rank(&lin);
                if new < rank {
                    if let Some(t) = trace {
                        t.append(&mut e.take_decided());
                        t.push(fired(e, &lin));
                    }
                    better = Some((new, lin.into_owned()));
                    return Next::Stop;
                }
                if (other(e, &lin) || defined)
                    && let Some(t) = trace
                {
                    t.append(&mut e.take_decided());
                    t.push(fired(e, &lin));
                }
                Next::More
            });
            let Some((new, lin)) = better else { break };
            (rank, best) = (new, Rc::new(lin));
        }
        (!Rc::ptr_eq(&best, spelling)).then_some(best)
    }
}

/// A hash of a node and the facts of its operands; `kind` tells uses of it apart.
fn state(e: &EClasses, node: &Node, kind: u8) -> u64 {
    let mut hasher = FxHasher::default();
    (kind, node).hash(&mut hasher);
    for &c in node.children() {
        let c = e.graph.find(c);
        (c, e.facts(c).version).hash(&mut hasher);
    }
    hasher.finish()
}
