//! Prints loops as statements, and accesses with the loops around them in the grammar of expressions.

use super::blocks::{Blocks, Kind, Part};
use super::carry::Carried;
use super::program::{NestedAccesses, step_of};
use crate::access::Access;
use crate::domain::Interval;
use crate::emit::Language;
use crate::emit::program::{Statement, lines};
use crate::induction::Change;
use std::sync::Arc;

/// The spelling of values in a text with loops.
pub(super) trait Spelling {
    /// The index of access `i`.
    fn index(&self, i: usize) -> String;

    /// The index of access `i` as an operand.
    fn operand(&self, i: usize) -> String;

    /// The name and the type of a variable.
    fn variable(&self, name: &Arc<str>) -> (String, &'static str);
}

/// The spelling in the grammar of expressions.
impl Spelling for NestedAccesses {
    fn index(&self, i: usize) -> String {
        self.answer.accesses[i].index().to_string()
    }

    fn operand(&self, i: usize) -> String {
        self.index(i)
    }

    fn variable(&self, name: &Arc<str>) -> (String, &'static str) {
        (name.to_string(), "")
    }
}

impl NestedAccesses {
    /// The lines of the text in the grammar of expressions, indented by the loops around them. `statements` returns the
    /// statements of an access.
    pub fn lines(&self, statements: impl Fn(&Access) -> Vec<String>) -> Vec<String> {
        let carries = |name: &Arc<str>| self.carried.iter().any(|c| c.variable == *name);
        let guarded: Vec<Arc<str>> = self.may_be_empty().into_iter().filter(carries).collect();
        let blocks = Blocks::new(&self.nests, &guarded, |i| i..i + 1);
        lines(&self.block(&blocks, 0, &statements), Language::Python)
    }

    /// The statements of a block. The recursion is as deep as the nest of loops, which is small.
    fn block(&self, blocks: &Blocks, at: usize, statements: &impl Fn(&Access) -> Vec<String>) -> Vec<Statement> {
        let mut out = Vec::new();
        for part in blocks.parts(at) {
            match part {
                Part::Accesses(range) => {
                    let accesses = &self.answer.accesses[range.clone()];
                    out.extend(accesses.iter().flat_map(statements).map(Statement::Code));
                }
                &Part::Inner(inner) => {
                    out.extend(self.carried_by(blocks, inner).flat_map(|c| self.start(c, &c.name, self)));
                    let mut body = self.block(blocks, inner, statements);
                    body.extend(self.carried_by(blocks, inner).flat_map(|c| self.step(c, self)));
                    out.push(self.enclosed(blocks.kind(inner), self, body));
                }
            }
        }
        out
    }

    /// The statements before the loop that set the first value of `target`, which is carried.
    pub(super) fn start(&self, c: &Carried, target: &str, spelling: &impl Spelling) -> Vec<Statement> {
        let first = self.outside(c);
        let set = |target: String, i: usize| Statement::Set { target, sign: "=", value: spelling.index(i) };
        let step = matches!(c.change, Change::Periodic(_)).then(|| set(format!("{target}_step"), first + 1));
        std::iter::once(set(target.into(), first)).chain(step).collect()
    }

    /// The statements after an iteration that update a carried value.
    pub(super) fn step(&self, c: &Carried, spelling: &impl Spelling) -> Vec<Statement> {
        let (name, at) = (spelling.variable(&c.name).0, self.outside(c) + 1);
        let add = |value: String| Statement::Set { target: name.clone(), sign: "+=", value };
        match &c.change {
            Change::Step(step) if step.as_const() == Some(0) => Vec::new(),
            Change::Step(_) => vec![add(spelling.index(at))],
            Change::Wrapping { modulus, .. } => {
                vec![add(spelling.index(at)), Statement::Wrap { name, modulus: *modulus }]
            }
            Change::Periodic(steps) => {
                let step = format!("{name}_step");
                let known = steps.iter().try_fold(0i64, |sum, step| sum.checked_add(step.as_const()?));
                let sum = || format!("{} + {}", spelling.operand(at), spelling.operand(at + 1));
                let value = format!("{} - {step}", known.map_or_else(sum, |sum| sum.to_string()));
                vec![add(step.clone()), Statement::Set { target: step, sign: "=", value }]
            }
        }
    }

    /// The loop or the guard `kind` around `body`.
    pub(super) fn enclosed(&self, kind: &Kind, spelling: &impl Spelling, body: Vec<Statement>) -> Statement {
        let variable: Arc<str> = kind.variable().cloned().unwrap_or_default();
        let range = self.loops.get(&variable).map_or(Interval::ALL, |l| l.range);
        let first = range.lo().unwrap_or(0);
        let end = self.end_of(&variable).map(|i| spelling.operand(i));
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
        let step = self.answer.vars.iter().find(|v| v.name == variable).map_or(1, step_of);
        let (counter, ty) = spelling.variable(&variable);
        Statement::For { ty, counter, first, end, step, body }
    }
}
