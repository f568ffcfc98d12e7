//! Accesses in their loops as lines in the grammar of expressions.

use super::blocks::{Blocks, Kind, Statement};
use super::carry::Carried;
use super::program::NestedAccesses;
use crate::access::Access;
use crate::expr::Expr;
use crate::induction::Change;
use std::sync::Arc;

impl NestedAccesses {
    /// Lines in the grammar of expressions, indented by the loops around them; `statements` gives those of an access.
    pub fn lines(&self, statements: impl Fn(&Access) -> Vec<String>) -> Vec<String> {
        let carries = |name: &Arc<str>| self.carried.iter().any(|c| c.variable == *name);
        let guarded: Vec<Arc<str>> = self.may_be_empty().into_iter().filter(carries).collect();
        let blocks = Blocks::new(&self.nests, &guarded, |i| i..i + 1);
        let mut lines = Vec::new();
        blocks.walk(|at, depth, statement| {
            let indent = "    ".repeat(depth);
            let mut line = |text: String| lines.push(format!("{indent}{text}"));
            match statement {
                Statement::Accesses(range) => self.answer.accesses[range].iter().flat_map(&statements).for_each(line),
                Statement::Begin(inner) => {
                    if let Kind::Guard(name) = blocks.kind(inner) {
                        let first = self.loops.get(name).and_then(|l| l.range.lo()).unwrap_or(0);
                        line(format!(
                            "if {} >= {first}:",
                            self.end_of(name).map_or_else(String::new, |e| e.to_string())
                        ));
                    }
                    let Some(variable) = blocks.variable(inner) else { return };
                    for c in self.carried_by(&blocks, inner) {
                        start(c).into_iter().for_each(&mut line);
                    }
                    line(format!("for {variable}:"));
                }
                Statement::End => {
                    for c in self.carried_by(&blocks, at) {
                        step(c).into_iter().for_each(&mut line);
                    }
                }
            }
        });
        lines
    }

    /// The loops that may run no iteration.
    pub(super) fn may_be_empty(&self) -> Vec<Arc<str>> {
        let is_here = |name: &&Arc<str>| self.loops.get(*name).is_some_and(|l| l.may_be_empty);
        self.ends.iter().filter(is_here).cloned().collect()
    }

    /// The end of a loop, where it is no number.
    fn end_of(&self, name: &str) -> Option<&Expr> {
        let carried: usize = self.carried.iter().map(|c| c.outside().len()).sum();
        let at = self.ends.iter().position(|n| **n == *name)?;
        Some(self.answer.accesses[self.count + carried + at].index())
    }
}

/// What begins a value that is carried, in the grammar of expressions.
fn start(c: &Carried) -> Vec<String> {
    let first = format!("{} = {}", c.name, c.base);
    match &c.change {
        Change::Periodic(steps) => vec![first, format!("{}_step = {}", c.name, steps[0])],
        Change::Step(_) | Change::Wrapping { .. } => vec![first],
    }
}

/// What follows an iteration.
fn step(c: &Carried) -> Vec<String> {
    let name = &c.name;
    match &c.change {
        Change::Step(step) => vec![format!("{name} += {step}")],
        Change::Wrapping { step, modulus } => {
            vec![format!("{name} += {step}"), format!("{name} -= {modulus} if {name} >= {modulus} else 0")]
        }
        Change::Periodic(steps) => vec![
            format!("{name} += {name}_step"),
            format!(
                "{name}_step = {} - {name}_step",
                both(steps).map_or_else(|| format!("{} + {}", steps[0], steps[1]), |n| n.to_string())
            ),
        ],
    }
}

/// The sum of two steps that are numbers.
pub(super) fn both(steps: &[Expr]) -> Option<i64> {
    let [a, b] = steps else { return None };
    a.as_const()?.checked_add(b.as_const()?)
}
