//! All division uses the helper functions for floor division. Only lowering and texts contain other `/` or `%`.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders that this test checks.
const FOLDERS: [&str; 12] = [
    "crates/expr/src",
    "src/egraph",
    "src/rules",
    "src/cost",
    "crates/quasi/src",
    "crates/fronts/src/dims",
    "crates/fronts/src/view",
    "crates/fronts/src/index_type",
    "crates/fronts/src/banks",
    "crates/fronts/src/coalesce",
    "crates/fronts/src/layout",
    "crates/ask/src",
];
/// The only file that may contain these operators, and their number.
const HELPERS: (&str, usize) = ("crates/expr/src/integer.rs", 5);

#[test]
fn there_is_no_bare_division() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let helpers = root.join(HELPERS.0);
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|f| root.join(f)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 10);
    // drawings compute with floating-point numbers, and unit tests build expressions with these operators
    for path in files.into_iter().filter(|p| !p.ends_with("egraph/browse.rs") && !p.ends_with("tests.rs")) {
        let text = fs::read_to_string(&path).expect("a text file");
        // unit tests are at the end of a file
        let code = code_of(text.split("#[cfg(test)]").next().unwrap_or_default());
        let found = code.lines().map(|l| l.matches(['/', '%']).count()).sum::<usize>();
        let allowed = if path == helpers { HELPERS.1 } else { 0 };
        assert_eq!(found, allowed, "`/` or `%` in {}", path.display());
    }
}

/// The text without comments, strings and character literals.
fn code_of(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = String::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |i| i + 2);
        } else if rest.starts_with('"') {
            at += literal_length(rest, b'"');
        } else if rest.starts_with("'\\") || (rest.starts_with('\'') && rest.chars().nth(2) == Some('\'')) {
            at += literal_length(rest, b'\'');
        } else {
            let c = rest.chars().next().unwrap_or_default();
            code.push(c);
            at += c.len_utf8();
        }
    }
    code
}

/// The length of the literal at the start of `rest`, including the quotes.
fn literal_length(rest: &str, quote: u8) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

#[test]
fn the_search_sees_code_only() {
    let text = "a / b // c / d\n\"x / \\\" y\" '/' '\\'' 'l' %= /* % */ '%'";
    assert_eq!(code_of(text).matches(['/', '%']).count(), 2);
}
