//! How an answer follows from its input, each step checked on its own.

mod allowance;
mod sources;
mod text;

use allowance::Allowance;
use sources::find_sources;
use text::text;

use crate::domain::{Congruence, Domain, Interval, VarFacts};
use crate::egraph::Limits;
use crate::egraph::firing::{Bound, BoundTo, Cause};
use crate::egraph::judgement::Judgement;
use crate::egraph::origin::Origins;
use crate::expr::{Dag, Expr, Op};
use crate::quasi::{Decision, Options, Verdict, decide};
use crate::refine::{Context, Refinement};
use crate::rules::RuleSet;
use crate::simplify::{Look, Passes, Task, first_task};
use crate::{Simplified, Simplifier, SimplifyError};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rules are left out one by one, to find those that matter, when at most so many fired.
const MAX_RULES: usize = 32;

/// Nodes, of the input and e-nodes of its searches, times the rules that fired, up to which rules are left out one by
/// one: each takes a search of its own.
const MAX_SEARCHED: usize = 1 << 16;

/// Why `before` may be replaced by `after`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// Normal forms and what the ranges say, without any rule.
    NormalForm,
    /// A rule.
    Rule {
        /// Its name.
        name: String,
        /// Why it holds, in the words of whoever wrote it.
        why: String,
    },
    /// A step that the engine takes without a rule.
    Engine {
        /// Its name, which no rule has.
        name: &'static str,
        /// Why it holds.
        why: &'static str,
    },
    /// A part looked at on its own, where the conditions of the step hold.
    Context {
        /// What was seen, for example `under-conditions`; no rule has this name.
        name: &'static str,
        /// Why it holds.
        why: &'static str,
    },
    /// The parts that were found under conditions, each put where it was taken from.
    InPlace,
    /// The cheapest of all that was found equal, under the cost model, in instructions.
    Choice {
        /// The cost of `before`.
        from: f64,
        /// The cost of `after`.
        to: f64,
    },
}

impl Reason {
    /// The name of the rule or of the step: `normal-form`, `in-place` and `cheapest` are those without one of their own.
    pub fn name(&self) -> &str {
        match self {
            Reason::NormalForm => "normal-form",
            Reason::Rule { name, .. } => name,
            Reason::Engine { name, .. } | Reason::Context { name, .. } => name,
            Reason::InPlace => "in-place",
            Reason::Choice { .. } => "cheapest",
        }
    }
}

/// What a rule stood on when it fired.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fact {
    /// A name of the rule stood for this number.
    Number {
        /// The name, without its sign.
        name: String,
        /// The number.
        value: i64,
    },
    /// A name of the rule stood for this expression, of which this was known.
    Value {
        /// The name, without its sign.
        name: String,
        /// The expression.
        expr: Expr,
        /// Where its values lie.
        range: Interval,
        /// What they leave over.
        congruence: Congruence,
    },
    /// A declared end that is not a number.
    End(Expr),
}

/// Where the part that a step is about stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// In the input.
    Input,
    /// In the result of an earlier step, which is the latest that has it; counted from 0.
    Step(usize),
    /// It is another spelling of what is there: sums are multiplied out and merge.
    Spelling,
}

/// One step of an [`Explanation`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explained {
    /// Why it may be taken.
    pub reason: Reason,
    /// Where it holds: all points at which these do. Empty for all points of the domain.
    pub conditions: Vec<Expr>,
    /// A part of what is known by then.
    pub before: Expr,
    /// What it was found equal to.
    pub after: Expr,
    /// Where `before` stands.
    pub source: Source,
    /// What satisfied the guards, for a rule that has any.
    pub facts: Vec<Fact>,
    /// What the exact procedure, which knows nothing of rules, says of it.
    pub check: Decision,
    /// The same in detail, where the conditions are assumed: from `before` to `after`.
    pub steps: Vec<Explained>,
}

impl Fact {
    /// The expression, in which a long one is only measured; `None` for a number.
    pub fn text(&self) -> Option<String> {
        match self {
            Fact::Number { .. } => None,
            Fact::Value { expr, .. } | Fact::End(expr) => Some(text(expr)),
        }
    }
}

impl Explained {
    /// [`before`](Self::before) and [`after`](Self::after) as infix text; where what they share makes that too long to be
    /// of use, their size.
    pub fn texts(&self) -> [String; 2] {
        [&self.before, &self.after].map(text)
    }
}

/// How an answer follows from its input; made by [`Simplifier::explain`].
///
/// The first step brings the input to normal form (unless it is), the last one chooses the cheapest form. The steps in
/// between are the rules without which the answer would be another one, in the order in which they fired, on the parts
/// that they fired on, and what the engine concluded without a rule. What they found equal merges, sums of it are
/// multiplied out and merge in turn: that is no step. Where parts were looked at under the conditions they are used
/// under, there is a step for each, with steps of its own, then one that puts them in place, and the same once more.
#[derive(Clone, Debug)]
pub struct Explanation {
    input: Expr,
    answer: Simplified,
    steps: Vec<Explained>,
    check: Decision,
    shortened: Vec<Shortened>,
}

/// What a limit left out of an [`Explanation`], whose answer it does not concern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shortened {
    /// Rules were not left out one by one: some that are told may not matter.
    AllRules {
        /// How many fired.
        fired: usize,
    },
    /// Firings are not told.
    Steps {
        /// How many.
        left_out: usize,
    },
    /// Steps were not checked, after those before took all the work that is allowed for checks.
    Checks {
        /// How many.
        left_out: usize,
    },
}

impl Simplifier {
    /// The answer of [`simplify`](Self::simplify) and how it came about, each step checked within `options`.
    ///
    /// Simplifies once more for each rule that fired, to leave out those that do not matter, unless that would take long.
    /// How many steps are told and how much work their checks may take together is limited: what that left out is
    /// [said](Explanation::shortened), the answer is the same.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr, quasi::Options};
    ///
    /// let address: Expr = "(i*4 + j) // 4".parse()?;
    /// let domain = Domain::new().with("i", 0..16).with("j", 0..4);
    /// let explanation = Simplifier::default().explain(&address, &domain, &Options::default())?;
    /// assert_eq!(explanation.answer().expr().to_string(), "i");
    /// assert!(explanation.is_checked());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn explain(&self, expr: &Expr, domain: &Domain, options: &Options) -> Result<Explanation, SimplifyError> {
        let plain = self.clone().with_trace(false);
        let answer = plain.simplify(expr, domain)?;
        // what these rules go through is what is told
        let (few, mut shortened) = plain.that_matter(std::slice::from_ref(expr), domain, &answer)?;
        let passes = few.passes(std::slice::from_ref(expr), domain)?;
        let mut allowance = Allowance::new(options);
        let mut whole = Explainer::new(&few, domain, &mut allowance)?;
        let Passes { first, looks } = &passes;
        let mut known = expr;
        if looks.first().is_none_or(|l| !l.of_input) {
            whole.pass(first_task(&Dag::new(std::slice::from_ref(expr))), expr, first)?;
            known = first.expr();
        }
        for Look { parts, answer, .. } in looks {
            for part in &parts.steps {
                whole.part(part)?;
            }
            let after = &parts.exprs[0];
            whole.push(Reason::InPlace, known.clone(), after.clone(), Vec::new());
            whole.pass(Task::WholeAgain, after, answer)?;
            known = answer.expr();
        }
        let mut steps = whole.steps;
        find_sources(expr, &mut steps);
        let Allowance { left_out, unchecked, .. } = allowance;
        shortened.extend((left_out > 0).then_some(Shortened::Steps { left_out }));
        shortened.extend((unchecked > 0).then_some(Shortened::Checks { left_out: unchecked }));
        let check = decide(expr, answer.expr(), domain, options);
        Ok(Explanation { input: expr.clone(), check, answer, steps, shortened })
    }

    /// With those rules only without which the answer would be another one; or with all, where to find them takes long.
    pub(crate) fn that_matter(
        self,
        exprs: &[Expr],
        domain: &Domain,
        answer: &Simplified,
    ) -> Result<(Simplifier, Vec<Shortened>), SimplifyError> {
        let fired = self.recorded(exprs, domain)?.1.first_fired();
        let names: Vec<String> = fired.into_iter().map(|r| self.rules().rules()[r].name().into()).collect();
        let nodes = Dag::new(exprs).nodes().len().saturating_add(answer.nodes());
        if names.len() > MAX_RULES || names.len().saturating_mul(nodes) > MAX_SEARCHED {
            return Ok((self, vec![Shortened::AllRules { fired: names.len() }]));
        }
        let mut kept = self;
        let all = kept.rules().retain(|r| names.iter().any(|n| n == r));
        // where rules that never fire end a search early, they matter
        let without_idle = kept.clone().with_rules(all);
        if without_idle.simplify_all(exprs, domain)?.exprs() == answer.exprs() {
            kept = without_idle;
        }
        for name in &names {
            let fewer = kept.clone().with_rules(kept.rules().retain(|r| r != name));
            if fewer.simplify_all(exprs, domain)?.exprs() == answer.exprs() {
                kept = fewer;
            }
        }
        Ok((kept, Vec::new()))
    }
}

/// Writes steps, of which all are about one domain.
struct Explainer<'a> {
    simplifier: &'a Simplifier,
    domain: &'a Domain,
    allowance: &'a mut Allowance,
    /// Symbolic ends of variables.
    ends: FxHashMap<String, Vec<Expr>>,
    steps: Vec<Explained>,
}

impl<'a> Explainer<'a> {
    fn new(
        simplifier: &'a Simplifier,
        domain: &'a Domain,
        allowance: &'a mut Allowance,
    ) -> Result<Self, SimplifyError> {
        let ends = domain.resolve()?.iter().map(|v| (v.name.to_string(), ends(v))).collect();
        Ok(Explainer { simplifier, domain, allowance, ends, steps: Vec::new() })
    }

    fn push(&mut self, reason: Reason, before: Expr, after: Expr, facts: Vec<Fact>) {
        let check = self.allowance.check(&before, &after, self.domain);
        let (conditions, source, steps) = (Vec::new(), Source::Spelling, Vec::new());
        self.steps.push(Explained { reason, conditions, before, after, source, facts, check, steps });
    }

    /// One e-graph: normal form, rules, choice.
    fn pass(&mut self, task: Task, input: &Expr, answer: &Simplified) -> Result<(), SimplifyError> {
        let (roots, domain) = (std::slice::from_ref(input), self.domain);
        let simplifier = self.simplifier.for_task(task);
        let mut bare = simplifier.clone().with_rules(RuleSet::empty());
        let judged = bare.search(roots, domain, true)?.fired;
        if !judged.is_empty() {
            // what the engine concludes in its first round is told by name
            bare = bare.with_limits(Limits { rounds: 0, ..Limits::default() });
        }
        let normal = bare.once(roots, domain, false)?;
        if normal.expr() != input {
            self.push(Reason::NormalForm, input.clone(), normal.expr().clone(), Vec::new());
        }
        if normal.expr() != answer.expr() {
            let mut search = simplifier.search(roots, domain, true)?;
            let written = simplifier.extracted(&search, roots).1;
            simplifier.finish(&mut search, &written);
            let mut origins = Origins::new(&search.e, &search.names);
            let mut told = FxHashSet::default();
            for fired in &search.fired {
                if !self.allowance.tells() {
                    continue;
                }
                let Some((before, after)) = origins.step(fired) else { continue };
                self.allowance.wrote(&before, &after);
                if before == after || !told.insert((before.clone(), after.clone())) {
                    continue;
                }
                let (reason, facts) = match &fired.cause {
                    Cause::Rule(rule, bound) => {
                        let rule = &simplifier.rules().rules()[*rule];
                        let (name, why) = (rule.name().into(), rule.reason().into());
                        (Reason::Rule { name, why }, self.facts(&mut origins, bound))
                    }
                    // what merges by itself is no step
                    Cause::Judged(Judgement::NormalForm) => continue,
                    Cause::Judged(j) => (Reason::Engine { name: j.name(), why: j.reason() }, Vec::new()),
                };
                self.allowance.told();
                self.push(reason, before, after, facts);
            }
        }
        let costs = Reason::Choice { from: normal.cost(), to: answer.cost() };
        self.push(costs, normal.expr().clone(), answer.expr().clone(), Vec::new());
        Ok(())
    }

    /// A part under the conditions it is used under.
    fn part(&mut self, part: &Refinement) -> Result<(), SimplifyError> {
        let Refinement { why, conditions, before, after, clause, .. } = part;
        let domain = conditions.iter().cloned().fold(self.domain.clone(), Domain::assume);
        let check = self.allowance.check(before, after, &domain);
        let mut steps = Vec::new();
        if *why == Context::Simplified {
            let task = if *clause { Task::Clause } else { Task::Branch };
            let answer = self.simplifier.for_task(task).once(std::slice::from_ref(before), &domain, false)?;
            let mut inner = Explainer::new(self.simplifier, &domain, self.allowance)?;
            inner.pass(task, before, &answer)?;
            steps = inner.steps;
            find_sources(before, &mut steps);
        }
        let reason = Reason::Context { name: why.name(), why: why.reason() };
        let (conditions, before, after) = (conditions.clone(), before.clone(), after.clone());
        let (facts, source) = (Vec::new(), Source::Spelling);
        self.steps.push(Explained { reason, conditions, before, after, source, facts, check, steps });
        Ok(())
    }

    /// What a rule stood on, and the symbolic ends that may have decided its guards.
    fn facts(&self, origins: &mut Origins, bound: &[Bound]) -> Vec<Fact> {
        let mut out = Vec::new();
        let mut ends: Vec<Expr> = Vec::new();
        for Bound { name, value } in bound {
            let name = name.clone();
            match value {
                BoundTo::Number(value) => out.push(Fact::Number { name, value: *value }),
                BoundTo::Sum(lin, range, congruence) => {
                    let Some(expr) = origins.sum(lin) else { continue };
                    let dag = Dag::new(std::slice::from_ref(&expr));
                    for node in dag.nodes() {
                        if let Op::Var(v) = &node.op
                            && let Some(of) = self.ends.get(&v.to_string())
                        {
                            ends.extend(of.iter().filter(|e| !ends.contains(e)).cloned().collect::<Vec<_>>());
                        }
                    }
                    out.push(Fact::Value { name, expr, range: *range, congruence: *congruence });
                }
            }
        }
        out.extend(ends.into_iter().map(Fact::End));
        out
    }
}

/// Comparisons of a variable with its ends that are not constant.
fn ends(v: &VarFacts) -> Vec<Expr> {
    let name = crate::expr::var(v.name.clone());
    let lower = v.lower.iter().map(|l| Expr::new(Op::Le, [l.clone(), name.clone()]));
    let upper = v.upper.iter().map(|u| Expr::new(Op::Le, [name.clone(), u.clone()]));
    lower.chain(upper).collect()
}

impl Explanation {
    /// What was asked.
    pub fn input(&self) -> &Expr {
        &self.input
    }

    /// What is explained.
    pub fn answer(&self) -> &Simplified {
        &self.answer
    }

    /// From the input to the answer.
    pub fn steps(&self) -> &[Explained] {
        &self.steps
    }

    /// What the exact procedure says of input and answer.
    pub fn check(&self) -> &Decision {
        &self.check
    }

    /// What limits left out; empty for all but large inputs.
    pub fn shortened(&self) -> &[Shortened] {
        &self.shortened
    }

    /// Whether the answer and every step were found right.
    pub fn is_checked(&self) -> bool {
        self.checks().all(|d| d.verdict == Verdict::Equal)
    }

    /// Whether the answer or a step was found wrong: a bug, in a rule or in this library.
    pub fn is_wrong(&self) -> bool {
        self.checks().any(|d| matches!(d.verdict, Verdict::Differs { .. }))
    }

    fn checks(&self) -> impl Iterator<Item = &Decision> {
        let inner = self.steps.iter().flat_map(|s| s.steps.iter().map(|s| &s.check));
        self.steps.iter().map(|s| &s.check).chain(inner).chain([&self.check])
    }
}
