//! The operators of e-nodes, which patterns of rules name and rules are indexed by.

/// The operator of an e-node: which operation it is, without its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// An integer.
    Const,
    /// An unknown.
    Var,
    /// A linear form.
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
    /// Several clauses, all of which hold.
    And,
    /// Several clauses, one of which holds.
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
}

/// Operators some of whose operands are used under a condition only.
pub(crate) const CONDITIONS: [Operator; 3] = [Operator::And, Operator::Or, Operator::Select];

impl Operator {
    pub(crate) const COUNT: usize = Operator::Shr as usize + 1;

    /// Whether the order of the two operands makes no difference: patterns match them in either order.
    pub(crate) fn commutes(self) -> bool {
        use Operator::{BitAnd, BitOr, BitXor, Max, Min};
        matches!(self, Min | Max | BitAnd | BitOr | BitXor)
    }

    /// These operators as facts and the analysis keep them.
    pub(crate) const fn bits(operators: &[Operator]) -> u32 {
        let (mut bits, mut i) = (0, 0);
        while i < operators.len() {
            bits |= 1 << operators[i] as u32;
            i += 1;
        }
        bits
    }
}
