//! Reads loops with a counter.

use super::changes::{counter, updated};
use super::names::Name;
use super::walker::Walker;
use crate::model::{Loop, Place, Role};
use quaff::expr::{Compare, Expr, Op, var};
use quaff_dialects::IntegerType;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

impl<'t> Walker<'_, 't> {
    /// Reads a loop such as `for (int k = a; k < b; k += c) body`.
    pub(super) fn counted(&mut self, node: Node<'t>) {
        let field = |name: &str| node.child_by_field_name(name);
        let (place, context) = (self.place, self.context);
        self.scopes.push(FxHashMap::default());
        let head = self.block(Some(place), false, true);
        let own = counter(self.file, node).filter(|name| !self.changing.contains(name));
        let first = own.and_then(|name| self.first_value(name, field("initializer")));
        self.place = Place { block: head, start: node.start_byte() };
        let counted = own.zip(first).map(|(name, (ty, first))| {
            let variable = self.variable(name, ty, false);
            self.declare(name, Name::Integer { variable: variable.clone(), ty });
            (name, variable, first)
        });
        if counted.is_none() {
            self.place = place;
            if let Some(initializer) = field("initializer") {
                self.loop_start(initializer);
            }
            self.place = Place { block: head, start: node.start_byte() };
        }
        let step = counted.as_ref().and_then(|(name, ..)| self.step(name, field("update")));
        if let Some((_, variable, first)) = &counted {
            let known = self.found_loop(variable, first.as_ref(), field("condition"), step);
            self.kernel.loops.push(known);
            self.loops.push(variable.clone());
        }
        if let Some(condition) = field("condition") {
            match &counted {
                Some((name, ..)) => self.limit(condition, name),
                None => self.expression(condition, Role::Condition, false),
            }
        }
        if let Some(update) = field("update") {
            self.update(update);
        }
        if let (Some(_), Some(condition)) = (&counted, field("condition")) {
            self.know_of(condition, true);
        }
        if let Some(body) = field("body") {
            self.statements(body, Some(self.place), true);
        }
        if counted.is_some() {
            self.loops.pop();
        }
        self.scopes.pop();
        (self.place, self.context) = (place, context);
    }

    /// Reads the condition of a loop whose counter is `name`. The condition is also evaluated after the last iteration,
    /// when the facts about the counter inside the loop do not hold. So only the value with which the counter is
    /// compared becomes a site.
    fn limit(&mut self, condition: Node<'t>, name: &str) {
        let field = |name: &str| condition.child_by_field_name(name);
        let sides = field("left").zip(field("right"));
        let operator = field("operator").map(|o| self.of(o)).unwrap_or_default();
        let is_counter = |walker: &Self, node: Node<'t>| node.kind() == "identifier" && walker.of(node) == name;
        match (condition.kind(), operator, sides) {
            ("parenthesized_expression", ..) if condition.named_child_count() == 1 => {
                condition.named_child(0).into_iter().for_each(|inner| self.limit(inner, name));
            }
            ("binary_expression", "&&" | "and", Some((left, right))) => {
                self.limit(left, name);
                self.limit(right, name);
            }
            ("binary_expression", "<" | "<=" | ">" | ">=" | "!=", Some((left, right))) => {
                let limit = match (is_counter(self, left), is_counter(self, right)) {
                    (true, false) => right,
                    (false, true) => left,
                    _ => return,
                };
                if !self.mentions(limit, name) {
                    self.expression(limit, Role::Condition, false);
                }
            }
            _ => {}
        }
    }

    /// Whether the name `name` occurs in `node`.
    fn mentions(&self, node: Node<'t>, name: &str) -> bool {
        let mut nodes = vec![node];
        while let Some(node) = nodes.pop() {
            if node.kind() == "identifier" && self.of(node) == name {
                return true;
            }
            nodes.extend(super::tree::children(node));
        }
        false
    }

    /// The type and the first value of the counter `name`. The first value is a site.
    fn first_value(&mut self, name: &'t str, initializer: Option<Node<'t>>) -> Option<(IntegerType, Option<Expr>)> {
        let declaration = initializer?;
        let declarator = declaration.child_by_field_name("declarator")?;
        let words = &self.file.text[declaration.start_byte()..declarator.start_byte()];
        let value = declarator.child_by_field_name("value")?;
        let ty = self.file.integer(words).or_else(|| if words.trim() == "auto" { self.kind(value) } else { None })?;
        debug_assert_eq!(declarator.child_by_field_name("declarator").map(|d| self.of(d)), Some(name));
        self.expression(value, Role::Value, true);
        Some((ty, self.read(value, Some(ty)).ok()))
    }

    /// Reads the initialization in the head of a `for` loop that has no plain counter.
    fn loop_start(&mut self, node: Node<'t>) {
        match node.kind() {
            "declaration" => self.changing_declaration(node),
            _ => self.expression(node, Role::Value, true),
        }
    }

    /// Reads a declaration in the head of a loop, whose variables the loop may change.
    fn changing_declaration(&mut self, node: Node<'t>) {
        let declarators: Vec<Node<'t>> = node.children_by_field_name("declarator", &mut node.walk()).collect();
        for declarator in &declarators {
            let name = declarator.child_by_field_name("declarator").unwrap_or(*declarator);
            if name.kind() == "identifier" {
                self.changing.insert(self.of(name));
            }
        }
        self.declaration(node);
    }

    /// The amount by which `update` changes the variable `name`.
    fn step(&mut self, name: &str, update: Option<Node<'t>>) -> Option<Expr> {
        let update = update.filter(|u| updated(self.file, *u) == Some(name))?;
        let sign = update.child_by_field_name("operator").map(|o| self.of(o))?;
        match sign {
            "++" => Some(1.into()),
            "--" => Some((-1).into()),
            "+=" => self.read(update.child_by_field_name("right")?, None).ok(),
            "-=" => self.read(update.child_by_field_name("right")?, None).ok().map(|step| -step),
            _ => None,
        }
    }

    /// The range and the step of a loop's counter, if they are known.
    fn found_loop(
        &mut self,
        variable: &std::sync::Arc<str>,
        first: Option<&Expr>,
        condition: Option<Node<'t>>,
        step: Option<Expr>,
    ) -> Loop {
        let around = self.loops.clone();
        let constant_step = step.as_ref().and_then(Expr::as_const);
        let rises = match (&step, constant_step) {
            (_, Some(step)) => Some(step > 0),
            // `blockDim.x` and similar variables are at least 1
            (Some(step), None) if self.is_positive(step) => Some(true),
            _ => None,
        };
        let first = first.filter(|first| self.is_constant(first)).cloned();
        let limit = condition.and_then(|condition| self.read(condition, None).ok());
        let limit = limit.filter(|limit| self.is_constant(limit)).and_then(|limit| bound(variable, &limit));
        let (lower, upper) = match rises {
            Some(true) => (first.clone(), limit.filter(|(is_upper, _)| *is_upper).map(|(_, bound)| bound)),
            Some(false) => (limit.filter(|(is_upper, _)| !*is_upper).map(|(_, bound)| bound), first.clone()),
            None => (None, None),
        };
        let stride = constant_step.map(i64::unsigned_abs).and_then(|step| i64::try_from(step).ok());
        let step = stride.filter(|step| *step > 1).zip(first);
        Loop { variable: variable.clone(), lower, upper, step, around }
    }

    fn is_positive(&self, expr: &Expr) -> bool {
        let range = quaff::domain::interval_of(expr, |name| {
            self.ranges.get(name).copied().unwrap_or(quaff::domain::Interval::ALL)
        });
        range.lo() > Some(0)
    }

    /// Reads the update in the head of a `for` loop.
    fn update(&mut self, node: Node<'t>) {
        if let "assignment_expression" = node.kind() {
            if let Some(right) = node.child_by_field_name("right") {
                self.expression(right, Role::Value, true);
            }
            return;
        }
        self.expression(node, Role::Value, true);
    }
}

/// The bound that `condition` gives for `variable`. The flag is true for the greatest value, and false for the least
/// value.
fn bound(variable: &str, condition: &Expr) -> Option<(bool, Expr)> {
    let is_variable = |e: &Expr| matches!(e.op(), Op::Var(name) if **name == *variable);
    let [a, b] = condition.args() else { return None };
    let (op, other) = match (is_variable(a), is_variable(b)) {
        (true, false) => (Compare::of(condition.op())?, b.clone()),
        (false, true) => (Compare::of(condition.op())?.mirrored(), a.clone()),
        _ => return None,
    };
    if other.variables().contains(&variable.into()) || other == var(variable) {
        return None;
    }
    Some(match op {
        Compare::Lt => (true, other - 1),
        Compare::Le => (true, other),
        Compare::Gt => (false, other + 1),
        Compare::Ge => (false, other),
        Compare::Eq | Compare::Ne => return None,
    })
}
