//! The e-graph of a search: egg's e-graph together with the state that normal forms need.
//!
//! The input is nodes and equalities. The output is classes and the facts about them. Methods of [`EGraph`] make nodes
//! in normal form. The files of this folder define these methods. Functions that only read the e-graph are not methods.

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

/// The maximum number of terms of sums, and factors of products, that normal forms may repeat beyond those of the
/// expression. Because `x % n` is `x - n*(x//n)`, the last of n nested remainders has n terms. Most expressions repeat
/// none, because short sums do not count.
const MAX_REPEATED_TERMS: usize = 10_000;
/// Sums of at most this many terms do not count against `MAX_REPEATED_TERMS`.
pub(crate) const SHORT_SUM: usize = 16;

/// An e-graph with its normal forms. Methods that compute constants return `None` if a constant would not fit in `i64`.
#[derive(Clone)]
pub(crate) struct EGraph {
    pub(crate) graph: Graph,
    /// Whether egg still has to propagate congruences or facts.
    unsettled: bool,
    var_ids: Vec<Id>,
    /// The loops around the expressions.
    loops: LoopNest,
    /// The opaque sub-expressions that the last variables represent. These variables come after the variables of the
    /// domain.
    pub(crate) opaque_parts: Vec<Expr>,
    /// Numbers that the input uses as conditions.
    pub(super) conditions: FxHashSet<Id>,
    /// The symbolic ends of each variable, as linear forms: for `i` in `0..n-1`, the upper end is `n - 1`.
    pub(in crate::egraph) symbolic: Vec<(Option<LinearForm>, Option<LinearForm>)>,
    /// Whether a variable, or a remainder by an unknown divisor, has a symbolic end. If so, these ends decide
    /// comparisons when they are made.
    pub(super) has_ends: bool,
    /// Whether there are symbolic ends, products of unknowns or divisors known only at run time. Without any of them,
    /// the prover can prove nothing more.
    pub(super) has_symbols: bool,
    /// Whether the e-graph has assumptions. Then variables may depend on one another or even be equal.
    pub(crate) assumed: bool,
    /// Set when a remainder was made and its definition `x - n*(x//n)` gave a new equality. A rule that made the
    /// remainder has then found something new. The caller resets this flag.
    pub(in crate::egraph) defined: bool,
    /// Classes that are never 0 although their ranges contain 0. A condition `n != 0` says so, or a division that is
    /// always computed.
    pub(in crate::egraph) nonzero: Vec<Id>,
    /// Sums that were added as the definition of a remainder: `x - n*(x//n)`.
    pub(super) definitions: FxHashSet<Rc<LinearForm>>,
    /// The number of terms that normal forms may still repeat.
    terms_left: usize,
    /// Whether an expression was added without its normal form, because that form would have repeated too many terms.
    pub(in crate::egraph) is_out_of_terms: bool,
    /// The cached results of the prover. Facts only ever get stronger, so what was proved stays proved.
    pub(super) proofs: RefCell<FxHashMap<LinearForm, bool>>,
    pub(super) proofs_begun: Cell<u32>,
    /// The work that is left for the proofs of the call.
    pub(crate) budget: Budget,
    /// The applied normal forms, if a trace was requested.
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
            nonzero: Vec::new(),
            definitions: FxHashSet::default(),
            terms_left: MAX_REPEATED_TERMS,
            is_out_of_terms: false,
            proofs: RefCell::default(),
            proofs_begun: Cell::new(0),
            budget: Budget::new(u64::MAX),
            applied_forms: None,
        }
    }

    /// Whether a normal form may repeat `terms` terms. If it may, the terms are subtracted from the limit.
    pub(crate) fn may_repeat(&mut self, terms: usize) -> bool {
        let left = self.terms_left.checked_sub(terms);
        self.is_out_of_terms |= left.is_none();
        self.terms_left = left.unwrap_or(self.terms_left);
        left.is_some()
    }

    /// Whether a limit for the whole life of the e-graph is reached: on repeated terms or on proofs. Beyond these
    /// limits, a new e-graph can prove more.
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

    /// Whether there are symbolic ends, products of unknowns or run-time divisors that proofs may use.
    pub(crate) fn has_symbols(&self) -> bool {
        self.has_symbols
    }

    /// Merges two classes. Returns whether they were different.
    pub(crate) fn union(&mut self, a: Id, b: Id) -> bool {
        let is_news = self.graph.union(a, b);
        self.unsettled |= is_news;
        is_news
    }

    /// Restores congruence if classes merged or facts changed since the last call. Otherwise this function does nothing,
    /// because a rebuild by egg always visits the whole graph.
    pub(crate) fn rebuild(&mut self) {
        if std::mem::take(&mut self.unsettled) {
            self.graph.rebuild();
        }
    }

    /// The number of classes that were ever made. All ids are below it.
    pub(crate) fn classes(&self) -> usize {
        self.graph.analysis.facts.len()
    }

    #[inline]
    pub(crate) fn facts(&self, id: Id) -> &Facts {
        facts(&self.graph, id)
    }

    /// The facts about a sum.
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

    /// Adds facts about the value of `id`. Returns whether they were new.
    pub(crate) fn sharpen(&mut self, id: Id, interval: Interval, congruence: Congruence) -> bool {
        let id = self.graph.find(id);
        let news = facts_mut(&mut self.graph, id).restrict(interval, congruence);
        if news {
            self.changed(id);
        }
        news
    }

    /// Notifies the users of `id` that its facts changed outside of egg's analysis.
    pub(super) fn changed(&mut self, id: Id) {
        // this call leaves the facts as they are, but makes egg queue the parents of the class
        self.graph.set_analysis_data(id, FactSlot::Class(id));
        self.unsettled = true;
        self.touch(id);
    }

    /// Marks the class `id` as changed.
    pub(super) fn touch(&mut self, id: Id) {
        facts_mut(&mut self.graph, id).version += 1;
        self.graph.analysis.dirty.push(id);
    }
}

/// Initialises egg's clock. egg reads a clock at every rebuild, and the first read takes milliseconds.
pub(crate) fn warm_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        Graph::new(FactAnalysis::new(Vec::new(), Arc::new(Gpu))).rebuild();
    });
}

#[cfg(test)]
mod tests;
