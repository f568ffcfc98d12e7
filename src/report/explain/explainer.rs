//! Writes the steps of an explanation, for searches and for sub-expressions that were simplified under conditions.

use super::allowance::Allowance;
use super::sources::find_sources;
use super::steps::{Explained, Fact, Reason, Source};
use crate::domain::{Domain, VarFacts};
use crate::egraph::extract::origin::Origins;
use crate::egraph::trace::builtin_step::BuiltinStep;
use crate::egraph::trace::firing::{Binding, BindingValue, Cause, Firing};
use crate::expr::{Expr, Op};
use crate::rules::RuleSet;
use crate::simplify::{Derivation, NormalForm, Pass, Refinement, Settings, SimplifyError};
use rustc_hash::{FxHashMap, FxHashSet};

/// Writes steps over one domain.
pub(super) struct Explainer<'a> {
    settings: &'a Settings,
    domain: &'a Domain,
    allowance: &'a mut Allowance,
    /// The symbolic ends of variables, by name.
    ends: FxHashMap<String, Vec<Expr>>,
    pub(super) steps: Vec<Explained>,
}

impl<'a> Explainer<'a> {
    /// An explainer for the rules of `settings`.
    pub(super) fn new(
        settings: &'a Settings,
        domain: &'a Domain,
        allowance: &'a mut Allowance,
    ) -> Result<Self, SimplifyError> {
        let ends = domain.resolve()?.iter().map(|v| (v.name.to_string(), ends(v))).collect();
        Ok(Explainer { settings, domain, allowance, ends, steps: Vec::new() })
    }

    /// Adds a step that holds at all points of the domain, and checks it.
    pub(super) fn push(&mut self, reason: Reason, before: Expr, after: Expr, facts: Vec<Fact>) {
        let check = self.allowance.check(&before, &after, self.domain);
        let (conditions, source, steps) = (Vec::new(), Source::Spelling, Vec::new());
        self.steps.push(Explained { reason, conditions, before, after, source, facts, check, steps });
    }

    /// Explains all passes that led to the answer for `input`, and the changes of sub-expressions between the passes.
    pub(super) fn explain_derivation(&mut self, input: &Expr, derivation: &Derivation) -> Result<(), SimplifyError> {
        let mut known = input;
        for pass in derivation.used() {
            for part in &pass.start.parts {
                self.explain_part(part)?;
            }
            let begun = &pass.start.exprs[0];
            if begun != known {
                self.push(Reason::InPlace, known.clone(), begun.clone(), Vec::new());
            }
            self.explain_pass(pass)?;
            known = pass.answer.expr();
        }
        Ok(())
    }

    /// Explains one search: the normal form, the rules and the choice.
    fn explain_pass(&mut self, pass: &Pass) -> Result<(), SimplifyError> {
        let (begun, answer) = (&pass.start.exprs[0], &pass.answer);
        let Some(search) = &pass.search else { return Ok(()) };
        let Some(NormalForm { exprs, cost, applied }) = &search.normal_form else { return Ok(()) };
        let normal = &exprs[0];
        let rules = self.settings.rules();
        let (forms, firings) = search.fired.split_at(*applied);
        let mut origins = Origins::new(&search.graph.e, &search.names);
        let mut explained = FxHashSet::default();
        if normal != begun {
            // the named normal forms are steps within this one step
            let mut inner = Explainer::new(self.settings, self.domain, self.allowance)?;
            inner.explain_firings(forms, rules, &mut origins, &mut explained);
            let mut steps = inner.steps;
            find_sources(begun, &mut steps);
            self.push(Reason::NormalForm, begun.clone(), normal.clone(), Vec::new());
            if let Some(step) = self.steps.last_mut() {
                step.steps = steps;
            }
        }
        if normal != answer.expr() {
            self.explain_firings(firings, rules, &mut origins, &mut explained);
        }
        let costs = Reason::Choice { from: *cost, to: answer.cost() };
        self.push(costs, normal.clone(), answer.expr().clone(), Vec::new());
        Ok(())
    }

    /// Adds a step for each firing that is not in `explained` yet, while the limit on steps permits it.
    fn explain_firings<'f>(
        &mut self,
        firings: impl IntoIterator<Item = &'f Firing>,
        rules: &RuleSet,
        origins: &mut Origins<'_>,
        explained: &mut FxHashSet<(Option<usize>, Expr, Expr)>,
    ) {
        for firing in firings {
            if !self.allowance.allows_firing() {
                continue;
            }
            let Some((before, after)) = origins.step(firing) else { continue };
            self.allowance.use_parts(&before, &after);
            // if two rules have the same result, the answer may need both, so both are shown
            if before == after || !explained.insert((firing.rule(), before.clone(), after.clone())) {
                continue;
            }
            let Some((reason, facts)) = self.reason(rules, firing, origins) else { continue };
            self.allowance.use_step();
            self.push(reason, before, after, facts);
        }
    }

    /// The reason for a firing, and the facts that it used. `None` when the firing is no step.
    fn reason(&self, rules: &RuleSet, firing: &Firing, origins: &mut Origins<'_>) -> Option<(Reason, Vec<Fact>)> {
        match &firing.cause {
            Cause::Rule(rule, bound) => {
                let rule = &rules.rules()[*rule];
                let (name, why) = (rule.name().into(), rule.reason().into());
                Some((Reason::Rule { name, why }, self.facts(origins, bound)))
            }
            // a merge of two classes by a normal form is not shown as a step
            Cause::Builtin(BuiltinStep::NormalForm) => None,
            Cause::Builtin(step) => Some((Reason::Engine { name: step.name(), why: step.reason() }, Vec::new())),
            Cause::NormalForm(form, bound) => {
                Some((Reason::Engine { name: form.name(), why: form.reason() }, self.facts(origins, bound)))
            }
        }
    }

    /// Explains the simplification of a sub-expression under the conditions under which it is used.
    fn explain_part(&mut self, part: &Refinement) -> Result<(), SimplifyError> {
        let Refinement { reason, conditions, before, after, pass } = part;
        let domain = conditions.iter().cloned().fold(self.domain.clone(), Domain::assume);
        let check = self.allowance.check(before, after, &domain);
        let mut steps = Vec::new();
        if let Some(pass) = pass {
            let mut inner = Explainer::new(self.settings, &domain, self.allowance)?;
            inner.explain_pass(pass)?;
            steps = inner.steps;
            find_sources(before, &mut steps);
        }
        let reason = Reason::Context { name: reason.name(), why: reason.explanation() };
        let (conditions, before, after) = (conditions.clone(), before.clone(), after.clone());
        let (facts, source) = (Vec::new(), Source::Spelling);
        self.steps.push(Explained { reason, conditions, before, after, source, facts, check, steps });
        Ok(())
    }

    /// The facts that a rule used, and the symbolic ends that may have decided its guards.
    fn facts(&self, origins: &mut Origins<'_>, bound: &[Binding]) -> Vec<Fact> {
        let mut facts = Vec::new();
        let mut ends: Vec<Expr> = Vec::new();
        for Binding { name, value } in bound {
            let name = name.clone();
            match value {
                BindingValue::Number(value) => facts.push(Fact::Number { name, value: *value }),
                BindingValue::Sum(sum, range, congruence) => {
                    let Some(expr) = origins.sum(sum) else { continue };
                    self.add_ends(&expr, &mut ends);
                    facts.push(Fact::Value { name, expr, range: *range, congruence: *congruence });
                }
            }
        }
        facts.extend(ends.into_iter().map(Fact::End));
        facts
    }

    /// Adds the symbolic ends of the variables in `expr`, each once.
    fn add_ends(&self, expr: &Expr, ends: &mut Vec<Expr>) {
        for name in expr.variables() {
            for end in self.ends.get(&*name).into_iter().flatten() {
                if !ends.contains(end) {
                    ends.push(end.clone());
                }
            }
        }
    }
}

/// The comparisons of a variable with the symbolic ends of its range.
fn ends(v: &VarFacts) -> Vec<Expr> {
    let name = crate::expr::var(v.name.clone());
    let lower = v.lower.iter().map(|l| Expr::new(Op::Le, [l.clone(), name.clone()]));
    let upper = v.upper.iter().map(|u| Expr::new(Op::Le, [name.clone(), u.clone()]));
    lower.chain(upper).collect()
}
