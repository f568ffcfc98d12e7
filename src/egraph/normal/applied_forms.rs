//! Tells of the normal forms that have a name, for traces.

use crate::egraph::analysis::form_facts::facts_of_form;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::trace::applied_forms::AppliedForms;
use crate::egraph::trace::firing::{Binding, BindingValue, Cause, Firing, Matched};
use crate::egraph::trace::normal_form::NormalForm;

impl EGraph {
    /// From here on, takes note of every normal form that is applied.
    pub(crate) fn trace_normal_forms(&mut self) {
        self.applied_forms = Some(AppliedForms::default());
    }

    /// The normal forms that were applied since the last call.
    pub(crate) fn take_applied_forms(&mut self) -> Vec<Firing> {
        self.applied_forms.as_mut().map(|a| std::mem::take(&mut a.firings)).unwrap_or_default()
    }

    /// Whether somebody wants to know which normal forms are applied.
    pub(crate) fn traces_normal_forms(&self) -> bool {
        self.applied_forms.is_some()
    }

    /// A sum with its facts. The record of a step takes nothing from the budget of bounds: an answer is the same with a trace and without.
    pub(crate) fn bound_to(&self, x: &LinearForm) -> BindingValue {
        let graph = &self.graph;
        let (interval, congruence) = graph.analysis.constraints.aside(|| facts_of_form(graph, x));
        BindingValue::Sum(x.clone(), interval, congruence)
    }

    /// Takes note that `form` wrote `to` in place of `from`, and what the names of its law stood for.
    pub(crate) fn note_normal_form<const N: usize>(
        &mut self,
        form: NormalForm,
        from: Matched,
        to: &LinearForm,
        bound: [(&str, BindingValue); N],
    ) {
        let Some(applied) = &mut self.applied_forms else { return };
        if applied.known.insert((form, from.clone())) {
            let bound = bound.map(|(name, value)| Binding { name: name.into(), value });
            applied.firings.push(Firing { cause: Cause::NormalForm(form, bound.into()), from, to: to.clone() });
        }
    }
}
