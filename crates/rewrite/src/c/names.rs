//! What a name is.

use quaff_dialects::IntegerType;
use std::sync::Arc;

/// What a name is where it is visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// A variable of expressions, and its type.
    Integer { variable: Arc<str>, ty: IntegerType },
    /// A number.
    Constant(i64),
    /// What holds elements, such as `int* a` (1) and `int a[4][4]` (2): the type of the elements, where it is an integer, and how many indices
    /// an element has.
    Elements { element: Option<IntegerType>, indices: usize },
    /// Anything else.
    Other,
}
