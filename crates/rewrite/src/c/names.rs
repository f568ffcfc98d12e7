//! The meaning of names.

use quaff_dialects::IntegerType;
use std::sync::Arc;

/// The type of a divisor that the host prepared.
pub(super) const DIVISOR: &str = "quaff_divisor";

/// The meaning of a name at a place where it is visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// An integer variable, with its name in expressions and its type.
    Integer { variable: Arc<str>, ty: IntegerType },
    /// A constant with its type.
    Constant { value: i64, ty: IntegerType },
    /// A value with elements, such as `int* a` (1) and `int a[4][4]` (2). `element` is the type of the elements, if it
    /// is an integer type. `indices` is the number of indices of an element.
    Elements { element: Option<IntegerType>, indices: usize },
    /// A name with any other meaning.
    Other,
}

impl Name {
    /// A name for `value` of type `ty`. If the value does not fit the type, the name is [`Name::Other`].
    pub(super) fn constant(value: i64, ty: IntegerType) -> Name {
        if ty.range().contains(value) { Name::Constant { value, ty } } else { Name::Other }
    }

    /// The type of the name, if it is an integer.
    pub(super) fn integer(&self) -> Option<IntegerType> {
        match self {
            Name::Integer { ty, .. } | Name::Constant { ty, .. } => Some(*ty),
            Name::Elements { .. } | Name::Other => None,
        }
    }
}
