//! The index type of an expression, and the expression of each of its copies.

use super::error::IndexError;
use super::family::Family;
use super::general::{General, MAX_COPIES, Outcome, counted};
use super::idx::Idx;
use super::lost::{CheckError, Lost};
use super::state::{self, Apart, State, apply};
use quaff::domain::{Domain, DomainError, VarFacts};
use quaff::expr::{Dag, Expr, Op, int, var};
use quaff::integer::{floor_div, floor_mod};
use std::fmt;
use std::sync::Arc;

/// The largest product of the number of copies and the number of operators: 4 Mi. Larger expressions are rejected.
const WORK: u128 = 1 << 22;

/// The facts about the variables of expressions: ranges and strides of the variables that all copies share, and index
/// types of the unrolled variables.
#[derive(Clone, Debug)]
pub struct Types {
    facts: Vec<VarFacts>,
    unrolled: Vec<(Arc<str>, Idx)>,
}

impl Types {
    /// The facts about variables that all copies share, from `domain`.
    ///
    /// # Errors
    /// The errors of [`Domain::resolve`].
    pub fn new(domain: &Domain) -> Result<Types, DomainError> {
        Ok(Types { facts: domain.resolve()?, unrolled: Vec::new() })
    }

    /// Adds an unrolled variable. In the expressions of copies, the variable `name` is the integer of the first copy.
    /// If a name has several types, the last type counts, and it takes precedence over the domain.
    pub fn with(mut self, name: impl Into<Arc<str>>, ty: Idx) -> Types {
        let name = name.into();
        self.unrolled.retain(|(n, _)| *n != name);
        self.unrolled.push((name, ty));
        self
    }

    /// Whether the variable `name` is unrolled.
    pub(super) fn unrolls(&self, name: &str) -> bool {
        self.idx(name).is_some()
    }

    /// The least value of a variable that all copies share, if it has one.
    pub(super) fn lowest(&self, name: &str) -> Option<i64> {
        let fact = self.facts.iter().find(|f| &*f.name == name && !self.unrolls(name))?;
        let (modulus, residue) = (i128::from(fact.congruence.modulus()), i128::from(fact.congruence.residue()));
        let low = i128::from(fact.interval.lo()?);
        let up = if modulus > 1 { floor_mod(residue - low, modulus) } else { 0 };
        i64::try_from(low + up).ok()
    }

    fn idx(&self, name: &str) -> Option<&Idx> {
        self.unrolled.iter().find(|(n, _)| &**n == name).map(|(_, ty)| ty)
    }
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Checked {
    names: Vec<(Arc<str>, Idx)>,
    copies: usize,
    root: State,
    ty: Outcome,
    lost: Option<Lost>,
}

/// The type of `expr`, for all copies of the unrolled variables in it. With several unrolled variables, the copies are
/// all combinations of their values.
///
/// Copies are evaluated one by one, so that `i + i` is `2*i` and not a sum of any two copies. The type contains every
/// value at every point. It is exact for each dynamic number, which is the part that all copies share. The interval of
/// dynamic numbers may contain numbers that never occur.
///
/// The time is proportional to the number of copies times the number of operators, which is at most 4 Mi.
///
/// # Errors
/// [`CheckError`] with the node that caused it, when a variable is not declared, a divisor may be 0, a value is beyond
/// ±2^64, or there are too many copies. Copies without a common dynamic part are no error: see [`Checked::together`].
pub fn check(expr: &Expr, types: &Types) -> Result<Checked, CheckError> {
    let dag = Dag::new(std::slice::from_ref(expr));
    let names = unrolled(&dag, types);
    let refused = |error: IndexError| CheckError::Refused { error, culprit: expr.clone() };
    let copies = number_of(&names).map_err(refused)?;
    let (mut states, lost) = states(&dag, expr, types)?;
    // operands come first, so the root is the last node
    let Some(root) = states.pop() else { return Err(refused(IndexError::Overflow)) };
    let ty = type_of(&root, copies).map_err(refused)?;
    let lost = match root {
        State::Together(_) => None,
        State::Several(_) => lost.several,
        State::Apart(_) => lost.apart,
    };
    Ok(Checked { names, copies, root, ty, lost })
}

/// The first operators after which the copies share fewer dynamic parts.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// The first operator after which copies share several dynamic parts instead of one.
    several: Option<Lost>,
    /// The first operator after which copies share no dynamic part.
    apart: Option<Lost>,
}

/// The facts about the copies of each node of `dag`, which is the DAG of `expr`, and the first operators after which
/// the copies share fewer dynamic parts.
pub(super) fn states(dag: &Dag, expr: &Expr, types: &Types) -> Result<(Vec<State>, Losses), CheckError> {
    let names = unrolled(dag, types);
    let refused = |id: u32, error: IndexError| {
        let culprit = dag.expr(id).unwrap_or(expr).clone();
        CheckError::Refused { error, culprit }
    };
    let copies = number_of(&names).map_err(|e| refused(dag.roots()[0], e))?;
    if copies as u128 * dag.nodes().len() as u128 > WORK {
        let limit = WORK.isqrt();
        return Err(refused(dag.roots()[0], IndexError::TooManyCopies { copies: copies as u128, limit }));
    }
    let (mut states, mut losses): (Vec<State>, Losses) = (Vec::with_capacity(dag.nodes().len()), Losses::default());
    for (node, id) in dag.nodes().iter().zip(0..) {
        let state = match &node.op {
            Op::Const(c) => state::constant(*c, copies).map(|f| f.map(State::Together)),
            Op::Var(name) => match variable(name, types, &names, copies) {
                None => {
                    let culprit = dag.expr(id).unwrap_or(expr).clone();
                    return Err(CheckError::Unknown { name: name.clone(), culprit });
                }
                Some(state) => state,
            },
            op => {
                let args: Vec<&State> = node.args().iter().map(|a| &states[*a as usize]).collect();
                apply(op, &args, copies).map(|(state, why)| {
                    let lost = if let State::Several(_) = state { &mut losses.several } else { &mut losses.apart };
                    if let (Some(why), None) = (why, &lost) {
                        *lost = Some(Lost { operator: dag.expr(id).unwrap_or(expr).clone(), why });
                    }
                    Some(state)
                })
            }
        };
        states.push(state.and_then(|s| s.ok_or(IndexError::Overflow)).map_err(|e| refused(id, e))?);
    }
    Ok((states, losses))
}

/// The unrolled variables that occur, in the order in which their types were added.
pub(super) fn unrolled(dag: &Dag, types: &Types) -> Vec<(Arc<str>, Idx)> {
    let occurs = |n: &Arc<str>| dag.variables().any(|v| v == n);
    types.unrolled.iter().filter(|(n, _)| occurs(n)).cloned().collect()
}

fn number_of(names: &[(Arc<str>, Idx)]) -> Result<usize, IndexError> {
    let copies = names.iter().fold(1_u128, |n, (_, ty)| n.saturating_mul(ty.copies()));
    let limit = MAX_COPIES as u128;
    let few = usize::try_from(copies).ok().filter(|_| copies <= limit);
    few.ok_or(IndexError::TooManyCopies { copies, limit })
}

/// The state of a variable in all copies. `None` if nothing is known about the variable.
fn variable(
    name: &Arc<str>,
    types: &Types,
    names: &[(Arc<str>, Idx)],
    copies: usize,
) -> Option<Result<Option<State>, IndexError>> {
    let e = var(name.clone());
    if types.idx(name).is_some() {
        let own = |s: usize| offset(names, name, s);
        return Some(spread(&e, names, name, (0..copies).map(own)).map(|f| Some(State::Together(f))));
    }
    let fact = types.facts.iter().find(|f| f.name == *name)?;
    let (modulus, residue) = (fact.congruence.modulus(), fact.congruence.residue());
    Some(state::shared(&e, fact.interval, modulus, residue, copies).map(|f| f.map(State::Together)))
}

/// The copy number of the variable `name` in combination `s` of all copies, in which the last variable changes fastest.
fn offset(names: &[(Arc<str>, Idx)], name: &Arc<str>, s: usize) -> i128 {
    let after = names.iter().rev().take_while(|(n, _)| n != name);
    let faster = after.fold(1_i128, |n, (_, ty)| n * ty.width);
    let own = names.iter().find(|(n, _)| n == name).map_or(1, |(_, ty)| ty.width);
    floor_mod(floor_div(s as i128, faster), own)
}

/// The copies of an unrolled variable whose first copy is `r + k*d`.
fn spread(
    e: &Expr,
    names: &[(Arc<str>, Idx)],
    name: &Arc<str>,
    numbers: impl Iterator<Item = i128>,
) -> Result<Family, IndexError> {
    let Some((_, ty)) = names.iter().find(|(n, _)| n == name) else { return Err(IndexError::Overflow) };
    let Idx { first, width, low, high } = ty.canonical();
    let offsets = counted(1, || numbers.map(|s| first + s).collect())?;
    let base = if first == 0 { e.clone() } else { e - int(i64::try_from(first).map_err(|_| IndexError::Overflow)?) };
    Family { offsets, m: width, low, high: high - 1, base }.checked()
}

fn type_of(root: &State, copies: usize) -> Result<Outcome, IndexError> {
    match root {
        State::Together(family) => General::of(family).map(Outcome::Exact),
        State::Several(parts) => Ok(Outcome::Several(parts.clone())),
        State::Apart(Apart { set: Some(set), .. }) => {
            let family = Family::fixed(set.clone())?.ok_or(IndexError::Overflow)?;
            General::of(&family).map(Outcome::Exact)
        }
        State::Apart(apart) => {
            let (low, high) = apart.interval.bounded().ok_or(IndexError::Overflow)?;
            Ok(Outcome::Integers { copies, bounds: (low.into(), high.into()) })
        }
    }
}

impl Checked {
    /// The type of all copies together, or their number if the copies are plain integers. The type only describes the
    /// set of integers. So it may be exact although the copies share no dynamic part. For example, the copies of `i%5`
    /// may always have every residue. Then [`Checked::together`] returns an error.
    pub fn ty(&self) -> &Outcome {
        &self.ty
    }

    /// The type, if the copies share their dynamic part.
    ///
    /// # Errors
    /// [`Lost`] with the first operator after which the copies do not share their dynamic part.
    pub fn together(&self) -> Result<&General, &Lost> {
        match (&self.ty, &self.root, &self.lost) {
            (Outcome::Exact(general), State::Together(_), _) => Ok(general),
            (.., Some(lost)) => Err(lost),
            (.., None) => Err(&UNKNOWN),
        }
    }

    /// The number of copies, one for each combination of values of the unrolled variables.
    pub fn len(&self) -> usize {
        self.copies
    }

    /// The unrolled variables that occur, with their numbers of copies, in the order in which their types were added.
    pub fn unrolled(&self) -> impl Iterator<Item = (&str, usize)> {
        // the number of copies of one variable is at most `MAX_COPIES`, so the conversion is exact
        self.names.iter().map(|(name, ty)| (&**name, ty.width as usize))
    }

    /// The first operator after which copies share several dynamic parts or none. `None` if they share exactly one.
    pub fn lost(&self) -> Option<&Lost> {
        self.lost.as_ref()
    }

    /// Always `false`, because an expression without unrolled variables has one copy.
    pub fn is_empty(&self) -> bool {
        self.copies == 0
    }

    /// The expression of each copy. If the copies share a dynamic part, the expression of a copy is the dynamic part
    /// plus a constant. Otherwise it is a separate expression with folded static parts.
    ///
    /// # Errors
    /// [`IndexError::Overflow`] if a constant exceeds 64 bits.
    pub fn copies(&self) -> Result<Vec<Expr>, IndexError> {
        (0..self.copies).map(|s| self.root.copy(s)).collect()
    }

    /// The shared dynamic part, and the constant that each copy adds to it.
    pub fn shared(&self) -> Option<(&Expr, &[i128])> {
        match &self.root {
            State::Together(family) => Some((&family.base, &family.offsets)),
            State::Several(_) | State::Apart(_) => None,
        }
    }

    /// For each unrolled variable, its copy number in copy `s`.
    pub fn copy(&self, s: usize) -> Vec<(Arc<str>, i128)> {
        self.names.iter().map(|(n, _)| (n.clone(), offset(&self.names, n, s))).collect()
    }
}

/// never used, because an operator is recorded whenever copies stop sharing a dynamic part
static UNKNOWN: std::sync::LazyLock<Lost> =
    std::sync::LazyLock::new(|| Lost { operator: int(0), why: "the operator is not linear" });

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Exact(general) => match general.to_idx() {
                Some(idx) => idx.fmt(f),
                None => general.fmt(f),
            },
            Outcome::Several(parts) => parts.fmt(f),
            Outcome::Integers { copies, bounds: (low, high) } => write!(f, "{copies} integers in {low}..{high}"),
        }
    }
}
