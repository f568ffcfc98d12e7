//! Points at which two expressions differ.

use quaff_expr::expr::{EvalError, Value};
use std::fmt;
use std::sync::Arc;

/// A point at which two expressions differ, found by evaluating both expressions there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    pub(super) values: Vec<(Arc<str>, i64)>,
    pub(super) first: i128,
    pub(super) second: Value,
}

impl Witness {
    /// The variables and their values, in the order of the domain. The list has only variables that occur in the
    /// expressions or in the bounds of their variables. For other variables, any value works.
    pub fn values(&self) -> &[(Arc<str>, i64)] {
        &self.values
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<i64> {
        self.values.iter().find(|(n, _)| &**n == name).map(|(_, v)| *v)
    }

    /// The value of the first expression.
    pub fn first(&self) -> i128 {
        self.first
    }

    /// The value of the second expression, or the reason why it has none.
    pub fn second(&self) -> Result<i128, EvalError> {
        self.second
    }
}

impl fmt::Display for Witness {
    /// Writes for example `x = 3, y = 0: 7 but 8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.values.iter().enumerate() {
            write!(f, "{}{name} = {value}", if i == 0 { "" } else { ", " })?;
        }
        let colon = if self.values.is_empty() { "" } else { ": " };
        match self.second {
            Ok(second) => write!(f, "{colon}{} but {second}", self.first),
            Err(why) => write!(f, "{colon}{} but {why}", self.first),
        }
    }
}
