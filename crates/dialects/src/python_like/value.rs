//! What a part of a text is: an expression, a fraction, several values, or nothing that has a meaning.

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
    /// The exact quotient of two integers, which has to be rounded.
    Fraction(Fraction),
    /// A tuple, a list or the arguments of a call. Few levels of them are kept ([`MAX_LEVELS`]), so that dropping them recurses little.
    Many(Rc<[Item]>),
    /// `name=value` among arguments.
    Keyword(Rc<Item>),
    /// A name with dots, which is a function, a type or a method of what is before the last dot.
    Member(Rc<Item>),
    /// The indices and the condition of an access to memory.
    Access(Rc<[Expr]>),
    /// The value of a definition.
    Definition(Rc<Item>),
    /// A string.
    Text,
    /// `None`.
    None,
    /// `:` as a subscript.
    Whole,
    /// An operator's sign, or the name that a definition binds.
    Token,
    /// What has no meaning. It is an error where its value is used, and none in an argument that is passed over.
    Refused(Rc<Refusal>),
}

/// Levels of tuples and lists in one another that are read.
pub(super) const MAX_LEVELS: usize = 8;

/// `numerator / denominator`, written with the sign at `slash`.
#[derive(Clone)]
pub(super) struct Fraction {
    pub(super) numerator: Expr,
    pub(super) denominator: Expr,
    pub(super) slash: Range<usize>,
}

/// What is known of the axes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// Made of literals only.
    Literal,
    /// Made of variables, whose axes are unknown.
    Any,
    /// A tensor with so many axes.
    Tensor(usize),
}

/// Whether a value is a truth value, of which `~` is another operation than of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Truth {
    No,
    /// A variable whose name says that it is a mask, of truth values or of bits.
    Unclear,
    Yes,
}

impl Value {
    /// A statement without a value.
    pub(super) fn nothing(span: &Range<usize>) -> Value {
        Value::Definition(Rc::new(Item { value: Value::None, span: span.clone(), shape: Shape::Any }))
    }

    /// The levels of values in one another.
    pub(super) fn levels(&self) -> usize {
        match self {
            Value::Many(items) => 1 + items.iter().map(|i| i.value.levels()).max().unwrap_or(0),
            Value::Keyword(item) | Value::Member(item) | Value::Definition(item) => 1 + item.value.levels(),
            _ => 0,
        }
    }

    /// What it is, with an article, for a message.
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
