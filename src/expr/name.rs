//! Names of unknowns: which of them the notations of expressions can read.

/// Whether `name` is a word of both notations, an operator or a truth value, so that no variable can be declared under it.
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(name, "False" | "True" | "and" | "else" | "if" | "not" | "or")
}

/// Whether both notations read `name` as a name: letters, digits and `_`, not starting with a digit, and no reserved word.
pub(crate) fn is_readable(name: &str) -> bool {
    let word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    word && name.bytes().next().is_some_and(|b| !b.is_ascii_digit()) && !is_reserved(name)
}
