//! The e-graph of a search: egg's, and what building normal forms needs to remember.
//!
//! What goes in are nodes and equalities; what comes out are classes and what is known of them. The methods of [`EGraph`] make
//! nodes, each in its normal form, in the files of this folder. What only asks something of it is a function beside it.

use crate::cost::loop_nest::LoopNest;
use crate::cost::{CostModel, Gpu};
use crate::domain::{Congruence, Interval, VarFacts};
use crate::egraph::analysis::facts::Facts;
use crate::egraph::analysis::form_facts::facts_of_form;
use crate::egraph::analysis::graph::{FactAnalysis, FactSlot, Graph, facts, facts_mut};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::budget::{Budget, MAX_PROOFS};
use crate::egraph::trace::applied_forms::AppliedForms;
use crate::expr::Expr;
use egg::Id;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Once};

/// Terms of sums, and factors of products, that normal forms may have beyond those of the expression: `x % n` is
/// `x - n*(x//n)`, so that of n remainders of one another the last has n terms. Most expressions have none: short sums do
/// not count.
const MAX_REPEATED_TERMS: usize = 10_000;
/// Sums of so many terms do not count.
pub(crate) const SHORT_SUM: usize = 16;

/// An e-graph with its normal forms. Methods that compute constants answer `None` when one would leave `i64`.
#[derive(Clone)]
pub(crate) struct EGraph {
    pub(crate) graph: Graph,
    /// Whether egg has congruences or facts to propagate.
    unsettled: bool,
    var_ids: Vec<Id>,
    /// The loops around the expressions.
    loops: LoopNest,
    /// What the variables after those of the domain stand for.
    pub(crate) opaque_parts: Vec<Expr>,
    /// Numbers that the input uses as conditions.
    pub(super) conditions: FxHashSet<Id>,
    /// Symbolic inclusive ends per variable, as linear forms.
    pub(in crate::egraph) symbolic: Vec<(Option<LinearForm>, Option<LinearForm>)>,
    /// Whether a variable, or a remainder by an unknown, has a symbolic end: comparisons are decided by these as they are made.
    pub(super) has_ends: bool,
    /// Whether there are such ends, products of unknowns or divisors known only at run time: without any, the prover has nothing
    /// to go on.
    pub(super) has_symbols: bool,
    /// Whether anything was assumed: variables may have to do with one another, and be one class.
    pub(crate) assumed: bool,
    /// Whether writing a remainder found it equal to something that was there; whoever asks sets it back.
    pub(in crate::egraph) defined: bool,
    /// Sums that define a remainder.
    pub(super) definitions: FxHashSet<Rc<LinearForm>>,
    /// Terms that normal forms may still repeat.
    terms_left: usize,
    /// Whether something was entered as it is written because its normal form would have repeated more terms than that.
    pub(in crate::egraph) is_out_of_terms: bool,
    /// What the prover was asked before, with its answers. Facts only ever get closer, so what was proved stays proved.
    pub(super) proofs: RefCell<FxHashMap<LinearForm, bool>>,
    pub(super) proofs_begun: Cell<u32>,
    /// What bounds the proofs of the call.
    pub(crate) budget: Budget,
    /// The normal forms that were applied, when somebody wants a trace.
    pub(super) applied_forms: Option<AppliedForms>,
}

impl EGraph {
    pub(crate) fn new(vars: &[VarFacts], model: Arc<dyn CostModel>) -> EGraph {
        let n = vars.len();
        let loops = LoopNest::new(vars);
        let vars = vars.iter().map(|v| (v.interval, v.congruence)).collect();
        let mut graph = Graph::new(FactAnalysis::new(vars, model));
        let var_ids = (0..n).map(|v| graph.add(Node::Var(v as u32))).collect();
        EGraph {
            graph,
            unsettled: false,
            var_ids,
            loops,
            opaque_parts: Vec::new(),
            conditions: FxHashSet::default(),
            symbolic: vec![(None, None); n],
            has_ends: false,
            has_symbols: false,
            assumed: false,
            defined: false,
            definitions: FxHashSet::default(),
            terms_left: MAX_REPEATED_TERMS,
            is_out_of_terms: false,
            proofs: RefCell::default(),
            proofs_begun: Cell::new(0),
            budget: Budget::new(u64::MAX),
            applied_forms: None,
        }
    }

    /// Whether a normal form may repeat `terms` terms, which are counted then.
    pub(crate) fn may_repeat(&mut self, terms: usize) -> bool {
        let left = self.terms_left.checked_sub(terms);
        self.is_out_of_terms |= left.is_none();
        self.terms_left = left.unwrap_or(self.terms_left);
        left.is_some()
    }

    /// Whether a limit that counts over the whole life of the e-graph is reached: on repeated terms, or on proofs. A new e-graph knows more.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_out_of_terms || self.proofs_begun.get() >= MAX_PROOFS
    }

    pub(crate) fn var(&self, v: usize) -> Id {
        self.graph.find(self.var_ids[v])
    }

    /// The loops around the expressions.
    pub(crate) fn loops(&self) -> &LoopNest {
        &self.loops
    }

    pub(crate) fn set_symbolic_ends(&mut self, v: usize, lower: Option<LinearForm>, upper: Option<LinearForm>) {
        self.has_ends |= lower.is_some() || upper.is_some();
        self.has_symbols |= self.has_ends;
        self.symbolic[v] = (lower, upper);
    }

    /// Whether anything is known only at run time that proofs may use.
    pub(crate) fn has_symbols(&self) -> bool {
        self.has_symbols
    }

    /// Makes two classes one; answers whether they were two.
    pub(crate) fn union(&mut self, a: Id, b: Id) -> bool {
        let is_news = self.graph.union(a, b);
        self.unsettled |= is_news;
        is_news
    }

    /// Restores congruence, where classes merged or facts were sharpened since the last time: egg looks at the whole graph,
    /// whatever changed.
    pub(crate) fn rebuild(&mut self) {
        if std::mem::take(&mut self.unsettled) {
            self.graph.rebuild();
        }
    }

    /// How many classes were ever made; ids are below it.
    pub(crate) fn classes(&self) -> usize {
        self.graph.analysis.facts.len()
    }

    #[inline]
    pub(crate) fn facts(&self, id: Id) -> &Facts {
        facts(&self.graph, id)
    }

    /// What is known of a sum.
    pub(crate) fn facts_of(&self, lin: &LinearForm) -> (Interval, Congruence) {
        facts_of_form(&self.graph, lin)
    }

    #[inline]
    pub(crate) fn nodes(&self, id: Id) -> &[Node] {
        &self.graph[id].nodes
    }

    pub(crate) fn add(&mut self, node: Node) -> Id {
        let id = self.graph.add(node);
        self.graph.find(id)
    }

    /// Adds what is known of the value of `id`; answers whether that was news.
    pub(crate) fn sharpen(&mut self, id: Id, interval: Interval, congruence: Congruence) -> bool {
        let id = self.graph.find(id);
        let news = facts_mut(&mut self.graph, id).restrict(interval, congruence);
        if news {
            self.changed(id);
        }
        news
    }

    /// Facts of `id` were sharpened outside of egg's analysis: lets its users know.
    pub(super) fn changed(&mut self, id: Id) {
        // the facts stay where they are: what counts is that the parents are queued
        self.graph.set_analysis_data(id, FactSlot::Class(id));
        self.unsettled = true;
        self.touch(id);
    }

    /// Lets those who look at what changed know of `id`.
    pub(super) fn touch(&mut self, id: Id) {
        facts_mut(&mut self.graph, id).version += 1;
        self.graph.analysis.dirty.push(id);
    }
}

/// Makes egg ready: it reads a clock at every rebuild, and that clock measures itself when first read, for milliseconds.
pub(crate) fn warm_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        Graph::new(FactAnalysis::new(Vec::new(), Arc::new(Gpu))).rebuild();
    });
}

#[cfg(test)]
mod tests;
