//! Finds the first error in a text that the grammar of Python cannot parse.

use super::refusal::{Refusal, shorten};
use miette::Diagnostic;
use quaff_expr::expr::name::is_word;
use quaff_expr::expr::parse;
use std::cmp::Ordering;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Operators of C, with the equivalent ones of Python.
const OF_C: [(&str, &str); 9] = [
    ("&&", "`and`"),
    ("||", "`or`"),
    ("++", "`+ 1`"),
    ("->", "a name without it"),
    ("::", "a name without it"),
    ("/*", "`# ...` for a comment"),
    ("?", "`a if c else b`"),
    ("!", "`not`"),
    ("{", "definitions and one expression"),
];

/// Infix words of affine maps in MLIR.
const OF_MLIR: [&str; 4] = ["floordiv", "ceildiv", "mod", "affine_map"];

/// Keywords of Python that are not operands.
const KEYWORDS: [&str; 27] = [
    "and", "or", "not", "if", "else", "elif", "in", "is", "for", "while", "lambda", "return", "import", "from", "as",
    "def", "class", "del", "with", "try", "except", "raise", "assert", "pass", "yield", "print", "async",
];

/// The error in `text`, whose tree contains errors.
pub(super) fn trouble(text: &str, tree: &Tree) -> Refusal {
    let tokens = tokens(text);
    sign_of_c(text, &tokens)
        .or_else(|| cast_of_c(text, &tokens))
        .or_else(|| number(text, &tokens))
        .or_else(|| word_of_mlir(text, &tokens))
        .or_else(|| bracket(text, &tokens))
        .or_else(|| end(text, &tokens))
        .or_else(|| two_operands(text, &tokens))
        .or_else(|| choice(text, &tokens))
        .unwrap_or_else(|| misplaced(text, tree.root_node()))
}

/// The tokens of a text: words, and single other characters. White space, strings and comments are left out.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        match c {
            '#' => while chars.next_if(|(_, c)| *c != '\n').is_some() {},
            '"' | '\'' => {
                while chars.next_if(|(_, next)| *next != c && *next != '\n').is_some() {}
                chars.next();
            }
            _ if c.is_alphanumeric() || c == '_' => {
                while chars.next_if(|(_, c)| c.is_alphanumeric() || *c == '_').is_some() {}
                tokens.push(start..chars.peek().map_or(text.len(), |next| next.0));
            }
            _ if c.is_whitespace() => {}
            _ => tokens.push(start..start + c.len_utf8()),
        }
    }
    tokens
}

fn sign_of_c(text: &str, tokens: &[Range<usize>]) -> Option<Refusal> {
    tokens.iter().find_map(|at| {
        let rest = &text[at.start..];
        let (sign, python) = OF_C.iter().find(|(sign, _)| rest.starts_with(sign))?;
        // `x != y` and `x + +y` are valid in Python
        let is_python = *sign == "!" && rest.starts_with("!=");
        let refusal = || {
            let message = format!("`{sign}` is no operator of Python");
            Refusal::new(message, &(at.start..at.start + sign.len()))
                .help(format!("write {python}; `--from c` reads texts of C"))
        };
        (!is_python).then(refusal)
    })
}

/// Finds a cast or a suffix of C, such as `(int)x` and `15u`.
fn cast_of_c(text: &str, tokens: &[Range<usize>]) -> Option<Refusal> {
    const TYPES: [&str; 13] = [
        "int", "long", "short", "char", "unsigned", "signed", "size_t", "int32_t", "int64_t", "uint32_t", "uint64_t",
        "bool", "uint",
    ];
    let token = |i: usize| tokens.get(i).map_or("", |t| &text[t.clone()]);
    tokens.iter().enumerate().find_map(|(i, at)| {
        let word = &text[at.clone()];
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        let is_number = digits.len() < word.len() && digits.starts_with(|c: char| c.is_ascii_digit());
        if is_number && digits.bytes().all(|b| b.is_ascii_hexdigit() || b == b'x') {
            return Some(
                Refusal::new(format!("`{word}` is no integer of Python"), at)
                    .help(format!("write `{digits}`; `--from c` reads integers with a suffix")),
            );
        }
        let next = token(i + 1).starts_with(|c: char| c == '_' || c.is_alphabetic());
        if TYPES.contains(&word) && next && !KEYWORDS.contains(&token(i + 1)) {
            return Some(
                Refusal::new(format!("`{word}` is a type of C"), at).help("`--from c` reads definitions of C"),
            );
        }
        let words = (i + 1..tokens.len()).take_while(|&j| TYPES.contains(&token(j))).count();
        let close = i + 1 + words;
        let is_operand = token(close + 1).starts_with(|c: char| c == '_' || c.is_alphanumeric());
        if word != "(" || words == 0 || token(close) != ")" || !is_operand {
            return None;
        }
        let span = at.start..tokens[close].end;
        Some(Refusal::new(format!("`{}` is a cast of C", &text[span.clone()]), &span).help("`--from c` reads it"))
    })
}

/// Finds a word that begins with a digit and is not an integer.
fn number(text: &str, tokens: &[Range<usize>]) -> Option<Refusal> {
    let is_number = |at: &&Range<usize>| text[(*at).clone()].starts_with(|c: char| c.is_ascii_digit());
    let at = tokens.iter().filter(is_number).find(|at| parse(&text[(*at).clone()]).is_err())?;
    let error = parse(&text[at.clone()]).err()?;
    let refusal = Refusal::new(error.to_string(), at);
    Some(match Diagnostic::help(&error) {
        Some(help) => refusal.help(help.to_string()),
        None => refusal,
    })
}

fn word_of_mlir(text: &str, tokens: &[Range<usize>]) -> Option<Refusal> {
    let at = tokens.iter().find(|t| OF_MLIR.contains(&&text[(*t).clone()]))?;
    let word = &text[at.clone()];
    Some(Refusal::new(format!("`{word}` is no operator of Python"), at).help("`--from mlir` reads it"))
}

/// Finds a bracket without its partner.
fn bracket(text: &str, tokens: &[Range<usize>]) -> Option<Refusal> {
    let mut open: Vec<&Range<usize>> = Vec::new();
    for at in tokens {
        let partner = match &text[at.clone()] {
            "(" | "[" => {
                open.push(at);
                continue;
            }
            ")" => "(",
            "]" => "[",
            _ => continue,
        };
        let fits = open.pop().is_some_and(|o| &text[o.clone()] == partner);
        if !fits {
            let message = format!("this `{}` closes nothing", &text[at.clone()]);
            return Some(Refusal::new(message, at).help(format!("remove it, or add the missing `{partner}`")));
        }
    }
    let at = open.pop()?;
    let close = if &text[at.clone()] == "(" { ")" } else { "]" };
    Some(
        Refusal::new(format!("this `{}` is never closed", &text[at.clone()]), at)
            .help(format!("add the missing `{close}`")),
    )
}

/// Finds an operator at the end.
fn end(text: &str, tokens: &[Range<usize>]) -> Option<Refusal> {
    let last = tokens.last()?;
    let word = &text[last.clone()];
    let waits = matches!(word, "and" | "or" | "not" | "if" | "else")
        || word.starts_with(|c: char| "+-*/%&|^~<>=.,:".contains(c));
    waits
        .then(|| Refusal::new("expected a number, a name or `(`, found the end of the text", &(text.len()..text.len())))
}

/// Finds two operands without an operator between them.
fn two_operands(text: &str, tokens: &[Range<usize>]) -> Option<Refusal> {
    let is_operand = |word: &str| word.bytes().next().is_some_and(is_word) && !KEYWORDS.contains(&word);
    let pair = tokens.windows(2).find(|pair| {
        let (before, after) = (&text[pair[0].clone()], &text[pair[1].clone()]);
        let is_line = !text[pair[0].end..pair[1].start].contains('\n');
        is_line && is_operand(after) && (is_operand(before) || matches!(before, ")" | "]"))
    })?;
    let message = format!("`{}` follows a complete expression", shorten(&text[pair[1].clone()]));
    let line = text[..pair[0].start].lines().next_back().unwrap_or_default();
    let help = match line.contains("//") {
        true => "an operator is missing before it; a comment begins with `#`",
        false => "an operator is missing before it",
    };
    Some(Refusal::new(message, &pair[1]).help(help))
}

/// Finds an `if` without its `else`, or an `else` without its `if`.
fn choice(text: &str, tokens: &[Range<usize>]) -> Option<Refusal> {
    let of = |word: &'static str| tokens.iter().filter(move |t| &text[(*t).clone()] == word);
    let (found, missing) = match of("if").count().cmp(&of("else").count()) {
        Ordering::Greater => ("if", "else"),
        Ordering::Less => ("else", "if"),
        Ordering::Equal => return None,
    };
    let at = of(found).next_back()?;
    Some(Refusal::new(format!("this `{found}` has no `{missing}`"), at).help("write `a if c else b`"))
}

/// The first part that the grammar does not allow at its place, or the first part that is missing.
fn misplaced(text: &str, root: Node) -> Refusal {
    let mut node = root;
    let mut cursor = root.walk();
    // descend along the first child with an error
    loop {
        if node.is_missing() {
            let message = format!("`{}` is missing here", node.kind());
            return Refusal::new(message, &node.byte_range());
        }
        let mut found = None;
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.has_error() || child.is_error() || child.is_missing() {
                    found = Some(child);
                    break;
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        match found {
            Some(child) => node = child,
            None => break,
        }
    }
    let span = node.byte_range();
    let found = shorten(&text[span.clone()]);
    let refusal = Refusal::new(format!("`{found}` has no place here"), &span);
    if found.starts_with("//") { refusal.help("a comment begins with `#`") } else { refusal }
}
