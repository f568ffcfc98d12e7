//! The type of an expression, and what each copy of it computes.

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

/// Copies times operators of an expression: 4 Mi. Beyond it there is no answer.
const WORK: u128 = 1 << 22;

/// What is known of the variables of expressions: ranges and strides of those that all copies share, and index types of
/// those that are unrolled.
#[derive(Clone, Debug)]
pub struct Types {
    facts: Vec<VarFacts>,
    unrolled: Vec<(Arc<str>, Idx)>,
}

impl Types {
    /// Variables that all copies share.
    ///
    /// # Errors
    /// Those of [`Domain::resolve`].
    pub fn new(domain: &Domain) -> Result<Types, DomainError> {
        Ok(Types { facts: domain.resolve()?, unrolled: Vec::new() })
    }

    /// An unrolled variable. In expressions of copies its name stands for the integer of the first copy. The last type
    /// of a name counts, and more than what the domain says.
    pub fn with(mut self, name: impl Into<Arc<str>>, ty: Idx) -> Types {
        let name = name.into();
        self.unrolled.retain(|(n, _)| *n != name);
        self.unrolled.push((name, ty));
        self
    }

    /// Whether `name` is unrolled.
    pub(super) fn unrolls(&self, name: &str) -> bool {
        self.idx(name).is_some()
    }

    /// The least value of a variable that all copies share, where it has one.
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

/// The type of `expr`, with the copies of all unrolled variables in it: of several, all combinations.
///
/// Copies are followed one by one, so that `i + i` is `2*i` and not a sum of any two copies. The type contains every
/// value at every point: it is exact for each dynamic number, and its dynamic interval is a hull.
///
/// Takes time in proportion to copies times operators, 4 Mi at most.
///
/// # Errors
/// [`CheckError`] with the node at fault, when a variable is not declared, a divisor may be 0, a value lies beyond ±2^64,
/// or there are too many copies. That copies have nothing in common is no error: see [`Checked::together`].
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

/// The first operators after which copies share less than before.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// After which they share several dynamic parts.
    several: Option<Lost>,
    /// After which they share none.
    apart: Option<Lost>,
}

/// What is known of the copies of each node of `dag`, which is that of `expr`, and the first operators that take them apart.
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

/// The unrolled variables that occur, in the order in which their types were given.
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

/// A variable in all copies; `None` for one of which nothing is known.
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

/// The number of the copy of `name` in copy `s` of all combinations; the last variable changes fastest.
fn offset(names: &[(Arc<str>, Idx)], name: &Arc<str>, s: usize) -> i128 {
    let after = names.iter().rev().take_while(|(n, _)| n != name);
    let faster = after.fold(1_i128, |n, (_, ty)| n * ty.width);
    let own = names.iter().find(|(n, _)| n == name).map_or(1, |(_, ty)| ty.width);
    floor_mod(floor_div(s as i128, faster), own)
}

/// The copies of an unrolled variable, which is `r + k*d` in the first copy.
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
    /// The type: what all copies have together, or so many plain integers. Copies may have the same integers together at all times though
    /// each computes its own, as those of `i%5` do where they have every residue; then [`Checked::together`] has none.
    pub fn ty(&self) -> &Outcome {
        &self.ty
    }

    /// The type where the copies share their dynamic part.
    ///
    /// # Errors
    /// [`Lost`]: the first operator after which they do not.
    pub fn together(&self) -> Result<&General, &Lost> {
        match (&self.ty, &self.root, &self.lost) {
            (Outcome::Exact(general), State::Together(_), _) => Ok(general),
            (.., Some(lost)) => Err(lost),
            (.., None) => Err(&UNKNOWN),
        }
    }

    /// Number of copies, of all combinations of the unrolled variables.
    pub fn len(&self) -> usize {
        self.copies
    }

    /// The unrolled variables that occur, and how many copies each has; in the order in which their types were given.
    pub fn unrolled(&self) -> impl Iterator<Item = (&str, usize)> {
        // no more than there are copies
        self.names.iter().map(|(name, ty)| (&**name, ty.width as usize))
    }

    /// The first operator after which copies share less than one dynamic part: several, or none. `None` where they share one.
    pub fn lost(&self) -> Option<&Lost> {
        self.lost.as_ref()
    }

    /// Never: an expression without unrolled variables has one copy.
    pub fn is_empty(&self) -> bool {
        self.copies == 0
    }

    /// What each copy computes: the dynamic part, the same expression for all, plus a constant; where that is lost, an
    /// expression of its own in which what is static is folded.
    ///
    /// # Errors
    /// [`IndexError::Overflow`] where a constant leaves 64 bits.
    pub fn copies(&self) -> Result<Vec<Expr>, IndexError> {
        (0..self.copies).map(|s| self.root.copy(s)).collect()
    }

    /// What all copies share, and the constant that each adds to it.
    pub fn shared(&self) -> Option<(&Expr, &[i128])> {
        match &self.root {
            State::Together(family) => Some((&family.base, &family.offsets)),
            State::Several(_) | State::Apart(_) => None,
        }
    }

    /// The number of the copy of each unrolled variable in copy `s`.
    pub fn copy(&self, s: usize) -> Vec<(Arc<str>, i128)> {
        self.names.iter().map(|(n, _)| (n.clone(), offset(&self.names, n, s))).collect()
    }
}

/// Copies are apart only after an operator that is written down.
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
