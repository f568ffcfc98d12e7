//! The phase `share` adds forms that are cheaper only if another expression computes a part of them.
//!
//! The phase runs after the other rules have run, when the e-graph holds all parts that may be computed.
//! Extraction decides whether they are cheaper.

use super::saturation::Saturation;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::spellings::spellings;
use crate::egraph::saturate::matcher::{Matcher, Next};
use crate::egraph::trace::firing::{Firing, Matched};
use crate::rules::operator::Operator;
use crate::rules::set::ShareRules;
use egg::Id;

impl Saturation<'_> {
    /// Runs the rules of the phase `share` on the classes of all nodes but the first `known`, and on all remainders.
    /// Old remainders are included because their numerators may be new sums.
    pub(crate) fn share(&mut self, known: usize) {
        let groups = self.rules.trees(self.e.has_symbols()).share();
        let operators = self.e.graph.analysis.operators;
        if !groups.iter().any(|group| group.may_match(operators)) {
            return;
        }
        self.matcher.begin_share(self.e);
        let classes = self.matcher.lookups.classes.clone();
        let mut is_new = vec![false; self.e.graph.nodes().len()];
        for node in known..is_new.len() {
            is_new[usize::from(self.e.graph.find(Id::from(node)))] = true;
        }
        for group in groups.iter().filter(|group| group.may_match(operators)) {
            let all = group.operator == Operator::Mod;
            for &id in classes.iter().filter(|&&id| all || is_new[usize::from(id)]) {
                let f = self.e.facts(id);
                if f.has(group.operator) && f.constant().is_none() && !self.is_out_of_work() {
                    match group.operator {
                        Operator::Sum => self.share_sums(group, id),
                        operator => self.share_nodes(group, id, operator),
                    }
                }
            }
        }
        self.matcher.as_it_stands = false;
        self.settle();
    }

    /// Matches the nodes of a class.
    fn share_nodes(&mut self, group: &ShareRules, id: Id, operator: Operator) {
        // nodes that rules add meanwhile are not matched
        let nodes: Vec<Node> = self.e.nodes(id).iter().filter(|node| node.operator() == operator).cloned().collect();
        for node in nodes {
            let Saturation { e, matcher, trace, rules, .. } = self;
            matcher.run(e, &group.tree, id, &node, |e, m, r, lin| {
                let rule = &rules.rules()[r as usize];
                if e.equate(id, &lin)
                    && let Some(trace) = trace
                {
                    trace.push(Firing::of_rule(e, (r, rule), m, Matched::Node(node.clone()), &lin));
                }
                if rule.is_done { Next::Stop } else { Next::More }
            });
        }
    }

    /// Matches the spellings of the class of a sum.
    fn share_sums(&mut self, group: &ShareRules, id: Id) {
        for spelling in spellings(self.e, id) {
            let operators = spelling.terms().iter().fold(0, |bits, &t| bits | self.e.facts(t).operators);
            // rules would only find the remainder itself in its definition
            if operators & group.term_operators == 0 || self.e.defines_remainder(&spelling) {
                continue;
            }
            let Saturation { e, matcher, trace, rules, .. } = self;
            matcher.run_sum(e, &group.tree, id, &spelling, |e: &mut EGraph, m: &Matcher, r, lin: LinearForm| {
                if e.facts(id).spellings.iter().all(|known| *known.lin != lin)
                    && e.add_spelling(id, lin.clone())
                    && let Some(trace) = trace
                {
                    let rule = &rules.rules()[r as usize];
                    trace.push(Firing::of_rule(e, (r, rule), m, Matched::Sum(spelling.clone()), &lin));
                }
                Next::More
            });
        }
    }
}
