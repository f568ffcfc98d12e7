//! Builds the e-graph of expressions and a domain in normal form, before any rule runs.

use super::error::SimplifyError;
use super::settings::Settings;
use crate::cost::CostModel;
use crate::domain::{Domain, DomainError, Interval, VarFacts, intervals_of};
use crate::egraph::context::assume::{assume, operations, settle_constraints};
use crate::egraph::ingest::expressions::{Ingested, ingest};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::budget::Budget;
use crate::egraph::normal::graph::EGraph;
use crate::expr::{Dag, Expr, var};
use egg::Id;
use std::rc::Rc;
use std::sync::Arc;

/// The e-graph of an input, and the values of the input's nodes in it. A search changes only the e-graph.
pub(crate) struct Problem {
    pub(crate) e: EGraph,
    pub(super) vars: Arc<[VarFacts]>,
    /// The cost model that prices answers.
    pub(super) model: Arc<dyn CostModel>,
    /// The input.
    pub(super) dag: Dag,
    /// The ranges of the nodes of `dag`, computed from the ranges of variables.
    pub(super) ranges: Vec<Interval>,
    /// The values of the nodes of `dag` in the e-graph, if they are kept.
    pub(super) values: Vec<Option<Rc<LinearForm>>>,
    /// The classes of the input's expressions.
    pub(crate) roots: Vec<Id>,
    /// Operations that the domain's assumptions compute. If the answer uses them, the program has computed them
    /// already, so they cost nothing more.
    pub(super) shared_operations: Vec<Id>,
}

impl Problem {
    /// The e-graph of the roots of `dag`. It records the normal forms that it applies if firings are recorded.
    pub(super) fn new(settings: &Settings, dag: Dag, domain: &Domain) -> Result<Problem, SimplifyError> {
        let domain = &*domain.seen_from(dag.exprs());
        Problem::entered(Ground::new(settings, domain)?, dag, domain)
    }

    /// A copy of `ground`, which must be the e-graph of `domain`, to which the roots of `dag` are added.
    pub(super) fn on(
        ground: &Ground,
        settings: &Settings,
        dag: Dag,
        domain: &Domain,
    ) -> Result<Problem, SimplifyError> {
        let mut ground = ground.clone();
        ground.e.budget = budget_of(settings);
        Problem::entered(ground, dag, domain)
    }

    fn entered(mut ground: Ground, dag: Dag, domain: &Domain) -> Result<Problem, SimplifyError> {
        let Entered { roots, ranges, values } = ground.enter(&dag, domain)?;
        let Ground { e, vars, model, shared_operations, .. } = ground;
        Ok(Problem { e, vars, model, dag, ranges, values, roots, shared_operations })
    }

    /// This e-graph as the start of later searches over the same domain, without the roots of its input.
    pub(super) fn into_ground(self) -> Ground {
        let Problem { e, vars, model, shared_operations, .. } = self;
        Ground { settled: e.classes(), e, vars, model, shared_operations }
    }

    /// The expressions that the variables of the e-graph represent. First come the variables of the domain in its
    /// order, and then the opaque parts.
    pub(super) fn names(&self) -> Vec<Expr> {
        self.vars.iter().map(|v| var(v.name.clone())).chain(self.e.opaque_parts.iter().cloned()).collect()
    }
}

/// The budget for the proofs of a call, or of a question outside of a call.
pub(super) fn budget_of(settings: &Settings) -> Budget {
    settings.budget.clone().unwrap_or_else(|| Budget::new(settings.limits.work))
}

/// An e-graph in which the symbolic ends and the conditions of a domain hold.
#[derive(Clone)]
pub(super) struct Ground {
    pub(super) e: EGraph,
    vars: Arc<[VarFacts]>,
    model: Arc<dyn CostModel>,
    /// See [`Problem::shared_operations`].
    shared_operations: Vec<Id>,
    /// The number of settled classes. These are the first classes, and they already have the ranges that follow from
    /// the conditions.
    settled: usize,
}

/// Expressions that were added to a [`Ground`].
pub(super) struct Entered {
    /// The classes of the roots.
    pub(super) roots: Vec<Id>,
    /// See [`Problem::ranges`].
    ranges: Vec<Interval>,
    /// See [`Problem::values`].
    values: Vec<Option<Rc<LinearForm>>>,
}

impl Ground {
    /// The e-graph of `domain`.
    pub(super) fn new(settings: &Settings, domain: &Domain) -> Result<Ground, SimplifyError> {
        let vars: Arc<[VarFacts]> = domain.resolve()?.into();
        let mut e = EGraph::new(&vars, settings.model.clone());
        e.budget = budget_of(settings);
        if settings.records_firings() {
            e.trace_normal_forms();
        }
        let mut builder = Builder { e: &mut e, domain, vars: &vars };
        // symbolic ends, which are expressions at the ends of ranges, are part of the domain. Rules may use them in
        // proofs
        builder.add_symbolic_ends()?;
        let shared_operations = builder.add_conditions(&domain.conditions())?;
        Ok(Ground { e, vars, model: settings.model.clone(), shared_operations, settled: 0 })
    }

    /// The e-graph of `domain`, built from this one. `domain` must have the same declarations, and `more` are the
    /// conditions that it assumes in addition.
    pub(super) fn within(&self, settings: &Settings, domain: &Domain, more: &[Expr]) -> Result<Ground, SimplifyError> {
        let mut ground = Ground { settled: 0, ..self.clone() };
        let Ground { e, vars, shared_operations, .. } = &mut ground;
        e.budget = budget_of(settings);
        *vars = domain.resolve()?.into();
        for (at, v) in vars.iter().enumerate() {
            let id = e.var(at);
            e.sharpen(id, v.interval, v.congruence);
        }
        let mut builder = Builder { e, domain, vars };
        *shared_operations = builder.add_conditions(more)?;
        Ok(ground)
    }

    /// Adds the roots of `dag`. `domain` must be the domain of this e-graph.
    pub(super) fn enter(&mut self, dag: &Dag, domain: &Domain) -> Result<Entered, SimplifyError> {
        let Ground { e, vars, .. } = self;
        let mut builder = Builder { e, domain, vars };
        let ranges = builder.ranges(dag);
        let Ingested { roots, values } = builder.ingest(dag, &ranges)?;
        let classes = roots.iter().zip(dag.roots()).map(|(lin, &root)| {
            let class = e.class_of(lin);
            class.unwrap_or_else(|| e.opaque(dag.origin(root).clone(), ranges[root as usize]))
        });
        let roots = classes.collect();
        self.settle(domain)?;
        Ok(Entered { roots, ranges, values })
    }

    /// This e-graph after all terms and sums got the ranges that follow from the conditions. Later additions settle
    /// only new sums.
    pub(super) fn settled(mut self, domain: &Domain) -> Result<Ground, SimplifyError> {
        self.settle(domain)?;
        self.settled = self.e.classes();
        Ok(self)
    }

    /// Narrows terms and sums to the ranges that follow from the conditions. A bound of one sum, perhaps tightened by
    /// rounding, may tighten the bounds of other sums.
    fn settle(&mut self, domain: &Domain) -> Result<(), SimplifyError> {
        if self.e.assumed {
            settle_constraints(&mut self.e, self.settled).map_err(|_| never_holds(domain))?;
        }
        Ok(())
    }
}

impl Problem {
    /// Adds other forms of roots. Each form is equal to the root at its position everywhere in `domain`.
    pub(super) fn add_forms(&mut self, forms: &[(usize, Expr)], domain: &Domain) -> Result<(), SimplifyError> {
        let exprs: Vec<Expr> = forms.iter().map(|(_, form)| form.clone()).collect();
        let dag = Dag::new(&exprs);
        let mut builder = Builder { e: &mut self.e, domain, vars: &self.vars };
        let ranges = builder.ranges(&dag);
        let sums = builder.ingest(&dag, &ranges)?.roots;
        for (&(root, _), sum) in forms.iter().zip(&sums) {
            self.e.equate(self.roots[root], sum);
        }
        Ok(())
    }
}

/// Adds expressions over one domain to an e-graph.
struct Builder<'a> {
    e: &'a mut EGraph,
    domain: &'a Domain,
    vars: &'a [VarFacts],
}

impl Builder<'_> {
    /// The ranges of the nodes of `dag` by the ranges of variables.
    fn ranges(&self, dag: &Dag) -> Vec<Interval> {
        intervals_of(dag, |name| self.domain.position(name).map_or(Interval::ALL, |p| self.vars[p].interval))
    }

    fn ingest(&mut self, dag: &Dag, ranges: &[Interval]) -> Result<Ingested, SimplifyError> {
        let position = |name: &str| self.domain.position(name);
        Ok(ingest(self.e, dag, ranges, &position, self.domain.is_defined())?)
    }

    fn add_symbolic_ends(&mut self) -> Result<(), SimplifyError> {
        for (i, v) in self.vars.iter().enumerate() {
            let ends: Vec<Expr> = v.lower.iter().chain(&v.upper).cloned().collect();
            if ends.is_empty() {
                continue;
            }
            let ends = Dag::new(&ends);
            let mut sums = self.ingest(&ends, &self.ranges(&ends))?.roots.into_iter();
            let lower = v.lower.as_ref().and_then(|_| sums.next());
            let upper = v.upper.as_ref().and_then(|_| sums.next());
            self.e.set_symbolic_ends(i, lower.map(|l| (*l).clone()), upper.map(|l| (*l).clone()));
        }
        Ok(())
    }

    /// Assumes that `conditions` of the domain are true. Returns the operations that its assumptions compute.
    fn add_conditions(&mut self, conditions: &[Expr]) -> Result<Vec<Id>, SimplifyError> {
        if conditions.is_empty() {
            return Ok(Vec::new());
        }
        let conditions = Dag::new(conditions);
        let sums = self.ingest(&conditions, &self.ranges(&conditions))?.roots;
        // a condition without a normal form gives no facts
        let e = &mut *self.e;
        let ids: Vec<Id> = sums.iter().filter_map(|sum| e.class_of(sum).and_then(|id| e.truth(id))).collect();
        let shared_operations = if self.domain.assumptions().is_empty() { Vec::new() } else { operations(e) };
        assume(e, &ids).map_err(|_| never_holds(self.domain))?;
        Ok(shared_operations)
    }
}

fn never_holds(domain: &Domain) -> DomainError {
    let conditions: Vec<String> = domain.conditions().iter().map(Expr::to_string).collect();
    DomainError::NeverHolds { conditions: conditions.join(", ") }
}
