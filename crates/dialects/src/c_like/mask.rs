//! Decides which words are values, functions and types.
//!
//! The grammar alone cannot read C: if `a` is a type, `(a) - b` is a cast of `-b`, and `a * b;` declares a pointer. The
//! grammar therefore reads a masked text of the same length. In the masked text, each value is a number, each function
//! is a name, and each type is a type.

use super::functions::is_known;
use super::token::{Kind, Token, shown};
use super::types::{is_keyword, is_type_word};
use crate::error::ReadError;
use std::ops::Range;

/// Words that the masked text keeps.
const WORDS: &[&str] = &["return", "true", "false", "and", "or", "not"];

/// C keywords that have no meaning in an index expression, each with a suggestion.
const REFUSED: &[(&str, &str)] = &[
    ("if", "write `c ? a : b`"),
    ("else", "write `c ? a : b`"),
    ("switch", "write `c ? a : b`"),
    ("for", "give the expression in the loop, and its counter as a variable"),
    ("while", "give the expression in the loop, and its counter as a variable"),
    ("do", "give the expression in the loop, and its counter as a variable"),
    ("struct", "declare its members as variables, such as `int v;`"),
    ("template", "write the type that is meant"),
    ("typename", "write the type that is meant"),
    ("decltype", "write the type that is meant"),
    ("new", "give the index alone"),
    ("delete", "give the index alone"),
    ("goto", "give the expression alone"),
    ("asm", "write the operation as an expression"),
    ("nullptr", "write 0"),
    ("operator", "write the operator between its operands"),
    ("this", "declare the member as a variable, such as `v`"),
    ("using", "write the type that is meant"),
    ("typedef", "write the type that is meant"),
];

/// The masked form of `text` for the grammar, of the same length.
pub(super) fn mask(text: &str, tokens: &[Token]) -> Result<String, ReadError> {
    let mut masked = vec![b' '; text.len()];
    let mut words = Words { text, tokens, declares: false, depth: 0 };
    for (i, token) in tokens.iter().enumerate() {
        let place = &mut masked[token.span.clone()];
        if words.word(Some(i)) == "sizeof" {
            let size = words.size(i)?;
            masked[size].fill(b'0');
            continue;
        }
        // the token is part of a `sizeof`, which is already masked
        if place[0] == b'0' {
            continue;
        }
        match words.spelling(i)? {
            Spelling::AsIs => place.copy_from_slice(&text.as_bytes()[token.span.clone()]),
            Spelling::Number => place.fill(b'0'),
            Spelling::Name => {
                place.fill(b'_');
                place[0] = b'n';
            }
            Spelling::Not => place.fill(b'!'),
            Spelling::Type => place[..3].copy_from_slice(b"int"),
        }
        words.pass(i);
    }
    Ok(String::from_utf8_lossy(&masked).into_owned())
}

/// The spelling of a token in the masked text.
enum Spelling {
    AsIs,
    Number,
    Name,
    /// The word `int`, followed by spaces.
    Type,
    Not,
}

struct Words<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// Whether the statement begins with a type.
    declares: bool,
    /// The number of open brackets.
    depth: usize,
}

impl Words<'_> {
    fn word(&self, at: Option<usize>) -> &str {
        at.and_then(|i| self.tokens.get(i)).map_or("", |t| &self.text[t.span.clone()])
    }

    /// Updates the state for token `i`.
    fn pass(&mut self, i: usize) {
        match self.word(Some(i)) {
            "(" | "[" => self.depth += 1,
            ")" | "]" => self.depth = self.depth.saturating_sub(1),
            ";" => self.declares = false,
            word if self.is_first(i) && self.tokens[i].kind == Kind::Word => {
                self.declares = is_type_word(word) && self.word(Some(i + 1)) != "(";
            }
            _ => {}
        }
    }

    fn is_first(&self, i: usize) -> bool {
        matches!(self.word(i.checked_sub(1)), "" | ";")
    }

    fn spelling(&self, i: usize) -> Result<Spelling, ReadError> {
        let token = &self.tokens[i];
        let (word, next) = (self.word(Some(i)), self.word(Some(i + 1)));
        match token.kind {
            Kind::Number => return Ok(Spelling::Number),
            // the grammar reads `~n(x)` as a destructor; `!` has the same precedence as `~`
            Kind::Sign if word == "~" => return Ok(Spelling::Not),
            Kind::Sign => return Ok(Spelling::AsIs),
            Kind::Word => {}
        }
        if let Some((_, help)) = REFUSED.iter().find(|(refused, _)| *refused == word) {
            return Err(refused(self.text, word, token.span.clone(), help));
        }
        let is_template = next == "<" && (is_known(word) || is_type_word(self.word(Some(i + 2))));
        Ok(match word {
            _ if WORDS.contains(&word) && !self.is_declared(i) => Spelling::AsIs,
            _ if WORDS.contains(&word) => {
                return Err(ReadError::new(format!("{} is a word of C", shown(word)), self.text, token.span.clone()));
            }
            _ if is_type_word(word) && next == "(" => Spelling::Name,
            _ if is_keyword(word) => Spelling::AsIs,
            _ if is_type_word(word) => Spelling::Type,
            _ if next == "(" || is_template || self.is_assigned(next) || self.is_declared(i) => Spelling::Name,
            // an unknown type, followed by the name of a variable
            _ if self.tokens.get(i + 1).is_some_and(|n| n.kind == Kind::Word) && self.is_first(i) => Spelling::Name,
            _ => Spelling::Number,
        })
    }

    /// The place of `sizeof(T)`, which begins at token `i`.
    fn size(&self, i: usize) -> Result<Range<usize>, ReadError> {
        let start = self.tokens[i].span.start;
        let is_type = |word: &str| is_type_word(word) || word == "*";
        let end = (i + 2..).find(|&at| !is_type(self.word(Some(at)))).unwrap_or(i);
        if self.word(Some(i + 1)) == "(" && end > i + 2 && self.word(Some(end)) == ")" {
            return Ok(start..self.tokens[end].span.end);
        }
        let error = ReadError::new("only the size of a type is known", self.text, self.tokens[i].span.clone());
        Err(error.with_help("write `sizeof(float)`, or the number"))
    }

    fn is_assigned(&self, next: &str) -> bool {
        next.ends_with('=') && !matches!(next, "==" | "!=" | "<=" | ">=")
    }

    /// Whether token `i` is a name that the statement declares.
    fn is_declared(&self, i: usize) -> bool {
        let before = |n: usize| self.word(i.checked_sub(n));
        let begins = |word: &str| word == "," || is_type_word(word);
        let is_pointer = matches!(before(1), "*" | "&") && (begins(before(2)) || before(2) == "*");
        self.follows_unknown_type(i) || self.declares && self.depth == 0 && (begins(before(1)) || is_pointer)
    }

    /// Whether the previous word begins the statement, and is not a word that the masked text keeps.
    fn follows_unknown_type(&self, i: usize) -> bool {
        let Some(before) = i.checked_sub(1) else { return false };
        self.tokens[before].kind == Kind::Word
            && self.is_first(before)
            && !WORDS.contains(&self.word(Some(before)))
            && !matches!(self.word(Some(i)), "and" | "or")
    }
}

fn refused(text: &str, word: &str, span: Range<usize>, help: &str) -> ReadError {
    ReadError::new(format!("{} has no meaning in an index expression", shown(word)), text, span).with_help(help)
}
