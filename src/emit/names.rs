//! Tests whether texts may use given names and types, and finds identifiers in code.

use quaff_expr::names::{C, CUDA, is_identifier};

/// Whether `text` can be the name of a variable or a buffer in C and CUDA text. The name must be an identifier that
/// neither language reserves, and that texts do not use. Texts use `min`, `threadIdx`, and all names that begin with
/// `quaff_`, for example.
///
/// ```
/// use quaff::emit::is_name;
///
/// assert!(is_name("in_ptr0") && is_name("log") && !is_name("float") && !is_name("min"));
/// assert!(!is_name("a b; system()") && !is_name(""));
/// ```
pub fn is_name(text: &str) -> bool {
    is_identifier(text) && !C.reserves(text) && !CUDA.reserves(text)
}

/// Whether `text` can be the type of a variable in C and CUDA. A type consists of words, such as `unsigned long long`
/// or `at::Half`, followed by any number of `*`.
///
/// ```
/// use quaff::emit::is_type;
///
/// assert!(is_type("__half") && is_type("unsigned long long") && is_type("at::Half *") && !is_type("float x; int"));
/// ```
pub fn is_type(text: &str) -> bool {
    let words = text.trim_end_matches([' ', '*']);
    let mut all = words.split(' ').flat_map(|word| word.split("::"));
    words.starts_with(|c: char| c != ' ') && all.all(is_identifier)
}

/// The identifiers in code, except the names of members.
///
/// ```
/// assert_eq!(quaff::emit::identifiers("a[i] + b.x").collect::<Vec<_>>(), ["a", "i", "b"]);
/// ```
pub fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = code.split(move |c: char| !is_word(c) && c != '.').filter_map(|w| w.split('.').next());
    words.filter(|w| w.bytes().next().is_some_and(|b| !b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_no_identifiers() {
        assert_eq!(identifiers("t0 = 1e5f*a_b(x2.y);").collect::<Vec<_>>(), ["t0", "a_b", "x2"]);
    }
}
