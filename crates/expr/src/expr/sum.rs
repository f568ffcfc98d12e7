//! Sums over nodes of a [`Dag`](super::Dag) and over expressions. All modules share this reader and this writer.

use super::{DagNode, Expr, Op, int};

/// The operands of a sum, each with its factor.
pub type Addends = std::iter::Flatten<std::array::IntoIter<Option<(u32, i64)>, 2>>;

impl DagNode {
    /// The operands that the node adds, each with its factor. `None` unless the node is `a + b`, `a - b`, `-a`, `a*c`,
    /// `c*a`, or `a << k` with `k` in `0..=62`. `number` returns the value of a numeric node, such as `c` or `k`.
    ///
    /// ```
    /// use quaff_expr::expr::{Dag, Expr};
    ///
    /// let e: Expr = "x - y".parse()?;
    /// let dag = Dag::new(&[e]);
    /// let addends = dag.nodes()[2].addends(|id| dag.nodes()[id as usize].as_const());
    /// assert_eq!(addends.map(Vec::from_iter), Some(vec![(0, 1), (1, -1)]));
    /// # Ok::<(), quaff_expr::expr::ParseError>(())
    /// ```
    #[inline]
    pub fn addends(&self, number: impl Fn(u32) -> Option<i64>) -> Option<Addends> {
        let [a, b, _] = self.args;
        let addends = match self.op {
            Op::Add => [Some((a, 1)), Some((b, 1))],
            Op::Sub => [Some((a, 1)), Some((b, -1))],
            Op::Neg => [Some((a, -1)), None],
            Op::Mul => match (number(a), number(b)) {
                (Some(c), _) => [Some((b, c)), None],
                (None, c) => [Some((a, c?)), None],
            },
            Op::Shl => [Some((a, 1 << number(b).filter(|k| (0..=62).contains(k))?)), None],
            _ => return None,
        };
        Some(addends.into_iter().flatten())
    }
}

/// The linear form `constant + Σ coefficient * node`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The constant of the sum.
    pub constant: i64,
    /// The nodes that are no sums, each once and in order, with nonzero coefficients.
    pub terms: Vec<(u32, i64)>,
}

impl Sum {
    /// The sum of `parts`, each a node with its factor. All nested sums are expanded, and equal terms are added.
    ///
    /// `number` returns the value of a numeric node. `None` when a number leaves 64 bits, or when the walk takes more
    /// than `most` steps. The time is that of sorting the terms.
    pub fn of(
        nodes: &[DagNode],
        parts: impl IntoIterator<Item = (u32, i64)>,
        number: impl Fn(u32) -> Option<i64>,
        most: usize,
    ) -> Option<Sum> {
        let (mut constant, mut found): (i64, Vec<(u32, i64)>) = (0, Vec::new());
        let mut todo: Vec<(u32, i64)> = parts.into_iter().collect();
        let mut steps = 0..most;
        while let Some((at, factor)) = todo.pop() {
            steps.next()?;
            if let Some(c) = number(at) {
                constant = constant.checked_add(factor.checked_mul(c)?)?;
                continue;
            }
            match nodes[at as usize].addends(&number) {
                None => found.push((at, factor)),
                Some(addends) => {
                    for (operand, c) in addends {
                        todo.push((operand, factor.checked_mul(c)?));
                    }
                }
            }
        }
        found.sort_unstable_by_key(|(node, _)| *node);
        let mut terms: Vec<(u32, i64)> = Vec::with_capacity(found.len());
        for (node, c) in found {
            match terms.last_mut().filter(|(last, _)| *last == node) {
                Some((_, sum)) => *sum = sum.checked_add(c)?,
                None => terms.push((node, c)),
            }
        }
        terms.retain(|(_, c)| *c != 0);
        Some(Sum { constant, terms })
    }
}

/// The sum of `terms` as an expression, in their order. Each term is an expression with its factor. The sum is 0 when
/// there are no terms.
///
/// A term that is a number is multiplied by its factor. A term with the value 0 is left out unless it is the first one.
/// Negative terms after the first are subtracted.
///
/// ```
/// use quaff_expr::expr::{int, sum, var};
///
/// assert_eq!(sum::written([(var("x"), 2), (var("y"), -1), (int(3), -4)]).to_string(), "x*2 - y - 12");
/// assert_eq!(sum::written([(var("x"), -1), (var("y"), -3)]).to_string(), "-x - y*3");
/// ```
pub fn written(terms: impl IntoIterator<Item = (Expr, i64)>) -> Expr {
    let scaled = |x: Expr, c: i64| match (x.as_const(), c) {
        (Some(1), c) => int(c),
        (_, 1) => x,
        _ => x * c,
    };
    let sum = terms.into_iter().fold(None, |sum: Option<Expr>, (x, c)| {
        let number = x.as_const().and_then(|x| x.checked_mul(c));
        let (x, c) = number.map_or((x, c), |number| (int(1), number));
        Some(match (sum, c.checked_neg()) {
            (Some(sum), _) if number == Some(0) => sum,
            (None, Some(1)) if number.is_none() => -x,
            (None, _) => scaled(x, c),
            (Some(sum), Some(opposite @ 1..)) => sum - scaled(x, opposite),
            (Some(sum), _) => sum + scaled(x, c),
        })
    });
    sum.unwrap_or_else(|| int(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Dag, var};

    fn sum(text: &str, most: usize) -> Option<(String, i64)> {
        let dag = Dag::new(&[text.parse().expect("an expression")]);
        let number = |id: u32| dag.nodes()[id as usize].as_const();
        let sum = Sum::of(dag.nodes(), [(dag.roots()[0], 1)], number, most)?;
        Some((written(sum.terms.iter().map(|(id, c)| (dag.origin(*id).clone(), *c))).to_string(), sum.constant))
    }

    #[test]
    fn sums_are_read_through_all_their_operators() {
        for (text, terms, constant) in [
            ("x - (y*3 - -(x << 2)) + 7", "x*-3 - y*3", 7),
            ("2*(x + 4) - x*2 - z//2", "-(z//2)", 8),
            ("x - x", "0", 0),
            ("x*y + 1", "x*y", 1),
            ("(x << 63) + (y << z)", "(x << 63) + (y << z)", 0),
        ] {
            assert_eq!(sum(text, 99), Some((terms.into(), constant)), "{text}");
        }
    }

    #[test]
    fn what_leaves_64_bits_or_takes_too_long_is_no_sum() {
        let most = i64::MAX;
        assert_eq!(sum(&format!("{most} + x + {most}"), 99), None);
        assert_eq!(sum(&format!("(x*{most})*2"), 99), None);
        assert_eq!((sum("x + y", 2), sum("x + y", 3)), (None, Some(("x + y".into(), 0))));
    }

    #[test]
    fn numbers_are_written_with_their_factors() {
        for (terms, text) in [
            (vec![], "0"),
            (vec![(int(3), -1)], "-3"),
            (vec![(var("x"), -2), (int(1), 0), (int(5), -1)], "x*-2 - 5"),
            (vec![(var("x"), 1), (int(1), i64::MIN)], "x + -9223372036854775808"),
            (vec![(var("x"), 1), (int(i64::MAX), 2)], "x + 9223372036854775807*2"),
        ] {
            assert_eq!(written(terms).to_string(), text);
        }
    }
}
