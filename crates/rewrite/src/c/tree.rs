//! Helpers for nodes of the syntax tree, and for identifiers in texts.

use tree_sitter::Node;

/// The most levels of nested nodes in a function that are read. Deeper nodes are ignored.
const DEEPEST: usize = 400;

/// Whether the nodes below `node` are nested too deeply to be read.
pub(super) fn is_deep(node: Node) -> bool {
    let (mut cursor, mut depth) = (node.walk(), 0);
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            if depth > DEEPEST {
                return true;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// The named children of `node`.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.named_children(&mut node.walk()).collect()
}

/// The words of `text` that may be names.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}
