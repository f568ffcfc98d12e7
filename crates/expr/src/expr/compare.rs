//! The comparison operators, with their negations and mirror images.

use super::Op;

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
}

impl Compare {
    /// The comparison of `op`. `None` when `op` is no comparison.
    pub fn of(op: &Op) -> Option<Compare> {
        Some(match op {
            Op::Lt => Compare::Lt,
            Op::Le => Compare::Le,
            Op::Gt => Compare::Gt,
            Op::Ge => Compare::Ge,
            Op::Eq => Compare::Eq,
            Op::Ne => Compare::Ne,
            _ => return None,
        })
    }

    /// The operation of this comparison.
    pub fn op(self) -> Op {
        match self {
            Compare::Lt => Op::Lt,
            Compare::Le => Op::Le,
            Compare::Gt => Op::Gt,
            Compare::Ge => Op::Ge,
            Compare::Eq => Op::Eq,
            Compare::Ne => Op::Ne,
        }
    }

    /// Whether this is an order comparison, that is, neither `==` nor `!=`.
    pub fn is_order(self) -> bool {
        !matches!(self, Compare::Eq | Compare::Ne)
    }

    /// The negation, which is true exactly when `self` is false.
    pub fn negated(self) -> Compare {
        match self {
            Compare::Lt => Compare::Ge,
            Compare::Le => Compare::Gt,
            Compare::Gt => Compare::Le,
            Compare::Ge => Compare::Lt,
            Compare::Eq => Compare::Ne,
            Compare::Ne => Compare::Eq,
        }
    }

    /// The comparison that holds for `(b, a)` when `self` holds for `(a, b)`.
    pub fn mirrored(self) -> Compare {
        match self {
            Compare::Lt => Compare::Gt,
            Compare::Le => Compare::Ge,
            Compare::Gt => Compare::Lt,
            Compare::Ge => Compare::Le,
            same @ (Compare::Eq | Compare::Ne) => same,
        }
    }

    /// Whether `a op b` holds, with this operator as `op`.
    pub fn holds(self, a: i128, b: i128) -> bool {
        match self {
            Compare::Lt => a < b,
            Compare::Le => a <= b,
            Compare::Gt => a > b,
            Compare::Ge => a >= b,
            Compare::Eq => a == b,
            Compare::Ne => a != b,
        }
    }

    /// The symbol of the operator, which is the same in all languages.
    pub fn symbol(self) -> &'static str {
        self.op().symbol()
    }
}

#[cfg(test)]
mod tests {
    use super::Compare;
    use crate::expr::Op;

    #[test]
    fn opposites_and_mirrors_agree_with_the_values() {
        let comparisons: Vec<Compare> = Op::all().iter().filter_map(Compare::of).collect();
        assert!(Op::all().iter().all(|op| op.is_comparison() == Compare::of(op).is_some()));
        for c in comparisons {
            assert_eq!(Compare::of(&c.op()), Some(c));
            for (a, b) in [(1, 2), (2, 2), (3, 2)] {
                assert_eq!(c.op().eval([Ok(a), Ok(b), Ok(0)]), Ok(i128::from(c.holds(a, b))));
                assert_eq!(c.negated().holds(a, b), !c.holds(a, b));
                assert_eq!(c.mirrored().holds(b, a), c.holds(a, b));
            }
        }
    }
}
