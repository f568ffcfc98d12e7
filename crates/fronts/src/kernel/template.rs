//! Splits code at its placeholders.

/// A part of a template, which is code with placeholders.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(String),
    /// The value of a root.
    Root(u32),
}

pub(super) type Template = Vec<Piece>;

/// A part of scanned code.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'t> {
    Text(&'t str),
    /// A placeholder `$name`.
    Name(&'t str),
    /// A placeholder `$|dim|`.
    Size(&'t str),
}

/// Splits code at its placeholders: `$name`, `${name}` and `$|dim|`. `$$` is a dollar sign.
pub(super) fn parts(code: &str) -> Vec<Part<'_>> {
    let mut parts = vec![];
    let mut rest = code;
    while let Some(at) = rest.find('$') {
        parts.push(Part::Text(&rest[..at]));
        let after = &rest[at + 1..];
        let enclosed = |open: char, close: char| after.strip_prefix(open).and_then(|t| t.split_once(close));
        if let Some(tail) = after.strip_prefix('$') {
            parts.push(Part::Text("$"));
            rest = tail;
        } else if let Some((name, tail)) = enclosed('{', '}') {
            parts.push(Part::Name(name));
            rest = tail;
        } else if let Some((name, tail)) = enclosed('|', '|') {
            parts.push(Part::Size(name));
            rest = tail;
        } else {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
            parts.push(Part::Name(&after[..end]));
            rest = &after[end..];
        }
    }
    parts.push(Part::Text(rest));
    parts.retain(|p| *p != Part::Text(""));
    parts
}

/// Whether a value that is inserted between the texts `before` and `after` needs no parentheses.
pub(super) fn stands_alone(before: &str, after: &str) -> bool {
    let before = before.trim_end_matches(' ').chars().next_back();
    let after = after.trim_start_matches(' ').chars().next();
    matches!(before, Some('[' | '(' | ',')) && matches!(after, Some(']' | ')' | ','))
        || matches!((before, after), (Some('='), Some(';')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders() {
        use Part::{Name, Size, Text};
        assert_eq!(parts("a[$i] += $|N|;"), [Text("a["), Name("i"), Text("] += "), Size("N"), Text(";")]);
        assert_eq!(parts("${x}f $$ $"), [Name("x"), Text("f "), Text("$"), Text(" "), Name("")]);
        assert!(stands_alone("a[", "] = 1") && stands_alone("f(x, ", ")") && stands_alone("int x = ", ";"));
        assert!(!stands_alone("p + ", ")") && !stands_alone("a[2*", "]"));
    }
}
