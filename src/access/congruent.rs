//! Indices under gates that say a remainder: under `(x + 1)%2 < 1`, the index `(x + 1)//2*5 - 6` is `x//2*5 - 1`.
//!
//! What goes in is an access whose gate has a clause `(x + c)%n == k`; what comes out is the access with `x` in the place of `x + c` in that
//! clause, and in all quotients of `x` and a constant by `n`. The constants come to the end of the index then, where an address takes them
//! for nothing.

use super::{Access, Gate};
use crate::expr::monomials::{Monomial, is_permutation, sum_of, terms_and_constant};
use crate::expr::offset::plus_offset;
use crate::expr::{Dag, Expr, Junction, Op};
use crate::integer::{floor_div, floor_mod};

/// That `x%n` is `remainder`.
struct Congruence {
    x: Vec<Monomial>,
    n: i64,
    remainder: i64,
}

/// `access` in such a form; `None` where there is nothing to change.
pub(super) fn congruent(access: &Access) -> Option<Access> {
    let mut known = Vec::new();
    let clauses = clauses(access.gate.condition()?);
    let gate = clauses.iter().map(|clause| match congruence(clause) {
        Some((congruence, constant)) => {
            let clause = if constant == 0 { clause.clone() } else { congruence.expr() };
            known.push(congruence);
            clause
        }
        None => clause.clone(),
    });
    let gate = Gate::from(gate.reduce(|a, b| a.and(b))?);
    let lanes: Option<Vec<Expr>> = access.lanes.iter().map(|lane| without_constants(lane, &known)).collect();
    let lanes = lanes.filter(|_| !known.is_empty())?;
    (gate != access.gate || lanes != access.lanes).then(|| Access { gate, lanes, ..access.clone() })
}

/// The clauses of a conjunction, in order.
pub(super) fn clauses(condition: &Expr) -> Vec<Expr> {
    let mut clauses: Vec<Expr> = Junction::And.clauses_from_last(condition).collect();
    clauses.reverse();
    clauses
}

/// What `clause` says of a remainder, and the constant beside `x` in it.
fn congruence(clause: &Expr) -> Option<(Congruence, i64)> {
    let [remainder, bound] = clause.args() else { return None };
    let [y, n] = remainder.args() else { return None };
    let n = n.as_const().filter(|n| *n > 1 && *remainder.op() == Op::FloorMod)?;
    let value = match (clause.op(), bound.as_const()?) {
        (Op::Eq, k) if (0..n).contains(&k) => k,
        (Op::Lt, 1) | (Op::Le, 0) => 0,
        (Op::Ge, k) | (Op::Gt, k) if k == n - 1 - i64::from(*clause.op() == Op::Gt) => n - 1,
        _ => return None,
    };
    let (x, constant) = terms_and_constant(y)?;
    let remainder = floor_mod(i128::from(value) - i128::from(constant), n.into());
    Some((Congruence { x, n, remainder: i64::try_from(remainder).ok()? }, constant))
}

impl Congruence {
    fn expr(&self) -> Expr {
        let remainder = sum_of(&self.x).floor_mod(self.n);
        match self.remainder {
            0 => remainder.lt(1),
            last if last == self.n - 1 => remainder.ge(last),
            other => remainder.equals(other),
        }
    }

    fn is_of(&self, terms: &[Monomial], n: i64) -> bool {
        let same = |m: &Monomial| {
            self.x.iter().any(|x| x.coefficient == m.coefficient && is_permutation(&x.factors, &m.factors))
        };
        n == self.n && terms.len() == self.x.len() && terms.iter().all(same)
    }
}

/// `e` with constants out of the quotients of which a congruence is `known`, and added last; `None` where it is large.
fn without_constants(e: &Expr, known: &[Congruence]) -> Option<Expr> {
    let dag = Dag::new(std::slice::from_ref(e));
    let (mut new, mut is_changed): (Vec<Expr>, bool) = (Vec::with_capacity(dag.nodes().len()), false);
    for (node, i) in dag.nodes().iter().zip(0..) {
        let args: Vec<Expr> = node.args().iter().map(|&a| new[a as usize].clone()).collect();
        new.push(match (&node.op, &args[..]) {
            (Op::FloorDiv, [y, n]) => match moved(y, n, known) {
                Some(quotient) => {
                    is_changed = true;
                    quotient
                }
                None => y.clone().floor_div(n.clone()),
            },
            (Op::Var(_) | Op::Const(_), _) => dag.origin(i).clone(),
            (op, _) => Expr::try_new(op.clone(), args).ok()?,
        });
    }
    if !is_changed {
        return Some(e.clone());
    }
    match terms_and_constant(new.last()?) {
        Some((terms, constant)) => Some(plus_offset(sum_of(&terms), constant)),
        None => new.pop(),
    }
}

/// `y//n`, with the constant in `y` outside, where that is no constant already.
fn moved(y: &Expr, n: &Expr, known: &[Congruence]) -> Option<Expr> {
    let (terms, constant) = terms_and_constant(y)?;
    let n = n.as_const()?;
    let congruence = known.iter().find(|c| constant != 0 && c.is_of(&terms, n))?;
    let outside = floor_div(i128::from(congruence.remainder) + i128::from(constant), n.into());
    Some(plus_offset(sum_of(&terms).floor_div(n), i64::try_from(outside).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(index: &str, gate: &str) -> Option<(String, String)> {
        let load = Access::load("v", "in", index.parse().unwrap());
        let access = Access { gate: Gate::from(gate.parse::<Expr>().unwrap()), ..load };
        let form = congruent(&access)?;
        for (x, y) in (-20..20).flat_map(|x| (-3..9).map(move |y| (x, y))) {
            let value = |name: &str| Some(if name == "x" { x } else { y });
            let [open, also] = [&access, &form].map(|a| a.gate.condition().unwrap().eval(value).unwrap() != 0);
            assert_eq!(open, also, "{gate} at {x}, {y}");
            let [index, new] = [&access, &form].map(|a| a.lanes[0].eval(value).unwrap());
            assert!(!open || index == new, "{index} is not {new} at {x}, {y}");
        }
        Some((form.lanes[0].to_string(), form.gate.condition().unwrap().to_string()))
    }

    #[test]
    fn constants_leave_quotients_and_remainders() {
        let of = |index: &str, gate: &str| shown(index, gate).map(|(index, gate)| format!("{index} | {gate}"));
        assert_eq!(of("(x + 1)//2*5 - 6", "(x + 1)%2 < 1").unwrap(), "x//2*5 - 1 | x%2 >= 1");
        assert_eq!(
            of("(x*3 + y + 4)//5*7 + y", "(y + x*3 + 2)%5 == 1 and x < 9").unwrap(),
            "(x*3 + y)//5*7 + y + 7 | (y + x*3)%5 >= 4 and x < 9"
        );
        assert_eq!(of("(x + 1)//3", "(x + 2)%3 == 1").unwrap(), "x//3 + 1 | x%3 >= 2");
        assert_eq!(of("(x + 4)//3*2 + 1", "x%3 == 1").unwrap(), "x//3*2 + 3 | x%3 == 1");
    }

    #[test]
    fn what_no_clause_says_stays() {
        for (index, gate) in [
            ("(x + 1)//2", "x%2 < 1 or y < 1"),
            ("(x + 1)//3", "x%2 < 1"),
            ("(x + 1)//2", "x < 1"),
            ("(x + 1)//3", "(x + 2)%3 < 2"),
        ] {
            assert_eq!(shown(index, gate), None, "{index} {gate}");
        }
    }
}
