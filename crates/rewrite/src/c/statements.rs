//! Reads statements: blocks, branches and the conditions that hold in them.

use super::tree::children;
use super::walker::Walker;
use crate::model::{Place, Role};
use rustc_hash::FxHashMap;
use tree_sitter::Node;

impl<'t> Walker<'_, 't> {
    /// Reads the statements of a block, or a single statement without braces.
    pub(super) fn statements(&mut self, node: Node<'t>, parent: Option<Place>, is_loop: bool) {
        let is_block = node.kind() == "compound_statement";
        let block = self.block(parent, is_block, is_loop);
        let (place, context, end) = (self.place, self.context, self.end);
        self.end = node.end_byte();
        self.scopes.push(FxHashMap::default());
        let all = if is_block { children(node) } else { vec![node] };
        let mut start = None;
        for statement in all {
            let first = *start.get_or_insert(statement.start_byte());
            // a pragma applies to the next statement, which therefore begins at the pragma
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
        (self.place, self.context, self.end) = (place, context, end);
    }

    fn statement(&mut self, node: Node<'t>) {
        let field = |name: &str| node.child_by_field_name(name);
        // if a condition declares a name, the whole statement stays unchanged, because such declarations are not read
        if field("condition").is_some_and(|condition| declares(condition)) {
            return self.not_followed(node.byte_range(), "its condition declares a variable");
        }
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
                let Some(body) = field("body") else { return };
                self.statements(body, Some(self.place), true);
            }
            "switch_statement" => {
                let Some((condition, body)) = field("condition").zip(field("body")) else { return };
                self.expression(condition, Role::Value, true);
                // all cases of a `switch` form one scope
                self.scopes.push(FxHashMap::default());
                let end = std::mem::replace(&mut self.end, body.end_byte());
                self.cases(body);
                self.end = end;
                self.scopes.pop();
            }
            "case_statement" | "labeled_statement" => self.cases(node),
            kind if kind.starts_with("preproc") => {
                self.not_followed(node.byte_range(), "which branch of the preprocessor is taken is not known");
            }
            "expression_statement" | "return_statement" => self.expression(node, Role::Value, true),
            // other statements may declare names and are skipped
            _ => {}
        }
    }

    /// Reads the parts of a `switch` or of one of its cases. Each part gets its own block, because control may reach it
    /// without the parts before it.
    fn cases(&mut self, node: Node<'t>) {
        let (value, label) = (node.child_by_field_name("value"), node.child_by_field_name("label"));
        for child in children(node).into_iter().filter(|c| Some(*c) != value && Some(*c) != label) {
            let (place, context, block) = (self.place, self.context, self.block(Some(self.place), false, false));
            self.place = Place { block, start: child.start_byte() };
            self.statement(child);
            (self.place, self.context) = (place, context);
        }
    }

    fn branch(&mut self, node: Node<'t>) {
        let field = |name: &str| node.child_by_field_name(name);
        let Some((condition, then)) = field("condition").zip(field("consequence")) else { return };
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

    /// Whether control never reaches the statement after `node`, because `node` ends with a return, break or continue.
    fn leaves(&self, node: Node<'t>) -> bool {
        match node.kind() {
            "return_statement" | "continue_statement" | "break_statement" => true,
            "compound_statement" => {
                children(node).into_iter().rfind(|c| c.kind() != "comment").is_some_and(|last| self.leaves(last))
            }
            _ => false,
        }
    }

    /// Reads a loop such as `while (condition) body`.
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

/// Whether `condition` is a declaration such as `int i = f()` or contains a statement.
fn declares(condition: Node) -> bool {
    condition.kind() == "declaration"
        || condition.child_by_field_name("initializer").is_some()
        || children(condition).iter().any(|part| part.kind() == "declaration")
}
