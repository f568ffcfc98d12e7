//! Reads declarations, to find the names of integers, and the integers whose only value is their definition.

use super::file::{Function, function_declarator};
use super::names::{DIVISOR, Name};
use super::tree::children;
use super::walker::Walker;
use crate::model::{Definition, Removal, Role};
use crate::options::Options;
use quaff::domain::{Interval, interval_of};
use quaff::expr::{Expr, Op};
use quaff_dialects::IntegerType;
use std::ops::Range;
use tree_sitter::Node;

impl<'t> Walker<'_, 't> {
    /// Reads the parameters, the template parameters and the attributes of a function.
    pub(super) fn parameters(&mut self, function: &Function<'t>, options: &Options) {
        let list = function_declarator(function.node).and_then(|d| d.child_by_field_name("parameters"));
        for list in function.templates.iter().copied().chain(list) {
            for parameter in children(list) {
                self.parameter(parameter, options);
            }
        }
        self.launch_bounds(function.node);
    }

    fn parameter(&mut self, node: Node<'t>, options: &Options) {
        let Some(declarator) = node.child_by_field_name("declarator") else { return };
        let words = &self.file.text[node.start_byte()..declarator.start_byte()];
        let Some((name, what)) = self.declared(declarator, words) else { return };
        let value = options.values.iter().find(|(known, _)| known == name);
        let what = match (value, what) {
            (Some((_, value)), Name::Integer { ty, .. }) => Name::constant(*value, ty),
            (_, what) => what,
        };
        let what = match words.split_whitespace().last() {
            Some(DIVISOR) => self.prepared_divisor(name),
            _ => what,
        };
        self.declare(name, what);
    }

    /// The meaning of the parameter `name`, which is a divisor that the host prepared. It is read as an `int`.
    fn prepared_divisor(&mut self, name: &str) -> Name {
        let ty = IntegerType::INT;
        let variable = self.variable(name, ty, self.changing.contains(name));
        let known = std::mem::take(&mut self.kernel.domain);
        self.kernel.domain = known.launch_invariant(variable.clone());
        self.has_type(&variable, Interval::from_wide(1, i32::MAX.into()));
        Name::Integer { variable, ty }
    }

    /// Reads `__launch_bounds__(256)`, which bounds the number of threads of a block.
    fn launch_bounds(&mut self, node: Node<'t>) {
        let bounds = children(node).into_iter().find(|c| c.kind() == "launch_bounds");
        let most = bounds.and_then(|b| b.named_child(0)).and_then(|most| match most.kind() {
            "identifier" => match self.name(self.of(most)) {
                Some(Name::Constant { value, .. }) => Some(*value),
                _ => None,
            },
            _ => self.of(most).parse::<i64>().ok(),
        });
        let Some(most) = most.filter(|most| (1..=1024).contains(most)) else { return };
        for axis in ["x", "y", "z"] {
            let (threads, thread) = (Interval::new(1, most), Interval::new(0, most - 1));
            for (name, range) in [(format!("blockDim.{axis}"), threads), (format!("threadIdx.{axis}"), thread)] {
                if let (Some((_, own)), Some(range)) = (IntegerType::of_builtin(&name), range) {
                    self.builtin(&name);
                    self.has_type(&name.as_str().into(), own.meet(range).unwrap_or(own));
                }
            }
        }
    }

    /// The name that `declarator` declares, and its meaning. `words` is the text of the declaration before the
    /// declarator.
    fn declared(&mut self, declarator: Node<'t>, words: &str) -> Option<(&'t str, Name)> {
        let is_static = words.split_whitespace().any(|w| w == "static" || w == "extern");
        let words = words
            .split_whitespace()
            .filter(|w| !matches!(*w, "__shared__" | "extern" | "__restrict__" | "__constant__"));
        let words = words.collect::<Vec<_>>().join(" ");
        let integer = self.file.integer(&words);
        let (mut inner, mut indices, mut is_reference) = (declarator, 0, false);
        loop {
            match inner.kind() {
                "pointer_declarator" | "array_declarator" => indices += 1,
                "reference_declarator" => is_reference = true,
                "init_declarator" => {}
                _ => break,
            }
            let next = inner.child_by_field_name("declarator");
            inner = next.or_else(|| {
                children(inner).into_iter().find(|c| c.kind().ends_with("declarator") || c.kind() == "identifier")
            })?;
        }
        if inner.kind() == "structured_binding_declarator" {
            children(inner).into_iter().for_each(|name| self.declare(self.of(name), Name::Other));
        }
        if inner.kind() != "identifier" {
            return None;
        }
        let name = self.of(inner);
        let what = match integer {
            _ if is_reference && indices > 0 => Name::Other,
            element if indices > 0 => Name::Elements { element, indices },
            None => Name::Other,
            Some(ty) => {
                let changes = is_reference || is_static || self.changing.contains(name);
                Name::Integer { variable: self.variable(name, ty, changes), ty }
            }
        };
        Some((name, what))
    }

    /// Reads a declaration such as `int i = a, j = b / 3;`.
    pub(super) fn declaration(&mut self, node: Node<'t>) {
        let declarators: Vec<Node<'t>> = node.children_by_field_name("declarator", &mut node.walk()).collect();
        let Some(first) = declarators.first() else { return };
        let words = &self.file.text[node.start_byte()..first.start_byte()];
        let spans: Vec<Range<usize>> = declarators.iter().map(Node::byte_range).collect();
        for (position, &declarator) in declarators.iter().enumerate() {
            // the value is read before the name is declared, because the name is not visible in it
            let value = declarator.child_by_field_name("value");
            let value = value.filter(|_| declarator.kind() == "init_declarator");
            let removal = Removal { statement: node.byte_range(), declarators: spans.clone(), position };
            self.declarator(declarator, words, value, removal);
        }
    }

    fn declarator(&mut self, node: Node<'t>, words: &'t str, value: Option<Node<'t>>, removal: Removal) {
        let plain = node.child_by_field_name("declarator").filter(|d| d.kind() == "identifier");
        let is_auto = words.split_whitespace().all(|w| matches!(w, "auto" | "const" | "constexpr"));
        let Some((name, value)) = plain.zip(value).map(|(name, value)| (self.of(name), value)) else {
            // find sites in array sizes and in the initial values of pointers and other types, but not in a variable
            // that initializes a reference
            let is_reference =
                node.child_by_field_name("declarator").is_some_and(|d| d.kind() == "reference_declarator");
            if let Some(value) = value.filter(|v| !is_reference || v.kind() == "subscript_expression") {
                self.expression(value, Role::Value, true);
            }
            if let Some((name, what)) = self.declared(node, words) {
                self.declare(name, what);
            }
            return;
        };
        let inferred = if is_auto { self.kind(value) } else { None };
        let integer = inferred.or_else(|| self.file.integer(words));
        let is_static = words.split_whitespace().any(|w| w == "static" || w == "__shared__");
        let Some(ty) = integer.filter(|_| self.kind(value).is_some() && !is_static) else {
            self.expression(value, Role::Value, true);
            let what = match integer {
                Some(ty) => {
                    Name::Integer { variable: self.variable(name, ty, self.changing.contains(name) || is_static), ty }
                }
                None if is_auto => self.elements(value).unwrap_or(Name::Other),
                None => Name::Other,
            };
            return self.declare(name, what);
        };
        self.definition(name, value, ty, removal);
    }

    /// Whether the function shifts `name` to the right, and its definition `value` is a shift to the left that may lose
    /// bits.
    fn may_lose_bits(&self, name: &str, value: &Expr, ty: IntegerType) -> bool {
        let is_cut = *value.op() == Op::Shl && !ty.is_unsigned() && self.shifted.contains(name);
        is_cut && {
            let range = interval_of(value, |name| self.ranges.get(name).copied().unwrap_or(Interval::ALL));
            range.bounded().is_none() || ty.range().hull(range) != ty.range()
        }
    }

    /// Reads the declaration of an integer variable with an initial value.
    fn definition(&mut self, name: &'t str, value: Node<'t>, ty: IntegerType, removal: Removal) {
        if let ("number_literal", Ok(expr), false) =
            (value.kind(), self.read(value, None), self.changing.contains(name))
        {
            // a constant needs no definition, because its name stays in the text
            let known = expr.as_const().map_or(Name::Other, |value| Name::constant(value, ty));
            return self.declare(name, known);
        }
        let changes = self.changing.contains(name);
        let expr = match self.read(value, Some(ty)) {
            Ok(expr) if !changes && !self.may_lose_bits(name, &expr, ty) => expr,
            _ => {
                self.expression(value, Role::Value, true);
                let variable = self.variable(name, ty, changes);
                return self.declare(name, Name::Integer { variable, ty });
            }
        };
        let number = self.kernel.definitions.len();
        let site = self.site(value, Role::Definition(number), expr.clone(), true);
        let is_constant = self.is_constant(&expr);
        let variable = self.variable(name, ty, false);
        // if a statement is the whole body of a branch without braces, it cannot be removed
        let is_used_elsewhere = !self.kernel.blocks[self.place.block].takes_statements;
        let definition = Definition { variable: variable.clone(), site, removal, is_used_elsewhere, is_constant };
        self.visible.push((name, self.end));
        self.kernel.definitions.push(definition);
        self.declare(name, Name::Integer { variable, ty });
    }
}
