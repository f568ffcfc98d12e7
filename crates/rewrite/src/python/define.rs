//! Reads definitions: assignments that give a name its only value.

use super::calls::{Arguments, Callee};
use super::outline::Statement;
use super::parts::of_32_bits;
use super::scope::Source;
use super::types::Type;
use super::variables::{Key, Known};
use super::walk::{At, Walk};
use crate::model::{Definition, Removal, Role};
use quaff::domain::{Bounds, Interval, interval_of};
use quaff::expr::{Expr, Op};
use std::sync::Arc;

impl Walk<'_, '_> {
    /// Makes `name = value` a definition. Returns false if the assignment is not a definition.
    pub(super) fn define(&mut self, name: usize, value: usize, statement: &Statement, at: At) -> bool {
        let Some(slot) = self.scope.slot(name).filter(|&slot| self.is_value(slot)) else { return false };
        let mut bare = value;
        while let Some(inner) = self.tree.inner(bare).filter(|_| self.tree.kind(bare) == "parenthesized_expression") {
            bare = inner;
        }
        if !self.types.is_int(value) || self.types.of_slot(&self.scope.slots[slot]) != Type::Int {
            return false;
        }
        self.is_read[name] = true;
        let name = self.scope.slots[slot].name;
        if let Some(constant) = self.one_element(bare) {
            let mut known = self.reader.known(name, at.place, Interval::point(constant));
            known.is_unit = true;
            self.reader.add(Key::Slot(slot), name, known);
            return true;
        }
        self.reader.naming = Some((bare, slot));
        let reading = self.reader.read(value);
        self.reader.naming = None;
        let reading = match reading {
            // `name = x << 4` may lose high bits of `x`, so that `name >> 4` is not `x`
            Ok(reading) if *reading.expr.op() == Op::Shl && self.is_shifted_right(name) => return false,
            Ok(reading) => reading,
            Err(not_followed) => {
                self.not_followed.push(not_followed);
                return false;
            }
        };
        if self.reader.variables.get(&Key::Slot(slot)).is_some() {
            // the value is a part such as a load, which is not analysed further. The part is already a variable with
            // this name
            return false;
        }
        let mut known = self.known(slot, value, &reading.expr, at);
        if known.is_constexpr {
            // store the value only as bounds of the variable. The text of the definition must stay, because a new text
            // may not be a compile-time constant
            known.bounds = known.value.take().map(|value| Bounds::new(Some(value.clone()), Some(value)));
            self.reader.add(Key::Slot(slot), name, known);
            return true;
        }
        let is_constant = !self.changes(&reading.expr);
        let is_whole = matches!(self.scope.slots[slot].source, Source::Value { is_whole: true, .. });
        let at = At { role: Role::Definition(self.definitions.len()), is_free: true, ..at };
        let Some(site) = self.add(reading, self.tree.span(value), at) else {
            known.value = None;
            self.reader.add(Key::Slot(slot), name, known);
            return true;
        };
        let variable = self.reader.add(Key::Slot(slot), name, known);
        let bytes = self.tree.span(statement.node);
        self.definitions.push(Definition {
            variable: Arc::clone(&self.reader.variables.names[variable]),
            site,
            removal: Removal { statement: bytes.clone(), declarators: vec![bytes], position: 0 },
            is_used_elsewhere: !is_whole || !statement.is_removable || self.scope.slots[slot].joins.is_some(),
            is_constant,
        });
        true
    }

    /// Whether the function contains a shift `name >> n`.
    fn is_shifted_right(&self, name: &str) -> bool {
        let is_left = |node: usize| self.tree.child(node, "left").is_some_and(|left| self.tree.text_of(left) == name);
        (0..self.tree.nodes.len())
            .any(|node| self.tree.kind(node) == "binary_operator" && self.tree.sign(node) == ">>" && is_left(node))
    }

    /// The facts about a slot (a name with one value) to which `value` is assigned.
    fn known(&self, slot: usize, value: usize, expr: &Expr, at: At) -> Known {
        let variables = self.reader.variables_of(expr);
        let range = interval_of(expr, |name| self.reader.variables.range(name));
        let mut known = self.reader.known(self.scope.slots[slot].name, at.place, range);
        for &variable in &variables {
            let of = &self.reader.variables.all[variable];
            known.is_unit |= of.is_unit;
            known.is_wide |= of.is_wide;
        }
        if !known.is_wide {
            known.range = range.meet(of_32_bits()).unwrap_or(range);
        }
        known.variable.axes = self.reader.axes_of([expr]);
        known.is_truth = self.reader.truth(value);
        known.is_constexpr = self.scope.slots[slot].is_constexpr;
        if let (Op::Var(_), [same]) = (expr.op(), &variables[..]) {
            known.bounds = self.reader.variables.all[*same].bounds.clone();
        }
        known.value = Some(expr.clone());
        known
    }

    /// The constant in a tensor with one element, such as 20 in `tl.full([1], 20, tl.int64)`.
    fn one_element(&self, value: usize) -> Option<i64> {
        let tree = self.tree;
        let Callee::Function("full") = (tree.kind(value) == "call").then(|| Callee::of(tree, value))? else {
            return None;
        };
        let arguments = Arguments::of(tree, value);
        let (shape, constant) = (arguments.get(0, "shape")?, arguments.get(1, "value")?);
        let is_one = tree.children(shape).all(|length| tree.text_of(length) == "1");
        let is_list = matches!(tree.kind(shape), "list" | "tuple");
        (is_list && is_one).then(|| tree.text_of(constant).parse().ok())?
    }

    /// Whether a variable in `expr` may change.
    pub(super) fn changes(&self, expr: &Expr) -> bool {
        let variables = self.reader.variables_of(expr);
        variables.into_iter().any(|variable| self.reader.variables.all[variable].variable.changes)
    }
}
