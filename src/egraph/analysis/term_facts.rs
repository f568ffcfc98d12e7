//! What linear constraints ask of the terms of a sum: a trait, so that the search for bounds knows neither egg nor e-nodes.

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

    /// Numerator and positive divisor of `t`, where it is a division by a constant: `x // -n` is `-x // n`.
    fn division(&self, t: Id) -> Option<(Rc<LinearForm>, i64)>;
}
