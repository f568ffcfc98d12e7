//! Statements: blocks, branches and what holds in them.

use super::tree::children;
use super::walker::Walker;
use crate::model::{Place, Role};
use rustc_hash::FxHashMap;
use tree_sitter::Node;

impl<'t> Walker<'_, 't> {
    /// The statements of a block, or a statement in the place of one.
    pub(super) fn statements(&mut self, node: Node<'t>, parent: Option<Place>, is_loop: bool) {
        let is_block = node.kind() == "compound_statement";
        let block = self.block(parent, is_block, is_loop);
        let (place, context) = (self.place, self.context);
        self.scopes.push(FxHashMap::default());
        let all = if is_block { children(node) } else { vec![node] };
        let mut start = None;
        for statement in all {
            let first = *start.get_or_insert(statement.start_byte());
            // a pragma belongs to the statement behind it
            if statement.kind() == "preproc_call" {
                continue;
            }
            start = None;
            if statement.kind() != "comment" {
                self.place = Place { block, start: first };
                self.statement(statement);
            }
        }
        self.scopes.pop();
        (self.place, self.context) = (place, context);
    }

    fn statement(&mut self, node: Node<'t>) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "compound_statement" => self.statements(node, Some(self.place), false),
            "declaration" => self.declaration(node),
            "if_statement" => self.branch(node),
            "for_statement" => self.counted(node),
            "while_statement" => {
                let Some((condition, body)) = field("condition").zip(field("body")) else { return };
                self.repeated(node, condition, body);
            }
            "do_statement" => {
                let Some((condition, body)) = field("condition").zip(field("body")) else { return };
                self.statements(body, Some(self.place), true);
                self.uses_all(condition);
            }
            "switch_statement" | "case_statement" | "labeled_statement" => {
                let inner = if node.kind() == "switch_statement" { field("body") } else { None };
                if let Some(condition) = field("condition") {
                    self.expression(condition, Role::Value, true);
                }
                let all = inner.map_or_else(|| children(node), children);
                for child in all {
                    let (place, block) = (self.place, self.block(Some(self.place), false, false));
                    self.place = Place { block, start: child.start_byte() };
                    self.scopes.push(FxHashMap::default());
                    let context = self.context;
                    self.statement(child);
                    self.context = context;
                    self.scopes.pop();
                    self.place = place;
                }
            }
            kind if kind.starts_with("preproc") => {
                self.not_followed(node.byte_range(), "which branch of the preprocessor is taken is not known");
                self.uses_all(node);
            }
            "comment" => {}
            _ => self.expression(node, Role::Value, true),
        }
    }

    fn branch(&mut self, node: Node<'t>) {
        let field = |name: &str| node.child_by_field_name(name);
        let Some((condition, then)) = field("condition").zip(field("consequence")) else { return };
        // an `if` with a statement of its own
        if condition.child_by_field_name("initializer").is_some() {
            return self.uses_all(node);
        }
        self.expression(condition, Role::Condition, true);
        let context = self.context;
        self.know_of(condition, true);
        self.statements(then, Some(self.place), false);
        self.context = context;
        let otherwise =
            field("alternative").and_then(|a| if a.kind() == "else_clause" { a.named_child(0) } else { Some(a) });
        if let Some(otherwise) = otherwise {
            self.know_of(condition, false);
            self.statements(otherwise, Some(self.place), false);
            self.context = context;
        }
        match (self.leaves(then), otherwise.is_some_and(|o| self.leaves(o))) {
            (true, false) => self.know_of(condition, false),
            (false, true) => self.know_of(condition, true),
            _ => {}
        }
    }

    /// Whether nothing behind `node` is reached through it.
    fn leaves(&self, node: Node<'t>) -> bool {
        match node.kind() {
            "return_statement" | "continue_statement" | "break_statement" => true,
            "compound_statement" => {
                children(node).into_iter().rfind(|c| c.kind() != "comment").is_some_and(|last| self.leaves(last))
            }
            _ => false,
        }
    }

    /// `while (condition) body`
    fn repeated(&mut self, node: Node<'t>, condition: Node<'t>, body: Node<'t>) {
        let (place, context) = (self.place, self.context);
        let head = self.block(Some(place), false, true);
        self.place = Place { block: head, start: node.start_byte() };
        self.expression(condition, Role::Condition, true);
        self.know_of(condition, true);
        self.statements(body, Some(self.place), true);
        (self.place, self.context) = (place, context);
    }
}
