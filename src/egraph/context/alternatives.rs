//! Derives facts from an assumed disjunction: the facts that all of its cases share. From `x == 4 or x == 8` it derives
//! that `x` is in 4..8 and a multiple of 4.
//!
//! The input is the cases of a disjunction, of which at least one holds at every point. The derived facts are added to
//! the e-graph. The consequences of each case are computed under [`Hypotheses`] of its own. If all possible cases
//! compare a value, the new range of the value is the hull of its ranges in these cases. Its new congruence is the join
//! of its congruences in these cases.

use super::equations::{Contradiction, add_ends, assume_congruence, multiple_beside, solved};
use super::hypotheses::Hypotheses;
use crate::domain::{Congruence, Interval};
use crate::egraph::analysis::form_facts::facts_of_form;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Relation;
use crate::egraph::normal::graph::EGraph;
use egg::Id;
use std::rc::Rc;

/// Disjunctions of more cases are ignored.
const MAX_CASES: usize = 16;
/// The maximum number of values whose facts are joined over the cases of one disjunction.
const MAX_FORMS: usize = 16;

/// A condition, and whether it holds.
pub(super) type Case = (Id, bool);

/// Assumes that one of `cases` holds. Returns the only possible case, if there is only one, and the caller then assumes
/// it.
pub(super) fn assume_one_of(e: &mut EGraph, cases: &[Case]) -> Result<Option<Case>, Contradiction> {
    if cases.len() > MAX_CASES {
        return Ok(None);
    }
    let hypotheses = cases.iter().map(|&case| (case, Hypotheses::of_condition(e, case.0, case.1)));
    let possible: Vec<(Case, Hypotheses)> = hypotheses.filter(|(_, h)| !h.are_contradictory(e)).collect();
    match &possible[..] {
        [] => return Err(Contradiction),
        [(case, _)] => return Ok(Some(*case)),
        _ => {}
    }
    let cases: Vec<CaseFacts> =
        possible.iter().map(|(_, h)| CaseFacts { hypotheses: h, sums: h.compared(e) }).collect();
    for form in compared_in_all(&cases) {
        let (range, congruence) = joined(e, &cases, &form);
        assume_facts(e, &form, range, congruence)?;
    }
    Ok(None)
}

/// One possible case.
struct CaseFacts<'a> {
    hypotheses: &'a Hypotheses,
    /// The sums that the case compares with 0, each with its relation and whether the relation holds.
    sums: Vec<(Relation, bool, Rc<LinearForm>)>,
}

/// The linear forms whose facts may be joined: the sums that the first case compares with 0, and the terms of these
/// sums. A form is returned only if every other case also compares all terms of the form.
fn compared_in_all(cases: &[CaseFacts]) -> Vec<LinearForm> {
    let Some((first, others)) = cases.split_first() else { return Vec::new() };
    let is_compared = |t: Id| others.iter().all(|case| case.sums.iter().any(|(.., sum)| sum.coeff(t) != 0));
    let mut forms: Vec<LinearForm> = Vec::new();
    for (.., sum) in &first.sums {
        let terms = sum.terms().iter().map(|&t| LinearForm::atom(t));
        for form in terms.chain((sum.len() > 1).then(|| in_one_direction(sum)).flatten()) {
            if forms.len() < MAX_FORMS && !forms.contains(&form) && form.terms().iter().all(|&t| is_compared(t)) {
                forms.push(form);
            }
        }
    }
    forms
}

/// `sum` without its constant, negated if its first coefficient is negative.
fn in_one_direction(sum: &LinearForm) -> Option<LinearForm> {
    let sign = sum.coeffs().first()?.signum();
    sum.terms_only().scaled(sign)
}

/// The facts about `form` that hold in every case.
fn joined(e: &EGraph, cases: &[CaseFacts], form: &LinearForm) -> (Interval, Congruence) {
    let (known, congruence) = facts_of_form(&e.graph, form);
    let of_case = |case: &CaseFacts| {
        let range = case.hypotheses.range_of_sum(e, form, known);
        let said = range.as_point().map_or_else(|| case.congruence_of(form), Congruence::point);
        (range, congruence.meet(said).unwrap_or(said))
    };
    let join = |a: (Interval, Congruence), b: (Interval, Congruence)| (a.0.hull(b.0), a.1.join(b.1));
    cases.iter().map(of_case).reduce(join).unwrap_or((known, congruence))
}

impl CaseFacts<'_> {
    /// The congruence of `form` that follows from the equalities of the case.
    fn congruence_of(&self, form: &LinearForm) -> Congruence {
        let zeros = self.sums.iter().filter(|(relation, holds, _)| *relation == Relation::Zero && *holds);
        let said = zeros.flat_map(|(.., zero)| (0..zero.len()).filter_map(|i| multiple_beside(zero, i)));
        let of_form = said.filter_map(|(terms, congruence)| {
            if let Ok(Some((t, solved))) = solved(&terms, congruence)
                && form.as_atom() == Some(t)
            {
                return Some(solved);
            }
            (in_one_direction(&terms)? == *form).then(|| congruence.scaled(terms.coeffs()[0].signum()))
        });
        of_form.fold(Congruence::ANY, |a, b| a.meet(b).unwrap_or(a))
    }
}

/// Adds these facts about `form` to the e-graph.
fn assume_facts(
    e: &mut EGraph,
    form: &LinearForm,
    range: Interval,
    congruence: Congruence,
) -> Result<(), Contradiction> {
    let (known, known_congruence) = facts_of_form(&e.graph, form);
    if range == known && congruence == known_congruence {
        return Ok(());
    }
    if let Some(id) = e.class_of(form) {
        e.sharpen(id, range, Congruence::ANY);
        assume_congruence(e, id, congruence)?;
    }
    if form.as_atom().is_none() {
        add_ends(e, form, range);
    }
    Ok(())
}
