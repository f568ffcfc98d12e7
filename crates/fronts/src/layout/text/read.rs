//! The text of layouts and operations as a tree, each part with its place.

use super::error::{LayoutTextError, LayoutTextErrorKind};
use crate::banks::Swizzle;
use std::ops::Range;

/// Parentheses and calls in one another that are read.
const MAX_NESTING: usize = 32;

/// A part of the text.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Number(i64),
    /// In parentheses.
    Tuple(Vec<Part>),
    /// Between `<` and `>`.
    Tiles(Vec<Part>),
    Swizzle(Swizzle),
    /// Sizes and strides.
    Layout(Box<[Part; 2]>),
    Call(Range<usize>, Vec<Part>),
    /// Each one after the next.
    After(Vec<Part>),
}

/// Reads all of `text`. Linear in it.
pub(super) fn read(text: &str) -> Result<Part, LayoutTextError> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let part = reader.after()?;
    reader.blanks();
    if reader.at == text.len() { Ok(part) } else { reader.expected("`o`, or the end of the text") }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// The character that is next, behind blanks.
    fn peek(&mut self) -> Option<char> {
        self.blanks();
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    fn refused<T>(&self, kind: LayoutTextErrorKind, span: Range<usize>) -> Result<T, LayoutTextError> {
        Err(LayoutTextError::new(kind, self.text, span))
    }

    /// The error for what is next.
    fn expected<T>(&mut self, expected: &'static str) -> Result<T, LayoutTextError> {
        let width = self.peek().map_or(0, char::len_utf8);
        self.refused(LayoutTextErrorKind::Expected { expected }, self.at..self.at + width)
    }

    /// The length of the name that is next.
    fn name(&self) -> usize {
        let rest = self.rest();
        rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
    }

    /// `a o b o c`
    fn after(&mut self) -> Result<Part, LayoutTextError> {
        let mut parts = vec![self.layout()?];
        while self.takes_after() {
            parts.push(self.layout()?);
        }
        if parts.len() == 1 {
            return Ok(parts.swap_remove(0));
        }
        let span = parts[0].span.start..parts[parts.len() - 1].span.end;
        Ok(Part { span, kind: Kind::After(parts) })
    }

    fn takes_after(&mut self) -> bool {
        if self.take('\u{2218}') {
            return true;
        }
        let is_o = self.peek() == Some('o') && self.name() == 1;
        self.at += usize::from(is_o);
        is_o
    }

    /// `sizes:strides`, or one of them
    fn layout(&mut self) -> Result<Part, LayoutTextError> {
        let sizes = self.value()?;
        if !self.take(':') {
            return Ok(sizes);
        }
        let strides = self.value()?;
        Ok(Part { span: sizes.span.start..strides.span.end, kind: Kind::Layout(Box::new([sizes, strides])) })
    }

    fn value(&mut self) -> Result<Part, LayoutTextError> {
        let next = self.peek();
        let start = self.at;
        let kind = match next {
            Some('(') => Kind::Tuple(self.list('(', ')')?),
            Some('<') => Kind::Tiles(self.list('<', '>')?),
            Some('0'..='9' | '-') => Kind::Number(self.number()?),
            Some(c) if c.is_ascii_alphabetic() => self.named()?,
            _ => return self.expected("a layout, a number or an operation"),
        };
        Ok(Part { span: start..self.at, kind })
    }

    fn number(&mut self) -> Result<i64, LayoutTextError> {
        let start = self.at;
        let digits = self.text[start + 1..].find(|c: char| !c.is_ascii_digit());
        let end = digits.map_or(self.text.len(), |digits| start + 1 + digits);
        self.at = end;
        match self.text[start..end].parse() {
            Ok(number) => Ok(number),
            Err(_) if &self.text[start..end] == "-" => self.expected("digits"),
            Err(_) => self.refused(LayoutTextErrorKind::Number, start..end),
        }
    }

    fn named(&mut self) -> Result<Kind, LayoutTextError> {
        let name = self.at..self.at + self.name();
        self.at = name.end;
        if matches!(&self.text[name.clone()], "Swizzle" | "Sw") {
            let end = self.rest().find('>').map_or(self.text.len(), |end| self.at + end + 1);
            self.at = end;
            let swizzle = self.text[name.start..end].parse();
            return swizzle.map(Kind::Swizzle).or_else(|_| self.refused(LayoutTextErrorKind::Swizzle, name.start..end));
        }
        match self.peek() {
            Some('(') => Ok(Kind::Call(name, self.list('(', ')')?)),
            _ => self.expected("`(` with the operands"),
        }
    }

    /// Parts between brackets, with commas between them.
    fn list(&mut self, open: char, close: char) -> Result<Vec<Part>, LayoutTextError> {
        let start = self.at;
        self.take(open);
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return self.refused(LayoutTextErrorKind::TooDeep { limit: MAX_NESTING }, start..self.at);
        }
        let mut parts = vec![self.after()?];
        while self.take(',') {
            parts.push(self.after()?);
        }
        self.depth -= 1;
        if self.take(close) {
            return Ok(parts);
        }
        self.expected(if close == ')' { "`,`, `o`, `:` or `)`" } else { "`,`, `o`, `:` or `>`" })
    }
}
