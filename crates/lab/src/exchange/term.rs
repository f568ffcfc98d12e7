//! Terms over binary operators, as in the rules of other systems.

use quaff::expr::{Expr, Op};
use std::collections::BTreeSet;
use std::fmt;

/// A term of a rewrite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Term {
    Int(i64),
    /// A variable that matches only numbers. The name has no prefix such as `?`.
    Number(String),
    /// A variable that matches any term.
    Any(String),
    /// An operator with its operands.
    Apply(Op, Vec<Term>),
    /// A fact about a term, such as its number of terms or the end of its range. It is not an operation of expressions.
    Fact(String, Vec<Term>),
}

/// A product of terms and a numeric factor, as in a sum.
pub(super) type Monomial = (i64, Vec<Term>);

impl Term {
    pub(super) fn two(op: Op, a: Term, b: Term) -> Term {
        Term::Apply(op, vec![a, b])
    }

    /// Combines all `operands` with an operator, from the right. The result is the argument `none` if `operands` is
    /// empty.
    pub(super) fn many(op: &Op, operands: Vec<Term>, none: Term) -> Term {
        let fold = operands.into_iter().rev().reduce(|rest, first| Term::two(op.clone(), first, rest));
        fold.unwrap_or(none)
    }

    pub(super) fn operands(&self) -> &[Term] {
        match self {
            Term::Apply(_, operands) | Term::Fact(_, operands) => operands,
            _ => &[],
        }
    }

    /// Whether the term consists only of numbers, of variables that match numbers, and of operations on these.
    pub(super) fn is_number(&self) -> bool {
        match self {
            Term::Int(_) | Term::Number(_) => true,
            Term::Any(_) | Term::Fact(..) => false,
            Term::Apply(_, operands) => operands.iter().all(Term::is_number),
        }
    }

    /// The term and all its parts.
    pub(super) fn parts(&self) -> Vec<&Term> {
        let mut parts = vec![self];
        let mut at = 0;
        while let Some(part) = parts.get(at).copied() {
            parts.extend(part.operands());
            at += 1;
        }
        parts
    }

    pub(super) fn variables(&self) -> BTreeSet<&Term> {
        self.parts().into_iter().filter(|t| matches!(t, Term::Number(_) | Term::Any(_))).collect()
    }

    /// Applies `change` to each part, from the leaves to the root.
    pub(super) fn map(&self, change: &impl Fn(Term) -> Term) -> Term {
        let of = |operands: &[Term]| operands.iter().map(|t| t.map(change)).collect();
        change(match self {
            Term::Apply(op, operands) => Term::Apply(op.clone(), of(operands)),
            Term::Fact(name, operands) => Term::Fact(name.clone(), of(operands)),
            leaf => leaf.clone(),
        })
    }

    /// The term without summands 0, factors 1, and terms of sums that cancel.
    pub(super) fn tidy(&self) -> Term {
        self.map(&|term| match term {
            Term::Apply(Op::Add, operands) => match &operands[..] {
                [Term::Int(0), x] | [x, Term::Int(0)] => x.clone(),
                _ => shorter(Term::Apply(Op::Add, operands)),
            },
            Term::Apply(Op::Mul, operands) => match &operands[..] {
                [Term::Int(1), x] | [x, Term::Int(1)] => x.clone(),
                _ => Term::Apply(Op::Mul, operands),
            },
            Term::Apply(Op::Sub, operands) => match &operands[..] {
                [x, Term::Int(0)] => x.clone(),
                _ => shorter(Term::Apply(Op::Sub, operands)),
            },
            Term::Apply(Op::Neg, operands) => match &operands[..] {
                [Term::Int(n)] if n.checked_neg().is_some() => Term::Int(-n),
                _ => Term::Apply(Op::Neg, operands),
            },
            other => other,
        })
    }

    /// The term as a sum of products. Equal products are merged, in the order of their first occurrences. `None` if a
    /// number does not fit, or if there are more than [`MAX_MONOMIALS`] products.
    pub(super) fn sum(&self) -> Option<Vec<Monomial>> {
        match self {
            Term::Int(n) => Some(if *n == 0 { Vec::new() } else { vec![(*n, Vec::new())] }),
            Term::Apply(Op::Add | Op::Sub, operands) => {
                let [a, b] = &operands[..] else { return None };
                let sign = if matches!(self, Term::Apply(Op::Sub, _)) { -1 } else { 1 };
                merged(a.sum()?.into_iter().chain(times(&b.sum()?, &[(sign, Vec::new())])?))
            }
            Term::Apply(Op::Neg, operands) => times(&operands.first()?.sum()?, &[(-1, Vec::new())]),
            Term::Apply(Op::Mul, operands) => {
                let [a, b] = &operands[..] else { return None };
                times(&a.sum()?, &b.sum()?)
            }
            other => Some(vec![(1, vec![other.clone()])]),
        }
    }

    /// The term that represents a sum of products.
    pub(super) fn of_sum(sum: &[Monomial]) -> Term {
        let terms = sum.iter().map(|(factor, product)| {
            let product = Term::many(&Op::Mul, product.clone(), Term::Int(1));
            match (factor, product) {
                (1, product) => product,
                (factor, Term::Int(1)) => Term::Int(*factor),
                (factor, product) => Term::two(Op::Mul, Term::Int(*factor), product),
            }
        });
        Term::many(&Op::Add, terms.collect(), Term::Int(0))
    }

    /// Converts an expression to a term. Variables whose names satisfy `is_number` match only numbers.
    pub(super) fn of_expr(expr: &Expr, is_number: &impl Fn(&str) -> bool) -> Term {
        match expr.op() {
            Op::Const(n) => Term::Int(*n),
            Op::Var(name) if is_number(name) => Term::Number(name.to_string()),
            Op::Var(name) => Term::Any(name.to_string()),
            op => Term::Apply(op.clone(), expr.args().iter().map(|a| Term::of_expr(a, is_number)).collect()),
        }
    }
}

/// The most products of a sum. A longer sum is not multiplied out.
const MAX_MONOMIALS: usize = 64;

fn merged(all: impl Iterator<Item = Monomial>) -> Option<Vec<Monomial>> {
    let mut sum: Vec<Monomial> = Vec::new();
    for (factor, product) in all {
        match sum.iter_mut().find(|m| m.1 == product) {
            Some(known) => known.0 = known.0.checked_add(factor)?,
            None => sum.push((factor, product)),
        }
        if sum.len() > MAX_MONOMIALS {
            return None;
        }
    }
    sum.retain(|m| m.0 != 0);
    Some(sum)
}

fn times(a: &[Monomial], b: &[Monomial]) -> Option<Vec<Monomial>> {
    let mut all = Vec::new();
    for (c, x) in a {
        for (d, y) in b {
            let mut product: Vec<Term> = x.iter().chain(y).cloned().collect();
            product.sort();
            all.push((c.checked_mul(*d)?, product));
        }
    }
    merged(all.into_iter())
}

/// The sum without terms that cancel.
fn shorter(sum: Term) -> Term {
    fn terms(term: &Term) -> usize {
        match term {
            Term::Apply(Op::Add | Op::Sub, operands) => operands.iter().map(terms).sum(),
            _ => 1,
        }
    }
    match sum.sum() {
        Some(merged) if merged.len() < terms(&sum) && !sum.is_number() => Term::of_sum(&merged),
        _ => sum,
    }
}

impl fmt::Display for Term {
    /// Writes an s-expression with `?` before each variable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Term::Int(n) => return write!(f, "{n}"),
            Term::Number(name) | Term::Any(name) => return write!(f, "?{name}"),
            Term::Apply(op, _) => op.symbol(),
            Term::Fact(name, _) => name,
        };
        write!(f, "({name}")?;
        for operand in self.operands() {
            write!(f, " {operand}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(text: &str) -> Term {
        Term::of_expr(&text.parse().expect("an expression"), &|name| name == "n")
    }

    #[test]
    fn sums_in_which_terms_cancel_are_written_as_what_stays() {
        for (long, short) in [
            ("(a*x + r) - a*x", "?r"),
            ("x + 0", "?x"),
            ("n*3 + n", "(+ (* ?n 3) ?n)"),
            ("(x + y)//2", "(// (+ ?x ?y) 2)"),
            ("x*(y + 1) - x", "(* ?x ?y)"),
            ("-3", "-3"),
        ] {
            assert_eq!(term(long).tidy().to_string(), short, "{long}");
        }
    }

    #[test]
    fn sums_that_are_too_long_stay() {
        let long = (0..8).map(|i| format!("(x{i} + y{i})")).collect::<Vec<_>>().join("*");
        assert_eq!(term(&long).sum(), None);
    }
}
