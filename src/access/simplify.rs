//! Simplification of accesses: gates by themselves, indices under the condition of their gate, then all together.

use super::by_loops::by_loops;
use super::copies::Patterns;
use super::shape::Shape;
use super::{Access, Gate, SimplifiedAccesses};
use crate::cost::Cost;
use crate::cost::times::LoopNest;
use crate::domain::{Domain, DomainError, Interval, VarFacts, intervals_within};
use crate::egraph::StopReason;
use crate::expr::offset::{plus_offset, split_offset};
use crate::expr::{Dag, Expr, int};
use crate::lower::Target;
use crate::simplify::{Simplified, Simplifier, SimplifyError, price_with};
use rustc_hash::FxHashMap;

/// Gates that are opened one by one.
const MAX_OPENED: usize = 8;
/// Accesses that are searched all together where most of them are copies.
const MAX_SEARCHED: usize = 64;

impl Simplifier {
    /// [`simplify_accesses`](Self::simplify_accesses) of a single one.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn simplify_access(&self, access: &Access, domain: &Domain) -> Result<SimplifiedAccesses, SimplifyError> {
        self.simplify_accesses(std::slice::from_ref(access), domain)
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
        let vars = domain.resolve()?;
        let written = Candidate::new(accesses.to_vec());
        let input_cost = written.price(self, domain, &vars)?;
        let patterns = Patterns::new(accesses, domain);
        let many = |p: &Patterns| accesses.len() > MAX_SEARCHED && p.accesses().len() * 2 <= accesses.len();
        let (mut best, mut stop) = match &patterns {
            // what copies have in common is found among their patterns
            Some(patterns) if many(patterns) => ((input_cost, written.clone()), StopReason::Saturated),
            _ => self.searched(&written, domain, &vars)?,
        };
        if let Some(patterns) = &patterns {
            let first = self.of_patterns(patterns, &mut best, &written, domain, &vars)?;
            stop = if stop == StopReason::Saturated { first } else { stop };
        }
        let (cost, Candidate { mut accesses }) = best;
        loop {
            for access in accesses.iter_mut().filter(|a| a.gate == Gate::Never) {
                access.lanes.fill(int(0));
            }
            let shape = Shape::new(&accesses);
            let decided = shape.decided(&accesses, &self.facts(&shape, domain)?);
            if decided == accesses {
                break;
            }
            accesses = decided;
        }
        let Printed { shape, offsets, facts } = self.printed(&accesses, accesses.len(), domain)?;
        Ok(SimplifiedAccesses {
            accesses,
            vars,
            shape,
            offsets,
            facts,
            cost,
            input_cost,
            stop,
            target: Target::default(),
        })
    }

    /// The cheapest of the accesses one by one, all together, and as they are `written`.
    fn searched(
        &self,
        written: &Candidate,
        domain: &Domain,
        vars: &[VarFacts],
    ) -> Result<((Cost, Candidate), StopReason), SimplifyError> {
        let (alone, stop) = self.one_by_one(&written.accesses, domain)?;
        let together = self.together(written, &alone, domain, vars);
        let mut best = (alone.price(self, domain, vars)?, alone);
        for candidate in together.into_iter().chain([written.clone()]) {
            let cost = candidate.price(self, domain, vars)?;
            if cost < best.0 {
                best = (cost, candidate);
            }
        }
        self.open_gates(&mut best, written, domain, vars)?;
        Ok((best, stop))
    }

    /// Puts copies of patterns in the place of `best` where they cost no more: of forms that cost the same, the one that all copies have
    /// is taken. Answers what ended the first search for patterns.
    fn of_patterns(
        &self,
        patterns: &Patterns,
        best: &mut (Cost, Candidate),
        written: &Candidate,
        domain: &Domain,
        vars: &[VarFacts],
    ) -> Result<StopReason, SimplifyError> {
        let (mut forms, mut stop) = (Vec::new(), StopReason::Saturated);
        let inside = patterns.domain(domain);
        let pattern = Candidate::new(patterns.accesses().to_vec());
        // a pattern that is refused may have copies that are not
        if let Ok(((_, found), why)) = self.searched(&pattern, &inside, &inside.resolve()?) {
            stop = why;
            forms.push(patterns.copies(&written.accesses, &found.accesses));
        }
        forms.push(patterns.copies(&written.accesses, patterns.accesses()));
        let mut is_first = true;
        for lanes in 0..forms.len() {
            for gates in 0..forms.len() {
                let mut accesses = forms[gates].clone();
                let of_lanes = accesses.iter_mut().zip(&forms[lanes]);
                of_lanes.for_each(|(access, other)| access.lanes.clone_from(&other.lanes));
                // the same gates and indices may have come before
                if forms[..gates].contains(&forms[gates]) || forms[..lanes].contains(&accesses) {
                    continue;
                }
                let candidate = Candidate::new(accesses);
                let cost = candidate.price(self, domain, vars)?;
                if cost < best.0 || cost == best.0 && std::mem::take(&mut is_first) {
                    *best = (cost, candidate);
                }
            }
        }
        Ok(stop)
    }

    /// The accesses as their text computes them: indices without the constants that move the pointer. What comes after the first `count`
    /// are values and no addresses.
    pub(super) fn printed(&self, accesses: &[Access], count: usize, domain: &Domain) -> Result<Printed, SimplifyError> {
        let (mut bare, mut offsets) = (accesses.to_vec(), Vec::with_capacity(accesses.len()));
        for (access, at) in bare.iter_mut().zip(0..) {
            let split = access.lanes.iter_mut().map(|lane| {
                let (rest, offset) = split_offset(lane);
                let moves = at < count && offset.unsigned_abs() <= MAX_OFFSET && rest.as_const().is_none();
                if moves {
                    *lane = rest;
                }
                if moves { offset } else { 0 }
            });
            offsets.push(split.collect());
        }
        let shape = Shape::new(&bare);
        let facts = self.facts(&shape, domain)?;
        // a sum that needs 64 bits without its constant may need 32 with it
        let is_int = |i: &Interval| i.within(i32::MIN.into(), i32::MAX.into());
        if (0..facts.len()).all(|part| shape.indices(part).iter().all(|&id| is_int(&facts[part][id as usize]))) {
            return Ok(Printed { shape, offsets, facts });
        }
        let (shape, offsets) = (Shape::new(accesses), accesses.iter().map(|a| vec![0; a.lanes.len()]).collect());
        let facts = self.facts(&shape, domain)?;
        Ok(Printed { shape, offsets, facts })
    }

    /// The gates, the indices without gate, and the indices of each gate; and what ended the first of these searches that was
    /// not saturated.
    fn one_by_one(&self, accesses: &[Access], domain: &Domain) -> Result<(Candidate, StopReason), SimplifyError> {
        let mut stop = StopReason::Saturated;
        let mut note = |answer: &Simplified| {
            if stop == StopReason::Saturated {
                stop = answer.stop();
            }
        };
        let mut out = accesses.to_vec();
        let gated: Vec<usize> = (0..out.len()).filter(|&i| out[i].gate.condition().is_some()).collect();
        let conditions: Vec<Expr> = gated.iter().filter_map(|&i| out[i].gate.condition().cloned()).collect();
        if !conditions.is_empty() {
            let answer = self.simplify_all(&conditions, domain)?;
            note(&answer);
            gated.iter().zip(answer.exprs()).for_each(|(&i, e)| out[i].gate = e.clone().into());
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
            // a gate that became simpler may say less of the index than what was written
            let written =
                gate.as_ref().and_then(|_| accesses[members[0]].gate.condition()).filter(|w| Some(*w) != gate.as_ref());
            let inside = gate.iter().chain(written).fold(domain.clone(), |d, g| d.assume(g.clone()));
            match self.simplify_all(&indices, &inside) {
                Ok(answer) => {
                    note(&answer);
                    let mut new = answer.exprs().iter();
                    for &i in &members {
                        out[i].lanes.iter_mut().zip(&mut new).for_each(|(lane, e)| *lane = e.clone());
                    }
                }
                Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) if gate.is_some() => {
                    members.iter().for_each(|&i| out[i].gate = Gate::Never);
                }
                Err(e) => return Err(e),
            }
        }
        Ok((Candidate::new(out), stop))
    }

    /// Everything once more in one e-graph, where the index may come to share what the gate computes, and the gate what
    /// the index does. A gate may share as it is `written` what it shares no more after it became simpler on its own.
    fn together(
        &self,
        written: &Candidate,
        before: &Candidate,
        domain: &Domain,
        vars: &[VarFacts],
    ) -> Option<Candidate> {
        let without_offsets = before.without_offsets();
        let exprs = without_offsets.exprs();
        let mut forms = Vec::new();
        let mut position = 0;
        let nest = LoopNest::new(vars);
        for (access, written) in before.accesses.iter().zip(&written.accesses).filter(|(a, _)| a.gate != Gate::Never) {
            if let (Some(gate), Some(form)) = (access.gate.condition(), written.gate.condition()) {
                if gate != form {
                    forms.push((position, form.clone()));
                }
                position += 1;
            }
            for (lane, written) in access.lanes.iter().zip(&written.lanes) {
                let (lane, written) = (split_offset(lane), split_offset(written));
                // what is the same everywhere, and not under the gate only
                if access.gate == Gate::Always && lane.1 == written.1 && lane.0 != written.0 {
                    forms.push((position, written.0));
                }
                forms.extend(by_loops(&lane.0, &nest, vars).map(|form| (position, form)));
                position += 1;
            }
        }
        // an index that is defined only under its gate stays as it is
        let answer = self.search_forms(&exprs, &forms, domain).ok()?;
        let mut new = answer.exprs().iter().cloned();
        let mut accesses = before.accesses.clone();
        for access in accesses.iter_mut().filter(|a| a.gate != Gate::Never) {
            if access.gate.condition().is_some() {
                access.gate = new.next()?.into();
            }
            for (lane, new) in access.lanes.iter_mut().zip(&mut new) {
                let ((_, offset), (rest, own)) = (split_offset(lane), split_offset(&new));
                *lane = match offset.checked_add(own) {
                    Some(sum) => plus_offset(rest, sum),
                    None => plus_offset(new, offset),
                };
            }
        }
        (answer.exprs() != exprs).then(|| Candidate::new(accesses))
    }

    /// Puts indices that do not rely on their gates in the place of some that do, where they cost less together: what a gate makes of an
    /// index may be something that no other access computes.
    fn open_gates(
        &self,
        best: &mut (Cost, Candidate),
        written: &Candidate,
        domain: &Domain,
        vars: &[VarFacts],
    ) -> Result<(), SimplifyError> {
        let gated: Vec<usize> =
            (0..best.1.accesses.len()).filter(|&i| best.1.accesses[i].gate.condition().is_some()).collect();
        if gated.is_empty() || best.1.accesses.len() < 2 {
            return Ok(());
        }
        let indices: Vec<Expr> = gated.iter().flat_map(|&i| written.accesses[i].lanes.clone()).collect();
        // an index that is defined only under its gate stays as it is
        let Ok(answer) = self.simplify_all(&indices, domain) else { return Ok(()) };
        let mut open = answer.exprs().iter().cloned();
        let mut changes: Vec<(usize, Vec<Expr>)> = Vec::new();
        for i in gated {
            let lanes: Vec<Expr> = open.by_ref().take(best.1.accesses[i].lanes.len()).collect();
            if lanes != best.1.accesses[i].lanes {
                changes.push((i, lanes));
            }
        }
        let mut offer = |changes: &[(usize, Vec<Expr>)]| -> Result<bool, SimplifyError> {
            let mut candidate = best.1.clone();
            for (i, lanes) in changes {
                candidate.accesses[*i].lanes.clone_from(lanes);
            }
            let cost = candidate.price(self, domain, vars)?;
            let is_cheaper = cost < best.0;
            if is_cheaper {
                *best = (cost, candidate);
            }
            Ok(is_cheaper)
        };
        if changes.is_empty() || offer(&changes)? || changes.len() > MAX_OPENED {
            return Ok(());
        }
        for change in &changes {
            offer(std::slice::from_ref(change))?;
        }
        Ok(())
    }

    /// The ranges of the nodes of each part of `shape`, the unconditional one first.
    pub(super) fn facts(&self, shape: &Shape, domain: &Domain) -> Result<Vec<Vec<Interval>>, SimplifyError> {
        let part = |exprs: &[Expr], domain: &Domain| -> Result<Vec<Interval>, SimplifyError> {
            let dag = Dag::new(exprs);
            let known = self.ranges_under(&dag, domain)?;
            Ok(shape.placed(&dag, &known))
        };
        let mut facts = vec![part(&shape.exprs(&shape.outer), domain)?];
        for region in &shape.regions {
            let inside = domain.clone().assume(region.gate.clone());
            facts.push(match part(&shape.exprs(&region.roots), &inside) {
                // the access never happens, and no search found that
                Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) => {
                    vec![Interval::ALL; shape.dag.nodes().len()]
                }
                known => known?,
            });
        }
        Ok(facts)
    }
}

/// Accesses as their text computes them.
pub(super) struct Printed {
    pub(super) shape: Shape,
    /// Of each access, what is added to the index of each lane.
    pub(super) offsets: Vec<Vec<i64>>,
    pub(super) facts: Vec<Vec<Interval>>,
}

/// Elements by which a constant moves a pointer at most: instructions hold offsets of 2^23 bytes, and elements have up to 16.
const MAX_OFFSET: u64 = 1 << 19;

/// Accesses that may become the answer.
#[derive(Clone)]
struct Candidate {
    accesses: Vec<Access>,
}

impl Candidate {
    fn new(accesses: Vec<Access>) -> Candidate {
        Candidate { accesses }
    }

    /// Gates and indices in order.
    fn exprs(&self) -> Vec<Expr> {
        let happen = self.accesses.iter().filter(|a| a.gate != Gate::Never);
        happen.flat_map(|a| a.gate.condition().into_iter().chain(&a.lanes)).cloned().collect()
    }

    /// The same with indices without the constant that is added last: an address takes it for nothing.
    fn without_offsets(&self) -> Candidate {
        Candidate { accesses: without_offsets(&self.accesses) }
    }

    fn price(&self, simplifier: &Simplifier, domain: &Domain, vars: &[VarFacts]) -> Result<Cost, SimplifyError> {
        price_of(&without_offsets(&self.accesses), simplifier, domain, vars)
    }
}

/// `accesses` with indices without the constant that is added last.
pub(super) fn without_offsets(accesses: &[Access]) -> Vec<Access> {
    let mut accesses = accesses.to_vec();
    accesses.iter_mut().flat_map(|a| &mut a.lanes).for_each(|lane| *lane = split_offset(lane).0);
    accesses
}

/// What `accesses` cost: what is shared counts once; what stands under a gate has the ranges it has there.
pub(super) fn price_of(
    accesses: &[Access],
    simplifier: &Simplifier,
    domain: &Domain,
    vars: &[VarFacts],
) -> Result<Cost, SimplifyError> {
    let shape = Shape::new(accesses);
    let range_of = |name: &str| domain.position(name).map_or(Interval::ALL, |p| vars[p].interval);
    let facts = simplifier.facts(&shape, domain)?;
    let inside = |i: usize| facts[1..].iter().map(|f| f[i]).reduce(Interval::hull).unwrap_or(Interval::ALL);
    let known = |i: u32| if shape.is_outer(i) { facts[0][i as usize] } else { inside(i as usize) };
    let ranges = intervals_within(&shape.dag, range_of, known);
    Ok(price_with(&shape.dag, &ranges, simplifier.model(), vars))
}
