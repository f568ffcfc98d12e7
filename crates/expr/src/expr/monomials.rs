//! Expressions as sums of products.

use super::sum::written;
use super::{Dag, Expr, Op, int};

/// The largest number of nodes. Larger expressions are not expanded to monomials.
const MAX_NODES: usize = 64;
/// The largest number of monomials. An expression with more monomials is not expanded. The same holds if one monomial
/// has more factors than this.
const MAX_MONOMIALS: usize = 16;
const MAX_FACTORS: usize = 8;

/// A product of a number and unknown factors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monomial {
    /// The numeric factor.
    pub coefficient: i64,
    /// The other factors: variables, and operations other than sums and products. The list is empty for a number.
    pub factors: Vec<Expr>,
}

impl Monomial {
    /// The product as an expression.
    pub fn expr(&self) -> Expr {
        sum_of([self])
    }

    /// Whether both monomials have the same factors, in any order.
    pub fn has_factors_of(&self, other: &Monomial) -> bool {
        is_permutation(&self.factors, &other.factors)
    }
}

/// The sum of `all` as an expression, or 0 when `all` is empty.
pub fn sum_of<'a>(all: impl IntoIterator<Item = &'a Monomial>) -> Expr {
    let product = |m: &Monomial| m.factors.iter().cloned().reduce(|a, b| a * b).unwrap_or_else(|| int(1));
    written(all.into_iter().map(|m| (product(m), m.coefficient)))
}

/// The monomials whose sum is `e`. `None` when `e` is too large, or a coefficient leaves 64 bits.
pub fn monomials(e: &Expr) -> Option<Vec<Monomial>> {
    let dag = Dag::new(std::slice::from_ref(e));
    if dag.nodes().len() > MAX_NODES {
        return None;
    }
    let mut of_nodes: Vec<Vec<Monomial>> = Vec::with_capacity(dag.nodes().len());
    for (i, node) in dag.nodes().iter().enumerate() {
        let of = |k: usize| &of_nodes[node.args[k] as usize];
        let sum = match node.op {
            Op::Const(coefficient) => vec![Monomial { coefficient, factors: Vec::new() }],
            Op::Add => added(of(0).iter().cloned().chain(of(1).iter().cloned()))?,
            Op::Sub => {
                added(of(0).iter().cloned().map(Some).chain(of(1).iter().map(negated)).collect::<Option<Vec<_>>>()?)?
            }
            Op::Neg => of(0).iter().map(negated).collect::<Option<_>>()?,
            Op::Mul => {
                let pairs = of(0).iter().flat_map(|a| of(1).iter().map(move |b| times(a, b)));
                added(pairs.collect::<Option<Vec<_>>>()?)?
            }
            _ => vec![Monomial { coefficient: 1, factors: vec![dag.origin(i as u32).clone()] }],
        };
        of_nodes.push(sum);
    }
    of_nodes.pop()
}

/// The terms of `e` and its constant. `None` when there are no terms.
pub fn terms_and_constant(e: &Expr) -> Option<(Vec<Monomial>, i64)> {
    let (constants, terms): (Vec<_>, Vec<_>) = monomials(e)?.into_iter().partition(|m| m.factors.is_empty());
    (!terms.is_empty()).then(|| (terms, constants.first().map_or(0, |c| c.coefficient)))
}

/// The sum of `all`, in which monomials with the same factors are combined.
fn added(all: impl IntoIterator<Item = Monomial>) -> Option<Vec<Monomial>> {
    let mut sum: Vec<Monomial> = Vec::new();
    for m in all {
        match sum.iter_mut().find(|s| s.has_factors_of(&m)) {
            Some(same) => same.coefficient = same.coefficient.checked_add(m.coefficient)?,
            None => sum.push(m),
        }
        if sum.len() > MAX_MONOMIALS {
            return None;
        }
    }
    sum.retain(|m| m.coefficient != 0);
    Some(sum)
}

fn negated(m: &Monomial) -> Option<Monomial> {
    Some(Monomial { coefficient: m.coefficient.checked_neg()?, factors: m.factors.clone() })
}

fn times(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let coefficient = a.coefficient.checked_mul(b.coefficient)?;
    let factors = [&a.factors[..], &b.factors[..]].concat();
    (factors.len() <= MAX_FACTORS).then_some(Monomial { coefficient, factors })
}

/// Whether `a` and `b` contain the same expressions equally often.
fn is_permutation(a: &[Expr], b: &[Expr]) -> bool {
    let count = |all: &[Expr], e: &Expr| all.iter().filter(|x| *x == e).count();
    a.len() == b.len() && a.iter().all(|e| count(a, e) == count(b, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<Vec<String>> {
        let all = monomials(&text.parse().expect("an expression"))?;
        Some(all.iter().map(|m| m.expr().to_string()).collect())
    }

    #[test]
    fn products_are_multiplied_out_and_added() {
        assert_eq!(shown("a*(b - 2*c//d) + 3*c*2 - a*b").unwrap(), ["-(a*(2*c//d))", "c*6"]);
        assert_eq!(shown("(x + 1)*(x - 1)").unwrap(), ["x*x", "-1"]);
        assert_eq!(shown("x - x").unwrap(), [""; 0]);
    }

    #[test]
    fn large_sums_have_none() {
        let sum = |n: usize| (0..n).map(|i| format!("x{i}")).collect::<Vec<_>>().join(" + ");
        assert!(shown(&format!("({})*({})", sum(4), sum(4))).is_none_or(|m| m.len() <= MAX_MONOMIALS));
        assert_eq!(shown(&sum(17)), None);
        assert_eq!(shown("(x*9223372036854775807)*2"), None);
        let square = (0..40).fold(crate::expr::var("x"), |x, _| x.clone() * x);
        assert_eq!(monomials(&square), None);
    }
}
