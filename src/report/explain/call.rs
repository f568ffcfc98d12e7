//! The call that explains an answer.

use super::allowance::Allowance;
use super::explainer::Explainer;
use super::explanation::{Explanation, Shortened};
use super::sources::find_sources;
use crate::domain::Domain;
use crate::expr::Expr;
use crate::quasi::{Options, decide};
use crate::report::needed::NeededRules;
use crate::simplify::{Settings, SimplifyError, derive};

impl Settings {
    /// The answer of [`simplify`](Self::simplify) and how it came about, each step checked within `options`.
    ///
    /// Simplifies once more for each rule that fired, to leave out those that do not matter, unless that would take long.
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
    pub(crate) fn explain(
        &self,
        expr: &Expr,
        domain: &Domain,
        options: &Options,
    ) -> Result<Explanation, SimplifyError> {
        let domain = &*domain.seen_from(std::slice::from_ref(expr));
        // each step is checked, and a wrong one is shown
        let plain = self.clone().with_trace(false).trusting_rules();
        let answer = plain.simplify(expr, domain)?;
        // the explanation is about what these rules do
        let NeededRules { settings: few, untried } =
            plain.with_needed_rules(std::slice::from_ref(expr), domain, &answer)?;
        let few = few.with_trace(true);
        let mut allowance = Allowance::new(options);
        let mut whole = Explainer::new(&few, domain, &mut allowance)?;
        whole.explain_derivation(expr, &derive(&few, std::slice::from_ref(expr), domain)?)?;
        let mut steps = whole.steps;
        find_sources(expr, &mut steps);
        let Allowance { left_out, unchecked, .. } = allowance;
        let rules = untried.map(|fired| Shortened::AllRules { fired });
        let firings = (left_out > 0).then_some(Shortened::Steps { left_out });
        let checks = (unchecked > 0).then_some(Shortened::Checks { left_out: unchecked });
        let shortened = [rules, firings, checks].into_iter().flatten().collect();
        let check = decide(expr, answer.expr(), domain, options);
        Ok(Explanation { input: expr.clone(), check, answer, steps, shortened })
    }
}
