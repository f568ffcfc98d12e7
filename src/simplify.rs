//! The library call: expressions and a domain in, the cheapest equal expressions out.

use crate::cost::{CostModel, Gpu, Narrow, price};
use crate::domain::{Domain, DomainError, Interval, VarFacts, intervals_of};
use crate::egraph::dot::dot;
use crate::egraph::extract::{Problem, Selection};
use crate::egraph::graph::{EClasses, warm_up};
use crate::egraph::ingest::{Refused, ingest};
use crate::egraph::lin::Lin;
use crate::egraph::matcher::{Matcher, Next};
use crate::egraph::node::{Head, Node};
use crate::egraph::rebuild::rebuild;
use crate::egraph::saturate::{Before, Cause, Firing, Outcome, Saturation};
use crate::egraph::view::view;
use crate::egraph::{Limits, StopReason};
use crate::emit::{self, Text};
use crate::expr::{Dag, Expr, var};
use crate::lower::{LowerError, Lowered, Wide, lower_with};
use crate::refine::{Refined, is_conditional, refined};
use crate::rules::RuleSet;
use crate::statistics::Recorder;
use egg::Id;
use rustc_hash::FxHashMap;
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
#[non_exhaustive]
pub struct Step {
    /// The rule's name, or that of a step which the engine takes without a rule.
    pub rule: String,
    /// Where it was found so: all points where these hold. Empty for all points of the domain.
    pub conditions: Vec<Expr>,
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
    paid: Vec<Id>,
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
    /// Operations that the domain's assumptions compute: what uses them shares them.
    paid: Vec<Id>,
    /// Empty unless asked for.
    pub(crate) fired: Vec<Firing>,
    outcome: Outcome,
    traced: bool,
}

/// What a call went through.
pub(crate) struct Passes {
    pub(crate) first: Simplified,
    /// Each cheaper than what was before.
    pub(crate) looks: Vec<Look>,
}

/// One more look at an expression.
pub(crate) struct Look {
    /// Its parts under conditions.
    pub(crate) parts: Refined,
    /// Whether the parts are those of the input, and not of the answer before.
    pub(crate) of_input: bool,
    /// What came of them.
    pub(crate) answer: Simplified,
}

impl Passes {
    fn last(&self) -> &Simplified {
        self.looks.last().map_or(&self.first, |l| &l.answer)
    }

    pub(crate) fn answer(self) -> Simplified {
        self.looks.into_iter().fold(self.first, Simplified::followed_by)
    }
}

/// The answer to one call.
#[derive(Clone)]
pub struct Simplified {
    roots: Vec<Expr>,
    vars: Vec<VarFacts>,
    ranges: FxHashMap<usize, Interval>,
    /// Whether 32 bits hold everything, as far as a first look tells.
    narrow: bool,
    model: Arc<dyn CostModel>,
    cost: OnceLock<u64>,
    input_cost: u64,
    stop: StopReason,
    rounds: u32,
    nodes: usize,
    traced: bool,
    trace: Vec<Step>,
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

    /// The simplifier of clauses under the other clauses.
    pub(crate) fn for_clauses(&self) -> Simplifier {
        let Limits { rounds, nodes, visits } = self.limits;
        self.clone().with_limits(Limits {
            rounds: rounds.div_ceil(2),
            nodes: (nodes * 2).div_ceil(5),
            visits: visits.div_ceil(2),
        })
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

    /// The range of every node of `dag` at the points of `domain`, as far as what is assumed and declared says.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub(crate) fn ranges_under(&self, dag: &Dag, domain: &Domain) -> Result<Vec<Interval>, SimplifyError> {
        let parts: Vec<Expr> = (0..dag.nodes().len() as u32).map(|i| dag.origin(i).clone()).collect();
        let Entered { e, roots, .. } = self.entered(&parts, domain)?;
        Ok(roots.iter().map(|&r| e.facts(r).interval).collect())
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
    /// When the domain contradicts itself, a variable is not declared, a divisor can be 0, or a constant overflows.
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

    /// All of `exprs`, then their parts under conditions, then all once more.
    pub(crate) fn passes(&self, exprs: &[Expr], domain: &Domain) -> Result<Passes, SimplifyError> {
        let mut search = self.search(exprs, domain, self.traced)?;
        let (first, mut written) = self.answered(&search, exprs);
        let limited = first.stop != StopReason::Saturated;
        let mut passes = Passes { first, looks: Vec::new() };
        if search.dag.nodes().iter().any(|n| is_conditional(&n.op)) {
            // where a limit ended the search, its answer may hide what the conditions would say of the input
            for of_input in [true, false].into_iter().filter(|&of_input| limited || !of_input) {
                let Some(parts) = refined(self, if of_input { exprs } else { passes.last().exprs() }, domain, of_input)
                else {
                    continue;
                };
                let again = self.search(&parts.exprs, domain, self.traced)?;
                let (answer, classes) = self.answered(&again, &parts.exprs);
                if answer.cost() < passes.last().cost() {
                    (search, written) = (again, classes);
                    passes.looks.push(Look { parts, of_input, answer });
                }
            }
        }
        match passes.looks.last_mut() {
            None => self.improve(&mut passes.first, &mut search, &written, exprs),
            Some(Look { parts, answer, .. }) => self.improve(answer, &mut search, &written, &parts.exprs),
        }
        Ok(match self.narrower(passes.last(), passes.first.input_cost, exprs, domain)? {
            Some(first) => Passes { first, looks: Vec::new() },
            None => passes,
        })
    }

    /// For an `answer` that needs 64 bits while `exprs`, which cost `input_cost`, do not: one that does not either.
    fn narrower(
        &self,
        answer: &Simplified,
        input_cost: u64,
        exprs: &[Expr],
        domain: &Domain,
    ) -> Result<Option<Simplified>, SimplifyError> {
        if answer.is_certainly_narrow() {
            return Ok(None);
        }
        let is_wide = |l: Result<Lowered, LowerError>| l.map_or(true, |l| !l.wide().is_empty());
        let input_is_wide = is_wide(lower_with(&Dag::new(exprs), &answer.vars, |_| Interval::ALL));
        if input_is_wide || !is_wide(answer.lowered()) {
            return Ok(None);
        }
        let narrow = Simplifier { model: Arc::new(Narrow(self.model.clone())), ..self.clone() };
        let mut second = narrow.once(exprs, domain, self.traced)?;
        second.model = self.model.clone();
        second.input_cost = input_cost;
        second.rounds += answer.rounds;
        second.nodes += answer.nodes;
        let worse = second.cost() * 10.0 > input_cost as f64;
        Ok(Some(if worse || is_wide(second.lowered()) { second.withdrawn(exprs) } else { second }))
    }

    /// One e-graph over all of `exprs`, nothing in the context of a condition.
    pub(crate) fn once(&self, exprs: &[Expr], domain: &Domain, traced: bool) -> Result<Simplified, SimplifyError> {
        Ok(self.answered(&self.search(exprs, domain, traced)?, exprs).0)
    }

    /// Puts what the late rules find in place of `answer` to `exprs`, where that is cheaper; the answer's classes in `search`
    /// were `written`.
    fn improve(&self, answer: &mut Simplified, search: &mut Search, written: &[Id], exprs: &[Expr]) {
        let heads = written.iter().fold(0, |heads, &id| heads | search.e.facts(id).heads);
        if heads & self.rules.late().term_heads == 0 {
            return;
        }
        if self.finish(search, written) {
            let (other, _) = self.answered(search, exprs);
            if other.cost() < answer.cost() {
                *answer = other;
                return;
            }
        }
        if search.traced {
            // what fired and was of no use is told, too
            answer.trace = self.steps(&search.e, &search.fired, &search.names);
        }
    }

    /// Runs the late rules on `classes`; answers whether they found anything.
    pub(crate) fn finish(&self, search: &mut Search, classes: &[Id]) -> bool {
        let Search { e, roots, fired, traced, .. } = search;
        let collects = *traced || self.recorder.is_some();
        let before = fired.len();
        let mut saturation = Saturation::new(e, &self.rules, self.limits, roots, collects.then_some(fired));
        match &self.recorder {
            None => saturation.finish(classes),
            Some(recorder) => {
                let (news, profile) = saturation.profiled(|s| s.finish(classes));
                recorder.add(&search.fired[before..], &profile);
                news
            }
        }
    }

    /// The cheapest expressions that `search` found, and the classes they are made of.
    pub(crate) fn answered(&self, search: &Search, exprs: &[Expr]) -> (Simplified, Vec<Id>) {
        let mut classes = Vec::new();
        let Search { e, vars, names, dag, ranges, roots, paid, fired, outcome, traced } = search;
        let input_cost = price(dag, ranges, &*self.model);
        let range_of = |name: &str| vars.iter().find(|v| &*v.name == name).map_or(Interval::ALL, |v| v.interval);
        let mut extracted = |roots: &[Id]| {
            let problem = Problem::new(e, &*self.model, roots);
            let selection = Selection::greedy(&problem);
            let expected = selection.price();
            let mut r = rebuild(e, &problem, &selection, names)?;
            r.roots.truncate(exprs.len());
            classes = std::mem::take(&mut r.classes);
            // the text may share less than the selection: near the input's price it is priced itself
            let far_below = expected.saturating_mul(2) < input_cost;
            let known = |x: &Expr| r.ranges.get(&x.address()).copied();
            (far_below || priced(&r.roots, range_of, known, &*self.model) <= input_cost).then_some(r)
        };
        let answer = match paid.is_empty() {
            true => extracted(roots),
            // what the assumptions compute may be what they are equal to
            false => extracted(&[&roots[..], paid].concat()).or_else(|| extracted(roots)),
        };
        let (roots, ranges, narrow) = match answer {
            Some(r) => (r.roots, r.ranges, r.narrow),
            None => (exprs.to_vec(), FxHashMap::default(), false),
        };
        let trace = if *traced { self.steps(e, fired, names) } else { Vec::new() };
        let answer = Simplified {
            roots,
            vars: vars.clone(),
            ranges,
            narrow,
            model: self.model.clone(),
            cost: OnceLock::new(),
            input_cost,
            stop: outcome.stop,
            rounds: outcome.rounds,
            nodes: e.graph.nodes().len(),
            traced: *traced,
            trace,
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
        let Entered { vars, dag, mut e, ranges, roots, paid } = self.entered(exprs, domain)?;
        let mut fired: Vec<Firing> = Vec::new();
        let collects = traced || self.recorder.is_some();
        let mut saturation = Saturation::new(&mut e, &self.rules, self.limits, &roots, collects.then_some(&mut fired));
        let outcome = match &self.recorder {
            None => saturation.run(),
            Some(recorder) => {
                let (outcome, profile) = saturation.profiled(Saturation::run);
                recorder.add(&fired, &profile);
                outcome
            }
        };
        let names = vars.iter().map(|v| var(v.name.clone())).collect();
        Ok(Search { e, vars, names, dag, ranges, roots, paid, fired, outcome, traced })
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
        let mut paid = Vec::new();
        if !domain.assumptions().is_empty() {
            let conditions = Dag::new(domain.assumptions());
            let lins = ingest(&mut e, &conditions, &intervals_of(&conditions, range_of), &position)?;
            let mut ids = Vec::with_capacity(lins.len());
            for (lin, condition) in lins.iter().zip(domain.assumptions()) {
                let truth = e.class_of(lin).and_then(|id| e.truth(id));
                ids.push(truth.ok_or_else(|| SimplifyError::Overflow(condition.clone()))?);
            }
            paid = e.operations();
            e.assume(&ids).map_err(|_| never_holds(domain))?;
        }
        let ranges = intervals_of(&dag, range_of);
        let lins = ingest(&mut e, &dag, &ranges, &position)?;
        let mut roots = Vec::with_capacity(lins.len());
        for (lin, expr) in lins.iter().zip(exprs) {
            roots.push(e.class_of(lin).ok_or_else(|| SimplifyError::Overflow(expr.clone()))?);
        }
        if !domain.assumptions().is_empty() {
            // what is known of the sums of the expressions, some of it by rounding, says more of one another
            e.settle_rows().map_err(|_| never_holds(domain))?;
        }
        Ok(Entered { vars, dag, e, ranges, roots, paid })
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
                matcher.run(&mut e, self.rules.tree(node.head()), id, &node, |e, m, rule, to| {
                    let rule = (rule, &self.rules.rules()[rule as usize]);
                    fired.push(Firing::of_rule(e, rule, m, Before::Node(node.clone()), &to));
                    if fired.len() < before + MOST { Next::More } else { Next::Stop }
                });
            }
            for sum in e.spellings(id) {
                for of_sums in [self.rules.sums(), self.rules.late()] {
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

impl Simplified {
    /// The answer found by looking at this one again, its parts under conditions first.
    fn followed_by(self, look: Look) -> Simplified {
        let Look { parts, of_input, answer: mut second } = look;
        second.input_cost = self.input_cost;
        second.rounds += self.rounds;
        second.nodes += self.nodes;
        if self.traced {
            let mut trace = if of_input { Vec::new() } else { self.trace };
            for part in parts.steps {
                let conditions = part.conditions;
                trace.extend(part.trace.into_iter().map(|s| Step { conditions: conditions.clone(), ..s }));
                let rule = part.why.name().to_string();
                trace.push(Step { rule, conditions, before: part.before, after: part.after });
            }
            trace.append(&mut second.trace);
            second.trace = trace;
        }
        second
    }

    /// The same call answered with its `input` as it stands: for an answer that turned out wrong.
    ///
    /// Costs and texts are those of `input`; limits, counts and trace stay those of the search.
    pub fn withdrawn(mut self, input: &[Expr]) -> Simplified {
        self.roots = input.to_vec();
        self.ranges = FxHashMap::default();
        self.narrow = false;
        self.cost = OnceLock::new();
        self
    }
}

fn never_holds(domain: &Domain) -> DomainError {
    let conditions: Vec<String> = domain.assumptions().iter().map(|c| c.to_string()).collect();
    DomainError::NeverHolds { conditions: conditions.join(", ") }
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

    /// The rules that fired, in order, and the steps that the engine took without one; empty unless asked for with
    /// [`Simplifier::with_trace`].
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

    /// The sub-expressions that need 64 bits, each made from what does not; empty when 32 suffice. An answer needs 64 bits
    /// only where its input did.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let domain = Domain::new().with("i", 0..1 << 20).with("j", 0..1 << 13);
    /// let index: Expr = "i*8192 + j".parse()?;
    /// let answer = Simplifier::default().simplify(&index, &domain)?;
    /// assert_eq!(answer.wide()?[0].to_string(), "`i*8192` needs 64 bits: its range is 0..8589926400");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When a value needs more than 64 bits.
    pub fn wide(&self) -> Result<Vec<Wide>, LowerError> {
        if self.is_certainly_narrow() {
            return Ok(Vec::new());
        }
        Ok(self.lowered()?.wide().to_vec())
    }

    /// Whether every part fits `int` by ranges alone.
    fn is_certainly_narrow(&self) -> bool {
        if self.narrow {
            return true;
        }
        let dag = Dag::new(&self.roots);
        let range_of = |name: &str| self.vars.iter().find(|v| &*v.name == name).map_or(Interval::ALL, |v| v.interval);
        intervals_of(&dag, range_of).iter().all(|r| r.within(i32::MIN.into(), i32::MAX.into()))
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
