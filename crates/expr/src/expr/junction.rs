//! Conjunctions and disjunctions, which are dual to one another.

use super::Op;

/// Which of the two connectives joins clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Junction {
    /// All clauses hold.
    And,
    /// At least one clause holds.
    Or,
}

impl Junction {
    /// That of an operation, where it is one.
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

    /// The truth value that a clause may have without any effect on the others. It is also the value of the junction of no
    /// clause. The other truth value decides the whole junction.
    pub fn neutral(self) -> bool {
        self == Junction::And
    }
}
