//! Loops as statements, and accesses in their loops in the grammar of expressions.

use super::blocks::{Blocks, Kind, Part};
use super::carry::Carried;
use super::program::{NestedAccesses, step_of};
use crate::access::Access;
use crate::domain::Interval;
use crate::emit::program::{Statement, Style, lines};
use crate::expr::Expr;
use crate::induction::Change;
use std::sync::Arc;

impl NestedAccesses {
    /// Lines in the grammar of expressions, indented by the loops around them; `statements` gives those of an access.
    pub fn lines(&self, statements: impl Fn(&Access) -> Vec<String>) -> Vec<String> {
        let carries = |name: &Arc<str>| self.carried.iter().any(|c| c.variable == *name);
        let guarded: Vec<Arc<str>> = self.may_be_empty().into_iter().filter(carries).collect();
        let blocks = Blocks::new(&self.nests, &guarded, |i| i..i + 1);
        lines(&self.block(&blocks, 0, &statements), Style::Python)
    }

    /// The statements of a block. Recursive in the depth of loops, of which there are few.
    fn block(&self, blocks: &Blocks, at: usize, statements: &impl Fn(&Access) -> Vec<String>) -> Vec<Statement> {
        let mut out = Vec::new();
        for part in blocks.parts(at) {
            match part {
                Part::Accesses(range) => {
                    let accesses = &self.answer.accesses[range.clone()];
                    out.extend(accesses.iter().flat_map(statements).map(Statement::Code));
                }
                &Part::Inner(inner) => {
                    let carried = || self.carried_by(blocks, inner).map(|c| (c, c.outside()));
                    out.extend(carried().flat_map(|(c, all)| start(c, &c.name, |i| all[i].to_string())));
                    let mut body = self.block(blocks, inner, statements);
                    let as_is = |text: &str| text.to_string();
                    body.extend(carried().flat_map(|(c, all)| step(c, &c.name, as_is, |i| all[i].to_string())));
                    let Some(name) = blocks.kind(inner).variable() else { continue };
                    let end = self.end_of(name).map(ToString::to_string);
                    out.push(self.enclosed(blocks.kind(inner), (name.to_string(), ""), end, body));
                }
            }
        }
        out
    }

    /// The loop or the guard `kind` around `body`. A loop has its counter with its type, and an `end` where that is no number.
    pub(super) fn enclosed(
        &self,
        kind: &Kind,
        (counter, ty): (String, &'static str),
        end: Option<String>,
        body: Vec<Statement>,
    ) -> Statement {
        let variable = kind.variable().map_or("", |v| &**v);
        let range = self.loops.get(variable).map_or(Interval::ALL, |l| l.range);
        let first = range.lo().unwrap_or(0);
        if let Kind::Guard(_) = kind {
            let condition = format!("{} >= {first}", end.unwrap_or_default());
            return Statement::If { condition, then: body, otherwise: None };
        }
        let last = range.hi().unwrap_or(i64::MAX);
        let end = match (end, last.checked_add(1)) {
            (Some(end), _) => format!("<= {end}"),
            (None, Some(past)) => format!("< {past}"),
            (None, None) => format!("<= {last}"),
        };
        let step = self.answer.vars.iter().find(|v| *v.name == *variable).map_or(1, step_of);
        Statement::For { ty, counter, first, end, step, body }
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

/// What begins a value that is carried in `target`; `text` is that of each value that is computed outside of the loop.
pub(super) fn start(c: &Carried, target: &str, text: impl Fn(usize) -> String) -> Vec<Statement> {
    let set = |target: String, i: usize| Statement::Set { target, sign: "=", value: text(i) };
    let step = matches!(c.change, Change::Periodic(_)).then(|| set(format!("{target}_step"), 1));
    std::iter::once(set(target.into(), 0)).chain(step).collect()
}

/// What follows an iteration; `operand` makes a text an operand of a sum.
pub(super) fn step(
    c: &Carried,
    name: &str,
    operand: impl Fn(&str) -> String,
    text: impl Fn(usize) -> String,
) -> Vec<Statement> {
    let add = |value: String| Statement::Set { target: name.into(), sign: "+=", value };
    match &c.change {
        Change::Step(step) if step.as_const() == Some(0) => Vec::new(),
        Change::Step(_) => vec![add(text(1))],
        Change::Wrapping { modulus, .. } => {
            vec![add(text(1)), Statement::Wrap { name: name.into(), modulus: *modulus }]
        }
        Change::Periodic(steps) => {
            let sum = || format!("{} + {}", operand(&text(1)), operand(&text(2)));
            let value = format!("{} - {name}_step", both(steps).map_or_else(sum, |n| n.to_string()));
            vec![add(format!("{name}_step")), Statement::Set { target: format!("{name}_step"), sign: "=", value }]
        }
    }
}

/// The sum of two steps that are numbers.
fn both(steps: &[Expr]) -> Option<i64> {
    let [a, b] = steps else { return None };
    a.as_const()?.checked_add(b.as_const()?)
}
