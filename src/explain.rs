//! How an answer follows from its input, each step checked on its own.

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
use std::fmt;

/// Rules are left out one by one, to find those that matter, when at most so many fired.
const MAX_RULES: usize = 32;

/// The longest text of one side of a step, in bytes: a chain of n remainders, each written by its definition, has 2^n.
const MAX_TEXT: usize = 1 << 12;

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

/// Infix text, or the size of what would be too long.
fn text(e: &Expr) -> String {
    let parts = || Dag::new(std::slice::from_ref(e)).nodes().len();
    e.to_infix(MAX_TEXT).unwrap_or_else(|_| format!("(an expression of {} different parts)", parts()))
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
}

impl Simplifier {
    /// The answer of [`simplify`](Self::simplify) and how it came about, each step checked within `options`.
    ///
    /// Simplifies once more for each rule that fired, to leave out those that do not matter.
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
        let few = plain.that_matter(std::slice::from_ref(expr), domain, &answer)?;
        let passes = few.passes(std::slice::from_ref(expr), domain)?;
        let mut whole = Explainer::new(&few, domain, options)?;
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
        Ok(Explanation { input: expr.clone(), check: decide(expr, answer.expr(), domain, options), answer, steps })
    }

    /// With those rules only without which the answer would be another one.
    pub(crate) fn that_matter(
        self,
        exprs: &[Expr],
        domain: &Domain,
        answer: &Simplified,
    ) -> Result<Simplifier, SimplifyError> {
        let fired = self.recorded(exprs, domain)?.1.first_fired();
        let names: Vec<String> = fired.into_iter().map(|r| self.rules().rules()[r].name().into()).collect();
        if names.len() > MAX_RULES {
            return Ok(self);
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
        Ok(kept)
    }
}

/// Writes steps, of which all are about one domain.
struct Explainer<'a> {
    simplifier: &'a Simplifier,
    domain: &'a Domain,
    options: &'a Options,
    /// Symbolic ends of variables.
    ends: FxHashMap<String, Vec<Expr>>,
    steps: Vec<Explained>,
}

impl<'a> Explainer<'a> {
    fn new(simplifier: &'a Simplifier, domain: &'a Domain, options: &'a Options) -> Result<Self, SimplifyError> {
        let ends = domain.resolve()?.iter().map(|v| (v.name.to_string(), ends(v))).collect();
        Ok(Explainer { simplifier, domain, options, ends, steps: Vec::new() })
    }

    fn push(&mut self, reason: Reason, before: Expr, after: Expr, facts: Vec<Fact>) {
        let check = decide(&before, &after, self.domain, self.options);
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
            let written = simplifier.found(&search, roots).1;
            simplifier.finish(&mut search, &written);
            let mut origins = Origins::new(&search.e, &search.names);
            let mut told = FxHashSet::default();
            for fired in &search.fired {
                let Some((before, after)) = origins.step(fired) else { continue };
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
        let check = decide(before, after, &domain, self.options);
        let mut steps = Vec::new();
        if *why == Context::Simplified {
            let task = if *clause { Task::Clause } else { Task::Branch };
            let answer = self.simplifier.for_task(task).once(std::slice::from_ref(before), &domain, false)?;
            let mut inner = Explainer::new(self.simplifier, &domain, self.options)?;
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

/// Finds where the parts that steps are about stand.
fn find_sources(input: &Expr, steps: &mut [Explained]) {
    let parts = |e: &Expr| {
        let dag = Dag::new(std::slice::from_ref(e));
        (0..dag.nodes().len()).map(|i| dag.origin(i as u32).clone()).collect::<FxHashSet<Expr>>()
    };
    let mut known = vec![(Source::Input, parts(input))];
    for (i, step) in steps.iter_mut().enumerate() {
        let found = known.iter().rev().find(|(_, parts)| parts.contains(&step.before));
        step.source = found.map_or(Source::Spelling, |f| f.0);
        known.push((Source::Step(i), parts(&step.after)));
    }
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

impl fmt::Display for Reason {
    /// For example `normal form`, `div-self: x // x == 1`, `cheapest: cost 3.2 -> 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NormalForm => f.write_str("normal form"),
            Reason::Rule { name, why } => write!(f, "{name}: {why}"),
            Reason::Engine { name, why } | Reason::Context { name, why } => write!(f, "{name}: {why}"),
            Reason::InPlace => f.write_str("the parts in place"),
            Reason::Choice { from, to } => write!(f, "cheapest: cost {from} -> {to}"),
        }
    }
}

impl fmt::Display for Fact {
    /// For example `n = 96`, `s = c in 0..11`, `x = v in 0..600, 0 mod 12`, `c <= w - 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Number { name, value } => write!(f, "{name} = {value}"),
            Fact::End(e) => f.write_str(&text(e)),
            Fact::Value { name, expr, range, congruence } => {
                write!(f, "{name} = {}", text(expr))?;
                if expr.as_const().is_some() || *range == Interval::ALL && congruence.modulus() == 1 {
                    return Ok(());
                }
                write!(f, " in {range}")?;
                match congruence.modulus() {
                    0 | 1 => Ok(()),
                    m => write!(f, ", {} mod {m}", congruence.residue()),
                }
            }
        }
    }
}

/// `checked`, `undecided: ...` or `wrong: different at ...`.
struct Checked<'a>(&'a Verdict);

impl fmt::Display for Checked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Verdict::Equal => f.write_str("checked"),
            Verdict::Differs { .. } => write!(f, "wrong: {}", self.0),
            Verdict::Undecided { .. } => self.0.fmt(f),
        }
    }
}

/// Steps with their numbers in front of one another, `in 2` as `2.`.
struct Numbered<'a>(&'a [Explained], &'a str);

impl fmt::Display for Numbered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Numbered(steps, outer) = self;
        let indent = " ".repeat(if outer.is_empty() { 0 } else { 3 });
        for (i, s) in steps.iter().enumerate() {
            writeln!(f, "{indent}{outer}{}. {} ({})", i + 1, s.reason, Checked(&s.check.verdict))?;
            if !s.conditions.is_empty() {
                let conditions: Vec<String> = s.conditions.iter().map(text).collect();
                writeln!(f, "{indent}     where {}", conditions.join(" and "))?;
            }
            let [before, after] = s.texts();
            writeln!(f, "{indent}     {before}\n{indent}   = {after}")?;
            let source = match s.source {
                // the first step, and the choice, are about the whole
                _ if matches!(s.reason, Reason::NormalForm | Reason::InPlace | Reason::Choice { .. }) => None,
                Source::Input => Some("in the input".to_string()),
                Source::Step(n) => Some(format!("in step {outer}{}", n + 1)),
                Source::Spelling => None,
            };
            let facts: Vec<String> = s.facts.iter().map(|f| f.to_string()).collect();
            let facts = (!facts.is_empty()).then(|| facts.join("; "));
            let notes: Vec<String> = source.into_iter().chain(facts).collect();
            if !notes.is_empty() {
                writeln!(f, "{indent}     {}", notes.join(": "))?;
            }
            Numbered(&s.steps, &format!("{outer}{}.", i + 1)).fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Explanation {
    /// Numbered steps of a few lines each, then the verdict on the whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Numbered(&self.steps, "").fmt(f)?;
        writeln!(f, "answer and input: {}", Checked(&self.check.verdict))
    }
}
