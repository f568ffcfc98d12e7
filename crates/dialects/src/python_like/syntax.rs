//! The nodes of the syntax tree of a text. Operands come before the nodes that contain them.

use super::refusal::Reading;
use super::trouble::trouble;
use std::ops::Range;
use tree_sitter::{Parser, TreeCursor};

/// A node of the tree. Its children are the last `children` earlier steps that have no parent yet.
pub(super) struct Step {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
    pub(super) children: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Attribute,
    Augmented,
    Assignment,
    Binary,
    /// Operands with `&` and `^` between them, in the order of the text. The grammar wrongly gives `^` a higher
    /// precedence than `&`.
    Bits,
    Boolean,
    Call,
    Comparison,
    Conditional,
    False,
    Float,
    Integer,
    Keyword,
    Module,
    Name,
    None,
    Not,
    Parentheses,
    /// Several names that a definition binds.
    Pattern,
    Return,
    /// A tuple, a list, or the arguments of a call.
    Sequence,
    Slice,
    /// One expression, or several with commas between them.
    Statement,
    Subscript,
    /// A name that a definition binds.
    Target,
    Text,
    /// The sign of an operator.
    Token,
    True,
    Unary,
    /// A construct that no dialect supports, with a name for messages. It has no children here.
    Other(&'static str),
}

/// The nodes of the syntax tree of `text`. The root of the tree, the module, comes last.
pub(super) fn syntax(text: &str) -> Reading<Vec<Step>> {
    let mut parser = Parser::new();
    // loading cannot fail, because the grammar matches the version of the library, and nothing cancels the parser
    let loaded = parser.set_language(&tree_sitter_python::LANGUAGE.into()).is_ok();
    let Some(tree) = loaded.then(|| parser.parse(text, None)).flatten() else {
        return super::refusal::Refusal::new("the grammar of Python cannot be loaded", &(0..text.len())).err();
    };
    if tree.root_node().has_error() {
        return Err(trouble(text, &tree).into());
    }
    let mut steps = Vec::new();
    // the kind of each open node, and the number of its completed children
    let mut open: Vec<(Kind, usize)> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let kind = kind_of(&cursor, open.last().map(|o| o.0));
        if let Some(kind) = kind {
            open.push((kind, 0));
            if has_children(kind) && cursor.goto_first_child() {
                continue;
            }
            close(&mut open, &mut steps, &cursor);
        }
        loop {
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return Ok(steps);
            }
            close(&mut open, &mut steps, &cursor);
        }
    }
}

/// Completes the node at the cursor.
fn close(open: &mut Vec<(Kind, usize)>, steps: &mut Vec<Step>, cursor: &TreeCursor) {
    let Some((kind, children)) = open.pop() else { return };
    if let (Kind::Bits, Some((Kind::Bits, all))) = (kind, open.last_mut()) {
        *all += children;
        return;
    }
    steps.push(Step { kind, span: cursor.node().byte_range(), children });
    if let Some(parent) = open.last_mut() {
        parent.1 += 1;
    }
}

fn has_children(kind: Kind) -> bool {
    !matches!(kind, Kind::Text | Kind::Token | Kind::Other(_))
}

/// The kind of the node at the cursor. `None` for nodes without a meaning: comments, punctuation, and type annotations.
fn kind_of(cursor: &TreeCursor, parent: Option<Kind>) -> Option<Kind> {
    let node = cursor.node();
    let kind = node.kind();
    if !node.is_named() {
        let is_operator =
            matches!(cursor.field_name(), Some("operator" | "operators")) || parent == Some(Kind::Unary) && kind != "(";
        return is_operator.then_some(Kind::Token);
    }
    if node.is_extra() || kind == "type" {
        return None;
    }
    Some(match kind {
        "identifier" if is_target(cursor, parent) => Kind::Target,
        "identifier" => Kind::Name,
        "integer" => Kind::Integer,
        "float" => Kind::Float,
        "true" => Kind::True,
        "false" => Kind::False,
        "none" => Kind::None,
        "string" | "concatenated_string" => Kind::Text,
        "binary_operator" => match node.child_by_field_name("operator").map(|sign| sign.kind()) {
            Some("&" | "^") => Kind::Bits,
            _ => Kind::Binary,
        },
        "unary_operator" => Kind::Unary,
        "boolean_operator" => Kind::Boolean,
        "not_operator" => Kind::Not,
        "comparison_operator" => Kind::Comparison,
        "conditional_expression" => Kind::Conditional,
        "parenthesized_expression" => Kind::Parentheses,
        "tuple" | "list" | "expression_list" | "argument_list" => Kind::Sequence,
        "pattern_list" | "tuple_pattern" | "list_pattern" => Kind::Pattern,
        "call" => Kind::Call,
        "keyword_argument" => Kind::Keyword,
        "attribute" => Kind::Attribute,
        "subscript" => Kind::Subscript,
        "slice" => Kind::Slice,
        "assignment" => Kind::Assignment,
        "augmented_assignment" => Kind::Augmented,
        "expression_statement" => Kind::Statement,
        "return_statement" => Kind::Return,
        "module" => Kind::Module,
        other => Kind::Other(other),
    })
}

/// Whether the name at the cursor is bound by a definition, or is a keyword of an argument.
fn is_target(cursor: &TreeCursor, parent: Option<Kind>) -> bool {
    match parent {
        Some(Kind::Assignment) => cursor.field_name() == Some("left"),
        Some(Kind::Keyword) => cursor.field_name() == Some("name"),
        Some(Kind::Attribute) => cursor.field_name() == Some("attribute"),
        Some(Kind::Pattern) => true,
        _ => false,
    }
}
