//! The library call: expressions and a domain in, the cheapest equal expressions out.

mod answer;
mod input;
mod passes;
mod ranges;
mod run;
mod task;
mod written;

use answer::priced;
pub use answer::{Simplified, Step};
pub(crate) use passes::{Look, Passes, first_task};
pub use run::CompareError;
pub(crate) use task::Task;

use crate::cost::{CostModel, Gpu, price};
use crate::domain::{Domain, DomainError, Interval, RangesByName, VarFacts, intervals_of};
use crate::egraph::dot::dot;
use crate::egraph::extract::{Problem, Selection};
use crate::egraph::firing::{Before, Cause, Firing};
use crate::egraph::graph::{EClasses, warm_up};
use crate::egraph::ingest::{Ingested, Refused, ingest};
use crate::egraph::lin::Lin;
use crate::egraph::matcher::{Matcher, Next};
use crate::egraph::node::{Head, Node};
use crate::egraph::rebuild::{Written, rebuild};
use crate::egraph::saturate::{Outcome, Saturation};
use crate::egraph::view::view;
use crate::egraph::{Limits, StopReason};
use crate::expr::{Dag, Expr, var};
use crate::rules::RuleSet;
use crate::rules::program::AtOnce;
use crate::statistics::Recorder;
use egg::Id;
use std::rc::Rc;
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
    rules: Arc<RuleSet>,
    model: Arc<dyn CostModel>,
    limits: Limits,
    traced: bool,
    /// Hears of every e-graph of a call.
    pub(crate) recorder: Option<Arc<Recorder>>,
}

static SHIPPED: OnceLock<Arc<RuleSet>> = OnceLock::new();

impl Default for Simplifier {
    /// The shipped rules, the GPU cost model and the default limits.
    fn default() -> Simplifier {
        warm_up();
        Simplifier {
            rules: SHIPPED.get_or_init(|| Arc::new(RuleSet::shipped().clone())).clone(),
            model: Arc::new(Gpu),
            limits: Limits::default(),
            traced: false,
            recorder: None,
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
    /// Sums share so many terms that their normal forms would fill the memory. [`Simplifier::simplify`] answers such
    /// expressions as they are; what shows an e-graph cannot.
    #[error("sums that share terms have too many of them for an e-graph")]
    #[diagnostic(code(quaff::too_many_terms))]
    TooManyTerms,
}

impl SimplifyError {
    /// The part of the input that the error is about; look up its place with
    /// [`Parsed::span_of`](crate::expr::Parsed::span_of).
    pub fn culprit(&self) -> Option<&Expr> {
        match self {
            SimplifyError::Domain(_) | SimplifyError::TooManyTerms => None,
            SimplifyError::UnknownVariable(e) => Some(e),
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
            Refused::TooManyTerms => SimplifyError::TooManyTerms,
        }
    }
}

/// What a call begins with.
struct Entered {
    vars: Arc<[VarFacts]>,
    dag: Dag,
    e: EClasses,
    ranges: Vec<Interval>,
    values: Vec<Option<Rc<Lin>>>,
    roots: Vec<Id>,
    paid: Vec<Id>,
}

/// A saturated e-graph and what it was made of.
pub(crate) struct Search {
    pub(crate) e: EClasses,
    vars: Arc<[VarFacts]>,
    /// The variables as expressions, in the order of the domain, then the parts that have no normal form.
    pub(crate) names: Vec<Expr>,
    dag: Dag,
    /// What the ranges of variables say of the nodes of `dag`.
    ranges: Vec<Interval>,
    /// The nodes of `dag` in the e-graph, as far as they are kept.
    values: Vec<Option<Rc<Lin>>>,
    roots: Vec<Id>,
    /// Operations that the domain's assumptions compute: what uses them shares them.
    paid: Vec<Id>,
    /// Empty unless asked for.
    pub(crate) fired: Vec<Firing>,
    outcome: Outcome,
    traced: bool,
    matcher: Matcher,
}

impl Simplifier {
    /// With other rules.
    pub fn with_rules(mut self, rules: RuleSet) -> Simplifier {
        self.rules = Arc::new(rules);
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

    pub(crate) fn model(&self) -> &dyn CostModel {
        &*self.model
    }

    pub(crate) fn is_traced(&self) -> bool {
        self.traced
    }

    /// The rules in use.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The cheapest found expression with the values of `expr` at every point of `domain`; never dearer than `expr`.
    ///
    /// # Errors
    /// When the domain contradicts itself, a variable is not declared, or a divisor can be 0.
    pub fn simplify(&self, expr: &Expr, domain: &Domain) -> Result<Simplified, SimplifyError> {
        self.simplify_all(std::slice::from_ref(expr), domain)
    }

    /// Several expressions of one kernel together: what they share is counted once.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn simplify_all(&self, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
        Ok(self.passes(exprs, domain)?.answer())
    }

    /// One e-graph over all of `exprs`, nothing in the context of a condition.
    pub(crate) fn once(&self, exprs: &[Expr], domain: &Domain, traced: bool) -> Result<Simplified, SimplifyError> {
        let search = self.search(exprs, domain, traced)?;
        Ok(self.found(&search, exprs).0.unless_dearer_than(exprs, &search))
    }

    /// Runs the late rules on what was `written`; answers whether they found anything.
    pub(crate) fn finish(&self, search: &mut Search, written: &[Written]) -> bool {
        let Search { e, roots, fired, traced, matcher, .. } = search;
        let collects = *traced || self.recorder.is_some();
        let before = fired.len();
        let mut saturation = Saturation::new(e, &self.rules, self.limits, roots, matcher, collects.then_some(fired));
        match &self.recorder {
            None => saturation.finish(written),
            Some(recorder) => {
                let (news, profile) = saturation.profiled(|s| s.finish(written));
                recorder.add(&search.fired[before..], &profile);
                news
            }
        }
    }

    /// The cheapest expressions that `search` found, and the classes they are made of. As `exprs` are written they may cost
    /// less: their way of writing must not decide what is looked at next.
    pub(crate) fn found(&self, search: &Search, exprs: &[Expr]) -> (Simplified, Vec<Written>) {
        let (mut answer, classes) = self.extracted(search, exprs);
        if search.traced {
            answer.trace = self.steps(&search.e, &search.fired, &search.names);
        }
        (answer, classes)
    }

    /// The same without what fired.
    pub(crate) fn extracted(&self, search: &Search, exprs: &[Expr]) -> (Simplified, Vec<Written>) {
        let mut classes = Vec::new();
        let Search { e, vars, names, dag, ranges, roots, paid, outcome, traced, .. } = search;
        let input_cost = price(dag, ranges, &*self.model);
        // what assumptions say of parts counts for the answer, and so it does for the input that it is compared with
        let known = if e.assumed { search.known_ranges() } else { None };
        let most = known.map_or(input_cost, |known| price(dag, &known, &*self.model).min(input_cost));
        let by_name = RangesByName::new(vars);
        let range_of = |name: &str| by_name.of(name);
        let mut extracted = |roots: &[Id]| {
            let problem = Problem::new(e, &*self.model, roots);
            let selection = Selection::greedy(&problem);
            let mut r = rebuild(e, &problem, &selection, names)?;
            r.roots.truncate(exprs.len());
            classes = std::mem::take(&mut r.classes);
            // the text may share less than the selection, and its sums may need more bits: near the input's price, and where
            // anything is wide, it is priced itself
            let below = r.unshared <= most;
            let known = |x: &Expr| r.ranges.get(&x.address()).copied();
            let cost =
                (!(r.narrow && below)).then(|| priced(&Dag::with_origins(&r.roots), range_of, known, &*self.model));
            Some((r, cost))
        };
        let mut answer = extracted(&[&roots[..], paid].concat());
        // what the assumptions compute may be what they are equal to
        if !paid.is_empty() && answer.as_ref().is_none_or(|a| a.1.is_some_and(|c| c > most)) {
            answer = extracted(roots);
        }
        let (roots, ranges, narrow, free, cost) = match answer {
            Some((r, cost)) => (r.roots, r.ranges, r.narrow, r.free, cost),
            None => (exprs.to_vec(), search.facts_of_input(), false, false, None),
        };
        let answer = Simplified {
            roots,
            vars: vars.clone(),
            ranges,
            narrow,
            free,
            model: self.model.clone(),
            cost: cost.map_or_else(OnceLock::new, OnceLock::from),
            input_cost,
            most,
            stop: outcome.stop,
            rounds: outcome.rounds,
            nodes: e.graph.nodes().len(),
            traced: *traced,
            trace: Vec::new(),
        };
        (answer, classes)
    }

    /// Whether the rules find `a` and `b` equal, both given.
    pub(crate) fn finds_equal(&self, a: &Expr, b: &Expr, domain: &Domain) -> Result<bool, SimplifyError> {
        let Search { e, roots, .. } = self.search(&[a.clone(), b.clone()], domain, false)?;
        Ok(roots.iter().all(|&r| e.graph.find(r) == e.graph.find(roots[0]) || e.canonical(r) == e.canonical(roots[0])))
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
        Ok(dot(&view(&e, &roots, &problem, &selection, &names)))
    }

    /// The e-graph after saturation as a page to look into, which needs no other file: a drawing, and of each class its
    /// facts, its members, what uses it, and a cheap way to write it. Members of the answer are marked. Only with the
    /// feature `experiment`.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    #[cfg(feature = "experiment")]
    pub fn browse(&self, exprs: &[Expr], domain: &Domain) -> Result<String, SimplifyError> {
        let Search { e, names, roots, .. } = self.search(exprs, domain, false)?;
        let problem = Problem::new(&e, &*self.model, &roots);
        let selection = Selection::greedy(&problem);
        let view = view(&e, &roots, &problem, &selection, &names);
        Ok(crate::egraph::browse::page(&e, &view, exprs, &*self.model, &names))
    }

    /// Ingests and saturates.
    pub(crate) fn search(&self, exprs: &[Expr], domain: &Domain, traced: bool) -> Result<Search, SimplifyError> {
        self.search_in(Dag::new(exprs), domain, traced)
    }

    /// The same for expressions in flat form.
    fn search_in(&self, dag: Dag, domain: &Domain, traced: bool) -> Result<Search, SimplifyError> {
        let mut search = self.ingested(dag, domain, traced)?;
        self.saturate(&mut search);
        Ok(search)
    }

    /// The e-graph as it is before any rule is run: the normal form.
    fn ingested(&self, dag: Dag, domain: &Domain, traced: bool) -> Result<Search, SimplifyError> {
        let Entered { vars, dag, mut e, ranges, values, roots, paid } =
            self.entered(dag, domain, self.rules.at_once(), traced || self.recorder.is_some())?;
        let names = names(&vars, &e);
        let outcome = Outcome { stop: StopReason::Saturated, rounds: 0 };
        let fired = e.take_decided();
        let matcher = Matcher::new(self.rules.slots());
        Ok(Search { e, vars, names, dag, ranges, values, roots, paid, fired, outcome, traced, matcher })
    }

    /// Runs the rules.
    fn saturate(&self, search: &mut Search) {
        let Search { e, roots, fired, traced, matcher, .. } = search;
        let collects = *traced || self.recorder.is_some();
        let mut saturation = Saturation::new(e, &self.rules, self.limits, roots, matcher, collects.then_some(fired));
        search.outcome = match &self.recorder {
            None => saturation.run(),
            Some(recorder) => {
                let (outcome, profile) = saturation.profiled(Saturation::run);
                recorder.add(&search.fired, &profile);
                outcome
            }
        };
    }

    /// What the cheapest expressions found so far cost, as the extraction counts before it tries changes.
    fn price_of(&self, search: &Search) -> u64 {
        Selection::trees(&Problem::new(&search.e, &*self.model, &search.roots)).price()
    }

    /// The e-graph of the roots of `dag` before any rule is run, but for those of `at_once`; what they do is collected if
    /// asked for.
    fn entered(&self, dag: Dag, domain: &Domain, at_once: AtOnce, collects: bool) -> Result<Entered, SimplifyError> {
        let vars: Arc<[VarFacts]> = domain.resolve()?.into();
        let mut e = EClasses::new(&vars, self.model.clone());
        e.apply_at_once(at_once, collects);
        let position = |name: &str| domain.position(name);
        let range_of = |name: &str| position(name).map_or(Interval::ALL, |p| vars[p].interval);
        // symbolic ends first: they are part of the domain, and rules may prove things with them
        for (i, v) in vars.iter().enumerate() {
            let ends: Vec<Expr> = v.lower.iter().chain(&v.upper).cloned().collect();
            if ends.is_empty() {
                continue;
            }
            let ends = Dag::new(&ends);
            let mut lins = ingest(&mut e, &ends, &intervals_of(&ends, range_of), &position)?.roots.into_iter();
            let lower = v.lower.as_ref().and_then(|_| lins.next());
            let upper = v.upper.as_ref().and_then(|_| lins.next());
            e.set_symbolic_ends(i, lower.map(|l| (*l).clone()), upper.map(|l| (*l).clone()));
        }
        let mut paid = Vec::new();
        if !domain.assumptions().is_empty() {
            let conditions = Dag::new(domain.assumptions());
            let lins = ingest(&mut e, &conditions, &intervals_of(&conditions, range_of), &position)?.roots;
            // of a condition without a normal form nothing is known
            let ids: Vec<Id> = lins.iter().filter_map(|lin| e.class_of(lin).and_then(|id| e.truth(id))).collect();
            paid = e.operations();
            e.assume(&ids).map_err(|_| never_holds(domain))?;
        }
        let ranges = intervals_of(&dag, range_of);
        let Ingested { roots: lins, values } = ingest(&mut e, &dag, &ranges, &position)?;
        let mut roots = Vec::with_capacity(lins.len());
        for (lin, &root) in lins.iter().zip(dag.roots()) {
            let class = e.class_of(lin);
            roots.push(class.unwrap_or_else(|| e.opaque(dag.origin(root).clone(), ranges[root as usize])));
        }
        if !domain.assumptions().is_empty() {
            // what is known of the sums of the expressions, some of it by rounding, says more of one another
            e.settle_rows().map_err(|_| never_holds(domain))?;
        }
        Ok(Entered { vars, dag, e, ranges, values, roots, paid })
    }

    /// Every match of the rules on `expr` as it stands, remainders written out, and what follows from none of them: what
    /// is true of these steps rests on the rules alone.
    pub(crate) fn matches(&self, expr: &Expr, domain: &Domain) -> Result<Vec<Step>, SimplifyError> {
        /// Matches kept of one node or spelling.
        const MOST: usize = 4;
        // what is decided at once is no e-node that a rule could match
        let dag = Dag::new(std::slice::from_ref(expr));
        let Entered { vars, mut e, .. } = self.entered(dag, domain, AtOnce::default(), false)?;
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
                matcher.run(&mut e, self.rules.tree(node.head()), id, &node, |e, m, rule, to| {
                    let rule = (rule, &self.rules.rules()[rule as usize]);
                    fired.push(Firing::of_rule(e, rule, m, Before::Node(node.clone()), &to));
                    if fired.len() < before + MOST { Next::More } else { Next::Stop }
                });
            }
            for sum in e.spellings(id) {
                for of_sums in [self.rules.sums(true), self.rules.late()] {
                    let before = fired.len();
                    matcher.run_sum(&mut e, &of_sums.tree, id, &sum, |e, m, rule, to| {
                        let rule = (rule, &self.rules.rules()[rule as usize]);
                        fired.push(Firing::of_rule(e, rule, m, Before::Sum(sum.clone()), &to));
                        if fired.len() < before + MOST { Next::More } else { Next::Stop }
                    });
                }
            }
        }
        e.graph.rebuild();
        let names = names(&vars, &e);
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
                let (after, before) = (r.pop()?, r.pop()?);
                let rule = match f.cause {
                    Cause::Rule(at, _) => self.rules.rules()[at].name(),
                    Cause::Judged(judgement) => judgement.name(),
                };
                // what the engine concludes may differ in operands that are written alike by now
                let news = matches!(f.cause, Cause::Rule(..)) || before != after;
                news.then(|| Step { rule: rule.to_string(), conditions: Vec::new(), before, after })
            })
            .collect()
    }
}

/// What the variables of `e` are written as.
fn names(vars: &[VarFacts], e: &EClasses) -> Vec<Expr> {
    vars.iter().map(|v| var(v.name.clone())).chain(e.opaque_parts.iter().cloned()).collect()
}

fn never_holds(domain: &Domain) -> DomainError {
    let conditions: Vec<String> = domain.assumptions().iter().map(|c| c.to_string()).collect();
    DomainError::NeverHolds { conditions: conditions.join(", ") }
}
