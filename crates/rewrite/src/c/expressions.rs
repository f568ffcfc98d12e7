//! Finds the sites in expressions: the parts that compute integers and can be read.

use super::tree::children;
use super::walker::Walker;
use crate::model::Role;
use quaff::expr::Expr;
use tree_sitter::Node;

impl<'t> Walker<'_, 't> {
    /// Finds the sites (parts that compute integers) of an expression. If `is_free` is set, a new text needs no
    /// parentheses.
    pub(super) fn expression(&mut self, node: Node<'t>, role: Role, is_free: bool) {
        let is_element = matches!(node.kind(), "subscript_expression") || self.is_load(node);
        if self.kind(node).is_some() && !is_element {
            return self.integer(node, role, is_free);
        }
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "subscript_expression" => self.subscript(node),
            "binary_expression" => self.binary(node),
            "conditional_expression" => {
                let Some(condition) = field("condition") else { return };
                self.expression(condition, Role::Condition, false);
                self.under(condition, true, field("consequence"), role);
                self.under(condition, false, field("alternative"), role);
            }
            "call_expression" => {
                let function = field("function");
                // the argument of an assertion stays unchanged, because it is written for readers
                if function.is_some_and(|function| self.of(function) == "assert") {
                    return;
                }
                if let Some(function) = function.filter(|f| f.kind() != "identifier") {
                    self.expression(function, Role::Value, false);
                }
                let arguments = field("arguments").map(children).unwrap_or_default();
                arguments.into_iter().for_each(|a| self.expression(a, Role::Value, true));
            }
            "assignment_expression" => {
                let (left, right) = (field("left"), field("right"));
                match left {
                    Some(name) if name.kind() == "identifier" => {}
                    Some(place) => self.expression(place, Role::Value, false),
                    None => {}
                }
                if let Some(right) = right {
                    self.expression(right, Role::Value, true);
                }
            }
            "cast_expression" => {
                // the grammar reads `(a) + b` as a conversion of `+b`
                let is_type = |ty: Node| !children(ty).iter().any(|word| word.kind() == "type_identifier");
                let has_sign = |value: &Node| self.of(*value).starts_with(['+', '-', '*', '&']);
                let is_known = field("type").is_some_and(is_type);
                if let Some(value) = field("value").filter(|value| is_known || !has_sign(value)) {
                    self.expression(value, Role::Value, false);
                }
            }
            // skip expressions that may declare names
            "lambda_expression" | "compound_statement" | "declaration" => {}
            _ if node.is_named() => {
                let is_bracketed =
                    matches!(node.kind(), "parenthesized_expression" | "condition_clause" | "initializer_list");
                children(node).into_iter().for_each(|c| self.expression(c, role, is_bracketed));
            }
            _ => {}
        }
    }

    /// Whether `node` is `__ldg(p + i)`.
    fn is_load(&self, node: Node<'t>) -> bool {
        node.kind() == "call_expression" && self.of(node).starts_with("__ldg")
    }

    /// Adds a site for the integer expression at `node`.
    fn integer(&mut self, node: Node<'t>, role: Role, is_free: bool) {
        match node.kind() {
            "parenthesized_expression" => {
                if let Some(inner) = node.named_child(0) {
                    self.expression(inner, role, true);
                }
            }
            _ => match self.read(node, None) {
                Ok(expr) => {
                    let site = self.site(node, role, expr, is_free);
                    let kind = self.kind(node);
                    // the type of an argument or operand may decide how it is used
                    let needs_type = role == Role::Value;
                    self.kernel.sites[site].conversion = match kind.map(|ty| (ty.bits(), ty.is_unsigned())) {
                        Some((32, true)) if needs_type => "(unsigned)",
                        Some((64, true)) if needs_type => "(unsigned long long)",
                        Some((64, false)) if needs_type => "(long long)",
                        _ => "",
                    };
                }
                Err(reason) => self.not_followed(node.byte_range(), reason),
            },
        }
    }

    /// Reads an element such as `a[i]`.
    fn subscript(&mut self, node: Node<'t>) {
        let (argument, indices) = (node.child_by_field_name("argument"), node.child_by_field_name("indices"));
        if let Some(argument) = argument.filter(|a| a.kind() != "identifier") {
            self.expression(argument, Role::Value, false);
        }
        let indices = indices.map(children).unwrap_or_default();
        for index in indices {
            match self.kind(index) {
                Some(_) => self.expression(index, Role::Address, true),
                None => {
                    let has_operator = index.kind() != "identifier";
                    if has_operator && index.named_child_count() > 0 {
                        let reason = self.reason(index);
                        self.not_followed(index.byte_range(), reason);
                    }
                    self.expression(index, Role::Value, true);
                }
            }
        }
    }

    fn binary(&mut self, node: Node<'t>) {
        let field = |name: &str| node.child_by_field_name(name);
        let (Some(left), Some(right)) = (field("left"), field("right")) else { return };
        let operator = field("operator").map(|o| self.of(o)).unwrap_or_default();
        match operator {
            "&&" | "and" => {
                self.expression(left, Role::Condition, false);
                self.under(left, true, Some(right), Role::Condition);
            }
            "||" | "or" => {
                self.expression(left, Role::Condition, false);
                self.under(left, false, Some(right), Role::Condition);
            }
            "+" if self.elements(node).is_some() => self.offset(node),
            _ => [left, right].into_iter().for_each(|side| self.expression(side, Role::Value, false)),
        }
    }

    /// Reads an address such as `p + a + b`. The sum of the offsets, `a + b`, is one site.
    fn offset(&mut self, node: Node<'t>) {
        let (mut inner, mut terms) = (node, Vec::new());
        while inner.kind() == "binary_expression" && self.elements(inner).is_some() {
            let parts = inner.child_by_field_name("left").zip(inner.child_by_field_name("right"));
            let Some((left, right)) = parts else { break };
            let is_sum = inner.child_by_field_name("operator").is_some_and(|o| self.of(o) == "+");
            if !is_sum && self.elements(left).is_some_and(|_| left.kind() != "binary_expression") {
                break;
            }
            terms.push(right);
            inner = left;
        }
        terms.reverse();
        self.expression(inner, Role::Value, false);
        let Some(first) = terms.first() else { return };
        let span = first.start_byte()..node.end_byte();
        match self.read_terms(span.clone(), &terms) {
            Ok(expr) => drop(self.site_of(span, Role::Address, expr, false)),
            Err(reason) => self.not_followed(span, reason),
        }
    }

    /// Finds the sites in `node`, which is evaluated only if `condition` has the truth value `holds`.
    fn under(&mut self, condition: Node<'t>, holds: bool, node: Option<Node<'t>>, role: Role) {
        let Some(node) = node else { return };
        let before = self.context;
        self.know_of(condition, holds);
        self.expression(node, role, false);
        self.context = before;
    }

    /// Adds to the current context the fact that `condition` has the truth value `holds`.
    pub(super) fn know_of(&mut self, condition: Node<'t>, holds: bool) {
        for fact in self.facts(condition, holds) {
            self.know(fact);
        }
    }

    /// The facts that follow if `node` has the truth value `holds`.
    fn facts(&mut self, node: Node<'t>, holds: bool) -> Vec<Expr> {
        let field = |name: &str| node.child_by_field_name(name);
        let operator = field("operator").map(|o| self.of(o)).unwrap_or_default();
        match (node.kind(), operator, holds) {
            ("parenthesized_expression" | "condition_clause", ..) if node.named_child_count() == 1 => {
                node.named_child(0).map(|inner| self.facts(inner, holds)).unwrap_or_default()
            }
            ("unary_expression", "!" | "not", _) => {
                field("argument").map(|a| self.facts(a, !holds)).unwrap_or_default()
            }
            ("binary_expression", "&&" | "and", true) | ("binary_expression", "||" | "or", false) => {
                let sides = [field("left"), field("right")];
                sides.into_iter().flatten().flat_map(|side| self.facts(side, holds)).collect()
            }
            _ => match self.read(node, None) {
                Ok(expr) => vec![if holds { expr } else { expr.not() }],
                Err(_) => Vec::new(),
            },
        }
    }
}
