//! Names of unknowns, and the names that the notations of expressions can read.

/// Whether `name` is a word of both notations, such as an operator or a truth value. No variable can have such a name.
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(name, "False" | "True" | "and" | "else" | "if" | "not" | "or")
}

/// Whether `b` is a letter, a digit or `_`.
pub fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// The length of the name at the beginning of `text`. A name is one or more words with single dots between them, such
/// as `shape.x`. The length is 0 when `text` begins with no name.
///
/// Two dots belong to a range, so `n..m` begins with the name `n`.
pub(crate) fn name_length(text: &[u8]) -> usize {
    let at = |i: usize| text.get(i).copied().unwrap_or_default();
    if !is_word(at(0)) || at(0).is_ascii_digit() {
        return 0;
    }
    let mut end = 1;
    while is_word(at(end)) || at(end) == b'.' && is_word(at(end + 1)) {
        end += 1;
    }
    end
}

/// Whether both notations read `name` as a name. A name consists of words of letters, digits and `_` with single dots
/// between them. A name does not start with a digit, and is no reserved word.
pub fn is_readable(name: &str) -> bool {
    !name.is_empty() && name_length(name.as_bytes()) == name.len() && !is_reserved(name)
}

/// `name`, followed by the least number of `_` such that the name is not taken. Only finitely many names may be taken.
pub fn free(mut name: String, is_taken: impl Fn(&str) -> bool) -> String {
    while is_taken(&name) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_names_are_like_the_wanted_ones() {
        let free = |wanted: &str| free(wanted.into(), |name| ["p", "p_"].contains(&name));
        assert_eq!([free("q"), free("p")], ["q", "p__"]);
    }

    #[test]
    fn names_are_words_with_dots_between_them() {
        for (text, length) in [
            ("i", 1),
            ("i.j+1", 3),
            ("n..m", 1),
            ("n.m..k", 3),
            ("p.0.x", 5),
            ("x.", 1),
            ("", 0),
            (".x", 0),
            ("9a", 0),
            ("é", 0),
        ] {
            assert_eq!(name_length(text.as_bytes()), length, "{text}");
        }
        for (name, readable) in
            [("a.b", true), ("and", false), ("and.b", true), ("a.", false), ("a..b", false), ("", false)]
        {
            assert_eq!(is_readable(name), readable, "{name}");
        }
    }
}
