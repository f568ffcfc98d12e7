//! The e-graph's language.

use super::lin::Lin;
use egg::Id;
use smallvec::SmallVec;
use std::rc::Rc;

/// Operands of an n-ary node, in increasing order of id.
pub(crate) type Ids = SmallVec<[Id; 4]>;

/// One e-node. Sums and comparisons are normal forms; `%` always stands beside `x - n * (x // n)` in its class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Node {
    Const(i64),
    /// Position in the domain.
    Var(u32),
    /// At least one term, never `1 * id + 0`; a term's class is never itself a sum (it is flattened).
    ///
    /// Shared with the facts of its class: nodes are cloned at every step of egg's bookkeeping.
    Sum(Rc<Lin>),
    /// A product of two or more classes; repeated ones are powers.
    Product(Ids),
    Div([Id; 2]),
    Mod([Id; 2]),
    Min([Id; 2]),
    Max([Id; 2]),
    /// `x >= 0`
    NonNeg([Id; 1]),
    /// `x == 0`
    Zero([Id; 1]),
    Not([Id; 1]),
    And(Ids),
    Or(Ids),
    Select([Id; 3]),
    BitAnd([Id; 2]),
    BitOr([Id; 2]),
    BitXor([Id; 2]),
    Shl([Id; 2]),
    Shr([Id; 2]),
}

/// The operator of a node without operands: what rules are indexed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Head {
    Const,
    Var,
    Sum,
    Product,
    Div,
    Mod,
    Min,
    Max,
    NonNeg,
    Zero,
    Not,
    And,
    Or,
    Select,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
}

/// Operations some of whose operands are used under a condition, and which are judged as a whole.
pub(crate) const CONDITIONS: [Head; 3] = [Head::And, Head::Or, Head::Select];

impl Head {
    pub(crate) const COUNT: usize = Head::Shr as usize + 1;

    /// These heads as facts and the analysis keep them.
    pub(crate) fn bits(heads: &[Head]) -> u32 {
        heads.iter().fold(0, |bits, &h| bits | 1 << h as u32)
    }
}

impl Node {
    pub(crate) fn head(&self) -> Head {
        match self {
            Node::Const(_) => Head::Const,
            Node::Var(_) => Head::Var,
            Node::Sum(_) => Head::Sum,
            Node::Product(_) => Head::Product,
            Node::Div(_) => Head::Div,
            Node::Mod(_) => Head::Mod,
            Node::Min(_) => Head::Min,
            Node::Max(_) => Head::Max,
            Node::NonNeg(_) => Head::NonNeg,
            Node::Zero(_) => Head::Zero,
            Node::Not(_) => Head::Not,
            Node::And(_) => Head::And,
            Node::Or(_) => Head::Or,
            Node::Select(_) => Head::Select,
            Node::BitAnd(_) => Head::BitAnd,
            Node::BitOr(_) => Head::BitOr,
            Node::BitXor(_) => Head::BitXor,
            Node::Shl(_) => Head::Shl,
            Node::Shr(_) => Head::Shr,
        }
    }
}

impl egg::Language for Node {
    /// egg keeps a table of classes by discriminant, which nothing here asks for: one row is enough.
    type Discriminant = ();

    fn discriminant(&self) {}

    fn matches(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Const(a), Node::Const(b)) => a == b,
            (Node::Var(a), Node::Var(b)) => a == b,
            (Node::Sum(a), Node::Sum(b)) => a.constant == b.constant && a.coeffs() == b.coeffs(),
            (a, b) => a.head() == b.head() && a.children().len() == b.children().len(),
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Node::Const(_) | Node::Var(_) => &[],
            Node::Sum(l) => l.terms(),
            Node::Product(x) | Node::And(x) | Node::Or(x) => x,
            Node::NonNeg(x) | Node::Zero(x) | Node::Not(x) => x,
            Node::Div(x)
            | Node::Mod(x)
            | Node::Min(x)
            | Node::Max(x)
            | Node::BitAnd(x)
            | Node::BitOr(x)
            | Node::BitXor(x)
            | Node::Shl(x)
            | Node::Shr(x) => x,
            Node::Select(x) => x,
        }
    }

    /// Leaves a sum shared when none of its terms moves.
    fn update_children<F: FnMut(Id) -> Id>(&mut self, mut f: F) {
        if let Node::Sum(l) = self
            && l.terms().iter().all(|&t| f(t) == t)
        {
            return;
        }
        self.for_each_mut(|id| *id = f(*id));
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Node::Const(_) | Node::Var(_) => &mut [],
            Node::Sum(l) => Rc::make_mut(l).terms_mut(),
            Node::Product(x) | Node::And(x) | Node::Or(x) => x,
            Node::NonNeg(x) | Node::Zero(x) | Node::Not(x) => x,
            Node::Div(x)
            | Node::Mod(x)
            | Node::Min(x)
            | Node::Max(x)
            | Node::BitAnd(x)
            | Node::BitOr(x)
            | Node::BitXor(x)
            | Node::Shl(x)
            | Node::Shr(x) => x,
            Node::Select(x) => x,
        }
    }
}
