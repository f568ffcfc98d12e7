//! Finds the kernels of a file.

use super::tree::Tree;
use std::borrow::Cow;
use std::ops::Range;
use tree_sitter::{Node, Parser, TreeCursor};

/// The most comments in a row that are parsed. Longer runs of comments are replaced by spaces.
const MAX_COMMENTS: usize = 100;

/// The most lines between a decorator and its function.
const MAX_DECORATORS: usize = 20;

/// A function that Triton compiles.
pub(super) struct Found<'t> {
    pub(super) name: &'t str,
    pub(super) span: Range<usize>,
    /// The syntax tree of the function without decorators, or the reason why there is no tree.
    pub(super) tree: Result<Tree<'t>, &'static str>,
    /// The byte ranges of the comments directly above the function.
    pub(super) comments: Vec<Range<usize>>,
}

/// The kernels of `text`, and the kernels in strings that code from Inductor compiles.
pub(super) fn functions(text: &str) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    let strings = functions_of(text, 0..text.len(), &mut found);
    for content in strings {
        functions_of(text, content, &mut found);
    }
    found.sort_by_key(|f| f.span.start);
    found
}

/// Adds the kernels in the range `part` of a text. Returns the ranges of the strings in it that code from Inductor
/// compiles.
fn functions_of<'t>(text: &'t str, part: Range<usize>, found: &mut Vec<Found<'t>>) -> Vec<Range<usize>> {
    let mut parser = Parser::new();
    let base = part.start;
    let mut strings = Vec::new();
    let loaded = parser.set_language(&tree_sitter_python::LANGUAGE.into()).is_ok();
    let parsed = || parser.parse(&*without_long_comments(&text[part.clone()]), None);
    let Some(tree) = loaded.then(parsed).flatten() else { return strings };
    let mut cursor = tree.walk();
    // the comments directly above the current node
    let mut comments: Vec<Range<usize>> = Vec::new();
    loop {
        let node = cursor.node();
        let mut goes_down = true;
        match node.kind() {
            "comment" => comments.push(node.start_byte() + base..node.end_byte() + base),
            "decorated_definition" if is_kernel(text, base, node) => {
                found.extend(function(text, base, node, std::mem::take(&mut comments)));
                goes_down = false;
            }
            // the parser found this decorator without a definition, because of a syntax error
            "decorator" if is_jit(&text[node.start_byte() + base..node.end_byte() + base]) => {
                found.push(broken(text, node.start_byte() + base..node.end_byte() + base));
            }
            "call" => strings.extend(compiled_string(text, base, node)),
            _ => {}
        }
        if node.kind() != "comment" {
            comments.clear();
        }
        if goes_down && cursor.goto_first_child() {
            continue;
        }
        if !next(&mut cursor) {
            return strings;
        }
    }
}

/// `text` with long runs of comments replaced by spaces. The time of the parser is quadratic in the length of a run.
fn without_long_comments(text: &str) -> Cow<'_, str> {
    let mut comments = 0;
    let mut shorter: Option<String> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let is_comment = content.starts_with('#');
        comments = if is_comment || content.is_empty() { comments + usize::from(is_comment) } else { 0 };
        if is_comment && comments > MAX_COMMENTS {
            let start = at + line.len() - line.trim_start().len();
            let blank = " ".repeat(content.len());
            shorter.get_or_insert_with(|| text.to_string()).replace_range(start..start + content.len(), &blank);
        }
        at += line.len();
    }
    shorter.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Moves the cursor to the next node after the current one and its children. Returns false at the end of the tree.
fn next(cursor: &mut TreeCursor) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

/// Whether a decorator is `@triton.jit`, `@triton.jit(...)`, `@jit` or `@quaff.triton.jit`.
fn is_jit(decorator: &str) -> bool {
    let name = decorator.trim_start_matches('@').split('(').next().unwrap_or_default().trim();
    matches!(name, "triton.jit" | "jit" | "triton.runtime.jit" | "quaff.triton.jit")
}

fn is_kernel(text: &str, base: usize, definition: Node) -> bool {
    let mut cursor = definition.walk();
    let is_function = definition.child_by_field_name("definition").is_some_and(|d| d.kind() == "function_definition");
    is_function
        && definition.children(&mut cursor).any(|child| {
            child.kind() == "decorator" && is_jit(&text[child.start_byte() + base..child.end_byte() + base])
        })
}

fn function<'t>(text: &'t str, base: usize, definition: Node, above: Vec<Range<usize>>) -> Option<Found<'t>> {
    let function = definition.child_by_field_name("definition")?;
    let name = function.child_by_field_name("name")?;
    let name = &text[name.start_byte() + base..name.end_byte() + base];
    let span = definition.start_byte() + base..definition.end_byte() + base;
    let tree = match definition.has_error() {
        true => Err("its syntax has an error"),
        false => Tree::new(text, base, &mut function.walk()).ok_or("its syntax has too many levels"),
    };
    Some(Found { name, span, tree, comments: above })
}

/// The record of a function that cannot be read, because the decorator at `span` is part of a syntax error.
fn broken(text: &str, span: Range<usize>) -> Found<'_> {
    let mut lines = text[span.end..].lines().take(MAX_DECORATORS);
    let name = lines.find_map(|line| line.split_once("def ")).map_or("", |(_, rest)| rest);
    let length = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    Found { name: &name[..length], span, tree: Err("its syntax has an error"), comments: Vec::new() }
}

/// The content of the string in `async_compile.triton('name', '''...''')`, if the string has no escapes.
fn compiled_string(text: &str, base: usize, call: Node) -> Option<Range<usize>> {
    let function = call.child_by_field_name("function")?;
    if !text[function.start_byte() + base..function.end_byte() + base].ends_with("async_compile.triton") {
        return None;
    }
    let arguments = call.child_by_field_name("arguments")?;
    let mut cursor = arguments.walk();
    let strings = arguments.children(&mut cursor).filter(|child| child.kind() == "string");
    strings.filter_map(|string| content(text, base, string)).next()
}

fn content(text: &str, base: usize, string: Node) -> Option<Range<usize>> {
    let all = string.start_byte() + base..string.end_byte() + base;
    let quoted = &text[all.clone()];
    let quotes = ["'''", "\"\"\""].into_iter().find(|quotes| quoted.starts_with(quotes) && quoted.ends_with(quotes))?;
    let inside = all.start + quotes.len()..all.end.checked_sub(quotes.len())?;
    (inside.start <= inside.end && !text[inside.clone()].contains('\\')).then_some(inside)
}
