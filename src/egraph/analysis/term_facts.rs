//! The facts that linear constraints need about the terms of a sum. They are a trait, so the search for bounds does not
//! depend on egg or e-nodes.

use crate::domain::Interval;
use crate::egraph::language::linear_form::LinearForm;
use egg::Id;
use std::rc::Rc;

/// Facts about the classes that are terms of sums.
pub(crate) trait TermFacts {
    /// The range of the values of `t`.
    fn interval(&self, t: Id) -> Interval;

    /// Whether some node of `t` is a division.
    fn is_division(&self, t: Id) -> bool;

    /// Numerator and positive divisor of `t`, if `t` is a division by a constant. `x // -n` is read as `-x // n`.
    fn division(&self, t: Id) -> Option<(Rc<LinearForm>, i64)>;
}
