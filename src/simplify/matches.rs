//! Finds the matches of rules on an unsimplified expression, for the check of a rule.

use super::error::SimplifyError;
use super::problem::Problem;
use super::search::search;
use super::settings::Settings;
use super::step::Step;
use super::trace::steps;
use crate::domain::Domain;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::spellings::spellings;
use crate::egraph::saturate::matcher::{Matcher, Next};
use crate::egraph::trace::firing::{Firing, Matched};
use crate::expr::{Dag, Expr};
use crate::rules::RuleSet;
use crate::rules::operator::Operator;
use crate::rules::program::RuleTrie;
use egg::Id;

/// The maximum number of matches that are kept for one node or spelling.
const MAX_MATCHES: usize = 4;

/// Every match of the rules on `exprs` as written. For each quotient, the remainder is added first. The results of
/// matches are not matched in turn, so each step shows one rule on a part of the input.
pub(crate) fn matches(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Vec<Step>, SimplifyError> {
    // a part that its normal form decides has no e-node, so no rule can match it
    let mut graph = Problem::new(settings, Dag::new(exprs), domain)?;
    let e = &mut graph.e;
    e.graph.rebuild();
    write_remainders_out(e);
    e.graph.rebuild();
    let mut matches =
        Matches { rules: &settings.rules, matcher: Matcher::new(settings.rules.slots()), fired: Vec::new() };
    let trees = settings.rules.trees(true);
    let classes = class_ids(e);
    for &id in &classes {
        matches.collect(e, id, &|operator| match operator {
            Operator::Sum => vec![&trees.sums(true).tree, &trees.late(true).tree],
            operator => vec![trees.about(operator)],
        });
    }
    matches.matcher.begin_share(e);
    for id in classes {
        let share = |operator| trees.share().iter().filter(move |group| group.operator == operator);
        matches.collect(e, id, &|operator| share(operator).map(|group| &*group.tree).collect());
    }
    e.graph.rebuild();
    let names = graph.names();
    Ok(steps(settings, &graph.e, &matches.fired, &names))
}

/// Whether the rules find the expressions `a` and `b` equal.
pub(crate) fn finds_equal(settings: &Settings, a: &Expr, b: &Expr, domain: &Domain) -> Result<bool, SimplifyError> {
    let graph = search(settings, &[a.clone(), b.clone()], domain)?.graph;
    let (e, first) = (&graph.e, graph.roots[0]);
    Ok(graph.roots.iter().all(|&r| e.graph.find(r) == e.graph.find(first) || e.canonical(r) == e.canonical(first)))
}

/// Adds the remainder `a % b` for every quotient `a // b`.
fn write_remainders_out(e: &mut EGraph) {
    for id in class_ids(e) {
        for node in e.nodes(id).to_vec() {
            if let Node::Div([a, b]) = node {
                e.modulo(&LinearForm::atom(a), &e.canonical(b).as_ref().clone());
            }
        }
    }
}

fn class_ids(e: &EGraph) -> Vec<Id> {
    let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).collect();
    ids.sort_unstable();
    ids
}

struct Matches<'a> {
    rules: &'a RuleSet,
    matcher: Matcher,
    fired: Vec<Firing>,
}

impl Matches<'_> {
    /// Collects the matches of the rules in `trees`, by operator, on the nodes and the spellings of the class `id`.
    fn collect<'t>(&mut self, e: &mut EGraph, id: Id, trees: &dyn Fn(Operator) -> Vec<&'t [RuleTrie]>) {
        let Matches { rules, matcher, fired } = self;
        for node in e.nodes(id).to_vec() {
            if node.operator() == Operator::Sum {
                continue;
            }
            for tree in trees(node.operator()) {
                let most = fired.len() + MAX_MATCHES;
                matcher.run(e, tree, id, &node, |e, m, rule, to| {
                    let rule = (rule, &rules.rules()[rule as usize]);
                    push(fired, most, Firing::of_rule(e, rule, m, Matched::Node(node.clone()), &to))
                });
            }
        }
        for sum in spellings(e, id) {
            for tree in trees(Operator::Sum) {
                let most = fired.len() + MAX_MATCHES;
                matcher.run_sum(e, tree, id, &sum, |e, m, rule, to| {
                    let rule = (rule, &rules.rules()[rule as usize]);
                    push(fired, most, Firing::of_rule(e, rule, m, Matched::Sum(sum.clone()), &to))
                });
            }
        }
    }
}

/// Adds `firing`. Stops the matching when there are `most` firings.
fn push(fired: &mut Vec<Firing>, most: usize, firing: Firing) -> Next {
    fired.push(firing);
    if fired.len() < most { Next::More } else { Next::Stop }
}
