//! [`Dialect::variable`]: the variable that a text of one dialect is.

use crate::dialect::Dialect;
use crate::read::read;
use quaff_expr::expr::Op;

impl Dialect {
    /// The name of the variable that `name` is in texts of this dialect.
    ///
    /// A variable may have another form in a text than its name: `tl.program_id(0)` of Triton is the variable `program_id_0`. What is no text
    /// of one variable is its own name.
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
