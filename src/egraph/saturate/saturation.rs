//! The saturation loop. It runs rules on changed classes until nothing changes or a limit is reached.

use crate::egraph::analysis::facts::Facts;
use crate::egraph::analysis::resolved::{is_resolved, live};
use crate::egraph::context::clauses::reduced_or_decided;
use crate::egraph::context::renormalise::{Renormalised, renormalise};
use crate::egraph::extract::rebuild::Written;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::spellings::spellings;
use crate::egraph::saturate::limits::{Limits, StopReason};
use crate::egraph::saturate::matcher::{Matcher, Next};
use crate::egraph::saturate::profile::{Profile, Round};
use crate::egraph::saturate::state::{state, state_of_spelling};
use crate::egraph::trace::builtin_step::BuiltinStep;
use crate::egraph::trace::firing::{Binding, BindingValue, Cause, Firing, Matched};
use crate::rules::RuleSet;
use crate::rules::operator::{CONDITIONS, Operator};
use crate::rules::program::{AnySlot, Rule, RuleTrie};
use crate::rules::set::SumRules;
use egg::Id;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// If a limit ends the search, junctions and selections may not have been reduced yet. They are reduced afterwards if
/// there are at most this many, because the reduction of more of them takes long.
const MAX_LATE_CONDITIONS: usize = 6;

impl Firing {
    /// The record of a rule that has just fired, with the bindings in `matcher`.
    pub(crate) fn of_rule(
        e: &EGraph,
        (at, rule): (u16, &Rule),
        matcher: &Matcher,
        from: Matched,
        to: &LinearForm,
    ) -> Firing {
        let bound = rule.explained_names.iter().filter_map(|(name, slot)| {
            let value = match *slot {
                AnySlot::Int(i) => BindingValue::Number(matcher.ints[i as usize]),
                AnySlot::Class(c) => e.bound_to(&LinearForm::atom(e.graph.find(matcher.classes[c as usize]))),
                AnySlot::Sum(s) => e.bound_to(&matcher.sums[s as usize]),
                AnySlot::List(_) => return None,
            };
            Some(Binding { name: name.clone(), value })
        });
        Firing { cause: Cause::Rule(at.into(), bound.collect()), from, to: to.clone() }
    }
}

pub(crate) struct Outcome {
    pub(crate) stop: StopReason,
    pub(crate) rounds: u32,
}

pub(crate) struct Saturation<'a> {
    pub(crate) e: &'a mut EGraph,
    pub(crate) rules: &'a RuleSet,
    pub(crate) limits: Limits,
    /// The classes of the requested answers.
    roots: &'a [Id],
    /// The firings, if a trace was requested.
    pub(crate) trace: Option<&'a mut Vec<Firing>>,
    pub(super) matcher: &'a mut Matcher,
    /// Hashes of the visited nodes and of the versions of their operands. If a hash is known, the node needs no new
    /// visit.
    seen: FxHashSet<u64>,
    /// Spellings on which the sum rules have run.
    spelled: FxHashSet<(Id, Rc<LinearForm>)>,
}

/// Which of several improvements of a sum is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// The first improvement that is found.
    First,
    /// The best of all improvements.
    Best,
}

impl<'a> Saturation<'a> {
    pub(crate) fn new(
        e: &'a mut EGraph,
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

    /// The result of `run`, and a profile with the matches and times of all rules and the sizes of the e-graph by
    /// round.
    pub(crate) fn profiled<T>(mut self, run: impl FnOnce(&mut Self) -> T) -> (T, Profile) {
        let none = Profile::new(self.rules.rules().len());
        self.matcher.profile = Some(none.clone());
        let before = self.matcher.work;
        let outcome = run(&mut self);
        let instructions = self.matcher.work - before;
        if let Some(profile) = &mut self.matcher.profile {
            profile.instructions = instructions;
        }
        (outcome, self.matcher.profile.take().unwrap_or(none))
    }

    /// Adds the current sizes of the e-graph to the profile, if there is one.
    fn note_round(&mut self) {
        let instructions = self.matcher.work;
        if let Some(profile) = &mut self.matcher.profile {
            let (nodes, classes) = (self.e.graph.nodes().len() as u64, self.e.graph.number_of_classes() as u64);
            profile.rounds.push(Round { nodes, classes, instructions });
        }
    }

    /// Runs the late rules on the sums that the answer was `written` with, after all other rules. Returns whether they
    /// found new spellings. A class that was written as a sum is matched as that sum. Any other class is matched as a
    /// sum of one term. The canonical form and the spellings with remainders are matched as well.
    pub(crate) fn run_late_rules(&mut self, written: &[Written]) -> bool {
        let SumRules { tree, term_operators } = self.rules.trees(self.e.has_symbols()).late(self.roots.len() > 1);
        let mut classes: Vec<(Id, Option<&Rc<LinearForm>>)> =
            written.iter().map(|w| (self.e.graph.find(w.class), w.sum.as_ref())).collect();
        classes.sort_by_key(|c| c.0);
        let nodes = self.e.graph.nodes().len();
        let mut news = false;
        for same in classes.chunk_by(|a, b| a.0 == b.0) {
            let id = same[0].0;
            let is_sum = same.iter().any(|c| c.1.is_some());
            let f = self.e.facts(id);
            if f.operators & term_operators == 0 && f.canon().is_none() && f.spellings.is_empty() {
                // no late rule matches a single term of this kind
                continue;
            }
            for (position, sum) in spellings(self.e, id).into_iter().enumerate() {
                if self.is_out_of_work() {
                    break;
                }
                let operators = sum.terms().iter().fold(0, |h, &t| h | self.e.facts(t).operators);
                let written = if is_sum { same.iter().any(|c| c.1 == Some(&sum)) } else { sum.as_atom().is_some() };
                let is_canonical = position == 0;
                let seen =
                    written || is_canonical || operators & Operator::bits(&[Operator::Mod, Operator::NonNeg]) != 0;
                if !seen || operators & term_operators == 0 {
                    continue;
                }
                let better = self.improved(tree, id, &sum, Taken::Best, &mut |e, lin| {
                    let new = e.add_late_spelling(id, lin);
                    news |= new;
                    new
                });
                news |= better.is_some_and(|lin| self.e.add_late_spelling(id, &lin));
            }
        }
        self.settle();
        // a new remainder may be a node of an existing class, so new nodes count as well
        news || self.e.graph.nodes().len() > nodes
    }

    /// Runs the rules until nothing changes or a limit is reached.
    pub(crate) fn run(&mut self) -> Outcome {
        let most = self.e.graph.nodes().len().saturating_add(self.limits.nodes);
        self.seen.reserve(56);
        self.spelled.reserve(28);
        let (mut rounds, mut visits) = (0, 0);
        let stop = loop {
            self.e.rebuild();
            self.note_round();
            let mut batch = self.batch();
            if batch.is_empty() {
                // conditions are reduced as a whole when their parts no longer change
                self.simplify_conditionals();
                self.e.rebuild();
                batch = self.batch();
            }
            if batch.is_empty() && self.e.has_symbols() {
                self.e.refresh_spellings();
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
                self.e.rebuild();
                self.note_round();
                break limit;
            }
        };
        self.e.rebuild();
        // with a limit of 0 rounds, only the normal form was requested
        if stop != StopReason::Saturated && rounds > 0 && self.conditions().len() <= MAX_LATE_CONDITIONS {
            self.simplify_conditionals();
            self.settle();
        }
        self.tell_normal_forms();
        let stop = if stop == StopReason::Saturated && self.e.is_out_of_terms { StopReason::TermLimit } else { stop };
        Outcome { stop, rounds }
    }

    pub(super) fn is_out_of_work(&self) -> bool {
        self.matcher.work >= self.limits.work
    }

    /// The classes of junctions and selections that are not constant, sorted by id.
    fn conditions(&self) -> Vec<Id> {
        let e = &self.e;
        let of = Operator::bits(&CONDITIONS);
        if e.graph.analysis.operators & of == 0 {
            return Vec::new();
        }
        let open = |f: &Facts| f.operators & of != 0 && f.constant().is_none();
        let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).filter(|&id| open(e.facts(id))).collect();
        ids.sort_unstable();
        ids
    }

    /// Ends a phase: restores congruence, and merges a selection with a branch if the condition was decided
    /// after the last visit of the selection.
    pub(super) fn settle(&mut self) {
        self.e.rebuild();
        for id in self.conditions() {
            for i in 0..self.e.nodes(id).len() {
                let Some(node @ Node::Select([c, ..])) = self.e.nodes(id).get(i).cloned() else { continue };
                if self.e.facts(c).constant().is_some()
                    && let Some(Renormalised { class, step }) = renormalise(self.e, &node)
                {
                    self.record_step(node, class, step);
                    self.e.union(id, class);
                }
            }
        }
        self.e.rebuild();
        self.tell_normal_forms();
    }

    /// Reduces the junctions and selections that changed since the last call.
    fn simplify_conditionals(&mut self) {
        for id in self.conditions() {
            for i in 0..self.e.nodes(id).len() {
                let id = self.e.graph.find(id);
                let Some(node) = self.e.nodes(id).get(i).filter(|n| CONDITIONS.contains(&n.operator())).cloned() else {
                    continue;
                };
                if !self.seen.insert(state(self.e, &node, 1)) {
                    continue;
                }
                if let Some((equal, step)) = reduced_or_decided(self.e, id, &node) {
                    self.record_step(node, equal, Some(step));
                    self.e.union(id, equal);
                }
            }
        }
    }

    fn record_step(&mut self, node: Node, equal: Id, step: Option<BuiltinStep>) {
        if let (Some(t), Some(builtin_step)) = (&mut self.trace, step) {
            t.append(&mut self.e.take_applied_forms());
            t.push(Firing {
                cause: Cause::Builtin(builtin_step),
                from: Matched::Node(node),
                to: LinearForm::atom(equal),
            });
        }
    }

    /// Adds the normal forms that were applied since the last call to the trace.
    pub(super) fn tell_normal_forms(&mut self) {
        if let Some(t) = &mut self.trace {
            t.append(&mut self.e.take_applied_forms());
        }
    }

    /// The changed classes and the classes of their users, sorted by id.
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
        // classes that only resolved classes or assumed conditions use are not visited, because their expressions were
        // simplified before
        let live = live(&self.e.graph, self.roots.iter().copied());
        batch.retain(|&id| live[usize::from(id)]);
        batch
    }

    fn visit(&mut self, id: Id) {
        let id = self.e.graph.find(id);
        if self.is_constant(id) || is_resolved(&self.e.graph, id) {
            return;
        }
        let f = self.e.facts(id);
        if f.operators == 1 << Operator::Var as u32 && f.canon().is_none() && f.spellings.is_empty() {
            // no rule matches a variable alone
            return;
        }
        self.e.refresh_spelling(id);
        // nodes that are added to the class meanwhile are visited in the next round
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
            if let Some(Renormalised { class, step }) = renormalise(self.e, &node)
                && self.e.graph.find(class) != self.e.graph.find(id)
            {
                self.record_step(node.clone(), class, step);
                self.e.union(id, class);
            }
            if node.operator() != Operator::Sum {
                self.apply(id, &node);
            }
        }
        self.respell(id);
    }

    /// Whether the class has only one value. The constant is then added to the class, and no rule runs on it.
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
        let tree = rules.trees(self.e.has_symbols()).about(node.operator());
        self.matcher.run(self.e, tree, id, node, |e, m, r, lin| {
            let class = e.graph.find(id);
            let defined = std::mem::take(&mut e.defined);
            if (e.equate(class, &lin) || defined)
                && let Some(t) = trace
            {
                t.append(&mut e.take_applied_forms());
                t.push(Firing::of_rule(e, (r, &rules.rules()[r as usize]), m, Matched::Node(node.clone()), &lin));
            }
            // stop after a constant, or after a rule whose result needs no other rule
            let class = e.graph.find(id);
            if rules.rules()[r as usize].is_done || e.facts(class).constant().is_some() {
                return Next::Stop;
            }
            Next::More
        });
    }

    /// Runs the sum rules on every new spelling of a class.
    fn respell(&mut self, id: Id) {
        let id = self.e.graph.find(id);
        let operand = self.e.graph[id].parents().next().is_some();
        let SumRules { tree, term_operators } = self.rules.trees(self.e.has_symbols()).sums(operand);
        let f = self.e.facts(id);
        if tree.is_empty() || f.canon().is_none() && f.spellings.is_empty() {
            // an atom is not a sum
            return;
        }
        for spelling in spellings(self.e, id) {
            let operators = spelling.terms().iter().fold(0, |h, &t| h | self.e.facts(t).operators);
            if spelling.as_atom().is_some() || operators & term_operators == 0 || !self.is_new(id, &spelling) {
                continue;
            }
            if self.e.defines_remainder(&spelling) && !self.e.has_symbols() {
                continue;
            }
            if let Some(better) = self.improved(tree, id, &spelling, Taken::First, &mut |e, lin| e.equate(id, lin)) {
                let id = self.e.graph.find(id);
                self.e.equate(id, &better);
                self.spelled.insert((id, better));
            }
        }
    }

    /// Whether the sum rules must run on this spelling of `id`. The sum rules run once on each spelling. If sizes are
    /// symbols, they run again when the facts about its terms change. A term may have become a remainder, or a quotient
    /// by a product.
    fn is_new(&mut self, id: Id, spelling: &Rc<LinearForm>) -> bool {
        let first = self.spelled.insert((id, spelling.clone()));
        if !self.e.has_symbols() {
            return first;
        }
        self.seen.insert(state_of_spelling(self.e, id, spelling))
    }

    /// The cheapest spelling of the sum `id` that is found by repeated improvements of `spelling`. Each step continues
    /// from the first improvement or from the best one, depending on `taken`. So a sum of n digits takes n steps
    /// instead of 2^n spellings. All other results are passed to `other`, which returns whether they were new.
    fn improved(
        &mut self,
        tree: &[RuleTrie],
        id: Id,
        spelling: &Rc<LinearForm>,
        taken: Taken,
        other: &mut dyn FnMut(&mut EGraph, &LinearForm) -> bool,
    ) -> Option<Rc<LinearForm>> {
        let mut best = spelling.clone();
        let mut rank = self.e.rank(&best);
        // at most one improvement for each term, because each one replaces a spelling of one term
        for _ in 0..spelling.len() + 1 {
            if self.is_out_of_work() {
                break;
            }
            let mut better = None;
            let (trace, from, rules) = (&mut self.trace, best.clone(), self.rules);
            self.matcher.run_sum(self.e, tree, id, &from, |e, m, r, lin| {
                let fired = |e: &EGraph, lin: &LinearForm| {
                    Firing::of_rule(e, (r, &rules.rules()[r as usize]), m, Matched::Sum(from.clone()), lin)
                };
                let defined = std::mem::take(&mut e.defined);
                let Some(lin) = e.canonical_shallow(&lin) else { return Next::More };
                if *lin == *from && !defined {
                    return Next::More;
                }
                let new = e.rank(&lin);
                if new < rank && taken == Taken::First {
                    if let Some(t) = trace {
                        t.append(&mut e.take_applied_forms());
                        t.push(fired(e, &lin));
                    }
                    better = Some((new, lin.into_owned()));
                    return Next::Stop;
                }
                if (other(e, &lin) || defined)
                    && let Some(t) = trace
                {
                    t.append(&mut e.take_applied_forms());
                    t.push(fired(e, &lin));
                }
                if new < better.as_ref().map_or(rank, |(best, _)| *best) {
                    better = Some((new, lin.into_owned()));
                }
                Next::More
            });
            let Some((new, lin)) = better else { break };
            (rank, best) = (new, Rc::new(lin));
            if taken == Taken::First && best.as_atom().is_some() {
                // a single class is matched only by late rules
                break;
            }
        }
        (!Rc::ptr_eq(&best, spelling)).then_some(best)
    }
}
