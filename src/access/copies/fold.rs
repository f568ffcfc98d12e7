//! Substitutes numbers for the parameters of a pattern.
//!
//! The input is an expression. The output is an expression with the same values, in which no operation has only numbers
//! as operands. Constants move outwards from sums, products, quotients and remainders. In comparisons, constants move
//! to the other side, and the terms are divided by their common factor. So copies whose constants have the same effect
//! become equal expressions, which are computed once.

use crate::expr::monomials::{monomials, sum_of};
use crate::expr::offset::plus_offset;
use crate::expr::{Compare, Dag, DagNode, Expr, Op, int};
use crate::integer::{ceil_div, floor_div, floor_mod, gcd};

/// The sum `rest + constant`, or only the constant.
#[derive(Clone)]
struct Value {
    rest: Option<Expr>,
    constant: i64,
}

impl Value {
    fn number(constant: i64) -> Value {
        Value { rest: None, constant }
    }

    fn unknown(e: Expr) -> Value {
        Value { rest: Some(e), constant: 0 }
    }

    fn as_const(&self) -> Option<i64> {
        self.rest.is_none().then_some(self.constant)
    }

    fn expr(&self) -> Expr {
        match &self.rest {
            Some(rest) => plus_offset(rest.clone(), self.constant),
            None => int(self.constant),
        }
    }
}

/// `roots` in the form described above, without operations that have only numbers as operands.
pub(super) fn folded(roots: &[Expr]) -> Vec<Expr> {
    let dag = Dag::new(roots);
    let mut values: Vec<Value> = Vec::with_capacity(dag.nodes().len());
    for (node, i) in dag.nodes().iter().zip(0..) {
        let value = match &node.op {
            Op::Const(c) => Value::number(*c),
            Op::Var(_) => Value::unknown(dag.origin(i).clone()),
            op => {
                let operands: Vec<&Value> = node.args().iter().map(|&a| &values[a as usize]).collect();
                constants_outside(op, &operands).unwrap_or_else(|| operation(node, &operands))
            }
        };
        values.push(value);
    }
    dag.roots().iter().map(|&r| values[r as usize].expr()).collect()
}

/// The operation on `operands` without further changes. If all operands are numbers, the result is the value of the
/// operation.
fn operation(node: &DagNode, operands: &[&Value]) -> Value {
    let e = Expr::new(node.op.clone(), operands.iter().map(|v| v.expr()));
    let known = operands.iter().all(|v| v.rest.is_none());
    let value = || i64::try_from(e.eval(|_| None).ok()?).ok();
    match known.then(value).flatten() {
        Some(value) => Value::number(value),
        None => Value::unknown(e),
    }
}

/// The operation with a constant moved out of it. `None` when no constant moves out, or a constant leaves 64 bits.
fn constants_outside(op: &Op, operands: &[&Value]) -> Option<Value> {
    let small = |n: i128| i64::try_from(n).ok();
    match (op, operands) {
        (Op::Add, [a, b]) => {
            let constant = a.constant.checked_add(b.constant)?;
            let rest = match (&a.rest, &b.rest) {
                (Some(a), Some(b)) => Some(a.clone() + b.clone()),
                (a, b) => a.clone().or_else(|| b.clone()),
            };
            Some(Value { rest, constant })
        }
        (Op::Sub, [a, b]) => {
            let constant = a.constant.checked_sub(b.constant)?;
            let rest = match (&a.rest, &b.rest) {
                (Some(a), Some(b)) => Some(a.clone() - b.clone()),
                (None, Some(b)) => Some(-b.clone()),
                (a, None) => a.clone(),
            };
            Some(Value { rest, constant })
        }
        (Op::Neg, [a]) => Some(Value { rest: a.rest.clone().map(|rest| -rest), constant: a.constant.checked_neg()? }),
        (Op::Mul, [a, b]) => {
            let (x, c) = match (a.as_const(), b.as_const()) {
                (Some(c), _) => (b, c),
                (None, Some(c)) => (a, c),
                (None, None) => return None,
            };
            let constant = x.constant.checked_mul(c)?;
            let rest = x.rest.as_ref().filter(|_| c != 0);
            Some(Value { rest: rest.map(|rest| if c == 1 { rest.clone() } else { product(rest, c) }), constant })
        }
        (op @ (Op::FloorDiv | Op::FloorMod), [x, d]) => {
            let (rest, d) = (x.rest.as_ref()?, d.as_const().filter(|d| *d > 0)?);
            let inside = plus_offset(rest.clone(), small(floor_mod(x.constant.into(), d.into()))?);
            let outside = small(floor_div(x.constant.into(), d.into()))?;
            Some(match (op, d) {
                (Op::FloorDiv, 1) => Value { rest: Some(rest.clone()), constant: x.constant },
                (Op::FloorDiv, _) => Value { rest: Some(inside.floor_div(d)), constant: outside },
                (_, 1) => Value::number(0),
                _ => Value::unknown(inside.floor_mod(d)),
            })
        }
        (op, [a, b]) => {
            let compare = Compare::of(op).filter(|compare| compare.is_order())?;
            let (x, bound, compare) = match (&a.rest, &b.rest) {
                (Some(x), None) => (x, i128::from(b.constant) - i128::from(a.constant), compare),
                (None, Some(x)) => (x, i128::from(a.constant) - i128::from(b.constant), compare.mirrored()),
                _ => return None,
            };
            let (x, factor) = without_factor(x);
            let bound = match compare {
                Compare::Lt | Compare::Ge => ceil_div(bound, factor.into()),
                _ => floor_div(bound, factor.into()),
            };
            Some(Value::unknown(Expr::new(compare.op(), [x, int(small(bound)?)])))
        }
        _ => None,
    }
}

/// The product `x * c`. If `x` is a product with a number, both numbers are multiplied.
fn product(x: &Expr, c: i64) -> Expr {
    if let (Op::Mul, [y, by]) = (x.op(), x.args())
        && let Some(both) = by.as_const().and_then(|by| by.checked_mul(c))
    {
        return y.clone() * both;
    }
    x.clone() * c
}

/// The sum `x` as `y * f`, where `f` is the common factor of its coefficients. Returns `y` and `f`.
fn without_factor(x: &Expr) -> (Expr, i64) {
    let whole = || (x.clone(), 1);
    let Some(mut products) = monomials(x) else { return whole() };
    let common = products.iter().fold(0, |f, m| gcd(f, m.coefficient.into()));
    let Some(factor) = i64::try_from(common).ok().filter(|f| *f > 1) else { return whole() };
    for m in &mut products {
        m.coefficient = i64::try_from(floor_div(m.coefficient.into(), factor.into())).unwrap_or(m.coefficient);
    }
    (sum_of(&products), factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let e: Expr = text.parse().expect("an expression");
        let out = folded(std::slice::from_ref(&e)).remove(0);
        for (x, y) in [(0, 0), (3, -5), (17, 40), (-9, 2), (1000, 999)] {
            let value = |e: &Expr| e.eval(|name| Some(if name == "x" { x } else { y })).ok();
            assert_eq!(value(&e), value(&out), "{text}: {out}");
        }
        out.to_string()
    }

    #[test]
    fn constants_move_outwards() {
        for (text, wanted) in [
            (
                "(x*224 + y*7 + 13)//11*64 + (x*224 + y*7 + 13)%11 + 4//3*y",
                "(x*224 + y*7 + 2)//11*64 + (x*224 + y*7 + 2)%11 + y + 64",
            ),
            ("(x - 1)//4 + (y - 1)%4", "(x + 3)//4 + (y + 3)%4 - 1"),
            ("(x*3 + 2)*5 - (y + 1)", "x*15 - y + 9"),
            ("(x + 0)*1 + y*0", "x"),
            ("min(3, 5) + x//1 + y%1", "x + 3"),
        ] {
            assert_eq!(shown(text), wanted);
        }
    }

    #[test]
    fn bounds_are_as_narrow_as_the_terms_allow() {
        for (text, wanted) in [
            ("x*224 + y*7 + 3 < 6600", "x*32 + y < 943"),
            ("600 >= x*4 - y*6 + 1", "x*2 - y*3 <= 299"),
            ("x + 2%5 >= 2", "x >= 0"),
            ("x*6 > 13 and 1 + y < x", "x > 2 and y + 1 < x"),
        ] {
            assert_eq!(shown(text), wanted);
        }
    }

    #[test]
    fn what_leaves_64_bits_stays() {
        for text in ["x*9223372036854775807*3", "x + 9223372036854775807 + 1", "x//0 + y"] {
            shown(text);
        }
    }
}
