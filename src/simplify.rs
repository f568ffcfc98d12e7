//! The library call: expressions and a domain in, the cheapest equal expressions out.

use crate::cost::{CostModel, Gpu, price};
use crate::domain::{Domain, DomainError, Interval, VarFacts, intervals_of};
use crate::egraph::dot::dot;
use crate::egraph::extract::{Problem, Selection};
use crate::egraph::graph::EClasses;
use crate::egraph::ingest::{Refused, ingest};
use crate::egraph::lin::Lin;
use crate::egraph::matcher::{Matcher, Next};
use crate::egraph::node::{Head, Node};
use crate::egraph::rebuild::rebuild;
use crate::egraph::saturate::{Before, Firing, Outcome, Saturation};
use crate::egraph::{Limits, StopReason};
use crate::emit::{self, Text};
use crate::expr::{Dag, Expr, var};
use crate::lower::{LowerError, Lowered, lower_with};
use crate::rules::RuleSet;
use egg::Id;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Simplifies index expressions. Built once, shared between threads, cheap to call.
///
/// ```
/// use quaff::{Simplifier, domain::Domain, expr::Expr};
///
/// let address: Expr = "(row*512 + col) // 512 * 600 + (row*512 + col) % 512".parse()?;
/// let domain = Domain::new().with("row", 0..1024).with("col", 0..512);
/// let out = Simplifier::default().simplify(&address, &domain)?;
/// assert_eq!(out.expr().to_string(), "row*600 + col");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Simplifier {
    rules: Cow<'static, RuleSet>,
    model: Arc<dyn CostModel>,
    limits: Limits,
    traced: bool,
}

impl Default for Simplifier {
    /// The shipped rules, the GPU cost model and the default limits.
    fn default() -> Simplifier {
        Simplifier {
            rules: Cow::Borrowed(RuleSet::shipped()),
            model: Arc::new(Gpu),
            limits: Limits::default(),
            traced: false,
        }
    }
}

/// Why there is no answer. Every variant that concerns a part of the input carries that part, the very node given.
#[derive(Clone, Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum SimplifyError {
    /// The domain contradicts itself.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Domain(#[from] DomainError),
    /// A variable without declaration.
    #[error("the variable `{0}` is not declared")]
    #[diagnostic(code(quaff::unknown_variable), help("declare its range; `..` when nothing is known of it"))]
    UnknownVariable(Expr),
    /// A divisor whose range contains 0.
    #[error("the divisor `{divisor}` can be 0: its range is {range}")]
    #[diagnostic(code(quaff::zero_divisor), help("give its variables ranges that leave 0 out"))]
    DivisorMayBeZero {
        /// The divisor.
        divisor: Expr,
        /// What it can be.
        range: Interval,
    },
    /// A shift by something that may lie outside of 0..=126.
    #[error("the shift count `{count}` must lie in 0..126: its range is {range}")]
    #[diagnostic(code(quaff::shift))]
    ShiftOutOfRange {
        /// The shift count.
        count: Expr,
        /// What it can be.
        range: Interval,
    },
    /// A coefficient or constant of the normal form does not fit into 64 bits.
    #[error("a coefficient of `{0}` does not fit into 64 bits")]
    #[diagnostic(code(quaff::overflow))]
    Overflow(Expr),
}

impl SimplifyError {
    /// The part of the input that the error is about; look up its place with
    /// [`Parsed::span_of`](crate::expr::Parsed::span_of).
    pub fn culprit(&self) -> Option<&Expr> {
        match self {
            SimplifyError::Domain(_) => None,
            SimplifyError::UnknownVariable(e) | SimplifyError::Overflow(e) => Some(e),
            SimplifyError::DivisorMayBeZero { divisor, .. } => Some(divisor),
            SimplifyError::ShiftOutOfRange { count, .. } => Some(count),
        }
    }
}

impl From<Refused> for SimplifyError {
    fn from(r: Refused) -> SimplifyError {
        match r {
            Refused::UnknownVariable(e) => SimplifyError::UnknownVariable(e),
            Refused::DivisorMayBeZero(divisor, range) => SimplifyError::DivisorMayBeZero { divisor, range },
            Refused::ShiftOutOfRange(count, range) => SimplifyError::ShiftOutOfRange { count, range },
            Refused::Overflow(e) => SimplifyError::Overflow(e),
        }
    }
}

/// A rule at work: `before` was found equal to `after`.
#[derive(Clone, Debug)]
pub struct Step {
    /// The rule's name.
    pub rule: String,
    /// What it matched, operands in their cheapest form.
    pub before: Expr,
    /// What it wrote.
    pub after: Expr,
}

/// What a call begins with.
struct Entered {
    vars: Vec<VarFacts>,
    dag: Dag,
    e: EClasses,
    ranges: Vec<Interval>,
    roots: Vec<Id>,
}

/// A saturated e-graph and what it was made of.
pub(crate) struct Search {
    pub(crate) e: EClasses,
    vars: Vec<VarFacts>,
    /// The variables as expressions, in the order of the domain.
    pub(crate) names: Vec<Expr>,
    dag: Dag,
    ranges: Vec<Interval>,
    roots: Vec<Id>,
    /// Empty unless asked for.
    pub(crate) fired: Vec<Firing>,
    outcome: Outcome,
}

/// The answer to one call.
#[derive(Clone)]
pub struct Simplified {
    roots: Vec<Expr>,
    vars: Vec<VarFacts>,
    ranges: FxHashMap<usize, Interval>,
    model: Arc<dyn CostModel>,
    cost: OnceLock<u64>,
    input_cost: u64,
    stop: StopReason,
    rounds: u32,
    nodes: usize,
    trace: Vec<Step>,
}

impl Simplifier {
    /// With other rules.
    pub fn with_rules(mut self, rules: RuleSet) -> Simplifier {
        self.rules = Cow::Owned(rules);
        self
    }

    /// With another cost model.
    pub fn with_cost_model(mut self, model: impl CostModel + 'static) -> Simplifier {
        self.model = Arc::new(model);
        self
    }

    /// With other limits.
    pub fn with_limits(mut self, limits: Limits) -> Simplifier {
        self.limits = limits;
        self
    }

    /// Whether answers keep the list of rules that fired ([`Simplified::trace`]); costs time, off by default.
    pub fn with_trace(mut self, traced: bool) -> Simplifier {
        self.traced = traced;
        self
    }

    /// The rules in use.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The cheapest found expression with the values of `expr` at every point of `domain`; never dearer than `expr`.
    ///
    /// # Errors
    /// When the domain contradicts itself, a variable is not declared, a divisor can be 0, or a constant overflows.
    pub fn simplify(&self, expr: &Expr, domain: &Domain) -> Result<Simplified, SimplifyError> {
        self.simplify_all(std::slice::from_ref(expr), domain)
    }

    /// Several expressions of one kernel together: what they share is counted once.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn simplify_all(&self, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
        let Search { e, vars, names, dag, ranges, roots, fired, outcome } = self.search(exprs, domain, self.traced)?;
        let problem = Problem::new(&e, &*self.model, &roots);
        let selection = Selection::greedy(&problem);
        let input_cost = price(&dag, &ranges, &*self.model);
        let range_of = |name: &str| domain.position(name).map_or(Interval::ALL, |p| vars[p].interval);
        let expected = selection.price(&problem);
        let answer = rebuild(&e, &problem, &selection, &names).filter(|r| {
            // the text may share less than the selection: near the input's price it is priced itself
            let far_below = expected.saturating_mul(2) < input_cost;
            far_below || priced(&r.roots, range_of, |x| r.ranges.get(&x.address()).copied(), &*self.model) <= input_cost
        });
        let (roots, ranges) = match answer {
            Some(r) => (r.roots, r.ranges),
            None => (exprs.to_vec(), FxHashMap::default()),
        };
        let trace = if self.traced { self.steps(&e, &fired, &names) } else { Vec::new() };
        Ok(Simplified {
            roots,
            vars,
            ranges,
            model: self.model.clone(),
            cost: OnceLock::new(),
            input_cost,
            stop: outcome.stop,
            rounds: outcome.rounds,
            nodes: e.graph.nodes().len(),
            trace,
        })
    }

    /// The e-graph after saturation as text for Graphviz: every class with its range, congruence and members, those of the
    /// answer in bold.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn dot(&self, exprs: &[Expr], domain: &Domain) -> Result<String, SimplifyError> {
        let Search { e, names, roots, .. } = self.search(exprs, domain, false)?;
        let problem = Problem::new(&e, &*self.model, &roots);
        let selection = Selection::greedy(&problem);
        Ok(dot(&e, &roots, &problem, &selection, &names))
    }

    /// Ingests and saturates.
    pub(crate) fn search(&self, exprs: &[Expr], domain: &Domain, traced: bool) -> Result<Search, SimplifyError> {
        let Entered { vars, dag, mut e, ranges, roots } = self.entered(exprs, domain)?;
        let mut fired: Vec<Firing> = Vec::new();
        let outcome = Saturation::new(&mut e, &self.rules, self.limits, traced.then_some(&mut fired)).run();
        let names = vars.iter().map(|v| var(v.name.clone())).collect();
        Ok(Search { e, vars, names, dag, ranges, roots, fired, outcome })
    }

    /// The e-graph of `exprs` before any rule is run.
    fn entered(&self, exprs: &[Expr], domain: &Domain) -> Result<Entered, SimplifyError> {
        let vars = domain.resolve()?;
        let dag = Dag::new(exprs);
        let mut e = EClasses::new(&vars, self.model.clone());
        let position = |name: &str| domain.position(name);
        let range_of = |name: &str| position(name).map_or(Interval::ALL, |p| vars[p].interval);
        // symbolic ends first: they are part of the domain, and rules may prove things with them
        for (i, v) in vars.iter().enumerate() {
            let ends: Vec<Expr> = v.lower.iter().chain(&v.upper).cloned().collect();
            if ends.is_empty() {
                continue;
            }
            let ends = Dag::new(&ends);
            let mut lins = ingest(&mut e, &ends, &intervals_of(&ends, range_of), &position)?.into_iter();
            let lower = v.lower.as_ref().and_then(|_| lins.next());
            let upper = v.upper.as_ref().and_then(|_| lins.next());
            e.set_symbolic_ends(i, lower.map(|l| (*l).clone()), upper.map(|l| (*l).clone()));
        }
        let ranges = intervals_of(&dag, range_of);
        let lins = ingest(&mut e, &dag, &ranges, &position)?;
        let mut roots = Vec::with_capacity(lins.len());
        for (lin, expr) in lins.iter().zip(exprs) {
            roots.push(e.class_of(lin).ok_or_else(|| SimplifyError::Overflow(expr.clone()))?);
        }
        Ok(Entered { vars, dag, e, ranges, roots })
    }

    /// Every match of the rules on `expr` as it stands, remainders written out, and what follows from none of them: what
    /// is true of these steps rests on the rules alone.
    pub(crate) fn matches(&self, expr: &Expr, domain: &Domain) -> Result<Vec<Step>, SimplifyError> {
        /// Matches kept of one node or spelling.
        const MOST: usize = 4;
        let Entered { vars, mut e, .. } = self.entered(std::slice::from_ref(expr), domain)?;
        let classes = |e: &EClasses| {
            let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).collect();
            ids.sort_unstable();
            ids
        };
        e.graph.rebuild();
        for id in classes(&e) {
            for node in e.nodes(id).to_vec() {
                if let Node::Div([a, b]) = node {
                    e.modulo(&Lin::atom(a), &e.canonical(b).as_ref().clone());
                }
            }
        }
        e.graph.rebuild();
        let mut matcher = Matcher::new(self.rules.slots());
        let mut fired: Vec<Firing> = Vec::new();
        for id in classes(&e) {
            for node in e.nodes(id).to_vec() {
                if node.head() == Head::Sum {
                    continue;
                }
                let before = fired.len();
                matcher.run(&mut e, self.rules.tree(node.head()), id, &node, |_, rule, to| {
                    fired.push(Firing { rule: rule.into(), from: Before::Node(node.clone()), to });
                    if fired.len() < before + MOST { Next::More } else { Next::Stop }
                });
            }
            for sum in e.spellings(id) {
                let before = fired.len();
                matcher.run_sum(&mut e, self.rules.tree(Head::Sum), id, &sum, |_, rule, to| {
                    fired.push(Firing { rule: rule.into(), from: Before::Sum(sum.clone()), to });
                    if fired.len() < before + MOST { Next::More } else { Next::Stop }
                });
            }
        }
        e.graph.rebuild();
        let names: Vec<Expr> = vars.iter().map(|v| var(v.name.clone())).collect();
        Ok(self.steps(&e, &fired, &names))
    }

    /// Writes firings with their operands in cheapest form.
    fn steps(&self, e: &EClasses, fired: &[Firing], names: &[Expr]) -> Vec<Step> {
        fired
            .iter()
            .filter_map(|f| {
                let problem = Problem::step(e, &*self.model, &f.from, &f.to);
                let selection = Selection::greedy(&problem);
                let mut r = rebuild(e, &problem, &selection, names)?.roots;
                let after = r.pop()?;
                Some(Step { rule: self.rules.rules()[f.rule].name().to_string(), before: r.pop()?, after })
            })
            .collect()
    }
}

impl Simplified {
    /// The same call answered with its `input` as it stands: for an answer that turned out wrong.
    ///
    /// Costs and texts are those of `input`; limits, counts and trace stay those of the search.
    pub fn withdrawn(mut self, input: &[Expr]) -> Simplified {
        self.roots = input.to_vec();
        self.ranges = FxHashMap::default();
        self.cost = OnceLock::new();
        self
    }
}

/// The price of `roots` as written, with what is known of their parts beyond what the variables' ranges say.
fn priced(
    roots: &[Expr],
    range_of: impl Fn(&str) -> Interval,
    known: impl Fn(&Expr) -> Option<Interval>,
    model: &dyn CostModel,
) -> u64 {
    let dag = Dag::new(roots);
    let mut ranges = intervals_of(&dag, range_of);
    for (i, r) in ranges.iter_mut().enumerate() {
        *r = known(dag.origin(i as u32)).and_then(|k| r.meet(k)).unwrap_or(*r);
    }
    price(&dag, &ranges, model)
}

impl fmt::Debug for Simplified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simplified").field("exprs", &self.roots).field("cost", &self.cost()).finish_non_exhaustive()
    }
}

impl Simplified {
    /// The answer to the first (or only) expression.
    pub fn expr(&self) -> &Expr {
        &self.roots[0]
    }

    /// The answers, in the order of the call.
    pub fn exprs(&self) -> &[Expr] {
        &self.roots
    }

    /// What the answer costs under the cost model, in instructions; found when first asked for.
    pub fn cost(&self) -> f64 {
        let cost = self.cost.get_or_init(|| {
            let range_of =
                |name: &str| self.vars.iter().find(|v| &*v.name == name).map_or(Interval::ALL, |v| v.interval);
            priced(&self.roots, range_of, |e| self.range_of(e), &*self.model)
        });
        *cost as f64 / 10.0
    }

    /// What the input costs as written.
    pub fn input_cost(&self) -> f64 {
        self.input_cost as f64 / 10.0
    }

    /// Why the search ended.
    pub fn stop(&self) -> StopReason {
        self.stop
    }

    /// Rounds of saturation.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// E-nodes made.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The rules that fired, in order; empty unless asked for with [`Simplifier::with_trace`].
    pub fn trace(&self) -> &[Step] {
        &self.trace
    }

    /// What was known of the variables.
    pub fn vars(&self) -> &[VarFacts] {
        &self.vars
    }

    /// The answers as typed instructions without division, all roots together.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn lowered(&self) -> Result<Lowered, LowerError> {
        let dag = Dag::new(&self.roots);
        lower_with(&dag, &self.vars, |i| self.range_of(dag.origin(i)).unwrap_or(Interval::ALL))
    }

    /// CUDA text: temporaries for what is shared, one result per root, and the host's set-up of prepared divisors.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn cuda(&self) -> Result<Text, LowerError> {
        Ok(emit::cuda(&self.lowered()?))
    }

    /// Portable C99 text.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn c(&self) -> Result<Text, LowerError> {
        Ok(emit::c(&self.lowered()?))
    }

    /// Python text.
    pub fn python(&self) -> Text {
        emit::python(&Dag::new(&self.roots))
    }

    /// Rust text on `i64`.
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn rust(&self) -> Result<Text, LowerError> {
        emit::rust(&Dag::new(&self.roots), &self.vars)
    }

    /// What is known of a sub-expression of the answer, beyond what its operands' ranges say.
    pub fn range_of(&self, e: &Expr) -> Option<Interval> {
        self.ranges.get(&e.address()).copied()
    }
}
