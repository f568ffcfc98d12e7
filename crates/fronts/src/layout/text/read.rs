//! Parses the text of layouts and operations into a tree. Each part has its place in the text.

use super::error::{LayoutTextError, LayoutTextErrorKind};
use crate::banks::Swizzle;
use std::ops::Range;

/// The deepest nesting of parentheses and calls.
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
    /// Parts in parentheses.
    Tuple(Vec<Part>),
    /// Parts between `<` and `>`.
    Tiles(Vec<Part>),
    Swizzle(Swizzle),
    /// A single name.
    Name,
    /// Parts between `[` and `]`.
    List(Vec<Part>),
    /// Pairs of a name and a part, between `{` and `}`.
    Table(Vec<(Range<usize>, Part)>),
    /// Two tables with an arrow between them.
    Map(Box<[Part; 2]>),
    /// Parts with `*` between them.
    Product(Vec<Part>),
    /// A size or a stride: parts with `+`, `-`, `//` and `%` between them.
    Arithmetic,
    /// Sizes and strides.
    Layout(Box<[Part; 2]>),
    Call(Range<usize>, Vec<Part>),
    /// A composition of layouts.
    After(Vec<Part>),
}

/// Parses the whole `text`. The time is linear in its length.
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

    /// The next character after blanks.
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

    /// The error that `expected` is missing at the next character.
    fn expected<T>(&mut self, expected: &'static str) -> Result<T, LayoutTextError> {
        let width = self.peek().map_or(0, char::len_utf8);
        self.refused(LayoutTextErrorKind::Expected { expected }, self.at..self.at + width)
    }

    /// The length of the name at this position.
    fn name(&self) -> usize {
        let rest = self.rest();
        rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
    }

    /// Parses a composition `a o b o c`.
    fn after(&mut self) -> Result<Part, LayoutTextError> {
        let mut parts = vec![self.layout()?];
        while self.takes_after() {
            parts.push(self.layout()?);
        }
        Ok(one_of(parts, Kind::After))
    }

    /// Parses `a + b // c`. Its span is parsed again as an expression.
    fn sum(&mut self) -> Result<Part, LayoutTextError> {
        let first = self.product()?;
        let (start, mut end) = (first.span.start, first.span.end);
        while self.takes_operator() {
            end = self.product()?.span.end;
        }
        let kind = if end > first.span.end { Kind::Arithmetic } else { first.kind };
        Ok(Part { span: start..end, kind })
    }

    fn takes_operator(&mut self) -> bool {
        self.blanks();
        let rest = self.rest();
        let found = ["+", "-", "//", "%"].into_iter().find(|operator| rest.starts_with(operator));
        let found = found.filter(|_| !rest.starts_with("->"));
        self.at += found.map_or(0, str::len);
        found.is_some()
    }

    /// Parses a product `a * b * c`.
    fn product(&mut self) -> Result<Part, LayoutTextError> {
        let mut parts = vec![self.map()?];
        while self.take('*') {
            parts.push(self.map()?);
        }
        Ok(one_of(parts, Kind::Product))
    }

    /// Parses `{..} -> {..}`, or another value.
    fn map(&mut self) -> Result<Part, LayoutTextError> {
        let ins = self.value()?;
        self.blanks();
        if !matches!(ins.kind, Kind::Table(_)) || !self.rest().starts_with("->") {
            return Ok(ins);
        }
        self.at += "->".len();
        let outs = self.value()?;
        Ok(Part { span: ins.span.start..outs.span.end, kind: Kind::Map(Box::new([ins, outs])) })
    }

    fn takes_after(&mut self) -> bool {
        if self.take('\u{2218}') {
            return true;
        }
        let is_o = self.peek() == Some('o') && self.name() == 1;
        self.at += usize::from(is_o);
        is_o
    }

    /// Parses `sizes:strides`, or only one of them.
    fn layout(&mut self) -> Result<Part, LayoutTextError> {
        let sizes = self.sum()?;
        if !self.take(':') {
            return Ok(sizes);
        }
        let strides = self.sum()?;
        Ok(Part { span: sizes.span.start..strides.span.end, kind: Kind::Layout(Box::new([sizes, strides])) })
    }

    fn value(&mut self) -> Result<Part, LayoutTextError> {
        let next = self.peek();
        let start = self.at;
        let kind = match next {
            Some('(') => Kind::Tuple(self.list('(', ')')?),
            Some('<') => Kind::Tiles(self.list('<', '>')?),
            Some('[') => Kind::List(self.list('[', ']')?),
            Some('{') => Kind::Table(self.table()?),
            Some('#') => return self.attribute(),
            // one sign is read here, because several signs in a row are not valid
            Some('-') if self.rest()[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '(') => {
                self.at += 1;
                self.value()?;
                Kind::Arithmetic
            }
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
            _ => Ok(Kind::Name),
        }
    }

    /// Parses `#ttg.linear<{..}>`, as Triton prints it in a module.
    fn attribute(&mut self) -> Result<Part, LayoutTextError> {
        const NAME: &str = "#ttg.linear";
        if !self.rest().starts_with(NAME) {
            return self.expected("`#ttg.linear<`");
        }
        self.at += NAME.len();
        let mut parts = self.list('<', '>')?;
        match parts.len() {
            1 => Ok(parts.swap_remove(0)),
            _ => self.expected("one table of bases"),
        }
    }

    /// Parses `{name: part, ..}`, with `=` or `:`.
    fn table(&mut self) -> Result<Vec<(Range<usize>, Part)>, LayoutTextError> {
        let start = self.at;
        self.take('{');
        let mut rows = Vec::new();
        self.deeper(start)?;
        while self.peek().is_some_and(|next| next != '}') {
            let name = self.at..self.at + self.name();
            if name.is_empty() {
                return self.expected("a name");
            }
            self.at = name.end;
            if !self.take(':') && !self.take('=') {
                return self.expected("`:`");
            }
            rows.push((name, self.after()?));
            if !self.take(',') {
                break;
            }
        }
        self.depth -= 1;
        if self.take('}') { Ok(rows) } else { self.expected("`,` or `}`") }
    }

    fn deeper(&mut self, start: usize) -> Result<(), LayoutTextError> {
        self.depth += 1;
        match self.depth > MAX_NESTING {
            true => self.refused(LayoutTextErrorKind::TooDeep { limit: MAX_NESTING }, start..self.at),
            false => Ok(()),
        }
    }

    /// Parses parts between brackets that are separated by commas.
    fn list(&mut self, open: char, close: char) -> Result<Vec<Part>, LayoutTextError> {
        let start = self.at;
        self.take(open);
        self.deeper(start)?;
        let mut parts = Vec::new();
        // a list of bases may be empty
        if open != '[' || self.peek() != Some(']') {
            parts.push(self.after()?);
            while self.take(',') {
                parts.push(self.after()?);
            }
        }
        self.depth -= 1;
        if self.take(close) {
            return Ok(parts);
        }
        self.expected(match close {
            ')' => "`,`, `o`, `:` or `)`",
            ']' => "`,` or `]`",
            _ => "`,`, `o`, `:` or `>`",
        })
    }
}

/// The part itself if there is only one, and otherwise the group `several` of all parts.
fn one_of(mut parts: Vec<Part>, several: fn(Vec<Part>) -> Kind) -> Part {
    if parts.len() == 1 {
        return parts.swap_remove(0);
    }
    let span = parts[0].span.start..parts[parts.len() - 1].span.end;
    Part { span, kind: several(parts) }
}
