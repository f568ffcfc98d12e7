//! Conjunctions and disjunctions, which are dual to one another.

use super::{Expr, Op};

/// The connective that joins clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Junction {
    /// All clauses hold.
    And,
    /// At least one clause holds.
    Or,
}

impl Junction {
    /// The connective of `op`. `None` when `op` is neither `and` nor `or`.
    pub fn of(op: &Op) -> Option<Junction> {
        match op {
            Op::And => Some(Junction::And),
            Op::Or => Some(Junction::Or),
            _ => None,
        }
    }

    /// The operation that joins two clauses.
    pub fn op(self) -> Op {
        match self {
            Junction::And => Op::And,
            Junction::Or => Op::Or,
        }
    }

    /// The clauses of `e`, in order. If this connective is not the operator of `e`, the only clause is `e` itself. The
    /// time is linear in the text of the junction.
    ///
    /// ```
    /// use quaff_expr::expr::{Expr, Junction};
    ///
    /// let e: Expr = "a and (b or c) and d".parse()?;
    /// let clauses: Vec<String> = Junction::And.clauses(&e).map(Expr::to_string).collect();
    /// assert_eq!(clauses, ["a", "b or c", "d"]);
    /// # Ok::<(), quaff_expr::expr::ParseError>(())
    /// ```
    pub fn clauses(self, e: &Expr) -> impl Iterator<Item = &Expr> {
        let mut todo = vec![e];
        std::iter::from_fn(move || {
            loop {
                let e = todo.pop()?;
                if *e.op() != self.op() {
                    return Some(e);
                }
                todo.extend(e.args().iter().rev());
            }
        })
    }

    /// The truth value that does not change a junction: true in a conjunction, and false in a disjunction. A junction
    /// without clauses has this value. A clause with the other truth value decides the whole junction.
    pub fn neutral(self) -> bool {
        self == Junction::And
    }
}
