//! Elements of arrays. The indices of `A[i][j]` are results if a statement consists only of the element.

use super::reader::Reader;
use super::token::Kind;
use super::types::is_type_word;
use crate::error::ReadError;
use tree_sitter::Node;

/// The memory access of a statement.
pub(super) enum Access<'n> {
    /// The indices of an element, in the order of the text.
    Element(Vec<Node<'n>>),
    /// The address `p + i` of `__ldg(p + i)`.
    Address(Node<'n>),
}

/// The access to memory that `node` is, after conversions, `&` and loads are removed. `None` if `node` is no memory
/// access.
pub(super) fn access<'n>(reader: &Reader, node: Node<'n>) -> Result<Option<Access<'n>>, ReadError> {
    let (inner, is_load) = without_conversions(reader, node);
    if inner.kind() == "subscript_expression" {
        return indices(reader, inner).map(|all| Some(Access::Element(all)));
    }
    Ok(is_load.then_some(Access::Address(inner)))
}

/// Whether `node` is a name or a literal. An assignment may store such a node in an array element. It is then a value
/// and no index.
pub(super) fn is_plain(reader: &Reader, node: Node) -> bool {
    let (inner, is_load) = without_conversions(reader, node);
    !is_load && matches!(inner.kind(), "number_literal" | "identifier" | "true" | "false")
}

/// The node inside of parentheses, conversions, `&` and loads, and whether there is a load.
fn without_conversions<'n>(reader: &Reader, node: Node<'n>) -> (Node<'n>, bool) {
    let (mut inner, mut is_load) = (node, false);
    loop {
        let next = match inner.kind() {
            "parenthesized_expression" => inner.named_child(0),
            "cast_expression" => inner.child_by_field_name("value"),
            "pointer_expression" if reader.of(&inner).starts_with('&') => inner.child_by_field_name("argument"),
            "call_expression" => converted(reader, inner, &mut is_load),
            _ => None,
        };
        match next {
            Some(next) => inner = next,
            None => return (inner, is_load),
        }
    }
}

/// The operand of a call that returns it unchanged.
fn converted<'n>(reader: &Reader, call: Node<'n>, is_load: &mut bool) -> Option<Node<'n>> {
    let function = call.child_by_field_name("function")?;
    let name = reader.of(&function.child_by_field_name("name").unwrap_or(function));
    let arguments = call.child_by_field_name("arguments").filter(|a| a.named_child_count() == 1)?;
    *is_load |= name == "__ldg";
    let passes_on = matches!(name, "__ldg" | "static_cast" | "reinterpret_cast" | "const_cast") || is_type_word(name);
    arguments.named_child(0).filter(|_| passes_on)
}

/// The indices of `A[i][j]`.
fn indices<'n>(reader: &Reader, node: Node<'n>) -> Result<Vec<Node<'n>>, ReadError> {
    let (mut inner, mut all) = (node, Vec::new());
    while inner.kind() == "subscript_expression" {
        let list = inner.child_by_field_name("indices");
        let only = list.filter(|l| l.named_child_count() == 1).and_then(|l| l.named_child(0));
        all.push(only.ok_or_else(|| reader.error("one index is expected between `[` and `]`", &inner))?);
        let Some(argument) = inner.child_by_field_name("argument") else { break };
        inner = argument;
    }
    let end = reader.place(&inner).end;
    let is_word = reader.token_before(end).is_some_and(|t| t.kind == Kind::Word);
    let is_signed = reader.of(&inner).starts_with(['-', '+']);
    if !is_word || is_signed || !matches!(inner.kind(), "number_literal" | "identifier") {
        let error = reader.error("what has an index here is no name", &inner);
        return Err(error.with_help("give the index alone"));
    }
    all.reverse();
    Ok(all)
}
