//! Ranges of variables by their names.

use super::{Interval, VarFacts};
use rustc_hash::FxHashMap;

/// The largest number of variables for which a linear search is faster than a table.
const MAX_COMPARED_NAMES: usize = 16;

/// A map from the names of variables to their ranges.
pub struct RangesByName<'a> {
    vars: &'a [VarFacts],
    /// The position of each variable by its name. The table is empty for few variables.
    table: FxHashMap<&'a str, usize>,
}

impl<'a> RangesByName<'a> {
    /// The ranges of `vars`, the variables that [`resolve`](super::Domain::resolve) returns.
    pub fn new(vars: &'a [VarFacts]) -> RangesByName<'a> {
        let mut table = FxHashMap::default();
        if vars.len() > MAX_COMPARED_NAMES {
            table.extend(vars.iter().enumerate().map(|(i, v)| (&*v.name, i)));
        }
        RangesByName { vars, table }
    }

    /// The range of `name`, or [`Interval::ALL`] when `name` is not declared.
    pub fn of(&self, name: &str) -> Interval {
        let known = if self.table.is_empty() {
            self.vars.iter().find(|v| &*v.name == name)
        } else {
            self.table.get(name).map(|&i| &self.vars[i])
        };
        known.map_or(Interval::ALL, |v| v.interval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;

    #[test]
    fn few_and_many_variables_are_found_alike() {
        for n in [1, MAX_COMPARED_NAMES, MAX_COMPARED_NAMES + 1, 100] {
            let domain = (0..n as i64).fold(Domain::new(), |d, i| d.with(format!("v{i}"), 0..=i));
            let vars = domain.resolve().expect("resolved");
            let ranges = RangesByName::new(&vars);
            for v in &vars {
                assert_eq!(ranges.of(&v.name), v.interval);
            }
            assert_eq!(ranges.of("w"), Interval::ALL);
        }
    }
}
