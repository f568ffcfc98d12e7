//! Converts declarations to facts: symbolic ends of ranges become numbers, and contradictions become errors.

use super::assume::operands_for;
use super::difference::interval_of_difference;
use super::loop_ranges::Repeats;
use super::variables::{Domain, Presence, VarFacts, Variable};
use super::{Bounds, Congruence, DomainError, Interval, interval_of};
use crate::expr::name::is_reserved;
use crate::expr::{Dag, Expr};
use std::sync::Arc;

/// The number of rounds in which a range such as `i = 0..n-1` narrows the variables in its ends. Each round also
/// narrows the variables in the ends of these variables' ranges.
const MAX_ROUNDS: usize = 4;

impl Domain {
    /// The facts that all declarations together give for each variable, in the order of the variables.
    ///
    /// Symbolic ends become numbers by interval arithmetic over the variables that they mention. If a range is [never
    /// empty](Domain::nonempty), the variables in its ends keep only the values for which interval arithmetic finds it
    /// nonempty. Other ranges may be empty for some values of these variables. Only a range that is *certain* to be
    /// empty is an error.
    ///
    /// An expression *sees* the ranges of the variables that it uses. [`Domain::seen_from`] gives the facts that hold
    /// for such an expression.
    ///
    /// # Errors
    /// [`DomainError`] when
    ///
    /// - a range is certainly empty,
    /// - facts contradict each other,
    /// - a stride is below 1,
    /// - a bound mentions an undeclared variable, or depends on its own variable in a circle,
    /// - or a name is a word of the notation (`and`, `True`).
    pub fn resolve(&self) -> Result<Vec<VarFacts>, DomainError> {
        if let Some(v) = self.variables.iter().find(|v| is_reserved(&v.name)) {
            return Err(DomainError::ReservedName { name: v.name.clone() });
        }
        let order = order(self)?;
        let mut narrowed = Vec::new();
        let mut facts = once(self, &order, &narrowed)?;
        let declared: Vec<(Interval, bool)> = facts.iter().map(|f| (f.interval, f.may_be_empty)).collect();
        for _ in 0..MAX_ROUNDS {
            if !narrow_mentioned(self, &facts, &mut narrowed)? {
                break;
            }
            facts = once(self, &order, &narrowed)?;
        }
        facts.iter_mut().zip(declared).for_each(|(f, declared)| (f.declared, f.may_be_empty) = declared);
        self.set_repeats(&mut facts);
        Ok(facts)
    }
}

/// The facts of all variables. If `narrowed` has a range for a variable, the variable lies in this range, too.
fn once(domain: &Domain, order: &[usize], narrowed: &[Interval]) -> Result<Vec<VarFacts>, DomainError> {
    let mut facts: Vec<Option<VarFacts>> = vec![None; domain.len()];
    for &at in order {
        let one = facts_of(&domain.variables[at], narrowed.get(at).copied().unwrap_or(Interval::ALL), |name| {
            let known = domain.position(name).and_then(|p| facts[p].as_ref());
            known.map_or(Interval::ALL, |f| f.interval)
        })?;
        facts[at] = Some(one);
    }
    // `order` contains every position exactly once
    Ok(facts.into_iter().flatten().collect())
}

/// Narrows the variables in the symbolic ends of ranges that are never empty to values for which these ranges are
/// nonempty. For example, `i` in `0..n-1` implies that `n` is at least 1. Returns whether any range became smaller.
fn narrow_mentioned(domain: &Domain, facts: &[VarFacts], narrowed: &mut Vec<Interval>) -> Result<bool, DomainError> {
    let mut narrower = false;
    let is_present = |v: &Variable| matches!(v.presence, Presence::InScope | Presence::Everywhere);
    for (fact, _) in facts.iter().zip(&domain.variables).filter(|(_, v)| is_present(v)) {
        let (lo, hi) = (fact.interval.lo(), fact.interval.hi());
        let above = lo.and_then(|lo| Interval::new(lo, i64::MAX)).filter(|_| fact.upper.is_some());
        let below = hi.and_then(|hi| Interval::new(i64::MIN, hi)).filter(|_| fact.lower.is_some());
        for (end, wanted) in fact.upper.iter().zip(above).chain(fact.lower.iter().zip(below)) {
            let range_of = |name: &str| domain.position(name).map_or(Interval::ALL, |p| facts[p].interval);
            let operands = operands_for(end, wanted, range_of);
            let none = || {
                let (lo, hi) = (lo.unwrap_or(i64::MIN), hi.unwrap_or(i64::MAX));
                empty(&fact.name, false, lo, &fact.lower, false, hi, &fact.upper)
            };
            narrowed.resize(domain.len(), Interval::ALL);
            for (name, range) in operands.ok_or_else(none)? {
                let Some(p) = domain.position(&name) else { continue };
                let both = narrowed[p].meet(range).ok_or_else(none)?;
                narrower |= facts[p].interval.meet(both) != Some(facts[p].interval);
                narrowed[p] = both;
            }
        }
    }
    Ok(narrower)
}

/// An order of the variables in which the bounds of each variable mention only earlier ones. The variables are given by
/// position.
pub(super) fn order(domain: &Domain) -> Result<Vec<usize>, DomainError> {
    let is_constant = |b: &Bounds| [b.lower(), b.upper()].into_iter().flatten().all(|e| e.as_const().is_some());
    if domain.variables.iter().all(|v| v.bounds.iter().all(is_constant)) {
        return Ok((0..domain.len()).collect());
    }
    let mut needs = Vec::with_capacity(domain.len());
    for v in &domain.variables {
        needs.push(mentioned(domain, v)?);
    }
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; domain.len()];
    let mut order = Vec::with_capacity(domain.len());
    for start in 0..domain.len() {
        if state[start] != State::New {
            continue;
        }
        state[start] = State::Open;
        // the variables whose bounds are being followed, each with the number of mentioned variables that are already
        // done
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let Some(&need) = needs[*at].get(*next) else {
                state[*at] = State::Done;
                order.push(*at);
                path.pop();
                continue;
            };
            *next += 1;
            match state[need] {
                State::Done => {}
                State::New => {
                    state[need] = State::Open;
                    path.push((need, 0));
                }
                State::Open => {
                    let circle = path.iter().skip_while(|(p, _)| *p != need);
                    let names = circle.map(|(p, _)| domain.variables[*p].name.clone()).collect();
                    return Err(DomainError::Cyclic { names });
                }
            }
        }
    }
    Ok(order)
}

/// The positions of the variables that the bounds of `v` mention.
pub(super) fn mentioned(domain: &Domain, v: &Variable) -> Result<Vec<usize>, DomainError> {
    let ends = v.bounds.iter().flat_map(|b| [b.lower(), b.upper()]).flatten();
    let ends: Vec<Expr> = ends.filter(|e| e.as_const().is_none()).cloned().collect();
    if ends.is_empty() {
        return Ok(Vec::new());
    }
    let undeclared = |name: &Arc<str>| DomainError::Undeclared { name: v.name.clone(), unknown: name.clone() };
    Dag::new(&ends).variables().map(|name| domain.position(name).ok_or_else(|| undeclared(name))).collect()
}

/// The lower or the upper ends of one variable: the tightest constant end, and all symbolic ends combined to one
/// expression.
fn side<'b>(
    bounds: &'b [Bounds],
    end: impl Fn(&'b Bounds) -> Option<&'b Expr>,
    tighter: impl Fn(i64, i64) -> i64,
    both: impl Fn(&Expr, &Expr) -> Expr,
) -> (Option<i64>, Option<Expr>) {
    let (mut constant, mut symbolic): (Option<i64>, Option<Expr>) = (None, None);
    for e in bounds.iter().filter_map(end) {
        match e.as_const() {
            Some(c) => constant = Some(constant.map_or(c, |d| tighter(c, d))),
            None => symbolic = Some(symbolic.map_or_else(|| e.clone(), |d| both(&d, e))),
        }
    }
    (constant, symbolic)
}

fn facts_of(v: &Variable, narrowed: Interval, range_of: impl Fn(&str) -> Interval) -> Result<VarFacts, DomainError> {
    let name = v.name.clone();
    if let Some(end) = v.bounds.iter().find_map(Bounds::beyond_reach) {
        return Err(DomainError::BeyondReach { name, end: end.to_string() });
    }
    let (low, lower) = side(&v.bounds, Bounds::lower, i64::max, |a, b| a.max(b));
    let (high, upper) = side(&v.bounds, Bounds::upper, i64::min, |a, b| a.min(b));
    let low_range = lower.as_ref().map_or(Interval::ALL, |e| interval_of(e, &range_of));
    let high_range = upper.as_ref().map_or(Interval::ALL, |e| interval_of(e, &range_of));
    let lo = low.into_iter().chain(low_range.lo()).chain(narrowed.lo()).max().unwrap_or(i64::MIN);
    let hi = high.into_iter().chain(high_range.hi()).chain(narrowed.hi()).min().unwrap_or(i64::MAX);
    if v.presence == Presence::Nowhere {
        return Ok(without_ends(v, Interval::new(lo, hi).unwrap_or(Interval::ALL)));
    }
    let Some(range) = Interval::new(lo, hi) else {
        return Err(empty(&name, low.is_some_and(|c| c == lo), lo, &lower, high.is_some_and(|c| c == hi), hi, &upper));
    };
    // for a range such as `n..n-1`, the difference of the ends shows that the range is empty, although the ends do not
    let symbolic = lower.as_ref().zip(upper.as_ref()).map(|(l, u)| interval_of_difference(u, l, &range_of));
    if symbolic.is_some_and(|width| width.hi().is_some_and(|h| h < 0)) {
        return Err(empty(&name, false, lo, &lower, false, hi, &upper));
    }
    let congruence = strides(v)?;
    let lowers = [low.map(Interval::point), lower.as_ref().map(|_| low_range)];
    let uppers = [high.map(Interval::point), upper.as_ref().map(|_| high_range)];
    let is_enough = |room: Interval| room.lo().is_some_and(|room| i128::from(room) + 1 >= congruence.modulus().into());
    let between = |l: Interval, u: Interval| u.plus(l.scaled(-1));
    let mut rooms = lowers.iter().flatten().flat_map(|l| uppers.iter().flatten().map(|u| between(*l, *u)));
    let has_value = match symbolic {
        Some(room) if low.is_none() && high.is_none() => is_enough(room),
        _ => rooms.all(is_enough),
    };
    let may_be_empty = v.presence != Presence::Everywhere && !has_value;
    let interval = congruence.tighten(range).ok_or_else(|| DomainError::NoMultiple {
        name: name.clone(),
        range: range.to_string(),
        modulus: congruence.modulus(),
        residue: congruence.residue(),
    })?;
    let (launch_invariant, repeats) = (v.launch_invariant, Repeats::Once);
    let declared = interval;
    Ok(VarFacts {
        name,
        interval,
        declared,
        may_be_empty,
        congruence,
        lower,
        upper,
        text: text(v)?,
        launch_invariant,
        repeats,
    })
}

/// The facts of a variable that no expression uses. Only the number of iterations of its loop matters.
fn without_ends(v: &Variable, interval: Interval) -> VarFacts {
    VarFacts {
        name: v.name.clone(),
        interval,
        declared: interval,
        may_be_empty: false,
        congruence: Congruence::ANY,
        lower: None,
        upper: None,
        text: None,
        launch_invariant: v.launch_invariant,
        repeats: Repeats::Once,
    }
}

/// The error for an empty range. Each end is shown as it was declared.
fn empty(
    name: &Arc<str>,
    low_is_constant: bool,
    lo: i64,
    lower: &Option<Expr>,
    high_is_constant: bool,
    hi: i64,
    upper: &Option<Expr>,
) -> DomainError {
    let show = |is_constant: bool, c: i64, e: &Option<Expr>| match e {
        Some(e) if !is_constant => e.to_string(),
        _ => c.to_string(),
    };
    DomainError::Empty {
        name: name.clone(),
        lower: show(low_is_constant, lo, lower),
        upper: show(high_is_constant, hi, upper),
    }
}

fn strides(v: &Variable) -> Result<Congruence, DomainError> {
    let mut all = Congruence::ANY;
    for &(modulus, residue) in &v.strides {
        if modulus < 1 {
            return Err(DomainError::BadModulus { name: v.name.clone(), modulus });
        }
        let one = Congruence::new(modulus, residue);
        all = all.meet(one).ok_or_else(|| DomainError::StridesDisagree {
            name: v.name.clone(),
            first_modulus: all.modulus(),
            first_residue: all.residue(),
            second_modulus: one.modulus(),
            second_residue: one.residue(),
        })?;
    }
    Ok(all)
}

fn text(v: &Variable) -> Result<Option<Arc<str>>, DomainError> {
    let Some(first) = v.texts.first() else { return Ok(None) };
    match v.texts.iter().find(|t| *t != first) {
        Some(second) => {
            Err(DomainError::TextsDisagree { name: v.name.clone(), first: first.clone(), second: second.clone() })
        }
        None => Ok(Some(first.clone())),
    }
}
