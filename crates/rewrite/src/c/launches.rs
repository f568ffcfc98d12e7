//! Finds launches of kernels: `kernel<<<grid, block>>>(arguments)`.

use super::file::File;
use super::tree::{children, identifiers};
use std::ops::Range;
use tree_sitter::Node;

/// The arguments of a kernel launch, and the position after the last argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Launch<'t> {
    pub(super) arguments: Vec<&'t str>,
    pub(super) end: usize,
}

/// The launches of the kernel `name`, which has `parameters` parameters and is declared at `declared`.
///
/// # Errors
/// The reason why the kernel cannot get another parameter, such as a use that is not a launch.
pub(super) fn launches<'t>(
    file: &File<'t>,
    root: Node<'t>,
    name: &str,
    parameters: usize,
    declared: &Range<usize>,
) -> Result<Vec<Launch<'t>>, String> {
    let is_in_macro = |text: &str| identifiers(text).any(|word| word == name);
    if file.macros.values().flatten().any(|known| is_in_macro(known.text)) {
        return Err("a macro has its name".into());
    }
    let (mut cursor, mut found) = (root.walk(), Vec::new());
    loop {
        let node = cursor.node();
        let is_name = node.child_count() == 0 && file.of(node) == name && !declared.contains(&node.start_byte());
        if is_name && !matches!(node.kind(), "string_content" | "field_identifier") {
            let launch = launch(file, node).filter(|launch| launch.arguments.len() == parameters);
            let line = node.start_position().row + 1;
            found.push(launch.ok_or_else(|| format!("line {line} uses it, and is no launch that can be changed"))?);
        }
        if node.kind() != "comment" && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(found);
            }
        }
    }
}

/// The kernel launch whose kernel name is the node `name`. `None` if the name is used in any other way.
fn launch<'t>(file: &File<'t>, name: Node<'t>) -> Option<Launch<'t>> {
    let mut function = name;
    while matches!(function.parent()?.kind(), "template_function" | "qualified_identifier") {
        function = function.parent()?;
    }
    let call = function.parent().filter(|call| call.child_by_field_name("function") == Some(function))?;
    let is_launch = children(call).iter().any(|child| child.kind() == "kernel_call_syntax");
    let list = call.child_by_field_name("arguments").filter(|_| is_launch)?;
    let all: Vec<Node<'t>> = children(list).into_iter().filter(|a| a.kind() != "comment").collect();
    let end = all.last().map_or(list.start_byte() + 1, Node::end_byte);
    Some(Launch { arguments: all.into_iter().map(|a| file.of(a)).collect(), end })
}

/// Whether evaluating `text` twice has no side effects. This holds if it has only names, members, numbers and
/// operators, and no call or assignment.
pub(super) fn is_repeatable(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "_.:+-*/% ()".contains(c);
    let is_call = |(at, _): (usize, &str)| text[..at].trim_end().ends_with(|c: char| c.is_alphanumeric() || c == '_');
    text.chars().all(is_plain)
        && !["++", "--", "//", "/*"].iter().any(|sign| text.contains(sign))
        && !text.match_indices('(').any(is_call)
}

#[cfg(test)]
mod tests {
    use super::is_repeatable;

    #[test]
    fn calls_and_assignments_are_not_repeated() {
        for text in ["n", "4", "p.width", "n - 1", "(n + 1) / 2", "Shape::N"] {
            assert!(is_repeatable(text), "{text}");
        }
        for text in ["next()", "n++", "--n", "n = 4", "a[i]", "f (n)", "p->n", "n /* 4 */"] {
            assert!(!is_repeatable(text), "{text}");
        }
    }
}
