//! The syntax tree of one function, as a list of nodes.

use std::ops::Range;
use tree_sitter::TreeCursor;

/// The most levels of nested syntax. Functions with more levels stay unchanged.
const MAX_LEVELS: usize = 500;

/// A node of the tree. In the list of nodes, it comes before all nodes inside it.
pub(super) struct Node {
    pub(super) kind: &'static str,
    /// The byte range of the node in the file.
    pub(super) span: Range<usize>,
    /// The name of the field of the parent that holds the node, such as `left`.
    pub(super) field: Option<&'static str>,
    /// The parent node. The first node is its own parent.
    pub(super) parent: usize,
    /// The index of the first node after all nodes inside this node.
    pub(super) end: usize,
    /// Whether the node is a rule of the grammar, and not only an operator or a keyword.
    pub(super) is_named: bool,
}

/// The nodes of a function, in the order of the text.
pub(super) struct Tree<'t> {
    /// The text of the file.
    pub(super) text: &'t str,
    pub(super) nodes: Vec<Node>,
    /// The byte ranges of comments, in order.
    pub(super) comments: Vec<Range<usize>>,
    /// The number of node visits, which tests limit.
    #[cfg(test)]
    pub(super) visits: std::cell::Cell<usize>,
}

impl<'t> Tree<'t> {
    /// Copies the syntax tree at the cursor. Position 0 of the parsed text is the byte `base` of `text`. `None` if the
    /// tree has too many levels.
    pub(super) fn new(text: &'t str, base: usize, cursor: &mut TreeCursor) -> Option<Tree<'t>> {
        let mut tree = Tree {
            text,
            nodes: Vec::new(),
            comments: Vec::new(),
            #[cfg(test)]
            visits: std::cell::Cell::new(0),
        };
        let mut open: Vec<usize> = Vec::new();
        loop {
            let found = cursor.node();
            let span = found.start_byte() + base..found.end_byte() + base;
            if found.is_extra() {
                if found.kind() == "comment" {
                    tree.comments.push(span);
                }
            } else {
                let at = tree.nodes.len();
                let parent = open.last().copied().unwrap_or(0);
                // the field of the root is not stored, because it refers to a parent that this tree does not contain
                let field = if open.is_empty() { None } else { cursor.field_name() };
                let is_named = found.is_named();
                tree.nodes.push(Node { kind: found.kind(), span, field, parent, end: at + 1, is_named });
                if cursor.goto_first_child() {
                    open.push(at);
                    if open.len() > MAX_LEVELS {
                        return None;
                    }
                    continue;
                }
            }
            loop {
                if open.is_empty() {
                    return Some(tree);
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                cursor.goto_parent();
                let end = tree.nodes.len();
                if let Some(at) = open.pop() {
                    tree.nodes[at].end = end;
                }
            }
        }
    }

    pub(super) fn node(&self, at: usize) -> &Node {
        #[cfg(test)]
        self.visits.set(self.visits.get() + 1);
        &self.nodes[at]
    }

    pub(super) fn kind(&self, at: usize) -> &'static str {
        self.node(at).kind
    }

    pub(super) fn span(&self, at: usize) -> Range<usize> {
        self.node(at).span.clone()
    }

    pub(super) fn text_of(&self, at: usize) -> &'t str {
        &self.text[self.span(at)]
    }

    /// All nodes directly inside of `at`.
    pub(super) fn all_children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.node(at).end;
        let next = move |child: &usize| Some(self.node(*child).end).filter(|next| *next < end);
        std::iter::successors(Some(at + 1).filter(|first| *first < end), next)
    }

    /// The nodes directly inside of `at`, without operators and keywords.
    pub(super) fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        self.all_children(at).filter(|&child| self.node(child).is_named)
    }

    pub(super) fn child(&self, at: usize, field: &str) -> Option<usize> {
        self.all_children(at).find(|&child| self.node(child).field == Some(field))
    }

    /// The only named node inside `at`, such as a pair of parentheses.
    pub(super) fn inner(&self, at: usize) -> Option<usize> {
        self.children(at).next()
    }

    /// The sign of the operator at `at`, which has one or two operands.
    pub(super) fn sign(&self, at: usize) -> &'static str {
        self.child(at, "operator").map_or("", |sign| self.kind(sign))
    }

    /// Whether these bytes contain a comment.
    pub(super) fn has_comment(&self, span: &Range<usize>) -> bool {
        let first = self.comments.partition_point(|comment| comment.start < span.start);
        self.comments.get(first).is_some_and(|comment| comment.start < span.end)
    }
}

/// The terms of a sum, from left to right. The flag is true if the term is added, and false if it is subtracted.
pub(super) fn terms(tree: &Tree, sum: usize) -> Vec<(bool, usize)> {
    let mut terms = Vec::new();
    let mut rest = sum;
    while tree.kind(rest) == "binary_operator" {
        let (sign, sides) = (tree.sign(rest), [tree.child(rest, "left"), tree.child(rest, "right")]);
        let ("+" | "-", [Some(left), Some(right)]) = (sign, sides) else { break };
        terms.push((sign == "+", right));
        rest = left;
    }
    terms.push((true, rest));
    terms.reverse();
    terms
}

/// Whether all indices of a subscript are `:`, `None` or `...`, as in `x[:, None]`. Such a subscript adds or moves
/// axes, and does not change values.
pub(super) fn is_axes(tree: &Tree, subscript: usize) -> bool {
    let mut axes = tree.all_children(subscript).filter(|&child| tree.node(child).field == Some("subscript")).peekable();
    axes.peek().is_some() && axes.all(|axis| matches!(tree.text_of(axis), ":" | "None" | "..."))
}

/// Whether this is an integer operator that can be read. A new text of its operand may need parentheses.
pub(super) fn is_arithmetic(sign: &str) -> bool {
    matches!(sign, "+" | "-" | "*" | "//" | "%" | "<<" | ">>" | "&" | "|" | "^")
}
