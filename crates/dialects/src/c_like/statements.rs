//! Reads statements. Definitions and assignments are substituted, and the last expression is the result.

use super::access::{Access, access, is_plain};
use super::reader::Reader;
use super::syntax::place;
use super::token::shown;
use super::types::{Named, Type};
use super::value::Value;
use crate::error::ReadError;
use quaff_expr::expr::Expr;
use tree_sitter::{Node, Tree};

/// The results of the statements of `tree`.
pub(super) fn results(reader: &mut Reader, tree: &Tree) -> Result<Vec<Expr>, ReadError> {
    let root = tree.root_node();
    let body = root.named_child(0).filter(|b| b.kind() == "compound_statement").unwrap_or(root);
    let mut program = Program { reader, results: Vec::new(), last: None };
    let mut returned = false;
    for statement in body.named_children(&mut body.walk()) {
        // an empty statement
        let Some(inner) = statement.named_child(0) else { continue };
        if returned {
            return Err(program.reader.error("nothing is computed behind `return`", &statement));
        }
        program.last = None;
        match statement.kind() {
            "declaration" => program.declaration(statement)?,
            "expression_statement" => program.expression(inner)?,
            "return_statement" => {
                returned = true;
                program.expression(inner)?;
            }
            _ => {
                let help = "give definitions, assignments and an expression";
                return Err(program.reader.error("this statement has no meaning here", &statement).with_help(help));
            }
        }
    }
    if let Some((value, node)) = program.last.take() {
        program.push(&value, &node);
    }
    match program.results {
        results if results.is_empty() => {
            let text = program.reader.text;
            Err(ReadError::new("the text has no expression", text, 0..text.len()))
        }
        results => Ok(results),
    }
}

struct Program<'r, 't, 'n> {
    reader: &'r mut Reader<'t>,
    results: Vec<Expr>,
    /// The value of the last statement.
    last: Option<(Value, Node<'n>)>,
}

impl<'n> Program<'_, '_, 'n> {
    fn push(&mut self, value: &Value, node: &Node) {
        let span = self.reader.place(node);
        let value = self.reader.maker.settled(value, &span);
        self.results.push(value.expr);
    }

    /// Reads a statement that is an expression.
    fn expression(&mut self, node: Node<'n>) -> Result<(), ReadError> {
        if node.kind() == "assignment_expression" {
            return self.assignment(node);
        }
        if self.access(node)? {
            return Ok(());
        }
        self.last = Some((self.reader.value(node)?, node));
        Ok(())
    }

    /// Adds the indices of `node` to the results if `node` is an array element. Returns whether it is one.
    fn access(&mut self, node: Node<'n>) -> Result<bool, ReadError> {
        let indices = match access(self.reader, node)? {
            None => return Ok(false),
            Some(Access::Element(indices)) => indices,
            Some(Access::Address(address)) => vec![address],
        };
        for index in indices {
            let value = self.reader.value(index)?;
            self.push(&value, &index);
        }
        Ok(true)
    }

    fn assignment(&mut self, node: Node<'n>) -> Result<(), ReadError> {
        let parts = |n: Node<'n>| n.child_by_field_name("left").zip(n.child_by_field_name("right"));
        let mut assigned = node;
        while let Some((left, right)) = parts(assigned) {
            if !self.access(left)? {
                break;
            }
            if self.access(right)? || is_plain(self.reader, right) {
                return Ok(());
            }
            if right.kind() != "assignment_expression" {
                let error = self.reader.error("what is stored is neither an element nor a name", &right);
                return Err(error.with_help("store a variable, such as `v`, or give the value as a text of its own"));
            }
            assigned = right;
        }
        let Some((left, right)) = parts(assigned).filter(|(left, _)| left.kind() == "identifier") else {
            return Err(self.reader.error("only a name or an element can be assigned to", &assigned));
        };
        let mut value = self.reader.value(right)?;
        let operator = assigned.child_by_field_name("operator").map_or("=", |o| self.reader.of(&o));
        let name = self.reader.of(&left).to_owned();
        let (defined, declared) = (self.reader.defined.get(&name).map(|v| v.ty), self.reader.declared.get(&name));
        let mut ty = defined.or(declared.copied());
        if let Some(operator) = operator.strip_suffix('=').filter(|o| !o.is_empty()) {
            let before = self.reader.value(left)?;
            ty = ty.or(Some(before.ty));
            value = self.reader.combined(operator, before, value, &assigned)?;
        }
        self.define(&name, value, ty, assigned);
        Ok(())
    }

    /// Gives `name` a value.
    fn define(&mut self, name: &str, value: Value, ty: Option<Type>, node: Node<'n>) {
        let span = self.reader.place(&node);
        let value = self.reader.maker.cast(&value, ty.unwrap_or(value.ty), &span);
        self.reader.defined.insert(name.into(), value.clone());
        self.last = Some((value, node));
    }

    /// Reads declarations such as `unsigned i;` and `int row = i/96, col = i%96;`.
    fn declaration(&mut self, node: Node<'n>) -> Result<(), ReadError> {
        let declarators: Vec<Node> = node.children_by_field_name("declarator", &mut node.walk()).collect();
        let text = self.reader.text;
        let start = place(&node, text).start;
        let end = declarators.first().map_or(start, |d| place(d, text).start);
        let words = start..start + text[start..end].trim_end().len();
        let Some(named) = self.reader.named_within(words.clone()) else {
            let help =
                "use a type such as `int`, `unsigned`, `int64_t` or `auto`; behind a value, an operator is missing";
            let message = format!("{} is no type that is known", shown(&text[words.clone()]));
            return Err(ReadError::new(message, text, words).with_help(help));
        };
        let ty = match named {
            Named::Integer(ty) => Some(ty),
            Named::Auto => None,
            Named::Other(_) => {
                let message = format!("values of {} are no integers", shown(&text[words.clone()]));
                return Err(ReadError::new(message, text, words).with_help("leave this statement out"));
            }
        };
        declarators.into_iter().try_for_each(|d| self.declarator(d, ty))
    }

    fn declarator(&mut self, node: Node<'n>, ty: Option<Type>) -> Result<(), ReadError> {
        let value = node.child_by_field_name("value");
        let named = if node.kind() == "init_declarator" { node.child_by_field_name("declarator") } else { None };
        let name = named.unwrap_or(node);
        let is_value = |v: &Node| !matches!(v.kind(), "initializer_list" | "argument_list");
        if name.kind() != "identifier" || !value.as_ref().is_none_or(is_value) {
            let error = self.reader.error("only names of integers are declared here", &node);
            return Err(error.with_help("write `int n;` or `int n = 4;`, and leave out arrays and pointers"));
        }
        let word = self.reader.of(&name).to_owned();
        let Some(value) = value else {
            let ty = ty.ok_or_else(|| self.reader.error("`auto` needs a value", &node))?;
            self.reader.defined.remove(&word);
            self.reader.declared.insert(word, ty);
            return Ok(());
        };
        let value = self.reader.value(value)?;
        self.define(&word, value, ty, node);
        Ok(())
    }
}
