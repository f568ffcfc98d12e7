//! Records the named normal forms that the e-graph applies, for traces.

use crate::egraph::analysis::form_facts::facts_of_form;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::trace::applied_forms::AppliedForms;
use crate::egraph::trace::firing::{Binding, BindingValue, Cause, Firing, Matched};
use crate::egraph::trace::normal_form::NormalForm;

impl EGraph {
    /// Starts to record every named normal form that is applied.
    pub(crate) fn trace_normal_forms(&mut self) {
        self.applied_forms = Some(AppliedForms::default());
    }

    /// The normal forms that were applied since the last call.
    pub(crate) fn take_applied_forms(&mut self) -> Vec<Firing> {
        self.applied_forms.as_mut().map(|a| std::mem::take(&mut a.firings)).unwrap_or_default()
    }

    /// Whether applied normal forms are recorded.
    pub(crate) fn traces_normal_forms(&self) -> bool {
        self.applied_forms.is_some()
    }

    /// A sum with its facts, for a trace. The computation of its range does not count against the limit on bounds,
    /// so an answer is the same with and without a trace.
    pub(crate) fn bound_to(&self, x: &LinearForm) -> BindingValue {
        let graph = &self.graph;
        let (interval, congruence) = graph.analysis.constraints.aside(|| facts_of_form(graph, x));
        BindingValue::Sum(x.clone(), interval, congruence)
    }

    /// Records that `form` replaced `from` by `to`. `bound` holds the values of the names in its law.
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
