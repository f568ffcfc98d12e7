//! [`Dialect::variable`]: the variable that a text in a dialect means.

use crate::dialect::Dialect;
use crate::read::read;
use quaff_expr::expr::Op;

impl Dialect {
    /// The variable that the text `name` means in this dialect.
    ///
    /// The text of a variable may differ from its name: `tl.program_id(0)` of Triton means the variable `program_id_0`.
    /// A text that is not a single variable is returned unchanged.
    ///
    /// ```
    /// use quaff_dialects::Dialect;
    ///
    /// assert_eq!(Dialect::Triton.variable("tl.program_id(axis=0)"), "program_id_0");
    /// assert_eq!(Dialect::Triton.variable("tl.arange(0, 128)"), "arange_0_128");
    /// assert_eq!(Dialect::Triton.variable("pid"), "pid");
    /// assert_eq!(Dialect::Infix.variable("shape.x"), "shape.x");
    /// ```
    pub fn variable(self, name: &str) -> String {
        if self == Dialect::Infix {
            return name.into();
        }
        let result = read(name, self).ok().filter(|text| text.results.len() == 1);
        match result.as_ref().map(|text| text.results[0].expr().op()) {
            Some(Op::Var(variable)) => variable.to_string(),
            _ => name.into(),
        }
    }
}
