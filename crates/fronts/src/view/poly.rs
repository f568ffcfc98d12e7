//! A normal form for sizes, strides and offsets: sums of products of unknowns with integer coefficients. In this form,
//! equal sizes have equal values, and products can be divided by their factors. Every other expression (`n // 4`,
//! `min(n, 8)`) is a separate unknown.

use quaff::expr::sum::written;
use quaff::expr::{Dag, Expr, Op, int};
use quaff::integer::floor_div;
use std::cmp::Ordering;
use std::sync::Arc;

/// The most terms of a polynomial. For a larger polynomial, functions return [`None`]. Sizes of real programs have
/// fewer terms.
const MAX_TERMS: usize = 64;
/// The most factors of a term. Sizes of real programs have fewer factors.
const MAX_DEGREE: usize = 32;
/// The most operators of an expression that is converted.
const MAX_NODES: u64 = 1 << 12;

/// An unknown factor: a variable, or an expression that is no polynomial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    /// The position of the variable in the domain. Unknowns that are no variables come after all variables.
    order: usize,
    text: Arc<str>,
    expr: Expr,
}

impl Ord for Atom {
    fn cmp(&self, other: &Atom) -> Ordering {
        (self.order, &self.text).cmp(&(other.order, &other.text))
    }
}

impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Atom) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A product of sorted unknowns. The empty product is 1.
type Mono = Vec<Atom>;

/// The order of terms: higher degrees first, then earlier unknowns (graded lexicographic order). Multiplication by the
/// same factor keeps this order.
fn leading_first(a: &Mono, b: &Mono) -> Ordering {
    b.len().cmp(&a.len()).then_with(|| a.cmp(b))
}

fn product(a: &Mono, b: &Mono) -> Mono {
    let mut all: Mono = a.iter().chain(b).cloned().collect();
    all.sort();
    all
}

/// `a` without the factors of `b`, if `a` has all of these factors.
fn quotient(a: &Mono, b: &Mono) -> Option<Mono> {
    let mut rest = a.clone();
    for atom in b {
        let at = rest.iter().position(|x| x == atom)?;
        rest.remove(at);
    }
    Some(rest)
}

/// A sum of products of unknowns, the leading term first, without coefficients of 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Poly {
    terms: Vec<(Mono, i128)>,
}

impl Poly {
    pub(super) fn constant(c: i128) -> Poly {
        Poly { terms: if c == 0 { Vec::new() } else { vec![(Vec::new(), c)] } }
    }

    /// The value, if there are no unknowns.
    pub(super) fn as_const(&self) -> Option<i128> {
        match &self.terms[..] {
            [] => Some(0),
            [(mono, c)] if mono.is_empty() => Some(*c),
            _ => None,
        }
    }

    /// The polynomial of `expr`, with unknowns ordered by `position`. `None` when it is too large.
    pub(super) fn read(expr: &Expr, position: &dyn Fn(&str) -> Option<usize>) -> Option<Poly> {
        if let Some(c) = expr.as_const() {
            return Some(Poly::constant(c.into()));
        }
        if expr.tree_size() > MAX_NODES {
            return None;
        }
        let dag = Dag::new(std::slice::from_ref(expr));
        let mut read: Vec<Poly> = Vec::with_capacity(dag.nodes().len());
        for node in dag.nodes() {
            let operand = |i: usize| &read[node.args[i] as usize];
            let poly = match &node.op {
                Op::Const(c) => Poly::constant((*c).into()),
                Op::Var(name) => {
                    let order = position(name).unwrap_or(usize::MAX - 1);
                    let expr = Expr::new(node.op.clone(), []);
                    Poly::of(Atom { order, text: name.clone(), expr })
                }
                Op::Neg => operand(0).scaled(-1)?,
                Op::Add => operand(0).plus(operand(1))?,
                Op::Sub => operand(0).plus(&operand(1).scaled(-1)?)?,
                Op::Mul => operand(0).times(operand(1))?,
                op => Poly::opaque(op, node.args().iter().map(|&i| &read[i as usize]))?,
            };
            read.push(poly);
        }
        read.pop()
    }

    fn of(atom: Atom) -> Poly {
        Poly { terms: vec![(vec![atom], 1)] }
    }

    /// The polynomial of another operator: its value, an exact quotient, or a new unknown.
    fn opaque<'a>(op: &Op, operands: impl Iterator<Item = &'a Poly>) -> Option<Poly> {
        let operands: Vec<&Poly> = operands.collect();
        // a divisor with unknowns may be 0, so only constant divisors are allowed
        if let (Op::FloorDiv, [a, b]) = (op, &operands[..])
            && b.as_const().is_some_and(|b| b > 0)
            && let Some((q, r)) = a.div_rem(b)
            // if the remainder is a constant, long division agrees with floor division
            && r.as_const().is_some()
        {
            return Some(q);
        }
        let args: Vec<Expr> = operands.iter().map(|p| p.to_expr()).collect::<Option<_>>()?;
        let all_known = operands.iter().all(|p| p.as_const().is_some());
        let expr = Expr::new(op.clone(), args);
        if all_known && let Ok(value) = expr.eval(|_| None) {
            return Some(Poly::constant(value));
        }
        let text = expr.to_infix(MAX_NODES as usize * 8).ok()?.into();
        Some(Poly::of(Atom { order: usize::MAX, text, expr }))
    }

    /// The expression, if its coefficients fit 64 bits.
    pub(super) fn to_expr(&self) -> Option<Expr> {
        let product = |mono: &Mono| mono.iter().map(|a| a.expr.clone()).reduce(|a, b| a * b).unwrap_or_else(|| int(1));
        let terms = self.terms.iter().map(|(mono, c)| Some((product(mono), i64::try_from(*c).ok()?)));
        Some(written(terms.collect::<Option<Vec<_>>>()?))
    }

    fn collected(mut terms: Vec<(Mono, i128)>) -> Option<Poly> {
        terms.sort_by(|a, b| leading_first(&a.0, &b.0));
        let mut out: Vec<(Mono, i128)> = Vec::with_capacity(terms.len());
        for (mono, c) in terms {
            match out.last_mut() {
                Some((last, sum)) if *last == mono => *sum = sum.checked_add(c)?,
                _ => out.push((mono, c)),
            }
        }
        out.retain(|(_, c)| *c != 0);
        let fits = out.len() <= MAX_TERMS && out.iter().all(|(m, _)| m.len() <= MAX_DEGREE);
        fits.then_some(Poly { terms: out })
    }

    pub(super) fn plus(&self, other: &Poly) -> Option<Poly> {
        Poly::collected(self.terms.iter().chain(&other.terms).cloned().collect())
    }

    pub(super) fn minus(&self, other: &Poly) -> Option<Poly> {
        self.plus(&other.scaled(-1)?)
    }

    pub(super) fn scaled(&self, c: i128) -> Option<Poly> {
        let terms = self.terms.iter().map(|(m, d)| Some((m.clone(), d.checked_mul(c)?)));
        Poly::collected(terms.collect::<Option<_>>()?)
    }

    pub(super) fn times(&self, other: &Poly) -> Option<Poly> {
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (m, c) in &self.terms {
            for (n, d) in &other.terms {
                terms.push((product(m, n), c.checked_mul(*d)?));
            }
        }
        Poly::collected(terms)
    }

    /// The factor of each variable of `names`, and the rest. `None` if a factor or a part of the rest contains one of
    /// these variables.
    pub(super) fn split_linear(&self, names: &[Arc<str>]) -> Option<(Vec<Poly>, Poly)> {
        let (mut slopes, mut rest) = (vec![Poly::default(); names.len()], Poly::default());
        for (mono, c) in &self.terms {
            let mut others = mono.clone();
            let variable = |a: &Atom| names.iter().position(|n| matches!(a.expr.op(), Op::Var(v) if v == n));
            let found = others.iter().enumerate().find_map(|(at, a)| Some((at, variable(a)?)));
            let into = match found {
                Some((at, axis)) => {
                    others.remove(at);
                    &mut slopes[axis]
                }
                None => &mut rest,
            };
            let mentions = |a: &Atom| a.expr.variables().iter().any(|v| names.contains(v));
            if others.iter().any(mentions) {
                return None;
            }
            into.terms.push((others, *c));
        }
        Some((slopes, rest))
    }

    /// Long division by the leading term: `(q, r)` with `self == q * divisor + r` for all values of the unknowns. For
    /// constants it is floor division. `None` for a divisor of 0, and if a coefficient grows too large.
    pub(super) fn div_rem(&self, divisor: &Poly) -> Option<(Poly, Poly)> {
        let (lead, by) = divisor.terms.first()?;
        let (mut q, mut r, mut rest) = (Vec::new(), Vec::new(), self.clone());
        for _ in 0..4 * MAX_TERMS {
            let Some((mono, c)) = rest.terms.first().cloned() else {
                return Some((Poly::collected(q)?, Poly::collected(r)?));
            };
            let times = floor_div(c, *by);
            match quotient(&mono, lead).filter(|_| times != 0) {
                Some(mono) => {
                    let step = Poly { terms: vec![(mono.clone(), times)] };
                    rest = rest.minus(&step.times(divisor)?)?;
                    q.push((mono, times));
                }
                None => {
                    r.push((mono, c));
                    rest.terms.remove(0);
                }
            }
        }
        None
    }
}
