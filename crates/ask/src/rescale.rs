//! Replaces a variable such as `s` in `{0, 8, 16, ..}` by a counter of its steps, `s = s_k*8`.

use crate::AskError;
use crate::ranges::{VariableRange, conjuncts, ranges, without_conditions};
use quaff::Simplifier;
use quaff::domain::{Domain, Interval, Repeats, VarFacts};
use quaff::expr::substitute::substituted_all;
use quaff::expr::sum::written;
use quaff::expr::{Expr, int, var};
use quaff::integer::floor_div;
use std::sync::Arc;

/// A variable counted in steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The variable.
    pub name: Arc<str>,
    /// The variable that counts the steps. `None` if the variable has one value.
    pub counter: Option<Arc<str>>,
    /// The variable as an expression of its counter: `counter*step + first`. It is a number if the variable has one
    /// value.
    pub value: Expr,
    /// The counter as an expression of the variable: `(name - first)//step`.
    pub count: Expr,
    /// The values of the counter.
    range: Interval,
}

/// Expressions over counted variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescaled {
    /// The expressions in their simplest form.
    pub exprs: Vec<Expr>,
    /// The ranges of the counters, which replace the variables in `counted`, and of all other variables. The domain also
    /// has the conditions that these ranges do not imply.
    pub domain: Domain,
    /// The variables that are counted in steps, in the order of the call.
    pub counted: Vec<Counted>,
}

/// Counts variables in steps. If [`ranges`] finds that a variable has the values `first + step*k`, it becomes a counter
/// `k` that begins at 0. If the least value is not known, `first` is the residue modulo `step`.
///
/// Each of the other `variables` gets the range that is found for it. The counter of a variable `s` is called `s_k`.
///
/// A call takes the time of [`ranges`], one simplification of the expressions, and one simplification of each
/// condition.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_ask::rescale;
///
/// let domain = "s=0..99, t=0..3, assume s%6 == 3".parse()?;
/// let found = rescale(&Simplifier::default(), &["s//3*4 + t".parse()?], &["s", "t"], &domain)?;
/// assert_eq!(found.exprs[0].to_string(), "s_k*8 + t + 4");
/// assert_eq!(found.domain.to_string(), "s_k=0..16, t=0..3");
/// assert_eq!((found.counted[0].value.to_string(), found.counted[0].count.to_string()), ("s_k*6 + 3".into(), "(s - 3)//6".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of [`ranges`].
pub fn rescale(
    simplifier: &Simplifier,
    exprs: &[Expr],
    variables: &[&str],
    domain: &Domain,
) -> Result<Rescaled, AskError> {
    let asked: Vec<Expr> = variables.iter().map(|name| var(*name)).chain(exprs.iter().cloned()).collect();
    let domain = domain.seen_from(&asked);
    let found = ranges(simplifier, variables, &domain)?;
    let mut counted: Vec<Counted> = vec![];
    for one in &found {
        // a counter must not get the name of an undeclared variable, because that variable must still cause an error
        let is_taken = |name: &str| {
            let is_used = exprs.iter().any(|e| e.variables().iter().any(|own| **own == *name));
            is_used || domain.contains(name) || counted.iter().any(|other| other.counter.as_deref() == Some(name))
        };
        counted.extend(Counted::new(one, is_taken));
    }
    let of = |name: &str| counted.iter().find(|one| *one.name == *name);
    let value = |name: &str| of(name).map(|one| one.value.clone());
    let replaced = |e: &Expr| substituted_all(std::slice::from_ref(e), value).pop().unwrap_or_else(|| e.clone());
    let mut vars = domain.resolve()?;
    let mut conditions = conjuncts(domain.assumptions());
    for v in &mut vars {
        let (own, lower, upper) = (var(v.name.clone()), v.lower.take(), v.upper.take());
        match of(&v.name) {
            Some(_) => {
                conditions.extend(lower.map(|end| end.le(&own)));
                conditions.extend(upper.map(|end| own.le(&end)));
            }
            None => (v.lower, v.upper) = (lower.as_ref().map(replaced), upper.as_ref().map(replaced)),
        }
        if let Some(known) = found.iter().find(|known| known.name == v.name) {
            (v.interval, v.congruence) = (known.range, known.congruence);
        }
    }
    let free = counted_ranges(&vars, &counted, &domain);
    let left = substituted_all(&conditions, value).into_iter().filter_map(|condition| {
        let simple = simplifier.simplify(&condition, &free).map_or(condition, |simple| simple.expr().clone());
        simple.as_const().is_none_or(|holds| holds == 0).then_some(simple)
    });
    let rescaled = left.fold(free.clone(), Domain::assume);
    if exprs.is_empty() {
        return Ok(Rescaled { exprs: vec![], domain: rescaled, counted });
    }
    let exprs = match simplifier.simplify_all(&substituted_all(exprs, value), &rescaled) {
        Ok(found) => found.exprs().to_vec(),
        // prefer the error that the original expressions cause
        Err(error) => return Err(simplifier.simplify_all(exprs, &domain).err().unwrap_or(error).into()),
    };
    Ok(Rescaled { exprs, domain: rescaled, counted })
}

impl Counted {
    /// `None` if the step is 1, so that a counter would not help.
    fn new(known: &VariableRange, is_taken: impl Fn(&str) -> bool) -> Option<Counted> {
        let VariableRange { name, range, congruence, .. } = known;
        let own = var(name.clone());
        let (step, first) = (congruence.modulus(), range.lo().unwrap_or(congruence.residue()));
        let (counter, value, count) = match step {
            1 => return None,
            0 => (None, int(congruence.residue()), int(0)),
            _ => {
                let counter = free_name(name, is_taken);
                let value = written([(var(counter.clone()), step), (int(first), 1)]);
                (Some(counter), value, written([(own, 1), (int(first), -1)]).floor_div(step))
            }
        };
        let steps = |end: i64| floor_div(i128::from(end) - i128::from(first), step.max(1).into());
        let last = range.hi().map_or(i128::MAX, steps);
        let range = Interval::from_wide(range.lo().map_or(i128::MIN, |_| 0), last);
        Some(Counted { name: name.clone(), counter, value, count, range })
    }
}

/// A name for a counter that is not taken.
fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> Arc<str> {
    let name = format!("{}_k", name.replace('.', "_"));
    let others = (2usize..).map(|number| format!("{name}{number}"));
    let free = std::iter::once(name.clone()).chain(others).find(|name| !is_taken(name));
    free.unwrap_or(name).into()
}

/// The ranges of all variables, with each counted variable replaced by its counter, and the loops over the counters.
fn counted_ranges(vars: &[VarFacts], counted: &[Counted], domain: &Domain) -> Domain {
    let of = |name: &Arc<str>| counted.iter().find(|one| one.name == *name);
    let mut found = Domain::new();
    for v in vars {
        let own = match of(&v.name) {
            None => {
                found = found.and(&without_conditions(std::slice::from_ref(v)));
                v.name.clone()
            }
            Some(Counted { counter: Some(counter), range, .. }) => {
                found.add_bounds(counter.clone(), *range);
                counter.clone()
            }
            Some(_) => continue,
        };
        if v.launch_invariant {
            found = found.launch_invariant(own.clone());
        }
        if let (Some(text), None) = (&v.text, of(&v.name)) {
            found = found.opaque(own.clone(), text.clone(), ..);
        }
        if matches!(v.repeats, Repeats::Unrolled(_)) {
            found = found.unrolled(own);
        }
    }
    for v in vars {
        let Some((loops, counts)) = domain.loops_of(&v.name) else { continue };
        let own = |name: &Arc<str>| of(name).map_or(Some(name.clone()), |one| one.counter.clone());
        let loops: Vec<Arc<str>> = loops.iter().filter_map(own).collect();
        found = match own(&v.name) {
            Some(_) if counts => found.loop_nest(loops),
            Some(name) => found.computed_in(name, loops),
            None => found,
        };
    }
    if domain.is_defined() { found.defined() } else { found }
}
