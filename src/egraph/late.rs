//! Spellings of sums that wait until all rules have been run.

use super::graph::EClasses;
use super::judgement::Judgement;
use super::lin::Lin;
use super::node::Head;
use super::saturate::{Before, Cause, Firing};
use egg::Id;
use std::rc::Rc;

/// Spells sums with remainders that are there anyway: `a*X + f*n*(X//n) == (a + f)*X - f*(X%n)`.
///
/// It pays only where something else computes the remainder, which is known when all rules have been run.
pub(crate) fn use_remainders(e: &mut EClasses, trace: &mut Option<&mut Vec<Firing>>) {
    for id in classes_with(e, &[Head::Sum]) {
        for spelling in e.spellings(id) {
            for (c, q) in spelling.iter() {
                if let Some(lin) = e.with_remainder(&spelling, c, q) {
                    spell(e, trace, id, &spelling, lin, Judgement::SharedRemainder);
                }
            }
        }
    }
}

/// Spells sums with comparisons in place of quotients that take two values: `x//n == k - [x < k*n]`.
///
/// A comparison says less of its operands to the rules than a quotient does, so that this waits for their end. It does
/// nothing where there are conditions: what stands under them is looked at again, with the answer to begin with.
pub(crate) fn use_comparisons(e: &mut EClasses, trace: &mut Option<&mut Vec<Firing>>) {
    if e.graph.classes().any(|c| [Head::Select, Head::And, Head::Or].iter().any(|&h| e.facts(c.id).has(h))) {
        return;
    }
    for id in classes_with(e, &[Head::Sum, Head::Div]) {
        for spelling in e.spellings(id) {
            let mut lin: Option<Lin> = None;
            for (c, q) in spelling.iter() {
                lin = e.with_comparison(lin.as_ref().unwrap_or(&spelling), c, q).or(lin);
            }
            if let Some(lin) = lin {
                spell(e, trace, id, &spelling, lin, Judgement::TwoQuotients);
            }
        }
    }
}

/// Classes that have one of `heads`, in order.
fn classes_with(e: &EClasses, heads: &[Head]) -> Vec<Id> {
    let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).collect();
    ids.retain(|&id| heads.iter().any(|&h| e.facts(id).has(h)));
    ids.sort_unstable();
    ids
}

fn spell(e: &mut EClasses, trace: &mut Option<&mut Vec<Firing>>, id: Id, from: &Rc<Lin>, to: Lin, why: Judgement) {
    if e.add_form(id, to.clone())
        && let Some(t) = trace
    {
        t.push(Firing { cause: Cause::Judged(why), from: Before::Sum(from.clone()), to });
    }
}
