//! The e-nodes of the e-graph: their operations and the classes of their operands.
//!
//! There is no node for subtraction, and there are only two nodes for comparisons. A comparison is a condition on one
//! linear form, so `x < y` and `y > x` are one node.

use crate::domain::Interval;
use crate::egraph::language::linear_form::LinearForm;
use crate::expr::{Junction, Op};
use crate::rules::operator::Operator;
use egg::Id;
use smallvec::SmallVec;
use std::rc::Rc;

/// Operands of an n-ary node, in increasing order of id.
pub(crate) type Ids = SmallVec<[Id; 4]>;

/// One e-node. Sums and comparisons are in normal form. A class with a `%` node always holds `x - n * (x // n)` as
/// well.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Node {
    Const(i64),
    /// A variable by its position in the domain.
    Var(u32),
    /// A sum of at least one term, never `1 * id + 0`. The class of a term is never itself a sum, because nested sums
    /// are flattened.
    ///
    /// The `Rc` is shared with the facts of the class, because egg clones nodes at every step of its bookkeeping.
    Sum(Rc<LinearForm>),
    /// A product of two or more classes. A class that occurs several times is a power.
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
    TruncDiv([Id; 2]),
    TruncMod([Id; 2]),
}

/// The smaller or the greater of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extremum {
    Min,
    Max,
}

impl Extremum {
    /// The extremum and the operands of a minimum or maximum node. `None` for other nodes.
    pub(crate) fn of(node: &Node) -> Option<(Extremum, [Id; 2])> {
        match node {
            Node::Min(operands) => Some((Extremum::Min, *operands)),
            Node::Max(operands) => Some((Extremum::Max, *operands)),
            _ => None,
        }
    }

    pub(crate) fn node(self, operands: [Id; 2]) -> Node {
        match self {
            Extremum::Min => Node::Min(operands),
            Extremum::Max => Node::Max(operands),
        }
    }
}

/// The claim that a comparison makes about a linear form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Relation {
    /// The linear form is at least 0.
    NonNegative,
    /// The linear form equals 0.
    Zero,
}

impl Relation {
    /// The relation and the operand class of a comparison node. `None` for other nodes.
    pub(crate) fn of(node: &Node) -> Option<(Relation, Id)> {
        match node {
            Node::NonNeg([x]) => Some((Relation::NonNegative, *x)),
            Node::Zero([x]) => Some((Relation::Zero, *x)),
            _ => None,
        }
    }

    pub(crate) fn node(self, x: Id) -> Node {
        match self {
            Relation::NonNegative => Node::NonNeg([x]),
            Relation::Zero => Node::Zero([x]),
        }
    }

    /// Whether this relation holds for `value`.
    pub(crate) fn holds(self, value: i128) -> bool {
        match self {
            Relation::NonNegative => value >= 0,
            Relation::Zero => value == 0,
        }
    }

    /// Whether this relation holds for all values in `range` (`true`) or for none (`false`). `None` if it holds for
    /// some of them only.
    pub(crate) fn known(self, range: Interval) -> Option<bool> {
        let (never, always) = match self {
            Relation::NonNegative => (range.hi().is_some_and(|h| h < 0), range.is_nonneg()),
            Relation::Zero => (!range.contains(0), range.as_point() == Some(0)),
        };
        if never { Some(false) } else { always.then_some(true) }
    }
}

impl Node {
    /// The node that joins `clauses` with `junction`.
    pub(crate) fn of_clauses(junction: Junction, clauses: Ids) -> Node {
        match junction {
            Junction::And => Node::And(clauses),
            Junction::Or => Node::Or(clauses),
        }
    }

    /// The junction and the clauses of this node, if it is a conjunction or a disjunction.
    pub(crate) fn clauses(&self) -> Option<(Junction, &Ids)> {
        match self {
            Node::And(clauses) => Some((Junction::And, clauses)),
            Node::Or(clauses) => Some((Junction::Or, clauses)),
            _ => None,
        }
    }

    pub(crate) fn operator(&self) -> Operator {
        match self {
            Node::Const(_) => Operator::Const,
            Node::Var(_) => Operator::Var,
            Node::Sum(_) => Operator::Sum,
            Node::Product(_) => Operator::Product,
            Node::Div(_) => Operator::Div,
            Node::Mod(_) => Operator::Mod,
            Node::Min(_) => Operator::Min,
            Node::Max(_) => Operator::Max,
            Node::NonNeg(_) => Operator::NonNeg,
            Node::Zero(_) => Operator::Zero,
            Node::Not(_) => Operator::Not,
            Node::And(_) => Operator::And,
            Node::Or(_) => Operator::Or,
            Node::Select(_) => Operator::Select,
            Node::BitAnd(_) => Operator::BitAnd,
            Node::BitOr(_) => Operator::BitOr,
            Node::BitXor(_) => Operator::BitXor,
            Node::Shl(_) => Operator::Shl,
            Node::Shr(_) => Operator::Shr,
            Node::TruncDiv(_) => Operator::TruncDiv,
            Node::TruncMod(_) => Operator::TruncMod,
        }
    }

    /// The operator of expressions that computes this node from its operands. A node with more than two operands
    /// applies a binary operator from left to right. `None` for leaves, sums and comparisons.
    pub(crate) fn op(&self) -> Option<Op> {
        match self {
            Node::Sum(_) | Node::NonNeg(_) | Node::Zero(_) => None,
            node => node.operator().op(),
        }
    }

    /// The node of `operator` with two operands. `None` if the operator does not take two operands.
    pub(crate) fn pair(operator: Operator, operands: [Id; 2]) -> Option<Node> {
        Some(match operator {
            Operator::Div => Node::Div(operands),
            Operator::Mod => Node::Mod(operands),
            Operator::Min => Node::Min(operands),
            Operator::Max => Node::Max(operands),
            Operator::BitAnd => Node::BitAnd(operands),
            Operator::BitOr => Node::BitOr(operands),
            Operator::BitXor => Node::BitXor(operands),
            Operator::Shl => Node::Shl(operands),
            Operator::Shr => Node::Shr(operands),
            Operator::TruncDiv => Node::TruncDiv(operands),
            Operator::TruncMod => Node::TruncMod(operands),
            _ => return None,
        })
    }
}

/// The nodes that [`Node::pair`] makes, with their operands.
macro_rules! pair {
    ($operands:ident) => {
        Node::Div($operands)
            | Node::Mod($operands)
            | Node::Min($operands)
            | Node::Max($operands)
            | Node::BitAnd($operands)
            | Node::BitOr($operands)
            | Node::BitXor($operands)
            | Node::Shl($operands)
            | Node::Shr($operands)
            | Node::TruncDiv($operands)
            | Node::TruncMod($operands)
    };
}

impl egg::Language for Node {
    /// egg keeps a table of classes by discriminant. Nothing here uses that table, so one discriminant is enough.
    type Discriminant = ();

    fn discriminant(&self) {}

    fn matches(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Const(a), Node::Const(b)) => a == b,
            (Node::Var(a), Node::Var(b)) => a == b,
            (Node::Sum(a), Node::Sum(b)) => a.constant == b.constant && a.coeffs() == b.coeffs(),
            (a, b) => a.operator() == b.operator() && a.children().len() == b.children().len(),
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Node::Const(_) | Node::Var(_) => &[],
            Node::Sum(l) => l.terms(),
            Node::Product(x) | Node::And(x) | Node::Or(x) => x,
            Node::NonNeg(x) | Node::Zero(x) | Node::Not(x) => x,
            pair!(x) => x,
            Node::Select(x) => x,
        }
    }

    /// Applies `f` to the operands. A sum stays shared if `f` changes none of its terms.
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
            pair!(x) => x,
            Node::Select(x) => x,
        }
    }
}
