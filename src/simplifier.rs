//! The methods of [`Simplifier`]. Each method calls a function of another module.

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

/// Simplifies index expressions. A simplifier is built once and can be shared between threads. Calls need no set-up.
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
    /// Uses other rules. Answers under rules that are not shipped are compared with their inputs, unless the rules are
    /// [trusted](Self::trusting_rules).
    pub fn with_rules(self, rules: RuleSet) -> Simplifier {
        Simplifier { settings: self.settings.with_rules(rules) }
    }

    /// Trusts rules that are not shipped.
    ///
    /// Without this, each answer under such rules is compared with its input, by the procedure of
    /// [`quasi`](crate::quasi) and within fixed limits. A wrong answer becomes an [error](SimplifyError::WrongAnswer)
    /// that names the rule. An answer that cannot be compared within the limits is returned. Answers under shipped
    /// rules alone, or a subset of them, are never compared.
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

    /// Uses another cost model.
    pub fn with_cost_model(self, model: impl CostModel + 'static) -> Simplifier {
        Simplifier { settings: self.settings.with_cost_model(model) }
    }

    /// Uses another machine than [`Target::SM_90`]. Its prices become the cost model, and texts are written for it.
    pub fn for_target(self, target: Target) -> Simplifier {
        Simplifier { settings: self.settings.for_target(target) }
    }

    /// Uses other limits.
    pub fn with_limits(self, limits: Limits) -> Simplifier {
        Simplifier { settings: self.settings.with_limits(limits) }
    }

    /// Chooses whether answers keep the list of rules that fired ([`Simplified::trace`]). Recording the list takes time,
    /// and is off by default.
    pub fn with_trace(self, traced: bool) -> Simplifier {
        Simplifier { settings: self.settings.with_trace(traced) }
    }

    /// Leaves one [stage](Stage) out of all calls, for experiments.
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

    /// The cheapest expression found that has the values of `expr` at every point of `domain`. The answer costs no more
    /// than `expr`.
    ///
    /// # Errors
    /// A [`SimplifyError`] if the domain contradicts itself, a variable is not declared, a divisor can be 0 or a shift
    /// count can be out of range. Also if a rule that is not shipped led to a wrong answer.
    pub fn simplify(&self, expr: &Expr, domain: &Domain) -> Result<Simplified, SimplifyError> {
        simplify(&self.settings, expr, domain)
    }

    /// Simplifies several expressions of one kernel together. The cost counts a part that they share once. Each
    /// expression keeps its values at all points at which its own variables have values.
    ///
    /// # Errors
    /// The errors of [`simplify`](Self::simplify).
    pub fn simplify_all(&self, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
        simplify_all(&self.settings, exprs, domain)
    }

    /// Simplifies a single access, see [`simplify_accesses`](Self::simplify_accesses).
    ///
    /// # Errors
    /// The errors of [`simplify`](Self::simplify).
    pub fn simplify_access(&self, access: &Access, domain: &Domain) -> Result<SimplifiedAccesses, SimplifyError> {
        self.simplify_accesses(from_ref(access), domain)
    }

    /// Simplifies the accesses of one kernel. The answer has the accesses in the same order. Each gate of the answer
    /// holds at the same points as the given gate. Each index has the same value wherever its gate holds. Equal parts
    /// are computed once. All gates and indices together never cost more than as written.
    ///
    /// An access of the answer has no gate if its gate always holds, and no index if the access never happens. Divisions
    /// in an index may rely on the gate: under the gate `n > 0`, `i // n` is no error.
    ///
    /// # Errors
    /// The errors of [`simplify`](Self::simplify).
    pub fn simplify_accesses(&self, accesses: &[Access], domain: &Domain) -> Result<SimplifiedAccesses, SimplifyError> {
        simplify_accesses(&self.settings, accesses, domain)
    }

    /// The same accesses, with neighbouring lanes merged into vectors. A [vector](Access::width) has 2, 4, 8 or 16
    /// elements, which one instruction reads or writes. If [`simplify_accesses`](Self::simplify_accesses) gets the
    /// result, its CUDA text loads `float4` and similar types. Lanes that are not neighbours stay unchanged.
    ///
    /// A vector is used only if its first index is proved to be a multiple of its number of elements whenever the gate
    /// holds. The buffer must begin at a multiple of the vector's bytes ([`Access::aligned`]). Elements have one of the
    /// types of [`Element`](crate::emit::Element).
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
    /// The errors of [`simplify`](Self::simplify), because the call proves a few conditions for each lane.
    pub fn vectorised(&self, accesses: &[Access], domain: &Domain) -> Result<Vec<Access>, SimplifyError> {
        vectorised(&self.settings, accesses, domain)
    }

    /// The cost of the gates and indices of `accesses` as written, all together. This is the
    /// [input cost](SimplifiedAccesses::input_cost) of an answer. No search runs.
    ///
    /// # Errors
    /// The errors of [`simplify`](Self::simplify).
    pub fn cost_of_accesses(&self, accesses: &[Access], domain: &Domain) -> Result<Cost, SimplifyError> {
        cost_of_accesses(&self.settings, accesses, domain)
    }

    /// Puts `answer`, which was found over `domain`, into the loops around each access. `nests` gives the loops of each
    /// access, the outermost first. Neighbouring accesses share their common outermost loops.
    ///
    /// A value is *carried* from one iteration to the next, as in `p += 64`, if a thread then executes fewer
    /// instructions. A carried index with a fixed step costs one addition in each iteration. `base + k*step` costs one
    /// multiply-add, so carrying seldom saves anything. It may save instructions for remainders that wrap, alternating
    /// steps, 64-bit indices and sums with several terms of one loop.
    ///
    /// The text has no loops if the range of a loop is open or begins at an expression. The text also has no loops if an
    /// access depends on a loop that is not around it. [`NestedAccesses::unprinted`] gives the reason.
    ///
    /// # Errors
    /// The errors of [`simplify`](Self::simplify).
    pub fn in_loops(
        &self,
        answer: &SimplifiedAccesses,
        nests: &[Vec<Arc<str>>],
        domain: &Domain,
    ) -> Result<NestedAccesses, SimplifyError> {
        in_loops(&self.settings, answer, nests, domain)
    }

    /// The value of `expr` in the first iteration of the loop that `variable` counts, and its change from one iteration
    /// to the next. The loop counts one by one from the lower end of its range in `domain`. `None` if the change has
    /// none of the forms of [`Change`](crate::induction::Change), or if the range of `variable` has no lower end or has
    /// a step other than 1. Both results are simplified. The change is proved to be the same in all iterations, by this
    /// simplifier or by [`equivalent`](crate::quasi::equivalent).
    ///
    /// # Errors
    /// The errors of [`simplify`](Self::simplify).
    pub fn split_by(&self, expr: &Expr, variable: &str, domain: &Domain) -> Result<Option<Induction>, SimplifyError> {
        split_by(&self.settings, expr, variable, domain)
    }

    /// Answers questions about expressions at the points of `domain`. Nothing is computed before the first question.
    pub fn facts(&self, domain: &Domain) -> Facts {
        Facts::new(&self.settings, domain)
    }

    /// The answer of [`simplify`](Self::simplify) and its derivation, with each step checked within `options`.
    ///
    /// The derivation leaves out rules that the answer does not need. To find them, the call is repeated once without
    /// each rule that fired, unless that would take long. The number of steps is limited, and so is the work of all
    /// their checks together. [`Explanation::shortened`] lists the parts that these limits left out. The answer does
    /// not depend on them.
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
    /// The errors of [`simplify`](Self::simplify).
    pub fn explain(&self, expr: &Expr, domain: &Domain, options: &Options) -> Result<Explanation, SimplifyError> {
        explain(&self.settings, expr, domain, options)
    }

    /// The rules at fault for a wrong answer to `input`. Shipped rules are never among them. If none is found, the list
    /// is empty and the fault is in this library.
    ///
    /// `point` is a point at which the answer is wrong, if one is known, and otherwise empty. It is used for steps that
    /// the exact procedure does not decide within `options`.
    ///
    /// The time is about that of two calls of [`simplify`](Self::simplify). For the first wrong answer,
    /// [`check_rule`](crate::check::check_rule) also runs on each rule that is not shipped.
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
