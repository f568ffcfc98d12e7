//! The facts that hold when a statement runs: conditions, masks, and notes.

use super::reader::replaced;
use super::scope::Source;
use super::tree::is_axes;
use super::walk::Walk;
use crate::model::Context;
use crate::notes::Fact;
use quaff::domain::Interval;
use quaff::expr::{Dag, Expr, Op, var};
use std::sync::Arc;

/// The most levels of nested definitions that are inlined into a condition.
const MAX_DEPTH: usize = 16;

/// The most expression nodes of a condition. Definitions are inlined only up to this size.
const MAX_NODES: usize = 200;

/// Reads conditions.
impl Walk<'_, '_> {
    /// Extends `context` (the conditions that hold at a place) by `conditions`, and returns the new context.
    pub(super) fn with(&mut self, context: Option<usize>, conditions: Vec<Expr>) -> Option<usize> {
        let mut last = context;
        for condition in conditions {
            self.contexts.push(Context { before: last, condition });
            last = Some(self.contexts.len() - 1);
        }
        last
    }

    /// The conditions that hold if the condition at `node` holds. They are the operands of `and` and `&` in it that can
    /// be read.
    pub(super) fn conditions(&mut self, node: usize) -> Vec<Expr> {
        let tree = self.tree;
        let mut found = Vec::new();
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            if let "parenthesized_expression" = tree.kind(node) {
                todo.extend(tree.inner(node));
                continue;
            }
            let moved = tree.child(node, "value").filter(|_| tree.kind(node) == "subscript" && is_axes(tree, node));
            if let Some(value) = moved.filter(|&value| tree.kind(value) == "parenthesized_expression") {
                let suffix: String = tree.text[tree.span(value).end..tree.span(node).end].split_whitespace().collect();
                for condition in self.conditions(value) {
                    let condition = self.along(&condition, &suffix);
                    found.push(self.with_axes_inside(&condition, MAX_DEPTH));
                }
                continue;
            }
            let is_joined = match tree.kind(node) {
                "boolean_operator" => tree.sign(node) == "and",
                // if `a & b` is true, both are true. If an operand contains `^`, the parser may have built the wrong
                // tree
                "binary_operator" if tree.sign(node) == "&" => {
                    let is_other = |side: usize| tree.kind(side) == "binary_operator" && tree.sign(side) == "^";
                    !tree.children(node).any(is_other)
                }
                _ => false,
            };
            if is_joined {
                let mut parts: Vec<usize> = tree.children(node).collect();
                parts.reverse();
                todo.extend(parts);
                continue;
            }
            found.extend(self.condition(node));
        }
        found
    }

    /// The negation of the condition at `node`. The list is empty if the condition cannot be read.
    pub(super) fn opposite(&mut self, node: usize) -> Vec<Expr> {
        self.condition(node).map(|condition| condition.not()).into_iter().collect()
    }

    /// The condition at `node`, if it can be read and none of its variables changes.
    fn condition(&mut self, node: usize) -> Option<Expr> {
        if !self.types.is_int(node) {
            return None;
        }
        let reading = self.reader.read(node).ok()?;
        let is_known = reading.expr.as_const().is_none() && !self.changes(&reading.expr);
        is_known.then(|| self.with_axes_inside(&reading.expr, MAX_DEPTH))
    }

    /// `expr` with `x[:, None]` replaced by `a[:, None] + b[:, None]` if `x` is defined as `a + b`.
    fn with_axes_inside(&mut self, expr: &Expr, depth: usize) -> Expr {
        let mut values: Vec<(Arc<str>, Expr)> = Vec::new();
        for variable in self.reader.variables_of(expr) {
            let value = self.value_along_axes(variable, depth);
            values.extend(value.map(|value| (Arc::clone(&self.reader.variables.names[variable]), value)));
        }
        replaced(expr, &values)
    }

    /// The value of a variable such as `x[:, None]`, if the definition of `x` is known. The value is computed once and
    /// stored. A value with too many nodes counts as unknown.
    fn value_along_axes(&mut self, variable: usize, depth: usize) -> Option<Expr> {
        if let Some(known) = self.along_axes.get(&variable) {
            return known.clone();
        }
        let depth = depth.checked_sub(1)?;
        let (of, suffix) = self.reader.variables.all[variable].suffixed.clone().filter(|(_, s)| s.starts_with('['))?;
        let value = self.reader.variables.all[of].value.clone()?;
        let value = self.along(&value, &suffix);
        let value = self.with_axes_inside(&value, depth);
        let value = Some(value).filter(|value| Dag::new(std::slice::from_ref(value)).nodes().len() <= MAX_NODES);
        self.along_axes.insert(variable, value.clone());
        value
    }

    /// `expr` with the suffix, such as `[:, None]`, applied to each variable that is a tensor.
    fn along(&mut self, expr: &Expr, suffix: &str) -> Expr {
        let mut placed: Vec<(Arc<str>, Expr)> = Vec::new();
        for part in self.reader.variables_of(expr) {
            let known = &self.reader.variables.all[part].variable;
            if !known.axes.is_empty() {
                let spelling = format!("{}{suffix}", known.spelling);
                let other = self.reader.with_suffix(part, suffix.into(), &spelling);
                let names = &self.reader.variables.names;
                placed.push((Arc::clone(&names[part]), var(Arc::clone(&names[other]))));
            }
        }
        replaced(expr, &placed)
    }

    /// Extends `context` by the facts that hold after the assignment of `slot`, a name with one value.
    pub(super) fn facts_of(&mut self, slot: usize, context: Option<usize>) -> Option<usize> {
        let mut holds = Vec::new();
        for at in self.facts.hold_with(slot) {
            let names = self.engine_names(at, slot);
            for condition in self.facts.all[at].fact.conditions() {
                let condition = replaced(&condition, &names);
                self.narrow(&condition);
                holds.push(condition);
            }
        }
        self.with(context, holds)
    }

    /// For each name in a fact, the expression that the name means after the assignment of `slot`.
    fn engine_names(&mut self, fact: usize, slot: usize) -> Vec<(Arc<str>, Expr)> {
        let names = self.facts.all[fact].names.clone();
        let mut found = Vec::new();
        for name in names {
            let of = if self.scope.slots[slot].name == name { Some(slot) } else { self.facts.slot(&name) };
            if let Some(of) = of {
                let variable = self.reader.slot(of);
                found.push((name.into(), var(Arc::clone(&self.reader.variables.names[variable]))));
            }
        }
        found
    }

    /// Adds the facts that hold everywhere: facts about arguments, about global names, and about names with several
    /// values.
    pub(super) fn facts_of_arguments(&mut self) {
        for slot in 0..self.scope.slots.len() {
            let of = &self.scope.slots[slot];
            let is_everywhere = matches!(of.source, Source::Parameter(_) | Source::Global | Source::Several { .. });
            if is_everywhere || of.typed_as != slot {
                for at in self.facts.hold_with(slot) {
                    let names = self.engine_names(at, slot);
                    self.declare(at, &names);
                }
            }
        }
        for at in std::mem::take(&mut self.facts.of_calls) {
            self.declare(at, &[]);
        }
    }

    /// Adds a fact about these variables to the facts of the kernel.
    fn declare(&mut self, at: usize, names: &[(Arc<str>, Expr)]) {
        let fact = self.facts.all[at].fact.clone();
        let conditions: Vec<Expr> = fact.conditions().iter().map(|condition| replaced(condition, names)).collect();
        conditions.iter().for_each(|condition| self.narrow(condition));
        let mut domain = std::mem::take(&mut self.reader.domain);
        let are_same = names.iter().all(|(name, value)| matches!(value.op(), Op::Var(same) if same == name));
        if let (Fact::Range { name, range }, true) = (&fact, are_same) {
            // this cannot fail, because each fact was checked when it was read
            let _ = domain.declare(&format!("{name}={range}"));
        } else {
            for condition in conditions {
                match equal(&condition) {
                    Some((name, value)) => domain.add_bounds(name, value..=value),
                    None => domain = domain.assume(condition),
                }
            }
        }
        self.reader.domain = domain;
    }

    /// Narrows the range of a variable that `condition` compares with a number.
    fn narrow(&mut self, condition: &Expr) {
        let [Op::Var(name), Op::Const(end)] = [0, 1].map(|at| condition.args().get(at).map_or(&Op::Not, Expr::op))
        else {
            return;
        };
        let (least, greatest) = (*Interval::ENDS.start(), *Interval::ENDS.end());
        let range = match condition.op() {
            Op::Eq => Interval::new(*end, *end),
            Op::Ge => Interval::new(*end, greatest),
            Op::Gt => Interval::new(end.saturating_add(1), greatest),
            Op::Le => Interval::new(least, *end),
            Op::Lt => Interval::new(least, end.saturating_sub(1)),
            _ => None,
        };
        let Some(at) = self.reader.variables.named(name) else { return };
        let known = &mut self.reader.variables.all[at].range;
        *known = range.and_then(|range| known.meet(range)).unwrap_or(*known);
    }
}

/// The variable and the number, if the condition states that they are equal.
fn equal(condition: &Expr) -> Option<(Arc<str>, i64)> {
    let (Op::Eq, [name, value]) = (condition.op(), condition.args()) else { return None };
    match name.op() {
        Op::Var(name) => Some((Arc::clone(name), value.as_const()?)),
        _ => None,
    }
}
