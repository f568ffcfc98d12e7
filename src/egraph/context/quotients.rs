//! Replaces quotients by sums without divisions, if the constraints of a context prove them equal.
//!
//! The input is an e-graph with constraints. The output is the e-graph in which such quotients are equal to these sums,
//! or `None` if the constraints contradict one another.

use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::analysis::term_facts::TermFacts;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::graph::EGraph;
use crate::integer::floor_div;
use egg::Id;
use std::rc::Rc;

/// Replaces quotients in constraints by sums. For example, `(r*15 + s)//16` is `r` if `(r*15 + s)%16 < 13`, for `r` in
/// 0..3 and `s` in 0..14. The quotient is `r + (s - r)//16`, and if `s - r` is negative, the remainder is 13 or more.
pub(super) fn settle_quotients_in(e: &mut EGraph, constraints: &[Rc<LinearForm>]) -> Option<()> {
    let mut sums: Vec<(Id, LinearForm)> = Vec::new();
    for &t in constraints.iter().flat_map(|constraint| constraint.terms()) {
        let Some((x, n)) = e.graph.division(t).filter(|_| sums.iter().all(|s| s.0 != t)) else { continue };
        let (multiple, _) = x.residue(n, false);
        let Some(rest) = LinearForm::atom(t).plus(-1, &multiple).filter(|_| multiple.len() == 1) else { continue };
        let known = range_by_terms(&e.graph, &rest);
        let range = e.graph.analysis.constraints.range(&e.graph, &rest, known)?;
        if let Some(sum) = range.as_point().and_then(|k| multiple.plus_constant(k)) {
            sums.push((t, sum));
        }
    }
    for (t, sum) in sums {
        e.equate(t, &sum);
    }
    Some(())
}

/// Replaces quotients if a constraint bounds the sum of the numerator and a multiple of the divisor: `x//14` equals
/// `1 - r` if `r*14 + x` is in `14..=27`.
pub(super) fn settle_quotients_beside(e: &mut EGraph) {
    let mut quotients: Vec<Id> = e.graph.classes().map(|c| c.id).filter(|&id| e.graph.is_division(id)).collect();
    quotients.sort_unstable();
    let mut settled: Vec<(Id, LinearForm)> = Vec::new();
    for q in quotients {
        let Some((x, n)) = e.graph.division(q) else { continue };
        let constraints = || e.graph.analysis.constraints.iter();
        let sum = constraints().find_map(|constraint| {
            let multiple = multiple_beside(constraint, &x, n)?;
            let opposite = constraints().filter_map(|other| {
                let sum = constraint.plus(1, other)?;
                sum.is_constant().then_some(sum.constant)
            });
            // constraint == x + n*multiple + rest, and its value is in 0..=most
            let most = opposite.min()?;
            let rest = constraint.constant.checked_sub(x.constant)?;
            let ends = [0, most].map(|end| Some(floor_div(i128::from(end.checked_sub(rest)?), n.into())));
            let value = ends[0].filter(|_| ends[0] == ends[1])?;
            LinearForm::constant(i64::try_from(value).ok()?).plus(-1, &multiple)
        });
        settled.extend(sum.map(|sum| (q, sum)));
    }
    for (q, sum) in settled {
        e.equate(q, &sum);
    }
}

/// The `m` for which `constraint` and `x + n*m` have the same terms, if there is one. `constraint` must share a term
/// with `x`.
fn multiple_beside(constraint: &LinearForm, x: &LinearForm, n: i64) -> Option<LinearForm> {
    let difference = constraint.terms_only().plus(-1, &x.terms_only())?;
    let (multiple, rest) = difference.split(n);
    let is_about_x = difference.len() < constraint.len() + x.len();
    (is_about_x && rest.is_constant() && !multiple.is_constant()).then_some(multiple)
}
