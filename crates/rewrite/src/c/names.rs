//! What a name is.

use quaff_dialects::IntegerType;
use std::sync::Arc;

/// The type of a divisor that the host prepared.
pub(super) const DIVISOR: &str = "quaff_divisor";

/// What a name is where it is visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// A variable of expressions, and its type.
    Integer { variable: Arc<str>, ty: IntegerType },
    /// A number of a type.
    Constant { value: i64, ty: IntegerType },
    /// What holds elements, such as `int* a` (1) and `int a[4][4]` (2): the type of the elements, where it is an integer, and how many indices
    /// an element has.
    Elements { element: Option<IntegerType>, indices: usize },
    /// Anything else.
    Other,
}

impl Name {
    /// A name for `value`, which has the type `ty`; where it has no such value, the name is something else.
    pub(super) fn constant(value: i64, ty: IntegerType) -> Name {
        if ty.range().contains(value) { Name::Constant { value, ty } } else { Name::Other }
    }

    /// Its type, where it is an integer.
    pub(super) fn integer(&self) -> Option<IntegerType> {
        match self {
            Name::Integer { ty, .. } | Name::Constant { ty, .. } => Some(*ty),
            Name::Elements { .. } | Name::Other => None,
        }
    }
}
