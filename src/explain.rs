//! How an answer follows from its input, each step checked on its own.

use crate::domain::Domain;
use crate::egraph::origin::Origins;
use crate::expr::Expr;
use crate::quasi::{Decision, Options, Verdict, decide};
use crate::rules::RuleSet;
use crate::{Simplified, Simplifier, SimplifyError};
use rustc_hash::FxHashSet;
use std::fmt;

/// Rules are left out one by one, to find those that matter, when at most so many fired.
const MAX_RULES: usize = 32;

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
    /// The cheapest of all that was found equal, under the cost model, in instructions.
    Choice {
        /// The cost of `before`.
        from: f64,
        /// The cost of `after`.
        to: f64,
    },
}

/// One step of an [`Explanation`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explained {
    /// Why it may be taken.
    pub reason: Reason,
    /// A part of what is known by then.
    pub before: Expr,
    /// What it was found equal to.
    pub after: Expr,
    /// What the exact procedure, which knows nothing of rules, says of it.
    pub check: Decision,
}

/// How an answer follows from its input; made by [`Simplifier::explain`].
///
/// The first step brings the input to normal form (unless it is), the last one chooses the cheapest form. The steps in
/// between are the rules without which the answer would be another one, in the order in which they fired, on the parts
/// that they fired on. What they found equal merges, sums of it are multiplied out and merge in turn: that is no step.
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
        let normal = plain.clone().with_rules(RuleSet::empty()).simplify(expr, domain)?;
        let check = |a: &Expr, b: &Expr| decide(a, b, domain, options);
        let mut steps = Vec::new();
        let mut push = |reason, before: Expr, after: Expr| {
            let check = check(&before, &after);
            steps.push(Explained { reason, before, after, check });
        };
        if normal.expr() != expr {
            push(Reason::NormalForm, expr.clone(), normal.expr().clone());
        }
        if normal.expr() != answer.expr() {
            let plain = plain.that_matter(expr, domain, &answer)?;
            let search = plain.search(std::slice::from_ref(expr), domain, true)?;
            let mut origins = Origins::new(&search.e, &search.names);
            let mut told = FxHashSet::default();
            for fired in &search.fired {
                let Some((before, after)) = origins.step(fired) else { continue };
                if before == after || !told.insert((before.clone(), after.clone())) {
                    continue;
                }
                let rule = &plain.rules().rules()[fired.rule];
                push(Reason::Rule { name: rule.name().into(), why: rule.reason().into() }, before, after);
            }
        }
        let costs = Reason::Choice { from: normal.cost(), to: answer.cost() };
        push(costs, normal.expr().clone(), answer.expr().clone());
        Ok(Explanation { input: expr.clone(), check: check(expr, answer.expr()), answer, steps })
    }

    /// With those rules only without which the answer would be another one.
    fn that_matter(self, expr: &Expr, domain: &Domain, answer: &Simplified) -> Result<Simplifier, SimplifyError> {
        let mut names: Vec<String> = Vec::new();
        for fired in self.search(std::slice::from_ref(expr), domain, true)?.fired {
            let name = self.rules().rules()[fired.rule].name();
            if !names.iter().any(|n| n == name) {
                names.push(name.into());
            }
        }
        if names.len() > MAX_RULES {
            return Ok(self);
        }
        let mut kept = self;
        let all = kept.rules().retain(|r| names.iter().any(|n| n == r));
        // where rules that never fire end a search early, they matter
        let without_idle = kept.clone().with_rules(all);
        if without_idle.simplify(expr, domain)?.expr() == answer.expr() {
            kept = without_idle;
        }
        for name in &names {
            let fewer = kept.clone().with_rules(kept.rules().retain(|r| r != name));
            if fewer.simplify(expr, domain)?.expr() == answer.expr() {
                kept = fewer;
            }
        }
        Ok(kept)
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
        self.steps.iter().map(|s| &s.check).chain([&self.check])
    }
}

impl fmt::Display for Reason {
    /// For example `normal form`, `div-self: x // x == 1`, `cheapest: cost 3.2 -> 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NormalForm => f.write_str("normal form"),
            Reason::Rule { name, why } => write!(f, "{name}: {why}"),
            Reason::Choice { from, to } => write!(f, "cheapest: cost {from} -> {to}"),
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

impl fmt::Display for Explanation {
    /// Numbered steps of three lines each, then the verdict on the whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, s) in self.steps.iter().enumerate() {
            writeln!(f, "{}. {} ({})", i + 1, s.reason, Checked(&s.check.verdict))?;
            writeln!(f, "     {}\n   = {}", s.before, s.after)?;
        }
        writeln!(f, "answer and input: {}", Checked(&self.check.verdict))
    }
}
