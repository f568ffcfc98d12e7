//! The reader of rule files: s-expressions whose every node knows its place.

use std::fmt;

/// A place in a rule file; both count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Deepest nesting of parentheses in a rule; real rules stay below 10.
const MAX_DEPTH: usize = 64;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Datum {
    Word(Place, String),
    Text(Place, String),
    List(Place, Vec<Datum>),
}

impl Datum {
    pub(crate) fn place(&self) -> Place {
        match self {
            Datum::Word(p, _) | Datum::Text(p, _) | Datum::List(p, _) => *p,
        }
    }

    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Datum::Word(_, w) => Some(w),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> Option<&[Datum]> {
        match self {
            Datum::List(_, l) => Some(l),
            _ => None,
        }
    }
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Word(_, w) => f.write_str(w),
            Datum::Text(_, t) => write!(f, "{t:?}"),
            Datum::List(_, l) => {
                f.write_str("(")?;
                for (i, d) in l.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" ")?;
                    }
                    write!(f, "{d}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Reads all top-level lists of `source`; the errors are those of unbalanced text, with their places.
pub(crate) fn read(source: &str) -> Result<Vec<Datum>, (Place, String)> {
    let mut open: Vec<(Place, Vec<Datum>)> = Vec::new();
    let mut top = Vec::new();
    let mut chars = source.chars().peekable();
    let mut place = Place { line: 1, column: 1 };
    while let Some(c) = chars.next() {
        let here = place;
        place.column += 1;
        if c == '\n' {
            place = Place { line: place.line + 1, column: 1 };
        }
        let datum = match c {
            _ if c.is_whitespace() => continue,
            ';' => {
                while chars.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            '(' => {
                if open.len() >= MAX_DEPTH {
                    return Err((here, format!("nested more than {MAX_DEPTH} deep")));
                }
                open.push((here, Vec::new()));
                continue;
            }
            ')' => match open.pop() {
                Some((start, items)) => Datum::List(start, items),
                None => return Err((here, "`)` without `(`".into())),
            },
            '"' => {
                let mut text = String::new();
                loop {
                    match chars.next() {
                        None => return Err((here, "text without closing `\"`".into())),
                        Some('"') => {
                            place.column += 1;
                            break;
                        }
                        Some('\n') => {
                            place = Place { line: place.line + 1, column: 1 };
                            text.push(' ');
                            while chars.next_if(|c| *c == ' ').is_some() {
                                place.column += 1;
                            }
                        }
                        Some(c) => {
                            place.column += 1;
                            text.push(c);
                        }
                    }
                }
                Datum::Text(here, text)
            }
            _ => {
                let mut word = String::from(c);
                while let Some(c) = chars.next_if(|c| !c.is_whitespace() && !"()\";".contains(*c)) {
                    place.column += 1;
                    word.push(c);
                }
                Datum::Word(here, word)
            }
        };
        match open.last_mut() {
            Some((_, items)) => items.push(datum),
            None => top.push(datum),
        }
    }
    match open.pop() {
        Some((start, _)) => Err((start, "`(` is never closed".into())),
        None => Ok(top),
    }
}
