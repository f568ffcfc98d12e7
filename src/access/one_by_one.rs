//! Simplifies gates and indices of accesses in separate searches: first the gates, then the indices under the condition
//! of their gate.

use super::{Access, Gate};
use crate::domain::{Domain, DomainError};
use crate::egraph::StopReason;
use crate::expr::Expr;
use crate::simplify::{Settings, SimplifyError, Stage, Step, simplify_all};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The largest number of different expressions that are searched separately, after a search for all of them together.
const MAX_APART: usize = 8;

/// Accesses whose gates and indices were simplified in separate searches.
pub(super) struct OneByOne {
    /// The result of one search for all gates, and one search for the indices of each gate.
    pub(super) alone: Vec<Access>,
    /// The result of a separate search for each index under a gate. `None` if no such search ran, for example because
    /// the search for all indices of the gate saturated.
    pub(super) apart: Option<Vec<Access>>,
    /// The reason why the first search that did not saturate ended.
    pub(super) stop: StopReason,
}

/// The result of one search.
struct Answer {
    exprs: Vec<Expr>,
    stop: StopReason,
}

/// The results of earlier searches, by the gate and the expressions. The expressions of a result are also a key for
/// this result, so that no search under the same gate begins with them.
#[derive(Default)]
pub(super) struct Answers {
    known: FxHashMap<(Option<Expr>, Vec<Expr>), Rc<Answer>>,
    /// The rewrite steps of all searches.
    pub(super) trace: Vec<Step>,
}

impl Answers {
    /// Simplifies `exprs` together. These expressions are computed when `gate` is open. The domain `inside` assumes
    /// that the gate is open. All other facts of `inside` are the same in all searches, or follow from the gate.
    fn of(
        &mut self,
        exprs: &[Expr],
        gate: Option<&Expr>,
        inside: &Domain,
        settings: &Settings,
    ) -> Result<Rc<Answer>, SimplifyError> {
        let key = (gate.cloned(), exprs.to_vec());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let found = simplify_all(settings, exprs, inside)?;
        let answer = Rc::new(Answer { exprs: found.exprs().to_vec(), stop: found.stop() });
        self.trace.extend_from_slice(found.trace());
        self.known.insert((key.0.clone(), answer.exprs.clone()), answer.clone());
        self.known.insert(key, answer.clone());
        Ok(answer)
    }
}

/// Simplifies the gates, the indices without gate, and the indices of each gate. `is_first` says that the accesses are
/// not the result of such a search.
pub(super) fn one_by_one(
    settings: &Settings,
    accesses: &[Access],
    is_first: bool,
    domain: &Domain,
    answers: &mut Answers,
) -> Result<OneByOne, SimplifyError> {
    let mut stop = StopReason::Saturated;
    let mut note = |answer: &Answer| {
        if stop == StopReason::Saturated {
            stop = answer.stop;
        }
    };
    let (mut out, mut apart) = (accesses.to_vec(), accesses.to_vec());
    let mut is_apart = false;
    let gated: Vec<usize> = (0..out.len()).filter(|&i| out[i].gate.condition().is_some()).collect();
    let conditions: Vec<Expr> = gated.iter().filter_map(|&i| out[i].gate.condition().cloned()).collect();
    if !conditions.is_empty() {
        let answer = answers.of(&conditions, None, domain, settings)?;
        note(&answer);
        for (&i, e) in gated.iter().zip(&answer.exprs) {
            out[i].gate = e.clone().into();
            apart[i].gate = e.clone().into();
        }
    }
    let mut groups: Vec<(Option<Expr>, Vec<usize>)> = Vec::new();
    let mut known: FxHashMap<Option<Expr>, usize> = FxHashMap::default();
    for (i, access) in out.iter().enumerate().filter(|(_, a)| a.gate != Gate::Never) {
        let gate = access.gate.condition().cloned();
        let at = *known.entry(gate.clone()).or_insert(groups.len());
        if at == groups.len() {
            groups.push((gate, Vec::new()));
        }
        groups[at].1.push(i);
    }
    for (gate, members) in groups {
        let indices: Vec<Expr> = members.iter().flat_map(|&i| out[i].lanes.clone()).collect();
        // a simplified gate may imply fewer facts about the index than the written gate
        let written =
            gate.as_ref().and_then(|_| accesses[members[0]].gate.condition()).filter(|w| Some(*w) != gate.as_ref());
        let inside = gate.iter().chain(written).fold(domain.clone(), |d, g| d.assume(g.clone()));
        match answers.of(&indices, gate.as_ref(), &inside, settings) {
            Ok(answer) => {
                note(&answer);
                let each = gate.as_ref().filter(|_| is_first);
                let each = each.and_then(|gate| each_apart(settings, &indices, &answer, gate, &inside, answers));
                is_apart |= each.is_some();
                let each = each.unwrap_or_else(|| answer.exprs.clone());
                for (accesses, exprs) in [(&mut out, &answer.exprs), (&mut apart, &each)] {
                    let mut new = exprs.iter();
                    for &i in &members {
                        accesses[i].lanes.iter_mut().zip(&mut new).for_each(|(lane, e)| *lane = e.clone());
                    }
                }
            }
            Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) if gate.is_some() => {
                members.iter().for_each(|&i| out[i].gate = Gate::Never);
            }
            Err(e) => return Err(e),
        }
    }
    Ok(OneByOne { alone: out, apart: is_apart.then_some(apart), stop })
}

/// Simplifies each of `exprs`, which are computed when `gate` is open, in a separate search. `together` is the result
/// of the search for all of them. `None` when that search saturated and changed them. If a separate search fails, the
/// result is `None`.
fn each_apart(
    settings: &Settings,
    exprs: &[Expr],
    together: &Answer,
    gate: &Expr,
    inside: &Domain,
    answers: &mut Answers,
) -> Option<Vec<Expr>> {
    if !settings.takes(Stage::EachApart) {
        return None;
    }
    let is_operation = |e: &&Expr| e.op().arity() > 0;
    let different: FxHashSet<&Expr> = exprs.iter().filter(is_operation).collect();
    let is_complete = together.stop == StopReason::Saturated && exprs != together.exprs;
    if is_complete || different.len() < 2 || different.len() > MAX_APART {
        return None;
    }
    let apart = |e: &Expr| {
        if !different.contains(e) {
            return Some(e.clone());
        }
        let answer = answers.of(std::slice::from_ref(e), Some(gate), inside, settings);
        answer.ok().map(|answer| answer.exprs[0].clone())
    };
    exprs.iter().map(apart).collect()
}
