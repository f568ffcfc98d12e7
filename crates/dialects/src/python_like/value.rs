//! The value of a part of a text: an expression, a fraction, several values, or a refusal.

use super::refusal::Refusal;
use quaff_expr::expr::Expr;
use std::ops::Range;
use std::rc::Rc;

/// A part of a text with its place.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) value: Value,
    pub(super) span: Range<usize>,
    pub(super) shape: Shape,
}

#[derive(Clone)]
pub(super) enum Value {
    /// An integer or a truth value.
    Int(Expr),
    /// The exact quotient of two integers, which must be rounded.
    Fraction(Fraction),
    /// A tuple, a list or the arguments of a call. The number of nested levels is limited ([`MAX_LEVELS`]), so dropping
    /// a value recurses little.
    Many(Rc<[Item]>),
    /// A keyword argument `name=value`.
    Keyword(Rc<Item>),
    /// A name with dots. It is a function, a type, or a method of the object before the last dot.
    Member(Rc<Item>),
    /// The indices and the condition of an access to memory.
    Access(Rc<[Expr]>),
    /// The value of a definition.
    Definition(Rc<Item>),
    /// A string.
    Text,
    /// The value `None`.
    None,
    /// The subscript `:`.
    Whole,
    /// The sign of an operator, or the name that a definition binds.
    Token,
    /// A part without a meaning. Its use as a value is an error, but it may be an argument that is ignored.
    Refused(Rc<Refusal>),
}

/// The most levels of nested tuples and lists.
pub(super) const MAX_LEVELS: usize = 8;

/// The fraction `numerator / denominator`, written with the sign at `slash`.
#[derive(Clone)]
pub(super) struct Fraction {
    pub(super) numerator: Expr,
    pub(super) denominator: Expr,
    pub(super) slash: Range<usize>,
}

/// The facts about the axes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// The value consists only of literals.
    Literal,
    /// The value has variables whose axes are unknown.
    Any,
    /// A tensor with this number of axes.
    Tensor(usize),
}

/// Whether a value is a truth value. On a truth value, `~` is a different operation than on an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Truth {
    No,
    /// A variable whose name says that it is a mask. It may be a mask of truth values or of bits.
    Unclear,
    Yes,
}

impl Value {
    /// A statement without a value.
    pub(super) fn nothing(span: &Range<usize>) -> Value {
        Value::Definition(Rc::new(Item { value: Value::None, span: span.clone(), shape: Shape::Any }))
    }

    /// The number of nested levels of the value.
    pub(super) fn levels(&self) -> usize {
        match self {
            Value::Many(items) => 1 + items.iter().map(|i| i.value.levels()).max().unwrap_or(0),
            Value::Keyword(item) | Value::Member(item) | Value::Definition(item) => 1 + item.value.levels(),
            _ => 0,
        }
    }

    /// The kind of the value, with an article, for a message.
    pub(super) fn what(&self) -> &'static str {
        match self {
            Value::Int(_) => "an integer",
            Value::Fraction(_) => "a fraction",
            Value::Many(_) => "a tuple",
            Value::Keyword(_) => "an argument with a name",
            Value::Member(_) => "an attribute",
            Value::Access(_) => "data that is read from memory",
            Value::Definition(_) => "a definition",
            Value::Text => "a string",
            Value::None => "nothing",
            Value::Whole => "a slice",
            Value::Token => "an operator",
            Value::Refused(_) => "a text without a meaning",
        }
    }
}
