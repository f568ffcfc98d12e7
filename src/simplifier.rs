//! The calls of the library: everything that a [`Simplifier`] does is listed here, and done in other modules.

use crate::access::{
    Access, NestedAccesses, SimplifiedAccesses, cost_of_accesses, in_loops, simplify_accesses, vectorised,
};
use crate::check::culprits;
use crate::cost::{Cost, CostModel};
use crate::domain::Domain;
use crate::egraph::Limits;
use crate::expr::Expr;
use crate::induction::{Induction, split_by};
use crate::lower::Target;
use crate::quasi::Options;
use crate::report::{Explanation, explain};
use crate::rules::RuleSet;
use crate::simplify::{Culprit, Facts, Settings, Simplified, SimplifyError, Stage, simplify, simplify_all};
use std::slice::from_ref;
use std::sync::Arc;

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
    pub(crate) settings: Settings,
}

impl Default for Simplifier {
    /// The shipped rules, the GPU cost model and the default limits.
    fn default() -> Simplifier {
        Simplifier { settings: Settings::default().with_blame(culprits) }
    }
}

impl Simplifier {
    /// With other rules. Answers under rules that are not shipped are compared with their questions, unless the rules are
    /// [trusted](Self::trusting_rules).
    pub fn with_rules(self, rules: RuleSet) -> Simplifier {
        Simplifier { settings: self.settings.with_rules(rules) }
    }

    /// Takes rules that are not shipped for right.
    ///
    /// Without this, each answer under such rules is compared with its question, by the procedure of [`quasi`](crate::quasi) and within
    /// fixed limits; an answer that is wrong is an [error](SimplifyError::WrongAnswer) that names the rule. An answer that cannot be
    /// compared within the limits is given. Answers under shipped rules alone, all or some of them, are never compared.
    ///
    /// ```
    /// use quaff::rules::RuleSet;
    /// use quaff::{Simplifier, SimplifyError, domain::Domain, expr::Expr};
    ///
    /// let wrong = RuleSet::parse("mine.rules", r#"(rule halves "wrong" (match (// ?x 2)) (yield ?x))"#)?;
    /// let simplifier = Simplifier::default().with_rules(RuleSet::shipped().clone().and(wrong));
    /// let (question, domain): (Expr, _) = ("x//2".parse()?, Domain::new().with("x", 0..100));
    ///
    /// let Err(SimplifyError::WrongAnswer(wrong)) = simplifier.simplify(&question, &domain) else { panic!() };
    /// assert_eq!(wrong.culprits[0].rule, "halves");
    /// assert!(simplifier.trusting_rules().simplify(&question, &domain).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trusting_rules(self) -> Simplifier {
        Simplifier { settings: self.settings.trusting_rules() }
    }

    /// With another cost model.
    pub fn with_cost_model(self, model: impl CostModel + 'static) -> Simplifier {
        Simplifier { settings: self.settings.with_cost_model(model) }
    }

    /// For another machine than [`Target::SM_90`]: its prices are the cost model from here on, and texts are spelled for it.
    pub fn for_target(self, target: Target) -> Simplifier {
        Simplifier { settings: self.settings.for_target(target) }
    }

    /// With other limits.
    pub fn with_limits(self, limits: Limits) -> Simplifier {
        Simplifier { settings: self.settings.with_limits(limits) }
    }

    /// Whether answers keep the list of rules that fired ([`Simplified::trace`]); costs time, off by default.
    pub fn with_trace(self, traced: bool) -> Simplifier {
        Simplifier { settings: self.settings.with_trace(traced) }
    }

    /// Without a stage of its calls.
    pub fn without_stage(self, stage: Stage) -> Simplifier {
        Simplifier { settings: self.settings.without_stage(stage) }
    }

    /// The rules in use.
    pub fn rules(&self) -> &RuleSet {
        self.settings.rules()
    }

    /// The cost model, which prices the operations of answers.
    pub fn model(&self) -> &dyn CostModel {
        self.settings.model()
    }

    /// The cheapest found expression with the values of `expr` at every point of `domain`. It costs no more than `expr`.
    ///
    /// # Errors
    /// When the domain contradicts itself, a variable is not declared, or a divisor can be 0; when the answer is wrong because of a rule
    /// that is not shipped.
    pub fn simplify(&self, expr: &Expr, domain: &Domain) -> Result<Simplified, SimplifyError> {
        simplify(&self.settings, expr, domain)
    }

    /// Several expressions of one kernel together: what they share is counted once. Each keeps its values at all its own points: where its
    /// own variables have values.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn simplify_all(&self, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
        simplify_all(&self.settings, exprs, domain)
    }

    /// [`simplify_accesses`](Self::simplify_accesses) of a single one.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn simplify_access(&self, access: &Access, domain: &Domain) -> Result<SimplifiedAccesses, SimplifyError> {
        self.simplify_accesses(from_ref(access), domain)
    }

    /// The accesses of one kernel, in their order: gates and indices that agree with those given wherever an access
    /// happens. All of them share what they compute alike, and never cost more than as written.
    ///
    /// A gate that always holds is gone in the answer, and an access that never happens has no index. Divisions may rely
    /// on the gate: under `n > 0`, `i // n` is no error.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn simplify_accesses(&self, accesses: &[Access], domain: &Domain) -> Result<SimplifiedAccesses, SimplifyError> {
        simplify_accesses(&self.settings, accesses, domain)
    }

    /// The same accesses, in which lanes that are neighbours are one: a [vector](Access::width) of 2, 4, 8 or 16 elements, which one
    /// instruction reads or writes. CUDA text of [`simplify_accesses`](Self::simplify_accesses) of the result loads `float4` and
    /// the like. Lanes that are no neighbours stay as they are.
    ///
    /// A vector is proved, wherever the gate holds, to begin at a multiple of its elements, in a buffer that begins at a multiple of its
    /// bytes ([`Access::aligned`]). Elements have one of the types of [`Element`](crate::emit::Element).
    ///
    /// ```
    /// use quaff::{Simplifier, access::Access, domain::Domain, expr::Expr};
    ///
    /// let lane = |k: i64| -> Expr { format!("t*4 + {k}").parse().unwrap_or_else(|_| k.into()) };
    /// let load = Access::load("v", "in", lane(0)).lane(lane(1)).lane(lane(2)).lane(lane(3)).aligned(16);
    /// let domain = Domain::new().with("t", 0..64);
    /// let simplifier = Simplifier::default();
    /// let vectors = simplifier.vectorised(&[load], &domain)?;
    /// assert_eq!((vectors[0].lanes().len(), vectors[0].width(0)), (1, 4));
    /// let text = simplifier.simplify_accesses(&vectors, &domain)?.cuda()?.to_string();
    /// assert_eq!(text, "__align__(16) float v[4];\n*(float4 *)v = *(const float4 *)&in[t * 4];\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify). Takes a few questions for each lane.
    pub fn vectorised(&self, accesses: &[Access], domain: &Domain) -> Result<Vec<Access>, SimplifyError> {
        vectorised(&self.settings, accesses, domain)
    }

    /// What the gates and indices of `accesses` cost as they are written, all together: the
    /// [input cost](SimplifiedAccesses::input_cost) of an answer. Nothing is searched.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn cost_of_accesses(&self, accesses: &[Access], domain: &Domain) -> Result<Cost, SimplifyError> {
        cost_of_accesses(&self.settings, accesses, domain)
    }

    /// `answer`, in which `domain` was known, in the loops around each access, the outermost first. Neighbouring accesses share
    /// the outermost loops that both have.
    ///
    /// A value is carried where a thread executes less then: an index that changes by a fixed step costs one addition in each iteration,
    /// as does the usual `base + k*step`, so that mostly nothing is gained. Remainders that wrap, steps of a period of two, indices in 64
    /// bits and sums of several terms of one loop may cost more than that.
    ///
    /// The text has no loops where the range of one is open or begins at an expression, or where an access depends on a loop that is
    /// not around it; [`NestedAccesses::unprinted`] says why.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn in_loops(
        &self,
        answer: &SimplifiedAccesses,
        nests: &[Vec<Arc<str>>],
        domain: &Domain,
    ) -> Result<NestedAccesses, SimplifyError> {
        in_loops(&self.settings, answer, nests, domain)
    }

    /// What `expr` is in the first iteration of the loop that `variable` counts, one by one from the lower end of its range in `domain`, and
    /// by what it changes. `None` where that is none of the forms of [`Change`](crate::induction::Change), and where the variable has no
    /// lower end or steps of its own. Both are simplified; that the form is right is proved, by this simplifier or by
    /// [`equivalent`](crate::quasi::equivalent).
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn split_by(&self, expr: &Expr, variable: &str, domain: &Domain) -> Result<Option<Induction>, SimplifyError> {
        split_by(&self.settings, expr, variable, domain)
    }

    /// What is known at the points of `domain`. Nothing is computed before the first question.
    pub fn facts(&self, domain: &Domain) -> Facts {
        Facts::new(&self.settings, domain)
    }

    /// The answer of [`simplify`](Self::simplify) and how it came about, each step checked within `options`.
    ///
    /// Repeats the call for each rule that fired, to leave out those that do not matter, unless that would take long.
    /// The number of steps is limited, and so is the work of all their checks together. What these limits left out is in
    /// [`Explanation::shortened`]; the answer does not depend on them.
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
        explain(&self.settings, expr, domain, options)
    }

    /// The rules at fault for a wrong answer to `input`; shipped rules are never among them. Empty where none is found: then the fault is
    /// in this library.
    ///
    /// `point` is one at which the answer is wrong, or empty. It is used where the exact procedure does not decide within `options`.
    ///
    /// Time: some calls, and for the first wrong answer a [`check_rule`](crate::check::check_rule) of each rule that is not shipped.
    pub fn culprits(
        &self,
        input: &Expr,
        domain: &Domain,
        point: &[(Arc<str>, i64)],
        options: &Options,
    ) -> Vec<Culprit> {
        culprits(&self.settings, input, domain, point, options)
    }
}
