//! The operators of e-nodes. Patterns of rules name them, and rules are indexed by them.

use crate::expr::Op;

/// The operator of an e-node, without the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// An integer.
    Const,
    /// A variable of the expression.
    Var,
    /// A linear form `constant + Σ coefficient * operand`.
    Sum,
    /// A product of unknowns.
    Product,
    /// `a // b`
    Div,
    /// `a % b`
    Mod,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
    /// `a >= 0`
    NonNeg,
    /// `a == 0`
    Zero,
    /// `not a`
    Not,
    /// A conjunction: 1 if all its clauses hold.
    And,
    /// A disjunction: 1 if at least one of its clauses holds.
    Or,
    /// `where(c, a, b)`
    Select,
    /// `a & b`
    BitAnd,
    /// `a | b`
    BitOr,
    /// `a ^ b`
    BitXor,
    /// `a << b`
    Shl,
    /// `a >> b`
    Shr,
    /// `truncdiv(a, b)`
    TruncDiv,
    /// `truncmod(a, b)`
    TruncMod,
}

/// The operators that evaluate some operands only under a condition, such as the branches of a selection.
pub(crate) const CONDITIONS: [Operator; 3] = [Operator::And, Operator::Or, Operator::Select];

impl Operator {
    pub(crate) const COUNT: usize = Operator::TruncMod as usize + 1;

    /// The operators that the rule language has words for.
    const NAMED: [Operator; 19] = {
        use Operator::*;
        [
            Sum, Product, Div, Mod, Min, Max, NonNeg, Zero, Not, And, Or, Select, BitAnd, BitOr, BitXor, Shl, Shr,
            TruncDiv, TruncMod,
        ]
    };

    /// The expression operator that rules write for this operator. `None` for leaves.
    pub(crate) fn op(self) -> Option<Op> {
        Some(match self {
            Operator::Const | Operator::Var => return None,
            Operator::Sum => Op::Add,
            Operator::Product => Op::Mul,
            Operator::Div => Op::FloorDiv,
            Operator::Mod => Op::FloorMod,
            Operator::Min => Op::Min,
            Operator::Max => Op::Max,
            Operator::NonNeg => Op::Ge,
            Operator::Zero => Op::Eq,
            Operator::Not => Op::Not,
            Operator::And => Op::And,
            Operator::Or => Op::Or,
            Operator::Select => Op::Select,
            Operator::BitAnd => Op::BitAnd,
            Operator::BitOr => Op::BitOr,
            Operator::BitXor => Op::BitXor,
            Operator::Shl => Op::Shl,
            Operator::Shr => Op::Shr,
            Operator::TruncDiv => Op::TruncDiv,
            Operator::TruncMod => Op::TruncMod,
        })
    }

    /// The operator of e-nodes for which rules write the expression operator `op`.
    pub(crate) fn of(op: &Op) -> Option<Operator> {
        Operator::NAMED.into_iter().find(|operator| operator.op().as_ref() == Some(op))
    }

    /// The operator of e-nodes for which rules write `word`.
    pub(crate) fn named(word: &str) -> Option<Operator> {
        Operator::of(&Op::with_symbol(word)?)
    }

    /// The number of operands of an e-node. `None` when the number varies.
    pub(crate) fn arity(self) -> Option<usize> {
        match self {
            Operator::Sum | Operator::Product | Operator::And | Operator::Or => None,
            Operator::NonNeg | Operator::Zero => Some(1),
            operator => Some(operator.op().map_or(0, |op| op.arity())),
        }
    }

    /// Whether the operator is a division. The second operand of a division in the e-graph is never 0.
    pub fn divides(self) -> bool {
        matches!(self, Operator::Div | Operator::Mod | Operator::TruncDiv | Operator::TruncMod)
    }

    /// Whether the order of the two operands does not matter. Patterns match the operands in either order.
    pub(crate) fn commutes(self) -> bool {
        self.arity().is_some() && self.op().is_some_and(|op| op.is_associative())
    }

    /// The set of these operators as bits, the form in which facts and the analysis store it.
    pub(crate) const fn bits(operators: &[Operator]) -> u32 {
        let (mut bits, mut i) = (0, 0);
        while i < operators.len() {
            bits |= 1 << operators[i] as u32;
            i += 1;
        }
        bits
    }
}
